// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/text/print_plan.h: what is decided before a program is printed: which inner programs are
// written once and on top, and what its variables are called.
#pragma once
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "weft/core/ir.h"
#include "weft/core/jaxpr.h"

namespace weft {

// JAX's choices: a program that is used more than once, or has more than 10 equations, stands on
// top with a name; the other inner programs stand where they are used. So each is printed once, and
// variables can be numbered through all of them.
class PrintPlan {
 public:
  explicit PrintPlan(const Jaxpr& top);
  struct Shared {
    std::string name;
    Jaxpr program;
  };
  // In the order in which a breadth-first walk meets them: users come before what they use.
  const std::vector<Shared>& shared() const { return shared_; }
  // The name of a shared program, else null.
  const std::string* name_of(const Jaxpr& j) const;
  // By variable: the number behind its name, or -1 for an output that nobody reads.
  const std::vector<int64_t>& variables(const Jaxpr& j) const {
    return variables_.at(identity_of(j.get()));
  }

 private:
  void choose_shared(const Jaxpr& top);
  void name_variables(const Jaxpr& j);
  void suggest_names(const Eqn& e, std::vector<int64_t>& outer);
  int64_t next();

  std::vector<Shared> shared_;
  std::unordered_map<const JaxprData*, std::string> names_;
  std::unordered_set<int64_t> taken_;  // numbers of variables named like a shared program
  std::unordered_map<const JaxprData*, std::vector<int64_t>> variables_;
  int64_t next_ = 0;
};

}  // namespace weft

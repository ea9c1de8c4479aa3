// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/text/print_plan.h: the decisions before a program is printed: which inner programs are
// printed once at the top, and the names of the variables.
#pragma once
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir.h"
#include "weft/detail/jaxpr.h"

namespace weft {

// JAX's rules: a program that is used more than once, or has more than 10 equations, is printed at
// the top with a name. The other inner programs are printed where they are used. So each is printed
// once, and variables can be numbered across all of them.
class PrintPlan {
 public:
  explicit PrintPlan(const Jaxpr& top);
  struct Shared {
    std::string name;
    Jaxpr program;
  };
  // In the order of a breadth-first walk: a program precedes the programs that it uses.
  const std::vector<Shared>& shared() const { return shared_; }
  // The name of a shared program, else null.
  const std::string* name_of(const Jaxpr& j) const;
  // For each variable, the number of its name, or -1 for an output that nothing reads.
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
  std::unordered_set<int64_t> taken_;  // numbers of names that shared programs have
  std::unordered_map<const JaxprData*, std::vector<int64_t>> variables_;
  int64_t next_ = 0;
};

}  // namespace weft

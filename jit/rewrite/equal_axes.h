// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/rewrite/equal_axes.h: computes values that are equal along an axis once, not at each index
// (docs/decisions/0084).
#pragma once
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tracer/record_trace.h"

namespace weft::compiler {

// Knows which variables of a program that is being recorded are equal along axes.
class EqualAxes {
 public:
  explicit EqualAxes(JaxprTrace* record);
  ~EqualAxes();
  // Returns the results of an equation. If no operand differs along an axis, and nothing combines
  // its indices, the equation is also bound with one index of it, under the current interpreter.
  // The results are broadcasts of that one's if this costs less. Otherwise they are those of
  // `whole`, and the smaller ones are for their readers.
  Arrays results(const Op& op, const Arrays& x, const AnyParams& params,
                 FunctionRef<Arrays()> whole);

 private:
  // A smaller value that a variable equals. Axis i of `from` is axis axes[i] of the variable.
  struct Broadcast {
    Array from;
    std::vector<int64_t> axes;
  };
  // An equation with one index of an axis.
  struct Smaller {
    Arrays results;
    bool pays = false;  // to broadcast its results
  };
  struct Equation;
  struct Equations;
  const Broadcast* known(const Array& x) const;
  bool equal_along(const Array& x, int axis) const;
  bool may_have_equal_axis(const Op& op, const Arrays& x) const;
  bool equal_along(const Equation& e, int axis_class, const Arrays& x) const;
  std::optional<Smaller> smaller(const Op& op, const Arrays& x, const AnyParams& params);
  std::optional<Smaller> bind_one(Equation& e, int axis_class, const Arrays& x);
  void note(const Array& y, Broadcast b);

  JaxprTrace* record_;
  std::unordered_map<int32_t, Broadcast> broadcasts_;  // by variable
  std::unique_ptr<Equations> equations_;
};

}  // namespace weft::compiler

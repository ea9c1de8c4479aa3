// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/loop_form.h: the structure of an op that holds programs: which operand is which input
// of which body.
#pragma once
#include <vector>

#include "core/ir.h"
#include "weft/detail/jaxpr.h"

namespace weft {

// Operand order: [index] [enter] [trips] [cond consts] [body consts] [carry] [rows].
// Body input order: [active] [consts] [carry] [rows]; outputs: carry, then results.
struct LoopForm {
  enum class Kind { loop_while, scan, cond, call };
  Kind kind = Kind::call;
  std::vector<Jaxpr> bodies =
      {};  // while: {cond, body}; scan: {body}; cond: branches; call: {body}
  Ints lanes = {};
  Ints has = {};  // bit set of the lane axes of each cond const, body const, carry, row and result
  bool enter = false, trips = false;
  int cond_consts = 0, consts = 0, carry = 0, rows = 0, results = 0;
  int64_t length = 0;
  bool reverse = false;
  bool active() const { return !lanes.empty() && kind != Kind::call; }

  int first_cond_const() const { return (kind == Kind::cond ? 1 : 0) + enter + trips; }
  int first_const() const { return first_cond_const() + cond_consts; }
  int first_carry() const { return first_const() + consts; }
  int first_row() const { return first_carry() + carry; }
  int64_t has_of(int operand) const { return has.empty() ? 0 : has[operand - first_cond_const()]; }
  int64_t has_result(int k) const {
    return has.empty() ? 0 : has[cond_consts + consts + carry + rows + k];
  }

  // Operand `outer` (or result, if to_result) corresponds to input `inner` (or output, if output)
  // of a body. A row does not have its leading time axis inside the body.
  struct Link {
    int body, inner;
    bool output;
    int outer;
    bool to_result, row;
  };
  std::vector<Link> links() const {
    std::vector<Link> out;
    const int a = active() ? 1 : 0;
    if (kind == Kind::loop_while) {
      for (int i = 0; i < cond_consts; ++i)
        out.push_back({0, i, false, first_cond_const() + i, false, false});
      for (int t = 0; t < carry; ++t)
        out.push_back({0, cond_consts + t, false, first_carry() + t, false, false});
      if (enter) out.push_back({0, 0, true, 0, false, false});
      if (active()) {
        out.push_back({1, 0, false, 0, false, false});
        if (!enter) out.pop_back();
      }
    }
    const int last = static_cast<int>(bodies.size());
    for (int b = kind == Kind::loop_while ? 1 : 0; b < last; ++b) {
      if (kind == Kind::cond && active()) out.push_back({b, 0, false, 0, false, false});
      if (kind == Kind::scan && active()) out.push_back({b, 0, false, 0, false, false});
      for (int i = 0; i < consts; ++i)
        out.push_back({b, a + i, false, first_const() + i, false, false});
      for (int t = 0; t < carry; ++t) {
        out.push_back({b, a + consts + t, false, first_carry() + t, false, false});
        out.push_back({b, t, true, first_carry() + t, false, false});
        out.push_back({b, t, true, t, true, false});
      }
      for (int r = 0; r < rows; ++r)
        out.push_back({b, a + consts + carry + r, false, first_row() + r, false, true});
      for (int k = 0; k < results; ++k)
        out.push_back({b, carry + k, true, carry + k, true, kind == Kind::scan});
    }
    return out;
  }
};

}  // namespace weft

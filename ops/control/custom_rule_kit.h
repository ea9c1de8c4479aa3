// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/custom_rule_kit.h: helpers for ops with their own derivative rules. A rule is a
// program, or an object that is called when it is needed.
#pragma once
#include "autodiff/autodiff.h"
#include "core/param.h"
#include "ops/control/lanes.h"

namespace weft {

// Throws if a captured value has a tangent. The first num_consts operands are the values that the
// function captured.
inline void refuse_captured(const Arrays& dx, int64_t num_consts, const std::string& name) {
  for (int64_t i = 0; i < num_consts; ++i)
    if (!dx[i].empty_handle())
      throw DifferentiationError(
          name + ": a value that the function captured is differentiated; pass it as an argument");
}

inline Types inexact_of(const Types& ts) {
  Types r;
  for (const Type& t : ts)
    if (is_inexact(t.dtype())) r.push_back(t.strong());
  return r;
}

inline std::vector<bool> inexact(const Arrays& x) {
  return map_list([](const Array& a) { return is_inexact(a.dtype()); }, x);
}

// The rule if it is an object, else null.
template <class Rule>
Ref<const Rule> rule_object(const ProgramOrObject& rule) {
  const auto* o = std::get_if<Opaque>(&rule);
  return Ref<const Rule>(o ? static_cast<const Rule*>(o->object.get()) : nullptr);
}

// For the type rules, because programs may come from text: requires that `program` returns values
// of the types `want`.
void require_results(const char* op, const char* program, const Types& out, const Types& want,
                     const Types& in);

// ---- batching

inline Types mapped_types(const Types& ts, const MaybeAxes& axes, int64_t size) {
  return map_list([&](const Type& t, MaybeAxis a) { return add_axis(t, a, size); }, ts, axes);
}

inline MaybeAxis to_front(MaybeAxis a) { return a ? MaybeAxis(0) : a; }
// Moves the mapped axis of each operand to the front.
inline Arrays in_front(const Arrays& x, const MaybeAxes& axis, int64_t size, MaybeAxes* now) {
  *now = map_list(to_front, axis);
  return map_list([&](const Array& v, MaybeAxis a) { return a ? move_mapped(v, a, 0, size) : v; },
                  x, axis);
}

inline Batched mapped_in_front(const Arrays& out) { return {out, MaybeAxes(out.size(), 0)}; }

// The operands of the rewritten op. The values captured by its programs follow the first `at`
// operands.
inline Arrays with_captured(const Arrays& x, size_t at, const Arrays& captured) {
  return concat_lists(concat_lists(sublist(x, 0, at), captured), drop_first(x, at));
}

// Batches j for operands mapped as in `in`. The results for which `ask` is true or too short are
// mapped along their leading axis. `at`: the position after its constants. The inputs of the new
// program have these types; j does not take the `skipped` inputs behind the constants.
TracedBody batched_in_front(const Jaxpr& j, size_t at, const Types& types, const MaybeAxes& in,
                            const BatchTrace& trace, const std::vector<bool>& ask = {},
                            size_t skipped = 0);

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/custom_rule_kit.h: helpers for ops with their own derivative rules, both rules
// given as programs and rules called when they are needed.
#pragma once
#include <algorithm>
#include <span>

#include "autodiff/autodiff.h"
#include "ops/control/lanes.h"
#include "tracer/concrete.h"

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

// ---- linear ops of which only the transpose is known (P has num_residuals and result_types).
// Such an op has a value only for zero tangents, and the value is zero. Reverse mode needs it where
// a loop or a branch materializes zeros.

inline void require_zeros(DType d, std::span<const std::byte> bytes) {
  with_class<DTypes::inexact>(d, [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const auto* x = reinterpret_cast<const T*>(bytes.data());
    for (size_t i = 0; i < bytes.size() / sizeof(T); ++i)
      if (!(Element<T>::load(x[i]) == Element<T>::load(T{})))
        throw DifferentiationError(
            "can't apply forward-mode autodiff (jvp) to a custom_vjp function.");
  });
}

template <class P>
Arrays zeros_reference(const Arrays& x, const P& p) {
  for (size_t i = p.num_residuals; i < x.size(); ++i)
    require_zeros(x[i].dtype(), {static_cast<const std::byte*>(concrete(x[i]).data()),
                                 static_cast<size_t>(x[i].type().bytes())});
  return map_list(base::zeros, inexact_of(p.result_types));
}

template <class P>
NativeCall zeros_call(const Use<P>& u) {
  return {[in = u.in, n = u.params.num_residuals](const NativeArgs& a) {
    for (size_t i = n; i < in.size(); ++i) require_zeros(in[i].dtype(), a.in_bytes[i]);
    for (const auto& bytes : a.out_bytes) std::fill(bytes.begin(), bytes.end(), std::byte{0});
  }};
}

// The dual of lin(r, dt). The tangents of the residuals contribute nothing: lin is either zero or
// does not have a value.
template <class P>
Dual zeros_dual(const DualArgs<P>& d) {
  const size_t n = d.params.num_residuals;
  Dual r;
  r.out = d.op.bind(d.x, d.params);
  r.tangent = r.out;
  const Arrays x = concat_lists(
      sublist(d.x, 0, n), map_list(instantiate, drop_first(d.dx, n), types_of(drop_first(d.x, n))));
  const std::vector<bool> on = is_nonzero(drop_first(d.dx, n));
  if (std::find(on.begin(), on.end(), true) != on.end())
    r.tangent = map_list(add_tangents, r.tangent, d.op.bind(x, d.params));
  return r;
}

}  // namespace weft

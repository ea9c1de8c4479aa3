// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/kit.h: the vocabulary of rules from which most ops are made in a line a slot.
#pragma once
#include <algorithm>

#include "weft/batching/batch_trace.h"
#include "weft/core/op.h"
#include "weft/ops/element.h"
#include "weft/tracer/base_ops.h"
#include "weft/tracer/concrete.h"
#include "weft/tracer/trace.h"

namespace weft {

// ---- type rules. Elementwise operands have one dtype, and one shape or rank 0.
// The common type; raises ShapeError/DTypeError naming the op and its operands.
Type nary_type(const char* op, const Types& in, unsigned classes);
[[noreturn]] void reject_shape(const char* op, const std::string& why, const Types& in);
[[noreturn]] void reject_dtype(const char* op, const std::string& why, const Types& in);
void require_operands(const char* op, const Types& in, size_t n);

// ---- elementwise rules
// All mapped operands at one place; what has no lanes and is no scalar is broadcast. For elementwise
// ops: the operands and the axis to bind with.
struct Aligned {
  Arrays x;
  int axis = 0;
};
Aligned align_nary(const Arrays& x, const MaybeAxes& axis, int64_t size);
template <class P> Batched batch_nary(const Primitive<P>& op, const BatchArgs<P>& b) {
  Aligned a = align_nary(b.x, b.axis, b.size);
  Arrays out = op.bind(a.x, b.params);
  MaybeAxes axis(out.size(), a.axis);
  return {std::move(out), std::move(axis)};
}
// A cotangent of the full shape for an operand that was a scalar: summed.
Array unbroadcast(const Array& ct, const Type& operand);
// A scalar constant of x's dtype.
Array like(const Array& x, double value);

namespace detail {
// Host loops: out[i] = f(x0[i], x1[i]…), operands of rank 0 repeated.
template <class T, class Out, class F, size_t... I>
Array map_elements(const Arrays& x, const Type& out_type, const F& f, std::index_sequence<I...>) {
  Fresh r = fresh_array(out_type);
  Out* out = static_cast<Out*>(r.data);
  const T* in[sizeof...(I)] = {static_cast<const T*>(weft::concrete(x[I]).data())...};
  const int64_t step[sizeof...(I)] = {(x[I].ndim() == 0 ? 0 : 1)...};
  const int64_t n = out_type.elements();
  for (int64_t i = 0; i < n; ++i) out[i] = Element<Out>::store(f(Element<T>::load(in[I][i * step[I]])...));
  return r.array;
}
template <class T, class Out, class F, size_t... I>
Lowering pull_elements(const Types& in, const F& f, std::index_sequence<I...>) {
  std::vector<bool> scalar;
  for (const Type& t : in) scalar.push_back(t.ndim() == 0);
  Lowering l;
  l.element = [scalar, f](Reader& r, int, const Coords& at) {
    const Coords none;
    const Elem e[sizeof...(I)] = {r.read(static_cast<int>(I), scalar[I] ? none : at)...};
    return Element<Out>::out(f(Element<T>::in(e[I])...));
  };
  return l;
}
Types strong_if_mixed(const Types& in, Type t);
}  // namespace detail

// An op of n operands of one dtype: f is a generic lambda over numbers. With `Result` given the
// output has that dtype (comparisons: bool), else the operands'.
template <unsigned classes, int n, class Result = void, class F> Def<None> elementwise(std::string name, std::string doc, F f) {
  using Seq = std::make_index_sequence<n>;
  Def<None> d;
  d.name = name;
  d.doc = std::move(doc);
  d.type = [name](const Types& in, const None&) {
    require_operands(name.c_str(), in, n);
    Type t = nary_type(name.c_str(), in, classes);
    if constexpr (!std::is_void_v<Result>) t = Type(dtype_of_v<Result>, t.shape());
    return Types{t};
  };
  d.reference = [f, type = d.type](const Arrays& x, const None& p) {
    Types in;
    for (const Array& a : x) in.push_back(a.type());
    const Type t = type(in, p)[0];
    Array r;
    with_class<classes>(x[0].dtype(), [&](auto* q) {
      using T = std::remove_pointer_t<decltype(q)>;
      using Out = std::conditional_t<std::is_void_v<Result>, T, Result>;
      r = detail::map_elements<T, Out>(x, t, f, Seq{});
    });
    return Arrays{r};
  };
  d.lower = [f](const LowerArgs<None>& l) {
    Lowering r;
    with_class<classes>(l.in[0].dtype(), [&](auto* q) {
      using T = std::remove_pointer_t<decltype(q)>;
      using Out = std::conditional_t<std::is_void_v<Result>, T, Result>;
      r = detail::pull_elements<T, Out>(l.in, f, Seq{});
    });
    return r;
  };
  d.samples = [] {
    std::vector<Sample<None>> s;
    for (int i = 0; i <= static_cast<int>(C128); ++i) {
      const DType t = static_cast<DType>(i);
      if (!dtype_in(t, classes)) continue;
      s.push_back({Types(n, Type(t, {7})), {}, -2, 2});
      if (t == F32) {
        s.push_back({Types(n, Type(t, {2, 3})), {}, -2, 2});
        s.push_back({Types(n, Type(t, {})), {}, -2, 2});
        s.push_back({Types(n, Type(t, {0})), {}, -2, 2});
      }
    }
    return s;
  };
  return d;
}
// Registers an elementwise op, with the batching rule that all of them share.
const Primitive<None>& define_elementwise(Def<None> d);

// ---- derivative rules
// Unary: the tangent is dx times something: g(dx, x, y) with y the result.
template <class G> auto unary_jvp(G g) {
  return [g](const JvpArgs<None>& j) { return Arrays{g(j.dx[0], j.x[0], j.out[0])}; };
}
// Binary: g0(dx, x, y, out), g1(dy, x, y, out); zero tangents are skipped, scalars broadcast.
Array broadcast_like(const Array& x, const Type& t);
template <class G0, class G1> auto binary_jvp(G0 g0, G1 g1) {
  return [g0, g1](const JvpArgs<None>& j) {
    Array t;
    const auto add = [&](Array more) {
      more = broadcast_like(more, j.out[0].type());
      t = t.empty_handle() ? more : base::add(t, more);
    };
    if (!j.dx[0].empty_handle()) add(g0(j.dx[0], j.x[0], j.x[1], j.out[0]));
    if (!j.dx[1].empty_handle()) add(g1(j.dx[1], j.x[0], j.x[1], j.out[0]));
    return Arrays{t};
  };
}
// No derivative: steps, comparisons.
inline Arrays zero_jvp(const JvpArgs<None>& j) { return Arrays(j.out.size()); }

}  // namespace weft

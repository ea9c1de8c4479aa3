// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/kit/kit.h: shared rules from which most ops are defined with one line for each rule.
#pragma once
#include <algorithm>
#include <memory>

#include "batching/batch_trace.h"
#include "core/op.h"
#include "ops/kit/element.h"
#include "tracer/base_ops.h"
#include "tracer/concrete.h"
#include "tracer/trace.h"
#include "tracer/types_of.h"

namespace weft {

// Binds an op of one result as its public function does: at the place of the user's call, which
// came with the first operand.
template <class P, class... More>
Array bind_at(const Primitive<P>& op, const Arg& x, const More&... more) {
  const SourceScope s(x.at());
  return op({x, more...});
}

// ---- type rules. Elementwise operands have one dtype, and the common shape or rank 0.
// Returns the common type. Throws ShapeError or DTypeError; the message names the op and its
// operands.
Type nary_type(const char* op, const Types& in, unsigned classes);
[[noreturn]] void reject_shape(const char* op, const std::string& why, const Types& in);
[[noreturn]] void reject_dtype(const char* op, const std::string& why, const Types& in);
void require_operands(const char* op, const Types& in, size_t n);

// ---- elementwise rules.
// The operands of an elementwise op and the axis to bind it with. All mapped operands have the
// mapped axis at that position; unmapped operands that are not scalars are broadcast.
struct Aligned {
  Arrays x;
  int axis = 0;
};
Aligned align_nary(const Arrays& x, const MaybeAxes& axis, int64_t size);
template <class P>
Batched batch_nary(const BatchArgs<P>& b) {
  Aligned a = align_nary(b.x, b.axis, b.size);
  Arrays out = b.op.bind(a.x, b.params);
  MaybeAxes axis(out.size(), a.axis);
  return {std::move(out), std::move(axis)};
}
// For ops with leading batch axes: every operand gets the mapped axis as its leading axis.
template <class P>
Batched batch_in_front(const BatchArgs<P>& b) {
  Arrays x;
  for (size_t k = 0; k < b.x.size(); ++k) x.push_back(move_mapped(b.x[k], b.axis[k], 0, b.size));
  Arrays out = b.op.bind(x, b.params);
  MaybeAxes axis(out.size(), 0);
  return {std::move(out), std::move(axis)};
}
// Sums a cotangent of the full shape if the operand was a scalar.
Array unbroadcast(const Array& ct, const Type& operand);
// Returns a scalar constant with the dtype of x.
Array like(const Array& x, double value);
// Returns true if x is known now and all its elements equal this number, including the sign of
// zero.
bool is_number(const Array& x, double value);
// A simplify rule: returns x[keep] if x[other] is the neutral element and the result has the type
// of x[keep].
Arrays drop_neutral(const Arrays& x, size_t keep, size_t other, double neutral);

namespace detail {
// Host loop: out[i] = f(x0[i], x1[i]…). Operands of rank 0 are repeated.
template <class T, class Out, class F, size_t... I>
Array map_elements(const Arrays& x, const Type& out_type, const F& f, std::index_sequence<I...>) {
  Fresh r = fresh_array(out_type);
  Out* out = static_cast<Out*>(r.data);
  const T* in[sizeof...(I)] = {static_cast<const T*>(weft::concrete(x[I]).data())...};
  const int64_t step[sizeof...(I)] = {(x[I].ndim() == 0 ? 0 : 1)...};
  const int64_t n = out_type.elements();
  for (int64_t i = 0; i < n; ++i)
    out[i] = Element<Out>::store(f(Element<T>::load(in[I][i * step[I]])...));
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
}  // namespace detail

// The element type of the result of an elementwise op on T: T itself, or the type that a tag
// selects.
struct RealPart {};     // for complex numbers: the type of their parts
struct MadeComplex {};  // the complex type whose parts are T
namespace detail {
template <class T, class Result>
struct OutOf {
  using type = Result;
};
template <class T>
struct OutOf<T, void> {
  using type = T;
};
template <class T>
struct OutOf<T, RealPart> {
  using type = T;
};
template <class R>
struct OutOf<Complex<R>, RealPart> {
  using type = R;
};
template <class R>
struct OutOf<R, MadeComplex> {
  using type = Complex<R>;
};
}  // namespace detail
template <class T, class Result>
using out_of = typename detail::OutOf<T, Result>::type;

// Samples of n operands: every dtype of the classes in one size, and F32 in several shapes.
template <class P>
std::vector<Sample<P>> nary_samples(unsigned classes, int n, const P& p, double lo = -2,
                                    double hi = 2) {
  const size_t count = n;
  std::vector<Sample<P>> s;
  for (int i = 0; i <= static_cast<int>(C128); ++i) {
    const DType t = static_cast<DType>(i);
    if (!dtype_in(t, classes)) continue;
    s.push_back({Types(count, Type(t, {7})), p, lo, hi});
    if (t != F32) continue;
    for (const Shape& shape : {Shape{2, 3}, Shape{}, Shape{0}})
      s.push_back({Types(count, Type(t, shape)), p, lo, hi});
    if (n < 2) continue;
    // A scalar with an operand of the full shape.
    s.push_back({Types(count, Type(t, {5})), p, lo, hi});
    s.back().in[0] = Type(t, {});
  }
  return s;
}

// Defines an op of n operands of one dtype. f(params, x…) is a generic lambda on numbers. If
// `Result` is given, the output has that dtype (Bool for comparisons) or the dtype of a tag above.
template <class P, unsigned classes, int n, class Result = void, class F>
Def<P> elementwise_with(std::string name, std::string doc, F f) {
  using Seq = std::make_index_sequence<n>;
  Def<P> d;
  d.name = name;
  d.doc = std::move(doc);
  d.type = [name](const Types& in, const P&) {
    require_operands(name.c_str(), in, n);
    Type t = nary_type(name.c_str(), in, classes);
    if constexpr (!std::is_void_v<Result>)
      with_class<classes>(in[0].dtype(), [&](auto* q) {
        constexpr DType out = dtype_of_v<out_of<std::remove_pointer_t<decltype(q)>, Result>>;
        if (out != t.dtype()) t = Type(out, t.shape(), t.weak() && out != Bool);
      });
    return Types{t};
  };
  d.reference = [f, type = d.type](const Arrays& x, const P& p) {
    const Type t = type(types_of(x), p)[0];
    Array r;
    with_class<classes>(x[0].dtype(), [&](auto* q) {
      using T = std::remove_pointer_t<decltype(q)>;
      r = detail::map_elements<T, out_of<T, Result>>(
          x, t, [&](auto... v) { return f(p, v...); }, Seq{});
    });
    return Arrays{r};
  };
  d.lower = [f](const LowerArgs<P>& l) {
    Lowering r;
    with_class<classes>(l.in[0].dtype(), [&](auto* q) {
      using T = std::remove_pointer_t<decltype(q)>;
      r = detail::pull_elements<T, out_of<T, Result>>(
          l.in, [f, p = l.params](auto... v) { return f(p, v...); }, Seq{});
    });
    return r;
  };
  return d;
}
// The same for an op without parameters: f(x…).
template <unsigned classes, int n, class Result = void, class F>
Def<None> elementwise(std::string name, std::string doc, F f) {
  auto d = elementwise_with<None, classes, n, Result>(
      std::move(name), std::move(doc), [f](const None&, auto... x) { return f(x...); });
  d.samples = [] { return nary_samples<None>(classes, n, {}); };
  return d;
}
// Registers an elementwise op with the shared batching rule.
template <class P>
const Primitive<P>& define_elementwise(Def<P> d) {
  d.batch = [](const BatchArgs<P>& b) { return batch_nary(b); };
  return define<P>(std::move(d));
}

// ---- derivative rules.
// Unary: the tangent is g(dx, x, y), where y is the result.
template <class G>
auto unary_jvp(G g) {
  return [g](const auto& j) { return Arrays{g(j.dx[0], j.x[0], j.out[0])}; };
}
// Binary: the tangents are g0(dx, x, y, out) and g1(dy, x, y, out). Zero tangents are skipped and
// scalars are broadcast.
Array broadcast_like(const Array& x, const Type& t);
template <class G0, class G1>
auto binary_jvp(G0 g0, G1 g1) {
  return [g0, g1](const auto& j) {
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
// Transposes. Unary: f(ct). Binary: f0(ct, y) if x is linear, f1(ct, x) if y is linear. If the
// linear operand was a scalar and the result is not, the cotangent is summed.
template <class F>
auto unary_transpose(F f) {
  return [f](const auto& t) { return Arrays{f(t.ct[0])}; };
}
template <class F0, class F1>
auto binary_transpose(F0 f0, F1 f1) {
  return [f0, f1](const auto& t) {
    Arrays r(2);
    if (t.linear[0]) r[0] = unbroadcast(f0(t.ct[0], t.x[1]), t.in[0]);
    if (t.linear[1]) r[1] = unbroadcast(f1(t.ct[0], t.x[0]), t.in[1]);
    return r;
  };
}
// The derivative is zero: step functions and comparisons.
inline constexpr auto zero_jvp = [](const auto& j) { return Arrays(j.out.size()); };

}  // namespace weft

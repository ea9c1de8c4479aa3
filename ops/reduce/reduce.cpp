// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/reduce/reduce.cpp: reduce_sum, reduce_prod, reduce_max, reduce_min, reduce_and, reduce_or,
// reduce_xor.
#include "weft/lax/reduce.h"

#include <memory>

#include "core/loops/accumulator.h"
#include "ops/kit/arith.h"
#include "ops/kit/fold.h"
#include "ops/kit/monoid.h"
#include "ops/reduce/one_term.h"
#include "ops/reduce/stages.h"
#include "ops/structure/structure.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/cumulative.h"
#include "weft/lax/elementwise.h"

namespace weft {
namespace {

using namespace lax;
using namespace monoid;

// ---- the shared rules

template <class M, class T>
void reduce_dense(const Shape& shape, const Ints& axes, const void* from, void* to) {
  const T* in = static_cast<const T*>(from);
  T* out = static_cast<T*>(to);
  using P = typename Element<T>::plain;
  const auto offsets = offsets_along(shape, axes);
  const std::unique_ptr<P[]> terms(new P[offsets.size()]);
  for (int64_t base : offsets_along(shape, other_axes(shape.ndim(), axes))) {
    for (size_t i = 0; i < offsets.size(); ++i) terms[i] = Element<T>::load(in[base + offsets[i]]);
    *out++ = Element<T>::store(fold_order::fold(extents_of(shape, axes), M::template identity<T>(),
                                                fold_order::Results<P>{terms.get()}, JoinOf<M>()));
  }
}

template <class M, class T>
Lowering lower_reduce(const Type& in, const Ints& axes) {
  if constexpr (in_class<T>(M::combined))
    return fold_lowering<M, T>(Lowering::Form::reduce, in.shape(), axes);
  else
    return {};
}

template <class M>
NativeCall reduce_call(const Use<Reduce>& u) {
  NativeCall call;
  call.axis_map = axis_map_without(1, u.in[0].ndim(), u.params.axes, true);
  call.run = [in = u.in[0], axes = u.params.axes](const NativeArgs& a) {
    with_class<M::classes>(in.dtype(), [&](auto* q) {
      using T = std::remove_pointer_t<decltype(q)>;
      int64_t kept = 1;
      for (int64_t k : other_axes(in.ndim(), axes)) kept *= in.shape()[k];
      reduce_dense<M, T>(in.shape(), axes, a.in<T>(0, in.elements()), a.out<T>(0, kept));
    });
  };
  return call;
}

template <class M>
Def<Reduce> reducer(const char* name, const char* doc) {
  Def<Reduce> d;
  d.name = name;
  d.doc = doc;
  d.type = [name](const Types& in, const Reduce& p) {
    return reduce_type(name, in, p.axes, M::classes);
  };
  d.reference = [name](const Arrays& x, const Reduce& p) {
    const Fresh r = fresh_array(reduce_type(name, {x[0].type()}, p.axes, M::classes)[0]);
    with_class<M::classes>(x[0].dtype(), [&](auto* q) {
      reduce_dense<M, std::remove_pointer_t<decltype(q)>>(x[0].shape(), p.axes,
                                                          concrete(x[0]).data(), r.data);
    });
    return Arrays{r.array};
  };
  d.lower = [](const LowerArgs<Reduce>& l) {
    Lowering r;
    with_class<M::classes>(l.in[0].dtype(), [&](auto* q) {
      r = lower_reduce<M, std::remove_pointer_t<decltype(q)>>(l.in[0], l.params.axes);
    });
    return r;
  };
  d.implementations = [] { return nest_or_native<M>(reduce_call<M>); };
  d.simplify = [name](const SimplifyArgs<Reduce>& s) {
    if (s.x[0].size() == 0) {
      Arrays r;
      with_class<M::classes>(s.x[0].dtype(), [&](auto* q) {
        std::remove_pointer_t<decltype(q)> fold{};  // of no terms
        reduce_dense<M, std::remove_pointer_t<decltype(q)>>({0}, {0}, nullptr, &fold);
        const Array scalar = array_of_bytes(Type(s.x[0].dtype(), {}), &fold);
        r = {broadcast_in_dim(literal_array(literal_of(concrete(scalar))),
                              reduced_shape(name, {s.x[0].type()}, s.params.axes), {})};
      });
      return r;
    }
    // An inexact sum of one term adds 0, so a fold is as short. The planner stores the result of a
    // fold, but would compute an expensive elementwise equation again in each kernel that reads it.
    if (std::is_base_of_v<monoid::Sum, M> && is_inexact(s.x[0].dtype())) return Arrays{};
    for (int64_t a : s.params.axes)
      if (s.x[0].shape()[a] != 1) return Arrays{};
    const Array term = fold_of_one_term<M>(s.x[0]);
    if (term.empty_handle()) return Arrays{};
    return Arrays{reshape_to(term, reduced_shape(name, {term.type()}, s.params.axes))};
  };
  d.samples = [] {
    std::vector<Sample<Reduce>> s;
    for (int i = 0; i <= static_cast<int>(C128); ++i)
      if (const auto t = static_cast<DType>(i); dtype_in(t, M::classes))
        s.push_back({{Type(t, {37})}, {{0}}});
    const DType t = M::classes & DTypes::floats ? F64 : I32;
    for (const Ints& axes : {Ints{}, Ints{0}, Ints{1}, Ints{0, 2}, Ints{0, 1, 2}})
      s.push_back({{Type(t, {3, 4, 2})}, {axes}});
    s.push_back({{Type(t, {0, 2})}, {{0}}});
    s.push_back({{Type(t, {2, 1100})}, {{1}}});
    return s;
  };
  d.rejects = [] {
    return std::vector<Reject<Reduce>>{{{Type(I32, {3, 2})}, {{2}}, "axes of the operand"},
                                       {{Type(I32, {3, 2})}, {{1, 0}}, "must increase"},
                                       {{Type(Key, {3})}, {{0}}, "operands"}};
  };
  return d;
}
const Primitive<Reduce>& define_reduce(Def<Reduce> d) {
  d.batch = [](const BatchArgs<Reduce>& b) { return batch_reduce(b); };
  return define(std::move(d));
}

// ---- the ops

const Primitive<Reduce>& sum_op = define_reduce([] {
  auto d = reducer<Sum>("reduce_sum", "Sums the elements over `axes`.");
  d.split = [](const SplitArgs<Reduce>& s) { return in_stages(s, lax::add); };
  d.jvp = [](const JvpArgs<Reduce>& j) { return Arrays{lax::reduce_sum(j.dx[0], j.params.axes)}; };
  d.transpose = [](const TransposeArgs<Reduce>& t) {
    return Arrays{spread(t.ct[0], t.in[0].shape(), t.params.axes)};
  };
  return d;
}());

// The product of all other elements is the product of those before times the product of those
// after. This is also right if there are zeros.
Arrays product_jvp(const JvpArgs<Reduce>& j) {
  const Ints kept = other_axes(j.x[0].ndim(), j.params.axes);
  Ints order = kept, shape;
  for (int64_t a : kept) shape.push_back(j.x[0].shape()[a]);
  int64_t n = 1;
  for (int64_t a : j.params.axes) {
    order.push_back(a);
    n *= j.x[0].shape()[a];
  }
  shape.push_back(n);
  const auto in_a_row = [&](const Array& x) {
    return reshape_to(transpose_axes(x, order), Shape(shape));
  };
  // Narrow floats are rounded once, at the end.
  const DType own = j.x[0].dtype(), wide = accumulator_dtype(own);
  const Array x = in_a_row(base::convert(j.x[0], wide)),
              dx = in_a_row(base::convert(j.dx[0], wide));
  if (n == 0) return Arrays(1);
  const auto last = static_cast<int64_t>(kept.size());
  Ints one(shape.size(), 0), less(shape.size(), 0);
  const Ints none(shape.size(), 0);
  one.back() = 1;
  less.back() = -1;
  const Array before = cumprod(pad_with(x, like(x, 1), one, less, none), last, false);
  const Array after = cumprod(pad_with(x, like(x, 1), less, one, none), last, true);
  return {base::convert(lax::reduce_sum(mul(dx, mul(before, after)), {last}), own)};
}
const Primitive<Reduce>& prod_op = define_reduce([] {
  auto d = reducer<Product>("reduce_prod", "Multiplies the elements over `axes`.");
  d.split = [](const SplitArgs<Reduce>& s) { return in_stages(s, lax::mul); };
  d.jvp = product_jvp;
  return d;
}());

// Equal elements share the tangent equally.
Arrays chosen_jvp(const JvpArgs<Reduce>& j) {
  if (j.x[0].size() == 0) return Arrays(1);  // the result is a constant if there are no elements
  // The count is not computed in a narrow float: F16 has no numbers beyond 65504.
  const DType own = j.dx[0].dtype(), wide = accumulator_dtype(own);
  const Array here =
      convert_element_type(eq(j.x[0], spread(j.out[0], j.x[0].shape(), j.params.axes)), wide);
  const Array count = lax::reduce_sum(here, j.params.axes), dx = base::convert(j.dx[0], wide);
  return {base::convert(div(lax::reduce_sum(mul(dx, here), j.params.axes), count), own)};
}
const Primitive<Reduce>& max_op = define_reduce([] {
  auto d = reducer<Max>("reduce_max",
                        "Computes the maximum of the elements over `axes`. NaN propagates, and the "
                        "maximum of no elements is the lowest value of the dtype.");
  d.split = [](const SplitArgs<Reduce>& s) { return in_stages(s, lax::max); };
  d.jvp = chosen_jvp;
  return d;
}());
const Primitive<Reduce>& min_op = define_reduce([] {
  auto d = reducer<Min>("reduce_min",
                        "Computes the minimum of the elements over `axes`. NaN propagates, and the "
                        "minimum of no elements is the highest value of the dtype.");
  d.split = [](const SplitArgs<Reduce>& s) { return in_stages(s, lax::min); };
  d.jvp = chosen_jvp;
  return d;
}());

const Primitive<Reduce>& and_op = define_reduce(reducer<All>(
    "reduce_and",
    "Computes the bitwise AND of integers or the logical AND of booleans over `axes`."));
const Primitive<Reduce>& or_op = define_reduce(reducer<AnyOf>(
    "reduce_or", "Computes the bitwise OR of integers or the logical OR of booleans over `axes`."));
const Primitive<Reduce>& xor_op = define_reduce(reducer<Parity>(
    "reduce_xor",
    "Computes the bitwise XOR of integers or the logical XOR of booleans over `axes`."));

Array reduce(const Primitive<Reduce>& op, const Arg& x, const Ints& axes) {
  const SourceScope s(x.at());
  return op({x}, {canonical_axes(op.name().c_str(), axes, x->ndim())});
}

}  // namespace

namespace lax {
Array reduce_sum(const Arg& x, const Ints& axes) { return reduce(sum_op, x, axes); }
Array reduce_prod(const Arg& x, const Ints& axes) { return reduce(prod_op, x, axes); }
Array reduce_max(const Arg& x, const Ints& axes) { return reduce(max_op, x, axes); }
Array reduce_min(const Arg& x, const Ints& axes) { return reduce(min_op, x, axes); }
Array reduce_and(const Arg& x, const Ints& axes) { return reduce(and_op, x, axes); }
Array reduce_or(const Arg& x, const Ints& axes) { return reduce(or_op, x, axes); }
Array reduce_xor(const Arg& x, const Ints& axes) { return reduce(xor_op, x, axes); }
}  // namespace lax

namespace base {
Array reduce_sum(const Array& x, const Ints& axes) { return lax::reduce_sum(x, axes); }
Array reduce_any(const Array& x, const Ints& axes) { return lax::reduce_or(x, axes); }
}  // namespace base

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/reduce/argminmax.cpp: argmax, argmin.
#include <fmt/format.h>

#include <limits>

#include "ops/kit/arith.h"
#include "ops/kit/fold.h"
#include "weft/lax/reduce.h"

namespace weft {
namespace {

struct ArgReduce {
  Ints axes;
  DType index_dtype = I32;
  WEFT_FIELDS(axes, index_dtype)
};

constexpr unsigned ordered = DTypes::bools | DTypes::ints | DTypes::floats;

// A NaN wins, then the better value, then the lower index, as in the combiners ArgMin and ArgMax of
// loop nests.
template <class V>
bool wins(bool largest, V a, V b) {
  if (a != a || b != b) return a != a && b == b;
  return largest ? b < a : a < b;
}

template <class T, class I>
void search(bool largest, const Shape& shape, int64_t axis, const T* in, I* out) {
  const auto terms = offsets_along(shape, {axis});
  for (int64_t base : offsets_along(shape, other_axes(shape.ndim(), {axis}))) {
    size_t best = 0;
    for (size_t i = 1; i < terms.size(); ++i)
      if (wins(largest, Element<T>::load(in[base + terms[i]]),
               Element<T>::load(in[base + terms[best]])))
        best = i;
    *out++ = static_cast<I>(best);
  }
}

// Loop nests compare integers as signed numbers, so unsigned numbers are shifted by half their
// range.
template <class T>
nest::Id comparable(nest::Id x) {
  if constexpr (std::is_unsigned_v<T> && !std::is_same_v<T, bool>)
    return (num::Ir<T>::at(x) ^ num::Ir<T>(static_cast<T>(T{1} << (num::width_of<T> - 1)))).id;
  else
    return x;
}
// The value that loses against every other value (but ties are decided by the index).
template <class T>
nest::Id worst(bool largest) {
  using V = typename Element<T>::plain;
  using Lim = std::numeric_limits<V>;
  if constexpr (std::is_same_v<T, bool>)
    return num::Ir<bool>(!largest).id;
  else if constexpr (Lim::has_infinity)
    return num::Ir<V>(largest ? -Lim::infinity() : Lim::infinity()).id;
  else
    return comparable<T>(num::Ir<V>(largest ? Lim::lowest() : Lim::max()).id);
}

// Indices are counted in dtype I, whose width fits that of the values in SIMD vectors.
template <class T, class I>
Lowering lower_search(bool largest, const LowerArgs<ArgReduce>& l) {
  Lowering r;
  const size_t axis = l.params.axes[0];
  r.form = Lowering::Form::reduce;
  r.space = l.in[0].shape();
  r.axes = l.params.axes;
  r.combine = {largest ? nest::Combine::ArgMax : nest::Combine::ArgMin, nest::Combine::Second};
  r.element = [axis](Reader& x, int accumulator, const Coords& at) {
    if (accumulator == 1)
      return Elem{num::convert<I>(num::Ir<int64_t>::at(at[axis])).id, nest::no_id};
    return Elem{comparable<T>(x.read(0, at).re), nest::no_id};
  };
  r.identity = [largest](nest::Builder&) {
    return std::vector<nest::Id>{worst<T>(largest), num::Ir<I>(std::numeric_limits<I>::max()).id};
  };
  r.results = [d = l.params.index_dtype](const std::vector<nest::Id>& id) {
    Elem e;
    with_class<DTypes::ints>(d, [&](auto* q) {
      e.re = num::convert<std::remove_pointer_t<decltype(q)>>(num::Ir<I>::at(id[1])).id;
    });
    return std::vector<Elem>{e};
  };
  return r;
}

const Primitive<ArgReduce>& define_search(const char* name, const char* doc, bool largest) {
  Def<ArgReduce> d;
  d.name = name;
  d.doc = doc;
  d.type = [name](const Types& in, const ArgReduce& p) {
    require_operands(name, in, 1);
    if (!dtype_in(in[0].dtype(), ordered))
      reject_dtype(name, "takes " + class_names(ordered) + " operands", in);
    if (!is_integer(p.index_dtype))
      reject_dtype(name,
                   fmt::format("index_dtype must be an integer, not {}", short_name(p.index_dtype)),
                   in);
    if (p.axes.size() != 1) reject_shape(name, "takes one axis", in);
    const Shape out = reduced_shape(name, in, p.axes);
    if (in[0].shape()[p.axes[0]] == 0)
      reject_shape(name, "an axis of size 0 has no largest or smallest element", in);
    return Types{Type(p.index_dtype, out)};
  };
  d.reference = [largest, type = d.type](const Arrays& x, const ArgReduce& p) {
    const Fresh r = fresh_array(type({x[0].type()}, p)[0]);
    with_class<ordered>(x[0].dtype(), [&](auto* q) {
      with_class<DTypes::ints>(p.index_dtype, [&](auto* o) {
        using T = std::remove_pointer_t<decltype(q)>;
        using I = std::remove_pointer_t<decltype(o)>;
        search<T, I>(largest, x[0].shape(), p.axes[0], data_of<T>(x[0]), static_cast<I*>(r.data));
      });
    });
    return Arrays{r.array};
  };
  d.jvp = zero_jvp;
  d.batch = [](const BatchArgs<ArgReduce>& b) { return batch_reduce(b); };
  d.lower = [largest](const LowerArgs<ArgReduce>& l) {
    Lowering r;
    with_class<ordered>(l.in[0].dtype(), [&](auto* q) {
      using T = std::remove_pointer_t<decltype(q)>;
      const bool few = l.in[0].shape()[l.params.axes[0]] <= std::numeric_limits<int32_t>::max();
      r = few ? lower_search<T, int32_t>(largest, l) : lower_search<T, int64_t>(largest, l);
    });
    return r;
  };
  d.simplify = [type = d.type](const SimplifyArgs<ArgReduce>& s) {
    return s.x[0].shape()[s.params.axes[0]] == 1
               ? Arrays{base::zeros(type({s.x[0].type()}, s.params)[0])}
               : Arrays{};
  };
  d.samples = [] {
    std::vector<Sample<ArgReduce>> s;
    for (int i = 0; i <= static_cast<int>(C128); ++i)
      if (const auto t = static_cast<DType>(i); dtype_in(t, ordered))
        s.push_back({{Type(t, {37})}, {{0}, I32}});
    for (int64_t axis : {0, 1, 2}) s.push_back({{Type(F32, {3, 4, 2})}, {{axis}, I64}});
    s.push_back({{Type(F32, {0, 2})}, {{1}, U8}});
    return s;
  };
  d.rejects = [] {
    return std::vector<Reject<ArgReduce>>{{{Type(F32, {0})}, {{0}, I32}, "size 0"},
                                          {{Type(F32, {2, 2})}, {{0, 1}, I32}, "one axis"},
                                          {{Type(F32, {2})}, {{0}, F32}, "must be an integer"},
                                          {{Type(F32, {2})}, {{1}, I32}, "axes of the operand"},
                                          {{Type(C64, {2})}, {{0}, I32}, "operands"}};
  };
  return define(std::move(d));
}

const Primitive<ArgReduce>& argmax_op =
    define_search("argmax",
                  "Returns the index of the largest element along an axis, the first one if "
                  "several are equal. If there are NaNs, it is the index of the first NaN.",
                  true);
const Primitive<ArgReduce>& argmin_op =
    define_search("argmin",
                  "Returns the index of the smallest element along an axis, the first one if "
                  "several are equal. If there are NaNs, it is the index of the first NaN.",
                  false);

Array run(const Primitive<ArgReduce>& op, const Arg& x, int64_t axis, DType d) {
  const SourceScope s(x.at());
  return op({x}, {{canonical_axis(axis, x->ndim(), op.name().c_str())}, d});
}

}  // namespace

namespace lax {
Array argmax(const Arg& x, int64_t axis, DType d) { return run(argmax_op, x, axis, d); }
Array argmin(const Arg& x, int64_t axis, DType d) { return run(argmin_op, x, axis, d); }
}  // namespace lax

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/window/reduce_window.cpp: reduce_window_sum, reduce_window_max, reduce_window_min.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "core/loops/accumulator.h"
#include "core/loops/fold_order.h"
#include "ops/kit/fold.h"
#include "ops/kit/monoid.h"
#include "ops/window/window_positions.h"
#include "weft/error.h"
#include "weft/lax/compare.h"
#include "weft/lax/elementwise.h"

namespace weft {

Shape windowed_shape(const char* op, const Type& operand, const Window& w) {
  using window::most;
  const size_t rank = operand.ndim();
  for (const Ints* v : {&w.window_dimensions, &w.window_strides, &w.low, &w.high, &w.base_dilation,
                        &w.window_dilation})
    if (v->size() != rank)
      reject_shape(
          op,
          fmt::format("windows, strides, padding and dilations need one entry an axis, {}", rank),
          {operand});
  for (const Ints* v :
       {&w.window_dimensions, &w.window_strides, &w.base_dilation, &w.window_dilation})
    for (int64_t i : *v)
      if (i < 1 || i > most)
        reject_shape(
            op, fmt::format("sizes, strides and dilations of windows must be positive, got {}", i),
            {operand});
  Ints sizes;
  for (size_t a = 0; a < rank; ++a) {
    for (int64_t i : {w.low[a], w.high[a]})
      if (i < -most || i > most)
        reject_shape(op, fmt::format("a padding of {} is too big", i), {operand});
    const int64_t n = operand.shape()[static_cast<int64_t>(a)];
    if (w.window_dimensions[a] > most / w.window_dilation[a] ||
        n > (most << 16) / w.base_dilation[a])
      reject_shape(op, "the dilations are too big", {operand});
    const int64_t padded = window::dilated(n, w.base_dilation[a]) + w.low[a] + w.high[a];
    const int64_t size = window::dilated(w.window_dimensions[a], w.window_dilation[a]);
    sizes.push_back(padded < size ? 0 : (padded - size) / w.window_strides[a] + 1);
  }
  return sizes;
}

Window window::with_axis(Window w, int at) {
  const auto put = [at](Ints* v, int64_t x) { v->insert(v->begin() + at, x); };
  put(&w.window_dimensions, 1);
  put(&w.window_strides, 1);
  put(&w.low, 0);
  put(&w.high, 0);
  put(&w.base_dilation, 1);
  put(&w.window_dilation, 1);
  return w;
}

// For operands of shape [5, 6].
std::vector<Window> window::sample_windows() {
  const Ints ones{1, 1}, none{0, 0};
  return {{{2, 3}, ones, none, none, ones, ones},
          {{2, 2}, {2, 2}, {0, 1}, {1, 1}, ones, ones},
          {{3, 2}, {1, 3}, {2, -1}, {-1, 2}, {2, 1}, {1, 2}},
          {{3, 3}, {2, 1}, {1, 3}, {4, 0}, {2, 3}, {2, 1}},
          {{5, 4}, {3, 1}, {4, 1}, {0, 2}, {3, 1}, {1, 1}}};
}

namespace {

using namespace window;

// ---- the reference

template <class M, class T>
void reduce_dense(const Shape& shape, const Shape& windows, const Window& w, const T* in, T* out) {
  const Axes axes = axes_of(shape, windows, w);
  const Offsets offsets(axes, row_major(shape));
  const Ints terms = terms_of(axes);
  using V = typename Element<T>::plain;
  const V identity = M::template identity<T>();
  const monoid::JoinOf<M> join;
  const int64_t n = count(terms);
  if (n == most) throw OutOfMemoryError("reduce_window: a window of 2^31 terms or more");
  const std::unique_ptr<V[]> v(new V[static_cast<size_t>(n)]);
  each_index(windows, [&](int64_t i, const Ints& at) {
    V* next = v.get();
    offsets.for_each(at, [&](int64_t o) { *next++ = o < 0 ? identity : Element<T>::load(in[o]); });
    V r = identity;
    // Few terms are joined in order.
    if (n <= max_written_out)
      for (int64_t k = 0; k < n; ++k) r = join(r, v[k]);
    else
      r = fold_order::fold(terms, identity, fold_order::Results<V>{v.get()}, join);
    out[i] = Element<T>::store(r);
  });
}

// ---- lowering: small windows are unrolled, others are reductions

template <class M, class T>
Elem written_out(Reader& x, const Coords& at, const Type& in, const Axes& axes) {
  using Ir = typename Element<T>::ir;
  const Ir identity(M::template identity<T>());
  if (in.elements() == 0) return Element<T>::out(identity);
  Ir r = identity;
  bool first = true;
  each_place(places_at(axes, at), [&](const Coords& index, num::Ir<bool> there) {
    const Ir v = num::select(there, Element<T>::in(x.read(0, index)), identity);
    r = first ? v : M::join(r, v);
    first = false;
  });
  // 0 + -0 = 0, so the identity is joined, too.
  return Element<T>::out(std::is_same_v<M, monoid::Sum> ? M::join(identity, r) : r);
}

template <class M, class T>
Lowering lower_windows(const Type& in, const Type& out, const Window& w) {
  using Ir = typename Element<T>::ir;
  const Axes axes = axes_of(in.shape(), out.shape(), w);
  const Ints terms = terms_of(axes);
  if (count(terms) <= max_written_out) {
    Lowering r;
    r.element = [in, axes](Reader& x, int, const Coords& at) {
      return written_out<M, T>(x, at, in, axes);
    };
    return r;
  }
  // Axes along which a window has one element are not reduced.
  Ints space = out.shape().sizes(), folded, term_axis;
  for (int64_t n : terms) {
    term_axis.push_back(n > 1 ? std::ssize(space) : -1);
    if (n == 1) continue;
    folded.push_back(std::ssize(space));
    space.push_back(n);
  }
  Lowering r = monoid::fold_lowering<M, T>(Lowering::Form::reduce, Shape(space), folded);
  r.element = [in, axes, term_axis](Reader& x, int, const Coords& at) {
    const Ir identity(M::template identity<T>());
    const auto elem = [](const Ir& v) {
      if constexpr (arith::is_cx<Ir>)
        return Elem{v.re.id, v.im.id};
      else
        return Elem{v.id, nest::no_id};
    };
    if (in.elements() == 0) return elem(identity);
    Coords index;
    num::Ir<bool> there(true);
    for (size_t a = 0; a < axes.size(); ++a) {
      const Index64 j = term_axis[a] == -1 ? Index64(0) : index_at(at[term_axis[a]]);
      const auto p = axes[a].at(j, 0, axes[a].terms() - 1, index_at(at[a]));
      index.push_back(p.index.id);
      there = num::both(there, p.there);
    }
    return elem(num::select(there, Element<T>::in(x.read(0, index)), identity));
  };
  return r;
}

// ---- implementations.
// term_ns: nanoseconds per term of a window. join_ns: nanoseconds per element of a join of whole
// arrays.

constexpr double term_ns = 0.3, join_ns = 1;

int64_t terms_of_use(const Use<Window>& u) {
  return count(terms_of(axes_of(u.in[0].shape(), u.out[0].shape(), u.params)));
}
// The cost, for each element of the result, of folds along one axis after another by doubling.
double doubling_cost(const Use<Window>& u) {
  double elements = 1, joins = 0;
  for (size_t a = 0; a < u.params.low.size(); ++a) {
    const auto axis = static_cast<int64_t>(a);
    const double padded =
        static_cast<double>(dilated(u.in[0].shape()[axis], u.params.base_dilation[a]) +
                            u.params.low[a] + u.params.high[a]);
    elements *= padded / static_cast<double>(std::max<int64_t>(u.out[0].shape()[axis], 1));
    joins += 2 * std::log2(static_cast<double>(u.params.window_dimensions[a]));
  }
  return join_ns * elements * joins;
}
std::vector<Implementation<Window>> implementations() {
  const Implementation<Window> nest{
      .name = std::string(generated),
      .cost = [](const Use<Window>& u) { return term_ns * static_cast<double>(terms_of_use(u)); }};
  const Implementation<Window> doubling{.name = std::string(expanded),
                                        .applies =
                                            [](const Use<Window>& u) {
                                              return terms_of_use(u) > max_written_out &&
                                                     u.out[0].elements() > 0;
                                            },
                                        .cost = doubling_cost};
  return {nest, doubling};
}

// ---- the ops

template <class M>
Def<Window> windows_of(const char* name, const char* doc,
                       Array (*join)(const Arg& x, const Arg& y)) {
  Def<Window> d;
  d.name = name;
  d.doc = doc;
  d.type = [name](const Types& in, const Window& w) {
    require_operands(name, in, 1);
    if (!dtype_in(in[0].dtype(), M::classes & M::combined))
      reject_dtype(name, "takes " + class_names(M::classes & M::combined) + " operands", in);
    return Types{in[0].with_shape(windowed_shape(name, in[0], w))};
  };
  d.reference = [type = d.type](const Arrays& x, const Window& w) {
    const Type t = type({x[0].type()}, w)[0];
    const Fresh r = fresh_array(t);
    with_class<M::classes & M::combined>(t.dtype(), [&](auto* q) {
      using T = std::remove_pointer_t<decltype(q)>;
      reduce_dense<M, T>(x[0].shape(), t.shape(), w, data_of<T>(x[0]), static_cast<T*>(r.data));
    });
    return Arrays{r.array};
  };
  d.batch = [](const BatchArgs<Window>& b) {
    const int at = *b.axis[0];
    return Batched{b.op.bind(b.x, with_axis(b.params, at)), {at}};
  };
  d.lower = [](const LowerArgs<Window>& l) {
    Lowering r;
    with_class<M::classes & M::combined>(l.in[0].dtype(), [&](auto* q) {
      r = lower_windows<M, std::remove_pointer_t<decltype(q)>>(l.in[0], l.out[0], l.params);
    });
    return r;
  };
  d.expand = [join](const ExpandArgs<Window>& e) {
    // Sums of narrow floats are rounded once, at the end.
    const Type t = e.x[0].type();
    const DType folded = std::is_same_v<M, monoid::Sum> ? accumulator_dtype(t.dtype()) : t.dtype();
    const Arrays r =
        fold_windows({base::convert(e.x[0], folded, t.weak())},
                     {literal_array(monoid::identity_literal<M>(folded))}, e.params,
                     [join](const Arrays& a, const Arrays& b) { return Arrays{join(a[0], b[0])}; });
    return Arrays{base::convert(r[0], t.dtype(), t.weak())};
  };
  d.implementations = implementations;
  d.tolerance = std::is_same_v<M, monoid::Sum> ? 64 : 0;
  d.samples = [] {
    std::vector<Sample<Window>> s;
    const std::vector<Window> some = sample_windows();
    for (int i = 0; i <= static_cast<int>(C128); ++i)
      if (const auto t = static_cast<DType>(i); dtype_in(t, M::classes & M::combined))
        s.push_back({{Type(t, {5, 6})}, some[1]});
    for (const Window& w : some) s.push_back({{Type(F64, {5, 6})}, w});
    const auto row = [&](const Shape& x, int64_t size, int64_t stride, int64_t low, int64_t base) {
      s.push_back({{Type(F32, x)}, {{size}, {stride}, {low}, {1}, {base}, {1}}});
    };
    row({80}, 70, 3, 5, 1);  // as a reduction, or by doubling
    row({90}, 66, 1, 0, 1);
    row({0}, 1, 1, 2, 1);
    row({3}, 9, 1, 0, 1);
    row({4}, 3, 1, 2, 2);
    s.push_back({{Type(F32, Shape{})}, {}});
    return s;
  };
  d.rejects = [] {
    const Window w{{2}, {1}, {0}, {0}, {1}, {1}};
    const Types row{Type(F32, {4})};
    std::vector<Reject<Window>> r{{{Type(F32, {4, 2})}, w, "one entry an axis, 2"},
                                  {{Type(Key, {4})}, w, "operands"}};
    const auto add = [&](const char* text, void (*change)(Window&)) {
      r.push_back({row, w, text});
      change(r.back().params);
    };
    add("must be positive, got 0", [](Window& p) { p.window_dimensions = {0}; });
    add("must be positive, got -1", [](Window& p) { p.window_strides = {-1}; });
    add("is too big", [](Window& p) { p.high = {int64_t{1} << 40}; });
    add("dilations are too big",
        [](Window& p) { p.window_dilation = p.window_dimensions = {int64_t{1} << 30}; });
    return r;
  };
  return d;
}

// Each element gets the sum of the cotangents of the windows that contain it, which is a window sum
// of the cotangent.
Arrays sum_transpose(const TransposeArgs<Window>& t) {
  const Shape &in = t.in[0].shape(), &out = t.out[0].shape();
  if (in.elements() == 0 || out.elements() == 0) return {base::zeros(t.in[0].strong())};
  const Window& p = t.params;
  Window q = p;
  q.window_strides = p.base_dilation;
  q.base_dilation = p.window_strides;
  for (size_t a = 0; a < p.low.size(); ++a) {
    const auto axis = static_cast<int64_t>(a);
    const int64_t size = dilated(p.window_dimensions[a], p.window_dilation[a]);
    q.low[a] = size - 1 - p.low[a];
    q.high[a] = dilated(in[axis], p.base_dilation[a]) + size - 1 -
                dilated(out[axis], p.window_strides[a]) - q.low[a];
  }
  return t.op.bind({t.ct[0]}, q);
}
const Primitive<Window>& sum_op = define([] {
  auto d =
      windows_of<monoid::Sum>("reduce_window_sum", "Sums the elements of each window.", lax::add);
  d.jvp = [](const JvpArgs<Window>& j) { return j.op.bind({j.dx[0]}, j.params); };
  d.transpose = sum_transpose;
  return d;
}());
const Primitive<Window>& max_op = define([] {
  auto d = windows_of<monoid::Max>("reduce_window_max",
                                   "Computes the maximum of each window. NaN propagates, and the "
                                   "maximum of no elements is the lowest value of the dtype.",
                                   lax::max);
  d.jvp = [](const JvpArgs<Window>& j) {
    return Arrays{select_and_gather_add(j.dx[0], j.x[0], true, j.params)};
  };
  return d;
}());
const Primitive<Window>& min_op = define([] {
  auto d = windows_of<monoid::Min>("reduce_window_min",
                                   "Computes the minimum of each window. NaN propagates, and the "
                                   "minimum of no elements is the highest value of the dtype.",
                                   lax::min);
  d.jvp = [](const JvpArgs<Window>& j) {
    return Arrays{select_and_gather_add(j.dx[0], j.x[0], false, j.params)};
  };
  return d;
}());

}  // namespace

Array reduce_window_sum(const Array& x, const Window& w) { return sum_op({x}, w); }
Array reduce_window_max(const Array& x, const Window& w) { return max_op({x}, w); }
Array reduce_window_min(const Array& x, const Window& w) { return min_op({x}, w); }

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/window/select_window.cpp: select_and_gather_add and select_and_scatter_add: the tangents and
// cotangents of window maxima and minima.
#include <fmt/format.h>

#include "core/loops/accumulator.h"
#include "ops/kit/kit.h"
#include "ops/structure/structure.h"
#include "ops/window/grid.h"
#include "ops/window/window_positions.h"
#include "weft/lax/compare.h"
#include "weft/lax/elementwise.h"

namespace weft {
namespace {

using namespace window;

struct Select {
  Window window;
  bool largest = true;
  template <class V>
  void fields(V&& v) {
    v("largest", largest);
    window.fields(v);
  }
};
constexpr unsigned classes = DTypes::real_numbers;
constexpr const char *gather_name = "select_and_gather_add",
                     *scatter_name = "select_and_scatter_add";

// Returns true if the scan replaces its element by the next one.
template <class R>
auto leaves(bool largest, R has, R next) {
  return largest ? !(next <= has) : !(has <= next);
}

Types gather_type(const Types& in, const Select& p) {
  require_operands(gather_name, in, 2);
  const Type t = nary_type(gather_name, in, classes);
  if (in[0].shape() != in[1].shape())
    reject_shape(gather_name, "the tangents must have the shape of the operand", in);
  return {t.with_shape(windowed_shape(gather_name, in[1], p.window))};
}
Types scatter_type(const Types& in, const Select& p) {
  require_operands(scatter_name, in, 2);
  if (in[0].dtype() != in[1].dtype() || !dtype_in(in[0].dtype(), classes))
    reject_dtype(scatter_name, "takes operands of one dtype, " + class_names(classes), in);
  const Shape s = windowed_shape(scatter_name, in[1], p.window);
  if (in[0].shape() != s)
    reject_shape(scatter_name,
                 fmt::format("the source must have an element a window, {}", to_string(s)), in);
  return {Type(in[0].dtype(), in[1].shape(), in[0].weak() && in[1].weak())};
}

// ---- the reference.
// Calls f(i, offset) for each window, with the offset of the selected element, or -1 without one.

template <class T, class F>
void each_choice(const Shape& shape, const Shape& windows, const Select& p, const T* x,
                 const F& f) {
  const Offsets offsets(axes_of(shape, windows, p.window), row_major(shape));
  each_index(windows, [&](int64_t i, const Ints& at) {
    int64_t chosen = -1;
    offsets.for_each(at, [&](int64_t o) {
      if (o >= 0 &&
          (chosen < 0 || leaves(p.largest, Element<T>::load(x[chosen]), Element<T>::load(x[o]))))
        chosen = o;
    });
    f(i, chosen);
  });
}
template <class T>
void gather_dense(const Shape& shape, const Shape& windows, const Select& p, const T* tangents,
                  const T* x, T* out) {
  each_choice(shape, windows, p, x,
              [&](int64_t i, int64_t o) { out[i] = o < 0 ? T(0) : tangents[o]; });
}
template <class T>
void scatter_dense(const Shape& shape, const Shape& windows, const Select& p, const T* source,
                   const T* x, T* out) {
  using V = typename Element<T>::plain;
  std::vector<V> sums(shape.elements(), V(0));
  each_choice(shape, windows, p, x, [&](int64_t i, int64_t o) {
    if (o >= 0) sums[o] = arith::add(sums[o], Element<T>::load(source[i]));
  });
  for (size_t i = 0; i < sums.size(); ++i) out[i] = Element<T>::store(sums[i]);
}

// The differences between the two ops. windows: the shape with one element for each window.
struct Gather {
  static constexpr const char* name = gather_name;
  static constexpr auto type = gather_type;
  static const Shape& windows(const Types&, const Type& out) { return out.shape(); }
  template <class T>
  static constexpr auto dense = gather_dense<T>;
};
struct Scatter {
  static constexpr const char* name = scatter_name;
  static constexpr auto type = scatter_type;
  static const Shape& windows(const Types& in, const Type&) { return in[0].shape(); }
  template <class T>
  static constexpr auto dense = scatter_dense<T>;
};

// ---- lowering

// Scans a window. Calls f(there and taken, index) for each element. `has` is the element that the
// scan holds.
template <class T, class F>
void scan_window(Reader& x, const Places& places, bool largest, const F& f) {
  using Ir = typename Element<T>::ir;
  Ir has(typename Element<T>::plain(0));
  num::Ir<bool> found(false);
  each_place(places, [&](const Coords& index, num::Ir<bool> there) {
    const Ir next = Element<T>::in(x.read(1, index));
    const num::Ir<bool> taken = num::both(there, num::either(!found, leaves(largest, has, next)));
    has = num::select(taken, next, has);
    found = num::either(found, there);
    f(taken, index);
  });
}

template <class T>
Elem gathered(Reader& x, const Coords& at, const Types& in, const Select& p, const Axes& axes) {
  using Ir = typename Element<T>::ir;
  Ir r(typename Element<T>::plain(0));
  if (in[1].elements() > 0)
    scan_window<T>(x, places_at(axes, at), p.largest,
                   [&](num::Ir<bool> taken, const Coords& index) {
                     r = num::select(taken, Element<T>::in(x.read(0, index)), r);
                   });
  return Element<T>::out(r);
}

// Sums over the windows that may contain the element at `at` those that select it.
template <class T>
Elem scattered(Reader& x, const Coords& at, const Types& in, const Select& p, const Axes& axes) {
  using Ir = typename Element<T>::ir;
  Ir sum(typename Element<T>::plain(0));
  if (in[0].elements() > 0)
    each_place(places_at(windows_around(axes), at), [&](const Coords& w, num::Ir<bool> there) {
      num::Ir<bool> mine(false);
      scan_window<T>(x, places_at(axes, w), p.largest,
                     [&](num::Ir<bool> taken, const Coords& index) {
                       num::Ir<bool> here(true);
                       for (size_t a = 0; a < at.size(); ++a)
                         here = num::both(here, index_at(index[a]) == index_at(at[a]));
                       mine = num::select(taken, here, mine);
                     });
      sum = arith::add(sum, num::select(num::both(there, mine), Element<T>::in(x.read(0, w)),
                                        Ir(typename Element<T>::plain(0))));
    });
  return Element<T>::out(sum);
}

template <class Op>
Lowering select_lower(const LowerArgs<Select>& l) {
  Lowering r;
  const Axes axes = axes_of(l.in[1].shape(), Op::windows(l.in, l.out[0]), l.params.window);
  with_class<classes>(l.in[0].dtype(), [&](auto* q) {
    using T = std::remove_pointer_t<decltype(q)>;
    r.element = [in = l.in, p = l.params, axes](Reader& x, int, const Coords& at) {
      if constexpr (std::is_same_v<Op, Gather>)
        return gathered<T>(x, at, in, p, axes);
      else
        return scattered<T>(x, at, in, p, axes);
    };
  });
  return r;
}

// ---- scatter in two steps.
// The first step finds the position that each window selects, and the second sums for each element
// the windows around it. If windows overlap, the first step scans each window once, not once for
// each of its elements.

// The index of the position that each window selects. An empty window gets the number of positions.
Array chosen_places(const Grid& grid, const Array& x, bool largest) {
  const auto number = [&](size_t k, const Array& like) {
    return broadcast_in_dim(scalar_of_int(I32, static_cast<int64_t>(k)), like.shape(), {});
  };
  const Array all = grid.padded(x);
  const bool gaps = grid.has_gaps();
  const Array there = gaps ? grid.padded(base::ones(Type(Bool, x.shape()))) : Array();
  Array has = grid.taken(all, grid.places()[0]), found, chosen = number(0, has);
  if (gaps) {
    found = grid.taken(there, grid.places()[0]);
    chosen = lax::select(found, chosen, number(grid.places().size(), has));
  }
  for (size_t k = 1; k < grid.places().size(); ++k) {
    const Array next = grid.taken(all, grid.places()[k]);
    Array takes = lax::bitwise_not(largest ? lax::le(next, has) : lax::le(has, next));
    if (gaps) {
      const Array valid = grid.taken(there, grid.places()[k]);
      takes = lax::bitwise_and(valid, lax::bitwise_or(lax::bitwise_not(found), takes));
      found = lax::bitwise_or(found, valid);
    }
    chosen = lax::select(takes, number(k, has), chosen);
    has = lax::select(takes, next, has);
  }
  return chosen;
}
Arrays scatter_expand(const ExpandArgs<Select>& e) {
  const Array& x = e.x[1];
  const Type out = scatter_type(types_of(e.x), e.params)[0];
  if (e.x[0].size() == 0 || x.size() == 0) return {base::zeros(out)};
  const Grid grid(x.shape(), e.x[0].shape(), e.params.window);
  const Array chosen = chosen_places(grid, x, e.params.largest);
  // Half precision is rounded once.
  const DType d = out.dtype();
  const Array source = base::convert(e.x[0], accumulator_dtype(d), e.x[0].weak_type());
  const Array nothing = base::zeros(source.type());
  // Going through the positions from the last, the windows that contain an element come in their
  // order.
  Array sum = base::zeros(source.type().with_shape(grid.shape()));
  for (size_t k = grid.places().size(); k-- > 0;) {
    const Array mine = lax::eq(chosen, scalar_of_int(I32, static_cast<int64_t>(k)));
    sum = lax::add(sum, grid.put(lax::select(mine, source, nothing), grid.places()[k]));
  }
  const Array own = grid.own(sum, base::zeros(Type(source.dtype(), Shape{})));
  return {own.type() == out ? own : base::convert(own, d, out.weak())};
}

// ---- implementations: scans of few terms are unrolled, others are native loops.
// Nanoseconds per term of a scan, per term in two steps including its stores, and per term of
// native code.

constexpr int64_t max_scanned = 256;
constexpr double term_ns = 0.3, step_ns = 0.4, native_ns = 3;

struct Terms {
  int64_t scan, around;  // terms of a window, and windows that may contain an element
  double windows;        // number of windows per element
};
template <class Op>
Terms terms_of_use(const Use<Select>& u) {
  const Shape& windows = Op::windows(u.in, u.out[0]);
  const Axes axes = axes_of(u.in[1].shape(), windows, u.params.window);
  return {count(terms_of(axes)), count(terms_of(windows_around(axes))),
          static_cast<double>(windows.elements()) /
              static_cast<double>(std::max<int64_t>(u.in[1].elements(), 1))};
}
template <class Op>
bool few_terms(const Use<Select>& u) {
  const Terms t = terms_of_use<Op>(u);
  if (std::is_same_v<Op, Gather>) return t.scan <= max_written_out;
  return t.scan <= max_written_out && t.scan * t.around <= max_scanned;
}
template <class Op>
NativeCall select_call(const Use<Select>& u) {
  NativeCall call;
  // Axes along which a window has one element are independent.
  const Window& w = u.params.window;
  std::vector<int> axis_map;
  for (size_t a = 0; a < w.low.size(); ++a) {
    const bool whole = w.window_dimensions[a] == 1 && w.window_strides[a] == 1 && w.low[a] == 0 &&
                       w.high[a] == 0 && w.base_dilation[a] == 1;
    axis_map.push_back(whole ? static_cast<int>(a) : -1);
  }
  call.axis_map = {axis_map, axis_map};
  call.run = [in = u.in, out = u.out[0], p = u.params](const NativeArgs& a) {
    with_class<classes>(out.dtype(), [&](auto* q) {
      using T = std::remove_pointer_t<decltype(q)>;
      Op::template dense<T>(in[1].shape(), Op::windows(in, out), p, a.in<T>(0, in[0].elements()),
                            a.in<T>(1, in[1].elements()), a.out<T>(0, out.elements()));
    });
  };
  return call;
}

// ---- the shared rules

// Both operands with the lane at one axis.
Batched select_batch(const BatchArgs<Select>& b) {
  const int at = b.axis[0] ? *b.axis[0] : *b.axis[1];
  Arrays x = b.x;
  for (size_t i = 0; i < 2; ++i)
    x[i] = b.axis[i] ? base::move_axis(x[i], *b.axis[i], at) : base::insert_axis(x[i], at, b.size);
  return {b.op.bind(x, {with_axis(b.params.window, at), b.params.largest}), {at}};
}
// The op is linear in operand 0. A small change of operand 1 does not change the selection.
Arrays select_jvp(const JvpArgs<Select>& j) {
  if (j.dx[0].empty_handle()) return Arrays(1);
  return j.op.bind({j.dx[0], j.x[1]}, j.params);
}

template <class Op>
std::vector<Sample<Select>> select_samples() {
  std::vector<Sample<Select>> s;
  const auto add = [&](DType d, const Shape& x, const Select& p) {
    const Type t(d, x), w(d, windowed_shape(Op::name, t, p.window));
    s.push_back({{std::is_same_v<Op, Gather> ? t : w, t}, p});
  };
  const std::vector<Window> some = sample_windows();
  for (int i = 0; i <= static_cast<int>(C128); ++i)
    if (const auto d = static_cast<DType>(i); dtype_in(d, classes))
      add(d, {5, 6}, {some[1], i % 2 == 0});
  bool largest = false;
  for (const Window& w : some) add(F64, {5, 6}, {w, largest = !largest});
  const auto row = [&](int64_t n, int64_t size, int64_t stride, int64_t low) {
    add(F32, {n}, {{{size}, {stride}, {low}, {1}, {1}, {1}}, true});
  };
  row(90, 70, 3, 5);  // native code
  row(0, 1, 1, 2);
  row(3, 9, 1, 0);
  add(F32, Shape{}, {});
  return s;
}
template <class Op>
Def<Select> selection(const char* doc) {
  Def<Select> d;
  d.name = Op::name;
  d.doc = doc;
  d.type = Op::type;
  d.reference = [](const Arrays& x, const Select& p) {
    const Type t = Op::type(types_of(x), p)[0];
    const Fresh r = fresh_array(t);
    with_class<classes>(t.dtype(), [&](auto* q) {
      using T = std::remove_pointer_t<decltype(q)>;
      Op::template dense<T>(x[1].shape(), Op::windows(types_of(x), t), p, data_of<T>(x[0]),
                            data_of<T>(x[1]), static_cast<T*>(r.data));
    });
    return Arrays{r.array};
  };
  d.jvp = select_jvp;
  d.batch = select_batch;
  d.lower = select_lower<Op>;
  d.implementations = [] {
    std::vector<Implementation<Select>> all{
        {.name = std::string(generated), .applies = few_terms<Op>},
        {.name = "native",
         .applies = [](const Use<Select>& u) { return !few_terms<Op>(u); },
         .make = select_call<Op>}};
    if (std::is_same_v<Op, Gather>) return all;
    all[0].cost = [](const Use<Select>& u) {
      const Terms t = terms_of_use<Op>(u);
      return term_ns * static_cast<double>(t.scan * t.around);
    };
    all[1].cost = [](const Use<Select>& u) {
      const Terms t = terms_of_use<Op>(u);
      return native_ns * static_cast<double>(t.scan) * t.windows;
    };
    all.push_back(
        {.name = std::string(expanded),
         .applies =
             [](const Use<Select>& u) { return terms_of_use<Op>(u).scan <= max_written_out; },
         .cost =
             [](const Use<Select>& u) {
               const Terms t = terms_of_use<Op>(u);
               return step_ns * (static_cast<double>(t.scan) * (t.windows + 1) + 2 * t.windows);
             }});
    return all;
  };
  d.samples = select_samples<Op>;
  d.rejects = [] {
    const Window w{{2}, {1}, {0}, {0}, {1}, {1}};
    const Type x(F32, {4});
    return std::vector<Reject<Select>>{
        {{x, Type(F64, {4})}, {w, true}, "dtype"},
        {{Type(C64, {4}), Type(C64, {4})}, {w, true}, "operands"},
        {{Type(F32, {5}), x},
         {w, true},
         std::is_same_v<Op, Gather> ? "shape" : "an element a window"},
        {{Type(F32, {2, 2}), Type(F32, {2, 2})}, {w, true}, "one entry an axis, 2"}};
  };
  return d;
}

Arrays gather_transpose(const TransposeArgs<Select>& t);
Arrays scatter_transpose(const TransposeArgs<Select>& t);

const Primitive<Select>& gather_op = define([] {
  auto d =
      selection<Gather>("Returns the tangent at the largest or smallest element of each window.");
  d.transpose = gather_transpose;
  return d;
}());
const Primitive<Select>& scatter_op = define([] {
  auto d = selection<Scatter>(
      "Adds each element of the source to the position of the largest or smallest element of its "
      "window.");
  d.transpose = scatter_transpose;
  d.expand = scatter_expand;
  return d;
}());

Arrays gather_transpose(const TransposeArgs<Select>& t) {
  return {scatter_op({t.ct[0], t.x[1]}, t.params), Array()};
}
Arrays scatter_transpose(const TransposeArgs<Select>& t) {
  return {gather_op({t.ct[0], t.x[1]}, t.params), Array()};
}

}  // namespace

Array select_and_gather_add(const Array& tangents, const Array& x, bool largest, const Window& w) {
  return gather_op({tangents, x}, {w, largest});
}
Array select_and_scatter_add(const Array& source, const Array& x, bool largest, const Window& w) {
  return scatter_op({source, x}, {w, largest});
}

}  // namespace weft

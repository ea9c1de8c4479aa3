// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/scatter.cpp: scatter, which combines updates into an array at computed indices.
#include <fmt/format.h>

#include "core/loops/accumulator.h"
#include "ops/index/by_destination.h"
#include "ops/index/index_map.h"
#include "ops/index/masked_update.h"
#include "ops/index/stable_order.h"
#include "ops/kit/arith.h"
#include "ops/structure/structure.h"
#include "tracer/placement.h"
#include "weft/lax/compare.h"
#include "weft/lax/elementwise.h"

namespace weft {
namespace {

using namespace index_map_detail;

struct Scatter {
  Ints update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims,
      operand_batching_dims, scatter_indices_batching_dims;
  Update update = Update::set;
  OutOfBounds mode = OutOfBounds::zero;
  bool unique_indices = false, indices_are_sorted = false;
  WEFT_FIELDS(update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims,
              operand_batching_dims, scatter_indices_batching_dims, update, mode, unique_indices,
              indices_are_sorted)
  WindowDims dims() const {
    return {update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims,
            operand_batching_dims, scatter_indices_batching_dims};
  }
  IndexPromises promises() const { return {unique_indices, indices_are_sorted}; }
};

// The size of the window along each axis of the operand, from the updates.
Ints window_sizes(const WindowDims& d, int64_t rank, const Shape& updates) {
  Ints sizes;
  size_t w = 0;
  for (int64_t a = 0; a < rank; ++a)
    sizes.push_back(
        holds(d.collapsed, a) || holds(d.operand_batching, a) ? 1 : updates[d.window_dims[w++]]);
  return sizes;
}
IndexMap index_map_for(const Scatter& p, const Type& x, const Type& updates) {
  return index_map_of(p.dims(), x.shape(), updates.ndim(),
                      window_sizes(p.dims(), x.ndim(), updates.shape()));
}

bool folds(Update u) { return u == Update::add || u == Update::mul; }
// True if the updates of a position are first combined with each other in a wider dtype, F32. They
// are then combined with the operand, and the result is rounded once (docs/decisions/0057). If the
// updates are F32, the result is rounded after each update.
bool rounds_once(const Scatter& p, const Types& in) {
  return folds(p.update) && accumulator_dtype(in[0].dtype()) != in[0].dtype() &&
         in[0].dtype() == in[1].dtype();
}
// The identity of addition or multiplication, which also keeps the sign of a zero.
double identity_of(Update u) { return u == Update::mul ? 1 : -0.; }

// Operands: the array, the updates, the indices.
Types scatter_type(const Types& in, const Scatter& p) {
  require_operands("scatter", in, 3);
  const DType t = in[0].dtype();
  // Updates of a narrow float operand may be F32 sums.
  const bool sums = folds(p.update) && in[1].dtype() == accumulator_dtype(t);
  if (t != in[1].dtype() && !sums)
    reject_dtype("scatter", "the updates must have the dtype of the array", in);
  if (p.update != Update::set &&
      !(p.update == Update::add || p.update == Update::mul ? is_number(t)
                                                           : is_number(t) || is_bool(t)))
    reject_dtype("scatter", "cannot combine these", in);
  const WindowDims d = p.dims();
  const auto batch = check_dims("scatter", in, in[2], d);
  for (int64_t a : d.window_dims)
    if (a < 0 || a >= in[1].ndim())
      reject_shape("scatter", "window dimensions must be axes of the updates", in);
  const Ints sizes = window_sizes(d, in[0].ndim(), in[1].shape());
  Ints windows;
  for (int64_t a = 0; a < in[0].ndim(); ++a) {
    if (holds(d.collapsed, a) || holds(d.operand_batching, a)) continue;
    if (entry(sizes, a) > in[0].shape()[a])
      reject_shape("scatter", fmt::format("the updates do not fit axis {}", a), in);
    windows.push_back(entry(sizes, a));
  }
  if (!(windows_shape("scatter", in, batch, d.window_dims, windows) == in[1].shape()))
    reject_shape("scatter", "the updates must have the axes of the indices and of the window", in);
  return {Type(t, in[0].shape(), in[0].weak() && in[1].weak())};
}

template <class R>
R combine(Update u, R old, R update) {
  if constexpr (std::is_same_v<arith::real_t<R>, bool>) {
    return u == Update::min   ? arith::minimum(old, update)
           : u == Update::max ? arith::maximum(old, update)
                              : update;
  } else {
    switch (u) {
      case Update::add: return arith::add(old, update);
      case Update::mul: return arith::mul(old, update);
      case Update::min: return arith::minimum(old, update);
      case Update::max: return arith::maximum(old, update);
      case Update::set: break;
    }
    return update;
  }
}

// True if an update that does not fit is moved inside. An empty operand has no such position.
bool moves_inside(const Scatter& p, const Type& operand) {
  return p.mode == OutOfBounds::clip && operand.elements() != 0;
}

// Calls f(element of the operand, element of the updates), both as positions in memory, for each
// update that is not dropped.
template <class F>
void each_update(const Arrays& x, const Scatter& p, const Type& t, F f) {
  const bool moves = moves_inside(p, t);
  const IndexMap r = index_map_for(p, x[0].type(), x[1].type());
  for_each_index(x[1].shape(), [&](const Ints& at, int64_t flat) {
    bool inside = true;
    const Ints c = map_index(r, at, [&](int k) { return host_component(x[2], r, at, k); }, &inside);
    if (inside || moves)
      f(static_cast<size_t>(flat_index(t.shape(), c)), static_cast<size_t>(flat));
  });
}

template <class T, class U>
void accumulate(const Arrays& x, const Scatter& p, const Type& t, T* out) {
  using E = Element<T>;
  const U* updates = data_of<U>(x[1]);
  each_update(x, p, t, [&](size_t to, size_t from) {
    out[to] = E::store(combine(p.update, E::load(out[to]), Element<U>::load(updates[from])));
  });
}
// For narrow floats: sums the updates, then combines the sums with the operand.
template <class T>
void accumulate_wide(const Arrays& x, const Scatter& p, const Type& t, T* out) {
  std::vector<float> sums(t.elements(), static_cast<float>(identity_of(p.update)));
  std::vector<bool> updated(sums.size());
  each_update(x, p, t, [&](size_t to, size_t from) {
    const float u =
        x[1].dtype() == F32 ? data_of<float>(x[1])[from] : Element<T>::load(data_of<T>(x[1])[from]);
    sums[to] = combine(p.update, sums[to], u);
    updated[to] = true;
  });
  for (size_t i = 0; i < sums.size(); ++i)
    if (updated[i])
      out[i] = Element<T>::store(combine(p.update, Element<T>::load(out[i]), sums[i]));
}

Arrays scatter_reference(const Arrays& x, const Scatter& p) {
  const Type t = scatter_type({x[0].type(), x[1].type(), x[2].type()}, p)[0];
  const Fresh out = writable_first(t, x);
  if (p.update == Update::set) {
    const size_t bytes = itemsize(t.dtype());
    const auto* updates = static_cast<const std::byte*>(concrete(x[1]).data());
    each_update(x, p, t, [&](size_t to, size_t from) {
      std::memcpy(static_cast<std::byte*>(out.data) + to * bytes, updates + from * bytes, bytes);
    });
    return {out.array};
  }
  with_class<DTypes::any>(t.dtype(), [&](auto* q) {
    using T = std::remove_pointer_t<decltype(q)>;
    T* to = static_cast<T*>(out.data);
    if constexpr (accumulator_dtype(dtype_of_v<T>) != dtype_of_v<T>) {
      if (rounds_once(p, types_of(x))) return accumulate_wide(x, p, t, to);
      if (x[1].dtype() == F32) return accumulate<T, float>(x, p, t, to);
    }
    accumulate<T, T>(x, p, t, to);
  });
  return {out.array};
}

// ---- a few windows: each element of the result checks if one of them contains it.
// In this form a scatter is local to its batching axes and can be part of a lane.

// With few places (the bodies of a robot, the segments of a graph) an element checks more of them.
constexpr int64_t few_windows = 8, most_windows = 128, most_checks = 1024;

struct Windows {
  IndexMap map;
  Ints sizes;            // along the axes of the operand
  Ints paired;           // axis of the updates -> batching axis of the operand, or -1
  int64_t count = 1;     // number of windows at one index of the batching axes
  bool in_order = true;  // the updates of one element are in the order of the windows
};
Windows windows_of(const Scatter& p, const Types& in) {
  Windows w{index_map_for(p, in[0], in[1]), window_sizes(p.dims(), in[0].ndim(), in[1].shape()),
            Ints(in[1].shape().size(), -1)};
  std::vector<bool> moves(in[1].shape().size(), false);  // a window whose indices move along it
  for (size_t a = 0; a < w.map.axes.size(); ++a) {
    const IndexMap::Axis& axis = w.map.axes[a];
    if (axis.batch >= 0) w.paired[axis.batch] = static_cast<int64_t>(a);
    if (axis.window >= 0) moves[axis.window] = axis.component >= 0 && axis.max_start > 0;
  }
  bool moved_before = false;
  for (int a = 0; a < in[1].ndim(); ++a) {
    moved_before = moved_before || (moves[a] && in[1].shape()[a] > 1);
    if (holds(p.update_window_dims, a) || w.paired[a] >= 0) continue;
    w.count *= in[1].shape()[a];
    w.in_order = w.in_order && !(moved_before && in[1].shape()[a] > 1);
  }
  return w;
}

Elem updated(DType t, Update u, Elem old, Elem update) {
  if (u == Update::set) return update;
  Elem e;
  with_class<DTypes::any>(t, [&](auto* q) {
    using E = Element<std::remove_pointer_t<decltype(q)>>;
    e = E::out(combine(u, E::in(old), E::in(update)));
  });
  return e;
}

// Computes an element from updates, each of which may apply or not, in order.
class Taking {
 public:
  Taking(Elem e, const Types& in, const Scatter& p) : e_(e), t_(in[0].dtype()), update_(p.update) {
    if (rounds_once(p, in)) wide_ = num::Ir<float>(static_cast<float>(identity_of(p.update)));
  }
  void take(num::Ir<bool> hit, Elem update) {
    if (!wide_) {
      e_ = select_elem(hit.id, updated(t_, update_, e_, update), e_);
      return;
    }
    wide_ = num::select(hit, combine(update_, *wide_, num::Ir<float>::at(update.re)), *wide_);
    any_ = any_ | hit;
  }
  // Narrow floats are rounded here. An element without updates keeps its bits.
  Elem result() const {
    if (!wide_) return e_;
    const Elem rounded = updated(t_, update_, e_, {wide_->id, nest::no_id});
    return select_elem(any_.id, rounded, e_);
  }

 private:
  Elem e_;
  DType t_;
  Update update_;
  std::optional<num::Ir<float>> wide_;
  num::Ir<bool> any_{false};
};

Elem element_of_windows(Reader& x, const Windows& w, const Types& in, const Scatter& p,
                        const Coords& at) {
  Taking element(x.read(0, at), in, p);
  for (int64_t q = 0; q < w.count; ++q) {
    Coords u(in[1].shape().size());
    int64_t rest = q;
    for (size_t a = u.size(); a-- > 0;) {
      if (w.paired[a] >= 0)
        u[a] = at[w.paired[a]];
      else if (!holds(p.update_window_dims, static_cast<int64_t>(a))) {
        const int64_t n = in[1].shape()[static_cast<int64_t>(a)];
        u[a] = I64s(rest % n).id;
        rest /= n;
      }
    }
    num::Ir<bool> hit(true);
    for (size_t a = 0; a < at.size(); ++a) {
      const IndexMap::Axis& axis = w.map.axes[a];
      if (axis.batch >= 0) continue;
      const int64_t size = w.sizes[a];
      I64s d = I64s::at(at[a]);
      if (axis.component >= 0) {
        const I64s s = component_at(x, 2, in[2], w.map, u, axis.component);
        if (p.mode != OutOfBounds::clip) hit = hit & (s >= I64s(0)) & (s <= I64s(axis.max_start));
        if (axis.max_start > 0)
          d = d - num::minimum(num::maximum(s, I64s(0)), I64s(axis.max_start));
      }
      if (axis.max_start > 0) hit = hit & (d >= I64s(0)) & (d < I64s(size));
      if (axis.window >= 0)
        u[axis.window] =
            axis.max_start > 0 ? num::minimum(num::maximum(d, I64s(0)), I64s(size - 1)).id : d.id;
    }
    element.take(hit, x.read(1, u));
  }
  return element.result();
}

// Returns the axes of the updates along which no two have the same destination. These are batching
// axes and window axes that indices do not move. All axes qualify if the caller promises unique
// indices and no window is moved inside.
std::vector<char> unique_axes(const Scatter& p, const IndexMap& r, const Type& updates,
                              bool moves) {
  std::vector<char> unique(updates.shape().size(), p.unique_indices && !moves);
  for (const IndexMap::Axis& a : r.axes)
    if (a.unique_axis() >= 0) unique[a.unique_axis()] = 1;
  return unique;
}

// Sets the destination and the effect of each update, for code that updates the operand in place.
void write_updates(const LowerArgs<Scatter>& l, Lowering* low) {
  const bool moves = moves_inside(l.params, l.in[0]);
  const IndexMap map = index_map_for(l.params, l.in[0], l.in[1]);
  low->unique_axes = unique_axes(l.params, map, l.in[1], moves);
  low->destination = [r = map, t = l.in[2], moves](Reader& x, const Coords& at) {
    num::Ir<bool> inside(true);
    const auto c = map_index(
        r, positions(at), [&](int k) { return component_at(x, 2, t, r, at, k); }, &inside);
    return Lowering::Target{coords(c), moves ? num::Ir<bool>(true).id : inside.id};
  };
  low->merge = [t = l.in[0].dtype(), u = l.params.update](nest::Builder&, Elem old, Elem update) {
    return updated(t, u, old, update);
  };
}

// The number of updates that one thread applies in order.
int64_t updates_in_order(const Scatter& p, const Types& in) {
  const IndexMap map = index_map_for(p, in[0], in[1]);
  const std::vector<char> unique = unique_axes(p, map, in[1], moves_inside(p, in[0]));
  int64_t n = 1;
  for (size_t a = 0; a < unique.size(); ++a)
    if (!unique[a]) n *= in[1].shape()[static_cast<int64_t>(a)];
  return n;
}
// True for sums that would be rounded at each update if they were in memory.
bool sums_narrow(const Scatter& p, const Types& in) {
  return rounds_once(p, in) && updates_in_order(p, in) > 1;
}

// Returns true if an element is computed from the windows. Such sums of narrow floats are rounded
// once, but a large array would search the windows for each of its elements.
bool by_element(const Scatter& p, const Types& in) {
  constexpr int64_t few_elements = 64;
  const Windows w = windows_of(p, in);
  if (w.count > most_windows || (w.count > 1 && !w.in_order)) return false;
  int64_t elements = 1, places = 1;  // at one index of the batching axes; where indices may point
  for (size_t a = 0; a < w.map.axes.size(); ++a) {
    const int64_t n = in[0].shape()[static_cast<int64_t>(a)];
    if (w.map.axes[a].batch < 0) elements *= n;
    if (w.map.axes[a].component >= 0) places *= n;
  }
  if (w.count > few_windows && w.count * places > most_checks) return false;
  return elements <= few_elements || !sums_narrow(p, in);
}

Lowering scatter_lower(const LowerArgs<Scatter>& l) {
  Lowering low;
  const bool elements = by_element(l.params, l.in);
  if (!elements || !sums_narrow(l.params, l.in)) write_updates(l, &low);
  if (!elements) {
    low.form = Lowering::Form::scatter;
    return low;
  }
  const bool nothing = l.in[1].elements() == 0;
  low.element = [w = windows_of(l.params, l.in), in = l.in, p = l.params, nothing](
                    Reader& x, int, const Coords& at) {
    return nothing ? x.read(0, at) : element_of_windows(x, w, in, p, at);
  };
  return low;
}

// ---- updates with the same destination: narrow floats in F32, and with many threads

// True for sums in memory that would be rounded at each step. They are computed in an F32 array
// instead, and rounded once (docs/decisions/0057).
bool in_wide_memory(const Use<Scatter>& u) {
  return sums_narrow(u.params, u.in) && !by_element(u.params, u.in);
}

Array identities(Update u, const Type& t) {
  return broadcast_in_dim(scalar_of(t.dtype(), identity_of(u)), t.shape(), {});
}

// Replaces the first update of each destination by the sum in F32. The array can therefore be
// written in place, also by a lane of a loop.
constexpr int64_t few_slots = 64;
Array scatter_at_first(const ExpandArgs<Scatter>& e, const IndexMap& map, bool moves) {
  const DType d = accumulator_dtype(e.x[0].dtype());
  const Array sums =
      order::joined_at_first(e.x[0].shape(), base::convert(e.x[1], d), e.x[2], map, e.params.update,
                             scalar_of(d, identity_of(e.params.update)), moves);
  return e.op({e.x[0], sums, e.x[2]}, e.params);
}
// Sums in F32 in as many slots as there are updates. Each slot then has one destination.
Array scatter_to_slots(const ExpandArgs<Scatter>& e, const IndexMap& map, bool moves) {
  const DType d = accumulator_dtype(e.x[0].dtype());
  const order::Slots s = order::slots_of(e.x[0], e.x[1], e.x[2], map, moves);
  const WindowDims along{{2}, {1}, {1}, {0}, {0}};
  const Array sums =
      scatter_windows(identities(e.params.update, Type(d, s.updates.shape())), s.of_update,
                      base::convert(s.updates, d), along, e.params.update, OutOfBounds::zero);
  return order::out_of_slots(s, scatter_windows(s.operand, s.place, sums, along, e.params.update,
                                                OutOfBounds::zero, {.unique = true}));
}

// Returns true if copying only the places to F32 is faster than copying the whole array.
// Nanoseconds per element that is copied there and back, per place found by a sort, and for the
// other steps (AVX2, one thread).
bool few_places(const IndexMap& map, const Type& x, const Type& updates) {
  constexpr double copied_ns = 1, place_ns = 80, steps_ns = 20'000;
  const auto n = static_cast<double>(order::slots(map, x.shape(), updates.shape()));
  return std::max(x.elements(), updates.elements()) < std::numeric_limits<int32_t>::max() &&
         copied_ns * static_cast<double>(x.elements()) > place_ns * n + steps_ns;
}

Arrays scatter_expand(const ExpandArgs<Scatter>& e) {
  const Types in = types_of(e.x);
  const Type out = scatter_type(in, e.params)[0];
  if (in[0].elements() == 0 || in[1].elements() == 0)
    return {base::convert(e.x[0], out.dtype(), out.weak())};
  const IndexMap map = index_map_for(e.params, in[0], in[1]);
  const bool moves = moves_inside(e.params, in[0]);
  Array r;
  if (!rounds_once(e.params, in)) {
    r = order::scatter_by_destination(e.x[0], e.x[1], e.x[2], map, e.params.update, moves);
  } else if (few_places(map, in[0], in[1])) {
    r = order::slots(map, in[0].shape(), in[1].shape()) <= few_slots
            ? scatter_at_first(e, map, moves)
            : scatter_to_slots(e, map, moves);
  } else {
    // Computes in an F32 array of the whole shape.
    const DType d = accumulator_dtype(out.dtype());
    const Array sums = e.op(
        {identities(e.params.update, Type(d, in[0].shape())), base::convert(e.x[1], d), e.x[2]},
        e.params);
    const Array x = base::convert(e.x[0], d);
    r = e.params.update == Update::mul ? lax::mul(x, sums) : base::add(x, sums);
  }
  return {base::convert(r, out.dtype(), out.weak())};
}

// Nanoseconds on a GPU per update that a thread applies after the previous one is written, per
// kernel, and per element of the array. The steps read and write the array as a whole. The numbers
// are not measured.
constexpr double gpu_update_ns = 300, gpu_kernel_ns = 3000, gpu_element_ns = 0.02;

double in_order_ns(const Use<Scatter>& u) {
  return u.target.gpu ? gpu_update_ns * static_cast<double>(updates_in_order(u.params, u.in)) : 0;
}
double by_destination_ns(const Use<Scatter>& u) {
  if (rounds_once(u.params, u.in)) return 0;
  if (!u.target.gpu || u.in_loop) return order::never_ns;
  const IndexMap map = index_map_for(u.params, u.in[0], u.in[1]);
  return gpu_kernel_ns * order::kernels_by_destination(map, u.in[0].shape(), u.in[1].shape()) +
         gpu_element_ns * static_cast<double>(u.in[0].elements());
}
// True for updates with the same destination. The steps are scatters of others, and count updates
// and places in I32.
bool may_be_expanded(const Use<Scatter>& u) {
  if (rounds_once(u.params, u.in)) return in_wide_memory(u);
  return updates_in_order(u.params, u.in) > 1 && u.in[0].dtype() == u.in[1].dtype() &&
         std::max(u.in[0].elements(), u.in[1].elements()) < std::numeric_limits<int32_t>::max();
}
std::vector<Implementation<Scatter>> scatter_implementations() {
  return std::vector<Implementation<Scatter>>{
      {.name = std::string(generated),
       .applies = [](const Use<Scatter>& u) { return !in_wide_memory(u); },
       .cost = in_order_ns},
      {.name = std::string(expanded), .applies = may_be_expanded, .cost = by_destination_ns}};
}

// The lane axis becomes the leading axis of all operands. If lanes share the indices, it is a
// window axis that the window covers entirely.
Batched scatter_batch(const BatchArgs<Scatter>& b) {
  Scatter p = b.params;
  const Array x = move_mapped(b.x[0], b.axis[0], 0, b.size),
              u = move_mapped(b.x[1], b.axis[1], 0, b.size);
  for (Ints* v : {&p.inserted_window_dims, &p.scatter_dims_to_operand_dims,
                  &p.operand_batching_dims, &p.update_window_dims})
    open_axis(*v, 0);
  if (!b.mapped(2)) {
    p.update_window_dims.insert(p.update_window_dims.begin(), 0);
    return {{b.op({x, u, b.x[2]}, p)}, {0}};
  }
  open_axis(p.scatter_indices_batching_dims, 0);
  p.operand_batching_dims.push_back(0);
  p.scatter_indices_batching_dims.push_back(0);
  p.indices_are_sorted = false;  // only those of each lane are sorted
  return {{b.op({x, u, move_mapped(b.x[2], b.axis[2], 0, b.size)}, p)}, {0}};
}

Array scatter_with(const Primitive<Scatter>& op, const Scatter& p, const Array& x,
                   const Array& updates, const Array& indices, Update u) {
  Scatter q = p;
  q.update = u;
  return op({x, updates, indices}, q);
}
// The elements of x at the destination of each update, and zeros if x is empty.
Array gathered(const Scatter& p, const Array& x, const Type& updates, const Array& indices) {
  if (x.size() == 0) return base::zeros(Type(x.dtype(), updates.shape()));
  return gather_windows(x, indices, p.dims(), window_sizes(p.dims(), x.ndim(), updates.shape()),
                        p.mode == OutOfBounds::clip ? p.mode : OutOfBounds::zero, p.promises());
}
Array or_zeros(const Array& x, const Type& t) {
  return x.empty_handle() ? base::zeros(t.strong()) : x;
}

// All elements that equal the extremum share its tangent, as in JAX.
Array extremum_jvp(const JvpArgs<Scatter>& j) {
  const Array &x = j.x[0], &u = j.x[1], &i = j.x[2], &out = j.out[0];
  const Array kept = lax::eq(x, out), won = lax::eq(u, gathered(j.params, out, u.type(), i));
  // Narrow floats are counted and summed in F32.
  const DType d = accumulator_dtype(x.dtype());
  const Type of_x(d, x.shape()), of_u(d, u.shape());
  const auto added = [&](const Array& a, const Array& b) {
    return scatter_with(j.op, j.params, lax::select(kept, a, base::zeros(of_x)),
                        lax::select(won, b, base::zeros(of_u)), i, Update::add);
  };
  const auto tangent = [&](const Array& dx, const Type& t) {
    return dx.empty_handle() ? base::zeros(t) : base::convert(dx, d);
  };
  const Array count = added(base::ones(of_x), base::ones(of_u));
  const Array t = added(tangent(j.dx[0], of_x), tangent(j.dx[1], of_u));
  return base::convert(lax::div(t, count), x.dtype());
}

// The tangent of x times the product of its updates, with respect to the updates. It is x times the
// sum of their tangents, each times the product of the other updates with its destination. Narrow
// floats are rounded at the end.
Array factors_jvp(const JvpArgs<Scatter>& j) {
  const Type t = j.x[0].type().strong();
  if (t.elements() == 0 || j.x[1].size() == 0) return base::zeros(t);
  const DType d = accumulator_dtype(t.dtype());
  const auto wide = [d](const Array& a) { return base::convert(a, d); };
  Array change = wide(j.dx[1]);
  if (!j.params.unique_indices)
    change = lax::mul(change, order::product_of_others(t.shape(), wide(j.x[1]), j.x[2],
                                                       index_map_for(j.params, t, j.x[1].type()),
                                                       moves_inside(j.params, t)));
  const Array sum =
      scatter_with(j.op, j.params, base::zeros(Type(d, t.shape())), change, j.x[2], Update::add);
  return base::convert(lax::mul(wide(j.x[0]), sum), t.dtype());
}

Arrays scatter_jvp(const JvpArgs<Scatter>& j) {
  if (j.dx[0].empty_handle() && j.dx[1].empty_handle()) return Arrays(1);
  const Array &x = j.x[0], &u = j.x[1], &i = j.x[2];
  switch (j.params.update) {
    // The last of several duplicates wins, for tangents as well.
    case Update::set:
    case Update::add:
      return {scatter_with(j.op, j.params, or_zeros(j.dx[0], x.type()), or_zeros(j.dx[1], u.type()),
                           i, j.params.update)};
    case Update::min:
    case Update::max: return {extremum_jvp(j)};
    case Update::mul: break;
  }
  Array t;
  if (!j.dx[0].empty_handle()) t = scatter_with(j.op, j.params, j.dx[0], u, i, Update::mul);
  if (!j.dx[1].empty_handle()) {
    const Array d = factors_jvp(j);
    t = t.empty_handle() ? d : base::add(t, d);
  }
  return {t};
}

// True where an update is the last one with its destination.
Array winners(const Primitive<Scatter>& op, const Scatter& p, const Type& x, const Type& updates,
              const Array& indices) {
  Array number = iota(I32, {updates.elements()}, 0);
  number = reshape_to(number, updates.shape());
  const Array stands =
      scatter_with(op, p, base::zeros(Type(I32, x.shape())), number, indices, Update::set);
  return lax::eq(gathered(p, stands, number.type(), indices), number);
}

Arrays scatter_transpose(const TransposeArgs<Scatter>& t) {
  Arrays out(3);
  const Array &ct = t.ct[0], &i = t.x[2];
  if (ct.empty_handle()) return out;
  const Scatter& p = t.params;
  switch (p.update) {
    case Update::add:
      if (t.linear[0]) out[0] = ct;
      if (t.linear[1]) out[1] = base::convert(gathered(p, ct, t.in[1], i), t.in[1].dtype());
      break;
    case Update::set:
      if (t.linear[0])
        out[0] = scatter_with(t.op, p, ct, base::zeros(t.in[1].strong()), i, Update::set);
      if (t.linear[1]) {
        out[1] = gathered(p, ct, t.in[1], i);
        if (!p.unique_indices)
          out[1] = lax::select(winners(t.op, p, t.in[0], t.in[1], i), out[1],
                               base::zeros(t.in[1].strong()));
      }
      break;
    case Update::mul:
      if (t.linear[0]) out[0] = scatter_with(t.op, p, ct, t.x[1], i, Update::mul);
      if (t.linear[1]) {
        if (!p.unique_indices)
          throw DifferentiationError(
              "scatter: a product of updates is linear in them only with .unique_indices = true; "
              "use vjp");
        out[1] = base::convert(gathered(p, lax::mul(ct, t.x[0]), t.in[1], i), t.in[1].dtype());
      }
      break;
    default: throw DifferentiationError("scatter: a minimum or maximum is not linear");
  }
  return out;
}

const Primitive<Scatter>& scatter_op = define<Scatter>({
    .name = "scatter",
    .doc = "Writes updates to windows of the operand at computed indices. `update` says whether "
           "they replace the elements or are combined with them.",
    .type = scatter_type,
    .reference = scatter_reference,
    .jvp = scatter_jvp,
    .transpose = scatter_transpose,
    .batch = scatter_batch,
    .lower = scatter_lower,
    .expand = scatter_expand,
    .implementations = scatter_implementations,
    .simplify =
        [](const SimplifyArgs<Scatter>& s) {
          return s.x[1].size() == 0 ? Arrays{s.x[0]} : Arrays{};
        },
    .samples =
        [] {
          const Type i(I32, {4, 1});
          std::vector<Sample<Scatter>> s = {
              {{Type(F32, {5, 3}), Type(F32, {4, 3}), i},
               {{1}, {0}, {0}, {}, {}, Update::add, OutOfBounds::clip},
               -1,
               6},
              {{Type(C64, {3, 4}), Type(C64, {3, 2}), Type(I64, {3, 2, 1})},
               {{}, {1}, {1}, {0}, {0}, Update::add},
               0,
               3},
              {{Type(I32, {5, 5}), Type(I32, {2, 2, 2}), Type(I32, {2, 2})},
               {{0, 2}, {}, {1, 0}, {}, {}, Update::set},
               -1,
               4},
              {{Type(Bool, {4}), Type(Bool, {2, 2}), Type(U8, {2, 1})},
               {{0}, {}, {0}, {}, {}, Update::set},
               0,
               4}};
          for (Update u : {Update::set, Update::add, Update::min, Update::max})
            s.push_back({{Type(F32, {5}), Type(F32, {4}), i}, {{}, {0}, {0}, {}, {}, u}, -1, 6});
          s.push_back({{Type(F32, {5}), Type(F32, {1}), Type(I32, {1, 1})},
                       {{}, {0}, {0}, {}, {}, Update::mul, OutOfBounds::zero, true},
                       -1,
                       6});
          s.push_back({{Type(F64, {5}), Type(F64, {4}), i},
                       {{}, {0}, {0}, {}, {}, Update::mul, OutOfBounds::zero},
                       -1,
                       6});
          for (DType d : {BF16, F16})  // more than are unrolled
            s.push_back({{Type(d, {5}), Type(d, {12}), Type(I32, {12, 1})},
                         {{}, {0}, {0}, {}, {}, d == F16 ? Update::mul : Update::add},
                         -1,
                         6});
          return s;
        },
    .rejects =
        [] {
          const Type i(I32, {4, 1});
          return std::vector<Reject<Scatter>>{
              {{Type(F32, {5}), Type(I32, {4}), i}, {{}, {0}, {0}, {}, {}}, "dtype of the array"},
              {{Type(F32, {5}), Type(F32, {3}), i}, {{}, {0}, {0}, {}, {}}, "axes of the indices"},
              {{Type(Bool, {5}), Type(Bool, {4}), i},
               {{}, {0}, {0}, {}, {}, Update::add},
               "cannot combine"},
              {{Type(F32, {5}), Type(F32, {4, 6}), i},
               {{1}, {}, {0}, {}, {}},
               "do not fit axis 0"}};
        },
});

}  // namespace

Arrays masked_scatter(const Producer& made, const UpdateMask& mask) {
  const Scatter& p = params_as<Scatter>(made.params);
  const Array &x = made.x[0], &u = made.x[1], &indices = made.x[2];
  if (x.size() == 0 || u.size() == 0) return {};
  const IndexMap map = index_map_for(p, x.type(), u.type());
  Ints along;
  for (int64_t a : mask.axes) {
    const int64_t to = map.axes[a].unique_axis();
    if (to < 0 || (!along.empty() && to <= along.back())) return {};
    along.push_back(to);
  }
  const Array neutral =
      folds(p.update)
          ? broadcast_in_dim(scalar_of(u.dtype(), identity_of(p.update)), u.shape(), {})
          : gather_windows(x, indices, p.dims(), window_sizes(p.dims(), x.ndim(), u.shape()));
  return {scatter_op({x, mask.choose(along, u, neutral), indices}, p)};
}

Array scatter_windows(const Array& x, const Array& indices, const Array& updates,
                      const WindowDims& d, Update update, OutOfBounds mode,
                      IndexPromises promises) {
  return scatter_op({x, updates, indices},
                    {d.window_dims, d.collapsed, d.index_map, d.operand_batching,
                     d.indices_batching, update, mode, promises.unique, promises.sorted});
}

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/scatter.cpp: scatter, which combines updates into an array at computed indices.
#include <fmt/format.h>

#include "weft/ops/elementwise/compare.h"
#include "weft/ops/elementwise/elementwise.h"
#include "weft/ops/index/index_map.h"
#include "weft/ops/index/order/by_destination.h"
#include "weft/ops/index/order/stable_order.h"
#include "weft/ops/kit/arith.h"
#include "weft/ops/structure/structure.h"
#include "weft/tracer/placement.h"

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

// Operands: the array, the updates, the indices.
Types scatter_type(const Types& in, const Scatter& p) {
  require_operands("scatter", in, 3);
  if (in[0].dtype() != in[1].dtype())
    reject_dtype("scatter", "the updates must have the dtype of the array", in);
  const DType t = in[0].dtype();
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
  if constexpr (std::is_same_v<num::scalar_t<decltype(real_of(old))>, bool>) {
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

// Whether an update that does not fit is moved to where it does. In an empty operand that is
// nowhere.
bool moves_inside(const Scatter& p, const Type& operand) {
  return p.mode == OutOfBounds::clip && operand.elements() != 0;
}

Arrays scatter_reference(const Arrays& x, const Scatter& p) {
  const Type t = scatter_type({x[0].type(), x[1].type(), x[2].type()}, p)[0];
  const bool moves = moves_inside(p, t);
  const IndexMap r = index_map_for(p, x[0].type(), x[1].type());
  const Fresh out = writable_first(t, x);
  const auto bytes = static_cast<size_t>(itemsize(t.dtype()));
  const auto* from = static_cast<const std::byte*>(concrete(x[1]).data());
  for_each_index(x[1].shape(), [&](const Ints& at, int64_t flat) {
    bool inside = true;
    const Ints c = map_index(r, at, [&](int k) { return host_component(x[2], r, at, k); }, &inside);
    if (!inside && !moves) return;
    std::byte* to =
        static_cast<std::byte*>(out.data) + static_cast<size_t>(flat_index(t.shape(), c)) * bytes;
    const std::byte* update = from + static_cast<size_t>(flat) * bytes;
    if (p.update == Update::set) {
      std::memcpy(to, update, bytes);
      return;
    }
    with_class<DTypes::any>(t.dtype(), [&](auto* q) {
      using T = std::remove_pointer_t<decltype(q)>;
      using E = Element<T>;
      T old, u;
      std::memcpy(&old, to, sizeof old);
      std::memcpy(&u, update, sizeof u);
      const T v = E::store(combine(p.update, E::load(old), E::load(u)));
      std::memcpy(to, &v, sizeof v);
    });
  });
  return {out.array};
}

// ---- a few windows: each element of the result looks whether one of them holds it. So written, a
// scatter is local to its batching axes and can be a part of a lane.

constexpr int64_t few_windows = 8;

struct Windows {
  IndexMap map;
  Ints sizes;            // along the axes of the operand
  Ints paired;           // axis of the updates -> batching axis of the operand, or -1
  int64_t count = 1;     // of windows at one index of the batching axes
  bool in_order = true;  // the updates of one element stand in the order of the windows
};
Windows windows_of(const Scatter& p, const Types& in) {
  Windows w{index_map_for(p, in[0], in[1]), window_sizes(p.dims(), in[0].ndim(), in[1].shape()),
            Ints(in[1].shape().size(), -1)};
  for (size_t a = 0; a < w.map.axes.size(); ++a)
    if (const int b = w.map.axes[a].batch; b >= 0)
      w.paired[static_cast<size_t>(b)] = static_cast<int64_t>(a);
  bool window_before = false;
  for (int a = 0; a < in[1].ndim(); ++a) {
    const bool window = holds(p.update_window_dims, a);
    window_before = window_before || (window && in[1].shape()[a] > 1);
    if (window || w.paired[static_cast<size_t>(a)] >= 0) continue;
    w.count *= in[1].shape()[a];
    w.in_order = w.in_order && !(window_before && in[1].shape()[a] > 1);
  }
  return w;
}

Elem merged(DType t, Update u, Elem old, Elem update) {
  if (u == Update::set) return update;
  Elem e;
  with_class<DTypes::any>(t, [&](auto* q) {
    using E = Element<std::remove_pointer_t<decltype(q)>>;
    e = E::out(combine(u, E::in(old), E::in(update)));
  });
  return e;
}

Elem element_of_windows(Reader& x, const Windows& w, const Types& in, const Scatter& p,
                        const Coords& at) {
  Elem e = x.read(0, at);
  for (int64_t q = 0; q < w.count; ++q) {
    Coords u(in[1].shape().size());
    int64_t rest = q;
    for (size_t a = u.size(); a-- > 0;) {
      if (w.paired[a] >= 0)
        u[a] = at[static_cast<size_t>(w.paired[a])];
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
        if (p.mode != OutOfBounds::clip) hit = hit & (s >= I64s(0)) & (s <= I64s(axis.room));
        if (axis.room > 0) d = d - num::minimum(num::maximum(s, I64s(0)), I64s(axis.room));
      }
      if (axis.room > 0) hit = hit & (d >= I64s(0)) & (d < I64s(size));
      if (axis.window >= 0)
        u[static_cast<size_t>(axis.window)] =
            axis.room > 0 ? num::minimum(num::maximum(d, I64s(0)), I64s(size - 1)).id : d.id;
    }
    const Elem update = merged(in[0].dtype(), p.update, e, x.read(1, u));
    e = select_elem(hit.id, update, e);
  }
  return e;
}

// Axes of the updates along which no two go to the same place: batching axes, axes of the window
// that indices do not move; all, if whoever asks says so and nothing is moved inside.
std::vector<char> axes_apart(const Scatter& p, const IndexMap& r, const Type& updates, bool moves) {
  std::vector<char> apart(updates.shape().size(), p.unique_indices && !moves);
  for (const IndexMap::Axis& a : r.axes)
    if (a.apart() >= 0) apart[static_cast<size_t>(a.apart())] = 1;
  return apart;
}

// Where an update goes and what it does there, for those who have the operand in place.
void write_updates(const LowerArgs<Scatter>& l, Lowering* low) {
  const bool moves = moves_inside(l.params, l.in[0]);
  const IndexMap map = index_map_for(l.params, l.in[0], l.in[1]);
  low->apart = axes_apart(l.params, map, l.in[1], moves);
  low->destination = [r = map, t = l.in[2], moves](Reader& x, const Coords& at) {
    num::Ir<bool> inside(true);
    const auto c = map_index(
        r, positions(at), [&](int k) { return component_at(x, 2, t, r, at, k); }, &inside);
    return Lowering::Target{coords(c), moves ? num::Ir<bool>(true).id : inside.id};
  };
  low->merge = [t = l.in[0].dtype(), u = l.params.update](nest::Builder&, Elem old, Elem update) {
    return merged(t, u, old, update);
  };
}

Lowering scatter_lower(const LowerArgs<Scatter>& l) {
  Lowering low;
  write_updates(l, &low);
  const Windows w = windows_of(l.params, l.in);
  if (w.count <= few_windows && (w.count == 1 || w.in_order)) {
    const bool nothing = l.in[1].elements() == 0;
    low.element = [w, in = l.in, p = l.params, nothing](Reader& x, int, const Coords& at) {
      return nothing ? x.read(0, at) : element_of_windows(x, w, in, p, at);
    };
    return low;
  }
  low.form = Lowering::Form::scatter;
  return low;
}

// ---- many threads for updates that may meet

Arrays scatter_expand(const ExpandArgs<Scatter>& e) {
  const Types in = types_of(e.x);
  const Type out = scatter_type(in, e.params)[0];
  if (in[0].elements() == 0 || in[1].elements() == 0)
    return {base::convert(e.x[0], out.dtype(), out.weak())};
  const Array r =
      order::scatter_by_destination(e.x[0], e.x[1], e.x[2], index_map_for(e.params, in[0], in[1]),
                                    e.params.update, moves_inside(e.params, in[0]));
  return {base::convert(r, out.dtype(), out.weak())};
}

// Updates that one thread takes one after another.
int64_t updates_in_order(const Use<Scatter>& u) {
  const IndexMap map = index_map_for(u.params, u.in[0], u.in[1]);
  const std::vector<char> apart =
      axes_apart(u.params, map, u.in[1], moves_inside(u.params, u.in[0]));
  int64_t n = 1;
  for (size_t a = 0; a < apart.size(); ++a)
    if (!apart[a]) n *= u.in[1].shape()[static_cast<int64_t>(a)];
  return n;
}

// Nanoseconds on a GPU: of an update that a thread takes once the one before it is written, of a
// kernel, and of an element of the array, which the steps read and write as a whole. Not measured.
constexpr double gpu_update_ns = 300, gpu_kernel_ns = 3000, gpu_element_ns = 0.02;

double in_order_ns(const Use<Scatter>& u) {
  return u.target.gpu ? gpu_update_ns * static_cast<double>(updates_in_order(u)) : 0;
}
double by_destination_ns(const Use<Scatter>& u) {
  if (!u.target.gpu || u.in_loop) return order::never_ns;
  const IndexMap map = index_map_for(u.params, u.in[0], u.in[1]);
  return gpu_kernel_ns * order::kernels_by_destination(map, u.in[0].shape(), u.in[1].shape()) +
         gpu_element_ns * static_cast<double>(u.in[0].elements());
}
// Of updates that meet; the steps, which are scatters of others, count them and places in I32.
bool may_be_sorted(const Use<Scatter>& u) {
  return updates_in_order(u) > 1 &&
         std::max(u.in[0].elements(), u.in[1].elements()) < std::numeric_limits<int32_t>::max();
}
std::vector<Implementation<Scatter>> scatter_implementations() {
  return std::vector<Implementation<Scatter>>{
      {.name = std::string(generated), .cost = in_order_ns},
      {.name = std::string(expanded), .applies = may_be_sorted, .cost = by_destination_ns}};
}

// All operands get the lane axis in front; where lanes share the indices it is an axis of the
// window, taken whole.
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
  p.indices_are_sorted = false;  // each lane's are
  return {{b.op({x, u, move_mapped(b.x[2], b.axis[2], 0, b.size)}, p)}, {0}};
}

Array scatter_with(const Primitive<Scatter>& op, const Scatter& p, const Array& x,
                   const Array& updates, const Array& indices, Update u) {
  Scatter q = p;
  q.update = u;
  return op({x, updates, indices}, q);
}
// What stands in x where each update went: nothing, if x is empty.
Array gathered(const Scatter& p, const Array& x, const Type& updates, const Array& indices) {
  if (x.size() == 0) return base::zeros(Type(x.dtype(), updates.shape()));
  return gather_windows(x, indices, p.dims(), window_sizes(p.dims(), x.ndim(), updates.shape()),
                        p.mode == OutOfBounds::clip ? p.mode : OutOfBounds::zero, p.promises());
}
Array or_zeros(const Array& x, const Type& t) {
  return x.empty_handle() ? base::zeros(t.strong()) : x;
}

// The tangent of the extremum is shared by all that attain it, as in JAX.
Array extremum_jvp(const JvpArgs<Scatter>& j) {
  const Array &x = j.x[0], &u = j.x[1], &i = j.x[2], &out = j.out[0];
  const Array kept = lax::eq(x, out), won = lax::eq(u, gathered(j.params, out, u.type(), i));
  const Array one = base::ones(x.type().strong()), zero = base::zeros(x.type().strong());
  const Array u_one = base::ones(u.type().strong()), u_zero = base::zeros(u.type().strong());
  const Array count = scatter_with(j.op, j.params, lax::select(kept, one, zero),
                                   lax::select(won, u_one, u_zero), i, Update::add);
  const Array t =
      scatter_with(j.op, j.params, lax::select(kept, or_zeros(j.dx[0], x.type()), zero),
                   lax::select(won, or_zeros(j.dx[1], u.type()), u_zero), i, Update::add);
  return lax::div(t, count);
}

void require_unique(const Scatter& p) {
  if (!p.unique_indices)
    throw DifferentiationError(
        "scatter: the derivative of a product of updates by its factors needs .unique_indices = "
        "true");
}

Arrays scatter_jvp(const JvpArgs<Scatter>& j) {
  if (j.dx[0].empty_handle() && j.dx[1].empty_handle()) return Arrays(1);
  const Array &x = j.x[0], &u = j.x[1], &i = j.x[2];
  switch (j.params.update) {
    // Of duplicates the last one wins, for the tangents as well.
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
    require_unique(j.params);
    const Array d = lax::mul(
        x, scatter_with(j.op, j.params, base::zeros(x.type().strong()), j.dx[1], i, Update::add));
    t = t.empty_handle() ? d : base::add(t, d);
  }
  return {t};
}

// true where an update is the last that went to its place.
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
      if (t.linear[1]) out[1] = gathered(p, ct, t.in[1], i);
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
        require_unique(p);
        out[1] = gathered(p, lax::mul(ct, t.x[0]), t.in[1], i);
      }
      break;
    default: throw DifferentiationError("scatter: a minimum or maximum is not linear");
  }
  return out;
}

const Primitive<Scatter>& scatter_op = define<Scatter>({
    .name = "scatter",
    .doc = "An array with windows at computed indices replaced, or combined with updates.",
    .type = scatter_type,
    .reference = scatter_reference,
    .jvp = scatter_jvp,
    .transpose = scatter_transpose,
    .batch = scatter_batch,
    .lower = scatter_lower,
    .expand = scatter_expand,
    .implementations = scatter_implementations,
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

Array scatter_windows(const Array& x, const Array& indices, const Array& updates,
                      const WindowDims& d, Update update, OutOfBounds mode,
                      IndexPromises promises) {
  return scatter_op({x, updates, indices},
                    {d.window_dims, d.collapsed, d.index_map, d.operand_batching,
                     d.indices_batching, update, mode, promises.unique, promises.sorted});
}

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/index_map.h: how gather and scatter find their windows: dimension numbers made into
// positions.
#pragma once
#include "weft/ops/index/index.h"
#include "weft/ops/index/index_kit.h"
#include "weft/ops/kit/axes.h"
#include "weft/ops/kit/kit.h"

namespace weft::index_map_detail {

using I64s = num::Ir<int64_t>;
inline int64_t place_of(const Ints& v, int64_t x) {
  return std::find(v.begin(), v.end(), x) - v.begin();
}
inline int64_t& entry(Ints& v, int64_t i) { return v[static_cast<size_t>(i)]; }
inline int64_t entry(const Ints& v, int64_t i) { return v[static_cast<size_t>(i)]; }

// What gather and scatter share: how an axis of the operand is reached from the coordinates of the
// windows (gather: of the result, scatter: of the updates) and a component of an index.
struct IndexMap {
  struct Axis {
    int component = -1;  // of the index vector
    int window = -1;     // axis of the windows that runs along it
    int batch = -1;      // axis of the windows whose coordinate it is
    int64_t room = 0;    // how far a window can move
    // Whether all windows run along the whole of it.
    bool whole_window() const { return window >= 0 && (component < 0 || room == 0); }
    // The axis of the windows along which no two elements have one place on this axis, or -1.
    int apart() const { return batch >= 0 ? batch : whole_window() ? window : -1; }
  };
  std::vector<Axis> axes;
  std::vector<int> batch;  // axes of the windows that are axes of the indices, in order
  std::vector<int> used;   // operand axes that take a component
};

// The position in the operand of element `at` of the windows. `start(component)` reads the index.
// Sets `inside` to whether the whole window lies in the operand; the position is clamped.
template <class I, class M, class Start>
std::vector<I> map_index(const IndexMap& r, const std::vector<I>& at, const Start& start,
                         M* inside) {
  std::vector<I> out;
  *inside = M(true);
  for (const IndexMap::Axis& a : r.axes) {
    I x(0);
    if (a.component >= 0) {
      const I s = start(a.component);
      *inside = num::both(*inside, num::both(s >= I(0), s <= I(a.room)));
      x = num::minimum(num::maximum(s, I(0)), I(a.room));
    }
    if (a.batch >= 0) x = at[static_cast<size_t>(a.batch)];
    // A component of 0 adds nothing, so that an axis taken whole keeps its index as it is.
    if (a.window >= 0)
      x = a.component >= 0 ? num::add(x, at[static_cast<size_t>(a.window)])
                           : at[static_cast<size_t>(a.window)];
    out.push_back(x);
  }
  return out;
}

inline std::vector<I64s> positions(const Coords& c) {
  std::vector<I64s> v;
  for (nest::Id i : c) v.push_back(I64s::at(i));
  return v;
}
inline Coords coords(const std::vector<I64s>& v) {
  Coords c;
  for (I64s i : v) c.push_back(i.id);
  return c;
}
inline int64_t flat_index(const Shape& s, const Ints& at) {
  int64_t flat = 0;
  for (int i = 0; i < s.ndim(); ++i) flat = flat * s[i] + entry(at, i);
  return flat;
}
// Calls f(at, flat) for every index of a shape in row-major order.
template <class F>
void for_each_index(const Shape& s, const F& f) {
  Ints at(s.size(), 0);
  const int64_t n = s.elements();
  for (int64_t flat = 0; flat < n; ++flat) {
    f(at, flat);
    for (int a = s.ndim() - 1; a >= 0; --a) {
      if (++entry(at, a) < s[a]) break;
      entry(at, a) = 0;
    }
  }
}

// ---- batching. An axis that is new at `at`: what is behind it moves up.
inline void open_axis(Ints& v, int64_t at) {
  for (int64_t& a : v)
    if (a >= at) ++a;
}

IndexMap index_map_of(const WindowDims& d, const Shape& operand, int windows_rank,
                      const Ints& sizes);
// Component c of the index that belongs to element `at` of the windows.
I64s component_at(Reader& x, int operand, const Type& t, const IndexMap& r, const Coords& at,
                  int c);
int64_t host_component(const Array& indices, const IndexMap& r, const Ints& at, int c);
// The checks that gather and scatter share. Returns the shape of the batch.
std::vector<int64_t> check_dims(const char* op, const Types& in, const Type& indices,
                                const WindowDims& d);
// The shape of the windows, batch and window axes in their places.
Shape windows_shape(const char* op, const Types& in, const std::vector<int64_t>& batch,
                    const Ints& window_dims, const Ints& window_sizes);
// The axis of the windows at which batch axis q stands, or where a new one goes.
int64_t batch_place(const WindowDims& d, int windows_rank, int64_t q);

}  // namespace weft::index_map_detail

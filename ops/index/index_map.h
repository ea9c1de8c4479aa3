// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/index_map.h: converts the dimension numbers of gather and scatter into positions of
// windows.
#pragma once
#include "ops/index/index.h"
#include "ops/index/index_kit.h"
#include "ops/kit/axes.h"
#include "ops/kit/kit.h"

namespace weft::index_map_detail {

using I64s = num::Ir<int64_t>;
inline int64_t place_of(const Ints& v, int64_t x) {
  return std::find(v.begin(), v.end(), x) - v.begin();
}
inline int64_t& entry(Ints& v, int64_t i) { return v[i]; }
inline int64_t entry(const Ints& v, int64_t i) { return v[i]; }

// Shared by gather and scatter. For each axis of the operand, it gives the sources of the position.
// These are coordinates of the windows (gather: of the result, scatter: of the updates) and a
// component of an index.
struct IndexMap {
  struct Axis {
    int component = -1;     // the component of the index vector
    int window = -1;        // the axis of the windows that runs along it
    int batch = -1;         // the axis of the windows whose coordinate it is
    int64_t max_start = 0;  // the last position at which a window can start
    // True if all windows cover the whole axis.
    bool whole_window() const { return window >= 0 && (component < 0 || max_start == 0); }
    // Returns the axis of the windows along which no two elements have the same position on this
    // axis, or -1.
    int unique_axis() const { return batch >= 0 ? batch : whole_window() ? window : -1; }
  };
  std::vector<Axis> axes;
  std::vector<int> batch;  // axes of the windows that are axes of the indices, in order
  std::vector<int> used;   // operand axes that have a component
};

// Returns the position in the operand of element `at` of the windows. `start(component)` reads the
// index. Sets `inside` to true if the whole window is in the operand. The position is clamped.
template <class I, class M, class Start>
std::vector<I> map_index(const IndexMap& r, const std::vector<I>& at, const Start& start,
                         M* inside) {
  std::vector<I> out;
  *inside = M(true);
  for (const IndexMap::Axis& a : r.axes) {
    I x(0);
    if (a.component >= 0) {
      const I s = start(a.component);
      *inside = num::both(*inside, num::both(s >= I(0), s <= I(a.max_start)));
      x = num::minimum(num::maximum(s, I(0)), I(a.max_start));
    }
    if (a.batch >= 0) x = at[a.batch];
    // Without a component the coordinate is used directly, so that an axis covered by the whole
    // window keeps its index unchanged.
    if (a.window >= 0) x = a.component >= 0 ? num::add(x, at[a.window]) : at[a.window];
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

// ---- batching. A new axis is inserted at `at`, so axes from `at` on move up by one.
inline void open_axis(Ints& v, int64_t at) {
  for (int64_t& a : v)
    if (a >= at) ++a;
}

IndexMap index_map_of(const WindowDims& d, const Shape& operand, int windows_rank,
                      const Ints& sizes);
// Returns component c of the index for element `at` of the windows.
I64s component_at(Reader& x, int operand, const Type& t, const IndexMap& r, const Coords& at,
                  int c);
int64_t host_component(const Array& indices, const IndexMap& r, const Ints& at, int c);
// The shared checks of gather and scatter. Returns the shape of the batch.
std::vector<int64_t> check_dims(const char* op, const Types& in, const Type& indices,
                                const WindowDims& d);
// Returns the shape of the windows, with batch and window axes at their positions.
Shape windows_shape(const char* op, const Types& in, const std::vector<int64_t>& batch,
                    const Ints& window_dims, const Ints& window_sizes);
// Returns the axis of the windows that is batch axis q, or the position of a new batch axis.
int64_t batch_place(const WindowDims& d, int windows_rank, int64_t q);

}  // namespace weft::index_map_detail

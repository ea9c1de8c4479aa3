// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/window/window_positions.h: enumerates the elements of the operand that a window may contain,
// in order. The same code serves host loops and loop nests.
#pragma once
#include "ops/kit/arith.h"
#include "ops/kit/coords.h"
#include "ops/window/window.h"

namespace weft::window {

// Larger sizes, strides, dilations and padding are rejected, so that sums of them do not overflow.
inline constexpr int64_t most = int64_t{1} << 31;

inline int64_t dilated(int64_t n, int64_t d) { return n == 0 ? 0 : (n - 1) * d + 1; }
inline int64_t up(int64_t n, int64_t by) { return (n + by - 1) / by; }

// An element of the operand, and a flag that is true if the window contains it.
template <class I>
struct Place {
  I index;
  num::mask_t<I> there;
};

// One axis: the operand has n elements, and there are `windows` windows.
struct Axis {
  int64_t n, windows, size, stride, low, base, dilation;

  // The terms are the positions of the window. In a dilated operand, few positions have an element,
  // so the terms are the elements within the range of the window.
  bool by_element() const { return base > 1 && dilation == 1; }
  int64_t terms() const { return by_element() ? up(size, base) : size; }

  // Term j, which is in [first, last], of window w. The index is in the range of the operand even
  // if there is no element.
  template <class I>
  Place<I> at(I j, int64_t first, int64_t last, I w) const {
    using M = num::mask_t<I>;
    if (by_element()) {
      // The dividend is never negative.
      const int64_t more = low > 0 ? up(low, base) : 0;
      const I i =
          num::div(w * I(stride) + I(base - 1 - low + more * base), I(base)) + (j - I(more));
      const M in = num::both(I(0) <= i, i <= I(n - 1));
      return {clamped(i), num::both(in, i * I(base) - w * I(stride) <= I(size - 1 - low))};
    }
    I place = w * I(stride) + j * I(dilation) - I(low);
    M there(true);
    if (first * dilation < low) there = I(0) <= place;
    if (base > 1) {
      there = num::both(there, num::rem(place, I(base)) == I(0));
      place = num::div(place, I(base));
    }
    const bool inside =
        first * dilation >= low && (windows - 1) * stride + last * dilation - low <= (n - 1) * base;
    if (inside) return {place, there};
    return {clamped(place), num::both(there, place <= I(n - 1))};
  }

 private:
  template <class I>
  I clamped(I i) const {
    return num::maximum(num::minimum(i, I(n - 1)), I(0));
  }
};
using Axes = std::vector<Axis>;

inline Axes axes_of(const Shape& operand, const Shape& windows, const Window& w) {
  Axes r;
  for (size_t a = 0; a < w.low.size(); ++a)
    r.push_back({operand[static_cast<int64_t>(a)], windows[static_cast<int64_t>(a)],
                 w.window_dimensions[a], w.window_strides[a], w.low[a], w.base_dilation[a],
                 w.window_dilation[a]});
  return r;
}
// Exchanges the roles: the windows that may contain an element become the elements of a window.
inline Axes windows_around(Axes axes) {
  for (Axis& a : axes)
    a = {a.windows, a.n,       a.size, a.base, dilated(a.size, a.dilation) - 1 - a.low,
         a.stride,  a.dilation};
  return axes;
}
inline Ints terms_of(const Axes& axes) {
  Ints r;
  for (const Axis& a : axes) r.push_back(a.terms());
  return r;
}
// Capped, so that it does not overflow.
inline int64_t count(const Ints& terms) {
  int64_t n = 1;
  for (int64_t t : terms) n = std::min(n * t, most);
  return n;
}

// The terms of all axes in a loop nest, for windows at `at`.
using Places = std::vector<std::vector<Place<Index64>>>;
inline Places places_at(const Axes& axes, const Coords& at) {
  Places p(axes.size());
  for (size_t a = 0; a < axes.size(); ++a)
    for (int64_t j = 0; j < axes[a].terms(); ++j)
      p[a].push_back(axes[a].at(Index64(j), j, j, index_at(at[a])));
  return p;
}
// Calls f(index, there) for each term, in row-major order.
template <class F>
void each_place(const Places& p, const F& f, Coords index = {},
                num::Ir<bool> there = num::Ir<bool>(true)) {
  const size_t a = index.size();
  if (a == p.size()) return f(index, there);
  index.push_back(nest::no_id);
  for (const Place<Index64>& place : p[a]) {
    index.back() = place.index.id;
    each_place(p, f, index, num::both(there, place.there));
  }
}

// The same on the host, as offsets in row-major arrays. -1 means that there is no element.
class Offsets {
 public:
  Offsets(const Axes& axes, const Ints& steps) {
    for (size_t a = 0; a < axes.size(); ++a) {
      terms_.push_back(axes[a].terms());
      Ints& t = table_.emplace_back();
      for (int64_t w = 0; w < axes[a].windows; ++w)
        for (int64_t j = 0; j < terms_[a]; ++j) {
          const Place<int64_t> p = axes[a].at(j, j, j, w);
          t.push_back(p.there && axes[a].n > 0 ? p.index * steps[a] : -1);
        }
    }
  }
  // Calls f(offset) for each term of the window at w.
  template <class F>
  void map_list(const Ints& w, const F& f, size_t a = 0, int64_t offset = 0) const {
    if (a == w.size()) return f(offset);
    for (int64_t j = 0; j < terms_[a]; ++j) {
      const int64_t o = offset < 0 ? -1 : table_[a][w[a] * terms_[a] + j];
      map_list(w, f, a + 1, o < 0 ? -1 : offset + o);
    }
  }

 private:
  Ints terms_;
  std::vector<Ints> table_;
};
// Calls f(i, place) for each index of a shape, in row-major order, where i counts the calls.
template <class F>
void each_index(const Shape& s, const F& f) {
  Ints at(s.sizes().size(), 0);
  for (int64_t i = 0; i < s.elements(); ++i) {
    f(i, at);
    for (size_t a = at.size(); a-- > 0;) {
      if (++at[a] < s[static_cast<int64_t>(a)]) break;
      at[a] = 0;
    }
  }
}

// Windows with at most this many terms are unrolled in a loop nest.
inline constexpr int64_t max_written_out = 64;

// Adds an axis to the operand of the windows.
Window with_axis(Window w, int at);
std::vector<Window> sample_windows();

}  // namespace weft::window

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/ops/gather_test.cpp: gathers whose indices are the same for all lanes of a batching axis.
#include <string>
#include <vector>

#include "ops/index/index.h"
#include "ops/structure/structure.h"
#include "support/reference.h"

using namespace weft;
using namespace weft::test;

namespace {

template <class F>
bool has_batching(const F& f, const Array& x, const Array& i) {
  return jit(f).lower(x, i).optimized().find("operand_batching_dims=(0,)") != std::string::npos;
}

}  // namespace

TEST_CASE("indices that are repeated for each lane are read once", "[ops][gather]") {
  constexpr int64_t lanes = 5;
  // x[l, i[k]], with the indices as JAX writes them: one copy for each lane, wrapped if negative.
  const auto repeated = [](Array x, Array i) {
    const Array all = broadcast_in_dim(i, Shape{lanes, i.shape()[0]}, {1});
    const Array wrapped = where(all < 0, all + static_cast<int>(x.shape()[1]), all);
    return gather_along(x, wrapped, 1);
  };
  const Array x = numbers({lanes, 7}), i = array({3, -1, 0, 6, -7, 100}).astype(I32);
  same(repeated, x, i);
  CHECK_FALSE(has_batching(repeated, x, i));
  for (OutOfBounds mode : {OutOfBounds::fill, OutOfBounds::zero})
    same(
        [&](Array v, Array k) {
          return gather_along(v, broadcast_in_dim(k, Shape{lanes, k.shape()[0]}, {1}), 1, mode);
        },
        x, i);

  // x[l, i[k], k % 2], with indices of two components.
  const auto components = [](Array v, Array k) {
    const int64_t n = k.shape()[0];
    const Array column = arange(static_cast<int>(n)).astype(I32) % 2;
    const auto component = [&](const Array& c) {
      return broadcast_in_dim(c, Shape{lanes, n, 1}, {1});
    };
    const Array both = concatenate_arrays({component(k), component(column)}, 2);
    return gather_windows(v, both, {{}, {1, 2}, {1, 2}, {0}, {0}}, {1, 1, 1});
  };
  const Array matrices = numbers({lanes, 7, 2});
  same(components, matrices, i);
  CHECK_FALSE(has_batching(components, matrices, i));

  // Windows before and after the axis of lanes.
  const auto windows = [](Array v, Array k) {
    const Array all = broadcast_in_dim(k, Shape{lanes, k.shape()[0], 1}, {1});
    return gather_windows(v, all, {{2}, {1}, {1}, {0}, {0}}, {1, 1, 2});
  };
  same(windows, matrices, i);
  CHECK_FALSE(has_batching(windows, matrices, i));
}

TEST_CASE("indices that differ between lanes stay", "[ops][gather]") {
  const auto own = [](Array x, Array i) {
    const Array all = broadcast_in_dim(i, Shape{4, i.shape()[0]}, {1});
    const Array lane = broadcast_in_dim(arange(4).astype(I32), all.shape(), {0});
    return gather_along(x, all + lane, 1);
  };
  const Array x = numbers({4, 7}), i = array({3, 1, 0}).astype(I32);
  same(own, x, i);
  CHECK(has_batching(own, x, i));
}

TEST_CASE("windows at known places are slices", "[ops][gather]") {
  const auto gathers = [](const auto& f, const Array& x) {
    same(f, x);
    return count(jit(f).lower(x).optimized(), "gather[");
  };
  const Array x = numbers({6, 7, 5});
  // x.take(first + step * i) along an axis, with negative indices and as JAX wraps them.
  for (int axis : {0, 1, 2})
    for (int step : {-2, -1, 0, 1, 2})
      for (int first : {0, 2, 4}) {
        const auto taken = [=](Array v) {
          const Array i = arange(3).astype(I32) * step + first;
          return take(v, where(i < 0, i + static_cast<int>(v.shape()[axis]), i), axis);
        };
        const bool inside = first + 2 * step >= 0 && first + 2 * step < x.shape()[axis];
        INFO(axis << " " << step << " " << first);
        const auto n = gathers(taken, x);
        if (inside) CHECK(n == 0);
      }
  // Two axes at once, a window of two elements, and one index.
  const auto corners = [](Array v) {
    const Array rows = broadcast_in_dim(arange(2).astype(I32) * 3 + 1, Shape{2, 3, 1}, {0}),
                columns = broadcast_in_dim(arange(3).astype(I32) * 2, Shape{2, 3, 1}, {1});
    return gather_windows(v, concatenate_arrays({columns, rows}, 2), {{1}, {0, 1}, {1, 0}, {}, {}},
                          {1, 1, 5});
  };
  CHECK(gathers(corners, x) == 0);
  const auto window = [](Array v) {
    const Array at = broadcast_in_dim(arange(1).astype(I32) + 3, Shape{1, 1}, {0});
    return gather_windows(v, at, {{0, 1, 3}, {}, {1}, {}, {}}, {6, 2, 5});
  };
  CHECK(gathers(window, x) == 0);
  // Irregular places, windows that overlap, a diagonal, and windows outside stay.
  const auto irregular = [](Array v) { return take(v, arange(3).astype(I32) * arange(3), 0); };
  CHECK(gathers(irregular, x) == 1);
  const auto overlapping = [](Array v) {
    const Array at = broadcast_in_dim(arange(3).astype(I32), Shape{3, 1}, {0});
    return gather_windows(v, at, {{1, 2, 3}, {}, {0}, {}, {}}, {2, 7, 5});
  };
  CHECK(gathers(overlapping, x) == 1);
  const auto diagonal = [](Array v) {
    const Array i = broadcast_in_dim(arange(5).astype(I32), Shape{5, 2}, {0});
    return gather_windows(v, i, {{1}, {0, 1}, {0, 1}, {}, {}}, {1, 1, 5});
  };
  CHECK(gathers(diagonal, x) == 1);
  for (OutOfBounds mode : {OutOfBounds::clip, OutOfBounds::fill, OutOfBounds::zero}) {
    const auto outside = [=](Array v) {
      const Array at = broadcast_in_dim(arange(2).astype(I32) + 5, Shape{2, 1}, {0});
      return gather_windows(v, at, {{1, 2}, {0}, {0}, {}, {}}, {1, 7, 5}, mode);
    };
    CHECK(gathers(outside, x) == (mode != OutOfBounds::clip));
  }
}

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

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/nests/lane_space_test.cpp: coordinates and offsets of the values of a lane
// (jit/nests/lane_space.h).
#include "jit/nests/lane_space.h"

#include "support/catch.h"

using namespace weft;
using compiler::LaneSpace, compiler::LaneType;

namespace {
using Extents = std::vector<int64_t>;
}

TEST_CASE("a lane holds the elements along the axes that are not in the grid", "[jit][nests]") {
  nest::Builder b("kernel");
  const num::Writing writing(b);
  const LaneSpace space(b, {10, 4}, true);
  REQUIRE(space.rank() == 1);
  REQUIRE(space.grid().size() == 2);
  const LaneType t(Type(F32, Shape{4, 2, 10, 3}), {1, -1, 0, -1});
  CHECK(t.inner_axes() == std::vector<int>({1, 3}));
  CHECK(t.inner_extents() == Extents({2, 3}));
  CHECK(t.inner_elements() == 6);
  for (int64_t flat = 0; flat < 6; ++flat) {
    const Coords c = space.coords_at(t, flat);
    CHECK(c[0] == space.grid()[1]);
    CHECK(c[2] == space.grid()[0]);
    CHECK(space.coords_with(t, {c[1], c[3]}) == c);
    int64_t offset = -1;
    CHECK(space.inner_offset(t, c).known(&offset));
    CHECK(offset == flat);
  }
  const LaneType scalar(Type(F32, Shape{}), {});
  CHECK(scalar.inner_elements() == 1);
}

TEST_CASE("the offset of the digits of an index is the index", "[jit][nests]") {
  nest::Builder b("kernel");
  const num::Writing writing(b);
  LaneSpace space(b, {}, true);
  CHECK(space.rank() == 0);
  const nest::Id index = b.index(0);
  const LaneType t(Type(F32, Shape{4, 1, 5}), {-1, -1, -1});
  Coords c = space.coords_of_flat(t, index);
  CHECK(space.inner_offset(t, c).id == index);
  // They may be some of the axes of a larger value.
  c.insert(c.begin(), b.integer(3));
  const auto offset = space.offset(c, Shape{7, 4, 1, 5});
  const auto expected = num::Ir<int64_t>::at(index) + num::Ir<int64_t>(60);
  CHECK(offset.id == expected.id);
}

TEST_CASE("only the last axis of two run-time axes fills vectors", "[jit][nests]") {
  nest::Builder b("kernel");
  const num::Writing writing(b);
  const LaneSpace space(b, {10, 4, 8}, false);
  CHECK(space.rank() == 2);
  REQUIRE(space.grid().size() == 3);
  CHECK(space.grid()[2] == b.index(1));
}

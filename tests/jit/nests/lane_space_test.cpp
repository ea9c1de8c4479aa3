// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/nests/lane_space_test.cpp: coordinates and offsets of the values of a lane
// (jit/nests/lane_space.h).
#include "jit/nests/lane_space.h"

#include "support/check.h"
#include "tracer/eval_trace.h"
#include "weft/lax/dot.h"

using namespace weft;
using namespace weft::test;
using compiler::LaneSpace, compiler::LaneType;

namespace {
using Extents = std::vector<int64_t>;
}

TEST_CASE("a lane holds the elements along the axes that are not in the grid", "[jit][nests]") {
  nest::Builder b("kernel");
  const num::Writing writing(b);
  const LaneSpace space(b, {10, 4}, 2);
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
  LaneSpace space(b, {}, 0);
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

TEST_CASE("only the last of two run-time axes fills vectors", "[jit][nests]") {
  nest::Builder b("kernel");
  const num::Writing writing(b);
  const LaneSpace space(b, {10, 4, 8}, 1);
  CHECK(space.rank() == 2);
  CHECK(space.extents() == Extents({40, 8}));
  REQUIRE(space.grid().size() == 3);
  CHECK(space.grid()[2] == b.index(1));
  const LaneSpace rows(b, {10, 4, 8}, 2);
  CHECK(rows.extents() == Extents({10, 32}));
  CHECK(rows.grid()[0] == b.index(0));
  CHECK(rows.offset({rows.grid()[1], rows.grid()[2]}, Shape{4, 8}).id == b.index(1));
}

TEST_CASE("axes that are too short for vectors fill them together", "[jit][nests]") {
  const auto f = [](Array board, Array keeps, Array weights) {
    return where(keeps.reshape({-1, 1, 1}), board, board * weights.reshape({-1, 1}));
  };
  const auto has_two_axes = [&](int64_t lanes, int64_t rows, int64_t columns) {
    INFO(lanes << " boards of " << rows << " x " << columns);
    const Array board = arange(static_cast<int>(lanes * rows * columns))
                            .astype(F32)
                            .reshape({lanes, rows, columns});
    const Array keeps = arange(static_cast<int>(lanes)) % 3 == 0;
    const Array weights = arange(static_cast<int>(rows)).astype(F32);
    CHECK(array_equal(jit(f)(board, keeps, weights), f(board, keeps, weights)).item<bool>());
    return jit(f).lower(board, keeps, weights).kernels().find("kernel rank=2") != std::string::npos;
  };
  CHECK(has_two_axes(50, 10, 10));
  CHECK(has_two_axes(50, 4, 20));
  // Vectors of so few elements would be half empty.
  CHECK_FALSE(has_two_axes(50, 3, 7));
  CHECK_FALSE(has_two_axes(1, 10, 10));
}

TEST_CASE("vectors run along all axes that operands share", "[jit][nests]") {
  const auto kernels = [](const auto& f, const auto&... x) { return jit(f).lower(x...).kernels(); };
  const Array x = arange(6 * 4 * 24 * 24).astype(F32).reshape({6, 4, 24, 24});
  // A mask of the last axes: rows of two axes are neighbours in all operands.
  const auto masked = [](Array a, Array mask) {
    const Array y = where(mask, a, -1.f);
    return nn::softmax(y);
  };
  const Array mask = arange(4 * 24 * 24).reshape({4, 24, 24}) % 3 == 0;
  const std::string two = kernels(masked, x, mask);
  INFO(two);
  CHECK(holds(two, "kernel rank=2"));
  CHECK(holds(two, "sdiv i64") == false);
  CHECK(holds(two, "srem i64") == false);
  // A row index that only a comparison reads does not leave vectors in part empty.
  const auto causal = [](Array a) {
    const Array i = arange(24);
    const Array y = where(expand_dims(i, 1) >= i, a, -1.f);
    return nn::softmax(y);
  };
  CHECK(holds(kernels(causal, x), "kernel rank=1"));
  const auto check_same = [](const auto& f, const auto&... a) {
    const Array got = jit(f)(a...);
    const ReferenceMode reference;
    CHECK(allclose(got, f(a...), 1e-6, 1e-7));
  };
  check_same(masked, x / 1000.f, mask);
  check_same(causal, x / 1000.f);
}

TEST_CASE("digits that are put together again are the index", "[jit][nests]") {
  using I = num::Ir<int64_t>;
  nest::Builder b("kernel");
  const num::Writing writing(b);
  const I x = I::at(b.index(0)), eight(8), four(4);
  const I outer = num::div(num::div(x, eight), four), middle = num::rem(num::div(x, eight), four),
          inner = num::rem(x, eight);
  CHECK((middle * eight + inner).id == num::rem(x, I(32)).id);
  CHECK((inner + middle * eight).id == num::rem(x, I(32)).id);
  CHECK((outer * I(32) + (middle * eight + inner)).id == x.id);
  CHECK((outer * I(32) + middle * eight + inner).id == x.id);
  // The outer digits alone are a quotient, and multiples keep their factor.
  CHECK((outer * four + middle).id == num::div(x, eight).id);
  CHECK((middle * I(24) + inner * I(3)).id == (num::rem(x, I(32)) * I(3)).id);
  // Digits of other places are not neighbours.
  CHECK((outer * eight + inner).id != x.id);
  CHECK((middle * I(16) + inner).id != num::rem(x, I(32)).id);
}

TEST_CASE("batches of vectors times matrices read vectors of memory", "[jit][nests]") {
  const auto check = [](const char* form, std::vector<int64_t> x, std::vector<int64_t> y,
                        const lax::DotDims& d) {
    const auto f = [&](Array a, Array b) { return lax::dot_general(a, b, d); };
    const Array a = random::uniform(random::key(1), Shape(x)),
                b = random::uniform(random::key(2), Shape(y));
    const std::string text = jit(f).lower(a, b).kernels();
    INFO(text);
    CHECK(holds(text, form));
    const Array got = jit(f)(a, b);
    const ReferenceMode reference;
    CHECK(allclose(got, f(a, b), 1e-5, 1e-5));
  };
  // Along the terms, if rows of 17 elements and more are contiguous.
  for (const int64_t n : {17, 24, 40})
    check("vector=inner", {9, n, n}, {9, n}, {{2}, {1}, {0}, {0}});
  // Along the columns, even if there are fewer than a vector has elements.
  for (const int64_t n : {8, 11, 15})
    for (const int64_t terms : {n, int64_t{24}})
      check("kernel rank=2", {9, terms}, {9, terms, n}, {{1}, {1}, {0}, {0}});
  for (const int64_t n : {3, 7}) check("kernel rank=1", {9, 24}, {9, 24, n}, {{1}, {1}, {0}, {0}});
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/tile_test.cpp: operands that are read along another axis than the result's last one,
// and results that are written so. Their grids run in tiles, with borders of every kind.
#include <string>
#include <vector>

#include "support/reference.h"
#include "weft/device/threads.h"

using namespace weft;
using namespace weft::test;

namespace {

template <class F>
bool in_tiles(const F& compiled, const Array& x) {
  return compiled.lower(x).kernels().find("\ntile ") != std::string::npos;
}
std::vector<int32_t> ints(const Array& x) { return x.astype(I32).to_vector<int32_t>(); }
// Computes the result one equation and one element at a time.
template <class F>
std::vector<int32_t> reference(F f, const Array& x) {
  const ReferenceMode on;
  return ints(f(x));
}

}  // namespace

TEST_CASE("transposes run in tiles", "[jit][tile]") {
  const auto f = [](Array x) { return transpose(x); };
  const auto compiled = jit(f);
  const std::vector<std::vector<int64_t>> shapes{{64, 64},  {128, 16}, {17, 200}, {65, 63},
                                                 {100, 33}, {16, 1},   {31, 16},  {300, 257}};
  for (const auto& sizes : shapes)
    for (DType d : {F32, F64, I8, BF16, Bool, I32}) {
      CAPTURE(sizes, static_cast<int>(d));
      const Array x = numbers(sizes, d);
      CHECK(ints(compiled(x)) == reference(f, x));
    }
  CHECK(in_tiles(compiled, numbers({64, 64}, F32)));
  CHECK(in_tiles(compiled, numbers({64, 64}, BF16)));
}

TEST_CASE("transposed operands of chains are read in tiles", "[jit][tile]") {
  const auto f = [](Array x) { return transpose(x) * 2.f + transpose(x.sum(0)) - x; };
  const Array x = numbers({70, 70}, F32);
  CHECK(ints(jit(f)(x)) == reference(f, x));
  CHECK(in_tiles(jit(f), x));
  // Two operands have elements of different sizes, and a select chooses between them.
  const auto two = [](Array v) {
    const Array t = transpose(v), b = transpose(v > 500.f);
    return where(b, t + 1.f, v);
  };
  CHECK(ints(jit(two)(x)) == reference(two, x));
}

TEST_CASE("tiles of arrays of many axes", "[jit][tile]") {
  const Array x = numbers({6, 32, 48}, F32);
  for (const std::vector<int64_t>& order :
       std::vector<std::vector<int64_t>>{{0, 2, 1}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}, {1, 0, 2}}) {
    CAPTURE(order);
    const auto f = [&](Array v) { return transpose(v, order); };
    CHECK(ints(jit(f)(x)) == reference(f, x));
  }
  const auto inner = [](Array v) { return transpose(v, {0, 2, 1}); };
  CHECK(in_tiles(jit(inner), x));
  // 50 rows are not whole tiles: a tile would extend from one matrix into the next.
  const Array odd = numbers({6, 32, 50}, F32);
  CHECK(ints(jit(inner)(odd)) == reference(inner, odd));
}

TEST_CASE("results in another order than the grid are written in tiles", "[jit][tile]") {
  // Sums of products that are computed once for results in two orders.
  const auto f = [](DType d) {
    return [d](Array x) {
      const int64_t lanes = x.shape()[0], n = x.shape()[1];
      const Array sums = (x.reshape({lanes, n, 1, 2}) * x.reshape({lanes, 1, n, 2})).sum(3);
      const Array c = d == Bool ? sums > 400000.f : sums.astype(d);
      return std::vector<Array>{transpose(c, {2, 0, 1}), c};
    };
  };
  for (DType d : {F32, F64, Bool, I8, BF16}) {
    CHECK(in_tiles(jit(f(d)), numbers({64, 24, 2}, F32)));
    for (const std::vector<int64_t>& sizes : std::vector<std::vector<int64_t>>{
             {64, 24, 2}, {9, 16, 2}, {33, 17, 2}, {3, 40, 2}, {16, 20, 2}, {130, 7, 2}}) {
      CAPTURE(sizes, static_cast<int>(d));
      const Array x = numbers(sizes, F32);
      const std::vector<Array> got = jit(f(d))(x);
      const ReferenceMode on;
      const std::vector<Array> want = f(d)(x);
      for (size_t k = 0; k < want.size(); ++k) CHECK(ints(got[k]) == ints(want[k]));
    }
  }
}

TEST_CASE("tiles are distributed to threads", "[jit][tile]") {
  const auto f = [](Array x) { return transpose(x); };
  const auto compiled = jit(f);
  const Array x = numbers({1030, 1111}, F32);
  const auto want = reference(f, x);
  const int before = num_threads();
  for (int n : {1, 2, 5}) {
    set_num_threads(n);
    CHECK(ints(compiled(x)) == want);
  }
  set_num_threads(before);
}

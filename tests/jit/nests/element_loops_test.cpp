// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/nests/element_loops_test.cpp: loops over the elements of a lane are written in pieces
// between the borders of concatenations and paddings, and by axes where a flat index would be
// divided.
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "support/check.h"
#include "support/share.h"
#include "tracer/eval_trace.h"

using namespace weft;
using namespace weft::test;

namespace {

// Returns the kernels of a loop in the lane whose trips compute `body`.
std::string kernels(const std::function<Array(Array)>& body, const Array& x) {
  const auto f =
      vmap([=](Array x) { return fori_loop(0, 3, [=](Array, Array c) { return body(c); }, x); });
  const Array got = jit(f)(x);
  {
    const ReferenceMode on;
    CHECK(array_equal(got, f(x)).item<bool>());
  }
  return jit(f).lower(x).kernels();
}

Array numbers(const Shape& s, DType d) {
  std::vector<int64_t> shape(s.begin(), s.end());
  const Array x = (arange(static_cast<int>(s.elements())) * 7919) % 101;
  return (d == Bool ? x % 3 == 0 : x.astype(d)).reshape(shape);
}

// Combines a value with a moved copy of itself, so that the copy is an array.
Array mixed(const Array& x, const Array& moved) {
  return x.dtype() == Bool ? (x ^ moved) | (moved & roll(moved, 1, 0))
                           : x + moved * 3 - roll(moved, 1, 0);
}

}  // namespace

TEST_CASE("parts of concatenations and paddings have loops of their own", "[jit][arrays]") {
  for (DType d : {Bool, I8, I32, F32})
    for (int64_t n : {39, 64, 65}) {
      INFO(n << " elements, dtype " << static_cast<int>(d));
      const auto rolled = [](Array x) { return mixed(x, roll(x, 5, 0)); };
      const std::string k = kernels(rolled, numbers({50, n}, d));
      INFO(k);
      CHECK(count(k, " smin i64 ") == 0);
      CHECK(count(k, " smax i64 ") == 0);
      CHECK(count(k, " select ") == 0);
      const auto padded = [](Array x) {
        const int64_t n = x.shape()[0];
        const Array zero = zeros({}, x.dtype());
        return mixed(x, lax::slice_in_dim(lax::pad(x, zero, {{3, 2, 0}}), 0, n, 1, 0));
      };
      CHECK(count(kernels(padded, numbers({50, n}, d)), " select ") == 0);
    }
}

TEST_CASE("elements of several axes are not found by divisions", "[jit][arrays]") {
  for (DType d : {Bool, I32, F32})
    for (const Shape& s : {Shape{6, 7}, Shape{8, 8}, Shape{3, 4, 5}}) {
      std::vector<int64_t> shape{33};
      for (int64_t n : s) shape.push_back(n);
      const auto moved = [](Array x) {
        Array y = x;
        for (int axis = 0; axis < x.ndim(); ++axis) y = roll(y, axis + 1, axis);
        return mixed(x, y);
      };
      const std::string k = kernels(moved, numbers(Shape(shape), d));
      INFO(k);
      CHECK(count(k, " srem i64 ") == 0);
      CHECK(count(k, " sdiv i64 ") == 0);
    }
}

TEST_CASE("pieces have the results of the whole loop", "[jit][arrays][share]") {
  Share share(20);
  // Random shifts, parts, paddings and masks, under branches that some lanes take.
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto body = [seed](Array x) {
      std::mt19937 g(seed);
      const int axes = x.ndim();
      for (int step = 0; step < 4; ++step) {
        const int axis = static_cast<int>(g() % axes);
        const int64_t n = x.shape()[axis];
        const auto at = static_cast<int64_t>(g() % (n + 1));
        switch (g() % 4) {
          case 0: x = mixed(x, roll(x, static_cast<int>(at), axis)); break;
          case 1:
            x = concatenate(
                {lax::slice_in_dim(x, at, n, 1, axis), lax::slice_in_dim(x, 0, at, 1, axis)}, axis);
            break;
          case 2: {
            const Array few = x.astype(I32).sum() % 2 == 0;
            const Array moved = roll(x, 1, axis);
            x = cond(
                few, [](Array y, Array m) { return mixed(y, m); },
                [](Array y, Array) { return flip(y, 0); }, x, moved);
            break;
          }
          default:
            x = where(arange(static_cast<int>(x.size())).reshape(x.shape()) < at, x, flip(x, axis));
        }
      }
      return x;
    };
    for (DType d : {Bool, I8, I32})
      for (const Shape& s : {Shape{61}, Shape{9, 9}, Shape{5, 4, 3}, Shape{300}})
        for (int64_t lanes : {1, 7, 40}) {
          if (!share.next()) continue;
          INFO("seed " << seed << ", " << lanes << " lanes, dtype " << static_cast<int>(d));
          std::vector<int64_t> shape{lanes};
          for (int64_t n : s) shape.push_back(n);
          kernels(body, numbers(Shape(shape), d));
        }
  }
}

TEST_CASE("updates along several axes divide no index", "[jit][arrays]") {
  for (DType d : {Bool, I32, F32})
    for (int64_t n : {1, 5, 9}) {
      INFO(n << " columns, dtype " << static_cast<int>(d));
      // The rows of a table that two axes of indices name, some of them twice, for each lane.
      const Array places = (arange(160).reshape({8, 20}) * 5) % 97;
      const auto f = vmap([=](Array table, Array rows) { return table.at(places).set(rows); });
      const Array table = numbers({6, 97, n}, d), rows = numbers({6, 8, 20, n}, d);
      const Array got = jit(f)(table, rows);
      {
        const ReferenceMode on;
        CHECK(array_equal(got, f(table, rows)).item<bool>());
      }
      const std::string k = jit(f).lower(table, rows).kernels();
      INFO(k);
      CHECK(count(k, " sdiv ") + count(k, " srem ") == 0);
    }
}

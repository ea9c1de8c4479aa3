// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/code_order_test.cpp: the order in which kernels get their code, and programs whose
// loops share bodies.
#include "jit/code_order.h"

#include <bit>
#include <set>
#include <tuple>

#include "support/check.h"
#include "tracer/eval_trace.h"

using namespace weft;
using nest::Kernel;

namespace {

// Adds a constant n times.
Kernel adds(int n, double c) {
  nest::Builder b("adds");
  const int out = b.buffer(nest::Storage::F64, true);
  const nest::Id i = b.index(0);
  nest::Id x = b.constant(nest::Kind::F64, std::bit_cast<uint64_t>(c));
  const nest::Id step = x;
  for (int k = 0; k < n; ++k) x = b.pure(nest::Opcode::Add, nest::Kind::F64, {x, step});
  b.store(out, i, x);
  return b.finish(1, 0, nest::Vector::grid);
}

}  // namespace

TEST_CASE("long kernels get their code first, and repeated ones last", "[jit][code_order]") {
  const Kernel two = adds(2, 1), nine = adds(9, 1), nine_again = adds(9, 1), other = adds(9, 3),
               five = adds(5, 1);
  const auto order = compiler::code_order({&two, &nine, nullptr, &other, &nine_again, &five});
  REQUIRE(order.size() == 6);
  CHECK(std::set<size_t>{order[0], order[1]}.count(3) == 1);
  CHECK(order[2] == 5);
  CHECK(order[3] == 0);
  CHECK(order[4] == 2);
  CHECK((order[5] == 1 || order[5] == 4));
}

TEST_CASE("loops with equal bodies, inside and outside of each other", "[jit][code_order]") {
  const auto body = [](Array, Array c) { return sort(c * 1.5) + sum(c); };
  const auto f = [&](Array x) {
    const Array a = fori_loop(0, 3, body, x), b = fori_loop(0, 2, body, a);
    const auto nested = [&](Array, Array c) { return fori_loop(0, 3, body, c) * 1e-3; };
    return std::tuple(a, fori_loop(0, 4, nested, b));
  };
  const Array x = array({3., 1., 2.});
  const auto [a, b] = jit(f)(x);
  const ReferenceMode on;
  const auto [ra, rb] = f(x);
  CHECK(array_equal(a, ra).item<bool>());
  CHECK(array_equal(b, rb).item<bool>());
}

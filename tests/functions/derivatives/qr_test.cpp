// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/derivatives/qr_test.cpp: derivatives of the QR factors of matrices with fewer
// rows than columns.
#include <cmath>

#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {

Array drawn(const Shape& s, uint64_t seed, DType d = F64) {
  if (d != C128) return random::normal(random::key(seed), s, {.dtype = d});
  const auto keys = random::split(random::key(seed), 2);
  return lax::complex(random::normal(keys[0], s, {.dtype = F64}),
                      random::normal(keys[1], s, {.dtype = F64}));
}
double largest(const Array& x) { return max(abs(x)).item<double>(); }

// Returns a sum of all numbers of both factors with distinct weights.
Array weighed(Array a) {
  const auto [q, r] = linalg::qr(a);
  const Array w = lax::complex(arange(r.size()).astype(F64), cos(arange(r.size()).astype(F64)));
  const Array u = lax::complex(sin(arange(q.size()).astype(F64)), ones({q.size()}, F64));
  return sum(real(ravel(r) * w)) + sum(real(ravel(q) * u));
}

// Returns the slope along a direction, by differences of fourth order.
double slope(const Array& a, const Array& along) {
  const double h = 1e-3;
  const auto at = [&](double t) { return weighed(a + t * along).item<double>(); };
  return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
}

}  // namespace

TEST_CASE("QR of wide matrices has derivatives", "[qr]") {
  for (const DType d : {F64, C128})
    for (const Shape& s : {Shape{1, 3}, Shape{2, 3}, Shape{3, 5}, Shape{3, 3}, Shape{5, 3}}) {
      INFO(short_name(d) << " of " << s[0] << " rows and " << s[1] << " columns");
      const Array a = drawn(s, 1, d), along = drawn(s, 2, d);
      const double want = slope(a, along);
      CHECK(std::fabs(jvp(weighed, std::tuple{a}, std::tuple{along}).second.item<double>() - want) <
            1e-7 * (1 + std::fabs(want)));
      // The slope of a real function is the real part of gradient times direction.
      const double back = real(sum(grad(weighed)(a) * along)).item<double>();
      CHECK(std::fabs(back - want) < 1e-7 * (1 + std::fabs(want)));
    }
}

TEST_CASE("tangents of wide factors keep what they are", "[qr]") {
  const Array a = drawn({2, 3, 5}, 3), da = drawn({2, 3, 5}, 4);
  const auto f = [](Array x) { return linalg::qr(x); };
  const auto [out, change] = jvp(f, std::tuple{a}, std::tuple{da});
  const auto [q, r] = out;
  const auto [dq, dr] = change;
  CHECK(largest(matmul(dq, r) + matmul(q, dr) - da) < 1e-13);
  const Array skew = matmul(swapaxes(q, -1, -2), dq);
  CHECK(largest(skew + swapaxes(skew, -1, -2)) < 1e-13);
  CHECK(largest(tril(dr, -1)) == 0);
  const auto mapped =
      vmap([&](Array x, Array dx) { return jvp(f, std::tuple{x}, std::tuple{dx}).second; })(a, da);
  CHECK(largest(mapped.first - dq) < 1e-14);
  CHECK(largest(mapped.second - dr) < 1e-14);
}

TEST_CASE("second derivatives of wide factors", "[qr]") {
  const Array a = drawn({2, 4}, 5), u = drawn({2, 4}, 6), v = drawn({2, 4}, 7);
  const auto along = [&](Array x) { return jvp(weighed, std::tuple{x}, std::tuple{u}).second; };
  const double h = 1e-4;
  const double want = ((along(a + h * v) - along(a - h * v)) / (2 * h)).item<double>();
  CHECK(std::fabs(jvp(along, std::tuple{a}, std::tuple{v}).second.item<double>() - want) <
        1e-5 * (1 + std::fabs(want)));
  CHECK(std::fabs(sum(grad(along)(a) * v).item<double>() - want) < 1e-5 * (1 + std::fabs(want)));
}

TEST_CASE("complete factors of a wide matrix are the reduced ones", "[qr]") {
  const Array a = drawn({2, 4}, 8);
  const auto f = [](std::string_view mode) {
    return [mode](Array x) { return sum(sin(linalg::qr(x, {.mode = mode}).second)); };
  };
  CHECK(largest(grad(f("complete"))(a) - grad(f("reduced"))(a)) == 0);
  check_error<DifferentiationError>([&] { grad(f("complete"))(drawn({4, 2}, 9)); },
                                    "without full_matrices only");
}

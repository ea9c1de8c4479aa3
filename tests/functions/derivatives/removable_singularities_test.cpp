// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/derivatives/removable_singularities_test.cpp: derivatives at points where parts
// of a formula are infinite or 0, and the function itself is smooth.
#include "support/check.h"

using namespace weft;
using namespace weft::test;
namespace stats = weft::scipy::stats;

namespace {

double slope(const std::function<Array(Array)>& f, double x, DType d = F64) {
  return grad(f)(array(x, d)).item<double>();
}

}  // namespace

TEST_CASE("distributions of extremes are flat far out", "[stats]") {
  for (DType d : {F32, F64})
    for (double x : {12., 100., 1000.}) {
      CHECK(slope([](Array v) { return stats::gumbel_l::cdf(v); }, x, d) == 0);
      CHECK(slope([](Array v) { return stats::gumbel_l::logcdf(v); }, x, d) == 0);
      CHECK(slope([](Array v) { return stats::gumbel_r::sf(v); }, -x, d) == 0);
      CHECK(slope([](Array v) { return stats::gumbel_r::logsf(v); }, -x, d) == 0);
    }
}

TEST_CASE("the generalized normal distribution has its density at 0", "[stats]") {
  for (double beta : {0.5, 1., 2., 3.}) {
    const double density = beta / (2 * std::tgamma(1 / beta));
    CHECK(slope([beta](Array v) { return stats::gennorm::cdf(v, beta); }, 0) == Approx(density));
  }
}

TEST_CASE("few rising factors are a polynomial, at its zeros too", "[special]") {
  const auto quadratic = [](Array z) { return special::poch(z, 2); };
  for (double z : {0., -1., -2., 1.5}) {
    CHECK(slope(quadratic, z) == Approx(2 * z + 1));
    CHECK(slope(grad(quadratic), z) == Approx(2));
  }
  // The function is 1 / (z - 1) (z - 2).
  const double z = 4;
  CHECK(slope([](Array v) { return special::poch(v, -2); }, z) == Approx(-5. / 36));
}

TEST_CASE("pinv has third derivatives at equal singular values", "[linalg]") {
  const Array w = array({{1., 2.}, {-.5, .7}}, F64);
  const auto f = [&](Array t) { return sum(linalg::pinv(eye(2, {.dtype = F64}) + t * w) * w); };
  // The expected value follows from (I + t W)^-1 = I - t W + t^2 W^2 - t^3 W^3.
  const Array cube = matmul(w, matmul(w, w));
  const double third = -6 * sum(cube * w).item<double>();
  CHECK(slope(grad(grad(f)), 0) == Approx(third));
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/structural_zeros_test.cpp: what a lane does not compute because the program fixes an
// element as zero, and that every form of the program has the same bits.
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "core/text/print.h"
#include "jit/pipeline.h"
#include "support/check.h"
#include "tracer/eval_trace.h"
#include "tracer/record_trace.h"
#include "weft/make_jaxpr.h"

using namespace weft;
using namespace weft::test;

namespace {

using Fn = std::function<Array(Array)>;

// Runs f three times in each lane of one kernel.
auto in_lane(const Fn& f) {
  return vmap([f](Array x) { return fori_loop(0, 3, [f](Array, Array c) { return f(c); }, x); });
}

struct Counts {
  int products = 0, fused = 0, sums = 0, masks = 0;
  friend bool operator==(const Counts&, const Counts&) = default;
};
// The arithmetic on floats of the only kernel.
Counts counts(const Fn& f, const Array& x) {
  const std::string text = jit(in_lane(f)).lower(x).kernels();
  INFO(text);
  REQUIRE(count(text, " = while none") + count(text, " = for none") == 1);
  return {count(text, " = mul f64"), count(text, " = fma f64"),
          count(text, " = add f64") + count(text, " = sub f64"), count(text, " = shr i64")};
}

// Compares compiled code with the reference rules on the rewritten program, to the bit.
void check_bits(const Fn& f, const Array& x) {
  const Jaxpr program = compiler::rewritten(make_jaxpr(f)(x).jaxpr);
  INFO(to_string(program));
  const Array got = jit(f)(x);
  const ReferenceMode reference;
  const auto a = got.to_vector<double>(), b = eval_jaxpr(program, {x})[0].to_vector<double>();
  for (size_t i = 0; i < a.size(); ++i) {
    INFO(i << ": " << a[i] << " and " << b[i]);
    CHECK(((std::isnan(a[i]) && std::isnan(b[i])) ||
           std::bit_cast<uint64_t>(a[i]) == std::bit_cast<uint64_t>(b[i])));
  }
}

Array rotation(const Array& angle) {
  const Array c = cos(angle), s = sin(angle), z = zeros_like(angle), one = ones_like(angle);
  return stack({stack({c, -s, z}), stack({s, c, z}), stack({z, z, one})});
}

const double inf = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("A product with a constant matrix has only the terms that are not zero",
          "[jit][structural_zeros]") {
  const Array x = linspace(.5, 2., 48, F64).reshape({16, 3});
  // Two rows of two products. In the third row the factor is 1.
  const Counts rotated = counts([](Array v) { return matmul(rotation(v[0]), v); }, x);
  const Counts angle = counts([](Array v) { return v + cos(v[0]) + sin(v[0]); }, x);
  CHECK(rotated.fused - angle.fused == 4);
  CHECK(rotated.masks == angle.masks);
  // Products with the identity only add zeros.
  CHECK(counts([](Array v) { return matmul(eye(3, F64), v); }, x) == Counts{0, 0, 3, 0});
}

TEST_CASE("Zeros of unit vectors take no arithmetic in a lane", "[jit][structural_zeros]") {
  const Array x = linspace(.5, 2., 48, F64).reshape({16, 3});
  // The Jacobian of a function of single elements is diagonal.
  const auto slopes = [](Array v) { return jacfwd([](Array u) { return u * u * u; })(v); };
  const Counts c = counts([&](Array v) { return v - slopes(v).diagonal(); }, x);
  CHECK(c.masks == 0);
  CHECK(c.products + c.fused <= 12);
  const auto hessians = [](Array v) { return hessian([](Array u) { return sum(u * u * u); })(v); };
  const Counts h = counts([&](Array v) { return v - hessians(v).sum(0); }, x);
  CHECK(h.masks == 0);
  CHECK(h.products + h.fused <= 12);
}

TEST_CASE("The zero of a derivative times any number is zero", "[jit][structural_zeros]") {
  // The slope of the second element is infinite where it is 0.
  const Fn f = [](Array v) {
    return jacfwd([](Array u) { return sqrt(u) * u[0]; })(v).sum(0) * 0.5;
  };
  const Array x = array(std::vector<double>{4., 0., 1., 9.}, {2, 2});
  const Array once = jit(vmap([f](Array v) {
    return fori_loop(0, 1 + astype(v[0] * 0., I32), [f](Array, Array c) { return f(c); }, v);
  }))(x);
  CHECK(std::isfinite(once.to_vector<double>()[0]));
  CHECK(std::isinf(once.to_vector<double>()[1]));
}

TEST_CASE("Zeros of data are numbers", "[jit][structural_zeros]") {
  const Array x = array(std::vector<double>{1., inf, 2., 0., 0., 0.}, {2, 3});
  const Array zero = zeros({3, 3}, F64);
  const auto by_data = [](Array v, Array m) {
    return fori_loop(0, 3, [m](Array, Array c) { return matmul(m, c) + 0. * c; }, v);
  };
  const auto r = jit(vmap(by_data, {0, none}))(x, zero).to_vector<double>();
  CHECK(std::isnan(r[0]));
  CHECK(r[3] == 0);
}

TEST_CASE("Programs with structural zeros have the bits of the reference",
          "[jit][structural_zeros]") {
  const Array x = array(std::vector<double>{.5, -1.25, 2., 0., inf, 1e-200, -3., -0., 7.}, {3, 3});
  const std::vector<Fn> bodies = {
      [](Array v) { return matmul(rotation(v[1]), v); },
      [](Array v) { return matmul(matmul(rotation(v[0]), eye(3, F64)), v - 1.); },
      [](Array v) { return jacfwd([](Array u) { return u / u[0] - u * u[1]; })(v).sum(0); },
      [](Array v) { return jacrev([](Array u) { return sqrt(u) * cumsum(u); })(v).sum(1); },
      [](Array v) { return hessian([](Array u) { return sum(u * roll(u, 1) * u[2]); })(v)[1]; },
      [](Array v) {
        const auto step = [](Array c) { return matmul(rotation(c[0]), c) * .5; };
        return jacfwd([step](Array u) {
                 return scan([step](Array c) { return std::pair{step(c), c[0]}; }, u, none,
                             {.length = 3})
                     .first;
               })(v)
            .sum(1);
      },
      [](Array v) {
        const auto f = [](Array u) {
          return cond(u[0] > 0, [](Array t) { return t * t; }, [](Array t) { return t * 2.; }, u);
        };
        return jacfwd(f)(v)[2];
      }};
  for (size_t k = 0; k < bodies.size(); ++k) {
    INFO(k);
    check_bits(in_lane(bodies[k]), x);
  }
}

TEST_CASE("What a call no longer reads is not computed", "[jit][structural_zeros]") {
  // The slope of a difference equation does not depend on the neighbours.
  const auto row = [](Array w) { return w[0] - 2. * w[1] + w[2] + w[1] * w[1] * (w[1] - .3); };
  const auto rows = [&](Array u) {
    const Array e = pad(u, 1);
    return vmap([&](Array l, Array m, Array r) { return grad(row)(stack({l, m, r})); })(
        e[slice(0, -2)], u, e[slice(2, none)]);
  };
  const Array u = linspace(0., 1., 700);
  CHECK(count(jit(rows).lower(u).report(), ": kernel") == 1);
  Array expected;
  {
    const ReferenceMode on;
    expected = rows(u);
  }
  CHECK(allclose(jit(rows)(u), expected, 1e-12, 1e-12).item<bool>());
}

TEST_CASE("A zero of a derivative has a text of its own", "[jit][structural_zeros]") {
  const Jaxpr j =
      make_jaxpr([](Array u) {
        return jvp([](Array t) { return stack({t, ones_like(t)}); }, std::tuple{u}, std::tuple{u})
            .second;
      })(zeros({}, F64))
          .jaxpr;
  const std::string text = to_string(j);
  INFO(text);
  CHECK(text.find("zero:f64[]") != std::string::npos);
  CHECK(to_string(read_jaxpr(text)) == text);
  CHECK_THROWS_AS(read_jaxpr("{ lambda ; . let  in (zero:i32[],) }"), ParseError);
}

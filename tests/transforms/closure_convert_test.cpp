// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/transforms/closure_convert_test.cpp: closure_convert turns captured values of f into
// arguments.
#include <complex>

#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {

// Returns the root of f by Newton's method, with the derivative by the implicit function theorem.
// This is the purpose of closure_convert.
template <class F>
Array root(F f, const Array& guess) {
  const auto [g, consts] = closure_convert(f, guess);
  const auto solve = [g = g](Array x, Arrays c) {
    for (int k = 0; k < 20; ++k) x = x - g(x, c) / grad([&](Array v) { return g(v, c); })(x);
    return x;
  };
  return custom_vjp(
      solve,
      [solve](Array x, Arrays c) {
        const Array r = solve(x, c);
        return std::pair(r, std::pair(r, c));
      },
      [g = g](std::pair<Array, Arrays> found, Array ct) {
        const auto& [r, c] = found;
        const Array slope = grad([&, &c = c](Array v) { return g(v, c); })(r);
        const auto back = vjp([&, &r = r](Arrays a) { return g(r, a); }, c).second;
        return std::tuple(zeros_like(r), std::get<0>(back(-ct / slope)));
      })(guess, consts);
}

}  // namespace

TEST_CASE("closure_convert passes traced values as arguments", "[transforms]") {
  const Array at = array({1., 2.});
  const auto f = [](Array a) {
    const Array fixed = array({3., 4.});
    const auto [g, consts] =
        closure_convert([=](Array x) { return (a * x + fixed).sum() + a[0]; }, a);
    CHECK(!consts.empty());
    for (const Array& c : consts) CHECK(c.is_traced());
    return g(a, consts) + g(2. * a, consts);
  };
  const auto plain = [](Array a) {
    const auto g = [=](Array x) { return (a * x + array({3., 4.})).sum() + a[0]; };
    return g(a) + g(2. * a);
  };
  CHECK(array_equal(grad(f)(at), grad(plain)(at)));
  CHECK(array_equal(jit(grad(f))(at), grad(plain)(at)));
  CHECK(array_equal(vmap(grad(f))(array({{1., 2.}, {3., 4.}})),
                    vmap(grad(plain))(array({{1., 2.}, {3., 4.}}))));
  CHECK(allclose(hessian(f)(at), hessian(plain)(at)));
}

TEST_CASE("closure_convert makes implicit derivatives of captured values", "[transforms]") {
  const auto square_root = [](Array a) {
    return root([=](Array x) { return x * x - a; }, Array(1.f));
  };
  CHECK(allclose(square_root(Array(9.f)), 3.));
  CHECK(allclose(grad(square_root)(9.), 1. / 6));
  CHECK(allclose(vmap(grad(square_root))(array({4., 9.})), array({1. / 4, 1. / 6})));
  CHECK(allclose(jit(grad(square_root))(9.), 1. / 6));
}

TEST_CASE("closure_convert of trees, and of nothing that is traced", "[transforms]") {
  const auto [g, consts] = closure_convert(
      [](std::pair<Array, Array> p, int n) {
        return std::tuple(p.first + n, std::vector<Array>{p.second * 2.});
      },
      std::pair(array({1., 2.}), Array(3.f)), 4);
  CHECK(consts.empty());
  const auto [sum, more] = g({array({5., 6.}), Array(7.f)}, 4, consts);
  CHECK(array_equal(sum, array({9., 10.})));
  CHECK(more[0].item<float>() == 14);
  check_error<ShapeError>([&, &g = g] { g({array({5., 6.}), Array(7.f)}, 5, {}); },
                          "closure_convert: the arguments are not like those it was made for");
  check_error<ShapeError>([&, &g = g] { g({array({5.}), Array(7.f)}, 4, {}); },
                          "argument 0 must be f32[2], got f32[1]");
  check_error<ShapeError>([&, &g = g] { g({array({5., 6.}), Array(7.f)}, 4, {Array(1.f)}); },
                          "the function takes 0 constants, got 1");
}

TEST_CASE("promote_types and result_type are JAX's lattice", "[functions]") {
  CHECK(promote_types(I32, F16) == F16);
  CHECK(promote_types(F16, BF16) == F32);
  CHECK(promote_types(I64, U64) == F64);
  CHECK(promote_types(F64, C64) == C128);
  CHECK(promote_types(Bool, U8) == U8);
  CHECK(result_type(2., array({1, 2})) == F32);
  CHECK(result_type(2., F16) == F16);
  CHECK(result_type(2, array({1, 2}).astype(U8), true) == U8);
  CHECK(result_type(2.) == F32);
  CHECK(result_type(F32, F64, Array(1)) == F64);
  CHECK(result_type(std::complex<float>(1, 2), F64) == C128);
  check_error<DTypeError>([] { promote_types(Key, F32); }, "");
  check_error<DTypeError>([] { result_type(random::key(0), 2.); }, "");
}

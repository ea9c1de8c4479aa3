// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/derivatives/repeated_indices_test.cpp: derivatives of products at repeated
// indices, compared with those of explicit multiplications. One or several factors are zero.
#include <cmath>

#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {

double apart(const Array& a, const Array& b) { return max(abs(a - b)).item<double>(); }

// Multiplies the factors with the same id, one after another.
Array written_out(Array x, const std::vector<int>& ids, int n) {
  std::vector<Array> out;
  for (int s = 0; s < n; ++s) {
    Array p = ones(x[0].shape(), x.dtype());
    for (size_t i = 0; i < ids.size(); ++i)
      if (ids[i] == s) p = p * x[static_cast<int64_t>(i)];
    out.push_back(p);
  }
  return stack(out);
}

const std::vector<std::vector<double>> factors = {{2, 3, 4, 5, 6, 7, 8, 9, 1.5},
                                                  {0, 3, 4, 5, 6, 7, 8, 9, 1.5},
                                                  {0, 3, 0, 5, 6, 0, 8, 9, 1.5},
                                                  {0, 0, 0, 0, 0, 0, 0, 0, 0}};

template <class F, class G>
void check_derivatives(F f, G g, const Array& x) {
  CHECK(apart(f(x), g(x)) == 0);
  CHECK(apart(jacrev(f)(x), jacrev(g)(x)) < 1e-9);
  CHECK(apart(jacfwd(f)(x), jacfwd(g)(x)) < 1e-9);
  CHECK(apart(jit(jacrev(f))(x), jacrev(g)(x)) < 1e-9);
  CHECK(apart(hessian(f)(x), hessian(g)(x)) < 1e-9);
  CHECK(apart(jacrev(jacrev(f))(x), hessian(g)(x)) < 1e-9);
  CHECK(apart(jacfwd(jacfwd(jacfwd(f)))(x), jacfwd(jacfwd(jacfwd(g)))(x)) < 1e-9);
}

}  // namespace

TEST_CASE("segment_prod has derivatives of every order, zeros among the factors", "[products]") {
  // 5 and -1 are not valid segments.
  const std::vector<int> ids = {0, 2, 0, 1, 0, 2, 5, -1, 0};
  for (const auto& v : factors) {
    const Array x = array(v, F64), places = array(ids);
    const auto g = [&](Array a) { return written_out(a, ids, 3); };
    check_derivatives([&](Array a) { return segment_prod(a, places, {.num_segments = 3}); }, g, x);
    check_derivatives(
        [&](Array a) { return segment_prod(a, places, {.num_segments = 3, .bucket_size = 2}); }, g,
        x);
    check_derivatives(
        [&](Array a) {
          return unsorted_segment_prod(a.reshape({3, 3}),
                                       where(places < 0, 7, places).reshape({3, 3}), 3);
        },
        g, x);
  }
}

TEST_CASE("rows of segments, and segments that lanes do not share", "[products]") {
  const std::vector<int> ids = {0, 1, 0, 0, 1, 2};
  const Array rows =
      where(arange(18).reshape({6, 3}) % 4 == 0, 0., 1.5 + arange(18).reshape({6, 3}) / 9.)
          .astype(F64);
  check_derivatives([&](Array a) { return segment_prod(a, array(ids), {.num_segments = 3}); },
                    [&](Array a) { return written_out(a, ids, 3); }, rows);
  const Array x = array({{1., 2., 3.}, {4., 0., 6.}, {0., 8., 0.}}, F64),
              i = array({{0, 0, 1}, {1, 1, 1}, {0, 1, 0}});
  const auto one = [](Array a, Array k) { return segment_prod(a, k, {.num_segments = 2}); };
  const Array want = array(
      {{{2., 1., 0.}, {0., 0., 1.}}, {{0., 0., 0.}, {0., 24., 0.}}, {{0., 0., 0.}, {0., 1., 0.}}},
      F64);
  CHECK(apart(vmap(jacrev(one))(x, i), want) == 0);
  CHECK(apart(jit(vmap(jacfwd(one)))(x, i), want) == 0);
  CHECK(apart(grad([&](Array a) { return sum(vmap(one)(a, i)); })(x), sum(want, 1)) == 0);
}

TEST_CASE("at().multiply, divide and power have derivatives at repeated places", "[products]") {
  const std::vector<int> ids = {0, 2, 0, 1, 0, 2, 7, 3, 0};
  const Array places = array(ids), base = array({3., -2., 0., 5.}, F64);
  for (const auto& v : factors) {
    const Array x = array(v, F64);
    check_derivatives([&](Array a) { return base.at(places).multiply(a); },
                      [&](Array a) { return base * written_out(a, ids, 4); }, x);
    check_derivatives([&](Array a) { return a[Slice(0, 4)].at(places).multiply(x); },
                      [&](Array a) { return a[Slice(0, 4)] * written_out(x, ids, 4); }, x);
  }
  const Array x = array(factors[0], F64);
  check_derivatives([&](Array a) { return base.at(places).divide(a); },
                    [&](Array a) { return base / written_out(a, ids, 4); }, x);
  // A base without an exponent may be negative, because no derivative is computed there.
  const Array some = array({2, 0, 2, 0}), by = array({2., 0.5, 1.5, 3.}, F64);
  const std::vector<int> here = {1, 0, 1, 0};
  const auto power = [&](Array a, Array y) { return a.at(some).power(y); };
  const auto out = [&](Array a, Array y) {
    const Array p = written_out(y, here, 2);
    return stack({pow(a[0], p[0]), a[1], pow(a[2], p[1]), a[3]});
  };
  const Array b = array({3., -2., 2., -5.}, F64);
  CHECK(apart(power(b, by), out(b, by)) < 1e-14);
  CHECK(apart(jacrev<1>(power)(b, by), jacrev<1>(out)(b, by)) < 1e-12);
  CHECK(apart(jacfwd<1>(power)(b, by), jacrev<1>(out)(b, by)) < 1e-12);
  CHECK(apart(jacrev<0>(power)(b, by), jacrev<0>(out)(b, by)) < 1e-12);
  CHECK(apart(jacfwd<0>(power)(b, by), jacrev<0>(out)(b, by)) < 1e-12);
  CHECK(apart(jacrev<0>(power)(b, array({2, 1, 1, 1})), diag(array({1., 1., 2. * 2, 1.}, F64))) <
        1e-12);
}

TEST_CASE("complex products, and products of nothing", "[products]") {
  const Array c = array({1., 2., 0., 3.}, C128) * lax::complex(array(1., F64), array(0.5, F64));
  const auto f = [](Array a) {
    return sum(real(segment_prod(a, array({0, 0, 0, 1}), {.num_segments = 2})));
  };
  const auto g = [](Array a) { return real(a[0] * a[1] * a[2] + a[3]); };
  CHECK(apart(grad(f)(c), grad(g)(c)) < 1e-14);
  const auto none = [](Array a) {
    return sum(segment_prod(a, zeros({a.size()}, I32), {.num_segments = 1}));
  };
  CHECK(grad(none)(zeros({0})).shape() == Shape{0});
  CHECK(floats(grad(none)(array({0.}))) == Floats{1});
}

TEST_CASE("products of updates are linear in them only where none meet", "[products]") {
  const auto f = [](Array u) { return ones({3}).at(array({0, 0, 1})).multiply(u); };
  check_error<DifferentiationError>([&] { linear_transpose(f, ones({3}))(ones({3})); },
                                    "unique_indices");
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/names/numpy_test.cpp: names of jax.numpy that are easily forgotten. Each is
// called once as a user of JAX would call it.
#include "functions/names/names.h"

using namespace weft;
using namespace weft::test;

namespace {
Array v() { return array({1., 2., 3., 4.}); }
Array m() { return array({{1., 2.}, {3., 4.}}); }
Array n() { return array({4, 6, 9}); }
}  // namespace

TEST_CASE("names of numpy: making arrays, elementwise, logic", "[functions][names]") {
  check_all({CALL(geomspace(1., 8., 4)),
             CALL(diagflat(v())),
             CALL(mgrid({{0, 2}, {0, 3}})),
             CALL(ogrid({{0, 2}, {0, 3}})[0]),
             CALL(indices({2, 3})),
             CALL(fromfunction([](Array i, Array j) { return i + j; }, {2, 3})),
             CALL(vander(v())),
             CALL(frexp(v()).first),
             CALL(gcd(n(), 6)),
             CALL(lcm(n(), 6)),
             CALL(unwrap(v())),
             CALL(cumulative_sum(v())),
             CALL(cumulative_prod(v())),
             CALL(i0(v())),
             CALL(isreal(v())),
             CALL(iscomplex(v())),
             CALL(Array(isscalar(2.))),
             CALL(spacing(v())),
             CALL(nextafter(v(), 9.)),
             CALL(piecewise(v(), {v() < 2., v() > 3.}, {-1., 1.})),
             CALL(Array(array_equiv(v(), v()))),
             CALL(where(v() > 1., {.size = 2})[0]),
             CALL(clip(v(), 2., none)),
             CALL(clip(v(), none, 2.)),
             CALL(ldexp(v(), 2)),
             CALL(nan_to_num(v(), 0., 1., -1.)),
             CALL(angle(v(), true))});
}

TEST_CASE("names of numpy: folds and statistics", "[functions][names]") {
  check_all({CALL(nanmedian(v())),
             CALL(nanargmax(v())),
             CALL(nanargmin(v())),
             CALL(nancumsum(v())),
             CALL(nancumprod(v())),
             CALL(nanquantile(v(), 0.5)),
             CALL(nanpercentile(v(), 50.)),
             CALL(ediff1d(v())),
             CALL(cov(m())),
             CALL(corrcoef(m())),
             CALL(histogram(v(), 2).first),
             CALL(histogram_bin_edges(v(), 2)),
             CALL(histogram2d(v(), v(), {2}).counts),
             CALL(histogramdd(m(), {2}).counts),
             CALL(gradient(v())[0]),
             CALL(average(v(), none, v())),
             CALL(cumsum(m(), none)),
             CALL(trapezoid(v())),
             CALL(diff(v(), 1, -1, 0., none)),
             CALL(logsumexp(v())),
             CALL(quantile(v(), 0.3, none, {.method = "inverted_cdf", .weights = v()}))});
}

TEST_CASE("names of numpy: shapes, indices, sets", "[functions][names]") {
  const Array x = zeros({2, 2, 2});
  check_all({CALL(hsplit(m(), 2)[0]),
             CALL(vsplit(m(), 2)[0]),
             CALL(dsplit(x, 2)[0]),
             CALL(block({m(), m()})),
             CALL(insert(v(), 1, 5.)),
             CALL(delete_(v(), 1)),
             CALL(resize(v(), {2, 3})),
             CALL(rollaxis(x, 2)),
             CALL(trim_zeros(v())),
             CALL(choose(array({0, 1}), {v()[slice(0, 2)], v()[slice(2, 4)]})),
             CALL(fill_diagonal(m(), 0.)),
             CALL(ix_({array({0, 1}), array({1})})[0]),
             CALL(ravel_multi_index({array({0, 1}), array({1, 1})}, {2, 2})),
             CALL(place(v(), v() > 2., array({9.}))),
             CALL(put(v(), array({0}), 9.)),
             CALL(putmask(v(), v() > 2., v())),
             CALL(tril_indices_from(m())[0]),
             CALL(triu_indices_from(m())[0]),
             CALL(diag_indices_from(m())[0]),
             CALL(mask_indices(3, [](Array a, int64_t k) { return triu(a, k); })[0]),
             CALL(v().at(0).power(2.)),
             CALL(v().at(0).apply([](Array a) { return -a; })),
             CALL(intersect1d(v(), v())),
             CALL(union1d(v(), v())),
             CALL(setdiff1d(v(), array({1.}))),
             CALL(setxor1d(v(), array({1.}))),
             CALL(unique_counts(n()).counts),
             CALL(unique_inverse(n()).inverse_indices),
             CALL(unique_values(n())),
             CALL(unique_all(n()).indices)});
}

TEST_CASE("names of numpy: products, polynomials, functions of functions", "[functions][names]") {
  check_all({CALL(convolve(v(), v())), CALL(correlate(v(), v())), CALL(interp(2.5, v(), v())),
             CALL(polyval(v(), 2.)), CALL(polyfit(v(), v(), 1)), CALL(roots(v())), CALL(poly(v())),
             CALL(polyadd(v(), v())), CALL(polysub(v(), v())), CALL(polymul(v(), v())),
             CALL(polydiv(v(), v()).first), CALL(polyder(v())), CALL(polyint(v())),
             CALL(einsum("ij,jk", m(), m())), CALL(cross(array({1., 0., 0.}), array({0., 1., 0.}))),
             CALL(vectorize([](Array a) { return a.sum(); }, {.signature = "(n)->()"})(m())),
             CALL(apply_along_axis([](Array a) { return a.sum(); }, 0, m())),
             CALL(apply_over_axes([](Array a, int64_t k) { return a.sum(k, {.keepdims = true}); },
                                  m(), {0, 1}))});
  CHECK(!einsum_path("ij,jk", {m(), m()}).text.empty());
  CHECK(broadcast_shapes({2, 1}, {3}) == Shape{2, 3});
}

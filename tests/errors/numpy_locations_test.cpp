// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/errors/numpy_locations_test.cpp: mistakes in calls of NumPy's functions beyond those of
// source_locations_test.cpp. The error names the line of the call. If the values of an argument
// must be known, it says what to write instead.
#include "errors/source_locations.h"

using namespace weft;
using namespace weft::test;

namespace {
Array ints() { return array({1, 2, 3}); }
// Returns the text of the error that f of a traced vector raises.
template <class F>
std::string traced(F f) {
  return error_of<ConcretizationError>([&] { jit(f)(array({1., 0., 2.})); });
}
}  // namespace

TEST_CASE("numbers and statistics name the line of the call", "[errors][places]") {
  check_places({CALL(angle(e)),
                CALL(gcd(e, ints())),
                CALL(gcd(v3(), v3())),
                CALL(lcm(ints(), v3())),
                CALL(frexp(e)),
                CALL(spacing(e)),
                CALL(isreal(e)),
                CALL(iscomplex(e)),
                CALL(isrealobj(e)),
                CALL(iscomplexobj(e)),
                CALL(isscalar(e)),
                CALL(i0(e)),
                CALL(unwrap(e)),
                CALL(unwrap(m23(), none, 5)),
                CALL(array_equiv(e, v3())),
                CALL(around(e)),
                CALL(degrees(e)),
                CALL(radians(e)),
                CALL(nanargmax(e)),
                CALL(nanargmin(m23(), 4)),
                CALL(nancumsum(e)),
                CALL(nancumprod(e)),
                CALL(cumulative_sum(m23())),
                CALL(cumulative_prod(Array(1.))),
                CALL(nanmedian(e)),
                CALL(nanquantile(e, 0.5)),
                CALL(nanpercentile(v3(), m23())),
                CALL(quantile(v3(), 0.5, none, {.method = "none"})),
                CALL(quantile(v3(), 0.5, none, {.weights = v3()})),
                CALL(average(m23(), 0, zeros({5}))),
                CALL(average_returned(e)),
                CALL(var(v3(), none, {.ddof = 1, .correction = 1.})),
                CALL(cov(zeros({1, 1, 1}))),
                CALL(cov(v3(), none, {.fweights = v3()})),
                CALL(cov(v3(), none, {.dtype = I32})),
                CALL(corrcoef(e)),
                CALL(corrcoef(v3(), none, {.dtype = I32})),
                CALL(diff(v3(), 1, 0, zeros({2, 2}))),
                CALL(ediff1d(e)),
                CALL(trapezoid(v3(), v3(), 1, 4)),
                CALL(gradient(zeros({1}))),
                CALL(gradient(v3(), {zeros({2})})),
                CALL(interp(v3(), v3(), zeros({2}))),
                CALL(interp(v3(), v3(), v3(), {.left = "up"})),
                CALL(histogram(v3(), 0)),
                CALL(histogram(v3(), 3, {.weights = zeros({2})})),
                CALL(histogram_bin_edges(zeros({0}))),
                CALL(histogram2d(v3(), zeros({2}))),
                CALL(histogramdd(v3())),
                CALL(histogramdd(m23(), {2, 2}))});
}

TEST_CASE("sets, polynomials and edits name the line of the call", "[errors][places]") {
  check_places({CALL(unique(v3(), {.size = -1})),
                CALL(unique(m23(), {.axis = 4})),
                CALL(unique_all(e)),
                CALL(unique_counts(e)),
                CALL(unique_inverse(e)),
                CALL(unique_values(e)),
                CALL(intersect1d(e, v3())),
                CALL(intersect1d_indices(e, v3())),
                CALL(setdiff1d(e, v3())),
                CALL(setxor1d(e, v3())),
                CALL(union1d(e, v3())),
                CALL(argsort(v3(), -1, {.dtype = F32})),
                CALL(searchsorted(v3(), 1, {.sorter = ints()[slice(0, 2)]})),
                CALL(polyval(1., 2.)),
                CALL(polyadd(m23(), v3())),
                CALL(polysub(m23(), v3())),
                CALL(polymul(m23(), v3())),
                CALL(polydiv(v3(), zeros({0}))),
                CALL(polyder(v3(), -1)),
                CALL(polyint(v3(), -1)),
                CALL(polyint(v3(), 2, v3())),
                CALL(poly(m23())),
                CALL(roots(m23())),
                CALL(polyfit(v3(), zeros({2}), 1)),
                CALL(polyfit(v3(), v3(), -1)),
                CALL(polyfit_full(m23(), v3(), 1)),
                CALL(polyfit_cov(v3(), v3(), 2)),
                CALL(vander(m23())),
                CALL(vander(v3(), -1)),
                CALL(delete_(v3(), 5)),
                CALL(delete_(v3(), v3())),
                CALL(insert(v3(), v3(), 1.)),
                CALL(insert(v3(), 0, m23())),
                CALL(resize(e, {2})),
                CALL(trim_zeros(v3(), {.trim = "x"})),
                CALL(trim_zeros(m23(), {.size = 2})),
                CALL(hsplit(Array(1.), 2)),
                CALL(vsplit(v3(), 2)),
                CALL(dsplit(m23(), 2)),
                CALL(hsplit(v3(), 2)),
                CALL(rollaxis(v3(), 3)),
                CALL(rollaxis(v3(), 0, 7)),
                CALL(block({{1., 2.}, 3.})),
                CALL(repeat(v3(), array({1, 2}))),
                CALL(concatenate({v3()}, 3)),
                CALL(pad(v3(), 1, {.mode = "edge", .stat_length = 2})),
                CALL(pad(v3(), 1, {.reflect_type = "odd"}))});
}

TEST_CASE("grids, indices and maps name the line of the call", "[errors][places]") {
  check_places({CALL(mgrid({slice(0, none)})),
                CALL(ogrid({slice(0, none)})),
                CALL(indices({-1})),
                CALL(sparse_indices({-1})),
                CALL(ix_({m23()})),
                CALL(tril_indices_from(v3())),
                CALL(triu_indices_from(v3())),
                CALL(diag_indices_from(m23())),
                CALL(mask_indices(-1, triu)),
                CALL(ravel_multi_index({ints()}, {2})),
                CALL(ravel_multi_index({ints()}, {4}, {.order = "X"})),
                CALL(ravel_multi_index({ints()}, {2, 2})),
                CALL(fill_diagonal(v3(), 1.)),
                CALL(choose(ints(), {v3()})),
                CALL(choose(ints(), {})),
                CALL(choose(ints(), {v3()}, "up")),
                CALL(put(v3(), v3(), 1.)),
                CALL(put(v3(), 0, 1., {.mode = "up"})),
                CALL(place(v3(), true, 1.)),
                CALL(place(v3(), v3(), zeros({0}))),
                CALL(putmask(v3(), true, 1.)),
                CALL(where(e)),
                CALL(compress(array({1, 1, 1, 1}), v3())),
                CALL(extract(e, v3())),
                CALL(take(v3(), 0, 0, {.mode = "up"})),
                CALL(segment_sum(v3(), ints(), {.num_segments = 2, .mode = "up"})),
                CALL(diagflat(e)),
                CALL(geomspace(1., 2., -1)),
                CALL(linspace_step(1., 2., -1)),
                CALL(array({1}, {.ndmin = -1})),
                CALL(einsum("ij,jk", m23(), m23().T(), {.optimize = EinsumSteps{{0, 4}}})),
                CALL(einsum_path("ij,jk", {m23(), m23()})),
                CALL(einsum({EinsumOperand{m23(), {0, 1, 2}}}, {0})),
                CALL(cross(v3(), zeros({4}))),
                CALL(apply_along_axis(id, 3, v3())),
                CALL(apply_over_axes([](Array, int64_t) { return Array(1.); }, m23(), 0)),
                CALL(piecewise(v3(), {v3() > 1.}, {})),
                CALL(fromfunction(id, {2, 2})),
                CALL(vectorize(id, {.signature = "(n"})),
                CALL(vectorize(id, {.signature = "(n),(n)->()"})(v3())),
                CALL(vectorize(id, {.signature = "(n)->()"})(v3())),
                CALL(vectorize(id, {.excluded = {3}})(v3()))});
}

TEST_CASE("methods of arrays beyond the usual name the line of the call", "[errors][places]") {
  check_places({CALL(e.std()),
                CALL(e.var()),
                CALL(e.ptp()),
                CALL(e.cumsum()),
                CALL(e.cumprod()),
                CALL(e.sort()),
                CALL(e.argsort()),
                CALL(e.clip(0, 1)),
                CALL(e.round()),
                CALL(e.take(0)),
                CALL(e.repeat(2)),
                CALL(e.swapaxes(0, 1)),
                CALL(e.diagonal()),
                CALL(e.trace()),
                CALL(e.real()),
                CALL(e.imag()),
                CALL(e.conj()),
                CALL(e.mT()),
                CALL(e.flatten()),
                CALL(e.itemsize()),
                CALL(e.nbytes()),
                CALL(m23().std(5)),
                CALL(m23().cumsum({0, 1})),
                CALL(m23().argmax(5, {.keepdims = true})),
                CALL(v3().item<float>(3)),
                CALL(m23().item<float>({0, 5})),
                CALL(m23().item<float>({0})),
                CALL(v3().at(4).power(1.)),
                CALL(v3().at(4).apply(id))});
}

TEST_CASE("the number of results must be known or given", "[errors]") {
  CHECK(holds(traced([](Array v) { return unique(v); }), "{.size = n}"));
  CHECK(holds(traced([](Array v) { return unique_all(v).values; }), "{.size = n}"));
  CHECK(holds(traced([](Array v) { return intersect1d(v, v); }), "{.size = n}"));
  CHECK(holds(traced([](Array v) { return setdiff1d(v, v); }), "{.size = n}"));
  CHECK(holds(traced([](Array v) { return setxor1d(v, v); }), "{.size = n}"));
  CHECK(holds(traced([](Array v) { return union1d(v, v); }), "{.size = n}"));
  CHECK(holds(traced([](Array v) { return where(v)[0]; }), ".size"));
  CHECK(holds(traced([](Array v) { return compress(v, v); }), ".size"));
  CHECK(holds(traced([](Array v) { return trim_zeros(v); }), "{.size = n}"));
  CHECK(holds(traced([](Array v) { return roots(v); }), "{.strip_zeros = false}"));
  CHECK(holds(traced([](Array v) { return delete_(v, v.astype(I32)); }), ".assume_unique_indices"));
  CHECK(holds(traced([](Array v) { return repeat(v, v.astype(I32)); }), ".total_repeat_length"));
  CHECK(holds(traced([](Array v) { return choose(v.astype(I32), {v, v, v}); }), "\"clip\""));
  CHECK(holds(traced([](Array v) { return ravel_multi_index({v.astype(I32)}, {3}); }), "\"wrap\""));
}

TEST_CASE("sizes that are not traced need not be said", "[numpy]") {
  const Array x = array({0., 3., 0., 1., 3., 0.});
  CHECK(floats(unique(x)) == Floats{0, 1, 3});
  CHECK(unique_all(x).counts.to_vector<int>() == std::vector<int>{3, 1, 2});
  CHECK(floats(intersect1d(x, v3())) == Floats{1, 3});
  CHECK(floats(setdiff1d(x, v3())) == Floats{0});
  CHECK(floats(setxor1d(x, v3())) == Floats{0, 2});
  CHECK(floats(union1d(x, v3())) == Floats{0, 1, 2, 3});
  CHECK(floats(trim_zeros(x)) == Floats{3, 0, 1, 3});
  CHECK(floats(trim_zeros(x, {.trim = "f"})) == Floats{3, 0, 1, 3, 0});
  CHECK(floats(jit([](Array v) { return trim_zeros(v, {.size = 5, .fill_value = -1}); })(x)) ==
        Floats{3, 0, 1, 3, -1});
  CHECK(mask_indices(3, triu, 1)[0].to_vector<int>() == std::vector<int>{0, 0, 1});
  CHECK(where(x)[0].to_vector<int>() == std::vector<int>{1, 3, 4});
  CHECK(floats(fill_diagonal(zeros({5, 2}), 1., true)) == Floats{1, 0, 0, 1, 0, 0, 1, 0, 0, 1});
  CHECK(array({1, 2}, {.ndmin = 3}).shape() == Shape{1, 1, 2});
  CHECK(x.nbytes() == 24);
  CHECK(x.item<float>(-2) == 3);
  CHECK(floats(polymul(array({0., 1.}), array({1., 2.}), {.trim_leading_zeros = true})) ==
        Floats{1, 2});
  CHECK(polydiv(array({1., 2.}), array({1., 2.}), {.trim_leading_zeros = true}).second.size() == 0);
  const EinsumPath path = einsum_path("ij,jk,k->i", {zeros({9, 8}), zeros({8, 7}), zeros({7})});
  CHECK(path.steps == EinsumSteps{{1, 2}, {0, 1}});
  CHECK(holds(path.text, "(1, 2)"));
  CHECK(jit([](Array v) { return gcd(v, 4); })(array({8, 6})).to_vector<int>() ==
        std::vector<int>{4, 2});
  CHECK(vmap(weft::inner)(m23(), m23()).shape() == Shape{2});
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/numpy/index_test.cpp: indexing out of range, under vmap and grad, and its errors.
#include "support/check.h"
#include "weft/weft.h"

using namespace weft;
using weft::test::error_of;

namespace {

bool equals(const Array& got, const Array& want) {
  INFO("got " << to_string(got.type()) << ", wanted " << to_string(want.type()));
  return got.dtype() == want.dtype() && got.shape() == want.shape() &&
         static_cast<bool>(array_equal(got, want, is_inexact(got.dtype())));
}
using Catch::Matchers::Contains;

const Array& table() {
  static const Array t = array({{1., 2., 3.}, {4., 5., 6.}, {7., 8., 9.}, {10., 11., 12.}});
  return t;
}

}  // namespace

TEST_CASE("a constant index out of range is an error that names file and line") {
  const Array& x = table();
  CHECK_THAT(
      error_of<IndexError>([&] { x[4]; }),
      Contains("index 4 is out of bounds for axis 0 with size 4") && Contains("index_test.cpp:"));
  CHECK_THAT(error_of<IndexError>([&] { x[{0, -4}]; }),
             Contains("index -4 is out of bounds for axis 1 with size 3"));
  CHECK_THAT(error_of<IndexError>([&] { x[{0, 1, 2}]; }),
             Contains("too many indices for array: array is 2-dimensional, but 3 were indexed"));
  CHECK_THAT(error_of<IndexError>([&] { x[{ellipsis, ellipsis}]; }), Contains("single ellipsis"));
  CHECK_THAT(error_of<IndexError>([&] { x[slice(0, 3, 0)]; }), Contains("step cannot be zero"));
  CHECK_THAT(error_of<IndexError>([&] { x[array({1.5})]; }),
             Contains("must be of integer or bool type") && Contains("f32[1]"));
  CHECK_THAT(error_of<IndexError>([&] { x[array({true, false})]; }),
             Contains("does not match axis 0"));
  CHECK_THAT(error_of<IndexError>([&] { x.at(0).set(1., {.mode = "sideways"}); }),
             Contains("not \"sideways\""));
  CHECK_THAT(error_of<IndexError>([&] { x.at(array({9})).get({.mode = "check"}); }),
             Contains("index 9 is out of bounds"));
}

TEST_CASE("reads out of range clamp, writes drop, modes say otherwise") {
  const Array v = arange(4.);
  const Array far = array({9, -9, -1});
  CHECK(equals(v[far], array({3., 0., 3.})));
  CHECK(equals(v.at(far).get({.mode = "wrap"}), array({1., 3., 3.})));
  CHECK(equals(v.at(far).get({.mode = "fill"}), array({NAN, NAN, 3.})));
  CHECK(equals(arange(4).at(far).get({.mode = "fill"}), array({INT32_MIN, INT32_MIN, 3})));
  CHECK(equals(v.at(far).set(7.), array({0., 1., 2., 7.})));
  // With a mode, constant indices may be out of range, too.
  CHECK(equals(v.at(9).get({.mode = "fill", .fill_value = -1.}), array(-1.)));
  CHECK(equals(v.at(9).get({.mode = "clip"}), array(3.)));
  CHECK(equals(v.at(9).set(7., {.mode = "drop"}), v));
  CHECK(equals(v.at(-9).add(7., {.mode = "clip"}), array({7., 1., 2., 3.})));
  const Array rows = stack({v, v + 10.});
  CHECK(equals(rows.at({slice(), 7}).get({.mode = "clip"}), array({3., 13.})));
  CHECK(equals(rows.at({5, slice(0, 2)}).get({.mode = "fill", .fill_value = 0.}), zeros({2})));
  CHECK(equals(v.at(far).set(7., {.mode = "clip"}), array({7., 1., 2., 7.})));
  CHECK(equals(v.at(array({1, 1})).set(array({5., 6.})),
               array({0., 6., 2., 3.})));  // the last update stays
  // A window that is only partly inside is dropped completely.
  CHECK(equals(lax::scatter(v, array({{3}}), array({{8., 9.}}), {{1}, {}, {0}}), v));
  CHECK(equals(lax::dynamic_slice(v, {3}, {2}), array({2., 3.})));
  CHECK(equals(lax::dynamic_slice(v, {-3}, {2}), array({1., 2.})));
  CHECK(equals(lax::dynamic_update_slice(v, array({8., 9.}), {5}), array({0., 1., 8., 9.})));
}

TEST_CASE("a mask of the whole array and one value need no known mask") {
  const Array x = arange(4.);
  const auto f = [](const Array& y) { return y.at(y > 1.).set(0.); };
  CHECK(equals(f(x), array({0., 1., 0., 0.})));
  CHECK(equals(vmap(f)(stack({x, -x})), array({{0., 1., 0., 0.}, {0., -1., -2., -3.}})));
  CHECK_THAT(error_of<ConcretizationError>(
                 [&] { vmap([](const Array& y) { return y[y > 1.]; })(stack({x, x})); }),
             Contains("must be known"));
}

TEST_CASE("lanes index for themselves, whatever is mapped") {
  const Array& x = table();
  const Array i = array({2, 0, -1, 9});
  const Array wanted = stack({x[2], x[0], x[3], x[3]});
  const auto row = [](const Array& y, const Array& k) { return y[k]; };
  CHECK(equals(vmap(row, {none, 0})(x, i), wanted));
  CHECK(equals(vmap(row, {0, 0})(stack({x, x, x, x}), i), wanted));
  CHECK(equals(vmap(row, {0, none})(stack({x, -x}), Array(1)), stack({x[1], -x[1]})));
  CHECK(equals(vmap(row, {1, none})(x, Array(1)), x[1]));
  const auto put = [](const Array& y, const Array& k, const Array& u) { return y.at(k).add(u); };
  const Array v = arange(3.);
  CHECK(equals(vmap(put, {none, 0, none})(v, array({0, 5, -1}), Array(1.)),
               array({{1., 1., 2.}, {0., 1., 2.}, {0., 1., 3.}})));
  CHECK(equals(vmap(put, {none, none, 0})(v, Array(1), array({1., 2.})),
               array({{0., 2., 2.}, {0., 3., 2.}})));
  const auto window = [](const Array& y, const Array& k) {
    return lax::dynamic_update_slice(y, lax::dynamic_slice(y, {k}, {2}) * 10., {k});
  };
  CHECK(equals(vmap(window, {none, 0})(v, array({0, 2})), array({{0., 10., 2.}, {0., 10., 20.}})));
  // One map is over the tables, and one is over the indices.
  const auto nested = vmap(vmap(row, {none, 0}), {0, 0});
  const Array both = nested(stack({x, -x}), array({{0, 1}, {2, 3}}));
  CHECK(equals(both, stack({stack({x[0], x[1]}), stack({-x[2], -x[3]})})));
}

TEST_CASE("indexing has derivatives") {
  const Array& x = table();
  const Array i = array({1, 1, 3, 9});
  // Each read of a row counts. The read out of range was of row 3.
  CHECK(equals(grad([&](const Array& y) { return y[i].sum(); })(x),
               broadcast_to(array({{0.}, {2.}, {0.}, {2.}}), {4, 3})));
  CHECK(equals(grad([&](const Array& y) {
                 return y.at(i).get({.mode = "fill", .fill_value = 0.}).sum();
               })(x),
               broadcast_to(array({{0.}, {2.}, {0.}, {1.}}), {4, 3})));
  // An overwritten element has no derivative. If two updates write an element, only the last one
  // has a derivative.
  const Array u = array({1., 2., 3.});
  const Array at = array({0, 2, 0});
  const auto f = [&](const Array& y, const Array& w) {
    return (y.at(at).set(w) * array({1., 10., 100., 1000.})).sum();
  };
  const auto [dy, dw] = grad<0, 1>(f)(arange(4.), u);
  CHECK(equals(dy, array({0., 10., 0., 1000.})));
  CHECK(equals(dw, array({0., 100., 1.})));
  CHECK(equals(grad([&](const Array& y) { return sort(y)[0] * 5.; })(array({3., 1., 2.})),
               array({0., 5., 0.})));
  CHECK(equals(grad([&](const Array& y) { return top_k(y, 2).first[1]; })(array({3., 1., 2.})),
               array({0., 0., 1.})));
  CHECK(equals(grad([&](const Array& w) { return arange(3.).at(array({1, 1})).max(w).sum(); })(
                   array({5., 5.})),
               array({0.5, 0.5})));
}

TEST_CASE("digitize takes edges that ascend or descend, with the side that NumPy takes") {
  const Array x = array({0.5, 1., 2., 2.5, 3., 4.});
  const auto bins = [&](const Array& edges, bool right) {
    return digitize(x, edges, right).to_vector<int>();
  };
  const Array up = array({1., 2., 3.}), down = array({3., 2., 1.});
  CHECK(bins(up, false) == std::vector{0, 1, 2, 2, 3, 3});
  CHECK(bins(up, true) == std::vector{0, 0, 1, 2, 2, 3});
  CHECK(bins(down, false) == std::vector{3, 2, 1, 1, 0, 0});
  CHECK(bins(down, true) == std::vector{3, 3, 2, 1, 1, 0});
}

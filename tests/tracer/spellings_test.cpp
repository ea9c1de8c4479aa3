// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/tracer/spellings_test.cpp: forms that newcomers write have the meaning that they suggest.
#include <array>
#include <complex>

#include "support/check.h"

using namespace weft;
using namespace weft::test;

TEST_CASE("arrays from rows, std::array, C arrays, spans and pointers") {
  const float c[] = {1, 2, 3};
  const Array want = array({1., 2., 3.});
  CHECK(bool(array_equal(array(c), want)));
  CHECK(bool(array_equal(array(std::span(c)), want)));
  CHECK(bool(array_equal(array(std::array<float, 3>{1, 2, 3}), want)));
  CHECK(bool(array_equal(array(&c[0], {3, 1}), want.reshape(3, 1))));
  const Array rows = array(std::vector<std::vector<double>>{{1, 2, 3}, {4, 5, 6}});
  CHECK(rows.shape() == Shape{2, 3});
  CHECK(rows.dtype() == F64);
  CHECK(rows.to_vector<int>() == std::vector{1, 2, 3, 4, 5, 6});
  const std::vector<std::array<int, 2>> mixed = {{1, 2}, {3, 4}, {5, 6}};
  CHECK(array(mixed).shape() == Shape{3, 2});
  CHECK(array(mixed).dtype() == I32);
  CHECK_THROWS_WITH(
      array(std::vector<std::vector<float>>{{1, 2}, {3}}),
      Catch::Contains("rows must have one length") && Catch::Contains("spellings_test.cpp"));
}

TEST_CASE("vectors, std::array and spans take a dtype, as numbers in braces do") {
  const std::vector<double> v{1.5, 2.5};
  const std::span<const double> s(v);
  const Array want = array({1.5, 2.5});
  const auto same = [](const Array& x, const Array& y) {
    return x.dtype() == y.dtype() && x.shape() == y.shape() && bool(array_equal(x, y));
  };
  CHECK(same(array(v, F32), want));
  CHECK(same(array(v, none), array({1.5, 2.5}, F64)));
  CHECK(same(array(v, {2, 1}, F32), want.reshape(2, 1)));
  CHECK(same(array(std::vector<std::vector<double>>{{1.5}, {2.5}}, F32), want.reshape(2, 1)));
  CHECK(same(array(std::array<double, 2>{1.5, 2.5}, F32), want));
  CHECK(same(array(std::array<double, 2>{1.5, 2.5}, {2, 1}, F32), want.reshape(2, 1)));
  CHECK(same(array(s, F32), want));
  CHECK(same(array(s, {1, 2}, F32), want.reshape(1, 2)));
  CHECK(same(array(std::span<const double, 2>(v.data(), 2), {1, 2}, F32), want.reshape(1, 2)));
  CHECK(same(array(v.data(), {2}, F32), want));
  CHECK(same(array(v, {.dtype = F32, .ndmin = 2}), want.reshape(1, 2)));
  const double c[] = {1.5, 2.5};
  CHECK(same(array(c, F32), want));
  CHECK(same(array(std::vector<bool>{true, false}, I32), array({1, 0})));
  CHECK(same(array(std::vector<int>{1, 0}, Bool), array({true, false})));

  CHECK(same(asarray(v), array(v)));
  CHECK(same(asarray(v, F32), want));
  CHECK(same(asarray(std::vector<std::vector<double>>{{1.5, 2.5}}, F32), want.reshape(1, 2)));
  CHECK(same(asarray({1.5, 2.5}), want));
  CHECK(asarray(2.).ndim() == 0);

  // A value that does not fit the dtype is an error, as it is in braces.
  const std::vector<int64_t> big{1, int64_t{1} << 40};
  check_error<DTypeError>([&] { array(big, I32); }, "the integer 1099511627776 does not fit I32");
  CHECK(array(big, F64).to_vector<double>()[1] == 1099511627776.);
  CHECK(array(std::vector<uint64_t>{~uint64_t{0}}, F32).item<float>() == 18446744073709551616.f);
  check_error<DTypeError>([&] { array(std::vector<uint64_t>{~uint64_t{0}}, I64); },
                          "give the dtype");
  check_error<DTypeError>([] { array(std::vector<std::complex<float>>{{1, 2}}, F32); },
                          "a complex number does not fit f32");
  check_error<DTypeError>([] { array(std::vector<uint32_t>{1}, DType::Key); }, "random::key");
}

TEST_CASE("numbers in braces have the default types, those of C arrays their own") {
  CHECK(array({1., 2.}).dtype() == F32);
  CHECK(array({1.}).dtype() == F32);
  CHECK(array({{1., 2.}, {3., 4.}}).dtype() == F32);
  CHECK(array({int64_t{1}, int64_t{2}}).dtype() == I32);
  CHECK(array({true, false}).dtype() == Bool);
  const double c[] = {1, 2};
  int64_t changing[] = {1, 2};
  CHECK(array(c).dtype() == F64);
  CHECK(array(changing).dtype() == I64);
}

TEST_CASE("a size or a list of sizes is a shape") {
  CHECK(zeros(3).shape() == Shape{3});
  CHECK(ones(std::vector<int>{2, 3}).shape() == Shape{2, 3});
  CHECK(zeros({4}).reshape(2, -1).shape() == Shape{2, 2});
}

TEST_CASE("slices and new axes as Python has them") {
  const Array x = arange(5);
  CHECK(x[slice(2)].to_vector<int>() == std::vector{0, 1});
  CHECK(x[slice(2, none)].to_vector<int>() == std::vector{2, 3, 4});
  CHECK(x[slice()].shape() == Shape{5});
  CHECK(x[{none, slice(2)}].shape() == Shape{1, 2});
  CHECK(x[slice(Array(1), array({3})[0])].to_vector<int>() == std::vector{1, 2});
  CHECK_THROWS_AS(x[slice(array({1, 2}), 3)], IndexError);
  const auto f = jit([](Array y, Array i) { return y[slice(i, i + 2)]; });
  CHECK_THROWS_WITH(f(x, 1), Catch::Contains("lax::dynamic_slice_in_dim(x, i, n, axis)"));
}

TEST_CASE("none is an optional without a value, wherever one stands") {
  struct Maybe {
    Array x;
    std::optional<Array> y;
  };
  const Array x = array({1., 2.});
  std::optional<Array> o = none;
  CHECK(!o);
  o = x;
  o = none;
  CHECK(!o);
  const std::optional<int> direct(none);
  CHECK(!direct);
  // If the value type can hold none itself, none becomes that value.
  const std::optional<Axes> axes = none;
  CHECK((axes && to_string(*axes) == "none"));

  const auto add = [](Array a, std::optional<Array> b) { return b ? a + *b : a; };
  CHECK(floats(jit(add)(x, none)) == Floats{1, 2});
  CHECK(floats(jit(add)(x, x)) == Floats{2, 4});
  CHECK(floats(vmap(add)(x, none)) == Floats{1, 2});
  CHECK(floats(vmap(add, {0, none})(x, none)) == Floats{1, 2});
  CHECK(floats(jit(add).lower(x, none).compile()(x, none)) == Floats{1, 2});
  CHECK(floats(cond(true, add, add, x, none)) == Floats{1, 2});
  CHECK(floats(vjp(add, x, none).first) == Floats{1, 2});
  const Maybe s{x, none};
  CHECK(floats(jit([](Maybe m) { return m.y ? *m.y : m.x; })(s)) == Floats{1, 2});
  CHECK(floats(jit([](Maybe m) { return m.y ? *m.y : m.x; })({x, none})) == Floats{1, 2});
  const std::vector<std::optional<Array>> list{none, x};
  CHECK((!list[0] && list[1]));

  CHECK(eye(2, none, 1, I32).to_vector<int>() == std::vector<int>{0, 1, 0, 0});
  CHECK(floats(sum(x, none, {.dtype = none, .where = none, .initial = none})) == Floats{3});
  const auto step = [](Array c, Array y) { return std::pair{c + y, c}; };
  CHECK(floats(scan(step, Array(0.), x, {.length = none}).first) == Floats{3});
}

TEST_CASE("the keys of random::split unpack") {
  const Array key = random::key(3);
  const auto [a, b] = random::split(key);
  const Array both = random::split(key);
  const auto data = [](const Array& k) { return random::key_data(k).to_vector<uint32_t>(); };
  CHECK(data(a) == data(both[0]));
  CHECK(data(b) == data(random::split(key, 2)[1]));
  const auto draw = [](auto k) { return random::uniform(k, {2}, -1., 1.); };
  CHECK(vmap(draw)(random::split(key)).shape() == Shape{2, 2});
  CHECK(bool((random::uniform(key, {100}, -1., 1.) < 0).any()));
}

TEST_CASE("numbers out of arrays, complex numbers into them") {
  CHECK(float(array({1.5, 2.}).sum()) == 3.5f);
  CHECK(int(Array(3)) == 3);
  CHECK_THROWS_AS(float(ones({2})), ShapeError);
  using namespace std::complex_literals;
  const Array z = array({1., 2.}) * 2i;
  CHECK(z.dtype() == C64);
  CHECK(z.to_vector<std::complex<float>>()[1] == std::complex<float>(0, 4));
  CHECK((array({1.}, F64) * 0.5i).dtype() == C128);
  // No float has exactly this value.
  const Array tenth = array({1.}, F64) * std::complex<double>(0.1, 0);
  CHECK(tenth.to_vector<std::complex<double>>()[0] == std::complex<double>(0.1, 0));
}

TEST_CASE("options without an axis") {
  const Array x = ones({2, 3});
  CHECK(x.sum({.keepdims = true}).shape() == Shape{1, 1});
  CHECK(mean(x, {.dtype = F64}).dtype() == F64);
  CHECK(x.max({.keepdims = true}).shape() == Shape{1, 1});
  CHECK(x.sum({0}).shape() == Shape{3});
}

TEST_CASE("a program is called with its arguments") {
  const ClosedJaxpr p =
      make_jaxpr([](Array x, Array y) { return std::tuple{x + y, x * y}; })(2., 3.);
  const Arrays out = p(2., 5.);
  CHECK(out.size() == 2);
  CHECK(float(out[1]) == 10);
}

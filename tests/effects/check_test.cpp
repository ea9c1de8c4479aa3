// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/effects/check_test.cpp: checks by `check`: which failure is reported, at which time, and
// with which lane and values. Indices of mode "check" are tested too.
#include <fmt/format.h>

#include "effects/printed.h"

using namespace weft;
using namespace weft::test;

namespace {

// Returns the text of the failure without the place of the call, which the text must contain.
template <class F>
std::string failure(F&& f) {
  std::string text = error_of<CheckError>(std::forward<F>(f));
  const size_t at = text.find(" (at check_test.cpp:");
  if (text != "no error") CHECK(at != std::string::npos);
  return text.substr(0, at);
}
constexpr int line_of_positive = __LINE__ + 2;
Array sure_root(Array x) {
  check(x > 0., "x must be positive, got {}", x);
  return sqrt(x);
}

}  // namespace

TEST_CASE("check raises at once where nothing is compiled or mapped", "[effects]") {
  CHECK(failure([] { sure_root(1.); }) == "no error");
  CHECK(error_of<CheckError>([] { sure_root(-1.); }) ==
        fmt::format("check failed: x must be positive, got -1.0 (at check_test.cpp:{})",
                    line_of_positive));
  CHECK(failure([] { check(false, "no"); }) == "check failed: no");
  CHECK(failure([] { check(array({1, 2}) < 2, "too large: {}", array({1, 2})); }) ==
        "check failed: too large: [1 2]; element [1] is the first that fails");
  CHECK(failure([] { check(array({{1, 2}, {3, 0}}) > 0, "no"); }) ==
        "check failed: no; element [1, 1] is the first that fails");
  check_error<DTypeError>([] { check(3, "no"); }, "check: the predicate must be a bool");
}

TEST_CASE("check raises after the run", "[effects]") {
  int calls = 0;
  const auto f = jit([&](Array x) {
    const Array y = sure_root(x);
    io_callback([&calls](Array) { ++calls; }, none, y);
    return y;
  });
  CHECK(failure([&] { f(-1.); }) == "check failed: x must be positive, got -1.0");
  CHECK(calls == 1);  // it ran to its end
  CHECK(f(4.).item<float>() == 2);
  CHECK(failure([&] { grad(sure_root)(-2.); }) == "check failed: x must be positive, got -2.0");
  CHECK(failure([&] { jit(grad(sure_root))(-2.); }) ==
        "check failed: x must be positive, got -2.0");
}

TEST_CASE("check names the lane", "[effects]") {
  const Array x = array({1., 2., -3., -4.});
  const std::string lane = "check failed in lane 2 of 4: x must be positive, got -3.0";
  CHECK(failure([&] { vmap(sure_root)(x); }) == lane);
  CHECK(failure([&] { jit([](Array v) { return vmap(sure_root)(v); })(x); }) == lane);
  CHECK(failure([&] { vmap(jit(sure_root))(x); }) == lane);
  const std::string named = "check failed in lane 2 of axis 'i': x must be positive, got -3.0";
  CHECK(failure([&] { vmap(sure_root, 0, 0, {.axis_name = "i"})(x); }) == named);
  // A chunk reports the lane's number in the whole map.
  for (int64_t chunk : {1, 2, 3}) {
    INFO("chunks of " << chunk);
    CHECK(failure([&] { vmap(sure_root, 0, 0, {.axis_name = "i", .chunk_size = chunk})(x); }) ==
          named);
    CHECK(failure([&] {
            jit([=](Array v) {
              return vmap(sure_root, 0, 0, {.axis_name = "i", .chunk_size = chunk})(v);
            })(x);
          }) == named);
  }
  const Array y = array({{1., 2.}, {3., -4.}, {-5., 6.}});
  const auto nested = vmap(vmap(sure_root), 0, 0, {.axis_name = "i"});
  CHECK(failure([&] { nested(y); }) ==
        "check failed in lane 1 of axis 'i', lane 1 of 2: x must be positive, got -4.0");
  const auto turned = vmap(vmap(sure_root), 1, 0, {.axis_name = "i"});
  CHECK(failure([&] { turned(y); }) ==
        "check failed in lane 0 of axis 'i', lane 2 of 3: x must be positive, got -5.0");
}

TEST_CASE("the first failure of the first lane is reported", "[effects]") {
  const auto f = [](Array x) {
    return fori_loop(
        0, 4,
        [&](Array i, Array c) {
          check(c < x, "step {} with {}", i, c);
          return c + 1.;
        },
        Array(0.f));
  };
  // Lane 1 fails at the first step already, lane 0 at the third.
  CHECK(failure([&] { jit(vmap(f))(array({2., 0.})); }) ==
        "check failed in lane 0 of 2: step 2 with 2.0");
  CHECK(failure([&] { jit(f)(1.); }) == "check failed: step 1 with 1.0");
}

TEST_CASE("check does not name columns of a Jacobian as lanes", "[effects]") {
  const auto f = vmap([](Array a) {
    check(a < 0.5, "first {}", a);
    scan(
        [a](Array c, Array row) {
          check(a < 0.5, "second {}", a);
          return std::pair{c, row};
        },
        zeros({}), ones({2}));
    return a;
  });
  const Array x = array({0., 1.});
  const std::string first = "check failed in lane 1 of 2: first 1.0";
  CHECK(failure([&] { f(x); }) == first);
  CHECK(failure([&] { jacfwd(f)(x); }) == first);
  CHECK(failure([&] { jit(jacfwd(f))(x); }) == first);
  CHECK(failure([&] { jit(jacrev(f))(x); }) == first);
}

TEST_CASE("lanes that do not run check nothing", "[effects]") {
  const auto root = [](Array x) {
    return cond(x > 0., sure_root, [](Array v) { return v * 0.; }, x);
  };
  CHECK(floats(vmap(root)(array({4., -1.}))) == Floats{2, 0});
  CHECK(floats(jit(vmap(root))(array({4., -1.}))) == Floats{2, 0});
  const auto halved = [](Array x) {
    return while_loop([](Array v) { return v > 1.; },
                      [](Array v) {
                        check(v > 1., "{} is done", v);
                        return v / 2.;
                      },
                      x);
  };
  CHECK(floats(jit(vmap(halved))(array({4., 0.5, 3.}))) == Floats{1, 0.5, 0.75});
}

TEST_CASE("mode \"check\" of computed indices", "[effects]") {
  const Array x = array({1., 2., 3.});
  const auto get = [](Array v, Array i) { return v.at(i).get({.mode = "check"}); };
  CHECK(jit(get)(x, Array(2)).item<float>() == 3);
  CHECK(jit(get)(x, Array(-3)).item<float>() == 1);
  const std::string far = "mode \"check\": index 3 is out of bounds for axis 0 with size 3";
  CHECK(failure([&] { jit(get)(x, Array(3)); }) == "check failed: " + far);
  CHECK(failure([&] { vmap(get, {none, 0})(x, array({0, 3})); }) ==
        "check failed in lane 1 of 2: " + far);
  CHECK(floats(vmap(get, {none, 0})(x, array({0, -1}))) == Floats{1, 3});
  CHECK(failure([&] { jit(get)(x, array({0, -4})); }) ==
        "check failed: mode \"check\": index [ 0 -4] is out of bounds for axis 0 with size 3; "
        "element [1] is the first that fails");
  const auto set = [](Array v, Array i) { return v.at(i).set(9., {.mode = "check"}); };
  CHECK(floats(jit(set)(x, Array(1))) == Floats{1, 9, 3});
  CHECK(failure([&] { jit(set)(x, Array(3)); }) == "check failed: " + far);
  const auto taken = [](Array v, Array i) { return take(v, i, 0, {.mode = "check"}); };
  CHECK(floats(taken(x, array({2, -1}))) == Floats{3, 3});
  CHECK(failure([&] { taken(x, Array(3)); }) == "take: check failed: " + far);
  CHECK(failure([&] { jit(taken)(x, Array(3)); }) == "check failed: " + far);
  CHECK(failure([&] {
          jit([](Array v, Array i) { return take_along_axis(v, i, 0, {.mode = "check"}); })(
              x, array({0, 1, 3}));
        }) ==
        "check failed: mode \"check\": index [0 1 3] is out of bounds for axis 0 with size 3; "
        "element [2] is the first that fails");
  // Indices may have small and unsigned dtypes.
  CHECK(failure([&] { jit(get)(x, full({}, 200, U8)); }) ==
        "check failed: mode \"check\": index 200 is out of bounds for axis 0 with size 3");
  CHECK(jit(get)(arange(300.), full({}, -100, I8)).item<float>() == 200);
}

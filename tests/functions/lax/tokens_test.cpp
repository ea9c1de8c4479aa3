// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/lax/tokens_test.cpp: tokens. psend and precv are ppermute in two steps.
#include "support/check.h"
#include "weft/weft.h"

using namespace weft;
using namespace weft::test;

namespace {

const LanePairs part = {{0, 1}, {2, 0}};
template <class F>
auto over_lanes(F f) {
  return vmap(f, 0, 0, {.axis_name = "i"});
}
Array in_two_steps(Array x) {
  return lax::precv(lax::psend(x, "i", part), {x.shape(), x.dtype()}, "i", part);
}

}  // namespace

TEST_CASE("psend and precv are ppermute", "[collective]") {
  const Array x = arange(6.).reshape({3, 2});
  const auto at_once = over_lanes([](Array x) { return ppermute(x, "i", part); });
  const auto split = over_lanes(in_two_steps);
  CHECK(floats(split(x)) == floats(at_once(x)));
  CHECK(floats(jit(split)(x)) == Floats{4, 5, 0, 1, 0, 0});
  const auto slope = [&](const auto& f) {
    return floats(grad([&](Array x) { return (f(x) * x).sum(); })(x));
  };
  CHECK(slope(split) == slope(at_once));
}

TEST_CASE("a token is a tree that may be carried", "[collective]") {
  const auto f = [](Array x) {
    const auto step = [](Array, lax::Token sent) {
      const Array got = lax::precv(sent, {{}, F32}, "i", part);
      return lax::psend(got + 1, "i", part);
    };
    return lax::precv(fori_loop(0, 3, step, lax::psend(x, "i", part)), {{}, F32}, "i", part);
  };
  CHECK(floats(over_lanes(f)(array({10., 20., 30.}))) ==
        floats(jit(over_lanes(f))(array({10., 20., 30.}))));
  const auto by_hand = [](Array x) {
    Array y = ppermute(x, "i", part);
    for (int k = 0; k < 3; ++k) y = ppermute(y + 1, "i", part);
    return y;
  };
  CHECK(floats(over_lanes(f)(array({10., 20., 30.}))) ==
        floats(over_lanes(by_hand)(array({10., 20., 30.}))));
}

TEST_CASE("after_all holds what each of its tokens does", "[collective]") {
  const LanePairs back = {{1, 0}};
  const auto f = [&](Array x) {
    const auto all = lax::after_all(lax::create_token(), lax::psend(x, "i", part),
                                    lax::psend(x.astype(I32), "i", part), lax::psend(x, "i", back));
    return std::tuple{lax::precv(all, {{}, F32}, "i", back), lax::precv(all, {{}, I32}, "i", part)};
  };
  const auto [floats_back, ints] = over_lanes(f)(array({1.5, 2.5, 3.5}));
  CHECK(floats(floats_back) == Floats{2.5, 0, 0});
  CHECK(ints.to_vector<int>() == std::vector<int>{3, 1, 0});
}

TEST_CASE("an error of precv without psend names what was sent", "[collective]") {
  const auto from = [](const lax::Token& t, const ShapeDtypeStruct& s) {
    return over_lanes([&](Array) { return lax::precv(t, s, "i", part); })(ones({3}));
  };
  check_error<ShapeError>([&] { from(lax::create_token(), {{2}, F32}); },
                          "precv: no psend behind the token has sent f32[2] over 'i': 0 to 1, 2 to "
                          "0; nothing was sent");
  check_error<ShapeError>(
      [] {
        over_lanes([](Array x) {
          return lax::precv(lax::psend(x, "i", {{0, 1}}), {{}, F32}, "i", part);
        })(ones({3}));
      },
      "sent was f32[] over 'i': 0 to 1");
  check_error<AxisNameError>([] { lax::psend(ones({3}), "i", part); }, "unbound axis name 'i'");
  check_error<AxisNameError>([] { lax::precv({}, {{}, F32}, "i", part); }, "unbound axis name 'i'");
  check_error<IndexError>(
      [] { over_lanes([](Array x) { return lax::psend(x, "i", {{0, 7}}).sent[0]; })(ones({3})); },
      "psend: the pair {0, 7} names lane 7");
}

TEST_CASE("pvary and pcast change nothing and check names", "[collective]") {
  const auto f = [](Array x) {
    return std::pair{lax::pvary(std::pair{x, 2 * x}, "i"), lax::pcast(x, "i", "varying")};
  };
  const auto [both, same] = over_lanes(f)(array({1., 2.}));
  CHECK(floats(both.second) == Floats{2, 4});
  CHECK(floats(same) == Floats{1, 2});
  check_error<AxisNameError>([] { pvary(ones({2}), "i"); }, "unbound axis name 'i'");
  check_error<AxisNameError>(
      [] { over_lanes([](Array x) { return pvary(x, {"i", "i"}); })(ones({2})); },
      "pvary: axis 'i' is named twice");
  check_error<IndexError>(
      [] { over_lanes([](Array x) { return pcast(x, "i", "unreduced"); })(ones({2})); },
      "`to` must be \"varying\", got \"unreduced\"");
}

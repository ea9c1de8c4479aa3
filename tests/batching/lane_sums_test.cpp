// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/batching/lane_sums_test.cpp: sums over lanes in every dtype. A value that all lanes share
// is summed like one value per lane, integers wrap, and means equal those of mean.
#include <complex>

#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {

constexpr int64_t lanes = 300;

template <class F>
Array over(F f, const Array& xs, bool jitted = false) {
  const auto mapped = vmap(f, 0, none, {.axis_name = "i"});
  return jitted ? jit(mapped)(xs) : mapped(xs);
}
bool same(const Array& a, const Array& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && all(a == b).item<bool>();
}
const std::vector<DType>& integers() {
  static const std::vector<DType> all = {I8, I16, I32, I64, U8, U16, U32, U64};
  return all;
}
// Returns the smallest and the largest value of the dtype, and some between them.
std::vector<Array> values(DType d) {
  const Array top = full({}, -1, I64).astype(d);
  std::vector<Array> r = {full({}, 3, d), full({}, 100, d), top};
  const int bits = static_cast<int>(8 * itemsize(d));
  const Array high = left_shift(full({}, 1, U64), full({}, bits - 1, U64)).astype(d);
  r.push_back(high);
  r.push_back(high - full({}, 1, d));
  return r;
}

}  // namespace

TEST_CASE("small integers that lanes share are summed as those that they have", "[collective]") {
  const Array c = array(std::vector<uint8_t>{3})[0], all = zeros({300});
  CHECK(over([&](Array) { return psum(c, "i"); }, all).item<int>() == 132);
  CHECK(over([](Array v) { return psum(v, "i"); }, full({300}, 3, U8)).item<int>() == 132);
  CHECK(over([](Array v) { return pmean(v, "i"); }, full({4}, 200, U8)).item<float>() == 200);
}

TEST_CASE("sums over lanes wrap in every integer type, shared or not", "[collective]") {
  for (const DType d : integers())
    for (const Array& v : values(d)) {
      INFO(short_name(d) << " " << v);
      const Array xs = broadcast_to(v, {lanes}), want = sum(xs, none, {.dtype = d});
      const auto each = [](Array x) { return psum(x, "i"); };
      const auto shared = [&](Array) { return psum(v, "i"); };
      for (bool jitted : {false, true}) {
        CHECK(same(over(each, xs, jitted), want));
        CHECK(same(over(shared, xs, jitted), want));
      }
      // The value is a scalar in the carry of a loop, and it is summed through two maps.
      CHECK(same(over(
                     [&](Array) {
                       return fori_loop(0, 1, [](Array, Array c) { return psum(c, "i"); }, v);
                     },
                     xs),
                 want));
      const auto two =
          vmap(vmap([&](Array) { return psum(v, {"i", "j"}); }, 0, none, {.axis_name = "j"}), 0,
               none, {.axis_name = "i"});
      CHECK(same(two(zeros({30, 10})), want));
      // These sum in groups, and one entry of each lane's operand.
      const auto grouped = [&](Array x) {
        return psum(x, "i", {.axis_index_groups = {{0, 2, 1}, {3}}});
      };
      CHECK(same(vmap(grouped, 0, 0, {.axis_name = "i"})(xs[Slice(0, 4)])[0],
                 sum(xs[Slice(0, 3)], none, {.dtype = d})));
      const auto scattered = [&](Array x) { return psum_scatter(broadcast_to(x, {lanes}), "i"); };
      CHECK(same(vmap(scattered, 0, 0, {.axis_name = "i"})(xs), broadcast_to(want, {lanes})));
      CHECK(same(vmap([&](Array) { return psum_scatter(broadcast_to(v, {lanes}), "i"); }, 0, 0,
                      {.axis_name = "i"})(xs),
                 broadcast_to(want, {lanes})));
      CHECK(same(over([&](Array x) { return psum(broadcast_to(x, {2}), {"i", 0}); }, xs),
                 sum(broadcast_to(v, {2 * lanes}), none, {.dtype = d})));
    }
}

TEST_CASE("means over lanes equal those of mean", "[collective]") {
  std::vector<DType> all = integers();
  all.insert(all.end(), {F16, BF16, F32, F64});
  for (const DType d : all)
    for (const Array& v : is_integer(d) ? values(d) : std::vector<Array>{full({}, 300, d)}) {
      INFO(short_name(d) << " " << v);
      const Array xs = broadcast_to(v, {lanes}), want = mean(xs);
      CHECK(same(over([](Array x) { return pmean(x, "i"); }, xs), want));
      CHECK(same(over([](Array x) { return pmean(x, "i"); }, xs, true), want));
      CHECK(over([&](Array) { return pmean(v, "i"); }, xs).dtype() == want.dtype());
      CHECK(abs(over([&](Array) { return pmean(v, "i"); }, xs) - want).item<double>() <=
            1e-6 * abs(want).item<double>());
      const auto in_pairs = [](Array x) {
        return pmean(x, "i", {.axis_index_groups = {{0, 2, 1}, {3}}});
      };
      CHECK(same(vmap(in_pairs, 0, 0, {.axis_name = "i"})(xs[Slice(0, 4)]),
                 broadcast_to(mean(xs[Slice(0, 3)]), {4})));
    }
}

TEST_CASE("narrow floats are summed over lanes in F32", "[collective]") {
  for (const DType d : {F16, BF16}) {
    INFO(short_name(d));
    const Array half = full({70000}, 0.5, d);
    CHECK(over([](Array v) { return pmean(v, "i"); }, half).item<float>() == 0.5F);
    const Array shared = full({}, 0.5, d);
    CHECK(over([&](Array) { return pmean(shared, "i"); }, half).item<float>() == 0.5F);
    CHECK(same(over([&](Array) { return psum(shared, "i"); }, half), full({}, 35000, d)));
    CHECK(same(over([](Array v) { return psum(v, "i"); }, half), full({}, 35000, d)));
    // The sums over two maps are 300 sums of 300 ones. Each of them is larger than the narrow
    // dtypes can count in steps of one.
    const auto both = [](auto f) {
      return vmap(vmap(f, 0, none, {.axis_name = "j"}), 0, none, {.axis_name = "i"});
    };
    const Array signs = where(arange(4) % 2 == 0, 40000., -40000.).astype(d);
    const Array grid = broadcast_to(signs.reshape({4, 1}), {4, 2});
    CHECK(both([](Array v) { return psum(v, {"i", "j"}); })(grid).item<float>() == 0);
    // Lanes that hold the same maximum share its derivative equally, however many they are.
    const auto top = [](Array v) {
      return vmap([](Array x) { return pmax(x, "i"); }, 0, none, {.axis_name = "i"})(v).astype(F32);
    };
    CHECK(grad(top)(full({1000}, 2, d))[0].item<float>() == full({}, 1. / 1000, d).item<float>());
  }
}

TEST_CASE("a number is summed once per lane", "[collective]") {
  const Array xs = zeros({3});
  CHECK(over([](Array) { return psum(Array(2), "i"); }, xs).item<int>() == 6);
  CHECK(over([](Array) { return psum(Array(1.5), "i"); }, xs).item<float>() == 4.5F);
  const auto complex = over([](Array) { return psum(Array(std::complex<float>(1, 2)), "i"); }, xs);
  CHECK(complex.item<std::complex<float>>() == std::complex<float>(3, 6));
}

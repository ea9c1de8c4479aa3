// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/fuse/stages_test.cpp: large reductions are distributed over threads. Their order
// depends only on the reduced extents.
#include "support/check.h"
#include "support/ill_conditioned_sum.h"
#include "tracer/eval_trace.h"
#include "weft/device/threads.h"

using namespace weft;
using namespace weft::test;

namespace {

constexpr int64_t many = int64_t{1} << 17;

std::string first_step(const std::string& report) {
  const size_t at = report.find("  0: ");
  return report.substr(at, report.find('\n', at) - at);
}
template <class F>
Floats with_threads(int n, F f) {
  const int before = num_threads();
  set_num_threads(n);
  Floats r = floats(f());
  set_num_threads(before);
  return r;
}

}  // namespace

TEST_CASE("stages give what one reduction gives", "[jit][stages]") {
  const std::vector<std::pair<std::vector<int64_t>, std::vector<int64_t>>> cases{
      {{many}, {0}},           {{many + 5}, {0}},          {{3, many + 63}, {1}},
      {{many + 1, 2}, {0}},    {{300, 512}, {0, 1}},       {{8, 20000}, {0, 1}},
      {{20000, 8}, {0, 1}},    {{3, 5, 10000}, {0, 1, 2}}, {{70, 3, 2000}, {0, 2}},
      {{2, 70, 2000}, {1, 2}}, {{50, 60, 50}, {0, 1, 2}}};
  for (const auto& [sizes, axes] : cases) {
    const Shape shape(sizes);
    const Array x =
        ((arange(static_cast<int>(shape.elements())) * 7919) % 1009 - 504).reshape(sizes);
    const AxisList over(axes);
    CAPTURE(sizes, axes);
    const auto sum = jit([&](Array a) { return a.sum(over); })(x).to_vector<int32_t>();
    const auto high = jit([&](Array a) { return a.max(over); })(x).to_vector<int32_t>();
    const auto low = jit([&](Array a) { return (a.astype(F32) * .5f).min(over); })(x);
    const ReferenceMode reference;
    CHECK(sum == x.sum(over).to_vector<int32_t>());
    CHECK(high == x.max(over).to_vector<int32_t>());
    CHECK(floats(low) == floats((x.astype(F32) * .5f).min(over)));
  }
}

TEST_CASE("a sum of many numbers is distributed over threads", "[jit][stages]") {
  const auto sum = jit([](Array x) { return (x * 2.f).sum(); });
  CHECK(first_step(sum.lower(ill_conditioned({2 * many + 64})).report()).find("grid [64]") !=
        std::string::npos);
  CHECK(first_step(sum.lower(ill_conditioned({512, 1024})).report()).find("grid [512]") !=
        std::string::npos);
  // A small reduction is one kernel.
  CHECK(sum.lower(ill_conditioned({1000})).report().find("steps: 1\n") != std::string::npos);
}

TEST_CASE("a sum has the same bits for any number of threads and lanes", "[jit][stages]") {
  const int64_t n = many + 77;
  const Array x = ill_conditioned({3, n});
  const auto rows = jit(vmap([](Array a) { return a.sum(); }));
  const Floats want = with_threads(1, [&] { return rows(x); });
  CHECK(with_threads(2, [&] { return rows(x); }) == want);
  const auto one = jit([](Array a) { return a.sum(); });
  for (int l = 0; l < 3; ++l) CHECK(floats(one(x[l]))[0] == want[static_cast<size_t>(l)]);
  // Along the other axis the lanes fill the vector register.
  const auto columns = jit([](Array a) { return a.sum(0); });
  CHECK(floats(columns(transpose(x) + 0.f)) == want);
}

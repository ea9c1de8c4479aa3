// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/donation_test.cpp: results and temporaries use the memory of donated arguments if they
// may, and no other arguments' memory.
#include <atomic>
#include <thread>

#include "support/donated.h"
#include "weft/buffer.h"

using namespace weft;
using namespace weft::test;

namespace {

const void* address(const Array& x) { return x.data<float>().data(); }

// Returns true if the result is in the memory of the argument, with the same numbers as without
// donation.
template <class F>
bool aliases(F f, int64_t n = 20000) {
  const Floats want = floats(jit(f)(some(n)));
  const Array x = some(n);
  const void* const at = address(x);
  const Array r = jit(f, first)(x);
  CHECK(floats(r) == want);
  check_error<DeviceError>([&] { floats(x); }, "donated to 'step'");
  return address(r) == at;
}

}  // namespace

TEST_CASE("a result lies over a donated argument", "[jit][donate]") {
  check_aliasing([](auto f) { return aliases(f); });
  // This step begins after the argument has been read.
  CHECK(aliases([](Array x) { return sort(sort(x) * 2); }));
}

TEST_CASE("a result does not lie over what is still read", "[jit][donate]") {
  CHECK_FALSE(aliases([](Array x) { return cumsum(x) + flip(x); }, 300));
  CHECK_FALSE(aliases([](Array x) { return x.reshape({100, 200}).T().ravel() + 1; }));
  CHECK_FALSE(aliases([](Array x) { return x[(arange(20000) * 7) % 20000] + 1; }));
}

TEST_CASE("memory() shows what lies in donated memory", "[jit][donate]") {
  const Array x = some(1 << 18);
  const auto f = [](Array v) { return sort(v * 2) + 1; };
  const auto plain = jit(f).lower(x).compile().memory();
  const auto given = jit(f, first).lower(x).compile().memory();
  CHECK(plain.aliased == 0);
  CHECK(given.aliased == x.size() * 4);
  CHECK(given.outputs == plain.outputs);
  CHECK(given.peak() < plain.peak());
  // A temporary uses the memory.
  const auto sums = [](Array v) { return sort(v * 2).sum() + sort(v + 1)[3]; };
  const auto a = jit(sums).lower(x).compile().memory(),
             b = jit(sums, first).lower(x).compile().memory();
  CHECK(b.aliased == 0);
  CHECK(b.temporaries < a.temporaries);
  CHECK(jit(sums, first)(some(1 << 18)).item<float>() == jit(sums)(x).item<float>());
  // The process needs no more memory than the report says.
  const auto step = jit(f, first).lower(x).compile();
  Array y = some(1 << 18);
  y = step(y);
  const int64_t before = memory_in_use();
  set_memory_limit(before + given.temporaries + (64 << 10));
  y = step(y);
  set_memory_limit(0);
  CHECK(memory_in_use() == before);
}

TEST_CASE("operands that are used twice are copied", "[jit][donate]") {
  const auto f = jit([](Array x, Array y) { return std::pair{x + 1, x * y + y}; }, first);
  const Array x = some(5000), want = x * x + x, more = x + 1;
  const auto [a, b] = f(x, x);
  CHECK(floats(a) == floats(more));
  CHECK(floats(b) == floats(jit([](Array v) { return v * v + v; })(some(5000))));
  check_error<DeviceError>([&] { floats(x); }, "donated to 'step'");
  const auto both =
      jit([](Array p, Array q) { return std::pair{p + 1, q + 2}; }, {.donate_argnums = {0, 1}});
  const Array y = some(5000);
  const auto [c, d] = both(y, y);
  CHECK(floats(c) == floats(some(5000) + 1));
  CHECK(floats(d) == floats(some(5000) + 2));
  // The argument is captured as well.
  const Array z = some(5000);
  const auto captures = jit([z](Array p) { return p + z; }, first);
  CHECK(floats(captures(z)) == floats(some(5000) + some(5000)));
  // An argument that is returned unchanged stays valid.
  const Array kept = some(5000);
  const auto [same, twice] = jit([](Array v) { return std::pair{v, v * 2}; }, first)(kept);
  CHECK(&same.node() == &kept.node());
  CHECK(floats(kept) == floats(some(5000)));
  CHECK(floats(twice) == floats(some(5000) * 2));
}

TEST_CASE("options and donation", "[jit][donate]") {
  for (const JitOptions& o :
       {JitOptions{.donate_argnums = {0}, .check_nans = true},
        JitOptions{.donate_argnums = {0}, .time_limit = 100},
        JitOptions{.donate_argnums = {0}, .device = "cpu", .keep_unused = true}}) {
    const Array x = some(4000);
    CHECK(floats(jit([](Array v) { return sqrt(v * v); }, o)(x)) ==
          floats(jit([](Array v) { return sqrt(v * v); })(some(4000))));
    check_error<DeviceError>([&] { floats(x); }, "donated to 'fn'");
  }
  // If the allocation fails, no argument is donated.
  const Array x = some(1 << 20);
  const auto wide = jit([](Array v) { return std::pair{v + 1, astype(v, F64)}; }, first);
  set_memory_limit(memory_in_use() + (1 << 20));
  check_error<OutOfMemoryError>([&] { wide(x); }, "the limit is");
  set_memory_limit(0);
  CHECK(floats(x)[0] == 0);
}

TEST_CASE("of two calls that donate the same array, one gets it", "[jit][donate]") {
  const auto f = jit([](Array x) { return x * 2 + 1; }, first);
  const Floats want = floats(f(some(30000)));
  for (int round = 0; round < 50; ++round) {
    const Array x = some(30000);
    std::atomic<int> got = 0, refused = 0, ready = 0;
    std::vector<std::thread> all;
    for (int t = 0; t < 3; ++t)
      all.emplace_back([&] {
        for (++ready; ready < 3;) std::this_thread::yield();
        try {
          got += floats(f(x)) == want;
        } catch (const DeviceError&) {
          ++refused;
        }
      });
    for (std::thread& t : all) t.join();
    CHECK(got == 1);
    CHECK(refused == 2);
  }
}

TEST_CASE("an update of the only handle is made in place", "[donate][index]") {
  const auto in_place = [](auto update) {
    const Floats want = floats(update(some(9000)));
    Array x = some(9000);
    const void* const at = address(x);
    x = update(std::move(x));
    CHECK(floats(x) == want);
    return address(x) == at;
  };
  CHECK(in_place([](Array&& x) { return std::move(x).at(3).set(7.); }));
  CHECK(in_place([](Array&& x) { return std::move(x).at(-1).add(2); }));
  CHECK(in_place([](Array&& x) { return std::move(x).at(slice(4, 90)).multiply(3); }));
  CHECK(in_place([](Array&& x) { return std::move(x).at(slice(4, 90, 3)).subtract(3); }));
  CHECK(in_place([](Array&& x) { return std::move(x).at(slice(9, 3, -1)).min(0.); }));
  CHECK(in_place([](Array&& x) { return std::move(x).at(array({5, 5, 8})).add(1.); }));
  CHECK(in_place([](Array&& x) { return std::move(x).at(array({5, 5, 8})).max(0.); }));
  // Small arrays run by the reference rules.
  Array y = arange(20.);
  const void* const at = address(y);
  y = std::move(y).at(2).set(50.);
  CHECK(address(y) == at);
  CHECK(floats(y)[2] == 50);
}

TEST_CASE("an update does not change other holders of the array", "[donate][index]") {
  Array x = some(9000);
  const Array other = x;
  const Array r = std::move(x).at(3).set(7.);
  CHECK(floats(other) == floats(some(9000)));
  CHECK(floats(r)[3] == 7);
  // Each call of a named At is independent.
  const auto at = some(9000).at(3);
  CHECK(floats(at.set(7.))[3] == 7);
  CHECK(floats(at.add(1.)) == floats(some(9000).at(3).add(1.)));
  // The new value depends on the old ones.
  Array z = some(9000);
  const Floats want = floats(z.at(slice(0, 8999)).set(z[slice(1, 9000)]));
  const Array shifted = z[slice(1, 9000)];
  const Array in_place = std::move(z).at(slice(0, 8999)).set(shifted);
  CHECK(floats(in_place) == want);
  // Under a transform the derivative rules keep the values that they need.
  const auto f = [](Array v) {
    Array c = some(3000);
    return (std::move(c).at(2).multiply(v) * some(3000)).sum();
  };
  CHECK(grad(f)(2.).item<float>() == jit(grad(f))(2.).item<float>());
}

TEST_CASE("results that are constants belong to the caller", "[jit][donate]") {
  const auto give = jit([](Array x) { return x + 1.; }, {.donate_argnums = {0}});
  for (const int64_t n : {1, 100}) {  // stored in the node, and in a buffer
    INFO(n);
    const Array c = arange(double(n)), x = c * 1.;
    const auto constant = jit([c](Array x) { return std::pair{x + 1., c}; });
    const auto lowered = jit([c](Array x) { return std::pair{x + 1., c}; }).lower(x).compile();
    const auto literal = jit([](Array x) { return std::pair{x + 1., Array(2.)}; });
    const auto donates =
        jit([c](Array x) { return std::tuple{x + 1., Array(2.), c}; }, {.donate_argnums = {0}});
    const auto passed = jit([](Array x) { return std::pair{x, x}; });
    for (int i = 0; i < 3; ++i) {
      CHECK(give(constant(x).second)[n - 1].item<float>() == float(n));
      CHECK(give(lowered(x).second)[n - 1].item<float>() == float(n));
      CHECK(give(literal(x).second).item<float>() == 3);
      const auto [y, two, same] = donates(c * 1.);
      CHECK(give(two).item<float>() == 3);
      CHECK(give(same)[n - 1].item<float>() == float(n));
      const auto [first, second] = passed(x);
      CHECK(give(first)[n - 1].item<float>() == float(n));
      CHECK(second[n - 1].item<float>() == float(n - 1));
      CHECK(x[n - 1].item<float>() == float(n - 1));
    }
    CHECK(c[n - 1].item<float>() == float(n - 1));
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/autodiff/long_chain_test.cpp: nothing recurses along a chain of 100,000 equations. The
// chain is traced, mapped, differentiated, printed, parsed and freed on a stack of 256 KB.
#include <chrono>
#include <sstream>

#include "runtime/thread_stack.h"
#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {

constexpr int length = 100000;
Array chain(Array x) {
  for (int i = 0; i < length; ++i) x = i % 2 ? sin(x) : x * 1.25f;
  return x;
}
Array straight(Array x) {  // LLVM compiles this in seconds
  for (int i = 0; i < length; ++i) x = i % 2 ? x + 1.f : x * .5f;
  return x;
}
Array mapped_sum(Array v) { return vmap(chain)(v).sum(); }

int64_t equations(const ClosedJaxpr& c) { return static_cast<int64_t>(c.jaxpr->eqns.size()); }
// Prints the program, parses the text and returns the number of equations.
int64_t round_trip(const ClosedJaxpr& c) {
  std::ostringstream out;
  out << c;
  if (!(parse_jaxpr(out.str(), c.consts).jaxpr == c.jaxpr))
    throw std::runtime_error("read back it is another program");
  return equations(c);
}

}  // namespace

TEST_CASE("a chain of 100,000 equations is traced, mapped, differentiated on a small stack",
          "[chain]") {
  const Array x = zeros({}) + .5f, v = zeros({3}) + .5f;
  int64_t traced = 0, mapped = 0, gradient = 0, mapped_gradient = 0, gradient_of_map = 0;
  float slope = 0, value = 0;
  run_on_large_stack(256 << 10, [&] {
    traced = round_trip(make_jaxpr(chain)(x));
    mapped = equations(make_jaxpr(vmap(chain))(v));
    gradient = equations(make_jaxpr(grad(chain))(x));
    mapped_gradient = equations(make_jaxpr(vmap(grad(chain)))(v));
    gradient_of_map = round_trip(make_jaxpr(grad(mapped_sum))(v));
    slope = grad(chain)(x).item<float>();
    value = vmap(chain)(v)[1].item<float>();
  });
  CHECK(traced == length);
  CHECK(mapped == length);
  CHECK(gradient >= 2 * length);  // the gradient adds a cos for each sin
  CHECK(mapped_gradient == gradient);
  CHECK(gradient_of_map >= gradient);
  CHECK(slope == Approx(grad(chain)(x).item<float>()));
  CHECK(value == chain(x).item<float>());
}

TEST_CASE("a chain of 100,000 equations, the long way", "[chain][slow]") {
  using clock = std::chrono::steady_clock;
  const Array x = zeros({}) + .5f, v = zeros({3}) + .5f;
  const auto timed = [](const char* what, auto f) {
    const auto start = clock::now();
    f();
    const double s = std::chrono::duration<double>(clock::now() - start).count();
    WARN(what << ": " << s << " s");
    CHECK(s < 60);
  };
  run_on_large_stack(256 << 10, [&] {
    timed("traced", [&] { make_jaxpr(chain)(x); });
    timed("mapped", [&] { make_jaxpr(vmap(chain))(v); });
    timed("differentiated", [&] { make_jaxpr(grad(chain))(x); });
    timed("mapped gradient", [&] { make_jaxpr(vmap(grad(chain)))(v); });
    timed("gradient of the map", [&] { make_jaxpr(grad(mapped_sum))(v); });
    timed("differentiated twice", [&] { round_trip(make_jaxpr(grad(grad(chain)))(x)); });
    timed("tangent", [&] { jvp(chain, std::tuple{x}, std::tuple{x}); });
    timed("gradient of a call", [&] { make_jaxpr(grad(jit(chain)))(x); });
    timed("gradient of the map, at once", [&] { grad(mapped_sum)(v); });
    timed("compiled", [&] {
      CHECK(jit(straight)(x).item<float>() == straight(x).item<float>());
      CHECK(jit(vmap(straight))(v)[1].item<float>() == straight(x).item<float>());
    });
  });
}

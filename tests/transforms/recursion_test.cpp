// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/transforms/recursion_test.cpp: a function that calls itself endlessly, through any
// transform, ends in an error and does not overflow the stack.
#include "runtime/thread_stack.h"
#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {

using F = Array (*)(Array);

Array by_vmap(Array x) { return vmap(by_vmap, none, 0, {.axis_size = 2})(x)[0]; }
Array by_scan(Array x) {
  return scan([](Array c, Array r) { return std::pair{by_scan(c), r}; }, x, arange(3.)).first;
}
Array by_cond(Array x) {
  return cond(x > 0., by_cond, [](Array y) { return y; }, x);
}
Array by_switch(Array x) { return switch_(x.astype(I32), {by_switch, by_switch}, x); }
Array by_while(Array x) {
  return while_loop([](Array y) { return y < 3.; }, by_while, x);
}
Array by_test(Array x) {
  return while_loop([](Array y) { return by_test(y) < 3.; }, [](Array y) { return y; }, x);
}
Array by_fori(Array x) {
  return fori_loop(0, 3, [](Array, Array y) { return by_fori(y); }, x);
}
Array by_map(Array x) { return map(by_map, x.reshape({1})).reshape({}); }
Array by_pure_callback(Array x) {
  return pure_callback(by_pure_callback, ShapeDtypeStruct{{}, F32}, x);
}
Array by_io_callback(Array x) { return io_callback(by_io_callback, ShapeDtypeStruct{{}, F32}, x); }
Array by_jit_and_callback(Array x) { return jit(by_pure_callback)(x); }
Array by_grad(Array x) { return grad(by_grad)(x) * x; }
Array by_jvp(Array x) { return jvp(by_jvp, std::tuple{x}, std::tuple{x}).second; }
Array by_checkpoint(Array x) { return checkpoint(by_checkpoint)(x); }
Array by_make_jaxpr(Array x) {
  make_jaxpr(by_make_jaxpr)(x);
  return x;
}
Array by_jit(Array x) {
  return jit([x](Array y) { return by_jit(x + y); })(x);
}
Array by_custom_vmap(Array x) {
  const auto rule = [](int64_t, tree::Mask, Array y) { return std::pair{y, true}; };
  return custom_vmap(by_custom_vmap, rule)(x);
}
Array by_custom_vjp(Array x) {
  const auto fwd = [](Array y) { return std::pair{y, y}; };
  return custom_vjp(by_custom_vjp, fwd, [](Array, Array ct) { return std::tuple{ct}; })(x);
}
Array by_associative_scan(Array x) {
  const auto f = [](Array a, Array b) { return by_associative_scan(a) + b; };
  return associative_scan(f, broadcast_to(x.reshape({-1})[0], {2}));
}
Array by_solve(Array x) {
  const auto matvec = [](Array y) { return by_solve(y); };
  return custom_linear_solve(matvec, x, [](auto f, Array b) { return f(b); });
}

constexpr std::pair<const char*, F> ways[] = {
    {"vmap", by_vmap},
    {"scan", by_scan},
    {"cond", by_cond},
    {"switch_", by_switch},
    {"while_loop", by_while},
    {"the test of while_loop", by_test},
    {"fori_loop", by_fori},
    {"map", by_map},
    {"pure_callback", by_pure_callback},
    {"io_callback", by_io_callback},
    {"jit and pure_callback", by_jit_and_callback},
    {"grad", by_grad},
    {"jvp", by_jvp},
    {"checkpoint", by_checkpoint},
    {"make_jaxpr", by_make_jaxpr},
    {"jit", by_jit},
    {"custom_vmap", by_custom_vmap},
    {"custom_vjp", by_custom_vjp},
    {"associative_scan", by_associative_scan},
    {"custom_linear_solve", by_solve},
};

Array deep(int n, Array x) {
  return n == 0 ? x
                : vmap([n](Array y) { return deep(n - 1, y); }, none, 0, {.axis_size = 1})(x)[0];
}

void check_is_told(F f) {
  std::string said;
  try {
    f(Array(1.));
  } catch (const CompileError& e) {
    said = e.what();
  }
  CHECK(said.find("a function calls itself") != std::string::npos);
  CHECK(said.find("(at recursion_test.cpp:") != std::string::npos);
  // The error has no lasting effect.
  CHECK(jit([](Array x) { return x + 1.; })(1.).item<float>() == 2);
}

}  // namespace

TEST_CASE("endless recursion raises", "[recursion]") {
  run_on_large_stack(1 << 20, [] {
    for (const auto& [name, f] : ways) {
      INFO(name);
      check_is_told(f);
    }
  });
}

#ifndef __SANITIZE_THREAD__  // it keeps the call chain of every allocation: 19 GB
TEST_CASE("endless recursion raises on the stack of the process, too", "[recursion]") {
  check_is_told(by_scan);
}
#endif

TEST_CASE("a recursion that ends may be deep", "[recursion]") {
  CHECK(deep(60, Array(2.)).item<float>() == 2);
}

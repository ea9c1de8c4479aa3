// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/interop/stablehlo_callbacks_test.cpp: calls of Python functions in programs that JAX wrote.
// Calls without results are left out. Calls with results raise an error when they would run.
#include <catch2/catch.hpp>

#include "support/check.h"
#include "weft/stablehlo.h"

using namespace weft;
using namespace weft::test;

namespace {

const std::string tensor = "tensor<f32>";

std::string callback(const std::string& target, const std::string& in, const std::string& types) {
  return "stablehlo.custom_call @" + target + "(" + in +
         ") {backend_config = \"\", mhlo.backend_config = {index = 0 : ui64}} : " + types;
}
// For x >= 0 the result is x. Otherwise it is x times the result of a callback.
std::string in_branch(const std::string& target) {
  return "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
         "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
         "%p = stablehlo.compare LT, %x, %z, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
         "%i = stablehlo.convert %p : (tensor<i1>) -> tensor<i32>\n"
         "%r = \"stablehlo.case\"(%i) ({\n"
         "  %s = stablehlo.multiply %x, %x : tensor<f32>\n"
         "  stablehlo.return %s : tensor<f32>\n}, {\n"
         "  %c = " +
         callback(target, "%x", "(tensor<f32>) -> tensor<f32>") +
         "\n"
         "  %s = stablehlo.multiply %c, %x : tensor<f32>\n"
         "  stablehlo.return %s : tensor<f32>\n"
         "}) : (tensor<i32>) -> tensor<f32>\nreturn %r : tensor<f32>\n}\n";
}
// Returns three steps of x + 1, each with a print that is ordered by tokens.
std::string ordered_in_loop() {
  return "func.func @main(%t: !stablehlo.token {jax.token = true}, %x: tensor<f32>) -> "
         "(!stablehlo.token {jax.token = true}, tensor<f32>) {\n"
         "%c = stablehlo.constant dense<0> : tensor<i32>\n"
         "%0:3 = stablehlo.while(%a = %t, %n = %c, %v = %x) : !stablehlo.token, tensor<i32>, "
         "tensor<f32>\ncond {\n"
         "  %m = stablehlo.constant dense<3> : tensor<i32>\n"
         "  %1 = stablehlo.compare LT, %n, %m, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
         "  stablehlo.return %1 : tensor<i1>\n} do {\n"
         "  %1:2 = func.call @body(%a, %v) : (!stablehlo.token, tensor<f32>) -> (!stablehlo.token, "
         "tensor<f32>)\n"
         "  %m = stablehlo.constant dense<1> : tensor<i32>\n"
         "  %2 = stablehlo.add %n, %m : tensor<i32>\n"
         "  stablehlo.return %1#0, %2, %1#1 : !stablehlo.token, tensor<i32>, tensor<f32>\n}\n"
         "return %0#0, %0#2 : !stablehlo.token, tensor<f32>\n}\n"
         "func.func private @body(%t: !stablehlo.token, %x: tensor<f32>) -> (!stablehlo.token, "
         "tensor<f32>) {\n%0 = " +
         callback("xla_ffi_python_cpu_callback", "%t, %x",
                  "(!stablehlo.token, tensor<f32>) -> !stablehlo.token") +
         "\n%m = stablehlo.constant dense<1.0> : tensor<f32>\n"
         "%1 = stablehlo.add %x, %m : tensor<f32>\n"
         "return %0, %1 : !stablehlo.token, tensor<f32>\n}\n";
}
auto function_of(const std::string& text) {
  const ClosedJaxpr p = parse_stablehlo(text, "p.mlir");
  return [p](Array x) { return eval_jaxpr(p, {x})[0]; };
}
template <class F>
void raises(F f, const std::string& target) {
  CHECK_THAT(
      error_of<FormatError>(f),
      Catch::Contains("p.mlir, line 9: the program calls a Python function here, by @" + target));
}

}  // namespace

TEST_CASE("a Python function in a branch raises where it would run", "[interop][stablehlo]") {
  for (const std::string target :
       {"xla_ffi_python_cpu_callback", "xla_python_cpu_callback", "xla_ffi_python_gpu_callback",
        "xla_python_gpu_callback", "xla_ffi_partitioned_python_cpu_callback",
        "xla_ffi_partitioned_python_gpu_callback"}) {
    CAPTURE(target);
    const auto f = function_of(in_branch(target));
    const Array good = array({1., 2., 3.}), bad = array({1., -2., 3.});
    CHECK(f(Array(3.f)).item<float>() == 9);
    CHECK(jit(f)(Array(3.f)).item<float>() == 9);
    CHECK(floats(vmap(f)(good)) == Floats{1, 4, 9});
    CHECK(floats(jit(vmap(f))(good)) == Floats{1, 4, 9});
    CHECK(jit(grad(f))(Array(3.f)).item<float>() == 6);
    CHECK(floats(jit(vmap(grad(f)))(good)) == Floats{2, 4, 6});
    CHECK(jit(grad(grad(f)))(Array(3.f)).item<float>() == 2);
    CHECK(floats(jit(jacfwd([f](Array x) { return vmap(f)(x); }))(good)) ==
          Floats{2, 0, 0, 0, 4, 0, 0, 0, 6});
    raises([&] { f(Array(-1.f)); }, target);
    raises([&] { jit(f)(Array(-1.f)); }, target);
    raises([&] { vmap(f)(bad); }, target);
    raises([&] { jit(vmap(f))(bad); }, target);
    raises([&] { jit(grad(f))(Array(-1.f)); }, target);
    raises([&] { jit(vmap(grad(f)))(bad); }, target);
    raises([&] { jit(jacfwd(f))(Array(-1.f)); }, target);
  }
}

TEST_CASE("the derivative of a missing function is missing, too", "[interop][stablehlo]") {
  // Only the derivative is computed, and it does not need the function's own result.
  const std::string text =
      "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n\n\n\n\n\n\n\n%r = " +
      callback("xla_ffi_python_cpu_callback", "%x", "(tensor<f32>) -> tensor<f32>") +
      "\nreturn %r : tensor<f32>\n}\n";
  const auto f = function_of(text);
  raises([&] { jit(grad(f))(Array(2.f)); }, "xla_ffi_python_cpu_callback");
  raises([&] { jit(vmap(grad(f)))(array({1., 2.})); }, "xla_ffi_python_cpu_callback");
  raises(
      [&] {
        jit(grad([f](Array x) {
          return vmap([&](Array y) { return f(x * y); })(array({1., 2.})).sum();
        }))(Array(2.f));
      },
      "xla_ffi_python_cpu_callback");
  // The result is not used.
  CHECK(jit([f](Array x) { return f(x), x + 1; })(Array(2.f)).item<float>() == 3);
  // There are no lanes.
  CHECK(vmap(f)(zeros({0})).shape() == Shape{0});
}

TEST_CASE("a Python function in a loop that is not entered", "[interop][stablehlo]") {
  const std::string text =
      "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
      "%z = stablehlo.constant dense<0.0> : tensor<f32>\n\n"
      "%r = stablehlo.while(%v = %x) : tensor<f32>\n"
      "cond {\n"
      "  %1 = stablehlo.compare LT, %v, %z, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
      "  stablehlo.return %1 : tensor<i1>\n} do {\n"
      "  %c = " +
      callback("xla_ffi_python_cpu_callback", "%v", "(tensor<f32>) -> tensor<f32>") +
      "\n  stablehlo.return %c : tensor<f32>\n}\nreturn %r : tensor<f32>\n}\n";
  const auto f = function_of(text);
  CHECK(floats(jit(vmap(f))(array({1., 2.}))) == Floats{1, 2});
  raises([&] { jit(vmap(f))(array({1., -2.})); }, "xla_ffi_python_cpu_callback");
  raises([&] { jit(f)(Array(-2.f)); }, "xla_ffi_python_cpu_callback");
}

TEST_CASE("callbacks without results are removed", "[interop][stablehlo]") {
  const std::string text =
      "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n" +
      callback("xla_ffi_python_cpu_callback", "%x", "(tensor<f32>) -> ()") +
      "\n%r = stablehlo.multiply %x, %x : tensor<f32>\nreturn %r : tensor<f32>\n}\n";
  const auto f = function_of(text);
  CHECK(jit(f)(Array(3.f)).item<float>() == 9);
  CHECK(floats(jit(vmap(grad(f)))(array({1., 2.}))) == Floats{2, 4});
  // Tokens are neither arguments nor results.
  const ClosedJaxpr p = parse_stablehlo(ordered_in_loop(), "p.mlir");
  CHECK(p.jaxpr->in_types() == Types{Type(F32, {})});
  CHECK(p.jaxpr->out_types() == Types{Type(F32, {})});
  const auto g = function_of(ordered_in_loop());
  CHECK(jit(g)(Array(1.f)).item<float>() == 4);
  CHECK(floats(jit(vmap(g))(array({1., 2.}))) == Floats{4, 5});
  CHECK(jit(grad(g))(Array(1.f)).item<float>() == 1);
}

TEST_CASE("ordered callbacks that give numbers", "[interop][stablehlo]") {
  const std::string text =
      "func.func @main(%t: !stablehlo.token, %x: tensor<f32>) -> (!stablehlo.token, tensor<f32>) "
      "{\n%u = stablehlo.create_token : !stablehlo.token\n"
      "%v = stablehlo.after_all %t, %u : !stablehlo.token\n\n\n\n\n\n%r:2 = " +
      callback("xla_ffi_python_cpu_callback", "%v, %x",
               "(!stablehlo.token, tensor<f32>) -> (!stablehlo.token, tensor<f32>)") +
      "\nreturn %r#0, %r#1 : !stablehlo.token, tensor<f32>\n}\n";
  raises([&] { jit(function_of(text))(Array(1.f)); }, "xla_ffi_python_cpu_callback");
}

TEST_CASE("other calls are refused when they are parsed", "[interop][stablehlo]") {
  for (const std::string target : {"xla_python_tpu_callback", "python_cpu_callback", "xla_callback",
                                   "xla_ffi_python_cpu_callbacks"})
    CHECK_THAT(error_of<FormatError>([&] { parse_stablehlo(in_branch(target), "p.mlir"); }),
               Catch::Contains("missing op 'stablehlo.custom_call @" + target + "'"));
}

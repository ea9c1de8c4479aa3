// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/errors/grad_errors_test.cpp: error texts of the derivative transforms for mistakes of the
// user.
#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {
struct Params {
  Array w, b;
};
const auto squared = [](Array x) { return x * x; };
}  // namespace

TEST_CASE("losses that are no real scalars", "[errors][grad]") {
  check_error<DifferentiationError>(
      [&] { grad(squared)(array({1., 2., 3.})); },
      "Gradient only defined for scalar-output functions. Output had shape: (3,).");
  check_error<DifferentiationError>([&] { grad([](Array x) { return x.astype(I32); })(1.); },
                                    "requires real-valued outputs");
  check_error<DifferentiationError>([&] { value_and_grad(squared)(array({1., 2.})); },
                                    "value_and_grad: Gradient only defined for scalar-output");
}

TEST_CASE("arguments that have no derivative", "[errors][grad]") {
  check_error<DifferentiationError>([&] { grad(squared)(3); },
                                    "requires real- or complex-valued inputs");
  check_error<DifferentiationError>([&] { grad([](Params p) { return p.w; })({1., 2}); },
                                    "but got i32[] for args[0].b");
  check_error<DifferentiationError>([&] { grad([](auto x) { return Array(1.f) * x; })(3); },
                                    "holds no Array");
  check_error<DifferentiationError>([&] { jacfwd(squared)(array({1, 2})); },
                                    "jacfwd requires real-valued inputs");
  check_error<DifferentiationError>(
      [&] { jacrev([](Array x) { return x.astype(I32); })(array({1.})); },
      "requires real-valued outputs");
  check_error<ShapeError>([&] { grad([](Params p) { return p.w; })({1., Array()}); },
                          "grad: args[0].b is an empty Array");
  check_error<ShapeError>([&] { vjp(squared, Array()); }, "vjp: args[0] is an empty Array");
  check_error<ShapeError>([&] { linearize(squared, Array()); },
                          "linearize: args[0] is an empty Array");
}

TEST_CASE("tangents and cotangents of another type", "[errors][grad]") {
  check_error<DifferentiationError>(
      [&] { jvp(squared, std::tuple{zeros({3})}, std::tuple{zeros({2})}); },
      "primal and tangent must have equal types, but they differ: args[0] is f32[3], its tangent "
      "f32[2]");
  check_error<DifferentiationError>(
      [&] { jvp(squared, std::tuple{zeros({3})}, std::tuple{zeros({3}, F64)}); }, "f64[3]");
  const auto list = [](std::vector<Array> v) { return v[0]; };
  check_error<DifferentiationError>(
      [&] {
        jvp(list, std::tuple{std::vector<Array>{1., 2.}}, std::tuple{std::vector<Array>{1.}});
      },
      "same tree structure");
  const auto pull = vjp(squared, zeros({3})).second;
  check_error<DifferentiationError>(
      [&] { pull(zeros({2})); },
      "for argument to VJP function: got f32[2] for ct, but expected f32[3]");
  check_error<DifferentiationError>([&] { pull(zeros({3}, I32)); }, "got i32[3]");
  const auto many = vjp([](Array x) { return std::vector<Array>{x, x}; }, 1.).second;
  check_error<DifferentiationError>([&] { many({1.}); }, "unexpected tree structure");
  check_error<DifferentiationError>(
      [&] { linear_transpose([](Array x) { return x; }, array({1, 2})); },
      "linear_transpose only supports floating-point");
  check_error<ShapeError>([&] { batch_jacobian([](Array x) { return x.sum(); })(zeros({2, 2})); },
                          "f must keep the leading axis");
}

TEST_CASE("rules whose results do not fit", "[errors][grad][custom]") {
  using T = std::tuple<Array>;
  const auto wrong_shape =
      custom_jvp(squared, [](T x, T) { return std::pair{std::get<0>(x), zeros({2})}; });
  check_error<DifferentiationError>([&] { wrong_shape(1.f + zeros({})); },
                                    "Custom JVP rule must produce primal and tangent outputs with "
                                    "corresponding shapes and dtypes. Expected f32[]");
  const auto bwd = [](Array, Array) { return std::tuple{zeros({5})}; };
  const auto wrong_ct = custom_vjp(squared, [](Array x) { return std::pair{x * x, x}; }, bwd);
  check_error<DifferentiationError>([&] { wrong_ct(1.f + zeros({})); },
                                    "bwd must return a cotangent of the type of each argument: "
                                    "expected f32[] for args[0], got f32[5]");
  const auto wrong_fwd = custom_vjp(
      squared, [](Array x) { return std::pair{x.astype(F64), x}; },
      [](Array, Array ct) { return std::tuple{ct}; });
  check_error<DifferentiationError>([&] { wrong_fwd(1.f + zeros({})); },
                                    "fwd must return the values of the function");
  const auto captures = [](Array y) {
    return custom_jvp(squared, [&](T x, T dx) {
      return std::pair{std::get<0>(x) * std::get<0>(x), std::get<0>(dx) * y};
    })(2.f + zeros({}));
  };
  check_error<LeakedTracerError>([&] { jit(captures)(1.); },
                                 "custom_jvp: the rule captures a traced value");
}

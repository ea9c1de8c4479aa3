// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/errors/vmap_errors_test.cpp: error texts of vmap for mistakes of the user.
#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {
struct Params {
  Array w, b;
};
const auto plus = [](Array a, Array b) { return a + b; };
const auto same = [](Array a) { return a; };
}  // namespace

TEST_CASE("sizes that disagree", "[errors][vmap]") {
  const Array x3 = zeros({3}), x4 = zeros({4});
  const auto three = [](Array a, Array b, Array c) { return a + b + c; };
  check_error<BatchingError>(
      [&] { vmap(three)(x3, x4, x3); },
      "vmap got inconsistent sizes for array axes to be mapped:\n"
      "  * most axes (2 of them) had size 3, e.g. axis 0 of args[0] of type f32[3];\n"
      "  * one axis had size 4: axis 0 of args[1] of type f32[4].");
  check_error<BatchingError>([&] { vmap(same, 0, 0, {.axis_size = 5})(x3); },
                             "* the `axis_size` argument was 5;");
  check_error<BatchingError>([&] { vmap([](Params p) { return p.w; })({x3, x4}); },
                             "axis 0 of args[0].b of type f32[4]");
}

TEST_CASE("axes out of range", "[errors][vmap]") {
  const Array m = zeros({2, 3});
  check_error<BatchingError>([&] { vmap(same, 2)(m); },
                             "vmap was requested to map its argument args[0] along axis 2, which "
                             "implies that its rank should be at "
                             "least 3, but is only 2 (its shape is (2, 3))");
  check_error<BatchingError>([&] { vmap(same)(1.); }, "rank should be at least 1, but is only 0");
  check_error<BatchingError>([&] { vmap(same, -3)(m); }, "along axis -3");
  check_error<BatchingError>([&] { vmap(same, 0, 2)(m); },
                             "axis 2 is out of bounds for array of dimension 2");
  check_error<BatchingError>([&] { vmap(same, 0, -3)(m); },
                             "axis -3 is out of bounds for array of dimension 2");
}

TEST_CASE("nothing is mapped", "[errors][vmap]") {
  check_error<BatchingError>(
      [&] { vmap(plus, none)(1., 2.); },
      "at least one non-None value in in_axes or axis_size must be specified");
  check_error<BatchingError>([&] { vmap([] { return 1.; })(); },
                             "must be passed at least one argument containing an array");
  check_error<BatchingError>([&] { vmap(same, 0, 0, {.axis_size = -1})(zeros({2})); },
                             "axis_size must not be negative, got -1");
}

TEST_CASE("axes that are not a prefix of the tree", "[errors][vmap]") {
  const Array x = zeros({3});
  check_error<BatchingError>([&] { vmap(plus, {0, 0, 0})(x, x); },
                             "Got 3 entries, (0, 0, 0), for 2 arguments");
  check_error<BatchingError>(
      [&] { vmap(plus, {{0, 1}, 0})(x, x); },
      "tree prefix of the corresponding value: at args[0], the value is an Array");
  const auto f = [](Params p) { return p.w; };
  check_error<BatchingError>([&] { vmap(f, {{{"w", 0}}})({x, x}); },
                             "at args[0], there is no axis for 'b'");
  check_error<BatchingError>([&] { vmap(f, {{"w", 0}, {"q", 0}})({x, x}); },
                             "the value has no entry 'q'; there are w, b");
  check_error<BatchingError>([&] { vmap(f, {{0, 0, 0}})({x, x}); },
                             "the value has 2 entries, but there are axes for 3");
  check_error<BatchingError>([&] { vmap(plus, {{"a", 0}})(x, x); }, "there are 2 arguments");
  check_error<BatchingError>([&] { vmap(same, 0, {{"a", 0}})(x); },
                             "vmap out_axes specification must be a tree prefix of the "
                             "corresponding value: at result, the value is an Array");
}

TEST_CASE("none for a result that has lanes", "[errors][vmap]") {
  const auto two = [](Array x) { return std::pair{x, x}; };
  check_error<BatchingError>(
      [&] { vmap(two, 0, {0, none})(zeros({3})); },
      "at vmap out_axes, result[1]: got axis spec None but output was batched on axis 0");
  check_error<BatchingError>([&] { vmap(same, 0, none, {.axis_name = "i"})(zeros({3})); },
                             "axis_name=i");
  check_error<BatchingError>([&] { vmap(same, 0, none)(zeros({3})); }, "vmap_errors_test.cpp:");
  check_error<BatchingError>([&] { vmap(plus)(zeros({3}), zeros({4})); },
                             "\n(at vmap_errors_test.cpp:");
}

TEST_CASE("invalid options", "[errors][vmap]") {
  check_error<BatchingError>(
      [&] { vmap(same, 0, 0, {.randomness = "often"}); },
      "randomness must be \"same\", \"different\" or \"error\", got \"often\"");
  check_error<BatchingError>([&] { vmap(same, 0, 0, {.chunk_size = -1}); },
                             "chunk_size must not be negative");
  check_error<BatchingError>([&] { vmap(same, 0, 0, {.memory_budget = -1}); },
                             "memory_budget must not be negative");
}

TEST_CASE("empty handles are named", "[errors][vmap]") {
  check_error<ShapeError>([&] { vmap([](Params p) { return p.w; })({zeros({3}), Array()}); },
                          "vmap: args[0].b is an empty Array");
}

TEST_CASE("batching rules that do not fit", "[errors][vmap][custom]") {
  const Array x = zeros({3});
  const auto wrong =
      custom_vmap(same, [](int64_t, auto, Array a) { return std::pair{a.sum(), true}; });
  check_error<BatchingError>(
      [&] { vmap(wrong)(x); },
      "the rule must return f32[3] for result 0, which it says is mapped, got f32[]");
  const auto lies = custom_vmap(same, [](int64_t, auto, Array a) { return std::pair{a, false}; });
  check_error<BatchingError>([&] { vmap(lies)(x); }, "which it says is not mapped");
  const auto short_mask =
      custom_vmap(same, [](int64_t, auto, Array a) { return std::pair{a, tree::Mask{}}; });
  check_error<BatchingError>([&] { vmap(short_mask)(x); },
                             "same structure as the function's result");
  const auto captures = [](Array y) {
    return custom_vmap([y](Array a) { return a + y; },
                       [](int64_t, auto, Array a) { return std::pair{a, true}; })(1.);
  };
  check_error<BatchingError>([&] { vmap(captures)(x); },
                             "the function captures a mapped value f32[3]");
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/errors/control_errors_test.cpp: error texts of branches and loops for mistakes of the user.
#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {
struct Params {
  Array w, b;
};
using List = std::vector<Array>;
}  // namespace

// These are errors that newcomers could not understand.
TEST_CASE("messages say where, and what to write", "[errors]") {
  const std::string here = "control_errors_test.cpp:";
  const auto said = [](auto f) { return error_of<Error>(f); };
  const auto places = [&](const std::string& text, std::initializer_list<const char*> pieces) {
    INFO(text);
    CHECK(holds(text, here));
    for (const char* piece : pieces) CHECK(holds(text, piece));
  };
  const Array v = ones({3});
  places(said([&] { (void)bool(v > 0.); }), {"the truth value of bool[3]", "any() or all()"});
  places(said([&] { (void)v.data<double>(); }), {"data<float64>()", "f32[3]", "to_vector"});
  places(said([&] { (void)v.item<float>(); }), {"an array of one element, got f32[3]"});
  places(said([&] {
           grad([](Array x) {
             return while_loop([](Array c) { return c < 3.; }, [](Array c) { return c * 2.; }, x);
           })(1.);
         }),
         {"Reverse-mode differentiation does not work for while_loop", "max_trips"});
  places(said([&] { random::fold_in(random::key(0), 1.5); }),
         {"fold_in: the data must be an integer, got f32[]"});
  places(said([&] { cond(true, [](Array x) { return x; }, [](Array x) { return x.sum(); }, v); }),
         {"the true branch", "the false branch"});
}

TEST_CASE("predicates and indices", "[errors][control]") {
  const auto one = [] { return 1.; };
  check_error<ShapeError>([&] { cond(zeros({2}), one, one); }, "Pred must be a scalar, got f32[2]");
  check_error<DTypeError>(
      [&] { switch_(Array(0.5), {[] { return Array(1.); }, [] { return Array(2.); }}); },
      "the index must be an integer scalar, got f32[]");
  check_error<ShapeError>([&] { switch_(0, std::vector<std::function<Array()>>{}); },
                          "there must be at least one branch");
}

TEST_CASE("branches that differ", "[errors][control]") {
  const Array x = zeros({3});
  check_error<ShapeError>([&] { cond(true, [&] { return x; }, [] { return zeros({4}); }); },
                          "cond branch outputs must have equal types, but they differ: result is "
                          "f32[4] in the false branch and f32[3] in the true branch");
  check_error<ShapeError>(
      [&] { cond(true, [&] { return Params{x, x}; }, [&] { return Params{x, zeros({3}, F64)}; }); },
      "result.b is f64[3]");
  check_error<ShapeError>(
      [&] { cond(true, [&] { return List{x}; }, [&] { return List{x, x}; }); },
      "structs), but they differ between the false branch and the true branch: result");
  check_error<ShapeError>(
      [&] { switch_(0, std::tuple{[&] { return List{x}; }, [&] { return List{}; }}); },
      "they differ between branch 0 and branch 1");
}

TEST_CASE("carries that change", "[errors][control]") {
  const auto grows = [](Array c, Array) { return std::pair{concatenate({c, c}, 0), none}; };
  check_error<ShapeError>([&] { scan(grows, zeros({2}), zeros({3})); },
                          "scan body function carry input and carry output must have equal types, "
                          "but they differ:\n  * the input carry component "
                          "carry has type f32[2] but the corresponding output carry component has "
                          "type f32[4], so the shapes do not match");
  check_error<ShapeError>(
      [&] {
        while_loop([](Params) { return true; },
                   [](Params p) { return Params{p.w, p.b.astype(F64)}; },
                   Params{1.f + zeros({}), zeros({})});
      },
      "carry.b has type f32[] but the corresponding output carry component has type f64[], so the "
      "dtypes do not match");
  check_error<ShapeError>(
      [&] {
        fori_loop(
            0, 3,
            [](Array, List l) {
              l.push_back(l[0]);
              return l;
            },
            List{1.});
      },
      "fori_loop body function carry input and carry output must have the same pytree structure");
}

TEST_CASE("conditions of loops", "[errors][control]") {
  check_error<DTypeError>(
      [&] { while_loop([](Array x) { return x; }, [](Array x) { return x; }, 1.); },
      "cond_fun must return a boolean scalar, but got output type(s) f32[]");
  check_error<DTypeError>(
      [&] { while_loop([](Array x) { return x > 0; }, [](Array x) { return x; }, zeros({2})); },
      "but got output type(s) bool[2]");
  check_error<ShapeError>(
      [&] {
        while_loop([](Array x) { return x > 0; }, [](Array x) { return x; }, 1., {.max_trips = -1});
      },
      "max_trips must not be negative");
  check_error<DTypeError>([&] { fori_loop(0.5, 3, [](Array, Array x) { return x; }, 1.); },
                          "the lower bound must be an integer scalar, got f32[]");
  check_error<DTypeError>(
      [&] { fori_loop(zeros({}, I8), zeros({}, I64), [](Array, Array x) { return x; }, 1.); },
      "lower and upper arguments to fori_loop must have equal types");
}

TEST_CASE("lengths of scans", "[errors][control]") {
  const auto f = [](Array c, std::tuple<Array, Array>) { return std::pair{c, none}; };
  const auto g = [](Array c, Array) { return std::pair{c, none}; };
  check_error<ShapeError>([&] { scan(f, 0., std::tuple{zeros({3}), zeros({4})}); },
                          "scan got values with different leading axis sizes: 3, 4.");
  check_error<ShapeError>(
      [&] { scan(g, 0., zeros({3}), {.length = 4}); },
      "scan got `length` argument of 4 which disagrees with leading axis sizes [3].");
  check_error<ShapeError>([&] { scan(g, 0., 1.); },
                          "scan got value with no leading axis to scan over: xs is f32[]");
  check_error<ShapeError>(
      [&] { scan([](Array c, none_t) { return std::pair{c, none}; }, 0., none); },
      "scan got no values to scan over and `length` not provided.");
  check_error<ShapeError>([&] { scan(g, 0., zeros({3}), {.unroll = -1}); },
                          "unroll must not be negative");
  check_error<ShapeError>([&] { associative_scan([](Array a, Array) { return a; }, 1.); },
                          "xs is a scalar");
  check_error<ShapeError>(
      [&] { associative_scan([](auto a, auto) { return a; }, std::pair{zeros({2}), zeros({3})}); },
      "same size along the axis");
}

TEST_CASE("maps under other names", "[errors][control]") {
  const auto f = [](std::pair<Array, Array> p) { return p.first; };
  check_error<BatchingError>([&] { vectorized_map(f, std::pair{zeros({2}), zeros({3})}); },
                             "inconsistent sizes");
  check_error<BatchingError>([&] { vectorized_map(f, std::pair{zeros({2}), Array(1.)}); },
                             "elems[1] is a scalar");
  check_error<BatchingError>([&] { pfor([](Array i) { return i; }, -1); },
                             "iters must not be negative");
}

TEST_CASE("C++ control flow on traced values says what to use", "[errors][control]") {
  const auto f = [](Array x) {
    if (x > 0) return x;
    return -x;
  };
  check_error<ConcretizationError>([&] { jit(f)(1.); }, "weft::cond");
  check_error<ConcretizationError>([&] { vmap(f)(zeros({2})); }, "vmap");
}

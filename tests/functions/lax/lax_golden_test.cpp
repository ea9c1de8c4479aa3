// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/lax/lax_golden_test.cpp: compares lax functions with jax.lax for the same calls
// (tests/golden/generators/make_lax.py). They are folds and scatters by any function, ragged
// products, random bits, approximate top_k and shapes. It compares values, gradients, tangents and
// maps, eagerly and compiled. It also tests mistakes in such calls.
#include <cmath>
#include <limits>

#include "functions/array_calls.h"
#include "support/check.h"
#include "weft/weft.h"

using namespace weft;
using weft::testing::Call, weft::testing::Calls, weft::testing::steps;
using namespace weft::test;

namespace {

Array whole(const std::vector<int>& v, const Shape& s) { return array(v, s).astype(I32); }
Array whole(const std::vector<int>& v) { return whole(v, {std::ssize(v)}); }

constexpr float inf = std::numeric_limits<float>::infinity(),
                not_a_number = std::numeric_limits<float>::quiet_NaN();

const Array plane = steps({4, 5}, 3, 13), block = steps({3, 4, 2}, 7, 23), row = steps({9}, 5, 17),
            rows = steps({6, 3}, 5, 19), matrices = steps({3, 3, 2}, 7, 23),
            deep = steps({2, 2, 4, 3}, 7, 23), deep_matrices = steps({2, 3, 2, 2}, 5, 19),
            odd = array({1.f, 3.f, 3.f, not_a_number, -inf, inf, -0.f, 2.f, 0.f});
const Array sizes = whole({2, 0, 3}), deep_sizes = whole({1, 2, 3, 0, 0, 4, 2, 2}, {2, 2, 2}),
            spots = whole({1, 3, 1, 8, 9, -1}, {6, 1}), lines = whole({2, 0, 2}, {3, 1});

// Returns powers of two.
Array scales(const Shape& s) {
  return exp2((lax::rem(arange(s.elements()).astype(I32) * 5, 7) - 3).astype(F32)).reshape(s);
}

Array both(const Array& a, const Array& b) { return a + b + a * b; }
Array product(const Array& a, const Array& b) { return a * b; }

Calls folds() {
  using namespace lax;
  return {
      {"reduce_sum", {[](Array v) { return lax::reduce(v, 0.f, lax::add, {0, 2}); }, block}},
      {"reduce_prod", {[](Array v) { return lax::reduce(v, 1.f, product, {1}); }, plane}},
      {"reduce_any", {[](Array v) { return lax::reduce(v, 0.f, both, {1}); }, plane}},
      {"reduce_any_all", {[](Array v) { return lax::reduce(v, 0.f, both, {0, 1}); }, plane}},
      {"reduce_none", {[](Array v) { return lax::reduce(v, 1.f, product, {}); }, row}},
      {"reduce_empty",
       {[](Array v) { return lax::reduce(lax::slice(v, {0}, {0}), 1.f, both, {0}); }, row}},
      {"reduce_max_odd", {[](Array v) { return lax::reduce(v, -inf, lax::max, {0}); }, odd}},
      {"approx_max", {[](Array v) { return approx_max_k(v, 3).first; }, plane}},
      {"approx_max_axis",
       {[](Array v) { return approx_max_k(v, 2, {.reduction_dimension = 0}).first; }, plane}},
      {"approx_min", {[](Array v) { return approx_min_k(v, 3).first; }, plane}},
  };
}
Calls products() {
  using namespace lax;
  return {
      {"ragged_dot", {[](Array v) { return ragged_dot(v, matrices, sizes); }, rows}},
      {"ragged_dot_rhs", {[](Array v) { return ragged_dot(rows, v, sizes); }, matrices}},
      {"ragged_dot_groups",
       {[](Array v) {
          return ragged_dot_general(v, deep_matrices, deep_sizes, {{{3}, {1}, {0}, {0}}, {2}, {3}});
        },
        deep}},
      {"ragged_dot_contracting",
       {[](Array v) {
          return ragged_dot_general(v, steps({2, 5, 3}, 3, 7), whole({1, 0, 3}),
                                    {{{1}, {1}, {0}, {0}}, {1}, {}});
        },
        steps({2, 5, 2}, 5, 11)}},
      {"scaled_dot",
       {[](Array v) {
          return scaled_dot(v, steps({8, 3}, 5, 13),
                            {.lhs_scale = scales({4, 2}),
                             .rhs_scale = scales({4, 3}),
                             .preferred_element_type = F32});
        },
        steps({4, 8}, 3, 17)}},
      {"scaled_dot_half",
       {[](Array v) {
          return scaled_dot(v, steps({8, 3}, 5, 13), {.rhs_scale = scales({2, 3})}).astype(F32);
        },
        steps({4, 8}, 3, 17)}},
      {"scaled_dot_scale",
       {[](Array v) {
          return scaled_dot(steps({2, 4, 6}, 3, 17), steps({2, 6, 3}, 5, 13),
                            {.lhs_scale = v, .preferred_element_type = F32});
        },
        scales({2, 4, 3})}},
      {"scaled_dot_dims",
       {[](Array v) {
          return scaled_dot(v, steps({5, 2, 4}, 5, 13),
                            {.lhs_scale = scales({2, 2, 3}),
                             .rhs_scale = scales({5, 2, 2}),
                             .dimension_numbers = DotDims{{1}, {2}, {0}, {1}},
                             .preferred_element_type = F32});
        },
        steps({2, 4, 3}, 3, 17)}},
      {"ragged_dot_batch",
       {[](Array v) {
          return ragged_dot_general(v, steps({3, 4, 2}, 3, 7), whole({1, 2}),
                                    {{{2}, {1}, {0}, {0}}, {0}, {}});
        },
        steps({3, 2, 4}, 5, 11)}},
  };
}
Calls places() {
  using namespace lax;
  const ScatterDimensionNumbers points{{}, {0}, {0}}, whole_rows{{1}, {0}, {0}};
  const auto line = [](Array a) { return 2 * a + 1; };
  const auto squared = [](Array a) { return a * a; };
  return {
      {"index_take",
       {[](Array v) { return index_take(v, {whole({1, -1, 7}), whole({0, 4, -2})}, {0, 1}); },
        plane}},
      {"index_take_middle",
       {[](Array v) { return index_take(v, {whole({3, -1, 0, 5})}, {1}); }, block}},
      {"scatter_apply",
       {[=](Array v) { return scatter_apply(v, spots, lax::exp, points, {.update_shape = {6}}); },
        row}},
      {"scatter_apply_clip",
       {[=](Array v) {
          return scatter_apply(v, spots, line, points, {.update_shape = {6}, .mode = "clip"});
        },
        row}},
      {"scatter_apply_rows",
       {[=](Array v) {
          return scatter_apply(v, lines, squared, whole_rows, {.update_shape = {3, 5}});
        },
        plane}},
      {"scatter_apply_once",
       {[=](Array v) {
          return scatter_apply(v, lax::slice(spots, {0, 0}, {2, 1}), lax::exp, points,
                               {.update_shape = {2}, .unique_indices = true});
        },
        row}},
      {"broadcast_like", {[](Array v) { return broadcast_like(v, plane); }, steps({5}, 3, 7)}},
      {"stack", {[](Array v) { return lax::stack({v, 2 * v}, 1); }, plane}},
      {"unstack", {[](Array v) { return lax::unstack(v, 1)[2]; }, plane}},
      {"barrier", {[](Array v) { return lax::optimization_barrier(v) * v; }, plane}},
  };
}

Array words(const Array& key) {
  if (key.dtype() == U32) return key;
  const Array low = lax::convert_element_type(key, U32),
              high = lax::convert_element_type(
                  lax::shift_right_logical(key, full(key.shape(), 32, U64)), U32);
  return lax::stack({low, high});
}
Arrays drawn(const Array& key, const Shape& shape, DType d, lax::RandomAlgorithm how) {
  const auto [next, bits] = lax::rng_bit_generator(key, shape, d, how);
  return {words(next), d == U64 ? words(bits) : bits};
}
Array of(const Shape& s) {
  return s.ndim() == 0 ? zeros({0}, I64) : array(s.sizes(), {s.ndim()}).astype(I64);
}
Array of(const lax::Sizes& s) { return of(Shape(s)); }

Arrays odd_scaled_dots() {
  const Array x = array({{inf, 1.f, 2.f, 3.f},
                         {-inf, 1.f, inf, 2.f},
                         {not_a_number, 1.f, 1.f, 1.f},
                         {3e38f, 3e38f, 0.f, 0.f},
                         {-0.f, -0.f, -0.f, -0.f},
                         {1.00390625f, 1.01171875f, 0.f, 0.f},
                         {5.f, 5.f, 1.f, 1.f}}),
              scale = array({{1.f, 1.f},
                             {1.f, 1.f},
                             {1.f, 1.f},
                             {0.5f, 1.f},
                             {1.f, 1.f},
                             {1.00390625f, 1.f},
                             {0.f, inf}}),
              ones_below = ones({4, 1});
  return {lax::scaled_dot(x, ones_below, {.lhs_scale = scale, .preferred_element_type = F32}),
          lax::scaled_dot(x, ones_below).astype(F32)};
}
Arrays in_range() {
  const Array f = lax::rng_uniform(-2.f, 3.f, {500, 2}), i = lax::rng_uniform(-2, 3, {500});
  return {of(f.shape()), ((f >= -2.f) & (f < 3.f)).all(), unique(i)};
}
Arrays dtypes() {
  const auto one = [](bool b) { return Array(static_cast<int32_t>(b)); };
  return {one(lax::dtype(plane) == F32), one(lax::dtype(spots) == I32),
          one(lax::dtype(odd > 0.f) == Bool)};
}

std::map<std::string, Arrays> others() {
  using namespace lax;
  const auto pair = [](Arrays p, Arrays q) {
    const Array first = (p[0] > q[0]) | ((p[0] == q[0]) & (p[1] < q[1]));
    return Arrays{where(first, p[0], q[0]), where(first, p[1], q[1])};
  };
  const auto list = [](const std::pair<Array, Array>& p) { return Arrays{p.first, p.second}; };
  using enum RandomAlgorithm;
  const Array key4 = array(std::vector<uint32_t>{1, 2, 3, 0xFFFFFFFF}, {4}),
              key2 = array(std::vector<uint64_t>{5, (uint64_t{1} << 63) + 7}, {2});
  const auto all = approx_max_k(plane, 2, {.aggregate_to_topk = false});
  const auto order = conv_general_permutations({"NHWC", "WHIO", "CNWH"});
  return {
      {"argmax", lax::reduce({plane, broadcasted_iota(I32, {4, 5}, 1)},
                             {Array(-inf), Array(9).astype(I32)}, pair, {1})},
      {"reduce_and",
       {lax::reduce(whole({7, 14, 6}), -1, lax::bitwise_and, {0}),
        lax::reduce(whole({1, 14, 6}).astype(U8), 0, lax::bitwise_or, {0})}},
      {"reduce_init", {lax::reduce(arange(6).astype(I32), 100, lax::add, {0})}},
      {"approx_max", list(approx_max_k(odd, 4))},
      {"approx_max_all", {Array(all.first.shape() == Shape{4, 5})}},
      {"approx_min", list(approx_min_k(where(isnan(odd), 7.f, odd), 4))},
      {"approx_min_axis", list(approx_min_k(plane, 2, {.reduction_dimension = 0}))},
      {"rng_default", drawn(key4, {5}, U32, RNG_DEFAULT)},
      {"rng_threefry", drawn(key4, {3, 3}, U32, RNG_THREE_FRY)},
      {"rng_philox", drawn(key2, {2, 3}, U16, RNG_PHILOX)},
      {"rng_wide", drawn(key2, {3}, U64, RNG_THREE_FRY)},
      {"rng_bytes", drawn(key4, {7}, U8, RNG_THREE_FRY)},
      {"rng_scalar", drawn(key4, {}, U32, RNG_THREE_FRY)},
      {"conv_shape",
       {of(conv_shape_tuple({4, 3, 9, 7}, {5, 3, 2, 4}, {2, 1}, "SAME")),
        of(conv_shape_tuple({4, 3, 9, 7}, {5, 3, 2, 4}, {2, 3}, {{1, 0}, {-1, 2}}, 2)),
        of(conv_shape_tuple({4, 3, 2, 7}, {5, 3, 3, 4}, {1, 1}, "VALID"))}},
      {"conv_general_shape",
       {of(conv_general_shape_tuple({4, 9, 7, 3}, {2, 4, 3, 5}, {2, 1}, "SAME_LOWER",
                                    {"NHWC", "HWIO", "NCWH"})),
        of(conv_general_shape_tuple({4, 9, 3}, {2, 3, 5}, {2}, {{1, 1}}, {"NWC", "WIO", "CNW"}))}},
      {"conv_transpose_shape",
       {of(conv_transpose_shape_tuple({4, 9, 7, 3}, {2, 4, 3, 5}, {2, 1}, "SAME",
                                      {"NHWC", "HWIO", "NHWC"})),
        of(conv_transpose_shape_tuple({4, 9, 3}, {2, 3, 5}, {2}, "VALID", {"NWC", "WIO", "CNW"})),
        of(conv_transpose_shape_tuple({4, 9, 3}, {2, 3, 5}, {2}, {{1, 0}},
                                      {"NWC", "WIO", "NWC"}))}},
      {"conv_permutations", {of(order.lhs_spec), of(order.rhs_spec), of(order.out_spec)}},
      {"scaled_dot_odd", odd_scaled_dots()},
      {"polygamma_odd",
       {lax::polygamma(array({-1.f, 0.5f, not_a_number, inf, 2.f, 3.f, 3.f, 1.5f, 0.f, 4.f}),
                       array({2.f, 2.f, 2.f, 2.f, 0.f, -1.f, 0.f, -1.f, -2.f, -3.f}))}},
      {"empty", {lax::empty({2, 3}, I32), lax::empty({}, F32)}},
      {"dtype", dtypes()},
      {"rng_uniform", in_range()},
      {"broadcast_shapes",
       {of(broadcast_shapes({{3, 1}, {1, 4}, {5, 1, 1}})), of(broadcast_shapes({{2}}))}},
      {"shape_as_value", {shape_as_value({3, 1, 4}), shape_as_value({})}},
  };
}

}  // namespace

TEST_CASE("folds, ragged products and scatters by any function give what JAX gives",
          "[functions][lax]") {
  const auto want = testing::golden_lines("lax.txt");
  Calls calls = folds();
  calls.merge(products());
  calls.merge(places());
  size_t found =
      testing::compare_calls(calls, want, [](const Array& got, const testing::GoldenLine& line) {
        testing::check_line(got, line, 2e-6);
      });
  for (const auto& [name, results] : others())
    for (size_t k = 0; k < results.size(); ++k) {
      const std::string line = name + "_" + std::to_string(k);
      INFO(line);
      REQUIRE(want.count(line) == 1);
      ++found;
      testing::check_line(results[k], want.at(line), 0);
    }
  CHECK(found == want.size());
}

TEST_CASE("folds by any function have gradients, and barriers keep roundings apart",
          "[functions][lax]") {
  const auto f = [](Array v) { return sum(lax::reduce(v, 0.f, both, {1})); };
  const auto g = [](Array v) { return sum(lax::expm1(lax::reduce_sum(lax::log1p(v), {1}))); };
  const Array v = steps({3, 7}, 5, 17) / 8;
  CHECK(allclose(grad(f)(v), grad(g)(v)).item<bool>());
  // A barrier between a product and a sum keeps both roundings.
  const Array a = array({1.1f}), b = array({1.3f}), c = array({-1.43f});
  const auto sum_of = [](Array p, Array q, Array r) {
    return lax::optimization_barrier(p * q) + r;
  };
  CHECK(floats(jit(sum_of)(a, b, c)) == floats(a * b + c));
}

TEST_CASE("numbers without a key are new in each call, and the same in a program",
          "[functions][lax]") {
  const auto f = [](Array a) { return lax::rng_uniform(a, 1.f, {20}); };
  const Array zero = array(0.f);
  CHECK(floats(f(zero)) != floats(f(zero)));
  const auto compiled = jit([f](Array a) { return f(a); });
  const Array first = compiled(zero);
  CHECK(floats(first) == floats(compiled(zero)));
  // Lanes have the same numbers, scaled to their own ranges.
  const Array lanes = vmap(f)(array({0.f, -1.f}));
  CHECK(allclose(lanes[1], 2.f * lanes[0] - 1.f, 1e-5, 1e-6).item<bool>());
  // Random integers of all widths include the ends of their range.
  for (const DType d : {I8, U8, I16, U16, I32, U32, I64, U64}) {
    INFO(short_name(d));
    const Array x = lax::rng_uniform(array(3).astype(d), array(6).astype(d), {200});
    CHECK(x.dtype() == d);
    CHECK(unique(x).to_vector<int>() == std::vector<int>{3, 4, 5});
  }
  CHECK(lax::dtype(1.5) == F32);
  CHECK(lax::dtype(3) == I32);
  CHECK(lax::dtype(true) == Bool);
}

TEST_CASE("mistakes in calls of the rest of lax", "[functions][lax][errors]") {
  using lax::Sizes;
  const Array v = zeros({4}), m = zeros({4, 5});
  const auto less = [](Array a, Array b) { return a < b; };
  check_error<DTypeError>([&] { lax::reduce(v, 0.f, less, {0}); },
                          "reduce: the function must give scalars of the types that it takes");
  check_error<DTypeError>([&] { lax::reduce(v, array(1), lax::add, {0}); },
                          "reduce: an initial value of i32 for an operand of f32");
  check_error<ShapeError>([&] { lax::reduce(v, v, lax::add, {0}); },
                          "reduce: operands must have one shape, and scalars");
  check_error<IndexError>([&] { lax::reduce(v, 0.f, lax::add, {1}); }, "reduce: ");
  check_error<ShapeError>([&] { lax::ragged_dot(m, m, v); }, "ragged_dot: takes lhs[m, k]");
  check_error<DTypeError>([&] { lax::ragged_dot(m, zeros({4, 5, 2}), v); },
                          "sizes of groups as integers");
  check_error<ShapeError>([&] { lax::ragged_dot(m, zeros({3, 5, 2}), whole({1, 1})); },
                          "as long as there are groups");
  check_error<ShapeError>(
      [&] { lax::ragged_dot_general(m, m, whole({1}), {{{1}, {1}}, {2}, {0}}); },
      "one axis of the first factor");
  check_error<ShapeError>([&] { lax::scaled_dot(v, v); }, "scaled_dot: takes factors of one rank");
  check_error<ShapeError>([&] { lax::scaled_dot(m, zeros({2, 5, 1})); }, "factors of one rank");
  check_error<ShapeError>(
      [&] { lax::scaled_dot(m, zeros({5, 2}), {.lhs_scale = zeros({4, 5})}); },
      "scaled_dot: the scale of lhs must divide axis 1, which is contracted, into parts of two");
  check_error<ShapeError>([&] { lax::scaled_dot(m, zeros({5, 2}), {.rhs_scale = zeros({2, 2})}); },
                          "must divide axis 0");
  check_error<ShapeError>([&] { lax::scaled_dot(m, zeros({5, 2}), {.rhs_scale = zeros({1, 1})}); },
                          "the scale of rhs must have its size along axes that are not contracted");
  check_error<ShapeError>([&] { lax::scaled_dot(m, zeros({5, 2}), {.lhs_scale = v}); },
                          "must have as many axes");
  check_error<DTypeError>([&] { lax::scaled_dot(m.astype(C64), zeros({5, 2})); },
                          "scaled_dot: lhs must be real");
  check_error<ShapeError>([&] { lax::scaled_dot(m, m); }, "dot_general");
  check_error<DTypeError>([&] { lax::rng_uniform(array(0), array(1.f), {2}); },
                          "rng_uniform: takes two scalars of one dtype");
  check_error<ShapeError>([&] { lax::rng_uniform(v, v, {2}); }, "rng_uniform: takes two scalars");
  check_error<DTypeError>([&] { lax::rng_uniform(array(true), array(true), {2}); },
                          "rng_uniform: draws integers or floats");
  check_error<ShapeError>([&] { lax::empty({-1}, F32); }, "-1");
  check_error<ShapeError>([&] { lax::dtype(Array()); }, "empty Array");
  check_error<DTypeError>([&] { lax::approx_max_k(whole({1, 2}), 1); },
                          "approx_max_k: takes floats");
  check_error<ShapeError>([&] { lax::approx_max_k(v, 5); }, "1 to the size of the axis, 4, got 5");
  check_error<ShapeError>([&] { lax::approx_min_k(v, 1, {.recall_target = 1.5}); },
                          "approx_min_k: recall_target must be in (0, 1], got 1.5");
  check_error<ShapeError>([&] { lax::index_take(m, {whole({1})}, {0, 1}); },
                          "index_take: needs a vector of indices for each of 2 axes, got 1");
  check_error<DTypeError>([&] { lax::index_take(m, {v}, {0}); }, "indices must be integers");
  check_error<ShapeError>(
      [&] { lax::scatter_apply(v, lines, lax::exp, {{}, {0}, {0}}, {.update_shape = {2}}); },
      "scatter");
  check_error<IndexError>(
      [&] { lax::scatter_apply(v, lines, lax::exp, {{}, {0}, {0}}, {{3}, "wrap"}); },
      "scatter_apply: mode is");
  check_error<ShapeError>([&] { lax::rng_bit_generator(zeros({3}, U32), {2}); },
                          "rng_bit_generator: takes a key u32[4] or u64[2]");
  check_error<DTypeError>([&] { lax::rng_bit_generator(zeros({4}, U32), {2}, F32); },
                          "draws bits of an unsigned dtype");
  check_error<ShapeError>([&] { lax::conv_shape_tuple({1, 2, 3}, {1, 2}, {1}, "SAME"); },
                          "conv_shape_tuple: 1 strides need shapes of 3 sizes");
  check_error<ShapeError>([&] { lax::conv_shape_tuple({3, 2, 3}, {1, 2, 2}, {1}, "SAME", 2); },
                          "a batch of 3 is not divided into 2 groups");
  check_error<ShapeError>(
      [&] { lax::conv_general_shape_tuple({1, 2}, {1, 2, 3}, {1}, "SAME", {"NWC", "WIO", "NWC"}); },
      "conv_general_shape_tuple: ");
  check_error<ShapeError>(
      [&] {
        lax::conv_transpose_shape_tuple({1, 2, 3}, {1, 2, 3}, {1}, "SAME_LOWER",
                                        {"NWC", "WIO", "NWC"});
      },
      "got \"SAME_LOWER\"");
  check_error<ShapeError>([&] { lax::conv_general_permutations({"NWC", "WII", "NWC"}); },
                          "must have the letter");
  check_error<ShapeError>([&] { lax::broadcast_shapes({{2}, {3}}); }, "2");
  check_error<ShapeError>([&] { lax::stack({v, m}); }, "stack: takes arrays of one type");
}

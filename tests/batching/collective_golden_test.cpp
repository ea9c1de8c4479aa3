// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/batching/collective_golden_test.cpp: compares collectives with JAX's results for the same
// calls (tests/golden/generators/make_collectives.py). It compares the values of all lanes, and
// gradients around the maps and inside them. Each call runs eagerly and compiled.
#include <functional>

#include "functions/array_calls.h"
#include "support/check.h"

using namespace weft;
using namespace weft::test;
using weft::testing::steps;

namespace {

using Lane = std::function<Array(Array)>;
struct LaneCall {
  Lane f;
  Array operand;
  int maps;  // 1: a map over "i"; 2: a map over "i" around a map over "j"
};
using LaneCalls = std::map<std::string, LaneCall>;

Array over_lanes(const Lane& f, const Array& x, int maps) {
  if (maps == 1) return vmap(f, 0, 0, {.axis_name = "i"})(x);
  return vmap(vmap(f, 0, 0, {.axis_name = "j"}), 0, 0, {.axis_name = "i"})(x);
}

const Array row = steps({4, 3}, 3, 13), square = steps({4, 4, 2}, 7, 23),
            tall = steps({4, 2, 8}, 5, 19), deep = steps({2, 3, 6, 2}, 7, 31);
const AxisIndexGroups halves = {{2, 0}, {1, 3}}, odd = {{3, 0, 2}, {1}};
const LanePairs ring = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};

LaneCalls folds() {
  return {
      {"psum", {[](Array a) { return psum(a, "i"); }, row, 1}},
      {"psum_axis", {[](Array a) { return psum(a, {"i", 1}); }, square, 1}},
      {"psum_axes", {[](Array a) { return psum(a, {0, "i", 1}); }, square, 1}},
      {"psum_groups", {[](Array a) { return psum(a, "i", {halves}); }, row, 1}},
      {"psum_odd", {[](Array a) { return psum(a, "i", {odd}); }, row, 1}},
      {"psum_names", {[](Array a) { return psum(a, {"i", "j"}); }, deep, 2}},
      {"psum_outer", {[](Array a) { return psum(a, "i"); }, deep, 2}},
      {"pmean", {[](Array a) { return pmean(a, "i"); }, row, 1}},
      {"pmean_groups", {[](Array a) { return pmean(a, "i", {halves}); }, row, 1}},
      {"pmean_names", {[](Array a) { return pmean(a, {"j", "i"}); }, deep, 2}},
      {"pmax", {[](Array a) { return pmax(a, "i"); }, row, 1}},
      {"pmax_axis", {[](Array a) { return pmax(a, {"i", 0}); }, square, 1}},
      {"pmax_groups", {[](Array a) { return pmax(a, "i", {halves}); }, row, 1}},
      {"pmin", {[](Array a) { return pmin(a, "i"); }, row, 1}},
      {"pmin_axis", {[](Array a) { return pmin(a, {0, "i"}); }, square, 1}},
      {"pmin_odd", {[](Array a) { return pmin(a, "i", {odd}); }, row, 1}},
  };
}
LaneCalls gathers() {
  return {
      {"all_gather", {[](Array a) { return all_gather(a, "i"); }, row, 1}},
      {"all_gather_axis", {[](Array a) { return all_gather(a, "i", {.axis = 1}); }, row, 1}},
      {"all_gather_tiled",
       {[](Array a) { return all_gather(a, "i", {.axis = 1, .tiled = true}); }, square, 1}},
      {"all_gather_groups", {[](Array a) { return all_gather(a, "i", {halves}); }, row, 1}},
      {"all_gather_groups_tiled",
       {[](Array a) {
          return all_gather(a, "i", {.axis_index_groups = halves, .axis = 1, .tiled = true});
        },
        square, 1}},
      {"all_gather_names",
       {[](Array a) { return all_gather(a, {"i", "j"}, {.axis = 1}); }, deep, 2}},
      {"all_gather_names_back",
       {[](Array a) { return all_gather(a, {"j", "i"}, {.tiled = true}); }, deep, 2}},
      {"psum_scatter", {[](Array a) { return psum_scatter(a, "i"); }, square, 1}},
      {"psum_scatter_tiled",
       {[](Array a) { return psum_scatter(a, "i", {.scatter_dimension = 1, .tiled = true}); }, tall,
        1}},
      {"psum_scatter_groups",
       {[](Array a) { return psum_scatter(a, "i", {.axis_index_groups = halves}); }, tall, 1}},
      {"psum_scatter_groups_tiled",
       {[](Array a) {
          return psum_scatter(
              a, "i", {.scatter_dimension = -1, .axis_index_groups = halves, .tiled = true});
        },
        tall, 1}},
      {"psum_scatter_names", {[](Array a) { return psum_scatter(a, {"i", "j"}); }, deep, 2}},
      {"psum_scatter_names_back",
       {[](Array a) { return psum_scatter(a, {"j", "i"}, {.tiled = true}); }, deep, 2}},
  };
}
LaneCalls exchanges() {
  return {
      {"all_to_all", {[](Array a) { return all_to_all(a, "i", 0, 0); }, square, 1}},
      {"all_to_all_axes", {[](Array a) { return all_to_all(a, "i", 0, 1); }, square, 1}},
      {"all_to_all_axes_back",
       {[](Array a) { return all_to_all(swapaxes(a, 0, 1), "i", -1, 0); }, square, 1}},
      {"all_to_all_tiled",
       {[](Array a) { return all_to_all(a, "i", 1, 0, {.tiled = true}); }, tall, 1}},
      {"all_to_all_tiled_same",
       {[](Array a) { return all_to_all(a, "i", 1, 1, {.tiled = true}); }, tall, 1}},
      {"all_to_all_groups", {[](Array a) { return all_to_all(a, "i", 0, 1, {halves}); }, tall, 1}},
      {"all_to_all_groups_tiled",
       {[](Array a) { return all_to_all(a, "i", 1, 0, {halves, true}); }, tall, 1}},
      {"all_to_all_names", {[](Array a) { return all_to_all(a, {"i", "j"}, 0, 1); }, deep, 2}},
      {"all_to_all_names_tiled",
       {[](Array a) { return all_to_all(a, {"j", "i"}, 0, 1, {.tiled = true}); }, deep, 2}},
      {"pswapaxes", {[](Array a) { return pswapaxes(a, "i", 0); }, square, 1}},
      {"pswapaxes_groups", {[](Array a) { return pswapaxes(a, "i", 0, {halves}); }, tall, 1}},
  };
}
LaneCalls permutations() {
  return {
      {"ppermute", {[](Array a) { return ppermute(a, "i", ring); }, row, 1}},
      {"ppermute_part", {[](Array a) { return ppermute(a, "i", {{0, 1}, {3, 2}}); }, row, 1}},
      {"ppermute_names",
       {[](Array a) { return ppermute(a, {"i", "j"}, {{0, 5}, {5, 1}, {3, 0}, {2, 2}}); }, deep,
        2}},
      {"pshuffle", {[](Array a) { return pshuffle(a, "i", {2, 0, 3, 1}); }, row, 1}},
      {"pshuffle_planes", {[](Array a) { return pshuffle(a, "i", {3, 2, 1, 0}); }, square, 1}},
      {"pbroadcast", {[](Array a) { return pbroadcast(a, "i", 2); }, row, 1}},
      {"pbroadcast_names",
       {[](Array a) { return pbroadcast(a, "i", 1) + pbroadcast(a, "j", 2); }, deep, 2}},
      {"axis_index", {[](Array) { return axis_index("i"); }, row, 1}},
      {"axis_index_names", {[](Array a) { return axis_index({"i", "j"}) * a; }, deep, 2}},
      {"axis_index_names_back", {[](Array a) { return axis_index({"j", "i"}) * a; }, deep, 2}},
      {"axis_size", {[](Array a) { return a * static_cast<int>(axis_size("i")); }, row, 1}},
      {"axis_size_names",
       {[](Array a) { return a * static_cast<int>(axis_size({"i", "j"})); }, deep, 2}},
  };
}
// These collectives are in a branch that only some lanes take, and in loops whose lanes end after
// different trips.
LaneCalls in_control_flow() {
  const auto branch = [](Array a) {
    return cond(
        a[0] > 0, [](Array a) { return ppermute(a, "i", ring) * a; }, [](Array a) { return a + 1; },
        a);
  };
  const auto swaps = [](Array a) {
    return fori_loop(0, 3, [](Array, Array c) { return pswapaxes(c, "i", 0) * c[0] / 2; }, a);
  };
  const auto rows = [](Array a) {
    return scan([](Array c,
                   Array r) { return std::pair{psum_scatter(all_gather(c, "i") * r, "i") / 4, c}; },
                a[0], a)
        .second;
  };
  const auto halved = [](Array v) {
    return while_loop([](Array c) { return c.sum() > .5; },
                      [](Array c) { return c - abs(c) / 2 - pmean(c, "i") / 16; }, v);
  };
  return {{"ppermute_in_cond", {branch, row, 1}},
          {"pswapaxes_in_scan", {swaps, square, 1}},
          {"psum_scatter_in_scan", {rows, square, 1}},
          {"pmean_in_while", {halved, row, 1}}};
}

// Compares all lines of a call and returns how many there were.
size_t compare_lines(const std::string& name, const LaneCall& c,
                     const std::map<std::string, weft::testing::GoldenLine>& want) {
  size_t found = 0;
  const auto check = [&](const std::string& what, const Lane& g) {
    const auto it = want.find(name + what);
    if (it == want.end()) return;
    INFO(name << what);
    ++found;
    weft::testing::check_line(g(c.operand), it->second, 2e-6);
    weft::testing::check_line(jit(g)(c.operand), it->second, 2e-6);
  };
  const auto pulled = [](const Lane& f, const Array& x) {
    const auto [out, pull] = vjp(f, x);
    return std::get<0>(pull(steps(out.shape(), 5, 13)));
  };
  const Lane whole = [&](Array x) { return over_lanes(c.f, x, c.maps); };
  check("", whole);
  check("_slope", [&](Array x) { return pulled(whole, x); });
  check("_own",
        [&](Array x) { return over_lanes([&](Array a) { return pulled(c.f, a); }, x, c.maps); });
  return found;
}

}  // namespace

TEST_CASE("collectives give JAX's results", "[collective][golden_lines]") {
  const auto want = weft::testing::golden_lines("collectives.txt");
  size_t found = 0;
  for (const LaneCalls& calls :
       {folds(), gathers(), exchanges(), permutations(), in_control_flow()})
    for (const auto& [name, call] : calls) {
      REQUIRE(want.count(name) == 1);
      found += compare_lines(name, call, want);
    }
  CHECK(found == want.size());
}

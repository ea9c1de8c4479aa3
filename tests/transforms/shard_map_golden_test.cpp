// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/transforms/shard_map_golden_test.cpp: compares shard_map with JAX's results on eight
// devices for the same calls (tests/golden/generators/make_shard_map.py). It compares results,
// gradients and maps of it, eagerly and compiled.
#include <functional>

#include "functions/array_calls.h"
#include "support/check.h"

using namespace weft;
using namespace weft::test;
using namespace weft::sharding;
using weft::testing::steps;

namespace {

// f as a function of its first argument, with fixed other arguments.
using OfFirst = std::function<Array(Array)>;
struct Call {
  OfFirst run;
  Array first;
};
using Calls = std::map<std::string, Call>;

const Mesh mesh({{"data", 4}, {"model", 2}});
const Array wide = steps({8, 12}, 3, 13), tall = steps({12, 6}, 7, 23),
            cube = steps({4, 8, 6}, 5, 19);

template <class F>
OfFirst sharded(F f, PartitionSpecs in, PartitionSpecs out) {
  return shard_map(f, mesh, in, out, {.check_vma = false});
}

Calls without_collectives() {
  const auto same = [](Array a) { return a; };
  return {
      {"square",
       {sharded([](Array a) { return a * a; }, P("data", "model"), P("data", "model")), wide}},
      {"rows",
       {sharded([](Array a) { return a.sum(0, {.keepdims = true}); }, P("data"), P("data")), wide}},
      {"whole", {sharded([](Array a) { return a * 2; }, P(), P()), wide}},
      {"turned",
       {sharded([](Array a) { return transpose(a); }, P("data", "model"), P("model", "data")),
        wide}},
      {"moved", {sharded([](Array a) { return a * 3; }, P("data"), P(none, "data")), wide}},
      {"third_axis",
       {sharded([](Array a) { return cumsum(a, 1); }, P("data", none, "model"),
                P(none, "data", "model")),
        cube}},
      {"tiled_result", {sharded([](Array a) { return a.sum(); }, P(), P()), wide}},
      {"copies", {sharded(same, P(), P("model", "data")), steps({2, 3}, 3, 7)}},
      {"first_lane", {sharded(same, P("data"), P()), wide}},
  };
}

Calls with_collectives() {
  const auto numbered = [](std::vector<std::string> names, int sign) {
    return [names, sign](Array a) { return a + sign * axis_index(names); };
  };
  const auto product = shard_map([](Array a, Array b) { return psum(matmul(a, b), "model"); }, mesh,
                                 {P("data", "model"), P("model")}, P("data"));
  return {
      {"product", {[=](Array a) { return product(a, tall); }, wide}},
      {"both_axes",
       {sharded(numbered({"data", "model"}, 1), P({"data", "model"}), P({"data", "model"})), wide}},
      {"both_back",
       {sharded(numbered({"model", "data"}, -1), P({"model", "data"}), P({"model", "data"})),
        wide}},
      {"mean",
       {sharded([](Array a) { return pmean(a.mean(), {"data", "model"}); }, P("data", "model"),
                P()),
        wide}},
      {"gathered",
       {sharded([](Array a) { return all_gather(a, "data", {.tiled = true}); }, P("data"), P()),
        wide}},
      {"scattered",
       {sharded([](Array a) { return psum_scatter(a, "data", {.tiled = true}); }, P(none, "data"),
                P("data", none)),
        wide}},
      {"exchanged",
       {sharded([](Array a) { return all_to_all(a, "data", 1, 0, {.tiled = true}); }, P("data"),
                P(none, "data")),
        wide}},
  };
}

// Each block visits all lanes of "data".
Array ring(Array a) {
  const LanePairs next = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
  const auto step = [&](Array, std::pair<Array, Array> c) {
    return std::pair{ppermute(c.first, "data", next), c.second + c.first * c.first.sum()};
  };
  return fori_loop(0, 4, step, std::pair{a, zeros_like(a)}).second;
}
// All lanes continue while one of them has to.
Array until_small(Array a) {
  return while_loop([](Array c) { return pmax(abs(c).max(), {"data", "model"}) > 0.5; },
                    [](Array c) { return c / 2 - pmean(c, "data") / 8; }, a);
}
Array train_step(Array w, Array a, Array y) {
  const auto loss = [=](Array w) {
    const Array error = tanh(matmul(a, w)) - y;
    return (error * error).mean();
  };
  return w - 0.1 * pmean(grad(loss)(w), "data");
}
// The rows are distributed over "data", and the hidden units over "model".
Array layer(Array a, Array w) {
  return psum(matmul(nn::relu(matmul(a, w)), transpose(w)), "model");
}

Calls programs() {
  const auto step = shard_map(train_step, mesh, {P(), P("data"), P("data")}, P());
  const auto wide_layer = shard_map(layer, mesh, {P("data"), P(none, "model")}, P("data"));
  const Array y = steps({8, 6}, 5, 17);
  return {
      {"ring", {sharded(ring, P("data", "model"), P("data", "model")), wide}},
      {"until_small", {sharded(until_small, P("data", "model"), P("data", "model")), wide}},
      {"train_step", {[=](Array w) { return step(w, wide, y); }, tall}},
      {"layer", {[=](Array a) { return wide_layer(a, tall); }, wide}},
  };
}

size_t compare_lines(const std::string& name, const Call& c,
                     const std::map<std::string, weft::testing::GoldenLine>& want) {
  size_t found = 0;
  const auto check = [&](const std::string& what, const OfFirst& g, const Array& x) {
    const auto it = want.find(name + what);
    if (it == want.end()) return;
    INFO(name << what);
    ++found;
    weft::testing::check_line(g(x), it->second, 2e-6);
    weft::testing::check_line(jit(g)(x), it->second, 2e-6);
  };
  check("", c.run, c.first);
  check(
      "_slope",
      [&](Array x) {
        const auto [out, pull] = vjp(c.run, x);
        return std::get<0>(pull(steps(out.shape(), 5, 13)));
      },
      c.first);
  check("_mapped", vmap(c.run), stack({c.first, c.first * 2, c.first - 1}));
  return found;
}

}  // namespace

TEST_CASE("shard_map gives JAX's results", "[shard_map][golden_lines]") {
  const auto want = weft::testing::golden_lines("shard_map.txt");
  size_t found = 0;
  for (const Calls& calls : {without_collectives(), with_collectives(), programs()})
    for (const auto& [name, call] : calls) {
      REQUIRE(want.count(name) == 1);
      found += compare_lines(name, call, want);
    }
  CHECK(found == want.size());
}

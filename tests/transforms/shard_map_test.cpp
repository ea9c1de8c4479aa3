// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/transforms/shard_map_test.cpp: meshes, specs and shard_map, and the errors if they do not
// fit. shard_map_golden_test.cpp tests the values.
#include "support/check.h"
#include "weft/weft.h"

using namespace weft;
using namespace weft::test;
using namespace weft::sharding;

namespace {

const Mesh mesh({{"data", 4}, {"model", 2}});
Array same(Array x) { return x; }

struct Layer {
  Array w, b;
};

}  // namespace

TEST_CASE("a mesh prints its axes", "[shard_map]") {
  CHECK(mesh.shape() == Shape{4, 2});
  CHECK(mesh.size() == 8);
  CHECK(mesh.axis_names() == std::vector<std::string>{"data", "model"});
  CHECK(to_string(mesh) == "Mesh('data': 4, 'model': 2)");
  CHECK(to_string(make_mesh({4, 2}, {"data", "model"})) == to_string(mesh));
  CHECK(Mesh({{"i", 3}}).size() == 3);
  check_error<AxisNameError>([] { Mesh({{"i", 3}, {"i", 2}}); }, "axis 'i' is named twice");
  check_error<AxisNameError>([] { Mesh({{"", 3}}); }, "axis 0 has no name");
  check_error<ShapeError>([] { Mesh({{"i", 0}}); }, "'i' must have at least one lane, got 0");
  check_error<ShapeError>([] { Mesh({{"i", int64_t(1) << 40}, {"j", int64_t(1) << 40}}); }, "2^62");
  check_error<ShapeError>([] { make_mesh({4}, {"i", "j"}); }, "1 sizes, but 2 names");
}

TEST_CASE("specs are written as in JAX", "[shard_map]") {
  CHECK(to_string(P()) == "P()");
  CHECK(to_string(P("data", none)) == "P('data', none)");
  CHECK(to_string(P({"data", "model"})) == "P({'data', 'model'})");
  CHECK(to_string(P(none, {"data", "model"})) == "P(none, {'data', 'model'})");
  CHECK(to_string(P(std::vector<SpecEntry>(9, none))).size() == 55);
  CHECK(to_string(PartitionSpecs{P("data"), {P(), P("model")}}) ==
        "(P('data'), (P(), P('model')))");
  CHECK(to_string(PartitionSpecs{{"w", P("model")}, {"b", P()}}) == "{w: P('model'), b: P()}");
}

TEST_CASE("specs are prefixes of trees", "[shard_map]") {
  const auto shapes = [](Array x, Layer l) {
    return Layer{x[0] + l.w.sum() * 0, full({1}, int(l.w.shape()[0] * 10 + l.b.shape()[0]))};
  };
  const Layer layer{zeros({8, 3}), zeros({6})};
  const auto by_order = shard_map(shapes, mesh, {P("data"), {P("data"), P("model")}},
                                  {P(), P({"data", "model"})}, {.check_vma = false});
  CHECK(floats(by_order(ones({4, 2}), layer).b) == Floats(8, 23));
  const auto by_name =
      shard_map(shapes, mesh, {P(), {{"w", P("model")}, {"b", P()}}}, P(), {.check_vma = false});
  CHECK(floats(by_name(ones({4, 2}), layer).b) == Floats{46});
  const auto one_for_all = shard_map(shapes, mesh, P("model"), P(), {.check_vma = false});
  CHECK(floats(one_for_all(ones({4, 2}), layer).b) == Floats{43});
  check_error<BatchingError>(
      [] { shard_map(same, mesh, {P(), P()}, P())(ones({4})); },
      "shard_map in_specs specification must be a tree prefix of the corresponding value: at args, "
      "the value has 1 entries, but there are specs for 2. Got in_specs = (P(), P())");
  check_error<BatchingError>([] { shard_map(same, mesh, P(), {P(), P()})(ones({4})); },
                             "the value is an Array, but there are specs for a tuple of 2");
}

TEST_CASE("shard_map refuses a replicated result that differs between lanes", "[shard_map]") {
  const auto sums = [](Array x) { return std::pair{x.sum(), psum(x.sum(), "data")}; };
  const Array x = arange(8);
  check_error<BatchingError>(
      [&] { shard_map(sums, mesh, P("data"), P())(x); },
      "shard_map out_specs, result[0]: P() says that the lanes of 'data' share it, but it may "
      "differ between them");
  const auto [first, all] = shard_map(sums, mesh, P("data"), P(), {.check_vma = false})(x);
  CHECK(first.item<int>() == 1);
  CHECK(all.item<int>() == 28);
}

TEST_CASE("specs that do not fit say why", "[shard_map]") {
  check_error<AxisNameError>(
      [] { shard_map(same, mesh, P("rows"), P()); },
      "shard_map in_specs: P('rows') names the axis 'rows', but the mesh has "
      "'data', 'model'");
  check_error<AxisNameError>([] { shard_map(same, mesh, P(), P("data", "data")); },
                             "shard_map out_specs: P('data', 'data') names the axis 'data' twice");
  check_error<ShapeError>(
      [] { shard_map(same, mesh, P("data"), P("data"))(ones({6})); },
      "shard_map in_specs, args[0]: P('data') partitions axis 0 of the array of shape (6,) over 4 "
      "lanes, which do not divide 6");
  check_error<ShapeError>([] { shard_map(same, mesh, P("data", none), P())(ones({4})); },
                          "P('data', none) has 2 entries, but the array has 1 axes");
  check_error<ShapeError>([] { shard_map(same, mesh, P(), P(none, "data"))(ones({4})); },
                          "shard_map out_specs, result: P(none, 'data') has 2 entries");
  check_error<AxisNameError>(
      [] { shard_map([](Array x) { return psum(x, "row"); }, mesh, P(), P())(ones({4})); },
      "Names in scope: 'data', 'model'");
}

TEST_CASE("a compiled function tells meshes, specs and options apart", "[shard_map]") {
  const auto lanes = [](Array x) { return psum(ones_like(x), "i"); };
  const auto run = [&](int64_t n, PartitionSpec in) {
    return jit(shard_map(lanes, Mesh({{"i", n}}), in, P()))(ones({12}));
  };
  CHECK(run(3, P("i")).shape() == Shape{4});
  CHECK(run(4, P("i")).shape() == Shape{3});
  CHECK(run(4, P()).shape() == Shape{12});
  CHECK(floats(run(4, P()))[0] == 4);
  const Mesh nobody({});
  CHECK(floats(shard_map(same, nobody, P(), P())(ones({2}))) == Floats{1, 1});
}

TEST_CASE("with_sharding_constraint checks what shard_map would", "[shard_map]") {
  const NamedSharding rows{mesh, P("data")};
  const auto f = [&](Array x) { return lax::with_sharding_constraint(x * 2, rows).sum(); };
  CHECK(jit(f)(ones({4, 2})).item<float>() == 16);
  CHECK(floats(grad(f)(ones({4}))) == Floats(4, 2));
  const auto pair = lax::with_sharding_constraint(std::pair{ones({4}), zeros({8})}, rows);
  CHECK(pair.second.shape() == Shape{8});
  check_error<ShapeError>([&] { f(ones({6})); },
                          "with_sharding_constraint: P('data') partitions axis 0");
  check_error<AxisNameError>(
      [&] { shard_map(f, mesh, P("data"), P(), {.check_vma = false})(ones({16})); },
      "a map around this call has partitioned the axis 'data' already");
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/shard_map.cpp: splits arguments into blocks, maps over each axis of the mesh,
// and joins the blocks of results.
#include "weft/sharding/shard_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "batching/batch_trace.h"
#include "tracer/base_ops.h"
#include "transforms/chunk.h"

namespace weft::detail {
using namespace sharding;
namespace {

const char* in_specs = "shard_map in_specs";
const char* out_specs = "shard_map out_specs";

// Returns the position of mesh axis k after the outer maps have removed the axes of the mesh before
// it.
MaybeAxis within(const SplitAxes& a, size_t k) {
  const int at = a.of_mesh[k];
  if (at < 0) return std::nullopt;
  return at - static_cast<int>(std::count_if(
                  a.of_mesh.begin(), a.of_mesh.begin() + static_cast<std::ptrdiff_t>(k),
                  [&](int before) { return before >= 0 && before < at; }));
}

// One call: nested maps from the first axis of the mesh to the last, with f in the innermost one.
struct Run {
  const ShardMapSpec& spec;
  FunctionRef<Arrays(const Arrays&)> f;
  FunctionRef<tree::detail::Skeleton()> result;
  std::vector<SplitAxes> in = {}, out = {};
  std::vector<const PartitionSpec*> specs_out = {};

  Arrays innermost(const Arrays& blocks) {
    Arrays y = f(blocks);
    const tree::detail::Skeleton tree = result();
    specs_out = spec.out.match(tree, "shard_map", "out_specs", "result");
    for (size_t i = 0; i < y.size(); ++i)
      out.push_back(split_axes(*specs_out[i], spec.mesh, static_cast<int>(y[i].ndim()),
                               [&] { return name_of_result(i); }));
    return y;
  }

  std::string name_of_result(size_t i) const {
    return fmt::format("{}, {}", out_specs, tree::detail::paths(result(), "result")[i]);
  }

  // Moves the lanes of a result under the map of axis k to the axis that out_specs request.
  Array placed(const Array& y, MaybeAxis mapped, size_t i, size_t k) const {
    const MeshAxis& axis = spec.mesh.axes()[k];
    if (const MaybeAxis to = within(out[i], k)) return move_mapped(y, mapped, *to, axis.size);
    if (!mapped) return y;
    if (!spec.options.check_vma) return row_at(y, *mapped, 0);
    throw BatchingError(fmt::format(
        "{}: {} says that the lanes of '{}' share it, but it may differ between them. Name the "
        "axis in out_specs, or combine the lanes, as psum or pmean do",
        name_of_result(i), to_string(*specs_out[i]), axis.name));
  }

  Arrays lanes(size_t k, const Arrays& x) {
    if (k == spec.mesh.axes().size()) return innermost(x);
    const MeshAxis& axis = spec.mesh.axes()[k];
    MaybeAxes mapped;
    for (const SplitAxes& a : in) mapped.push_back(within(a, k));
    const Batched b = vmap_flat([&](const Arrays& y) { return lanes(k + 1, y); }, x, mapped,
                                axis.size, {.axis_name = axis.name});
    Arrays y;
    for (size_t i = 0; i < b.out.size(); ++i) y.push_back(placed(b.out[i], b.axis[i], i, k));
    return y;
  }
};

// Returns the shape after joining blocks: axes of the mesh are merged with the axes after them.
Shape joined_shape(const Shape& split, const SplitAxes& a) {
  std::vector<int64_t> sizes;
  for (int d = 0; d < split.ndim(); ++d)
    if (std::find(a.of_mesh.begin(), a.of_mesh.end(), d) == a.of_mesh.end())
      sizes.push_back(split[d] * a.blocks[sizes.size()]);
  return Shape(std::move(sizes));
}

}  // namespace

void check_shard_map(const ShardMapSpec& s) {
  for (const PartitionSpec& p : s.in.specs()) check_spec(p, s.mesh, in_specs);
  for (const PartitionSpec& p : s.out.specs()) check_spec(p, s.mesh, out_specs);
}

void identify_shard_map(const ShardMapSpec& s, KeyWriter& key) {
  key.add_static(to_string(s.mesh));
  key.add_static(to_string(s.in));
  key.add_static(to_string(s.out));
  key.add_static(s.options.check_vma);
}

Arrays run_shard_map(const ShardMapSpec& s, const Arrays& x,
                     FunctionRef<tree::detail::Skeleton()> args,
                     FunctionRef<Arrays(const Arrays&)> f,
                     FunctionRef<tree::detail::Skeleton()> result) {
  Run run{s, f, result};
  const tree::detail::Skeleton tree = args();
  const auto specs = s.in.match(tree, "shard_map", "in_specs", "args");
  Arrays split;
  for (size_t i = 0; i < x.size(); ++i) {
    const auto who = [&] {
      return fmt::format("{}, {}", in_specs, tree::detail::paths(tree, "args")[i]);
    };
    run.in.push_back(split_axes(*specs[i], s.mesh, static_cast<int>(x[i].ndim()), who));
    split.push_back(
        base::reshape(x[i], split_shape(x[i].shape(), run.in[i], s.mesh, *specs[i], who)));
  }
  Arrays y = run.lanes(0, split);
  for (size_t i = 0; i < y.size(); ++i)
    y[i] = base::reshape(y[i], joined_shape(y[i].shape(), run.out[i]));
  return y;
}

void check_sharding(const Array& x, const NamedSharding& s) {
  static constexpr const char* who = "with_sharding_constraint";
  check_spec(s.spec, s.mesh, who);
  for (const SpecEntry& e : s.spec.entries())
    for (const std::string& name : e.names)
      for (const NamedAxis& bound : axis_env())
        if (bound.name == name)
          throw AxisNameError(fmt::format(
              "{}: a map around this call has partitioned the axis '{}' already; the array here is "
              "one lane's block. Leave it out inside shard_map",
              who, name));
  const auto name = [] { return std::string(who); };
  split_shape(x.shape(), split_axes(s.spec, s.mesh, static_cast<int>(x.ndim()), name), s.mesh,
              s.spec, name);
}

}  // namespace weft::detail

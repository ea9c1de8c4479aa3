// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/sharding/shard_map.h: shard_map: a function of one block of its arguments becomes a
// function of whole arrays, dealt out over a mesh.
#pragma once
#include "weft/tracer/callable.h"
#include "weft/transforms/sharding/mesh.h"

namespace weft {

namespace typing {
struct ShardMapOptions {
  detail::Designated by_name{detail::ByName::tag};
  // A result that out_specs do not deal out over an axis of the mesh must be the same in all its
  // lanes; false: it is that of lane 0, unchecked.
  bool check_vma = true;
};
}  // namespace typing

namespace detail {

// How a shard_map is done, whatever its types.
struct ShardMapSpec {
  sharding::Mesh mesh;
  sharding::PartitionSpecs in, out;
  typing::ShardMapOptions options;
  typing::Location at;
};
void check_shard_map(const ShardMapSpec& s);
void identify_shard_map(const ShardMapSpec& s, KeyWriter& key);
// f of the blocks of the leaves x of `args`; `result` tells the structure of what f returned last.
Arrays run_shard_map(const ShardMapSpec& s, const Arrays& x, ir::FunctionRef<tree::Skeleton()> args,
                     ir::FunctionRef<Arrays(const Arrays&)> f,
                     ir::FunctionRef<tree::Skeleton()> result);
void check_sharding(const Array& x, const sharding::NamedSharding& s);

template <class F>
class ShardMapped : public CallOperator<ShardMapped<F>, F> {
 public:
  ShardMapped(F f, ShardMapSpec s) : f_(std::move(f)), spec_(std::move(s)) {
    const ir::Source source(spec_.at);
    check_shard_map(spec_);
  }
  template <class... A>
  auto call(const std::tuple<A...>& args) const {
    using R = result_t<F, A...>;
    const ir::Source source(spec_.at);
    Flat<F, std::tuple<A...>, R> flat(f_, args);
    return flat.result(run_shard_map(spec_, tree::leaves(args), tree::detail::skeleton_of(args),
                                     flat, flat.tree()));
  }
  bool weft_identify(KeyWriter& key) const {
    identify_shard_map(spec_, key);
    return identify(f_, key);
  }

 private:
  mutable F f_;
  ShardMapSpec spec_;
};

}  // namespace detail

// f once in each lane of the mesh, on its blocks of the arguments: an axis that in_specs deal out
// over lanes is cut into that many blocks, f sees one of them, and out_specs say along which axes
// the blocks of the results are put together. The axes of the mesh have names for psum and the
// like; what is not dealt out over one is the same in its lanes. Specs are prefixes of the trees;
// one P stands for all arguments.
//
// The mesh is of this process: lanes run as those of nested maps, vmap(…, {.axis_name}), one for
// each axis of the mesh, and derivatives inside f are those of a lane, as JAX has them with
// check_vma=False: sum them over lanes where a parameter is shared.
//
// AxisNameError for names that the mesh has not, ShapeError for axes that blocks do not divide and
// specs of more entries than axes, BatchingError for specs that are no prefix, and for a result
// that lanes do not share where out_specs say so. Source: jax.shard_map.
//
//     sharding::Mesh mesh({{"data", 4}});
//     auto mean = shard_map([](Array x) { return pmean(x.mean(), "data"); }, mesh,
//                           sharding::P("data"), sharding::P());
//     mean(arange(8))  // array(3.5, dtype=float32)
template <class F>
auto shard_map(F f, sharding::Mesh mesh, sharding::PartitionSpecs in_specs,
               sharding::PartitionSpecs out_specs, typing::ShardMapOptions options = {},
               typing::Location at = typing::Location::here()) {
  return detail::ShardMapped<F>(
      std::move(f), {std::move(mesh), std::move(in_specs), std::move(out_specs), options, at});
}

namespace lax {
// x, a tree, said to lie so over a mesh. A mesh is of one process and its arrays are whole, so this
// checks that they can be dealt out so, and moves nothing: AxisNameError for names that the mesh
// has not, or that a map being applied has already dealt out; ShapeError as in shard_map. Source:
// jax.lax.with_sharding_constraint.
template <class T>
typing::arrays_t<T> with_sharding_constraint(const T& x, const sharding::NamedSharding& shardings,
                                             typing::Location at = typing::Location::here()) {
  const ir::Source source(at);
  return tree::map(
      [&](const Array& a) {
        detail::check_sharding(a, shardings);
        return a;
      },
      tree::convert<typing::arrays_t<T>>(x));
}
}  // namespace lax

}  // namespace weft

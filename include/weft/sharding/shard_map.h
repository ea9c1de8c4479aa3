// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/sharding/shard_map.h: shard_map: turns a function of one block of its arguments into
// a function of whole arrays that are partitioned over a mesh.
#pragma once
#include "weft/detail/callable.h"
#include "weft/sharding/mesh.h"

namespace weft {

namespace typing {
struct ShardMapOptions {
  detail::Designated by_name{detail::ByName::tag};
  // A result that out_specs do not partition over an axis of the mesh must be the same in all lanes
  // of that axis. False: the result of lane 0 is used without a check.
  bool check_vma = true;
};
}  // namespace typing

namespace detail {

// The type-independent description of a shard_map.
struct ShardMapSpec {
  sharding::Mesh mesh;
  sharding::PartitionSpecs in, out;
  typing::ShardMapOptions options;
  typing::Location at;
};
void check_shard_map(const ShardMapSpec& s);
void identify_shard_map(const ShardMapSpec& s, KeyWriter& key);
// Runs f on the blocks of the leaves x of `args`. `result` returns the structure of f's last
// result.
Arrays run_shard_map(const ShardMapSpec& s, const Arrays& x,
                     ir::FunctionRef<tree::detail::Skeleton()> args,
                     ir::FunctionRef<Arrays(const Arrays&)> f,
                     ir::FunctionRef<tree::detail::Skeleton()> result);
void check_sharding(const Array& x, const sharding::NamedSharding& s);

template <class F>
class ShardMapped : public CallOperator<ShardMapped<F>, F> {
 public:
  ShardMapped(F f, ShardMapSpec s) : f_(std::move(f)), spec_(std::move(s)) {
    const ir::SourceScope source(spec_.at);
    check_shard_map(spec_);
  }
  template <class... A>
  auto call(const std::tuple<A...>& args) const {
    using R = result_t<F, A...>;
    const ir::SourceScope source(spec_.at);
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

// Runs f once in each lane of the mesh, on that lane's blocks of the arguments. An axis that
// in_specs partition is cut into that many blocks, and f receives one of them. out_specs state
// along which axes the blocks of the results are concatenated. The mesh axes have names for psum
// and the other collectives. An array that is not partitioned over a mesh axis is the same in all
// its lanes. Specs are prefixes of the trees; a single P applies to all arguments.
//
// The mesh belongs to this process: its lanes are those of nested maps, vmap(…, {.axis_name}), one
// for each axis of the mesh. Derivatives inside f belong to one lane, as in JAX with
// check_vma=False; sum them over the lanes for a shared parameter.
//
// Raises AxisNameError for names that the mesh does not have. Raises ShapeError for axes that are
// not divisible by the number of blocks, and for specs with more entries than axes. Raises
// BatchingError for specs that are not a prefix, and for a result that differs between lanes where
// out_specs require one value. Source: jax.shard_map.
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
// Returns x, a tree, and checks that it can be partitioned this way over a mesh. A mesh belongs to
// one process and its arrays are whole, so no data moves. Raises AxisNameError for names that the
// mesh does not have, or that an enclosing map already partitions, and ShapeError as shard_map.
// Source: jax.lax.with_sharding_constraint.
template <class T>
typing::arrays_t<T> with_sharding_constraint(const T& x, const sharding::NamedSharding& shardings,
                                             typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  return tree::map(
      [&](const Array& a) {
        detail::check_sharding(a, shardings);
        return a;
      },
      tree::detail::convert<typing::arrays_t<T>>(x));
}
}  // namespace lax

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/vmap.h: vmap: turns a function of one example into a function of a batch.
#pragma once
#include <string>

#include "weft/detail/callable.h"
#include "weft/vmap/axes.h"

namespace weft {

namespace detail {
// A type without values: a list of it is always empty.
struct Nothing {
  explicit Nothing(ByName);
};
}  // namespace detail

namespace typing {
struct VmapOptions {
  detail::Designated by_name{detail::ByName::tag};
  // The name of the mapped axis for psum, axis_index and the other collectives.
  std::string axis_name = {};
  // The number of lanes; required if no argument is mapped.
  std::optional<int64_t> axis_size = {};
  // The mesh axis over which lanes are partitioned. Any name raises AxisNameError: the lanes of a
  // map run on one device. For a mesh use shard_map, whose lanes are maps themselves.
  std::string spmd_axis_name = {};
  // How an unmapped random key behaves inside: "same", "different" or "error".
  std::string randomness = "same";
  // The largest number of lanes that run together (0: all). jit runs all if they store nothing.
  int64_t chunk_size = 0;
  // A limit in bytes for the intermediates; the largest chunk that fits is used (0: no limit).
  int64_t memory_budget = 0;
  // Raises an error for an operation without a batching rule, instead of looping over lanes. This
  // includes operations that are always mapped by such a loop: callbacks, custom_call and
  // sequential_vmap.
  bool strict = false;
};
}  // namespace typing

namespace detail {

// The type-independent description of a map.
struct VmapSpec {
  Axes in, out;
  typing::VmapOptions options;
  typing::Location at;
  bool warn = true;  // logs a warning for an operation without a batching rule
};
void check_vmap_options(const VmapSpec& s);
void identify_vmap(const VmapSpec& s, KeyWriter& key);
// Maps f over the leaves x of `args`. `result` returns the structure of f's last result.
Arrays run_vmap(const VmapSpec& s, const Arrays& x, ir::FunctionRef<tree::detail::Skeleton()> args,
                ir::FunctionRef<Arrays(const Arrays&)> f,
                ir::FunctionRef<tree::detail::Skeleton()> result);

template <class F>
class Vmapped : public CallOperator<Vmapped<F>, F> {
 public:
  Vmapped(F f, VmapSpec s) : f_(std::move(f)), spec_(std::move(s)) {
    const ir::SourceScope source(spec_.at);
    check_vmap_options(spec_);
  }
  template <class... P>
  auto call(const std::tuple<P...>& args) const {
    using R = result_t<F, P...>;
    const ir::SourceScope source(spec_.at);
    Flat<F, std::tuple<P...>, R> flat(f_, args);
    const Arrays out =
        run_vmap(spec_, tree::leaves(args), tree::detail::skeleton_of(args), flat, flat.tree());
    return flat.result(out);
  }
  bool weft_identify(KeyWriter& key) const {
    identify_vmap(spec_, key);
    return identify(f_, key);
  }

 private:
  mutable F f_;
  VmapSpec spec_;
};

// Axes as a non-deduced parameter type. GCC accepts {.chunk_size = 2} for axes as well as for
// options, and prefers the overload that deduces more.
template <class F>
struct AxesFor {
  using type = Axes;
};
template <class F>
using AxesOf = typename AxesFor<F>::type;

}  // namespace detail

// Maps f over the axes in_axes of its arguments; the results have the lanes on out_axes. Axes are
// prefixes of the trees of arguments, as in {0, none}. An argument with the axis `none` is the same
// for all lanes. f receives arguments without the mapped axis. Maps nest. Options are the fourth
// argument, vmap(f, 0, 0, {.axis_name = "i"}). Raises BatchingError for axes that do not match, for
// sizes that differ, and for out_axes of `none` if the lanes have different results. Source:
// jax.vmap.
//
//     vmap(dot)(array({{1, 2}, {3, 4}}), array({{1, 1}, {2, 2}}))  // array([ 3, 14], dtype=int32)
template <class F = typing::BinaryFunction>
auto vmap(F f, detail::AxesOf<F> in_axes = 0, detail::AxesOf<F> out_axes = 0,
          typing::VmapOptions options = {}, typing::Location at = typing::Location::here()) {
  return detail::Vmapped<F>(std::move(f),
                            {std::move(in_axes), std::move(out_axes), std::move(options), at});
}
// The same for a name that <cmath> also declares: vmap(tanh).
template <class F = typing::UnaryFunction>
  requires std::same_as<F, typing::UnaryFunction>
auto vmap(F f, detail::AxesOf<F> in_axes = 0, detail::AxesOf<F> out_axes = 0,
          typing::VmapOptions options = {}, typing::Location at = typing::Location::here()) {
  return detail::Vmapped<F>(f, {std::move(in_axes), std::move(out_axes), std::move(options), at});
}
// With this overload {} means axis 0, not options.
template <class F>
auto vmap(F f, std::initializer_list<detail::Nothing>,
          typing::Location at = typing::Location::here()) {
  return vmap(std::move(f), Axes(0), Axes(0), typing::VmapOptions{}, at);
}
template <class F>
auto vmap(F f, Axes in_axes, std::initializer_list<detail::Nothing>,
          typing::Location at = typing::Location::here()) {
  return vmap(std::move(f), std::move(in_axes), Axes(0), typing::VmapOptions{}, at);
}
template <class F>
auto vmap(F f, std::initializer_list<detail::Nothing>, std::initializer_list<detail::Nothing>,
          typing::Location at = typing::Location::here()) {
  return vmap(std::move(f), Axes(0), Axes(0), typing::VmapOptions{}, at);
}
// Options are the fourth argument. Compilers show these lines in their errors.
template <class F>
void vmap(F f, typing::VmapOptions) = delete;  // write vmap(f, 0, 0, {.chunk_size = 2})
template <class F>
void vmap(F f, Axes, typing::VmapOptions) = delete;  // write vmap(f, 0, 0, {.chunk_size = 2})

}  // namespace weft

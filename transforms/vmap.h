// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/vmap.h: vmap: a function of one example becomes a function of a batch.
#pragma once
#include <string>

#include "weft/batching/axes.h"
#include "weft/tracer/callable.h"

namespace weft {

namespace detail {
// Cannot be made: a list of it is empty.
struct Nothing {
  explicit Nothing(ByName);
};
}  // namespace detail

namespace typing {
struct VmapOptions {
  detail::Designated by_name{detail::ByName::tag};
  // The name under which psum, axis_index and the like know the mapped axis.
  std::string axis_name = {};
  // The number of lanes; needed where no argument is mapped.
  std::optional<int64_t> axis_size = {};
  // The axis of a mesh that the lanes are spread over: AxisNameError, as a map's lanes are on one
  // device, and those of a mesh are maps themselves (shard_map).
  std::string spmd_axis_name = {};
  // What an unmapped random key does inside: "same", "different" or "error".
  std::string randomness = "same";
  // At most so many lanes at a time (0: all).
  int64_t chunk_size = 0;
  // Bytes of intermediates; the largest chunk that fits is taken (0: no limit).
  int64_t memory_budget = 0;
  // An operation without a batching rule is an error rather than a loop over lanes; so is what is
  // mapped by such a loop: callbacks, custom_call, sequential_vmap.
  bool strict = false;
};
}  // namespace typing

namespace detail {

// How a map is done, whatever its types.
struct VmapSpec {
  Axes in, out;
  typing::VmapOptions options;
  typing::Location at;
  bool warn = true;  // log an operation without a batching rule
};
void check_vmap_options(const VmapSpec& s);
void identify_vmap(const VmapSpec& s, KeyWriter& key);
// f mapped over the leaves x of `args`; `result` tells the structure of what f returned last.
Arrays run_vmap(const VmapSpec& s, const Arrays& x, ir::FunctionRef<tree::Skeleton()> args,
                ir::FunctionRef<Arrays(const Arrays&)> f, ir::FunctionRef<tree::Skeleton()> result);

template <class F>
class Vmapped : public CallOperator<Vmapped<F>, F> {
 public:
  Vmapped(F f, VmapSpec s) : f_(std::move(f)), spec_(std::move(s)) {
    const ir::Source source(spec_.at);
    check_vmap_options(spec_);
  }
  template <class... P>
  auto call(const std::tuple<P...>& args) const {
    using R = result_t<F, P...>;
    const ir::Source source(spec_.at);
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

// Axes, in a form that nothing is deduced from: GCC takes {.chunk_size = 2} for axes as well as for
// options, and then the function of which it deduces more is the one.
template <class F>
struct AxesFor {
  using type = Axes;
};
template <class F>
using AxesOf = typename AxesFor<F>::type;

}  // namespace detail

// f mapped over the axes in_axes of its arguments; the lanes stand at out_axes of the results. Axes
// are prefixes of the trees, as {0, none}: what is none is the same for all lanes, and f sees
// arguments without the mapped axis. vmaps nest. Options are the fourth argument, vmap(f, 0, 0,
// {.axis_name = "i"}). BatchingError for axes that do not fit, sizes that differ, and out_axes none
// of a result that the lanes do not share. Source: jax.vmap.
//
//     vmap(dot)(array({{1, 2}, {3, 4}}), array({{1, 1}, {2, 2}}))  // array([ 3, 14], dtype=int32)
template <class F = typing::BinaryFunction>
auto vmap(F f, detail::AxesOf<F> in_axes = 0, detail::AxesOf<F> out_axes = 0,
          typing::VmapOptions options = {}, typing::Location at = typing::Location::here()) {
  return detail::Vmapped<F>(std::move(f),
                            {std::move(in_axes), std::move(out_axes), std::move(options), at});
}
// The same for a name that <cmath> has, too: vmap(tanh).
template <class F = typing::UnaryFunction>
  requires std::same_as<F, typing::UnaryFunction>
auto vmap(F f, detail::AxesOf<F> in_axes = 0, detail::AxesOf<F> out_axes = 0,
          typing::VmapOptions options = {}, typing::Location at = typing::Location::here()) {
  return detail::Vmapped<F>(f, {std::move(in_axes), std::move(out_axes), std::move(options), at});
}
// {} means 0, not options.
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
// Options are the fourth argument; the lines are what compilers show.
template <class F>
void vmap(F f, typing::VmapOptions) = delete;  // write vmap(f, 0, 0, {.chunk_size = 2})
template <class F>
void vmap(F f, Axes, typing::VmapOptions) = delete;  // write vmap(f, 0, 0, {.chunk_size = 2})

}  // namespace weft

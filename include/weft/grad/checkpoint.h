// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/grad/checkpoint.h: checkpoint: derivatives that use less memory by recomputing
// values, and the list of residuals that a derivative stores.
#pragma once
#include <string>
#include <string_view>

#include "weft/detail/callable.h"
#include "weft/grad.h"
#include "weft/grad/checkpoint_policy.h"

namespace weft {

namespace typing {
struct CheckpointOptions {
  // Selects the intermediate values of f that may be stored for its derivative
  // (checkpoint_policies).
  CheckpointPolicy policy = checkpoint_policies::nothing_saveable;
  // Prevents recomputed values from being merged with those of the first run, which would then have
  // to be stored. It may be false if f is the body of a scan, whose forward and backward loops are
  // compiled separately. True costs nothing there.
  bool prevent_cse = true;
};

// A residual that a derivative stores: its type and its origin.
struct SavedResidual {
  Type type;
  std::string source;  // "from the argument args[0]", "named 'a' from file.cpp:12", …
};
}  // namespace typing

namespace detail {
using FlatFunction = ir::FunctionRef<Arrays(const Arrays&)>;
using TreeOf = ir::FunctionRef<tree::detail::Skeleton()>;
Arrays run_checkpoint(FlatFunction f, const typing::CheckpointOptions& o, const Arrays& x,
                      TreeOf args);
Array name_leaf(const Array& x, const std::string& name);
std::vector<typing::SavedResidual> residuals_of(FlatFunction f, const Arrays& x, TreeOf args);
void print_residuals(const std::vector<typing::SavedResidual>& r);

template <class F>
class Checkpoint : public CallOperator<Checkpoint<F>, F> {
 public:
  Checkpoint(F f, typing::CheckpointOptions o, typing::Location at)
      : f_(std::move(f)), o_(std::move(o)), at_(at) {}
  template <class... P>
  auto call(const std::tuple<P...>& args) const {
    const ir::SourceScope source(at_);
    Flat<F, std::tuple<P...>, result_t<F, P...>> flat(f_, args);
    return flat.result(
        run_checkpoint(flat, o_, tree::leaves(args), tree::detail::skeleton_of(args)));
  }
  bool weft_identify(KeyWriter& key) const {
    key.add_static(o_.policy.text());
    key.add_static(o_.prevent_cse);
    return identify(f_, key);
  }

 private:
  mutable F f_;
  typing::CheckpointOptions o_;
  typing::Location at_;
};

}  // namespace detail

// Returns f with the same values. Its derivative recomputes the intermediate values that it needs
// instead of storing them. It stores only the arguments, the captures of f and the values that the
// policy selects.
//
// f may take and return any trees. It may be mapped, differentiated any number of times, compiled,
// and used in loops and branches. A gradient of a scan of n > 64 steps whose body is a checkpoint
// that stores nothing keeps about 2 sqrt(n) carries instead of n. Ordered effects (debug_print)
// happen only in the first run. Source: jax.checkpoint. PyTorch: torch.utils.checkpoint.checkpoint
// (use_reentrant = False). TensorFlow: tf.recompute_grad.
template <class F>
auto checkpoint(F f, typing::CheckpointOptions options = {},
                typing::Location at = typing::Location::here()) {
  return detail::Checkpoint<F>(std::move(f), std::move(options), at);
}
// Another name for checkpoint. Source: jax.remat.
template <class F>
auto remat(F f, typing::CheckpointOptions options = {},
           typing::Location at = typing::Location::here()) {
  return detail::Checkpoint<F>(std::move(f), std::move(options), at);
}

// Returns x, any tree, unchanged. Its arrays get the name by which the policies of an enclosing
// checkpoint select them. Source: jax.ad_checkpoint.checkpoint_name.
template <class T>
typing::arrays_t<T> checkpoint_name(const T& x, std::string_view name,
                                    typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  const typing::arrays_t<T> t = tree::detail::convert<typing::arrays_t<T>>(x);
  Arrays out = tree::leaves(t);
  for (Array& a : out) a = detail::name_leaf(a, std::string(name));
  return tree::detail::rebuild(t, out.data());
}

// Returns the residuals that linearize(f, args…), and so each gradient, stores. The arguments are
// first, followed by the intermediate values in the order in which f computes them. Source:
// jax.ad_checkpoint.saved_residuals.
template <class F, class... A>
std::vector<typing::SavedResidual> saved_residuals(F f, const A&... a) {
  const auto args = detail::arguments<F>(a...);
  using Args = std::remove_const_t<decltype(args)>;
  detail::Flat<F, Args, typename detail::ResultOf<F, Args>::type> flat(f, args);
  return detail::residuals_of(flat, tree::leaves(args), tree::detail::skeleton_of(args));
}
// Prints the saved residuals to the standard output, one per line: "f32[3] named 'a' from
// file.cpp:12". Source: jax.ad_checkpoint.print_saved_residuals.
template <class F, class... A>
void print_saved_residuals(F f, const A&... a) {
  detail::print_residuals(saved_residuals(f, a...));
}
namespace typing {
// "f32[3] from the argument args[0]"
std::string to_string(const SavedResidual& r);
// One residual per line.
std::string to_string(const std::vector<SavedResidual>& r);
}  // namespace typing
// Both are found without weft::typing too.
using typing::to_string;

}  // namespace weft

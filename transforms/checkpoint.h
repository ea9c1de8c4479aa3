// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/checkpoint.h: checkpoint: less memory for a derivative, for computing twice; and what
// a derivative keeps.
#pragma once
#include <string>
#include <string_view>

#include "weft/autodiff/grad.h"
#include "weft/ops/control/remat/policy.h"
#include "weft/tracer/callable.h"

namespace weft {

namespace typing {
struct CheckpointOptions {
  // Which values that f makes may be kept for its derivative (checkpoint_policies).
  CheckpointPolicy policy = checkpoint_policies::nothing_saveable;
  // What is computed again is not merged with what the first run computed, which would have to be
  // kept after all. False where f stands in the body of a scan, whose loops there and back are
  // compiled apart; nothing is lost there if it is true.
  bool prevent_cse = true;
};

// What a derivative keeps of its function: a type, and where it comes from.
struct SavedResidual {
  Type type;
  std::string source;  // "from the argument args[0]", "named 'a' from file.cpp:12", …
};
}  // namespace typing

namespace detail {
using FlatFunction = ir::FunctionRef<Arrays(const Arrays&)>;
using TreeOf = ir::FunctionRef<tree::Skeleton()>;
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
    const ir::Source source(at_);
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

// f, whose values are the same, and whose derivative computes again what it needs of them, rather
// than to keep it from the first run: of what f makes only what the policy saves is kept, beside
// the arguments (and what f captures). f may take and return any trees, and may be mapped,
// differentiated any number of times, compiled, and stand in loops and branches. The gradient of a
// scan whose body is a checkpoint that keeps nothing holds about 2 sqrt(n) of the carries of its n
// steps, not n, if n is above 64. Ordered effects (debug_print) happen in the first run alone.
// Source: jax.checkpoint. PyTorch: torch.utils.checkpoint.checkpoint (use_reentrant = False).
// TensorFlow: tf.recompute_grad.
template <class F>
auto checkpoint(F f, typing::CheckpointOptions options = {},
                typing::Location at = typing::Location::here()) {
  return detail::Checkpoint<F>(std::move(f), std::move(options), at);
}
// Another name of checkpoint. Source: jax.remat.
template <class F>
auto remat(F f, typing::CheckpointOptions options = {},
           typing::Location at = typing::Location::here()) {
  return detail::Checkpoint<F>(std::move(f), std::move(options), at);
}

// x, any tree, unchanged; each of its arrays has the name by which policies of a checkpoint around
// it can tell it. Source: jax.ad_checkpoint.checkpoint_name.
template <class T>
typing::arrays_t<T> checkpoint_name(const T& x, std::string_view name,
                                    typing::Location at = typing::Location::here()) {
  const ir::Source source(at);
  const typing::arrays_t<T> t = tree::convert<typing::arrays_t<T>>(x);
  Arrays out = tree::leaves(t);
  for (Array& a : out) a = detail::name_leaf(a, std::string(name));
  return tree::rebuild(t, out.data());
}

// What linearize(f, args…), and so each gradient, keeps of f: the arguments first, then what f
// makes, in the order in which it does. Source: jax.ad_checkpoint.saved_residuals.
template <class F, class... A>
std::vector<typing::SavedResidual> saved_residuals(F f, const A&... a) {
  const auto args = detail::arguments<F>(a...);
  using Args = std::remove_const_t<decltype(args)>;
  detail::Flat<F, Args, typename detail::ResultOf<F, Args>::type> flat(f, args);
  return detail::residuals_of(flat, tree::leaves(args), tree::detail::skeleton_of(args));
}
// Prints them to the standard output, one a line: "f32[3] named 'a' from file.cpp:12".
// Source: jax.ad_checkpoint.print_saved_residuals.
template <class F, class... A>
void print_saved_residuals(F f, const A&... a) {
  detail::print_residuals(saved_residuals(f, a...));
}
namespace typing {
// "f32[3] from the argument args[0]"
std::string to_string(const SavedResidual& r);
// One a line.
std::string to_string(const std::vector<SavedResidual>& r);
}  // namespace typing
// Both are found without weft::typing, too.
using typing::to_string;

}  // namespace weft

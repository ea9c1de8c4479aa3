// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/grad/checkpoint_policy.h: decides which values a checkpoint keeps for its
// derivative, and which it recomputes.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "weft/detail/jaxpr.h"

namespace weft {

namespace typing {
// The policies without parameters, as named in checkpoint_policies.
enum class CheckpointRule {
  everything_saveable,
  nothing_saveable,
  dots_saveable,
  dots_with_no_batch_dims_saveable,
  save_only_these_names,
  save_any_names_but_these,
  save_anything_except_these_names,
};
}  // namespace typing

// States for each value in a checkpointed function if the value may be kept. The derivative keeps
// the values that it needs among these, and recomputes all others from them and from the arguments.
// The functions and constants of weft::checkpoint_policies make policies.
class CheckpointPolicy {
 public:
  CheckpointPolicy() = default;  // nothing_saveable
  CheckpointPolicy(typing::CheckpointRule rule, ir::Strings names = {});
  // Returns the policy that keeps a value if either policy keeps it.
  CheckpointPolicy either(const CheckpointPolicy& other) const;
  // Returns true if the results of the equation may be kept. excluded: a later equation gives them
  // a name that save_anything_except_these_names lists.
  bool saves(const ir::Eqn& e, bool excluded = false) const;
  // Returns true if the equation is a `name` that gives its value such a name.
  bool excludes(const ir::Eqn& e) const;

  // The policy as text. "None" is nothing_saveable, as JAX prints it. Other examples are
  // "dots_saveable" and "save_only_these_names(a,b)"; several policies are joined by "|".
  std::string text() const;
  static std::optional<CheckpointPolicy> read(const std::string& text);
  friend bool operator==(const CheckpointPolicy&, const CheckpointPolicy&) = default;

 private:
  struct Term {
    typing::CheckpointRule rule;
    ir::Strings names;
    friend bool operator==(const Term&, const Term&) = default;
  };
  std::vector<Term> terms_;
};

// Source: jax.checkpoint_policies.
namespace checkpoint_policies {

// Keeps all values that the derivative needs, as if there were no checkpoint.
// Source: jax.checkpoint_policies.everything_saveable.
inline constexpr typing::CheckpointRule everything_saveable =
    typing::CheckpointRule::everything_saveable;
// Keeps only the arguments and recomputes everything else. This is the default of checkpoint.
// Source: jax.checkpoint_policies.nothing_saveable.
inline constexpr typing::CheckpointRule nothing_saveable = typing::CheckpointRule::nothing_saveable;
// Keeps the results of matrix products and of convolutions (dot_general, conv_general_dilated),
// which are expensive to recompute. Source: jax.checkpoint_policies.dots_saveable.
inline constexpr typing::CheckpointRule dots_saveable = typing::CheckpointRule::dots_saveable;
// Another name for dots_saveable. Source: jax.checkpoint_policies.checkpoint_dots.
inline constexpr typing::CheckpointRule checkpoint_dots = typing::CheckpointRule::dots_saveable;
// Keeps the results of matrix products without batch axes. In a network these are the products with
// weights, not those of attention, whose results grow with the batch.
// Source: jax.checkpoint_policies.dots_with_no_batch_dims_saveable.
inline constexpr typing::CheckpointRule dots_with_no_batch_dims_saveable =
    typing::CheckpointRule::dots_with_no_batch_dims_saveable;
// Another name for dots_with_no_batch_dims_saveable.
// Source: jax.checkpoint_policies.checkpoint_dots_with_no_batch_dims.
inline constexpr typing::CheckpointRule checkpoint_dots_with_no_batch_dims =
    typing::CheckpointRule::dots_with_no_batch_dims_saveable;

// Keeps only the values that checkpoint_name gave one of these names.
// Source: jax.checkpoint_policies.save_only_these_names.
template <class... S>
CheckpointPolicy save_only_these_names(const S&... names) {
  return {typing::CheckpointRule::save_only_these_names, {std::string(names)...}};
}
// Keeps only the values that checkpoint_name gave any other name.
// Source: jax.checkpoint_policies.save_any_names_but_these.
template <class... S>
CheckpointPolicy save_any_names_but_these(const S&... names) {
  return {typing::CheckpointRule::save_any_names_but_these, {std::string(names)...}};
}
// Keeps all values except those that checkpoint_name gave one of these names. (JAX 0.10 keeps these
// values too, contrary to its documentation.)
// Source: jax.checkpoint_policies.save_anything_except_these_names.
template <class... S>
CheckpointPolicy save_anything_except_these_names(const S&... names) {
  return {typing::CheckpointRule::save_anything_except_these_names, {std::string(names)...}};
}
// Keeps the values that either policy keeps.
// Source: jax.checkpoint_policies.save_from_both_policies.
inline CheckpointPolicy save_from_both_policies(const CheckpointPolicy& a,
                                                const CheckpointPolicy& b) {
  return a.either(b);
}

}  // namespace checkpoint_policies
}  // namespace weft

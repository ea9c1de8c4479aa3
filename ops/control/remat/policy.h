// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/remat/policy.h: which values a checkpoint keeps for its derivative, and which it
// computes again.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "weft/core/jaxpr.h"

namespace weft {

namespace typing {
// The policies without parameters, as checkpoint_policies calls them.
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

// Says of each value that a checkpointed function makes whether it may be kept. Of those, the ones
// that the derivative needs are kept; all else it needs is computed again from them and from the
// arguments. Made by the functions and constants of weft::checkpoint_policies.
class CheckpointPolicy {
 public:
  CheckpointPolicy() = default;  // nothing_saveable
  CheckpointPolicy(typing::CheckpointRule rule, ir::Strings names = {});
  // A value is kept if either says so.
  CheckpointPolicy either(const CheckpointPolicy& other) const;
  // Whether the results of the equation may be kept. excluded: they are given a name that
  // save_anything_except_these_names lists.
  bool saves(const ir::Eqn& e, bool excluded = false) const;
  // Whether the equation, a `name`, gives its value such a name.
  bool excludes(const ir::Eqn& e) const;

  // "None" is nothing_saveable, as JAX prints it; else "dots_saveable" or
  // "save_only_these_names(a,b)", several joined by "|".
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

// Keeps all that the derivative needs, as if there were no checkpoint.
// Source: jax.checkpoint_policies.everything_saveable.
inline constexpr typing::CheckpointRule everything_saveable =
    typing::CheckpointRule::everything_saveable;
// Keeps the arguments alone and computes all else again: what checkpoint does by default.
// Source: jax.checkpoint_policies.nothing_saveable.
inline constexpr typing::CheckpointRule nothing_saveable = typing::CheckpointRule::nothing_saveable;
// Keeps the results of products of matrices and of convolutions (dot_general,
// conv_general_dilated): what is dear to compute again. Source:
// jax.checkpoint_policies.dots_saveable.
inline constexpr typing::CheckpointRule dots_saveable = typing::CheckpointRule::dots_saveable;
// Another name of it. Source: jax.checkpoint_policies.checkpoint_dots.
inline constexpr typing::CheckpointRule checkpoint_dots = typing::CheckpointRule::dots_saveable;
// Keeps the results of products of matrices without batch axes: in a network those of weights, and
// not those of attention, which are as large as their batch.
// Source: jax.checkpoint_policies.dots_with_no_batch_dims_saveable.
inline constexpr typing::CheckpointRule dots_with_no_batch_dims_saveable =
    typing::CheckpointRule::dots_with_no_batch_dims_saveable;
// Another name of it. Source: jax.checkpoint_policies.checkpoint_dots_with_no_batch_dims.
inline constexpr typing::CheckpointRule checkpoint_dots_with_no_batch_dims =
    typing::CheckpointRule::dots_with_no_batch_dims_saveable;

// Keeps the values that checkpoint_name gave one of these names, and nothing else.
// Source: jax.checkpoint_policies.save_only_these_names.
template <class... S>
CheckpointPolicy save_only_these_names(const S&... names) {
  return {typing::CheckpointRule::save_only_these_names, {std::string(names)...}};
}
// Keeps the values that checkpoint_name gave any other name, and nothing else.
// Source: jax.checkpoint_policies.save_any_names_but_these.
template <class... S>
CheckpointPolicy save_any_names_but_these(const S&... names) {
  return {typing::CheckpointRule::save_any_names_but_these, {std::string(names)...}};
}
// Keeps any value but those that checkpoint_name gave one of these names (JAX 0.10 keeps these,
// too, whatever it says). Source: jax.checkpoint_policies.save_anything_except_these_names.
template <class... S>
CheckpointPolicy save_anything_except_these_names(const S&... names) {
  return {typing::CheckpointRule::save_anything_except_these_names, {std::string(names)...}};
}
// Keeps what either of the two keeps. Source: jax.checkpoint_policies.save_from_both_policies.
inline CheckpointPolicy save_from_both_policies(const CheckpointPolicy& a,
                                                const CheckpointPolicy& b) {
  return a.either(b);
}

}  // namespace checkpoint_policies
}  // namespace weft

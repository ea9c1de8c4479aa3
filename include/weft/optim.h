// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/optim.h: weft::optim: optimizers as pairs of init and update over trees, with
// optax's names, formulas and defaults.
//
//     const auto adam = optim::adam(1e-3);
//     optim::OptState<Params> state = adam.init(params);
//     auto [updates, next] = adam.update(grads, state, params);
//     params = optim::apply_updates(params, updates);
//
// The state is a tree, so a step can be compiled, mapped and given donated buffers like any
// function: jit(step, {.donate_argnums = {0, 1}}). A hyperparameter is a number or an Array. If it
// is an argument of the step, as in adam(lr) inside the step, it can change without another
// compilation. The same holds for the value of a schedule.
//
// Below, p is a leaf of the parameters and g is the matching leaf of the updates, at first the
// gradients. t is the number of this step, starting at 1.
#pragma once
#include "weft/detail/ref.h"
#include "weft/optim/schedules.h"
#include "weft/tree.h"

namespace weft::optim {

// The state of an optimizer for parameters of type P; all optimizers use this type. A chain has the
// entries of its parts one after another.
template <class P>
struct OptState {
  std::vector<Array> counts;  // I32: the number of steps done, for each part that counts steps
  std::vector<P> moments;     // trees like the parameters: means, squares, traces
};

namespace detail {

using Paths = ir::FunctionRef<std::vector<std::string>(const std::string& root)>;
// The members of a chain (functions/optim/kit.h).
using PartsRef = ir::Ref<const ir::RefCounted>;
PartsRef joined(const std::vector<PartsRef>& all);

struct FlatState {
  Arrays counts;
  std::vector<Arrays> moments;
};
FlatState init(const PartsRef& parts, const Arrays& params);
// Applies the parts to the updates. params: null if they were not given.
void update(const PartsRef& parts, Arrays* updates, const Arrays* params, FlatState* state,
            Paths paths);
// Raises ShapeError unless a state has the entries of these parts.
void require_own_state(const PartsRef& parts, size_t counts, size_t moments);
// Raises ShapeError unless the leaves of b have the shapes of a's leaves, and names the first one
// that differs.
void require_shapes(const char* who, const Arrays& a, const Arrays& b, const char* what,
                    Paths paths);
Arrays apply_updates(const Arrays& params, const Arrays& updates, Paths paths);
Array global_norm(const Arrays& x);

template <class A, class B>
void require_structure(const char* who, const A& a, const B& b, const char* name_a,
                       const char* name_b) {
  tree::detail::require_structure(who, tree::detail::skeleton(a), tree::detail::skeleton(b), name_a,
                                  name_b);
}

}  // namespace detail

// params → state: makes the initial state, a tree.
class InitFn {
 public:
  explicit InitFn(detail::PartsRef parts) : parts_(std::move(parts)) {}
  template <class P>
  OptState<P> operator()(const P& params, typing::Location at = typing::Location::here()) const {
    const ir::SourceScope source(at);
    detail::FlatState s = detail::init(parts_, tree::leaves(params));
    OptState<P> r{std::move(s.counts), {}};
    for (const Arrays& m : s.moments) r.moments.push_back(tree::detail::rebuild(params, m.data()));
    return r;
  }
  const detail::PartsRef& parts() const { return parts_; }

 private:
  detail::PartsRef parts_;
};

// (updates, state, params) → (updates, state). params may be omitted if no part uses them; weight
// decay does. Raises ShapeError for the state of another optimizer, trees of different structure,
// and leaves of other shapes.
class UpdateFn {
 public:
  explicit UpdateFn(detail::PartsRef parts) : parts_(std::move(parts)) {}
  template <class P>
  std::pair<P, OptState<P>> operator()(const P& updates, const OptState<P>& state, const P& params,
                                       typing::Location at = typing::Location::here()) const {
    const ir::SourceScope source(at);
    detail::require_structure("optim: update", params, updates, "params", "updates");
    const Arrays leaves = tree::leaves(params);
    return step(updates, state, &leaves);
  }
  template <class P>
  std::pair<P, OptState<P>> operator()(const P& updates, const OptState<P>& state,
                                       typing::Location at = typing::Location::here()) const {
    const ir::SourceScope source(at);
    return step(updates, state, nullptr);
  }

 private:
  template <class P>
  std::pair<P, OptState<P>> step(const P& updates, const OptState<P>& state,
                                 const Arrays* params) const {
    const auto paths = [&](const std::string& root) {
      return tree::detail::paths(tree::detail::skeleton(updates), root);
    };
    detail::require_own_state(parts_, state.counts.size(), state.moments.size());
    Arrays leaves = tree::leaves(updates);
    if (params) detail::require_shapes("optim: update", *params, leaves, "parameter", paths);
    detail::FlatState f{state.counts, {}};
    for (const P& m : state.moments) {
      detail::require_structure("optim: update", m, updates, "state", "updates");
      f.moments.push_back(tree::leaves(m));
      detail::require_shapes("optim: update", f.moments.back(), leaves, "state", paths);
    }
    detail::update(parts_, &leaves, params, &f, paths);
    OptState<P> r{std::move(f.counts), {}};
    for (const Arrays& m : f.moments) r.moments.push_back(tree::detail::rebuild(updates, m.data()));
    return {tree::detail::rebuild(updates, leaves.data()), std::move(r)};
  }
  detail::PartsRef parts_;
};

// An optimizer or a part of one. auto [init, update] = adam(1e-3) decomposes it. Copies share its
// contents.
struct GradientTransformation {
  InitFn init;
  UpdateFn update;
  explicit GradientTransformation(const detail::PartsRef& parts) : init(parts), update(parts) {}
};

// ---- application of updates

// Returns p + update in the dtype of p. Raises ShapeError for trees of different structure or
// shapes. Source: optax.apply_updates.
template <class P>
P apply_updates(const P& params, const P& updates, typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  detail::require_structure("apply_updates", params, updates, "params", "updates");
  const auto paths = [&](const std::string& root) {
    return tree::detail::paths(tree::detail::skeleton(params), root);
  };
  return tree::detail::rebuild(
      params, detail::apply_updates(tree::leaves(params), tree::leaves(updates), paths).data());
}

// Returns the square root of the sum of |x|² over all elements of all leaves: a scalar in the
// leaves' common dtype. Source: optax.global_norm.
template <class T>
Array global_norm(const T& tree, typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  return detail::global_norm(tree::leaves(tree));
}

// ---- selection of leaves

// A mask of leaves: one bool per leaf in the order of the leaves, or a predicate f(leaf) or f(leaf,
// path). path is the path of the leaf below the tree, "layers[0].w":
//     adamw(1e-3, {.mask = [](const Array& p) { return p.ndim() > 1; }})   // matrices decay
class LeafMask {
 public:
  LeafMask() = default;  // all
  LeafMask(const tree::Mask& bits) : given_(true), bits_(bits) {}
  LeafMask(std::initializer_list<bool> bits) : given_(true), bits_(bits) {}
  template <class F>
    requires std::is_invocable_r_v<bool, const F&, const Array&, const std::string&>
  LeafMask(F f) : by_path_(true), f_(std::move(f)) {}
  template <class F>
    requires std::is_invocable_r_v<bool, const F&, const Array&>
  LeafMask(F f) : f_([f](const Array& x, const std::string&) { return bool(f(x)); }) {}
  // Returns one bool per leaf. Raises ShapeError if the number of bools differs.
  std::vector<bool> of(const char* who, const Arrays& leaves, detail::Paths paths) const;

 private:
  bool given_ = false, by_path_ = false;
  tree::Mask bits_;
  ir::Function<bool(const Array&, const std::string&)> f_;
};

// ---- parts

// Returns the updates unchanged. Source: optax.identity.
GradientTransformation identity();

// Chains parts: each part gets the updates of the previous one. Source: optax.chain.
template <std::same_as<GradientTransformation>... T>
GradientTransformation chain(const T&... parts) {
  return GradientTransformation(detail::joined({parts.init.parts()...}));
}
GradientTransformation chain(const std::vector<GradientTransformation>& parts);

// Returns step_size · g. Source: optax.scale.
GradientTransformation scale(const Array& step_size);

// Returns f(t - 1) · g in the dtype of g. Source: optax.scale_by_schedule.
GradientTransformation scale_by_schedule(const Schedule& f);

struct LearningRateOptions {
  bool flip_sign = true;  // descends
};
// Returns −rate · g; a schedule gives the rate of the step. Source: optax.scale_by_learning_rate.
GradientTransformation scale_by_learning_rate(const ScalarOrSchedule& learning_rate,
                                              const LearningRateOptions& o = {});

// Returns g with each element clipped to [−max_delta, max_delta]. Source: optax.clip.
GradientTransformation clip(const Array& max_delta);

// Returns g · max_norm / n if n = global_norm(updates) is at least max_norm, else g. Source:
// optax.clip_by_global_norm.
GradientTransformation clip_by_global_norm(const Array& max_norm);

struct DecayOptions {
  LeafMask mask = {};  // the leaves that decay; default: all
};
// Returns g + weight_decay · p. Raises ShapeError unless update gets the parameters. Source:
// optax.add_decayed_weights.
GradientTransformation add_decayed_weights(const ScalarOrSchedule& weight_decay = 0.,
                                           const DecayOptions& o = {});

struct TraceOptions {
  // Uses the lookahead update g + decay m with the new m.
  bool nesterov = false;
  // dtype of the state; default: that of the parameters
  std::optional<DType> accumulator_dtype = {};
};
// Updates m = g + decay · m and returns m; with nesterov it returns g + decay · m for the new m.
// Source: optax.trace.
GradientTransformation trace(const Array& decay, const TraceOptions& o = {});

struct ScaleByAdamOptions {
  Array b1 = 0.9, b2 = 0.999;          // the decay rates of the means
  Array eps = 1e-8, eps_root = 0.;     // added to the root, and under the root
  std::optional<DType> mu_dtype = {};  // dtype of m; default: that of the parameters
  bool nesterov = false;               // Nadam: uses the lookahead update
};
// Updates m = b1 m + (1 − b1) g and v = b2 v + (1 − b2) |g|². Returns m̂ / (√(v̂ + eps_root) +
// eps), with m̂ = m / (1 − b1^t) and v̂ = v / (1 − b2^t). Source: optax.scale_by_adam.
GradientTransformation scale_by_adam(const ScaleByAdamOptions& o = {});

struct ScaleByLionOptions {
  // the decay of the mean whose sign is returned, and that of the stored mean
  Array b1 = 0.9, b2 = 0.99;
  std::optional<DType> mu_dtype = {};  // dtype of m; default: that of the parameters
};
// Returns sign(b1 m + (1 − b1) g) and updates m = b2 m + (1 − b2) g. Source: optax.scale_by_lion.
GradientTransformation scale_by_lion(const ScaleByLionOptions& o = {});

struct ScaleByRmsOptions {
  Array decay = 0.9;             // the decay rate of the means
  Array eps = 1e-8;              // added to v
  Array initial_scale = 0.;      // the initial v
  bool eps_in_sqrt = true;       // false: eps is added to √v
  bool bias_correction = false;  // uses v / (1 − decay^t) instead of v
};
// Updates v = decay v + (1 − decay) |g|² and returns g / √(v + eps). Source: optax.scale_by_rms.
GradientTransformation scale_by_rms(const ScaleByRmsOptions& o = {});
// Also updates m = decay m + (1 − decay) g, and returns g / √(v − |m|² + eps). Source:
// optax.scale_by_stddev.
GradientTransformation scale_by_stddev(const ScaleByRmsOptions& o = {});

struct ScaleByRssOptions {
  Array initial_accumulator_value = 0.1;  // the initial s
  // Added to s under the root.
  Array eps = 1e-7;
};
// Updates s = s + |g|² and returns g / √(s + eps), or 0 where s is 0. Source: optax.scale_by_rss.
GradientTransformation scale_by_rss(const ScaleByRssOptions& o = {});

// ---- optimizers

struct SgdOptions {
  std::optional<Array> momentum = {};  // the decay of a trace of the gradients
  bool nesterov = false;               // option of the trace; has no effect without momentum
  // The dtype of the trace's state; default: that of the parameters.
  std::optional<DType> accumulator_dtype = {};
};
// Returns chain(trace(momentum), scale_by_learning_rate(rate)). Source: optax.sgd.
GradientTransformation sgd(const ScalarOrSchedule& learning_rate, const SgdOptions& o = {});

// The options are those of scale_by_adam.
using AdamOptions = ScaleByAdamOptions;
// Returns chain(scale_by_adam, scale_by_learning_rate(rate)) (Kingma and Ba, 2014). Source:
// optax.adam.
GradientTransformation adam(const ScalarOrSchedule& learning_rate, const AdamOptions& o = {});

struct AdamwOptions {
  Array b1 = 0.9, b2 = 0.999, eps = 1e-8, eps_root = 0.;  // as in ScaleByAdamOptions
  // As in ScaleByAdamOptions.
  std::optional<DType> mu_dtype = {};
  // A number, or a schedule over the steps.
  ScalarOrSchedule weight_decay = 1e-4;
  LeafMask mask = {};  // the leaves that decay; default: all
  // As in ScaleByAdamOptions.
  bool nesterov = false;
};
// Returns chain(scale_by_adam, add_decayed_weights(decay, mask), scale_by_learning_rate(rate))
// (Loshchilov and Hutter, 2019). update must be given the parameters. Source: optax.adamw.
GradientTransformation adamw(const ScalarOrSchedule& learning_rate, const AdamwOptions& o = {});

struct LionOptions {
  Array b1 = 0.9, b2 = 0.99;  // as in ScaleByLionOptions
  // As in ScaleByLionOptions.
  std::optional<DType> mu_dtype = {};
  // A number, or a schedule over the steps.
  ScalarOrSchedule weight_decay = 1e-3;
  LeafMask mask = {};  // the leaves that decay; default: all
};
// Returns chain(scale_by_lion, add_decayed_weights(decay, mask), scale_by_learning_rate(rate))
// (Chen et al., 2023). update must be given the parameters. Source: optax.lion.
GradientTransformation lion(const ScalarOrSchedule& learning_rate, const LionOptions& o = {});

struct RmspropOptions {
  Array decay = 0.9, eps = 1e-8, initial_scale = 0.;  // as in ScaleByRmsOptions
  // As in ScaleByRmsOptions.
  bool eps_in_sqrt = true;
  bool centered = false;               // uses scale_by_stddev instead of scale_by_rms
  std::optional<Array> momentum = {};  // the decay of a trace of the scaled updates
  bool nesterov = false;               // option of the trace; has no effect without momentum
  // As in ScaleByRmsOptions.
  bool bias_correction = false;
};
// Returns chain(scale_by_rms, scale_by_learning_rate(rate), trace(momentum)) (Hinton; centered:
// Graves, 2013). Source: optax.rmsprop.
GradientTransformation rmsprop(const ScalarOrSchedule& learning_rate, const RmspropOptions& o = {});

// The options are those of scale_by_rss.
using AdagradOptions = ScaleByRssOptions;
// Returns chain(scale_by_rss, scale_by_learning_rate(rate)) (Duchi et al., 2011). Source:
// optax.adagrad.
GradientTransformation adagrad(const ScalarOrSchedule& learning_rate, const AdagradOptions& o = {});

}  // namespace weft::optim

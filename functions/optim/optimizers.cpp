// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/optim/optimizers.cpp: the optimizers, each of which is a chain of parts.
#include "weft/optim.h"

namespace weft::optim {
namespace {
GradientTransformation momentum_of(const std::optional<Array>& momentum, const TraceOptions& o) {
  return momentum ? trace(*momentum, o) : identity();
}
}  // namespace

GradientTransformation sgd(const ScalarOrSchedule& learning_rate, const SgdOptions& o) {
  return chain(momentum_of(o.momentum, {o.nesterov, o.accumulator_dtype}),
               scale_by_learning_rate(learning_rate));
}

GradientTransformation adam(const ScalarOrSchedule& learning_rate, const AdamOptions& o) {
  return chain(scale_by_adam(o), scale_by_learning_rate(learning_rate));
}

GradientTransformation adamw(const ScalarOrSchedule& learning_rate, const AdamwOptions& o) {
  return chain(scale_by_adam({o.b1, o.b2, o.eps, o.eps_root, o.mu_dtype, o.nesterov}),
               add_decayed_weights(o.weight_decay, {o.mask}),
               scale_by_learning_rate(learning_rate));
}

GradientTransformation lion(const ScalarOrSchedule& learning_rate, const LionOptions& o) {
  return chain(scale_by_lion({o.b1, o.b2, o.mu_dtype}),
               add_decayed_weights(o.weight_decay, {o.mask}),
               scale_by_learning_rate(learning_rate));
}

GradientTransformation rmsprop(const ScalarOrSchedule& learning_rate, const RmspropOptions& o) {
  const ScaleByRmsOptions scaling{o.decay, o.eps, o.initial_scale, o.eps_in_sqrt,
                                  o.bias_correction};
  return chain(o.centered ? scale_by_stddev(scaling) : scale_by_rms(scaling),
               scale_by_learning_rate(learning_rate), momentum_of(o.momentum, {o.nesterov}));
}

GradientTransformation adagrad(const ScalarOrSchedule& learning_rate, const AdagradOptions& o) {
  return chain(scale_by_rss(o), scale_by_learning_rate(learning_rate));
}

}  // namespace weft::optim

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/optim/parts.cpp: the gradient transformations from which optimizers are built.
#include <fmt/format.h>

#include "functions/kit.h"
#include "functions/lax/sums.h"
#include "functions/optim/kit.h"
#include "tracer/types_of.h"
#include "weft/lax.h"
#include "weft/lax/elementary.h"
#include "weft/numpy/create.h"
#include "weft/numpy/math.h"
#include "weft/optim.h"

namespace weft::optim {

Array square_norm(const Array& x) {
  const Array v = fn::for_sums(x);
  return is_complex(v.dtype()) ? square(real(v)) + square(imag(v)) : square(v);
}

namespace {

using detail::Part;
using detail::Step;

GradientTransformation part(Part p) {
  return GradientTransformation(detail::parts_of({std::move(p)}));
}
Array negated(const Array& x) {
  const auto v = written(x);
  return v ? Array(-*v) : negative(x);
}

// ---- state

// Arrays shaped like the parameters and filled with a value, in another dtype if one is given.
Arrays filled(const Arrays& params, const Array& value, const std::optional<DType>& dtype = {}) {
  Arrays r;
  for (const Array& p : params) {
    const DType d = dtype.value_or(p.dtype());
    r.push_back(fn::broadcast(full({}, fn::as_dtype(value, d), d), p.shape()));
  }
  return r;
}
Arrays zeros_of(const Arrays& params, const std::optional<DType>& dtype = {}) {
  Arrays r;
  for (const Array& p : params) r.push_back(zeros(p.shape(), dtype.value_or(p.dtype())));
  return r;
}
// The dtype to which two arrays promote.
DType promoted(const Array& a, const Array& b) {
  return promote(a.dtype(), a.weak_type(), b.dtype(), b.weak_type()).dtype;
}
// Converts to the dtype of the state. For narrow floats a step is computed in F32 (fn::for_sums),
// and the update and the new state are each rounded once.
Array kept(const Array& x, const Array& before) { return fn::as_dtype(x, before.dtype()); }

// Increments a count. The largest number is not incremented.
Array incremented(const Array& count) { return where(count < INT32_MAX, count + 1, count); }

// (1 - decay) x + decay m
Array mean_with(const Array& x, const Array& m, const Array& decay) {
  const DType d = real_part(m.dtype());
  return one_minus(decay, d) * x + in_dtype(decay, d) * m;
}

// Computes m / (1 - decay^t) for all leaves. Without the correction the initial zeros would bias
// the first steps toward 0. The factor is computed in F64 for F64 leaves and in F32 for all others.
class BiasCorrection {
 public:
  BiasCorrection(const Array& decay, const Array& t) : decay_(decay), t_(t) {}
  Array operator()(const Array& m) {
    const DType r = real_part(m.dtype()), d = r == F64 ? F64 : F32;
    Array& factor = d == F64 ? of_f64_ : of_f32_;
    if (factor.empty_handle()) factor = 1 - power(fn::as_dtype(decay_, d), fn::as_dtype(t_, d));
    return m / fn::as_dtype(factor, r);
  }

 private:
  Array decay_, t_, of_f32_, of_f64_;
};

}  // namespace

// ---- without a state

GradientTransformation identity() { return GradientTransformation(detail::parts_of({})); }

namespace {
// Multiplies g by rate or by -rate. The result of a schedule is converted to the dtype of g.
GradientTransformation scaled(const char* name, const ScalarOrSchedule& rate, bool flip) {
  const bool counts = rate.is_schedule();
  Part p{name, counts ? size_t{1} : 0};
  p.update = [=](Step& s, Array* count, Arrays*) {
    const Array now = counts ? rate.at(*count) : rate.value();
    for (Array& g : s.updates) {
      const Array r = counts ? fn::as_dtype(now, g.dtype()) : in_dtype(now, g.dtype());
      g = (flip ? negated(r) : r) * g;
    }
    if (counts) *count = incremented(*count);
  };
  return part(std::move(p));
}
}  // namespace

GradientTransformation scale(const Array& step_size) { return scaled("scale", step_size, false); }

GradientTransformation scale_by_schedule(const Schedule& f) {
  return scaled("scale_by_schedule", f, false);
}

GradientTransformation scale_by_learning_rate(const ScalarOrSchedule& learning_rate,
                                              const LearningRateOptions& o) {
  return scaled("scale_by_learning_rate", learning_rate, o.flip_sign);
}

GradientTransformation clip(const Array& max_delta) {
  Part p{"clip"};
  p.update = [max_delta](Step& s, Array*, Arrays*) {
    for (Array& g : s.updates) {
      const Array most = in_dtype(max_delta, g.dtype());
      g = weft::clip(g, negated(most), most);
    }
  };
  return part(std::move(p));
}

GradientTransformation clip_by_global_norm(const Array& max_norm) {
  Part p{"clip_by_global_norm"};
  p.update = [max_norm](Step& s, Array*, Arrays*) {
    const Array norm = detail::wide_global_norm(s.updates);
    const Array fits = norm < max_norm;
    for (Array& g : s.updates) {
      const Array v = fn::for_sums(g);
      const DType d = real_part(v.dtype());
      const Array less = v / fn::as_dtype(norm, d) * fn::as_dtype(max_norm, d);
      g = where(fits, g, fn::as_dtype(less, g.dtype()));
    }
  };
  return part(std::move(p));
}

GradientTransformation add_decayed_weights(const ScalarOrSchedule& weight_decay,
                                           const DecayOptions& o) {
  Part p{"add_decayed_weights", weight_decay.is_schedule() ? size_t{1} : 0};
  p.update = [weight_decay, mask = o.mask](Step& s, Array* count, Arrays*) {
    if (!s.params)
      fn::fail_shape(
          "add_decayed_weights: weights decay in proportion to the parameters, and update was "
          "given "
          "none; call update(updates, state, params)");
    const bool counts = weight_decay.is_schedule();
    const Array rate = counts ? weight_decay.at(*count) : weight_decay.value();
    if (counts) *count = incremented(*count);
    const std::vector<bool> decays = mask.of("add_decayed_weights", *s.params, s.paths);
    if (!counts && is_zero(rate)) return;
    for (size_t i = 0; i < s.updates.size(); ++i) {
      Array& g = s.updates[i];
      if (!decays[i]) continue;
      const Array &p = (*s.params)[i], v = fn::for_sums(g);
      const DType d = promoted(g, p);
      g = fn::as_dtype(v + in_dtype(rate, v.dtype()) * fn::for_sums(p), d);
    }
  };
  return part(std::move(p));
}

// ---- with moments

GradientTransformation trace(const Array& decay, const TraceOptions& o) {
  Part p{"trace", 0, 1};
  p.init = [o](const Arrays& params, Arrays* m) { *m = zeros_of(params, o.accumulator_dtype); };
  p.update = [decay, o](Step& s, Array*, Arrays* state) {
    for (size_t i = 0; i < s.updates.size(); ++i) {
      Array &g = s.updates[i], &m = (*state)[i];
      // If the state is narrower than the updates, it is multiplied in its own dtype, as optax
      // does.
      const Array v = fn::for_sums(g), before = v.dtype() == g.dtype() ? m : fn::for_sums(m);
      const DType d = promoted(g, m);
      const Array next = v + in_dtype(decay, before.dtype()) * before;
      g = fn::as_dtype(o.nesterov ? v + in_dtype(decay, next.dtype()) * next : next, d);
      m = kept(next, m);
    }
  };
  return part(std::move(p));
}

GradientTransformation scale_by_adam(const ScaleByAdamOptions& o) {
  Part p{"scale_by_adam", 1, 2};
  p.init = [o](const Arrays& params, Arrays* m) {
    m[0] = zeros_of(params, o.mu_dtype);
    m[1] = zeros_of(params);
  };
  p.update = [o](Step& s, Array* count, Arrays* state) {
    *count = incremented(*count);
    BiasCorrection of_g(o.b1, *count), of_v(o.b2, *count),
        of_m(o.b1, o.nesterov ? incremented(*count) : *count);
    for (size_t i = 0; i < s.updates.size(); ++i) {
      Array &g = s.updates[i], &m = state[0][i], &v = state[1][i];
      const Array now = fn::for_sums(g), mean = mean_with(now, fn::for_sums(m), o.b1),
                  squares = mean_with(square_norm(g), fn::for_sums(v), o.b2);
      const Array ahead = o.nesterov ? mean_with(of_g(now), of_m(mean), o.b1) : of_m(mean);
      const DType d = real_part(squares.dtype()), of_step = common_type(types_of({g, m, v})).dtype;
      const Array scaled =
          ahead / (sqrt(of_v(squares) + in_dtype(o.eps_root, d)) + in_dtype(o.eps, d));
      g = fn::as_dtype(scaled, of_step);
      m = kept(mean, m);
      v = kept(squares, v);
    }
  };
  return part(std::move(p));
}

GradientTransformation scale_by_lion(const ScaleByLionOptions& o) {
  Part p{"scale_by_lion", 1, 1};
  p.init = [o](const Arrays& params, Arrays* m) { *m = zeros_of(params, o.mu_dtype); };
  p.update = [o](Step& s, Array* count, Arrays* state) {
    *count = incremented(*count);
    for (size_t i = 0; i < s.updates.size(); ++i) {
      Array &g = s.updates[i], &m = (*state)[i];
      const Array v = fn::for_sums(g), before = fn::for_sums(m);
      const Array next = mean_with(v, before, o.b2);
      g = fn::as_dtype(sign(mean_with(v, before, o.b1)), promoted(g, m));
      m = kept(next, m);
    }
  };
  return part(std::move(p));
}

namespace {

// Divides g by the root of its mean square or, if `centered`, by its standard deviation.
Part scale_by_mean_square(const char* name, const ScaleByRmsOptions& o, bool centered) {
  Part p{name, o.bias_correction ? size_t{1} : 0, centered ? size_t{2} : 1};
  p.init = [o, centered](const Arrays& params, Arrays* m) {
    m[0] = filled(params, o.initial_scale);
    if (centered) m[1] = zeros_of(params);
  };
  p.update = [o, centered](Step& s, Array* count, Arrays* state) {
    if (o.bias_correction) *count = incremented(*count);
    BiasCorrection corrected(o.decay, o.bias_correction ? *count : Array(0));
    const auto hat = [&](const Array& m) { return o.bias_correction ? corrected(m) : m; };
    for (size_t i = 0; i < s.updates.size(); ++i) {
      Array &g = s.updates[i], &v = state[0][i];
      const DType d = promoted(g, v);
      const Array now = fn::for_sums(g),
                  squares = mean_with(square_norm(g), fn::for_sums(v), o.decay);
      Array spread = hat(squares);
      if (centered) {
        Array& m = state[1][i];
        const Array mean = mean_with(now, fn::for_sums(m), o.decay);
        spread = spread - square_norm(hat(mean));
        m = kept(mean, m);
      }
      v = kept(squares, v);
      const Array eps = in_dtype(o.eps, real_part(spread.dtype()));
      const Array by = o.eps_in_sqrt ? lax::rsqrt(spread + eps) : 1 / (sqrt(spread) + eps);
      g = fn::as_dtype(by * now, d);
    }
  };
  return p;
}

}  // namespace

GradientTransformation scale_by_rms(const ScaleByRmsOptions& o) {
  return part(scale_by_mean_square("scale_by_rms", o, false));
}
GradientTransformation scale_by_stddev(const ScaleByRmsOptions& o) {
  return part(scale_by_mean_square("scale_by_stddev", o, true));
}

GradientTransformation scale_by_rss(const ScaleByRssOptions& o) {
  Part p{"scale_by_rss", 0, 1};
  p.init = [o](const Arrays& params, Arrays* m) {
    *m = filled(params, o.initial_accumulator_value);
  };
  p.update = [o](Step& s, Array*, Arrays* state) {
    for (size_t i = 0; i < s.updates.size(); ++i) {
      Array &g = s.updates[i], &sum = (*state)[i];
      const Array squares = square_norm(g) + fn::for_sums(sum);
      const DType d = real_part(squares.dtype()), of_step = promoted(g, sum);
      const Array total = is_complex(squares.dtype()) ? real(squares) : squares;
      const Array by = where(total > 0, lax::rsqrt(total + in_dtype(o.eps, d)), 0);
      g = fn::as_dtype(by * fn::for_sums(g), is_complex(g.dtype()) ? g.dtype() : of_step);
      sum = kept(squares, sum);
    }
  };
  return part(std::move(p));
}

}  // namespace weft::optim

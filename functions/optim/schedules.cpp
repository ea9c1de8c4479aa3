// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/optim/schedules.cpp: schedules, and the arithmetic of hyperparameters.
#include "weft/optim/schedules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "functions/kit.h"
#include "functions/optim/kit.h"
#include "tracer/concrete.h"
#include "weft/numpy/math.h"

namespace weft::optim {

Array ScalarOrSchedule::at(const Array& t) const { return is_schedule() ? schedule_(t) : value_; }

std::optional<double> written(const Array& x) {
  const Concrete* c = concrete_or_null(x);
  if (!c || !c->literal || is_key(x.dtype()) || is_complex(x.dtype())) return {};
  return x.item<double>();
}
Array minus(const Array& a, const Array& b) {
  const auto x = written(a), y = written(b);
  return x && y ? Array(*x - *y) : subtract(a, b);
}
Array over(const Array& a, const Array& b) {
  const auto x = written(a), y = written(b);
  return x && y ? Array(*x / *y) : divide(a, b);
}
Array in_dtype(const Array& x, DType d) {
  return x.weak_type() && is_inexact(d) ? fn::as_dtype(x, d) : x;
}
Array one_minus(const Array& x, DType d) {
  if (const auto v = written(x)) return 1 - *v;
  return 1 - in_dtype(x, d);
}
bool is_zero(const Array& x) { return written(x) == 0.; }

Array Schedule::operator()(const Arg& t) const {
  const SourceScope s(t.at());
  return f_(t);
}

Schedule constant_schedule(const Array& value) {
  return [value](const Array&) { return value; };
}

Schedule polynomial_schedule(const Array& init_value, const Array& end_value, const Array& power,
                             int64_t transition_steps, int64_t transition_begin) {
  if (transition_steps <= 0) return constant_schedule(init_value);
  const int64_t begin = std::max<int64_t>(transition_begin, 0);
  const Array range = minus(init_value, end_value);
  return [=](const Array& t) {
    const Array s = weft::clip(t - begin, 0, transition_steps);
    const Array left = 1 - s / transition_steps;
    return range * pow(left, power) + end_value;
  };
}
Schedule linear_schedule(const Array& init_value, const Array& end_value, int64_t transition_steps,
                         int64_t transition_begin) {
  return polynomial_schedule(init_value, end_value, 1, transition_steps, transition_begin);
}

Schedule piecewise_constant_schedule(const Array& init_value,
                                     const std::map<int64_t, Array>& boundaries_and_scales,
                                     Location at) {
  const SourceScope source(at);
  for (const auto& [boundary, scale] : boundaries_and_scales)
    if (const auto v = written(scale); v && *v < 0)
      fn::fail_index(fmt::format(
          "piecewise_constant_schedule: the scale {} at step {} is negative; scales are factors of "
          "0 or more",
          *v, boundary));
  return [=](const Array& t) {
    Array v = init_value;
    for (const auto& [boundary, scale] : boundaries_and_scales)
      v = where(t < boundary, v, v * scale);
    return v;
  };
}

Schedule exponential_decay(const Array& init_value, int64_t transition_steps,
                           const Array& decay_rate, const ExponentialDecayOptions& o) {
  if (transition_steps <= 0 || is_zero(decay_rate)) return constant_schedule(init_value);
  const int64_t begin = std::max<int64_t>(o.transition_begin, 0);
  return [=](const Array& t) {
    const Array s = t - begin;
    Array p = s / transition_steps;
    if (o.staircase) p = floor(p);
    const Array v = where(s <= 0, init_value, init_value * pow(decay_rate, p));
    if (!o.end_value) return v;
    const Array &end = *o.end_value, falls = decay_rate < 1;
    return where(falls, maximum(v, end), minimum(v, end));
  };
}

Schedule cosine_decay_schedule(const Array& init_value, int64_t decay_steps, const Array& alpha,
                               const Array& exponent, Location at) {
  const SourceScope source(at);
  if (decay_steps <= 0)
    fn::fail_index(
        fmt::format("cosine_decay_schedule: decay_steps must be positive, not {}", decay_steps));
  return [=](const Array& t) {
    const auto steps = static_cast<double>(decay_steps);
    const Array cosine = 0.5 * (1 + cos(M_PI * minimum(t, steps) / steps));
    return init_value * (minus(1., alpha) * pow(cosine, exponent) + alpha);
  };
}

Schedule warmup_constant_schedule(const Array& init_value, const Array& peak_value,
                                  int64_t warmup_steps) {
  return linear_schedule(init_value, peak_value, warmup_steps);
}

Schedule warmup_cosine_decay_schedule(const Array& init_value, const Array& peak_value,
                                      int64_t warmup_steps, int64_t decay_steps,
                                      const Array& end_value, const Array& exponent, Location at) {
  const SourceScope source(at);
  if (decay_steps <= warmup_steps)
    fn::fail_index(fmt::format(
        "warmup_cosine_decay_schedule: decay_steps counts from the start and must exceed the {} "
        "warmup_steps, not be {}",
        warmup_steps, decay_steps));
  const Array ratio = over(end_value, peak_value);
  const Array alpha = is_zero(peak_value)   ? Array(0.)
                      : written(peak_value) ? ratio
                                            : where(peak_value == 0, 0., ratio);
  return join_schedules(
      {linear_schedule(init_value, peak_value, warmup_steps),
       cosine_decay_schedule(peak_value, decay_steps - warmup_steps, alpha, exponent)},
      {warmup_steps});
}

Schedule warmup_exponential_decay_schedule(const Array& init_value, const Array& peak_value,
                                           int64_t warmup_steps, int64_t transition_steps,
                                           const Array& decay_rate,
                                           const ExponentialDecayOptions& o) {
  return join_schedules({linear_schedule(init_value, peak_value, warmup_steps),
                         exponential_decay(peak_value, transition_steps, decay_rate, o)},
                        {warmup_steps});
}

Schedule join_schedules(const std::vector<Schedule>& schedules,
                        const std::vector<int64_t>& boundaries, Location at) {
  const SourceScope source(at);
  if (schedules.size() != boundaries.size() + 1)
    fn::fail_index(fmt::format(
        "join_schedules: {} schedules have {} boundaries between them, not {}", schedules.size(),
        std::max<size_t>(schedules.size(), 1) - 1, boundaries.size()));
  return [=](const Array& t) {
    Array v = schedules[0](t);
    for (size_t i = 0; i < boundaries.size(); ++i)
      v = where(t < boundaries[i], v, schedules[i + 1](t - boundaries[i]));
    return v;
  };
}

}  // namespace weft::optim

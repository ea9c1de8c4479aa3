// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/optim/schedules.h: numbers that change from step to step, such as learning rates, with
// optax's names, formulas and defaults.
//
// A schedule is called with a count of steps, from 0 on, which may be traced: one compiled program
// serves all steps. Below, t is that count. Steps are counted in integers; what is a number of the
// mathematics may be an Array, traced too.
#pragma once
#include <map>

#include "weft/core/ref.h"
#include "weft/tracer/array.h"

namespace weft::optim {

// f(t) → a number. Any callable of that form is one; copies share it.
class Schedule {
 public:
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, Schedule> &&
             std::is_invocable_r_v<Array, const std::decay_t<F>&, const Array&>)
  Schedule(F&& f)
      : f_([g = std::decay_t<F>(std::forward<F>(f))](const Array& t) { return Array(g(t)); }) {}
  // The value at step t.
  Array operator()(const typing::Arg& t) const;

 private:
  friend class ScalarOrSchedule;
  Schedule() = default;  // none
  ir::Function<Array(const Array&)> f_;
};

// A learning rate or a weight decay: a number, an Array, or a schedule of the steps.
class ScalarOrSchedule {
 public:
  template <ir::Number T>
  ScalarOrSchedule(T x) : value_(x) {}
  ScalarOrSchedule(const Array& x) : value_(x) {}
  template <class F>
    requires std::constructible_from<Schedule, F>
  ScalarOrSchedule(F&& f) : schedule_(std::forward<F>(f)) {}
  bool is_schedule() const { return static_cast<bool>(schedule_.f_); }
  // The number, or the schedule's at step t.
  Array at(const Array& t) const;
  // The number; of a schedule an empty handle.
  const Array& value() const { return value_; }

 private:
  Array value_;
  Schedule schedule_;
};

// value, at every step. Source: optax.constant_schedule.
Schedule constant_schedule(const Array& value);

// (init − end) (1 − s/T)^power + end, with s = t − transition_begin, clipped to [0, T], and
// T = transition_steps. Where T ≤ 0 it is init at every step, and a negative transition_begin is 0.
// Source: optax.polynomial_schedule.
Schedule polynomial_schedule(const Array& init_value, const Array& end_value, const Array& power,
                             int64_t transition_steps, int64_t transition_begin = 0);

// From init to end by equal steps: polynomial_schedule with the power 1. Source:
// optax.linear_schedule.
Schedule linear_schedule(const Array& init_value, const Array& end_value, int64_t transition_steps,
                         int64_t transition_begin = 0);

// init, times the scale of each boundary that t has reached. IndexError for a scale that is known
// and negative. Source: optax.piecewise_constant_schedule.
Schedule piecewise_constant_schedule(const Array& init_value,
                                     const std::map<int64_t, Array>& boundaries_and_scales = {},
                                     typing::Location at = typing::Location::here());

struct ExponentialDecayOptions {
  int64_t transition_begin = 0;         // until then it is init; a negative one is 0
  bool staircase = false;               // s/T is rounded down
  std::optional<Array> end_value = {};  // not beyond it: below where decay_rate < 1, else above
};
// init · decay_rate^(s/T), with s = t − transition_begin and T = transition_steps; init where
// s ≤ 0. Where T ≤ 0, or decay_rate is known and 0, it is init at every step. Source:
// optax.exponential_decay.
Schedule exponential_decay(const Array& init_value, int64_t transition_steps,
                           const Array& decay_rate, const ExponentialDecayOptions& o = {});

// init · ((1 − alpha) c^exponent + alpha), with c = (1 + cos(π min(t, T)/T)) / 2 and
// T = decay_steps: it ends at alpha · init. IndexError unless T > 0. Source:
// optax.cosine_decay_schedule.
Schedule cosine_decay_schedule(const Array& init_value, int64_t decay_steps,
                               const Array& alpha = 0., const Array& exponent = 1.,
                               typing::Location at = typing::Location::here());

// linear_schedule from init to peak in warmup_steps, and peak from then on. Source:
// optax.warmup_constant_schedule.
Schedule warmup_constant_schedule(const Array& init_value, const Array& peak_value,
                                  int64_t warmup_steps);

// linear_schedule from init to peak in warmup_steps, then cosine_decay_schedule down to end_value,
// where it is at the step decay_steps, which counts from the start. IndexError unless
// decay_steps > warmup_steps. Source: optax.warmup_cosine_decay_schedule.
Schedule warmup_cosine_decay_schedule(const Array& init_value, const Array& peak_value,
                                      int64_t warmup_steps, int64_t decay_steps,
                                      const Array& end_value = 0., const Array& exponent = 1.,
                                      typing::Location at = typing::Location::here());

// linear_schedule from init to peak in warmup_steps, then exponential_decay from there. Source:
// optax.warmup_exponential_decay_schedule.
Schedule warmup_exponential_decay_schedule(const Array& init_value, const Array& peak_value,
                                           int64_t warmup_steps, int64_t transition_steps,
                                           const Array& decay_rate,
                                           const ExponentialDecayOptions& o = {});

// schedules[0] up to boundaries[0], from there schedules[1], which counts from 0 there, and so on.
// IndexError unless there is one schedule more than boundaries. Source: optax.join_schedules.
Schedule join_schedules(const std::vector<Schedule>& schedules,
                        const std::vector<int64_t>& boundaries,
                        typing::Location at = typing::Location::here());

}  // namespace weft::optim

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/optim/schedules.h: numbers that change from step to step, such as learning rates,
// with optax's names, formulas and defaults.
//
// A schedule is called with the number of the step, starting at 0. The number may be traced, so one
// compiled program serves all steps. Below, t is that number. Numbers of steps are C++ integers;
// other parameters may be Arrays, also traced ones.
#pragma once
#include <map>

#include "weft/array.h"
#include "weft/detail/ref.h"

namespace weft::optim {

// A function t → number. Any callable of that form converts to a Schedule; copies share it.
class Schedule {
 public:
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, Schedule> &&
             std::is_invocable_r_v<Array, const std::decay_t<F>&, const Array&>)
  Schedule(F&& f)
      : f_([g = std::decay_t<F>(std::forward<F>(f))](const Array& t) { return Array(g(t)); }) {}
  // Returns the value at step t.
  Array operator()(const typing::Arg& t) const;

 private:
  friend class ScalarOrSchedule;
  Schedule() = default;  // none
  ir::Function<Array(const Array&)> f_;
};

// A learning rate or a weight decay: a number, an Array, or a schedule over the steps.
class ScalarOrSchedule {
 public:
  template <ir::Number T>
  ScalarOrSchedule(T x) : value_(x) {}
  ScalarOrSchedule(const Array& x) : value_(x) {}
  template <class F>
    requires std::constructible_from<Schedule, F>
  ScalarOrSchedule(F&& f) : schedule_(std::forward<F>(f)) {}
  bool is_schedule() const { return static_cast<bool>(schedule_.f_); }
  // Returns the number, or the value of the schedule at step t.
  Array at(const Array& t) const;
  // Returns the number; for a schedule, an empty handle.
  const Array& value() const { return value_; }

 private:
  Array value_;
  Schedule schedule_;
};

// Returns value at every step. Source: optax.constant_schedule.
Schedule constant_schedule(const Array& value);

// Returns (init − end) (1 − s/T)^power + end, with s = t − transition_begin clipped to [0, T] and
// T = transition_steps. If T ≤ 0 it is init at every step. A negative transition_begin is treated
// as 0. Source: optax.polynomial_schedule.
Schedule polynomial_schedule(const Array& init_value, const Array& end_value, const Array& power,
                             int64_t transition_steps, int64_t transition_begin = 0);

// Interpolates linearly from init to end: polynomial_schedule with the power 1. Source:
// optax.linear_schedule.
Schedule linear_schedule(const Array& init_value, const Array& end_value, int64_t transition_steps,
                         int64_t transition_begin = 0);

// Returns init times the scale of each boundary that t has reached. Raises IndexError for a known
// negative scale. Source: optax.piecewise_constant_schedule.
Schedule piecewise_constant_schedule(const Array& init_value,
                                     const std::map<int64_t, Array>& boundaries_and_scales = {},
                                     typing::Location at = typing::Location::here());

struct ExponentialDecayOptions {
  int64_t transition_begin = 0;  // it is init until then; a negative one is treated as 0
  bool staircase = false;        // rounds s/T down
  // a bound of the value: the lower bound if decay_rate < 1, else the upper bound
  std::optional<Array> end_value = {};
};
// Returns init · decay_rate^(s/T), with s = t − transition_begin and T = transition_steps, and init
// where s ≤ 0. If T ≤ 0, or decay_rate is known to be 0, it is init at every step. Source:
// optax.exponential_decay.
Schedule exponential_decay(const Array& init_value, int64_t transition_steps,
                           const Array& decay_rate, const ExponentialDecayOptions& o = {});

// Returns init · ((1 − alpha) c^exponent + alpha), with c = (1 + cos(π min(t, T)/T)) / 2 and T =
// decay_steps. It ends at alpha · init. Raises IndexError unless T > 0. Source:
// optax.cosine_decay_schedule.
Schedule cosine_decay_schedule(const Array& init_value, int64_t decay_steps,
                               const Array& alpha = 0., const Array& exponent = 1.,
                               typing::Location at = typing::Location::here());

// Interpolates linearly from init to peak in warmup_steps and then stays at peak. Source:
// optax.warmup_constant_schedule.
Schedule warmup_constant_schedule(const Array& init_value, const Array& peak_value,
                                  int64_t warmup_steps);

// Interpolates linearly from init to peak in warmup_steps, then follows cosine_decay_schedule down
// to end_value. It reaches end_value at step decay_steps, counted from the start. Raises IndexError
// unless decay_steps > warmup_steps. Source: optax.warmup_cosine_decay_schedule.
Schedule warmup_cosine_decay_schedule(const Array& init_value, const Array& peak_value,
                                      int64_t warmup_steps, int64_t decay_steps,
                                      const Array& end_value = 0., const Array& exponent = 1.,
                                      typing::Location at = typing::Location::here());

// Interpolates linearly from init to peak in warmup_steps, then follows exponential_decay from
// peak. Source: optax.warmup_exponential_decay_schedule.
Schedule warmup_exponential_decay_schedule(const Array& init_value, const Array& peak_value,
                                           int64_t warmup_steps, int64_t transition_steps,
                                           const Array& decay_rate,
                                           const ExponentialDecayOptions& o = {});

// Follows schedules[0] up to boundaries[0], then schedules[1], which counts its steps from there,
// and so on. Raises IndexError unless there is one schedule more than boundaries. Source:
// optax.join_schedules.
Schedule join_schedules(const std::vector<Schedule>& schedules,
                        const std::vector<int64_t>& boundaries,
                        typing::Location at = typing::Location::here());

}  // namespace weft::optim

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/solve/odeint.cpp: odeint: steps of Dormand and Prince, and the adjoint equation.
#include "weft/solve/odeint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "autodiff/autodiff.h"
#include "functions/kit.h"
#include "functions/solve/vectors.h"
#include "ops/control/symbolic_zero_rules.h"
#include "ops/kit/lists.h"
#include "tracer/concrete.h"
#include "weft/control_flow.h"
#include "weft/grad.h"
#include "weft/numpy/create.h"
#include "weft/numpy/math.h"
#include "weft/numpy/products.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"

namespace weft::detail {
namespace {

using fn::as_dtype;

// dy/dt as a jaxpr: (what func captured…, y…, t, args…) -> arrays like y. `theta` holds captured
// values and arguments.
struct System {
  Jaxpr program;
  size_t captured = 0, states = 0;
  Arrays at(const Arrays& y, const Array& t, const Arrays& theta) const {
    Arrays in = sublist(theta, 0, captured);
    append(in, y);
    in.push_back(t);
    append(in, drop_first(theta, captured));
    return eval_jaxpr(program, in);
  }
};
// A system together with its parameters.
struct Field {
  const System& system;
  Arrays theta;
  Arrays operator()(const Arrays& y, const Array& t) const { return system.at(y, t, theta); }
};

// ---- the pair of orders 5 and 4. The last stage is the first stage of the next step.

constexpr int stages = 7;
using Weights = std::array<double, stages>;
constexpr Weights times = {0., 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1., 1.};
constexpr std::array<Weights, stages> stage = {
    {{},
     {1. / 5},
     {3. / 40, 9. / 40},
     {44. / 45, -56. / 15, 32. / 9},
     {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
     {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
     {35. / 384, 0., 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}}};
// The weights of order 5 minus those of order 4.
constexpr Weights error_of = {35. / 384 - 1951. / 21600,
                              0.,
                              500. / 1113 - 22642. / 50085,
                              125. / 192 - 451. / 720,
                              -2187. / 6784 + 12231. / 42400,
                              11. / 84 - 649. / 6300,
                              -1. / 60};
// The weights of the state in the middle of a step.
constexpr Weights middle_of = {6025192743. / 30085553152 / 2,     0.,
                               51252292925. / 65400821598 / 2,    -2691868925. / 45128329728 / 2,
                               187940372067. / 1594534317056 / 2, -1776094331. / 19743644256 / 2,
                               11237099. / 235043384 / 2};

Array like_reals(const Array& x, const Array& of) {
  return as_dtype(x, fn::real_dtype(of.dtype()));
}
// The step length h times the weighted sum of slopes.
Arrays increment(const Array& h, const Weights& w, const std::vector<Arrays>& k) {
  Arrays r;
  for (size_t leaf = 0; leaf < k[0].size(); ++leaf) {
    Array sum;
    for (size_t j = 0; j < k.size(); ++j) {
      if (w[j] == 0) continue;
      const Array term = w[j] * k[j][leaf];
      sum = sum.empty_handle() ? term : sum + term;
    }
    r.push_back(like_reals(h, k[0][leaf]) * sum);
  }
  return r;
}
Arrays moved(const Arrays& y, const Arrays& by) {
  return map_list([](const Array& a, const Array& b) { return a + b; }, y, by);
}

// ---- step lengths

struct Tolerances {
  double rtol, atol;
  std::optional<double> hmax;
  std::optional<int64_t> mxstep;
  bool fixed = false;         // derivatives treat step lengths as constants
  bool nan_unreached = true;  // results at times that were not reached are NaN
};

// Divides x by the error that is tolerated at |y|.
Arrays over(const Arrays& x, const Arrays& size, const Tolerances& o) {
  return map_list([&](const Array& v, const Array& s) { return v / (o.atol + o.rtol * s); }, x,
                  size);
}
Arrays sizes(const Arrays& y) {
  return map_list([](const Array& v) { return abs(v); }, y);
}

Array limited(const Array& h, const Tolerances& o) {
  const Array positive = maximum(h, 0.);
  return o.hmax ? minimum(positive, *o.hmax) : positive;
}

Array first_step(const Field& f, const Arrays& y, const Array& t, const Arrays& slope,
                 const Tolerances& o) {
  constexpr double order = 4;
  const auto norm = [&](const Arrays& x) { return sqrt(fn::squared_norm(over(x, sizes(y), o))); };
  const Array d0 = norm(y), d1 = norm(slope);
  const Array h0 = where((d0 < 1e-5) | (d1 < 1e-5), 1e-6, 0.01 * d0 / d1);
  const Arrays next = f(fn::add_scaled(y, h0, slope), t + as_dtype(h0, t.dtype()));
  const Array d2 = norm(fn::subtract(next, slope)) / h0;
  // A NaN slope means that the time is outside of the domain.
  const Array short_one = ((d1 <= 1e-15) & (d2 <= 1e-15)) | isnan(d2);
  const Array h1 = where(short_one, where(isnan(d2), h0 * 1e-3, maximum(1e-6, h0 * 1e-3)),
                         pow(0.01 / maximum(d1, d2), 1. / (order + 1.)));
  return limited(as_dtype(minimum(100. * h0, h1), t.dtype()), o);
}

// The length of the step after one of length h whose error is `ratio` times the tolerance. A NaN
// ratio means that the step left the domain, so the next step is shorter.
Array next_step(const Array& h, const Array& ratio, const Tolerances& o) {
  constexpr double safety = 0.9, most = 10, least = 0.2, order = 5;
  const Array outside = isnan(ratio), known = where(outside, 1., ratio);
  const Array lower = where(known < 1., 1., as_dtype(Array(least), ratio.dtype()));
  const Array factor = minimum(most, maximum(pow(known, -1. / order) * safety, lower));
  const Array chosen = where(known == 0., most, where(outside, least, factor));
  return limited(h * as_dtype(chosen, h.dtype()), o);
}

// ---- integrating

struct State {
  Arrays y, f;  // the current state and its slope
  Array t, h;   // the current time and the next step length
  // The last step: the state and slope at its begin, the state in its middle, its begin and length.
  Arrays from, slope, middle;
  Array start, length;
};

Array error_ratio(const Arrays& error, const Arrays& y, const Arrays& next, const Tolerances& o) {
  const Arrays size =
      map_list([](const Array& a, const Array& b) { return maximum(abs(a), abs(b)); }, y, next);
  return sqrt(fn::squared_norm(over(error, size, o)) / static_cast<double>(fn::elements(y)));
}

// A step: its stages, of which the last one begins the next step, its end, and the ratio of its
// error to the tolerance.
struct Attempt {
  std::vector<Arrays> k;
  Arrays y;
  Array end, ratio;
};
Attempt attempted(const Field& f, const State& s, const Array& time, const Tolerances& o) {
  Attempt a{{s.f}, {}, where(s.h == time - s.t, time, s.t + s.h), {}};
  for (size_t i = 1; i < stages; ++i) {
    a.y = moved(s.y, increment(s.h, stage[i], a.k));
    a.k.push_back(f(a.y, times[i] == 1 ? a.end : s.t + s.h * times[i]));
  }
  a.ratio = error_ratio(increment(s.h, error_of, a.k), s.y, a.y, o);
  return a;
}

Arrays stopped(const Arrays& x) {
  return map_list([](const Array& v) { return is_inexact(v.dtype()) ? stop_gradient(v) : v; }, x);
}
// The same step, with derivatives only if it is accepted. A step that left the domain has NaN
// slopes, and products with them would be NaN even for zero tangents. A first attempt with constant
// operands tells if the step is accepted. It has the same operands, so simplify merges it with the
// second attempt.
Attempt attempted_for_derivatives(const Field& f, const State& s, const Array& time,
                                  const Tolerances& o) {
  const Field still{f.system, stopped(f.theta)};
  State now = s;
  now.y = stopped(s.y);
  now.f = stopped(s.f);
  now.t = stop_gradient(s.t);
  const Array end = stop_gradient(time), good = attempted(still, now, end, o).ratio <= 1.;
  const auto kept = [&](const Arrays& x, const Arrays& without) {
    return map_list(
        [&](const Array& a, const Array& b) {
          return is_inexact(a.dtype()) ? fn::select(good, {a}, {b})[0] : a;
        },
        x, without);
  };
  const Field guarded{f.system, kept(f.theta, still.theta)};
  State from = s;
  from.y = kept(s.y, now.y);
  from.f = kept(s.f, now.f);
  from.t = kept({s.t}, {now.t})[0];
  return attempted(guarded, from, kept({time}, {end})[0], o);
}

// Takes one step, or keeps the state with a shorter step length. A step that left the domain and
// ended after `time` is repeated so that it ends at `time`, which may be the edge of the domain. A
// step length that no longer changes the time becomes 0, which ends the loop.
State tried(const Field& f, const State& s, const Array& time, const Tolerances& o) {
  const Attempt a = o.fixed ? attempted_for_derivatives(f, s, time, o) : attempted(f, s, time, o);
  const Array left = time - s.t, good = a.ratio <= 1., outside = isnan(a.ratio);
  const Array next = next_step(s.h, a.ratio, o);
  const Array again = where(s.h > left, left, where(s.t + next > s.t, next, 0.));
  const Array length = where(outside, as_dtype(again, next.dtype()), next);
  const Array h = o.fixed ? stop_gradient(length) : length;
  return {fn::select(good, a.y, s.y),
          fn::select(good, a.k.back(), s.f),
          where(good, a.end, s.t),
          h,
          fn::select(good, s.y, s.from),
          fn::select(good, s.f, s.slope),
          fn::select(good, moved(s.y, increment(s.h, middle_of, a.k)), s.middle),
          where(good, s.t, s.start),
          where(good, s.h, s.length)};
}

State at_start(const Field& f, const Arrays& y, const Array& t, const Tolerances& o) {
  const Arrays slope = f(y, t);
  Array h = first_step(f, y, t, slope, o);
  if (o.fixed) h = stop_gradient(h);
  return {y, slope, t, h, y, slope, y, t, 0. * h};
}

// The state at a time within the last step. It is interpolated by the polynomial of degree 4
// through the ends and the middle of the step.
Arrays inside(const State& s, const Array& time, const Tolerances& o) {
  const Array at = (time - s.start) / (s.t - s.start), reached = s.t >= time;
  Arrays r;
  for (size_t k = 0; k < s.y.size(); ++k) {
    const Array &y0 = s.from[k], &y1 = s.y[k], &m = s.middle[k];
    const Array x = like_reals(at, y0), h = like_reals(s.length, y0);
    const Array d0 = h * s.slope[k], d1 = h * s.f[k];
    const Array a = -2. * d0 + 2. * d1 - 8. * y0 - 8. * y1 + 16. * m,
                b = 5. * d0 - 3. * d1 + 18. * y0 + 14. * y1 - 32. * m,
                c = -4. * d0 + d1 - 11. * y0 - 5. * y1 + 16. * m;
    const Array y = (((a * x + b) * x + c) * x + d0) * x + y0;
    r.push_back(o.nan_unreached ? where(reached, y, std::numeric_limits<double>::quiet_NaN()) : y);
  }
  return r;
}

// Steps from a state until a step reaches the time.
State advanced(const Field& f, const State& s, const Array& time, const Tolerances& o) {
  WhileOptions loop;
  loop.max_trips = o.mxstep;
  // No step reaches an infinite time, so none is tried for it.
  const Array end = where(isfinite(time), time, -std::numeric_limits<double>::infinity());
  return while_loop([&](const State& now) { return (now.t < end) & (now.h > 0.); },
                    [&](const State& now) { return tried(f, now, time, o); }, s, loop);
}

// The states at all times after the first.
Arrays integrated(const Field& f, const Arrays& y0, const Array& t, const Tolerances& o) {
  const auto to_next = [&](const State& s, const Array& time) {
    const State now = advanced(f, s, time, o);
    return std::pair<State, Arrays>(now, inside(now, time, o));
  };
  return scan(to_next, at_start(f, y0, t[0], o), t[Slice(1, none)]).second;
}
// The state at t1, from y0 at t0.
Arrays integrated_to(const Field& f, const Arrays& y0, const Array& t0, const Array& t1,
                     const Tolerances& o) {
  return inside(advanced(f, at_start(f, y0, t0, o), t1, o), t1, o);
}

// ---- the system

std::vector<bool> inexact(const Arrays& x) {
  return map_list([](const Array& a) { return is_inexact(a.dtype()); }, x);
}

// Calls func and checks that its result is like y.
Arrays slopes(OdeField f, const Arrays& y, const Array& t, const Arrays& args,
              FunctionRef<tree::detail::Skeleton()> y_tree) {
  Arrays r = f(y, t, args);
  if (r.size() != y.size())
    throw ShapeError(fmt::format("odeint: func returns {} arrays, y0 has {}", r.size(), y.size()));
  for (size_t k = 0; k < r.size(); ++k) {
    if (r[k].shape() != y[k].shape() || (is_complex(r[k].dtype()) && !is_complex(y[k].dtype())))
      throw ShapeError(fmt::format(
          "odeint: func must return what is like y0: expected {} for {}, got {}",
          to_string(y[k].type()), tree::detail::paths(y_tree(), "y0")[k], to_string(r[k].type())));
    r[k] = as_dtype(r[k], y[k].dtype());
  }
  return r;
}

// All solutions. The first row is y0.
Arrays solved(const System& s, const Arrays& y0, const Array& t, const Arrays& theta,
              const Tolerances& o) {
  const Field f{s, theta};
  const auto with_first = [](const Array& first, const Array& others) {
    return concatenate({expand_dims(first, 0), others}, 0);
  };
  return map_list(with_first, y0, integrated(f, y0, t, o));
}

// ---- the adjoint equation. It integrates y and the cotangents of y, of the time and of the
// parameters backwards.

struct Adjoint {
  Arrays y;  // cotangents of y
  Array t;
  Arrays theta;  // cotangents of the inexact parameters
};
Arrays flat(const Arrays& y, const Adjoint& a) {
  return concat_lists(concat_lists(concat_lists(y, a.y), {a.t}), a.theta);
}

// The slopes of (y, cotangents) in s, where the time is -s.
Arrays augmented(const System& s, const Arrays& all, const Array& minus_t, const Arrays& theta) {
  const std::vector<bool> on = inexact(theta);
  const size_t n = s.states;
  const Arrays y = sublist(all, 0, n), cotangent = sublist(all, n, n);
  const Arrays off = filter_list(theta, on, false);
  const Arrays at = concat_lists(concat_lists(y, {-minus_t}), filter_list(theta, on));
  const auto f = [&](const Arrays& x) {
    return s.at(sublist(x, 0, n), x[n], merge_lists(on, drop_first(x, n + 1), off));
  };
  const Linearized l = linearize_flat(f, at, std::vector<bool>(at.size(), true));
  Arrays ct = map_list(instantiate, l.linear.transpose(cotangent), types_of(at));
  // At the edge of a domain, such as that of sqrt(t), the slope in the time may be infinite while
  // the slopes in y and the parameters are finite. Its integral is finite nevertheless.
  ct[n] = where(isfinite(ct[n]), ct[n], 0.);
  return concat_lists(map_list([](const Array& v) { return -v; }, l.out), ct);
}

Arrays solve_by_adjoint(const System& s, const Arrays& y0, const Array& t, const Arrays& theta,
                        const Tolerances& o, bool last_alone);

// The system of the adjoint equation. Its states are in the order of flat(), the time is -s, and
// its parameters are theta.
System adjoint_of(const System& s, const Types& all, const Type& time, const Types& theta) {
  const size_t n = theta.size();
  const ClosedJaxpr program =
      record(concat_lists(concat_lists(theta, strong(all)), {time.strong()}), [&](const Arrays& x) {
        return augmented(s, sublist(x, n, all.size()), x[n + all.size()], sublist(x, 0, n));
      });
  return {open_constants(program.jaxpr), n, all.size()};
}

// Cotangents of (y0…, t, inexact theta…) from the cotangents of the rows.
Arrays pulled_back(const System& s, const Arrays& ys, const Array& t, const Arrays& theta,
                   const Arrays& ct, const Tolerances& o) {
  const auto row = [](const Arrays& x, int64_t k) {
    return map_list([&](const Array& v) { return v[k]; }, x);
  };
  const auto from = [](const Arrays& x, int64_t lo, const SliceBound& hi) {
    return map_list([&](const Array& v) { return v[Slice(lo, hi)]; }, x);
  };
  using Row = std::tuple<Arrays, Array, Array, Arrays, Arrays>;
  const auto back = [&](const Adjoint& a, const Row& r) {
    const auto& [y, end, begin, ct_here, ct_before] = r;
    // The cotangent of the time at the end of this interval.
    const Arrays slope = s.at(y, end, theta);
    Array of_time;
    for (size_t k = 0; k < slope.size(); ++k) {
      const Array product = sum(slope[k] * ct_here[k]);
      const Array term = as_dtype(is_complex(product.dtype()) ? real(product) : product, t.dtype());
      of_time = k == 0 ? term : of_time + term;
    }
    const Arrays all = flat(y, {a.y, a.t - of_time, a.theta});
    const System adjoint = adjoint_of(s, types_of(all), Type(t.dtype(), Shape{}), types_of(theta));
    const Arrays now = solve_by_adjoint(adjoint, all, stack({-end, -begin}), theta, o, true);
    const size_t n = s.states;
    const Adjoint next{moved(sublist(now, n, n), ct_before), now[2 * n],
                       drop_first(now, 2 * n + 1)};
    return std::pair<Adjoint, Array>(next, of_time);
  };
  const Adjoint last{
      row(ct, -1), zeros_like(t[0]),
      map_list([](const Array& v) { return zeros_like(v); }, filter_list(theta, inexact(theta)))};
  const Row rows(from(ys, 1, none), t[Slice(1, none)], t[Slice(0, -1)], from(ct, 1, none),
                 from(ct, 0, -1));
  const auto [first, of_times] = scan(back, last, rows, {.reverse = true});
  return concat_lists(concat_lists(first.y, {concatenate({expand_dims(first.t, 0), of_times}, 0)}),
                      first.theta);
}

// ---- the solution as a function whose derivative is its adjoint equation. The solution of the
// adjoint equation is again such a function.

// x = (y0…, t, theta…) -> all rows. With `last_alone` there are two times, and only the row of the
// second is returned.
struct Problem {
  System system;
  Tolerances tolerances;
  bool last_alone = false;
  Arrays y0(const Arrays& x) const { return sublist(x, 0, system.states); }
  const Array& t(const Arrays& x) const { return x[system.states]; }
  Arrays theta(const Arrays& x) const { return drop_first(x, system.states + 1); }
  Arrays run(const Arrays& x) const {
    const Array& times = t(x);
    if (!last_alone) return solved(system, y0(x), times, theta(x), tolerances);
    const Field f{system, theta(x)};
    return integrated_to(f, y0(x), times[0], times[1], tolerances);
  }
};

// The residuals are the results, followed by x.
class OdeBackward final : public BackwardRule {
 public:
  OdeBackward(Problem p, std::vector<bool> differentiated, Types results)
      : p_(std::move(p)), on_(std::move(differentiated)), results_(std::move(results)) {}
  Arrays call(const Arrays& residuals, const Arrays& ct) const override {
    const size_t n = p_.system.states;
    const Arrays x = drop_first(residuals, n), given = map_list(instantiate, ct, results_);
    const auto behind = [](const Array& first, const Array& last) { return stack({first, last}); };
    const auto zeros = [](const Array& a) { return zeros_like(a); };
    const Arrays rows = p_.last_alone ? map_list(behind, p_.y0(x), sublist(residuals, 0, n))
                                      : sublist(residuals, 0, n);
    const Arrays cts = p_.last_alone ? map_list(behind, map_list(zeros, given), given) : given;
    const Arrays back = pulled_back(p_.system, rows, p_.t(x), p_.theta(x), cts, p_.tolerances);
    return filter_list(back, filter_list(on_, inexact(x)));
  }
  bool goes_forward() const override { return true; }
  Arrays forward(const Arrays& residuals, const Arrays& dx) const override {
    const Arrays x = drop_first(residuals, p_.system.states);
    // Step lengths are treated as constants: their derivative is infinite where a step has no
    // error.
    Problem steps = p_;
    steps.tolerances.fixed = true;
    const Arrays tangents =
        jvp_flat([&](const Arrays& a) { return steps.run(a); }, x, scatter_list(dx, on_)).tangent;
    return map_list(instantiate, tangents, results_);
  }

 private:
  Problem p_;
  std::vector<bool> on_;
  Types results_;
};
class OdeRule final : public DualRule {
 public:
  explicit OdeRule(Problem p) : p_(std::move(p)) {}
  Dual call(const Arrays& x, const Arrays& dx) const override {
    const Arrays out =
        solve_by_adjoint(p_.system, p_.y0(x), p_.t(x), p_.theta(x), p_.tolerances, p_.last_alone);
    const std::vector<bool> on = is_nonzero(dx);
    const Types results = strong(types_of(out));
    return {out, linear_by_rule(make_ref<OdeBackward>(p_, on, results), concat_lists(out, x),
                                filter_list(dx, on), results)};
  }

 private:
  Problem p_;
};

Arrays solve_by_adjoint(const System& s, const Arrays& y0, const Array& t, const Arrays& theta,
                        const Tolerances& o, bool last_alone) {
  const Problem p{s, o, last_alone};
  const Arrays x = concat_lists(concat_lists(y0, {t}), theta);
  const ClosedJaxpr program = record(types_of(x), [&](const Arrays& a) { return p.run(a); });
  // Concrete operands have no derivative. Without a rule each call has the same program.
  const auto known = [](const Array& a) { return concrete_or_null(a) != nullptr; };
  const Ref<const DualRule> rule =
      std::all_of(x.begin(), x.end(), known) ? Ref<const DualRule>() : make_ref<OdeRule>(p);
  return custom_jvp_flat(program, rule, x, "odeint");
}

void check_times(const Array& t) {
  if (!is_inexact(t.dtype()) || is_complex(t.dtype()))
    throw DTypeError(
        fmt::format("odeint: t must be an array of floats, got {}", to_string(t.type())));
  if (t.ndim() != 1 || t.size() == 0)
    throw ShapeError(
        fmt::format("odeint: t must be a vector of one time or more, got {}", to_string(t.type())));
}

}  // namespace

Arrays run_odeint(OdeField func, const Arrays& start, const Array& time, const Arrays& args,
                  const OdeintOptions& o, FunctionRef<tree::detail::Skeleton()> y_tree) {
  constexpr int64_t max_steps = 4096;
  check_times(time);
  const bool through = o.gradient == "checkpoint";
  if (!through && o.gradient != "adjoint")
    throw Error(fmt::format("odeint: .gradient must be \"adjoint\" or \"checkpoint\", got \"{}\"",
                            o.gradient));
  if (o.mxstep && *o.mxstep < 0)
    throw Error(fmt::format("odeint: .mxstep must not be negative, got {}", *o.mxstep));
  Arrays y0;
  for (const Array& y : start) {
    if (!is_inexact(y.dtype()))
      throw DTypeError(
          fmt::format("odeint: y0 must be floating-point or complex, got {}", to_string(y.type())));
    y0.push_back(as_dtype(y, y.dtype()));
  }
  const Array t = as_dtype(time, time.dtype());
  const size_t n = y0.size();
  const ClosedJaxpr field =
      record(concat_lists(concat_lists(types_of(y0), {row_type(t.type())}), types_of(args)),
             [&](const Arrays& x) {
               return slopes(func, sublist(x, 0, n), x[n], drop_first(x, n + 1), y_tree);
             });
  const System s{open_constants(field.jaxpr), field.consts.size(), n};
  const Tolerances tolerances{o.rtol,  o.atol,
                              o.hmax,  o.mxstep || !through ? o.mxstep : std::optional(max_steps),
                              through, !o.mxstep};
  const Arrays theta = concat_lists(field.consts, args);
  if (through) return solved(s, y0, t, theta, tolerances);
  return solve_by_adjoint(s, y0, t, theta, tolerances, false);
}

}  // namespace weft::detail

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/solve/odeint.h: odeint: systems of ordinary differential equations by steps as long as
// a tolerance allows, and the derivatives of their solutions.
#pragma once
#include <optional>
#include <string_view>

#include "weft/tracer/callable.h"

namespace weft {

namespace typing {
struct OdeintOptions {
  // A step is taken where the root of the mean of |error / (atol + rtol max(|y|, |y'|))|^2 over all
  // elements is at most 1, y' being the state behind the step.
  double rtol = 1.4e-8;
  // The part of the tolerance that does not grow with y.
  double atol = 1.4e-8;
  // Steps tried for each time of t, at most; then the solution is extrapolated from where it
  // stands, as JAX does it. none: as many as it takes, with "checkpoint" 4,096, and NaN where these
  // are not enough. With it the loop over steps has a bound, so it can be differentiated in reverse
  // as loops with .max_trips are: such a gradient takes time and memory for the bound, whatever the
  // number of steps that were taken, so it should be little above that. The adjoint does not. A
  // gradient of two equations in F64 by four parameters over ten intervals, compiled, took on a
  // busy machine (two cores, AVX-512), the least of 20 runs:
  //
  //     .mxstep       none       100       1,000      10,000
  //     "adjoint"     0.009 ms   0.009 ms  0.009 ms   0.009 ms   0.6 KiB each
  //     "checkpoint"  1.3 ms     0.025 ms  0.29 ms    3.2 ms
  //                   76 KiB     13 KiB    38 KiB     118 KiB
  std::optional<int64_t> mxstep = {};
  // The longest step; none: no limit.
  std::optional<double> hmax = {};
  // How derivatives are computed.
  // "adjoint": in reverse, by integrating the adjoint equation backwards from each time to the one
  // before, with the same tolerances (memory of one state; accurate to the tolerances). To any
  // order: the adjoint equation has an adjoint. The state is integrated backwards, too: the
  // gradient is NaN where it overflows on the way, as after a decay over a long time; "checkpoint"
  // has no such limit. Forward mode goes through the steps, their lengths held fixed, also of such
  // a derivative, but not in reverse again (grad(jacfwd(f)) needs "checkpoint"): the loop of
  // tangents has no bound, so the states of its steps cannot be stored. "checkpoint": through the
  // steps that were taken, their lengths held fixed, in both modes and to any order; in reverse
  // states are kept at the start of blocks of steps, and blocks computed again. Steps that were
  // tried and not taken have no part in derivatives, whatever func gives there.
  std::string_view gradient = "adjoint";
};
}  // namespace typing

namespace detail {

using OdeField = ir::FunctionRef<Arrays(const Arrays& y, const Array& t, const Arrays& args)>;
// The states at all times, one row each.
Arrays run_odeint(OdeField f, const Arrays& y0, const Array& t, const Arrays& args,
                  const typing::OdeintOptions& o, ir::FunctionRef<tree::Skeleton()> y_tree);

template <class F, class Y, class... A>
Y odeint(F& func, const Y& y0, const typing::Arg& t, const typing::OdeintOptions& o,
         const A&... args) {
  constexpr bool takes_state = can_call<F, Y, Array, A...>;
  static_assert(takes_state,
                "weft::odeint: func must take (y, t, args…), y of the type of y0 with Arrays for "
                "numbers, t an Array");
  constexpr bool silent = returns_nothing<F, Y, Array, A...>;
  static_assert(!silent, WEFT_RETURNS_NOTHING);
  if constexpr (takes_state && !silent) {
    const ir::Source source(t.at());
    using Rest = std::tuple<A...>;
    const Rest rest(args...);
    const auto f = [&](const Arrays& y, const Array& time, const Arrays& more) {
      Y state = tree::rebuild(y0, y.data());
      Array now = time;
      Rest others = tree::rebuild(rest, more.data());
      return tree::leaves(
          tree::convert<Y>(std::apply([&](auto&... a) { return func(state, now, a...); }, others)));
    };
    const Arrays out =
        run_odeint(f, tree::leaves(y0), t, tree::leaves(rest), o, tree::detail::skeleton_of(y0));
    return tree::rebuild(y0, out.data());
  } else {
    return never<Y>();
  }
}

template <class T>
concept OdeArgument = !std::same_as<std::remove_cvref_t<T>, typing::OdeintOptions>;

}  // namespace detail

// The y with dy/dt = func(y, t, args…) and y(t[0]) = y0, at all times of t: a tree like y0 whose
// arrays [s…] have become [n, s…] for t of shape [n], the first rows being y0.
//
// Explicit Runge-Kutta steps of order 5 with an error estimate of order 4 (Dormand and Prince, J.
// Comput. Appl. Math. 6, 1980), whose lengths the estimate chooses (the first as in Hairer,
// Nørsett, Wanner: Solving Ordinary Differential Equations I, II.4); steps do not end at the times
// of t, the states there are read off a polynomial of degree 4 through the last step (Shampine,
// Math. Comp. 46, 1986). Mapped, each lane takes steps of its own.
//
// y0: floating-point or complex arrays; t: a vector of floating-point times that increase strictly,
// which is not checked: where they do not, states are extrapolated from the step before, and NaN at
// a second time that is not behind the first. args are trees, up to four (more of them are
// fields of one); what func captures counts as an argument. All of them, y0 and t have derivatives
// (OdeintOptions::gradient).
//
// ShapeError where t is no vector or empty and where func returns what is not like y0, DTypeError
// for integers in y0 or t, Error for another `.gradient`. A step that meets NaN is tried again
// shorter, first so that it ends at the time asked for, which may be the edge of func's domain (JAX
// stops there). What does not reach its time for a step of length zero is NaN. Source:
// jax.experimental.ode.odeint.
template <class F, class Y>
typing::arrays_t<Y> odeint(F func, const Y& y0, const typing::Arg& t,
                           const typing::OdeintOptions& options = {}) {
  return detail::odeint(func, tree::convert<typing::arrays_t<Y>>(y0), t, options);
}
template <class F, class Y, detail::OdeArgument A>
typing::arrays_t<Y> odeint(F func, const Y& y0, const typing::Arg& t, const A& a,
                           const typing::OdeintOptions& options = {}) {
  return detail::odeint(func, tree::convert<typing::arrays_t<Y>>(y0), t, options,
                        tree::convert<typing::arrays_t<A>>(a));
}
template <class F, class Y, detail::OdeArgument A, detail::OdeArgument B>
typing::arrays_t<Y> odeint(F func, const Y& y0, const typing::Arg& t, const A& a, const B& b,
                           const typing::OdeintOptions& options = {}) {
  return detail::odeint(func, tree::convert<typing::arrays_t<Y>>(y0), t, options,
                        tree::convert<typing::arrays_t<A>>(a),
                        tree::convert<typing::arrays_t<B>>(b));
}
template <class F, class Y, detail::OdeArgument A, detail::OdeArgument B, detail::OdeArgument C>
typing::arrays_t<Y> odeint(F func, const Y& y0, const typing::Arg& t, const A& a, const B& b,
                           const C& c, const typing::OdeintOptions& options = {}) {
  return detail::odeint(func, tree::convert<typing::arrays_t<Y>>(y0), t, options,
                        tree::convert<typing::arrays_t<A>>(a),
                        tree::convert<typing::arrays_t<B>>(b),
                        tree::convert<typing::arrays_t<C>>(c));
}
template <class F, class Y, detail::OdeArgument A, detail::OdeArgument B, detail::OdeArgument C,
          detail::OdeArgument D>
typing::arrays_t<Y> odeint(F func, const Y& y0, const typing::Arg& t, const A& a, const B& b,
                           const C& c, const D& d, const typing::OdeintOptions& options = {}) {
  return detail::odeint(
      func, tree::convert<typing::arrays_t<Y>>(y0), t, options,
      tree::convert<typing::arrays_t<A>>(a), tree::convert<typing::arrays_t<B>>(b),
      tree::convert<typing::arrays_t<C>>(c), tree::convert<typing::arrays_t<D>>(d));
}

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/solve/odeint.h: odeint: solutions of systems of ordinary differential equations with
// adaptive steps, and their derivatives.
#pragma once
#include <optional>
#include <string_view>

#include "weft/detail/callable.h"

namespace weft {

namespace typing {
struct OdeintOptions {
  // A step is accepted if the root mean square of |error / (atol + rtol max(|y|, |y'|))| over all
  // elements is at most 1. y' is the state after the step.
  double rtol = 1.4e-8;
  // The part of the tolerance that does not grow with y.
  double atol = 1.4e-8;
  // The largest number of attempted steps for each time of t. When it is reached, the solution is
  // extrapolated from the current state, as in JAX. none: unlimited; with "checkpoint" 4,096, and
  // NaN if these are not enough.
  //
  // The number bounds the loop over steps, so the loop has a reverse-mode derivative, like loops
  // with .max_trips. Such a gradient takes time and memory proportional to the bound, regardless of
  // the number of steps taken, so the bound should be tight. The adjoint does not depend on it. The
  // table shows a compiled gradient of two equations in F64 with respect to four parameters over
  // ten intervals. It was timed on a busy machine (two cores, AVX-512); each time is the least of
  // 20 runs:
  //
  //     .mxstep       none       100       1,000      10,000
  //     "adjoint"     0.009 ms   0.009 ms  0.009 ms   0.009 ms   0.6 KiB each
  //     "checkpoint"  1.3 ms     0.025 ms  0.29 ms    3.2 ms
  //                   76 KiB     13 KiB    38 KiB     118 KiB
  std::optional<int64_t> mxstep = {};
  // The longest step; none: no limit.
  std::optional<double> hmax = {};
  // How derivatives are computed.
  //
  // "adjoint" integrates the adjoint equation backwards from each time to the previous one, with
  // the same tolerances. It needs the memory of one state and is accurate to the tolerances. It
  // works to any order, because the adjoint equation has an adjoint. The state is also integrated
  // backwards, so the gradient is NaN where that overflows, as after a decay over a long time.
  // "checkpoint" does not have this limit. Forward mode differentiates the steps with their lengths
  // held fixed, also for reverse-mode derivatives. Reverse mode cannot be applied to forward mode
  // (grad(jacfwd(f)) needs "checkpoint"). The loop of tangents has no bound, so the states of its
  // steps cannot be stored.
  //
  // "checkpoint" differentiates the accepted steps, with their lengths held fixed, in both modes
  // and to any order. Reverse mode stores the states at the start of blocks of steps and recomputes
  // the blocks. Rejected steps do not affect derivatives, even if func returns infinities or NaN
  // there.
  std::string_view gradient = "adjoint";
};
}  // namespace typing

namespace detail {

using OdeField = ir::FunctionRef<Arrays(const Arrays& y, const Array& t, const Arrays& args)>;
// Returns the states at all times, one row per time.
Arrays run_odeint(OdeField f, const Arrays& y0, const Array& t, const Arrays& args,
                  const typing::OdeintOptions& o, ir::FunctionRef<tree::detail::Skeleton()> y_tree);

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
    const ir::SourceScope source(t.at());
    using Rest = std::tuple<A...>;
    const Rest rest(args...);
    const auto f = [&](const Arrays& y, const Array& time, const Arrays& more) {
      Y state = tree::detail::rebuild(y0, y.data());
      Array now = time;
      Rest others = tree::detail::rebuild(rest, more.data());
      return tree::leaves(tree::detail::convert<Y>(
          std::apply([&](auto&... a) { return func(state, now, a...); }, others)));
    };
    const Arrays out =
        run_odeint(f, tree::leaves(y0), t, tree::leaves(rest), o, tree::detail::skeleton_of(y0));
    return tree::detail::rebuild(y0, out.data());
  } else {
    return never<Y>();
  }
}

template <class T>
concept OdeArgument = !std::same_as<std::remove_cvref_t<T>, typing::OdeintOptions>;

}  // namespace detail

// Returns y with dy/dt = func(y, t, args…) and y(t[0]) = y0 at all times of t. The result is a tree
// like y0 whose arrays [s…] become [n, s…] for t of shape [n]; the first rows are y0.
//
// The steps are explicit Runge-Kutta steps of order 5 with an error estimate of order 4 (Dormand
// and Prince, J. Comput. Appl. Math. 6, 1980). The estimate determines their lengths; the first
// length follows Hairer, Nørsett, Wanner: Solving Ordinary Differential Equations I, II.4. Steps do
// not end at the times of t. The states at these times are interpolated by a polynomial of degree 4
// through the last step (Shampine, Math. Comp. 46, 1986). Under vmap each lane takes its own steps.
//
// y0: floating-point or complex arrays. t: a vector of strictly increasing floating-point times,
// which is not checked. At a time that does not increase, the state is extrapolated from the
// previous step. It is NaN at a second time that is not after the first. args are up to four trees;
// pass more as fields of one tree. Captures of func count as arguments. All of them, y0 and t have
// derivatives (OdeintOptions::gradient).
//
// Raises ShapeError if t is empty or not a vector, and if the result of func does not have the
// structure of y0. Raises DTypeError for integers in y0 or t, and Error for another `.gradient`. A
// step that meets NaN is retried with a shorter length. The first retry ends at the requested time,
// which may be the edge of func's domain (JAX stops there). If a state would need a step of length
// zero to reach its time, it is NaN. Source: jax.experimental.ode.odeint.
template <class F, class Y>
typing::arrays_t<Y> odeint(F func, const Y& y0, const typing::Arg& t,
                           const typing::OdeintOptions& options = {}) {
  return detail::odeint(func, tree::detail::convert<typing::arrays_t<Y>>(y0), t, options);
}
template <class F, class Y, detail::OdeArgument A>
typing::arrays_t<Y> odeint(F func, const Y& y0, const typing::Arg& t, const A& a,
                           const typing::OdeintOptions& options = {}) {
  return detail::odeint(func, tree::detail::convert<typing::arrays_t<Y>>(y0), t, options,
                        tree::detail::convert<typing::arrays_t<A>>(a));
}
template <class F, class Y, detail::OdeArgument A, detail::OdeArgument B>
typing::arrays_t<Y> odeint(F func, const Y& y0, const typing::Arg& t, const A& a, const B& b,
                           const typing::OdeintOptions& options = {}) {
  return detail::odeint(func, tree::detail::convert<typing::arrays_t<Y>>(y0), t, options,
                        tree::detail::convert<typing::arrays_t<A>>(a),
                        tree::detail::convert<typing::arrays_t<B>>(b));
}
template <class F, class Y, detail::OdeArgument A, detail::OdeArgument B, detail::OdeArgument C>
typing::arrays_t<Y> odeint(F func, const Y& y0, const typing::Arg& t, const A& a, const B& b,
                           const C& c, const typing::OdeintOptions& options = {}) {
  return detail::odeint(func, tree::detail::convert<typing::arrays_t<Y>>(y0), t, options,
                        tree::detail::convert<typing::arrays_t<A>>(a),
                        tree::detail::convert<typing::arrays_t<B>>(b),
                        tree::detail::convert<typing::arrays_t<C>>(c));
}
template <class F, class Y, detail::OdeArgument A, detail::OdeArgument B, detail::OdeArgument C,
          detail::OdeArgument D>
typing::arrays_t<Y> odeint(F func, const Y& y0, const typing::Arg& t, const A& a, const B& b,
                           const C& c, const D& d, const typing::OdeintOptions& options = {}) {
  return detail::odeint(
      func, tree::detail::convert<typing::arrays_t<Y>>(y0), t, options,
      tree::detail::convert<typing::arrays_t<A>>(a), tree::detail::convert<typing::arrays_t<B>>(b),
      tree::detail::convert<typing::arrays_t<C>>(c), tree::detail::convert<typing::arrays_t<D>>(d));
}

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/grad.h: grad, value_and_grad, jvp, vjp, linearize, linear_transpose, stop_gradient.
#pragma once
#include "weft/detail/argnums.h"
#include "weft/detail/callable.h"

namespace weft {

namespace detail {
struct WithAux {
  template <class T>
  static void say() {
    static_assert(!std::same_as<T, T>,
                  "weft: of a function that returns {loss, aux}: grad_with_aux(f), "
                  "value_and_grad_with_aux(f)");
  }
};
}  // namespace detail

namespace typing {
struct GradOptions {
  // The caller promises that f is holomorphic: its argument and its result must be complex, and the
  // gradient is the complex derivative. Otherwise the result must be real.
  bool holomorphic = false;
  detail::NoOption<detail::WithAux> has_aux = {};  // JAX's option for grad_with_aux
};
}  // namespace typing

namespace detail {

// ---- the type-independent implementation

using FlatFunction = ir::FunctionRef<Arrays(const Arrays&)>;
using TreeOf = ir::FunctionRef<tree::detail::Skeleton()>;

struct GradResult {
  Arrays out;    // the loss and the auxiliary results
  Arrays grads;  // one for each x that is wrt
};
// chosen: the tree of the arguments for which the gradient is computed.
GradResult run_grad(const char* who, FlatFunction f, const Arrays& x, const std::vector<bool>& wrt,
                    TreeOf args, TreeOf chosen, const typing::GradOptions& o = {});
// DifferentiationError, with JAX's text, if an argument or a result of `who` does not have that
// kind of derivative.
void check_reverse_input(const char* who, const Array& x, bool holomorphic,
                         ir::FunctionRef<std::string()> path);
void check_reverse_output(const char* who, const typing::Type& t, bool holomorphic);

// In the next functions, `results` is the number of f's leading results that are differentiated. It
// is known after f has run; null means all. The other results are aux.
struct JvpResult {
  Arrays out, tangent;
};
JvpResult run_jvp(FlatFunction f, const Arrays& x, const Arrays& dx, TreeOf args,
                  const size_t* results = nullptr);

// A derivative at a point.
struct LinearResult {
  Arrays out;
  ir::Ref<const ir::RefCounted> linear;
};
LinearResult run_linearize(const char* who, FlatFunction f, const Arrays& x, TreeOf args,
                           const size_t* results = nullptr);
Arrays apply_linear(const ir::Ref<const ir::RefCounted>& linear, const Arrays& dx, TreeOf args);
Arrays transpose_linear(const ir::Ref<const ir::RefCounted>& linear, const Arrays& ct,
                        TreeOf result);
// The program of a linear function of arguments with these types, to be transposed.
ir::Ref<const ir::RefCounted> record_linear(FlatFunction f, const Arrays& example, TreeOf args);
Arrays transpose_recorded(const ir::Ref<const ir::RefCounted>& program, const Arrays& ct,
                          TreeOf result);
Array stop_gradient_leaf(const Array& x);

// ---- grad and its variants

enum class GradKind {
  grad,
  value_and_grad,
  grad_and_value,
  grad_with_aux,
  value_and_grad_with_aux,
  grad_and_value_with_aux
};
constexpr const char* grad_name(GradKind k) {
  switch (k) {
    case GradKind::grad:
    case GradKind::grad_with_aux: return "grad";
    case GradKind::value_and_grad:
    case GradKind::value_and_grad_with_aux: return "value_and_grad";
    default: return "grad_and_value";
  }
}

template <GradKind kind, class F, int... N>
class Grad : public CallOperator<Grad<kind, F, N...>, F> {
  static constexpr bool aux = kind >= GradKind::grad_with_aux;
  using Wrt = Argnums<N...>;

 public:
  Grad(F f, const typing::GradOptions& o, typing::Location at)
      : f_(std::move(f)), options_(o), at_(at) {}
  template <class... P>
  auto call(const std::tuple<P...>& args) const {
    constexpr bool fits = Wrt::template fit<std::tuple<P...>>;
    static_assert(fits,
                  "weft::grad: differentiating with respect to an argument number that large "
                  "requires more arguments");
    using R = result_t<F, P...>;
    if constexpr (fits && returns_loss<R>()) {
      const ir::SourceScope source(at_);
      Flat<F, std::tuple<P...>, R> flat(f_, args);
      const auto wrt = Wrt::chosen(args);
      const GradResult g =
          run_grad(grad_name(kind), flat, tree::leaves(args), Wrt::mask(args),
                   tree::detail::skeleton_of(args), tree::detail::skeleton_of(wrt), options_);
      R out = flat.result(g.out);
      auto d = tree::detail::rebuild(wrt, Wrt::in_order(args, g.grads.data()).data());
      if constexpr (kind == GradKind::grad)
        return d;
      else if constexpr (kind == GradKind::grad_with_aux)
        return std::pair<decltype(d), std::tuple_element_t<1, R>>{std::move(d), std::get<1>(out)};
      else if constexpr (kind == GradKind::value_and_grad ||
                         kind == GradKind::value_and_grad_with_aux)
        return std::pair<R, decltype(d)>{std::move(out), std::move(d)};
      else
        return std::pair<decltype(d), R>{std::move(d), std::move(out)};
    } else {
      return never<std::conditional_t<kind == GradKind::grad, Array, std::pair<Array, Array>>>();
    }
  }
  bool weft_identify(KeyWriter& key) const {
    key.add_static(options_.holomorphic);
    return identify(f_, key);
  }

 private:
  template <class R>
  static consteval bool returns_loss() {
    if constexpr (!aux) {
      constexpr bool one = std::is_same_v<R, Array>;
      static_assert(
          one,
          "weft::grad: f must return one scalar Array; with auxiliary results use grad_with_aux");
      return one;
    } else if constexpr (is_two<R>) {
      constexpr bool loss = std::is_same_v<std::tuple_element_t<0, R>, Array>;
      static_assert(loss, "weft::grad_with_aux: the first result, the loss, must be an Array");
      return loss;
    } else {
      static_assert(is_two<R>,
                    "weft::grad_with_aux: expected function with aux output to return a "
                    "two-element tuple, {loss, aux}");
      return false;
    }
  }
  mutable F f_;
  typing::GradOptions options_;
  typing::Location at_;
};

}  // namespace detail

// The gradient of a function with a scalar result with respect to argument 0. grad(f)(x, …) has the
// type of x, and each of its Arrays is the partial derivative of f by that Array. grad<0, 2>(f)
// gives a tuple, one entry for each of these arguments (negative numbers count from the end). For a
// complex x = a + ib and a real result it is JAX's ∂f/∂a - i ∂f/∂b. DifferentiationError "only
// defined for scalar-output functions", also for integer arguments, and for results that are not
// real unless holomorphic. Source: jax.grad.
template <int... N, class F = typing::BinaryFunction>
auto grad(F f, const typing::GradOptions& o = {}, typing::Location at = typing::Location::here()) {
  return detail::Grad<detail::GradKind::grad, F, N...>(std::move(f), o, at);
}
// The same for a name that <cmath> also has: grad(tanh).
template <int... N, class F = typing::UnaryFunction>
  requires std::same_as<F, typing::UnaryFunction>
auto grad(F f, const typing::GradOptions& o = {}, typing::Location at = typing::Location::here()) {
  return detail::Grad<detail::GradKind::grad, F, N...>(f, o, at);
}
// grad(f, 1) does not compile: write the argument number as grad<1>(f).
template <int... N, class F, ir::Integer I>
auto grad(F f, I) {
  static_assert(!ir::Integer<I>, "weft: which argument is written grad<1>(f), grad<0, 2>(f)");
  return grad<N...>(std::move(f));
}
// Returns {f(x, …), gradient}, with the same gradient as grad. Source: jax.value_and_grad.
template <int... N, class F = typing::BinaryFunction>
auto value_and_grad(F f, const typing::GradOptions& o = {},
                    typing::Location at = typing::Location::here()) {
  return detail::Grad<detail::GradKind::value_and_grad, F, N...>(std::move(f), o, at);
}
// The same for a name that <cmath> also has: value_and_grad(tanh).
template <int... N, class F = typing::UnaryFunction>
  requires std::same_as<F, typing::UnaryFunction>
auto value_and_grad(F f, const typing::GradOptions& o = {},
                    typing::Location at = typing::Location::here()) {
  return detail::Grad<detail::GradKind::value_and_grad, F, N...>(f, o, at);
}
// {gradient, f(x, …)}: value_and_grad in torch's order. Source: torch.func.grad_and_value.
template <int... N, class F>
auto grad_and_value(F f, const typing::GradOptions& o = {},
                    typing::Location at = typing::Location::here()) {
  return detail::Grad<detail::GradKind::grad_and_value, F, N...>(std::move(f), o, at);
}
// grad of a function that returns {loss, aux}, where aux is any tree. Returns {gradient, aux}.
// Source: jax.grad with has_aux.
template <int... N, class F>
auto grad_with_aux(F f, const typing::GradOptions& o = {},
                   typing::Location at = typing::Location::here()) {
  return detail::Grad<detail::GradKind::grad_with_aux, F, N...>(std::move(f), o, at);
}
// For f that returns {loss, aux}: {{loss, aux}, gradient}. Source: jax.value_and_grad with has_aux.
template <int... N, class F>
auto value_and_grad_with_aux(F f, const typing::GradOptions& o = {},
                             typing::Location at = typing::Location::here()) {
  return detail::Grad<detail::GradKind::value_and_grad_with_aux, F, N...>(std::move(f), o, at);
}
// For f that returns {loss, aux}: {gradient, {loss, aux}}. Source: torch.func.grad_and_value with
// has_aux.
template <int... N, class F>
auto grad_and_value_with_aux(F f, const typing::GradOptions& o = {},
                             typing::Location at = typing::Location::here()) {
  return detail::Grad<detail::GradKind::grad_and_value_with_aux, F, N...>(std::move(f), o, at);
}

namespace detail {
// The arguments at a point, and tangents of the same types.
template <class F, class... A, class... T>
auto primals_and_tangents(const std::tuple<A...>& primals, const std::tuple<T...>& tangents) {
  static_assert(sizeof...(A) == sizeof...(T),
                "weft::jvp: one tangent for each primal, std::tuple{x…}, std::tuple{dx…}");
  auto args = std::apply([](const auto&... a) { return detail::arguments<F>(a...); }, primals);
  auto dargs = tree::detail::convert<decltype(args)>(tangents);
  if (const std::string d = tree::detail::difference(tree::detail::skeleton(args),
                                                     tree::detail::skeleton(dargs), "args");
      !d.empty())
    throw DifferentiationError("jvp: primals and tangents must have the same tree structure: " + d);
  return std::pair<decltype(args), decltype(args)>{std::move(args), std::move(dargs)};
}
}  // namespace detail

// Returns {f(primals…), its derivative in the direction of the tangents}: J(primals) · tangents,
// with the type of f's result, in forward mode. Primals and tangents are tuples with one entry per
// argument. They must have equal structure, shapes and dtypes (DifferentiationError "equal types,
// but they differ"). Tangents of integers are ignored. Source: jax.jvp.
template <class F, class... A, class... T>
auto jvp(F f, const std::tuple<A...>& primals, const std::tuple<T...>& tangents,
         typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  const auto both = detail::primals_and_tangents<F>(primals, tangents);
  using Args = typename decltype(both)::first_type;
  using R = typename detail::ResultOf<F, Args>::type;
  detail::Flat<F, Args, R> flat(f, both.first);
  const detail::JvpResult r =
      detail::run_jvp(flat, tree::leaves(both.first), tree::leaves(both.second),
                      tree::detail::skeleton_of(both.first));
  return std::pair<R, R>{flat.result(r.out), flat.result(r.tangent)};
}
// jvp of a function that returns {out, aux}: a tuple {out, tangent of out, aux}. Source: jax.jvp
// with has_aux.
template <class F, class... A, class... T>
auto jvp_with_aux(F f, const std::tuple<A...>& primals, const std::tuple<T...>& tangents,
                  typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  const auto both = detail::primals_and_tangents<F>(primals, tangents);
  using Args = typename decltype(both)::first_type;
  using R = typename detail::ResultOf<F, Args>::type;
  using Out = typename detail::OutAux<R>::out;
  detail::FlatAux<F, Args, R> flat(f, both.first);
  const detail::JvpResult r =
      detail::run_jvp(flat, tree::leaves(both.first), tree::leaves(both.second),
                      tree::detail::skeleton_of(both.first), &flat.results);
  const R all = flat.result(r.out);
  return std::tuple<Out, Out, typename detail::OutAux<R>::aux>{
      std::get<0>(all), tree::detail::rebuild(std::get<0>(all), r.tangent.data()),
      std::get<1>(all)};
}

namespace detail {
// Maps the cotangent of the result to cotangents of the arguments.
template <class Args, class R>
class Pullback {
 public:
  using weft_params = Params<R>;
  Pullback(Args prototype, R result, ir::Ref<const ir::RefCounted> linear, bool recorded)
      : prototype_(std::move(prototype)),
        result_(std::move(result)),
        linear_(std::move(linear)),
        recorded_(recorded) {}
  Args operator()(const R& ct, typing::Location at = typing::Location::here()) const {
    const ir::SourceScope source(at);
    const auto tree_of_result = tree::detail::skeleton_of(result_);
    if (const std::string d =
            tree::detail::difference(tree_of_result(), tree::detail::skeleton(ct), "ct");
        !d.empty())
      throw DifferentiationError("vjp: unexpected tree structure of the cotangent: " + d);
    const Arrays leaves = tree::leaves(ct);
    const Arrays back = recorded_ ? transpose_recorded(linear_, leaves, tree_of_result)
                                  : transpose_linear(linear_, leaves, tree_of_result);
    return tree::detail::rebuild(prototype_, back.data());
  }

 private:
  Args prototype_;
  R result_;
  ir::Ref<const ir::RefCounted> linear_;
  bool recorded_;
};

// Maps tangents of the arguments to the tangent of the result.
template <class Args, class R>
class Pushforward;
template <class... P, class R>
class Pushforward<std::tuple<P...>, R> {
 public:
  using weft_params = Params<P...>;
  Pushforward(std::tuple<P...> prototype, R result, ir::Ref<const ir::RefCounted> linear)
      : prototype_(std::move(prototype)), result_(std::move(result)), linear_(std::move(linear)) {}
  R operator()(const P&... tangents, typing::Location at = typing::Location::here()) const {
    const ir::SourceScope source(at);
    const std::tuple<const P&...> all(tangents...);
    const std::tuple<P...> dx(all);
    if (const std::string d = tree::detail::difference(tree::detail::skeleton(prototype_),
                                                       tree::detail::skeleton(dx), "args");
        !d.empty())
      throw DifferentiationError(
          "linearize: the tangents must have the same tree structure as the arguments: " + d);
    const Arrays out =
        apply_linear(linear_, tree::leaves(dx), tree::detail::skeleton_of(prototype_));
    return tree::detail::rebuild(result_, out.data());
  }

 private:
  std::tuple<P...> prototype_;
  R result_;
  ir::Ref<const ir::RefCounted> linear_;
};

// Makes the pullback or pushforward from the arguments, the result and the linear part of a
// function.
struct MakePullback {
  static constexpr const char* who = "vjp";
  template <class Args, class R>
  auto operator()(Args args, R result, ir::Ref<const ir::RefCounted> linear) const {
    return Pullback<Args, R>(std::move(args), std::move(result), std::move(linear), false);
  }
};
struct MakePushforward {
  static constexpr const char* who = "linearize";
  template <class Args, class R>
  auto operator()(Args args, R result, ir::Ref<const ir::RefCounted> linear) const {
    return Pushforward<Args, R>(std::move(args), std::move(result), std::move(linear));
  }
};
// Returns {f(a…), the object that Make creates}.
template <class Make, class F, class... A>
auto linearized_at(typing::Location at, F& f, const A&... a) {
  const ir::SourceScope source(at);
  const auto args = arguments<F>(a...);
  using Args = std::remove_const_t<decltype(args)>;
  using R = typename ResultOf<F, Args>::type;
  Flat<F, Args, R> flat(f, args);
  LinearResult r =
      run_linearize(Make::who, flat, tree::leaves(args), tree::detail::skeleton_of(args));
  auto made = Make()(tree::detail::structure_only(args), flat.prototype(), std::move(r.linear));
  return std::pair<R, decltype(made)>{flat.result(r.out), std::move(made)};
}
// The same for a function that returns {out, aux}: {out, the object that Make creates, aux}.
template <class Make, class F, class... A>
auto linearized_with_aux_at(typing::Location at, F& f, const A&... a) {
  const ir::SourceScope source(at);
  const auto args = arguments<F>(a...);
  using Args = std::remove_const_t<decltype(args)>;
  using R = typename ResultOf<F, Args>::type;
  FlatAux<F, Args, R> flat(f, args);
  LinearResult r = run_linearize(Make::who, flat, tree::leaves(args),
                                 tree::detail::skeleton_of(args), &flat.results);
  const R all = flat.result(r.out);
  auto made = Make()(tree::detail::structure_only(args), std::get<0>(flat.prototype()),
                     std::move(r.linear));
  return std::tuple<typename OutAux<R>::out, decltype(made), typename OutAux<R>::aux>{
      std::get<0>(all), std::move(made), std::get<1>(all)};
}
template <class F, class... A>
auto vjp_at(typing::Location at, F& f, const A&... a) {
  return linearized_at<MakePullback>(at, f, a...);
}
template <class F, class... A>
auto linearize_at(typing::Location at, F& f, const A&... a) {
  return linearized_at<MakePushforward>(at, f, a...);
}
template <class F, class... A>
auto vjp_with_aux_at(typing::Location at, F& f, const A&... a) {
  return linearized_with_aux_at<MakePullback>(at, f, a...);
}
template <class F, class... A>
auto linearize_with_aux_at(typing::Location at, F& f, const A&... a) {
  return linearized_with_aux_at<MakePushforward>(at, f, a...);
}
template <class F, class... A>
auto linear_transpose_at(typing::Location at, F& f, const A&... example) {
  const ir::SourceScope source(at);
  const auto args = arguments<F>(example...);
  using Args = std::remove_const_t<decltype(args)>;
  using R = typename ResultOf<F, Args>::type;
  Flat<F, Args, R> flat(f, args);
  auto program = record_linear(flat, tree::leaves(args), tree::detail::skeleton_of(args));
  return Pullback<Args, R>(tree::detail::structure_only(args), flat.prototype(), std::move(program),
                           true);
}
}  // namespace detail

// Returns {f(args…), pullback}. pullback(ct), where ct is like f's result, gives a tuple with one
// cotangent per argument: ct · J(args), in reverse mode. It may be called any number of times.
// Complex numbers are transposed, not conjugated. DifferentiationError "unexpected JAX type" if ct
// is not like the result. Source: jax.vjp.
template <class F, class... A>
auto vjp(F f, const A&... a) {
  return detail::vjp_at({}, f, a...);
}
// vjp of a function that returns {out, aux}: a tuple {out, pullback, aux}; pullback accepts a
// cotangent of out. Source: jax.vjp with has_aux.
template <class F, class... A>
auto vjp_with_aux(F f, const A&... a) {
  return detail::vjp_with_aux_at({}, f, a...);
}
// Returns {f(args…), f_lin}. f_lin(tangents…) is J(args) · tangents, with the type of f's result.
// It is like jvp, but the part that does not depend on the tangents is computed only once. Source:
// jax.linearize.
template <class F, class... A>
auto linearize(F f, const A&... a) {
  return detail::linearize_at({}, f, a...);
}
// linearize of a function that returns {out, aux}: a tuple {out, f_lin, aux}; f_lin gives a tangent
// of out. Source: jax.linearize with has_aux.
template <class F, class... A>
auto linearize_with_aux(F f, const A&... a) {
  return detail::linearize_with_aux_at({}, f, a...);
}
// The transpose of a linear function of arguments like these: it maps a cotangent of the result to
// a tuple with one cotangent per argument. DifferentiationError if f is not linear or a type is not
// inexact. Source: jax.linear_transpose.
template <class F, class... A>
auto linear_transpose(F f, const A&... example) {
  return detail::linear_transpose_at({}, f, example...);
}
WEFT_WITH_LINE(vjp)
WEFT_WITH_LINE(linearize)
WEFT_WITH_LINE(vjp_with_aux)
WEFT_WITH_LINE(linearize_with_aux)
WEFT_WITH_LINE(linear_transpose)

// x, a tree, whose derivative is treated as zero. Source: jax.lax.stop_gradient.
template <class T>
typing::arrays_t<T> stop_gradient(const T& x, typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  const typing::arrays_t<T> t = tree::detail::convert<typing::arrays_t<T>>(x);
  Arrays out = tree::leaves(t);
  for (Array& a : out) a = detail::stop_gradient_leaf(a);
  return tree::detail::rebuild(t, out.data());
}

}  // namespace weft

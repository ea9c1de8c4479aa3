// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// autodiff/grad.h: grad, value_and_grad, jvp, vjp, linearize, linear_transpose, stop_gradient.
#pragma once
#include "weft/tracer/callable.h"

namespace weft {
namespace detail {

// ---- the work, whatever the types

using FlatFunction = FunctionRef<Arrays(const Arrays&)>;
using TreeOf = FunctionRef<tree::Skeleton()>;

struct GradResult {
  Arrays out;    // the loss and the auxiliary results
  Arrays grads;  // one for each x that is wrt
};
GradResult run_grad(const char* who, FlatFunction f, const Arrays& x, const std::vector<bool>& wrt,
                    TreeOf args);

struct JvpResult {
  Arrays out, tangent;
};
JvpResult run_jvp(FlatFunction f, const Arrays& x, const Arrays& dx, TreeOf args);

// A derivative at a point.
struct LinearResult {
  Arrays out;
  Ref<const RefCounted> linear;
};
LinearResult run_linearize(FlatFunction f, const Arrays& x, TreeOf args);
Arrays apply_linear(const Ref<const RefCounted>& linear, const Arrays& dx, TreeOf args);
Arrays transpose_linear(const Ref<const RefCounted>& linear, const Arrays& ct, TreeOf result);
// The program of a linear function of arguments with these types, to be run backwards.
Ref<const RefCounted> record_linear(FlatFunction f, const Arrays& example, TreeOf args);
Arrays transpose_recorded(const Ref<const RefCounted>& program, const Arrays& ct, TreeOf result);
Array stop_gradient_leaf(const Array& x);

template <class F, class T>
struct ResultOf;
template <class F, class... P>
struct ResultOf<F, std::tuple<P...>> {
  static_assert(Callable<F, P...>, "weft: the function cannot be called with these arguments");
  using type = result_t<F, P...>;
};

template <class T>
inline constexpr bool is_two = false;
template <class A, class B>
inline constexpr bool is_two<std::pair<A, B>> = true;
template <class A, class B>
inline constexpr bool is_two<std::tuple<A, B>> = true;

// ---- grad and its relatives

enum class GradKind { grad, value_and_grad, grad_with_aux, value_and_grad_with_aux };
constexpr const char* grad_name(GradKind k) {
  return k == GradKind::grad || k == GradKind::grad_with_aux ? "grad" : "value_and_grad";
}

template <GradKind kind, class F, int... N>
class Grad : public CallOperator<Grad<kind, F, N...>, F> {
  static constexpr bool aux =
      kind == GradKind::grad_with_aux || kind == GradKind::value_and_grad_with_aux;
  static constexpr bool value =
      kind == GradKind::value_and_grad || kind == GradKind::value_and_grad_with_aux;

 public:
  Grad(F f, Location at) : f_(std::move(f)), at_(at) {}
  template <class... P>
  auto call(const std::tuple<P...>& args) const {
    constexpr int n = static_cast<int>(sizeof...(P));
    static_assert(((N < n && N >= -n) && ...),
                  "weft::grad: differentiating with respect to an argument number that large "
                  "requires more arguments");
    static_assert(Callable<F, P...>,
                  "weft::grad: the function cannot be called with these arguments");
    using R = result_t<F, P...>;
    check_result<R>();
    const Source source(at_);
    Flat<F, std::tuple<P...>, R> flat(f_, args);
    const GradResult g = run_grad(grad_name(kind), flat, tree::leaves(args), wrt(args),
                                  [&] { return tree::skeleton(args); });
    const R out = flat.result(g.out);
    auto d = gradient(args, g.grads.data());
    if constexpr (kind == GradKind::grad)
      return d;
    else if constexpr (kind == GradKind::grad_with_aux)
      return std::pair<decltype(d), std::tuple_element_t<1, R>>{std::move(d), std::get<1>(out)};
    else
      return std::pair<R, decltype(d)>{out, std::move(d)};
  }
  bool weft_identify(KeyWriter& key) const { return identify(f_, key); }

 private:
  template <class R>
  static constexpr void check_result() {
    if constexpr (aux) {
      static_assert(is_two<R>,
                    "weft::grad_with_aux: expected function with aux output to return a "
                    "two-element tuple, {loss, aux}");
      static_assert(std::same_as<std::tuple_element_t<0, R>, Array>,
                    "weft::grad_with_aux: the first result, the loss, must be an Array");
    } else {
      static_assert(
          std::same_as<R, Array> || std::same_as<R, std::monostate>,  // which ReturnOf explains
          "weft::grad: f must return one scalar Array; with auxiliary results use grad_with_aux");
    }
  }
  static constexpr size_t number(int k, size_t n) {
    return static_cast<size_t>(k < 0 ? k + static_cast<int>(n) : k);
  }
  template <class T>
  static std::vector<bool> wrt(const T& args) {
    std::vector<bool> r;
    size_t k = 0;
    std::apply(
        [&](const auto&... a) {
          const auto add = [&](const auto& x) {
            const bool on = ((number(N, std::tuple_size_v<T>) == k) || ...);
            r.insert(r.end(), tree::count(x), on);
            ++k;
          };
          (add(a), ...);
        },
        args);
    return r;
  }
  // grads lists the leaves of the chosen arguments in the order of the arguments.
  template <class T>
  static auto gradient(const T& args, const Array* grads) {
    constexpr size_t n = std::tuple_size_v<T>;
    const auto start = [&](size_t k) {
      const Array* p = grads;
      size_t i = 0;
      std::apply(
          [&](const auto&... a) {
            ((p += i < k && ((number(N, n) == i) || ...) ? tree::count(a) : 0, ++i), ...);
          },
          args);
      return p;
    };
    if constexpr (sizeof...(N) == 1) {
      constexpr size_t k = number((N + ...), n);
      return tree::rebuild(std::get<k>(args), grads);
    } else {
      return std::tuple<std::tuple_element_t<number(N, n), T>...>(
          tree::rebuild(std::get<number(N, n)>(args), start(number(N, n)))...);
    }
  }
  mutable F f_;
  Location at_;
};

template <GradKind kind, int... N, class F>
auto make_grad(F f, Location at) {
  if constexpr (sizeof...(N) == 0)
    return Grad<kind, F, 0>(std::move(f), at);
  else
    return Grad<kind, F, N...>(std::move(f), at);
}

}  // namespace detail

// The gradient of a scalar function with respect to argument 0: grad(f)(x, …); grad<0, 2>(f) gives
// a tuple, one for each of these arguments.
template <int... N, class F = BinaryFunction>
auto grad(F f, Location at = Location::here()) {
  return detail::make_grad<detail::GradKind::grad, N...>(std::move(f), at);
}
// {f(x), gradient}
template <int... N, class F = BinaryFunction>
auto value_and_grad(F f, Location at = Location::here()) {
  return detail::make_grad<detail::GradKind::value_and_grad, N...>(std::move(f), at);
}
// f returns {loss, aux}: {gradient, aux}
template <int... N, class F>
auto grad_with_aux(F f, Location at = Location::here()) {
  return detail::make_grad<detail::GradKind::grad_with_aux, N...>(std::move(f), at);
}
// f returns {loss, aux}: {{loss, aux}, gradient}
template <int... N, class F>
auto value_and_grad_with_aux(F f, Location at = Location::here()) {
  return detail::make_grad<detail::GradKind::value_and_grad_with_aux, N...>(std::move(f), at);
}

// {f(primals), its derivative in the direction of the tangents}
template <class F, class... A, class... T>
auto jvp(F f, const std::tuple<A...>& primals, const std::tuple<T...>& tangents,
         Location at = Location::here()) {
  static_assert(sizeof...(A) == sizeof...(T),
                "weft::jvp: one tangent for each primal, std::tuple{x…}, std::tuple{dx…}");
  const Source source(at);
  const auto args =
      std::apply([](const auto&... a) { return detail::arguments<F>(a...); }, primals);
  const auto dargs = tree::convert<std::remove_const_t<decltype(args)>>(tangents);
  using R = typename detail::ResultOf<F, std::remove_const_t<decltype(args)>>::type;
  detail::Flat<F, std::remove_const_t<decltype(args)>, R> flat(f, args);
  if (const std::string d = tree::difference(tree::skeleton(args), tree::skeleton(dargs), "args");
      !d.empty())
    throw DifferentiationError("jvp: primals and tangents must have the same tree structure: " + d);
  const detail::JvpResult r = detail::run_jvp(flat, tree::leaves(args), tree::leaves(dargs),
                                              [&] { return tree::skeleton(args); });
  return std::pair<R, R>{flat.result(r.out), flat.result(r.tangent)};
}

namespace detail {
// ct of the result -> cotangents of the arguments.
template <class Args, class R>
class Pullback {
 public:
  using weft_params = Params<R>;
  Pullback(Args prototype, R result, Ref<const RefCounted> linear, bool recorded)
      : prototype_(std::move(prototype)),
        result_(std::move(result)),
        linear_(std::move(linear)),
        recorded_(recorded) {}
  Args operator()(const R& ct, Location at = Location::here()) const {
    const Source source(at);
    const auto tree_of_result = [&] { return tree::skeleton(result_); };
    if (const std::string d = tree::difference(tree_of_result(), tree::skeleton(ct), "ct");
        !d.empty())
      throw DifferentiationError("vjp: unexpected tree structure of the cotangent: " + d);
    const Arrays leaves = tree::leaves(ct);
    const Arrays back = recorded_ ? transpose_recorded(linear_, leaves, tree_of_result)
                                  : transpose_linear(linear_, leaves, tree_of_result);
    return tree::rebuild(prototype_, back.data());
  }

 private:
  Args prototype_;
  R result_;
  Ref<const RefCounted> linear_;
  bool recorded_;
};

// Tangents of the arguments -> the tangent of the result.
template <class Args, class R>
class Pushforward;
template <class... P, class R>
class Pushforward<std::tuple<P...>, R> {
 public:
  using weft_params = Params<P...>;
  Pushforward(std::tuple<P...> prototype, R result, Ref<const RefCounted> linear)
      : prototype_(std::move(prototype)), result_(std::move(result)), linear_(std::move(linear)) {}
  R operator()(const P&... tangents, Location at = Location::here()) const {
    const Source source(at);
    const std::tuple<const P&...> all(tangents...);
    const std::tuple<P...> dx(all);
    if (const std::string d =
            tree::difference(tree::skeleton(prototype_), tree::skeleton(dx), "args");
        !d.empty())
      throw DifferentiationError(
          "linearize: the tangents must have the same tree structure as the arguments: " + d);
    const Arrays out =
        apply_linear(linear_, tree::leaves(dx), [&] { return tree::skeleton(prototype_); });
    return tree::rebuild(result_, out.data());
  }

 private:
  std::tuple<P...> prototype_;
  R result_;
  Ref<const RefCounted> linear_;
};

template <class F, class... A>
auto vjp_at(Location at, F& f, const A&... a) {
  const Source source(at);
  const auto args = arguments<F>(a...);
  using Args = std::remove_const_t<decltype(args)>;
  using R = typename ResultOf<F, Args>::type;
  Flat<F, Args, R> flat(f, args);
  LinearResult r = run_linearize(flat, tree::leaves(args), [&] { return tree::skeleton(args); });
  Pullback<Args, R> back(tree::structure_only(args), flat.prototype(), std::move(r.linear), false);
  return std::pair<R, decltype(back)>{flat.result(r.out), std::move(back)};
}
template <class F, class... A>
auto linearize_at(Location at, F& f, const A&... a) {
  const Source source(at);
  const auto args = arguments<F>(a...);
  using Args = std::remove_const_t<decltype(args)>;
  using R = typename ResultOf<F, Args>::type;
  Flat<F, Args, R> flat(f, args);
  LinearResult r = run_linearize(flat, tree::leaves(args), [&] { return tree::skeleton(args); });
  Pushforward<Args, R> forward(tree::structure_only(args), flat.prototype(), std::move(r.linear));
  return std::pair<R, decltype(forward)>{flat.result(r.out), std::move(forward)};
}
template <class F, class... A>
auto linear_transpose_at(Location at, F& f, const A&... example) {
  const Source source(at);
  const auto args = arguments<F>(example...);
  using Args = std::remove_const_t<decltype(args)>;
  using R = typename ResultOf<F, Args>::type;
  Flat<F, Args, R> flat(f, args);
  auto program = record_linear(flat, tree::leaves(args), [&] { return tree::skeleton(args); });
  return Pullback<Args, R>(tree::structure_only(args), flat.prototype(), std::move(program), true);
}
}  // namespace detail

// {f(args…), pullback}; pullback(ct) gives a tuple of one cotangent an argument.
template <class F, class... A>
auto vjp(F f, const A&... a) {
  return detail::vjp_at({}, f, a...);
}
// {f(args…), f_lin}; f_lin(tangents…) is the derivative at args.
template <class F, class... A>
auto linearize(F f, const A&... a) {
  return detail::linearize_at({}, f, a...);
}
// The transpose of a linear function of arguments like these: ct -> tuple of one cotangent an
// argument.
template <class F, class... A>
auto linear_transpose(F f, const A&... example) {
  return detail::linear_transpose_at({}, f, example...);
}
// A default argument cannot follow a pack: overloads for one to six arguments, which know their
// line.
#define WEFT_WITH_LINE(NAME)                                                                       \
  template <class F, class A>                                                                      \
  auto NAME(F f, const A& a, Location at = Location::here()) {                                     \
    return detail::NAME##_at(at, f, a);                                                            \
  }                                                                                                \
  template <class F, class A, class B>                                                             \
  auto NAME(F f, const A& a, const B& b, Location at = Location::here()) {                         \
    return detail::NAME##_at(at, f, a, b);                                                         \
  }                                                                                                \
  template <class F, class A, class B, class C>                                                    \
  auto NAME(F f, const A& a, const B& b, const C& c, Location at = Location::here()) {             \
    return detail::NAME##_at(at, f, a, b, c);                                                      \
  }                                                                                                \
  template <class F, class A, class B, class C, class D>                                           \
  auto NAME(F f, const A& a, const B& b, const C& c, const D& d, Location at = Location::here()) { \
    return detail::NAME##_at(at, f, a, b, c, d);                                                   \
  }                                                                                                \
  template <class F, class A, class B, class C, class D, class E>                                  \
  auto NAME(F f, const A& a, const B& b, const C& c, const D& d, const E& e,                       \
            Location at = Location::here()) {                                                      \
    return detail::NAME##_at(at, f, a, b, c, d, e);                                                \
  }                                                                                                \
  template <class F, class A, class B, class C, class D, class E, class G>                         \
  auto NAME(F f, const A& a, const B& b, const C& c, const D& d, const E& e, const G& g,           \
            Location at = Location::here()) {                                                      \
    return detail::NAME##_at(at, f, a, b, c, d, e, g);                                             \
  }
WEFT_WITH_LINE(vjp)
WEFT_WITH_LINE(linearize)
WEFT_WITH_LINE(linear_transpose)
#undef WEFT_WITH_LINE

// x, whose derivative is taken to be zero.
template <class T>
arrays_t<T> stop_gradient(const T& x, Location at = Location::here()) {
  const Source source(at);
  const arrays_t<T> t = tree::convert<arrays_t<T>>(x);
  Arrays out = tree::leaves(t);
  for (Array& a : out) a = detail::stop_gradient_leaf(a);
  return tree::rebuild(t, out.data());
}

}  // namespace weft

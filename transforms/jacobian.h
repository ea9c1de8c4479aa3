// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/jacobian.h: jacfwd, jacrev, jacobian, hessian, batch_jacobian, hvp.
#pragma once
#include "weft/autodiff/grad.h"
#include "weft/transforms/vmap.h"

namespace weft {

struct JacobianOptions {
  // Columns (forward) or rows (reverse) at a time (0: all).
  int64_t chunk_size = 0;
};

namespace detail {

// One Array for each leaf of the result and each chosen leaf: shape out.shape + in.shape.
using BlockRows = std::vector<Arrays>;
enum class JacobianMode { forward, reverse, cheaper };
BlockRows run_jacobian(JacobianMode mode, FlatFunction f, const Arrays& x,
                       const std::vector<bool>& wrt, int64_t chunk, TreeOf args);
Array run_batch_jacobian(FlatFunction f, const Array& x);

// The type of a Jacobian: out with each Array replaced by the type of the argument.
template <class T>
inline constexpr bool has_struct = tree::is_struct<T>;
template <class... T>
inline constexpr bool has_struct<std::tuple<T...>> = (has_struct<T> || ...);
template <class A, class B>
inline constexpr bool has_struct<std::pair<A, B>> = has_struct<A> || has_struct<B>;
template <class T>
inline constexpr bool has_struct<std::vector<T>> = has_struct<T>;
template <class T, size_t N>
inline constexpr bool has_struct<std::array<T, N>> = has_struct<T>;
template <class T>
inline constexpr bool has_struct<std::map<std::string, T>> = has_struct<T>;
template <class T>
inline constexpr bool has_struct<std::optional<T>> = has_struct<T>;

template <class Out, class In>
struct Replaced {
  using type = Out;
};
template <class In>
struct Replaced<Array, In> {
  using type = In;
};
template <class... T, class In>
struct Replaced<std::tuple<T...>, In> {
  using type = std::tuple<typename Replaced<T, In>::type...>;
};
template <class A, class B, class In>
struct Replaced<std::pair<A, B>, In> {
  using type = std::pair<typename Replaced<A, In>::type, typename Replaced<B, In>::type>;
};
template <class T, class In>
struct Replaced<std::vector<T>, In> {
  using type = std::vector<typename Replaced<T, In>::type>;
};
template <class T, size_t N, class In>
struct Replaced<std::array<T, N>, In> {
  using type = std::array<typename Replaced<T, In>::type, N>;
};
template <class T, class In>
struct Replaced<std::map<std::string, T>, In> {
  using type = std::map<std::string, typename Replaced<T, In>::type>;
};
template <class T, class In>
struct Replaced<std::optional<T>, In> {
  using type = std::optional<typename Replaced<T, In>::type>;
};

// out with its Arrays, in order, replaced by what next() gives.
template <class To, class Out, class Next>
To replace_leaves(const Out& out, Next& next) {
  if constexpr (std::same_as<Out, Array>) {
    return next();
  } else if constexpr (std::same_as<To, Out> && (tree::is_static<Out> || tree::is_empty<Out>)) {
    return out;
  } else if constexpr (tree::is_tuple<Out>) {
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return To{replace_leaves<std::tuple_element_t<I, To>>(std::get<I>(out), next)...};
    }(std::make_index_sequence<std::tuple_size_v<Out>>{});
  } else if constexpr (tree::is_map<Out>) {
    To r;
    for (const auto& [k, e] : out) r.emplace(k, replace_leaves<typename To::mapped_type>(e, next));
    return r;
  } else if constexpr (tree::is_optional<Out>) {
    To r;
    if (out) r.emplace(replace_leaves<typename To::value_type>(*out, next));
    return r;
  } else {
    To r;
    for (const auto& e : out) r.push_back(replace_leaves<typename To::value_type>(e, next));
    return r;
  }
}

template <class Out, class In>
auto assemble_jacobian(const Out& out, const In& in, const BlockRows& rows) {
  if constexpr (std::same_as<In, Array>) {
    Arrays flat;
    for (const Arrays& r : rows) flat.push_back(r[0]);
    return tree::rebuild(out, flat.data());
  } else if constexpr (has_struct<Out>) {
    return tree::Blocks{rows, tree::paths(tree::skeleton(out), ""),
                        tree::paths(tree::skeleton(in), "")};
  } else {
    size_t k = 0;
    auto next = [&] { return tree::rebuild(in, rows[k++].data()); };
    return replace_leaves<typename Replaced<Out, In>::type>(out, next);
  }
}

template <JacobianMode mode, int N, class F>
class Jacobian : public CallOperator<Jacobian<mode, N, F>, F> {
 public:
  Jacobian(F f, int64_t chunk, Location at) : f_(std::move(f)), chunk_(chunk), at_(at) {}
  template <class... P>
  auto call(const std::tuple<P...>& args) const {
    constexpr int n = static_cast<int>(sizeof...(P));
    static_assert(N < n && N >= -n,
                  "weft: differentiating with respect to an argument number that large requires "
                  "more arguments");
    static_assert(Callable<F, P...>, "weft: the function cannot be called with these arguments");
    constexpr size_t k = static_cast<size_t>(N < 0 ? N + n : N);
    using R = result_t<F, P...>;
    const Source source(at_);
    Flat<F, std::tuple<P...>, R> flat(f_, args);
    const auto& in = std::get<k>(args);
    const BlockRows rows = run_jacobian(mode, flat, tree::leaves(args), chosen<k>(args), chunk_,
                                        [&] { return tree::skeleton(args); });
    return assemble_jacobian(flat.prototype(), in, rows);
  }
  bool weft_identify(KeyWriter& key) const {
    key.add_static(chunk_);
    return identify(f_, key);
  }

 private:
  template <size_t K, class T>
  static std::vector<bool> chosen(const T& args) {
    std::vector<bool> r;
    size_t i = 0;
    std::apply([&](const auto&... a) { (r.insert(r.end(), tree::count(a), i++ == K), ...); }, args);
    return r;
  }
  mutable F f_;
  int64_t chunk_;
  Location at_;
};

}  // namespace detail

// The Jacobian of f with respect to one argument: the type of f's result with each Array replaced
// by the type of the argument; tree::Blocks if both are structs. Forward mode: a column at a time.
template <int N = 0, class F = BinaryFunction>
auto jacfwd(F f, const JacobianOptions& o = {}, Location at = Location::here()) {
  return detail::Jacobian<detail::JacobianMode::forward, N, F>(std::move(f), o.chunk_size, at);
}
// Reverse mode: a row at a time.
template <int N = 0, class F = BinaryFunction>
auto jacrev(F f, const JacobianOptions& o = {}, Location at = Location::here()) {
  return detail::Jacobian<detail::JacobianMode::reverse, N, F>(std::move(f), o.chunk_size, at);
}
// Whichever mode takes fewer passes.
template <int N = 0, class F = BinaryFunction>
auto jacobian(F f, const JacobianOptions& o = {}, Location at = Location::here()) {
  return detail::Jacobian<detail::JacobianMode::cheaper, N, F>(std::move(f), o.chunk_size, at);
}
template <int N = 0, class F = BinaryFunction>
auto hessian(F f, const JacobianOptions& o = {}, Location at = Location::here()) {
  return jacfwd<N>(jacrev<N>(std::move(f), {}, at), o, at);
}

namespace detail {
template <class F>
class BatchJacobian : public CallOperator<BatchJacobian<F>, F> {
 public:
  BatchJacobian(F f, Location at) : f_(std::move(f)), at_(at) {}
  template <class P>
  Array call(const std::tuple<P>& args) const {
    static_assert(std::same_as<P, Array> && std::same_as<result_t<F, P>, Array>,
                  "weft::batch_jacobian: f must take and return one Array");
    const Source source(at_);
    Flat<F, std::tuple<P>, Array> flat(f_, args);
    return run_batch_jacobian(flat, std::get<0>(args));
  }
  bool weft_identify(KeyWriter& key) const { return identify(f_, key); }

 private:
  mutable F f_;
  Location at_;
};

template <class F>
class Hvp {
 public:
  Hvp(F f, Location at) : f_(std::move(f)), at_(at) {}
  // The Hessian with respect to argument 0 times v, the last argument.
  template <class... A>
  auto operator()(const A&... a) const {
    static_assert(sizeof...(A) >= 2,
                  "weft::hvp: call it with the arguments of f and the vector, hvp(f)(x, v)");
    const Source source(at_);
    const auto all = std::tie(a...);
    return [&]<size_t... I>(std::index_sequence<I...>) {
      const auto args = arguments<F>(std::get<I>(all)...);
      using Args = std::remove_const_t<decltype(args)>;
      using X = std::tuple_element_t<0, Args>;
      const X v = tree::convert<X>(std::get<sizeof...(A) - 1>(all));
      const auto first = [&](X x) {
        Args with = args;
        std::get<0>(with) = std::move(x);
        return std::apply(grad(f_), with);
      };
      return jvp(first, std::make_tuple(std::get<0>(args)), std::make_tuple(v)).second;
    }(std::make_index_sequence<sizeof...(A) - 1>{});
  }

 private:
  F f_;
  Location at_;
};
}  // namespace detail

// f maps a batch to a batch, row by row: the Jacobian of each row, [batch, out…, in…].
template <class F>
auto batch_jacobian(F f, Location at = Location::here()) {
  return detail::BatchJacobian<F>(std::move(f), at);
}
// hvp(f)(x, v): the Hessian of the scalar function f at x times v, without making the Hessian.
template <class F>
auto hvp(F f, Location at = Location::here()) {
  return detail::Hvp<F>(std::move(f), at);
}

}  // namespace weft

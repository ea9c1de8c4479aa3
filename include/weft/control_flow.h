// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/control_flow.h: cond, switch_, while_loop, fori_loop, scan, map and
// associative_scan: branches and loops that depend on traced values. Numbers given as init or
// operands are converted to Arrays.
#pragma once
#include <initializer_list>
#include <string>
#include <vector>

#include "weft/vmap.h"

namespace weft {

namespace typing {
struct WhileOptions {
  // The loop stops after this many trips, and returns the value so far. A loop with a bound can be
  // differentiated in reverse mode.
  std::optional<int64_t> max_trips = {};
};
struct ScanOptions {
  // The number of steps. It is required if xs is `none`; otherwise it must be the leading size of
  // all arrays of xs (ShapeError).
  std::optional<int64_t> length = {};
  // Starts with the last row; ys[t] still belongs to xs[t].
  bool reverse = false;
  // The number of steps in one body of the compiled loop; 0: all. Raises CompileError if the
  // unrolled body has more than 32768 equations, because compiling that many in one function takes
  // minutes or even hours.
  int64_t unroll = 1;
};
struct LoopMapOptions {
  // The number of rows per batch (0: one row at a time).
  int64_t batch_size = 0;
};
struct AssociativeScanOptions {
  // Starts with the last slice: result t combines the slices from the last down to t.
  bool reverse = false;
  // The axis of the slices, which has the same size in all arrays of xs; -1 is the last.
  int64_t axis = 0;
};
}  // namespace typing

namespace detail {

using FlatFunction = ir::FunctionRef<Arrays(const Arrays&)>;
using TreeOf = ir::FunctionRef<tree::detail::Skeleton()>;

Array branch_of(const Array& pred);
// Runs branch number `index` on the operands, the Arrays of a tuple. `results` gives the structure
// of each branch's last result.
Arrays run_cond(const char* who, const Array& index, const std::vector<FlatFunction>& branches,
                const std::vector<TreeOf>& results, const Arrays& operands, TreeOf operands_tree);

// The carry of a loop.
struct Carry {
  const char* who;
  Arrays init;
  TreeOf before, after;  // its structure, and the structure of the body's last result
};
Arrays run_while(const Carry& c, FlatFunction cond, FlatFunction body,
                 std::optional<int64_t> max_trips);
// body: (i, carry…) -> carry…
Arrays run_fori(const Carry& c, const Array& lo, const Array& hi, FlatFunction body);
// body: (carry…, rows…) -> (carry…, rows of the ys…)
Arrays run_scan(const Carry& c, const Arrays& xs, TreeOf xs_tree, const typing::ScanOptions& o,
                FlatFunction body);
// Raises ShapeError for a negative batch size.
void check_batch_size(int64_t n, typing::Location at);
// f: (left…, right…) -> combined…, on slices along the axis.
Arrays run_associative_scan(const Arrays& x, TreeOf tree, const typing::AssociativeScanOptions& o,
                            FlatFunction f);

template <class R, class Args, class... B>
R run_flat_branches(const char* who, const Array& index, const Args& operands,
                    Flat<B, Args, R>... f) {
  const FlatResult<R>* const all[] = {&f...};
  return all[0]->result(run_cond(who, index, {FlatFunction(f)...}, {TreeOf(f.tree())...},
                                 tree::leaves(operands), tree::detail::skeleton_of(operands)));
}
template <class R, class Args, class... B>
R run_branches(const char* who, const Array& index, const Args& operands, B&... branch) {
  return run_flat_branches<R, Args, B...>(who, index, operands,
                                          Flat<B, Args, R>(branch, operands)...);
}

}  // namespace detail

// Returns on_true(operands…) if pred, a scalar, is true, else on_false(operands…). Only one of them
// runs; under vmap each branch runs only for the lanes that take it. See psum for collectives in a
// branch. A number as pred is compared with 0. Raises ShapeError for a pred that is not a scalar,
// and for branches whose results differ in structure or types. Source: jax.lax.cond.
template <class T, class E, class... O>
auto cond(const typing::Arg& pred, T on_true, E on_false, const O&... operands) {
  constexpr bool copied = detail::copyable<O...>;
  static_assert(copied, WEFT_NOT_COPIED);
  if constexpr (!copied) {
    return detail::never<Array>();
  } else {
    using Args = std::tuple<typing::arrays_t<O>...>;
    static_assert(
        detail::can_call<T, typing::arrays_t<O>...> && detail::can_call<E, typing::arrays_t<O>...>,
        "weft::cond: both branches must take the operands");
    constexpr bool silent = detail::returns_nothing<T, typing::arrays_t<O>...> ||
                            detail::returns_nothing<E, typing::arrays_t<O>...>;
    static_assert(!silent, WEFT_RETURNS_NOTHING);
    if constexpr (detail::answers<T, typing::arrays_t<O>...> &&
                  detail::answers<E, typing::arrays_t<O>...>) {
      using R = detail::result_t<T, typing::arrays_t<O>...>;
      constexpr bool same = std::is_same_v<R, detail::result_t<E, typing::arrays_t<O>...>>;
      static_assert(same, "weft::cond: the branches return different types");
      if constexpr (same) {
        const ir::SourceScope source(pred.at());
        const Args args(tree::detail::convert<typing::arrays_t<O>>(operands)...);
        return detail::run_branches<R>("cond", detail::branch_of(pred), args, on_false, on_true);
      } else {
        return detail::never<R>();
      }
    } else {
      return detail::never<Array>();
    }
  }
}

namespace detail {
// Returns the result of run(functions, their results, operands) for a list of functions.
template <class R, class Args, class F, class Run>
R run_listed_by(const std::vector<F*>& branches, const Args& operands, const Run& run) {
  std::vector<Flat<F, Args, R>> flat;
  for (F* f : branches) flat.emplace_back(*f, operands);
  std::vector<typename FlatResult<R>::Tree> trees;
  for (const auto& f : flat) trees.push_back(f.tree());
  const Arrays out = run(std::vector<FlatFunction>(flat.begin(), flat.end()),
                         std::vector<TreeOf>(trees.begin(), trees.end()), tree::leaves(operands));
  return flat[0].result(out);
}
// Runs the branch with this number, of the branches in a list, on the operands.
template <class R, class Args, class F>
R run_listed(const char* who, const Array& index, const std::vector<F*>& branches,
             const Args& operands) {
  return run_listed_by<R>(
      branches, operands, [&](const auto& functions, const auto& results, const Arrays& x) {
        return run_cond(who, index, functions, results, x, tree::detail::skeleton_of(operands));
      });
}
// Returns the index of the first true pred, a list of bool scalars; the length of the list if all
// are false.
Array first_true(const char* who, const Arrays& preds);
}  // namespace detail

namespace detail {
// A branch in braces. For a function that cannot be one the message says what it must be.
template <class S>
struct Branch;
template <class R, class... O>
struct Branch<R(O...)> : ir::Function<R(O...)> {
  using ir::Function<R(O...)>::Function;
  Branch(ir::Function<R(O...)> f) : ir::Function<R(O...)>(std::move(f)) {}
  template <class F>
    requires(!std::is_base_of_v<Branch, F> && !std::is_invocable_r_v<R, const F&, O...>)
  Branch(const F&) {
    static_assert(
        std::is_base_of_v<Branch, F>,
        "weft::switch_: a branch in braces takes the operands and returns an Array, or as "
        "switch_<R> an R; others are given as a std::tuple");
  }
};
}  // namespace detail

// Returns branches[index](operands…) with the index clamped to the valid range. Only that branch
// runs; under vmap each branch runs only for the lanes that take it. Branches in braces return an
// Array, or with switch_<R> an R; others are given as a std::tuple. Raises DTypeError for an index
// that is not an integer scalar, and ShapeError for branches whose results differ in structure or
// types. Source: jax.lax.switch.
template <class R = Array, class... O>
R switch_(
    const typing::Arg& index,
    std::initializer_list<std::type_identity_t<detail::Branch<R(typing::arrays_t<O>...)>>> branches,
    const O&... operands) {
  using Args = std::tuple<typing::arrays_t<O>...>;
  using F = const ir::Function<R(typing::arrays_t<O>...)>;
  const ir::SourceScope source(index.at());
  std::vector<F*> listed;
  for (F& f : branches) listed.push_back(&f);
  return detail::run_listed<R>("switch_", index, listed,
                               Args(tree::detail::convert<typing::arrays_t<O>>(operands)...));
}
// The same for any number of branches of one type in a std::vector, such as
// std::function<Array(Array)>.
template <class F, class... O>
auto switch_(const typing::Arg& index, std::vector<F> branches, const O&... operands) {
  static_assert(detail::can_call<F, typing::arrays_t<O>...>,
                "weft::switch_: every branch must take the operands");
  using R = detail::result_t<F, typing::arrays_t<O>...>;
  const ir::SourceScope source(index.at());
  std::vector<F*> listed;
  for (F& f : branches) listed.push_back(&f);
  return detail::run_listed<R>(
      "switch_", index, listed,
      std::tuple<typing::arrays_t<O>...>(tree::detail::convert<typing::arrays_t<O>>(operands)...));
}
template <class... B, class... O>
auto switch_(const typing::Arg& index, std::tuple<B...> branches, const O&... operands) {
  static_assert(sizeof...(B) > 0, "weft::switch_: there must be at least one branch");
  static_assert((detail::can_call<B, typing::arrays_t<O>...> && ...),
                "weft::switch_: every branch must take the operands");
  using Args = std::tuple<typing::arrays_t<O>...>;
  using R = detail::result_t<std::tuple_element_t<0, std::tuple<B...>>, typing::arrays_t<O>...>;
  constexpr bool all = (detail::answers<B, typing::arrays_t<O>...> && ...);
  constexpr bool same =
      !all || (std::is_same_v<R, detail::result_t<B, typing::arrays_t<O>...>> && ...);
  static_assert(same, "weft::switch_: the branches return different types");
  if constexpr (all && same) {
    const ir::SourceScope source(index.at());
    const Args args(tree::detail::convert<typing::arrays_t<O>>(operands)...);
    return std::apply(
        [&](auto&... f) { return detail::run_branches<R>("switch_", index, args, f...); },
        branches);
  } else {
    return detail::never<R>();
  }
}

namespace typing {
// One case of case_: the function that runs if pred, a bool scalar, is the first true one.
template <class R, class... O>
struct PredicateCase {
  Array pred;
  ir::Function<R(O...)> function;
};
}  // namespace typing
// Returns the result of the function of the first case whose pred is true, else of otherwise, on
// the operands. Only that function runs; under vmap each one runs only for the lanes that take it.
// All return an Array, or with case_<R> an R.
//     case_({{x < 0., f}, {x < 1., g}}, h, x)
// Source: tf.case.
template <class R = Array, class... O>
R case_(
    std::initializer_list<std::type_identity_t<typing::PredicateCase<R, typing::arrays_t<O>...>>>
        cases,
    const std::type_identity_t<ir::Function<R(typing::arrays_t<O>...)>>& otherwise,
    const O&... operands) {
  using Args = std::tuple<typing::arrays_t<O>...>;
  Arrays preds;
  std::vector<const ir::Function<R(typing::arrays_t<O>...)>*> listed;
  for (const auto& c : cases) {
    preds.push_back(c.pred);
    listed.push_back(&c.function);
  }
  listed.push_back(&otherwise);
  return detail::run_listed<R>("case_", detail::first_true("case_", preds), listed,
                               Args(tree::detail::convert<typing::arrays_t<O>>(operands)...));
}

// Runs while (cond(x)) x = body(x), starting from init. Under vmap each lane stops on its own. It
// has a reverse-mode derivative only with .max_trips. Raises ShapeError if body returns another
// structure or other types than init. A number as init is converted to the dtype of the body's
// result. Raises DTypeError if cond does not return a bool scalar. Source: jax.lax.while_loop.
template <class C, class B, class S>
typing::arrays_t<S> while_loop(C cond, B body, const S& init, const typing::WhileOptions& o = {},
                               typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  constexpr bool copied = detail::copyable<S>;
  static_assert(copied, WEFT_NOT_COPIED);
  using T = typing::arrays_t<S>;
  using Args = std::tuple<T>;
  static_assert(
      detail::can_call<C, T>,
      "weft::while_loop: cond must take the carry, of the type of init with Arrays for numbers");
  static_assert(
      detail::can_call<B, T>,
      "weft::while_loop: body must take the carry, of the type of init with Arrays for numbers");
  constexpr bool silent = detail::returns_nothing<C, T> || detail::returns_nothing<B, T>;
  static_assert(!silent, WEFT_RETURNS_NOTHING);
  if constexpr (copied && detail::answers<C, T> && detail::answers<B, T>) {
    constexpr bool tests = std::is_convertible_v<detail::raw_result_t<C, T>, Array>;
    constexpr bool carries = std::is_convertible_v<detail::result_t<B, T>, T>;
    static_assert(tests, "weft::while_loop: cond must return a boolean scalar");
    static_assert(carries, "weft::while_loop: body must return the type of init");
    if constexpr (tests && carries) {
      const Args args(tree::detail::convert<T>(init));
      detail::Flat<C, Args, Array> flat_cond(cond, args);
      detail::Flat<B, Args, T> flat_body(body, args);
      const Arrays out =
          detail::run_while({"while_loop", tree::leaves(args),
                             tree::detail::skeleton_of(std::get<0>(args)), flat_body.tree()},
                            flat_cond, flat_body, o.max_trips);
      return flat_body.result(out);
    } else {
      return detail::never<T>();
    }
  } else {
    return detail::never<T>();
  }
}

// Runs for (i = lo; i < hi; ++i) x = body(i, x), starting from init. The loop has a reverse-mode
// derivative if the bounds are known at tracing. Raises DTypeError for bounds that are not integer
// scalars of one dtype, and ShapeError as while_loop. Source: jax.lax.fori_loop.
//
//     fori_loop(0, 5, [](Array i, Array x) { return x + i; }, 0)  // array(10, dtype=int32)
template <class B, class S>
typing::arrays_t<S> fori_loop(const Array& lo, const Array& hi, B body, const S& init,
                              typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  constexpr bool copied = detail::copyable<S>;
  static_assert(copied, WEFT_NOT_COPIED);
  using T = typing::arrays_t<S>;
  using Args = std::tuple<Array, T>;
  static_assert(detail::can_call<B, Array, T>, "weft::fori_loop: body must take (Array i, carry)");
  constexpr bool silent = detail::returns_nothing<B, Array, T>;
  static_assert(!silent, WEFT_RETURNS_NOTHING);
  if constexpr (copied && detail::answers<B, Array, T>) {
    constexpr bool carries = std::is_convertible_v<detail::result_t<B, Array, T>, T>;
    static_assert(carries, "weft::fori_loop: body must return the type of init");
    if constexpr (carries) {
      const Args args(Array(), tree::detail::convert<T>(init));
      detail::Flat<B, Args, T> flat(body, args);
      const Arrays out =
          detail::run_fori({"fori_loop", tree::leaves(std::get<1>(args)),
                            tree::detail::skeleton_of(std::get<1>(args)), flat.tree()},
                           lo, hi, flat);
      return flat.result(out);
    } else {
      return detail::never<T>();
    }
  } else {
    return detail::never<T>();
  }
}

namespace detail {
// Computes scan for a function that is built on it; errors name that function.
template <class F, class C, class X>
auto scan_for(const char* who, F f, const C& init, const X& xs, const typing::ScanOptions& o) {
  using T = typing::arrays_t<C>;
  using In = typing::arrays_t<X>;
  using Args = std::tuple<T, In>;
  static_assert(can_call<F, T, In>, "weft::scan: f must accept (carry, x)");
  constexpr bool silent = returns_nothing<F, T, In>;
  static_assert(!silent, WEFT_RETURNS_NOTHING);
  if constexpr (!answers<F, T, In>) {
    return never<std::pair<T, Array>>();
  } else if constexpr (!is_two<raw_result_t<F, T, In>>) {
    static_assert(is_two<raw_result_t<F, T, In>>, "weft::scan: f must return a pair {carry, y}");
    return never<std::pair<T, Array>>();
  } else {
    using Raw = raw_result_t<F, T, In>;
    using Y = typing::arrays_t<std::tuple_element_t<1, Raw>>;
    using R = std::pair<T, Y>;
    constexpr bool carries =
        std::is_convertible_v<typing::arrays_t<std::tuple_element_t<0, Raw>>, T>;
    static_assert(carries, "weft::scan: the carry that f returns has another type than init");
    if constexpr (carries) {
      const Args args(tree::detail::convert<T>(init), tree::detail::convert<In>(xs));
      Flat<F, Args, R> flat(f, args);
      const Arrays out = run_scan(
          {who, tree::leaves(std::get<0>(args)), tree::detail::skeleton_of(std::get<0>(args)),
           flat.template part_tree<0>()},
          tree::leaves(std::get<1>(args)), tree::detail::skeleton_of(std::get<1>(args)), o, flat);
      return flat.result(out);
    } else {
      return never<R>();
    }
  }
}
}  // namespace detail

// Computes carry, ys[t] = f(carry, xs[t]) for all rows t of the tree xs, starting from init, and
// returns {last carry, ys}. xs may be none if .length is given; f then takes the carry alone, or
// (carry, none_t). Raises ShapeError if leading sizes differ or are missing, and if f returns a
// carry of another structure or other types than init. A number as init is converted to the dtype
// of f's carry. Source: jax.lax.scan.
//
//     auto f = [](Array c, Array x) { return std::pair{c + x, c * x}; };
//     scan(f, 0, array({1, 2, 3})).second  // array([0, 2, 9], dtype=int32)
//     auto g = [](Array c) { return std::pair{c * 2, c}; };
//     scan(g, 1, none, {.length = 3}).second  // array([1, 2, 4], dtype=int32)
template <class F, class C, class X>
auto scan(F f, const C& init, const X& xs, const typing::ScanOptions& o = {},
          typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  using T = typing::arrays_t<C>;
  constexpr bool copied = detail::copyable<C, X>;
  static_assert(copied, WEFT_NOT_COPIED);
  if constexpr (!copied) {
    return detail::never<std::pair<T, Array>>();
  } else if constexpr (!std::same_as<X, none_t> || detail::Callable<F, T, none_t>) {
    return detail::scan_for("scan", std::move(f), init, xs, o);
  } else if constexpr (detail::Callable<F, T>) {
    return detail::scan_for(
        "scan", [&f](T carry, none_t) { return f(std::move(carry)); }, init, xs, o);
  } else {
    static_assert(detail::can_call<F, T>,
                  "weft::scan: xs is `none`, so f takes the carry alone, f(carry), or f(carry, "
                  "none_t)");
    return detail::never<std::pair<T, Array>>();
  }
}

namespace detail {
template <bool reverse, class F, class X, class A>
typing::arrays_t<A> fold(const char* who, F& fn, const X& elems, const A& initializer,
                         typing::Location at) {
  const ir::SourceScope source(at);
  using T = typing::arrays_t<A>;
  constexpr bool takes_rows = can_call<F, T, typing::arrays_t<X>>;
  static_assert(takes_rows, "weft::foldl, foldr: fn must accept (acc, row of elems)");
  constexpr bool silent = returns_nothing<F, T, typing::arrays_t<X>>;
  static_assert(!silent, WEFT_RETURNS_NOTHING);
  if constexpr (takes_rows && !silent)
    return scan_for(who,
                    [&fn](T acc, typing::arrays_t<X> x) {
                      return std::pair<T, std::monostate>(tree::detail::convert<T>(fn(acc, x)), {});
                    },
                    initializer, elems, {.reverse = reverse})
        .first;
  else
    return never<T>();
}
}  // namespace detail

// Computes acc = fn(acc, row) for the rows of elems, a tree, from the first to the last, starting
// from initializer. Returns the last acc. Source: tf.foldl.
template <class F, class X, class A>
typing::arrays_t<A> foldl(F fn, const X& elems, const A& initializer,
                          typing::Location at = typing::Location::here()) {
  return detail::fold<false>("foldl", fn, elems, initializer, at);
}
// The same from the last row to the first. Source: tf.foldr.
template <class F, class X, class A>
typing::arrays_t<A> foldr(F fn, const X& elems, const A& initializer,
                          typing::Location at = typing::Location::here()) {
  return detail::fold<true>("foldr", fn, elems, initializer, at);
}

// Applies f to each row of the tree xs, one after another, and stacks the results. With batch_size
// it processes that many rows at a time. Raises ShapeError if leading sizes differ (BatchingError
// with batch_size). Source: jax.lax.map.
template <class F, class X>
auto map(F f, const X& xs,  // std::map is visible here too; write lax::map(f, xs)
         const typing::LoopMapOptions& o = {}, typing::Location at = typing::Location::here()) {
  constexpr bool takes_rows = detail::can_call<F, typing::arrays_t<X>>;
  static_assert(takes_rows, "weft::map: f must take a row of xs, as one argument");
  constexpr bool silent = detail::returns_nothing<F, typing::arrays_t<X>>;
  static_assert(!silent, WEFT_RETURNS_NOTHING);
  if constexpr (takes_rows && !silent) {
    detail::check_batch_size(o.batch_size, at);
    if (o.batch_size > 0) {
      typing::VmapOptions v;
      v.chunk_size = o.batch_size;
      return vmap(std::move(f), 0, 0, v, at)(tree::detail::convert<typing::arrays_t<X>>(xs));
    }
    using Y = detail::result_t<F, typing::arrays_t<X>>;
    const ir::SourceScope source(at);
    return detail::scan_for("map",
                            [&f](std::monostate, typing::arrays_t<X> x) {
                              return std::pair<std::monostate, Y>(std::monostate{},
                                                                  tree::detail::convert<Y>(f(x)));
                            },
                            std::monostate{}, xs, {})
        .second;
  } else {
    return detail::never<Array>();
  }
}

// Returns the prefix combinations of slices along an axis by an associative f(left, right),
// including the first slice, in a logarithmic number of steps. f is called on many slices together.
// Raises ShapeError if arrays have different sizes along the axis or f returns other types. Source:
// jax.lax.associative_scan.
template <class F, class X>
auto associative_scan(F f, const X& xs, const typing::AssociativeScanOptions& o = {},
                      typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  using T = typing::arrays_t<X>;
  using Args = std::tuple<T, T>;
  constexpr bool combines = detail::can_call<F, T, T>;
  static_assert(combines, "weft::associative_scan: f must accept (left, right)");
  if constexpr (combines) {
    constexpr bool returns = std::is_convertible_v<detail::result_t<F, T, T>, T>;
    static_assert(returns, "weft::associative_scan: f must return the type of xs");
    if constexpr (returns) {
      const T x = tree::detail::convert<T>(xs);
      const Args args(x, x);
      detail::Flat<F, Args, T> flat(f, args);
      const Arrays out =
          detail::run_associative_scan(tree::leaves(x), tree::detail::skeleton_of(x), o, flat);
      return tree::detail::rebuild(x, out.data());
    } else {
      return detail::never<T>();
    }
  } else {
    return detail::never<T>();
  }
}

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/make_jaxpr.h: make_jaxpr(f)(args…) returns the program of a function, for
// inspection; eval_shape(f, args…) returns the types of its results.
#pragma once
#include "weft/closed_jaxpr.h"
#include "weft/detail/callable.h"
#include "weft/detail/jaxpr.h"
#include "weft/shape_dtype.h"

namespace weft {

namespace detail {
// Traces f on the Arrays of its arguments; `who` is its name in errors.
ClosedJaxpr trace_jaxpr(const char* who, ir::FunctionRef<Arrays(const Arrays&)> f, const Arrays& x,
                        ir::FunctionRef<tree::detail::Skeleton()> args);

template <class F>
class MakeJaxpr : public CallOperator<MakeJaxpr<F>, F> {
 public:
  MakeJaxpr(F f, typing::Location at) : f_(std::move(f)), at_(at) {}
  template <class... P>
  ClosedJaxpr call(const std::tuple<P...>& args) const {
    const ir::SourceScope source(at_);
    Flat<F, std::tuple<P...>, result_t<F, P...>> flat(f_, args);
    return trace_jaxpr("make_jaxpr", flat, tree::leaves(args), tree::detail::skeleton_of(args));
  }

 private:
  mutable F f_;
  typing::Location at_;
};

// Replaces the Arrays in a tree of results by their shapes. Structs, whose fields are Arrays, keep
// their type and have Arrays without a value.
template <class R>
auto as_shapes(const R& like, const typing::Types& types) {
  size_t k = 0;
  if constexpr (tree::detail::has_struct<R>) {
    Arrays out;
    for (const typing::Type& t : types) out.push_back(without_value(t.strong()));
    return tree::detail::rebuild(like, out.data());
  } else {
    auto next = [&] { return ShapeDtypeStruct{types[k].shape(), types[k++].dtype()}; };
    return tree::detail::replace_leaves<typename tree::detail::Replaced<R, ShapeDtypeStruct>::type>(
        like, next);
  }
}
template <class F, class... A>
auto eval_shape_at(typing::Location at, F& f, const A&... a) {
  const ir::SourceScope source(at);
  const auto args = arguments<F>(a...);
  using Args = std::remove_const_t<decltype(args)>;
  using R = typename ResultOf<F, Args>::type;
  Flat<F, Args, R> flat(f, args);
  const typing::Types out =
      trace_jaxpr("eval_shape", flat, tree::leaves(args), tree::detail::skeleton_of(args))
          .out_types();
  return as_shapes(flat.prototype(), out);
}

// A program, and which of its constants become arguments of a call.
struct Hoisted {
  ClosedJaxpr program;
  std::vector<bool> handed_in;
  typing::Types types;  // their types
  Arrays call(const Arrays& args, const Arrays& values) const;
};
Hoisted hoist_traced(ClosedJaxpr c, Arrays* values);
void check_like_example(const tree::detail::Skeleton& example, const tree::detail::Skeleton& args);

template <class Args, class R>
class ClosureConverted;
template <class... P, class R>
class ClosureConverted<std::tuple<P...>, R> {
 public:
  ClosureConverted(Hoisted program, std::tuple<P...> args, R result, typing::Location at)
      : program_(std::move(program)), args_(std::move(args)), result_(std::move(result)), at_(at) {}
  R operator()(const P&... args, const Arrays& consts) const {
    const ir::SourceScope source(at_);
    const std::tuple<P...> all(args...);
    check_like_example(tree::detail::skeleton(args_), tree::detail::skeleton(all));
    return tree::detail::rebuild(result_, program_.call(tree::leaves(all), consts).data());
  }

 private:
  Hoisted program_;
  std::tuple<P...> args_;  // only their structure
  R result_;
  typing::Location at_;
};
template <class F, class... A>
auto closure_convert_at(typing::Location at, F& f, const A&... a) {
  const ir::SourceScope source(at);
  const auto args = arguments<F>(a...);
  using Args = std::remove_const_t<decltype(args)>;
  using R = typename ResultOf<F, Args>::type;
  Flat<F, Args, R> flat(f, args);
  Arrays consts;
  Hoisted h = hoist_traced(
      trace_jaxpr("closure_convert", flat, tree::leaves(args), tree::detail::skeleton_of(args)),
      &consts);
  ClosureConverted<Args, R> g(std::move(h), tree::detail::structure_only(args), flat.prototype(),
                              at);
  return std::pair(std::move(g), std::move(consts));
}
}  // namespace detail

// make_jaxpr(f)(args…) returns the program of f for arguments of these types, which may be
// ShapeDtypeStructs. It computes nothing. Source: jax.make_jaxpr.
template <class F>
auto make_jaxpr(F f, typing::Location at = typing::Location::here()) {
  return detail::MakeJaxpr<F>(std::move(f), at);
}

// The shapes and dtypes of f(args…): the tree that f returns with a ShapeDtypeStruct for each
// Array. A tree that contains structs keeps its type; its Arrays have a shape and dtype but no
// value. The arguments may be ShapeDtypeStructs, too. It computes nothing and allocates no memory.
// Errors of f for arguments of such types are raised. Source: jax.eval_shape.
template <class F, class... A>
auto eval_shape(F f, const A&... a) {
  return detail::eval_shape_at({}, f, a...);
}
WEFT_WITH_LINE(eval_shape)

// Returns {g, consts} such that g(args…, consts) equals f(args…). consts is the list of the traced
// floating-point and complex values that f captures. Derivatives by captured values thus become
// derivatives by an argument, which a rule of custom_vjp can return. f is traced once, for
// arguments of these types; g accepts no others (ShapeError). If f captures no traced value, consts
// is empty. Source: jax.closure_convert.
//     auto [g, consts] = closure_convert(f, x);  // g(x, consts) is f(x)
template <class F, class... A>
auto closure_convert(F f, const A&... a) {
  return detail::closure_convert_at({}, f, a...);
}
WEFT_WITH_LINE(closure_convert)

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/effects.h: effects of programs: printing, checking, and calling functions that
// are not traced.
#pragma once
#include "weft/custom_call.h"
#include "weft/detail/callable.h"
#include "weft/print.h"
#include "weft/shape_dtype.h"

namespace weft {
namespace detail {

// A format string and the source location of the call.
struct PlacedText {
  std::string text;
  typing::Location at;
  PlacedText(const char* t, typing::Location place = typing::Location::here())
      : text(t), at(place) {}
  PlacedText(std::string t, typing::Location place = typing::Location::here())
      : text(std::move(t)), at(place) {}
};
Array written_number(double x);  // keeps all digits of x
// The values of the fields of a text. A number or an Array is one leaf; a tree has several.
struct TextValues {
  std::vector<tree::detail::Skeleton> shapes;
  Arrays leaves;
  template <class A>
  void add(const A& x) {
    static_assert(
        std::convertible_to<const A&, Array> || PrintedTree<A>,
        "weft: the fields of a text take Arrays, numbers and trees of Arrays; write other "
        "values into the text itself");
    if constexpr (PrintedTree<A>) {
      shapes.push_back(tree::detail::skeleton(x));
      tree::flatten(x, leaves);
    } else {
      shapes.emplace_back();
      if constexpr (std::floating_point<A>)
        leaves.push_back(written_number(static_cast<double>(x)));
      else
        leaves.push_back(x);
    }
  }
};
template <class... A>
TextValues text_values(const A&... values) {
  TextValues v;
  (v.add(values), ...);
  return v;
}
void print_text(const PlacedText& text, const TextValues& values);
void check_text(const Array& pred, const PlacedText& text, const TextValues& values);

// A user's function on flat lists of Arrays.
using FlatCallback = ir::Function<Arrays(const Arrays&)>;
// key: identifies f, or null. Functions with equal keys count as one, so programs that call them
// are not compiled again.
Arrays run_callback(const char* name, const FlatCallback& f, const KeyWriter* key,
                    const Arrays& result_types, const Arrays& x);
Arrays run_custom_call(const PlacedText& name, typing::CustomCall f, const Arrays& result_types,
                       const Arrays& x);
void sink(const Arrays& x, typing::Location at);
[[noreturn]] void raise_other_results(const char* name, const std::string& difference);

template <class F, class Args, class R>
struct CallbackOnLeaves {
  const char* name;
  mutable F f;
  Args like;
  R results;
  Arrays operator()(const Arrays& x) const {
    Args args = tree::detail::rebuild(like, x.data());
    if constexpr (std::is_void_v<decltype(call_back(f, args))>) {
      call_back(f, args);
      return {};
    } else {
      const R out = tree::detail::convert<R>(call_back(f, args));
      if (const std::string d = tree::detail::difference(tree::detail::skeleton(results),
                                                         tree::detail::skeleton(out), "result");
          !d.empty())
        raise_other_results(name, d);
      return tree::leaves(out);
    }
  }
};

template <class Args, class R, class F, class T>
R callback_of(const char* name, F& f, const T& result_types, const Args& args) {
  const R results = tree::detail::convert<R>(result_types);
  const CallbackOnLeaves<F, Args, R> flat{name, f, tree::detail::structure_only(args),
                                          tree::detail::structure_only(results)};
  KeyWriter key;
  key.add_static(std::string(name));
  key.add(type_id<decltype(flat)>());
  const bool known = identify(f, key);
  key.add_static(tree::detail::to_string(tree::detail::skeleton(args)));
  key.add_static(tree::detail::to_string(tree::detail::skeleton(results)));
  const Arrays out =
      run_callback(name, flat, known ? &key : nullptr, tree::leaves(results), tree::leaves(args));
  return tree::detail::rebuild(results, out.data());
}
// Returns true if F can be the callback for results like R. Otherwise one static_assert says why
// not.
template <class F, class Args, class R>
consteval bool is_callback() {
  constexpr bool turned = tree::detail::is_callable<R> && !tree::detail::is_callable<F>;
  static_assert(!turned,
                "weft::pure_callback, io_callback: the function is the first argument: "
                "pure_callback(f, result_types, x, y)");
  static_assert(turned || takes<F, Args>,
                "weft::pure_callback, io_callback: the function must take the arguments behind "
                "result_types: pure_callback(f, result_types, x, y) calls f(x, y)");
  if constexpr (!turned && takes<F, Args>) {
    using Raw = std::remove_cvref_t<decltype(call_back(std::declval<F&>(), std::declval<Args&>()))>;
    constexpr bool nothing = std::is_void_v<Raw>, fits = [] {
      if constexpr (nothing)
        return !tree::detail::holds_array<R>;
      else
        return tree::detail::converts<R, Raw>();
    }();
    static_assert(!nothing || fits,
                  "weft::io_callback: the function returns nothing, so result_types is `none`: "
                  "io_callback(f, none, x)");
    static_assert(nothing || fits,
                  "weft::pure_callback, io_callback: the function must return what result_types "
                  "says: an Array for each ShapeDtypeStruct, in the same tree");
    return fits;
  }
  return false;
}
template <class F, class T, class... A>
auto callback_at(typing::Location at, const char* name, F& f, const T& result_types,
                 const A&... a) {
  const ir::SourceScope source(at);
  const auto args = arguments<F>(a...);
  using Args = std::remove_const_t<decltype(args)>;
  using R = typing::auto_t<T>;
  if constexpr (is_callback<F, Args, R>()) return callback_of<Args, R>(name, f, result_types, args);
  // The types of results were given as a function, which is an error. Any value here prevents a
  // second error.
  else if constexpr (tree::detail::is_callable<R>)
    return Array();
  else
    return tree::detail::convert<R>(result_types);
}
template <class F, class T, class... A>
auto pure_callback_at(typing::Location at, F& f, const T& result_types, const A&... a) {
  return callback_at(at, "pure_callback", f, result_types, a...);
}
template <class F, class T, class... A>
auto io_callback_at(typing::Location at, F& f, const T& result_types, const A&... a) {
  return callback_at(at, "io_callback", f, result_types, a...);
}

}  // namespace detail

// Prints a line: the text with the values in its fields. {} formats an array as NumPy's str does,
// and a scalar with all digits of a double, as Python does. {!r} formats as NumPy's repr does, and
// {:.3f} formats a scalar. {0} and {1} select values by position; {{ and }} are literal braces.
//
// The values are Arrays of any shape and dtype, numbers, and trees of Arrays. {} formats a tree as
// to_string does. Under vmap it prints once per lane: the lines of lane 0 first, then those of lane
// 1, as if the lanes ran one after another. The order does not depend on how maps and loops are
// nested. A lane that does not run a branch or a loop iteration prints nothing there.
//
// The lines are written to std::cout when the outermost call ends, also when it ends with an
// exception. At most 1 MB is written per call; a last line then states how many lines were dropped.
// Under differentiation it prints the primal values, once.
//
// Errors: FormatError for a text that cannot be parsed, or whose fields do not match the values.
// Source: jax.debug.print.
template <class... A>
void debug_print(const detail::PlacedText& text, const A&... values) {
  detail::print_text(text, detail::text_values(values...));
}

// Raises CheckError unless all elements of pred, bools of any shape, are true. The message has the
// text with the values in its fields, as in debug_print. It also names the lane of each map, the
// first false element and the line of the call.
//
// In a program the error is raised after the outermost call has run to its end. If several checks
// fail, the first one in the order of debug_print's lines is reported. A lane that does not run a
// branch or a loop iteration checks nothing there. Outside of jit and vmap the error is raised
// immediately.
//
// Errors: DTypeError if pred is not bool; FormatError as debug_print. Source:
// jax.experimental.checkify.check.
template <class... A>
void check(const typing::Arg& pred, const detail::PlacedText& text, const A&... values) {
  detail::check_text(pred, text, detail::text_values(values...));
}

// Calls f(args…) on the host when the program runs. f receives concrete Arrays and may run any C++
// code, including Weft. result_types describes the result: a ShapeDtypeStruct, an Array of that
// shape and dtype, or a tree of those. The result is such a tree of Arrays. Under vmap, f is called
// with the values of each active lane, in lane order.
//
// The program assumes that f is pure: it gives equal results for equal arguments and has no
// effects. So calls may be dropped or merged; use io_callback for functions with effects. An
// exception from f ends the call and is passed to the caller unchanged. If f has captures, every
// new f causes the program that calls it to be compiled again.
//
// Errors: ShapeError or DTypeError if f returns another shape or dtype than result_types, and
// ShapeError for another tree. DifferentiationError for a derivative, unless a custom_jvp or
// custom_vjp around the call defines it. DeviceError "a callback on the device" if a GPU program
// calls it. Source: jax.pure_callback.
template <class F, class T, class... A>
  requires(sizeof...(A) > 0)
auto pure_callback(F f, const T& result_types, const A&... args) {
  return detail::pure_callback_at({}, f, result_types, args...);
}
// Calls f(args…) on the host like pure_callback, for functions with effects. f is called exactly as
// often as the program states and in program order. Under vmap it is called once per active lane,
// lane 0 before lane 1 at each step. For a function that returns nothing, result_types is `none`.
//
// Errors: as pure_callback. In a while_loop without a static trip count it has no derivative.
// Source: jax.experimental.io_callback, with ordered=True.
template <class F, class T, class... A>
  requires(sizeof...(A) > 0)
auto io_callback(F f, const T& result_types, const A&... args) {
  return detail::io_callback_at({}, f, result_types, args...);
}
WEFT_WITH_LINE(pure_callback)
WEFT_WITH_LINE(io_callback)

// Calls f, a compiled function (a pointer, or a lambda without captures), with the buffers of args
// and of the results. The types result_types are as in pure_callback. It returns a tree of Arrays:
//     custom_call("axpy", f, x, x, y);
//     // void f(void* const* out, const void* const* in, const BufferType* types)
// Buffers are dense and row-major. f must not keep them and must write every element of each
// result. Under vmap, f is called separately for each active lane. As with pure_callback, calls may
// be dropped or merged. The name stands for f in the text of a program. A process can read that
// text once it has registered the name by calling custom_call.
//
// Errors: CompileError if the name belongs to another function, and for a nullptr;
// DifferentiationError and DeviceError as pure_callback. Source: jax.ffi.ffi_call.
template <class T, class... A>
auto custom_call(const detail::PlacedText& name, typing::CustomCall f, const T& result_types,
                 const A&... args) {
  using R = typing::auto_t<T>;
  const R results = tree::detail::convert<R>(result_types);
  Arrays x;
  (tree::flatten(tree::detail::convert<typing::auto_t<A>>(args), x), ...);
  const Arrays out = detail::run_custom_call(name, f, tree::leaves(results), x);
  return tree::detail::rebuild(results, out.data());
}

namespace lax {
// Computes x, a tree of Arrays, and discards it. A value that nothing reads is normally removed
// from the program; x and its operands are kept. Use it in programs whose time is measured. Source:
// jax.lax.dce_sink.
//
//     jit([](Array x) { lax::dce_sink(sin(x)); return x; })(1.)  // array(1., dtype=float32)
template <class T>
void dce_sink(const T& x, typing::Location at = typing::Location::here()) {
  detail::sink(tree::leaves(tree::detail::convert<typing::auto_t<T>>(x)), at);
}
}  // namespace lax

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/effects/effects.h: what programs do besides computing: printing, checking, calling
// functions that are not Weft's.
#pragma once
#include "weft/ops/effects/custom_call.h"
#include "weft/tracer/callable.h"
#include "weft/tracer/trees/print.h"
#include "weft/tracer/trees/shape_dtype.h"

namespace weft {
namespace detail {

// A text, and where it was written.
struct PlacedText {
  std::string text;
  typing::Location at;
  PlacedText(const char* t, typing::Location place = typing::Location::here())
      : text(t), at(place) {}
  PlacedText(std::string t, typing::Location place = typing::Location::here())
      : text(std::move(t)), at(place) {}
};
Array written_number(double x);  // with all of its digits
// The values of a text: a number or an Array is a leaf, a tree has some.
struct TextValues {
  std::vector<tree::Skeleton> shapes;
  Arrays leaves;
  template <class A>
  void add(const A& x) {
    static_assert(
        std::convertible_to<const A&, Array> || PrintedTree<A>,
        "weft: the fields of a text take Arrays, numbers and trees of Arrays; write other "
        "values into the text itself");
    if constexpr (PrintedTree<A>) {
      shapes.push_back(tree::skeleton(x));
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

// A function of the user's on flat lists.
using FlatCallback = ir::Function<Arrays(const Arrays&)>;
// key: what distinguishes it from others, or null. Equal ones are one, so that what calls them is
// not compiled again.
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
    Args args = tree::rebuild(like, x.data());
    if constexpr (std::is_void_v<decltype(call_back(f, args))>) {
      call_back(f, args);
      return {};
    } else {
      const R out = tree::convert<R>(call_back(f, args));
      if (const std::string d =
              tree::difference(tree::skeleton(results), tree::skeleton(out), "result");
          !d.empty())
        raise_other_results(name, d);
      return tree::leaves(out);
    }
  }
};

template <class Args, class R, class F, class T>
R callback_of(const char* name, F& f, const T& result_types, const Args& args) {
  const R results = tree::convert<R>(result_types);
  const CallbackOnLeaves<F, Args, R> flat{name, f, tree::structure_only(args),
                                          tree::structure_only(results)};
  KeyWriter key;
  key.add_static(std::string(name));
  key.add(type_id<decltype(flat)>());
  const bool known = identify(f, key);
  key.add_static(tree::to_string(tree::skeleton(args)));
  key.add_static(tree::to_string(tree::skeleton(results)));
  const Arrays out =
      run_callback(name, flat, known ? &key : nullptr, tree::leaves(results), tree::leaves(args));
  return tree::rebuild(results, out.data());
}
// Whether F can be what is called for results like R; if it cannot, one sentence says why.
template <class F, class Args, class R>
consteval bool is_callback() {
  constexpr bool turned = tree::is_callable<R> && !tree::is_callable<F>;
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
        return tree::converts<R, Raw>();
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
  const ir::Source source(at);
  const auto args = arguments<F>(a...);
  using Args = std::remove_const_t<decltype(args)>;
  using R = typing::auto_t<T>;
  if constexpr (is_callback<F, Args, R>())
    return callback_of<Args, R>(name, f, result_types, args);
  else if constexpr (tree::is_callable<R>)  // so that nothing else is wrong
    return Array();
  else
    return tree::convert<R>(result_types);
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

// Prints a line: the text with the values in its fields. {} shows an array as NumPy's str does, a
// scalar with all digits of a double, as Python does, {!r} as NumPy's repr does, {:.3f} formats a
// scalar, {0} and {1} name values, {{ and }} are braces. Shapes and dtypes: any; values are Arrays,
// numbers and trees of Arrays, which {} shows as to_string does. Mapped by vmap it prints once in
// each lane, lane 0's lines first, then lane 1's, as if lanes ran one after another, whatever the
// maps and loops are; a lane that a branch or loop does not run prints nothing there. The lines are
// written to std::cout when the outermost call ends, also when an exception ends it; at most 1 MB a
// call, then one last line says how many more there were. In a derivative it prints the values,
// once. Errors: FormatError for a text that cannot be read, or has other fields than there are
// values. Source: jax.debug.print.
template <class... A>
void debug_print(const detail::PlacedText& text, const A&... values) {
  detail::print_text(text, detail::text_values(values...));
}

// CheckError, unless all of pred, a bool of any shape, holds: with the text and the values in its
// fields (as debug_print has them), the lane of each map, the first element that does not hold, and
// the line of the call. In a program it is raised when the outermost call has run to its end; of
// several that fail the first in the order of debug_print's lines counts. A lane that a branch or
// loop does not run checks nothing there. Not compiled, not mapped, it is raised at once.
// Errors: DTypeError for a pred that is no bool; FormatError as debug_print.
// Source: jax.experimental.checkify.check.
template <class... A>
void check(const typing::Arg& pred, const detail::PlacedText& text, const A&... values) {
  detail::check_text(pred, text, detail::text_values(values...));
}

// f(args…), computed by the host when the program runs: f is called with concrete Arrays and may do
// whatever C++ does, call Weft as well. result_types tells what it returns: a ShapeDtypeStruct, an
// Array of that shape and dtype, or a tree of those; the result is such a tree of Arrays. Mapped by
// vmap, f is called with each active lane's own values, in order. As the program relies on f to
// give equal results for equal arguments and to do nothing else, calls may be dropped or merged:
// io_callback is for others. An exception of f ends the call as it is. A function that captures
// something compiles anew what is traced with it.
// Errors: ShapeError and DTypeError where f returns something else than it promised (and ShapeError
// for another tree); DifferentiationError for a derivative, unless custom_jvp or custom_vjp around
// it says what that is; DeviceError "a callback on the device" where a program of a GPU calls it.
// Source: jax.pure_callback.
template <class F, class T, class... A>
  requires(sizeof...(A) > 0)
auto pure_callback(F f, const T& result_types, const A&... args) {
  return detail::pure_callback_at({}, f, result_types, args...);
}
// As pure_callback, for functions with effects: f is called exactly as often as the program says
// and in its order, once in each active lane, lane 0 before lane 1 at each step. A function that
// returns nothing has `none` as result_types.
// Errors: as pure_callback. In a while_loop without a static number of steps it has no derivative.
// Source: jax.experimental.io_callback, with ordered=True.
template <class F, class T, class... A>
  requires(sizeof...(A) > 0)
auto io_callback(F f, const T& result_types, const A&... args) {
  return detail::io_callback_at({}, f, result_types, args...);
}
WEFT_WITH_LINE(pure_callback)
WEFT_WITH_LINE(io_callback)

// f, a compiled function (a pointer, or a lambda without captures), called with the buffers of args
// and of results of result_types (as pure_callback has them; a tree of Arrays is returned):
//   custom_call("axpy", f, x, x, y);   // void f(void* const* out, const void* const* in,
//                                      //        const BufferType* types)
// Buffers are dense and row-major and must not be kept; f writes all of each result. Mapped by
// vmap, f is called for each active lane by itself. As with pure_callback, calls may be dropped or
// merged. The name stands for f in programs, whose text is read back in any process that has made
// it known. Errors: CompileError for a name that is another function's, and for a nullptr;
// DifferentiationError and DeviceError as pure_callback. Source: jax.ffi.ffi_call.
template <class T, class... A>
auto custom_call(const detail::PlacedText& name, typing::CustomCall f, const T& result_types,
                 const A&... args) {
  using R = typing::auto_t<T>;
  const R results = tree::convert<R>(result_types);
  Arrays x;
  (tree::flatten(tree::convert<typing::auto_t<A>>(args), x), ...);
  const Arrays out = detail::run_custom_call(name, f, tree::leaves(results), x);
  return tree::rebuild(results, out.data());
}

namespace lax {
// Computes x, a tree of Arrays, and drops it: a program that calls this is not freed of what x is
// made of, as it is of other values that nothing reads. For programs whose time is measured.
// Source: jax.lax.dce_sink.
//
//     jit([](Array x) { lax::dce_sink(sin(x)); return x; })(1.)  // array(1., dtype=float32)
template <class T>
void dce_sink(const T& x, typing::Location at = typing::Location::here()) {
  detail::sink(tree::leaves(tree::convert<typing::auto_t<T>>(x)), at);
}
}  // namespace lax

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/detail/callable.h: the parameters of a user's function, and calling it with flat
// lists of Arrays. Wrappers keep the parameter types of the wrapped function; if those are unknown,
// they accept any arguments.
#pragma once
#include <concepts>
#include <cstring>
#include <optional>
#include <tuple>

#include "weft/tree.h"

namespace weft::detail {

// ---- parameter types of a callable that is neither a template nor overloaded

template <class... P>
struct Params {
  static constexpr bool known = true;
  using tuple = std::tuple<P...>;
  static constexpr size_t size = sizeof...(P);
};
struct UnknownParams {
  static constexpr bool known = false;
  static constexpr size_t size = 0;
};

template <class T>
struct ValueOf {
  using type = std::remove_cvref_t<T>;
};
template <>
struct ValueOf<typing::Arg> {
  using type = Array;
};
template <>
struct ValueOf<std::string_view> {
  using type = std::string;
};
template <class T>
using value_t = typename ValueOf<std::remove_cvref_t<T>>::type;

template <class F>
struct MemberSignature {
  using type = UnknownParams;
};
#define WEFT_SIGNATURE(QUALIFIERS)                         \
  template <class C, class R, class... P>                  \
  struct MemberSignature<R (C::*)(P...) QUALIFIERS> {      \
    using type = Params<value_t<P>...>;                    \
    using with_object = Params<value_t<C>, value_t<P>...>; \
  };
WEFT_SIGNATURE()
WEFT_SIGNATURE(const)
WEFT_SIGNATURE(noexcept)
WEFT_SIGNATURE(const noexcept)
WEFT_SIGNATURE(&)
WEFT_SIGNATURE(const&)
#undef WEFT_SIGNATURE

template <class F>
struct Signature {
  using type = UnknownParams;
};
template <class F>
  requires requires { typename F::weft_params; }
struct Signature<F> {
  using type = typename F::weft_params;
};
template <class F>
  requires(
      !requires { typename F::weft_params; } && requires { &F::operator(); })
struct Signature<F> {
  using type = typename MemberSignature<decltype(&F::operator())>::type;
};
template <class R, class... P>
struct Signature<R (*)(P...)> {
  using type = Params<value_t<P>...>;
};
template <class R, class... P>
struct Signature<R (*)(P...) noexcept> {
  using type = Params<value_t<P>...>;
};
template <class F>
  requires std::is_member_function_pointer_v<F>
struct Signature<F> {
  using type = typename MemberSignature<F>::with_object;
};
template <class F>
using params_of = typename Signature<std::remove_cvref_t<F>>::type;

// ---- arguments as the parameter types of F, or as those of `auto` parameters

template <class S, class... A>
struct ArgumentsOf {
  using type = std::tuple<typing::auto_t<A>...>;
};
template <class... P, class... A>
  requires(sizeof...(P) == sizeof...(A))
struct ArgumentsOf<Params<P...>, A...> {
  using type = std::tuple<P...>;
};
template <class F, class... A>
using arguments_t = typename ArgumentsOf<params_of<F>, std::remove_cvref_t<A>...>::type;
template <class F, class... A>
arguments_t<F, A...> arguments(const A&... a) {
  using T = arguments_t<F, A...>;
  return [&]<size_t... I>(std::index_sequence<I...>) {
    return T(tree::detail::convert<std::tuple_element_t<I, T>>(a)...);
  }(std::index_sequence_for<A...>{});
}

// ---- results: numbers become Arrays

template <class F, class... P>
concept Callable = std::invocable<F&, P&...>;
// For assertions: a failed concept would make compilers print six more lines of explanation.
template <class F, class... P>
inline constexpr bool can_call = Callable<F, P...>;
#define WEFT_RETURNS_NOTHING \
  "weft: the function returns nothing; let it return an Array or a tree of Arrays"
template <class R>
struct ReturnOf {
  using type = std::remove_cvref_t<R>;
  static constexpr bool checked = true;
};
template <class R>
  requires std::is_void_v<R>
struct ReturnOf<R> {
  using type = Array;  // so that no further error follows
  static constexpr bool checked = true;
  static_assert(!std::is_void_v<R>, WEFT_RETURNS_NOTHING);
};
// For a function that cannot be called this way the type is Array, so that no further error
// follows. The caller reports the error.
template <class F, class... P>
struct RawResult {
  using type = Array;
};
template <class F, class... P>
  requires Callable<F, P...>
struct RawResult<F, P...> {
  using type = typename ReturnOf<std::invoke_result_t<F&, P&...>>::type;
};
template <class F, class... P>
using raw_result_t = typename RawResult<F, P...>::type;
// True if F can be called with these arguments and returns something. Only then are other errors
// reported.
template <class F, class... P>
inline constexpr bool answers = false;
template <class F, class... P>
  requires Callable<F, P...>
inline constexpr bool answers<F, P...> = !std::is_void_v<std::invoke_result_t<F&, P&...>>;
// True if values of T can be arguments, operands or carries, which are copied.
template <class... T>
inline constexpr bool copyable = (std::is_copy_constructible_v<std::decay_t<T>> && ...);
#define WEFT_NOT_COPIED                                                                      \
  "weft: arguments, operands and carries are copied, and this struct cannot be: a field as " \
  "std::unique_ptr is neither a tree of Arrays nor a static value"
// True if F can be called with these arguments and returns nothing.
template <class F, class... P>
inline constexpr bool returns_nothing = can_call<F, P...> && !answers<F, P...>;
template <class F, class... P>
using result_t = typing::arrays_t<raw_result_t<F, P...>>;

// True if a function returns two values: {carry, y}, {loss, aux}.
template <class T>
inline constexpr bool is_two = false;
template <class A, class B>
inline constexpr bool is_two<std::pair<A, B>> = true;
template <class A, class B>
inline constexpr bool is_two<std::tuple<A, B>> = true;
template <class T>
inline constexpr bool is_two<std::array<T, 2>> = true;

// The result type of F for a tuple of arguments.
template <class F, class T>
inline constexpr bool takes = false;  // true if F can be called with them
template <class F, class... P>
inline constexpr bool takes<F, std::tuple<P...>> = Callable<F, P...>;
template <class F, class T>
inline constexpr bool answers_tuple = false;
template <class F, class... P>
inline constexpr bool answers_tuple<F, std::tuple<P...>> = answers<F, P...>;
template <class F, class T>
struct ResultOf;
template <class F, class... P>
struct ResultOf<F, std::tuple<P...>> {
  static_assert(can_call<F, P...>, "weft: the function cannot be called with these arguments");
  using type = result_t<F, P...>;
};

// The function inside all wrappers that pass their arguments on.
template <class F>
struct Innermost {
  using type = F;
};
template <class F>
  requires(!std::same_as<typename F::weft_wrapped, F>)
struct Innermost<F> : Innermost<typename F::weft_wrapped> {};
// Returns true if the function inside a wrapper D can be called with P. The outermost wrapper
// checks this, so that compilers do not show every wrapper. A wrapper that changes its arguments is
// its own weft_wrapped, and checks for itself.
template <class D, class... P>
consteval bool can_call_innermost() {
  using F = typename Innermost<D>::type;
  if constexpr (std::same_as<F, D>)
    return true;
  else
    return can_call<F, P...>;
}
#define WEFT_NOT_CALLABLE "weft: the function cannot be called with these arguments"

// The operator() of a wrapper D of F. D has `template <class... P> auto call(std::tuple<P...>)
// const`.
template <class D, class F, class S = params_of<F>>
class CallOperator {
 public:
  using weft_params = UnknownParams;
  using weft_wrapped = F;
  template <class... A>
  auto operator()(const A&... a) const {
    constexpr bool copied = copyable<A...>;
    static_assert(copied, WEFT_NOT_COPIED);
    constexpr bool known = !copied || (tree::detail::known_here<typing::auto_t<A>>() && ...);
    static_assert(known, WEFT_NOT_KNOWN);
    constexpr bool callable = !(copied && known) || can_call_innermost<D, typing::auto_t<A>...>();
    static_assert(callable, WEFT_NOT_CALLABLE);
    if constexpr (copied && known && callable)
      return static_cast<const D&>(*this).call(
          std::tuple<typing::auto_t<A>...>(tree::detail::convert<typing::auto_t<A>>(a)...));
    else
      return never<Array>();
  }

 private:
  CallOperator() = default;
  friend D;
};
// True if A are numbers for a parameter that is an Array.
template <class P, class A>
inline constexpr bool numbers_for_array = false;
template <class A>
  requires std::ranges::range<const A&>
inline constexpr bool numbers_for_array<Array, A> = !std::convertible_to<const A&, Array>;
#define WEFT_NUMBERS_FOR_ARRAY \
  "weft: the function takes an Array; of a vector v of numbers write array(v)"
// True if a range of numbers is among the arguments A where the parameters S have an Array.
template <class S, class... A>
inline constexpr bool takes_numbers = false;
template <class... P, class... A>
  requires(sizeof...(P) == sizeof...(A))
inline constexpr bool takes_numbers<Params<P...>, A...> = (numbers_for_array<P, A> || ...);
// True if F has the parameters S and accepts the arguments A, which are fewer.
template <class F, class S, class... A>
inline constexpr bool takes_fewer = false;
template <class F, class S, class... A>
  requires(sizeof...(A) < S::size)
inline constexpr bool takes_fewer<F, S, A...> = Callable<F, typing::auto_t<A>...>;
// True if F, which has the parameters S, does not accept the arguments A.
template <class F, class S, class... A>
inline constexpr bool refuses = !takes_fewer<F, S, A...>;
template <class F, class... P, class... A>
  requires(sizeof...(P) == sizeof...(A))
inline constexpr bool refuses<F, Params<P...>, A...> =
    !(std::is_convertible_v<A, const P&> && ...) &&
    !takes_numbers<Params<P...>, std::remove_cvref_t<A>...>;
// std::enable_if rather than concepts, of which compilers say in more lines why they do not hold.
template <class D, class F, class... P>
class CallOperator<D, F, Params<P...>> {
 public:
  using weft_params = Params<P...>;
  using weft_wrapped = F;
  template <class Self = D>
  auto operator()(const P&... a) const {
    constexpr bool copied = copyable<P...>;
    static_assert(copied, WEFT_NOT_COPIED);
    constexpr bool known = !copied || (tree::detail::known_here<P>() && ...);
    static_assert(known, WEFT_NOT_KNOWN);
    constexpr bool callable = !(copied && known) || can_call_innermost<Self, P...>();
    static_assert(callable, WEFT_NOT_CALLABLE);
    if constexpr (copied && known && callable) {
      static_assert((tree::detail::KnownIfStruct<P>::checked && ...));
      if constexpr (Callable<F, P...>)
        static_assert(ReturnOf<std::invoke_result_t<F&, P&...>>::checked);
      return static_cast<const Self&>(*this).call(std::tuple<P...>(a...));
    } else {
      return never<Array>();
    }
  }
  // Rejects vectors and other ranges of numbers, which do not convert to Arrays implicitly.
  template <class... A, class = std::enable_if_t<takes_numbers<Params<P...>, A...>>>
  Array operator()(const A&...) const {
    static_assert(!(numbers_for_array<P, A> || ...), WEFT_NUMBERS_FOR_ARRAY);
    return never<Array>();
  }
  // Accepts fewer arguments if f has default ones.
  template <class... A, class = std::enable_if_t<takes_fewer<F, Params<P...>, A...>>>
  auto operator()(const A&... a) const {
    return static_cast<const D&>(*this).call(
        std::tuple<typing::auto_t<A>...>(tree::detail::convert<typing::auto_t<A>>(a)...));
  }
  // Accepts the calls that no other overload accepts, so that compilers show this line and not all
  // candidates. It is deleted, so std::is_invocable is false for such calls.
  template <class... A, class = std::enable_if_t<refuses<F, Params<P...>, A...>>>
  Array operator()(A&&...) const = delete;  // weft: the function takes other arguments than these

 private:
  CallOperator() = default;
  friend D;
};

// ---- f as a function of flat lists

// Calls f; a member function is called on its first argument. This is not std::apply: an Array that
// converts to an Arg there would have a location in a file of the standard library.
template <class F, class Args, size_t... I>
decltype(auto) call_with(F& f, Args& args, std::index_sequence<I...>) {
  if constexpr (std::is_member_function_pointer_v<F>)
    return [&](auto& object, auto&... rest) -> decltype(auto) {
      return (object.*f)(rest...);
    }(std::get<I>(args)...);
  else
    return f(std::get<I>(args)...);
}
template <class F, class Args>
decltype(auto) call_back(F& f, Args& args) {
  return call_with(f, args, std::make_index_sequence<std::tuple_size_v<Args>>{});
}

// The last result of a function on flat lists. It is a separate class, so that code that depends
// only on the result type is compiled once.
template <class R>
class FlatResult {
 public:
  const R& out() const { return *out_; }
  bool ran() const { return out_.has_value(); }
  // The result with these Arrays.
  R result(const Arrays& leaves) const { return tree::detail::rebuild(*out_, leaves.data()); }
  // Only the result's structure, so that no traced value outlives its trace.
  R prototype() const { return tree::detail::structure_only(*out_); }
  void release() {
    if (out_) out_.emplace(tree::detail::structure_only(std::move(*out_)));
  }
  // Computes the skeleton of out(), or of one of its parts, on demand.
  struct Tree {
    const FlatResult* f;
    tree::detail::Skeleton operator()() const { return tree::detail::skeleton(f->out()); }
  };
  Tree tree() const { return {this}; }
  template <size_t i>
  struct PartTree {
    const FlatResult* f;
    tree::detail::Skeleton operator()() const {
      return tree::detail::skeleton(std::get<i>(f->out()));
    }
  };
  template <size_t i>
  PartTree<i> part_tree() const {
    return {this};
  }

 protected:
  FlatResult() = default;
  std::optional<R> out_;
};
extern template class FlatResult<Array>;

// Calls f with arguments whose Arrays come from a list, and keeps the structure of the last result.
template <class F, class Args, class R>
class Flat : public FlatResult<R> {
 public:
  Flat(F& f, const Args& like) : f_(&f), prototype_(&like) {}
  Arrays operator()(const Arrays& x) {
    Args args = tree::detail::rebuild(*prototype_, x.data());
    constexpr std::make_index_sequence<std::tuple_size_v<Args>> all;
    if constexpr (answers_tuple<F, Args>)
      this->out_.emplace(tree::detail::convert<R>(call_with(*f_, args, all)));
    else
      this->out_.emplace(never<R>());  // the error is already reported
    return tree::leaves(*this->out_);
  }

 private:
  F* f_;
  const Args* prototype_;
};

// The words of the cache key of a compiled program. A short key needs no allocation.
class KeyWriter {
 public:
  static constexpr size_t inline_words = 64;
  void add(uint64_t w) {
    if (size_ < inline_words)
      small_[size_] = w;
    else
      add_beyond(w);
    ++size_;
    hash_ = (hash_ ^ w) * 0x9E3779B97F4A7C15ull;
    hash_ ^= hash_ >> 29;
  }
  void add_bytes(const char* p, size_t n);
  template <class T>
  void add_static(const T& x) {
    if constexpr (std::same_as<T, Shape>) {
      add(x.size());
      for (int64_t n : x) add(static_cast<uint64_t>(n));
    } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      static_assert(sizeof(T) <= 16);
      uint64_t w[2] = {0, 0};
      std::memcpy(w, &x, sizeof(T) == 16 ? 10 : sizeof(T));
      add(w[0]);
      if constexpr (sizeof(T) > 8) add(w[1]);
    } else if constexpr (ir::ComplexNumber<T>) {
      add_static(x.real());
      add_static(x.imag());
    } else if constexpr (tree::detail::DeclaredStatic<T>) {
      add(tree::detail::static_number(x));
    } else {
      const std::string_view s(x);
      add_bytes(s.data(), s.size());
    }
  }
  friend bool operator==(const KeyWriter& a, const KeyWriter& b) { return a.equals(b); }
  size_t size() const { return size_; }
  uint64_t hash() const { return hash_; }
  uint64_t operator[](size_t i) const {
    return i < inline_words ? small_[i] : more_[i - inline_words];
  }

 private:
  void add_beyond(uint64_t w);
  bool equals(const KeyWriter& o) const;
  uint64_t small_[inline_words];
  std::vector<uint64_t> more_;
  size_t size_ = 0;
  uint64_t hash_ = 0xCBF29CE484222325ull;
};

// A unique address per type.
template <class T>
inline char type_tag = 0;
template <class T>
uint64_t type_id() {
  return reinterpret_cast<uint64_t>(&type_tag<T>);
}

// Adds to the key what distinguishes f from other callables of its type. Returns false if that is
// not possible.
template <class F>
bool identify(const F& f, KeyWriter& key) {
  key.add(type_id<F>());
  if constexpr (requires { f.weft_identify(key); }) {
    return f.weft_identify(key);
  } else if constexpr (std::is_empty_v<F>) {
    return true;
  } else if constexpr (std::is_pointer_v<F>) {
    key.add(reinterpret_cast<uint64_t>(f));
    return true;
  } else if constexpr (std::is_member_function_pointer_v<F>) {
    uint64_t w[(sizeof(F) + 7) / 8] = {};
    std::memcpy(w, &f, sizeof f);
    for (uint64_t v : w) key.add(v);
    return true;
  } else {
    return false;
  }
}

// The same for a callable that is an argument; CompileError if it cannot be identified.
[[noreturn]] void unidentified_argument();
template <class F>
void identify_argument(const F& f, KeyWriter& key) {
  static_assert(
      std::is_empty_v<F> || !std::is_class_v<F> || requires { f.weft_identify(key); },
      "weft::jit: a callable as an argument must be stateless, a function pointer or a "
      "wrapper of Weft; this one captures. Let the function capture it, or pass what it "
      "captures as an argument");
  if (!identify(f, key)) unidentified_argument();
}
// Adds the structure of a tree without its Arrays: sizes, keys, static values, callables.
struct StructureVisitor {
  KeyWriter* words;
  void leaf(const Array&) {}
  template <class S>
  void value(const S& x) {
    words->add_static(x);
  }
  void count(size_t n) { words->add(n); }
  void key(const std::string& k) { words->add_static(k); }
  template <class F>
  void callable(const F& f) {
    identify_argument(f, *words);
  }
};

}  // namespace weft::detail

// A default argument cannot follow a pack, so these are overloads for one to seven arguments that
// capture the line. NAME_at is in detail.
#define WEFT_WITH_LINE(NAME)                                                               \
  template <class F, class A>                                                              \
  auto NAME(F f, const A& a, typing::Location at = typing::Location::here()) {             \
    return detail::NAME##_at(at, f, a);                                                    \
  }                                                                                        \
  template <class F, class A, class B>                                                     \
  auto NAME(F f, const A& a, const B& b, typing::Location at = typing::Location::here()) { \
    return detail::NAME##_at(at, f, a, b);                                                 \
  }                                                                                        \
  template <class F, class A, class B, class C>                                            \
  auto NAME(F f, const A& a, const B& b, const C& c,                                       \
            typing::Location at = typing::Location::here()) {                              \
    return detail::NAME##_at(at, f, a, b, c);                                              \
  }                                                                                        \
  template <class F, class A, class B, class C, class D>                                   \
  auto NAME(F f, const A& a, const B& b, const C& c, const D& d,                           \
            typing::Location at = typing::Location::here()) {                              \
    return detail::NAME##_at(at, f, a, b, c, d);                                           \
  }                                                                                        \
  template <class F, class A, class B, class C, class D, class E>                          \
  auto NAME(F f, const A& a, const B& b, const C& c, const D& d, const E& e,               \
            typing::Location at = typing::Location::here()) {                              \
    return detail::NAME##_at(at, f, a, b, c, d, e);                                        \
  }                                                                                        \
  template <class F, class A, class B, class C, class D, class E, class G>                 \
  auto NAME(F f, const A& a, const B& b, const C& c, const D& d, const E& e, const G& g,   \
            typing::Location at = typing::Location::here()) {                              \
    return detail::NAME##_at(at, f, a, b, c, d, e, g);                                     \
  }                                                                                        \
  template <class F, class A, class B, class C, class D, class E, class G, class H>        \
  auto NAME(F f, const A& a, const B& b, const C& c, const D& d, const E& e, const G& g,   \
            const H& h, typing::Location at = typing::Location::here()) {                  \
    return detail::NAME##_at(at, f, a, b, c, d, e, g, h);                                  \
  }

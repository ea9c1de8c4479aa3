// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/tree.h: trees of arrays (pytrees): any nesting of Array, tuple, pair, std::array,
// vector, map by string, optional and structs. A field without Arrays is part of the tree's
// structure. A type that is not a tree, a static value or a callable does not compile anywhere.
#pragma once
#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "weft/array.h"
#include "weft/tree/fields.h"

namespace weft::tree {

// ---- properties of types

// True if T is a std::tuple, std::pair or std::array.
template <class T>
inline constexpr bool is_tuple = false;
template <class... T>
inline constexpr bool is_tuple<std::tuple<T...>> = true;
template <class A, class B>
inline constexpr bool is_tuple<std::pair<A, B>> = true;
template <class T, size_t N>
inline constexpr bool is_tuple<std::array<T, N>> = true;
// True if T is a std::vector.
template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;
// True if T is a std::map by std::string.
template <class T>
inline constexpr bool is_map = false;
template <class T>
inline constexpr bool is_map<std::map<std::string, T>> = true;
// True if T is a std::optional.
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
// True if T is an empty tree: std::monostate, the type of none, or that of std::nullopt.
template <class T>
inline constexpr bool is_empty =
    std::same_as<T, std::monostate> || std::same_as<T, none_t> || std::same_as<T, std::nullopt_t>;
// True if values of T are part of the structure.
template <class T>
inline constexpr bool is_static =
    std::is_arithmetic_v<T> || ir::ComplexNumber<T> || std::is_enum_v<T> ||
    std::same_as<T, std::string> || std::same_as<T, std::string_view> ||
    std::same_as<T, const char*> || std::same_as<T, Shape> || DeclaredStatic<T>;
// True if T is a struct that is a tree of its fields: an aggregate, or a class with WEFT_TREE.
template <class T>
inline constexpr bool is_struct =
    !is_tuple<T> && !is_empty<T> && !is_static<T> && (Declared<T> || Aggregate<T>);

namespace detail {
// FieldsKnown if T must be a tree of its fields; other types have no fields to find.
template <class T>
using KnownIfStruct = FieldsKnown<std::conditional_t<is_struct<T>, T, void>>;
template <class T>
consteval bool fields_found() {
  if constexpr (Aggregate<T>)
    return Fields<T>::known;
  else
    return true;
}
template <class T>
struct Holds {  // for Array
  static constexpr bool array = std::same_as<T, Array>;
};
template <class T>
inline constexpr bool holds_array = Holds<std::remove_cv_t<T>>::array;
template <class... T>
struct Holds<std::tuple<T...>> {
  static constexpr bool array = (holds_array<T> || ...);
};
template <class A, class B>
struct Holds<std::pair<A, B>> : Holds<std::tuple<A, B>> {};
template <class T, size_t N>
struct Holds<std::array<T, N>> : Holds<T> {};
template <class T>
struct Holds<std::vector<T>> : Holds<T> {};
template <class T>
struct Holds<std::optional<T>> : Holds<T> {};
template <class K, class T>
struct Holds<std::map<K, T>> : Holds<T> {};
template <class T>
struct HoldsArray : std::bool_constant<holds_array<T>> {};
template <class T>
  requires(Aggregate<T> || Declared<T>)
struct Holds<T> {
  struct Fields {
    // Checks fields that are Arrays first, and stops early, because a field may contain T again, in
    // a vector.
    template <class... F>
    std::disjunction<std::is_same<F, Array>..., HoldsArray<F>...> operator()(F&...) const {
      return {};
    }
  };
  // A static value whose fields cannot be found counts as holding no Array.
  static constexpr bool array = [] {
    if constexpr (DeclaredStatic<T> && !fields_found<T>())
      return false;
    else
      return decltype(with_fields(std::declval<T&>(), Fields{}))::value;
  }();
};

// Gives a number to each distinct value of a static type; it keeps a copy of the value.
struct StaticType {
  bool (*equal)(const void*, const void*);
  const void* (*copy)(const void*);
};
uint64_t static_number(const StaticType& type, const void* x);
template <DeclaredStatic T>
uint64_t static_number(const T& x) {
  static_assert(std::equality_comparable<T> && std::copy_constructible<T>,
                "weft: WEFT_STATIC(Type): the type needs == and copying");
  static_assert(
      !holds_array<T>,
      "weft: WEFT_STATIC(Type): the type holds an Array; WEFT_TREE(Type, field…) makes it "
      "a tree");
  static constexpr StaticType type{
      [](const void* a, const void* b) {
        return static_cast<bool>(*static_cast<const T*>(a) == *static_cast<const T*>(b));
      },
      [](const void* a) -> const void* { return new T(*static_cast<const T*>(a)); }};
  return static_number(type, &x);
}

#define WEFT_NOT_KNOWN                                                                          \
  "weft: this type is neither a tree of Arrays nor a static value. WEFT_TREE(Type, field…) "    \
  "makes a class a tree of those fields, WEFT_STATIC(Type) a static value that is compared by " \
  "=="
template <class T>
constexpr void require_known() {
  static_assert(is_callable<T>, WEFT_NOT_KNOWN);
}
// True if walk supports T and, in tuples and structs, all fields. Elements of lists and maps are
// left to walk, because their types may contain themselves.
template <class T>
consteval bool known_here() {
  using U = std::remove_const_t<T>;
  if constexpr (is_tuple<U>) {
    return []<size_t... I>(std::index_sequence<I...>) {
      return (known_here<std::tuple_element_t<I, U>>() && ...);
    }(std::make_index_sequence<std::tuple_size_v<U>>{});
  } else if constexpr (is_struct<U>) {
    if constexpr (fields_found<U>())
      return std::remove_cvref_t<decltype(with_fields(std::declval<U&>(), []<class... E>(E&...) {
        return std::bool_constant<(known_here<E>() && ...)>{};
      }))>::value;
    else
      return true;
  } else {
    return std::same_as<U, Array> || is_empty<U> || is_static<U> ||
           std::same_as<U, std::vector<bool>> || is_list<U> || is_map<U> || is_optional<U> ||
           is_callable<U>;
  }
}
}  // namespace detail

// ---- types: conversion of numbers

// For control flow (init and operands) and results: numbers in tuples, pairs and lists become
// Arrays.
template <class T>
struct ArraysOf {
  using type = T;
};
template <class T>
  requires(ir::Number<T> || ir::ComplexNumber<T>)
struct ArraysOf<T> {
  using type = Array;
};
template <>
struct ArraysOf<typing::Arg> {
  using type = Array;
};
template <std::derived_from<Array> T>
  requires(!std::same_as<T, Array>)
struct ArraysOf<T> {
  using type = Array;
};
template <class... T>
struct ArraysOf<std::tuple<T...>> {
  using type = std::tuple<typename ArraysOf<T>::type...>;
};
template <class A, class B>
struct ArraysOf<std::pair<A, B>> {
  using type = std::pair<typename ArraysOf<A>::type, typename ArraysOf<B>::type>;
};
template <class T>
struct ArraysOf<std::vector<T>> {
  using type = std::vector<typename ArraysOf<T>::type>;
};
template <class T, size_t N>
struct ArraysOf<std::array<T, N>> {
  using type = std::array<typename ArraysOf<T>::type, N>;
};
template <class T>
struct ArraysOf<std::map<std::string, T>> {
  using type = std::map<std::string, typename ArraysOf<T>::type>;
};
template <class T>
struct ArraysOf<std::optional<T>> {
  using type = std::optional<typename ArraysOf<T>::type>;
};
// For arguments of `auto` parameters: floating-point and complex numbers become Arrays, other
// values are static.
template <class T>
struct AutoOf {
  using type = T;
};
template <class T>
  requires(std::floating_point<T> || ir::ComplexNumber<T>)
struct AutoOf<T> {
  using type = Array;
};
template <>
struct AutoOf<typing::Arg> {
  using type = Array;
};
template <std::derived_from<Array> T>
  requires(!std::same_as<T, Array>)
struct AutoOf<T> {
  using type = Array;
};
template <size_t N>
struct AutoOf<char[N]> {
  using type = std::string;
};
// For `auto` parameters the name of a function becomes a pointer to it.
template <class R, class... P>
struct AutoOf<R(P...)> {
  using type = R (*)(P...);
};
template <class R, class... P>
struct AutoOf<R(P...) noexcept> {
  using type = R (*)(P...) noexcept;
};
template <class... T>
struct AutoOf<std::tuple<T...>> {
  using type = std::tuple<typename AutoOf<T>::type...>;
};
template <class A, class B>
struct AutoOf<std::pair<A, B>> {
  using type = std::pair<typename AutoOf<A>::type, typename AutoOf<B>::type>;
};
template <class T>
struct AutoOf<std::vector<T>> {
  using type = std::vector<typename AutoOf<T>::type>;
};
template <class T, size_t N>
struct AutoOf<std::array<T, N>> {
  using type = std::array<typename AutoOf<T>::type, N>;
};
template <class T>
struct AutoOf<std::map<std::string, T>> {
  using type = std::map<std::string, typename AutoOf<T>::type>;
};
template <class T>
struct AutoOf<std::optional<T>> {
  using type = std::optional<typename AutoOf<T>::type>;
};

// x as a To: the same tree, with numbers converted to Arrays where To has Arrays.
template <class To, class From>
To convert(From&& x) {
  using U = std::remove_cvref_t<From>;
  if constexpr (std::same_as<U, To>) {
    return std::forward<From>(x);
  } else if constexpr (is_tuple<To> && is_tuple<U>) {
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return To{convert<std::tuple_element_t<I, To>>(std::get<I>(x))...};
    }(std::make_index_sequence<std::tuple_size_v<To>>{});
  } else if constexpr (is_list<To> && is_list<U>) {
    To r;
    r.reserve(x.size());
    for (auto&& e : x)
      r.push_back(convert<typename To::value_type>(static_cast<typename U::value_type>(e)));
    return r;
  } else if constexpr (is_map<To> && is_map<U>) {
    To r;
    for (auto& [k, e] : x) r.emplace(k, convert<typename To::mapped_type>(e));
    return r;
  } else if constexpr (is_optional<To> && is_optional<U>) {
    To r;
    if (x) r.emplace(convert<typename To::value_type>(*x));
    return r;
  } else {
    return To(std::forward<From>(x));
  }
}

// True if convert makes a To of a From, implicitly.
template <class To, class From>
consteval bool converts() {
  if constexpr (is_tuple<To> && is_tuple<From>) {
    return []<size_t... I>(std::index_sequence<I...>) {
      if constexpr (std::tuple_size_v<From> == sizeof...(I))
        return (converts<std::tuple_element_t<I, To>, std::tuple_element_t<I, From>>() && ...);
      return false;
    }(std::make_index_sequence<std::tuple_size_v<To>>{});
  } else if constexpr ((is_list<To> && is_list<From>) || (is_optional<To> && is_optional<From>)) {
    return converts<typename To::value_type, typename From::value_type>();
  } else if constexpr (is_map<To> && is_map<From>) {
    return converts<typename To::mapped_type, typename From::mapped_type>();
  } else {
    return std::convertible_to<From, To>;
  }
}

// ---- walking

// Visits the contents of x from left to right. It calls v.leaf(Array), v.value(static) and
// v.callable(f). It calls v.count(n) before the elements of containers, and v.key(string) before an
// entry of a map.
template <class T, class V>
void walk(T& x, V& v);
namespace detail {
template <class T, class V, size_t... I>
void walk_each(T& x, V& v, std::index_sequence<I...>) {
  (walk(std::get<I>(x), v), ...);
}
}  // namespace detail
template <class T, class V>
void walk(T& x, V& v) {
  using U = std::remove_const_t<T>;
  if constexpr (std::same_as<U, Array>) {
    v.leaf(x);
  } else if constexpr (is_empty<U>) {
  } else if constexpr (is_static<U>) {
    v.value(x);
  } else if constexpr (is_tuple<U>) {
    detail::walk_each(x, v, std::make_index_sequence<std::tuple_size_v<U>>{});
  } else if constexpr (std::same_as<U, std::vector<bool>>) {
    v.count(x.size());
    for (bool b : x) v.value(b);
  } else if constexpr (is_list<U>) {
    v.count(x.size());
    for (auto& e : x) walk(e, v);
  } else if constexpr (is_map<U>) {
    v.count(x.size());
    for (auto& [k, e] : x) {
      v.key(k);
      walk(e, v);
    }
  } else if constexpr (is_optional<U>) {
    v.count(x ? 1 : 0);
    if (x) walk(*x, v);
  } else if constexpr (is_struct<U>) {
    with_fields(x, [&](auto&... e) { (walk(e, v), ...); });
  } else {
    detail::require_known<U>();
    if constexpr (is_callable<U>) v.callable(x);
  }
}

namespace detail {
struct IgnoreRest {
  template <class S>
  void value(const S&) {}
  void count(size_t) {}
  void key(const std::string&) {}
  template <class F>
  void callable(const F&) {}
};
struct Collect : IgnoreRest {
  Arrays* out;
  explicit Collect(Arrays* o) : out(o) {}
  void leaf(const Array& x);
};
struct Assign : IgnoreRest {
  const Array* next;
  explicit Assign(const Array* n) : next(n) {}
  void leaf(Array& x) { x = *next++; }
};
struct CountLeaves : IgnoreRest {
  size_t n = 0;
  void leaf(const Array&) { ++n; }
};
struct Clear : IgnoreRest {
  void leaf(Array& x) { x = Array(); }
};
}  // namespace detail

// The following templates depend only on the type of the tree. Otherwise copies in every function
// that is passed to a transform would dominate the time that compilers spend on optimization.

// Appends the Arrays of x.
template <class T>
void flatten(const T& x, Arrays& out) {
  detail::Collect v(&out);
  walk(x, v);
}
// The Arrays of a tree from left to right: fields in the order of declaration, entries of maps in
// the order of their keys. Source: jax.tree.leaves.
template <class T>
Arrays leaves(const T& x) {
  Arrays out;
  flatten(x, out);
  return out;
}
// The number of Arrays in a tree.
//
//     tree::count(std::pair{array({1}), array({2, 3})})  // 2
template <class T>
size_t count(const T& x) {
  detail::CountLeaves v;
  walk(x, v);
  return v.n;
}
// A tree like `like` with these Arrays; there must be enough of them.
template <class T>
T rebuild(T like, const Array* leaves) {
  detail::Assign v(leaves);
  walk(like, v);
  return like;
}
// x without its Arrays.
template <class T>
T structure_only(T x) {
  detail::Clear v;
  walk(x, v);
  return x;
}

// ---- structure

// A tree without C++ types, for messages, axis prefixes and comparison.
struct Skeleton {
  enum Form { leaf, value, empty, tuple, list, map, record };
  Form form = leaf;
  std::string text;                // of a value
  std::vector<std::string> names;  // of the entries of maps and records
  std::vector<Skeleton> children;
  size_t leaves = 1;
};
// The skeleton of a static value that is printed as this text.
Skeleton value_skeleton(std::string text);
// The skeleton of a tuple, list, map or struct with these children; maps and structs name them.
Skeleton parent_skeleton(Skeleton::Form form, std::vector<Skeleton> children,
                         std::vector<std::string> names = {});
// "(*, {w: *, n: 3})"
std::string to_string(const Skeleton& s);
// The path of every leaf, below a root with this name: "args[1].layers[0].w".
std::vector<std::string> paths(const Skeleton& s, const std::string& root);
// The path and text of every static value.
std::vector<std::pair<std::string, std::string>> values(const Skeleton& s, const std::string& root);
// The first difference between two trees, in words; empty if they are equal.
std::string difference(const Skeleton& a, const Skeleton& b, const std::string& root);

namespace detail {
std::string text_of(int64_t x);
std::string text_of(uint64_t x);
std::string text_of(double x);
std::string text_of(const std::string& x);
std::string text_of(const Shape& x);
template <class S>
std::string text_of_static(const S& x) {
  if constexpr (std::same_as<S, bool>)
    return x ? "true" : "false";
  else if constexpr (std::is_enum_v<S>)
    return text_of(static_cast<int64_t>(x));
  else if constexpr (std::floating_point<S>)
    return text_of(static_cast<double>(x));
  else if constexpr (ir::ComplexNumber<S>)
    return "(" + text_of_static(x.real()) + ", " + text_of_static(x.imag()) + ")";
  else if constexpr (std::unsigned_integral<S>)
    return text_of(static_cast<uint64_t>(x));
  else if constexpr (std::integral<S>)
    return text_of(static_cast<int64_t>(x));
  else if constexpr (std::same_as<S, Shape>)
    return text_of(x);
  else if constexpr (DeclaredStatic<S>)
    return "static value " + text_of(static_number(x));
  else
    return text_of(std::string(x));
}
template <class T, size_t... I>
std::vector<std::string> field_names(std::index_sequence<I...>) {
  return {std::string(field_name<T, I>())...};
}
}  // namespace detail

// The skeleton of x.
template <class T>
Skeleton skeleton(const T& x);
namespace detail {
template <class T, size_t... I>
void add_skeletons(const T& x, std::vector<Skeleton>& to, std::index_sequence<I...>) {
  (to.push_back(skeleton(std::get<I>(x))), ...);
}
}  // namespace detail
template <class T>
Skeleton skeleton(const T& x) {
  std::vector<Skeleton> children;
  if constexpr (std::same_as<T, Array>) {
    return {};
  } else if constexpr (is_empty<T>) {
    return parent_skeleton(Skeleton::empty, {});
  } else if constexpr (is_static<T>) {
    return value_skeleton(detail::text_of_static(x));
  } else if constexpr (is_tuple<T>) {
    detail::add_skeletons(x, children, std::make_index_sequence<std::tuple_size_v<T>>{});
    return parent_skeleton(Skeleton::tuple, std::move(children));
  } else if constexpr (std::same_as<T, std::vector<bool>>) {
    for (bool b : x) children.push_back(skeleton(b));
    return parent_skeleton(Skeleton::list, std::move(children));
  } else if constexpr (is_list<T>) {
    for (auto& e : x) children.push_back(skeleton(e));
    return parent_skeleton(Skeleton::list, std::move(children));
  } else if constexpr (is_map<T>) {
    std::vector<std::string> names;
    for (auto& [k, e] : x) {
      names.push_back(k);
      children.push_back(skeleton(e));
    }
    return parent_skeleton(Skeleton::map, std::move(children), std::move(names));
  } else if constexpr (is_optional<T>) {
    return x ? skeleton(*x) : parent_skeleton(Skeleton::empty, {});
  } else if constexpr (is_struct<T>) {
    return with_fields(x, [&](auto&... e) {
      (children.push_back(skeleton(e)), ...);
      return parent_skeleton(Skeleton::record, std::move(children),
                             detail::field_names<T>(std::make_index_sequence<sizeof...(e)>{}));
    });
  } else {
    detail::require_known<T>();
    return value_skeleton("callable");
  }
}

namespace detail {
// Computes the skeleton of x on demand; x is not copied.
template <class T>
struct SkeletonOf {
  const T* x;
  Skeleton operator()() const { return skeleton(*x); }
};
template <class T>
SkeletonOf<T> skeleton_of(const T& x) {
  return {&x};
}
}  // namespace detail

// A tree without its Arrays: type, sizes, keys, static values. Structures of different types can be
// compared.
template <class T>
class Structure {
 public:
  explicit Structure(const T& x)
      : prototype_(structure_only(x)), text_(to_string(skeleton(x))), leaves_(tree::count(x)) {}
  const T& prototype() const { return prototype_; }
  const std::string& text() const { return text_; }
  size_t leaves() const { return leaves_; }
  size_t hash() const { return std::hash<std::string>{}(text_); }
  template <class U>
  friend bool operator==(const Structure& a, const Structure<U>& b) {
    return a.text() == b.text();
  }

 private:
  T prototype_;
  std::string text_;
  size_t leaves_;
};
// The structure of x without its Arrays. Structures are equal if their texts are equal. A text
// shows * for each Array and does not depend on the C++ types. Source: jax.tree.structure.
//
//     tree::structure(std::pair{Array(1.), 3}).text()  // (*, 3)
template <class T>
Structure<T> structure(const T& x) {
  return Structure<T>(x);
}

namespace detail {
[[noreturn]] void wrong_leaf_count(size_t got, size_t want);
// ShapeError, naming the first difference, if the trees have different structures. name_a and
// name_b are their names in the text.
void require_structure(const char* who, const Skeleton& a, const Skeleton& b,
                       const char* name_a = "the first tree", const char* name_b = "another tree");
}  // namespace detail

// The tree of this structure with these Arrays, from left to right. ShapeError if their number is
// wrong. Source: jax.tree.unflatten.
template <class T>
T unflatten(const Structure<T>& s, const Arrays& leaves,
            typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  if (leaves.size() != s.leaves()) detail::wrong_leaf_count(leaves.size(), s.leaves());
  return rebuild(s.prototype(), leaves.data());
}
// The tree x with other Arrays.
template <class T>
T unflatten(const T& x, const Arrays& leaves, typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  if (leaves.size() != count(x)) detail::wrong_leaf_count(leaves.size(), count(x));
  return rebuild(x, leaves.data());
}

namespace detail {
template <class F, class T, class... U>
T mapped(const char* who, typing::Location at, F& f, const T& x, const U&... rest) {
  if constexpr (sizeof...(U) > 0) {
    const ir::SourceScope source(at);
    const Skeleton s = skeleton(x);
    (..., require_structure(who, s, skeleton(rest)));
  }
  const Arrays first = leaves(x);
  const std::array<Arrays, sizeof...(U)> others{leaves(rest)...};
  Arrays out;
  out.reserve(first.size());
  [&]<size_t... I>(std::index_sequence<I...>) {
    for (size_t i = 0; i < first.size(); ++i) out.push_back(Array(f(first[i], others[I][i]...)));
  }(std::index_sequence_for<U...>{});
  return rebuild(x, out.data());
}
}  // namespace detail

// Applies f to the corresponding Arrays of trees with the same structure (ShapeError). Returns a
// tree like x. Source: jax.tree.map.
template <class F, class T, class... U>
T map(F f, const T& x, const U&... rest) {
  return detail::mapped("tree::map", {}, f, x, rest...);
}
// These overloads capture the line of the call.
template <class F, class T, class U>
  requires(!std::same_as<U, typing::Location>)
T map(F f, const T& x, const U& y, typing::Location at = typing::Location::here()) {
  return detail::mapped("tree::map", at, f, x, y);
}
template <class F, class T, class U, class V>
  requires(!std::same_as<V, typing::Location>)
T map(F f, const T& x, const U& y, const V& z, typing::Location at = typing::Location::here()) {
  return detail::mapped("tree::map", at, f, x, y, z);
}

// One bool per leaf.
class Mask {
 public:
  Mask();
  Mask(std::initializer_list<bool> bits);
  explicit Mask(std::vector<bool> bits);
  Mask(const Mask&);
  Mask(Mask&&) noexcept;
  Mask& operator=(const Mask&);
  Mask& operator=(Mask&&) noexcept;
  ~Mask();
  bool operator[](ir::Subscript i) const;
  size_t size() const;
  bool any() const;
  bool all() const;
  friend bool operator==(const Mask& a, const Mask& b) { return a.equals(b); }

 private:
  bool equals(const Mask& other) const;
  std::vector<bool> bits_;
};

// A Jacobian between two structs: one Array for each pair of a result leaf and an argument leaf.
// Leaves are selected by number or by field name. The shape of an Array is that of the result leaf
// followed by that of the argument leaf.
//
//     struct In { Array w, b; };
//     struct Out { Array y, z; };
//     auto f = [](In i) { return Out{i.w * i.b, i.w + i.b}; };
//     tree::Blocks j = jacobian(f)(In{array({1., 2.}), Array(3.)});
//     j("y", "w")  // array([[3., 0.], [0., 3.]], dtype=float32)
//     j(0, 1)      // array([1., 2.], dtype=float32)
struct Blocks {
  std::vector<std::vector<Array>> blocks;
  std::vector<std::string> out, in;  // paths of the leaves: "w", "layers[0].b"
  const Array& operator()(size_t out_leaf, size_t in_leaf,
                          typing::Location at = typing::Location::here()) const;
  const Array& operator()(const std::string& out_path, const std::string& in_path,
                          typing::Location at = typing::Location::here()) const;
};

// ---- one vector for a whole tree

namespace detail {
struct Raveled {
  Array vector;
  typing::Types types;
};
Raveled ravel_leaves(const Arrays& x);
Arrays unravel_leaves(const Array& vector, const typing::Types& types);
}  // namespace detail

// Returns {vector, unravel}: the elements of all Arrays in one vector of their common dtype, and
// the inverse function. unravel(v) is a tree like x; ShapeError for a v of another size. Source:
// jax.flatten_util.ravel_pytree.
template <class T>
auto ravel(const T& x, typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  detail::Raveled r = detail::ravel_leaves(leaves(x));
  auto unravel = [like = structure_only(x), types = std::move(r.types)](
                     const Array& v, typing::Location called = typing::Location::here()) {
    const ir::SourceScope back(called);
    return rebuild(like, detail::unravel_leaves(v, types).data());
  };
  return std::pair<Array, decltype(unravel)>{std::move(r.vector), std::move(unravel)};
}

}  // namespace weft::tree

namespace weft {
namespace typing {
// T with Array in place of each number, also in tuples, pairs, std::array, vectors, maps and
// optionals, but not in structs. An init, an operand or a result of type T has this type.
template <class T>
using arrays_t = typename tree::ArraysOf<std::remove_cvref_t<T>>::type;
// The type of an argument of type T for an `auto` parameter. Floating-point and complex numbers are
// Arrays, also in tuples, pairs, std::array, vectors, maps and optionals. The name of a function is
// a pointer, and a string literal is a std::string. Other types are unchanged.
template <class T>
using auto_t = typename tree::AutoOf<std::remove_cvref_t<T>>::type;
}  // namespace typing
}  // namespace weft

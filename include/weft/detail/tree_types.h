// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/detail/tree_types.h: properties of the types in trees, and trees with other leaves:
// numbers that become Arrays, and Arrays that are replaced.
#pragma once
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "weft/array.h"
#include "weft/detail/containers.h"
#include "weft/tree/fields.h"

namespace weft::tree::detail {

// ---- properties

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
// True if T holds an Array. Outer: the structs around T. A struct may contain itself, in a vector,
// and is then not searched again.
template <class T, class... Outer>
struct Holds {
  static constexpr bool array = std::same_as<T, Array>;
};
template <class... Outer>
struct Inside {
  template <class T>
  struct HoldsArray : std::bool_constant<Holds<std::remove_cv_t<T>, Outer...>::array> {};
};
template <class T>
inline constexpr bool holds_array = Inside<>::HoldsArray<T>::value;
template <class T, class... Outer>
  requires(is_container<T>)
struct Holds<T, Outer...> {
  static constexpr bool array = Container<T>::template any<Inside<Outer...>::template HoldsArray>;
};
// Maps with other keys are not trees, but WEFT_STATIC rejects them if they hold Arrays.
template <class K, class T, class... Outer>
struct Holds<std::map<K, T>, Outer...> : Holds<T, Outer...> {};
template <class T, class... Outer>
  requires(!is_container<T> && (Aggregate<T> || Declared<T>))
struct Holds<T, Outer...> {
  struct Fields {
    // Checks fields that are Arrays first, and stops early.
    template <class... F>
    std::disjunction<std::is_same<F, Array>...,
                     typename Inside<Outer..., T>::template HoldsArray<F>...>
    operator()(F&...) const {
      return {};
    }
  };
  // A static value whose fields cannot be found counts as holding no Array.
  static constexpr bool array = [] {
    if constexpr ((std::same_as<T, Outer> || ...) || (DeclaredStatic<T> && !fields_found<T>()))
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
    return std::same_as<U, Array> || is_empty<U> || is_static<U> || is_container<U> ||
           is_callable<U>;
  }
}

// True if the tree contains structs, whose fields cannot change their type.
template <class T>
struct HasStruct : std::bool_constant<is_struct<T>> {};
template <class T>
  requires(is_container<T>)
struct HasStruct<T> : std::bool_constant<Container<T>::template any<HasStruct>> {};
template <class T>
inline constexpr bool has_struct = HasStruct<T>::value;

// ---- types with other leaves

// For control flow (init and operands) and results: numbers in containers become Arrays.
template <class T>
struct ArraysOf {
  using type = T;
};
template <class T>
  requires(ir::Number<T> || ir::ComplexNumber<T> || std::same_as<T, typing::Arg> ||
           std::derived_from<T, Array>)
struct ArraysOf<T> {
  using type = Array;
};
template <class T>
  requires(is_container<T>)
struct ArraysOf<T> {
  using type = typename Container<T>::template with<ArraysOf>;
};
// For arguments of `auto` parameters: floating-point and complex numbers become Arrays, other
// values are static.
template <class T>
struct AutoOf {
  using type = T;
};
template <class T>
  requires(std::floating_point<T> || ir::ComplexNumber<T> || std::same_as<T, typing::Arg> ||
           std::derived_from<T, Array>)
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
template <class T>
  requires(is_container<T>)
struct AutoOf<T> {
  using type = typename Container<T>::template with<AutoOf>;
};
// The type Out with each Array replaced by an In.
template <class Out, class In>
struct Replaced {
  using type = Out;
};
template <class In>
struct Replaced<Array, In> {
  using type = In;
};
template <class Out, class In>
  requires(is_container<Out>)
struct Replaced<Out, In> {
  using type = typename Container<Out>::template with<Replaced, In>;
};

// ---- values with other leaves

template <class To, class From>
To convert(From&& x);
struct Convert {
  template <class To, class From>
  static To to(From& x) {
    return convert<To>(x);
  }
};
// x as a To: the same tree, with numbers converted to Arrays where To has Arrays.
template <class To, class From>
To convert(From&& x) {
  using U = std::remove_cvref_t<From>;
  if constexpr (std::same_as<U, To>) {
    return std::forward<From>(x);
  } else if constexpr (is_container<To> && kind_of<To> == kind_of<U>) {
    Convert elements;
    return with_elements<To>(x, elements);
  } else {
    return To(std::forward<From>(x));
  }
}

// True if convert makes a To of a From, implicitly.
template <class To, class From>
consteval bool converts() {
  if constexpr (!is_container<To> || kind_of<To> != kind_of<From>) {
    return std::convertible_to<From, To>;
  } else if constexpr (is_tuple<To>) {
    return []<size_t... I>(std::index_sequence<I...>) {
      if constexpr (std::tuple_size_v<From> == sizeof...(I))
        return (converts<std::tuple_element_t<I, To>, std::tuple_element_t<I, From>>() && ...);
      return false;
    }(std::make_index_sequence<std::tuple_size_v<To>>{});
  } else {
    return converts<typename Container<To>::element, typename Container<From>::element>();
  }
}

template <class To, class Out, class Next>
To replace_leaves(const Out& out, Next& next);
template <class Next>
struct ReplaceLeaves {
  Next& next;
  template <class To, class Out>
  To to(const Out& out) {
    return replace_leaves<To>(out, next);
  }
};
// Replaces the Arrays of `out`, in order, by the results of next().
template <class To, class Out, class Next>
To replace_leaves(const Out& out, Next& next) {
  if constexpr (std::same_as<Out, Array>) {
    return next();
  } else if constexpr (std::same_as<To, Out> && (is_static<Out> || is_empty<Out>)) {
    return out;
  } else {
    ReplaceLeaves<Next> elements{next};
    return with_elements<To>(out, elements);
  }
}

}  // namespace weft::tree::detail

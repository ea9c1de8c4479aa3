// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/detail/replace.h: trees whose Arrays are replaced by values of another type.
#pragma once
#include "weft/tree.h"

namespace weft::detail {

// True if the tree contains structs, whose fields cannot change their type.
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

// The type Out with each Array replaced by an In.
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

// Replaces the Arrays of `out`, in order, by the results of next().
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

}  // namespace weft::detail

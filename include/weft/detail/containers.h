// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/detail/containers.h: the standard containers that trees consist of, and containers
// of the same kind with other elements. No other file enumerates these types.
#pragma once
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft::tree::detail {

// A tuple has a fixed number of elements, each of its own type; std::pair and std::array are tuples
// too. A map has keys of std::string.
enum class Kind { other, tuple, list, map, optional };

template <class... T>
struct Elements {
  // True if P<T>::value is true for one of the elements.
  template <template <class> class P>
  static constexpr bool any = (P<T>::value || ...);
};
// The kind of a type, and for containers the type `with<F, A...>`: the same container with the
// elements F<T, A...>::type. Containers with one type of elements name it `element`.
template <class T>
struct Container {
  static constexpr Kind kind = Kind::other;
};
template <class... T>
struct Container<std::tuple<T...>> : Elements<T...> {
  static constexpr Kind kind = Kind::tuple;
  template <template <class...> class F, class... A>
  using with = std::tuple<typename F<T, A...>::type...>;
};
template <class T, class U>
struct Container<std::pair<T, U>> : Elements<T, U> {
  static constexpr Kind kind = Kind::tuple;
  template <template <class...> class F, class... A>
  using with = std::pair<typename F<T, A...>::type, typename F<U, A...>::type>;
};
template <class T, size_t N>
struct Container<std::array<T, N>> : Elements<T> {
  static constexpr Kind kind = Kind::tuple;
  template <template <class...> class F, class... A>
  using with = std::array<typename F<T, A...>::type, N>;
};
template <class T>
struct Container<std::vector<T>> : Elements<T> {
  static constexpr Kind kind = Kind::list;
  using element = T;
  template <template <class...> class F, class... A>
  using with = std::vector<typename F<T, A...>::type>;
};
template <class T>
struct Container<std::map<std::string, T>> : Elements<T> {
  static constexpr Kind kind = Kind::map;
  using element = T;
  template <template <class...> class F, class... A>
  using with = std::map<std::string, typename F<T, A...>::type>;
};
template <class T>
struct Container<std::optional<T>> : Elements<T> {
  static constexpr Kind kind = Kind::optional;
  using element = T;
  template <template <class...> class F, class... A>
  using with = std::optional<typename F<T, A...>::type>;
};

template <class T>
inline constexpr Kind kind_of = Container<T>::kind;
template <class T>
inline constexpr bool is_container = kind_of<T> != Kind::other;
template <class T>
inline constexpr bool is_tuple = kind_of<T> == Kind::tuple;
template <class T>
inline constexpr bool is_list = kind_of<T> == Kind::list;
template <class T>
inline constexpr bool is_map = kind_of<T> == Kind::map;
template <class T>
inline constexpr bool is_optional = kind_of<T> == Kind::optional;

// A To with the elements make.to<E>(e): e is an element of x, from left to right, and E is the type
// of that element in To. x is a container of the kind of To.
template <class To, class From, class F>
To with_elements(From& x, F& make) {
  if constexpr (is_tuple<To>) {
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return To{make.template to<std::tuple_element_t<I, To>>(std::get<I>(x))...};
    }(std::make_index_sequence<std::tuple_size_v<To>>{});
  } else {
    using E = typename Container<To>::element;
    To r;
    if constexpr (is_list<To>) {
      r.reserve(x.size());
      // The cast makes bools of the proxies in std::vector<bool>.
      for (auto&& e : x)
        r.push_back(make.template to<E>(static_cast<const typename From::value_type&>(e)));
    } else if constexpr (is_map<To>) {
      for (auto& [k, e] : x) r.emplace(k, make.template to<E>(e));
    } else {
      if (x) r.emplace(make.template to<E>(*x));
    }
    return r;
  }
}

}  // namespace weft::tree::detail

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/detail/tree_walk.h: visits the Arrays of a tree, and describes the tree without its
// C++ types.
#pragma once
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/detail/tree_types.h"

namespace weft::tree::detail {

// ---- walking

// Visits the contents of x from left to right. It calls v.leaf(Array), v.value(static) and
// v.callable(f). It calls v.count(n) before the elements of containers, and v.key(string) before an
// entry of a map.
template <class T, class V>
void walk(T& x, V& v);
template <class T, class V, size_t... I>
void walk_each(T& x, V& v, std::index_sequence<I...>) {
  (walk(std::get<I>(x), v), ...);
}
template <class T, class V>
void walk(T& x, V& v) {
  using U = std::remove_const_t<T>;
  if constexpr (std::same_as<U, Array>) {
    v.leaf(x);
  } else if constexpr (is_empty<U>) {
  } else if constexpr (is_static<U>) {
    v.value(x);
  } else if constexpr (is_tuple<U>) {
    walk_each(x, v, std::make_index_sequence<std::tuple_size_v<U>>{});
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
    require_known<U>();
    if constexpr (is_callable<U>) v.callable(x);
  }
}

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

// The following templates depend only on the type of the tree. Otherwise copies in every function
// that is passed to a transform would dominate the time that compilers spend on optimization.

// A tree like `like` with these Arrays; there must be enough of them.
template <class T>
T rebuild(T like, const Array* leaves) {
  Assign v(leaves);
  walk(like, v);
  return like;
}
// x without its Arrays.
template <class T>
T structure_only(T x) {
  Clear v;
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

// The skeleton of x.
template <class T>
Skeleton skeleton(const T& x);
template <class T, size_t... I>
void add_skeletons(const T& x, std::vector<Skeleton>& to, std::index_sequence<I...>) {
  (to.push_back(skeleton(std::get<I>(x))), ...);
}
template <class T>
Skeleton skeleton(const T& x) {
  std::vector<Skeleton> children;
  if constexpr (std::same_as<T, Array>) {
    return {};
  } else if constexpr (is_empty<T>) {
    return parent_skeleton(Skeleton::empty, {});
  } else if constexpr (is_static<T>) {
    return value_skeleton(text_of_static(x));
  } else if constexpr (is_tuple<T>) {
    add_skeletons(x, children, std::make_index_sequence<std::tuple_size_v<T>>{});
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
                             field_names<T>(std::make_index_sequence<sizeof...(e)>{}));
    });
  } else {
    require_known<T>();
    return value_skeleton("callable");
  }
}

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

}  // namespace weft::tree::detail

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/tree.h: trees of arrays (pytrees): any nesting of Array, tuple, pair, std::array,
// vector, map by string, optional and structs. A field without Arrays is part of the tree's
// structure. A type that is not a tree, a static value or a callable does not compile anywhere.
#pragma once
#include <array>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "weft/array.h"
#include "weft/detail/tree_walk.h"

namespace weft::tree {

// Appends the Arrays of x.
template <class T>
void flatten(const T& x, Arrays& out) {
  detail::Collect v(&out);
  detail::walk(x, v);
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
  detail::walk(x, v);
  return v.n;
}

// A tree without its Arrays: type, sizes, keys, static values. Structures of different types can be
// compared.
template <class T>
class Structure {
 public:
  explicit Structure(const T& x)
      : prototype_(detail::structure_only(x)),
        text_(detail::to_string(detail::skeleton(x))),
        leaves_(tree::count(x)) {}
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
  return detail::rebuild(s.prototype(), leaves.data());
}
// The tree x with other Arrays.
template <class T>
T unflatten(const T& x, const Arrays& leaves, typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  if (leaves.size() != count(x)) detail::wrong_leaf_count(leaves.size(), count(x));
  return detail::rebuild(x, leaves.data());
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
  auto unravel = [like = detail::structure_only(x), types = std::move(r.types)](
                     const Array& v, typing::Location called = typing::Location::here()) {
    const ir::SourceScope back(called);
    return detail::rebuild(like, detail::unravel_leaves(v, types).data());
  };
  return std::pair<Array, decltype(unravel)>{std::move(r.vector), std::move(unravel)};
}

}  // namespace weft::tree

namespace weft {
namespace typing {
// T with Array in place of each number, also in tuples, pairs, std::array, vectors, maps and
// optionals, but not in structs. An init, an operand or a result of type T has this type.
template <class T>
using arrays_t = typename tree::detail::ArraysOf<std::remove_cvref_t<T>>::type;
// The type of an argument of type T for an `auto` parameter. Floating-point and complex numbers are
// Arrays, also in tuples, pairs, std::array, vectors, maps and optionals. The name of a function is
// a pointer, and a string literal is a std::string. Other types are unchanged.
template <class T>
using auto_t = typename tree::detail::AutoOf<std::remove_cvref_t<T>>::type;
}  // namespace typing
}  // namespace weft

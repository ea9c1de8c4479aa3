// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/tree/functions.h: functions of whole trees besides map, leaves and unflatten:
// reduce, all, paths, prefixes, transposed trees, stacks of trees.
#pragma once
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weft/tree.h"

namespace weft::tree {

// f(… f(f(init, a), b) …) over the Arrays a, b, … of x from left to right. init and the results of
// f have one type, an Array or any other. Source: jax.tree.reduce.
template <class F, class T, class A>
  requires(!std::same_as<A, typing::Location>)
typing::arrays_t<A> reduce(F f, const T& x, const A& init) {
  typing::arrays_t<A> r = detail::convert<typing::arrays_t<A>>(init);
  for (const Array& leaf : leaves(x)) r = detail::convert<typing::arrays_t<A>>(f(r, leaf));
  return r;
}
namespace detail {
// True if every number and Array is true.
struct AllTrue : IgnoreRest {
  bool all = true;
  void leaf(const Array& x) { all = all && static_cast<bool>(x); }
  template <class S>
  void value(const S& s) {
    if constexpr (std::is_arithmetic_v<S> || ir::ComplexNumber<S>) all = all && s != S(0);
  }
};
// The path of child i of s, given the path of s; defined in tree.cpp.
std::string child_path(const Skeleton& s, size_t i, const std::string& at);
// The path of the first difference between two trees, and their nodes there.
struct Difference {
  std::string path;
  const Skeleton *a, *b;
};
std::optional<Difference> first_difference(const Skeleton& a, const Skeleton& b,
                                           const std::string& root);
[[noreturn]] void no_leaves(const char* who);
std::vector<std::pair<std::string, Array>> named_leaves(const std::vector<std::string>& names,
                                                        const Arrays& values);
// Leaf i of full gets prefix leaf number r[i]; ShapeError if prefix is not a prefix of full.
std::vector<size_t> prefix_leaves(const Skeleton& prefix, const Skeleton& full);
void check_transposed(const Skeleton& outer, const Skeleton& inner, const Skeleton& got);
// trees: the leaves of each tree. Arrays of one shape and dtype are joined along a new leading
// axis.
Arrays stack_leaves(const std::vector<Arrays>& trees, const std::vector<std::string>& paths);
std::vector<Arrays> unstack_leaves(const Arrays& x, const std::vector<std::string>& paths);
}  // namespace detail

// The same without init, beginning with the first Array; ShapeError for a tree without Arrays.
// Source: jax.tree.reduce.
template <class F, class T>
Array reduce(F f, const T& x, typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  const Arrays all = leaves(x);
  if (all.empty()) detail::no_leaves("tree::reduce");
  Array r = all[0];
  for (size_t i = 1; i < all.size(); ++i) r = Array(f(r, all[i]));
  return r;
}

// Returns true if every Array, number and bool in x is true. Each Array must have one element with
// a known value. Source: jax.tree.all.
template <class T>
bool all(const T& x, typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  detail::AllTrue v;
  detail::walk(x, v);
  return v.all;
}

// The Arrays of x with their paths, "layers[0].w", from left to right.
// Source: jax.tree.leaves_with_path.
template <class T>
std::vector<std::pair<std::string, Array>> leaves_with_path(const T& x) {
  return detail::named_leaves(detail::paths(detail::skeleton(x), ""), leaves(x));
}

namespace detail {
template <class F, class T, class... U>
T mapped_with_path(typing::Location at, F& f, const T& x, const U&... rest) {
  const std::vector<std::string> names = paths(skeleton(x), "");
  size_t i = 0;
  auto named = [&](const auto&... leaf) { return Array(f(names[i++], leaf...)); };
  return mapped("tree::map_with_path", at, named, x, rest...);
}
}  // namespace detail

// Applies f(path, a, b…) to the corresponding Arrays of trees with the same structure (ShapeError).
// Paths are those of leaves_with_path. Returns the tree of the results. Source:
// jax.tree.map_with_path.
template <class F, class T, class... U>
T map_with_path(F f, const T& x, const U&... rest) {
  return detail::mapped_with_path({}, f, x, rest...);
}
// This overload captures the line of the call.
template <class F, class T, class U>
  requires(!std::same_as<U, typing::Location>)
T map_with_path(F f, const T& x, const U& y, typing::Location at = typing::Location::here()) {
  return detail::mapped_with_path(at, f, x, y);
}

// Returns a tree like full with the Arrays of prefix. prefix has the structure of full, except that
// one Array may replace a whole subtree. That Array is repeated for all Arrays of the subtree.
// ShapeError "prefix" if the structures do not match. Source: jax.tree.broadcast.
template <class P, class T>
T broadcast(const P& prefix, const T& full, typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  const Arrays from = leaves(prefix);
  Arrays out;
  for (size_t i : detail::prefix_leaves(detail::skeleton(prefix), detail::skeleton(full)))
    out.push_back(from[i]);
  return detail::rebuild(full, out.data());
}

// x has the structure of outer, with each Array replaced by a tree like inner. The result is a tree
// like inner of trees like outer. inner may not contain a struct, whose fields cannot become trees.
// ShapeError "Mismatch" if x has another structure. Source: jax.tree.transpose.
//     tree::transpose(tree::structure(std::vector<Array>(3)),
//                     tree::structure(std::pair<Array, Array>()),
//                     std::vector<std::pair<Array, Array>>(3))  // a pair of vectors
template <class O, class I, class T>
auto transpose(const Structure<O>& outer, const Structure<I>& inner, const T& x,
               typing::Location at = typing::Location::here()) {
  static_assert(!detail::has_struct<I>,
                "weft::tree::transpose: the inner tree holds a struct, whose fields cannot become "
                "trees; use a tuple or a map");
  const ir::SourceScope source(at);
  detail::check_transposed(detail::skeleton(outer.prototype()), detail::skeleton(inner.prototype()),
                           detail::skeleton(x));
  const Arrays from = leaves(x);
  const size_t n = inner.leaves();
  size_t k = 0;
  auto next = [&] {
    Arrays column;
    for (size_t i = k; i < from.size(); i += n) column.push_back(from[i]);
    ++k;
    return detail::rebuild(outer.prototype(), column.data());
  };
  return detail::replace_leaves<typename detail::Replaced<I, O>::type>(inner.prototype(), next);
}

// Joins trees of one structure to one tree whose Arrays, [n, shape…], contain those of all n trees,
// for example for vmap over models. ShapeError for no trees, different structures or different
// shapes; DTypeError for different dtypes. Source: torch.func.stack_module_state.
template <class T>
T stack(const std::vector<T>& trees, typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  if (trees.empty()) detail::no_leaves("tree::stack");
  const detail::Skeleton first = detail::skeleton(trees[0]);
  std::vector<Arrays> all;
  for (const T& t : trees) {
    const detail::Skeleton s = detail::skeleton(t);
    detail::require_structure("tree::stack", first, s);
    all.push_back(leaves(t));
  }
  return detail::rebuild(trees[0], detail::stack_leaves(all, detail::paths(first, "")).data());
}
template <class T>
T stack(std::initializer_list<T> trees, typing::Location at = typing::Location::here()) {
  return stack(std::vector<T>(trees), at);
}
// The inverse of stack: one tree for each row of the Arrays, whose leading sizes must be equal
// (ShapeError).
template <class T>
std::vector<T> unstack(const T& x, typing::Location at = typing::Location::here()) {
  const ir::SourceScope source(at);
  const Arrays from = leaves(x);
  if (from.empty()) detail::no_leaves("tree::unstack");
  std::vector<T> r;
  for (const Arrays& row : detail::unstack_leaves(from, detail::paths(detail::skeleton(x), "")))
    r.push_back(detail::rebuild(x, row.data()));
  return r;
}

}  // namespace weft::tree

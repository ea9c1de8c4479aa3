// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/trees/print.h: how values are shown: arrays, shapes, dtypes, types, trees and their
// structures.
#pragma once
#include <iosfwd>
#include <string>
#include <string_view>

#include "weft/tracer/tree.h"

namespace weft {

namespace detail {
std::ostream& write(std::ostream& o, std::string_view text);
// The tree of that skeleton with these Arrays in it.
std::string tree_text(const tree::Skeleton& s, const Arrays& leaves);
// That with what `leaf` says for each Array.
std::string tree_text(const tree::Skeleton& s, ir::FunctionRef<std::string()> leaf);
// Trees that are no Arrays themselves: tuples, lists, maps, optionals and structs that hold one.
template <class T>
concept PrintedTree = !std::same_as<T, Array> && !std::same_as<T, typing::Arg> &&
                      !std::convertible_to<const T&, typing::Arg> &&
                      (tree::is_tuple<T> || tree::is_list<T> || tree::is_map<T> ||
                       tree::is_optional<T> || tree::is_struct<T>) &&
                      tree::detail::holds_array<T>;
}  // namespace detail

// x as NumPy's repr: "array([1., 2.], dtype=float32)"; a traced one by its type. Waits for the
// value. Source: numpy.array_repr.
std::string to_string(const Array& x);
// As NumPy names it: "float32", "bool", "complex64"; of keys "key".
std::string to_string(DType d);
// A tree with its Arrays: "(array(1., dtype=float32), {w: array([2], dtype=int32)})"; an empty
// optional is none.
template <detail::PrintedTree T>
std::string to_string(const T& x) {
  return detail::tree_text(tree::skeleton(x), tree::leaves(x));
}
// A structure, with * for each Array: "(*, {w: *, n: 3})".
template <class T>
std::string to_string(const tree::Structure<T>& s) {
  return s.text();
}

// What to_string says of it, on a stream.
inline std::ostream& operator<<(std::ostream& o, const Shape& s) {
  return detail::write(o, to_string(s));
}
inline std::ostream& operator<<(std::ostream& o, DType d) { return detail::write(o, to_string(d)); }
template <detail::PrintedTree T>
std::ostream& operator<<(std::ostream& o, const T& x) {
  return detail::write(o, to_string(x));
}
namespace typing {
// What to_string says of it, on a stream.
inline std::ostream& operator<<(std::ostream& o, const Type& t) {
  return detail::write(o, to_string(t));
}
// Results that are structs print without `using namespace weft`, too.
using weft::to_string;
using weft::operator<<;
}  // namespace typing

}  // namespace weft

namespace weft::tree {
// The text of a structure, on a stream.
template <class T>
std::ostream& operator<<(std::ostream& o, const Structure<T>& s) {
  return weft::detail::write(o, s.text());
}
}  // namespace weft::tree

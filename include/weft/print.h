// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/print.h: prints arrays, shapes, dtypes, types, trees and their structures.
#pragma once
#include <iosfwd>
#include <string>
#include <string_view>

#include "weft/tree.h"

namespace weft {

namespace detail {
std::ostream& write(std::ostream& o, std::string_view text);
// The text of the tree with that skeleton and these Arrays.
std::string tree_text(const tree::detail::Skeleton& s, const Arrays& leaves);
// The text of the tree, with the result of `leaf` for each Array.
std::string tree_text(const tree::detail::Skeleton& s, ir::FunctionRef<std::string()> leaf);
// Trees that are not Arrays: tuples, lists, maps, optionals and structs that contain one.
template <class T>
concept PrintedTree =
    !std::same_as<T, Array> && !std::same_as<T, typing::Arg> &&
    !std::convertible_to<const T&, typing::Arg> &&
    (tree::detail::is_tuple<T> || tree::detail::is_list<T> || tree::detail::is_map<T> ||
     tree::detail::is_optional<T> || tree::detail::is_struct<T>) &&
    tree::detail::holds_array<T>;
}  // namespace detail

// x as NumPy's repr: "array([1., 2.], dtype=float32)"; for a traced value, its type. Waits for the
// value. Source: numpy.array_repr.
std::string to_string(const Array& x);
// NumPy's name: "float32", "bool", "complex64"; "key" for keys.
std::string to_string(DType d);
// A tree with its Arrays: "(array(1., dtype=float32), {w: array([2], dtype=int32)})"; an empty
// optional is printed as none.
template <detail::PrintedTree T>
std::string to_string(const T& x) {
  return detail::tree_text(tree::detail::skeleton(x), tree::leaves(x));
}
// A structure, with * for each Array: "(*, {w: *, n: 3})".
template <class T>
std::string to_string(const tree::Structure<T>& s) {
  return s.text();
}

// Writes to_string of the value to a stream.
inline std::ostream& operator<<(std::ostream& o, const Shape& s) {
  return detail::write(o, to_string(s));
}
inline std::ostream& operator<<(std::ostream& o, DType d) { return detail::write(o, to_string(d)); }
template <detail::PrintedTree T>
std::ostream& operator<<(std::ostream& o, const T& x) {
  return detail::write(o, to_string(x));
}
namespace typing {
// Writes to_string of the value to a stream.
inline std::ostream& operator<<(std::ostream& o, const Type& t) {
  return detail::write(o, to_string(t));
}
// Results that are structs can be printed without `using namespace weft`, too.
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

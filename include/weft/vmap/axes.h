// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/vmap/axes.h: Axes: the mapped axis of each argument or result, as a prefix of its
// tree.
#pragma once
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "weft/detail/ref.h"
#include "weft/tree.h"

namespace weft {

namespace typing {
struct AxisEntry;
}  // namespace typing

// 0, -1, none, {0, none}, {0, {1, none}}, {{"w", 0}, {"b", none}}. There is one entry per argument.
// A struct's entries are in the order of its fields, or have their names. {} means 0.
struct Axes {
  enum Kind { None, Int, Tuple, Map };
  Kind kind = Int;
  int64_t axis = 0;
  std::vector<Axes> children;
  std::vector<std::string> keys;

  Axes() = default;
  Axes(none_t) : kind(None) {}
  Axes(std::nullopt_t) : kind(None) {}
  template <std::same_as<std::nullptr_t> N>
  Axes(N) {
    static_assert(!std::same_as<N, std::nullptr_t>, "weft: what is not mapped is `none`");
  }
  template <ir::Integer I>
  Axes(I i) : axis(static_cast<int64_t>(i)) {}
  Axes(std::initializer_list<Axes> l);
  Axes(std::initializer_list<typing::AxisEntry> l);
  explicit Axes(std::vector<Axes> l);
  // Defined in the library: compiling these copies in each program would take most of the time for
  // including this file.
  Axes(const Axes&);
  Axes(Axes&&) noexcept;
  Axes& operator=(const Axes&);
  Axes& operator=(Axes&&) noexcept;
  ~Axes();
};

namespace typing {
// The name of a field or key. It does not accept everything that converts to a string, so that {0,
// 1} is never a key.
struct AxisKey {
  std::string name;
  template <size_t N>
  AxisKey(const char (&s)[N]) : name(s) {}
  template <std::same_as<std::string> S>
  AxisKey(S s) : name(std::move(s)) {}
};
// The axes of one field of a struct or entry of a map, by its name: {"w", 0}.
struct AxisEntry {
  AxisKey key;
  Axes axes;
};
}  // namespace typing

std::string to_string(const Axes& a);  // "(0, none, {w: 1})"

namespace detail {

// One axis per leaf, as written. BatchingError if the axes are not a prefix of the tree.
using RawAxes = std::vector<std::optional<int64_t>>;
RawAxes match_in_axes(const Axes& a, const tree::detail::Skeleton& args);
RawAxes match_out_axes(const Axes& a, const tree::detail::Skeleton& result);

// to_string, in which `leaf` gives the text of an int.
std::string text_of(const Axes& a, ir::FunctionRef<std::string(int64_t)> leaf);

// The names that messages use for a specification that is a prefix of a tree.
struct PrefixName {
  const char* caller;     // "vmap"
  const char* parameter;  // "in_axes"
  const char* entries;    // "axes"
  ir::FunctionRef<std::string()> text;
};
// The same for any specification: the ints of `a` may be indices into a list of other values. For a
// single Array, {0} is equivalent to 0.
RawAxes match_prefix(const Axes& a, const tree::detail::Skeleton& tree, const char* root,
                     const PrefixName& name);

// The axes made non-negative, and the common size of the mapped axes.
struct MappedArguments {
  std::vector<std::optional<int>> axis;
  int64_t size = 0;
};
// Calls `args` only if the axes are a tree, or for a message.
MappedArguments map_arguments(const Axes& in, const Arrays& x, std::optional<int64_t> axis_size,
                              ir::FunctionRef<tree::detail::Skeleton()> args);

}  // namespace detail
}  // namespace weft

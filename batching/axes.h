// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// batching/axes.h: Axes: which axis of each argument or result is mapped, as a prefix of its tree.
#pragma once
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "weft/core/ref.h"
#include "weft/tracer/tree.h"

namespace weft {

namespace typing {
struct AxisEntry;
}  // namespace typing

// 0, -1, none, {0, none}, {0, {1, none}}, {{"w", 0}, {"b", none}}. One entry an argument; a
// struct's entries in the order of its fields or by their names. {} means 0.
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
  // Not in each program: what this copies is the most part of including this file.
  Axes(const Axes&);
  Axes(Axes&&) noexcept;
  Axes& operator=(const Axes&);
  Axes& operator=(Axes&&) noexcept;
  ~Axes();
};

namespace typing {
// The name of a field or key. Not any string-like thing, so that {0, 1} is never a key.
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

// An axis a leaf, as written. BatchingError if the axes are no prefix of the tree.
using RawAxes = std::vector<std::optional<int64_t>>;
RawAxes match_in_axes(const Axes& a, const tree::Skeleton& args);
RawAxes match_out_axes(const Axes& a, const tree::Skeleton& result);

// to_string, where leaf says what an int stands for.
std::string text_of(const Axes& a, ir::FunctionRef<std::string(int64_t)> leaf);

// What messages call a specification that is a prefix of a tree.
struct PrefixName {
  const char* caller;     // "vmap"
  const char* parameter;  // "in_axes"
  const char* entries;    // "axes"
  ir::FunctionRef<std::string()> text;
};
// The same of any specification: the ints of `a` may be places in a list of other things. {0} is
// also a way to write 0 of one Array.
RawAxes match_prefix(const Axes& a, const tree::Skeleton& tree, const char* root,
                     const PrefixName& name);

// The axes made non-negative, and the common size of what is mapped.
struct MappedArguments {
  std::vector<std::optional<int>> axis;
  int64_t size = 0;
};
// Asks for `args` only where the axes are a tree, or for a message.
MappedArguments map_arguments(const Axes& in, const Arrays& x, std::optional<int64_t> axis_size,
                              ir::FunctionRef<tree::Skeleton()> args);

}  // namespace detail
}  // namespace weft

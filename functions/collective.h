// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/collective.h: what lanes of a named map tell each other: psum, all_gather, axis_index,
// ….
#pragma once
#include <string>
#include <vector>

#include "weft/tracer/tree.h"

namespace weft {

// One name of a mapped axis, or several: "i", {"i", "j"}.
class AxisNames {
 public:
  template <size_t N>
  AxisNames(const char (&name)[N]) : names_{name} {}
  AxisNames(std::string name) : names_{std::move(name)} {}
  AxisNames(std::initializer_list<const char*> names) : names_(names.begin(), names.end()) {}
  AxisNames(std::vector<std::string> names) : names_(std::move(names)) {}
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
};

struct GatherOptions {
  int64_t axis = 0;    // of the result, where the lanes stand
  bool tiled = false;  // joined along an axis of x instead of a new one
};

namespace detail {
enum class Across { sum, mean, max, min };
Array across(Across what, const Array& x, const AxisNames& names, Location at);
Array gather_lanes(const Array& x, const AxisNames& names, const GatherOptions& o, Location at);
template <class T, class F>
arrays_t<T> each_leaf(const T& x, F f) {
  return tree::map(f, tree::convert<arrays_t<T>>(x));
}
}  // namespace detail

// Over all lanes of vmap(f, …, {.axis_name = "i"}), on each Array of a tree. The result is the same
// in every lane.
template <class T>
arrays_t<T> psum(const T& x, const AxisNames& names, Location at = Location::here()) {
  return detail::each_leaf(
      x, [&](const Array& a) { return detail::across(detail::Across::sum, a, names, at); });
}
template <class T>
arrays_t<T> pmean(const T& x, const AxisNames& names, Location at = Location::here()) {
  return detail::each_leaf(
      x, [&](const Array& a) { return detail::across(detail::Across::mean, a, names, at); });
}
template <class T>
arrays_t<T> pmax(const T& x, const AxisNames& names, Location at = Location::here()) {
  return detail::each_leaf(
      x, [&](const Array& a) { return detail::across(detail::Across::max, a, names, at); });
}
template <class T>
arrays_t<T> pmin(const T& x, const AxisNames& names, Location at = Location::here()) {
  return detail::each_leaf(
      x, [&](const Array& a) { return detail::across(detail::Across::min, a, names, at); });
}
// The values of all lanes along an axis.
template <class T>
arrays_t<T> all_gather(const T& x, const AxisNames& names, const GatherOptions& o = {},
                       Location at = Location::here()) {
  return detail::each_leaf(x,
                           [&](const Array& a) { return detail::gather_lanes(a, names, o, at); });
}
// The number of this lane; of several axes the last counts fastest.
Array axis_index(const AxisNames& names, Location at = Location::here());
// The number of lanes.
int64_t axis_size(const AxisNames& names, Location at = Location::here());

}  // namespace weft

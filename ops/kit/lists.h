// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/kit/lists.h: lists of operands and results: sublists, and selection by flags.
#pragma once
#include <algorithm>
#include <type_traits>
#include <vector>

#include "core/op.h"
#include "ops/kit/axes.h"
#include "tracer/types_of.h"

namespace weft {

template <class T>
std::vector<T> sublist(const std::vector<T>& v, size_t from, size_t n) {
  return std::vector<T>(v.begin() + static_cast<std::ptrdiff_t>(from),
                        v.begin() + static_cast<std::ptrdiff_t>(from + n));
}
template <class T>
std::vector<T> drop_first(const std::vector<T>& v, size_t from) {
  return sublist(v, from, v.size() - from);
}
template <class T>
void append(std::vector<T>& a, const std::vector<T>& b) {
  a.insert(a.end(), b.begin(), b.end());
}
template <class T>
std::vector<T> concat_lists(std::vector<T> a, const std::vector<T>& b) {
  append(a, b);
  return a;
}

// Returns f(x[i]…) for each i.
template <class F, class... T>
auto map_list(const F& f, const std::vector<T>&... x) {
  const size_t n = std::max({x.size()...});
  if (((x.size() != n) || ...)) throw InternalError("lists of different lengths side by side");
  std::vector<std::decay_t<decltype(f(x[0]...))>> r;
  for (size_t i = 0; i < n; ++i) r.push_back(f(x[i]...));
  return r;
}
// Returns the values whose flag equals `want`.
template <class T>
std::vector<T> filter_list(const std::vector<T>& x, const std::vector<bool>& flag,
                           bool want = true) {
  std::vector<T> r;
  for (size_t i = 0; i < x.size(); ++i)
    if (flag[i] == want) r.push_back(x[i]);
  return r;
}
// Takes the next value of `on` where the flag is set, and the next value of `off` elsewhere.
inline Arrays merge_lists(const std::vector<bool>& flag, const Arrays& on, const Arrays& off) {
  size_t next[2] = {0, 0};
  return map_list([&](bool f) { return (f ? on : off)[next[f]++]; }, flag);
}
// Places the values where the flag is set, and empty handles (zeros) elsewhere.
inline Arrays scatter_list(const Arrays& x, const std::vector<bool>& flag) {
  return merge_lists(flag, x, Arrays(flag.size()));
}
// stacked: the type of n stacked values. row_type: the type of one of them.
inline Type stacked(const Type& t, int64_t n) { return t.with_shape(t.shape().inserted(0, n)); }
inline Type row_type(const Type& t) { return t.with_shape(t.shape().erased(0)); }
inline Types strong(const Types& ts) {
  return map_list([](const Type& t) { return t.strong(); }, ts);
}
// Returns true for each array that is not an empty handle.
inline std::vector<bool> is_nonzero(const Arrays& x) {
  return map_list([](const Array& a) { return !a.empty_handle(); }, x);
}

inline std::vector<bool> mapped(const MaybeAxes& axes) {
  return map_list([](const MaybeAxis& a) { return a.has_value(); }, axes);
}

}  // namespace weft

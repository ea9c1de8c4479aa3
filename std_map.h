// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// std_map.h: what clang says of weft::map beside `using namespace std`.
//
// Clang says that the name is ambiguous, then reads it as std::map, and lists in 70 lines the
// constructors that do not take a function and rows. This guide leads to one that does, so no more
// is said. It is taken for nothing else: no constructor of std::map takes a function and its
// argument (docs/decisions/0048). Where std::map alone is meant by the name, the constructor that
// is nowhere defined says so.
#pragma once
#ifdef __clang__
#include <concepts>
#include <map>
#ifdef __GLIBCXX__  // another library may keep its map in a namespace inside

namespace weft::detail {
struct ThisIsStdMapWriteWeftMap {};
}  // namespace weft::detail

template <>
class std::map<weft::detail::ThisIsStdMapWriteWeftMap, weft::detail::ThisIsStdMapWriteWeftMap> {
 public:
  template <class F, class X>
  [[gnu::error("this is std::map: write weft::map(f, xs)")]] map(const F&, const X&);
  template <class T>
  operator T() const;
};
namespace std {
template <class F, class X>
  requires invocable<F&, const X&>
map(F, X) -> map<weft::detail::ThisIsStdMapWriteWeftMap, weft::detail::ThisIsStdMapWriteWeftMap>;
}  // namespace std
#endif
#endif

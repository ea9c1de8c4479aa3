// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/detail/std_map.h: improves clang's error for weft::map combined with `using
// namespace std`.
//
// Clang reports that the name is ambiguous, then resolves it to std::map. It lists in 70 lines the
// constructors, none of which accepts a function and rows. This deduction guide selects a
// constructor that accepts them, so clang reports nothing more. It matches nothing else: no
// constructor of std::map accepts a function and its argument (docs/decisions/0048). If only
// std::map is visible under the name, the undefined constructor reports the error.
#pragma once
#ifdef __clang__
#include <concepts>
#include <map>
#ifdef __GLIBCXX__  // other libraries may define map in an inner namespace

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

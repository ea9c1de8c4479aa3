// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/var_map.h: a table with one entry per variable of a program.
#pragma once
#include <cassert>
#include <vector>

#include "core/ir.h"
#include "weft/detail/jaxpr.h"

namespace weft {

// Maps each variable of a program to a T. The key is a variable's number, or an operand that is a
// variable. LLVM's IndexedMap is such a table.
template <class T>
class VarMap {
 public:
  VarMap() = default;
  explicit VarMap(const JaxprData& j, const T& value = T()) : values_(j.types.size(), value) {}

  decltype(auto) operator[](int32_t var) { return values_[var]; }
  decltype(auto) operator[](int32_t var) const { return values_[var]; }
  decltype(auto) operator[](Atom a) { return values_[variable(a)]; }
  decltype(auto) operator[](Atom a) const { return values_[variable(a)]; }
  // The entry of an operand, or `otherwise` if the operand is a literal.
  T get(Atom a, T otherwise) const { return a.is_literal() ? otherwise : values_[a.index]; }
  // Sets the entries of the results of an equation.
  void set_results(const Eqn& e, const T& value) {
    for (int32_t v = e.out; v < e.out + e.n_out; ++v) values_[v] = value;
  }

  int32_t size() const { return static_cast<int32_t>(values_.size()); }
  auto begin() { return values_.begin(); }
  auto end() { return values_.end(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  friend bool operator==(const VarMap&, const VarMap&) = default;

 private:
  static int32_t variable(Atom a) {
    assert(!a.is_literal());
    return a.index;
  }
  std::vector<T> values_;
};

}  // namespace weft

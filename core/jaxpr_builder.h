// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/jaxpr_builder.h: makes a program from inputs and equations of another one.
#pragma once
#include <cstdint>
#include <vector>

#include "core/var_map.h"

namespace weft {

// Appends inputs and equations to a new program, whose variables it numbers in this order. For each
// variable of the old program it knows the operand of the new program that replaces it. Both
// programs have the same literals.
class JaxprBuilder {
 public:
  // `from`, the old program, must outlive the builder.
  explicit JaxprBuilder(const JaxprData& from);
  void reserve(size_t equations) { made_->eqns.reserve(equations); }

  // Adds an input that replaces nothing.
  Atom add_input(const Type& t);
  // Adds an input or a constant that replaces a variable of the old program. Constants precede
  // inputs.
  void copy_input(int32_t old);
  void copy_constant(int32_t old);
  // Adds all constants and inputs of the old program.
  void copy_inputs();
  void replace(int32_t old, Atom by) { replaced_by_[old] = by; }
  // Replaces a variable by what replaces another atom of the old program.
  void replace_by_equal(Atom old, Atom other) { replaced_by_[old] = replacement(other); }
  // Returns true if a variable of the old program is replaced.
  bool is_replaced(int32_t old) const { return replaced_by_[old] != unknown; }

  // Appends an equation of the old program. Its results replace the old ones.
  Eqn& copy(const Eqn& e);
  // Appends an equation that reads the old program. Its results replace these variables of it.
  Eqn& add(Eqn e, const std::vector<Atom>& results);
  // The same for an equation that reads the new program.
  Eqn& append(Eqn e, const std::vector<Atom>& results);

  // The new program. Its results are what replaces these operands of the old program.
  Jaxpr finish(const std::vector<Atom>& out) { return intern(finish_uninterned(out)); }
  // The same without interning, for a program that is only analysed.
  Ref<JaxprData> finish_uninterned(const std::vector<Atom>& out);

 private:
  static constexpr Atom unknown{INT32_MIN};
  Atom replacement(Atom old) const { return old.is_literal() ? old : replaced_by_[old]; }
  int32_t next() const { return static_cast<int32_t>(made_->types.size()); }
  void define(int32_t old);

  const JaxprData& from_;
  Ref<JaxprData> made_ = make_ref<JaxprData>();
  VarMap<Atom> replaced_by_;
};

// The variables that an equation defines.
std::vector<Atom> results_of(const Eqn& e);

}  // namespace weft

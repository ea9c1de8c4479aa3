// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/combine.h: the operands of fold combiners, and the instruction that combines two
// results.
#pragma once
#include <cstddef>
#include <vector>

#include "core/loops/nest.h"

namespace weft::nest {

// The number of values in a term.
inline size_t values_of_term(Combine c) { return c == Combine::MulAdd ? 2 : 1; }
inline size_t values_of_term(const std::vector<Combine>& all) {
  size_t n = 0;
  for (const Combine c : all) n += values_of_term(c);
  return n;
}

// The combiner of the results of a fold.
inline Combine of_results(Combine c) { return c == Combine::MulAdd ? Combine::Add : c; }
inline std::vector<Combine> of_results(std::vector<Combine> all) {
  for (Combine& c : all) c = of_results(c);
  return all;
}

// Returns true if combining rounds. If it does not, the bits are the same in any order.
inline bool rounds(Combine c, Kind k) {
  const Combine r = of_results(c);
  return (k == Kind::F32 || k == Kind::F64) && (r == Combine::Add || r == Combine::Mul);
}

// The instruction that combines two results, for a combiner of single values.
inline Opcode opcode_of(Combine c) {
  static constexpr Opcode ops[] = {Opcode::Add,  Opcode::Mul,  Opcode::FMin, Opcode::FMax,
                                   Opcode::SMin, Opcode::SMax, Opcode::UMin, Opcode::UMax,
                                   Opcode::And,  Opcode::Or,   Opcode::Xor};
  return ops[static_cast<size_t>(of_results(c))];
}

// Returns true if the bits of a fold are the same in any order of its terms.
inline bool in_any_order(const Inst& fold) {
  for (size_t r = 0; r < fold.fold.size(); ++r)
    if (rounds(fold.fold[r], fold.kinds[r])) return false;
  return true;
}

}  // namespace weft::nest

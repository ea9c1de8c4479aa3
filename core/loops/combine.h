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

// The instruction that combines two results, for a combiner of single values.
inline Opcode opcode_of(Combine c) {
  static constexpr Opcode ops[] = {Opcode::Add,  Opcode::Mul,  Opcode::FMin, Opcode::FMax,
                                   Opcode::SMin, Opcode::SMax, Opcode::UMin, Opcode::UMax,
                                   Opcode::And,  Opcode::Or,   Opcode::Xor};
  return ops[static_cast<size_t>(of_results(c))];
}

}  // namespace weft::nest

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/combine.h: the instruction that combines two values as a fold does.
#pragma once
#include <cstddef>

#include "weft/core/loops/nest.h"

namespace weft::nest {

// Of a combiner of single values.
inline Opcode opcode_of(Combine c) {
  static constexpr Opcode ops[] = {Opcode::Add,  Opcode::Mul,  Opcode::FMin, Opcode::FMax,
                                   Opcode::SMin, Opcode::SMax, Opcode::UMin, Opcode::UMax,
                                   Opcode::And,  Opcode::Or,   Opcode::Xor};
  return ops[static_cast<size_t>(c)];
}

}  // namespace weft::nest

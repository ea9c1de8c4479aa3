// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/operations.h: the arithmetic of nests on LLVM values, scalars and vectors. It may touch
// the IrBuilder and the features of the machine, and knows no values of a nest. A new arithmetic
// opcode is added to arith() or convert(), a new storage type to memory_type() and its neighbours.
#pragma once
#include "core/loops/combine.h"
#include "core/loops/nest.h"
#include "jit/emit/ir_builder.h"

namespace weft::compiler {

// All operations are defined for all operands.
class Operations {
 public:
  struct Features {
    bool half = false;     // the machine converts 16-bit floats
    bool has_libm = true;  // kernels can call fmod
  };
  Operations(IrBuilder& b, const Features& features) : b_(b), features_(features) {}

  // Types of values, and of numbers in memory.
  llvm::Type* type(nest::Kind k) const;
  llvm::Type* memory_type(nest::Storage s) const;
  llvm::Type* memory_type(nest::Kind k) const;
  V from_memory(V x, nest::Storage s);
  V to_memory(V x, nest::Storage s);
  V mask_to_memory(V x, nest::Kind k);
  V mask_from_memory(V x, nest::Kind k);

  V arith(nest::Opcode op, nest::Kind k, llvm::ArrayRef<V> a);
  // Combines two (value, index) pairs: NaN wins over any number, then the better value, then the
  // lower index.
  void combine_pair(nest::Combine c, nest::Kind k, V& value, V& index, V value2, V index2);

 private:
  V shift(nest::Opcode op, V x, V count);
  V divide(nest::Opcode op, V a, V b);
  V quotient(nest::Opcode op, V a, V b);
  V float_extreme(bool maximum, V a, V b);
  V float_extreme_constant(bool maximum, V a, V b);
  V float_rem(V a, V b);
  llvm::Function* float_rem_function(llvm::Type* t);
  V mul_high(nest::Opcode op, V a, V b);
  V convert(nest::Opcode op, nest::Kind k, V x);
  V saturate(V x, llvm::Type* t, bool is_signed);
  V half_to_float(V bits);
  V float_to_half(V x);
  V bfloat_to_float(V bits);
  V float_to_bfloat(V x);

  IrBuilder& b_;
  Features features_;
};

}  // namespace weft::compiler

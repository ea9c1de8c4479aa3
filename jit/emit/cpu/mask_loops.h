// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/cpu/mask_loops.h: loops that combine arrays of masks (jit/schedule/mask_loops.h). It may
// touch the arrays of the points and the values of the loop. Another instruction on masks is a case
// of combined().
#pragma once
#include <map>

#include "jit/emit/cpu/cpu_emitter.h"

namespace weft::compiler {

// The masks of a vector of points are the bits of a number, and elements of an array follow one
// another. So the elements of several trips are one vector of numbers.
class MaskLoops : EmitterPart<CpuEmitter> {
 public:
  MaskLoops(CpuEmitter& e, nest::Id loop);

  void emit();

 private:
  void trips(V first, int n);
  V combined(const nest::Inst& i);
  V bits(nest::Id v);
  V repeated(V mask);
  V address(const nest::Inst& access);
  V load(const nest::Inst& i);
  V load_bools(V at, bool repeats);
  void store(const nest::Inst& i);
  llvm::Type* numbers() {
    return llvm::FixedVectorType::get(number(), static_cast<unsigned>(together_));
  }
  llvm::Type* number() { return b_.getIntNTy(static_cast<unsigned>(b_.vector_width)); }

  const nest::Inst& loop_;
  int together_ = 1;            // trips of the vector that is being written
  std::map<nest::Id, V> bits_;  // of the masks of these trips
};

}  // namespace weft::compiler

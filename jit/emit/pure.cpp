// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/pure.cpp: instructions that only compute, in the three forms of values.
#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "jit/emit/block_emitter.h"
#include "jit/schedule/nest_names.h"
#include "weft/error.h"

namespace weft::compiler {

void BlockEmitter::emit_pure(nest::Id v) {
  const Inst& i = k_.insts[v];
  const Variance& s = variance(v);
  if (i.op == Opcode::Const) {
    llvm::Constant* bits = llvm::ConstantInt::get(
        b_.getIntNTy(ops_.type(i.kind)->getScalarSizeInBits()), static_cast<uint64_t>(i.imm));
    return set(v, llvm::ConstantExpr::getBitCast(bits, ops_.type(i.kind)));
  }
  if (i.op == Opcode::Extent) return set(v, extents[i.imm]);
  if (i.op == Opcode::Index) {
    if (s.varying) return set_vectors(v, index_vectors[i.imm]);
    set_linear(v, indices[i.imm], s.uniform() ? nullptr : b_.i64(1));
    return;
  }
  if (s.linear()) return emit_linear(v);
  Vs a;
  if (!s.varying) {
    for (nest::Id arg : i.args) a.push_back(scalar(arg));
    return set(v, ops_.arith(i.op, i.kind, a));
  }
  Vs vectors;
  for (int p = 0; p < interleave; ++p) {
    a.clear();
    const bool narrow = i.op == Opcode::Narrow && variance(i.args[0]).linear();
    if (narrow) {
      vectors.push_back(linear_vec(value(i.args[0]), p, ops_.type(i.kind)));
      continue;
    }
    for (nest::Id arg : i.args) {
      const bool whole = a.empty() && i.op == Opcode::Select && variance(arg).uniform();
      a.push_back(whole ? scalar(arg) : vec(arg, p));
    }
    vectors.push_back(ops_.arith(i.op, i.kind, a));
  }
  set_vectors(v, std::move(vectors));
}

// The base follows the instruction, and the stride follows its effect on differences.
void BlockEmitter::emit_linear(nest::Id v) {
  const Inst& i = k_.insts[v];
  Vs a;
  for (nest::Id arg : i.args) a.push_back(scalar(arg));
  const V base = ops_.arith(i.op, i.kind, a);
  V stride = nullptr;
  switch (i.op) {
    case Opcode::Add: stride = b_.CreateAdd(stride_of(i.args[0]), stride_of(i.args[1])); break;
    case Opcode::Sub: stride = b_.CreateSub(stride_of(i.args[0]), stride_of(i.args[1])); break;
    case Opcode::Neg: stride = b_.CreateNeg(stride_of(i.args[0])); break;
    case Opcode::Mul:
      stride = variance(i.args[1]).uniform() ? b_.CreateMul(stride_of(i.args[0]), a[1])
                                             : b_.CreateMul(a[0], stride_of(i.args[1]));
      break;
    case Opcode::Shl: stride = b_.CreateShl(stride_of(i.args[0]), a[1]); break;
    case Opcode::Select: stride = stride_of(i.args[1]); break;
    default: throw InternalError("no linear form of this instruction");
  }
  if (variance(v).known) stride = b_.i64(variance(v).stride);
  set_linear(v, base, stride);
}

}  // namespace weft::compiler

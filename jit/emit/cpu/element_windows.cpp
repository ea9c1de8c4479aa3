// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/cpu/element_windows.cpp: loads at quotients and remainders of an index, such as those of
// repeated elements. The elements of a vector are few neighbours in memory, which one load reads
// and one instruction puts in place. A gather would access memory once per element.
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "jit/emit/cpu/cpu_emitter.h"
#include "jit/schedule/nest_names.h"

namespace weft::compiler {

namespace {

// Returns true if v is x, x + 1, ... divided by constants: each number is the one before or the
// next.
bool is_quotient(const Kernel& k, const Divergence& d, Id v) {
  const Inst& i = k.insts[v];
  if (i.op != Opcode::SDiv || i.kind != Kind::I64 || k.insts[i.args[1]].op != Opcode::Const)
    return false;
  const nest::Variance& s = d.variance[i.args[0]];
  return (!s.varying && s.known && s.stride == 1) || is_quotient(k, d, i.args[0]);
}

}  // namespace

// Only elements that some point reads are read: all remainders occur if there are no more than
// elements in a vector.
std::optional<ElementAccess::Window> ElementAccess::window(llvm::Type* t, Id offset, int vector) {
  const unsigned width = static_cast<unsigned>(b_.vector_width);
  const bool permutes = e_.mask_registers() && (width == 8 || width == 16);
  const bool fits = t->getScalarSizeInBits() <= 32 || width == 8;
  if (!permutes || !fits || !reads_together()) return {};
  Window w;
  Id v = offset;
  while (k_.insts[v].op == Opcode::Add) {
    const Inst& i = k_.insts[v];
    const int uniform = e_.variance(i.args[0]).uniform() ? 0 : 1;
    if (!e_.variance(i.args[uniform]).uniform()) return {};
    w.offsets.push_back(i.args[uniform]);
    v = i.args[1 - uniform];
  }
  const Inst& i = k_.insts[v];
  const bool quotient = is_quotient(k_, e_.divergence, v);
  if (!quotient) {
    if (i.op != Opcode::SRem || !e_.active.empty() || k_.insts[i.args[1]].op != Opcode::Const)
      return {};
    const Variance& s = e_.variance(i.args[0]);
    const int64_t divisor = k_.insts[i.args[1]].imm;
    if (s.varying || !s.known || s.stride != 1 || divisor < 1 || divisor > width) return {};
  }
  const auto n = e_.neighbours(v, vector);
  if (!e_.is_divided(v) || !n || !llvm::isa<llvm::FixedVectorType>(n->differences->getType()))
    return {};
  w.base = n->base;
  w.differences = n->differences;
  if (quotient) {
    V last = w.differences;
    if (!e_.active.empty())
      last =
          b_.CreateSelect(e_.active[vector], last, llvm::Constant::getNullValue(last->getType()));
    last = e_.active.empty() ? b_.CreateExtractElement(last, uint64_t{width - 1})
                             : b_.CreateIntMaxReduce(last, /*IsSigned=*/false);
    w.count = b_.CreateAdd(b_.CreateZExt(last, b_.getInt64Ty()), b_.i64(1));
  } else {
    w.count = b_.i64(k_.insts[i.args[1]].imm);
  }
  return w;
}

V ElementAccess::load_window(llvm::Type* t, V base, const Window& w) {
  for (Id v : w.offsets) base = b_.CreateGEP(t, base, e_.scalar(v));
  base = b_.CreateGEP(t, base, w.base);
  auto* type = b_.vector_of(t);
  const V x = b_.CreateMaskedLoad(type, base, b_.align_of(t), b_.prefix_mask(w.count),
                                  llvm::Constant::getNullValue(type));
  // Registers are permuted by elements of 32 or 64 bits.
  const unsigned bits = t->getScalarSizeInBits();
  auto* number = b_.getIntNTy(bits < 32 ? 32 : bits);
  const V numbers = bits < 32 ? b_.CreateZExt(b_.CreateBitCast(x, b_.vector_of(b_.getIntNTy(bits))),
                                              b_.vector_of(number))
                              : b_.CreateBitCast(x, b_.vector_of(number));
  const V at = b_.CreateZExtOrTrunc(w.differences, b_.vector_of(number));
  const auto id = b_.vector_width == 16         ? llvm::Intrinsic::x86_avx512_permvar_si_512
                  : number->getBitWidth() == 64 ? llvm::Intrinsic::x86_avx512_permvar_di_512
                                                : llvm::Intrinsic::x86_avx2_permd;
  const V placed = b_.call(id, {}, {numbers, at});
  return b_.CreateBitCast(
      bits < 32 ? b_.CreateTrunc(placed, b_.vector_of(b_.getIntNTy(bits))) : placed, type);
}

}  // namespace weft::compiler

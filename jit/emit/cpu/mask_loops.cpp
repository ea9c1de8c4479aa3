// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/cpu/mask_loops.cpp: logic on the bits of several trips.
#include "jit/emit/cpu/mask_loops.h"

#include "jit/schedule/loops.h"
#include "jit/schedule/nest_names.h"

namespace weft::compiler {

namespace {
constexpr int register_bits = 512;       // of targets with mask registers
constexpr int64_t most_written_out = 4;  // vectors without a loop
}  // namespace

MaskLoops::MaskLoops(CpuEmitter& e, Id loop) : EmitterPart(e), loop_(k_.insts[loop]) {}

// Whole registers, followed by shorter vectors of what remains.
void MaskLoops::emit() {
  int64_t at = k_.insts[loop_.args[0]].imm;
  const int64_t end = k_.insts[loop_.args[1]].imm;
  int n = register_bits / b_.vector_width;
  if (at < end)
    e_.stop_checks().emit(weight(k_, loop_.blocks[0]) * std::max<int64_t>((end - at) / n, 1));
  if ((end - at) / n > most_written_out) {
    const int64_t whole = end - (end - at) % n;
    b_.each("masks", b_.i64(at), b_.i64(whole), n, [&](V first) { trips(first, n); });
    at = whole;
  }
  for (; n >= 1; n /= 2)
    for (; end - at >= n; at += n) trips(b_.i64(at), n);
}

void MaskLoops::trips(V first, int n) {
  const nest::Block& body = k_.blocks[loop_.blocks[0]];
  together_ = n;
  bits_.clear();
  for (Id v : body.body) {
    const Inst& i = k_.insts[v];
    if (v == body.params[0])
      e_.set(v, first);
    else if (i.op == Opcode::LocalStore)
      store(i);
    else if (i.kind == Kind::Mask)
      bits_[v] = combined(i);
    else
      e_.emit_inst(v);
  }
}

V MaskLoops::combined(const Inst& i) {
  const auto arg = [&](size_t n) { return bits(i.args[n]); };
  switch (i.op) {
    case Opcode::Const: return repeated(b_.getInt1(i.imm != 0));
    case Opcode::And: return b_.CreateAnd(arg(0), arg(1));
    case Opcode::Or: return b_.CreateOr(arg(0), arg(1));
    case Opcode::Ne:
    case Opcode::Xor: return b_.CreateXor(arg(0), arg(1));
    case Opcode::Eq: return b_.CreateNot(b_.CreateXor(arg(0), arg(1)));
    case Opcode::Not: return b_.CreateNot(arg(0));
    case Opcode::Select:
      return b_.CreateOr(b_.CreateAnd(arg(0), arg(1)), b_.CreateAnd(b_.CreateNot(arg(0)), arg(2)));
    case Opcode::Load:
      return load_bools(b_.CreateGEP(b_.getInt8Ty(), e_.buffers[i.imm], e_.scalar(i.args[0])),
                        false);
    default: return load(i);
  }
}

// Returns the masks of a value for all trips of the vector.
V MaskLoops::bits(Id v) {
  if (const auto it = bits_.find(v); it != bits_.end()) return it->second;
  return repeated(e_.variance(v).varying ? e_.vec(v, 0) : e_.scalar(v));
}

V MaskLoops::repeated(V mask) {
  const V x = mask->getType()->isVectorTy() ? b_.CreateBitCast(mask, number())
                                            : b_.CreateSExt(mask, number());
  return b_.splat(x, together_);
}

V MaskLoops::address(const Inst& access) {
  const V at = e_.scalar(access.args[1]);
  const Id array = access.args[0];
  return e_.divergence.per_element[array] ? e_.local_arrays().element(array, at)
                                          : b_.CreateGEP(b_.getInt8Ty(), e_.array_of(array), at);
}

V MaskLoops::load(const Inst& i) {
  const auto by = stride_along(
      k_, i.args[1], {.index = k_.blocks[loop_.blocks[0]].params[0], .block = loop_.blocks[0]});
  const bool repeats = by == 0;
  if (!e_.divergence.per_element[i.args[0]]) return load_bools(address(i), repeats);
  if (repeats) return b_.splat(b_.CreateLoad(number(), address(i)), together_);
  return b_.CreateAlignedLoad(numbers(), address(i), b_.align_of(number()));
}

// Masks that all points share are bytes.
V MaskLoops::load_bools(V at, bool repeats) {
  if (repeats) {
    auto* byte = b_.getInt8Ty();
    return repeated(b_.CreateICmpNE(b_.CreateLoad(byte, at), llvm::ConstantInt::get(byte, 0)));
  }
  auto* t = llvm::FixedVectorType::get(b_.getInt8Ty(), static_cast<unsigned>(together_));
  const V x = b_.CreateAlignedLoad(t, at, b_.align_of(b_.getInt8Ty()));
  return b_.CreateSExt(b_.CreateICmpNE(x, llvm::Constant::getNullValue(t)), numbers());
}

void MaskLoops::store(const Inst& i) {
  const V at = address(i);
  V x = bits(i.args[2]);
  if (!e_.divergence.per_element[i.args[0]]) {
    const V one = b_.splat(b_.getInt8(1), together_);
    x = b_.CreateTrunc(x, one->getType());
    b_.CreateAlignedStore(b_.CreateAnd(x, one), at, b_.align_of(b_.getInt8Ty()));
    return;
  }
  if (!e_.local_arrays().stores_all(i.args[0])) {
    const V old = b_.CreateAlignedLoad(numbers(), at, b_.align_of(number()));
    const V active = repeated(e_.active[0]);
    x = b_.CreateOr(b_.CreateAnd(active, x), b_.CreateAnd(b_.CreateNot(active), old));
  }
  b_.CreateAlignedStore(x, at, b_.align_of(number()));
}

}  // namespace weft::compiler

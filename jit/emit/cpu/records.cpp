// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/cpu/records.cpp: moves the records of a vector of points.
#include "jit/emit/cpu/records.h"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "jit/emit/cpu/cpu_emitter.h"
#include "jit/schedule/nest_names.h"
#include "runtime/native/transpose.h"

namespace weft::compiler {

Records::Records(CpuEmitter& e) : EmitterPart(e) {}

void Records::find() {
  if (s_.records.empty()) return;
  for (auto& [first, r] : records_of(k_, e_.divergence)) {
    if (!s_.records.contains(first)) continue;
    for (const Record::Field& f : r.fields) record_of_[f.access] = first;
    records_.emplace(first, std::move(r));
  }
}

bool Records::moves(Id v) {
  const auto known = record_of_.find(v);
  if (known == record_of_.end() || !enabled) return false;
  const Record& r = records_.at(known->second);
  if (v == (r.stored ? r.fields.back().access : r.fields.front().access))
    for (int p = 0; p < e_.interleave; ++p) move_record(r, v, p);
  return true;
}

// Moves vector p between memory and the frame. The index of access `here` must be known.
void Records::move_record(const Record& r, Id here, int p) {
  const Inst& i = k_.insts[here];
  const bool local = i.op == Opcode::LocalLoad;
  auto* t = local ? ops_.memory_type(i.kind) : ops_.memory_type(k_.buffers[i.imm].storage);
  V& array = arrays_[r.fields.front().access];
  if (!array) array = b_.allocate(b_.vector_of(t), r.stride, "record");
  const auto place = [&](const Record::Field& f) {
    return b_.CreateConstGEP1_64(b_.vector_of(t), array, static_cast<unsigned>(f.element));
  };
  const auto mine = std::ranges::find(r.fields, here, &Record::Field::access);
  const V begin = local ? e_.array_of(i.args[0]) : e_.buffers[i.imm];
  const V start = b_.CreateGEP(t, begin, b_.i64(-mine->element));
  const V memory = b_.CreateGEP(t, start, e_.vector_base(e_.value(i.args[local ? 1 : 0]), p));
  V elements = b_.i64((b_.vector_width - 1) * r.stride + r.length());
  if (!e_.active.empty()) {  // the active points are the first ones
    const V bits = b_.CreateZExt(b_.CreateBitCast(e_.active[p], b_.getIntNTy(b_.vector_width)),
                                 b_.getInt64Ty());
    const V records = b_.call(llvm::Intrinsic::ctpop, {bits});
    const V some = b_.CreateAdd(b_.CreateMul(b_.CreateSub(records, b_.i64(1)), b_.i64(r.stride)),
                                b_.i64(r.length()));
    elements = b_.CreateSelect(b_.CreateICmpEQ(records, b_.i64(0)), b_.i64(0), some);
  }
  if (r.stored)
    for (const Record::Field& f : r.fields)
      b_.CreateStore(
          ops_.to_memory(e_.vec(k_.insts[f.access].args[1], p), k_.buffers[i.imm].storage),
          place(f));
  const bool streamed = !local && s_.streamed.contains(i.imm);
  b_.call(record_name(r.stored, record_bytes(k_, here), b_.vector_width, r.stride), b_.getVoidTy(),
          {r.stored ? memory : array, r.stored ? array : memory, elements, b_.i64(r.stride),
           b_.i32(streamed)});
  if (!r.stored)
    for (const Record::Field& f : r.fields)
      values_[{f.access, p}] = b_.CreateLoad(b_.vector_of(t), place(f));
}

}  // namespace weft::compiler

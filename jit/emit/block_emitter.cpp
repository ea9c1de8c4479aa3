// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/block_emitter.cpp: the instructions of blocks, and the memory of uniform values.
#include "jit/emit/block_emitter.h"

#include <algorithm>

#include "jit/emit/branches.h"
#include "jit/emit/folds.h"
#include "jit/emit/runs.h"
#include "jit/schedule/nest_names.h"

namespace weft::compiler {

BlockEmitter::BlockEmitter(const Kernel& kernel, const Schedule& schedule, llvm::Module& module,
                           const Machine& machine)
    : NestValues(kernel, module, machine.arrays, machine.has_vectors),
      s_(schedule),
      ops_(b_, machine.features),
      loops_(*this),
      stop_checks_(*this),
      mask_registers_(machine.mask_registers),
      arrays_(kernel.insts.size()) {}

void BlockEmitter::begin_function(llvm::FunctionType* type, const std::string& name) {
  b_.begin_function(type, name);
  divergence = divergence_by(s_, k_);
}

void BlockEmitter::emit_block(BlockId b) {
  for (Id v : k_.blocks[b].body) emit_inst(v);
}

void BlockEmitter::emit_inst(Id v) {
  switch (k_.insts[v].op) {
    case Opcode::Param:
    case Opcode::Result: return;
    case Opcode::Load: return load(v);
    case Opcode::Store: return store(v);
    case Opcode::Local: return local(v);
    case Opcode::LocalLoad: return local_load(v);
    case Opcode::LocalStore: return local_store(v);
    case Opcode::For: return loops_.emit_for(v);
    case Opcode::Fold: return fold(v);
    case Opcode::ForEach: return for_each(v);
    case Opcode::While: return loop_while(v);
    case Opcode::If: return Branches(*this).emit(v);
    default: return emit_pure(v);
  }
}

void BlockEmitter::emit_level(int level) {
  for (Id v : k_.blocks[0].body)
    if (divergence.level[v] == level) emit_inst(v);
}

void BlockEmitter::emit_slice(Id v) {
  if (divergence.level[v] == 0) return;
  for (Id a : k_.insts[v].args) emit_slice(a);
  emit_inst(v);
}

void BlockEmitter::emit_offset(Id v, BlockId body) {
  const Inst& i = k_.insts[v];
  if (i.home != body || i.op == Opcode::Param) return;
  for (Id a : i.args) emit_offset(a, body);
  emit_inst(v);
}

const nest::Range& BlockEmitter::range(Id v) {
  if (ranges_.empty()) ranges_ = nest::ranges_of(k_);
  return ranges_[v];
}

void BlockEmitter::load_uniform(Id v) {
  const Inst& i = k_.insts[v];
  const Storage s = k_.buffers[i.imm].storage;
  auto* t = ops_.memory_type(s);
  set(v, ops_.from_memory(b_.CreateLoad(t, b_.CreateGEP(t, buffers[i.imm], scalar(i.args[0]))), s));
}

void BlockEmitter::store_uniform(Id v) {
  const Inst& i = k_.insts[v];
  const Storage s = k_.buffers[i.imm].storage;
  auto* t = ops_.memory_type(s);
  b_.CreateStore(ops_.to_memory(scalar(i.args[1]), s),
                 b_.CreateGEP(t, buffers[i.imm], scalar(i.args[0])));
}

void BlockEmitter::local(Id v) {
  const Inst& i = k_.insts[v];
  // A kernel may be emitted more than once.
  if (!arrays_[v])
    arrays_[v] = b_.allocate(ops_.memory_type(i.kind), std::max<int64_t>(i.imm, 1), "local");
}

void BlockEmitter::local_load(Id v) {
  const Inst& i = k_.insts[v];
  auto* t = ops_.memory_type(i.kind);
  set(v, ops_.mask_from_memory(
             b_.CreateLoad(t, b_.CreateGEP(t, arrays_[i.args[0]], scalar(i.args[1]))), i.kind));
}

void BlockEmitter::local_store(Id v) {
  const Inst& i = k_.insts[v];
  const Kind kd = k_.insts[i.args[0]].kind;
  auto* t = ops_.memory_type(kd);
  b_.CreateStore(ops_.mask_to_memory(scalar(i.args[2]), kd),
                 b_.CreateGEP(t, arrays_[i.args[0]], scalar(i.args[1])));
}

void BlockEmitter::fold(Id v) {
  Folds folds(*this);
  is_short_fold(k_, k_.insts[v]) ? folds.in_order(v) : folds.serial(v);
}

Vs BlockEmitter::emit_side(Id v, BlockId b) {
  emit_block(b);
  const auto& results = divergence.results[v];
  Vs out;
  for (size_t r = 0; r < results.size(); ++r)
    out.append(parts(k_.blocks[b].yields[r], variance(results[r])));
  return out;
}

void BlockEmitter::scheduled_for(Id v, const LoopSchedule&, const std::vector<Carry>& cs) {
  Runs(*this).emit(v, cs);
}

bool BlockEmitter::has_loops() const {
  return any_inst(k_, 0, [](const Inst& i) { return is_structured(i.op) && i.op != Opcode::If; });
}

}  // namespace weft::compiler

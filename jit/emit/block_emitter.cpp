// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/block_emitter.cpp: the instructions of blocks, the memory of uniform values, and the
// tests for cancelled calls.
#include "jit/emit/block_emitter.h"

#include <llvm/IR/MDBuilder.h>

#include <algorithm>

#include "jit/emit/folds.h"
#include "jit/schedule/nest_names.h"

namespace weft::compiler {

namespace {
constexpr int32_t cycles_between_checks = 3'000'000;  // about a millisecond
}  // namespace

BlockEmitter::BlockEmitter(const Kernel& kernel, const Schedule& schedule, llvm::Module& module,
                           const Machine& machine)
    : NestValues(kernel, module, machine.arrays, machine.has_vectors),
      s_(schedule),
      ops_(b_, machine.features),
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
    case Opcode::For: return loop_for(v);
    case Opcode::Fold: return fold(v);
    case Opcode::ForEach: return for_each(v);
    case Opcode::While: return loop_while(v);
    case Opcode::If: return branch_if(v);
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

bool BlockEmitter::has_loops() const {
  return any_inst(k_, 0, [](const Inst& i) { return is_structured(i.op) && i.op != Opcode::If; });
}

// Loops check the stop flag at this address from here on.
void BlockEmitter::init_cancellation_checks(V address) {
  stop_flag_ = address;
  countdown_ = b_.allocate(b_.getInt32Ty(), 1, "budget");
  b_.CreateStore(b_.i32(cycles_between_checks), countdown_);
}

// The countdown is a number of estimated cycles in memory that all loops share. A check costs a
// decrement and a branch that is not taken.
void BlockEmitter::emit_cancellation_check(int64_t cost) {
  if (!stop_flag_ || !stop_checks) return;
  auto* check = b_.block("look");
  auto* go = b_.block("go");
  b_.CreateCondBr(b_.CreateICmpSLT(decrement_countdown(cost), b_.i32(0)), check, go,
                  llvm::MDBuilder(b_.getContext()).createBranchWeights(1, 1 << 20));
  exit_if_stopped(check, go);
  b_.insert_at(go);
}
V BlockEmitter::decrement_countdown(int64_t cost) {
  const V left =
      b_.CreateSub(b_.CreateLoad(b_.getInt32Ty(), countdown_),
                   b_.i32(static_cast<int32_t>(std::min<int64_t>(cost, cycles_between_checks))));
  b_.CreateStore(left, countdown_);
  return left;
}
void BlockEmitter::exit_if_stopped(llvm::BasicBlock* check, llvm::BasicBlock* go) {
  b_.insert_at(check);
  b_.CreateStore(b_.i32(cycles_between_checks), countdown_);
  const V flag = stop_flag_of_threads(b_.CreateLoad(b_.getInt32Ty(), stop_flag_,
                                                    /*isVolatile=*/true));
  b_.CreateCondBr(b_.CreateICmpNE(flag, b_.i32(0)), stop_exit(), go);
}

}  // namespace weft::compiler

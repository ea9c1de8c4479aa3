// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/cpu/cpu_emitter.cpp: the function of a kernel, and which part writes which instruction.
#include "jit/emit/cpu/cpu_emitter.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "jit/emit/cpu/grid.h"
#include "jit/emit/cpu/mask_loops.h"
#include "jit/emit/cpu/refill.h"
#include "jit/emit/cpu/rows.h"
#include "jit/emit/cpu/vector_loops.h"
#include "jit/emit/frame.h"
#include "jit/schedule/nest_names.h"
#include "runtime/native/cold_paths.h"

namespace weft::compiler {

CpuEmitter::CpuEmitter(const Kernel& kernel, const Schedule& schedule, llvm::Module& module,
                       const Features& features)
    : BlockEmitter(kernel, schedule, module,
                   {.features = {.half = features.half, .has_libm = true},
                    .arrays = {arrays_in_frame, arrays_in_scratch},
                    .has_vectors = true,
                    .mask_registers = features.mask_registers}),
      checked_(features.checked),
      elements_(*this),
      local_arrays_(*this),
      records_(*this) {}

void CpuEmitter::emit(const std::string& name) {
  auto* ptr = b_.getPtrTy();
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), {ptr, ptr, ptr, ptr}, false);
  begin_function(type, name);
  records_.find();
  fence_streamed_stores();
  b_.function()->addParamAttr(3, llvm::Attribute::NoAlias);
  b_.function()->addFnAttr("prefer-vector-width", "512");
  interleave = s_.interleave;
  load_arguments();
  if (checked_) {
    const V checked =
        b_.CreateLoad(ptr, b_.CreateConstGEP1_64(b_.getInt64Ty(), b_.function()->getArg(1),
                                                 static_cast<uint64_t>(k_.extents)));
    const V addresses = b_.allocate(ptr, AccessChecker::max_addresses, "addresses");
    checker_.emplace(k_.name, checked, addresses);
  }
  V range[4] = {b_.i64(0), b_.i64(1), b_.i64(0), b_.i64(1)};
  for (int r = k_.rank == 2 ? 0 : 2; r < 4 && k_.rank; ++r)
    range[r] = b_.CreateLoad(b_.getInt64Ty(),
                             b_.CreateConstGEP1_64(b_.getInt64Ty(), b_.function()->getArg(2), r));
  b_.vector_width = s_.mode == Mode::grid || s_.mode == Mode::refill ? s_.vector_width : 1;
  auto* run = b_.block("run");
  const V some =
      b_.CreateAnd(b_.CreateICmpSLT(range[0], range[1]), b_.CreateICmpSLT(range[2], range[3]));
  b_.CreateCondBr(some, run, b_.exit_block());
  b_.insert_at(run);
  if (s_.refill == nest::no_id)
    CpuGrid(*this).emit(range[0], range[1], range[2], range[3]);
  else
    VectorRefill(*this, s_.refill).emit(range[0], range[1], range[2], range[3]);
  b_.jump(b_.exit_block());
  if (checker_)
    checker_->run(*b_.function(),
                  {buffers, b_.scratch_bytes(), stop_checks_.flag_address(), b_.exit_block()});
}

// Other threads see such stores only after a fence.
void CpuEmitter::fence_streamed_stores() {
  if (s_.streamed.empty()) return;
  const llvm::IRBuilderBase::InsertPointGuard guard(b_);
  b_.SetInsertPoint(b_.exit_block()->getTerminator());
  b_.call(llvm::Intrinsic::x86_sse_sfence, {}, {});
}

// Loads the arguments.
void CpuEmitter::load_arguments() {
  auto* ptr = b_.getPtrTy();
  for (size_t i = 0; i < k_.buffers.size(); ++i)
    buffers.push_back(b_.CreateLoad(ptr, b_.CreateConstGEP1_64(ptr, b_.function()->getArg(0), i)));
  for (int i = 0; i < k_.extents; ++i)
    extents.push_back(b_.CreateLoad(
        b_.getInt64Ty(), b_.CreateConstGEP1_64(b_.getInt64Ty(), b_.function()->getArg(1), i)));
  const bool single = k_.rank > 0 && (s_.mode == Mode::scalar || s_.mode == Mode::inner);
  if (single || has_loops())
    stop_checks_.begin(b_.CreateLoad(ptr, b_.CreateGEP(ptr, b_.function()->getArg(0), b_.i64(-1))));
}

void CpuEmitter::load(Id v) {
  if (!variance(v).varying) return load_uniform(v);
  const Inst& i = k_.insts[v];
  const Storage s = k_.buffers[i.imm].storage;
  auto* t = ops_.memory_type(s);
  const auto tile = tiles.find(v);
  const bool in_tile = tile != tiles.end() && tile->second.row;
  const bool in_record = records_.moves(v);
  const auto loaded = [&](int p) {
    return in_record ? records_.loaded(v, p)
           : in_tile ? b_.CreateLoad(b_.vector_of(t), tile_address(tile->second, t, p))
                     : elements_.load_elements(t, buffers[i.imm], i.args[0], p);
  };
  set_vectors(v, vectors([&](int p) { return ops_.from_memory(loaded(p), s); }));
  elements_.prefetch_next_row(v);
}

void CpuEmitter::store(Id v) {
  const Inst& i = k_.insts[v];
  if (variance(i.args[0]).uniform() && variance(i.args[1]).uniform()) return store_uniform(v);
  if (records_.moves(v)) return;
  const Storage s = k_.buffers[i.imm].storage;
  auto* t = ops_.memory_type(s);
  const auto tile = tiles.find(v);
  const bool in_tile = tile != tiles.end() && tile->second.row;
  for (int p = 0; p < interleave; ++p) {
    const V x = ops_.to_memory(vec(i.args[1], p), s);
    if (in_tile)
      b_.CreateStore(x, tile_address(tile->second, t, p));
    else
      elements_.store_elements(t, buffers[i.imm], i.args[0], p, x, s_.streamed.count(i.imm) > 0);
  }
}

// Returns the address of the vector that is loaded next.
V CpuEmitter::tile_address(const Tile& tile, llvm::Type* t, int vector) {
  return b_.CreateGEP(b_.vector_of(t), tile.array,
                      b_.CreateAdd(tile.row, b_.i64(vector * tile.rows)));
}

V CpuEmitter::offsets_of_vectors(int64_t element_bytes) {
  const std::string name = "starts" + std::to_string(element_bytes);
  if (auto* known = b_.module().getNamedGlobal(name)) return known;
  std::vector<int64_t> starts;
  for (int l = 0; l < b_.vector_width; ++l) starts.push_back(l * b_.vector_width * element_bytes);
  return b_.constant_array(starts, b_.getInt64Ty(), name);
}

void CpuEmitter::fold(Id v) {
  divergence.vectorized[v] ? VectorLoops(*this).fold(v) : BlockEmitter::fold(v);
}

void CpuEmitter::for_each(Id v) {
  divergence.vectorized[v] ? VectorLoops(*this).for_each(v) : BlockEmitter::for_each(v);
}

void CpuEmitter::scheduled_for(Id v, const LoopSchedule& l, const std::vector<Carry>& cs) {
  // The remainder elements of a grid are not worth nested loops.
  if (plain_loops) return loops_.plain_for(v, cs);
  if (l.how == LoopSchedule::How::rows) return Rows(*this, v, l).emit(cs);
  if (l.how == LoopSchedule::How::masks) return MaskLoops(*this, v).emit();
  BlockEmitter::scheduled_for(v, l, cs);
}

Vs CpuEmitter::emit_side(Id v, BlockId b) {
  const Inst& i = k_.insts[v];
  const bool divergent = divergence.divergent[v];
  if (b == i.blocks[0] && is_cold(i) && (divergent || variance(i.args[1]).uniform()))
    return call_cold_path(v, parts(i.args[1], divergent ? varying_value : uniform_value));
  return BlockEmitter::emit_side(v, b);
}

// Returns the library's results for x, a scalar or the interleaved vectors. It computes all
// elements.
Vs CpuEmitter::call_cold_path(Id v, const Vs& x) {
  const Inst& i = k_.insts[v];
  const size_t results = i.kinds.size();
  const auto* vector_type = llvm::dyn_cast<llvm::FixedVectorType>(x[0]->getType());
  const unsigned elements = vector_type ? vector_type->getNumElements() : 1;
  const char* name = native::cold_paths()[static_cast<size_t>(i.imm - 1)].name;
  auto* type = x[0]->getType();
  V& slots = cold_slots_[type];  // the argument and up to three results
  constexpr int64_t max_slots = 4;
  if (!slots) slots = b_.allocate(type, max_slots, "rare");
  const auto slot = [&](size_t n) { return b_.CreateConstGEP1_64(type, slots, n); };
  Vs vectors;
  for (V vector : x) {
    b_.CreateStore(vector, slots);
    b_.call(name, b_.getVoidTy(), {slots, slot(1), b_.i64(elements)})->setDoesNotThrow();
    for (size_t r = 0; r < results; ++r) vectors.push_back(b_.CreateLoad(type, slot(1 + r)));
  }
  Vs by_result;
  for (size_t r = 0; r < results; ++r)
    for (size_t p = 0; p < x.size(); ++p) by_result.push_back(vectors[p * results + r]);
  return by_result;
}

}  // namespace weft::compiler

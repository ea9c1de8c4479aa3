// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/gpu_emitter.cpp: which part of the emitter writes which instruction, and whiles of
// single threads.
#include "jit/emit/gpu/gpu_emitter.h"

#include <llvm/IR/Intrinsics.h>

#include "jit/emit/frame.h"
#include "jit/emit/gpu/points.h"
#include "jit/emit/phis.h"
#include "jit/schedule/nest_names.h"

namespace weft::compiler {

GpuPart::GpuPart(GpuEmitter& e) : EmitterPart(e), gpu_(e.gpu()) {}

GpuEmitter::GpuEmitter(const Kernel& kernel, const Schedule& schedule, llvm::Module& module,
                       const Features& features)
    : BlockEmitter(kernel, schedule, module,
                   {.features = {.half = features.half, .has_libm = false},
                    .arrays = {arrays_of_thread, arrays_of_thread},
                    .has_vectors = false,
                    .mask_registers = false}),
      gpu_(gpu_intrinsics(b_, features.emulated)),
      threads_(*this),
      row_(*this),
      thread_loops_(*this),
      shared_tiles_(*this) {}

void GpuEmitter::load(Id v) {
  if (const V x = shared_tiles_.loaded(v))
    return set(v, ops_.from_memory(x, k_.buffers[k_.insts[v].imm].storage));
  variance(v).varying ? AdjacentPoints(*this).load(v) : load_uniform(v);
}

void GpuEmitter::store(Id v) {
  const Inst& i = k_.insts[v];
  if (!variance(i.args[0]).uniform() || !variance(i.args[1]).uniform())
    return AdjacentPoints(*this).store(v);
  threads_.if_thread_zero([&] { store_uniform(v); });
}

void GpuEmitter::fold(Id v) {
  divergence.vectorized[v] ? thread_loops_.fold(v) : BlockEmitter::fold(v);
}

void GpuEmitter::for_each(Id v) {
  divergence.vectorized[v] ? thread_loops_.for_each(v) : BlockEmitter::for_each(v);
}

void GpuEmitter::loop_while(Id v) {
  if (any_inst(k_, k_.insts[v].blocks[0], is_loop)) return BlockEmitter::loop_while(v);
  while_thread(v, loops_.carries(v, 0, 0));
}

V GpuEmitter::stop_flag_of_threads(V flag) {
  const bool waits_for_block = s_.product.loop != nest::no_id || s_.threads > warp;
  return waits_for_block ? gpu_->stop_flag_of_block(flag) : flag;
}

// Returns the block through which a cancelled kernel exits.
llvm::BasicBlock* GpuEmitter::stop_exit() {
  const bool synchronizes =
      threads_.in_point || s_.product.loop != nest::no_id || s_.refill != nest::no_id;
  return synchronizes ? gpu_->stop_exit() : b_.exit_block();
}

// Emits a while for one GPU thread. Threads that diverge reconverge after each branch, so a trip
// has a single branch, at its end. It leaves the loop if the test fails or the countdown is
// negative. In the second case the loop is entered again with the same state.
void GpuEmitter::while_thread(Id v, const std::vector<Carry>& cs) {
  const Inst& i = k_.insts[v];
  auto *run = b_.block("while"), *trip = b_.block("trip"), *ended = b_.block("ended"),
       *check = b_.block("look"), *after = b_.block("after");
  const Vs init = loops_.carried(cs, &Carry::init);
  const V enters = while_test(v, cs, init);
  auto* from = b_.insert_block();
  b_.CreateCondBr(enters, run, after);
  b_.insert_at(run);
  Phis runs(b_, from, /*mask_registers=*/false);
  const Vs begun = runs.add(init);
  b_.jump(trip);
  b_.insert_at(trip);
  Phis trips(b_, run, /*mask_registers=*/false);
  loops_.bind(cs, &Carry::param, trips.add(begun));
  emit_block(i.blocks[1]);
  const Vs next = loops_.carried(cs, &Carry::next);
  const V more = while_test(v, cs, next);
  const V left =
      stop_checks_.decrement_countdown(weight(k_, i.blocks[0]) + weight(k_, i.blocks[1]));
  trips.close(next);
  b_.CreateCondBr(b_.CreateAnd(more, b_.CreateICmpSGE(left, b_.i32(0))), trip, ended);
  b_.insert_at(ended);
  b_.CreateCondBr(more, check, after);
  stop_checks_.exit_if_stopped(check, run);
  runs.close(next);
  b_.insert_at(after);
  Phis results(b_, from, /*mask_registers=*/false);
  loops_.bind(cs, &Carry::result, results.add(init));
  b_.insert_at(ended);
  results.close(next);
  b_.insert_at(after);
}

V GpuEmitter::while_test(Id v, const std::vector<Carry>& cs, const Vs& carry) {
  loops_.bind(cs, &Carry::test_param, carry);
  emit_block(k_.insts[v].blocks[0]);
  return scalar(k_.blocks[k_.insts[v].blocks[0]].yields[0]);
}

}  // namespace weft::compiler

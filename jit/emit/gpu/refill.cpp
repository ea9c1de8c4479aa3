// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/refill.cpp: refills the threads of warps.
#include "jit/emit/gpu/refill.h"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "jit/emit/gpu/gpu_emitter.h"
#include "jit/emit/phis.h"
#include "jit/schedule/nest_names.h"

namespace weft::compiler {

namespace {
// Instructions of a chunk; a check takes 20. Finished threads wait for half a chunk on average.
constexpr int64_t chunk_cost = 1024;
}  // namespace

// Emits the per-point instructions of the top block before the while, or after it.
void WarpRefill::emit_around_while(bool after) {
  const auto& body = k_.blocks[0].body;
  const auto loop = std::ranges::find(body, s_.refill);
  for (auto v = after ? loop + 1 : body.begin(); v != (after ? body.end() : loop); ++v)
    if (e_.divergence.level[*v] > 0) e_.emit_inst(*v);
}

void WarpRefill::emit(V thread, V first, V points, V columns) {
  const Inst& w = k_.insts[s_.refill];
  const int64_t cost = weight(k_, w.blocks[0]) + weight(k_, w.blocks[1]);
  const int64_t chunk_trips = std::clamp<int64_t>(chunk_cost / cost, 1, warp);
  // Positions in the warp's range are 32-bit numbers.
  const V in_warp = b_.CreateTrunc(b_.CreateAnd(thread, b_.i64(warp - 1)), b_.getInt32Ty());
  const V in_block = b_.CreateMul(b_.CreateAnd(thread, b_.i64(-warp)), b_.i64(s_.points));
  const V begin = b_.CreateAdd(first, in_block);
  const V there =
      b_.call(llvm::Intrinsic::smin, {b_.CreateSub(points, begin), b_.i64(warp * s_.points)});
  const V end = b_.CreateTrunc(there, b_.getInt32Ty());
  auto *prologue = b_.block("prologue"), *chunk = b_.block("chunk"), *run = b_.block("run"),
       *trip = b_.block("trip"), *check = b_.block("check"), *epilogue = b_.block("epilogue"),
       *after = b_.block("after");
  auto* const entry = b_.insert_block();
  b_.CreateCondBr(b_.CreateICmpSLT(in_warp, end), prologue, after);

  b_.insert_at(prologue);
  Phis prologues(b_, entry, /*mask_registers=*/false);
  const Vs taken = prologues.add({in_warp, b_.i32(warp)});
  e_.set_point_indices(b_.CreateAdd(begin, b_.CreateZExt(taken[0], b_.getInt64Ty())), columns);
  emit_around_while(false);
  const auto cs = e_.loops().carries(s_.refill, 0, 0);
  const Vs init = e_.loops().carried(cs, &Carry::init);
  const V starts = e_.while_test(s_.refill, cs, init);
  auto* const begun = b_.insert_block();
  b_.jump(chunk);

  b_.insert_at(chunk);
  Phis chunks(b_, begun, /*mask_registers=*/false);
  const Vs state = chunks.add({starts, b_.i32(0), taken[1]}), carry = chunks.add(init);
  const V running = state[0], idle = state[1], next = state[2];
  b_.CreateCondBr(running, run, check);

  b_.insert_at(check);
  Phis checks(b_, chunk, /*mask_registers=*/false);
  const V still = checks.add({running})[0];
  const Vs left = checks.add(carry);

  b_.insert_at(run);
  b_.jump(trip);
  b_.insert_at(trip);
  Phis trips(b_, run, /*mask_registers=*/false);
  const V count = trips.add({b_.i32(static_cast<int32_t>(chunk_trips))})[0];
  e_.loops().bind(cs, &Carry::param, trips.add(carry));
  e_.emit_block(w.blocks[1]);
  const Vs made = e_.loops().carried(cs, &Carry::next);
  const V more = e_.while_test(s_.refill, cs, made);
  const V to_go = b_.CreateSub(count, b_.i32(1));
  trips.close({to_go});
  trips.close(made);
  checks.close({more});
  checks.close(made);
  b_.CreateCondBr(b_.CreateAnd(more, b_.CreateICmpSGT(to_go, b_.i32(0))), trip, check);

  b_.insert_at(check);
  e_.stop_checks().emit(chunk_trips * cost);
  const V done = b_.CreateNot(still), waits = gpu_.ballot(done), works = gpu_.ballot(still);
  const V waiting = b_.call(llvm::Intrinsic::ctpop, {waits});
  const V idled =
      b_.CreateAdd(idle, b_.CreateMul(waiting, b_.i32(static_cast<int32_t>(chunk_trips))));
  const V enough =
      b_.CreateAnd(b_.CreateICmpUGE(idled, b_.i32(static_cast<int32_t>(s_.idle_trips))),
                   b_.CreateICmpSLT(next, end));
  const V refill = b_.CreateOr(enough, b_.CreateICmpEQ(works, b_.i32(0)));
  const V next_after = b_.CreateAdd(next, b_.CreateSelect(refill, waiting, b_.i32(0)));
  chunks.close({still, b_.CreateSelect(refill, b_.i32(0), idled), next_after});
  chunks.close(left);
  b_.CreateCondBr(b_.CreateAnd(refill, done), epilogue, chunk);

  b_.insert_at(epilogue);
  e_.loops().bind(cs, &Carry::result, left);
  emit_around_while(true);
  const V below = b_.CreateSub(b_.CreateShl(b_.i32(1), in_warp), b_.i32(1));
  const V next_point =
      b_.CreateAdd(next, b_.call(llvm::Intrinsic::ctpop, {b_.CreateAnd(waits, below)}));
  prologues.close({next_point, next_after});
  b_.CreateCondBr(b_.CreateICmpSLT(next_point, end), prologue, after);
  b_.insert_at(after);
}

}  // namespace weft::compiler

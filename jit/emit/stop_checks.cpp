// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/stop_checks.cpp: the countdown and the stop flag.
#include "jit/emit/stop_checks.h"

#include <llvm/IR/MDBuilder.h>

#include <algorithm>

#include "jit/emit/block_emitter.h"

namespace weft::compiler {

namespace {
constexpr int32_t cycles_between_checks = 3'000'000;  // about a millisecond
}  // namespace

StopChecks::StopChecks(BlockEmitter& e) : EmitterPart(e) {}

void StopChecks::begin(V address) {
  flag_ = address;
  countdown_ = b_.allocate(b_.getInt32Ty(), 1, "budget");
  b_.CreateStore(b_.i32(cycles_between_checks), countdown_);
}

void StopChecks::emit(int64_t cost) {
  if (!flag_ || !enabled) return;
  auto* check = b_.block("look");
  auto* go = b_.block("go");
  b_.CreateCondBr(b_.CreateICmpSLT(decrement_countdown(cost), b_.i32(0)), check, go,
                  llvm::MDBuilder(b_.getContext()).createBranchWeights(1, 1 << 20));
  exit_if_stopped(check, go);
  b_.insert_at(go);
}
V StopChecks::decrement_countdown(int64_t cost) {
  const V left =
      b_.CreateSub(b_.CreateLoad(b_.getInt32Ty(), countdown_),
                   b_.i32(static_cast<int32_t>(std::min<int64_t>(cost, cycles_between_checks))));
  b_.CreateStore(left, countdown_);
  return left;
}
void StopChecks::exit_if_stopped(llvm::BasicBlock* check, llvm::BasicBlock* go) {
  b_.insert_at(check);
  b_.CreateStore(b_.i32(cycles_between_checks), countdown_);
  const V flag = e_.stop_flag_of_threads(b_.CreateLoad(b_.getInt32Ty(), flag_,
                                                       /*isVolatile=*/true));
  b_.CreateCondBr(b_.CreateICmpNE(flag, b_.i32(0)), e_.stop_exit(), go);
}

}  // namespace weft::compiler

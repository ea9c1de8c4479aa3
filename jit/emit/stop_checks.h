// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/stop_checks.h: the tests in loops that end a cancelled call. It may touch the stop flag
// and its countdown only. A machine adds to a test by a virtual function of BlockEmitter.
#pragma once
#include "jit/emit/emitter_part.h"

namespace weft::compiler {

class BlockEmitter;

// The countdown is a number of estimated cycles in memory that all loops share. A check costs a
// decrement and a branch that is not taken.
class StopChecks : EmitterPart<BlockEmitter> {
 public:
  explicit StopChecks(BlockEmitter& e);

  // Loops check the stop flag at this address from here on.
  void begin(V address);
  V flag_address() const { return flag_; }  // null: there are no checks
  // Exits from the kernel if the call was cancelled. `cost` is the estimated number of cycles since
  // the last check.
  void emit(int64_t cost);
  V decrement_countdown(int64_t cost);  // returns the new value
  // Block `check` resets the countdown and reads the stop flag. Jumps to `go` if it is 0.
  void exit_if_stopped(llvm::BasicBlock* check, llvm::BasicBlock* go);

  bool enabled = true;  // false: code that follows has no checks

 private:
  V flag_ = nullptr;       // the address of the stop flag
  V countdown_ = nullptr;  // the memory of the countdown to the next check
};

}  // namespace weft::compiler

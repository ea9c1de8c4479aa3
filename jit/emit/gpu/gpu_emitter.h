// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/gpu_emitter.h: writes a kernel for a GPU. It may touch all of gpu/ and jit/emit/,
// but nothing of cpu/. Another way in which threads run an instruction is another part here, which
// one of the virtual functions calls.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "jit/emit/block_emitter.h"
#include "jit/emit/gpu/intrinsics.h"
#include "jit/emit/gpu/row_terms.h"
#include "jit/emit/gpu/shared_tiles.h"
#include "jit/emit/gpu/thread_loops.h"
#include "jit/emit/gpu/threads.h"

namespace weft::compiler {

// Each interleaved point of a thread is a "vector" of one element.
class GpuEmitter final : public BlockEmitter {
 public:
  struct Features {
    bool half = false;
    bool emulated = false;  // the threads run on the host
  };
  GpuEmitter(const nest::Kernel& kernel, const Schedule& schedule, llvm::Module& module,
             const Features& features);

  // Emits the kernel (jit/emit/compile/image.h).
  void emit(const std::string& name);

  GpuIntrinsics& gpu() { return *gpu_; }
  Threads& threads() { return threads_; }
  RowTerms& row() { return row_; }
  void emit_iteration(nest::BlockId body) override { row_.emit_iteration(body); }
  void set_point_indices(V point, V columns);
  void emit_point(V point, V columns);
  // Emits the test of a while for these carries.
  V while_test(nest::Id v, const std::vector<Carry>& cs, const Vs& carry);

 private:
  V stop_flag_of_threads(V flag) override;
  llvm::BasicBlock* stop_exit() override;
  void load(nest::Id v) override;
  void store(nest::Id v) override;
  void fold(nest::Id v) override;
  void for_each(nest::Id v) override;
  void loop_while(nest::Id v) override;
  void while_thread(nest::Id v, const std::vector<Carry>& cs);

  std::unique_ptr<GpuIntrinsics> gpu_;
  Threads threads_;
  RowTerms row_;
  ThreadLoops thread_loops_;
  SharedTiles shared_tiles_;
};

}  // namespace weft::compiler

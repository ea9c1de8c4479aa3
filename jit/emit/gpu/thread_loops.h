// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/thread_loops.h: folds and for_eachs whose iterations are partitioned among the
// threads that share a point. It may touch the row, the threads and the memory that they share.
// Another order of terms would be another function like fold_warp().
#pragma once
#include "jit/emit/folds.h"
#include "jit/emit/gpu/gpu_part.h"

namespace weft::compiler {

// They are the outermost folds and for_eachs of a point. Each thread computes everything else, with
// the same bits. Thread k has partial result k. If there are 64 partial results, it also has k
// + 32. The order is that of a block of core/loops/fold_order.h.
class ThreadLoops : GpuPart {
 public:
  explicit ThreadLoops(GpuEmitter& e);

  void fold(nest::Id v);
  void for_each(nest::Id v);

  V shared_row = nullptr;  // shared memory of a block that shares a point (row_bytes)

 private:
  Vs fold_short(nest::Id v, V n);
  Vs fold_half_warp(nest::Id v, V n);
  Vs fold_warp(nest::Id v, V n);
  Vs fold_tree_of_threads(nest::Id v, Vs sum, int64_t threads);
  void fold_thread_block(nest::Id v);
  Vs load_or_emit_term(nest::Id v, V index);
  V shared_term_address(nest::Id v, size_t value, V index);

  Folds folds_;
  bool terms_in_shared_memory_ = false;  // the block's first warp folds them
};

}  // namespace weft::compiler

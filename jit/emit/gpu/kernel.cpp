// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/kernel.cpp: the GPU kernel, and the mapping from threads to grid points.
#include "jit/emit/gpu/gpu_emitter.h"
#include "jit/emit/gpu/points.h"
#include "jit/emit/gpu/product.h"
#include "jit/emit/gpu/refill.h"

namespace weft::compiler {

// The points of a block are adjacent, the last axis fastest. Each thread, or warp that shares a
// point, takes one after another. Neighbouring threads thus access neighbouring elements.
void GpuEmitter::emit(const std::string& name) {
  auto* ptr = gpu_->pointer_type();
  const size_t pointers = 1 + k_.buffers.size(),
               arguments = pointers + static_cast<size_t>(k_.extents + k_.rank);
  std::vector<llvm::Type*> types(pointers, ptr);
  types.resize(arguments, b_.getInt64Ty());
  begin_function(gpu_->kernel_type(types), name);
  row_.find_kept_values();
  // The threads of a block wait for each other in a product, so a second block must have work
  // meanwhile.
  gpu_->annotate_kernel(s_.block, s_.product.loop != nest::no_id ? 2 : 0);
  const auto argument = [&](size_t i) { return gpu_->argument(types, i); };
  for (size_t i = 1; i < pointers; ++i) buffers.push_back(argument(i));
  for (int i = 0; i < k_.extents; ++i)
    extents.push_back(argument(pointers + static_cast<size_t>(i)));
  if (has_loops()) stop_checks_.begin(argument(0));
  if (s_.product.loop != nest::no_id) {
    const size_t rows = arguments - 2;
    emit_level(0);
    Product(*this).emit(gpu_->block_index(), gpu_->thread_index(), argument(rows),
                        argument(rows + 1));
    return b_.jump(b_.exit_block());
  }
  if (s_.tile) {
    const size_t rows = arguments - 2;
    shared_tiles_.emit(gpu_->block_index(), gpu_->thread_index(), argument(rows),
                       argument(rows + 1));
    return b_.jump(b_.exit_block());
  }
  const int64_t points_at_once = s_.block / s_.threads;  // points of a block at a time
  const V thread = gpu_->thread_index();
  const V begin = b_.CreateMul(gpu_->block_index(), b_.i64(points_at_once * s_.points));
  V point_in_block = thread;
  if (s_.threads > 1) {
    threads_.in_point = b_.CreateAnd(thread, b_.i64(s_.threads - 1));
    row_.threads = s_.threads;
    if (s_.threads > warp) thread_loops_.shared_row = gpu_->shared_memory(row_bytes(k_));
    point_in_block = b_.CreateUDiv(thread, b_.i64(s_.threads));
  }
  const V point = b_.CreateAdd(begin, point_in_block);
  const size_t arg = arguments - static_cast<size_t>(k_.rank);
  V points = b_.i64(1);
  for (int r = 0; r < k_.rank; ++r)
    points = b_.CreateMul(points, argument(arg + static_cast<size_t>(r)));
  const V columns = k_.rank == 2 ? argument(arg + 1) : nullptr;
  if (s_.refill != nest::no_id) {
    emit_level(0);
    WarpRefill(*this).emit(thread, begin, points, columns);
    return b_.jump(b_.exit_block());
  }
  if (s_.interleave > 1) {
    const V first = b_.CreateMul(point, b_.i64(s_.interleave));
    b_.when(b_.CreateICmpULT(first, points),
            [&] { AdjacentPoints(*this).emit(first, points, columns); });
    return b_.jump(b_.exit_block());
  }
  b_.when(b_.CreateICmpULT(point, points), [&] {
    emit_level(0);
    if (s_.points == 1) return emit_point(point, columns);
    b_.each("points", b_.i64(0), b_.i64(s_.points), 1, [&](V n) {
      const V next = b_.CreateAdd(point, b_.CreateMul(n, b_.i64(points_at_once)));
      b_.when(b_.CreateICmpULT(next, points), [&] { emit_point(next, columns); });
    });
  });
  b_.jump(b_.exit_block());
}

void GpuEmitter::set_point_indices(V point, V columns) {
  if (k_.rank == 1) indices[0] = point;
  if (k_.rank == 2) {
    indices[0] = b_.CreateUDiv(point, columns);
    indices[1] = b_.CreateSub(point, b_.CreateMul(indices[0], columns));
  }
}

void GpuEmitter::emit_point(V point, V columns) {
  set_point_indices(point, columns);
  emit_level(1);
  emit_level(2);
}

}  // namespace weft::compiler

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/gpu_emitter.h: writes a kernel for a GPU. It may touch all of gpu/ and jit/emit/,
// but nothing of cpu/. Another way in which threads run an instruction is another part here, which
// one of the virtual functions calls.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jit/emit/block_emitter.h"
#include "jit/emit/folds.h"
#include "jit/emit/gpu/intrinsics.h"
#include "jit/schedule/product.h"
#include "jit/schedule/rows.h"

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
  void emit_iteration(nest::BlockId body) override;

 private:
  void set_point_indices(V point, V columns);
  void emit_point(V point, V columns);
  V stop_flag_of_threads(V flag) override;
  llvm::BasicBlock* stop_exit() override;
  void load(nest::Id v) override;
  void store(nest::Id v) override;
  void fold(nest::Id v) override;
  void for_each(nest::Id v) override;
  void loop_while(nest::Id v) override;
  void while_thread(nest::Id v, const std::vector<Carry>& cs);

  // Threads that share a point (gpu/threads.cpp).
  V warp_shuffle(V x, V thread);  // the value of x in that thread
  Vs warp_shuffle(const Vs& xs, V thread);
  void point_barrier();  // __syncthreads() or __syncwarp() in CUDA
  void if_thread_zero(const std::function<void()>& f);
  void fold_threads(nest::Id v);
  Vs fold_short(nest::Id v, V n);
  Vs fold_half_warp(nest::Id v, V n);
  Vs fold_warp(nest::Id v, V n);
  Vs fold_tree_of_threads(nest::Id v, Vs sum, int64_t threads);
  void for_each_threads(nest::Id v);
  // Computes the next carries in one trip; `whole`: every thread has a term in it.
  using Trip = std::function<Vs(V at, const Vs& carry, bool whole)>;
  Vs thread_strided_loop(nest::Id v, int64_t terms, const Vs& init, const Trip& trip);
  Vs thread_term(V n, V first, bool whole, const std::function<Vs(V index)>& f,
                 const Vs& otherwise);
  void fold_thread_block(nest::Id v);
  Vs load_or_emit_term(nest::Id v, V index);
  V shared_term_address(nest::Id v, size_t value, V index);

  // Threads that are refilled with new points (gpu/refill.cpp).
  V while_test(nest::Id v, const std::vector<Carry>& cs, const Vs& carry);
  void emit_around_while(bool after);
  void refill_warp(V thread, V first, V points, V columns);

  // Points that a thread interleaves (gpu/points.cpp).
  void emit_adjacent_points(V first, V points, V columns);
  V points_are_aligned();
  void load_points(nest::Id v);
  void store_points(nest::Id v);
  llvm::Type* packed_type(llvm::Type* t, int64_t bytes);
  V unpack_element(V packed, llvm::Type* t, int64_t n);
  V pack_elements(const Vs& elements, int64_t bytes);

  // Grids in tiles of blocks of threads (gpu/tiles.cpp).
  struct SharedTile {
    V rows, columns;       // of the grid
    V top, left;           // the first row and column of the tile
    V across, down;        // the position of this thread in the tile
    int64_t rows_at_once;  // rows of the tile that the threads of the block cover together
  };
  void emit_shared_tile(V block, V thread, V rows, V columns);
  V clamped_index(V first, V n, V most);
  void fill_shared_tiles(const SharedTile& tile, V memory);
  std::map<nest::Id, V> early_loads(const SharedTile& tile, V down);

  // Matrix products (gpu/product.cpp), their factors (gpu/product_move.cpp) and tensor cores
  // (gpu/mma.cpp).
  struct Product;
  struct ProductSide;
  void emit_product(V block, V thread, V rows, V columns);
  ProductSide product_side(const Product& p, bool of_rows);
  void locate_tile(Product& p, V block, V rows, V columns);
  V barrier_and(V condition);
  Vs product_load_stage(const Product& p, const ProductSide& s, V stage, V term);
  Vs fma_terms(const Product& p, V stage, const Vs& sums, int terms, int unrolled);
  struct ProductSums {
    Vs sums;
    V stage;  // the shared memory of the next stage
  };
  ProductSums product_full_stages(const Product& p, const Vs& sums, bool prefetch);
  Vs product_load(const Product& p, V first_term);
  void product_store(const Product& p, V at, V first_term, const Vs& loaded);
  void product_copy(const Product& p, V at, V first_term);
  Vs product_remainder(Product p, const ProductSums& before);
  void product_epilogue(const Product& p, const Vs& sums);
  struct TilePosition {
    V point, term;
  };
  TilePosition product_position(const Product& p, const ProductSide& s, int group, V n);
  TilePosition product_last_position(const Product& p, const ProductSide& s, V first_term);
  void product_set_indices(const Product& p, const ProductSide& s, const TilePosition& place,
                           V first_term);
  void product_set_clamped_indices(const Product& p, const ProductSide& s, TilePosition place,
                                   V first_term);
  V product_address(const ProductFactor::Read& r);
  llvm::Type* product_memory_type(const ProductFactor::Read& r);
  V product_fits(const Product& p, const ProductSide& s);
  Vs product_load(const Product& p, const ProductSide& s, V first_term);
  V product_convert(const Product& p, V x);
  V product_factor(const Product& p, const ProductSide& s, const TilePosition& place, V first_term,
                   llvm::ArrayRef<V> loaded);
  V product_stage_address(const Product& p, const ProductSide& s, V stage,
                          const TilePosition& place);
  void product_store(const Product& p, const ProductSide& s, V stage, V first_term,
                     llvm::ArrayRef<V> loaded);
  void product_copy(const Product& p, const ProductSide& s, V stage, V first_term);
  V fragment_offset(const Product& p, const ProductSide& s, V first_point, V in_warp);
  Vs load_fragments(const Product& p, const ProductSide& s, V stage, int term, int point,
                    int matrices);
  Vs multiply_fragments(const Product& p, llvm::ArrayRef<V> rows, llvm::ArrayRef<V> columns,
                        const Vs& sums);
  Vs mma_terms(const Product& p, V stage, const Vs& sums, int terms);

  std::unique_ptr<GpuIntrinsics> gpu_;
  Folds folds_;
  // By load: the shared memory of its tile; `tile_row_` is the element of the current point, or
  // null.
  std::map<nest::Id, V> tiles_;
  V tile_row_ = nullptr;
  // Loads of this point that were issued early, in their memory type.
  std::map<nest::Id, V> early_loads_;
  V thread_in_point_ = nullptr;   // for threads that share a point: this thread's number
  bool threads_diverge_ = false;  // the threads that share a point run different code
  // Values of the row that threads keep, by value and iteration of the thread. In a loop that is
  // unrolled for them, `iteration_` is the current one.
  RowValues row_;
  std::map<std::pair<nest::Id, int64_t>, V> kept_;
  std::optional<int64_t> iteration_;
  int64_t term_threads_ = 1;             // threads among which terms are partitioned
  V shared_row_ = nullptr;               // shared memory of a block that shares a point (row_bytes)
  bool terms_in_shared_memory_ = false;  // the block's first warp folds them
  std::vector<nest::Id> newly_kept_;     // values that this iteration added to kept_
};

}  // namespace weft::compiler

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/emit.h: writes the LLVM IR of one kernel. Only emit_*.cpp and gpu/*.cpp include it.
//
// A vector holds `vector_width` neighbouring grid points, and `interleave` vectors are computed
// together. A uniform value is one scalar. A linear value is a scalar (that of element 0) and a
// stride. A varying value is its vectors. `active` is the mask of the active elements. Emitted code
// runs only while at least one element is active, so uniform loads need no mask. Inactive elements
// compute unspecified values.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "core/loops/nest.h"
#include "core/loops/nest_bounds.h"
#include "jit/emit/check/access_checker.h"
#include "jit/emit/ir_builder.h"
#include "jit/emit/operations.h"
#include "jit/schedule/loops.h"
#include "jit/schedule/product.h"
#include "jit/schedule/records.h"
#include "jit/schedule/rows.h"
#include "jit/schedule/schedule.h"
#include "jit/schedule/target.h"

namespace weft::compiler {

class Emitter {
 public:
  struct Machine {
    bool mask_registers = false, half = false;
    bool gpu = false;
    bool emulated = false;  // a GPU whose threads run on the host
    bool checked = false;   // tests every access (jit/emit/check/checked.h)
  };
  // The schedule must have been verified.
  Emitter(const nest::Kernel& kernel, const Schedule& schedule, llvm::Module& module,
          const Machine& machine);

  // Emits the CPU function: name(buffers, extents, range, scratch).
  void emit_cpu(const std::string& name);
  int64_t scratch_bytes() const {
    return b_.scratch_bytes();
  }  // scratch memory that one call needs
  // Emits the GPU kernel (jit/emit/compile/image.h).
  void emit_gpu(const std::string& name);

 private:
  // A value at the current insertion point.
  struct Val {
    V base = nullptr;    // uniform or linear
    V stride = nullptr;  // of a linear value, else null
    Vs vectors;          // of a varying value
    V splat = nullptr;   // of a uniform value, created where it is defined
  };

  // Values (emit_values.cpp).
  nest::Kind kind(nest::Id v) const { return k_.insts[v].kind; }
  const Variance& variance(nest::Id v) const { return divergence_.variance[v]; }
  // Returns f(p) for each vector p.
  template <class F>
  Vs vectors(F&& f) const {
    Vs out;
    for (int p = 0; p < interleave_; ++p) out.push_back(f(p));
    return out;
  }
  V scalar(nest::Id v);  // of a uniform value; element 0 of a linear one
  V vec(nest::Id v, int vector);
  V linear_vec(const Val& x, int vector, llvm::Type* element);
  V vector_base(const Val& x, int vector);
  V stride_of(nest::Id v);
  Vs parts(nest::Id v, const Variance& want);  // in the form of `want`: one scalar or the vectors
  void set(nest::Id v, V scalar) { values_[v] = Val{scalar, nullptr, {}, nullptr}; }
  void set_parts(nest::Id v, const Variance& s, const Vs& parts);
  void set_vectors(nest::Id v, Vs vectors) {
    values_[v] = Val{nullptr, nullptr, std::move(vectors), nullptr};
  }
  V mask_of(int vector);  // `active` as an explicit mask
  Vs masks_of() {
    return vectors([&](int p) { return mask_of(p); });
  }
  // Exits from the kernel if the call was cancelled. `cost` is the estimated number of cycles since
  // the last check.
  void emit_cancellation_check(int64_t cost);
  V decrement_countdown(int64_t cost);  // returns the new value
  // Block `check` resets the countdown and reads the stop flag. Jumps to `go` if it is 0.
  void exit_if_stopped(llvm::BasicBlock* check, llvm::BasicBlock* go);
  llvm::BasicBlock* stop_exit();
  // Instructions that only compute (emit_pure.cpp).
  void emit_pure(nest::Id v);
  bool emit_linear(nest::Id v);
  const nest::Range& range(nest::Id v);
  bool fits_int32(nest::Id v) { return range(v).within({INT32_MIN, INT32_MAX}); }
  bool divide_linear(nest::Id v);

  // Memory (emit_memory.cpp).
  void load(nest::Id v);
  void store(nest::Id v);
  void local(nest::Id v);
  void local_load(nest::Id v);
  void local_store(nest::Id v);
  V load_elements(llvm::Type* t, V base, nest::Id offset, int vector);
  void store_elements(llvm::Type* t, V base, nest::Id offset, int vector, V value,
                      bool non_temporal = false);
  void mark_non_temporal(llvm::StoreInst* s);
  void store_non_temporal(V value, V at, V all_elements, const std::function<void()>& otherwise);
  V element_addresses(llvm::Type* t, V base, nest::Id offset, int vector);
  void redirect_inactive_elements(llvm::Type* t, V* addresses, V* mask);
  V gather(llvm::Type* t, V addresses, V mask);
  void scatter(llvm::Type* t, V addresses, V value, V mask);
  V strided_load(llvm::Type* t, V first, int64_t stride);
  V local_begin(nest::Id local);
  V local_element(nest::Id local, V element, int vector);
  V local_addresses(nest::Id local, nest::Id index, int vector);
  std::optional<nest::Choice> choice(nest::Id local, nest::Id index);
  V choice_element(nest::Id local, const nest::Choice& c, int64_t i, int vector);
  V load_choice(nest::Id local, const nest::Choice& c, int vector);
  void store_choice(nest::Id local, const nest::Choice& c, int vector, V value);

  // Prefetching.
  void prefetch_next_row(nest::Id load);

  // Control (emit_control.cpp).
  void emit_block(nest::BlockId b);
  void emit_inst(nest::Id v);
  struct Carry {
    nest::Id init, param, test_param, next, result;
    Variance variance;
  };
  std::vector<Carry> carries(nest::Id v, size_t first_arg, size_t first_param);
  // Returns one kind of value of all carries, in order, each in the form in which the carry is
  // held.
  Vs parts(const std::vector<Carry>& cs, nest::Id Carry::* which);
  void bind(const std::vector<Carry>& cs, nest::Id Carry::* which, const Vs& values);
  Vs next_carries(const std::vector<Carry>& cs, const Masks& made, const Vs& before);
  void loop_for(nest::Id v);
  void unrolled_for(nest::Id v, const std::vector<Carry>& cs);
  void plain_for(nest::Id v, const std::vector<Carry>& cs);
  void loop_while(nest::Id v);
  // The state after a while: the elements that made the last trip and could go on, and the carries.
  struct WhileState {
    Masks active;
    Vs carry;
  };
  WhileState while_trips(nest::Id v, const std::vector<Carry>& cs, const Masks& before, Vs extra,
                         const Vs& init,
                         const std::function<V(const Masks& go, Vs& extra)>& continues);
  void while_thread(nest::Id v, const std::vector<Carry>& cs);
  void branch_if(nest::Id v);
  Vs emit_if_region(nest::Id v, nest::BlockId b);
  void set_results(nest::Id v, const Vs& values);
  void divergent_if(nest::Id v);
  void unlikely_if(nest::Id v);
  // Returns true if the first side of an If is a library call (core/loops/cold_path.h).
  bool is_library_call(const nest::Inst& i) const { return is_cold(i) && !machine_.gpu; }
  Vs call_cold_path(nest::Id v, const Vs& x);
  void for_each(nest::Id v);
  void for_each_vectors(nest::Id v);
  Masks and_active(const Masks& m);  // `active` and m

  // Folds (emit_fold.cpp, emit_fold_vectors.cpp). A term or a partial result is the list of its
  // parts, result by result.
  struct Partials;
  void fold(nest::Id v);
  V partial_count(V n);
  void fold_in_order(nest::Id v);
  void fold_serial(nest::Id v);
  void fold_partials(const Partials& p, V n, V partials);
  V fold_register_blocks(const Partials& p, V n, V partials);
  void fold_tree(const Partials& p, V partials);
  Partials make_partials(nest::Id v, const Variance& s, int64_t most);
  Vs identity(nest::Id v, const Variance& s);
  Vs term(nest::Id v, const Variance& s, V index);
  Vs identity_term(nest::Id v, const Variance& s);
  Vs combine_term(nest::Id v, const Vs& sum, const Vs& x);
  Vs combine_partials(nest::Id v, const Vs& a, const Vs& b);
  Vs combine_parts(nest::Id v, const Vs& sum, const Vs& x, bool is_result);
  void for_each_part(const Partials& p, V index,
                     const std::function<void(llvm::Type* t, V at, nest::Kind k)>& f);
  Vs load_partials(const Partials& p, V index);
  void store_partials(const Partials& p, V index, const Vs& x);
  Vs load_vector(const Partials& p, V index, int n);
  void store_vector(const Partials& p, V index, const Vs& x);
  void fold_vectors(nest::Id v);
  void fold_whole_vectors(const Partials& p, V n, int registers);
  void fold_tail(const Partials& p, V n, V begin, V partials, V few);
  void fold_stored_terms(const Partials& p, V n);
  void fold_horizontal(const Partials& p, V partials);

  // Grids in tiles (emit_tile.cpp).
  void emit_slice(nest::Id v);
  void transpose_square(Vs& rows);
  void fill_tile(nest::Id v, int64_t rows);
  void tile_rows(V begin, V end, int64_t rows, V inner_begin, V inner_end);
  void grid_tiles(int64_t rows, V outer_begin, V outer_end, V inner_begin, V inner_end);

  // Loops along rows (emit_rows.cpp).
  struct Rows;
  void rows_for(nest::Id v, const LoopSchedule& l, const std::vector<Carry>& cs);
  int64_t element_bytes(nest::Id v) const { return compiler::element_bytes(k_, v); }
  void count_active_rows(Rows& r);
  void make_row_tile(const Rows& r, nest::Id v);
  // Runs of trips (emit_runs.cpp).
  V trips_of_block(V n, V done, int64_t most);
  void runs_for(nest::Id v, const std::vector<Carry>& cs);
  Vs run_of_trips(nest::Id v, const std::vector<Carry>& cs, V first, V count, const Vs& init,
                  const std::function<void(V)>& at_trip);
  Vs rows_block(const Rows& r, const std::vector<Carry>& cs, const Vs& carry);
  void emit_offset(nest::Id v, nest::BlockId body);
  void transfer_rows(const Rows& r, nest::Opcode what);
  void transfer_transposed(const Rows& r, nest::Id v);
  void transfer_by_elements(const Rows& r, nest::Id v);
  V contiguous_row_offsets(int64_t bytes);
  V is_line_aligned(V address);

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
  void emit_iteration(nest::BlockId body);
  void fold_thread_block(nest::Id v);
  Vs load_or_emit_term(nest::Id v, V index);
  V shared_term_address(nest::Id v, size_t value, V index);

  // Threads that are refilled with new points (gpu/refill.cpp).
  V ballot(V yes);
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
  V shared_memory(int64_t bytes);
  void barrier();
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

  // Grids (emit_grid.cpp) and refill (emit_refill.cpp).
  void begin_function(llvm::FunctionType* type, const std::string& name);
  void load_arguments();
  bool has_loops() const;
  void init_cancellation_checks(V address);
  void annotate_kernel();
  void emit_level(int level);
  void grid_rows(V outer_begin, V outer_end, V inner_begin, V inner_end);
  void rows_one_by_one(V outer_begin, V outer_end, V inner_begin, V inner_end);
  void record_checked_point(V outer, V inner) {
    if (checker_) checker_->record_point(b_, outer, inner);
  }
  void grid_row(V begin, V end);
  void grid_points(V begin, V end);
  void emit_points(V begin, const Masks& m);
  void set_point_indices(V point, V columns);
  void emit_point(V point, V columns);
  struct Refill;
  struct Slot {  // memory of a value, one vector for each interleaved one
    V at;
    nest::Kind kind;
  };
  void refill_grid(nest::Id loop, V outer_begin, V outer_end, V inner_begin, V inner_end);
  void refill_state(Refill& r, nest::Id loop);
  void refill_epilogue(Refill& r, V vector);
  void refill_prologue(Refill& r, V vector);
  void refill_indices(const Refill& r, V point);
  void refill_run(Refill& r, const Masks& active);
  V refill_bits(V mask);
  V refill_mask(V slots, V vector);
  V refill_load(const Slot& slot, V vector);
  void refill_store(const Slot& slot, V vector, V x, V mask);

  const nest::Kernel& k_;
  const Schedule& s_;
  Machine machine_;
  IrBuilder b_;
  Operations ops_;
  Divergence divergence_;
  std::vector<Val> values_;
  std::vector<nest::Range> ranges_;  // by value, computed on first use
  std::vector<V> locals_;            // by instruction: the array of a Local
  llvm::BasicBlock* stop_exit_ = nullptr;
  std::vector<V> buffers_, extents_;
  V indices_[2] = {nullptr, nullptr};
  // A load or store that is done for many points together, through vectors in the frame.
  struct Tile {
    V array = nullptr;
    int64_t rows = 0;         // vectors for each interleaved vector
    V row_offsets = nullptr;  // byte offsets of the rows in memory, for a loop along rows
    // The vector of the row that is being emitted; null: the access is done in place.
    V row = nullptr;
  };
  V tile_address(const Tile& tile, llvm::Type* t, int vector);
  // Records (emit_record.cpp): those that the schedule names, by first access; the record of each
  // access; and the values read, by access and vector.
  bool moves_in_record(nest::Id v);
  void move_record(const Record& r, nest::Id here, int p);
  std::map<nest::Id, Record> records_;
  std::map<nest::Id, nest::Id> record_of_;
  std::map<std::pair<nest::Id, int>, V> record_values_;
  std::map<nest::Id, V> record_arrays_;
  std::map<nest::Id, Tile> tiles_;
  // Loads of this point that were issued early, in their memory type.
  std::map<nest::Id, V> early_loads_;
  Vs index_vectors_[2];
  std::map<llvm::Type*, V> cold_slots_;  // memory of arguments and results of cold paths
  V dummy_slot_ = nullptr;               // where inactive elements load and store
  // The address of the stop flag, and the memory of the countdown to the next check of it.
  V stop_flag_ = nullptr, countdown_ = nullptr;
  std::optional<AccessChecker> checker_;  // of a kernel that tests its accesses
  Masks active_;
  Masks in_grid_;  // elements that have a grid point
  int interleave_ = 1;
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
  bool plain_loops_ = false;             // for the remainder of a row: loops run trip by trip
  int array_interleave_ = 0;             // of local arrays, if not interleave_
  V vector_offset_ = nullptr;            // the vector of local arrays that is vector 0
  Constants unrolled_indices_;           // indices of loops that are being unrolled
  static constexpr int32_t cycles_between_checks = 3'000'000;  // about a millisecond
};

}  // namespace weft::compiler

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/cpu/cpu_emitter.h: writes the function of a kernel for a CPU. It may touch all of cpu/
// and jit/emit/, but nothing of gpu/. Another way in which a CPU runs an instruction is another
// part here, which one of the virtual functions calls.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "jit/emit/block_emitter.h"
#include "jit/emit/check/access_checker.h"
#include "jit/emit/cpu/element_access.h"
#include "jit/emit/cpu/local_arrays.h"
#include "jit/emit/cpu/records.h"

namespace weft::compiler {

// A load or store that is done for many points together, through vectors in the frame.
struct Tile {
  V array = nullptr;
  int64_t rows = 0;         // vectors for each interleaved vector
  V row_offsets = nullptr;  // an array of the byte offsets of the rows in memory
  // The vector of the row that is being emitted; null: the access is done in place.
  V row = nullptr;
};

class CpuEmitter final : public BlockEmitter {
 public:
  struct Features {
    bool mask_registers = false, half = false;
    bool checked = false;  // tests every access (jit/emit/check/checked.h)
  };
  CpuEmitter(const nest::Kernel& kernel, const Schedule& schedule, llvm::Module& module,
             const Features& features);

  // Emits the function: name(buffers, extents, range, scratch).
  void emit(const std::string& name);
  // Returns the bytes of scratch memory that one call needs.
  int64_t scratch_bytes() const { return b_.scratch_bytes(); }

  bool checked() const { return checked_; }
  ElementAccess& elements() { return elements_; }
  LocalArrays& local_arrays() { return local_arrays_; }
  Records& records() { return records_; }
  V tile_address(const Tile& tile, llvm::Type* t, int vector);
  // Returns an array of the byte offsets of vectors that follow one another, as many as a vector
  // has elements.
  V offsets_of_vectors(int64_t element_bytes);
  // Records the points that are computed from here on, in a kernel that tests its accesses.
  void record_checked_point(V outer, V inner) {
    if (checker_) checker_->record_point(b_, outer, inner);
  }

  std::map<nest::Id, Tile> tiles;  // by load or store
  bool plain_loops = false;        // for the remainder of a row: loops run trip by trip

  // Elements of an index that are near each other: a scalar, and what each element adds to it, less
  // than 2^30.
  struct Neighbours {
    V base, differences;
  };
  std::optional<Neighbours> neighbours(nest::Id v, int vector);
  // Returns true for a quotient or remainder that was computed in this form.
  bool is_divided(nest::Id v) const { return neighbours_.contains(v); }

 private:
  void load_arguments();
  void fence_streamed_stores();
  void emit_pure(nest::Id v) override;
  bool divide_neighbours(nest::Id v);
  bool divide_linear(nest::Id v);
  void load(nest::Id v) override;
  void store(nest::Id v) override;
  void local(nest::Id v) override { local_arrays_.create(v); }
  void local_load(nest::Id v) override { local_arrays_.load(v); }
  void local_store(nest::Id v) override { local_arrays_.store(v); }
  void fold(nest::Id v) override;
  void for_each(nest::Id v) override;
  void scheduled_for(nest::Id v, const LoopSchedule& l, const std::vector<Carry>& cs) override;
  // The first side of some Ifs is a library call (core/loops/cold_path.h).
  bool is_unlikely(const nest::Inst& i) const override { return is_cold(i); }
  Vs emit_side(nest::Id v, nest::BlockId b) override;
  Vs call_cold_path(nest::Id v, const Vs& x);

  bool checked_;
  ElementAccess elements_;
  LocalArrays local_arrays_;
  Records records_;
  std::optional<AccessChecker> checker_;
  std::map<nest::Id, std::vector<Neighbours>> neighbours_;  // of quotients and remainders
  std::map<llvm::Type*, V> cold_slots_;  // memory of arguments and results of cold paths
};

}  // namespace weft::compiler

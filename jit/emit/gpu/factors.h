// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/factors.h: copies the factors of a matrix product to shared memory. It may touch the
// values of the factors and the indices of points. Another form of factors in shared memory is
// added to convert().
#pragma once
#include "jit/emit/gpu/gpu_part.h"
#include "jit/emit/gpu/product_state.h"

namespace weft::compiler {

// A thread's loads are in registers while the previous terms are multiplied. It computes the
// factors from them when it stores them.
class Factors : GpuPart {
 public:
  explicit Factors(GpuEmitter& e) : GpuPart(e) {}

  // Returns true if the tile is full of points, and this thread's vector loads are aligned. If they
  // are aligned in the first stage, they are in all stages.
  V fits(const ProductState& p, const ProductSide& s);
  // Returns the results of each load, group by group. In tiles that fit, adjacent elements are one
  // vector.
  Vs load(const ProductState& p, const ProductSide& s, V first_term);
  // Stores the results of load() to shared memory.
  void store(const ProductState& p, const ProductSide& s, V stage, V first_term,
             llvm::ArrayRef<V> loaded);
  // Copies the factors number by number.
  void copy(const ProductState& p, const ProductSide& s, V stage, V first_term);

 private:
  struct TilePosition {
    V point, term;
  };
  TilePosition position(const ProductState& p, const ProductSide& s, int group, V n);
  TilePosition last_position(const ProductState& p, const ProductSide& s, V first_term);
  void set_indices(const ProductState& p, const ProductSide& s, const TilePosition& place,
                   V first_term);
  void set_clamped_indices(const ProductState& p, const ProductSide& s, TilePosition place,
                           V first_term);
  V address(const ProductFactor::Read& r);
  llvm::Type* number_type(const ProductFactor::Read& r);
  V convert(const ProductState& p, V x);
  V factor(const ProductState& p, const ProductSide& s, const TilePosition& place, V first_term,
           llvm::ArrayRef<V> loaded);
  V stage_address(const ProductState& p, const ProductSide& s, V stage, const TilePosition& place);
};

}  // namespace weft::compiler

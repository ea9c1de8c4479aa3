// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/nest_values.h: the values of a nest's instructions while its code is written. It may
// touch the IrBuilder and the divergence of the nest, and emits no instruction of the nest. A new
// form of a value is added to Val and to the functions that read it.
#pragma once
#include <map>
#include <utility>
#include <vector>

#include "core/loops/nest.h"
#include "jit/emit/ir_builder.h"
#include "jit/schedule/divergence.h"

namespace weft::compiler {

// A value at the current insertion point. A vector holds `vector_width` neighbouring grid points,
// or those at `positions`, and `interleave` vectors are computed together. A uniform value is one
// scalar. A linear value is a scalar (that of position 0) and a stride. A varying value is its
// vectors.
struct Val {
  V base = nullptr;    // uniform or linear
  V stride = nullptr;  // of a linear value, else null
  Vs vectors = {};     // of a varying value
  V splat = nullptr;   // of a uniform value, created where it is defined
};

class NestValues {
 public:
  NestValues(const nest::Kernel& kernel, llvm::Module& module, const ArrayLimits& limits,
             bool has_vectors)
      : k_(kernel), b_(module, kernel.name, limits, has_vectors), values_(kernel.insts.size()) {}

  const nest::Kernel& kernel() const { return k_; }
  IrBuilder& ir() { return b_; }

  nest::Kind kind(nest::Id v) const { return k_.insts[v].kind; }
  const Variance& variance(nest::Id v) const { return divergence.variance[v]; }
  // Returns f(p) for each vector p.
  template <class F>
  Vs vectors(F&& f) const {
    Vs out;
    for (int p = 0; p < interleave; ++p) out.push_back(f(p));
    return out;
  }

  Val& value(nest::Id v) { return values_[v]; }
  // Returns a uniform value, or that of position 0 of a linear one.
  V scalar(nest::Id v) const { return values_[v].base; }
  V vec(nest::Id v, int vector);
  V linear_vec(const Val& x, int vector, llvm::Type* element);
  V vector_base(const Val& x, int vector);
  V stride_of(nest::Id v) const;
  // Returns v in the form of `want`: one scalar or the vectors.
  Vs parts(nest::Id v, const Variance& want);
  void set(nest::Id v, V scalar) { values_[v] = Val{scalar}; }
  void set_linear(nest::Id v, V base, V stride) { values_[v] = Val{base, stride}; }
  void set_parts(nest::Id v, const Variance& s, const Vs& parts);
  void set_results(nest::Id v, const Vs& values);  // of a structured instruction, in order
  void set_vectors(nest::Id v, Vs vectors) {
    values_[v] = Val{nullptr, nullptr, std::move(vectors), nullptr};
  }

  V mask_of(int vector);  // `active` as an explicit mask
  Masks masks_of() {
    return vectors([&](int p) { return mask_of(p); });
  }
  Masks and_active(const Masks& m);  // `active` and m
  // Returns true if all elements that have a grid point are active.
  bool all_active() const { return active.empty() || active == in_grid; }

  Divergence divergence;
  // The mask of the active elements. Emitted code runs only while at least one element is active,
  // so uniform loads need no mask. Inactive elements compute unspecified values.
  Masks active;
  Masks in_grid;  // elements that have a grid point
  int interleave = 1;
  // By vector: how many points (I32) each element is beyond the first point of its block. Empty:
  // elements are neighbours, element l of vector p is p * vector_width + l points beyond.
  Vs positions;
  Vs position_elements;  // by element: the same of a single vector (I64)
  Vs later_positions;    // by element: that of a vector which runs soon, or any number
  // By If: the side that all active elements are known to take, in code for such elements.
  std::map<nest::Id, size_t> known_sides;

 protected:
  const nest::Kernel& k_;
  IrBuilder b_;

 private:
  std::vector<Val> values_;
};

}  // namespace weft::compiler

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/region.h: estimates how much code it takes to compute a value where it is read.
//
// LLVM's time grows faster than the code of one function. The code of an inlined region is
// therefore measured before it is written. An element that is read twice at the same index is
// computed once. One that is read at several indices (shifted, gathered) is computed for each of
// them.
#pragma once
#include <cstdint>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "jit/fuse/analysis.h"

namespace weft::compiler {

// The largest number of instructions that are inlined for one value, and for all values that one
// kernel stores. Compile time grows faster than the code of a kernel. A kernel that exceeds it
// anyway uses loops over the elements of small arrays.
inline constexpr int long_kernel = 1000;
// Above this number of instructions a value is stored instead of being computed in two places.
inline constexpr int max_recomputed_cost = 12;
// The cost of storing a value: per byte, and for the extra kernel that may result. The unit is one
// instruction for one element. A vector instruction for 16 elements takes about 0.3 ns, so 16 units
// are 0.3 ns: a byte costs about 0.15 ns, and a kernel about 5 us.
inline constexpr int64_t byte_cost = 8, kernel_cost = 1 << 18;
// An update of one element at a computed place: about 5 ns.
inline constexpr int64_t update_cost = 256;
// Values of up to this many elements per lane are scalars; larger ones are in local arrays.
inline constexpr int64_t small_elements = 32;
// The same limit in kernels without loops, and the largest number of instructions of such a kernel.
// Between the two limits, values are scalars only if that does not double the code.
inline constexpr int64_t many_scalars = 128, most_scalars = 256;
inline constexpr int64_t longest_straight_kernel = 12'000;
// The same limit in kernels that would be too long: loops replace the code for each element.
inline constexpr int64_t few_elements = 4;
// Up to this many elements are copied without a loop, so that small records are recognized.
inline constexpr int64_t max_unrolled_copy = 16;
// A row of this many elements fills vectors by itself.
inline constexpr int64_t min_vector_row = 16;

// Returns true if an equation of this form, or every equation of a program, neither loops nor
// branches and calls nothing.
bool is_straight(const Lowering& l);
bool is_straight(const Scope& s);
// Returns true for a running fold with so few terms that they are one run.
bool is_short_running_fold(const Lowering& l);
// Returns the number of terms of each result of a fold; 1 for other equations.
int64_t terms_of(const Lowering& l);
// Returns true for a fold with so few terms that they are written out.
bool is_short_fold(const Lowering& l);

class Region {
 public:
  // inlined(v): true if variable v, an elementwise result, is computed where it is read. Counting
  // stops above `most`.
  Region(const Program& p, std::function<bool(int32_t)> inlined, int most);
  // Adds the code that computes v, or the operands of equation i (and i itself), to the region.
  void add(int32_t v);
  void add_equation(size_t i);
  int cost() const { return cost_; }
  bool full() const { return cost_ > most_; }
  const std::set<size_t>& equations() const { return equations_; }
  // A variable, and for each of its axes the axis of the region's root that indexes it (-1:
  // unknown).
  using Read = std::pair<int32_t, std::vector<int>>;
  // The variables that the region reads and does not compute.
  const std::set<Read>& reads() const { return reads_; }

 private:
  void drain();
  void read_operands(size_t i, const std::vector<int>& axes);

  const Program& p_;
  std::function<bool(int32_t)> inlined_;
  const int most_;
  int cost_ = 0;
  std::set<std::pair<size_t, std::vector<int>>> seen_;
  std::set<size_t> equations_;
  std::set<Read> reads_;
  std::vector<Read> stack_;
};

}  // namespace weft::compiler

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/region.h: how much code computing a value where it is read takes.
//
// LLVM's time grows faster than the code of one function. A region that is computed on the way is
// therefore measured as it will be written: an element that is read twice at the same index is
// computed once, one that is read at several indices (shifted, gathered) as often as it is read.
#pragma once
#include <cstdint>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "weft/jit/fuse/analysis.h"

namespace weft::compiler {

// Instructions computed on the way for one value, and for all that one kernel stores, at most: the
// time to compile a kernel grows faster than its code. One that is longer nonetheless is written
// with loops over the elements of small arrays.
inline constexpr int long_kernel = 1000;
// Instructions above which a value is stored rather than computed in two places.
inline constexpr int expensive = 12;
// Values of up to this many elements a lane are kept one by one; larger ones in local arrays.
inline constexpr int64_t small_elements = 32;
// The same in kernels that would be too long: what is written once an element is written in loops.
inline constexpr int64_t fewer_elements = 4;
// Elements that are moved one by one, not in a loop, so that small records are seen to be such.
inline constexpr int64_t moved_elements = 16;
// A row of so many elements fills vectors by itself.
inline constexpr int64_t fills_vectors = 16;

class Region {
 public:
  // inlined(v): whether variable v is computed where it is read. Counting ends beyond `most`.
  Region(const Program& p, std::function<bool(int32_t)> inlined, int most);
  // What computing v, or the operands of equation i (and i itself), adds to the region.
  void add(int32_t v);
  void add_equation(size_t i);
  int cost() const { return cost_; }
  bool full() const { return cost_ > most_; }
  const std::set<size_t>& equations() const { return equations_; }

 private:
  // A variable, and the axis of the region's root that indexes each of its axes (-1: unknown).
  using Read = std::pair<int32_t, std::vector<int>>;
  void drain();
  void read_operands(size_t i, const std::vector<int>& axes);

  const Program& p_;
  std::function<bool(int32_t)> inlined_;
  const int most_;
  int cost_ = 0;
  std::set<std::pair<size_t, std::vector<int>>> seen_;
  std::set<size_t> equations_;
  std::vector<Read> stack_;
};

}  // namespace weft::compiler

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/laws/mappings.h: the ways in which the operands of an op can be mapped.
#pragma once
#include <algorithm>

#include "batching/batch_trace.h"
#include "laws.h"

namespace weft::laws {

// Returns the non-empty subsets of operands to map. For up to 4 operands it returns all subsets,
// otherwise the single operands and the full set. For no operands it returns the empty subset.
inline std::vector<std::vector<bool>> subsets(size_t n) {
  std::vector<std::vector<bool>> r;
  if (n == 0) r.emplace_back();
  if (n <= 4) {
    for (size_t bits = 1; bits < (size_t{1} << n); ++bits) {
      r.emplace_back();
      for (size_t i = 0; i < n; ++i) r.back().push_back(bits >> i & 1);
    }
    return r;
  }
  r.push_back(std::vector<bool>(n, true));
  for (size_t i = 0; i < n; ++i) {
    r.push_back(std::vector<bool>(n, false));
    r.back()[i] = true;
  }
  return r;
}

// Calls run(axes) for every choice of mapped operands, with the same axis for all and with
// different ones.
template <class F>
void for_each_mapping(const Case& c, F run) {
  int rank = 0;
  const Types in = c.in();
  for (const Type& t : in) rank = std::max(rank, t.ndim());
  for (const auto& mapped : subsets(in.size()))
    for (int shift = 0; shift <= rank; ++shift)
      for (const bool together : {true, false}) {
        MaybeAxes axes;
        for (size_t i = 0; i < in.size(); ++i) {
          const int n = in[i].ndim();
          const int at = together ? std::min(shift, n) : (shift + static_cast<int>(i)) % (n + 1);
          axes.push_back(mapped[i] ? MaybeAxis(at) : std::nullopt);
        }
        run(axes);
      }
}
// Moves the axis of the lanes of the results to the front.
inline Arrays to_front(const Batched& b, int64_t size) {
  Arrays out;
  for (size_t k = 0; k < b.out.size(); ++k)
    out.push_back(move_mapped(b.out[k], b.axis[k], 0, size));
  return out;
}
inline std::string axes_text(const MaybeAxes& axes) {
  std::string s = "axes";
  for (const MaybeAxis& a : axes) s += a ? fmt::format(" {}", *a) : " -";
  return s;
}

}  // namespace weft::laws

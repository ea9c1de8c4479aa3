// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/lane_folds.h: reductions inside the lane, in the order of core/loops/fold_order.h.
//
// A lowering rule gives the terms, so a fold knows neither variables nor places. It may write
// loops, folds and arithmetic, but no loads or stores of its own. A new combiner is a case of
// `combine_all`, and a new order or form of a fold is a method of LaneFolds.
#pragma once
#include <functional>
#include <vector>

#include "core/loops/combine.h"
#include "jit/nests/lane_space.h"

namespace weft::compiler {

// Combines results component by component. Pairs of ArgMin and ArgMax compare by value, then by
// index. `in_order`: for such pairs, those of y have the higher indices.
std::vector<nest::Id> combine_all(nest::Builder& b, const std::vector<nest::Combine>& c,
                                  const std::vector<nest::Id>& x, const std::vector<nest::Id>& y,
                                  bool in_order = false);
// Returns the terms of all accumulators of a fold at c: the components of each, in order.
std::vector<nest::Id> terms_at(const Lowering& l, Reader& reader, const Coords& c);

class LaneFolds {
 public:
  // Says which folds of up to most_unrolled terms are written term by term. `several_axes`: only
  // folds over several axes. The indices of their terms are then constants, not quotients.
  enum class Unrolled { none, several_axes, all };
  LaneFolds(nest::Builder& b, LaneSpace& space, Unrolled unrolled)
      : b_(b), space_(space), unrolled_(unrolled) {}
  // Folds the terms of element `at` of the results, and returns that of result `out`.
  Elem element(const Lowering& l, Reader& reader, int out, const Coords& at);

 private:
  struct FoldSpec {
    std::vector<nest::Combine> combine;
    const std::vector<nest::Id>& identity;
    bool of_folds = false;  // true if the terms are folds themselves
    bool in_order = false, any_order = false;
    FoldSpec of_results() const { return {nest::of_results(combine), identity, true}; }
  };
  using Term = std::function<std::vector<nest::Id>(num::Ir<int64_t>)>;
  std::vector<nest::Id> fold_block(int64_t n, const FoldSpec& f, const Term& term);
  std::vector<nest::Id> fold_unrolled(int64_t n, const FoldSpec& f, const Term& term);
  bool is_short(const Term& term, int64_t n);
  std::vector<nest::Id> fold_in_order(int64_t n, const FoldSpec& f, const Term& term);
  std::vector<nest::Id> fold_terms(int64_t n, const FoldSpec& f, const Term& term);
  std::vector<nest::Id> fold_axes(const std::vector<int64_t>& extents, const FoldSpec& f,
                                  const std::function<std::vector<nest::Id>(const Coords&)>& term);

  nest::Builder& b_;
  LaneSpace& space_;
  const Unrolled unrolled_;
};

}  // namespace weft::compiler

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/cpu/sorted_points.cpp: keys of points, and the order that they give.
#include "jit/emit/cpu/sorted_points.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>

#include "jit/emit/cpu/grid.h"
#include "jit/schedule/nest_names.h"

namespace weft::compiler {

namespace {
// Blocks that run in the order of the grid, without other keys, if the first is not worth sorting.
constexpr int64_t unsorted_blocks = 8;
// The part of a block that its first pass takes, and the least number of vectors.
constexpr int64_t sampled_part = 4, sampled_vectors = 4;
// The instructions of a vector for each key, to find and count the points that have it.
constexpr int64_t cost_of_key = 4;
// The rows of a vector are fetched while the vectors before it run. Measured for a million rows of
// 16 floats: 7.9 ns a row, 10 without it.
constexpr int64_t vectors_ahead = 2;
// Up to so many keys, one pass for each key that moves vectors is faster than one that moves
// points. Measured with AVX-512: a key takes 0.1 ns per point, a pass over points 0.7 ns.
constexpr size_t few_keys = 6;
}  // namespace

SortedPoints::SortedPoints(CpuEmitter& e)
    : EmitterPart(e), tree_(*sort_keys(k_, e.divergence, s_.sorted)) {
  std::map<Id, size_t> sides;
  find_ways(tree_.root, sides);
}

void SortedPoints::find_ways(Id branch, std::map<Id, size_t>& sides) {
  for (size_t s : {0, 1}) {
    sides[branch] = s;
    const Id inner = sorted_branch(k_, s_.sorted, k_.insts[branch].blocks[s]);
    if (inner == no_id)
      ways_.push_back(sides);
    else
      find_ways(inner, sides);
  }
  sides.erase(branch);
}

void SortedPoints::emit(V begin, V end) {
  // Whole vectors are stored and read. In the order, the points of each key begin a vector.
  const int64_t places = s_.sort_points + b_.vector_width;
  const int64_t places_of_keys = places + (2 * std::ssize(ways_) + vectors_ahead) * b_.vector_width;
  auto* n64 = b_.getInt64Ty();
  keys_ = b_.allocate(b_.getInt8Ty(), places, "keys");
  order_ = b_.allocate(b_.getInt16Ty(), places_of_keys, "order");
  next_ = b_.allocate(n64, std::ssize(ways_), "next");
  next_point_ = b_.allocate(n64, 1, "point");
  sorted_ = b_.allocate(n64, 1, "sorted");
  b_.CreateStore(begin, next_point_);
  b_.CreateStore(b_.i64(0), sorted_);
  const IrBuilder::LoopBlocks blocks = b_.begin_loop("block");
  const V first = b_.CreateLoad(n64, next_point_);
  b_.begin_body(blocks, b_.CreateICmpSLT(first, end));
  block(first, end);
  b_.end_loop(blocks);
}

void SortedPoints::block(V begin, V end) {
  auto* n64 = b_.getInt64Ty();
  const V rest = b_.CreateSub(end, begin);
  const auto at_most = [&](int64_t n) { return b_.call(llvm::Intrinsic::smin, {rest, b_.i64(n)}); };
  const V size = at_most(s_.sort_points);
  const V pays = find_keys(begin, size, b_.CreateLoad(n64, sorted_));
  b_.CreateStore(b_.CreateZExt(pays, n64), sorted_);
  const auto run_in_order = [&] {
    const V stop = b_.CreateAdd(begin, at_most(s_.sort_points * unsorted_blocks));
    CpuGrid(e_).grid_points(begin, stop);
    e_.plain_loops = false;
    b_.CreateStore(stop, next_point_);
  };
  const auto run_by_keys = [&] {
    sort(size);
    run_sorted(begin);
    b_.CreateStore(b_.CreateAdd(begin, size), next_point_);
  };
  b_.when(pays, run_by_keys, run_in_order);
}

// Returns true if the keys of a whole block cost less than one vector may save. A sample could miss
// the few points that save it.
bool SortedPoints::samples_nothing() const {
  const int64_t vectors = s_.sort_points / b_.vector_width;
  const int64_t keys = cost_of_key * std::ssize(ways_);
  return std::ranges::max(tree_.costs) >= vectors * (tree_.slice_cost + keys);
}

// A first pass takes the beginning of the block, unless the last block was sorted. Only if that
// finds enough to save does a second pass take all points.
V SortedPoints::find_keys(V begin, V size, V was_sorted) {
  const size_t keys = ways_.size();
  Vs init(keys, b_.i64(0));
  init.push_back(b_.getTrue());
  const V least = b_.i64(sampled_vectors * b_.vector_width);
  const V sample = b_.call(
      llvm::Intrinsic::smin,
      {size, b_.call(llvm::Intrinsic::smax, {b_.CreateUDiv(size, b_.i64(sampled_part)), least})});
  e_.records().enabled = false;
  const IrBuilder::Loop passes = b_.loop(
      "pass", samples_nothing() ? b_.i64(1) : was_sorted, b_.i64(2), b_.i64(1), init,
      [&](V pass, const Vs& before) {
        const V some = b_.CreateICmpEQ(pass, b_.i64(0));
        const V end =
            b_.CreateSelect(some, sample, b_.CreateSelect(before.back(), size, b_.i64(0)));
        Vs found = count_keys(begin, end);
        const V spent = found.pop_back_val();
        // A sample has fewer points of each key than vectors have in the end.
        const V round = b_.CreateSelect(some, b_.i64(0), b_.i64(b_.vector_width - 1));
        V points = b_.i64(0), sorted = b_.i64(0);
        for (size_t key = 0; key < keys; ++key) {
          points = b_.CreateAdd(points, found[key]);
          sorted =
              b_.CreateAdd(sorted, b_.CreateMul(whole_vectors(found[key], round), cost_of(key)));
        }
        sorted =
            b_.CreateAdd(sorted, b_.CreateMul(whole_vectors(points, round), b_.i64(s_.sort_cost)));
        found.push_back(b_.CreateICmpSGT(spent, sorted));
        return found;
      });
  e_.records().enabled = true;
  starts_.assign(1, b_.i64(0));
  ends_.clear();
  for (size_t key = 0; key < keys; ++key) {
    ends_.push_back(b_.CreateAdd(starts_.back(), passes.carry[key]));
    // A vector may be stored at the end of each key.
    starts_.push_back(b_.CreateAnd(b_.CreateAdd(ends_.back(), b_.i64(2 * b_.vector_width - 1)),
                                   b_.i64(-b_.vector_width)));
  }
  return passes.carry.back();
}

V SortedPoints::whole_vectors(V points, V round) {
  return b_.CreateUDiv(b_.CreateAdd(points, round), b_.i64(b_.vector_width));
}

Vs SortedPoints::count_keys(V begin, V size) {
  auto* n8 = b_.getInt8Ty();
  const size_t keys = ways_.size();
  return b_
      .loop("keys", b_.i64(0), size, b_.i64(b_.vector_width), Vs(keys + 1, b_.i64(0)),
            [&](V at, const Vs& before) {
              const V first = b_.CreateAdd(begin, at);
              const V mask = b_.prefix_mask(b_.CreateSub(size, at));
              e_.indices[k_.rank - 1] = first;
              e_.record_checked_point(k_.rank == 2 ? e_.indices[0] : nullptr, first);
              e_.active = e_.in_grid = {mask};
              for (Id v : tree_.slice) e_.emit_inst(v);
              Vs masks, next;
              masks_of_keys(tree_.root, mask, masks);
              V all = llvm::Constant::getNullValue(b_.vector_of(n8)), spent = before.back();
              for (size_t key = 0; key < keys; ++key) {
                const V count = b_.CreateZExt(b_.count({masks[key]}), b_.getInt64Ty());
                next.push_back(b_.CreateAdd(before[key], count));
                spent = b_.CreateAdd(
                    spent, b_.CreateSelect(b_.any({masks[key]}), cost_of(key), b_.i64(0)));
                all = b_.CreateSelect(masks[key], b_.splat(llvm::ConstantInt::get(n8, key)), all);
              }
              next.push_back(spent);
              b_.CreateAlignedStore(all, b_.CreateGEP(n8, keys_, at), llvm::Align(1));
              e_.active.clear();
              e_.in_grid.clear();
              return next;
            })
      .carry;
}

void SortedPoints::masks_of_keys(Id branch, V reached, Vs& masks) {
  const Inst& i = k_.insts[branch];
  const V yes = e_.vec(i.args[0], 0);
  for (size_t s : {0, 1}) {
    const V mask = b_.CreateAnd(reached, s == 0 ? yes : b_.CreateNot(yes));
    const Id inner = sorted_branch(k_, s_.sorted, i.blocks[s]);
    if (inner == no_id)
      masks.push_back(mask);
    else
      masks_of_keys(inner, mask, masks);
  }
}

// Points with equal keys keep their order. The elements after the last point of a key repeat this
// point, so that vectors need no masks: they compute and store the same once more.
void SortedPoints::sort(V size) {
  e_.mask_registers() && ways_.size() <= few_keys ? sort_vectors(size) : sort_points(size);
  auto* n16 = b_.getInt16Ty();
  for (V end : ends_) {
    const V last = b_.at_least_zero(b_.CreateSub(end, b_.i64(1)));
    b_.CreateAlignedStore(b_.splat(b_.CreateLoad(n16, b_.CreateGEP(n16, order_, last))),
                          b_.CreateGEP(n16, order_, end), llvm::Align(2));
  }
}

// For each key, moves the points of a vector that have it together. Elements beyond them are
// overwritten by those that follow.
void SortedPoints::sort_vectors(V size) {
  auto *n8 = b_.getInt8Ty(), *n16 = b_.getInt16Ty(), *n32 = b_.getInt32Ty();
  for (size_t key = 0; key < ways_.size(); ++key) {
    const V mine = b_.splat(llvm::ConstantInt::get(n8, key));
    b_.loop("sort", b_.i64(0), size, b_.i64(b_.vector_width), {starts_[key]},
            [&](V at, const Vs& place) {
              const V keys = b_.CreateAlignedLoad(b_.vector_of(n8), b_.CreateGEP(n8, keys_, at),
                                                  llvm::Align(1));
              const V mask =
                  b_.CreateAnd(b_.CreateICmpEQ(keys, mine), b_.prefix_mask(b_.CreateSub(size, at)));
              const V points = b_.CreateAdd(b_.splat(b_.CreateTrunc(at, n32)), b_.iota(n32));
              const V together = b_.call(llvm::Intrinsic::x86_avx512_mask_compress,
                                         {points->getType()}, {points, points, mask});
              b_.CreateAlignedStore(b_.CreateTrunc(together, b_.vector_of(n16)),
                                    b_.CreateGEP(n16, order_, place[0]), llvm::Align(2));
              return Vs{b_.CreateAdd(place[0], b_.CreateZExt(b_.count({mask}), b_.getInt64Ty()))};
            });
  }
}

// A counting sort.
void SortedPoints::sort_points(V size) {
  auto *n8 = b_.getInt8Ty(), *n16 = b_.getInt16Ty(), *n64 = b_.getInt64Ty();
  for (size_t key = 0; key < ways_.size(); ++key)
    b_.CreateStore(starts_[key], b_.CreateConstGEP1_64(n64, next_, key));
  b_.each("sort", b_.i64(0), size, 1, [&](V point) {
    const V key = b_.CreateZExt(b_.CreateLoad(n8, b_.CreateGEP(n8, keys_, point)), n64);
    const V next = b_.CreateGEP(n64, next_, key), place = b_.CreateLoad(n64, next);
    b_.CreateStore(b_.CreateTrunc(point, n16), b_.CreateGEP(n16, order_, place));
    b_.CreateStore(b_.CreateAdd(place, b_.i64(1)), next);
  });
}

void SortedPoints::run_sorted(V begin) {
  auto *n16 = b_.getInt16Ty(), *n32 = b_.getInt32Ty(), *n64 = b_.getInt64Ty();
  e_.plain_loops = true;
  for (size_t key = 0; key < ways_.size(); ++key) {
    e_.known_sides = ways_[key];
    b_.each("sorted", starts_[key], ends_[key], b_.vector_width, [&](V at) {
      const V place = b_.CreateGEP(n16, order_, at);
      const V positions = b_.CreateAlignedLoad(b_.vector_of(n16), place, llvm::Align(2));
      e_.positions = {b_.CreateZExt(positions, b_.vector_of(n32))};
      const auto position = [&](int64_t l) {
        return b_.CreateZExt(b_.CreateLoad(n16, b_.CreateGEP(n16, place, b_.i64(l))), n64);
      };
      for (int l = 0; l < b_.vector_width; ++l) {
        e_.position_elements.push_back(position(l));
        e_.later_positions.push_back(position(l + vectors_ahead * b_.vector_width));
      }
      CpuGrid(e_).emit_points(begin, {});
      e_.positions.clear();
      e_.position_elements.clear();
      e_.later_positions.clear();
    });
  }
  e_.known_sides.clear();
  e_.plain_loops = false;
}

}  // namespace weft::compiler

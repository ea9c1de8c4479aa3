// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/factors.cpp: the positions of numbers in a tile, and their moves.
#include "jit/emit/gpu/factors.h"

#include <llvm/IR/Intrinsics.h>

#include "jit/emit/gpu/gpu_emitter.h"
#include "jit/schedule/nest_names.h"

namespace weft::compiler {

namespace {
constexpr int64_t widest_access = 16;  // in bytes
}

// This thread moves groups of neighbours. Returns the position in the tile of the nth number of a
// group, in 32 bits.
Factors::TilePosition Factors::position(const ProductState& p, const ProductSide& s, int group,
                                        V n) {
  const bool along_terms = s.factor->along_terms;
  const int fast = (along_terms ? p.s.terms : s.points) / s.group;
  V at = b_.CreateTrunc(p.thread, b_.getInt32Ty());
  int lines = group * s_.block / fast;
  if (s_.block % fast != 0) {
    at = b_.CreateAdd(at, b_.i32(group * s_.block));
    lines = 0;
  }
  const V low = b_.CreateAdd(b_.CreateMul(b_.CreateAnd(at, b_.i32(fast - 1)), b_.i32(s.group)), n),
          high = b_.CreateAdd(b_.CreateUDiv(at, b_.i32(fast)), b_.i32(lines));
  return along_terms ? TilePosition{high, low} : TilePosition{low, high};
}

// Returns the last position in the tile that is not past an edge.
Factors::TilePosition Factors::last_position(const ProductState& p, const ProductSide& s,
                                             V first_term) {
  const auto most = [&](V last, V first, int n) {
    return b_.CreateTrunc(
        b_.call(llvm::Intrinsic::smin, {b_.CreateSub(last, first), b_.i64(n - 1)}),
        b_.getInt32Ty());
  };
  return {most(s.last, s.first, s.points), most(b_.i64(p.loop.terms - 1), first_term, p.s.terms)};
}

// Sets the indices so that the factor's instructions compute the value at this position. Values of
// a column are the same for all rows of the tile.
void Factors::set_indices(const ProductState& p, const ProductSide& s, const TilePosition& place,
                          V first_term) {
  const auto behind = [&](V first, V x) {
    return b_.CreateAdd(first, b_.CreateZExt(x, b_.getInt64Ty()));
  };
  e_.indices[0] = p.rows.first;
  e_.indices[s.axis] = behind(s.first, place.point);
  e_.set(k_.blocks[k_.insts[p.loop.loop].blocks[0]].params[0], behind(first_term, place.term));
}
// The same, but positions past an edge are clamped to the last valid one.
void Factors::set_clamped_indices(const ProductState& p, const ProductSide& s, TilePosition place,
                                  V first_term) {
  const TilePosition last = last_position(p, s, first_term);
  place.point = b_.call(llvm::Intrinsic::smin, {place.point, last.point});
  if (!p.full_stage) place.term = b_.call(llvm::Intrinsic::smin, {place.term, last.term});
  set_indices(p, s, place, first_term);
}

V Factors::address(const ProductFactor::Read& r) {
  for (const Id v : r.offset) e_.emit_inst(v);
  return b_.CreateGEP(number_type(r), e_.buffers[k_.insts[r.load].imm],
                      e_.scalar(k_.insts[r.load].args[0]));
}
llvm::Type* Factors::number_type(const ProductFactor::Read& r) {
  return ops_.memory_type(k_.buffers[k_.insts[r.load].imm].storage);
}

V Factors::fits(const ProductState& p, const ProductSide& s) {
  V places = b_.i64(0);
  for (int g = 0; g < s.groups && s.group > 1; ++g) {
    set_indices(p, s, position(p, s, g, b_.i32(0)), b_.i64(0));
    for (const auto& r : s.factor->reads)
      if (r.side_by_side)
        places = b_.CreateOr(places, b_.CreateAnd(b_.CreatePtrToInt(address(r), b_.getInt64Ty()),
                                                  b_.i64(s.group * element_bytes(k_, r.load) - 1)));
  }
  return b_.CreateAnd(b_.CreateICmpSLE(b_.CreateAdd(s.first, b_.i64(s.points - 1)), s.last),
                      b_.CreateICmpEQ(places, b_.i64(0)));
}

Vs Factors::load(const ProductState& p, const ProductSide& s, V first_term) {
  Vs out;
  for (int g = 0; g < s.groups; ++g)
    for (const auto& r : s.factor->reads) {
      auto* t = number_type(r);
      auto* all = llvm::FixedVectorType::get(t, static_cast<unsigned>(s.group));
      V x = llvm::UndefValue::get(all);
      if (s.group > 1 && r.side_by_side) {
        set_indices(p, s, position(p, s, g, b_.i32(0)), first_term);
        x = b_.CreateAlignedLoad(
            all, address(r),
            llvm::Align(static_cast<uint64_t>(s.group * element_bytes(k_, r.load))));
      } else {
        for (int n = 0; n < s.group; ++n) {
          set_clamped_indices(p, s, position(p, s, g, b_.i32(n)), first_term);
          x = b_.CreateInsertElement(x, b_.CreateLoad(t, address(r)), static_cast<uint64_t>(n));
        }
      }
      out.push_back(x);
    }
  return out;
}

// Converts a factor to its form in shared memory.
V Factors::convert(const ProductState& p, V x) {
  if (!p.s.mma) return x;
  if (p.loop.rows.is_f16 && p.loop.columns.is_f16)
    return b_.CreateBitCast(b_.CreateFPTrunc(x, b_.getHalfTy()), b_.getInt16Ty());
  return b_.CreateTrunc(b_.CreateLShr(b_.CreateBitCast(x, b_.getInt32Ty()), 16), b_.getInt16Ty());
}

// Returns the factor at a position, from the results of its loads, or, if `loaded` is empty, from
// new loads. After the last term the factors are 0 for rows and -0 for columns, which do not change
// a sum.
V Factors::factor(const ProductState& p, const ProductSide& s, const TilePosition& place,
                  V first_term, llvm::ArrayRef<V> loaded) {
  const auto& reads = s.factor->reads;
  if (loaded.size() == 1 && reads[0].load == s.factor->value &&
      loaded[0]->getType() == p.factor_type)
    return loaded[0];
  set_clamped_indices(p, s, place, first_term);
  for (const Id v : s.factor->slice) {
    const auto r = std::ranges::find(reads, v, &ProductFactor::Read::load);
    if (loaded.empty() || r == reads.end())
      e_.emit_inst(v);
    else
      e_.set(v, ops_.from_memory(loaded[r - reads.begin()], k_.buffers[k_.insts[v].imm].storage));
  }
  const V x = convert(p, e_.scalar(s.factor->value));
  if (p.full_stage) return x;
  const V none =
      convert(p, llvm::ConstantFP::get(p.sum_type, s.factor == &p.loop.rows ? 0.0 : -0.0));
  return b_.CreateSelect(b_.CreateICmpSLE(place.term, last_position(p, s, first_term).term), x,
                         none);
}

// Returns the address in the stage of a number of the tile.
V Factors::stage_address(const ProductState& p, const ProductSide& s, V stage,
                         const TilePosition& place) {
  const V line = s.stage.by_terms ? place.point : place.term,
          column = s.stage.by_terms ? place.term : place.point;
  const auto bytes = [&](V n, int64_t each) {
    return b_.CreateMul(n, b_.i32(static_cast<int32_t>(each)));
  };
  const V in_stage = b_.CreateAdd(bytes(line, s.stage.pitch), bytes(column, p.stage.number));
  return b_.CreateConstGEP1_64(
      b_.getInt8Ty(), b_.CreateGEP(b_.getInt8Ty(), stage, b_.CreateZExt(in_stage, b_.getInt64Ty())),
      static_cast<uint64_t>(s.stage.first));
}

void Factors::store(const ProductState& p, const ProductSide& s, V stage, V first_term,
                    llvm::ArrayRef<V> loaded) {
  const size_t reads = s.factor->reads.size();
  const int64_t size = p.stage.number;
  const bool side_by_side = s.stage.by_terms == s.factor->along_terms;
  const int step =
      side_by_side ? static_cast<int>(std::min<int64_t>(s.group, widest_access / size)) : 1;
  auto* vector = llvm::FixedVectorType::get(p.factor_type, static_cast<unsigned>(step));
  for (int g = 0; g < s.groups; ++g) {
    const llvm::ArrayRef<V> own = loaded.slice(reads * static_cast<size_t>(g), reads);
    const V at = stage_address(p, s, stage, position(p, s, g, b_.i32(0)));
    V x = llvm::UndefValue::get(vector);
    for (int n = 0; n < s.group; ++n) {
      Vs parts;
      for (V of : own) parts.push_back(b_.CreateExtractElement(of, static_cast<uint64_t>(n)));
      const V number = factor(p, s, position(p, s, g, b_.i32(n)), first_term, parts);
      x = b_.CreateInsertElement(x, number, static_cast<uint64_t>(n % step));
      if (n % step != step - 1) continue;
      const int64_t behind = (n - step + 1) * (side_by_side ? size : s.stage.pitch);
      b_.CreateAlignedStore(
          x, b_.CreateConstGEP1_64(b_.getInt8Ty(), at, static_cast<uint64_t>(behind)),
          llvm::Align(static_cast<uint64_t>(step * size)));
    }
  }
}

void Factors::copy(const ProductState& p, const ProductSide& s, V stage, V first_term) {
  b_.each("numbers", b_.i64(0), b_.i64(s.group), 1, [&](V n) {
    for (int g = 0; g < s.groups; ++g) {
      const TilePosition place = position(p, s, g, b_.CreateTrunc(n, b_.getInt32Ty()));
      const V x = factor(p, s, place, first_term, {});
      b_.CreateAlignedStore(x, stage_address(p, s, stage, place),
                            llvm::Align(static_cast<uint64_t>(p.stage.number)));
    }
  });
}

}  // namespace weft::compiler

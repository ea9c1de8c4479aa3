// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/cpu/tiles.cpp: reads and transposes tiles.
#include "jit/emit/cpu/tiles.h"

#include <algorithm>
#include <utility>

#include "jit/emit/cpu/grid.h"
#include "jit/schedule/nest_names.h"

namespace weft::compiler {

namespace {
// Transposes square blocks by exchanging halves, quarters, ... of pairs of vectors.
void transpose_square(IrBuilder& b, Vs& rows) {
  for (int half = 1; half < b.vector_width; half *= 2) {
    llvm::SmallVector<int, 64> low, high;
    for (int l = 0; l < b.vector_width; ++l) {
      low.push_back(l & half ? b.vector_width + l - half : l);
      high.push_back(l & half ? b.vector_width + l : l + half);
    }
    for (int r = 0; r < b.vector_width; ++r) {
      if (r & half) continue;
      const V x = rows[r], y = rows[r + half];
      rows[r] = b.CreateShuffleVector(x, y, low);
      rows[r + half] = b.CreateShuffleVector(x, y, high);
    }
  }
}
}  // namespace

// Reads the tile of a load: rows of vectors, from `first` on, that are `stride` elements apart.
void Tiles::fill_tile(llvm::Type* t, V first, V stride, V array, int64_t rows) {
  const llvm::Align align = b_.align_of(t);
  b_.each("transpose", b_.i64(0), b_.i64(rows), b_.vector_width, [&](V row) {
    const V from = b_.CreateGEP(t, first, row);
    Vs block;
    for (int l = 0; l < b_.vector_width; ++l)
      block.push_back(b_.CreateAlignedLoad(
          b_.vector_of(t), b_.CreateGEP(t, from, b_.CreateMul(stride, b_.i64(l))), align));
    transpose_square(b_, block);
    for (int l = 0; l < b_.vector_width; ++l)
      b_.CreateStore(block[static_cast<size_t>(l)],
                     b_.CreateGEP(b_.vector_of(t), array, b_.CreateAdd(row, b_.i64(l))));
  });
}

// Reads the tiles whose first point has the current indices. LLVM takes 5 ms for a transposition,
// so that loads of one type share it in a loop, which reads the places of the tiles from arrays.
void Tiles::fill_tiles(int64_t rows) {
  llvm::Type *const address = b_.getPtrTy(), *const number = b_.getInt64Ty();
  for (const Group& group : groups_) {
    const auto place = [&](Id v) {
      e_.emit_slice(k_.insts[v].args[0]);
      const Val& offset = e_.value(k_.insts[v].args[0]);
      return std::pair(b_.CreateGEP(group.type, e_.buffers[k_.insts[v].imm], offset.base),
                       offset.stride);
    };
    const auto n = static_cast<int64_t>(group.loads.size());
    if (n == 1) {
      const auto [first, stride] = place(group.loads[0]);
      fill_tile(group.type, first, stride, group.arrays, rows);
      continue;
    }
    for (int64_t i = 0; i < n; ++i) {
      const auto [first, stride] = place(group.loads[static_cast<size_t>(i)]);
      b_.CreateStore(first, b_.CreateGEP(address, group.firsts, b_.i64(i)));
      b_.CreateStore(stride, b_.CreateGEP(number, group.strides, b_.i64(i)));
    }
    b_.each("tiles", b_.i64(0), b_.i64(n), 1, [&](V i) {
      const auto at = [&](llvm::Type* t, V array) {
        return b_.CreateLoad(t, b_.CreateGEP(t, array, i));
      };
      fill_tile(group.type, at(address, group.firsts), at(number, group.strides),
                b_.CreateGEP(b_.vector_of(group.type), group.arrays, b_.CreateMul(i, b_.i64(rows))),
                rows);
    });
  }
}

// Groups the loads by the type of their elements. If accesses are tested, each load has its own
// group, because the test has to know its buffer.
void Tiles::make_groups(int64_t rows) {
  for (const Id v : s_.tiled) {
    auto* t = ops_.memory_type(k_.buffers[k_.insts[v].imm].storage);
    auto group = e_.checked() ? groups_.end() : std::ranges::find(groups_, t, &Group::type);
    if (group == groups_.end()) group = groups_.insert(groups_.end(), {.type = t});
    group->loads.push_back(v);
  }
  for (Group& group : groups_) {
    const auto n = static_cast<int64_t>(group.loads.size());
    auto* vector = b_.vector_of(group.type);
    group.arrays = b_.allocate(vector, n * rows, "transposed");
    for (int64_t i = 0; i < n; ++i)
      e_.tiles[group.loads[static_cast<size_t>(i)]] = {
          b_.CreateGEP(vector, group.arrays, b_.i64(i * rows)), rows};
    if (n == 1) continue;
    group.firsts = b_.allocate(b_.getPtrTy(), n, "firsts");
    group.strides = b_.allocate(b_.getInt64Ty(), n, "strides");
  }
}

// Emits whole tiles of the rows [begin, end), whose number is a multiple of `rows`.
void Tiles::tile_rows(V begin, V end, int64_t rows, V inner_begin, V inner_end) {
  CpuGrid grid(e_);
  const auto points = [&](V top, V i) {
    e_.indices[0] = top;
    e_.indices[1] = i;
    fill_tiles(rows);
    b_.each("tile", b_.i64(0), b_.i64(rows), 1, [&](V row) {
      for (auto& t : e_.tiles) t.second.row = row;
      e_.indices[0] = b_.CreateAdd(top, row);
      e_.emit_level(1);
      grid.emit_points(i, {});
      for (auto& t : e_.tiles) t.second.row = nullptr;
    });
  };
  b_.each("down", begin, end, rows, [&](V top) {
    b_.each("across", inner_begin, inner_end, b_.vector_width, [&](V i) { points(top, i); });
  });
}

// The points outside whole tiles are three grids for the loop over single rows: the rows before,
// the ends of the tiled rows, and the rows after.
void Tiles::emit(int64_t rows, V outer_begin, V outer_end, V inner_begin, V inner_end) {
  make_groups(rows);
  const V top = b_.call(
      llvm::Intrinsic::smin,
      {b_.CreateAnd(b_.CreateAdd(outer_begin, b_.i64(rows - 1)), b_.i64(-rows)), outer_end});
  const V bottom = b_.CreateAdd(top, b_.CreateAnd(b_.CreateSub(outer_end, top), b_.i64(-rows)));
  const V right = b_.CreateAdd(
      inner_begin, b_.CreateAnd(b_.CreateSub(inner_end, inner_begin), b_.i64(-b_.vector_width)));
  tile_rows(top, bottom, rows, inner_begin, right);
  b_.each("border", b_.i64(0), b_.i64(3), 1, [&](V part) {
    const V before = b_.CreateICmpEQ(part, b_.i64(0)), beside = b_.CreateICmpEQ(part, b_.i64(1));
    const auto pick = [&](V x, V y, V z) {
      return b_.CreateSelect(before, x, b_.CreateSelect(beside, y, z));
    };
    CpuGrid(e_).rows_one_by_one(pick(outer_begin, top, bottom), pick(top, bottom, outer_end),
                                b_.CreateSelect(beside, right, inner_begin), inner_end);
  });
}

}  // namespace weft::compiler

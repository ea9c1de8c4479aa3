// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/cpu/tiles.cpp: moves and transposes tiles.
#include "jit/emit/cpu/tiles.h"

#include <algorithm>
#include <utility>

#include "jit/emit/cpu/grid.h"
#include "jit/schedule/loops.h"
#include "jit/schedule/nest_names.h"
#include "jit/schedule/records.h"
#include "runtime/native/transpose.h"

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

// Returns the address of the first point, which has the current indices, and the number of elements
// between the columns.
std::pair<V, V> Tiles::place_of(Id v) {
  const Inst& i = k_.insts[v];
  e_.emit_slice(i.args[0]);
  const Val& offset = e_.value(i.args[0]);
  return {b_.CreateGEP(ops_.memory_type(k_.buffers[i.imm].storage), e_.buffers[i.imm], offset.base),
          offset.stride};
}

// Moves the tile of access v between memory and the frame. `columns`: how many of the elements of a
// vector run, if not all do. The others move the last column that runs. They do so before it, so
// that its values are those that remain.
void Tiles::move_tile(Id v, int64_t rows, V columns) {
  const auto [first, stride] = place_of(v);
  const V array = e_.tiles[v].array, last = columns ? b_.CreateSub(columns, b_.i64(1)) : nullptr;
  if (!turns_in_library(v, columns != nullptr)) {
    turn_rows(v, rows, first, array, [&, stride = stride](V memory, V frame) {
      turn_in_kernel(v, memory, frame, stride, last);
    });
    return;
  }
  V column = b_.iota(b_.getInt64Ty());
  if (last) column = b_.call(llvm::Intrinsic::smin, {column, b_.splat(last)});
  const V bytes = b_.CreateMul(stride, b_.i64(element_bytes(k_, v)));
  b_.CreateStore(b_.CreateMul(column, b_.splat(bytes)), e_.tiles[v].row_offsets);
  turn_rows(v, rows, first, array, [&](V memory, V frame) { turn_in_library(v, memory, frame); });
}

// Moves the tiles of all loads, or of all stores. Accesses of one type share the code of a
// transposition: a loop over them reads the places of their tiles from arrays.
void Tiles::move_tiles(Opcode what, int64_t rows, V columns) {
  llvm::Type *const address = b_.getPtrTy(), *const number = b_.getInt64Ty();
  for (const Group& g : groups_) {
    if (g.what != what) continue;
    if (columns || !g.firsts) {
      for (Id v : g.accesses) move_tile(v, rows, columns);
      continue;
    }
    const auto n = static_cast<int64_t>(g.accesses.size());
    for (int64_t k = 0; k < n; ++k) {
      const auto [first, stride] = place_of(g.accesses[static_cast<size_t>(k)]);
      b_.CreateStore(first, b_.CreateGEP(address, g.firsts, b_.i64(k)));
      b_.CreateStore(stride, b_.CreateGEP(number, g.strides, b_.i64(k)));
    }
    b_.each("tiles", b_.i64(0), b_.i64(n), 1, [&](V k) {
      const auto at = [&](llvm::Type* t, V array) {
        return b_.CreateLoad(t, b_.CreateGEP(t, array, k));
      };
      const V first = at(address, g.firsts), stride = at(number, g.strides);
      turn_rows(g.accesses[0], rows, first,
                b_.CreateGEP(b_.vector_of(g.type), g.arrays, b_.CreateMul(k, b_.i64(rows))),
                [&](V memory, V frame) {
                  turn_in_kernel(g.accesses[0], memory, frame, stride, nullptr);
                });
    });
  }
}

void Tiles::turn_rows(Id like, int64_t rows, V first, V array,
                      const std::function<void(V memory, V frame)>& turn) {
  auto* t = ops_.memory_type(k_.buffers[k_.insts[like].imm].storage);
  b_.each("transpose", b_.i64(0), b_.i64(rows), b_.vector_width, [&](V row) {
    turn(b_.CreateGEP(t, first, row), b_.CreateGEP(b_.vector_of(t), array, row));
  });
}

// In the kernel a transposition takes LLVM 4 ms, of narrow elements 40 ms. A call of the library
// takes 1.2 to 1.5 times as long to run. It serves the last columns, and results of narrow
// elements.
bool Tiles::turns_in_library(Id v, bool last_columns) const {
  const int64_t bytes = element_bytes(k_, v);
  const bool narrow = bytes < word_bytes && k_.insts[v].op == Opcode::Store;
  return (last_columns || narrow) && bytes * b_.vector_width <= widest_transpose;
}

void Tiles::turn_in_library(Id v, V memory, V frame) {
  const int64_t bytes = element_bytes(k_, v);
  const V starts = e_.tiles[v].row_offsets, dense = e_.offsets_of_vectors(bytes);
  const bool load = k_.insts[v].op == Opcode::Load;
  b_.call(transpose_name(bytes, b_.vector_width), b_.getVoidTy(),
          {load ? frame : memory, load ? dense : starts, load ? memory : frame,
           load ? starts : dense, b_.i32(TurnHow::without_prefetch)});
}

void Tiles::turn_in_kernel(Id v, V memory, V frame, V stride, V last) {
  const Inst& i = k_.insts[v];
  auto* t = ops_.memory_type(k_.buffers[i.imm].storage);
  const llvm::Align align = b_.align_of(t);
  const auto in_memory = [&](int64_t l) {
    const V column = last ? b_.call(llvm::Intrinsic::smin, {b_.i64(l), last}) : b_.i64(l);
    return b_.CreateGEP(t, memory, b_.CreateMul(stride, column));
  };
  const auto in_frame = [&](int64_t l) { return b_.CreateGEP(b_.vector_of(t), frame, b_.i64(l)); };
  Vs block;
  for (int l = 0; l < b_.vector_width; ++l)
    block.push_back(i.op == Opcode::Load
                        ? b_.CreateAlignedLoad(b_.vector_of(t), in_memory(l), align)
                        : b_.CreateLoad(b_.vector_of(t), in_frame(l)));
  transpose_square(b_, block);
  for (int l = b_.vector_width - 1; l >= 0; --l) {
    const V x = block[static_cast<size_t>(l)];
    i.op == Opcode::Load ? b_.CreateStore(x, in_frame(l))
                         : b_.CreateAlignedStore(x, in_memory(l), align);
  }
}

// Allocates the arrays of all tiles. If accesses are tested, each has its own group, because the
// test has to know its buffer.
void Tiles::allocate(int64_t rows) {
  for (Id v : s_.tiled) {
    const Inst& i = k_.insts[v];
    auto* t = ops_.memory_type(k_.buffers[i.imm].storage);
    auto g = e_.checked() ? groups_.end() : std::ranges::find_if(groups_, [&](const Group& x) {
      return x.what == i.op && x.type == t;
    });
    if (g == groups_.end()) g = groups_.insert(groups_.end(), {.what = i.op, .type = t});
    g->accesses.push_back(v);
  }
  for (Group& g : groups_) {
    const auto n = static_cast<int64_t>(g.accesses.size());
    auto* vector = b_.vector_of(g.type);
    g.arrays = b_.allocate(vector, n * rows, "transposed");
    for (int64_t k = 0; k < n; ++k) {
      const Id v = g.accesses[static_cast<size_t>(k)];
      e_.tiles[v] = {b_.CreateGEP(vector, g.arrays, b_.i64(k * rows)), rows};
      if (turns_in_library(v, s_.versioned))
        e_.tiles[v].row_offsets = b_.allocate(b_.vector_of(b_.getInt64Ty()), 1, "starts");
    }
    if (n == 1 || turns_in_library(g.accesses[0], false)) continue;
    g.firsts = b_.allocate(b_.getPtrTy(), n, "firsts");
    g.strides = b_.allocate(b_.getInt64Ty(), n, "strides");
  }
}

// Emits a tile whose first point is (top, i).
void Tiles::tile(int64_t rows, V top, V i, V columns) {
  const auto move = [&](Opcode what) {
    e_.indices[0] = top;
    e_.indices[1] = i;
    move_tiles(what, rows, columns);
  };
  const Masks active = columns ? Masks{b_.prefix_mask(columns)} : Masks{};
  move(Opcode::Load);
  b_.each("tile", b_.i64(0), b_.i64(rows), 1, [&](V row) {
    for (auto& t : e_.tiles) t.second.row = row;
    e_.indices[0] = b_.CreateAdd(top, row);
    e_.emit_level(1);
    CpuGrid(e_).emit_points(i, active);
    for (auto& t : e_.tiles) t.second.row = nullptr;
  });
  move(Opcode::Store);
}

// Tiles have the rows [begin, end), whose number is a multiple of `rows`. If the kernel has code
// for vectors of which some elements run, tiles have all columns, else those that fill vectors. The
// other points are grids for the loop over single rows: the rows before, those after, and the ends
// of the rows of tiles.
void Tiles::emit(int64_t rows, V outer_begin, V outer_end, V inner_begin, V inner_end) {
  allocate(rows);
  const V begin = b_.call(
      llvm::Intrinsic::smin,
      {b_.CreateAnd(b_.CreateAdd(outer_begin, b_.i64(rows - 1)), b_.i64(-rows)), outer_end});
  const V end = b_.CreateAdd(begin, b_.CreateAnd(b_.CreateSub(outer_end, begin), b_.i64(-rows)));
  const V right = b_.CreateAdd(
      inner_begin, b_.CreateAnd(b_.CreateSub(inner_end, inner_begin), b_.i64(-b_.vector_width)));
  b_.each("down", begin, end, rows, [&](V top) {
    b_.each("across", inner_begin, right, b_.vector_width,
            [&](V i) { tile(rows, top, i, nullptr); });
    if (s_.versioned)
      b_.when(b_.CreateICmpSLT(right, inner_end),
              [&] { tile(rows, top, right, b_.CreateSub(inner_end, right)); });
  });
  b_.each("border", b_.i64(0), b_.i64(s_.versioned ? 2 : 3), 1, [&](V part) {
    const V before = b_.CreateICmpEQ(part, b_.i64(0)), after = b_.CreateICmpEQ(part, b_.i64(1));
    const auto pick = [&](V x, V y, V z) {
      return b_.CreateSelect(before, x, b_.CreateSelect(after, y, z));
    };
    const V whole = b_.CreateOr(before, after);
    CpuGrid(e_).rows_one_by_one(pick(outer_begin, end, begin), pick(begin, outer_end, end),
                                b_.CreateSelect(whole, inner_begin, right), inner_end);
  });
}

}  // namespace weft::compiler

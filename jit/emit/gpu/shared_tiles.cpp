// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/shared_tiles.cpp: fills the tiles, and runs their points.
#include "jit/emit/gpu/shared_tiles.h"

#include <llvm/IR/Intrinsics.h>

#include "jit/emit/gpu/gpu_emitter.h"
#include "jit/schedule/nest_names.h"
#include "jit/schedule/points.h"

namespace weft::compiler {

namespace {
// The distance between rows of a tile, in elements. It puts neighbours across rows into different
// banks.
constexpr int64_t pitch_of(int64_t tile) { return tile + 1; }

// Clamps indices past an edge to the last row and column. No access then needs a test, and all
// loads of a thread are in flight together.
V clamped_index(IrBuilder& b, V first, V n, V most) {
  return b.call(llvm::Intrinsic::smin, {b.CreateAdd(first, n), b.CreateSub(most, b.i64(1))});
}
}  // namespace

// The threads are adjacent in the tile and cover tile.rows_at_once rows of it together.
void SharedTiles::fill(const SharedTile& tile, V memory) {
  for (const Id v : s_.tiled) {
    const nest::Inst& i = k_.insts[v];
    auto* t = ops_.memory_type(k_.buffers[i.imm].storage);
    tiles_[v] = memory;
    memory = b_.CreateConstGEP1_64(b_.getInt8Ty(), memory,
                                   static_cast<uint64_t>(tile_bytes(s_, element_bytes(k_, v))));
    Vs read;
    for (int64_t n = 0; n < s_.tile; n += tile.rows_at_once) {
      e_.indices[0] = clamped_index(b_, tile.top, tile.across, tile.rows);
      e_.indices[1] =
          clamped_index(b_, tile.left, b_.CreateAdd(tile.down, b_.i64(n)), tile.columns);
      e_.emit_slice(i.args[0]);
      read.push_back(b_.CreateLoad(t, b_.CreateGEP(t, e_.buffers[i.imm], e_.scalar(i.args[0]))));
    }
    for (size_t n = 0; n < read.size(); ++n) {
      const V column = b_.CreateAdd(tile.down, b_.i64(static_cast<int64_t>(n) * tile.rows_at_once));
      const V at = b_.CreateAdd(b_.CreateMul(column, b_.i64(pitch_of(s_.tile))), tile.across);
      b_.CreateStore(read[n], b_.CreateGEP(t, tiles_[v], at));
    }
  }
}

// Issues the other loads of this thread early, for its point in that row of the tile.
std::map<Id, V> SharedTiles::early_loads(const SharedTile& tile, V down) {
  constexpr size_t most = 8;  // registers of a point
  e_.indices[0] = clamped_index(b_, tile.top, down, tile.rows);
  e_.indices[1] = clamped_index(b_, tile.left, tile.across, tile.columns);
  std::map<Id, V> out;
  for (const Id v : k_.blocks[0].body) {
    const nest::Inst& i = k_.insts[v];
    if (i.op != nest::Opcode::Load || k_.buffers[i.imm].written || s_.tiled.contains(v) ||
        e_.divergence.level[v] == 0 || out.size() == most)
      continue;
    auto* t = ops_.memory_type(k_.buffers[i.imm].storage);
    e_.emit_slice(i.args[0]);
    out[v] = b_.CreateLoad(t, b_.CreateGEP(t, e_.buffers[i.imm], e_.scalar(i.args[0])));
  }
  return out;
}

void SharedTiles::emit(V block, V thread, V rows, V columns) {
  const auto size = s_.tile;
  const V tiles_across = b_.CreateUDiv(b_.CreateAdd(columns, b_.i64(size - 1)), b_.i64(size));
  const V band = b_.CreateUDiv(block, tiles_across);
  const SharedTile tile{
      rows,
      columns,
      b_.CreateMul(band, b_.i64(size)),
      b_.CreateMul(b_.CreateSub(block, b_.CreateMul(band, tiles_across)), b_.i64(size)),
      b_.CreateAnd(thread, b_.i64(size - 1)),
      b_.CreateUDiv(thread, b_.i64(size)),
      s_.block / size};
  int64_t bytes = 0;
  for (const Id v : s_.tiled) bytes += tile_bytes(s_, element_bytes(k_, v));
  e_.emit_level(0);
  std::vector<std::map<Id, V>> early;
  for (int64_t n = 0; n < size; n += tile.rows_at_once)
    early.push_back(early_loads(tile, b_.CreateAdd(tile.down, b_.i64(n))));
  fill(tile, gpu_.shared_memory(bytes));
  gpu_.barrier();
  const V column = b_.CreateAdd(tile.left, tile.across);
  for (int64_t n = 0; n < size; n += tile.rows_at_once) {
    const V down = b_.CreateAdd(tile.down, b_.i64(n)), row = b_.CreateAdd(tile.top, down);
    b_.when(b_.CreateAnd(b_.CreateICmpSLT(row, rows), b_.CreateICmpSLT(column, columns)), [&] {
      e_.indices[0] = row;
      e_.indices[1] = column;
      early_loads_ = early[n / tile.rows_at_once];
      row_ = b_.CreateAdd(b_.CreateMul(tile.across, b_.i64(pitch_of(size))), down);
      e_.emit_level(1);
      e_.emit_level(2);
      row_ = nullptr;
      early_loads_.clear();
    });
  }
}

V SharedTiles::loaded(Id v) {
  if (const auto early = early_loads_.find(v); early != early_loads_.end()) return early->second;
  const auto tile = tiles_.find(v);
  if (tile == tiles_.end() || !row_) return nullptr;
  auto* t = ops_.memory_type(k_.buffers[k_.insts[v].imm].storage);
  return b_.CreateLoad(t, b_.CreateGEP(t, tile->second, b_.CreateAdd(row_, b_.i64(0))));
}

}  // namespace weft::compiler

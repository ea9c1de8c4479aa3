// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/emit_rows.cpp: loops along rows: running folds and scans over the last axis, with one
// row per point. It handles operands that are far apart in memory for neighbouring points and whose
// index moves by one element per trip. They are moved for a block of trips: part of each point's
// row is one vector. The block is transposed (runtime/native/transpose.h) into a small array, in
// which the points of a trip are contiguous. The trips themselves run as usual, so no bit changes.
#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "core/loops/fold_order.h"
#include "jit/emit/emit.h"
#include "jit/schedule/nest_names.h"
#include "runtime/native/transpose.h"

namespace weft::compiler {

using fold_order::run_terms;

struct Emitter::Rows {
  Id loop;
  BlockId body;
  bool up;
  Id end;  // of a running fold: where its runs end, or no_id
  std::vector<LoopSchedule::Operand> operands = {};
  int64_t steps = 0;  // of a block
  Vs active = {};  // by vector: the number of active points, which are the first ones; empty: all
                   // points are active
  V active_first = nullptr;  // true if the active points are the first ones in every vector
  V start = nullptr, count = nullptr;  // of the current block: its lowest index, its trips
};

// Counts the active points, and tests whether they are the first ones of their vectors. Only then
// can they be moved as rows.
void Emitter::count_active_rows(Rows& r) {
  r.active_first = b_.getTrue();
  for (V mask : active_) {
    const V bits =
        b_.CreateZExt(b_.CreateBitCast(mask, b_.getIntNTy(b_.vector_width)), b_.getInt64Ty());
    r.active.push_back(b_.call(llvm::Intrinsic::ctpop, {bits}));
    const V gaps = b_.CreateAnd(bits, b_.CreateAdd(bits, b_.i64(1)));
    r.active_first = b_.CreateAnd(r.active_first, b_.CreateICmpEQ(gaps, b_.i64(0)));
  }
}

// Creates the frame of an operand: its tile, and the offsets of the points' rows from the first
// one.
void Emitter::make_row_tile(const Rows& r, Id v) {
  Tile& tile = tiles_[v];
  if (!tile.array) {  // a kernel is emitted more than once, the widest form first
    auto* t = b_.vector_of(ops_.memory_type(k_.buffers[k_.insts[v].imm].storage));
    tile = {b_.allocate(t, r.steps * interleave_, "rows"), r.steps};
    tile.row_offsets =
        b_.allocate(b_.getInt64Ty(), int64_t{b_.vector_width} * interleave_, "starts");
  }
  const int64_t stride = variance(k_.insts[v].args[0]).stride * element_bytes(v);
  llvm::SmallVector<uint64_t, 16> all;
  for (int l = 0; l < b_.vector_width; ++l) all.push_back(static_cast<uint64_t>(l * stride));
  const V starts = llvm::ConstantDataVector::get(b_.getContext(), all);
  for (int p = 0; p < interleave_; ++p) {
    V mine = starts;
    if (!r.active.empty()) {
      const V last = b_.CreateMul(b_.CreateSub(r.active[p], b_.i64(1)), b_.i64(stride));
      mine = b_.CreateSelect(active_[p], starts, b_.splat(last));
    }
    b_.CreateStore(mine, b_.CreateConstGEP1_64(b_.vector_of(b_.getInt64Ty()), tile.row_offsets, p));
  }
}

void Emitter::rows_for(Id v, const LoopSchedule& l, const std::vector<Carry>& cs) {
  const Inst& i = k_.insts[v];
  Rows r{v, i.blocks[0], i.imm > 0, run_end(k_, divergence_, v), l.operands, l.trips};
  const V lo = scalar(i.args[0]), hi = scalar(i.args[1]), all = b_.CreateSub(hi, lo);
  // The last trips of a running fold end no run. If all points run, they form a separate loop,
  // which is less code than blocks that may be short.
  const int64_t tail = active_.empty() && r.end != nest::no_id
                           ? llvm::cast<llvm::ConstantInt>(all)->getSExtValue() % r.steps
                           : 0;
  const V n = b_.CreateSub(all, b_.i64(tail));
  count_active_rows(r);
  for (const auto& o : r.operands) make_row_tile(r, o.access);
  const Vs init = parts(cs, &Carry::init);
  const IrBuilder::Loop blocks =
      b_.loop("rows", b_.i64(0), n, b_.i64(r.steps), init, [&](V done, const Vs& carry) {
        emit_cancellation_check(weight(k_, r.body) * r.steps);
        r.count = trips_of_block(n, done, r.steps);
        r.start = r.up ? b_.CreateAdd(lo, done) : b_.CreateSub(b_.CreateSub(hi, done), r.count);
        return rows_block(r, cs, carry);
      });
  const auto last = [&] {
    const V first = r.up ? b_.CreateAdd(lo, n) : b_.CreateSub(b_.CreateSub(hi, n), b_.i64(1));
    return run_of_trips(v, cs, first, b_.i64(tail), blocks.carry, [](V) {});
  };
  bind(cs, &Carry::result, tail ? last() : blocks.carry);
}

Vs Emitter::rows_block(const Rows& r, const std::vector<Carry>& cs, const Vs& carry) {
  transfer_rows(r, Opcode::Load);
  const V last = b_.CreateSub(r.count, b_.i64(1));
  const auto place = [&](V step) {
    const V from_low = r.up ? step : b_.CreateSub(last, step);
    for (const auto& o : r.operands)
      tiles_[o.access].row = o.step > 0 ? from_low : b_.CreateSub(last, from_low);
    return b_.CreateAdd(r.start, from_low);
  };
  const auto trip = [&](V step, const Vs& now) {
    set(k_.blocks[r.body].params[0], place(step));
    bind(cs, &Carry::param, now);
    emit_block(r.body);
    return parts(cs, &Carry::next);
  };
  const Vs now = r.end == nest::no_id
                     ? b_.loop("steps", b_.i64(0), r.count, b_.i64(1), carry, trip).carry
                     : run_of_trips(r.loop, cs, place(b_.i64(0)), r.count, carry, place);
  for (const auto& o : r.operands) tiles_[o.access].row = nullptr;
  transfer_rows(r, Opcode::Store);
  return now;
}

// Emits the instructions of the body that compute v, at the current index.
void Emitter::emit_offset(Id v, BlockId body) {
  const Inst& i = k_.insts[v];
  if (i.home != body || i.op == Opcode::Param) return;
  for (Id a : i.args) emit_offset(a, body);
  emit_inst(v);
}

// Reads the block of all loads, or writes that of all stores: whole blocks row by row, the
// remaining trips one by one.
void Emitter::transfer_rows(const Rows& r, Opcode what) {
  std::vector<std::pair<Id, Val>> moved;  // with the offset of the lowest element
  for (const auto& o : r.operands) {
    if (k_.insts[o.access].op != what) continue;
    const Id offset = k_.insts[o.access].args[0];
    const V last = b_.CreateAdd(r.start, b_.CreateSub(r.count, b_.i64(1)));
    set(k_.blocks[r.body].params[0], o.step > 0 ? r.start : last);
    emit_offset(offset, r.body);
    moved.emplace_back(o.access, values_[offset]);
  }
  if (moved.empty()) return;
  const auto move_all = [&](void (Emitter::*move)(const Rows&, Id)) {
    for (const auto& [v, offset] : moved) {
      values_[k_.insts[v].args[0]] = offset;
      (this->*move)(r, v);
    }
  };
  const V whole = b_.CreateAnd(b_.CreateICmpEQ(r.count, b_.i64(r.steps)), r.active_first);
  b_.when(
      whole, [&] { move_all(&Emitter::transfer_transposed); },
      [&] { move_all(&Emitter::transfer_by_elements); });
}

// Returns 1 if a cache line begins at the address, else 0.
V Emitter::is_line_aligned(V address) {
  const V at = b_.CreatePtrToInt(address, b_.getInt64Ty());
  return b_.CreateZExt(b_.CreateICmpEQ(b_.CreateAnd(at, b_.i64(cache_line - 1)), b_.i64(0)),
                       b_.getInt32Ty());
}

// Emits one call (runtime/native/transpose.h) for each vector of points and each group of as many
// trips, in a loop if there are several. The library skips vectors without an active point.
void Emitter::transfer_transposed(const Rows& r, Id v) {
  const Inst& i = k_.insts[v];
  const nest::Buffer& buffer = k_.buffers[i.imm];
  auto* t = ops_.memory_type(buffer.storage);
  const Val offset = values_[i.args[0]];
  const Tile& tile = tiles_[v];
  const std::string transpose = transpose_name(element_bytes(v), b_.vector_width);
  const V dense = contiguous_row_offsets(element_bytes(v));
  const int64_t stride = variance(i.args[0]).stride;
  const bool lines = s_.streamed.count(i.imm) && stride * element_bytes(v) % cache_line == 0;
  const auto for_vectors = [&](const char* name, int64_t n, const std::function<void(V)>& f) {
    if (n > 2 * b_.vector_width)
      b_.each(name, b_.i64(0), b_.i64(n), b_.vector_width, f);
    else
      for (int64_t at = 0; at < n; at += b_.vector_width) f(b_.i64(at));
  };
  for_vectors("vectors", int64_t{b_.vector_width} * interleave_, [&](V point) {
    const V first = b_.CreateGEP(t, buffers_[i.imm],
                                 b_.CreateAdd(offset.base, b_.CreateMul(point, b_.i64(stride))));
    const V starts = b_.CreateGEP(b_.getInt64Ty(), tile.row_offsets, point);
    const V columns = b_.CreateGEP(t, tile.array, b_.CreateMul(point, b_.i64(tile.rows)));
    for_vectors("transpose", r.steps, [&](V step) {
      const V row = b_.CreateGEP(t, first, step);
      const V column = b_.CreateGEP(b_.vector_of(t), columns, step);
      if (i.op == Opcode::Store)
        b_.call(transpose, b_.getVoidTy(),
                {row, starts, column, dense, lines ? is_line_aligned(row) : b_.i32(0)});
      else
        b_.call(transpose, b_.getVoidTy(), {column, dense, row, starts, b_.i32(0)});
    });
  });
}

void Emitter::transfer_by_elements(const Rows& r, Id v) {
  const Inst& i = k_.insts[v];
  auto* t = ops_.memory_type(k_.buffers[i.imm].storage);
  Tile tile = tiles_[v];
  b_.each("singly", b_.i64(0), r.count, 1, [&](V step) {
    const V base = b_.CreateGEP(t, buffers_[i.imm], step);
    tile.row = step;
    for (int p = 0; p < interleave_; ++p) {
      const V at = tile_address(tile, t, p);
      if (i.op == Opcode::Load)
        b_.CreateStore(load_elements(t, base, i.args[0], p), at);
      else
        store_elements(t, base, i.args[0], p, b_.CreateLoad(b_.vector_of(t), at));
    }
  });
}

// Returns the offsets of rows that follow one another in a tile.
V Emitter::contiguous_row_offsets(int64_t bytes) {
  const std::string name = "starts" + std::to_string(bytes);
  if (auto* known = b_.module().getNamedGlobal(name)) return known;
  llvm::SmallVector<uint64_t, 16> starts;
  for (int l = 0; l < b_.vector_width; ++l)
    starts.push_back(static_cast<uint64_t>(l * b_.vector_width * bytes));
  auto* data = llvm::ConstantDataArray::get(b_.getContext(), starts);
  return new llvm::GlobalVariable(b_.module(), data->getType(), true,
                                  llvm::GlobalValue::PrivateLinkage, data, name);
}

}  // namespace weft::compiler

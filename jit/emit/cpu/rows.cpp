// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/cpu/rows.cpp: moves blocks of rows, and runs the trips on them.
#include "jit/emit/cpu/rows.h"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "jit/emit/runs.h"
#include "jit/schedule/nest_names.h"
#include "runtime/native/transpose.h"

namespace weft::compiler {

namespace {
// Returns 1 if a cache line begins at the address, else 0.
V is_line_aligned(IrBuilder& b, V address) {
  const V at = b.CreatePtrToInt(address, b.getInt64Ty());
  return b.CreateZExt(b.CreateICmpEQ(b.CreateAnd(at, b.i64(cache_line - 1)), b.i64(0)),
                      b.getInt32Ty());
}
}  // namespace

// Counts the active points, and tests whether they are the first ones of their vectors. Only then
// can they be moved as rows.
void Rows::count_active_rows() {
  active_first_ = b_.getTrue();
  for (V mask : e_.active) {
    const V bits =
        b_.CreateZExt(b_.CreateBitCast(mask, b_.getIntNTy(b_.vector_width)), b_.getInt64Ty());
    counts_.push_back(b_.call(llvm::Intrinsic::ctpop, {bits}));
    const V gaps = b_.CreateAnd(bits, b_.CreateAdd(bits, b_.i64(1)));
    active_first_ = b_.CreateAnd(active_first_, b_.CreateICmpEQ(gaps, b_.i64(0)));
  }
}

// Creates the frame of an operand: its tile, and the offsets of the points' rows from the first
// one.
void Rows::make_row_tile(Id v) {
  Tile& tile = e_.tiles[v];
  if (!tile.array) {  // a kernel is emitted more than once, the widest form first
    auto* t = b_.vector_of(ops_.memory_type(k_.buffers[k_.insts[v].imm].storage));
    tile = {b_.allocate(t, steps_ * e_.interleave, "rows"), steps_};
    tile.row_offsets =
        b_.allocate(b_.getInt64Ty(), int64_t{b_.vector_width} * e_.interleave, "starts");
  }
  const int64_t stride = e_.variance(k_.insts[v].args[0]).stride * element_bytes(k_, v);
  llvm::SmallVector<uint64_t, 16> all;
  for (int l = 0; l < b_.vector_width; ++l) all.push_back(static_cast<uint64_t>(l * stride));
  const V starts = llvm::ConstantDataVector::get(b_.getContext(), all);
  for (int p = 0; p < e_.interleave; ++p) {
    V mine = starts;
    if (!counts_.empty()) {
      const V last = b_.CreateMul(b_.CreateSub(counts_[p], b_.i64(1)), b_.i64(stride));
      mine = b_.CreateSelect(e_.active[p], starts, b_.splat(last));
    }
    b_.CreateStore(mine, b_.CreateConstGEP1_64(b_.vector_of(b_.getInt64Ty()), tile.row_offsets, p));
  }
}

Rows::Rows(CpuEmitter& e, Id loop, const LoopSchedule& schedule)
    : EmitterPart(e),
      loop_(loop),
      body_(k_.insts[loop].blocks[0]),
      up_(k_.insts[loop].imm > 0),
      end_(run_end(k_, e.divergence, loop)),
      operands_(schedule.operands),
      steps_(schedule.trips),
      turns_last_(up_ && std::ranges::all_of(operands_, [&](const auto& o) {
                    return o.step > 0 && element_bytes(k_, o.access) >= word_bytes;
                  })) {}

void Rows::emit(const std::vector<Carry>& cs) {
  const Inst& i = k_.insts[loop_];
  const V lo = e_.scalar(i.args[0]), hi = e_.scalar(i.args[1]), all = b_.CreateSub(hi, lo);
  // A vector of trips takes as long to transpose as a quarter of them one by one. Narrow elements
  // take longer.
  const int64_t few = b_.vector_width / 4;
  const auto trips = IrBuilder::constant_int(all);
  if (trips) turns_last_ &= *trips >= b_.vector_width && *trips % steps_ > few;
  // The last trips of a running fold end no run. If all points run and the trips are not turned,
  // they form a separate loop, which is less code than blocks that may be short.
  const int64_t tail = e_.active.empty() && end_ != nest::no_id && !turns_last_
                           ? llvm::cast<llvm::ConstantInt>(all)->getSExtValue() % steps_
                           : 0;
  const V n = b_.CreateSub(all, b_.i64(tail));
  count_active_rows();
  for (const auto& o : operands_) make_row_tile(o.access);
  const Vs init = e_.loops().carried(cs, &Carry::init);
  const IrBuilder::Loop blocks =
      b_.loop("rows", b_.i64(0), n, b_.i64(steps_), init, [&](V done, const Vs& carry) {
        e_.stop_checks().emit(weight(k_, body_) * steps_);
        count_ = Runs(e_).trips_of_block(n, done, steps_);
        start_ = up_ ? b_.CreateAdd(lo, done) : b_.CreateSub(b_.CreateSub(hi, done), count_);
        last_turned_ = active_first_;
        if (!trips) {
          const V begun = b_.CreateAdd(done, count_);
          last_turned_ = b_.CreateAnd(last_turned_, b_.CreateICmpSGT(count_, b_.i64(few)));
          last_turned_ =
              b_.CreateAnd(last_turned_, b_.CreateICmpSGE(begun, b_.i64(b_.vector_width)));
        }
        return rows_block(cs, carry);
      });
  const auto last = [&] {
    const V first = up_ ? b_.CreateAdd(lo, n) : b_.CreateSub(b_.CreateSub(hi, n), b_.i64(1));
    return Runs(e_).run_of_trips(loop_, cs, first, b_.i64(tail), blocks.carry, [](V) {});
  };
  e_.loops().bind(cs, &Carry::result, tail ? last() : blocks.carry);
}

Vs Rows::rows_block(const std::vector<Carry>& cs, const Vs& carry) {
  transfer_rows(Opcode::Load);
  const V last = b_.CreateSub(count_, b_.i64(1));
  const auto place = [&](V step) {
    const V from_low = up_ ? step : b_.CreateSub(last, step);
    for (const auto& o : operands_)
      e_.tiles[o.access].row = o.step > 0 ? from_low : b_.CreateSub(last, from_low);
    return b_.CreateAdd(start_, from_low);
  };
  const auto trip = [&](V step, const Vs& now) {
    e_.set(k_.blocks[body_].params[0], place(step));
    e_.loops().bind(cs, &Carry::param, now);
    e_.emit_block(body_);
    return e_.loops().carried(cs, &Carry::next);
  };
  const Vs now = end_ == nest::no_id
                     ? b_.loop("steps", b_.i64(0), count_, b_.i64(1), carry, trip).carry
                     : Runs(e_).run_of_trips(loop_, cs, place(b_.i64(0)), count_, carry, place);
  for (const auto& o : operands_) e_.tiles[o.access].row = nullptr;
  transfer_rows(Opcode::Store);
  return now;
}

// Reads the block of all loads, or writes that of all stores. Blocks of rows are transposed. Trips
// are moved one by one if the active points are not the first ones, or if there are too few trips.
void Rows::transfer_rows(Opcode what) {
  std::vector<std::pair<Id, Val>> moved;  // with the offset of the lowest element
  for (const auto& o : operands_) {
    if (k_.insts[o.access].op != what) continue;
    const Id offset = k_.insts[o.access].args[0];
    const V last = b_.CreateAdd(start_, b_.CreateSub(count_, b_.i64(1)));
    e_.set(k_.blocks[body_].params[0], o.step > 0 ? start_ : last);
    e_.emit_offset(offset, body_);
    moved.emplace_back(o.access, e_.value(offset));
  }
  if (moved.empty()) return;
  const auto move_all = [&](void (Rows::*move)(Id)) {
    for (const auto& [v, offset] : moved) {
      e_.value(k_.insts[v].args[0]) = offset;
      (this->*move)(v);
    }
  };
  const V whole = b_.CreateAnd(b_.CreateICmpEQ(count_, b_.i64(steps_)), active_first_);
  const auto singly = [&] { move_all(&Rows::transfer_by_elements); };
  const auto rest = [&] {
    if (!turns_last_ || IrBuilder::constant_int(count_)) return singly();
    if (last_turned_ == b_.getTrue()) return move_all(&Rows::transfer_last);
    b_.when(last_turned_, [&] { move_all(&Rows::transfer_last); }, singly);
  };
  b_.when(whole, [&] { move_all(&Rows::transfer_transposed); }, rest);
}

// Emits one call (runtime/native/transpose.h) for each vector of points. It moves as many trips
// from `step` on, which are in the rows of the tile from `row` on. `places` has the offsets of
// these rows. The library skips vectors without an active point.
void Rows::transpose(Id v, V step, V row, V places) {
  const Inst& i = k_.insts[v];
  auto* t = ops_.memory_type(k_.buffers[i.imm].storage);
  const Val offset = e_.value(i.args[0]);
  const Tile& tile = e_.tiles[v];
  const std::string transpose = transpose_name(element_bytes(k_, v), b_.vector_width);
  const int64_t stride = e_.variance(i.args[0]).stride;
  const bool lines = s_.streamed.count(i.imm) && stride * element_bytes(k_, v) % cache_line == 0;
  for_vectors("vectors", int64_t{b_.vector_width} * e_.interleave, [&](V point) {
    const V first = b_.CreateGEP(t, e_.buffers[i.imm],
                                 b_.CreateAdd(offset.base, b_.CreateMul(point, b_.i64(stride))));
    const V starts = b_.CreateGEP(b_.getInt64Ty(), tile.row_offsets, point);
    const V columns = b_.CreateGEP(t, tile.array, b_.CreateMul(point, b_.i64(tile.rows)));
    const V memory = b_.CreateGEP(t, first, step);
    const V column = b_.CreateGEP(b_.vector_of(t), columns, row);
    if (i.op == Opcode::Store)
      b_.call(transpose, b_.getVoidTy(),
              {memory, starts, column, places, lines ? is_line_aligned(b_, memory) : b_.i32(0)});
    else
      b_.call(transpose, b_.getVoidTy(), {column, places, memory, starts, b_.i32(0)});
  });
}

void Rows::for_vectors(const char* name, int64_t n, const std::function<void(V)>& f) {
  if (n > 2 * b_.vector_width)
    b_.each(name, b_.i64(0), b_.i64(n), b_.vector_width, f);
  else
    for (int64_t at = 0; at < n; at += b_.vector_width) f(b_.i64(at));
}

void Rows::transfer_transposed(Id v) {
  const V dense = e_.offsets_of_vectors(element_bytes(k_, v));
  for_vectors("transpose", steps_, [&](V step) { transpose(v, step, step, dense); });
}

// Moves a block that has fewer trips than others. The last vector of trips may begin in the block
// before. The rows of those trips are still at the end of the tile, and are moved again.
void Rows::transfer_last(Id v) {
  const int64_t width = b_.vector_width, bytes = element_bytes(k_, v);
  const V dense = e_.offsets_of_vectors(bytes);
  if (steps_ > width)
    b_.each("transpose", b_.i64(0), b_.CreateSub(count_, b_.i64(width - 1)), width,
            [&](V step) { transpose(v, step, step, dense); });
  const V step = b_.CreateSub(count_, b_.i64(width));
  const auto wrapped = [&](V row, V rows) {
    const V before = b_.CreateICmpSLT(row, llvm::Constant::getNullValue(row->getType()));
    return b_.CreateSelect(before, b_.CreateAdd(row, rows), row);
  };
  const V row = wrapped(step, b_.i64(steps_));
  const V rows =
      wrapped(b_.CreateAdd(b_.splat(step), b_.iota(b_.getInt64Ty())), b_.splat(b_.i64(steps_)));
  const V places = b_.allocate(b_.vector_of(b_.getInt64Ty()), 1, "places");
  b_.CreateStore(b_.CreateMul(b_.CreateSub(rows, b_.splat(row)), b_.splat(b_.i64(width * bytes))),
                 places);
  transpose(v, step, row, places);
}

void Rows::transfer_by_elements(Id v) {
  const Inst& i = k_.insts[v];
  auto* t = ops_.memory_type(k_.buffers[i.imm].storage);
  Tile tile = e_.tiles[v];
  b_.each("singly", b_.i64(0), count_, 1, [&](V step) {
    const V base = b_.CreateGEP(t, e_.buffers[i.imm], step);
    tile.row = step;
    for (int p = 0; p < e_.interleave; ++p) {
      const V at = e_.tile_address(tile, t, p);
      if (i.op == Opcode::Load)
        b_.CreateStore(e_.elements().load_elements(t, base, i.args[0], p), at);
      else
        e_.elements().store_elements(t, base, i.args[0], p, b_.CreateLoad(b_.vector_of(t), at));
    }
  });
}

}  // namespace weft::compiler

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/cpu/rows.h: loops along rows: running folds and scans over the last axis, with one row
// per point. It may touch the tiles of the emitter and the values of the loop. Another way of
// moving a block of rows is another function like transfer_transposed().
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "jit/emit/cpu/cpu_emitter.h"

namespace weft::compiler {

// It handles operands that are far apart in memory for neighbouring points and whose index moves by
// one element per trip. They are moved for a block of trips: part of each point's row is one
// vector. The block is transposed (runtime/native/transpose.h) into a small array, in which the
// points of a trip are contiguous. The trips themselves run as usual, so no bit changes.
class Rows : EmitterPart<CpuEmitter> {
 public:
  Rows(CpuEmitter& e, nest::Id loop, const LoopSchedule& schedule);

  void emit(const std::vector<Carry>& cs);

 private:
  void count_active_rows();
  void make_row_tile(nest::Id v);
  Vs rows_block(const std::vector<Carry>& cs, const Vs& carry);
  void transfer_rows(nest::Opcode what);
  void for_vectors(const char* name, int64_t n, const std::function<void(V)>& f);
  void transpose(nest::Id v, V step, V row, V places);
  void transfer_transposed(nest::Id v);
  void transfer_last(nest::Id v);
  void transfer_by_elements(nest::Id v);

  nest::Id loop_;
  nest::BlockId body_;
  bool up_;
  nest::Id end_;  // of a running fold: where its runs end, or no_id
  std::vector<LoopSchedule::Operand> operands_;
  int64_t steps_;    // of a block
  bool turns_last_;  // a block of fewer trips may be transposed, with trips of the one before
  // By vector: the number of active points, which are the first ones; empty: all points are active.
  Vs counts_;
  V active_first_ = nullptr;  // true if the active points are the first ones in every vector
  V start_ = nullptr, count_ = nullptr;  // of the current block: its lowest index, its trips
  V last_turned_ = nullptr;              // true if it is transposed if it is shorter than others
};

}  // namespace weft::compiler

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// batching/later.h: a map that is kept, for rules that are called when it is over: what it says of
// its lanes are numbers here, and operands of the op whose rule it is.
#pragma once
#include "weft/batching/batch_trace.h"

namespace weft {

class KeptMap {
 public:
  explicit KeptMap(const BatchLevel& level);
  // What goes before the operands of the op: the active lanes and the number of the first lane,
  // where the map has them.
  static Arrays operands(const BatchLevel& level);
  size_t num_operands() const { return (masked_ ? 1U : 0U) + (chunked_ ? 1U : 0U); }
  int64_t size() const { return size_; }
  // Its active lanes, of those operands.
  LaneMask mask(const Arrays& own) const;
  // f mapped over axis `in[i]` of x[i], as that map would have. `own`: those operands, first of a
  // longer list.
  Batched run(FunctionRef<Arrays(const Arrays&)> f, const Arrays& own, const Arrays& x,
              const MaybeAxes& in) const;

 private:
  MapOptions options_;
  int64_t size_;
  bool in_body_, masked_, chunked_;
  Ints mask_ids_;
};

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/packed.h: lanes of a branch in blocks of those that take it, for the `expand` rule of
// cond (docs/decisions/0082-packed-lanes.md).
#pragma once
#include <optional>

#include "ops/control/body_op.h"

namespace weft {

// Returns true if the op has one axis of lanes, enough of them, no results without lanes, and no
// effects. Its lanes may still depend on one another.
bool packs_lanes(const BodyOp& o);

// The lanes of such an op, of which a block runs at a time.
class PackedLanes {
 public:
  explicit PackedLanes(int64_t lanes);
  int64_t block() const { return block_; }
  // Returns the numbers of the lanes that are set in the mask, in order, in whole blocks. The rest
  // is the number of lanes, which is out of range.
  Array numbers(const Array& mask) const;
  // Returns true for each of these numbers that is in range.
  Array in_range(const Array& numbers) const;
  // Returns the values of the lanes with these numbers. Numbers out of range read the last lane.
  // Values without lanes stay as they are; lane_axes says which these are.
  Arrays rows(const Arrays& x, const Ints& lane_axes, const Array& numbers) const;
  // Returns x with the rows of these lanes. Rows with a number out of range are dropped.
  Arrays with_rows(const Arrays& x, const Array& numbers, const Arrays& rows) const;
  // Returns the program for a block of lanes, or nothing if the lanes depend on one another.
  // lane_axes: of the inputs. Lanes are the leading axis of all results.
  std::optional<Jaxpr> of_block(const Jaxpr& j, const Ints& lane_axes) const;

 private:
  int64_t lanes_, block_;
};

// Returns the number of lanes that are set in the mask, I32[].
Array count_lanes(const Array& mask);

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/laws/mutant.h: a copy of an op in which one operation of one rule is replaced by another.
#pragma once
#include <string>

#include "core/op.h"

namespace weft::laws {

enum class Where { nowhere, lower, jvp, batch };

// A copy of `op` whose rule has its operation number `which` replaced. An add becomes a sub, a sum
// becomes a maximum, and the result of an op that moves elements is reversed. It is not registered.
// It lives as long as the process, as every op does, because caches of programs refer to it.
class MutantOp : public Op {
 public:
  // Returns the largest number of operations that the rule made while this op was in use.
  virtual int operations() const = 0;
  // Returns the replacement, as in "add into sub"; "" as long as there was none.
  virtual std::string flipped() const = 0;
  // Returns true if the replacement changed a value. Reversing equal elements changes nothing, and
  // neither does replacing a division by 1 with a product. Such a copy is not a mutant.
  virtual bool changed() const = 0;
};
const MutantOp& mutant(const Op& op, Where where, int which);

}  // namespace weft::laws

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/laws/mutant.h: an op with one operation of one rule replaced by another.
#pragma once
#include <string>

#include "weft/core/op.h"

namespace weft::laws {

enum class Where { nowhere, lower, jvp, batch };

// A copy of `op` whose rule has its operation number `which` flipped: an add becomes a sub, a sum a
// maximum, the result of what moves elements is turned round. Not registered; lives as long as the
// process, as every op does (programs are cached by it).
class MutantOp : public Op {
 public:
  // How many operations the rule was seen to make, at most, while this op was in use.
  virtual int operations() const = 0;
  // What was flipped: "add into sub"; "" while nothing was.
  virtual std::string flipped() const = 0;
  // Whether that changed a value: turning round what is all the same does not, nor does a division
  // by 1 made a product. Such a copy is no mutant.
  virtual bool changed() const = 0;
};
const MutantOp& mutant(const Op& op, Where where, int which);

}  // namespace weft::laws

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/emitter_part.h: what the objects into which an emitter is divided have in common. A part
// writes one thing, such as the rows of a loop, and holds the state that only this needs. It
// reaches everything else through its emitter.
#pragma once
#include "core/loops/nest.h"
#include "jit/emit/ir_builder.h"
#include "jit/emit/operations.h"
#include "jit/schedule/schedule.h"

namespace weft::compiler {

// E is the BlockEmitter whose state the part uses.
template <class E>
class EmitterPart {
 protected:
  explicit EmitterPart(E& e) : e_(e), b_(e.ir()), ops_(e.ops()), k_(e.kernel()), s_(e.schedule()) {}

  E& e_;
  IrBuilder& b_;
  Operations& ops_;
  const nest::Kernel& k_;
  const Schedule& s_;
};

}  // namespace weft::compiler

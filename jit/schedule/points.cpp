// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/points.cpp: finds accesses of neighbouring points.
#include "jit/schedule/points.h"

#include <algorithm>

#include "jit/schedule/nest_names.h"

namespace weft::compiler {

std::vector<Id> neighbour_accesses(const Kernel& k, const Divergence& d) {
  std::vector<Id> out;
  if (k.rank == 0) return out;
  for (const Id v : k.blocks[0].body) {
    const Inst& i = k.insts[v];
    if (i.op >= Opcode::Local) return {};
    if (i.op != Opcode::Load && i.op != Opcode::Store) continue;
    const Variance& at = d.variance[i.args[0]];
    const bool beside = at.linear() && at.known && at.stride == 1;
    if (beside) out.push_back(v);
    if (!beside && i.op == Opcode::Store) return {};
  }
  return out;
}

}  // namespace weft::compiler

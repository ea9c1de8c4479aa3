// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/divergence.h: the analysis of a kernel before code is emitted. It finds which values
// differ between the elements of a vector and how, which control flow diverges, and what is
// computed once for many points.
#pragma once
#include <cstdint>
#include <vector>

#include "core/loops/fold_order.h"
#include "core/loops/nest.h"
#include "core/loops/strides.h"

namespace weft::compiler {

using nest::uniform_value, nest::Variance, nest::varying_value;

enum class Mode : uint8_t {
  scalar,  // one point at a time
  grid,    // elements are neighbours along the last grid axis
  refill,  // elements are arbitrary points
  inner,   // one point at a time; the elements are the iterations of its outermost folds and
           // for_eachs
};

struct Divergence {
  Mode mode = Mode::scalar;
  std::vector<Variance> variance;  // by value: how it varies between elements of a vector
  std::vector<char> divergent;     // by structured instruction: elements take different paths
  std::vector<char> vectorized;    // by Fold and ForEach: its iterations are the elements
  std::vector<char> per_element;   // by Local: each element has its own array
  std::vector<int> level;  // by instruction of the top block: 0 the same for all points, 1 the same
                           // for all points of an outer index, 2 computed per point
  std::vector<std::vector<nest::Id>> results;  // by structured instruction: its Result instructions
};

Divergence analyse_divergence(const nest::Kernel& k, Mode mode);

// Returns true if kernels skip the first block of an instruction and call the library instead.
inline bool is_cold(const nest::Inst& i) { return i.op == nest::Opcode::If && i.imm != 0; }

// Returns the loop over terms inside nested folds. Any other loop is returned unchanged.
inline const nest::Inst& innermost_fold(const nest::Kernel& k, const nest::Inst& loop) {
  const nest::Inst* i = &loop;
  while (i->op == nest::Opcode::Fold && i->imm != 0)
    i = &k.insts[k.insts[k.blocks[i->blocks[0]].yields[0]].args[0]];
  return *i;
}

// Returns true for a fold that combines its terms in order, because there are few of them.
inline bool is_short_fold(const nest::Kernel& k, const nest::Inst& fold) {
  const nest::Inst& n = k.insts[fold.args[0]];
  return n.op == nest::Opcode::Const && static_cast<int64_t>(n.imm) <= fold_order::short_block;
}

// Returns the number of instructions in a block and its inner blocks, without those that is_cold
// excludes.
int64_t weight(const nest::Kernel& k, nest::BlockId b);
// True if the block holds (at any depth) an instruction for which f is true.
template <class F>
bool any_inst(const nest::Kernel& k, nest::BlockId b, F&& f) {
  for (nest::Id v : k.blocks[b].body) {
    if (f(k.insts[v])) return true;
    for (nest::BlockId inner : k.insts[v].blocks)
      if (any_inst(k, inner, f)) return true;
  }
  return false;
}
inline bool is_structured(nest::Opcode op) { return op >= nest::Opcode::For; }
inline bool is_loop(const nest::Inst& i) { return is_structured(i.op) && i.op != nest::Opcode::If; }

}  // namespace weft::compiler

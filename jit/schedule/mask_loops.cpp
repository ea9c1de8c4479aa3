// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/mask_loops.cpp: recognizes arrays of masks, and loops that combine them.
#include "jit/schedule/mask_loops.h"

#include <algorithm>
#include <map>
#include <optional>

#include "core/loops/strides.h"
#include "jit/schedule/nest_names.h"

namespace weft::compiler {

namespace {

bool is_access(const Inst& i) { return i.op == Opcode::LocalLoad || i.op == Opcode::LocalStore; }

bool is_logic(const Kernel& k, const Inst& i) {
  if (i.kind != Kind::Mask) return false;
  switch (i.op) {
    case Opcode::Const:
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
    case Opcode::Not:
    case Opcode::Select: return true;
    case Opcode::Eq:
    case Opcode::Ne: return k.insts[i.args[0]].kind == Kind::Mask;
    default: return false;
  }
}

}  // namespace

std::vector<char> arrays_of_bits(const Kernel& k, const Divergence& d) {
  std::vector<char> out(k.insts.size(), 0);
  if (d.mode != Mode::grid) return out;
  for (size_t v = 0; v < out.size(); ++v)
    out[v] = k.insts[v].op == Opcode::Local && k.insts[v].kind == Kind::Mask && d.per_element[v];
  for (const nest::Block& b : k.blocks)
    for (Id v : b.body)
      if (const Inst& i = k.insts[v]; is_access(i) && !d.variance[i.args[1]].uniform())
        out[i.args[0]] = false;
  return out;
}

bool combines_bits(const Kernel& k, const Divergence& d, Id loop) {
  const Inst& l = k.insts[loop];
  if (l.op != Opcode::For || l.imm != 1 || !l.kinds.empty() || d.divergent[loop]) return false;
  for (int bound : {0, 1})
    if (k.insts[l.args[bound]].op != Opcode::Const) return false;
  const BlockId body = l.blocks[0];
  const Id param = k.blocks[body].params[0];
  const std::vector<char> bits = arrays_of_bits(k, d);
  const auto is_shared = [&](Id array) {
    return k.insts[array].kind == Kind::Mask && !d.per_element[array];
  };
  const auto step = [&](Id index) {
    return stride_along(k, index, {.index = param, .block = body});
  };
  std::map<Id, std::vector<Id>> indices;  // by array
  std::map<Id, int> stores;
  for (Id v : k.blocks[body].body) {
    const Inst& i = k.insts[v];
    if (is_access(i)) {
      const std::optional<int64_t> by = step(i.args[1]);
      const bool load = i.op == Opcode::LocalLoad;
      if (!bits[i.args[0]] && !is_shared(i.args[0])) return false;
      if (!d.variance[i.args[1]].uniform() || !by || (*by != 1 && !(load && *by == 0)))
        return false;
      indices[i.args[0]].push_back(i.args[1]);
      stores[i.args[0]] += !load;
    } else if (i.op == Opcode::Load) {
      if (k.buffers[i.imm].storage != Storage::Bool || k.buffers[i.imm].written ||
          !d.variance[i.args[0]].uniform() || step(i.args[0]) != 1)
        return false;
    } else if (i.op != Opcode::Param && !is_logic(k, i) &&
               !(i.kind == Kind::I64 && i.op < Opcode::Load && d.variance[v].uniform())) {
      return false;
    }
  }
  bool any = false;
  for (const auto& [array, at] : indices) {
    if (!stores[array]) continue;
    any = true;
    if (std::ranges::any_of(at, [&](Id index) { return index != at[0]; })) return false;
  }
  return any;
}

}  // namespace weft::compiler

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/nest_cost.cpp: adds up the instructions of a nest.
#include "jit/nests/nest_cost.h"

#include <algorithm>

#include "core/loops/strides.h"
#include "jit/fuse/cost.h"

namespace weft::compiler {
namespace {

using nest::Id, nest::Inst, nest::Kind, nest::Opcode, nest::Variance;

constexpr int64_t width = machine.width;

class Estimate {
 public:
  Estimate(const nest::Kernel& k, bool along_grid)
      : k_(k), along_grid_(along_grid), variance_(k.insts.size()) {}
  // Returns the cost of one point, or of a vector of points.
  double point() { return block(0, along_grid_); }

 private:
  double block(nest::BlockId b, bool vectors) {
    double ns = 0;
    for (Id v : k_.blocks[b].body) ns += instruction(v, vectors);
    return ns;
  }
  int64_t trips(const Inst& i) const {
    const auto constant = [&](size_t k, int64_t otherwise) {
      const Inst& a = k_.insts[i.args[k]];
      return a.op == Opcode::Const ? a.imm : otherwise;
    };
    if (i.op == Opcode::ForEach || i.op == Opcode::Fold) return constant(0, 1);
    if (i.op == Opcode::For) return std::max<int64_t>(constant(1, 1) - constant(0, 0), 0);
    return 1;
  }
  double loop(const Inst& i, bool vectors) {
    const bool fills = !vectors && !along_grid_ && i.op == Opcode::ForEach;
    const int64_t n = trips(i), times = fills ? (n + width - 1) / width : n;
    for (const nest::BlockId inner : i.blocks)
      for (const Id p : k_.blocks[inner].params)
        variance_[p] = fills && p == k_.blocks[inner].params[0] ? Variance{false, true, 1}
                                                                : nest::uniform_value;
    double ns = machine.loop;
    for (const nest::BlockId inner : i.blocks)
      ns += static_cast<double>(times) * block(inner, vectors || fills);
    return ns;
  }
  double instruction(Id v, bool vectors) {
    const Inst& i = k_.insts[v];
    if (i.op == Opcode::Const || i.op == Opcode::Param) return 0;
    if (!i.blocks.empty()) return loop(i, vectors);
    if (i.op == Opcode::Index)
      variance_[v] = {false, true, along_grid_ && i.imm == k_.rank - 1 ? 1 : 0};
    else
      variance_[v] = nest::variance_of(k_, i, [&](Id a) { return variance_[a]; });
    const bool memory = i.op == Opcode::Load || i.op == Opcode::Store ||
                        i.op == Opcode::LocalLoad || i.op == Opcode::LocalStore;
    if (memory && vectors) {
      const size_t at = i.op == Opcode::Load || i.op == Opcode::Store ? 0 : 1;
      const Variance& address = variance_[i.args[at]];
      if (address.varying || !address.known || !nest::at_most(address.stride, 1))
        return static_cast<double>(width) * machine.gathered;
    }
    if (!variance_[v].varying) return machine.instruction;
    // Vectors of indices are twice as long, and divisions of them several products.
    const bool divides = i.op == Opcode::SRem || i.op == Opcode::SDiv;
    return machine.instruction * (i.kind != Kind::I64 ? 1 : divides ? machine.division : 2);
  }

  const nest::Kernel& k_;
  const bool along_grid_;
  std::vector<Variance> variance_;
};

}  // namespace

double nest_ns(const nest::Kernel& k, const std::vector<int64_t>& extents, nest::Vector along) {
  double times = 1;
  for (const int64_t n : extents) times *= static_cast<double>(n);
  const bool along_grid = along == nest::Vector::grid;
  if (along_grid && !extents.empty()) {
    const int64_t last = extents.back();
    times *= static_cast<double>((last + width - 1) / width) / static_cast<double>(last);
  }
  return times * Estimate(k, along_grid).point();
}

bool compares_indices(const nest::Kernel& k) {
  std::vector<char> index(k.insts.size(), 0);
  for (const Id v : k.blocks[0].body) {
    const Inst& i = k.insts[v];
    switch (i.op) {
      case Opcode::Index: index[v] = 1; break;
      case Opcode::Add:
      case Opcode::Sub:
      case Opcode::Mul:
      case Opcode::SDiv:
      case Opcode::SRem:
        for (const Id a : i.args) index[v] = index[v] || index[a];
        break;
      case Opcode::SMin:
      case Opcode::SMax:
      case Opcode::SLt:
      case Opcode::SLe:
        for (const Id a : i.args)
          if (index[a]) return true;
        break;
      default: break;
    }
  }
  return false;
}

}  // namespace weft::compiler

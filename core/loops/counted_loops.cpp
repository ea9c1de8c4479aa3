// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/loops/counted_loops.cpp: finds loops with a counter, and rewrites their bodies to use an
// index.
#include "core/loops/counted_loops.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace weft::nest {
namespace {

class Counting {
 public:
  explicit Counting(Kernel* k) : k_(*k) {}

  // Visits outer loops first, so that bounds computed from their indices count as uniform, too.
  void block(BlockId b) {
    // A copy, because instructions that a loop needs are inserted before it.
    const std::vector<Id> body = k_.blocks[b].body;
    for (Id v : body) {
      if (k_.insts[v].op == Opcode::While)
        if (const int carry = counter(v); carry >= 0) make_for(v, static_cast<size_t>(carry));
      const std::vector<BlockId> inner = k_.insts[v].blocks;
      for (BlockId i : inner) block(i);
    }
  }

 private:
  // The carry that the test compares with a value from outside the loop and that the body
  // increments; or -1.
  int counter(Id v) {
    const Inst& loop = k_.insts[v];
    const Block &test = k_.blocks[loop.blocks[0]], &body = k_.blocks[loop.blocks[1]];
    const bool one_step = std::count_if(test.body.begin(), test.body.end(),
                                        [&](Id i) { return k_.insts[i].op != Opcode::Param; }) == 1;
    const Inst& below = k_.insts[test.yields[0]];
    if (!one_step || below.op != Opcode::SLt || below.home != loop.blocks[0]) return -1;
    const auto at = std::find(test.params.begin(), test.params.end(), below.args[0]);
    if (at == test.params.end() || k_.insts[below.args[1]].home == loop.blocks[0]) return -1;
    const size_t carry = at - test.params.begin();
    const Inst& next = k_.insts[body.yields[carry]];
    const auto is_one = [&](Id i) {
      return k_.insts[i].op == Opcode::Const && k_.insts[i].imm == 1;
    };
    const Id index = body.params[carry];
    const bool counts = next.op == Opcode::Add &&
                        (k_.insts[index].kind == Kind::I32 || k_.insts[index].kind == Kind::I64) &&
                        ((next.args[0] == index && is_one(next.args[1])) ||
                         (next.args[1] == index && is_one(next.args[0])));
    return counts && uniform(loop.args[carry]) && uniform(below.args[1]) ? static_cast<int>(carry)
                                                                         : -1;
  }

  // Returns true if v is provably the same for all points of the grid. The search stops at a
  // maximal depth and then returns false.
  bool uniform(Id v) {
    if (const auto it = uniform_.find(v); it != uniform_.end()) return it->second;
    const Inst& i = k_.insts[v];
    constexpr int deepest = 100;
    if (depth_ >= deepest) return false;
    ++depth_;
    bool is = i.op == Opcode::Const || i.op == Opcode::Extent;
    if (i.op == Opcode::Param) {
      is = uniform_param(v);
    } else if (i.op >= Opcode::Add && i.op < Opcode::Load) {
      is = std::all_of(i.args.begin(), i.args.end(), [&](Id a) { return uniform(a); });
    }
    --depth_;
    return uniform_[v] = is;
  }

  // The parameter of a loop with uniform bounds. It is uniform if it is the index, or if its
  // initial value and its value after each trip are uniform.
  bool uniform_param(Id v) {
    const Block& home = k_.blocks[k_.insts[v].home];
    if (home.owner == no_id || k_.insts[home.owner].op != Opcode::For) return false;
    const Inst& loop = k_.insts[home.owner];
    if (!uniform(loop.args[0]) || !uniform(loop.args[1])) return false;
    if (home.params[0] == v) return true;
    const auto carry = static_cast<size_t>(std::find(home.params.begin(), home.params.end(), v) -
                                           home.params.begin()) -
                       1;
    uniform_[v] = true;  // assumed until disproved
    if (uniform(loop.args[2 + carry]) && uniform(home.yields[carry])) return true;
    std::erase_if(uniform_, [](const auto& known) { return known.second; });
    return false;
  }

  Id add(Inst i, BlockId home, size_t at) {
    i.home = home;
    const Id v = static_cast<Id>(k_.insts.size());
    k_.insts.push_back(std::move(i));
    auto& body = k_.blocks[home].body;
    body.insert(body.begin() + static_cast<std::ptrdiff_t>(at), v);
    return v;
  }
  // v as an I64 index, computed before the loop.
  Id widened(Id v, Id loop) {
    if (k_.insts[v].kind == Kind::I64) return v;
    const BlockId home = k_.insts[loop].home;
    const auto& body = k_.blocks[home].body;
    const size_t at = std::find(body.begin(), body.end(), loop) - body.begin();
    return add({Opcode::SExt, Kind::I64, 0, 0, {v}, {}, {}, {}}, home, at);
  }

  void make_for(Id v, size_t carry) {
    const BlockId test = k_.insts[v].blocks[0], body = k_.insts[v].blocks[1];
    const Id first = k_.insts[v].args[carry], limit = k_.insts[k_.blocks[test].yields[0]].args[1];
    std::vector<Id> args{widened(first, v), widened(limit, v)};
    for (size_t a = 0; a < k_.insts[v].args.size(); ++a)
      if (a != carry) args.push_back(k_.insts[v].args[a]);

    const Id number = k_.blocks[body].params[carry];
    Id index = number;
    if (k_.insts[number].kind != Kind::I64) {
      index = add({Opcode::Param, Kind::I64, 0, 0, {}, {}, {}, {}}, body, 0);
      k_.insts[number].op = Opcode::Narrow;
      k_.insts[number].args = {index};
      k_.insts[number].imm = 0;
    }
    Block& b = k_.blocks[body];
    const auto drop = static_cast<std::ptrdiff_t>(carry);
    b.params.erase(b.params.begin() + drop);
    b.params.insert(b.params.begin(), index);
    b.yields.erase(b.yields.begin() + drop);
    for (size_t p = 0; p < b.params.size(); ++p)
      k_.insts[b.params[p]].imm = static_cast<int64_t>(p);

    Inst& loop = k_.insts[v];
    loop.op = Opcode::For;
    loop.imm = 1;
    loop.args = std::move(args);
    loop.blocks = {body};
    loop.kinds.erase(loop.kinds.begin() + drop);
    // The Result instructions follow their instruction, including those that nothing reads.
    Id ends = no_id;
    for (size_t r = static_cast<size_t>(v) + 1; r < k_.insts.size(); ++r) {
      Inst& i = k_.insts[r];
      if (i.op != Opcode::Result || i.args[0] != v) break;
      if (i.imm > static_cast<int64_t>(carry))
        --i.imm;
      else if (i.imm == static_cast<int64_t>(carry))  // the final counter; the first if no trips
        ends = static_cast<Id>(r);
    }
    k_.insts[ends] = {Opcode::SMax, k_.insts[ends].kind, loop.home, 0, {first, limit}, {}, {}, {}};
    Block& unused = k_.blocks[test];
    unused.owner = no_id;
    unused.params.clear();
    unused.body.clear();
    unused.yields.clear();
  }

  Kernel& k_;
  std::unordered_map<Id, bool> uniform_;
  int depth_ = 0;
};

}  // namespace

void count_loops(Kernel* k) { Counting(k).block(0); }

}  // namespace weft::nest

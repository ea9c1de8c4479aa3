// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/loops.cpp: loops. Where elements differ, the mask narrows, a select keeps the carries of
// elements that left, and code without active elements is skipped.
#include "jit/emit/loops.h"

#include <llvm/IR/Intrinsics.h>

#include "jit/emit/block_emitter.h"
#include "jit/emit/phis.h"
#include "jit/schedule/nest_names.h"
#include "weft/error.h"

namespace weft::compiler {

namespace {
// Loops of up to this many cycles do not check the stop flag: a small part of the time between
// checks (stop_checks.cpp).
constexpr int64_t longest_without_check = 100'000;
}  // namespace

Loops::Loops(BlockEmitter& e) : EmitterPart(e) {}

Vs Loops::carried(const std::vector<Carry>& cs, Id Carry::* which) {
  Vs out;
  for (const Carry& c : cs) out.append(e_.parts(c.*which, c.variance));
  return out;
}

void Loops::bind(const std::vector<Carry>& cs, Id Carry::* which, const Vs& values) {
  const V* at = values.begin();
  for (const Carry& c : cs) {
    const V* end = at + (c.variance.varying ? e_.interleave : 1);
    e_.set_parts(c.*which, c.variance, Vs(at, end));
    at = end;
  }
}

// Returns the carries after a trip. Elements that did not make the trip keep the values in
// `before`, unless the carry is one scalar for all that run.
Vs Loops::next_carries(const std::vector<Carry>& cs, const Masks& made, const Vs& before) {
  if (made.empty()) return carried(cs, &Carry::next);
  Vs out;
  for (const Carry& c : cs) {
    size_t p = 0;
    for (V x : e_.parts(c.next, c.variance))
      out.push_back(c.variance.varying ? b_.CreateSelect(made[p++], x, before[out.size()]) : x);
  }
  return out;
}

std::vector<Carry> Loops::carries(Id v, size_t first_arg, size_t first_param) {
  const Inst& i = k_.insts[v];
  const nest::Block& body = k_.blocks[i.blocks.back()];
  std::vector<Carry> out;
  for (size_t r = 0; r < i.kinds.size(); ++r) {
    Carry c{i.args[first_arg + r], body.params[first_param + r], nest::no_id,
            body.yields[r],        e_.divergence.results[v][r],  {}};
    if (i.op == Opcode::While) c.test_param = k_.blocks[i.blocks[0]].params[r];
    c.variance = e_.variance(c.param);
    if (c.next == c.param) {
      for (Id same : {c.param, c.test_param, c.result})
        if (same != nest::no_id) e_.value(same) = e_.value(c.init);
      continue;
    }
    out.push_back(c);
  }
  return out;
}

void Loops::emit_for(Id v) {
  const auto c = carries(v, 2, 1);
  const auto l = s_.loops.find(v);
  if (l == s_.loops.end()) return plain_for(v, c);
  if (l->second.how == LoopSchedule::How::unrolled) return unrolled_for(v, c);
  e_.scheduled_for(v, l->second, c);
}

void Loops::unrolled_for(Id v, const std::vector<Carry>& cs) {
  const Inst& i = k_.insts[v];
  const nest::Block& body = k_.blocks[i.blocks[0]];
  int64_t lo = 0, hi = 0;
  if (!constant_value(k_, i.args[0], unrolled_indices_, &lo) ||
      !constant_value(k_, i.args[1], unrolled_indices_, &hi))
    throw InternalError("a loop of unknown length was to be written out");
  const int64_t trips = hi - lo;
  Vs now = carried(cs, &Carry::init);
  for (int64_t t = 0; t < trips; ++t) {
    const int64_t index = i.imm > 0 ? lo + t : hi - 1 - t;
    unrolled_indices_[body.params[0]] = index;
    e_.set(body.params[0], b_.i64(index));
    bind(cs, &Carry::param, now);
    e_.emit_block(i.blocks[0]);
    now = carried(cs, &Carry::next);
  }
  unrolled_indices_.erase(body.params[0]);
  bind(cs, &Carry::result, now);
}

int64_t Loops::constant_trips(const Inst& i) const {
  const Inst &lo = k_.insts[i.args[0]], &hi = k_.insts[i.args[1]];
  return lo.op == Opcode::Const && hi.op == Opcode::Const ? hi.imm - lo.imm : -1;
}

// If elements run alike, the lower and upper bounds differ between elements by the same amount, if
// at all. The trip count is then that of element 0, and the index is linear like the bounds.
// Otherwise the mask of active elements is a carry too.
void Loops::plain_for(Id v, const std::vector<Carry>& cs) {
  const Inst& i = k_.insts[v];
  const Id index = k_.blocks[i.blocks[0]].params[0];
  const bool up = i.imm > 0, divergent = e_.divergence.divergent[v];
  const Id start = i.args[up ? 0 : 1], bound = i.args[up ? 1 : 0];
  const Vs limits = e_.parts(bound, divergent ? varying_value : uniform_value);
  const Vs init = carried(cs, &Carry::init);
  Vs first = e_.parts(start, e_.variance(start));
  if (!up)
    for (V& x : first) x = b_.CreateSub(x, llvm::ConstantInt::get(x->getType(), 1));
  const V stride = e_.value(start).stride;
  const Masks outer = e_.active, before = divergent ? e_.masks_of() : Masks();
  // A short loop is checked before it runs. Its code is then one block.
  const int64_t trip = weight(k_, i.blocks[0]), trips = constant_trips(i);
  const bool is_short = trips >= 0 && trips * trip <= longest_without_check;
  if (is_short) e_.stop_checks().emit(trips * trip);
  const IrBuilder::LoopBlocks blocks = b_.begin_loop("for");
  Phis phis(b_, blocks.preheader, e_.mask_registers());
  const Vs at_index = phis.add(first), running = phis.add(before), carry = phis.add(init);
  bind(cs, &Carry::param, carry);
  bind(cs, &Carry::result, carry);
  if (e_.variance(index).varying)
    e_.set_vectors(index, at_index);
  else
    e_.set_linear(index, at_index[0], stride);
  Masks go;
  for (size_t p = 0; p < limits.size(); ++p) {
    const V x = divergent ? e_.vec(index, static_cast<int>(p)) : at_index[0];
    const V more = up ? b_.CreateICmpSLT(x, limits[p]) : b_.CreateICmpSGE(x, limits[p]);
    go.push_back(divergent ? b_.CreateAnd(running[p], more) : more);
  }
  b_.begin_body(blocks, b_.any(go));
  if (!is_short) e_.stop_checks().emit(trip);
  if (divergent) e_.active = go;
  e_.emit_block(i.blocks[0]);
  if (!divergent) go.clear();
  const Vs next = next_carries(cs, go, carry);
  Vs following;
  for (V x : at_index)
    following.push_back(b_.CreateAdd(x, llvm::ConstantInt::getSigned(x->getType(), up ? 1 : -1)));
  phis.close(following);
  phis.close(go);
  phis.close(next);
  b_.end_loop(blocks);
  e_.active = outer;
}

void Loops::emit_while(Id v) {
  const auto cs = carries(v, 0, 0);
  const Vs init = carried(cs, &Carry::init);
  while_trips(v, cs, e_.divergence.divergent[v] ? e_.masks_of() : Masks(), {}, init,
              [&](const Masks& go, Vs&) { return b_.any(go); });
}

Loops::WhileState Loops::while_trips(
    Id v, const std::vector<Carry>& cs, const Masks& before, Vs extra, const Vs& init,
    const std::function<V(const Masks& go, Vs& extra)>& continues) {
  const Inst& i = k_.insts[v];
  const bool divergent = !before.empty();
  const Masks outer = e_.active;
  const IrBuilder::LoopBlocks blocks = b_.begin_loop("while");
  Phis phis(b_, blocks.preheader, e_.mask_registers());
  const Masks running = phis.add(before);
  extra = phis.add(extra);
  const Vs carry = phis.add(init);
  for (auto which : {&Carry::param, &Carry::test_param, &Carry::result}) bind(cs, which, carry);
  if (divergent) e_.active = running;
  e_.emit_block(i.blocks[0]);
  const Id test = k_.blocks[i.blocks[0]].yields[0];
  Masks go = divergent ? e_.and_active(e_.parts(test, varying_value)) : Masks{e_.scalar(test)};
  b_.begin_body(blocks, continues(go, extra));
  e_.stop_checks().emit(weight(k_, i.blocks[0]) + weight(k_, i.blocks[1]));
  if (divergent) e_.active = go;
  e_.emit_block(i.blocks[1]);
  if (!divergent) go.clear();
  const Vs next = next_carries(cs, go, carry);
  phis.close(go);
  phis.close(extra);
  phis.close(next);
  b_.end_loop(blocks);
  e_.active = outer;
  return {go, carry};
}

void Loops::emit_for_each(Id v) {
  const Inst& i = k_.insts[v];
  const Id index = k_.blocks[i.blocks[0]].params[0];
  b_.each("each", b_.i64(0), e_.scalar(i.args[0]), 1, [&](V at) {
    e_.stop_checks().emit(weight(k_, i.blocks[0]));
    e_.set(index, at);
    e_.emit_block(i.blocks[0]);
  });
}

}  // namespace weft::compiler

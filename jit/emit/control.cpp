// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/control.cpp: loops and branches. A condition that is the same for all elements is a
// scalar branch. Where elements differ, the mask narrows, a select keeps the carries of elements
// that left, and code without active elements is skipped.
#include <llvm/IR/Intrinsics.h>

#include "jit/emit/block_emitter.h"
#include "jit/emit/phis.h"
#include "jit/emit/runs.h"
#include "jit/schedule/nest_names.h"
#include "weft/error.h"

namespace weft::compiler {

Vs BlockEmitter::parts(const std::vector<Carry>& cs, Id Carry::* which) {
  Vs out;
  for (const Carry& c : cs) out.append(parts(c.*which, c.variance));
  return out;
}

void BlockEmitter::bind(const std::vector<Carry>& cs, Id Carry::* which, const Vs& values) {
  const V* at = values.begin();
  for (const Carry& c : cs) {
    const V* end = at + (c.variance.varying ? interleave : 1);
    set_parts(c.*which, c.variance, Vs(at, end));
    at = end;
  }
}

// Returns the carries after a trip. Elements that did not make the trip keep the values in
// `before`.
Vs BlockEmitter::next_carries(const std::vector<Carry>& cs, const Masks& made, const Vs& before) {
  if (made.empty()) return parts(cs, &Carry::next);
  Vs out;
  for (const Carry& c : cs)
    for (V x : parts(c.next, c.variance)) {
      const size_t n = out.size();
      out.push_back(b_.CreateSelect(made[n % made.size()], x, before[n]));
    }
  return out;
}

// Returns the carries that change. Unchanged carries are bound to their initial values.
std::vector<BlockEmitter::Carry> BlockEmitter::carries(Id v, size_t first_arg, size_t first_param) {
  const Inst& i = k_.insts[v];
  const nest::Block& body = k_.blocks[i.blocks.back()];
  std::vector<Carry> out;
  for (size_t r = 0; r < i.kinds.size(); ++r) {
    Carry c{i.args[first_arg + r], body.params[first_param + r], nest::no_id,
            body.yields[r],        divergence.results[v][r],     {}};
    if (i.op == Opcode::While) c.test_param = k_.blocks[i.blocks[0]].params[r];
    c.variance = variance(c.param);
    if (c.next == c.param) {
      for (Id same : {c.param, c.test_param, c.result})
        if (same != nest::no_id) value(same) = value(c.init);
      continue;
    }
    out.push_back(c);
  }
  return out;
}

void BlockEmitter::loop_for(Id v) {
  const auto c = carries(v, 2, 1);
  const auto l = s_.loops.find(v);
  if (l == s_.loops.end()) return plain_for(v, c);
  if (l->second.how == LoopSchedule::How::unrolled) return unrolled_for(v, c);
  scheduled_for(v, l->second, c);
}

void BlockEmitter::scheduled_for(Id v, const LoopSchedule&, const std::vector<Carry>& cs) {
  Runs(*this).emit(v, cs);
}

void BlockEmitter::unrolled_for(Id v, const std::vector<Carry>& cs) {
  const Inst& i = k_.insts[v];
  const nest::Block& body = k_.blocks[i.blocks[0]];
  int64_t lo = 0, hi = 0;
  if (!constant_value(k_, i.args[0], unrolled_indices_, &lo) ||
      !constant_value(k_, i.args[1], unrolled_indices_, &hi))
    throw InternalError("a loop of unknown length was to be written out");
  const int64_t trips = hi - lo;
  Vs now = parts(cs, &Carry::init);
  for (int64_t t = 0; t < trips; ++t) {
    const int64_t index = i.imm > 0 ? lo + t : hi - 1 - t;
    unrolled_indices_[body.params[0]] = index;
    set(body.params[0], b_.i64(index));
    bind(cs, &Carry::param, now);
    emit_block(i.blocks[0]);
    now = parts(cs, &Carry::next);
  }
  unrolled_indices_.erase(body.params[0]);
  bind(cs, &Carry::result, now);
}

// If elements run alike, the lower and upper bounds differ between elements by the same amount, if
// at all. The trip count is then that of element 0, and the index is linear like the bounds.
// Otherwise the mask of active elements is a carry too.
void BlockEmitter::plain_for(Id v, const std::vector<Carry>& cs) {
  const Inst& i = k_.insts[v];
  const Id index = k_.blocks[i.blocks[0]].params[0];
  const bool up = i.imm > 0, divergent = divergence.divergent[v];
  const Id start = i.args[up ? 0 : 1], bound = i.args[up ? 1 : 0];
  const Vs limits = parts(bound, divergent ? varying_value : uniform_value);
  const Vs init = parts(cs, &Carry::init);
  Vs first = parts(start, variance(start));
  if (!up)
    for (V& x : first) x = b_.CreateSub(x, llvm::ConstantInt::get(x->getType(), 1));
  const V stride = value(start).stride;
  const Masks outer = active, before = divergent ? masks_of() : Masks();
  const IrBuilder::LoopBlocks blocks = b_.begin_loop("for");
  Phis phis(b_, blocks.preheader, mask_registers_);
  const Vs at_index = phis.add(first), running = phis.add(before), carry = phis.add(init);
  bind(cs, &Carry::param, carry);
  bind(cs, &Carry::result, carry);
  if (variance(index).varying)
    set_vectors(index, at_index);
  else
    set_linear(index, at_index[0], stride);
  Masks go;
  for (size_t p = 0; p < limits.size(); ++p) {
    const V x = divergent ? vec(index, static_cast<int>(p)) : at_index[0];
    const V more = up ? b_.CreateICmpSLT(x, limits[p]) : b_.CreateICmpSGE(x, limits[p]);
    go.push_back(divergent ? b_.CreateAnd(running[p], more) : more);
  }
  b_.begin_body(blocks, b_.any(go));
  emit_cancellation_check(weight(k_, i.blocks[0]));
  if (divergent) active = go;
  emit_block(i.blocks[0]);
  if (!divergent) go.clear();
  const Vs next = next_carries(cs, go, carry);
  Vs following;
  for (V x : at_index)
    following.push_back(b_.CreateAdd(x, llvm::ConstantInt::getSigned(x->getType(), up ? 1 : -1)));
  phis.close(following);
  phis.close(go);
  phis.close(next);
  b_.end_loop(blocks);
  active = outer;
}

void BlockEmitter::loop_while(Id v) {
  const auto cs = carries(v, 0, 0);
  const Vs init = parts(cs, &Carry::init);
  while_trips(v, cs, divergence.divergent[v] ? masks_of() : Masks(), {}, init,
              [&](const Masks& go, Vs&) { return b_.any(go); });
}

// Emits the trips of the elements in `before`, which may leave at different trips. If it is empty,
// all active elements run alike. `extra` is carried as well. `continues` receives the elements that
// go on, replaces `extra`, and returns true if the loop continues.
BlockEmitter::WhileState BlockEmitter::while_trips(
    Id v, const std::vector<Carry>& cs, const Masks& before, Vs extra, const Vs& init,
    const std::function<V(const Masks& go, Vs& extra)>& continues) {
  const Inst& i = k_.insts[v];
  const bool divergent = !before.empty();
  const Masks outer = active;
  const IrBuilder::LoopBlocks blocks = b_.begin_loop("while");
  Phis phis(b_, blocks.preheader, mask_registers_);
  const Masks running = phis.add(before);
  extra = phis.add(extra);
  const Vs carry = phis.add(init);
  for (auto which : {&Carry::param, &Carry::test_param, &Carry::result}) bind(cs, which, carry);
  if (divergent) active = running;
  emit_block(i.blocks[0]);
  const Id test = k_.blocks[i.blocks[0]].yields[0];
  Masks go = divergent ? and_active(parts(test, varying_value)) : Masks{scalar(test)};
  b_.begin_body(blocks, continues(go, extra));
  emit_cancellation_check(weight(k_, i.blocks[0]) + weight(k_, i.blocks[1]));
  if (divergent) active = go;
  emit_block(i.blocks[1]);
  if (!divergent) go.clear();
  const Vs next = next_carries(cs, go, carry);
  phis.close(go);
  phis.close(extra);
  phis.close(next);
  b_.end_loop(blocks);
  active = outer;
  return {go, carry};
}

Vs BlockEmitter::emit_side(Id v, BlockId b) {
  emit_block(b);
  const auto& results = divergence.results[v];
  Vs out;
  for (size_t r = 0; r < results.size(); ++r)
    out.append(parts(k_.blocks[b].yields[r], variance(results[r])));
  return out;
}

void BlockEmitter::set_results(Id v, const Vs& values) {
  const V* at = values.begin();
  for (Id r : divergence.results[v]) {
    const V* end = at + (variance(r).varying ? interleave : 1);
    set_parts(r, variance(r), Vs(at, end));
    at = end;
  }
}

void BlockEmitter::branch_if(Id v) {
  const Inst& i = k_.insts[v];
  if (divergence.divergent[v]) return divergent_if(v);
  const auto then = [&] { return emit_side(v, i.blocks[0]); };
  const auto otherwise = [&] { return emit_side(v, i.blocks[1]); };
  // In an unrolled loop the condition may be known.
  set_results(v, b_.branch(scalar(i.args[0]), then, otherwise, is_unlikely(i)));
}

// A path that hardly any element takes. All elements compute the usual values without a test. The
// values of elements that take the path are then replaced.
void BlockEmitter::unlikely_if(Id v) {
  const Inst& i = k_.insts[v];
  const Vs usual = emit_side(v, i.blocks[1]);
  const Masks outer = active;
  const Masks yes = parts(i.args[0], varying_value);
  active = and_active(yes);
  const auto replaced = [&] {
    Vs out = emit_side(v, i.blocks[0]);
    for (size_t k = 0; k < out.size(); ++k)
      out[k] = b_.CreateSelect(yes[k % yes.size()], out[k], usual[k]);
    return out;
  };
  const Vs joined = b_.branch(b_.any(active), replaced, [&] { return usual; }, true);
  active = outer;
  set_results(v, joined);
}

void BlockEmitter::divergent_if(Id v) {
  const Inst& i = k_.insts[v];
  if (is_unlikely(i) && is_arithmetic(k_, i.blocks[1])) return unlikely_if(v);
  const Masks outer = active;
  const Masks yes = parts(i.args[0], varying_value);
  Masks no;
  for (V m : yes) no.push_back(b_.CreateNot(m));
  const auto reached = [&](BlockId b, const Masks& m) {
    const auto run = [&] { return emit_side(v, b); };
    if (s_.flat.count(b)) return run();
    active = and_active(m);
    const auto skip = [&] {
      Vs none;
      for (Id r : divergence.results[v])
        none.append(interleave, llvm::Constant::getNullValue(b_.vector_of(ops_.type(kind(r)))));
      return none;
    };
    const Vs out = b_.branch(b_.any(active), run, skip, is_unlikely(i) && b == i.blocks[0]);
    active = outer;
    return out;
  };
  Vs out = reached(i.blocks[0], yes);
  const Vs other = reached(i.blocks[1], no);
  for (size_t k = 0; k < out.size(); ++k)
    out[k] = b_.CreateSelect(yes[k % yes.size()], out[k], other[k]);
  set_results(v, out);
}

void BlockEmitter::for_each(Id v) {
  const Inst& i = k_.insts[v];
  const Id index = k_.blocks[i.blocks[0]].params[0];
  b_.each("each", b_.i64(0), scalar(i.args[0]), 1, [&](V at) {
    emit_cancellation_check(weight(k_, i.blocks[0]));
    set(index, at);
    emit_block(i.blocks[0]);
  });
}

}  // namespace weft::compiler

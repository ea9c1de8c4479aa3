// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/emit_control.cpp: loops and branches. A condition that is the same for all elements is a
// scalar branch. Where elements differ, the mask narrows, a select keeps the carries of elements
// that left, and code without active elements is skipped.
#include <llvm/IR/Intrinsics.h>

#include "jit/emit/emit.h"
#include "jit/emit/phis.h"
#include "jit/schedule/nest_names.h"
#include "runtime/native/cold_paths.h"
#include "weft/error.h"

namespace weft::compiler {

void Emitter::emit_block(BlockId b) {
  for (Id v : k_.blocks[b].body) emit_inst(v);
}

void Emitter::emit_inst(Id v) {
  switch (k_.insts[v].op) {
    case Opcode::Param:
    case Opcode::Result: return;
    case Opcode::Load: return load(v);
    case Opcode::Store: return store(v);
    case Opcode::Local: return local(v);
    case Opcode::LocalLoad: return local_load(v);
    case Opcode::LocalStore: return local_store(v);
    case Opcode::For: return loop_for(v);
    case Opcode::Fold: return fold(v);
    case Opcode::ForEach: return for_each(v);
    case Opcode::While: return loop_while(v);
    case Opcode::If: return branch_if(v);
    default: return emit_pure(v);
  }
}

Masks Emitter::and_active(const Masks& m) {
  if (active_.empty()) return m;
  return vectors([&](int p) { return b_.CreateAnd(active_[p], m[p]); });
}

Vs Emitter::parts(const std::vector<Carry>& cs, Id Carry::* which) {
  Vs out;
  for (const Carry& c : cs) out.append(parts(c.*which, c.variance));
  return out;
}

void Emitter::bind(const std::vector<Carry>& cs, Id Carry::* which, const Vs& values) {
  const V* at = values.begin();
  for (const Carry& c : cs) {
    const V* end = at + (c.variance.varying ? interleave_ : 1);
    set_parts(c.*which, c.variance, Vs(at, end));
    at = end;
  }
}

// Returns the carries after a trip. Elements that did not make the trip keep the values in
// `before`.
Vs Emitter::next_carries(const std::vector<Carry>& cs, const Masks& made, const Vs& before) {
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
std::vector<Emitter::Carry> Emitter::carries(Id v, size_t first_arg, size_t first_param) {
  const Inst& i = k_.insts[v];
  const nest::Block& body = k_.blocks[i.blocks.back()];
  std::vector<Carry> out;
  for (size_t r = 0; r < i.kinds.size(); ++r) {
    Carry c{i.args[first_arg + r], body.params[first_param + r], nest::no_id,
            body.yields[r],        divergence_.results[v][r],    {}};
    if (i.op == Opcode::While) c.test_param = k_.blocks[i.blocks[0]].params[r];
    c.variance = variance(c.param);
    if (c.next == c.param) {
      for (Id same : {c.param, c.test_param, c.result})
        if (same != nest::no_id) values_[same] = values_[c.init];
      continue;
    }
    out.push_back(c);
  }
  return out;
}

void Emitter::loop_for(Id v) {
  const auto c = carries(v, 2, 1);
  const auto l = s_.loops.find(v);
  if (l == s_.loops.end()) return plain_for(v, c);
  if (l->second.how == LoopSchedule::How::unrolled) return unrolled_for(v, c);
  // The remainder elements of a grid are not worth nested loops.
  if (plain_loops_) return plain_for(v, c);
  l->second.how == LoopSchedule::How::rows ? rows_for(v, l->second, c) : runs_for(v, c);
}

void Emitter::unrolled_for(Id v, const std::vector<Carry>& cs) {
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
void Emitter::plain_for(Id v, const std::vector<Carry>& cs) {
  const Inst& i = k_.insts[v];
  const Id index = k_.blocks[i.blocks[0]].params[0];
  const bool up = i.imm > 0, divergent = divergence_.divergent[v];
  const Id start = i.args[up ? 0 : 1], bound = i.args[up ? 1 : 0];
  const Vs limits = parts(bound, divergent ? varying_value : uniform_value);
  const Vs init = parts(cs, &Carry::init);
  Vs first = parts(start, variance(start));
  if (!up)
    for (V& x : first) x = b_.CreateSub(x, llvm::ConstantInt::get(x->getType(), 1));
  const V stride = values_[start].stride;
  const Masks outer = active_, before = divergent ? masks_of() : Masks();
  const IrBuilder::LoopBlocks blocks = b_.begin_loop("for");
  Phis phis(b_, blocks.preheader, machine_.mask_registers);
  const Vs at_index = phis.add(first), running = phis.add(before), carry = phis.add(init);
  bind(cs, &Carry::param, carry);
  bind(cs, &Carry::result, carry);
  values_[index] = variance(index).varying ? Val{nullptr, nullptr, at_index, nullptr}
                                           : Val{at_index[0], stride, {}, nullptr};
  Masks go;
  for (size_t p = 0; p < limits.size(); ++p) {
    const V x = divergent ? vec(index, static_cast<int>(p)) : at_index[0];
    const V more = up ? b_.CreateICmpSLT(x, limits[p]) : b_.CreateICmpSGE(x, limits[p]);
    go.push_back(divergent ? b_.CreateAnd(running[p], more) : more);
  }
  b_.begin_body(blocks, b_.any(go));
  emit_cancellation_check(weight(k_, i.blocks[0]));
  if (divergent) active_ = go;
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
  active_ = outer;
}

void Emitter::loop_while(Id v) {
  const auto cs = carries(v, 0, 0);
  if (machine_.gpu && !any_inst(k_, k_.insts[v].blocks[0], is_loop)) return while_thread(v, cs);
  const Vs init = parts(cs, &Carry::init);
  while_trips(v, cs, divergence_.divergent[v] ? masks_of() : Masks(), {}, init,
              [&](const Masks& go, Vs&) { return b_.any(go); });
}

// Emits the trips of the elements in `before`, which may leave at different trips. If it is empty,
// all active elements run alike. `extra` is carried as well. `continues` receives the elements that
// go on, replaces `extra`, and returns true if the loop continues.
Emitter::WhileState Emitter::while_trips(
    Id v, const std::vector<Carry>& cs, const Masks& before, Vs extra, const Vs& init,
    const std::function<V(const Masks& go, Vs& extra)>& continues) {
  const Inst& i = k_.insts[v];
  const bool divergent = !before.empty();
  const Masks outer = active_;
  const IrBuilder::LoopBlocks blocks = b_.begin_loop("while");
  Phis phis(b_, blocks.preheader, machine_.mask_registers);
  const Masks running = phis.add(before);
  extra = phis.add(extra);
  const Vs carry = phis.add(init);
  for (auto which : {&Carry::param, &Carry::test_param, &Carry::result}) bind(cs, which, carry);
  if (divergent) active_ = running;
  emit_block(i.blocks[0]);
  const Id test = k_.blocks[i.blocks[0]].yields[0];
  Masks go = divergent ? and_active(parts(test, varying_value)) : Masks{scalar(test)};
  b_.begin_body(blocks, continues(go, extra));
  emit_cancellation_check(weight(k_, i.blocks[0]) + weight(k_, i.blocks[1]));
  if (divergent) active_ = go;
  emit_block(i.blocks[1]);
  if (!divergent) go.clear();
  const Vs next = next_carries(cs, go, carry);
  phis.close(go);
  phis.close(extra);
  phis.close(next);
  b_.end_loop(blocks);
  active_ = outer;
  return {go, carry};
}

// Emits a while for one GPU thread. Threads that diverge reconverge after each branch, so a trip
// has a single branch, at its end. It leaves the loop if the test fails or the countdown is
// negative. In the second case the loop is entered again with the same state.
void Emitter::while_thread(Id v, const std::vector<Carry>& cs) {
  const Inst& i = k_.insts[v];
  auto *run = b_.block("while"), *trip = b_.block("trip"), *ended = b_.block("ended"),
       *check = b_.block("look"), *after = b_.block("after");
  const Vs init = parts(cs, &Carry::init);
  const V enters = while_test(v, cs, init);
  auto* from = b_.insert_block();
  b_.CreateCondBr(enters, run, after);
  b_.insert_at(run);
  Phis runs(b_, from, machine_.mask_registers);
  const Vs begun = runs.add(init);
  b_.jump(trip);
  b_.insert_at(trip);
  Phis trips(b_, run, machine_.mask_registers);
  bind(cs, &Carry::param, trips.add(begun));
  emit_block(i.blocks[1]);
  const Vs next = parts(cs, &Carry::next);
  const V more = while_test(v, cs, next);
  const V left = decrement_countdown(weight(k_, i.blocks[0]) + weight(k_, i.blocks[1]));
  trips.close(next);
  b_.CreateCondBr(b_.CreateAnd(more, b_.CreateICmpSGE(left, b_.i32(0))), trip, ended);
  b_.insert_at(ended);
  b_.CreateCondBr(more, check, after);
  exit_if_stopped(check, run);
  runs.close(next);
  b_.insert_at(after);
  Phis results(b_, from, machine_.mask_registers);
  bind(cs, &Carry::result, results.add(init));
  b_.insert_at(ended);
  results.close(next);
  b_.insert_at(after);
}

// Emits one side of If v. Returns its results, each in the form of the result. They are computed
// here or by the library.
Vs Emitter::emit_if_region(Id v, BlockId b) {
  const Inst& i = k_.insts[v];
  const bool divergent = divergence_.divergent[v];
  if (b == i.blocks[0] && is_library_call(i) && (divergent || variance(i.args[1]).uniform()))
    return call_cold_path(v, parts(i.args[1], divergent ? varying_value : uniform_value));
  emit_block(b);
  const auto& results = divergence_.results[v];
  Vs out;
  for (size_t r = 0; r < results.size(); ++r)
    out.append(parts(k_.blocks[b].yields[r], variance(results[r])));
  return out;
}

void Emitter::set_results(Id v, const Vs& values) {
  const V* at = values.begin();
  for (Id r : divergence_.results[v]) {
    const V* end = at + (variance(r).varying ? interleave_ : 1);
    set_parts(r, variance(r), Vs(at, end));
    at = end;
  }
}

void Emitter::branch_if(Id v) {
  const Inst& i = k_.insts[v];
  if (divergence_.divergent[v]) return divergent_if(v);
  const auto then = [&] { return emit_if_region(v, i.blocks[0]); };
  const auto otherwise = [&] { return emit_if_region(v, i.blocks[1]); };
  // In an unrolled loop the condition may be known.
  set_results(v, b_.branch(scalar(i.args[0]), then, otherwise, is_library_call(i)));
}

// Returns the library's results for x, a scalar or the interleaved vectors. It computes all
// elements.
Vs Emitter::call_cold_path(Id v, const Vs& x) {
  const Inst& i = k_.insts[v];
  const size_t results = i.kinds.size();
  const auto* vector_type = llvm::dyn_cast<llvm::FixedVectorType>(x[0]->getType());
  const unsigned elements = vector_type ? vector_type->getNumElements() : 1;
  const char* name = native::cold_paths()[static_cast<size_t>(i.imm - 1)].name;
  auto* type = x[0]->getType();
  V& slots = cold_slots_[type];  // the argument and up to three results
  constexpr int64_t max_slots = 4;
  if (!slots) slots = b_.allocate(type, max_slots, "rare");
  const auto slot = [&](size_t n) { return b_.CreateConstGEP1_64(type, slots, n); };
  Vs vectors;
  for (V vector : x) {
    b_.CreateStore(vector, slots);
    b_.call(name, b_.getVoidTy(), {slots, slot(1), b_.i64(elements)})->setDoesNotThrow();
    for (size_t r = 0; r < results; ++r) vectors.push_back(b_.CreateLoad(type, slot(1 + r)));
  }
  Vs by_result;
  for (size_t r = 0; r < results; ++r)
    for (size_t p = 0; p < x.size(); ++p) by_result.push_back(vectors[p * results + r]);
  return by_result;
}

// A path that hardly any element takes. All elements compute the usual values without a test. The
// values of elements that take the path are then replaced.
void Emitter::unlikely_if(Id v) {
  const Inst& i = k_.insts[v];
  const Vs usual = emit_if_region(v, i.blocks[1]);
  const Masks outer = active_;
  const Masks yes = parts(i.args[0], varying_value);
  active_ = and_active(yes);
  const auto replaced = [&] {
    Vs out = emit_if_region(v, i.blocks[0]);
    for (size_t k = 0; k < out.size(); ++k)
      out[k] = b_.CreateSelect(yes[k % yes.size()], out[k], usual[k]);
    return out;
  };
  const Vs joined = b_.branch(b_.any(active_), replaced, [&] { return usual; }, true);
  active_ = outer;
  set_results(v, joined);
}

void Emitter::divergent_if(Id v) {
  const Inst& i = k_.insts[v];
  if (is_library_call(i) && is_arithmetic(k_, i.blocks[1])) return unlikely_if(v);
  const Masks outer = active_;
  const Masks yes = parts(i.args[0], varying_value);
  Masks no;
  for (V m : yes) no.push_back(b_.CreateNot(m));
  const auto reached = [&](BlockId b, const Masks& m) {
    const auto run = [&] { return emit_if_region(v, b); };
    if (s_.flat.count(b)) return run();
    active_ = and_active(m);
    const auto skip = [&] {
      Vs none;
      for (Id r : divergence_.results[v])
        none.append(interleave_, llvm::Constant::getNullValue(b_.vector_of(ops_.type(kind(r)))));
      return none;
    };
    const Vs out = b_.branch(b_.any(active_), run, skip, is_library_call(i) && b == i.blocks[0]);
    active_ = outer;
    return out;
  };
  Vs out = reached(i.blocks[0], yes);
  const Vs other = reached(i.blocks[1], no);
  for (size_t k = 0; k < out.size(); ++k)
    out[k] = b_.CreateSelect(yes[k % yes.size()], out[k], other[k]);
  set_results(v, out);
}

void Emitter::for_each(Id v) {
  const Inst& i = k_.insts[v];
  const Id index = k_.blocks[i.blocks[0]].params[0];
  if (divergence_.vectorized[v])
    return thread_in_point_ ? for_each_threads(v) : for_each_vectors(v);
  b_.each("each", b_.i64(0), scalar(i.args[0]), 1, [&](V at) {
    emit_cancellation_check(weight(k_, i.blocks[0]));
    set(index, at);
    emit_block(i.blocks[0]);
  });
}

void Emitter::for_each_vectors(Id v) {
  const Inst& i = k_.insts[v];
  const Id index = k_.blocks[i.blocks[0]].params[0];
  const V n = scalar(i.args[0]);
  b_.vector_width = s_.vector_width;
  const int64_t cost = weight(k_, i.blocks[0]);
  const auto body = [&](V at, const Masks& m) {
    active_ = m;
    values_[index] = Val{at, b_.i64(1), {}, nullptr};
    emit_block(i.blocks[0]);
    active_.clear();
  };
  const V whole = b_.CreateAnd(n, b_.i64(-b_.vector_width));
  b_.each("each", b_.i64(0), whole, b_.vector_width, [&](V at) {
    emit_cancellation_check(cost);
    body(at, {});
  });
  b_.when(b_.CreateICmpSGT(n, b_.call(llvm::Intrinsic::smax, {whole, b_.i64(0)})),
          [&] { body(whole, {b_.prefix_mask(b_.CreateSub(n, whole))}); });
  b_.vector_width = 1;
}

}  // namespace weft::compiler

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/control.cpp: writes while, scan, cond and calls of one lane.
#include "jit/nests/control.h"

#include <algorithm>

#include "jit/fuse/carried_buffers.h"
#include "jit/nests/structured.h"
#include "jit/nests/value_uses.h"
#include "weft/error.h"

namespace weft::compiler {

using I64v = num::Ir<int64_t>;
using nest::BlockId, nest::Id, nest::Kind;

namespace {
Elem zero_elem(DType d) { return literal_elem({d, false, {0, 0}}); }

// Binds the mask that a body takes. A lane that runs the body is active; the emitter masks the
// others.
void bind_active_mask(Frame& body) {
  const Elem active{num::Ir<bool>(true).id, nest::no_id};
  body.location[0] = {.kind = ValueLocation::Kind::scalars, .elems = {active}};
  body.masked = true;
}
}  // namespace

void ControlFlow::write(Frame& f, size_t i) {
  switch (f.lowering(i).form) {
    case Lowering::Form::branch: return write_cond(f, i);
    case Lowering::Form::inlined: return write_call(f, i);
    default:
      return f.lowering(i).loop.kind == LoopForm::Kind::scan ? write_scan(f, i) : write_while(f, i);
  }
}

// ---- inputs of bodies

// Binds inputs of a body to operands of equation i. They are read where they are. A large and
// expensive operand is computed here, so that the body does not recompute it.
void ControlFlow::bind_operands(Frame& f, size_t i, Frame& body, ValueRange inputs,
                                ValueRange operands) {
  std::vector<ArrayFill> fills;
  for (int k = 0; k < inputs.size; ++k) {
    const Atom a = f.eqn(i).in[static_cast<size_t>(operands.first + k)];
    const int32_t var = inputs.first + k;
    int budget = max_recomputed_cost;
    if (!body.is_large(var) || !is_expensive(f, a, &budget)) {
      body.location[var] = {.kind = ValueLocation::Kind::alias, .outer = &f, .atom = a};
      continue;
    }
    const LaneType t = body.lane_type(var);
    const Elem array = arrays_.create(t);
    body.location[var] = {.kind = ValueLocation::Kind::local, .local = array};
    fills.push_back(
        {array, t, [this, &f, a](const Coords& at) { return elements_.read(f, a, at); }});
  }
  arrays_.fill(fills);
}

// Binds the inputs of a loop's body before its carries, which every trip reads. Returns their
// number.
int ControlFlow::bind_constants(Frame& f, size_t i, Frame& body) {
  const LoopForm& v = f.lowering(i).loop;
  const LoopRanges inputs = v.body_inputs();
  body.read_only_inputs = inputs.carry.first;
  bind_operands(f, i, body, inputs.body_consts, v.operands().body_consts);
  if (v.active()) bind_active_mask(body);
  return inputs.carry.first;
}

// ---- while

void ControlFlow::write_while(Frame& f, size_t i) {
  const Eqn& e = f.eqn(i);
  const LoopForm& v = f.lowering(i).loop;
  Frame& test = frames_.body(f, i, 0);
  test.read_only_inputs = test.s->j->n_in;
  Frame& body = frames_.body(f, i, 1);
  const LoopRanges cond = v.cond_inputs();
  bind_operands(f, i, test, cond.cond_consts, v.operands().cond_consts);
  const int first = bind_constants(f, i, body);
  std::vector<Id> init;
  const std::vector<CarriedValue> carries = carries_.begin(f, i, body, first, &init);
  // A lane that may not enter makes no trip.
  Id entry_mask = nest::no_id;
  if (v.entry_mask()) {
    const Coords at = v.active() ? space_.coords_at(body.lane_type(0), 0) : Coords{};
    entry_mask = elements_.read(f, e.in[0], at).re;
  }
  const std::vector<Kind> kinds = kinds_of(b_, init);
  const BlockId tb = b_.open(kinds);
  bind_carries(test, cond.carry.first, carries, params_of(b_, tb, kinds.size()));
  bodies_.write_body(test);
  const Atom out = test.s->j->out[0];
  const Coords at = out.is_literal() ? Coords{} : space_.coords_at(test.lane_type(out.index), 0);
  num::Ir<bool> go = num::Ir<bool>::at(elements_.read(test, out, at).re);
  if (v.entry_mask()) go = go & num::Ir<bool>::at(entry_mask);
  b_.yield({go.id});
  b_.leave();
  const BlockId bb = b_.open(kinds);
  bind_carries(body, first, carries, params_of(b_, bb, kinds.size()));
  bodies_.write_body(body);
  std::vector<Id> yields;
  carries_.yield(body, carries, first, &yields);
  b_.yield(yields);
  b_.leave();
  bind_carries(f, e.out, carries, b_.loop_while(init, tb, bb));
}

// ---- scan

// Stores the row that a step computes, `y` of the body, to the result.
void ControlFlow::store_row(Frame& body, Atom y, int32_t result, Id time, Frame& f) {
  const LaneType t = f.lane_type(result);
  const int64_t trips = t.shape()[0];
  const int64_t n = trips == 0 ? 0 : t.inner_elements() / trips;
  const Elem array = f.location[result].local;
  const auto write = [&](Coords c) {
    const Coords row(c.begin() + 1, c.end());
    c[0] = time;
    outputs_.store_step(f, result, array, c, elements_.read(body, y, row));
  };
  if (n > f.kernel->small) {
    std::vector<int64_t> extents = t.inner_extents();
    extents.erase(extents.begin());
    return arrays_.element_loop(extents,
                                [&](const Coords& c) { write(space_.coords_with(t, c, 0)); });
  }
  for (int64_t k = 0; k < n; ++k) write(space_.coords_at(t, k));  // of step 0
}

// Returns the number of steps that a lane takes.
Id ControlFlow::trip_count(Frame& f, size_t i, const Frame& body) {
  const LoopForm& v = f.lowering(i).loop;
  I64v hi(v.length);
  if (v.trip_counts()) {
    const Coords at = v.lanes.empty() ? Coords{} : space_.coords_at(body.lane_type(0), 0);
    const Elem count = elements_.read(f, f.eqn(i).in[0], at);
    const I64v trips = num::convert<int64_t>(num::Ir<int32_t>::at(count.re));
    hi = num::minimum(trips, hi);
  }
  return hi.id;
}

void ControlFlow::write_scan(Frame& f, size_t i) {
  const Eqn& e = f.eqn(i);
  const LoopForm& v = f.lowering(i).loop;
  Frame& body = frames_.body(f, i, 0);
  const int first = bind_constants(f, i, body);
  std::vector<Id> init;
  const std::vector<CarriedValue> carries = carries_.begin(f, i, body, first, &init);
  const ValueRange results = v.results();
  for (int k = results.first; k < results.end(); ++k) {
    const LaneType t = f.lane_type(e.out + k);
    const Elem array = outputs_.begin_steps(f, e.out + k);
    if (!v.trip_counts() || array.re == nest::no_id) continue;
    // A lane may take fewer steps, and the other rows are zero.
    const int64_t n = std::max<int64_t>(t.inner_elements(), 1);
    arrays_.element_loop(
        {n}, [&](const Coords& at) { arrays_.store(array, at[0], zero_elem(t.dtype())); });
  }
  const Id hi = trip_count(f, i, body);
  std::vector<Kind> kinds = kinds_of(b_, init);
  kinds.insert(kinds.begin(), Kind::I64);
  const BlockId bb = b_.open(kinds);
  const Id time = b_.param(bb, 0);
  bind_carries(body, first, carries, params_of(b_, bb, kinds.size()), 1);
  const ValueRange xs = v.operands().xs, rows = v.body_inputs().xs;
  for (int r = 0; r < xs.size; ++r) {
    const Atom x = e.in[static_cast<size_t>(xs.first + r)];
    body.location[rows.first + r] = {
        .kind = ValueLocation::Kind::row, .outer = &f, .atom = x, .time = time};
  }
  bodies_.write_body(body);
  for (int k = results.first; k < results.end(); ++k)
    store_row(body, body.s->j->out[static_cast<size_t>(k)], e.out + k, time, f);
  std::vector<Id> yields;
  carries_.yield(body, carries, first, &yields);
  b_.yield(yields);
  b_.leave();
  bind_carries(f, e.out, carries, b_.loop(b_.integer(0), hi, v.reverse ? -1 : 1, init, bb));
}

// ---- cond

// Makes the places of the results. A result that all sides make of an operand in place has the
// array of the operand.
std::vector<CarriedValue> ControlFlow::begin_results(Frame& f, size_t i) {
  const Eqn& e = f.eqn(i);
  const auto in_array = [&](Atom a) {
    const ValueLocation* p = a.is_literal() ? nullptr : f.location.find(a.index);
    return p && p->is_array();
  };
  std::vector<int> updated(static_cast<size_t>(e.n_out), -1);
  if (f.analysis && std::ranges::any_of(e.in, in_array))
    updated = updated_operands(*f.analysis, *f.s, i, f.masked);
  std::vector<CarriedValue> results;
  for (int32_t r = 0; r < e.n_out; ++r) {
    CarriedValue c = carried_like(f, e.out + r);
    const auto k = static_cast<size_t>(updated[r]);
    if (updated[r] >= 0 && c.in_array) materializer_.materialize_dependents(f, i, k);
    if (updated[r] >= 0 && c.in_array && can_reuse_array(f, i, k)) {
      c.array = f.location[e.in[k].index];
      c.array.fixed = true;
      c.operand = updated[r];
    } else if (c.in_array) {
      c.array = {.kind = ValueLocation::Kind::local,
                 .local = arrays_.create(f.lane_type(e.out + r))};
    }
    results.push_back(std::move(c));
  }
  return results;
}

// Returns the body of a branch. It reads the operands of the op where they are.
Frame& ControlFlow::branch_body(Frame& f, size_t i, size_t branch,
                                const std::vector<CarriedValue>& results) {
  const Eqn& e = f.eqn(i);
  const LoopForm& v = f.lowering(i).loop;
  Frame& body = frames_.body(f, i, branch);
  if (v.active()) bind_active_mask(body);
  const ValueRange inputs = v.body_inputs().body_consts, operands = v.operands().body_consts;
  bind_operands(f, i, body, inputs, operands);
  for (const CarriedValue& c : results)
    if (c.operand >= 0) body.location[inputs.first + (c.operand - operands.first)] = c.array;
  // If one loop can compute all results, they are not materialized first.
  bool same_extents = true;
  for (int32_t k = 1; k < e.n_out; ++k)
    same_extents = same_extents &&
                   f.lane_type(e.out + k).inner_extents() == f.lane_type(e.out).inner_extents();
  bodies_.write_body(body, !same_extents);
  return body;
}

// Computes the results of the branch that is taken: variables from `first` on, whose elements
// `value` gives. `body` is its body; without one, the results are zeros. Returns the components of
// the small ones.
std::vector<Id> ControlFlow::write_results(
    Frame& f, int32_t first, const std::vector<CarriedValue>& results, const Frame* body,
    const std::function<Elem(int, int32_t, const Coords&)>& value) {
  std::vector<Id> yields;
  std::vector<ArrayFill> fills;
  for (size_t r = 0; r < results.size(); ++r) {
    const int k = static_cast<int>(r);
    const int32_t var = first + k;
    const LaneType t = f.lane_type(var);
    const CarriedValue& c = results[r];
    if (!c.in_array) {
      for (int64_t q = 0; q < c.n; ++q) push(&yields, value(k, var, space_.coords_at(t, q)));
    } else if (c.operand < 0) {
      fills.push_back(
          {c.array.local, t, [&value, k, var](const Coords& at) { return value(k, var, at); }});
    } else if (body) {
      const Atom out = body->s->j->out[r];
      const ValueLocation* p = out.is_literal() ? nullptr : body->location.find(out.index);
      if (!p || !p->is_same_array(c.array))
        throw InternalError("a branch did not update its operand in place");
    }
  }
  arrays_.fill(fills);
  return yields;
}

void ControlFlow::write_cond(Frame& f, size_t i) {
  const Eqn& e = f.eqn(i);
  const LoopForm& v = f.lowering(i).loop;
  const int last = static_cast<int>(v.bodies.size()) - 1;
  // The branch that is taken writes large results to arrays.
  const std::vector<CarriedValue> results = begin_results(f, i);
  const auto taken = [&](int b) {
    Frame& body = branch_body(f, i, static_cast<size_t>(b), results);
    return write_results(f, e.out, results, &body, [&](int k, int32_t, const Coords& c) {
      return elements_.read(body, body.s->j->out[k], c);
    });
  };
  const auto zeros = [&] {
    return write_results(f, e.out, results, nullptr, [&](int, int32_t var, const Coords&) {
      return zero_elem(f.type(var).dtype());
    });
  };
  // The index has the lanes of the op, like the mask that the branches receive.
  Coords lanes;
  if (v.active()) lanes = space_.coords_at(frames_.body(f, i, 0).lane_type(0), 0);
  const auto index = num::Ir<int32_t>::at(elements_.read(f, e.in[0], lanes).re);
  // index <= 0 ? branch 0 : index <= 1 ? branch 1 : … : the last one.
  const std::function<std::vector<Id>(int)> chain = [&](int b) {
    if (b == last) return taken(b);
    const auto here = index <= num::Ir<int32_t>(b);
    return branch(b_, here.id, [&] { return taken(b); }, [&] { return chain(b + 1); });
  };
  const auto all = [&] { return chain(0); };
  std::vector<Id> yielded = v.entry_mask()
                                ? branch(b_, elements_.read(f, e.in[1], lanes).re, all, zeros)
                            : last == 0 ? branch(b_, num::Ir<bool>(true).id, all, zeros)
                                        : all();
  bind_carries(f, e.out, results, yielded);
  // Later equations may copy the array of an operand instead of updating it.
  for (size_t r = 0; r < results.size(); ++r)
    if (results[r].operand >= 0)
      f.location[e.out + static_cast<int32_t>(r)] = f.location[e.in[results[r].operand].index];
}

// ---- call

// Copies the rows of large operands in memory that several equations of a call read. They are then
// read once, in memory order. Rows that several lanes read stay where they are.
void ControlFlow::copy_operands(Frame& f, size_t i, Frame& body) {
  const int64_t lanes = Shape(f.kernel->grid).elements();
  VarMap<int> readers(*body.s->j, 0);
  for (const Eqn& e : body.s->j->eqns)
    for (Atom a : e.in)
      if (!a.is_literal()) ++readers[a];
  std::vector<int32_t> vars;
  std::vector<ArrayFill> fills;
  for (int32_t v = 0; v < body.s->j->n_in; ++v) {
    const Atom a = f.eqn(i).in[v];
    if (a.is_literal() || readers[v] < 2) continue;
    if (f.location.kind(a.index) != ValueLocation::Kind::memory || !body.is_large(v)) continue;
    const LaneType t = body.lane_type(v);
    if (lanes * t.inner_elements() > f.type(a.index).elements()) continue;
    vars.push_back(v);
    fills.push_back({arrays_.create(t), t,
                     [this, &f, a](const Coords& at) { return elements_.read(f, a, at); }, true});
  }
  materializer_.store_in_arrays(body, vars, fills);
}

void ControlFlow::write_call(Frame& f, size_t i) {
  const Eqn& e = f.eqn(i);
  const LoopForm& v = f.lowering(i).loop;
  Frame& body = frames_.body(f, i, 0);
  bind_operands(f, i, body, v.body_inputs().body_consts, v.operands().body_consts);
  copy_operands(f, i, body);
  bodies_.write_body(body);
  for (int32_t k = 0; k < e.n_out; ++k) {
    const Atom out = body.s->j->out[k];
    f.location[e.out + k] = {.kind = ValueLocation::Kind::alias, .outer = &body, .atom = out};
  }
}

}  // namespace weft::compiler

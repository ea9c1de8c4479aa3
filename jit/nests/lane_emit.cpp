// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/lane_emit.cpp: control flow inside the lane: loops, branches and calls, and stores.
#include <fmt/format.h>

#include <algorithm>

#include "jit/nests/lane_writer.h"
#include "weft/error.h"

namespace weft::compiler {

using I64v = num::Ir<int64_t>;
using Form = Lowering::Form;
using nest::BlockId, nest::Id, nest::Kind;

std::vector<Kind> kinds_of(nest::Builder& b, const std::vector<Id>& ids) {
  std::vector<Kind> k;
  for (Id id : ids) k.push_back(b.kind(id));
  return k;
}
void push(std::vector<Id>* ids, const Elem& e) {
  ids->push_back(e.re);
  if (e.im != nest::no_id) ids->push_back(e.im);
}
std::vector<Id> terms_at(const Lowering& l, Reader& reader, const Coords& c) {
  std::vector<Id> ids;
  for (int acc = 0; ids.size() < nest::values_of_term(l.combine); ++acc)
    push(&ids, l.element(reader, acc, c));
  return ids;
}

namespace {
Kind kind_of(DType d) { return nest::loaded_kind(storage_of(d)); }
Elem zero_elem(DType d) { return literal_elem({d, false, {0, 0}}); }
Elem true_elem() { return {num::Ir<bool>(true).id, nest::no_id}; }
}  // namespace

// ---- local arrays

Elem LaneWriter::new_local(const Frame& f, int32_t var) {
  const DType d = f.type(var).dtype();
  const int64_t n = std::max<int64_t>(inner_elements(f, var), 1);
  return {b_.local(kind_of(d), n), components(d) == 2 ? b_.local(kind_of(d), n) : nest::no_id};
}

// ---- equations

void LaneWriter::materialize(Frame& f, int32_t var) {
  if (is_stored_in_array(f, var))
    return materialize_in_arrays(f, {fill_of(f, var, new_local(f, var))});
  const int64_t n = inner_elements(f, var);
  std::vector<Elem> elems;
  for (int64_t k = 0; k < n; ++k) elems.push_back(read(f, {var}, coords_at(f, var, k)));
  f.location[var] = {.kind = ValueLocation::Kind::scalars, .elems = std::move(elems)};
}

// Small pull forms are computed in program order, so that reading does not recurse along chains.
// Large ones are computed where they are read, or together (lane_element_loops.cpp).
void LaneWriter::emit(Frame& f, size_t i) {
  const Eqn& e = f.s->j->eqns[i];
  const Lowering& l = f.s->lowering[i];
  switch (l.form) {
    case Form::pull: {
      // Without operands it is computed from indices, so it is cheap to recompute.
      if (e.in.empty() || update_in_place(f, i)) return;
      int64_t n = 0;
      for (int32_t k = 0; k < e.n_out; ++k) n += inner_elements(f, e.out + k);
      if (n > small_)
        f.deferred.push_back(i);
      else
        for (int32_t k = 0; k < e.n_out; ++k) materialize(f, e.out + k);
      return;
    }
    case Form::reduce:
    case Form::contract:
      for (int32_t k = 0; k < e.n_out; ++k) materialize(f, e.out + k);
      return;
    case Form::prefix: emit_prefix(f, i); return;
    case Form::branch: emit_cond(f, i); return;
    case Form::inlined: emit_call(f, i); return;
    case Form::loop:
      if (l.loop.kind == LoopForm::Kind::scan)
        emit_scan(f, i);
      else
        emit_while(f, i);
      return;
    case Form::scatter:
    case Form::opaque: throw InternalError("'" + e.op->name() + "' cannot run inside a lane");
  }
}

void LaneWriter::emit_equation(size_t i) { emit(frames_.front(), i); }

// Emits the equations of a body. Expensive results are computed here, unless each is read once and
// all at the same index.
void LaneWriter::emit_all(Frame& f, bool materialize_results) {
  const JaxprData& j = *f.s->j;
  f.last = VarMap<size_t>(j, Program::none);
  const auto note = [&](Atom a, size_t i) {
    if (!a.is_literal()) f.last[a] = i;
  };
  for (size_t i = 0; i < j.eqns.size(); ++i)
    for (Atom a : j.eqns[i].in) note(a, i);
  for (Atom a : j.out) note(a, j.eqns.size());
  for (size_t i = 0; i < j.eqns.size(); ++i) {
    if (must_materialize_deferred(f, i)) materialize_deferred(f, i);
    emit(f, i);
  }
  if (materialize_results) materialize_deferred(f, j.eqns.size());
}

// ---- loops

// Binds the inputs of a loop's body before its carries, which every trip reads. Returns their
// number.
int LaneWriter::bind_constants(Frame& f, size_t i, Frame& body) {
  const LoopForm& v = f.s->lowering[i].loop;
  const LoopRanges inputs = v.body_inputs();
  body.read_only_inputs = inputs.carry.first;
  bind_operands(f, i, body, inputs.body_consts, v.operands().body_consts);
  // A lane that runs the body is active; the emitter masks the others.
  if (v.active()) body.location[0] = {.kind = ValueLocation::Kind::scalars, .elems = {true_elem()}};
  return inputs.carry.first;
}

// Returns true if loop i may overwrite the array of its operand k: no later equation reads it, and
// neither do the bodies, directly or through deferred values.
bool LaneWriter::can_reuse_array(const Frame& f, size_t i, size_t k) const {
  VarMap<bool> dependents;
  if (!is_last_use(f, i, k, &dependents)) return false;
  const ValueRange carry = f.s->lowering[i].loop.operands().carry;
  const auto& in = f.s->j->eqns[i].in;
  for (size_t q = 0; q < in.size(); ++q)
    if (!carry.contains(static_cast<int64_t>(q)) && !in[q].is_literal() &&
        dependents[static_cast<size_t>(in[q].index)])
      return false;
  return true;
}

LaneWriter::Carry LaneWriter::carry_like(const Frame& f, int32_t var) const {
  const int64_t n = inner_elements(f, var);
  return {is_stored_in_array(f, var), n, f.type(var).dtype(), {}};
}

// A large carry has a separate array, or that of its initial value if nothing else reads that.
std::vector<LaneWriter::Carry> LaneWriter::begin_carries(Frame& f, size_t i, Frame& body,
                                                         int first_input, std::vector<Id>* flat) {
  const ValueRange operands = f.s->lowering[i].loop.operands().carry;
  std::vector<Carry> carries;
  std::vector<Fill> fills;
  for (int t = 0; t < operands.size; ++t) {
    const auto operand = static_cast<size_t>(operands.first + t);
    const Atom init = f.s->j->eqns[i].in[operand];
    const int32_t like = first_input + t;
    materialize_dependents(f, i, operand);
    Carry c = carry_like(body, like);
    if (!c.local) {
      for (int64_t k = 0; k < c.n; ++k) push(flat, read(f, init, coords_at(body, like, k)));
    } else if (can_reuse_array(f, i, operand)) {
      c.array = f.location[init.index].local;
    } else {
      c.array = new_local(body, like);
      fills.push_back({c.array, &body, like,
                       [this, &f, init](const Coords& at) { return read(f, init, at); },
                       is_copy(f, init)});
    }
    carries.push_back(c);
  }
  fill_locals(fills);
  return carries;
}

void LaneWriter::bind_carries(Frame& f, int32_t first, const std::vector<Carry>& carries,
                              const std::vector<Id>& ids, size_t next) {
  for (const Carry& c : carries) {
    ValueLocation& p = f.location[first++];
    p = {.kind = c.local ? ValueLocation::Kind::local : ValueLocation::Kind::scalars,
         .local = c.array};
    for (int64_t k = 0; k < c.n && !c.local; ++k) {
      p.elems.push_back({ids[next++], nest::no_id});
      if (components(c.dtype) == 2) p.elems.back().im = ids[next++];
    }
  }
}

std::vector<Id> LaneWriter::params_of(BlockId block, size_t n) const {
  std::vector<Id> ids;
  for (size_t k = 0; k < n; ++k) ids.push_back(b_.param(block, static_cast<int>(k)));
  return ids;
}

bool LaneWriter::is_stored_in(const Frame& f, Atom a, const Elem& array) {
  if (a.is_literal()) return false;
  const ValueLocation* p = f.location.find(a.index);
  return p && p->kind == ValueLocation::Kind::local && p->local.re == array.re;
}

// Yields the next values of all carries. A large carry that was not updated in place may read
// itself, so it is computed into another array and then copied.
void LaneWriter::yield_carries(Frame& body, const std::vector<Carry>& carries, int first_input,
                               std::vector<Id>* yields) {
  std::map<int64_t, std::vector<std::pair<Elem, Elem>>> copies;
  std::vector<Fill> fills;
  for (size_t t = 0; t < carries.size(); ++t) {
    const Carry& c = carries[t];
    const Atom out = body.s->j->out[t];
    const int32_t input = first_input + static_cast<int32_t>(t);
    if (!c.local) {
      for (int64_t k = 0; k < c.n; ++k) push(yields, read(body, out, coords_at(body, input, k)));
    } else if (out.index != input && !is_stored_in(body, out, c.array)) {
      const bool elsewhere = std::none_of(carries.begin(), carries.end(), [&](const Carry& other) {
        return other.local && is_stored_in(body, out, other.array);
      });
      const ValueLocation* p = out.is_literal() ? nullptr : body.location.find(out.index);
      if (p && p->kind == ValueLocation::Kind::local && elsewhere) {
        copies[c.n].emplace_back(c.array, p->local);
        continue;
      }
      const Elem from = new_local(body, input);
      fills.push_back({from, &body, input,
                       [this, &body, out](const Coords& at) { return read(body, out, at); }});
      copies[c.n].emplace_back(c.array, from);
    }
  }
  fill_locals(fills);
  for (const auto& [n, to_from] : copies) copy_locals(to_from, n);
}

// ---- while

void LaneWriter::emit_while(Frame& f, size_t i) {
  const Eqn& e = f.s->j->eqns[i];
  const LoopForm& v = f.s->lowering[i].loop;
  Frame& test = body_frame(f, i, 0);
  test.read_only_inputs = test.s->j->n_in;
  Frame& body = body_frame(f, i, 1);
  const LoopRanges cond = v.cond_inputs();
  bind_operands(f, i, test, cond.cond_consts, v.operands().cond_consts);
  const int first = bind_constants(f, i, body);
  std::vector<Id> init;
  const std::vector<Carry> carries = begin_carries(f, i, body, first, &init);
  // A lane that may not enter makes no trip.
  Id entry_mask = nest::no_id;
  if (v.entry_mask())
    entry_mask = read(f, e.in[0], v.active() ? coords_at(body, 0, 0) : Coords{}).re;
  const std::vector<Kind> kinds = kinds_of(b_, init);
  const BlockId tb = b_.open(kinds);
  bind_carries(test, cond.carry.first, carries, params_of(tb, kinds.size()));
  emit_all(test);
  const Atom out = test.s->j->out[0];
  const Coords at = out.is_literal() ? Coords{} : coords_at(test, out.index, 0);
  num::Ir<bool> go = num::Ir<bool>::at(read(test, out, at).re);
  if (v.entry_mask()) go = go & num::Ir<bool>::at(entry_mask);
  b_.yield({go.id});
  b_.leave();
  const BlockId bb = b_.open(kinds);
  bind_carries(body, first, carries, params_of(bb, kinds.size()));
  emit_all(body);
  std::vector<Id> yields;
  yield_carries(body, carries, first, &yields);
  b_.yield(yields);
  b_.leave();
  bind_carries(f, e.out, carries, b_.loop_while(init, tb, bb));
}

// ---- scan

void LaneWriter::store_row(Frame& body, Atom y, int32_t result, Id time, Frame& f) {
  const int64_t trips = f.type(result).shape()[0];
  const int64_t n = trips == 0 ? 0 : inner_elements(f, result) / trips;
  const Elem array = f.location[result].local;
  const auto write = [&](Coords c) {
    const Coords row(c.begin() + 1, c.end());
    c[0] = time;
    store_inner(f, result, array, c, read(body, y, row));
  };
  if (n > small_) {
    std::vector<int64_t> extents = inner_extents(f, result);
    extents.erase(extents.begin());
    return element_loop(extents, [&](const Coords& c) { write(coords_with(f, result, c, 0)); });
  }
  for (int64_t k = 0; k < n; ++k) write(coords_at(f, result, k));  // of step 0
}

void LaneWriter::emit_scan(Frame& f, size_t i) {
  const Eqn& e = f.s->j->eqns[i];
  const LoopForm& v = f.s->lowering[i].loop;
  Frame& body = body_frame(f, i, 0);
  const int first = bind_constants(f, i, body);
  std::vector<Id> init;
  const std::vector<Carry> carries = begin_carries(f, i, body, first, &init);
  const ValueRange results = v.results();
  for (int k = results.first; k < results.end(); ++k) {
    const int32_t result = e.out + k;
    ValueLocation& p = f.location[result];
    p.kind = ValueLocation::Kind::unset;  // if stored by step: in memory, for later kernels
    if (is_stored_by_step(f, result)) continue;
    p.kind = ValueLocation::Kind::local;
    p.local = new_local(f, result);
    const int64_t n = std::max<int64_t>(inner_elements(f, result), 1);
    const auto clear = [&](const Coords& at) {
      store_local(p.local, at[0], zero_elem(f.type(result).dtype()));
    };
    if (v.trip_counts()) element_loop({n}, clear);
  }
  I64v hi(v.length);
  if (v.trip_counts()) {
    const Coords at = v.lanes.empty() ? Coords{} : coords_at(body, 0, 0);
    const I64v trips = num::convert<int64_t>(num::Ir<int32_t>::at(read(f, e.in[0], at).re));
    hi = num::minimum(trips, hi);
  }
  std::vector<Kind> kinds = kinds_of(b_, init);
  kinds.insert(kinds.begin(), Kind::I64);
  const BlockId bb = b_.open(kinds);
  const Id time = b_.param(bb, 0);
  bind_carries(body, first, carries, params_of(bb, kinds.size()), 1);
  const ValueRange xs = v.operands().xs, rows = v.body_inputs().xs;
  for (int r = 0; r < xs.size; ++r) {
    const Atom x = e.in[static_cast<size_t>(xs.first + r)];
    body.location[rows.first + r] = {
        .kind = ValueLocation::Kind::row, .outer = &f, .atom = x, .time = time};
  }
  emit_all(body);
  for (int k = results.first; k < results.end(); ++k)
    store_row(body, body.s->j->out[static_cast<size_t>(k)], e.out + k, time, f);
  std::vector<Id> yields;
  yield_carries(body, carries, first, &yields);
  b_.yield(yields);
  b_.leave();
  bind_carries(f, e.out, carries, b_.loop(b_.integer(0), hi.id, v.reverse ? -1 : 1, init, bb));
}

// ---- cond

// Returns the body of branch b. It reads the operands of the op where they are.
LaneWriter::Frame& LaneWriter::branch_body(Frame& f, size_t i, size_t b) {
  const Eqn& e = f.s->j->eqns[i];
  const LoopForm& v = f.s->lowering[i].loop;
  Frame& body = body_frame(f, i, b);
  // As in bind_constants: a lane that runs the branch is active.
  if (v.active()) body.location[0] = {.kind = ValueLocation::Kind::scalars, .elems = {true_elem()}};
  bind_operands(f, i, body, v.body_inputs().body_consts, v.operands().body_consts);
  // If one loop can compute all results, they are not materialized first.
  bool same_extents = true;
  for (int32_t k = 1; k < e.n_out; ++k)
    same_extents = same_extents && inner_extents(f, e.out + k) == inner_extents(f, e.out);
  emit_all(body, !same_extents);
  return body;
}

void LaneWriter::emit_cond(Frame& f, size_t i) {
  const Eqn& e = f.s->j->eqns[i];
  const LoopForm& v = f.s->lowering[i].loop;
  const int last = static_cast<int>(v.bodies.size()) - 1;
  // The branch that is taken writes large results to local arrays.
  std::vector<Carry> results;
  for (int32_t k = 0; k < e.n_out; ++k) {
    results.push_back(carry_like(f, e.out + k));
    if (results.back().local) results.back().array = new_local(f, e.out + k);
  }
  const auto deliver = [&](const std::function<Elem(int, int32_t, const Coords&)>& value) {
    std::vector<Id> yields;
    std::vector<Fill> fills;
    for (int32_t k = 0; k < e.n_out; ++k) {
      const int32_t var = e.out + k;
      const Carry& c = results[k];
      if (c.local)
        fills.push_back(
            {c.array, &f, var, [&value, k, var](const Coords& c) { return value(k, var, c); }});
      else
        for (int64_t q = 0; q < c.n; ++q) push(&yields, value(k, var, coords_at(f, var, q)));
    }
    fill_locals(fills);
    return yields;
  };
  const auto taken = [&](int b) {
    Frame& body = branch_body(f, i, static_cast<size_t>(b));
    return deliver(
        [&](int k, int32_t, const Coords& c) { return read(body, body.s->j->out[k], c); });
  };
  const auto zeros = [&] {
    return deliver([&](int, int32_t var, const Coords&) { return zero_elem(f.type(var).dtype()); });
  };
  // The index has the lanes of the op, like the mask that the branches receive.
  Coords lanes;
  if (v.active()) lanes = coords_at(body_frame(f, i, 0), 0, 0);
  const auto index = num::Ir<int32_t>::at(read(f, e.in[0], lanes).re);
  // index <= 0 ? branch 0 : index <= 1 ? branch 1 : … : the last one.
  const std::function<std::vector<Id>(int)> chain = [&](int b) {
    if (b == last) return taken(b);
    const auto here = index <= num::Ir<int32_t>(b);
    return branch(here.id, [&] { return taken(b); }, [&] { return chain(b + 1); });
  };
  const auto all = [&] { return chain(0); };
  bind_carries(f, e.out, results,
               v.entry_mask() ? branch(read(f, e.in[1], lanes).re, all, zeros)
               : last == 0    ? branch(num::Ir<bool>(true).id, all, zeros)
                              : all());
}

// ---- call

// Copies large operands in memory that several equations of a call read. They are then read once,
// in memory order.
void LaneWriter::copy_operands(Frame& f, size_t i, Frame& body) {
  VarMap<int> readers(*body.s->j, 0);
  for (const Eqn& e : body.s->j->eqns)
    for (Atom a : e.in)
      if (!a.is_literal()) ++readers[a];
  std::vector<Fill> fills;
  for (int32_t v = 0; v < body.s->j->n_in; ++v) {
    const Atom a = f.s->j->eqns[i].in[v];
    if (a.is_literal() || readers[v] < 2) continue;
    if (f.location.kind(a.index) != ValueLocation::Kind::memory ||
        inner_elements(body, v) <= small_)
      continue;
    fills.push_back({new_local(body, v), &body, v,
                     [this, &f, a](const Coords& at) { return read(f, a, at); }, true});
  }
  materialize_in_arrays(body, fills);
}

void LaneWriter::emit_call(Frame& f, size_t i) {
  const Eqn& e = f.s->j->eqns[i];
  const LoopForm& v = f.s->lowering[i].loop;
  Frame& body = body_frame(f, i, 0);
  bind_operands(f, i, body, v.body_inputs().body_consts, v.operands().body_consts);
  copy_operands(f, i, body);
  emit_all(body);
  for (int32_t k = 0; k < e.n_out; ++k) {
    const Atom out = body.s->j->out[k];
    f.location[e.out + k] = {.kind = ValueLocation::Kind::alias, .outer = &body, .atom = out};
  }
}

// ---- scatter

void LaneWriter::emit_scatter(size_t i, bool shared) {
  Frame& f = frames_.front();
  const Eqn& e = f.s->j->eqns[i];
  const Lowering& l = f.s->lowering[i];
  const Type u = f.s->j->type(e.in[1]);
  buffer_of(e.out, true);
  EqnReader r(*this, f, e);
  if (l.unique_axes.size() != u.shape().size())
    throw InternalError(fmt::format("'{}' does not say which of its updates meet", e.op->name()));
  std::vector<int64_t> in_order;
  std::vector<size_t> axes;
  Coords at(u.shape().size());
  // If the elements of a row are disjoint, a vector processes several of them.
  const bool by_rows =
      !shared && !at.empty() && l.unique_axes.back() && u.shape()[u.ndim() - 1] >= min_vector_row;
  for (size_t a = 0, point = 0; a < at.size() - by_rows; ++a) {
    if (shared && l.unique_axes[a]) {
      at[a] = grid_[point++];
    } else {
      in_order.push_back(u.shape()[static_cast<int64_t>(a)]);
      axes.push_back(a);
    }
  }
  const auto write = [&] {
    const Lowering::Target target = l.destination(r, at);
    const Elem update = r.read(1, at);
    if_then(target.valid, [&] {
      const Elem old = read_memory(e.out, target.index);
      store_element(e.out, target.index, l.merge(b_, old, update));
    });
  };
  int64_t updates = 1;
  for (int64_t extent : in_order) updates *= extent;
  sequential_loop(updates, [&](Id n) {
    const Coords digits = axes.empty() ? Coords{} : split(n, in_order);
    for (size_t k = 0; k < axes.size(); ++k) at[axes[k]] = digits[k];
    if (!by_rows) return write();
    vector_loop(u.shape()[u.ndim() - 1], [&](Id i) {
      at.back() = i;
      write();
    });
  });
}

// ---- storing

bool LaneWriter::is_stored_by_step(const Frame& f, int32_t var) const {
  return &f == &frames_.front() && stored_by_step_.contains(var);
}

void LaneWriter::store_element(int32_t var, const Coords& at, const Elem& e) {
  const auto transposed = stored_by_step_.find(var);
  if (transposed != stored_by_step_.end() && transposed->second.stored != var) {
    Coords there(at.size());
    for (size_t a = 0; a < at.size(); ++a) there[transposed->second.axes[a]] = at[a];
    return store_element(transposed->second.stored, there, e);
  }
  const Type& t = frames_.front().type(var);
  const int buffer = buffer_of(var, true), m = components(t.dtype());
  const I64v o = offset(at, t.shape(), {}) * I64v(m);
  b_.store(buffer, o.id, e.re);
  if (m == 2) b_.store(buffer, (o + I64v(1)).id, e.im);
}

// Stores to the local array, or to memory if `array` is empty.
void LaneWriter::store_inner(const Frame& f, int32_t var, const Elem& array, const Coords& at,
                             const Elem& e) {
  if (array.re == nest::no_id) return store_element(var, at, e);
  store_local(array, inner_offset(f, var, at).id, e);
}

void LaneWriter::cache_row(int32_t var) {
  Frame& f = frames_.front();
  const int64_t n = inner_elements(f, var);
  if (n <= small_) return materialize(f, var);
  const Elem array = new_local(f, var);
  element_loop(inner_extents(f, var), [&](const Coords& inner) {
    const Coords c = coords_with(f, var, inner);
    const Elem e = read(f, {var}, c);
    store_inner(f, var, array, c, e);
  });
  f.location[var] = {.kind = ValueLocation::Kind::local, .local = array};
}

void LaneWriter::store_variable(int32_t var) {
  Frame& f = frames_.front();
  const Type& t = f.type(var);
  const auto store_at = [&](const Coords& c) { store_element(var, c, read(f, {var}, c)); };
  // A value without a grid axis is the same in all lanes of that axis, so only the first one writes
  // it.
  num::Ir<bool> first(true);
  bool missing = false;
  for (size_t g = 0; g < grid_.size(); ++g) {
    bool has = false;
    for (int a = 0; a < t.ndim(); ++a) has = has || grid_axis_of(f, var, a) == static_cast<int>(g);
    if (has) continue;
    missing = true;
    first = first & (I64v::at(grid_[g]) == I64v(0));
  }
  const int64_t n = inner_elements(f, var);
  const auto store = [&] {
    const bool few = n <= small_ || (!along_rows_ && n <= max_unrolled_copy && is_copy(f, {var}));
    if (!few)
      return element_loop(inner_extents(f, var),
                          [&](const Coords& c) { store_at(coords_with(f, var, c)); });
    for (int64_t k = 0; k < n; ++k) store_at(coords_at(f, var, k));
  };
  missing ? if_then(first.id, store) : store();
}

}  // namespace weft::compiler

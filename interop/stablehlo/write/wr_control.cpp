// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/write/wr_control.cpp: writes loops, branches and calls. If lanes have different
// trip counts or branches, the programs of one step (Lowering::lockstep) contain the masks and
// selects. All lanes run until the last one ends.
#include <algorithm>
#include <limits>

#include "core/op.h"
#include "interop/stablehlo/write/write.h"

namespace weft::hlo {
namespace {

void append(Vals& a, const Vals& b) { a.insert(a.end(), b.begin(), b.end()); }
Vals sublist(const Vals& x, int from, int n) {
  return Vals(x.begin() + from, x.begin() + from + n);
}
Vals zeros(Writer& w, const Equation& e) {
  Vals out;
  for (const Type& t : written(e.out)) out.push_back(w.number(t, 0));
  return out;
}

// ---- while

Vals loop(Writer& w, const Vals& init, FunctionRef<Vals(const Vals&)> go,
          FunctionRef<Vals(const Vals&)> step) {
  const Types types = types_of(init);
  std::vector<Region> regions;
  regions.push_back(w.region(types, go));
  regions.push_back(w.region(types, step));
  return w.op("stablehlo.while", init, types, {}, std::move(regions));
}

// The condition is written twice. A larger one is written as a function, because nested loops would
// double its size at each level.
constexpr int64_t max_repeated = 16;

Vals write_while(Writer& w, const LoopForm& f, const std::vector<Jaxpr>& steps, const Vals& x) {
  const LoopValues<Val> v = f.operands(x);
  const int carries = f.operands().carry.size;
  const auto tested = [&](const Vals& carry) {
    const Vals in = in_order(LoopValues<Val>{v.control, v.cond_consts, {}, carry, {}});
    const bool inside = !f.active() || count_equations(steps[0]) <= max_repeated;
    return inside ? w.written_out(steps[0], in) : w.call(steps[0], "test", in);
  };
  if (!f.active())
    return loop(w, v.carry, tested, [&](const Vals& carry) {
      Vals in = v.body_consts;
      append(in, carry);
      return w.written_out(steps[1], in);
    });
  // The mask of active lanes is carried, so that it is computed once for each trip.
  Vals start = tested(v.carry);
  append(start, v.carry);
  const Vals out = loop(
      w, start, [](const Vals& now) -> Vals { return {now[0]}; },
      [&](const Vals& now) {
        Vals in{now[1]};
        append(in, v.body_consts);
        append(in, sublist(now, 2, carries));
        const Vals carry = w.written_out(steps[1], in);
        Vals next = tested(carry);
        append(next, carry);
        return next;
      });
  return sublist(out, 2, carries);
}

// ---- scan

// The largest of all elements.
Val largest(Writer& w, const Val& x) {
  if (x.shape().ndim() == 0) return x;
  Ints axes;
  for (int64_t a = 0; a < x.shape().ndim(); ++a) axes.push_back(a);
  return w.reduce("stablehlo.maximum", x, w.integer(x.type.with_shape(Shape{}), 0), axes);
}
// The starts of row t.
Vals row_starts(Writer& w, const Val& t, const Shape& s) {
  Vals starts{t};
  for (int64_t a = 1; a < s.ndim(); ++a) starts.push_back(w.integer(t.type, 0));
  return starts;
}
Val read_row(Writer& w, const Val& x, const Val& t) {
  const Shape one = x.shape().with(0, 1);
  Vals in{x};
  append(in, row_starts(w, t, one));
  const Val row = w.one("stablehlo.dynamic_slice", in, x.type.with_shape(one),
                        {{"slice_sizes", ints_attr(one.sizes())}});
  return w.reshape(row, x.shape().erased(0));
}
Val write_row(Writer& w, const Val& x, const Val& row, const Val& t) {
  const Shape one = x.shape().with(0, 1);
  Vals in{x, w.reshape(row, one)};
  append(in, row_starts(w, t, one));
  return w.one("stablehlo.dynamic_update_slice", in, x.type);
}

// Writes a while loop with a counter. The results are carries that are written row by row.
Vals write_scan(Writer& w, const Equation& e, const LoopForm& f, const Jaxpr& step, const Vals& x) {
  const LoopValues<Val> operands = f.operands(x);
  const ValueRange results = f.results();
  Vals init = operands.carry;
  append(init, sublist(zeros(w, e), results.first, results.size));
  if (f.length == 0) return init;  // a slice of an array without rows would be invalid
  const Type count(f.length > std::numeric_limits<int32_t>::max() ? I64 : I32, Shape{});
  Val trips = w.integer(count, f.length);
  if (f.trip_counts())
    trips = w.convert(
        w.binary("stablehlo.minimum", largest(w, x[0]),
                 w.integer(Type(I32, Shape{}),
                           std::min<int64_t>(f.length, std::numeric_limits<int32_t>::max()))),
        count.dtype());
  init.insert(init.begin(), w.integer(count, 0));
  const auto one_trip = [&](const Vals& v) {
    Val t = v[0];
    if (f.reverse) {
      const Val one = w.integer(count, 1);
      t = w.binary("stablehlo.subtract", w.binary("stablehlo.subtract", trips, one), t);
    }
    Vals in;
    if (f.trip_counts()) in = {w.convert(t, I32), x[0]};
    append(in, operands.body_consts);
    append(in, sublist(v, 1, results.first));
    for (const Val& r : operands.xs) in.push_back(read_row(w, r, t));
    const Vals out = w.written_out(step, in);
    Vals next{w.binary("stablehlo.add", v[0], w.integer(count, 1))};
    append(next, sublist(out, 0, results.first));
    for (int k = results.first; k < results.end(); ++k) {
      const auto i = static_cast<size_t>(k);
      next.push_back(write_row(w, v[i + 1], out[i], t));
    }
    return next;
  };
  const Vals out = loop(
      w, init, [&](const Vals& v) -> Vals { return {w.compare("LT", v[0], trips)}; }, one_trip);
  return sublist(out, 1, results.end());
}

// ---- cond

// Writes an if op, whose two regions have no arguments.
Vals if_of(Writer& w, const Equation& e, const Val& flag, FunctionRef<Vals(const Vals&)> then,
           FunctionRef<Vals(const Vals&)> otherwise) {
  std::vector<Region> regions;
  regions.push_back(w.region({}, then));
  regions.push_back(w.region({}, otherwise));
  return w.op("stablehlo.if", {flag}, written(e.out), {}, std::move(regions));
}

Vals write_cond(Writer& w, const Equation& e, const LoopForm& f, const std::vector<Jaxpr>& steps,
                const Vals& x) {
  const LoopValues<Val> v = f.operands(x);
  if (!f.active()) {
    const auto chosen = [&](const Vals&) {
      const auto last = static_cast<int64_t>(steps.size()) - 1;
      const Val index =
          w.one("stablehlo.clamp", {w.integer(x[0].type, 0), x[0], w.integer(x[0].type, last)},
                x[0].type);
      std::vector<Region> regions;
      for (const Jaxpr& b : steps)
        regions.push_back(
            w.region({}, [&](const Vals&) { return w.written_out(b, v.body_consts); }));
      return w.op("stablehlo.case", {index}, written(e.out), {}, std::move(regions));
    };
    if (!f.entry_mask()) return chosen({});
    return if_of(w, e, v.control.back(), chosen, [&](const Vals&) { return zeros(w, e); });
  }
  // Writes the branches one after another. A branch that no lane takes is not run.
  const Vals taken = w.written_out(steps[0], v.control);
  Vals out = zeros(w, e);
  for (size_t b = 0; b + 1 < steps.size(); ++b) {
    const Vals before = out;
    out = if_of(
        w, e, taken[2 * b],
        [&](const Vals&) {
          Vals in{taken[2 * b + 1]};
          append(in, v.body_consts);
          append(in, before);
          return w.written_out(steps[b + 1], in);
        },
        [&](const Vals&) { return before; });
  }
  return out;
}

}  // namespace

Vals write_control(Writer& w, const Equation& e, const Lowering& l, const Vals& x) {
  const LoopForm& f = l.loop;
  switch (f.kind) {
    case LoopForm::Kind::call: {
      const auto name = param_field<std::string>(e.eqn.params, "name");
      if (e.name() == "composite")
        return w.composite(f.bodies[0], *name, *param_field<int64_t>(e.eqn.params, "version"), x);
      return w.call(f.bodies[0], name.value_or(e.name()), x);
    }
    case LoopForm::Kind::loop_while: return write_while(w, f, l.lockstep(), x);
    case LoopForm::Kind::scan: return write_scan(w, e, f, l.lockstep()[0], x);
    case LoopForm::Kind::cond: return write_cond(w, e, f, l.lockstep(), x);
  }
  throw InternalError("a loop of no kind");
}

}  // namespace weft::hlo

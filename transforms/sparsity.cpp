// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/sparsity.cpp: evaluates a linear program on sets of dependences instead of
// numbers, and colors the resulting pattern.
#include "transforms/sparsity.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "batching/batch_trace.h"
#include "core/effects.h"
#include "core/loops/axis_classes.h"
#include "ops/control/lanes.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "tracer/concrete.h"
#include "tracer/eval_trace.h"
#include "tracer/placement.h"
#include "tracer/replay.h"
#include "tracer/types_of.h"
#include "transforms/basis.h"
#include "transforms/chunk.h"
#include "weft/lax/dot.h"

namespace weft::detail {
namespace {

using Form = Lowering::Form;

// The abstract value of a variable. `known` has its numbers if they do not depend on the inputs of
// the program. Otherwise `reached` has the elements that each seed reaches, bool[seeds, shape…]. An
// empty handle means no elements.
struct Value {
  Array known, reached;
  bool is_known() const { return !known.empty_handle(); }
  bool is_reached() const { return !reached.empty_handle(); }
};
using Values = std::vector<Value>;

bool equal_bytes(const Array& a, const Array& b) {
  return a.type() == b.type() && std::memcmp(concrete(a).data(), concrete(b).data(),
                                             static_cast<size_t>(a.type().bytes())) == 0;
}
bool same(const Array& a, const Array& b) {
  if (a.empty_handle() || b.empty_handle()) return a.empty_handle() && b.empty_handle();
  return equal_bytes(a, b);
}
Array either(const Array& a, const Array& b) {
  return a.empty_handle() ? b : b.empty_handle() ? a : a | b;
}
// Returns the abstract value of a variable that is one of these.
Value either(const Value& a, const Value& b) {
  if (a.is_known() && b.is_known() && equal_bytes(a.known, b.known)) return a;
  return {{}, either(a.reached, b.reached)};
}
Values either(Values a, const Values& b) {
  for (size_t k = 0; k < a.size(); ++k) a[k] = either(a[k], b[k]);
  return a;
}
bool same(const Values& a, const Values& b) {
  return std::equal(a.begin(), a.end(), b.begin(), [](const Value& x, const Value& y) {
    return same(x.known, y.known) && same(x.reached, y.reached);
  });
}

class Reach {
 public:
  explicit Reach(int64_t seeds) : seeds_(seeds) {}
  Values run(const Jaxpr& j, const Values& in);

 private:
  // Loops run step by step while fewer equations than this have run, so that values that count the
  // steps are known. This takes about a second if the arrays are small.
  static constexpr int64_t max_equations = 200'000;
  bool steps() const { return equations_ < max_equations; }
  // An equation's lowering and access pattern. It is computed once, no matter how often the
  // equation runs.
  struct Plan {
    Types in, out;
    std::optional<Lowering> lowering;  // none: the access pattern is not known
    Access access;
    std::vector<int> result_axis;  // axes of the results, by axis of the access
    // each result is an element or a sum of elements of an operand (see by_numbers)
    bool adds = false;
    bool sums = false;  // each result is a sum of products of the operands
  };
  const Plan& plan_of(const JaxprData& j, const Eqn& e);
  Values equation(const Eqn& e, const Plan& p, const Values& in);
  Values loop(const LoopForm& f, const Types& out, const Values& in);
  Values scan(const LoopForm& f, const Types& out, const Values& in);
  Values loop_while(const LoopForm& f, const Values& in);
  Values in_any_order(const LoopForm& f, const Jaxpr& j, LoopValues<Value> x);
  Arrays reach(const Eqn& e, const Plan& p, const Values& in, size_t k) const;
  Arrays by_numbers(const Eqn& e, const Plan& p, const Values& in, size_t k) const;
  Arrays by_units(const Eqn& e, const Plan& p, const Values& in, size_t k) const;
  Arrays changed(const Eqn& e, const Plan& p, const Values& in, size_t k,
                 const Array& numbers) const;
  std::vector<int> stays(const Plan& p, size_t k, const Shape& out) const;
  Array along_axes(const Array& reached, const std::vector<int>& stays, const Shape& out) const;
  Array stacked(const std::vector<Value>& steps, const Type& whole) const;

  const int64_t seeds_;
  int64_t equations_ = 0;  // equations that have run so far
  // keys stay valid, because programs outlive this object
  std::unordered_map<const Eqn*, Plan> plans_;
};

const Reach::Plan& Reach::plan_of(const JaxprData& j, const Eqn& e) {
  const auto [it, fresh] = plans_.try_emplace(&e);
  Plan& p = it->second;
  if (!fresh) return p;
  p.in = j.in_types(e);
  p.out = j.out_types(e);
  // The dependences of collectives, and of ops with effects, are not visible in the program:
  // another lane or a callback determines them.
  if (e.op->implementations().empty() || e.op->collective() ||
      effect_of(*e.op, e.params) != Effect::none)
    return p;
  // The op's own lowering rule describes its access, even if another implementation would run it.
  p.lowering =
      e.op->has(Op::Slot::lower) ? e.op->lower(p.in, p.out, e.params) : lower_equation(j, e);
  p.access = access_of(*p.lowering, p.in, p.out);
  p.result_axis = result_axes(*p.lowering, p.out);
  const Form f = p.lowering->form;
  const std::vector<nest::Combine>& c = p.lowering->combine;
  p.adds = f == Form::reduce || f == Form::contract || f == Form::prefix || f == Form::scatter ||
           (f == Form::pull && std::all_of(p.access.times.begin(), p.access.times.end(),
                                           [](int n) { return n <= 1; }));
  p.sums = f == Form::contract ||
           (f == Form::reduce && std::all_of(c.begin(), c.end(), [](nest::Combine one) {
              return one == nest::Combine::Add || one == nest::Combine::MulAdd;
            }));
  return p;
}

Values Reach::run(const Jaxpr& j, const Values& in) {
  Values env(j->types.size());
  std::copy(in.begin(), in.end(), env.begin());
  const auto read = [&](Atom a) {
    return a.is_literal() ? Value{literal_array(j->literals[a.literal()]), {}} : env[a.index];
  };
  equations_ += 1 + static_cast<int64_t>(j->eqns.size());
  for (const Eqn& e : j->eqns) {
    const SourceScope source(e.source);
    Values x;
    for (Atom a : e.in) x.push_back(read(a));
    Values out = equation(e, plan_of(*j, e), x);
    std::move(out.begin(), out.end(), env.begin() + e.out);
  }
  Values out;
  for (Atom a : j->out) out.push_back(read(a));
  return out;
}

Values Reach::equation(const Eqn& e, const Plan& p, const Values& in) {
  Values out(p.out.size());
  const bool any_reached =
      std::any_of(in.begin(), in.end(), [](const Value& v) { return v.is_reached(); });
  if (p.lowering && !any_reached && surely_ends(e)) {
    Arrays x;
    for (const Value& v : in)
      if (v.is_known()) x.push_back(v.known);
    if (x.size() < in.size()) return out;
    x = bind_equation(e, x, e.params);
    for (size_t o = 0; o < out.size(); ++o) out[o].known = x[o];
    return out;
  }
  if (p.lowering && !p.lowering->loop.bodies.empty()) return loop(p.lowering->loop, p.out, in);
  for (size_t k = 0; k < in.size(); ++k) {
    if (!in[k].is_reached()) continue;
    const Arrays r = reach(e, p, in, k);
    for (size_t o = 0; o < out.size(); ++o)
      if (is_inexact(p.out[o].dtype())) out[o].reached = either(out[o].reached, r[o]);
  }
  return out;
}

// Returns the elements of the results that operand k reaches.
Arrays Reach::reach(const Eqn& e, const Plan& p, const Values& in, size_t k) const {
  if (p.lowering && !p.access.times.empty() && p.access.times[k] == 0) return Arrays(p.out.size());
  bool known = p.lowering.has_value(), factors = p.sums;
  for (size_t i = 0; i < in.size(); ++i) {
    const bool unknown = !in[i].is_known() && !in[i].is_reached();
    known = known && !unknown;
    factors = factors && (!unknown || is_inexact(p.in[i].dtype()));
  }
  if (p.adds && (known || factors)) return by_numbers(e, p, in, k);
  constexpr int64_t few = 1 << 20;
  if (known && p.in[k].elements() * elements_of(p.out) <= few) return by_units(e, p, in, k);
  Arrays out;
  for (const Type& t : p.out)
    out.push_back(along_axes(in[k].reached, stays(p, k, t.shape()), t.shape()));
  return out;
}

// Each result is one element of the operand, or a sum of elements with other operands as factors.
// With 1 for each reached element and 1 for every other nonzero number, nothing cancels. For
// complex operands 1 + i covers both parts.
Arrays Reach::by_numbers(const Eqn& e, const Plan& p, const Values& in, size_t k) const {
  const Type& t = p.in[k];
  const Array ones = base::convert(in[k].reached, t.dtype(), t.weak());
  return changed(e, p, in, k,
                 is_complex(t.dtype()) ? ones * Array(std::complex<float>(1, 1)) : ones);
}

// Computes which results each single element of the operand reaches, and composes this relation
// with the reached elements of the operand.
Arrays Reach::by_units(const Eqn& e, const Plan& p, const Values& in, size_t k) const {
  const Type& t = p.in[k];
  const int64_t n = t.elements();
  const Array units =
      base::convert(vectors(unit_vectors({t}), lane_number(0), n)[0], t.dtype(), t.weak());
  Arrays reach = changed(e, p, in, k, units);
  if (is_complex(t.dtype())) {
    const Arrays more = changed(e, p, in, k, units * Array(std::complex<float>(0, 1)));
    for (size_t o = 0; o < reach.size(); ++o) reach[o] = either(reach[o], more[o]);
  }
  const auto matrix = [](const Array& bools, int64_t rows) {
    return base::reshape(base::convert(bools, F32),
                         {rows, bools.size() / std::max<int64_t>(1, rows)});
  };
  for (size_t o = 0; o < reach.size(); ++o)
    reach[o] = base::reshape(lax::dot_general(matrix(in[k].reached, seeds_), matrix(reach[o], n),
                                              {{1}, {0}, {}, {}}) != 0,
                             p.out[o].shape().inserted(0, seeds_));
  return reach;
}

// Returns true where the results differ from those with operand k = 0 when operand k has these
// numbers, one lane per vector. Other reached operands are first 0 and then 1. They may be factors
// of operand k if the program only appears to be linear in the seeds.
Arrays Reach::changed(const Eqn& e, const Plan& p, const Values& in, size_t k,
                      const Array& numbers) const {
  const auto run = [&](const Arrays& a) { return bind_op(*e.op, a, e.params); };
  MaybeAxes axes(in.size());
  axes[k] = 0;
  const int64_t n = numbers.shape()[0];
  const auto with_others = [&](Array (*others)(const Type&)) {
    Arrays x;
    for (size_t i = 0; i < in.size(); ++i) {
      const Type& t = p.in[i];
      if (i == k)
        x.push_back(numbers);
      else if (in[i].is_reached())
        x.push_back(others(t));
      else if (!in[i].is_known())
        x.push_back(base::ones(t));
      else
        x.push_back(is_inexact(t.dtype()) ? base::convert(in[i].known != 0, t.dtype(), t.weak())
                                          : in[i].known);
    }
    const Batched b = vmap_flat(run, x, axes, n, {.warn = false});
    x[k] = base::zeros(p.in[k]);
    const Arrays without = run(x);
    Arrays out;
    for (size_t o = 0; o < b.out.size(); ++o)
      out.push_back(move_mapped(b.out[o], b.axis[o], 0, n) != without[o]);
    return out;
  };
  Arrays out = with_others(base::zeros);
  if (std::count_if(in.begin(), in.end(), [](const Value& v) { return v.is_reached(); }) > 1) {
    const Arrays more = with_others(base::ones);
    for (size_t o = 0; o < out.size(); ++o) out[o] = either(out[o], more[o]);
  }
  return out;
}

// Returns, for each axis of operand k, the axis of the result with whose index the op reads it. It
// is -1 for other accesses, and for all axes if the access pattern is not known.
std::vector<int> Reach::stays(const Plan& p, size_t k, const Shape& out) const {
  const Shape& in = p.in[k].shape();
  std::vector<int> r(in.size(), -1);
  for (size_t b = 0; p.lowering && b < r.size(); ++b) {
    const int read = p.access.reads[k][b];
    const int a = read < 0 ? -1 : p.result_axis[read];
    if (a >= 0 && std::find(r.begin(), r.end(), a) == r.end() &&
        out[a] == in[static_cast<int64_t>(b)])
      r[b] = a;
  }
  return r;
}

// Propagates reached elements: along the axes in `stays` an element reaches only its own index;
// along all other axes it may reach every index.
Array Reach::along_axes(const Array& reached, const std::vector<int>& stays,
                        const Shape& out) const {
  std::vector<int64_t> mixed, order{0};
  std::vector<int> kept;  // axes of the result, in the order of the remaining axes of the operand
  for (size_t b = 0; b < stays.size(); ++b) {
    if (stays[b] < 0)
      mixed.push_back(static_cast<int64_t>(b) + 1);
    else
      kept.push_back(stays[b]);
  }
  Array r = base::reduce_any(reached, mixed);
  for (int a = 0; a < static_cast<int>(out.size()); ++a)
    if (const auto at = std::find(kept.begin(), kept.end(), a); at != kept.end())
      order.push_back(at - kept.begin() + 1);
  r = transpose_axes(r, order);
  for (int a = 0; a < static_cast<int>(out.size()); ++a)
    if (std::find(kept.begin(), kept.end(), a) == kept.end())
      r = base::insert_axis(r, a + 1, out[a]);
  return r;
}

Values Reach::loop(const LoopForm& f, const Types& out, const Values& in) {
  switch (f.kind) {
    case LoopForm::Kind::loop_while: return loop_while(f, in);
    case LoopForm::Kind::scan: return scan(f, out, in);
    case LoopForm::Kind::cond:
    case LoopForm::Kind::call: break;
  }
  const Values x = f.to_body(f.operands(in), Value());
  Values r = run(f.bodies[0], x);
  for (size_t b = 1; b < f.bodies.size(); ++b) r = either(r, run(f.bodies[b], x));
  return r;
}

// Evaluates a body that runs any number of times. It repeats the body until nothing new is reached;
// each row may be any row.
Values Reach::in_any_order(const LoopForm& f, const Jaxpr& j, LoopValues<Value> x) {
  for (;;) {
    Values made = run(j, f.to_body(x, Value()));
    Values after = either(x.carry, Values(made.begin(), made.begin() + f.results().first));
    if (same(x.carry, after)) {
      std::move(after.begin(), after.end(), made.begin());
      return made;
    }
    x.carry = std::move(after);
  }
}

Values Reach::scan(const LoopForm& f, const Types& out, const Values& in) {
  const bool some_lanes = f.trip_counts() || f.active();
  LoopValues<Value> x = f.operands(in);
  const Values xs = x.xs;
  const auto row = [](const Array& x, int axis, int64_t t) {
    return x.empty_handle() ? x : row_at(x, axis, t);
  };
  std::vector<Values> by_result(f.result_lane_axes.size(), Values(static_cast<size_t>(f.length)));
  const auto row_of = [&](int64_t step) { return f.reverse ? f.length - 1 - step : step; };
  const auto made_at = [&](int64_t step, const Values& made) {
    const auto t = static_cast<size_t>(row_of(step));
    for (size_t k = 0; k < by_result.size(); ++k) by_result[k][t] = made[x.carry.size() + k];
  };
  int64_t s = 0;
  for (; s < f.length && steps(); ++s) {
    const int64_t t = row_of(s);
    for (size_t k = 0; k < xs.size(); ++k)
      x.xs[k] = {row(xs[k].known, 0, t), row(xs[k].reached, 1, t)};
    Values made = run(f.bodies[0], f.to_body(x, Value()));
    made_at(s, made);
    made.resize(x.carry.size());
    x.carry = some_lanes ? either(x.carry, made) : made;
  }
  if (s < f.length) {
    for (size_t k = 0; k < xs.size(); ++k)
      x.xs[k] = {{}, xs[k].is_reached() ? base::reduce_any(xs[k].reached, {1}) : Array()};
    Values made = in_any_order(f, f.bodies[0], x);
    for (; s < f.length; ++s) made_at(s, made);
    made.resize(x.carry.size());
    x.carry = std::move(made);
  }
  for (size_t k = 0; k < by_result.size(); ++k)
    x.carry.push_back({{}, stacked(by_result[k], out[f.lane_axes.carry.size() + k])});
  return x.carry;
}

// Writes the steps to memory directly. A concatenate with this many operands would compile to a
// kernel with as many cases.
Array Reach::stacked(const Values& steps, const Type& whole) const {
  if (std::none_of(steps.begin(), steps.end(), [](const Value& v) { return v.is_reached(); }))
    return {};
  void* memory = nullptr;
  Array all = array_on(Type(Bool, whole.shape().inserted(0, seeds_)), host(), &memory);
  const auto length = static_cast<int64_t>(steps.size()), row = whole.elements() / length;
  for (int64_t t = 0; t < length; ++t) {
    const Value& v = steps[t];
    const bool* from = v.is_reached() ? data_of<bool>(v.reached) : nullptr;
    for (int64_t s = 0; s < seeds_; ++s) {
      bool* const to = static_cast<bool*>(memory) + (s * length + t) * row;
      from ? std::copy_n(from + s * row, row, to) : std::fill_n(to, row, false);
    }
  }
  return all;
}

Values Reach::loop_while(const LoopForm& f, const Values& in) {
  LoopValues<Value> x = f.operands(in);
  while (steps() && !f.entry_mask() && !f.active()) {
    const Array go = run(f.bodies[0], f.to_cond(x))[0].known;
    if (go.empty_handle()) break;
    if (!static_cast<bool>(go)) return x.carry;
    x.carry = run(f.bodies[1], f.to_body(x, Value()));
  }
  return in_any_order(f, f.bodies[1], std::move(x));
}

}  // namespace

Pattern Pattern::transposed() const {
  Pattern t{std::vector<std::vector<int32_t>>(static_cast<size_t>(columns)),
            static_cast<int64_t>(rows.size())};
  for (size_t r = 0; r < rows.size(); ++r)
    for (int32_t c : rows[r]) t.rows[c].push_back(static_cast<int32_t>(r));
  return t;
}

Pattern reached_by(const ClosedJaxpr& linear, size_t seed_inputs, int64_t at_a_time) {
  const CurrentTraceScope eager(eval_interpreter());
  const OnHost here;  // on a device, each equation of each step would be compiled and launched
  const Jaxpr program = without_prints(dce(linear.jaxpr));
  const JaxprData& j = *program;
  const size_t inputs = j.n_in, first_seed = inputs - seed_inputs;
  Types seed_types = j.in_types();
  seed_types.erase(seed_types.begin(), seed_types.begin() + static_cast<int64_t>(first_seed));
  const Basis basis = unit_vectors(std::move(seed_types));
  const int64_t seeds = basis.count;
  const Types out_types = j.out_types();
  Values others(first_seed);
  for (size_t k = 0; k < linear.consts.size(); ++k)
    if (concrete_or_null(linear.consts[k])) others[k].known = placed(linear.consts[k], host());
  Pattern p;
  p.columns = elements_of(out_types);
  for (int64_t lo = 0; lo < seeds; lo += at_a_time) {
    const int64_t n = std::min(at_a_time, seeds - lo);
    Values x = others;
    for (const Array& v : vectors(basis, lane_number(lo), n, Bool)) x.push_back({{}, v});
    const Values out = Reach(n).run(program, x);
    p.rows.resize(lo + n);
    int32_t column = 0;
    for (size_t o = 0; o < out.size(); ++o) {
      const int64_t size = out_types[o].elements();
      const bool* b = out[o].is_reached() ? data_of<bool>(out[o].reached) : nullptr;
      for (int64_t s = 0; b && s < n; ++s)
        for (int64_t e = 0; e < size; ++e)
          if (b[s * size + e]) p.rows[lo + s].push_back(column + static_cast<int32_t>(e));
      column += static_cast<int32_t>(size);
    }
  }
  return p;
}

Colours coloured(const Pattern& p) {
  Colours c;
  std::vector<std::vector<uint64_t>> taken(
      static_cast<size_t>(p.columns));  // for each column, one bit per color
  for (const std::vector<int32_t>& row : p.rows) {
    std::vector<uint64_t> used;
    for (int32_t column : row) {
      const std::vector<uint64_t>& t = taken[column];
      used.resize(std::max(used.size(), t.size()));
      for (size_t w = 0; w < t.size(); ++w) used[w] |= t[w];
    }
    size_t colour = 0;
    while (colour / 64 < used.size() && used[colour / 64] >> (colour % 64) & 1) ++colour;
    for (int32_t column : row) {
      std::vector<uint64_t>& t = taken[column];
      t.resize(std::max(t.size(), colour / 64 + 1));
      t[colour / 64] |= uint64_t{1} << (colour % 64);
    }
    c.of_row.push_back(static_cast<int32_t>(colour));
    c.count = std::max(c.count, static_cast<int64_t>(colour) + 1);
  }
  return c;
}

}  // namespace weft::detail

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/while.cpp: the loop with a predicate.
//
// while[lanes](entry_mask?, cond consts, body consts, init) -> carry
//   c = init;  a = entry_mask & cond(c)
//   while any(a): { c = select(a, body(a, c), c);  a = entry_mask & cond(c) }
#include <fmt/format.h>

#include <limits>

#include "core/derivatives.h"
#include "core/effects.h"
#include "ops/control/loop_blocks.h"
#include "ops/control/rewrites/branches_of_selects.h"
#include "ops/control/rewrites/hoist.h"
#include "ops/control/rewrites/separate_lanes.h"
#include "ops/control/samples.h"
#include "weft/lax/compare.h"
#include "weft/lax/elementwise.h"

namespace weft {
namespace {

// The dtype that can count up to max_trips.
DType counter_of(int64_t max_trips) {
  return max_trips > std::numeric_limits<int32_t>::max() ? I64 : I32;
}

Types while_type(const Types& in, const While& p) {
  require_counts("while", {p.cond_nconsts, p.body_nconsts}, p.entry_mask, in);
  const LoopValues<Type> x = by_role(in, operands_of(p, in.size()));
  const Types& carry = x.carry;
  require_lanes("while", p.lanes, p.lane_ids, p.lane_axes, in.size() - p.entry_mask, in);
  if (p.entry_mask && in[0] != Type(Bool, Shape(p.lanes)))
    reject_dtype("while", "entry_mask must be a bool of the shape of the lanes", in);
  const Types body_out = p.body_jaxpr->out_types(), cond_out = p.cond_jaxpr->out_types();
  if (cond_out.size() != 1 || cond_out[0].dtype() != Bool || cond_out[0].shape().sizes() != p.lanes)
    throw DTypeError(
        fmt::format("while: cond_fun must return a boolean scalar, but got output type(s) {}",
                    to_string(cond_out)));
  if (body_out.size() != carry.size())
    reject_shape("while", "body returns another number of carries", in);
  require_carries("while", body_out, carry, in);
  require_body("while", p.cond_jaxpr, in_order(LoopValues<Type>{{}, x.cond_consts, {}, carry}), in);
  require_body("while", p.body_jaxpr,
               in_order(LoopValues<Type>{mask_input(p.lanes), {}, x.body_consts, carry}), in);
  const BodyOp o = body_op(p);
  for (size_t t = 0; t < carry.size(); ++t)
    if (!o.loop_invariant[t])
      require_all_or_none("while", "carry", t, p.lanes, o.lane_axes.carry[t], carry[t]);
  if (p.max_trips < -1 ||
      (p.max_trips >= 0 && (carry.empty() || carry[0].dtype() != counter_of(p.max_trips))))
    reject_shape("while",
                 "max_trips needs a counter as the first carry, i32 or (beyond 2^31 - 1) i64", in);
  return carry;
}

// The carry after a step: lanes that run the step get the results of the body.
Arrays stepped(const BodyOp& o, const Arrays& next, const Array& active, const Arrays& before) {
  Arrays r = next;
  for (size_t t = 0; t < r.size(); ++t)
    if (o.lane_axes.carry[t] != 0 && !o.loop_invariant[t])
      r[t] = select_lanes(active, next[t], before[t]);
  return r;
}

Arrays while_reference(const Arrays& x, const While& p) {
  const BodyOp o = body_op(p);
  LoopValues<Array> v = o.operands(x);
  for (;;) {
    Array a = eval_jaxpr(p.cond_jaxpr, o.to_cond(v))[0];
    if (p.entry_mask) a = lax::bitwise_and(a, v.control[0]);
    if (!static_cast<bool>(any_lane(a))) return v.carry;
    v.carry = stepped(o, eval_jaxpr(p.body_jaxpr, o.to_body(v, a)), a, v.carry);
  }
}

// ---- partial evaluation

// Reverse mode knows the trips of a loop only if there is a bound.
Derivatives while_derivatives(const While& p) {
  Derivatives d = derivatives_of(p.body_jaxpr);
  const Types carry = p.body_jaxpr->out_types();
  d.reverse =
      d.reverse && (p.max_trips >= 0 || std::none_of(carry.begin(), carry.end(), [](const Type& t) {
                      return is_inexact(t.dtype());
                    }));
  return d;
}

// The body that runs again for the unknown part, after the known loop has run. It does not print,
// because the known loop already did.
Jaxpr run_again(const Jaxpr& j, const Split& s) {
  Jaxpr silent = without_prints(j);
  if (effect_of(silent) == Effect::ordered || effect_of(s.rest) == Effect::ordered)
    throw DifferentiationError(
        "while_loop: the derivative runs the body again, and an io_callback in it, or what acts on "
        "a tangent, would act twice. Use scan, or fori_loop with static start/stop.");
  return silent;
}

// Runs the loop as a scan with known trips, and returns the unknown carries. Carries that pass
// through become constants of the steps, because carries of a scan have all lanes or no lanes.
Arrays bounded_steps(PartialEvalTrace& trace, const BodyOp& o, const LoopValues<Array>& x,
                     const Unknown& u, const Array& trips) {
  const auto with_passed = [&](const auto& g) {  // constants, changed carries
    auto r = g;
    r.control.clear();
    r.cond_consts.clear();
    r.carry = filter_list(g.carry, o.loop_invariant, false);
    append(r.body_consts, filter_list(g.carry, o.loop_invariant));
    return r;
  };
  Scan p;
  p.length = std::get<While>(o.like).max_trips;
  BoundedLoop l{o, with_passed(x), with_passed(u.operand)};
  l.step.kind = BodyOp::Kind::scan;
  l.step.like = p;
  l.step.test = {};
  l.step.lane_axes = with_passed(o.lane_axes);
  const Jaxpr body = run_again(o.bodies[0], u.bodies[0]);
  l.step.bodies = {program(l.step.takes(l.x), [&](const Arrays& in) {
    const LoopValues<Array> g = l.step.body_inputs(in);
    const size_t nc = o.lane_axes.body_consts.size();
    LoopValues<Array> args{g.control, {}, sublist(g.body_consts, 0, nc)};
    size_t pass = nc, change = 0;
    for (bool passed : o.loop_invariant)
      args.carry.push_back(passed ? g.body_consts[pass++] : g.carry[change++]);
    return filter_list(eval_jaxpr(body, in_order(args)), o.loop_invariant, false);
  })};
  l.x.control = {trips};
  l.unknown.control = {false};
  l.step.lane_axes.control = {0};
  return record_bounded(trace, l);
}

Jaxpr without_residuals(const Split& s) {
  std::vector<bool> keep(s.known->out.size(), true);
  std::fill(keep.end() - s.residuals, keep.end(), false);
  return dce(s.known, keep);
}

// Without a bound on the trips, the known carries are computed, and the rest is recorded as the
// whole loop. This is enough for forward mode. With a bound, the known loop counts the trips. Then
// a scan with those trips is split, in blocks if it is long.
Arrays while_partial(const PartialArgs<While>& a) {
  const BodyOp o = body_op(a.params);
  const Unknown u = find_unknown(o, a.unknown);
  if (u.everything) return a.trace.record(a.op, a.x, o.as_before());
  const LoopValues<Array> x = o.operands(a.x);
  BodyOp k = known_part(o, u);
  k.test = without_residuals(u.test);
  k.bodies = {without_residuals(u.bodies[0])};
  const Arrays known = k.bind(a.op, filter_list(x, u.operand, false));
  if (a.params.max_trips < 0) {
    BodyOp again = o;
    again.test = run_again(o.test, u.test);
    again.bodies = {run_again(o.bodies[0], u.bodies[0])};
    return both_parts(u, known,
                      filter_list(a.trace.record(a.op, a.x, again.params()), u.operand.carry));
  }
  const Arrays changed = bounded_steps(a.trace, o, x, u, known[0]);
  const std::vector<bool> loop_invariant = filter_list(o.loop_invariant, u.operand.carry);
  const Arrays passed = filter_list(filter_list(x.carry, u.operand.carry), loop_invariant);
  return both_parts(u, known, merge_lists(loop_invariant, passed, changed));
}

// One trip as two programs, with explicit mask and selects as in the definition above.
std::vector<Jaxpr> while_steps(const LowerArgs<While>& l) {
  const BodyOp o = body_op(l.params);
  const LoopValues<Type> in = o.operands(l.in);
  const size_t entry_mask = in.control.size();
  const Jaxpr test = program(in_order(LoopValues<Type>{in.control, in.cond_consts, {}, in.carry}),
                             [&](const Arrays& x) {
                               Array a = eval_jaxpr(o.test, drop_first(x, entry_mask))[0];
                               if (entry_mask) a = lax::bitwise_and(a, x[0]);
                               return o.active() ? Arrays{any_lane(a), a} : Arrays{a};
                             });
  const Jaxpr step =
      program(in_order(LoopValues<Type>{mask_input(o.lanes), {}, in.body_consts, in.carry}),
              [&](const Arrays& x) {
                return stepped(o, eval_jaxpr(o.bodies[0], x), o.active() ? x[0] : Array(),
                               o.body_inputs(x).carry);
              });
  return {test, step};
}

// A lane keeps as many elements in registers.
constexpr int64_t longest_in_registers = 32;

// Returns which carries of a loop with lanes the body returns as they are, if all lanes share them.
// A lane copies a carry of its own once, and then reads elements that are next to those of other
// lanes; so such a carry stays.
std::vector<bool> shared_constants(const BodyOp& o, const Arrays& carry) {
  std::vector<bool> r = o.loop_invariant;
  for (size_t t = 0; t < r.size(); ++t)
    r[t] = r[t] && !o.lanes.empty() && o.lane_axes.carry[t] == 0 &&
           carry[t].size() > longest_in_registers;
  return r;
}

// Turns such carries into constants, which the steps read where they are. Returns nothing if no
// carry is like that, or if all are.
Arrays with_constant_carries(const BodyOp& o, const LoopValues<Array>& x) {
  const std::vector<bool> passed = shared_constants(o, x.carry);
  if (std::find(passed.begin(), passed.end(), true) == passed.end() ||
      std::find(passed.begin(), passed.end(), false) == passed.end())
    return {};
  const std::vector<bool> changed = map_list([](bool p) { return !p; }, passed);
  const Jaxpr body = dce(o.bodies[0], changed);
  const auto both = [](bool a, bool b) { return a && b; };
  const std::vector<bool> in_test = map_list(both, passed,
                                             by_role(inputs_read(*o.test), o.cond_inputs()).carry),
                          in_body = map_list(both, passed,
                                             by_role(inputs_read(*body), o.body_inputs()).carry);
  const auto moved = [&](auto g) {
    append(g.cond_consts, filter_list(g.carry, in_test));
    append(g.body_consts, filter_list(g.carry, in_body));
    g.carry = filter_list(g.carry, changed);
    return g;
  };
  // The inputs of a program of `o`, of which those that were moved are at the end of the constants.
  const auto before = [&](const Arrays& consts, size_t own, const std::vector<bool>& moved_here,
                          const Arrays& carry) {
    Arrays r = sublist(consts, 0, own);
    for (size_t t = 0, constant = own, next = 0; t < passed.size(); ++t)
      r.push_back(moved_here[t] ? consts[constant++] : passed[t] ? Array() : carry[next++]);
    return r;
  };
  BodyOp r = o;
  const LoopValues<Array> operands = moved(x);
  r.lane_axes = moved(o.lane_axes);
  r.loop_invariant = filter_list(o.loop_invariant, changed);
  r.bodies = {program(r.takes(operands), [&](const Arrays& in) {
    const LoopValues<Array> g = r.body_inputs(in);
    return eval_jaxpr(body, concat_lists(g.control, before(g.body_consts, x.body_consts.size(),
                                                           in_body, g.carry)));
  })};
  r.test = program(types_of(r.to_cond(operands)), [&](const Arrays& in) {
    const LoopValues<Array> g = by_role(in, r.cond_inputs());
    return eval_jaxpr(o.test, before(g.cond_consts, x.cond_consts.size(), in_test, g.carry));
  });
  return merge_lists(passed, filter_list(x.carry, passed), r.bind(*find_op("while"), operands));
}

// A loop whose condition is never true returns its initial carry. Otherwise, invariants are moved
// before the loop.
Arrays while_simplify(const SimplifyArgs<While>& s) {
  const BodyOp o = body_op(s.params);
  const Atom go = o.test->out[0];
  if (go.is_literal() && is_scalar_value(literal_array(o.test->literals[go.literal()]), 0))
    return o.operands(s.x).carry;
  if (Arrays r = with_constant_carries(o, o.operands(s.x)); !r.empty()) return r;
  if (const auto h = hoist_invariants(o, s.x)) return h->o.bind(*find_op("while"), h->x);
  While p = s.params;
  p.body_jaxpr = with_branches(p.body_jaxpr, "while", make_params(p), s.x);
  return p.body_jaxpr != s.params.body_jaxpr ? bind_op(*find_op("while"), s.x, make_params(p))
                                             : Arrays();
}

// A loop in which each lane counts to its own number: (entry_mask?, n; k; i, x, passed).
Sample<While> counted(const Ints& lanes, bool entry_mask) {
  const auto wide = [lanes](DType d, const Ints& own) { return Type(d, concat_lists(lanes, own)); };
  const Type n = wide(I32, {}), x = wide(F64, {2});
  While p;
  p.cond_jaxpr = program({n, n, x, x}, [](const Arrays& a) { return Arrays{lax::lt(a[1], a[0])}; });
  p.body_jaxpr = program(concat_lists(mask_input(lanes), {x, n, x, x}), [&](const Arrays& in) {
    const Arrays a = drop_first(in, mask_input(lanes).size());
    return Arrays{lax::add(a[1], base::ones(n)), lax::add(lax::sin(a[2]), a[0]), a[3]};
  });
  p.cond_nconsts = p.body_nconsts = 1;
  p.lanes = lanes;
  p.lane_ids = axis_range(std::ssize(lanes));
  p.lane_axes = Ints(lanes.empty() ? 0 : 5, full_set(lanes));
  p.entry_mask = entry_mask;
  Types in{n, x, n, x, x};
  if (entry_mask) in.insert(in.begin(), wide(Bool, {}));
  return {.in = in, .params = p, .values = [=](uint64_t seed) {
            SampleNumbers r(seed);
            Arrays a{r(n, 0, 4), r(x, -2, 2), base::zeros(n), r(x, -2, 2), r(x, -2, 2)};
            if (entry_mask) a.insert(a.begin(), r(wide(Bool, {}), 0, 1));
            return a;
          }};
}
// A loop whose end depends on a computed number: (; step; x), or with a bound (; step; trips, x).
Sample<While> reaching(bool bounded) {
  const Type t(F64, {}), counter(I32, {});
  While p;
  const size_t first = bounded ? 1 : 0;
  const Types carry = bounded ? Types{counter, t} : Types{t};
  p.cond_jaxpr = program(carry, [&](const Arrays& a) {
    Array go = lax::lt(a[first], scalar_of(F64, 3));
    if (bounded) go = lax::bitwise_and(go, lax::lt(a[0], scalar_of_int(I32, 4)));
    return Arrays{go};
  });
  p.body_jaxpr = program(concat_lists({t}, carry), [&](const Arrays& a) {
    Arrays out(1, lax::add(a[1 + first], a[0]));
    if (bounded) out.insert(out.begin(), lax::add(a[1], scalar_of_int(I32, 1)));
    return out;
  });
  p.body_nconsts = 1;
  if (bounded) p.max_trips = 4;
  return {.in = concat_lists({t}, carry), .params = p, .values = [=](uint64_t seed) {
            SampleNumbers r(seed);
            Arrays a{r(t, 0.3, 2), r(t, -2, 4)};
            if (bounded) a.insert(a.begin() + 1, base::zeros(counter));
            return a;
          }};
}
// The greatest common divisor. The loop ends for all integers.
Sample<While> divisor() {
  const Types two(2, Type(I32, {}));
  While p;
  p.cond_jaxpr =
      program(two, [](const Arrays& a) { return Arrays{lax::ne(a[1], scalar_of_int(I32, 0))}; });
  p.body_jaxpr = program(two, [](const Arrays& a) { return Arrays{a[1], lax::rem(a[0], a[1])}; });
  return {two, p, 0, 60};
}
std::vector<Sample<While>> while_samples() {
  return {counted({}, false), counted({}, true), counted({2}, false),
          counted({2}, true), reaching(false),   reaching(true),
          divisor()};
}

const Primitive<While>& while_op = define<While>(with_body_rules<While>(
    {
        .name = "while",
        .doc = "Runs the body while the condition is true. With `lanes`, each lane has its own "
               "condition.",
        .type = while_type,
        .reference = while_reference,
        // A bounded loop is linearized as a scan, so only linear_transpose reaches this rule.
        .transpose = [](const TransposeArgs<While>& t) -> Arrays {
          if (t.params.max_trips >= 0)
            throw DifferentiationError(
                "linear_transpose does not work for while_loop with .max_trips: how many trips it "
                "takes is only known when it has run. Use the pullback of vjp, which runs it "
                "first, "
                "or scan, or fori_loop with static start/stop.");
          throw DifferentiationError(
              "Reverse-mode differentiation does not work for while_loop or fori_loop with dynamic "
              "start/stop values. Give the loop a .max_trips (for grad and vjp; linear_transpose "
              "takes none), use scan, or fori_loop with static start/stop.");
        },
        .partial = while_partial,
        .simplify = while_simplify,
        .derivatives = while_derivatives,
        .samples = while_samples,
    },
    while_steps));

}  // namespace

namespace {

// If the condition calls user code, the body evaluates it, for the lanes that run the step.
// Otherwise, with lanes of different trip counts, it would also be called for finished lanes. The
// loop carries the condition's value as its last carry.
Arrays asking_in_body(const ClosedJaxpr& cond, const ClosedJaxpr& body, Arrays init,
                      std::optional<int64_t> max_trips) {
  const auto run = [](const ClosedJaxpr& f, const Arrays& x) {
    return eval_jaxpr(open_constants(f.jaxpr), concat_lists(f.consts, x));
  };
  const size_t n = init.size();
  init.push_back(run(cond, init)[0]);
  const Types carry = types_of(init);
  const ClosedJaxpr answer = record(carry, [](const Arrays& x) { return Arrays{x.back()}; });
  const ClosedJaxpr step = record(carry, [&](const Arrays& x) {
    Arrays out = run(body, sublist(x, 0, n));
    out.push_back(run(cond, out)[0]);
    return out;
  });
  return sublist(while_flat(answer, step, init, max_trips), 0, n);
}

While while_of(const ClosedJaxpr& cond, const ClosedJaxpr& body) {
  While p;
  p.cond_nconsts = static_cast<int64_t>(cond.consts.size());
  p.body_nconsts = static_cast<int64_t>(body.consts.size());
  p.cond_jaxpr = open_constants(cond.jaxpr);
  p.body_jaxpr = open_constants(body.jaxpr);
  return p;
}

}  // namespace

Arrays mapped_while_flat(const ClosedJaxpr& cond, const ClosedJaxpr& body, const Arrays& init,
                         bool in_loop) {
  const Arrays x = in_order(LoopValues<Array>{{}, cond.consts, body.consts, init});
  const std::optional<Arrays> results = separate_lanes(while_of(cond, body), x, in_loop);
  return results ? *results : while_flat(cond, body, init);
}

Arrays while_flat(const ClosedJaxpr& cond, const ClosedJaxpr& body, const Arrays& init,
                  std::optional<int64_t> max_trips) {
  if (effect_of(cond.jaxpr) != Effect::none) return asking_in_body(cond, body, init, max_trips);
  While p = while_of(cond, body);
  Arrays carry = init;
  if (max_trips) {
    // An additional first carry counts the trips, and the loop ends when it reaches the bound.
    p.max_trips = *max_trips;
    const DType counter = counter_of(*max_trips);
    const Array zero = scalar_of_int(counter, 0), one = scalar_of_int(counter, 1),
                bound = scalar_of_int(counter, *max_trips);
    carry.insert(carry.begin(), zero);
    const auto takes = [&](const ClosedJaxpr& f) {
      return concat_lists(types_of(f.consts), types_of(carry));
    };
    const auto run = [](const ClosedJaxpr& f, const Arrays& in) {
      const size_t n = f.consts.size();
      return eval_jaxpr(open_constants(f.jaxpr),
                        concat_lists(sublist(in, 0, n), drop_first(in, n + 1)));
    };
    p.cond_jaxpr = program(takes(cond), [&](const Arrays& in) {
      return Arrays{lax::bitwise_and(run(cond, in)[0], lax::lt(in[cond.consts.size()], bound))};
    });
    p.body_jaxpr = program(takes(body), [&](const Arrays& in) {
      const Array trips = base::add(in[body.consts.size()], one);
      return concat_lists({trips}, run(body, in));
    });
  }
  Arrays out = while_op.bind(in_order(LoopValues<Array>{{}, cond.consts, body.consts, carry}), p);
  if (max_trips) out.erase(out.begin());
  return out;
}

}  // namespace weft

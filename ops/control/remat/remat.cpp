// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/remat/remat.cpp: checkpoint: a program that its derivative recomputes instead of
// keeping its values.
//
// remat2[jaxpr, policy](x) -> jaxpr(x)
//   Partial evaluation runs the known part outside of the op. The rest is again a remat2 on the
//   known operands, on the known values that the policy keeps, and on the unknown operands. Its
//   program starts with a copy of the known part. The transpose is a remat2 of the transposed
//   program, which starts in the same way. In all other respects the op is a call.
#include "ops/control/remat/remat.h"

#include "core/effects.h"
#include "ops/control/program_op.h"
#include "ops/control/remat/run_twice.h"
#include "ops/control/samples.h"
#include "tracer/base_ops.h"
#include "tracer/replay.h"

namespace weft {
namespace {

CheckpointPolicy policy_of(const Remat& p) { return *CheckpointPolicy::read(p.policy); }

Types remat_type(const Types& in, const Remat& p) {
  if (!CheckpointPolicy::read(p.policy))
    reject_shape("remat2", "there is no policy '" + p.policy + "'", in);
  require_body("remat2", p.jaxpr, in, in);
  return p.jaxpr->out_types();
}

// Applies the outer policy to the checkpoints inside j, too. The outermost checkpoint decides which
// values of the first run are kept.
Jaxpr under_policy(const Jaxpr& j, const CheckpointPolicy& outer) {
  const auto is_checkpoint = [](const JaxprData&, const Eqn& e) {
    return e.op->name() == "remat2";
  };
  if (outer == CheckpointPolicy() || !any_equation({j}, is_checkpoint)) return j;
  return rewrite(j, [&](const Eqn& e, const Arrays& in) {
    AnyParams params = with_programs(e, [&](const Jaxpr& q) { return under_policy(q, outer); });
    if (is_checkpoint(*j, e)) {
      Remat p = params_as<Remat>(params);
      p.policy = policy_of(p).either(outer).text();
      params = make_params(std::move(p));
    }
    return bind_equation(e, in, params);
  });
}

Arrays remat_partial(const PartialArgs<Remat>& a) {
  const size_t m = a.params.jaxpr->out.size();
  const CheckpointPolicy policy = policy_of(a.params);
  const Split s = partial_eval_jaxpr(under_policy(a.params.jaxpr, policy), a.unknown,
                                     std::vector<bool>(m, false));
  const size_t residuals = s.residuals, known = s.known->out.size() - residuals;
  // The residuals that the rest reads.
  const Jaxpr later = dce(s.rest);
  const std::vector<bool> read = sublist(needed_inputs(later), 0, residuals);
  std::vector<bool> keep(known, true), want(known, false);
  keep.resize(known + residuals, false);
  append(want, read);
  const Twice t = run_twice(s.known, keep, want, policy);
  const Arrays known_x = filter_list(a.x, a.unknown, false);
  const Arrays made = base::call(t.first, known_x, "checkpoint");
  if (later->out.empty()) return merge_lists(s.out_unknown, {}, made);
  const Arrays kept = sublist(made, 0, known), saved = drop_first(made, known);
  const std::vector<bool> again = sublist(needed_inputs(t.again), 0, known_x.size());
  const Arrays given = concat_lists(saved, filter_list(known_x, again)),
               x = concat_lists(given, filter_list(a.x, a.unknown));
  Remat p = a.params;
  p.differentiated = true;
  p.jaxpr = program(types_of(x), [&](const Arrays& v) {
    const Arrays inputs = scatter_list(drop_first(v, saved.size()), again),
                 computed = eval_jaxpr(t.again, concat_lists(inputs, sublist(v, 0, saved.size())));
    return eval_jaxpr(later,
                      concat_lists(scatter_list(computed, read), drop_first(v, given.size())));
  });
  return merge_lists(s.out_unknown, a.trace.record(a.op, x, make_params(p)), kept);
}

// The recomputing part of a derivative must not reuse values that the first run, or another part,
// computed from the same operands. Reusing a value would keep it until then. The last operand is a
// cotangent.
Lowering remat_lower(const LowerArgs<Remat>& a) {
  if (!a.params.differentiated || !a.params.prevent_cse) return inlined_program(a);
  Remat p = a.params;
  p.jaxpr = program(a.in, [&](const Arrays& x) {
    return eval_jaxpr(a.params.jaxpr,
                      map_list([&](const Array& v) { return schedule_after(v, x.back()); }, x));
  });
  return inlined_program(LowerArgs<Remat>{a.in, a.out, p});
}

std::vector<Sample<Remat>> remat_samples() {
  const Types two(2, Type(F64, {3})), words{Type(I32, {2, 3}), Type(Bool, {})};
  const Jaxpr sines = program(two, [](const Arrays& x) {
    return Arrays{sine_product(named(lax::sin(x[0]), "inner"), x[1]), lax::add(x[0], x[1])};
  });
  const Jaxpr chosen = program(words, [](const Arrays& x) {
    return Arrays{x[1], lax::select(x[1], x[0], lax::neg(x[0])), x[0]};
  });
  const Jaxpr nothing =
      program({}, [](const Arrays&) { return Arrays{base::ones(Type(F32, {2}))}; });
  return {{two, {.jaxpr = sines}},
          {two, {.jaxpr = sines, .policy = "save_only_these_names(inner)"}},
          {two, {.jaxpr = sines, .policy = "everything_saveable", .prevent_cse = false}},
          {two, {.differentiated = true, .jaxpr = sines}},
          {words, {.jaxpr = chosen}},
          {{}, {.jaxpr = nothing}}};
}
std::vector<Reject<Remat>> remat_rejects() {
  const Type t(F32, {3});
  const Jaxpr same = program({t}, [](const Arrays& x) { return x; });
  return {{{t}, {.jaxpr = same, .policy = "save_only_these_names(a"}, "there is no policy"},
          {{t}, {.jaxpr = same, .policy = ""}, "there is no policy"},
          {{t, t}, {.jaxpr = same}, "the body takes"}};
}

const Primitive<Remat>& remat_op = define<Remat>([] {
  auto d = program_op<Remat>("remat2",
                             "Runs the program `jaxpr`, which its derivative computes again "
                             "(checkpoint). `policy` says which values are stored instead.");
  d.type = remat_type;
  d.lower = remat_lower;
  d.nonlinear_in_residuals = [](const Remat&) { return true; };
  d.dual = program_dual<Remat>;
  d.transpose = program_transpose<Remat>;
  d.batch = [](const BatchArgs<Remat>& b) { return program_batch(b, b.params); };
  d.partial = remat_partial;
  d.samples = remat_samples;
  d.rejects = remat_rejects;
  return d;
}());

}  // namespace

Arrays remat_flat(const ClosedJaxpr& f, const Arrays& x, const CheckpointPolicy& policy,
                  bool prevent_cse) {
  return remat_op.bind(concat_lists(f.consts, x),
                       {false, open_constants(f.jaxpr), policy.text(), prevent_cse});
}

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/call.cpp: a program as one equation, which is how jit appears under another
// transform.
#include <algorithm>
#include <optional>

#include "core/effects.h"
#include "core/loops/platform.h"
#include "core/loops/resize.h"
#include "ops/control/control_flow.h"
#include "ops/control/lane_by_lane.h"
#include "ops/control/program_op.h"
#include "ops/control/samples.h"

namespace weft {
namespace {

Batched call_batch(const BatchArgs<Call>& b) {
  Call call = b.params;
  // Inactive lanes compute on residual values, and NaNs in them do not matter.
  if (!b.trace.mask.active.empty_handle()) call.check_nans = false;
  return program_batch(b, call);
}

// Operands that the unknown part needs are read directly. The known call does not return them,
// because in a loop that would add a row for each step.
Arrays call_partial(const PartialArgs<Call>& a) {
  const size_t m = a.params.jaxpr->out.size();
  const Split s = partial_eval_jaxpr(a.params.jaxpr, a.unknown, std::vector<bool>(m, false));
  const Arrays known_x = filter_list(a.x, a.unknown, false);
  const size_t known_out = s.known->out.size() - static_cast<size_t>(s.residuals);
  Arrays residuals;
  std::vector<bool> made(known_out, true);
  for (Atom r : drop_first(s.known->out, known_out)) {
    const bool operand = !r.is_literal() && r.index < s.known->n_in;
    residuals.push_back(operand ? known_x[r.index] : Array());
    made.push_back(!operand);
  }
  const Arrays known = a.op.bind(known_x, a.params.of(dce(s.known, made)));
  residuals = merge_lists(drop_first(made, known_out), drop_first(known, known_out),
                          filter_list(residuals, drop_first(made, known_out), false));
  const Arrays x = concat_lists(residuals, filter_list(a.x, a.unknown));
  const bool nothing = s.rest->out.empty() && effect_of(s.rest) != Effect::ordered;
  return merge_lists(s.out_unknown,
                     nothing ? Arrays{} : a.trace.record(a.op, x, make_params(a.params.of(s.rest))),
                     known);
}

Types call_type(const Types& in, const Call& p) {
  require_body("jit", p.jaxpr, in, in);
  const Types out = p.jaxpr->out_types();
  if (p.block == 0 && p.in_blocks.empty() && !p.counted) return out;
  Types lanes = out;
  for (size_t k = 0; k < in.size() && k < p.in_blocks.size(); ++k)
    if (p.in_blocks[k]) lanes.push_back(in[k]);
  const bool fits = p.in_blocks.size() == in.size() && !out.empty() &&
                    std::ranges::all_of(lanes, [&](const Type& t) {
                      return t.ndim() > 0 && t.shape()[0] == lanes[0].shape()[0];
                    });
  if (!fits || p.block < 1 || p.block > lanes[0].shape()[0])
    reject_shape("jit",
                 "in_blocks marks operands with as many rows as the results, at least one "
                 "block",
                 in);
  if (p.counted && (in.empty() || in[0].dtype() != I32 || in[0].ndim() != 0))
    reject_dtype("jit", "the number of counted lanes must be an i32", in);
  return out;
}

// The program of the call for one block of its lanes.
Jaxpr block_program(const Call& p) {
  std::optional<Jaxpr> r = program_of_block(p.jaxpr, p.in_blocks, p.block);
  if (!r) throw InternalError("a call in blocks has lanes that depend on one another");
  return *r;
}

// A call with its own options is not inlined into the surrounding program. Only the host runs
// blocks.
Lowering call_lowering(const LowerArgs<Call>& a) {
  Lowering l = inlined_program(a);
  if (!a.params.watched() && (a.params.block == 0 || !is_host_platform())) return l;
  l.form = Lowering::Form::opaque;
  l.lockstep = [p = a.params] {
    return std::vector<Jaxpr>{p.block == 0 ? p.jaxpr : block_program(p)};
  };
  return l;
}

std::vector<Sample<Call>> call_samples() {
  const Types two(2, Type(F64, {3})), words{Type(I32, {2, 3}), Type(Bool, {})};
  const Jaxpr sines = program(
      two, [](const Arrays& x) { return Arrays{sine_product(x[0], x[1]), lax::add(x[0], x[1])}; });
  const Jaxpr chosen = program(words, [](const Arrays& x) {
    return Arrays{x[1], lax::select(x[1], x[0], lax::neg(x[0])), x[0]};
  });
  const Jaxpr nothing =
      program({}, [](const Arrays&) { return Arrays{base::ones(Type(F32, {2}))}; });
  return {{two, {.jaxpr = sines, .name = "sines"}},
          {words, {.jaxpr = chosen, .name = "chosen"}},
          {{}, {.jaxpr = nothing, .name = "nothing"}},
          {two, {.jaxpr = sines, .name = "sines", .time_limit = 900}},
          {two, {.jaxpr = sines, .name = "sines", .block = 2, .in_blocks = {true, true}}}};
}

const Primitive<Call>& call_op = define<Call>([] {
  auto d = program_op<Call>("jit", "Runs the program `jaxpr` as one equation.");
  d.type = call_type;
  d.lower = call_lowering;
  d.dual = program_dual<Call>;
  d.transpose = program_transpose<Call>;
  d.batch = call_batch;
  d.partial = call_partial;
  d.samples = call_samples;
  return d;
}());

}  // namespace

namespace base {
Arrays call(const Ref<const JaxprData>& j, const Arrays& x, const std::string& name,
            double time_limit, bool check_nans) {
  return call_op.bind(x, {open_constants(j), name, time_limit, check_nans});
}
}  // namespace base

Arrays lane_loop(const Ref<const JaxprData>& j, const Arrays& x, const std::string& name) {
  return call_op.bind(x, {open_constants(j), "lane_loop", 0, false, name});
}

}  // namespace weft

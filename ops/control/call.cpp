// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/call.cpp: a program as one equation: what jit leaves under another transform.
#include "weft/ops/control/control_flow.h"
#include "weft/ops/control/lane_by_lane.h"
#include "weft/ops/control/program_op.h"

namespace weft {
namespace {

Dual call_dual(const DualArgs<Call>& d) {
  std::vector<bool> nonzero;
  Arrays x = d.x;
  for (const Array& t : d.dx) {
    nonzero.push_back(!t.empty_handle());
    if (nonzero.back()) x.push_back(t);
  }
  const size_t m = d.params.jaxpr->out.size();
  const JvpJaxpr j = jvp_jaxpr(d.params.jaxpr, nonzero, std::vector<bool>(m, false));
  const Arrays out = d.op.bind(x, d.params.of(j.jaxpr));
  Dual r;
  r.out = part(out, 0, m);
  size_t next = m;
  for (size_t k = 0; k < m; ++k) r.tangent.push_back(j.out_nonzero[k] ? out[next++] : Array());
  return r;
}

Batched call_batch(const BatchArgs<Call>& b) {
  Batched r;
  const Rewritten body = rewritten(types_of(b.x), 0, [&](const Arrays& a) {
    Batched inside = batch_eval(b.params.jaxpr, a, b.axis, b.level, b.level.mask);
    r.axis = inside.axis;
    return inside.out;
  });
  Arrays x;
  Call call = b.params.of(opened({body}, &x)[0]);
  // Lanes that are not active compute on leftovers, whose NaNs nobody sees.
  if (!b.level.mask.active.empty_handle()) call.check_nans = false;
  append(x, b.x);
  r.out = b.op.bind(x, call);
  return r;
}

Arrays call_partial(const PartialArgs<Call>& a) {
  const size_t m = a.params.jaxpr->out.size();
  const Split s = partial_eval_jaxpr(a.params.jaxpr, a.unknown, std::vector<bool>(m, false));
  Arrays known_x, unknown_x;
  for (size_t i = 0; i < a.x.size(); ++i) (a.unknown[i] ? unknown_x : known_x).push_back(a.x[i]);
  const Arrays known = a.op.bind(known_x, a.params.of(s.known));
  const size_t known_out = known.size() - static_cast<size_t>(s.residuals);
  Arrays ux = part(known, known_out, static_cast<size_t>(s.residuals));
  append(ux, unknown_x);
  const Arrays rest =
      s.rest->out.empty() ? Arrays{} : a.level.record(a.op, ux, make_params(a.params.of(s.rest)));
  Arrays out;
  size_t nk = 0, nu = 0;
  for (size_t o = 0; o < m; ++o) out.push_back(s.out_unknown[o] ? rest[nu++] : known[nk++]);
  return out;
}

Arrays call_transpose(const TransposeArgs<Call>& t) {
  Arrays x;
  std::vector<bool> has_ct;
  for (size_t i = 0; i < t.in.size(); ++i)
    if (!t.linear[i]) x.push_back(t.x[i]);
  for (const Array& c : t.ct) {
    has_ct.push_back(!c.empty_handle());
    if (has_ct.back()) x.push_back(c);
  }
  std::vector<bool> given;
  const Jaxpr j = program(types_of(x), [&](const Arrays& a) {
    Arrays args, ct;
    size_t next = 0;
    for (size_t i = 0; i < t.in.size(); ++i) args.push_back(t.linear[i] ? Array() : a[next++]);
    for (bool on : has_ct) ct.push_back(on ? a[next++] : Array());
    Arrays out;
    for (const Array& c : backward_pass(t.params.jaxpr, args, t.linear, ct)) {
      given.push_back(!c.empty_handle());
      if (given.back()) out.push_back(c);
    }
    return out;
  });
  const Arrays back = t.op.bind(x, t.params.of(j));
  Arrays out;
  size_t next = 0;
  for (bool on : given) out.push_back(on ? back[next++] : Array());
  return out;
}

// A call with options of its own is not dissolved into the program around it.
Lowering watched_call(const LowerArgs<Call>& a) {
  Lowering l = inlined_program(a);
  if (!a.params.watched()) return l;
  l.form = Lowering::Form::opaque;
  l.lockstep = [body = a.params.jaxpr] { return std::vector<Jaxpr>{body}; };
  return l;
}

const Primitive<Call>& call_op = define<Call>([] {
  auto d = program_op<Call>("jit", "Runs a program as one equation.");
  d.lower = watched_call;
  d.dual = call_dual;
  d.transpose = call_transpose;
  d.batch = call_batch;
  d.partial = call_partial;
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

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/custom.cpp: functions with derivative rules of their own, as equations that hold the programs
// of the function and of its rules (Decided 10).
#include <fmt/format.h>

#include "weft/ops/custom_flat.h"
#include "weft/ops/program_op.h"

namespace weft {
namespace {

struct CustomJvp {
  Jaxpr jaxpr, rule;       // rule: (x…, dx of the inexact x…) -> (out…, tangents…)
  int64_t num_consts = 0;  // leading operands that f captured
  std::string name;
  WEFT_FIELDS(jaxpr, rule, num_consts, name)
};
struct CustomVjp {
  Jaxpr jaxpr, fwd, bwd;
  int64_t num_consts = 0;
  std::string name;
  WEFT_FIELDS(jaxpr, fwd, bwd, num_consts, name)
};
// The derivative of a custom_vjp: linear in its last operands; only its transpose is known.
struct CustomLin {
  Jaxpr bwd;  // (residuals…, ct of every result…) -> ct of the linear operands
  int64_t num_residuals = 0;
  Types result_types;  // of all results of the function
  WEFT_FIELDS(bwd, num_residuals, result_types)
};

extern const Primitive<CustomJvp>& custom_jvp_op;
extern const Primitive<CustomVjp>& custom_vjp_op;
extern const Primitive<CustomLin>& custom_lin_op;

void refuse_captured(const Arrays& dx, int64_t num_consts, const std::string& name) {
  for (int64_t i = 0; i < num_consts; ++i)
    if (!dx[static_cast<size_t>(i)].empty_handle())
      throw DifferentiationError(fmt::format(
          "{}: a value that the function captured is differentiated; pass it as an argument",
          name));
}

Types inexact_of(const Types& ts) {
  Types r;
  for (const Type& t : ts)
    if (is_inexact(t.dtype())) r.push_back(t.strong());
  return r;
}

// j on operands mapped as `in`, its results all mapped in front.
Jaxpr batched_in_front(const Jaxpr& j, const Types& types, const MaybeAxes& in,
                       const BatchLevel& level, const std::vector<bool>& ask) {
  return program(types, [&](const Arrays& a) {
    Batched r = batch_eval(j, a, in, level, {});
    Arrays out;
    for (size_t k = 0; k < r.out.size(); ++k)
      out.push_back(k >= ask.size() || ask[k] ? move_mapped(r.out[k], r.axis[k], 0, level.size)
                                              : r.out[k]);
    return out;
  });
}

Types mapped_types(const Types& ts, const MaybeAxes& axes, int64_t size) {
  Types r;
  for (size_t i = 0; i < ts.size(); ++i) r.push_back(widened(ts[i], axes[i], size));
  return r;
}

// Operands with their mapped axis in front.
Arrays in_front(const Arrays& x, const MaybeAxes& axis, int64_t size, MaybeAxes* now) {
  Arrays r;
  for (size_t i = 0; i < x.size(); ++i) {
    r.push_back(axis[i] ? move_mapped(x[i], axis[i], 0, size) : x[i]);
    now->push_back(axis[i] ? MaybeAxis(0) : MaybeAxis());
  }
  return r;
}

Dual jvp_dual(const DualArgs<CustomJvp>& d) {
  const CustomJvp& p = d.params;
  refuse_captured(d.dx, p.num_consts, p.name);
  const size_t nc = static_cast<size_t>(p.num_consts), m = p.jaxpr->out.size();
  Arrays x = part(d.x, nc, d.x.size() - nc);
  for (size_t i = nc; i < d.x.size(); ++i)
    if (is_inexact(d.x[i].dtype())) x.push_back(instantiate(d.dx[i], d.x[i].type()));
  const Arrays out = eval_jaxpr(p.rule, x);
  Dual r;
  r.out = part(out, 0, m);
  size_t next = m;
  for (const Array& o : r.out) r.tangent.push_back(is_inexact(o.dtype()) ? out[next++] : Array());
  return r;
}

Batched jvp_batch(const BatchArgs<CustomJvp>& b) {
  const CustomJvp& p = b.params;
  MaybeAxes in;
  const Arrays x = in_front(b.x, b.axis, b.size, &in);
  CustomJvp q = p;
  q.jaxpr = batched_in_front(p.jaxpr, types_of(x), in, b.level, {});
  const size_t nc = static_cast<size_t>(p.num_consts);
  MaybeAxes rule_in = part(in, nc, in.size() - nc);
  for (size_t i = nc; i < x.size(); ++i)
    if (is_inexact(x[i].dtype())) rule_in.push_back(in[i]);
  q.rule = batched_in_front(p.rule, mapped_types(p.rule->in_types(), rule_in, b.size), rule_in,
                            b.level, {});
  Batched r;
  r.out = custom_jvp_op.bind(x, q);
  r.axis.assign(r.out.size(), MaybeAxis(0));
  return r;
}

const Primitive<CustomJvp>& custom_jvp_op = define<CustomJvp>([] {
  auto d =
      program_op<CustomJvp>("custom_jvp_call", "A function with a forward derivative of its own.");
  d.dual = jvp_dual;
  d.batch = jvp_batch;
  return d;
}());

Dual vjp_dual(const DualArgs<CustomVjp>& d) {
  const CustomVjp& p = d.params;
  refuse_captured(d.dx, p.num_consts, p.name);
  const size_t nc = static_cast<size_t>(p.num_consts), m = p.jaxpr->out.size();
  const Arrays all = eval_jaxpr(p.fwd, part(d.x, nc, d.x.size() - nc));
  Dual r;
  r.out = part(all, 0, m);
  CustomLin lin{p.bwd, static_cast<int64_t>(all.size() - m), types_of(r.out)};
  Arrays x = part(all, m, all.size() - m);
  for (size_t i = nc; i < d.x.size(); ++i)
    if (is_inexact(d.x[i].dtype())) x.push_back(instantiate(d.dx[i], d.x[i].type()));
  const Arrays tangents = custom_lin_op.bind(x, lin);
  size_t next = 0;
  for (const Array& o : r.out)
    r.tangent.push_back(is_inexact(o.dtype()) ? tangents[next++] : Array());
  return r;
}

// bwd for mapped values: cotangents of arguments that are not mapped are summed over the lanes.
Jaxpr batched_bwd(const Jaxpr& bwd, const MaybeAxes& residuals,
                  const std::vector<bool>& argument_mapped, const BatchLevel& level) {
  MaybeAxes in = residuals;
  in.resize(static_cast<size_t>(bwd->n_in), MaybeAxis(0));
  return program(mapped_types(bwd->in_types(), in, level.size), [&](const Arrays& a) {
    Batched r = batch_eval(bwd, a, in, level, {});
    Arrays out;
    for (size_t k = 0; k < r.out.size(); ++k) {
      const Array ct = move_mapped(r.out[k], r.axis[k], 0, level.size);
      out.push_back(argument_mapped[k] ? ct : base::reduce_sum(ct, {0}));
    }
    return out;
  });
}

Batched vjp_batch(const BatchArgs<CustomVjp>& b) {
  const CustomVjp& p = b.params;
  const size_t nc = static_cast<size_t>(p.num_consts), m = p.jaxpr->out.size();
  MaybeAxes in;
  const Arrays x = in_front(b.x, b.axis, b.size, &in);
  CustomVjp q = p;
  q.jaxpr = batched_in_front(p.jaxpr, types_of(x), in, b.level, {});
  const MaybeAxes args = part(in, nc, in.size() - nc);
  MaybeAxes residuals = probe_axes(p.fwd, args, b.level);
  std::vector<bool> ask(m, true);
  for (size_t k = m; k < residuals.size(); ++k) ask.push_back(residuals[k].has_value());
  q.fwd =
      batched_in_front(p.fwd, mapped_types(p.fwd->in_types(), args, b.size), args, b.level, ask);
  residuals.erase(residuals.begin(), residuals.begin() + static_cast<std::ptrdiff_t>(m));
  for (MaybeAxis& a : residuals)
    if (a) a = 0;
  std::vector<bool> argument_mapped;
  for (size_t i = nc; i < x.size(); ++i)
    if (is_inexact(x[i].dtype())) argument_mapped.push_back(in[i].has_value());
  q.bwd = batched_bwd(p.bwd, residuals, argument_mapped, b.level);
  Batched r;
  r.out = custom_vjp_op.bind(x, q);
  r.axis.assign(r.out.size(), MaybeAxis(0));
  return r;
}

const Primitive<CustomVjp>& custom_vjp_op = define<CustomVjp>([] {
  auto d =
      program_op<CustomVjp>("custom_vjp_call", "A function with a reverse derivative of its own.");
  d.dual = vjp_dual;
  d.batch = vjp_batch;
  return d;
}());

const Primitive<CustomLin>& custom_lin_op = define<CustomLin>({
    .name = "custom_lin",
    .doc = "The derivative of a custom_vjp function, known by its transpose alone.",
    .type = [](const Types&, const CustomLin& p) { return inexact_of(p.result_types); },
    .reference = [](const Arrays&, const CustomLin&) -> Arrays {
      throw DifferentiationError(
          "can't apply forward-mode autodiff (jvp) to a custom_vjp function.");
    },
    .transpose =
        [](const TransposeArgs<CustomLin>& t) {
          const CustomLin& p = t.params;
          const size_t n = static_cast<size_t>(p.num_residuals);
          Arrays in = part(t.x, 0, n);
          size_t next = 0;
          for (const Type& r : p.result_types) {
            if (!is_inexact(r.dtype())) {
              in.push_back(base::zeros(r.strong()));
              continue;
            }
            in.push_back(instantiate(t.ct[next], t.out[next]));
            ++next;
          }
          Arrays out(n);
          append(out, eval_jaxpr(p.bwd, in));
          return out;
        },
    .batch =
        [](const BatchArgs<CustomLin>& b) {
          const CustomLin& p = b.params;
          const size_t n = static_cast<size_t>(p.num_residuals);
          MaybeAxes in;
          const Arrays x = in_front(b.x, b.axis, b.size, &in);
          std::vector<bool> argument_mapped;
          for (size_t i = n; i < in.size(); ++i) argument_mapped.push_back(in[i].has_value());
          CustomLin q = p;
          q.bwd = batched_bwd(p.bwd, part(in, 0, n), argument_mapped, b.level);
          q.result_types =
              mapped_types(p.result_types, MaybeAxes(p.result_types.size(), MaybeAxis(0)), b.size);
          Batched r;
          r.out = custom_lin_op.bind(x, q);
          r.axis.assign(r.out.size(), MaybeAxis(0));
          return r;
        },
});

}  // namespace

Arrays custom_jvp_flat(const Closed& f, const Closed& rule, const Arrays& x,
                       const std::string& name) {
  Arrays all = f.consts;
  append(all, x);
  return custom_jvp_op.bind(all, {open_constants(f.jaxpr), open_constants(rule.jaxpr),
                                  static_cast<int64_t>(f.consts.size()), name});
}

Arrays custom_vjp_flat(const Closed& f, const Closed& fwd, const Closed& bwd, const Arrays& x,
                       const std::string& name) {
  Arrays all = f.consts;
  append(all, x);
  return custom_vjp_op.bind(
      all, {open_constants(f.jaxpr), open_constants(fwd.jaxpr), open_constants(bwd.jaxpr),
            static_cast<int64_t>(f.consts.size()), name});
}

}  // namespace weft

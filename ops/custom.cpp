// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/custom.cpp: programs with derivative rules of their own: custom_jvp, custom_vjp, and the linear
// stand-in by which reverse mode finds the rule of the latter.
#include "weft/ops/custom_flat.h"

#include <fmt/format.h>

#include "weft/ops/lanes.h"

namespace weft {
namespace {

// jaxpr: (consts…, x…) -> out…. rule: (consts…, x…, dx of inexact x…) -> (out…, tangents of inexact out…).
struct CustomJvp {
  Ref<const JaxprData> jaxpr, rule;
  int64_t num_consts = 0;
  WEFT_FIELDS(jaxpr, rule, num_consts)
};
// fwd: (consts…, x…) -> (out…, residuals…). bwd: (consts…, residuals…, ct of each out…) -> ct of inexact x….
struct CustomVjp {
  Ref<const JaxprData> jaxpr, fwd, bwd;
  int64_t num_consts = 0;
  WEFT_FIELDS(jaxpr, fwd, bwd, num_consts)
};
// (consts…, residuals…, dx of inexact x…) -> tangents of out…; only its transpose is known.
struct CustomLin {
  Ref<const JaxprData> bwd;
  int64_t num_consts = 0, num_res = 0;
  WEFT_FIELDS(bwd, num_consts, num_res)
};

extern const Primitive<CustomJvp>& custom_jvp_op;
extern const Primitive<CustomVjp>& custom_vjp_op;
extern const Primitive<CustomLin>& custom_lin_op;

size_t count(int64_t n) { return static_cast<size_t>(n); }

void refuse_captured(const char* who, const Arrays& dx, int64_t consts) {
  for (size_t i = 0; i < count(consts); ++i)
    if (!dx[i].empty_handle())
      throw DifferentiationError(fmt::format("{}: the function captures a value {} with respect to which it is differentiated, and its rule "
                                             "knows nothing of it. Pass the value as an argument.",
                                             who, to_string(dx[i].type())));
}

// Runs the body as a call does.
Lowering lower_body(const Jaxpr& j, size_t in, size_t out) {
  Lowering l;
  l.form = Lowering::Form::inlined;
  l.loop = {.kind = LoopForm::Kind::call, .bodies = {j}, .consts = static_cast<int>(in), .results = static_cast<int>(out)};
  return l;
}

// ---- batching: programs are rewritten; the enclosing mask goes along as the first constant

struct Rewrite {
  BatchLevel& level;
  int64_t size;
  bool extra;
  Arrays x;                               // operands with the mask
  MaybeAxes axis;

  Rewrite(const Arrays& operands, const MaybeAxes& axes, int64_t size, BatchLevel& level)
      : level(level), size(size), extra(!level.mask.active.empty_handle()), x(operands), axis(axes) {
    if (extra) x.insert(x.begin(), level.mask.active);
  }
  // j on the operands and `more`, mapped at `more_axis`; what becomes of the results is up to `place`.
  Jaxpr operator()(const Jaxpr& j, const Types& first, const MaybeAxes& first_axis, FunctionRef<Arrays(Batched)> place) const {
    Types in = first;
    if (extra) in.insert(in.begin(), x[0].type());
    return program(in, [&](const Arrays& a) {
      const LaneMask mask = extra ? LaneMask{a[0], level.mask.ids} : LaneMask{};
      return place(batch_eval(j, part(a, extra, first.size()), first_axis, level, mask));
    });
  }
  Arrays in_front(const Batched& b) const {
    Arrays out;
    for (size_t k = 0; k < b.out.size(); ++k) out.push_back(move_mapped(b.out[k], b.axis[k], 0, size));
    return out;
  }
};

// Cotangents as the operands are mapped: those of operands without lanes are summed over the lanes.
Arrays cotangents_at(const Batched& b, const MaybeAxes& want, int64_t size) {
  Arrays out;
  for (size_t k = 0; k < b.out.size(); ++k) {
    if (want[k]) out.push_back(move_mapped(b.out[k], b.axis[k], *want[k], size));
    else out.push_back(b.axis[k] ? base::reduce_sum(b.out[k], {*b.axis[k]}) : b.out[k]);
  }
  return out;
}

// ---- custom_jvp

Dual custom_jvp_dual(const DualArgs<CustomJvp>& d) {
  refuse_captured("custom_jvp", d.dx, d.params.num_consts);
  Arrays all = d.x;
  for (size_t i = count(d.params.num_consts); i < d.x.size(); ++i)
    if (is_inexact(d.x[i].dtype())) all.push_back(instantiate(d.dx[i], d.x[i].type()));
  const Arrays r = eval_jaxpr(d.params.rule, all);
  const size_t m = d.params.jaxpr->out.size();
  Dual dual;
  dual.out = part(r, 0, m);
  size_t next = m;
  for (const Array& y : dual.out) dual.tangent.push_back(is_inexact(y.dtype()) ? r[next++] : Array());
  return dual;
}

Batched custom_jvp_batch(const BatchArgs<CustomJvp>& b) {
  const Rewrite rewrite(b.x, b.axis, b.size, b.level);
  const auto front = [&](Batched r) { return rewrite.in_front(r); };
  Types in = types_of(b.x);
  MaybeAxes axis = b.axis;
  const Jaxpr body = rewrite(b.params.jaxpr, in, axis, front);
  for (size_t i = count(b.params.num_consts); i < b.x.size(); ++i) {
    if (!is_inexact(b.x[i].dtype())) continue;
    in.push_back(b.x[i].type().strong());
    axis.push_back(b.axis[i]);
  }
  const Jaxpr rule = rewrite(b.params.rule, in, axis, front);
  Arrays out = custom_jvp_op.bind(rewrite.x, {body, rule, b.params.num_consts + rewrite.extra});
  MaybeAxes at(out.size(), 0);
  return {std::move(out), std::move(at)};
}

const Primitive<CustomJvp>& custom_jvp_op = define<CustomJvp>({
    .name = "custom_jvp_call",
    .doc = "A program whose derivative is given by another program.",
    .type = [](const Types& in, const CustomJvp& p) {
      require_body("custom_jvp_call", p.jaxpr, in, in);
      return p.jaxpr->out_types();
    },
    .reference = [](const Arrays& x, const CustomJvp& p) { return eval_jaxpr(p.jaxpr, x); },
    .dual = custom_jvp_dual,
    .batch = custom_jvp_batch,
    .lower = [](const LowerArgs<CustomJvp>& a) { return lower_body(a.params.jaxpr, a.in.size(), a.out.size()); },
    .compile_eagerly = true,
});

// ---- custom_vjp

Dual custom_vjp_dual(const DualArgs<CustomVjp>& d) {
  refuse_captured("custom_vjp", d.dx, d.params.num_consts);
  const size_t m = d.params.jaxpr->out.size(), consts = count(d.params.num_consts);
  const Arrays r = eval_jaxpr(d.params.fwd, d.x);
  Arrays linear = part(d.x, 0, consts);
  append(linear, part(r, m, r.size() - m));
  for (size_t i = consts; i < d.x.size(); ++i)
    if (is_inexact(d.x[i].dtype())) linear.push_back(instantiate(d.dx[i], d.x[i].type()));
  Dual dual;
  dual.out = part(r, 0, m);
  const Arrays t = custom_lin_op.bind(linear, {d.params.bwd, d.params.num_consts, static_cast<int64_t>(r.size() - m)});
  for (size_t k = 0; k < m; ++k) dual.tangent.push_back(is_inexact(dual.out[k].dtype()) ? t[k] : Array());
  return dual;
}

Batched custom_vjp_batch(const BatchArgs<CustomVjp>& b) {
  const Rewrite rewrite(b.x, b.axis, b.size, b.level);
  const size_t m = b.params.jaxpr->out.size(), consts = count(b.params.num_consts);
  const Jaxpr body = rewrite(b.params.jaxpr, types_of(b.x), b.axis, [&](Batched r) { return rewrite.in_front(r); });
  // Residuals that have no lanes stay without.
  MaybeAxes residual;
  const Jaxpr fwd = rewrite(b.params.fwd, types_of(b.x), b.axis, [&](Batched r) {
    residual.clear();
    for (size_t k = 0; k < r.out.size(); ++k) {
      const bool lanes = k < m || r.axis[k];
      if (lanes) r.out[k] = move_mapped(r.out[k], r.axis[k], 0, b.size);
      if (k >= m) residual.push_back(lanes ? MaybeAxis(0) : std::nullopt);
    }
    return r.out;
  });
  const Types made = fwd->out_types();
  Types in = types_of(part(b.x, 0, consts));
  MaybeAxes axis(b.axis.begin(), b.axis.begin() + static_cast<std::ptrdiff_t>(consts)), want;
  in.insert(in.end(), made.begin() + static_cast<std::ptrdiff_t>(m), made.end());
  axis.insert(axis.end(), residual.begin(), residual.end());
  for (size_t k = 0; k < m; ++k) {
    in.push_back(made[k].strong());
    axis.push_back(0);
  }
  for (size_t i = consts; i < b.x.size(); ++i)
    if (is_inexact(b.x[i].dtype())) want.push_back(b.axis[i]);
  const Jaxpr bwd = rewrite(b.params.bwd, in, axis, [&](Batched r) { return cotangents_at(r, want, b.size); });
  Arrays out = custom_vjp_op.bind(rewrite.x, {body, fwd, bwd, b.params.num_consts + rewrite.extra});
  MaybeAxes at(out.size(), 0);
  return {std::move(out), std::move(at)};
}

const Primitive<CustomVjp>& custom_vjp_op = define<CustomVjp>({
    .name = "custom_vjp_call",
    .doc = "A program whose reverse-mode derivative is given by two other programs.",
    .type = [](const Types& in, const CustomVjp& p) {
      require_body("custom_vjp_call", p.jaxpr, in, in);
      return p.jaxpr->out_types();
    },
    .reference = [](const Arrays& x, const CustomVjp& p) { return eval_jaxpr(p.jaxpr, x); },
    .dual = custom_vjp_dual,
    .batch = custom_vjp_batch,
    .lower = [](const LowerArgs<CustomVjp>& a) { return lower_body(a.params.jaxpr, a.in.size(), a.out.size()); },
    .compile_eagerly = true,
});

// ---- the linear stand-in

[[noreturn]] void forward_mode() {
  throw DifferentiationError("can't apply forward-mode autodiff (jvp) to a custom_vjp function. Use reverse mode (grad, vjp, jacrev), or "
                             "give the function a custom_jvp rule.");
}

Types lin_type(const Types& in, const CustomLin& p) {
  require_counts("custom_lin", {p.num_consts, p.num_res}, 0, in);
  const Types all = p.bwd->in_types();
  if (all.size() < count(p.num_consts + p.num_res)) reject_shape("custom_lin", "the rule takes too few values", in);
  return Types(all.begin() + static_cast<std::ptrdiff_t>(p.num_consts + p.num_res), all.end());
}

Arrays lin_transpose(const TransposeArgs<CustomLin>& t) {
  const size_t known = count(t.params.num_consts + t.params.num_res);
  Arrays all = part(t.x, 0, known);
  for (size_t k = 0; k < t.ct.size(); ++k) all.push_back(instantiate(t.ct[k], t.out[k]));
  const Arrays cts = eval_jaxpr(t.params.bwd, all);
  Arrays back(t.in.size());
  for (size_t i = known; i < t.in.size(); ++i)
    if (t.linear[i]) back[i] = cts[i - known];
  return back;
}

Batched lin_batch(const BatchArgs<CustomLin>& b) {
  const Rewrite rewrite(b.x, b.axis, b.size, b.level);
  const size_t known = count(b.params.num_consts + b.params.num_res);
  Types in = types_of(part(b.x, 0, known));
  MaybeAxes axis(b.axis.begin(), b.axis.begin() + static_cast<std::ptrdiff_t>(known));
  const MaybeAxes want(b.axis.begin() + static_cast<std::ptrdiff_t>(known), b.axis.end());
  for (const Type& t : lin_type(types_of(b.x), b.params)) {
    in.push_back(widened(t, 0, b.size));
    axis.push_back(0);
  }
  const Jaxpr bwd = rewrite(b.params.bwd, in, axis, [&](Batched r) { return cotangents_at(r, want, b.size); });
  Arrays out = custom_lin_op.bind(rewrite.x, {bwd, b.params.num_consts + rewrite.extra, b.params.num_res});
  MaybeAxes at(out.size(), 0);
  return {std::move(out), std::move(at)};
}

const Primitive<CustomLin>& custom_lin_op = define<CustomLin>({
    .name = "custom_lin",
    .doc = "The derivative of a custom_vjp function, of which only the transpose can be computed.",
    .type = lin_type,
    .reference = [](const Arrays&, const CustomLin&) -> Arrays { forward_mode(); },
    .dual = [](const DualArgs<CustomLin>&) -> Dual { forward_mode(); },
    .transpose = lin_transpose,
    .batch = lin_batch,
    .lower = [](const LowerArgs<CustomLin>&) -> Lowering { forward_mode(); },
});

// j with its constants, as a program of (before…, its own constants, after…, its inputs): constants
// of several programs stand side by side as operands of one op.
Jaxpr with_operands(const Closed& c, const Types& before, const Types& after) {
  const size_t own = c.consts.size();
  Types in = before;
  const Types all = c.jaxpr->in_types();
  in.insert(in.end(), all.begin(), all.begin() + static_cast<std::ptrdiff_t>(own));
  in.insert(in.end(), after.begin(), after.end());
  in.insert(in.end(), all.begin() + static_cast<std::ptrdiff_t>(own), all.end());
  return program(in, [&](const Arrays& a) {
    Arrays x = part(a, before.size(), own);
    const size_t skip = before.size() + own + after.size();
    append(x, part(a, skip, a.size() - skip));
    return eval_jaxpr(c.jaxpr, x);
  });
}

Types joined(Types a, const Types& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

Arrays custom_jvp_flat(const Closed& f, const Closed& rule, const Arrays& x, const std::string&) {
  Arrays operands = f.consts;
  append(operands, rule.consts);
  const int64_t consts = static_cast<int64_t>(operands.size());
  append(operands, x);
  const Types fc = types_of(f.consts), rc = types_of(rule.consts);
  return custom_jvp_op.bind(operands, {with_operands(f, {}, rc), with_operands(rule, fc, {}), consts});
}

Arrays custom_vjp_flat(const Closed& f, const Closed& fwd, const Closed& bwd, const Arrays& x, const std::string&) {
  Arrays operands = f.consts;
  append(operands, fwd.consts);
  append(operands, bwd.consts);
  const int64_t consts = static_cast<int64_t>(operands.size());
  append(operands, x);
  const Types a = types_of(f.consts), b = types_of(fwd.consts), c = types_of(bwd.consts);
  return custom_vjp_op.bind(operands, {with_operands(f, {}, joined(b, c)), with_operands(fwd, a, c), with_operands(bwd, joined(a, b), {}), consts});
}

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/grad.cpp: the checks of grad, jvp, vjp and linearize, on flat lists of arrays.
#include "weft/grad.h"

#include <fmt/format.h>

#include "autodiff/autodiff.h"
#include "autodiff/linearize.h"
#include "tracer/base_ops.h"
#include "tracer/initialized.h"
#include "tracer/types_of.h"

namespace weft::detail {
namespace {

struct LinearBox final : RefCounted {
  Linear linear;
  explicit LinearBox(Linear l) : linear(std::move(l)) {}
};
struct ProgramBox final : RefCounted {
  ClosedJaxpr closed;
  explicit ProgramBox(ClosedJaxpr c) : closed(std::move(c)) {}
};
const Linear& linear_of(const Ref<const RefCounted>& p) {
  return static_cast<const LinearBox&>(*p).linear;
}

std::string path(TreeOf tree, const char* root, size_t i) {
  return tree::detail::paths(tree(), root)[i];
}

// Converts a tangent or cotangent to its required type. Weak numbers adopt the dtype.
Array matched(const Array& t, const Type& want,
              FunctionRef<std::string(const std::string&)> complain) {
  if (t.type().strong() == want.strong()) return t;
  const bool converts = t.weak_type() && t.shape() == want.shape() &&
                        promote(t.dtype(), true, want.dtype(), false).dtype == want.dtype();
  if (!converts) throw DifferentiationError(complain(to_string(t.type())));
  return base::convert(t, want.dtype());
}

Arrays matched_tangents(const char* who, const Arrays& dx, const Types& types, TreeOf args) {
  Arrays r;
  for (size_t i = 0; i < dx.size(); ++i) {
    if (!is_inexact(types[i].dtype())) {
      r.push_back(Array());
      continue;
    }
    r.push_back(matched(dx[i], types[i], [&](const std::string& got) {
      return fmt::format(
          "{}: primal and tangent must have equal types, but they differ: {} is {}, its tangent {}",
          who, path(args, "args", i), to_string(types[i].strong()), got);
    }));
  }
  return r;
}

Arrays matched_cotangents(const Arrays& ct, const Types& types, TreeOf result) {
  Arrays r;
  for (size_t i = 0; i < ct.size(); ++i) {
    if (!is_inexact(types[i].dtype())) {
      r.push_back(Array());
      continue;
    }
    r.push_back(matched(ct[i], types[i], [&](const std::string& got) {
      return fmt::format(
          "unexpected JAX type (e.g. shape/dtype) for argument to VJP function: got {} for {}, but "
          "expected {}, "
          "the type of that result",
          got, path(result, "ct", i), to_string(types[i].strong()));
    }));
  }
  return r;
}

void check_scalar(const char* who, const Array& loss) {
  if (loss.ndim() != 0)
    throw DifferentiationError(fmt::format(
        "{}: Gradient only defined for scalar-output functions. Output had shape: {}. Sum it, or "
        "use jacrev or jacfwd for the whole Jacobian.",
        who, to_string(loss.shape())));
}

void check_wrt(const char* who, const Arrays& x, const std::vector<bool>& wrt, bool holomorphic,
               TreeOf args, TreeOf chosen) {
  bool any = false;
  for (size_t i = 0; i < x.size(); ++i) {
    any = any || wrt[i];
    if (wrt[i]) check_reverse_input(who, x[i], holomorphic, [&] { return path(args, "args", i); });
  }
  // An empty tree, such as an optional without a value, has an empty gradient and is not an error.
  if (!any && !tree::detail::values(chosen(), "").empty())
    throw DifferentiationError(
        fmt::format("{}: the argument to differentiate with respect to holds no Array (integers, "
                    "bools and strings are static)",
                    who));
}

}  // namespace

void check_reverse_input(const char* who, const Array& x, bool holomorphic,
                         FunctionRef<std::string()> path) {
  if (holomorphic && !is_complex(x.dtype()))
    throw DifferentiationError(
        fmt::format("{} with holomorphic=True requires inputs with complex dtype, but got {} for "
                    "{}. Convert it with astype(C64), or leave .holomorphic out.",
                    who, to_string(x.type()), path()));
  if (!is_inexact(x.dtype()))
    throw DifferentiationError(fmt::format(
        "{} requires real- or complex-valued inputs (input dtype that is a sub-dtype of "
        "np.inexact), but got {} for {}. Write 3. rather than 3, or convert with astype(F32).",
        who, to_string(x.type()), path()));
}

void check_reverse_output(const char* who, const Type& t, bool holomorphic) {
  if (holomorphic) {
    if (!is_complex(t.dtype()))
      throw DifferentiationError(
          fmt::format("{} with holomorphic=True requires outputs with complex dtype, but got {}.",
                      who, numpy_name(t.dtype())));
    return;
  }
  if (is_complex(t.dtype()) || !is_inexact(t.dtype()))
    throw DifferentiationError(fmt::format(
        "{} requires real-valued outputs (output dtype that is a sub-dtype of np.floating), but "
        "got {}. {}",
        who, numpy_name(t.dtype()),
        is_complex(t.dtype())
            ? "For holomorphic differentiation, pass holomorphic=True: {.holomorphic = true}. For "
              "differentiation of non-holomorphic functions involving complex outputs, use vjp."
            : "Use vjp or convert the result with astype(F32)."));
}

GradResult run_grad(const char* who, FlatFunction f, const Arrays& x, const std::vector<bool>& wrt,
                    TreeOf args, TreeOf chosen, const GradOptions& o) {
  require_initialized(who, x, args, "args");
  check_wrt(who, x, wrt, o.holomorphic, args, chosen);
  const size_t loss = 1;
  Linearized l = linearize_first(f, x, wrt, &loss);
  check_scalar(who, l.out[0]);
  check_reverse_output(who, l.out[0].type(), o.holomorphic);
  Arrays ct(l.out.size());
  ct[0] = base::ones(l.out[0].type().strong());
  const Arrays back = l.linear.transpose(ct);
  GradResult r{std::move(l.out), {}};
  for (size_t i = 0; i < x.size(); ++i)
    if (wrt[i]) r.grads.push_back(back[i]);
  return r;
}

JvpResult run_jvp(FlatFunction f, const Arrays& x, const Arrays& dx, TreeOf args,
                  const size_t* results) {
  require_initialized("jvp", x, args, "args");
  require_initialized("jvp", dx, args, "tangents");
  Dual d = jvp_flat(f, x, matched_tangents("jvp", dx, types_of(x), args));
  Arrays tangents = written_tangents(d, results);
  return {std::move(d.out), std::move(tangents)};
}

LinearResult run_linearize(const char* who, FlatFunction f, const Arrays& x, TreeOf args,
                           const size_t* results) {
  require_initialized(who, x, args, "args");
  Linearized l = linearize_first(f, x, std::vector<bool>(x.size(), true), results);
  return {std::move(l.out), Ref<const RefCounted>(new LinearBox(std::move(l.linear)))};
}

Arrays apply_linear(const Ref<const RefCounted>& linear, const Arrays& dx, TreeOf args) {
  const Linear& l = linear_of(linear);
  return l.apply(matched_tangents("linearize", dx, l.in_types, args));
}

Arrays transpose_linear(const Ref<const RefCounted>& linear, const Arrays& ct, TreeOf result) {
  const Linear& l = linear_of(linear);
  Arrays r = l.transpose(matched_cotangents(ct, l.out_types, result));
  // Arguments of integer dtype have no tangents; they get zeros.
  for (size_t i = 0; i < r.size(); ++i) r[i] = instantiate(r[i], l.in_types[i]);
  return r;
}

Ref<const RefCounted> record_linear(FlatFunction f, const Arrays& example, TreeOf args) {
  require_initialized("linear_transpose", example, args, "args");
  Types in;
  for (const Array& a : example) in.push_back(a.type().strong());
  ClosedJaxpr c = record(in, f);
  c.jaxpr = dce(c.jaxpr);
  for (const Types& ts : {in, c.jaxpr->out_types()})
    for (const Type& t : ts)
      if (!is_inexact(t.dtype()))
        throw DifferentiationError(
            fmt::format("linear_transpose only supports floating-point and complex arguments and "
                        "results, got {}",
                        to_string(t)));
  return Ref<const RefCounted>(new ProgramBox(std::move(c)));
}

Arrays transpose_recorded(const Ref<const RefCounted>& program, const Arrays& ct, TreeOf result) {
  const ClosedJaxpr& c = static_cast<const ProgramBox&>(*program).closed;
  const size_t n = c.jaxpr->n_in, consts = c.consts.size();
  Arrays x = c.consts;
  x.resize(n);
  std::vector<bool> linear(n, true);
  std::fill(linear.begin(), linear.begin() + static_cast<std::ptrdiff_t>(consts), false);
  const Arrays back =
      backward_pass(c.jaxpr, x, linear, matched_cotangents(ct, c.jaxpr->out_types(), result));
  Arrays out;
  for (size_t i = consts; i < n; ++i) out.push_back(instantiate(back[i], c.jaxpr->types[i]));
  return out;
}

std::vector<bool> ArgumentLeaves::mask() const {
  std::vector<bool> r;
  for (size_t k = 0; k < size; ++k) r.insert(r.end(), leaves[k], on[k]);
  return r;
}
Arrays ArgumentLeaves::in_order(const size_t* order, size_t n, const Array* listed) const {
  std::vector<const Array*> start;
  for (size_t k = 0; k < size; ++k) {
    start.push_back(listed);
    if (on[k]) listed += leaves[k];
  }
  Arrays r;
  for (size_t k = 0; k < n; ++k)
    r.insert(r.end(), start[order[k]], start[order[k]] + leaves[order[k]]);
  return r;
}

Array stop_gradient_leaf(const Array& x) { return base::stop_gradient(x); }

}  // namespace weft::detail

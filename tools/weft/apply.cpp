// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/weft/apply.cpp: each transform on functions from flat arrays to flat arrays.
#include "tools/weft/apply.h"

#include <fmt/format.h>

#include <algorithm>

#include "weft/grad/jacobian.h"
#include "weft/jit.h"
#include "weft/vmap.h"

namespace weft::tools {
namespace {

using Function = std::function<Arrays(const Arrays&)>;

// The tree of n arguments, or of n results; a single result is not a tuple.
tree::detail::Skeleton arguments(size_t n) {
  return tree::detail::parent_skeleton(tree::detail::Skeleton::tuple,
                                       std::vector<tree::detail::Skeleton>(n));
}
tree::detail::Skeleton results(size_t n) {
  return n == 1 ? tree::detail::Skeleton() : arguments(n);
}

Axes to_axes(const AxesExpr& a) {
  const auto one = [](const std::optional<int64_t>& e) { return e ? Axes(*e) : Axes(none); };
  if (!a.each) return one(a.entries[0]);
  std::vector<Axes> children;
  for (const auto& e : a.entries) children.push_back(one(e));
  return Axes(std::move(children));
}

Types first_half(const Types& t, size_t n) {
  return Types(t.begin(), t.begin() + static_cast<std::ptrdiff_t>(n));
}
Arrays slice(const Arrays& x, size_t from, size_t to) {
  return Arrays(x.begin() + static_cast<std::ptrdiff_t>(from),
                x.begin() + static_cast<std::ptrdiff_t>(to));
}
void append(Arrays& to, const Arrays& more) { to.insert(to.end(), more.begin(), more.end()); }

class Builder {
 public:
  Builder(const ParsedExpr& e, const ClosedJaxpr& program) : text_(e.text), program_(program) {}

  Applied build(const Expr& e) const {
    if (e.kind == Expr::Kind::f) return the_program();
    Applied in = build(*e.inner);
    switch (e.kind) {
      case Expr::Kind::jit: return jitted(std::move(in));
      case Expr::Kind::vmap: return mapped(e, std::move(in));
      case Expr::Kind::grad:
      case Expr::Kind::value_and_grad: return gradient(e, std::move(in));
      case Expr::Kind::jvp: return forward(std::move(in));
      case Expr::Kind::vjp: return backward(std::move(in));
      case Expr::Kind::jacfwd: return jacobian(e, std::move(in), detail::JacobianMode::forward);
      case Expr::Kind::jacrev: return jacobian(e, std::move(in), detail::JacobianMode::reverse);
      default:
        return jacobian(e, jacobian(e, std::move(in), detail::JacobianMode::reverse),
                        detail::JacobianMode::forward);
    }
  }

 private:
  [[noreturn]] void fail(const std::string& why, size_t at) const {
    throw ExprError(why, text_, at);
  }

  Applied the_program() const {
    Applied a;
    a.f = [p = program_](const Arrays& x) { return eval_jaxpr(p, x); };
    const Types in = program_.in_types();
    a.n_in = in.size();
    a.n_out = program_.jaxpr->out.size();
    a.in_types = [in](int64_t) { return in; };
    return a;
  }

  static Applied jitted(Applied in) {
    Applied a = in;
    a.f = [g = jit([f = in.f](const Arrays& x) { return f(x); })](const Arrays& x) { return g(x); };
    return a;
  }

  void check_axes(const AxesExpr& a, const char* which, size_t n, const char* of) const {
    if (a.each && a.entries.size() != n)
      fail(fmt::format("{} has {} {}, but the function has {} {}", which, a.entries.size(),
                       a.entries.size() == 1 ? "entry" : "entries", n, of),
           a.at);
  }

  Applied mapped(const Expr& e, Applied in) const {
    check_axes(e.in_axes, "in_axes", in.n_in, "flat arguments");
    check_axes(e.out_axes, "out_axes", in.n_out, "flat results");
    detail::VmapSpec spec{to_axes(e.in_axes), to_axes(e.out_axes), {}, {}};
    spec.options.axis_name = e.axis_name;
    spec.options.axis_size = e.axis_size;
    Applied a = in;
    a.f = [spec, in](const Arrays& x) {
      return detail::run_vmap(
          spec, x, [&] { return arguments(in.n_in); }, in.f, [&] { return results(in.n_out); });
    };
    a.in_types = [axes = e.in_axes, size = e.axis_size, in](int64_t lanes) {
      Types t = in.in_types(lanes);
      for (size_t i = 0; i < t.size(); ++i) {
        const auto& axis = axes.entries[axes.each ? i : 0];
        if (!axis) continue;
        const int64_t rank = t[i].ndim() + 1, at = *axis < 0 ? *axis + rank : *axis;
        if (at < 0 || at >= rank)
          throw BatchingError(
              fmt::format("vmap in_axes: axis {} is out of bounds for array of dimension {}, "
                          "args[{}] of rank {} with the mapped axis",
                          *axis, rank, i, rank));
        t[i] = t[i].with_shape(t[i].shape().inserted(static_cast<int>(at), size.value_or(lanes)));
      }
      return t;
    };
    return a;
  }

  // Converts argnums to indices among n arguments.
  std::vector<size_t> places(const Expr& e, size_t n) const {
    std::vector<size_t> r;
    const auto count = static_cast<int64_t>(n);
    for (int64_t k : e.argnums) {
      if (k < -count || k >= count)
        fail(fmt::format("argnums names argument {}, but the function has {} flat arguments", k, n),
             e.argnums_at ? e.argnums_at : e.at);
      r.push_back(static_cast<size_t>(k < 0 ? k + count : k));
      if (std::count(r.begin(), r.end(), r.back()) > 1)
        fail(fmt::format("argnums names argument {} twice", r.back()), e.argnums_at);
    }
    return r;
  }
  static std::vector<bool> mask(const std::vector<size_t>& places, size_t n) {
    std::vector<bool> wrt(n, false);
    for (size_t k : places) wrt[k] = true;
    return wrt;
  }
  // Reorders results from the order of the arguments to the order of argnums.
  static void append_in_order(Arrays& to, const Arrays& made, const std::vector<size_t>& places) {
    for (size_t k : places)
      to.push_back(
          made[std::count_if(places.begin(), places.end(), [&](size_t p) { return p < k; })]);
  }

  Applied gradient(const Expr& e, Applied in) const {
    const bool value = e.kind == Expr::Kind::value_and_grad;
    const std::vector<size_t> at = places(e, in.n_in);
    Applied a = in;
    a.n_out = at.size() + (value ? 1 : 0);
    a.f = [in, at, value](const Arrays& x) {
      const char* who = value ? "value_and_grad" : "grad";
      if (in.n_out != 1)
        throw DifferentiationError(
            fmt::format("{}: Gradient only defined for scalar-output functions. The function has "
                        "{} results; use vjp, or jacrev for all derivatives.",
                        who, in.n_out));
      const auto all = [&] { return arguments(in.n_in); };
      const detail::GradResult g = detail::run_grad(who, in.f, x, mask(at, in.n_in), all, all);
      Arrays out;
      if (value) out.push_back(g.out[0]);
      append_in_order(out, g.grads, at);
      return out;
    };
    return a;
  }

  static Applied forward(Applied in) {
    Applied a;
    a.n_in = 2 * in.n_in;
    a.n_out = 2 * in.n_out;
    a.f = [in](const Arrays& x) {
      const detail::JvpResult r =
          detail::run_jvp(in.f, slice(x, 0, in.n_in), slice(x, in.n_in, x.size()),
                          [&] { return arguments(in.n_in); });
      Arrays out = r.out;
      append(out, r.tangent);
      return out;
    };
    a.in_types = [in](int64_t lanes) {
      Types t = in.in_types(lanes);
      for (const Type& p : first_half(t, in.n_in)) t.push_back(p.strong());
      return t;
    };
    return a;
  }

  static Applied backward(Applied in) {
    Applied a;
    a.n_in = in.n_in + in.n_out;
    a.n_out = in.n_in;
    a.f = [in](const Arrays& x) {
      const detail::LinearResult r = detail::run_linearize("vjp", in.f, slice(x, 0, in.n_in),
                                                           [&] { return arguments(in.n_in); });
      return detail::transpose_linear(r.linear, slice(x, in.n_in, x.size()),
                                      [&] { return results(in.n_out); });
    };
    a.in_types = [in](int64_t lanes) {
      Types t = in.in_types(lanes);
      const ClosedJaxpr c = traced(in, t);
      for (const Type& o : c.jaxpr->out_types()) t.push_back(o.strong());
      return t;
    };
    return a;
  }

  Applied jacobian(const Expr& e, Applied in, detail::JacobianMode mode) const {
    const std::vector<size_t> at = places(e, in.n_in);
    Applied a = in;
    a.n_out = in.n_out * at.size();
    a.f = [in, at, mode](const Arrays& x) {
      const detail::BlockRows rows =
          detail::run_jacobian(mode, in.f, x, mask(at, in.n_in), {}, [&] {
            return arguments(in.n_in);
          }).rows;
      Arrays out;
      for (const Arrays& row : rows) append_in_order(out, row, at);
      return out;
    };
    return a;
  }

  const std::string& text_;
  const ClosedJaxpr& program_;
};

}  // namespace

Applied apply(const ParsedExpr& e, const ClosedJaxpr& program) {
  return Builder(e, program).build(e.root);
}

bool has_open_size(const Expr& e) {
  for (const Expr* p = &e; p; p = p->inner.get()) {
    const auto& axes = p->in_axes.entries;
    if (p->kind == Expr::Kind::vmap && !p->axis_size &&
        std::any_of(axes.begin(), axes.end(), [](const auto& a) { return a.has_value(); }))
      return true;
  }
  return false;
}

ClosedJaxpr traced(const Applied& a, const Types& in) {
  ClosedJaxpr c = record(in, a.f);
  c.jaxpr = dce(c.jaxpr);
  return c;
}

}  // namespace weft::tools

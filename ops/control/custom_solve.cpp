// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/custom_solve.cpp: solutions of linear systems and roots of functions. The equation is
// differentiated, not the program that solves it.
#include <algorithm>

#include "autodiff/autodiff.h"
#include "core/derivatives.h"
#include "ops/control/custom_flat.h"
#include "ops/control/custom_rule_kit.h"
#include "ops/control/program_op.h"
#include "ops/control/samples.h"
#include "ops/kit/kit.h"

namespace weft {
namespace {

// ---- custom_linear_solve: the system is differentiated, not the solution method

struct LinearSolve {
  Jaxpr jaxpr;  // solve: (consts…, b…) -> (x…, aux…), as transpose_solve
  Jaxpr matvec, transpose_solve, vecmat;
  int64_t num_consts = 0;
  bool transposes = true;  // if false, matvec fills the places of the last two
  WEFT_FIELDS(jaxpr, matvec, transpose_solve, vecmat, num_consts, transposes)
};

Types linear_solve_type(const Types& in, const LinearSolve& p) {
  constexpr auto name = "custom_linear_solve";
  require_counts(name, {p.num_consts}, 0, in);
  const Types b = drop_first(in, static_cast<size_t>(p.num_consts));
  struct {
    const char* name;
    const Jaxpr& j;
    bool has_aux;
  } const programs[] = {{"solve", p.jaxpr, true},
                        {"matvec", p.matvec, false},
                        {"transpose_solve", p.transpose_solve, true},
                        {"vecmat", p.vecmat, false}};
  for (const auto& [which, j, has_aux] : programs) {
    require_body(name, j, in, in);
    Types out = j->out_types();
    if (has_aux && out.size() > b.size()) out = sublist(out, 0, b.size());
    require_results(name, which, out, b, in);
  }
  return concat_lists(strong(b), drop_first(p.jaxpr->out_types(), b.size()));
}

// Solves A x' = b' - A' x. The auxiliary results do not have a tangent.
Arrays linear_solve_jvp(const JvpArgs<LinearSolve>& j) {
  const LinearSolve& p = j.params;
  const size_t nc = p.num_consts;
  const Arrays consts = sublist(j.x, 0, nc), changes = sublist(j.dx, 0, nc);
  Arrays right = drop_first(j.dx, nc);
  const size_t n = right.size();
  const Arrays x = sublist(j.out, 0, n);
  const auto any = [](const std::vector<bool>& on) {
    return std::find(on.begin(), on.end(), true) != on.end();
  };
  if (any(is_nonzero(changes))) {
    const Arrays moved =
        jvp_flat([&](const Arrays& c) { return eval_jaxpr(p.matvec, concat_lists(c, x)); }, consts,
                 changes)
            .tangent;
    for (size_t k = 0; k < right.size(); ++k)
      if (!moved[k].empty_handle()) right[k] = add_tangents(right[k], lax::neg(moved[k]));
  }
  if (!any(is_nonzero(right))) return Arrays(j.out.size());
  const Arrays dx = j.op.bind(concat_lists(consts, map_list(instantiate, right, types_of(x))), p);
  return concat_lists(sublist(dx, 0, n), Arrays(j.out.size() - n));
}

Arrays linear_solve_transpose(const TransposeArgs<LinearSolve>& t) {
  const LinearSolve& p = t.params;
  if (!p.transposes)
    throw DifferentiationError(
        "custom_linear_solve: a derivative in reverse needs transpose_solve, or symmetric = true");
  const size_t nc = p.num_consts;
  const size_t n = t.x.size() - nc;
  const Arrays right = map_list(instantiate, sublist(t.ct, 0, n), sublist(t.out, 0, n));
  const Arrays ct = t.op.bind(concat_lists(sublist(t.x, 0, nc), right),
                              {p.transpose_solve, p.vecmat, p.jaxpr, p.matvec, p.num_consts, true});
  return concat_lists(Arrays(nc), sublist(ct, 0, n));
}

// Moves the mapped axes of the operands to the front. All operands after the constants become
// mapped; a constant is mapped only if it was mapped before.
template <class P>
Arrays mapped_behind(const BatchArgs<P>& b, size_t consts, MaybeAxes* in) {
  Arrays x = in_front(b.x, b.axis, b.size, in);
  for (size_t k = consts; k < x.size(); ++k) {
    x[k] = move_mapped(b.x[k], b.axis[k], 0, b.size);
    (*in)[k] = 0;
  }
  return x;
}

Batched linear_solve_batch(const BatchArgs<LinearSolve>& b) {
  const LinearSolve& p = b.params;
  const size_t nc = p.num_consts;
  MaybeAxes in;
  // The results are mapped, and they are right sides of the transposed system.
  const Arrays x = mapped_behind(b, nc, &in);
  Arrays captured;
  const Types types = types_of(x);
  const auto rewritten_body = [&](const Jaxpr& j) {
    return batched_in_front(j, nc, types, in, b.trace);
  };
  const std::vector<Jaxpr> j =
      hoist_captures({rewritten_body(p.jaxpr), rewritten_body(p.matvec),
                      rewritten_body(p.transpose_solve), rewritten_body(p.vecmat)},
                     &captured);
  return mapped_in_front(b.op.bind(
      with_captured(x, nc, captured),
      {j[0], j[1], j[2], j[3], static_cast<int64_t>(nc + captured.size()), p.transposes}));
}

// Systems k x, and k times the reversed x.
std::vector<Sample<LinearSolve>> linear_solve_samples() {
  const Types in = {sample_operand(), sample_operand()};
  const auto turned = [](const Array& x) { return base::flip(x, 0); };
  const auto made = [&](FunctionRef<Array(const Array&, const Array&)> f) {
    return program(in, [&](const Arrays& a) { return Arrays{f(a[0], a[1])}; });
  };
  const Jaxpr times = made([](const Array& k, const Array& x) { return lax::mul(k, x); }),
              over = made([](const Array& k, const Array& b) { return lax::div(b, k); });
  const LinearSolve diagonal{over, times, over, times, 1, true};
  const LinearSolve flipped{
      made([&](const Array& k, const Array& b) { return turned(lax::div(b, k)); }),
      made([&](const Array& k, const Array& x) { return lax::mul(k, turned(x)); }),
      made([&](const Array& k, const Array& b) { return lax::div(turned(b), k); }),
      made([&](const Array& k, const Array& x) { return turned(lax::mul(k, x)); }),
      1,
      true};
  const auto values = [](uint64_t seed) {
    SampleNumbers r(seed);
    return Arrays{r(sample_operand(), 1, 3), r(sample_operand(), -2, 2)};
  };
  return {{.in = in, .params = diagonal, .values = values},
          {.in = in, .params = flipped, .values = values}};
}

const Primitive<LinearSolve>& linear_solve_op = define<LinearSolve>([] {
  auto d = program_op<LinearSolve>(
      "custom_linear_solve",
      "Solves a linear system by the program `jaxpr`. Its derivative solves the system for another "
      "right-hand side and does not differentiate the program.");
  d.type = linear_solve_type;
  d.jvp = linear_solve_jvp;
  d.derivatives = [](const LinearSolve& p) { return Derivatives{.reverse = p.transposes}; };
  d.transpose = linear_solve_transpose;
  d.batch = linear_solve_batch;
  d.samples = linear_solve_samples;
  return d;
}());

// ---- custom_root: the equation is differentiated, not the method of finding its root

struct CustomRoot {
  Jaxpr jaxpr;          // solve: (consts…, guess…) -> (x…, aux…)
  Jaxpr f;              // (consts…, x…) -> values that are zero at the solution, of the types of x
  Jaxpr tangent_solve;  // (consts…, x…, b…) -> the y with f'(x) y = b
  int64_t num_consts = 0;
  WEFT_FIELDS(jaxpr, f, tangent_solve, num_consts)
};

Types root_type(const Types& in, const CustomRoot& p) {
  constexpr auto name = "custom_root";
  require_counts(name, {p.num_consts}, 0, in);
  const Types guess = drop_first(in, static_cast<size_t>(p.num_consts));
  require_body(name, p.jaxpr, in, in);
  require_body(name, p.f, in, in);
  require_body(name, p.tangent_solve, concat_lists(in, guess), in);
  Types x = p.jaxpr->out_types();
  if (x.size() > guess.size()) x = sublist(x, 0, guess.size());
  require_results(name, "solve", x, guess, in);
  require_results(name, "f", p.f->out_types(), guess, in);
  require_results(name, "tangent_solve", p.tangent_solve->out_types(), guess, in);
  return concat_lists(strong(guess), drop_first(p.jaxpr->out_types(), guess.size()));
}

// f(c, x) = 0 remains true, so f' x' = -(change of f by c'). The guess and the auxiliary results do
// not have an influence on the tangent.
Arrays root_jvp(const JvpArgs<CustomRoot>& j) {
  const CustomRoot& p = j.params;
  const size_t nc = p.num_consts, n = j.x.size() - nc;
  const Arrays consts = sublist(j.x, 0, nc), changes = sublist(j.dx, 0, nc),
               x = sublist(j.out, 0, n);
  Arrays moved = jvp_flat([&](const Arrays& c) { return eval_jaxpr(p.f, concat_lists(c, x)); },
                          consts, changes)
                     .tangent;
  const std::vector<bool> on = is_nonzero(moved);
  if (std::find(on.begin(), on.end(), true) == on.end()) return Arrays(j.out.size());
  moved = map_list(instantiate, moved, types_of(x));
  const Arrays solved = eval_jaxpr(p.tangent_solve, concat_lists(concat_lists(consts, x), moved));
  return concat_lists(map_list(lax::neg, solved), Arrays(j.out.size() - n));
}

Batched root_batch(const BatchArgs<CustomRoot>& b) {
  const CustomRoot& p = b.params;
  const size_t nc = p.num_consts;
  MaybeAxes in;
  // The solutions are mapped, and they are inputs of the same kind as the guesses.
  const Arrays x = mapped_behind(b, nc, &in);
  const Types types = types_of(x), guess = drop_first(types, nc);
  Arrays captured;
  const std::vector<Jaxpr> j =
      hoist_captures({batched_in_front(p.jaxpr, nc, types, in, b.trace),
                      batched_in_front(p.f, nc, types, in, b.trace),
                      batched_in_front(p.tangent_solve, nc, concat_lists(types, guess),
                                       concat_lists(in, drop_first(in, nc)), b.trace)},
                     &captured);
  return mapped_in_front(b.op.bind(with_captured(x, nc, captured),
                                   {j[0], j[1], j[2], static_cast<int64_t>(nc + captured.size())}));
}

// The square root of k, as the x with x^2 = k.
std::vector<Sample<CustomRoot>> root_samples() {
  const Type t = sample_operand();
  const auto made = [&](size_t n, FunctionRef<Array(const Arrays&)> f) {
    return program(Types(n, t), [&](const Arrays& a) { return Arrays{f(a)}; });
  };
  const CustomRoot p{
      made(2, [](const Arrays& a) { return lax::add(lax::sqrt(a[0]), lax::sub(a[1], a[1])); }),
      made(2, [](const Arrays& a) { return lax::sub(lax::mul(a[1], a[1]), a[0]); }),
      made(3, [](const Arrays& a) { return lax::div(a[2], lax::add(a[1], a[1])); }), 1};
  const auto values = [](uint64_t seed) {
    SampleNumbers r(seed);
    return Arrays{r(sample_operand(), 1, 3), r(sample_operand(), 1, 2)};
  };
  return {{.in = {t, t}, .params = p, .values = values}};
}

const Primitive<CustomRoot>& custom_root_op = define<CustomRoot>([] {
  auto d =
      program_op<CustomRoot>("custom_root",
                             "Finds a root of a function by the program `jaxpr`. Its derivative "
                             "follows from the function and does not differentiate the program.");
  d.type = root_type;
  d.jvp = root_jvp;
  d.derivatives = [](const CustomRoot& p) { return derivatives_of(p.tangent_solve); };
  d.batch = root_batch;
  d.samples = root_samples;
  return d;
}());

}  // namespace

Arrays root_flat(const RootProblem& r, const Arrays& guess) {
  Arrays all;
  const std::vector<Jaxpr> j = hoist_captures({{r.solve, 0}, {r.f, 0}, {r.tangent_solve, 0}}, &all);
  const auto consts = static_cast<int64_t>(all.size());
  append(all, guess);
  return custom_root_op.bind(all, {j[0], j[1], j[2], consts});
}

Arrays linear_solve_flat(const LinearSystem& system, const Arrays& b) {
  Arrays all;
  const ClosedJaxpr& other = system.transpose_solve ? *system.transpose_solve : system.matvec;
  const ClosedJaxpr& vecmat = system.vecmat ? *system.vecmat : system.matvec;
  const std::vector<Jaxpr> j =
      hoist_captures({{system.solve, 0}, {system.matvec, 0}, {other, 0}, {vecmat, 0}}, &all);
  const auto consts = static_cast<int64_t>(all.size());
  append(all, b);
  return linear_solve_op.bind(
      all, {j[0], j[1], j[2], j[3], consts, system.transpose_solve && system.vecmat});
}

}  // namespace weft

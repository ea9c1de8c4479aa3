// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/laws/call_laws_test.cpp: ops that carry programs obey the laws as well. Every op with a
// derivative is called by jit, in a branch, in the steps of a scan, and in a function with custom
// rules. (tests/ops/control_random_test.cpp has loops within loops.)
#include "autodiff/autodiff.h"
#include "batching/batch_trace.h"
#include "laws.h"
#include "measure.h"
#include "ops/control/control_flow.h"
#include "ops/control/custom_flat.h"
#include "support/catch.h"
#include "tracer/eval_trace.h"
#include "tracer/record_trace.h"

using namespace weft;
using namespace weft::laws;

namespace {

using Program = FunctionRef<Arrays(const Arrays&)>;

// Returns the program's only equation as a case of its op.
Case case_of(const Case& inner, const Types& in, Program f) {
  const Jaxpr j = record(in, f).jaxpr;
  REQUIRE(j->eqns.size() == 1);
  const Eqn& e = j->eqns[0];
  REQUIRE(e.in.size() == in.size());
  return {e.op, {in, e.params, inner.sample.lo, inner.sample.hi}, inner.number};
}
// If the inner case makes its own operands, returns the case with operands that are made of those.
Case with_values(Case c, const Case& inner, Arrays (*of)(const Case& inner, Random& r)) {
  if (inner.sample.values)
    c.sample.values = [inner, of](uint64_t seed) {
      const ReferenceMode reference;
      Random r(seed);
      return of(inner, r);
    };
  return c;
}
Arrays as_they_are(const Case& c, Random& r) { return c.draw(r); }
bool obeys_derivatives(const Case& c) {
  return !exempt(tangents_are_slopes, c) && !exempt(transposes_pair, c) && !exempt(tangents_map, c);
}
// Returns the first sample of each op whose slope can be measured accurately.
std::vector<Case> differentiable() {
  std::vector<Case> r;
  for (const Op* op : all_ops())
    for (const Case& c : cases_of(*op))
      if (Measure m; measurable(c, &m) && m.fine() && c.maps() && obeys_derivatives(c)) {
        r.push_back(c);
        break;
      }
  return r;
}
ClosedJaxpr program_of(const Case& c) {
  return record(c.in(), [&](const Arrays& x) { return c.run(x); });
}
Array negative(const Array& x) {
  return is_inexact(x.dtype()) ? bind_op(*find_op("neg"), {x}, find_op("neg")->parse_params({}))[0]
                               : x;
}

// ---- the ways to call

Case by_jit(const Case& c) {
  const Op& op = *find_op("jit");
  const AnyParams p =
      op.parse_params({{"jaxpr", program_of(c).jaxpr}, {"name", std::string("called")}});
  return with_values({&op, {c.in(), p, c.sample.lo, c.sample.hi}, c.number}, c, as_they_are);
}
Case by_checkpoint(const Case& c) {
  const Op& op = *find_op("remat2");
  const AnyParams p = op.parse_params({{"jaxpr", program_of(c).jaxpr}});
  return with_values({&op, {c.in(), p, c.sample.lo, c.sample.hi}, c.number}, c, as_they_are);
}
// The first operand selects the branch.
Case by_cond(const Case& c) {
  Types in = c.in();
  in.insert(in.begin(), Type(I32, {}));
  const ClosedJaxpr yes = program_of(c), no = record(c.in(), [&](const Arrays& x) {
                                           Arrays out = c.run(x);
                                           for (Array& a : out) a = negative(a);
                                           return out;
                                         });
  const Case r = case_of(c, in, [&](const Arrays& x) {
    return cond_flat(x[0], {no, yes}, Arrays(x.begin() + 1, x.end()));
  });
  return with_values(r, c, [](const Case& inner, Random& random) {
    Arrays x = inner.draw(random);
    x.insert(x.begin(), scalar_of_int(I32, static_cast<int64_t>(random.word() % 2)));
    return x;
  });
}
Case by_scan(const Case& c) {
  Types in;
  for (const Type& t : c.in()) in.push_back(t.with_shape(t.shape().inserted(0, 2)));
  const ClosedJaxpr body = program_of(c);
  const Case r = case_of(c, in, [&](const Arrays& x) { return scan_flat(body, {}, x, 2); });
  return with_values(r, c, [](const Case& inner, Random& random) {
    return inner.draw(MaybeAxes(inner.sample.in.size(), 0), 2, random);
  });
}
// The rule is the derivative that the op has anyway.
Case by_custom_jvp(const Case& c) {
  const ClosedJaxpr f = program_of(c);
  std::vector<bool> nonzero;
  for (const Type& t : c.in()) nonzero.push_back(is_inexact(t.dtype()));
  const ClosedJaxpr rule{
      jvp_jaxpr(f.jaxpr, nonzero, std::vector<bool>(f.jaxpr->out.size(), true)).jaxpr, {}};
  const Case r =
      case_of(c, c.in(), [&](const Arrays& x) { return custom_jvp_flat(f, rule, x, "called"); });
  return with_values(r, c, as_they_are);
}

// `but` is an op and a law that it need not obey in such a call.
void obeyed(Case (*call)(const Case&), const std::vector<Law>& laws,
            const std::pair<std::string_view, Law>& but = {}) {
  size_t number = 0;
  for (const Case& inner : differentiable()) {
    const Case c = call(inner);
    INFO(c.op->name() << " of " << inner.text());
    for (const Law law : laws) {
      // In a loop, as in a map, LLVM may contract operations of an op that it does not contract
      // otherwise.
      const bool rounds = law == compiled_is_reference && exempt(compiled_map_is_reference, inner);
      if (rounds || exempt(law, inner)) continue;
      if (inner.op->name() == but.first && law == but.second) continue;
      CHECK(violation(law, c) == "");
    }
    ++number;
  }
  CHECK(number > 60);
}
const std::vector<Law> all_laws = {types_are_told, compiled_is_reference, text_is_read_back,
                                   map_is_a_loop,  tangents_are_slopes,   transposes_pair,
                                   tangents_map};

}  // namespace

TEST_CASE("laws of jit", "[calls]") { obeyed(by_jit, all_laws); }
TEST_CASE("laws of remat2", "[calls]") { obeyed(by_checkpoint, all_laws); }
TEST_CASE("laws of cond", "[calls]") { obeyed(by_cond, all_laws); }
TEST_CASE("laws of scan", "[calls]") { obeyed(by_scan, all_laws); }
// Symbolic zero tangents become zero arrays in the rule, and polygamma's derivative with respect to
// its order is NaN.
TEST_CASE("laws of custom_jvp_call", "[calls]") {
  obeyed(by_custom_jvp, all_laws, {"polygamma", transposes_pair});
}

// ---- custom_vjp_call and custom_lin: only cotangents

namespace {

// Calls c as a function with a custom reverse-mode rule. The rule is the derivative that the op has
// anyway, and its residuals are the operands.
Arrays by_custom_vjp(const Case& c, const Arrays& x) {
  const ClosedJaxpr f = program_of(c);
  const Types in = c.in();
  const ClosedJaxpr fwd = record(in, [&](const Arrays& a) {
    Arrays r = c.run(a);
    r.insert(r.end(), a.begin(), a.end());
    return r;
  });
  Types bwd_in = in;
  for (const Type& t : f.jaxpr->out_types()) bwd_in.push_back(t.strong());
  const ClosedJaxpr bwd = record(bwd_in, [&](const Arrays& a) {
    const auto n = static_cast<std::ptrdiff_t>(in.size());
    const Linearized l =
        linearize_flat([&](const Arrays& b) { return c.run(b); }, Arrays(a.begin(), a.begin() + n),
                       std::vector<bool>(in.size(), true));
    Arrays out;
    for (const Array& ct : l.linear.transpose(Arrays(a.begin() + n, a.end())))
      if (!ct.empty_handle()) out.push_back(ct);
    return out;
  });
  return custom_vjp_flat(f, fwd, bwd, x, "called");
}
// Returns the cotangents of f at x.
Arrays pulled(Program f, const Arrays& x, const Arrays& ct) {
  const Linearized l = linearize_flat(f, x, std::vector<bool>(x.size(), true));
  Arrays r;
  for (const Array& c : l.linear.transpose(ct))
    if (!c.empty_handle()) r.push_back(c);
  return r;
}
Arrays cotangents(const Types& out, Random& r) {
  Arrays ct;
  for (const Type& t : out)
    ct.push_back(is_inexact(t.dtype()) ? random_array(t.strong(), -1, 1, r) : Array());
  return ct;
}

// Checks that values and cotangents of the function with rules, and those of its map, are those of
// the op.
void rules_are_used(const Case& c, Failures& f) {
  const ReferenceMode reference;
  Random r = c.random(9);
  const auto plain = [&](const Arrays& x) { return c.run(x); };
  const auto ruled = [&](const Arrays& x) { return by_custom_vjp(c, x); };
  const Arrays x = c.draw(r);
  const Arrays ct = cotangents(c.out(), r);
  f.expect(all_differences(ruled(x), plain(x)), "value");
  f.expect(all_differences(pulled(ruled, x, ct), pulled(plain, x, ct)), "cotangent");
  const int64_t lanes = 3;
  for (size_t shared = 0; shared <= x.size(); ++shared) {  // all are mapped, or all but one
    MaybeAxes axes(x.size(), 0);
    if (shared < x.size()) axes[shared] = std::nullopt;
    if (x.size() == 1 && shared == 0) continue;
    const auto mapped = [&](Program g) {
      return [&axes, g](const Arrays& a) {
        Batched b = vmap_flat(g, a, axes, lanes);
        for (size_t k = 0; k < b.out.size(); ++k)
          b.out[k] = move_mapped(b.out[k], b.axis[k], 0, lanes);
        return b.out;
      };
    };
    const Arrays wide = c.draw(axes, lanes, r);
    Types out;
    for (const Type& t : c.out()) out.push_back(t.with_shape(t.shape().inserted(0, lanes)));
    const Arrays wide_ct = cotangents(out, r);
    const std::string what = fmt::format("map, shared operand {}", shared);
    f.expect(all_differences(mapped(ruled)(wide), mapped(plain)(wide)), what + ", value");
    const Arrays got = pulled(mapped(ruled), wide, wide_ct),
                 want = pulled(mapped(plain), wide, wide_ct);
    f.check(got.size() == want.size(), what + ", another number of cotangents");
    for (size_t k = 0; k < std::min(got.size(), want.size()); ++k)
      f.expect(far_apart(got[k], want[k]), what + fmt::format(", cotangent {}", k));
  }
}

}  // namespace

TEST_CASE("laws of custom_vjp_call and custom_lin", "[calls]") {
  size_t number = 0;
  for (const Case& c : differentiable()) {
    INFO(c.text());
    CHECK(violation(rules_are_used, c) == "");
    ++number;
    // The program of its pullback contains no custom_lin, because transposition removes it.
    if (number % 10) continue;
    Types ct;
    for (const Type& t : c.out()) ct.push_back(t.strong());
    Types in = c.in();
    in.insert(in.end(), ct.begin(), ct.end());
    const std::string text =
        to_string(record(in, [&](const Arrays& a) {
                    const auto n = static_cast<std::ptrdiff_t>(c.in().size());
                    return pulled([&](const Arrays& b) { return by_custom_vjp(c, b); },
                                  Arrays(a.begin(), a.begin() + n), Arrays(a.begin() + n, a.end()));
                  }).jaxpr);
    CHECK(text.find("custom_lin") == std::string::npos);
  }
  CHECK(number > 60);
}

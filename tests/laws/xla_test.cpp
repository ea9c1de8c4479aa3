// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/laws/xla_test.cpp: XLA computes the same as Weft. Every op on its samples, and the programs
// of its maps and derivatives, are written as StableHLO. JAX's CPU client
// (tests/programs/jax_side.py) compiles them, and the results are compared with the definition of
// the op. Ops that StableHLO cannot express are refused by name, as a table lists.
#include <algorithm>
#include <cmath>
#include <functional>

#include "autodiff/autodiff.h"
#include "batching/batch_trace.h"
#include "laws.h"
#include "measure.h"
#include "ops/random/random.h"
#include "programs/jax_side.h"
#include "support/catch.h"
#include "tracer/base_ops.h"
#include "tracer/eval_trace.h"
#include "tracer/record_trace.h"
#include "weft/error.h"
#include "weft/numpy/create.h"
#include "weft/numpy/math.h"
#include "weft/numpy/products.h"
#include "weft/numpy/shape.h"
#include "weft/stablehlo.h"

using namespace weft;
using namespace weft::laws;

namespace {

// The ops that the writer refuses, the error text, and the reason. Results without elements and
// without effects are not refused.
struct Refused {
  const char *op, *text, *why;
};
constexpr const char *calls = "it calls code of this process",
                     *effect = "StableHLO has no calls of functions of a process";
constexpr Refused refused[] = {
    {"custom_lin", "no program stands for it", "it is there while a program is transposed"},
    {"check", calls, effect},
    {"custom_call", calls, effect},
    {"debug_print", calls, effect},
    {"io_callback", calls, effect},
    {"missing_call", calls, effect},
    {"pure_callback", calls, effect},
};
bool is_refused(const Case& c) {
  const Types out = c.out();
  return std::any_of(std::begin(refused), std::end(refused),
                     [&](const Refused& r) { return c.op->name() == r.op; }) &&
         (c.op->effects(c.sample.params) != Effect::none ||
          std::any_of(out.begin(), out.end(), [](const Type& t) { return t.elements() > 0; }));
}

// ---- programs

using Program = std::function<Arrays(const Arrays&)>;

struct Call {
  std::string what;
  Program f;
  Arrays x;
};
Arrays is_nonzero(const Arrays& tangents, const Arrays& like) {
  Arrays out;
  for (size_t i = 0; i < like.size(); ++i)
    out.push_back(is_inexact(like[i].dtype()) ? instantiate(tangents[i], like[i].type())
                                              : base::zeros(like[i].type()));
  return out;
}
Arrays directions(const Arrays& x, Random& r) {
  Arrays out;
  for (const Array& a : x)
    if (is_inexact(a.dtype())) out.push_back(random_array(a.type().strong(), -1, 1, r));
  return out;
}
// Returns one direction for each operand, or none if the operand has no derivative.
Arrays scatter_list(const Arrays& x, const Arrays& directions) {
  Arrays out;
  size_t next = 0;
  for (const Array& a : x) out.push_back(is_inexact(a.dtype()) ? directions[next++] : Array());
  return out;
}
Arrays concat_lists(Arrays a, const Arrays& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
Arrays first(const Arrays& x, size_t n) {
  return Arrays(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n));
}
Arrays behind(const Arrays& x, size_t n) {
  return Arrays(x.begin() + static_cast<std::ptrdiff_t>(n), x.end());
}

Call mapped(const Case& c, const MaybeAxes& axes, const char* what, Random& r) {
  constexpr int64_t lanes = 3;
  return {what,
          [&c, axes](const Arrays& x) {
            return vmap_flat([&](const Arrays& row) { return c.run(row); }, x, axes, lanes).out;
          },
          c.draw(axes, lanes, r)};
}
Call tangents(const Case& c, Random& r) {
  const Arrays x = c.draw(r);
  return {"its tangents",
          [&c, n = x.size()](const Arrays& all) {
            const Arrays at = first(all, n);
            const Dual d = jvp_flat([&](const Arrays& a) { return c.run(a); }, at,
                                    scatter_list(at, behind(all, n)));
            return is_nonzero(d.tangent, d.out);
          },
          concat_lists(x, directions(x, r))};
}
Call cotangents(const Case& c, Random& r) {
  const Arrays x = c.draw(r), out = c.run(x);
  return {"its cotangents",
          [&c, n = x.size()](const Arrays& all) {
            const Arrays at = first(all, n);
            const Linearized l = linearize_flat([&](const Arrays& a) { return c.run(a); }, at,
                                                std::vector<bool>(n, true));
            Arrays ct;
            const Arrays inexact = scatter_list(l.out, behind(all, n));
            for (size_t i = 0; i < l.out.size(); ++i)
              ct.push_back(inexact[i].empty_handle() ? base::zeros(l.out[i].type()) : inexact[i]);
            Arrays back;
            for (const Array& a : l.linear.transpose(ct))
              if (!a.empty_handle()) back.push_back(a);
            return back;
          },
          concat_lists(x, directions(out, r))};
}

// ---- comparison

// Converts the values to the types that @main takes and returns.
Arrays with_words(Arrays x) {
  for (Array& a : x)
    if (is_key(a.dtype())) a = random_unwrap(a);
  return x;
}
double rounding(DType d) {
  if (is_complex(d)) d = real_part(d);
  return d == BF16 ? 0x1p-8 : d == F16 ? 0x1p-11 : d == F32 ? 0x1p-24 : 0x1p-53;
}
// XLA's functions have some rounding errors, and its sums have another order.
constexpr double roundings = 64;  // in units of rounding of the largest result

std::string too_far(const Array& got, const Array& want, double tolerance) {
  if (got.type() != want.type() || !is_inexact(want.dtype())) return difference(got, want);
  const std::vector<double> x = numbers(got), y = numbers(want);
  double largest = 1;
  for (double v : y)
    if (std::isfinite(v)) largest = std::max(largest, std::fabs(v));
  const double most = tolerance * rounding(want.dtype()) * largest;
  for (size_t i = 0; i < x.size(); ++i)
    if (!(std::fabs(x[i] - y[i]) <= most) && x[i] != y[i] &&
        !(std::isnan(x[i]) && std::isnan(y[i])))
      return fmt::format("element {}: XLA has {:.17g}, not {:.17g}", i, x[i], y[i]);
  return {};
}

// The errors of XLA's own functions, in units of rounding, where the op cancels them badly.
double roundings_of_xla(const Op& op) {
  // XLA's lgamma has an error of some roundings, and the density subtracts three of its values.
  return op.name() == "log_beta_density" ? 8 * roundings : roundings;
}

// The values that two correct implementations of the op share.
Arrays comparable(const Op& op, const Arrays& x) {
  if (op.name() != "schur") return x;
  // The vectors are unique up to a factor of magnitude 1 each.
  const Array& t = x[0];
  Arrays r = {abs(t), diagonal(t, 0, -2, -1)};
  if (x.size() > 1) r.push_back(matmul(matmul(x[1], t), conj(swapaxes(x[1], -2, -1))));
  return r;
}

// Returns the error of the call, or "".
std::string difference_from_xla(const Case& c, const Call& call) {
  Types in;
  for (const Array& a : call.x) in.push_back(a.type());
  const ClosedJaxpr program = record(in, call.f);
  const std::string text = to_stablehlo(program);
  Arrays want;
  {
    const ReferenceMode reference;
    want = with_words(eval_jaxpr(program.jaxpr, concat_lists(program.consts, call.x)));
  }
  Arrays got = programs::run_by_jax(text, with_words(call.x));
  if (got.size() != want.size()) return "another number of results";
  got = comparable(*c.op, got);
  want = comparable(*c.op, want);
  const double tolerance = std::max(c.op->tolerance(), roundings_of_xla(*c.op));
  for (size_t k = 0; k < got.size(); ++k)
    if (const std::string d = too_far(got[k], want[k], tolerance); !d.empty())
      return fmt::format("result {}: {}\n{}", k, d, text);
  return {};
}

bool has_jax() {
  if (!programs::jax_python().empty()) return true;
  WARN("skipped: there is no JAX in build/venv; ./dev test --slow installs it");
  return false;
}
// Checks the calls of up to `most` cases of each op.
void all_agree(size_t most, FunctionRef<std::vector<Call>(const Case&, Random&)> calls) {
  if (!has_jax()) return;
  for (const Op* op : all_ops()) {
    const std::vector<Case> cases = cases_of(*op);
    const size_t step = (cases.size() + most - 1) / most;
    for (size_t k = 0; k < cases.size(); k += step) {
      const Case& c = cases[k];
      if (is_refused(c)) continue;
      INFO(c.text());
      try {
        Random r = c.random(77);
        for (const Call& call : calls(c, r)) {
          INFO(call.what);
          CHECK(difference_from_xla(c, call) == "");
        }
      } catch (const std::exception& e) {
        FAIL_CHECK(e.what());
      }
    }
  }
}

}  // namespace

TEST_CASE("XLA computes what each op does", "[slow][stablehlo]") {
  all_agree(1000, [](const Case& c, Random& r) {
    return std::vector<Call>{{"itself", [&c](const Arrays& x) { return c.run(x); }, c.draw(r)}};
  });
}

TEST_CASE("XLA computes what maps of each op do", "[slow][stablehlo]") {
  all_agree(3, [](const Case& c, Random& r) {
    std::vector<Call> calls;
    if (!c.maps() || c.sample.in.empty()) return calls;
    const MaybeAxes all(c.sample.in.size(), 0);
    calls.push_back(mapped(c, all, "mapped", r));
    if (all.size() > 1) {
      MaybeAxes one(all.size());
      one[0] = 0;
      calls.push_back(mapped(c, one, "mapped over the first operand", r));
    }
    return calls;
  });
}

TEST_CASE("XLA computes what derivatives of each op do", "[slow][stablehlo]") {
  all_agree(2, [](const Case& c, Random& r) {
    std::vector<Call> calls;
    Measure m;
    if (!measurable(c, &m)) return calls;
    const ReferenceMode reference;
    if (!exempt(tangents_map, c)) calls.push_back(tangents(c, r));
    if (!exempt(transposes_pair, c)) calls.push_back(cotangents(c, r));
    return calls;
  });
}

TEST_CASE("ops that StableHLO cannot express are refused by name", "[stablehlo]") {
  for (const Refused& r : refused) {
    REQUIRE(find_op(r.op));
    const std::vector<Case> cases = cases_of(*find_op(r.op));
    CHECK(std::any_of(cases.begin(), cases.end(), is_refused));
    for (const Case& c : cases) {
      if (!is_refused(c)) continue;
      INFO(c.text() << ": " << r.why);
      const Jaxpr j = record(c.in(), [&](const Arrays& x) { return c.run(x); }).jaxpr;
      std::string what = "nothing is refused";
      try {
        to_stablehlo({j, {}});
      } catch (const CompileError& e) {
        what = e.what();
      }
      CHECK_THAT(what, Catch::Contains(fmt::format("'{}' cannot be written: {}", r.op, r.text)));
    }
  }
}

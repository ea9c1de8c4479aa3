// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/laws/op_laws_test.cpp: the laws that every op obeys, generated from the registry.
#include <set>

#include "catch.h"
#include "values.h"
#include "weft/autodiff/autodiff.h"
#include "weft/batching/batch_trace.h"
#include "weft/core/op.h"
#include "weft/runtime/backend.h"
#include "weft/tracer/eval_trace.h"
#include "weft/tracer/record_trace.h"

using namespace weft;
using namespace weft::laws;

namespace {

// Ops whose derivative is defined as zero where the slope is not (sign: of complex numbers), or as
// NaN (polygamma by its order).
const std::set<std::string> by_definition = {"stop_gradient", "bitcast_convert_type", "nextafter",
                                             "sign", "polygamma"};

struct Case {
  const Op* op;
  AnySample sample;
  size_t number;
  std::string text() const {
    return fmt::format("{} sample {} of {}", op->name(), number, to_string(sample.in));
  }
  Arrays run(const Arrays& x) const { return bind_op(*op, x, sample.params); }
  Random random(uint64_t salt) const {
    return Random(std::hash<std::string>{}(op->name()) + number * 1000 + salt);
  }
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const Op* op : all_ops()) {
    size_t i = 0;
    for (AnySample& s : op->samples()) cases.push_back({op, s, i++});
  }
  return cases;
}

// Runs a law on all cases; an error in one does not keep the others from being checked.
template <class F>
void for_each_case(F law) {
  for (const Case& c : all_cases()) {
    INFO(c.text());
    try {
      law(c);
    } catch (const Error& e) {
      FAIL_CHECK(e.what());
    }
  }
}

std::string all_differences(const Arrays& a, const Arrays& b) {
  if (a.size() != b.size()) return "another number of results";
  for (size_t i = 0; i < a.size(); ++i)
    if (const std::string d = difference(a[i], b[i]); !d.empty())
      return fmt::format("result {}: {}", i, d);
  return {};
}

}  // namespace

TEST_CASE("every op has samples, documentation and rules for what it claims") {
  REQUIRE(!all_ops().empty());
  for (const Op* op : all_ops()) {
    INFO(op->name());
    CHECK(!op->doc().empty());
    CHECK(op->has(Op::Slot::batch));
    // Maps remove collectives before anything runs.
    if (op->collective()) continue;
    // Ops that carry programs meet random programs instead: tests/ops/control_random_test.cpp. The
    // derivative of a custom_vjp is only ever transposed.
    if (op->compile_eagerly() || op->name() == "custom_lin") continue;
    CHECK(!op->samples().empty());
    CHECK(op->has(Op::Slot::lower));
  }
}

TEST_CASE("L1: the type rule says what is computed") {
  for_each_case([&](const Case& c) {
    Random r = c.random(1);
    const ReferenceMode reference;
    const Arrays out = c.run(random_arrays(c.sample.in, c.sample.lo, c.sample.hi, r));
    const Types types = c.op->type(c.sample.in, c.sample.params);
    REQUIRE(out.size() == types.size());
    for (size_t i = 0; i < out.size(); ++i) CHECK(to_string(out[i].type()) == to_string(types[i]));
  });
}

TEST_CASE("rejected operands raise their text") {
  for (const Op* op : all_ops())
    for (const AnyReject& r : op->rejects()) {
      INFO(op->name() << " of " << to_string(r.in) << ": " << r.text);
      std::string what;
      try {
        op->type(r.in, r.params);
      } catch (const InternalError& e) {
        FAIL_CHECK(e.what());
      } catch (const Error& e) {
        what = e.what();
      }
      CHECK(what.find(r.text) != std::string::npos);
      CHECK((what.empty() || what.find(op->name()) != std::string::npos));
    }
}

TEST_CASE("L3: programs are read back as they are printed") {
  for_each_case([&](const Case& c) {
    const Jaxpr j = record(c.sample.in, [&](const Arrays& x) { return c.run(x); }).jaxpr;
    const std::string text = to_string(j);
    INFO(c.text() << "\n" << text);
    Jaxpr back;
    REQUIRE_NOTHROW(back = read_jaxpr(text));
    CHECK(back == j);
  });
}

// ---- L2

namespace {

// The program j on x, compiled and by reference.
void check_compiled(const Jaxpr& j, const Arrays& x) {
  Arrays expected;
  {
    const ReferenceMode reference;
    expected = eval_jaxpr(j, x);
  }
  Arrays got;
  REQUIRE_NOTHROW(got = run_compiled(j, x));
  CHECK(all_differences(got, expected) == "");
}

}  // namespace

TEST_CASE("L2: compiled code computes what the reference says, to the bit") {
  if (!backend()) {
    WARN("no compiler is linked: L2 is not checked");
    return;
  }
  for_each_case([&](const Case& c) {
    Random r = c.random(2);
    const Jaxpr alone = record(c.sample.in, [&](const Arrays& x) { return c.run(x); }).jaxpr;
    for (const bool special : {false, true})
      check_compiled(alone, random_arrays(c.sample.in, c.sample.lo, c.sample.hi, r, special));
  });
}

// Numbers of lanes around the width of a vector register of floats.
TEST_CASE("L2: the same for maps", "[slow]") {
  if (!backend()) {
    WARN("no compiler is linked: L2 is not checked");
    return;
  }
  for_each_case([&](const Case& c) {
    if (!c.op->has(Op::Slot::batch) || c.op->collective()) return;
    Random r = c.random(3);
    for (const int64_t size : {1, 15, 16, 17, 35}) {
      INFO(size << " lanes");
      Types in;
      for (const Type& t : c.sample.in) in.push_back(t.with_shape(t.shape().inserted(0, size)));
      const auto row_by_row = [&](const Arrays& x) {
        return vmap_flat([&](const Arrays& row) { return c.run(row); }, x, MaybeAxes(x.size(), 0),
                         size)
            .out;
      };
      const Jaxpr mapped = record(in, row_by_row).jaxpr;
      for (const bool special : {false, true})
        check_compiled(mapped, random_arrays(in, c.sample.lo, c.sample.hi, r, special));
    }
  });
}

// ---- L4

namespace {

// Mapped over `axes` against one lane after another.
void check_map(const Case& c, const MaybeAxes& axes, int64_t size, Random& r) {
  Types in = c.sample.in;
  for (size_t i = 0; i < in.size(); ++i)
    if (axes[i]) in[i] = in[i].with_shape(in[i].shape().inserted(*axes[i], size));
  const Arrays x = random_arrays(in, c.sample.lo, c.sample.hi, r);
  const Batched b = vmap_flat([&](const Arrays& a) { return c.run(a); }, x, axes, size);
  const Types out = c.op->type(c.sample.in, c.sample.params);
  REQUIRE(b.out.size() == out.size());
  for (size_t k = 0; k < out.size(); ++k) {
    Shape want = out[k].shape();
    if (b.axis[k]) want = want.inserted(*b.axis[k], size);
    REQUIRE(b.out[k].shape() == want);
    REQUIRE(b.out[k].dtype() == out[k].dtype());
  }
  for (int64_t l = 0; l < size; ++l) {
    Arrays row;
    for (size_t i = 0; i < x.size(); ++i) row.push_back(axes[i] ? lane(x[i], *axes[i], l) : x[i]);
    const Arrays expected = c.run(row);
    for (size_t k = 0; k < out.size(); ++k) {
      INFO("lane " << l << " of " << size << ", result " << k);
      CHECK(difference(b.axis[k] ? lane(b.out[k], *b.axis[k], l) : b.out[k], expected[k]) == "");
    }
  }
}

// Each non-empty subset of mapped operands: all of them for up to 4, else single ones and all.
std::vector<std::vector<bool>> subsets(size_t n) {
  std::vector<std::vector<bool>> r;
  if (n <= 4) {
    for (size_t bits = 1; bits < (size_t{1} << n); ++bits) {
      r.emplace_back();
      for (size_t i = 0; i < n; ++i) r.back().push_back(bits >> i & 1);
    }
    return r;
  }
  r.push_back(std::vector<bool>(n, true));
  for (size_t i = 0; i < n; ++i) {
    r.push_back(std::vector<bool>(n, false));
    r.back()[i] = true;
  }
  return r;
}

}  // namespace

TEST_CASE("L4: a map is a loop over lanes") {
  const ReferenceMode reference;
  for_each_case([&](const Case& c) {
    if (!c.op->has(Op::Slot::batch) || c.op->collective()) return;
    Random r = c.random(4);
    int rank = 0;
    for (const Type& t : c.sample.in) rank = std::max(rank, t.ndim());
    for (const auto& mapped : subsets(c.sample.in.size()))
      for (int shift = 0; shift <= rank; ++shift)
        for (const bool together : {true, false}) {
          MaybeAxes axes;
          std::string text;
          for (size_t i = 0; i < c.sample.in.size(); ++i) {
            const int n = c.sample.in[i].ndim();
            const int at = together ? std::min(shift, n) : (shift + static_cast<int>(i)) % (n + 1);
            axes.push_back(mapped[i] ? MaybeAxis(at) : std::nullopt);
            text += mapped[i] ? fmt::format(" {}", at) : " -";
          }
          INFO("axes" << text);
          for (const int64_t size : {0, 1, 3}) CHECK_NOTHROW(check_map(c, axes, size, r));
        }
  });
}

// ---- L5, L6, L7

namespace {

// Whether tangents of the sample can be measured, and with what step and tolerance.
bool measurable(const Case& c, double* step, double* tolerance) {
  bool coarse = false, any = false;
  const auto look = [&](const Types& types) {
    for (const Type& t : types) {
      if (t.dtype() == BF16 || t.dtype() == F16) return false;
      coarse = coarse || t.dtype() == F32 || t.dtype() == C64;
    }
    return true;
  };
  if (!look(c.sample.in) || !look(c.op->type(c.sample.in, c.sample.params))) return false;
  for (const Type& t : c.sample.in) any = any || is_inexact(t.dtype());
  *step = coarse ? 4e-3 : 1e-5;
  *tolerance = coarse ? 1e-2 : 1e-6;
  return any && c.op->has(Op::Slot::jvp);
}

Arrays random_tangents(const Arrays& x, Random& r) {
  Arrays dx;
  for (const Array& a : x)
    dx.push_back(is_inexact(a.dtype()) ? random_array(a.type().strong(), -1, 1, r) : Array());
  return dx;
}

Arrays filled(const Arrays& tangents, const Arrays& like) {
  Arrays r;
  for (size_t i = 0; i < like.size(); ++i) r.push_back(instantiate(tangents[i], like[i].type()));
  return r;
}

}  // namespace

TEST_CASE("L5: tangents are slopes") {
  const ReferenceMode reference;
  // Single precision measures slopes badly, so it is taken only where an op has no other sample.
  std::set<const Op*> fine;
  for (const Case& c : all_cases())
    if (double h = 0, tolerance = 0; measurable(c, &h, &tolerance) && tolerance < 1e-3)
      fine.insert(c.op);
  for_each_case([&](const Case& c) {
    double h = 0, tolerance = 0;
    if (!measurable(c, &h, &tolerance) || by_definition.count(c.op->name())) return;
    if (tolerance > 1e-3 && fine.count(c.op)) return;
    Random r = c.random(5);
    const Arrays x = random_arrays(c.sample.in, c.sample.lo, c.sample.hi, r),
                 dx = random_tangents(x, r);
    const Dual d = jvp_flat([&](const Arrays& a) { return c.run(a); }, x, dx);
    CHECK(all_differences(d.out, c.run(x)) == "");
    const Arrays tangent = filled(d.tangent, d.out);
    Arrays up, down;
    for (size_t i = 0; i < x.size(); ++i) {
      up.push_back(moved(x[i], h, dx[i]));
      down.push_back(moved(x[i], -h, dx[i]));
    }
    const Arrays hi = c.run(up), lo = c.run(down);
    for (size_t k = 0; k < d.out.size(); ++k) {
      if (!is_inexact(d.out[k].dtype())) continue;
      REQUIRE(tangent[k].shape() == d.out[k].shape());
      REQUIRE(tangent[k].dtype() == d.out[k].dtype());
      const auto t = numbers(tangent[k]), a = numbers(hi[k]), b = numbers(lo[k]);
      for (size_t i = 0; i < t.size(); ++i) {
        if (std::isnan(a[i]) && std::isnan(b[i])) continue;
        const double slope = a[i] == b[i] ? 0 : (a[i] - b[i]) / (2 * h),
                     scale = 1 + std::fabs(t[i]) +
                             (tolerance < 1e-3 ? 0 : std::fabs(a[i]) + std::fabs(b[i]));
        INFO("result " << k << ", element " << i << ": tangent " << t[i] << ", slope " << slope);
        CHECK(std::fabs(t[i] - slope) <= tolerance * scale);
      }
    }
  });
}

TEST_CASE("L6: transposition pairs cotangents with tangents") {
  const ReferenceMode reference;
  for_each_case([&](const Case& c) {
    double h = 0, tolerance = 0;
    if (!measurable(c, &h, &tolerance)) return;
    Random r = c.random(6);
    const Arrays x = random_arrays(c.sample.in, c.sample.lo, c.sample.hi, r);
    // All operands at once, and each alone (the others are known then).
    for (size_t alone = 0; alone <= x.size(); ++alone) {
      std::vector<bool> wrt(x.size(), alone == x.size());
      if (alone < x.size()) wrt[alone] = true;
      INFO(c.text() << ", operand " << alone);
      const Linearized l = linearize_flat([&](const Arrays& a) { return c.run(a); }, x, wrt);
      Arrays v, ct;
      for (size_t i = 0; i < x.size(); ++i)
        v.push_back(is_inexact(x[i].dtype()) ? random_array(x[i].type().strong(), -1, 1, r)
                                             : base::zeros(x[i].type()));
      for (size_t i = 0; i < x.size(); ++i)
        if (!wrt[i] && is_inexact(x[i].dtype())) v[i] = base::zeros(x[i].type().strong());
      for (const Array& y : l.out)
        ct.push_back(is_inexact(y.dtype()) ? random_array(y.type().strong(), -1, 1, r)
                                           : base::zeros(y.type()));
      const Arrays jv = l.linear.apply(v);
      Arrays back;
      REQUIRE_NOTHROW(back = l.linear.transpose(ct));
      for (size_t i = 0; i < x.size(); ++i)
        CHECK(to_string(back[i].type()) == to_string(x[i].type().strong()));
      double size = 1;
      const double forward = pairing(ct, jv, &size), backward = pairing(back, v, &size);
      INFO("forward " << forward << ", backward " << backward);
      CHECK((std::fabs(forward - backward) <= 1e-5 * size ||
             (std::isnan(forward) && std::isnan(backward))));
    }
  });
}

TEST_CASE("L7: tangents of a map are the map of tangents") {
  const ReferenceMode reference;
  const int64_t size = 3;
  for_each_case([&](const Case& c) {
    double h = 0, tolerance = 0;
    if (!measurable(c, &h, &tolerance) || !c.op->has(Op::Slot::batch) || c.op->collective()) return;
    Random r = c.random(7);
    Types in;
    for (const Type& t : c.sample.in) in.push_back(t.with_shape(t.shape().inserted(0, size)));
    const Arrays x = random_arrays(in, c.sample.lo, c.sample.hi, r), dx = random_tangents(x, r);
    const auto run = [&](const Arrays& a) { return c.run(a); };
    const auto to_front = [&](const Batched& b) {
      Arrays out;
      for (size_t k = 0; k < b.out.size(); ++k)
        out.push_back(move_mapped(b.out[k], b.axis[k], 0, size));
      return out;
    };
    const Dual all = jvp_flat(
        [&](const Arrays& a) { return to_front(vmap_flat(run, a, MaybeAxes(a.size(), 0), size)); },
        x, dx);
    const Arrays tangent = filled(all.tangent, all.out);
    for (int64_t l = 0; l < size; ++l) {
      Arrays row, drow;
      for (size_t i = 0; i < x.size(); ++i) {
        row.push_back(lane(x[i], 0, l));
        drow.push_back(dx[i].empty_handle() ? Array() : lane(dx[i], 0, l));
      }
      const Dual one = jvp_flat(run, row, drow);
      const Arrays t = filled(one.tangent, one.out);
      for (size_t k = 0; k < t.size(); ++k) {
        INFO("lane " << l << ", result " << k);
        CHECK(difference(lane(all.out[k], 0, l), one.out[k]) == "");
        CHECK(difference(lane(tangent[k], 0, l), t[k]) == "");
      }
    }
  });
}

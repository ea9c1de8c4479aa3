// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/laws/derivative_laws.cpp: the laws of tangents and cotangents.
#include "autodiff/autodiff.h"
#include "batching/batch_trace.h"
#include "mappings.h"
#include "measure.h"
#include "tracer/eval_trace.h"

namespace weft::laws {

bool measurable(const Case& c, Measure* m) {
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
  if (coarse) *m = {4e-3, 1e-2};
  return any && c.op->has(Op::Slot::jvp);
}

std::string all_differences(const Arrays& a, const Arrays& b) {
  if (a.size() != b.size()) return "another number of results";
  for (size_t i = 0; i < a.size(); ++i)
    if (const std::string d = difference(a[i], b[i]); !d.empty())
      return fmt::format("result {}: {}", i, d);
  return {};
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

namespace {

// Compares the tangent of one result with the slope between its values on both sides.
void compare_slope(const Array& tangent, const Array& up, const Array& down, const Measure& m,
                   const std::string& what, Failures& f) {
  const auto t = numbers(tangent), a = numbers(up), b = numbers(down);
  for (size_t i = 0; i < t.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    const double slope = a[i] == b[i] ? 0 : (a[i] - b[i]) / (2 * m.step),
                 scale = 1 + std::fabs(t[i]) + (m.fine() ? 0 : std::fabs(a[i]) + std::fabs(b[i]));
    f.check(std::fabs(t[i] - slope) <= m.tolerance * scale,
            fmt::format("{}, element {}: tangent {}, slope {}", what, i, t[i], slope));
  }
}

}  // namespace

void tangents_are_slopes(const Case& c, Failures& f) {
  const ReferenceMode reference;
  Measure m;
  if (!measurable(c, &m)) return;
  if (!m.fine() && !c.measure_coarsely) return;
  f.checked();
  Random r = c.random(5);
  const Arrays x = c.draw(r), dx = random_tangents(x, r);
  const Dual d = jvp_flat([&](const Arrays& a) { return c.run(a); }, x, dx);
  f.expect(all_differences(d.out, c.run(x)));
  const Arrays tangent = filled(d.tangent, d.out);
  Arrays up, down;
  for (size_t i = 0; i < x.size(); ++i) {
    up.push_back(moved(x[i], m.step, dx[i]));
    down.push_back(moved(x[i], -m.step, dx[i]));
  }
  const Arrays hi = c.run(up), lo = c.run(down);
  for (size_t k = 0; k < d.out.size(); ++k) {
    if (!is_inexact(d.out[k].dtype())) continue;
    const std::string what = fmt::format("result {}", k);
    if (tangent[k].shape() != d.out[k].shape() || tangent[k].dtype() != d.out[k].dtype())
      f.check(false, what + ": the tangent is " + to_string(tangent[k].type()));
    else
      compare_slope(tangent[k], hi[k], lo[k], m, what, f);
  }
}

void transposes_pair(const Case& c, Failures& f) {
  const ReferenceMode reference;
  Measure m;
  if (!measurable(c, &m)) return;
  Random r = c.random(6);
  const Arrays x = c.draw(r);
  // First all operands have tangents, then each one alone, so that the others are known to be zero.
  for (size_t alone = 0; alone <= x.size(); ++alone) {
    f.checked();
    std::vector<bool> wrt(x.size(), alone == x.size());
    if (alone < x.size()) wrt[alone] = true;
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
    const Arrays jv = l.linear.apply(v), back = l.linear.transpose(ct);
    for (size_t i = 0; i < x.size(); ++i) {
      const bool asked = wrt[i] && is_inexact(x[i].dtype());
      const std::string what = fmt::format("the cotangent of operand {}", i);
      f.check(asked != back[i].empty_handle(), what + " is there, or not");
      if (asked) f.check(back[i].type() == x[i].type().strong(), what + " has another type");
    }
    double size = 1;
    const double forward = pairing(ct, jv, &size), backward = pairing(back, v, &size);
    f.check(std::fabs(forward - backward) <= 1e-5 * size ||
                (std::isnan(forward) && std::isnan(backward)),
            fmt::format("operand {}: forward {}, backward {}", alone, forward, backward));
  }
}

void tangents_map(const Case& c, Failures& f) {
  const ReferenceMode reference;
  const int64_t size = 3;
  Measure m;
  if (!measurable(c, &m) || !c.maps()) return;
  f.checked();
  Random r = c.random(7);
  const Arrays x = c.draw(MaybeAxes(c.sample.in.size(), 0), size, r), dx = random_tangents(x, r);
  const auto run = [&](const Arrays& a) { return c.run(a); };
  const Dual all = jvp_flat(
      [&](const Arrays& a) {
        return to_front(vmap_flat(run, a, MaybeAxes(a.size(), 0), size), size);
      },
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
      const std::string what = fmt::format("lane {}, result {}", l, k);
      f.expect(difference(lane(all.out[k], 0, l), one.out[k]), what);
      f.expect(difference(lane(tangent[k], 0, l), t[k]), what + ", tangent");
    }
  }
}

}  // namespace weft::laws

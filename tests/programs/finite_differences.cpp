// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/finite_differences.cpp: compares tangents with differences, and cotangents with
// tangents.
#include "programs/finite_differences.h"

#include <weft/weft.h>

#include "programs/compare.h"
#include "tracer/eval_trace.h"

namespace weft::programs {
namespace {

Arrays directions(const Arrays& x, uint64_t seed) {
  Types t;
  for (const Array& a : x) t.push_back(a.type());
  return made(t, seed + 99);
}
// Keeps only the real results.
Fn floats_of(Fn f) {
  const Types t = f.values();
  std::erase_if(f.out, [&](int v) { return t[static_cast<size_t>(v)].dtype() != F64; });
  return f;
}
std::vector<double> all_numbers(const Arrays& x) {
  std::vector<double> r;
  for (const Array& a : x)
    for (double d : laws::numbers(a)) r.push_back(d);
  return r;
}
std::vector<double> slope(const Fn& f, const Arrays& x, const Arrays& v, double h) {
  Arrays up, down;
  for (size_t k = 0; k < x.size(); ++k) {
    up.push_back(laws::moved(x[k], h, v[k]));
    down.push_back(laws::moved(x[k], -h, v[k]));
  }
  std::vector<double> a = all_numbers(defined(f, up));
  const std::vector<double> b = all_numbers(defined(f, down));
  for (size_t i = 0; i < a.size(); ++i) a[i] = (a[i] - b[i]) / (2 * h);
  return a;
}
Arrays tangents(const Fn& f, const Arrays& x, const Arrays& v) {
  return jvp([&](Arrays a) { return run(f, a); }, std::make_tuple(x), std::make_tuple(v)).second;
}

}  // namespace

std::string slope_differs(const Fn& whole, const Arrays& given, uint64_t seed) {
  const Fn f = floats_of(whole);
  // Arguments with few digits may be at a jump, where the tangent is that of one side. They are
  // moved a little.
  Arrays x;
  const Arrays aside = directions(given, seed + 1);
  for (size_t k = 0; k < given.size(); ++k) x.push_back(laws::moved(given[k], 1e-3, aside[k]));
  bool stopped = false;
  for_each_step(f, [&](const Step& s) {
    stopped = stopped || (s.kind == Kind::op && s.op->name() == "stop_gradient");
  });
  // Such a small step cannot be measured in narrower floats either.
  if (f.out.empty() || stopped || widest_ulp(f) > ulp_of(F64)) return {};
  const ReferenceMode reference;
  const Arrays v = directions(x, seed);
  const std::vector<double> t = all_numbers(tangents(f, x, v)), s = slope(f, x, v, 1e-6);
  std::vector<double> finer, coarser;
  for (size_t i = 0; i < t.size(); ++i) {
    const auto near = [&](double a, double b) {
      return !std::isfinite(a) || !std::isfinite(b) ||
             std::fabs(a - b) <= 1e-4 * (1 + std::fabs(b));
    };
    if (near(s[i], t[i])) continue;
    // There is a jump nearby, or the slope is too steep to measure.
    if (finer.empty()) finer = slope(f, x, v, 1e-7), coarser = slope(f, x, v, 1e-5);
    if (!near(finer[i], s[i]) || !near(coarser[i], s[i])) continue;
    return fmt::format("element {} of all results: tangent {:.9g}, slope {:.9g}", i, t[i], s[i]);
  }
  return {};
}

std::string pairing_differs(const Fn& whole, const Arrays& x, uint64_t seed) {
  const Fn f = floats_of(whole);
  if (f.out.empty()) return {};
  const ReferenceMode reference;
  const Arrays v = directions(x, seed);
  const auto [out, back] = vjp([&](Arrays a) { return run(f, a); }, x);
  const Arrays ct = directions(out, seed + 1), jv = tangents(f, x, v), jt = std::get<0>(back(ct));
  double size = 1;
  const double forward = laws::pairing(ct, jv, &size), backward = laws::pairing(jt, v, &size);
  if (!std::isfinite(forward) || !std::isfinite(backward) ||
      std::fabs(forward - backward) <= 1e-7 * size)
    return {};
  return fmt::format("forward {:.12g}, backward {:.12g}", forward, backward);
}

}  // namespace weft::programs

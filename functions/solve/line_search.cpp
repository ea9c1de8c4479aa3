// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/solve/line_search.cpp: a line search by Nocedal and Wright, algorithms 3.5 and 3.6,
// with the parameters of jax.scipy.optimize.
#include "functions/solve/line_search.h"

#include "functions/kit.h"
#include "weft/control_flow.h"
#include "weft/grad.h"
#include "weft/numpy/create.h"
#include "weft/numpy/math.h"
#include "weft/numpy/products.h"

namespace weft::detail {
namespace {

constexpr double c1 = 1e-4, c2 = 0.9;

// A step length, the value there, its slope along the ray, and the gradient.
struct At {
  Array a, f, d, g;
};
// The same without the gradient.
struct End {
  Array a, f, d;
};
End end_of(const At& p) { return {p.a, p.f, p.d}; }
template <class T>
T chosen(const Array& p, const T& x, const T& y) {
  return tree::map([&](const Array& a, const Array& b) { return where(p, a, b); }, x, y);
}

struct Search {
  FunctionRef<At(const Array&)> at;
  End zero;
  // too_high: the value violates the first Wolfe condition. flat: the slope fulfils the second one.
  Array too_high(const At& p) const { return p.f > zero.f + c1 * p.a * zero.d; }
  Array flat(const At& p) const { return abs(p.d) <= -c2 * zero.d; }
};

// The minimum of the cubic through (a, fa) with slope da, (b, fb) and (c, fc). parabola_minimum is
// that of a parabola.
Array cubic_minimum(const End& lo, const Array& b, const Array& fb, const Array& c,
                    const Array& fc) {
  const Array db = b - lo.a, dc = c - lo.a, scale = square(db * dc) * (db - dc);
  const Array rb = fb - lo.f - lo.d * db, rc = fc - lo.f - lo.d * dc;
  const Array third = (square(dc) * rb - square(db) * rc) / scale,
              second = (db * db * db * rc - dc * dc * dc * rb) / scale;
  return lo.a + (-second + sqrt(second * second - 3. * third * lo.d)) / (3. * third);
}
Array parabola_minimum(const End& lo, const End& hi) {
  const Array d = hi.a - lo.a, bend = (hi.f - lo.f - lo.d * d) / square(d);
  return lo.a - lo.d / (2. * bend);
}

struct Zoom {
  End lo, hi;
  Array last, f_last;  // the end that was replaced last
  At found;
  Array done, failed, j;
};

// The next step length to try between the ends.
Array between(const Zoom& s) {
  constexpr double cubic_margin = 0.2, parabola_margin = 0.1;
  const Array wide = s.hi.a - s.lo.a, a = minimum(s.hi.a, s.lo.a), b = maximum(s.hi.a, s.lo.a);
  const auto inside = [&](const Array& x, double margin) {
    return (x > a + margin * wide) & (x < b - margin * wide);
  };
  const Array cubic = cubic_minimum(s.lo, s.hi.a, s.hi.f, s.last, s.f_last),
              parabola = parabola_minimum(s.lo, s.hi);
  return where((s.j > 0) & inside(cubic, cubic_margin), cubic,
               where(inside(parabola, parabola_margin), parabola, (s.lo.a + s.hi.a) / 2.));
}

Zoom zoomed(const Search& search, const Zoom& s) {
  constexpr int64_t most = 30;
  const double narrow = s.lo.a.dtype() == F64 ? 1e-10 : 1e-5;
  const Array failed = s.failed | (abs(s.hi.a - s.lo.a) <= narrow);
  const At p = search.at(between(s));
  const End here = end_of(p);
  const Array to_hi = search.too_high(p) | (p.f >= s.lo.f);
  const Array found = search.flat(p) & (!to_hi);
  const Array turned = (p.d * (s.hi.a - s.lo.a) >= 0.) & !(to_hi | found);
  // The next cubic passes through the end that is replaced in this step.
  const Array from_hi = to_hi | turned;
  return {chosen(!(to_hi | found), here, s.lo),
          chosen(to_hi, here, chosen(turned, s.lo, s.hi)),
          where(from_hi, s.hi.a, where(found, s.last, s.lo.a)),
          where(from_hi, s.hi.f, where(found, s.f_last, s.lo.f)),
          chosen(found, p, s.found),
          s.done | found,
          failed | (s.j + 1 >= most),
          s.j + 1};
}

struct Bracket {
  End last;
  At found;
  Array done, failed, i, evaluations;
};

// Tries the next step length. If the interval contains a suitable length, the interval is searched
// immediately.
Bracket bracketed(const Search& search, const Bracket& s, const Array& first, const Array& g0) {
  const At p = search.at(where(s.i == 1, first, 2. * s.last.a));
  const End here = end_of(p);
  const Array up = search.too_high(p) | ((p.f >= s.last.f) & (s.i > 1));
  const Array found = search.flat(p) & (!up);
  const Array behind = (p.d >= 0.) & !(up | found), zoom = up | behind;
  const End lo = chosen(up, s.last, here), hi = chosen(up, here, s.last);
  const Array no = s.done & (!s.done);
  const Zoom start{
      lo, hi,      (lo.a + hi.a) / 2., (lo.f + hi.f) / 2., {ones_like(lo.a), lo.f, lo.d, g0}, no,
      no, Array(0)};
  const Zoom end = while_loop([&](const Zoom& z) { return zoom & (!z.done) & (!z.failed); },
                              [&](const Zoom& z) { return zoomed(search, z); }, start);
  return {here,
          chosen(zoom, end.found, chosen(found, p, s.found)),
          s.done | zoom | found,
          s.failed | (zoom & end.failed),
          s.i + 1,
          s.evaluations + 1 + end.j};
}

}  // namespace

LineSearch line_search(FunctionRef<Array(const Array&)> fun, const Ray& ray, int64_t maxiter) {
  const DType d = ray.p.dtype();
  const auto at = [&](const Array& a) {
    const auto [f, g] =
        value_and_grad([&](Array x) { return fun(x); })(ray.x + fn::as_dtype(a, d) * ray.p);
    return At{a, fn::as_dtype(f, ray.f.dtype()), fn::as_dtype(dot(g, ray.p), d), g};
  };
  const Array zero = zeros({}, d), slope = dot(ray.g, ray.p);
  const Search search{at, {zero, ray.f, slope}};
  const Array wanted = 1.01 * 2. * (ray.f - ray.before) / slope;
  const Array first = fn::as_dtype(where(wanted > 1., 1., wanted), d);
  const Array no = array({false}).reshape({});
  const Bracket end =
      while_loop([&](const Bracket& s) { return (!s.done) & (s.i <= maxiter) & (!s.failed); },
                 [&](const Bracket& s) { return bracketed(search, s, first, ray.g); },
                 Bracket{search.zero, {zero, ray.f, slope, ray.g}, no, no, Array(1), Array(0)});
  const Array status = where(end.failed, 1, where(end.i > maxiter, 3, 0));
  // With few digits, too small a step would not change x.
  const Array a = end.found.a;
  const Array length = d == F64 ? a : where(abs(a) < 1e-8, sign(a) * 1e-8, a);
  return {length, end.found.f, end.found.g, end.failed | (!end.done), status, end.evaluations};
}

}  // namespace weft::detail

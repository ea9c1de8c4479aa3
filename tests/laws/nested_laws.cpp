// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/laws/nested_laws.cpp: the laws of transforms of transforms. They are maps of maps, of many
// lanes and of cotangents, and derivatives of derivatives.
#include <algorithm>

#include "autodiff/autodiff.h"
#include "batching/batch_trace.h"
#include "mappings.h"
#include "measure.h"
#include "tracer/base_ops.h"
#include "tracer/eval_trace.h"
#include "tracer/record_trace.h"

namespace weft::laws {
namespace {

Arrays lane_of(const Arrays& x, const MaybeAxes& axes, int64_t l) {
  Arrays row;
  for (size_t i = 0; i < x.size(); ++i)
    row.push_back(axes[i] && !x[i].empty_handle() ? lane(x[i], *axes[i], l) : x[i]);
  return row;
}

// ---- L11

// The axes of two nested maps. Each operand may be mapped by both, by one, or by neither.
struct Nested {
  MaybeAxes outer, inner;
};
std::vector<Nested> nestings(const Types& in) {
  const size_t n = in.size();
  std::vector<Nested> all;
  const auto add = [&](const std::vector<int>& maps) {
    Nested x;
    for (size_t i = 0; i < n; ++i) {
      const int place = static_cast<int>(all.size() + i) % (in[i].ndim() + 1);
      const bool inside = (maps[i] & 1) != 0, outside = (maps[i] & 2) != 0;
      x.inner.push_back(inside ? MaybeAxis(place) : std::nullopt);
      x.outer.push_back(outside ? MaybeAxis((place + 1) % (in[i].ndim() + 1)) : std::nullopt);
    }
    all.push_back(x);
  };
  add(std::vector<int>(n, 3));
  for (size_t i = 0; i < n; ++i)
    for (int mine = 0; mine < 3; ++mine)
      for (int others = 1; others < 4; ++others) {
        std::vector<int> maps(n, others);
        maps[i] = mine;
        if ((mine | (n > 1 ? others : 0)) == 3) add(maps);
      }
  return all;
}

constexpr int64_t outer_lanes = 2, inner_lanes = 3;
Arrays draw(const Case& c, const Nested& n, Random& r) {
  std::vector<Arrays> rows;
  for (int64_t l = 0; l < outer_lanes; ++l) rows.push_back(c.draw(n.inner, inner_lanes, r));
  Arrays x = rows[0];
  for (size_t i = 0; i < x.size(); ++i) {
    if (!n.outer[i]) continue;
    Arrays parts;
    for (const Arrays& row : rows) parts.push_back(base::insert_axis(row[i], *n.outer[i], 1));
    x[i] = base::concatenate(parts, *n.outer[i]);
  }
  return x;
}

}  // namespace

void maps_nest(const Case& c, Failures& f) {
  if (!c.maps()) return;
  const ReferenceMode reference;
  Random r = c.random(11);
  for (const Nested& n : nestings(c.in())) {
    f.checked();
    const Arrays x = draw(c, n, r);
    const auto inner = [&](const Arrays& rows) {
      return to_front(
          vmap_flat([&](const Arrays& a) { return c.run(a); }, rows, n.inner, inner_lanes),
          inner_lanes);
    };
    const Arrays all = to_front(vmap_flat(inner, x, n.outer, outer_lanes), outer_lanes);
    for (int64_t o = 0; o < outer_lanes; ++o) {
      const Arrays rows = lane_of(x, n.outer, o);
      for (int64_t l = 0; l < inner_lanes; ++l) {
        const Arrays expected = c.run(lane_of(rows, n.inner, l));
        for (size_t k = 0; k < expected.size(); ++k)
          f.expect(difference(lane(lane(all[k], 0, o), 0, l), expected[k]),
                   fmt::format("outer {}, inner {}, lanes {} and {}, result {}", axes_text(n.outer),
                               axes_text(n.inner), o, l, k));
      }
    }
  }
}

// ---- L12

namespace {

// Returns the cotangents of the inexact operands.
Arrays pulled_back(FunctionRef<Arrays(const Arrays&)> run, const Arrays& x, const Arrays& ct) {
  std::vector<bool> wrt;
  for (const Array& a : x) wrt.push_back(is_inexact(a.dtype()));
  const Linearized l = linearize_flat(run, x, wrt);
  Arrays some;
  for (size_t k = 0; k < ct.size(); ++k)
    some.push_back(ct[k].empty_handle() ? base::zeros(l.out[k].type()) : ct[k]);
  const Arrays back = l.linear.transpose(some);
  Arrays out;
  for (size_t i = 0; i < x.size(); ++i)
    if (wrt[i]) out.push_back(instantiate(back[i], x[i].type()));
  return out;
}

// Compares up to some rounding errors, because sums over broadcast values may have another order.
std::string too_different(const Array& a, const Array& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) return difference(a, b);
  const std::vector<double> x = numbers(a), y = numbers(b);
  const bool wide = a.dtype() == F64 || a.dtype() == C128;
  double size = 1;
  for (double v : y)
    if (std::isfinite(v)) size = std::max(size, std::fabs(v));
  for (size_t i = 0; i < x.size(); ++i)
    if (std::fabs(x[i] - y[i]) > (wide ? 1e-11 : 1e-4) * size ||
        std::isnan(x[i]) != std::isnan(y[i]))
      return fmt::format("element {}: {:.17g} against {:.17g}", i, x[i], y[i]);
  return {};
}

}  // namespace

void cotangents_map(const Case& c, Failures& f) {
  const ReferenceMode reference;
  Measure m;
  if (!measurable(c, &m) || !c.maps()) return;
  const int64_t size = 3;
  Random r = c.random(12);
  const size_t n = c.in().size();
  const MaybeAxes front(n, 0);
  const Arrays x = c.draw(front, size, r);
  const auto run = [&](const Arrays& a) { return c.run(a); };
  const auto mapped = [&](const Arrays& a) {
    return to_front(vmap_flat(run, a, front, size), size);
  };
  const Arrays ct = random_tangents(mapped(x), r);
  const Arrays of_map = pulled_back(mapped, x, ct);
  Arrays both = x;
  std::vector<bool> given;
  for (const Array& y : ct) {
    given.push_back(!y.empty_handle());
    if (given.back()) both.push_back(y);
  }
  const auto one = [&](const Arrays& row) {
    Arrays mine;
    size_t next = n;
    for (const bool g : given) mine.push_back(g ? row[next++] : Array());
    return pulled_back(run, Arrays(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(n)),
                       mine);
  };
  const MaybeAxes all_front(both.size(), 0);
  const Arrays map_of = to_front(vmap_flat(one, both, all_front, size), size);
  f.checked();
  for (int64_t l = 0; l < size; ++l) {
    const Arrays expected = one(lane_of(both, all_front, l));
    for (size_t i = 0; i < expected.size(); ++i) {
      const std::string what = fmt::format("lane {}, cotangent {}", l, i);
      f.expect(too_different(lane(of_map[i], 0, l), expected[i]), what + " of the map");
      f.expect(too_different(lane(map_of[i], 0, l), expected[i]), what + ", mapped");
    }
  }
}

// ---- L13

namespace {

using Flat = FunctionRef<Arrays(const Arrays&)>;
// Checks that the derivative of g at x along dx is its slope.
void has_slope(Flat g, const Arrays& x, const Arrays& dx, const Measure& m, const char* what,
               Failures& f) {
  f.checked();
  const Dual d = jvp_flat(g, x, dx);
  const Arrays tangent = filled(d.tangent, d.out);
  Arrays up, down;
  for (size_t i = 0; i < x.size(); ++i) {
    up.push_back(moved(x[i], m.step, dx[i]));
    down.push_back(moved(x[i], -m.step, dx[i]));
  }
  const Arrays hi = g(up), lo = g(down);
  for (size_t k = 0; k < d.out.size(); ++k) {
    const std::vector<double> t = numbers(tangent[k]), a = numbers(hi[k]), b = numbers(lo[k]);
    for (size_t i = 0; i < t.size(); ++i) {
      if (!std::isfinite(a[i]) || !std::isfinite(b[i])) continue;
      const double slope = a[i] == b[i] ? 0 : (a[i] - b[i]) / (2 * m.step),
                   scale = 1 + std::fabs(t[i]) + std::fabs(a[i]) + std::fabs(b[i]);
      f.check(std::fabs(t[i] - slope) <= 10 * m.tolerance * scale,
              fmt::format("{} {}, element {}: {}, slope {}", what, k, i, t[i], slope));
    }
  }
}

}  // namespace

void derivatives_nest(const Case& c, Failures& f) {
  const ReferenceMode reference;
  Measure m;
  if (!measurable(c, &m) || !m.fine()) return;
  Random r = c.random(13);
  const Arrays x = c.draw(r), dx = random_tangents(x, r), other = random_tangents(x, r);
  const auto run = [&](const Arrays& a) { return c.run(a); };
  const Arrays ct = random_tangents(run(x), r);
  has_slope(
      [&](const Arrays& a) {
        const Dual d = jvp_flat(run, a, other);
        Arrays out;
        for (size_t k = 0; k < d.out.size(); ++k)
          if (is_inexact(d.out[k].dtype()))
            out.push_back(instantiate(d.tangent[k], d.out[k].type()));
        return out;
      },
      x, dx, m, "tangent", f);
  has_slope([&](const Arrays& a) { return pulled_back(run, a, ct); }, x, dx, m, "cotangent", f);
}

// ---- L14

namespace {
// Returns an array with `size` lanes in front, which repeat the lanes of x.
Array repeated(const Array& x, int64_t size) {
  const Fresh f = fresh_array(x.type().with_shape(x.shape().erased(0).inserted(0, size)));
  const int64_t few = x.shape()[0];
  const auto bytes = static_cast<size_t>(x.type().bytes() / few);
  const auto* from = static_cast<const std::byte*>(concrete(x).data());
  for (int64_t l = 0; l < size; ++l)
    std::memcpy(static_cast<std::byte*>(f.data) + static_cast<size_t>(l) * bytes,
                from + static_cast<size_t>(l % few) * bytes, bytes);
  return f.array;
}
}  // namespace

void many_lanes_are_reference(const Case& c, Failures& f) {
  if (!c.maps()) return;
  // The size is larger than a block of work and not a multiple of a vector width. The few drawn
  // lanes do not fill a vector either.
  constexpr int64_t size = 16385, few = 7;
  Random r = c.random(14);
  const MaybeAxes axes(c.in().size(), 0);
  const auto mapped = [&](const Arrays& a, int64_t lanes) {
    return to_front(vmap_flat([&](const Arrays& row) { return c.run(row); }, a, axes, lanes),
                    lanes);
  };
  const Arrays x = c.draw(axes, few, r);
  Arrays expected, all;
  {
    const ReferenceMode reference;
    expected = mapped(x, few);
  }
  for (const Array& a : x) all.push_back(repeated(a, size));
  const Jaxpr j = record(c.in(axes, size), [&](const Arrays& a) { return mapped(a, size); }).jaxpr;
  f.checked();
  const Arrays out = run_compiled(j, all);
  for (size_t k = 0; k < out.size(); ++k)
    f.expect(difference(out[k], repeated(expected[k], size)), fmt::format("result {}", k));
}

}  // namespace weft::laws

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/support/random_control.h: random per-lane programs of loops and branches over two scalars
// and a pair, all F64 (reference/sketches/lanes.py). They end for every finite input. Some of their
// branches contain loops that would never end for the lanes that do not take the branch.
#pragma once
#include <weft/weft.h>

#include <random>
#include <tuple>

namespace weft::test {

using Three = std::tuple<Array, Array, Array>;

class RandomControl {
 public:
  struct Kinds {
    bool smooth = false;  // differentiable almost everywhere, and while_loops are bounded
    int depth = 2;
  };
  RandomControl(uint32_t seed, Kinds k) : seed_(seed), kinds_(k) {}
  Three operator()(const Array& a, const Array& b, const Array& c) const {
    const std::vector<Array> r = build(seed_, kinds_.depth, {a, b, c});
    return {r[0], r[1], r[2]};
  }

 private:
  using Values = std::vector<Array>;
  // Every part of the program draws from its own random numbers, so that each trace gives the same
  // program.
  struct Dice {
    std::minstd_rand r;
    explicit Dice(uint32_t s) : r(s * 2654435761u % 2147483647u + 1) { r.discard(3); }
    int below(int n) { return static_cast<int>((r() >> 8) % static_cast<uint32_t>(n)); }
    bool one_in(int n) { return below(n) == 0; }
    uint32_t seed() { return static_cast<uint32_t>(r()); }
  };
  static Array number(double x) { return Array(x).astype(F64); }
  Array sat(const Array& x) const { return kinds_.smooth ? 3. * sin(x / 3.) : clip(x, -3., 3.); }
  Array expr(Dice& d, const Values& v) const {
    const Array a = v[static_cast<size_t>(d.below(static_cast<int>(v.size())))],
                b = v[static_cast<size_t>(d.below(static_cast<int>(v.size())))];
    switch (d.below(4)) {
      case 0: return sat(a + sin(b));
      case 1: return sat(a - sin(b));
      case 2: return sat(a * cos(b));
      default: return sat(a * sin(b) + b);
    }
  }
  static Array scalar(Dice& d, const Values& v) { return v[static_cast<size_t>(d.below(2))]; }
  Values build(uint32_t seed, int depth, Values v) const {
    Dice d(seed);
    for (int steps = 1 + d.below(3); steps > 0; --steps) {
      const int what = depth == 0 ? 0 : d.below(20);
      if (what < 5) {
        const auto k = static_cast<size_t>(d.below(3));
        if (k == 2) {
          const Array s = scalar(d, v);
          switch (d.below(4)) {
            case 0: v[2] = expr(d, {v[2]}); break;
            case 1: v[2] = sat(v[2] * s); break;
            case 2: v[2] = stack({v[2][1], s}); break;
            default: v[2] = v[2].at(where(s > 0., 1, 0)).set(s * .5); break;
          }
        } else if (d.one_in(4))
          v[k] = v[2].sum();
        else if (d.one_in(4))
          v[k] = v[2][where(scalar(d, v) > .3, 1, 0)];
        else
          v[k] = expr(d, {v[0], v[1]});
      } else if (what < 10)
        v = loop(d, depth, v);
      else if (what < 14)
        v = steps_of(d, depth, v);
      else if (what < 18)
        v = branch(d, depth, v);
      else
        v = guarded(d, v);
    }
    return v;
  }
  Values loop(Dice& d, int depth, const Values& v) const {
    const Array limit = sat(scalar(d, v)) * (d.one_in(2) ? 1. : 2.);
    const bool keep = d.one_in(3), outside = d.one_in(2);
    const uint32_t inner = d.seed();
    WhileOptions o;
    if (kinds_.smooth) o.max_trips = 9;
    Values init{number(-3.)};
    init.insert(init.end(), v.begin(), v.end());
    Values r = while_loop([&](Values s) { return s[0] < (outside ? limit : sat(s[1])); },
                          [&](Values s) {
                            Values next = build(inner, depth - 1, {s[1], s[2], s[3]});
                            if (keep) next[0] = s[1];
                            next.insert(next.begin(), s[0] + 1.3);
                            return next;
                          },
                          init, o);
    return {r[1], r[2], r[3]};
  }
  Values steps_of(Dice& d, int depth, const Values& v) const {
    const uint32_t inner = d.seed();
    const Array rows = stack({v[0], v[1], scalar(d, v) * .5});
    const bool reverse = d.one_in(2);
    const auto [c, y] = scan(
        [&](Values s, Array x) {
          Values next = build(inner, depth - 1, {s[0], s[1] + x, s[2]});
          const Array out = next[0] * x;
          return std::pair{next, out};
        },
        v, rows, {.reverse = reverse});
    Values r = c;
    r[1] = sat(y.sum());
    return r;
  }
  Values branch(Dice& d, int depth, const Values& v) const {
    const Array s = scalar(d, v);
    const double at = d.one_in(2) ? 0. : .5;
    const uint32_t yes = d.seed(), no = d.seed(), other = d.seed();
    const auto arm = [&](uint32_t which) {
      return [this, which, depth](Array a, Array b, Array c) {
        return build(which, depth - 1, {a, b, c});
      };
    };
    if (d.one_in(2)) return cond(s > at, arm(yes), arm(no), v[0], v[1], v[2]);
    return switch_(where(s > at, 2, where(s < -at, -1, 1)),
                   std::tuple{arm(yes), arm(no), arm(other)}, v[0], v[1], v[2]);
  }
  // The loop never ends for large s, and lanes with large s do not take its branch.
  Values guarded(Dice& d, Values v) const {
    const Array s = scalar(d, v);
    const auto endless = [](Array z) {
      return while_loop([](Array q) { return q * q > .01; },
                        [](Array q) { return where(q > .5, q, q * .5); }, z);
    };
    const auto bounded = [](Array z) {
      return while_loop([](Array q) { return q * q > .01; },
                        [](Array q) { return where(q > .5, q, q * .5); }, z, {.max_trips = 8});
    };
    const auto seven = [](Array z) { return z * 0. + 7.; };
    v[0] = kinds_.smooth ? cond(s > .5, seven, bounded, s) : cond(s > .5, seven, endless, s);
    v[0] = sat(v[0]);
    return v;
  }
  uint32_t seed_;
  Kinds kinds_;
};

// Returns the value at one index of the leading axes.
inline Array lane_of(const Array& x, const std::vector<int64_t>& index) {
  Array r = x;
  for (int64_t i : index) r = r[i];
  return r;
}

}  // namespace weft::test

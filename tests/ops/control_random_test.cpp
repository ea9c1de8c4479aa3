// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/ops/control_random_test.cpp: random programs of loops and branches, mapped up to three
// times, compared with the same programs run for one lane after another.
#include <fmt/ostream.h>

#include <cmath>

#include "support/check.h"
#include "support/random_control.h"
#include "support/share.h"
#include "tracer/eval_trace.h"

using namespace weft;
using namespace weft::test;

namespace {

// The arguments that each map maps, innermost map first, and the numbers of lanes.
struct Maps {
  std::vector<std::array<bool, 3>> mapped;
  std::vector<int64_t> size;
};
Maps random_maps(uint32_t seed) {
  std::minstd_rand r(seed * 7919 + 13);
  const auto below = [&](int n) { return static_cast<int>((r() >> 8) % static_cast<uint32_t>(n)); };
  Maps m;
  for (int t = 1 + below(3); t > 0; --t) {
    m.mapped.push_back({below(20) < 11, below(20) < 11, below(20) < 11});
    m.size.push_back(std::array{1, 2, 3, 5}[static_cast<size_t>(below(4))]);
  }
  return m;
}
Array random_array(std::minstd_rand& r, const Shape& s) {
  std::vector<double> x;
  for (int64_t i = 0; i < s.elements(); ++i)
    x.push_back((static_cast<double>(r() % 100000) / 100000 - .5) * 5);
  return array(x, s);
}
// Returns the arguments with the axes of all maps, outermost first.
Arrays arguments_for(const Maps& m, uint32_t seed) {
  std::minstd_rand r(seed + 77);
  Arrays x;
  for (size_t k = 0; k < 3; ++k) {
    Ints s;
    for (size_t t = m.size.size(); t-- > 0;)
      if (m.mapped[t][k]) s.push_back(m.size[t]);
    if (k == 2) s.push_back(2);
    x.push_back(random_array(r, Shape(s)));
  }
  return x;
}
template <class F>
Function<Three(Array, Array, Array)> map_all(F f, const Maps& m) {
  Function<Three(Array, Array, Array)> g = f;
  for (size_t t = 0; t < m.size.size(); ++t) {
    std::vector<Axes> in;
    for (size_t k = 0; k < 3; ++k) in.push_back(m.mapped[t][k] ? Axes(0) : Axes(none));
    VmapOptions o;
    o.axis_size = m.size[t];
    g = vmap(g, Axes(in), 0, o);
  }
  return g;
}
Arrays list(const Three& t) { return {std::get<0>(t), std::get<1>(t), std::get<2>(t)}; }

// Returns the first difference between `got`, which has all lanes, and f run on each lane alone, or
// "".
template <class F>
std::string difference(const Arrays& got, F f, const Maps& m, const Arrays& x, double tolerance) {
  const ReferenceMode reference;
  std::vector<int64_t> at(m.size.size(), 0);  // outermost first
  int64_t lanes = 1;
  for (int64_t n : m.size) lanes *= n;
  for (int64_t l = 0; l < lanes; ++l) {
    int64_t rest = l;
    for (size_t t = at.size(); t-- > 0;) {
      at[t] = rest % m.size[at.size() - 1 - t];
      rest /= m.size[at.size() - 1 - t];
    }
    Arrays in;
    for (size_t k = 0; k < 3; ++k) {
      std::vector<int64_t> mine;
      for (size_t t = 0; t < at.size(); ++t)
        if (m.mapped[at.size() - 1 - t][k]) mine.push_back(at[t]);
      in.push_back(lane_of(x[k], mine));
    }
    const Arrays want = list(f(in[0], in[1], in[2]));
    for (size_t k = 0; k < 3; ++k) {
      const std::vector<double> g = lane_of(got[k], at).template to_vector<double>(),
                                w = want[k].template to_vector<double>();
      for (size_t i = 0; i < w.size(); ++i)
        if (g.size() != w.size() || !(std::abs(g[i] - w[i]) <= tolerance * (1 + std::abs(w[i])) ||
                                      (std::isnan(g[i]) && std::isnan(w[i]))))
          return "lane " + std::to_string(l) + ", result " + std::to_string(k) + ": " +
                 std::to_string(g[i]) + " instead of " + std::to_string(w[i]);
    }
  }
  return "";
}

void check_values(uint32_t seed, bool compiled) {
  const RandomControl f(seed, {.smooth = false, .depth = 1 + static_cast<int>(seed % 3)});
  const Maps m = random_maps(seed);
  const Arrays x = arguments_for(m, seed);
  const auto g = map_all(f, m);
  Arrays got;
  std::string bad;
  try {
    if (compiled)
      got = list(jit(g)(x[0], x[1], x[2]));
    else {
      const ReferenceMode reference;
      got = list(g(x[0], x[1], x[2]));
    }
    bad = difference(got, f, m, x, 1e-7);
  } catch (const std::exception& e) {
    bad = e.what();
  }
  INFO("seed " << seed << (compiled ? " compiled" : " by reference") << ": " << bad);
  CHECK(bad.empty());
}

// Checks gradients of a weighted sum of the results with respect to all three arguments. `inside`
// is the number of maps in the differentiated function, which sums over their lanes. The other maps
// are around the gradient.
void check_gradients(uint32_t seed, const Maps& m, size_t inside) {
  const RandomControl f(seed, {.smooth = true, .depth = 1 + static_cast<int>(seed % 2)});
  const auto loss = [f](Array a, Array b, Array c) {
    const auto [p, q, r] = f(a, b, c);
    return p * 1.3 + q * .7 + (r * array({.4, -1.1}, F64)).sum();
  };
  const auto one = [loss](Array a, Array b, Array c) -> Three {
    return grad<0, 1, 2>(loss)(a, b, c);
  };
  const auto at = static_cast<std::ptrdiff_t>(inside);
  const Maps inner{{m.mapped.begin(), m.mapped.begin() + at},
                   {m.size.begin(), m.size.begin() + at}};
  const Maps outer{{m.mapped.begin() + at, m.mapped.end()}, {m.size.begin() + at, m.size.end()}};
  const auto sum = [&](Array a, Array b, Array c) {
    const auto mapped = map_all(
        [loss](Array a, Array b, Array c) -> Three {
          const Array v = loss(a, b, c);
          return {v, v, v};
        },
        inner);
    return std::get<0>(mapped(a, b, c)).sum();
  };
  const auto slopes = [&](Array a, Array b, Array c) -> Three {
    return grad<0, 1, 2>(sum)(a, b, c);
  };
  const Arrays x = arguments_for(m, seed);
  std::string bad;
  try {
    const Arrays got = list(jit(map_all(slopes, outer))(x[0], x[1], x[2]));
    if (inside == 0) {
      bad = difference(got, one, m, x, 1e-6);
    } else {
      // The gradient of a sum over lanes is the sum of the lanes' gradients.
      const ReferenceMode reference;
      Arrays want = list(map_all(one, m)(x[0], x[1], x[2]));
      for (size_t k = 0; k < 3; ++k) {
        for (size_t t = inside, axis = outer.size.size(); t-- > 0;) {
          if (inner.mapped[t][k])
            ++axis;
          else
            want[k] = want[k].sum(static_cast<int64_t>(axis));
        }
        const auto g = got[k].to_vector<double>(), w = want[k].to_vector<double>();
        if (got[k].shape() != want[k].shape())
          bad = fmt::format("argument {}: shape [{}] instead of [{}]", k,
                            fmt::join(got[k].shape().sizes(), ","),
                            fmt::join(want[k].shape().sizes(), ","));
        for (size_t i = 0; bad.empty() && i < w.size(); ++i)
          if (!(std::abs(g[i] - w[i]) <= 1e-6 * (1 + std::abs(w[i])) ||
                (std::isnan(g[i]) && std::isnan(w[i]))))
            bad = fmt::format("argument {}: {} instead of {}", k, g[i], w[i]);
      }
    }
  } catch (const std::exception& e) {
    bad = e.what();
  }
  INFO("seed " << seed << ", " << inside << " of " << m.size.size()
               << " maps inside the gradient: " << bad);
  CHECK(bad.empty());
}
void map_of_gradients(uint32_t seed) { check_gradients(seed, random_maps(seed), 0); }
void gradient_of_maps(uint32_t seed) {
  const Maps m = random_maps(seed);
  check_gradients(seed, m, m.size.size());
}
void gradient_between_maps(uint32_t seed) {
  const Maps m = random_maps(seed);
  for (size_t inside = 1; inside < m.size.size(); ++inside) check_gradients(seed, m, inside);
}

// Checks that a program of maps, or of maps of gradients, gives the same bits after it was written
// as StableHLO and parsed.
void check_written(uint32_t seed, bool gradients) {
  const RandomControl f(seed, {.smooth = gradients, .depth = 1 + static_cast<int>(seed % 3)});
  const auto slopes = [f](Array a, Array b, Array c) -> Three {
    const auto loss = [f](Array a, Array b, Array c) {
      const auto [p, q, r] = f(a, b, c);
      return p * 1.3 + q * .7 + (r * array({.4, -1.1}, F64)).sum();
    };
    return grad<0, 1, 2>(loss)(a, b, c);
  };
  const Maps m = random_maps(seed);
  const Arrays x = arguments_for(m, seed);
  std::string bad;
  try {
    const auto g = gradients ? map_all(slopes, m) : map_all(f, m);
    const ClosedJaxpr program = make_jaxpr(g)(x[0], x[1], x[2]);
    const ClosedJaxpr again = parse_stablehlo(to_stablehlo(program));
    const ReferenceMode reference;
    const Arrays want = eval_jaxpr(program, x), got = eval_jaxpr(again, x);
    for (size_t k = 0; k < want.size(); ++k)
      if (!array_equal(got[k], want[k], true).item<bool>())
        bad += fmt::format("result {}: {} instead of {}; ", k, fmt::streamed(got[k]),
                           fmt::streamed(want[k]));
  } catch (const std::exception& e) {
    bad = e.what();
  }
  INFO("seed " << seed << (gradients ? ", gradients: " : ": ") << bad);
  CHECK(bad.empty());
}

// Compares forward mode with reverse mode.
void check_modes(uint32_t seed) {
  const RandomControl f(seed, {.smooth = true, .depth = 1 + static_cast<int>(seed % 2)});
  const auto loss = [f](Array a, Array b, Array c) {
    const auto [p, q, r] = f(a, b, c);
    return p * 1.3 + q * .7 + (r * array({.4, -1.1}, F64)).sum();
  };
  std::minstd_rand r(seed);
  const Array a = random_array(r, {}), b = random_array(r, {}), c = random_array(r, {2}),
              da = random_array(r, {}), db = random_array(r, {}), dc = random_array(r, {2});
  std::string bad;
  try {
    const auto [ga, gb, gc] = jit(grad<0, 1, 2>(loss))(a, b, c);
    const double rev = (ga * da + gb * db + (gc * dc).sum()).item<double>();
    const double fwd = jvp(loss, std::tuple{a, b, c}, std::tuple{da, db, dc}).second.item<double>();
    if (!(std::abs(rev - fwd) <= 1e-8 * (1 + std::abs(fwd))))
      bad = std::to_string(rev) + " backwards, " + std::to_string(fwd) + " forwards";
  } catch (const std::exception& e) {
    bad = e.what();
  }
  INFO("seed " << seed << ": " << bad);
  CHECK(bad.empty());
}

// Runs `check` on a share of the programs before number n.
void programs(uint32_t n, uint64_t every, auto check) {
  Share share(every);
  for (uint32_t s = 0; s < n; ++s)
    if (share.next()) check(s);
}

}  // namespace

TEST_CASE("random programs by the reference rules", "[control][random][share]") {
  programs(200, 1, [](uint32_t s) { check_values(s, false); });
}
TEST_CASE("random programs compiled", "[control][random][share]") {
  programs(200, 4, [](uint32_t s) { check_values(s, true); });
}
TEST_CASE("random programs: maps of gradients", "[control][random][share]") {
  programs(40, 4, map_of_gradients);
}
TEST_CASE("random programs: gradients of maps", "[control][random][share]") {
  programs(60, 4, gradient_of_maps);
}
TEST_CASE("random programs: gradients between maps", "[control][random][share]") {
  programs(60, 4, gradient_between_maps);
}
TEST_CASE("random programs written as StableHLO and read back", "[control][random][share]") {
  programs(200, 1, [](uint32_t s) { check_written(s, false); });
  programs(40, 2, [](uint32_t s) { check_written(s, true); });
}
TEST_CASE("random programs: forward and reverse mode agree", "[control][random][share]") {
  programs(60, 3, check_modes);
}
TEST_CASE("many random programs", "[control][random][slow]") {
  for (uint32_t s = 200; s < 1200; ++s) check_values(s, true);
  for (uint32_t s = 60; s < 400; ++s) {
    map_of_gradients(s);
    gradient_of_maps(s);
    gradient_between_maps(s);
    check_modes(s);
    check_written(s, true);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/laws/functions.cpp: functions of one lane of the kinds that users write: those of
// benchmarks/programs.h, and others of the kinds in examples/.
#include <cmath>

#include "benchmarks/laws/program.h"
#include "benchmarks/programs.h"

namespace weft::speed {
namespace {

// An argument of a lane, with uniform elements.
struct Argument {
  typing::Type type;
  double lo = -1, hi = 1;
  bool mapped = true;
};
using Arguments = std::vector<Argument>;

typing::Type f32(const Shape& s = {}) { return typing::Type(F32, s); }
typing::Type f64(const Shape& s = {}) { return typing::Type(F64, s); }
typing::Type i32(const Shape& s = {}) { return typing::Type(I32, s); }
Argument seed_of_lane() { return {i32(), 0, 1 << 30}; }

Array drawn(const Argument& a, const Shape& s, int number) {
  const Array key = random::key(number);
  if (!ir::is_floating(a.type.dtype()))
    return random::randint(key, s, static_cast<int64_t>(a.lo), static_cast<int64_t>(a.hi))
        .astype(a.type.dtype());
  return random::uniform(key, s, {.lo = a.lo, .hi = a.hi}).astype(a.type.dtype());
}

Program program_of(Function lane, Arguments arguments) {
  Program p;
  p.lane = std::move(lane);
  for (const Argument& a : arguments) {
    p.in.push_back(a.type);
    p.mapped.push_back(a.mapped);
  }
  p.arguments = [arguments = std::move(arguments)](int64_t lanes) {
    Arrays all;
    for (const Argument& a : arguments) {
      const Shape& s = a.type.shape();
      all.push_back(drawn(a, a.mapped ? s.inserted(0, lanes) : s, static_cast<int>(all.size())));
    }
    return all;
  };
  return p;
}

Source fixed(const char* name, Function lane, Arguments arguments) {
  return {std::string("function/") + name, [=] { return program_of(lane, arguments); }};
}
using Sized = Program (*)(int64_t n);
Source sized(const char* name, Sized make, int64_t size, double power) {
  return {std::string("function/") + name, [=] { return make(size); }, make, size, power};
}

// ---- small vectors and matrices of a lane

Program sum_squares(int64_t n) {
  return program_of([](const Arrays& x) { return Arrays{square(x[0]).sum()}; }, {{f32({n})}});
}
Program softmax(int64_t n) {
  return program_of([](const Arrays& x) { return Arrays{nn::softmax(x[0])}; }, {{f32({n})}});
}
Program layer_norm(int64_t n) {
  return program_of([](const Arrays& x) { return Arrays{nn::layer_norm(x[0])}; }, {{f32({n})}});
}
Program sorted(int64_t n) {
  return program_of([](const Arrays& x) { return Arrays{sort(x[0])}; }, {{f32({n})}});
}
Program running_sum(int64_t n) {
  return program_of([](const Arrays& x) { return Arrays{cumsum(x[0])}; }, {{f32({n})}});
}
Program solve(int64_t n) {
  const auto f = [n](const Arrays& x) {
    return Arrays{linalg::solve(x[0] + 2. * static_cast<double>(n) * eye(n), x[1])};
  };
  return program_of(f, {{f32({n, n})}, {f32({n})}});
}
Program cholesky(int64_t n) {
  const auto f = [n](const Arrays& x) {
    return Arrays{linalg::cholesky(matmul(x[0], x[0].T()) + static_cast<double>(n) * eye(n))};
  };
  return program_of(f, {{f32({n, n})}});
}
Program product(int64_t n) {
  return program_of([](const Arrays& x) { return Arrays{matmul(x[0], x[1])}; },
                    {{f32({n, n})}, {f32({n, n})}});
}
Program shared_matrix(int64_t n) {
  return program_of([](const Arrays& x) { return Arrays{tanh(dot(x[0], x[1]))}; },
                    {{f32({n, n}), -1, 1, false}, {f32({n})}});
}
Program second_derivatives(int64_t n) {
  const auto rosenbrock = [](Array x) {
    const Array a = x[slice(0, -1)], b = x[slice(1, none)];
    return (100. * square(b - square(a)) + square(1. - a)).sum();
  };
  return program_of([=](const Arrays& x) { return Arrays{hessian(rosenbrock)(x[0])}; },
                    {{f64({n})}});
}
Program attention(int64_t n) {
  const auto f = [](const Arrays& x) {
    return Arrays{matmul(nn::softmax(matmul(x[0], x[1].T()) / 4.), x[2])};
  };
  return program_of(f, {{f32({n, 16})}, {f32({n, 16})}, {f32({n, 16})}});
}
// The position of the hand of an arm of six joints, and its derivatives by their angles.
Arrays arm(const Arrays& q) {
  const auto hand = [](Array angles) {
    Array pose = eye(4, none, 0, F64);
    const Array zero = zeros({}, F64), one = ones({}, F64);
    for (int i = 0; i < 6; ++i) {
      const Array c = cos(angles[i]), s = sin(angles[i]);
      const Array up = i % 2 ? zero : one, flat = i % 2 ? one : zero;
      const Array link =
          stack({stack({c, -s * flat, s * up, 0.4 * c}), stack({s, c * flat, -c * up, 0.4 * s}),
                 stack({zero, up, flat, 0.1 * one}), stack({zero, zero, zero, one})});
      pose = matmul(pose, link);
    }
    return pose[{slice(0, 3), 3}];
  };
  return {hand(q[0]), jacfwd(hand)(q[0])};
}
// A camera's view of a point: nine parameters, three coordinates, two residuals; and derivatives.
Arrays reprojection(const Arrays& x) {
  const auto residual = [](Array camera, Array point, Array seen) {
    const Array w = camera[slice(0, 3)], angle = sqrt(square(w).sum() + 1e-12), k = w / angle;
    const Array turned = point * cos(angle) + cross(k, point) * sin(angle) +
                         k * dot(k, point) * (1. - cos(angle)) + camera[slice(3, 6)];
    const Array plane = turned[slice(0, 2)] / (turned[2] + 4.), r = square(plane).sum();
    return camera[6] * (1. + r * (camera[7] + camera[8] * r)) * plane - seen;
  };
  return {residual(x[0], x[1], x[2]), jacfwd<0>(residual)(x[0], x[1], x[2]),
          jacfwd<1>(residual)(x[0], x[1], x[2])};
}
// An image of n x n pixels, blurred by a kernel that the lanes share.
Program blur(int64_t n) {
  const auto f = [](const Arrays& x) {
    return Arrays{scipy::signal::convolve2d(x[0], x[1], "same")};
  };
  return program_of(f, {{f32({n, n})}, {f32({5, 5}), 0, 1, false}});
}
Program spectrum(int64_t n) {
  return program_of([](const Arrays& x) { return Arrays{abs(fft::fft(x[0]))}; }, {{f32({n})}});
}
Program histogram_of(int64_t n) {
  const auto f = [](const Arrays& x) {
    return Arrays{segment_sum(x[0], x[1], {.num_segments = 16})};
  };
  return program_of(f, {{f32({n})}, {i32({n}), 0, 16}});
}
// Reads a table that the lanes share, between its entries.
Program interpolation(int64_t n) {
  const auto f = [n](const Arrays& x) {
    const Array at = x[1] * static_cast<double>(n - 1), low = minimum(floor(at), n - 2.);
    const Array i = low.astype(I32), weight = at - low;
    return Arrays{x[0][i] * (1. - weight) + x[0][i + 1] * weight};
  };
  return program_of(f, {{f32({n}), -1, 1, false}, {f32(), 0, 1}});
}

// ---- loops

Program recurrence(int64_t n) {
  const auto f = [](const Arrays& x) {
    const auto step = [](Array c, Array v) {
      const Array next = c * .9f + v;
      return std::pair{next, next};
    };
    return Arrays{scan(step, zeros({}), x[0]).second};
  };
  return program_of(f, {{f32({n})}});
}
// A loop that writes one row of its record in each trip, in a number of trips that differs.
Program record(int64_t n) {
  const auto f = [n](const Arrays& x) {
    const auto body = [](Array i, std::pair<Array, Array> s) {
      const auto [at, rows] = s;
      const Array next = at + .1f * stack({at[1], -at[0]});
      return std::pair{next, rows.at(i).set(next)};
    };
    return Arrays{fori_loop(0, x[1], body, std::pair{x[0], zeros({n, 2})}).second};
  };
  return program_of(f, {{f32({2})}, {i32(), 1, static_cast<double>(n)}});
}
// The same in a scan, in which the rows after the end are masked.
Program masked_record(int64_t n) {
  const auto f = [n](const Arrays& x) {
    const auto step = [end = x[1]](std::pair<Array, Array> s, Array i) {
      const auto [at, rows] = s;
      const Array next = at + .1f * stack({at[1], -at[0]});
      return std::pair{std::pair{next, where(i < end, rows.at(i).set(next), rows)}, at.sum()};
    };
    const auto [last, sums] = scan(step, std::pair{x[0], zeros({n, 2})}, arange(n));
    return Arrays{last.second, sums};
  };
  return program_of(f, {{f32({2})}, {i32(), 1, static_cast<double>(n)}});
}
// Lanes with different numbers of trips. The carry is a vector.
Arrays relaxation(const Arrays& x) {
  using State = std::pair<Array, Array>;
  const auto going = [](State s) { return (s.second > 1e-3) & (s.second < 1e6); };
  const auto step = [&](State s) {
    const Array next = 0.9 * tanh(dot(x[0], s.first)) + 0.05 * x[1];
    return State{next, abs(next - s.first).max()};
  };
  return {while_loop(going, step, State{x[1], Array(1.)}, {.max_trips = 200}).first};
}
Arrays bisection(const Arrays& x) {
  using Range = std::pair<Array, Array>;
  const auto going = [](Range r) { return r.second - r.first > 1e-9; };
  const auto halve = [&](Range r) {
    const Array middle = (r.first + r.second) / 2., high = middle * exp(middle) > x[0];
    return Range{where(high, r.first, middle), where(high, middle, r.second)};
  };
  return {while_loop(going, halve, Range{zeros({}, F64), x[0] + 1.}).first};
}
// Damped Gauss-Newton steps for a curve of three parameters and 24 measurements.
Arrays curve_fit(const Arrays& x) {
  const Array t = linspace(0., 3., 24, {.dtype = F64});
  const auto residuals = [&](Array p) { return p[0] * exp(-p[1] * t) + p[2] - x[0]; };
  using State = std::tuple<Array, Array, Array>;  // parameters, damping, the last change
  const auto step = [&](State s) {
    const auto [p, damping, moved] = s;
    const Array r = residuals(p), j = jacfwd(residuals)(p), normal = dot(j.T(), j);
    const Array change = linalg::solve(normal + damping * eye(3, none, 0, F64), -dot(j.T(), r));
    const Array better = square(residuals(p + change)).sum() < square(r).sum();
    return State{where(better, p + change, p), where(better, damping * 0.2, damping * 4.),
                 where(better, abs(change).max(), moved)};
  };
  const auto going = [](State s) { return (std::get<2>(s) > 1e-6) & (std::get<1>(s) < 1e8); };
  const State begin{array({1., 1., 0.}, F64), full({}, 1e-2, F64), ones({}, F64)};
  return {std::get<0>(while_loop(going, step, begin, {.max_trips = 40}))};
}
// Dividing cells: events until a day is over. Lanes differ much in their numbers of trips.
Arrays colony(const Arrays& x) {
  using State = std::tuple<Array, Array, Array>;  // key, time, cells
  const auto going = [](State s) { return std::get<1>(s) < 1.; };
  const auto divide = [&](State s) {
    const auto [key, time, cells] = s;
    const auto [next, use] = random::split(key);
    const Array after = time + random::exponential(use) / (x[1] * cells);
    return State{next, after, where(after < 1., cells + 1., cells)};
  };
  return {std::get<2>(while_loop(going, divide, State{random::key(x[0]), zeros({}), full({}, 4.f)},
                                 {.max_trips = 500}))};
}
// A filter of a random walk by 64 particles, over 20 measurements.
Arrays particle_filter(const Arrays& x) {
  constexpr int particles = 64;
  const auto step = [](std::pair<Array, Array> state, Array y) {
    const auto [old, cloud] = state;
    const auto [next, move, draw] = random::split<3>(old);
    const Array moved = cloud + 0.3 * random::normal(move, {particles});
    const Array p = nn::softmax(-2. * square(y - moved));
    const Array places = (random::uniform(draw) + arange(particles)) / particles;
    const Array chosen = minimum(searchsorted(cumsum(p), places), particles - 1);
    return std::pair{std::pair{next, moved[chosen]}, dot(p, moved)};
  };
  const auto [first, rest] = random::split<2>(random::key(x[0]));
  return {scan(step, std::pair{rest, random::normal(first, {particles})}, x[1]).second};
}
// A controller by ADMM: products with matrices that the lanes share, and projections.
Arrays controller(const Arrays& x) {
  const auto iterate = [&](Array, std::pair<Array, Array> s) {
    const Array z = clip(dot(x[0], s.first - s.second) + x[1], -1., 1.);
    return std::pair{z, s.second + 0.1 * (z - s.first)};
  };
  return {fori_loop(0, 20, iterate, std::pair{x[1], zeros({8})}).first};
}
// The largest number around each pixel, until nothing changes.
Arrays components(const Arrays& x) {
  const Array mask = x[0] > .2f;
  const auto around = [&](Array v) {
    return where(mask, lax::reduce_window_max(v, {3, 3}, {.padding = "SAME"}), 0);
  };
  const auto changes = [&](Array v) { return (around(v) != v).any(); };
  return {while_loop(changes, around, where(mask, arange(1, 257).reshape({16, 16}), 0))};
}

// ---- branches

Array costly(Array x) {
  for (int i = 0; i < 12; ++i) x = sin(x) + cos(x * x);
  return x;
}
// One lane in a hundred takes the costly branch.
Arrays rare_branch(const Arrays& x) {
  return {cond(
      x[0] < .01, [](Array v) { return costly(v).sum(); }, [](Array v) { return v.sum(); }, x[1])};
}
Arrays kinds_of_options(const Arrays& x) {
  const auto call = [](Array s) { return scipy::stats::norm::cdf(log(s)) * s; };
  const auto put = [](Array s) { return scipy::stats::norm::cdf(-log(s)) / s; };
  const auto tree = [](Array s) {
    return fori_loop(0, 16, [](Array i, Array v) { return v * .99f + .01f * i; }, s);
  };
  return {switch_(x[0], std::tuple{call, put, tree, [](Array s) { return costly(s); }}, x[1])};
}

// ---- derivatives of programs

// The gradient of a network's loss for one example: private training clips it.
Arrays net_gradient(const Arrays& x) {
  using programs::Net;
  const auto loss = [](Net net, Array in, Array label) {
    return -(nn::log_softmax(programs::logits(net, in)) * nn::one_hot(label, 10)).sum();
  };
  const Net g = grad(loss)(Net{{x[0], x[1]}, {x[2], x[3]}}, x[4], x[5]);
  return {g[0].w, g[0].b, g[1].w, g[1].b};
}
// The price of an option on the mean of twelve prices of one path, and its derivatives.
Arrays path_derivatives(const Arrays& x) {
  const auto price = [&](Array spot, Array vol) {
    const Array steps = (0.05 - 0.5 * square(vol)) / 12. + vol * std::sqrt(1 / 12.) * x[2];
    return nn::softplus((spot * exp(cumsum(steps))).mean() - 1.);
  };
  const auto delta = [&](Array spot) { return grad<0>(price)(spot, x[1]); };
  return {price(x[0], x[1]), grad<0>(price)(x[0], x[1]), grad<1>(price)(x[0], x[1]),
          grad(delta)(x[0])};
}
// The gradient through a loop of an oscillator's steps.
Arrays loop_gradient(const Arrays& x) {
  const auto end = [](Array at) {
    const auto step = [](Array, Array s) {
      return s + .05f * stack({s[1], -sin(s[0]) - .1f * s[1]});
    };
    return square(fori_loop(0, 50, step, at)).sum();
  };
  return {grad(end)(x[0])};
}
Arrays eigenvalues(const Arrays& x) {
  const auto [values, vectors] = linalg::eigh(x[0] + x[0].T());
  return {values, vectors};
}

Sources of_programs_h() {
  namespace p = programs;
  return {
      fixed("wave", [](const Arrays& x) { return Arrays{p::wave(x[0])}; }, {{f32()}}),
      fixed("mandelbrot", [](const Arrays& x) { return Arrays{p::mandelbrot(x[0], x[1])}; },
            {{f32(), -2, .6}, {f32(), -1.2, 1.2}}),
      fixed("van_der_pol", [](const Arrays& x) { return Arrays{p::van_der_pol(x[0], x[1])}; },
            {{f32(), .1, 20}, {f32({2})}}),
      fixed("kalman", [](const Arrays& x) { return Arrays{p::kalman(x[0])}; }, {{f32({100, 2})}}),
      fixed("kalman_step",
            [](const Arrays& x) {
              const p::Belief b = p::kalman_step({x[0], matmul(x[1], x[1].T()) + eye(4)}, x[2]);
              return Arrays{b.mean, b.cov};
            },
            {{f32({4})}, {f32({4, 4})}, {f32({2})}}),
      fixed("net_gradient", net_gradient,
            {{f32({16, 32}), -.3, .3, false},
             {f32({32}), -1, 1, false},
             {f32({32, 10}), -.3, .3, false},
             {f32({10}), -1, 1, false},
             {f32({16})},
             {i32(), 0, 10}}),
  };
}
Sources of_sizes() {
  return {
      sized("sum_squares", sum_squares, 64, 1),
      sized("softmax", softmax, 64, 1),
      sized("layer_norm", layer_norm, 64, 1),
      sized("running_sum", running_sum, 64, 1),
      sized("sort", sorted, 32, 1),
      sized("solve", solve, 4, 3),
      sized("cholesky", cholesky, 8, 3),
      sized("product", product, 8, 3),
      sized("shared_matrix", shared_matrix, 64, 2),
      sized("second_derivatives", second_derivatives, 8, 2),
      sized("attention", attention, 16, 2),
      sized("blur", blur, 16, 2),
      sized("spectrum", spectrum, 64, 1),
      sized("histogram", histogram_of, 64, 1),
      sized("interpolation", interpolation, 256, 0),
      sized("recurrence", recurrence, 64, 1),
      sized("record", record, 64, 1),
      sized("masked_record", masked_record, 64, 1),
  };
}

}  // namespace

Sources functions() {
  Sources all = {
      fixed("affine", [](const Arrays& x) { return Arrays{2.f * x[0] + 1.f}; }, {{f32()}}),
      fixed("arm", arm, {{f64({6}), -3, 3}}),
      fixed("reprojection", reprojection, {{f64({9})}, {f64({3})}, {f64({2})}}),
      fixed("relaxation", relaxation, {{f32({16, 16}), -.3, .3}, {f32({16})}}),
      fixed("bisection", bisection, {{f64(), 0, 10}}),
      fixed("curve_fit", curve_fit, {{f64({24}), 0, 2}}),
      fixed("colony", colony, {seed_of_lane(), {f32(), .1, 3}}),
      fixed("particle_filter", particle_filter, {seed_of_lane(), {f32({20})}}),
      fixed("controller", controller, {{f32({8, 8}), -.3, .3, false}, {f32({8})}}),
      fixed("components", components, {{f32({16, 16})}}),
      fixed("rare_branch", rare_branch, {{f32(), 0, 1}, {f32({16})}}),
      fixed("kinds_of_options", kinds_of_options, {{i32(), 0, 4}, {f32(), .5, 2}}),
      fixed("path_derivatives", path_derivatives,
            {{f32(), .8, 1.2}, {f32(), .1, .4}, {f32({12}), -2, 2}}),
      fixed("loop_gradient", loop_gradient, {{f32({2})}}),
      fixed("eigenvalues", eigenvalues, {{f32({4, 4})}}),
  };
  for (const Sources& more : {of_programs_h(), of_sizes()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace weft::speed

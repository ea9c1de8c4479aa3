// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/cpp/program_cases.h: sizes, constants and inputs of the four programs, beside cases.h.
#pragma once
#include <algorithm>
#include <array>

#include "cases.h"

namespace cases {

using Ints = std::vector<int>;

// Bundle adjustment: each point is seen by four cameras.
namespace adjust {
constexpr int points_per_camera = 100, views = 4, solver_steps = 10;
constexpr double damping = 1e-3;
}  // namespace adjust
inline int adjust_cameras() { return lanes(60); }

// Model predictive control of a mass in the plane, by ADMM. The state is the position and the
// velocity; the inputs and the velocities are limited.
namespace mpc {
constexpr int horizon = 20, states = 4, inputs = 2;
constexpr int unknowns = horizon * inputs, limits = 2 * unknowns, iterations = 100;
constexpr double dt = 0.1, drag = 0.3, rho = 0.3, tolerance = 2e-3, max_input = 1, max_speed = 0.8;
constexpr double state_cost[states] = {1, 1, 0.1, 0.1}, input_cost = 0.05;
}  // namespace mpc
inline int mpc_lanes() { return lanes(1000); }

// A cloth of particles with springs to neighbours along both axes and both diagonals.
namespace cloth {
constexpr int rows = 64, columns = 96, particles = rows * columns, steps = 20;
constexpr double dt = 1e-3, stiffness = 500, damping = 0.2, mass = 0.01, spacing = 0.02;
constexpr double gravity[3] = {0, 0, -9.81};
}  // namespace cloth

namespace filter {
constexpr int particles = 512, steps = 100;
constexpr double keep = 0.9, variance = 0.25;
}  // namespace filter
inline int filter_lanes() { return lanes(500); }

// cameras: rotation vector, translation, focal length, two coefficients of distortion. seen:
// pixels.
struct AdjustData {
  Vec cameras, points, seen;
  Ints camera, point;  // of each observation
};
// The pixel of a point in a camera (9 numbers), where angle > 0.
inline std::array<double, 2> pixel(const double* c, const double* p) {
  const double angle = std::sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
  const double w[3] = {c[0] / angle, c[1] / angle, c[2] / angle};
  const double s = std::sin(angle), k = std::cos(angle);
  const double along = (1 - k) * (w[0] * p[0] + w[1] * p[1] + w[2] * p[2]);
  double q[3];
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, l = (i + 2) % 3;
    q[i] = k * p[i] + s * (w[j] * p[l] - w[l] * p[j]) + along * w[i] + c[3 + i];
  }
  const double x = q[0] / q[2], y = q[1] / q[2], r2 = x * x + y * y;
  const double scale = c[6] * (1 + r2 * (c[7] + r2 * c[8]));
  return {scale * x, scale * y};
}
inline AdjustData adjust_data() {
  Rng g(7);
  AdjustData data;
  const int cameras = adjust_cameras(), points = adjust::points_per_camera * cameras;
  for (int i = 0; i < cameras; ++i) {
    for (int k = 0; k < 3; ++k) data.cameras.push_back(g(0.1, 0.6) * (g() < 0.5 ? -1 : 1));
    g.append(data.cameras, 2, -1, 1);
    g.append(data.cameras, 1, 6, 10);
    g.append(data.cameras, 1, 500, 900);
    g.append(data.cameras, 1, -0.1, 0.1);
    g.append(data.cameras, 1, -0.02, 0.02);
  }
  g.append(data.points, 3 * points, -2, 2);
  for (int i = 0; i < points; ++i)
    for (int k = 0; k < adjust::views; ++k) {
      data.point.push_back(i);
      data.camera.push_back((i * 7 + k * (cameras / adjust::views)) % cameras);
      for (double e : pixel(&data.cameras[9 * data.camera.back()], &data.points[3 * i]))
        data.seen.push_back(e + g(-1, 1));
    }
  for (double& e : data.points) e += g(-0.01, 0.01);  // the estimates
  return data;
}

// The positions are `from` times the first state plus `by` times the inputs, and so on.
struct MpcData {
  Vec start;            // [lanes, 4]
  Vec inverse, limits;  // [40, 40]: of the cost and the penalty; [80, 40]: what is limited
  Vec slope, offset;    // [40, 4] and [80, 4]: the linear cost and the limited values by `start`
  Vec bound;            // [80]
};
// Writes the inverse of a positive definite matrix, a, to b. It overwrites a.
inline void invert(double* a, double* b, int n) {
  std::fill(b, b + n * n, 0);
  for (int i = 0; i < n; ++i) b[i * n + i] = 1;
  for (int k = 0; k < n; ++k) {
    const double pivot = 1 / a[k * n + k];
    for (int j = 0; j < n; ++j) a[k * n + j] *= pivot, b[k * n + j] *= pivot;
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;
      const double f = a[i * n + k];
      for (int j = 0; j < n; ++j)
        a[i * n + j] -= f * a[k * n + j], b[i * n + j] -= f * b[k * n + j];
    }
  }
}
inline Vec inverse(Vec a, int n) {
  Vec b(a.size());
  invert(a.data(), b.data(), n);
  return b;
}
inline MpcData mpc_data() {
  using namespace mpc;
  const auto next = [](double* x, double force_x, double force_y) {
    for (int k = 0; k < 2; ++k) x[k] += dt * x[2 + k];
    x[2] += dt * (force_x - drag * x[2]), x[3] += dt * (force_y - drag * x[3]);
  };
  const int all = horizon * states;
  Vec from(all * states), by(all * unknowns);  // the states by the first one, and by the inputs
  for (int k = 0; k < states; ++k) {
    double x[states] = {};
    x[k] = 1;
    for (int t = 0; t < horizon; ++t) {
      next(x, 0, 0);
      for (int i = 0; i < states; ++i) from[(t * states + i) * states + k] = x[i];
    }
  }
  for (int k = 0; k < unknowns; ++k) {
    double x[states] = {};
    for (int t = 0; t < horizon; ++t) {
      next(x, t * inputs == k, t * inputs + 1 == k);
      for (int i = 0; i < states; ++i) by[(t * states + i) * unknowns + k] = x[i];
    }
  }
  MpcData data;
  data.limits.resize(limits * unknowns), data.offset.resize(limits * states);
  for (int k = 0; k < unknowns; ++k) {
    const int row = k / inputs * states + 2 + k % inputs;  // a velocity
    data.limits[k * unknowns + k] = 1;
    for (int j = 0; j < unknowns; ++j)
      data.limits[(unknowns + k) * unknowns + j] = by[row * unknowns + j];
    for (int j = 0; j < states; ++j) data.offset[(unknowns + k) * states + j] = from[row * 4 + j];
  }
  Vec cost(unknowns * unknowns);
  data.slope.resize(unknowns * states);
  for (int i = 0; i < unknowns; ++i) {
    cost[i * unknowns + i] = input_cost;
    for (int r = 0; r < all; ++r) {
      const double w = state_cost[r % states] * by[r * unknowns + i];
      for (int j = 0; j < unknowns; ++j) cost[i * unknowns + j] += w * by[r * unknowns + j];
      for (int j = 0; j < states; ++j) data.slope[i * states + j] += w * from[r * states + j];
    }
    for (int r = 0; r < limits; ++r)
      for (int j = 0; j < unknowns; ++j)
        cost[i * unknowns + j] +=
            rho * data.limits[r * unknowns + i] * data.limits[r * unknowns + j];
  }
  data.inverse = inverse(cost, unknowns);
  for (int r = 0; r < limits; ++r) data.bound.push_back(r < unknowns ? max_input : max_speed);
  Rng g(8);
  for (int lane = 0; lane < mpc_lanes(); ++lane) {
    g.append(data.start, 2, -2, 2);
    g.append(data.start, 2, -0.5, 0.5);
  }
  return data;
}

struct ClothData {
  Vec x, rest, free;  // [particles, 3]; the length of each spring; 0 for particles that are held
  Ints ends;          // [springs, 2]
};
inline ClothData cloth_data() {
  using namespace cloth;
  Rng g(9);
  ClothData data;
  const auto connect = [&](int i, int j, int down, int right) {
    if (i + down >= rows || j + right >= columns || j + right < 0) return;
    data.ends.push_back(i * columns + j);
    data.ends.push_back((i + down) * columns + j + right);
    data.rest.push_back(spacing * std::sqrt(down * down + right * right));
  };
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      data.x.insert(data.x.end(), {spacing * j + g(-1e-3, 1e-3), spacing * i, g(-1e-3, 1e-3)});
      data.free.push_back(i > 0);
      connect(i, j, 0, 1), connect(i, j, 1, 0), connect(i, j, 1, 1), connect(i, j, 1, -1);
    }
  return data;
}

// The values that a filter observes, [lanes, steps]. The key of a lane is split from key(0).
inline Vec filter_data() {
  using namespace filter;
  Rng g(10);
  Vec seen;
  for (int lane = 0; lane < filter_lanes(); ++lane) {
    double x = 0;
    for (int t = 0; t < steps; ++t) seen.push_back((x = keep * x + g(-2, 2)) + g(-0.8, 0.8));
  }
  return seen;
}

}  // namespace cases

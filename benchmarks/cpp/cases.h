// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/cpp/cases.h: sizes, constants and inputs of the cases, and how calls are timed.
// All programs in C++ share it. peers/dump_data.cpp writes the inputs for those in Python.
#pragma once
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace cases {

using Vec = std::vector<double>;

// The lanes of a case: `full`, or the environment variable LANES if that is smaller.
inline int lanes(int full) {
  const char* limit = std::getenv("LANES");
  return limit ? std::min(full, std::atoi(limit)) : full;
}
inline int ekf_lanes() { return lanes(20000); }
inline int arm_lanes() { return lanes(20000); }
inline int camera_lanes() { return lanes(200000); }
inline int ilqr_lanes() { return lanes(2000); }
inline int net_lanes() { return lanes(20000); }
inline int spline_lanes() { return lanes(100000); }

// ---- constants

namespace ekf {
constexpr double dt = 0.01, gravity[3] = {0, 0, -9.81};
constexpr double lever[3] = {0.3, -0.1, 0.5};  // from the body's origin to the antenna
// Variances that a step adds to attitude, velocity, position and the two biases, and the variance
// of a measurement.
constexpr double attitude_noise = 1e-6, velocity_noise = 1e-4, position_noise = 1e-6,
                 gyro_bias_noise = 1e-8, accel_bias_noise = 1e-7, measured_noise = 0.04;
}  // namespace ekf

// The geometry is that of Franka's Panda, by Craig's parameters. The inertias are similar to it.
namespace arm {
constexpr int joints = 7;
constexpr double a[joints] = {0, 0, 0, 0.0825, -0.0825, 0, 0.088};
constexpr double d[joints] = {0.333, 0, 0.316, 0, 0.384, 0, 0};
constexpr double cos_alpha[joints] = {1, 0, 0, 0, 0, 0, 0};
constexpr double sin_alpha[joints] = {0, -1, 1, 1, -1, 1, 1};
constexpr double mass[joints] = {4.97, 0.65, 3.23, 3.59, 1.23, 1.67, 0.74};
constexpr double center[joints][3] = {{0.004, 0.002, -0.048},  {-0.003, -0.029, 0.003},
                                      {0.028, 0.039, -0.067},  {-0.053, 0.105, 0.027},
                                      {-0.012, 0.041, -0.038}, {0.060, -0.014, -0.010},
                                      {0.011, -0.004, 0.062}};
constexpr double inertia[joints][3] = {
    {0.703, 0.707, 0.009}, {0.008, 0.028, 0.026}, {0.037, 0.036, 0.011}, {0.026, 0.020, 0.028},
    {0.036, 0.029, 0.009}, {0.002, 0.004, 0.005}, {0.013, 0.010, 0.005}};
}  // namespace arm

namespace ilqr {
constexpr int steps = 50;
constexpr double dt = 0.02, cart = 1, pole = 0.1, length = 0.5, gravity = 9.81, total = cart + pole;
constexpr double state_cost[4] = {1, 10, 0.1, 0.1}, end_cost[4] = {100, 500, 10, 10}, effort = 0.01;
}  // namespace ilqr

namespace net {
constexpr int in = 12, hidden = 32, out = 4;
}

namespace spline {
constexpr int knots = 16;
}

// ---- inputs

struct Rng {
  uint64_t state;
  explicit Rng(uint64_t seed) : state(seed) {}
  double operator()() {  // splitmix64, in [0, 1)
    uint64_t z = (state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }
  double operator()(double lo, double hi) { return lo + (hi - lo) * (*this)(); }
  void append(Vec& v, int n, double lo, double hi) {
    for (int i = 0; i < n; ++i) v.push_back((*this)(lo, hi));
  }
};

// x: attitude (a quaternion, w first), velocity, position, gyro bias, accelerometer bias.
struct EkfData {
  Vec x, cov, gyro, accel, z;
};
inline EkfData ekf_data() {
  Rng g(1);
  EkfData data;
  const double deviation[15] = {.05, .05, .05, .3,  .3,  .3,  .5, .5,
                                .5,  .01, .01, .01, .05, .05, .05};
  for (int lane = 0; lane < ekf_lanes(); ++lane) {
    double q[4], norm = 0, p[3];
    for (double& e : q) e = g(-1, 1), norm += e * e;
    for (double e : q) data.x.push_back(e / std::sqrt(norm));
    g.append(data.x, 3, -10, 10);
    for (double& e : p) data.x.push_back(e = g(-50, 50));
    g.append(data.x, 3, -0.02, 0.02);
    g.append(data.x, 3, -0.1, 0.1);
    Vec root;  // [15, 5]
    g.append(root, 75, -0.5, 0.5);
    for (int i = 0; i < 15; ++i)
      for (int j = 0; j < 15; ++j) {
        double sum = i == j ? 1 : 0;
        for (int k = 0; k < 5; ++k) sum += root[i * 5 + k] * root[j * 5 + k];
        data.cov.push_back(sum * deviation[i] * deviation[j]);
      }
    g.append(data.gyro, 3, -1, 1);
    g.append(data.accel, 3, -12, 12);
    for (double e : p) data.z.push_back(e + g(-1, 1));
  }
  return data;
}

inline Vec arm_data() {
  Rng g(2);
  Vec q;
  g.append(q, arm_lanes() * arm::joints, -2.5, 2.5);
  return q;
}

// camera: rotation vector, translation, fx, fy, cx, cy, k1, k2, p1, p2, k3.
struct CameraData {
  Vec camera, point;
};
inline CameraData camera_data() {
  Rng g(3);
  CameraData data;
  for (int lane = 0; lane < camera_lanes(); ++lane) {
    for (int i = 0; i < 3; ++i) data.camera.push_back(g(0.1, 0.8) * (g() < 0.5 ? -1 : 1));
    g.append(data.camera, 2, -1, 1);
    g.append(data.camera, 1, 6, 10);
    g.append(data.camera, 2, 500, 900);
    g.append(data.camera, 2, 300, 400);
    g.append(data.camera, 2, -0.1, 0.1);
    g.append(data.camera, 2, -0.01, 0.01);
    g.append(data.camera, 1, -0.02, 0.02);
    g.append(data.point, 3, -2, 2);
  }
  return data;
}

// The time derivative of the cart-pole's state (position, angle, and their rates), angle 0 above.
template <class T>
inline void cart_pole(const T* x, const T& force, T* rate) {
  using namespace ilqr;
  using std::cos, std::sin;
  const T s = sin(x[1]), c = cos(x[1]);
  const T push = (force + pole * length * x[3] * x[3] * s) / total;
  const T turn = (gravity * s - c * push) / (length * (4. / 3 - pole / total * c * c));
  rate[0] = x[2];
  rate[1] = x[3];
  rate[2] = push - pole * length / total * turn * c;
  rate[3] = turn;
}
// A step of Runge-Kutta.
template <class T>
inline void cart_pole_step(const T* x, const T& force, T* next) {
  const double h = ilqr::dt;
  T k1[4], k2[4], k3[4], k4[4], at[4];
  cart_pole<T>(x, force, k1);
  for (int i = 0; i < 4; ++i) at[i] = x[i] + h / 2 * k1[i];
  cart_pole<T>(at, force, k2);
  for (int i = 0; i < 4; ++i) at[i] = x[i] + h / 2 * k2[i];
  cart_pole<T>(at, force, k3);
  for (int i = 0; i < 4; ++i) at[i] = x[i] + h * k3[i];
  cart_pole<T>(at, force, k4);
  for (int i = 0; i < 4; ++i) next[i] = x[i] + h / 6 * (k1[i] + 2. * k2[i] + 2. * k3[i] + k4[i]);
}

// x: the states before each step, and the last one. force: one for each step.
struct IlqrData {
  Vec x, force;
};
inline IlqrData ilqr_data() {
  Rng g(4);
  IlqrData data;
  for (int lane = 0; lane < ilqr_lanes(); ++lane) {
    double x[4] = {g(-1, 1), g(-1, 1), g(-1, 1), g(-1, 1)}, next[4];
    data.x.insert(data.x.end(), x, x + 4);
    for (int t = 0; t < ilqr::steps; ++t) {
      data.force.push_back(g(-5, 5));
      cart_pole_step<double>(x, data.force.back(), next);
      std::copy(next, next + 4, x);
      data.x.insert(data.x.end(), x, x + 4);
    }
  }
  return data;
}

// Weights are [outputs, inputs].
struct NetData {
  Vec w1, b1, w2, b2, w3, b3, x;
};
inline NetData net_data() {
  using namespace net;
  Rng g(5);
  NetData data;
  g.append(data.w1, hidden * in, -0.5, 0.5);
  g.append(data.b1, hidden, -0.2, 0.2);
  g.append(data.w2, hidden * hidden, -0.3, 0.3);
  g.append(data.b2, hidden, -0.2, 0.2);
  g.append(data.w3, out * hidden, -0.3, 0.3);
  g.append(data.b3, out, -0.2, 0.2);
  g.append(data.x, net_lanes() * in, -1, 1);
  return data;
}

// The knots' positions are the same for all lanes.
struct SplineData {
  Vec knots, y, x;
};
inline SplineData spline_data() {
  Rng g(6);
  SplineData data;
  double t = 0;
  for (int i = 0; i < spline::knots; ++i) data.knots.push_back(t), t += g(0.5, 1.5);
  for (int lane = 0; lane < spline_lanes(); ++lane) {
    g.append(data.y, spline::knots, -1, 1);
    data.x.push_back(g(data.knots.front(), data.knots.back()));
  }
  return data;
}

// ---- timing

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
// The best of the calls within 0.7 s, of at least 3, in ms.
template <class F>
inline double best_ms(F call) {
  double best = 1e30;
  const double end = now() + 0.7;
  for (int i = 0; i < 3 || (now() < end && i < 2000); ++i) {
    const double t = now();
    call();
    best = std::min(best, now() - t);
  }
  return best * 1e3;
}
inline void print(const char* name, const char* peer, double best, double first) {
  std::printf("RESULT %s %s %.6f first %.3f\n", name, peer, best, first);
  std::fflush(stdout);
}
// Writes the results of a case to $DUMP/NAME.PEER.f64, lane by lane, if DUMP is set. Each array
// has a row for each lane.
inline void dump(const char* name, const char* peer, int lanes,
                 const std::vector<const Vec*>& results) {
  const char* folder = std::getenv("DUMP");
  if (!folder) return;
  const std::string path = std::string(folder) + "/" + name + "." + peer + ".f64";
  FILE* file = std::fopen(path.c_str(), "wb");
  if (!file) return;
  for (int lane = 0; lane < lanes; ++lane)
    for (const Vec* v : results) {
      const size_t row = v->size() / static_cast<size_t>(lanes);
      std::fwrite(v->data() + static_cast<size_t>(lane) * row, sizeof(double), row, file);
    }
  std::fclose(file);
}
// Times a call of a peer. `setup` is what the peer did before, in ms: it counts for the first call.
template <class F>
inline void measure(const char* name, const char* peer, int lanes, F call,
                    const std::vector<const Vec*>& results, double setup = 0) {
  const double t = now();
  call();
  const double first = setup + (now() - t) * 1e3;
  print(name, peer, best_ms(call), first);
  dump(name, peer, lanes, results);
}
// True if the arguments of a program name the case, or name none.
inline bool wanted(int argc, char** argv, const char* name) {
  if (argc < 2) return true;
  for (int i = 1; i < argc; ++i)
    if (!std::strcmp(argv[i], name)) return true;
  return false;
}

}  // namespace cases

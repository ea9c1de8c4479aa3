// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/cpp/peers/casadi_cases.cpp: the six cases with CasADi. The functions of one lane and
// their derivatives are SX graphs. CasADi writes them in C, gcc compiles the C code, and the code
// is called for each lane. The first call includes all of this.
#include <dlfcn.h>

#include <casadi/casadi.hpp>

#include "models.h"

namespace {

using namespace cases;
using casadi::Function;
using casadi::SX;

constexpr const char* peer = "casadi";

using Entry = int (*)(const double**, double**, casadi_int*, double*, int);
// The code of a function. A lane has pointers to its arguments and results.
class Compiled {
 public:
  explicit Compiled(const Function& f)
      : w_(f.sz_w() + 1), iw_(f.sz_iw() + 1), args(f.sz_arg() + 1), results(f.sz_res() + 1) {
    const std::string name = f.name(), file = "./" + name;
    f.generate(name + ".c");
    const std::string options = " -O3 -march=native -fPIC -shared ";
    if (std::system(("gcc" + options + name + ".c -o " + file + ".so -lm").c_str())) std::abort();
    void* library = dlopen((file + ".so").c_str(), RTLD_NOW);
    if (!library) std::abort();
    entry_ = reinterpret_cast<Entry>(dlsym(library, name.c_str()));
  }
  void operator()() { entry_(args.data(), results.data(), iw_.data(), w_.data(), 0); }

 private:
  Entry entry_;
  std::vector<double> w_;
  std::vector<casadi_int> iw_;

 public:
  std::vector<const double*> args;
  std::vector<double*> results;
};

std::vector<SX> parts(const SX& x) { return vertsplit(x); }
// A matrix of a graph is stored column by column, and an array row by row.
SX rows(const SX& m) { return SX::densify(m).T(); }
SX join(const SX* x, int n) { return SX::vertcat(std::vector<SX>(x, x + n)); }

// One step of the filter as a graph: F and H are Jacobians at an error of 0.
Function ekf_graph() {
  const SX x = SX::sym("x", 16), packed = SX::sym("cov", 225), gyro = SX::sym("gyro", 3),
           accel = SX::sym("accel", 3), z = SX::sym("z", 3), d = SX::sym("d", 15);
  const auto xs = parts(x), gs = parts(gyro), as = parts(accel), ds = parts(d);
  const SX cov = SX::reshape(packed, 15, 15);  // symmetric
  SX next[16], at[16], moved[16], error[15], seen[3], out[16];
  propagate<SX>(xs.data(), gs.data(), as.data(), next);
  plus<SX>(xs.data(), ds.data(), at);
  propagate<SX>(at, gs.data(), as.data(), moved);
  minus<SX>(moved, next, error);
  const SX zero = SX::zeros(15);
  const SX f = SX::substitute(SX::jacobian(join(error, 15), d), d, zero);
  plus<SX>(next, ds.data(), at);
  antenna<SX>(at, seen);
  const SX expected = join(seen, 3);
  const SX h = SX::substitute(SX::jacobian(expected, d), d, zero);
  SX noise = SX::zeros(15);
  for (int i = 0; i < 15; ++i) noise(i) = process_noise(i);
  const SX p = SX::mtimes({f, cov, f.T()}) + SX::diag(noise), hp = SX::mtimes(h, p);
  const SX s = SX::mtimes(hp, h.T()) + ekf::measured_noise * SX::eye(3);
  const SX gain = SX::solve(s, hp).T();
  const auto change = parts(SX::mtimes(gain, z - SX::substitute(expected, d, zero)));
  plus<SX>(next, change.data(), out);
  return Function("ekf", {x, packed, gyro, accel, z},
                  {join(out, 16), rows(p - SX::mtimes(gain, hp))});
}
void run_ekf() {
  const EkfData in = ekf_data();
  const int n = ekf_lanes();
  Vec x(in.x.size()), cov(in.cov.size());
  const double t = now();
  Compiled f(ekf_graph());
  const double setup = (now() - t) * 1e3;
  auto all = [&] {
    for (int i = 0; i < n; ++i) {
      f.args[0] = &in.x[16 * i], f.args[1] = &in.cov[225 * i], f.args[2] = &in.gyro[3 * i];
      f.args[3] = &in.accel[3 * i], f.args[4] = &in.z[3 * i];
      f.results[0] = &x[16 * i], f.results[1] = &cov[225 * i];
      f();
    }
  };
  measure("ekf", peer, n, all, {&x, &cov}, setup);
}

void run_arm() {
  const Vec data = arm_data();
  const int n = arm_lanes();
  Vec mass(static_cast<size_t>(n) * 49), slope(static_cast<size_t>(n) * 343);
  const double t = now();
  const SX q = SX::sym("q", 7);
  SX m[49];
  mass_matrix<SX>(parts(q).data(), m);
  const SX all_m = join(m, 49);
  Compiled f(Function("arm", {q}, {all_m, rows(SX::jacobian(all_m, q))}));
  const double setup = (now() - t) * 1e3;
  auto all = [&] {
    for (int i = 0; i < n; ++i) {
      f.args[0] = &data[7 * i], f.results[0] = &mass[49 * i], f.results[1] = &slope[343 * i];
      f();
    }
  };
  measure("arm", peer, n, all, {&mass, &slope}, setup);
}

void run_camera() {
  const CameraData in = camera_data();
  const int n = camera_lanes();
  Vec pixel(static_cast<size_t>(n) * 2), slope(static_cast<size_t>(n) * 30);
  const double t = now();
  const SX c = SX::sym("c", 15), point = SX::sym("point", 3);
  SX p[2];
  project<SX>(parts(c).data(), parts(point).data(), p);
  const SX result = join(p, 2);
  Compiled f(Function("camera", {c, point}, {result, rows(SX::jacobian(result, c))}));
  const double setup = (now() - t) * 1e3;
  auto all = [&] {
    for (int i = 0; i < n; ++i) {
      f.args[0] = &in.camera[15 * i], f.args[1] = &in.point[3 * i];
      f.results[0] = &pixel[2 * i], f.results[1] = &slope[30 * i];
      f();
    }
  };
  measure("camera", peer, n, all, {&pixel, &slope}, setup);
}

// One step of the recursion as a graph. The slope and the curvature are its last results, too.
Function ilqr_graph() {
  const SX x = SX::sym("x", 4), force = SX::sym("force"), v = SX::sym("v", 4),
           packed = SX::sym("vv", 16);
  const SX vv = SX::reshape(packed, 4, 4);  // symmetric
  SX next[4];
  cart_pole_step<SX>(parts(x).data(), force, next);
  const SX moved = join(next, 4), a = SX::jacobian(moved, x), b = SX::jacobian(moved, force);
  SX q = SX::zeros(4);
  for (int i = 0; i < 4; ++i) q(i) = ilqr::state_cost[i];
  const SX quu = ilqr::effort + SX::mtimes({b.T(), vv, b}), qux = SX::mtimes({b.T(), vv, a});
  const SX open = -(ilqr::effort * force + SX::mtimes(b.T(), v)) / quu, feedback = -qux / quu;
  const SX slope = q * x + SX::mtimes(a.T(), v) + SX::mtimes(qux.T(), open);
  const SX curve = SX::diag(q) + SX::mtimes({a.T(), vv, a}) + SX::mtimes(qux.T(), feedback);
  return Function("ilqr", {x, force, v, packed},
                  {open, rows(feedback), SX::densify(slope), rows(curve)});
}
void run_ilqr() {
  const IlqrData in = ilqr_data();
  const int n = ilqr_lanes(), steps = ilqr::steps;
  Vec slope(static_cast<size_t>(n) * 4), curve(static_cast<size_t>(n) * 16),
      open(static_cast<size_t>(n) * steps), feedback(static_cast<size_t>(n) * steps * 4);
  const double t = now();
  Compiled f(ilqr_graph());
  const double setup = (now() - t) * 1e3;
  auto all = [&] {
    for (int i = 0; i < n; ++i) {
      const double* xs = &in.x[4 * (steps + 1) * i];
      double v[4], vv[16];  // the results of the step before
      for (int k = 0; k < 16; ++k) vv[k] = k % 5 == 0 ? ilqr::end_cost[k / 5] : 0;
      for (int k = 0; k < 4; ++k) v[k] = vv[5 * k] * xs[4 * steps + k];
      for (int step = steps - 1; step >= 0; --step) {
        f.args[0] = xs + 4 * step, f.args[1] = &in.force[steps * i + step];
        f.args[2] = v, f.args[3] = vv;
        f.results[0] = &open[steps * i + step], f.results[1] = &feedback[4 * (steps * i + step)];
        f.results[2] = &slope[4 * i], f.results[3] = &curve[16 * i];
        f();
        std::copy_n(&slope[4 * i], 4, v), std::copy_n(&curve[16 * i], 16, vv);
      }
    }
  };
  measure("ilqr", peer, n, all, {&slope, &curve, &open, &feedback}, setup);
}

// The weights are arguments, so that new ones need no new code.
Function net_graph() {
  using namespace cases::net;
  const SX w1 = SX::sym("w1", in, hidden), w2 = SX::sym("w2", hidden, hidden),
           w3 = SX::sym("w3", hidden, out), b1 = SX::sym("b1", hidden), b2 = SX::sym("b2", hidden),
           b3 = SX::sym("b3", out), x = SX::sym("x", in);
  const SX h1 = tanh(SX::mtimes(w1.T(), x) + b1), h2 = tanh(SX::mtimes(w2.T(), h1) + b2);
  const SX y = SX::mtimes(w3.T(), h2) + b3;
  return Function("net", {w1, b1, w2, b2, w3, b3, x}, {y, rows(SX::jacobian(y, x))});
}
void run_net() {
  using namespace cases::net;
  const NetData data = net_data();
  const int n = net_lanes();
  Vec value(static_cast<size_t>(n) * out), slope(static_cast<size_t>(n) * out * in);
  const double t = now();
  Compiled f(net_graph());
  const double setup = (now() - t) * 1e3;
  auto all = [&] {
    const Vec* weights[6] = {&data.w1, &data.b1, &data.w2, &data.b2, &data.w3, &data.b3};
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < 6; ++k) f.args[k] = weights[k]->data();
      f.args[6] = &data.x[in * i];
      f.results[0] = &value[out * i], f.results[1] = &slope[out * in * i];
      f();
    }
  };
  measure("net", peer, n, all, {&value, &slope}, setup);
}

// A graph has no gather: the interval is selected by conditions. The knots are constants.
Function spline_graph(const Vec& knots) {
  constexpr int n = spline::knots;
  const double* t = knots.data();
  const SX y = SX::sym("y", n), x = SX::sym("x");
  SX m[n], value = 0.;
  second_derivatives<SX>(t, parts(y).data(), m);
  for (int i = 0; i + 1 < n; ++i) {
    const SX part = spline_value<SX>(t, parts(y).data(), m, i, x);
    const SX after = i > 0 ? SX(x >= t[i]) : SX(1.), before = i + 2 < n ? SX(x < t[i + 1]) : SX(1.);
    value += SX::if_else_zero(SX::logic_and(after, before), part);
  }
  return Function("spline", {y, x}, {value, SX::densify(SX::gradient(value, y))});
}
void run_spline() {
  const SplineData in = spline_data();
  const int n = spline_lanes(), knots = spline::knots;
  Vec value(static_cast<size_t>(n)), slope(static_cast<size_t>(n) * knots);
  const double t = now();
  Compiled f(spline_graph(in.knots));
  const double setup = (now() - t) * 1e3;
  auto all = [&] {
    for (int i = 0; i < n; ++i) {
      f.args[0] = &in.y[knots * i], f.args[1] = &in.x[i];
      f.results[0] = &value[i], f.results[1] = &slope[knots * i];
      f();
    }
  };
  measure("spline", peer, n, all, {&value, &slope}, setup);
}

}  // namespace

int main(int argc, char** argv) {
  if (wanted(argc, argv, "ekf")) run_ekf();
  if (wanted(argc, argv, "arm")) run_arm();
  if (wanted(argc, argv, "camera")) run_camera();
  if (wanted(argc, argv, "ilqr")) run_ilqr();
  if (wanted(argc, argv, "net")) run_net();
  if (wanted(argc, argv, "spline")) run_spline();
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/cpp/peers/eigen_cases.cpp: the six cases with Eigen 3.4. Derivatives are computed by
// AutoDiffScalar, except for net, where they are a product of matrices. Matrices have fixed sizes.
#include <Eigen/Dense>
#include <unsupported/Eigen/AutoDiff>

#include "models.h"

namespace {

using namespace cases;

constexpr const char* peer = "eigen";
template <int n>
using Vector = Eigen::Matrix<double, n, 1>;
template <int n, int m>
using Matrix = Eigen::Matrix<double, n, m, m == 1 ? Eigen::ColMajor : Eigen::RowMajor>;
template <int n>
using Dual = Eigen::AutoDiffScalar<Vector<n>>;

// n variables with these values.
template <int n>
void variables(const double* values, Dual<n>* out) {
  for (int i = 0; i < n; ++i) out[i] = Dual<n>(values[i], n, i);
}
// The Jacobian of m results by n variables.
template <int m, int n>
Matrix<m, n> jacobian(const Dual<n>* results) {
  Matrix<m, n> j;
  for (int i = 0; i < m; ++i) j.row(i) = results[i].derivatives().transpose();
  return j;
}
// Stores a matrix row by row.
template <class M>
void store(const M& m, double* out) {
  Eigen::Map<Matrix<M::RowsAtCompileTime, M::ColsAtCompileTime>>{out} = m;
}

void ekf_step(const EkfData& in, int lane, double* x, double* cov) {
  using T = Dual<15>;
  const double zero[15] = {};
  const double *gyro = &in.gyro[3 * lane], *accel = &in.accel[3 * lane], *before = &in.x[16 * lane];
  double next[16], expected[3];
  propagate<double>(before, gyro, accel, next);
  T d[15], at[16], moved[16], error[15], seen[3];
  variables<15>(zero, d);
  plus<T>(before, d, at);
  propagate<T>(at, gyro, accel, moved);
  minus<T>(moved, next, error);
  const Matrix<15, 15> f = jacobian<15, 15>(error);
  Vector<15> noise;
  for (int i = 0; i < 15; ++i) noise[i] = process_noise(i);
  Matrix<15, 15> p = f * Eigen::Map<const Matrix<15, 15>>(&in.cov[225 * lane]) * f.transpose();
  p.diagonal() += noise;

  plus<T>(next, d, at);
  antenna<T>(at, seen);
  for (int i = 0; i < 3; ++i) expected[i] = in.z[3 * lane + i] - seen[i].value();
  const Matrix<3, 15> h = jacobian<3, 15>(seen), hp = h * p;
  const Matrix<3, 3> s = hp * h.transpose() + ekf::measured_noise * Matrix<3, 3>::Identity();
  const Matrix<15, 3> gain = s.llt().solve(hp).transpose();
  const Vector<15> change = gain * Eigen::Map<const Vector<3>>(expected);
  plus<double>(next, change.data(), x);
  store(p - gain * hp, cov);
}
void run_ekf() {
  const EkfData in = ekf_data();
  const int n = ekf_lanes();
  Vec x(in.x.size()), cov(in.cov.size());
  auto all = [&] {
    for (int lane = 0; lane < n; ++lane) ekf_step(in, lane, &x[16 * lane], &cov[225 * lane]);
  };
  measure("ekf", peer, n, all, {&x, &cov});
}

void run_arm() {
  using T = Dual<7>;
  const Vec q = arm_data();
  const int n = arm_lanes();
  Vec mass(static_cast<size_t>(n) * 49), slope(static_cast<size_t>(n) * 343);
  auto all = [&] {
    for (int lane = 0; lane < n; ++lane) {
      T at[7], m[49];
      variables<7>(&q[7 * lane], at);
      mass_matrix<T>(at, m);
      for (int k = 0; k < 49; ++k) mass[49 * lane + k] = m[k].value();
      store(jacobian<49, 7>(m), &slope[343 * lane]);
    }
  };
  measure("arm", peer, n, all, {&mass, &slope});
}

void run_camera() {
  using T = Dual<15>;
  const CameraData in = camera_data();
  const int n = camera_lanes();
  Vec pixel(static_cast<size_t>(n) * 2), slope(static_cast<size_t>(n) * 30);
  auto all = [&] {
    for (int lane = 0; lane < n; ++lane) {
      T c[15], p[2];
      variables<15>(&in.camera[15 * lane], c);
      project<T>(c, &in.point[3 * lane], p);
      for (int k = 0; k < 2; ++k) pixel[2 * lane + k] = p[k].value();
      store(jacobian<2, 15>(p), &slope[30 * lane]);
    }
  };
  measure("camera", peer, n, all, {&pixel, &slope});
}

// One trajectory backwards: slope and curvature of the cost to go, and the gains.
void backward(const double* xs, const double* forces, double* slope, double* curve, double* open,
              double* feedback) {
  using T = Dual<5>;
  Eigen::Map<Vector<4>> v(slope);
  Eigen::Map<Matrix<4, 4>> vv(curve);
  const Vector<4> q(ilqr::state_cost);
  vv = Vector<4>(ilqr::end_cost).asDiagonal();
  v = vv * Eigen::Map<const Vector<4>>(xs + 4 * ilqr::steps);
  for (int t = ilqr::steps - 1; t >= 0; --t) {
    const double* x = xs + 4 * t;
    T at[5], next[4];
    for (int i = 0; i < 4; ++i) at[i] = T(x[i], 5, i);
    at[4] = T(forces[t], 5, 4);
    cart_pole_step<T>(at, at[4], next);
    const Matrix<4, 5> j = jacobian<4, 5>(next);
    const Matrix<4, 4> a = j.leftCols<4>();
    const Vector<4> b = j.col(4), vb = vv * b;
    const double quu = ilqr::effort + b.dot(vb);
    const Vector<4> qux = a.transpose() * vb;
    const Vector<4> gain = -qux / quu;
    open[t] = -(ilqr::effort * forces[t] + b.dot(v)) / quu;
    store(gain, feedback + 4 * t);
    v = (q.cwiseProduct(Eigen::Map<const Vector<4>>(x)) + a.transpose() * v + qux * open[t]).eval();
    vv = (a.transpose() * vv * a + qux * gain.transpose()).eval();
    vv.diagonal() += q;
  }
}
void run_ilqr() {
  const IlqrData in = ilqr_data();
  const int n = ilqr_lanes(), steps = ilqr::steps;
  Vec slope(static_cast<size_t>(n) * 4), curve(static_cast<size_t>(n) * 16),
      open(static_cast<size_t>(n) * steps), feedback(static_cast<size_t>(n) * steps * 4);
  auto all = [&] {
    for (int i = 0; i < n; ++i)
      backward(&in.x[4 * (steps + 1) * i], &in.force[steps * i], &slope[4 * i], &curve[16 * i],
               &open[steps * i], &feedback[4 * steps * i]);
  };
  measure("ilqr", peer, n, all, {&slope, &curve, &open, &feedback});
}

void run_net() {
  using namespace cases::net;
  const NetData data = net_data();
  const int n = net_lanes();
  const Eigen::Map<const Matrix<hidden, in>> w1(data.w1.data());
  const Eigen::Map<const Matrix<hidden, hidden>> w2(data.w2.data());
  const Eigen::Map<const Matrix<out, hidden>> w3(data.w3.data());
  const Eigen::Map<const Vector<hidden>> b1(data.b1.data()), b2(data.b2.data());
  const Eigen::Map<const Vector<out>> b3(data.b3.data());
  Vec value(static_cast<size_t>(n) * out), slope(static_cast<size_t>(n) * out * in);
  auto all = [&] {
    for (int lane = 0; lane < n; ++lane) {
      const Eigen::Map<const Vector<in>> x(&data.x[in * lane]);
      const Vector<hidden> h1 = (w1 * x + b1).array().tanh();
      const Vector<hidden> h2 = (w2 * h1 + b2).array().tanh();
      store(w3 * h2 + b3, &value[out * lane]);
      const Matrix<out, hidden> back = w3 * (1 - h2.array().square()).matrix().asDiagonal() * w2;
      store(back * (1 - h1.array().square()).matrix().asDiagonal() * w1, &slope[out * in * lane]);
    }
  };
  measure("net", peer, n, all, {&value, &slope});
}

void run_spline() {
  using T = Dual<16>;
  const SplineData in = spline_data();
  const int n = spline_lanes();
  Vec value(static_cast<size_t>(n)), slope(static_cast<size_t>(n) * 16);
  auto all = [&] {
    for (int lane = 0; lane < n; ++lane) {
      const double* t = in.knots.data();
      T y[16], m[16];
      variables<16>(&in.y[16 * lane], y);
      second_derivatives<T>(t, y, m);
      const T r = spline_value<T>(t, y, m, interval(t, in.x[lane]), in.x[lane]);
      value[lane] = r.value();
      store(r.derivatives(), &slope[16 * lane]);
    }
  };
  measure("spline", peer, n, all, {&value, &slope});
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

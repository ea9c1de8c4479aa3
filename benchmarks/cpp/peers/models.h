// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/cpp/peers/models.h: the functions of the six cases as templates over a scalar: a
// double, Eigen's AutoDiffScalar, or CasADi's SX. The model of the cart-pole is in cases.h.
#pragma once
#include "../cases.h"

namespace cases {

// ---- ekf: D is the type of values that have no derivative

// The quaternion a * b, w first.
template <class T>
inline void product(const T* a, const T* b, T* out) {
  out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}
// The vector v, rotated by the quaternion q.
template <class T>
inline void rotate(const T* q, const T* v, T* out) {
  const T x = q[2] * v[2] - q[3] * v[1] + q[0] * v[0], y = q[3] * v[0] - q[1] * v[2] + q[0] * v[1],
          z = q[1] * v[1] - q[2] * v[0] + q[0] * v[2];
  out[0] = v[0] + 2. * (q[2] * z - q[3] * y);
  out[1] = v[1] + 2. * (q[3] * x - q[1] * z);
  out[2] = v[2] + 2. * (q[1] * y - q[2] * x);
}
// The state x with the error d, which is small.
template <class T, class D>
inline void plus(const D* x, const T* d, T* out) {
  using std::sqrt;
  const T norm = sqrt(1. + 0.25 * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
  const T q[4] = {T(x[0]), T(x[1]), T(x[2]), T(x[3])};
  const T turn[4] = {T(1. / norm), T(0.5 * d[0] / norm), T(0.5 * d[1] / norm),
                     T(0.5 * d[2] / norm)};
  product<T>(q, turn, out);
  for (int i = 3; i < 15; ++i) out[i + 1] = x[i + 1] + d[i];
}
// The error of the state x relative to y.
template <class T, class D>
inline void minus(const T* x, const D* y, T* out) {
  const T conjugate[4] = {T(y[0]), T(-y[1]), T(-y[2]), T(-y[3])};
  T q[4];
  product<T>(conjugate, x, q);
  for (int i = 0; i < 3; ++i) out[i] = 2. * q[i + 1];
  for (int i = 3; i < 15; ++i) out[i] = x[i + 1] - y[i + 1];
}
// The state after dt.
template <class T, class D>
inline void propagate(const T* x, const D* gyro, const D* accel, T* out) {
  using std::cos, std::sin, std::sqrt;
  const double h = ekf::dt;
  T w[3], force[3], a[3];
  for (int i = 0; i < 3; ++i) {
    w[i] = h * (gyro[i] - x[10 + i]);
    force[i] = accel[i] - x[13 + i];
  }
  const T angle = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  const T scale = sin(0.5 * angle) / angle;
  const T turn[4] = {T(cos(0.5 * angle)), T(scale * w[0]), T(scale * w[1]), T(scale * w[2])};
  product<T>(x, turn, out);
  rotate<T>(x, force, a);
  for (int i = 0; i < 3; ++i) {
    a[i] = a[i] + ekf::gravity[i];
    out[4 + i] = x[4 + i] + h * a[i];
    out[7 + i] = x[7 + i] + h * x[4 + i] + 0.5 * h * h * a[i];
    out[10 + i] = x[10 + i];
    out[13 + i] = x[13 + i];
  }
}
// The position of the antenna.
template <class T>
inline void antenna(const T* x, T* out) {
  const T lever[3] = {T(ekf::lever[0]), T(ekf::lever[1]), T(ekf::lever[2])};
  rotate<T>(x, lever, out);
  for (int i = 0; i < 3; ++i) out[i] = out[i] + x[7 + i];
}
// The variance that a step adds to component i of the error.
inline double process_noise(int i) {
  const double noise[5] = {ekf::attitude_noise, ekf::velocity_noise, ekf::position_noise,
                           ekf::gyro_bias_noise, ekf::accel_bias_noise};
  return noise[i / 3];
}

// ---- arm

// Rotations (row by row) and origins of the joints' frames.
template <class T>
inline void joint_frames(const T* q, T (*rotation)[9], T (*origin)[3]) {
  using std::cos, std::sin;
  for (int i = 0; i < arm::joints; ++i) {
    const double ca = arm::cos_alpha[i], sa = arm::sin_alpha[i], a = arm::a[i], d = arm::d[i];
    const T c = cos(q[i]), s = sin(q[i]);
    if (i == 0) {
      const T first[9] = {c,           T(-s),     T(0.),     T(ca * s), T(ca * c),
                          T(-1. * sa), T(sa * s), T(sa * c), T(ca)};
      for (int k = 0; k < 9; ++k) rotation[0][k] = first[k];
      origin[0][0] = T(a), origin[0][1] = T(-sa * d), origin[0][2] = T(ca * d);
      continue;
    }
    for (int r = 0; r < 3; ++r) {
      const T x = rotation[i - 1][3 * r], y = rotation[i - 1][3 * r + 1],
              z = rotation[i - 1][3 * r + 2];
      const T side = ca * y + sa * z, up = ca * z - sa * y;
      rotation[i][3 * r] = c * x + s * side;
      rotation[i][3 * r + 1] = c * side - s * x;
      rotation[i][3 * r + 2] = up;
      origin[i][r] = origin[i - 1][r] + a * x + d * up;
    }
  }
}
// Adds the kinetic energy of link i to the matrix: J^T M J of its linear and angular Jacobians.
template <class T>
inline void add_link(int i, const T (*rotation)[9], const T (*origin)[3], T* m) {
  T linear[arm::joints][3], angular[arm::joints][3], center[3];
  const T* r = rotation[i];
  const double* local = arm::center[i];
  for (int k = 0; k < 3; ++k)
    center[k] =
        origin[i][k] + r[3 * k] * local[0] + r[3 * k + 1] * local[1] + r[3 * k + 2] * local[2];
  for (int j = 0; j <= i; ++j) {
    const T z[3] = {rotation[j][2], rotation[j][5], rotation[j][8]};
    const T arm[3] = {T(center[0] - origin[j][0]), T(center[1] - origin[j][1]),
                      T(center[2] - origin[j][2])};
    for (int k = 0; k < 3; ++k) {
      const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
      linear[j][k] = z[k1] * arm[k2] - z[k2] * arm[k1];
      angular[j][k] = r[k] * z[0] + r[3 + k] * z[1] + r[6 + k] * z[2];  // in the link's axes
    }
  }
  for (int j = 0; j <= i; ++j)
    for (int k = 0; k <= j; ++k) {
      T sum = m[arm::joints * j + k];
      for (int e = 0; e < 3; ++e)
        sum = sum + arm::mass[i] * linear[j][e] * linear[k][e] +
              arm::inertia[i][e] * angular[j][e] * angular[k][e];
      m[arm::joints * j + k] = m[arm::joints * k + j] = sum;
    }
}
// The mass matrix, row by row.
template <class T>
inline void mass_matrix(const T* q, T* m) {
  T rotation[arm::joints][9], origin[arm::joints][3];
  joint_frames<T>(q, rotation, origin);
  for (int k = 0; k < arm::joints * arm::joints; ++k) m[k] = T(0.);
  for (int i = 0; i < arm::joints; ++i) add_link<T>(i, rotation, origin, m);
}

// ---- camera

// The pixel of a point. c: rotation vector, translation, fx, fy, cx, cy, k1, k2, p1, p2, k3.
template <class T, class D>
inline void project(const T* c, const D* point, T* pixel) {
  using std::cos, std::sin, std::sqrt;
  const T angle = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
  const T cosine = cos(angle), sine = sin(angle);
  const T w[3] = {T(c[0] / angle), T(c[1] / angle), T(c[2] / angle)};
  const T along = (w[0] * point[0] + w[1] * point[1] + w[2] * point[2]) * (1. - cosine);
  T p[3];
  for (int k = 0; k < 3; ++k) {
    const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
    p[k] = point[k] * cosine + (w[k1] * point[k2] - w[k2] * point[k1]) * sine + w[k] * along +
           c[3 + k];
  }
  const T x = p[0] / p[2], y = p[1] / p[2], r2 = x * x + y * y;
  const T radial = 1. + r2 * (c[10] + r2 * (c[11] + r2 * c[14]));
  const T u = x * radial + 2. * c[12] * x * y + c[13] * (r2 + 2. * x * x);
  const T v = y * radial + c[12] * (r2 + 2. * y * y) + 2. * c[13] * x * y;
  pixel[0] = c[6] * u + c[8];
  pixel[1] = c[7] * v + c[9];
}

// ---- spline

// The second derivatives at the knots, by elimination without exchange of rows.
template <class T>
inline void second_derivatives(const double* t, const T* y, T* m) {
  constexpr int last = spline::knots - 1;
  double upper[last];
  m[0] = m[last] = T(0.);
  upper[0] = 0;
  for (int i = 1; i < last; ++i) {
    const double before = t[i] - t[i - 1], after = t[i + 1] - t[i];
    const double pivot = 2 * (before + after) - before * upper[i - 1];
    upper[i] = after / pivot;
    const T bend = 6 / after * (y[i + 1] - y[i]) - 6 / before * (y[i] - y[i - 1]);
    m[i] = (bend - before * m[i - 1]) / pivot;
  }
  for (int i = last - 1; i > 0; --i) m[i] = m[i] - upper[i] * m[i + 1];
}
// The value in the interval that begins at knot i.
template <class T, class D>
inline T spline_value(const double* t, const T* y, const T* m, int i, const D& x) {
  const double h = t[i + 1] - t[i];
  const D a = (t[i + 1] - x) / h, b = (x - t[i]) / h;
  return a * y[i] + b * y[i + 1] +
         h * h / 6 * ((a * a * a - a) * m[i] + (b * b * b - b) * m[i + 1]);
}
inline int interval(const double* t, double x) {
  int i = 0;
  for (int k = 1; k < spline::knots - 1; ++k) i += x >= t[k];
  return i;
}

}  // namespace cases

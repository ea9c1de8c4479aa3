// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/cpp/peers/hand_cases.cpp: the six cases as an expert writes them: derivatives by
// formulas, zeros left out, and vectors along the lanes.
#include <experimental/simd>

#include "models.h"

namespace {

using namespace cases;

constexpr const char* peer = "hand";
using V = std::experimental::native_simd<double>;
constexpr int width = static_cast<int>(V::size());

// Element k of the rows of `width` lanes, which have `stride` elements.
V load(const Vec& v, int stride, int lane, int k) {
  return V([&](auto l) { return v[(lane + static_cast<int>(l)) * stride + k]; });
}
// Stores n elements of each lane's row.
void store(const V* x, int n, Vec& v, int stride, int lane, int first = 0) {
  for (int l = 0; l < width; ++l)
    for (int k = 0; k < n; ++k) v[(lane + l) * stride + first + k] = x[k][l];
}
// Calls block(lane) for blocks of `width` lanes. The last block may overlap with the one before.
template <class F>
void blocks(int n, F block) {
  for (int lane = 0; lane < n; lane += width) block(std::min(lane, n - width));
}
// f of each element; the compiler calls the vector functions of the mathematical library.
template <class F>
V each(const V& x, F f) {
  alignas(64) double in[width], out[width];
  x.copy_to(in, std::experimental::vector_aligned);
#pragma omp simd
  for (int l = 0; l < width; ++l) out[l] = f(in[l]);
  return V(out, std::experimental::vector_aligned);
}
V sine(const V& x) {
  return each(x, [](double e) { return std::sin(e); });
}
V cosine(const V& x) {
  return each(x, [](double e) { return std::cos(e); });
}
void cross(const V* a, const V* b, V* out) {
  for (int k = 0; k < 3; ++k) {
    const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
    out[k] = a[k1] * b[k2] - a[k2] * b[k1];
  }
}
V dot(const V* a, const V* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// ---- ekf

// The blocks of the Jacobian of a step that are not 0, 1 or dt. The rows of the position are dt / 2
// times those of the velocity.
struct Transition {
  V turn[9], gyro_bias[9];    // the attitude by attitude and by the bias of the gyroscope
  V force[9], accel_bias[9];  // the velocity by attitude and by the bias of the accelerometer
};
// The rotation matrix of a quaternion, row by row.
void matrix(const V* q, V* r) {
  const V w = q[0], x = q[1], y = q[2], z = q[3];
  r[0] = 1. - 2. * (y * y + z * z), r[1] = 2. * (x * y - w * z), r[2] = 2. * (x * z + w * y);
  r[3] = 2. * (x * y + w * z), r[4] = 1. - 2. * (x * x + z * z), r[5] = 2. * (y * z - w * x);
  r[6] = 2. * (x * z - w * y), r[7] = 2. * (y * z + w * x), r[8] = 1. - 2. * (x * x + y * y);
}
// out = scale * r * [v]x: each row of r, times the matrix of the product with v.
void times_cross(const V* r, const V* v, double scale, V* out) {
  for (int i = 0; i < 3; ++i) {
    cross(r + 3 * i, v, out + 3 * i);
    for (int k = 0; k < 3; ++k) out[3 * i + k] *= scale;
  }
}
Transition transition(const V* x, const V* gyro, const V* accel) {
  const double h = ekf::dt;
  Transition f;
  V w[3], a[3], r[9];
  for (int k = 0; k < 3; ++k) w[k] = h * (gyro[k] - x[10 + k]), a[k] = accel[k] - x[13 + k];
  const V square = dot(w, w), angle = sqrt(square), half = sine(0.5 * angle);
  const V s = sine(angle), p = 2. * half * half / square, q = (angle - s) / (square * angle);
  // exp(-[w]x), and the right Jacobian of the rotation: 1 - p [w]x + q [w]x^2.
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const V outer = w[i] * w[j] - (i == j ? square : V(0.));
      const V skew = i == j ? V(0.) : w[3 - i - j] * ((j - i + 3) % 3 == 1 ? -1. : 1.);
      const double one = i == j ? 1 : 0;
      f.turn[3 * i + j] = one - s / angle * skew + p * outer;
      f.gyro_bias[3 * i + j] = -h * (one - p * skew + q * outer);
    }
  matrix(x, r);
  times_cross(r, a, -h, f.force);
  for (int k = 0; k < 9; ++k) f.accel_bias[k] = -h * r[k];
  return f;
}
// Multiplies a vector of 15 elements, `stride` apart, by the Jacobian.
void advance(const Transition& f, V* x, int stride) {
  V e[15];
  for (int k = 0; k < 15; ++k) e[k] = x[k * stride];
  for (int k = 0; k < 3; ++k) {
    const V change = dot(f.force + 3 * k, e) + dot(f.accel_bias + 3 * k, e + 12);
    x[k * stride] = dot(f.turn + 3 * k, e) + dot(f.gyro_bias + 3 * k, e + 9);
    x[(3 + k) * stride] = e[3 + k] + change;
    x[(6 + k) * stride] = e[6 + k] + ekf::dt * e[3 + k] + ekf::dt / 2 * change;
  }
}
// The inverse of a symmetric matrix of 3 rows.
void invert(const V* s, V* out) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
      out[3 * i + j] = s[3 * a + c] * s[3 * b + d] - s[3 * a + d] * s[3 * b + c];
    }
  const V scale = 1. / dot(s, out);
  for (int k = 0; k < 9; ++k) out[k] *= scale;
}
// Updates the state and its covariance by a measurement.
void correct(const V* next, const V* z, V* p, V* x) {
  const V lever[3] = {ekf::lever[0], ekf::lever[1], ekf::lever[2]};
  V r[9], h[9], hp[45], s[9], inverse[9], seen[3], change[15];
  matrix(next, r);
  times_cross(r, lever, -1, h);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 15; ++j)
      hp[15 * i + j] = h[3 * i] * p[j] + h[3 * i + 1] * p[15 + j] + h[3 * i + 2] * p[30 + j] +
                       p[15 * (6 + i) + j];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      s[3 * i + j] =
          dot(hp + 15 * i, h + 3 * j) + hp[15 * i + 6 + j] + (i == j ? ekf::measured_noise : 0.);
  invert(s, inverse);
  antenna<V>(next, seen);
  for (int k = 0; k < 3; ++k) seen[k] = z[k] - seen[k];
  for (int i = 0; i < 15; ++i) {
    V gain[3];
    for (int k = 0; k < 3; ++k)
      gain[k] = inverse[k] * hp[i] + inverse[3 + k] * hp[15 + i] + inverse[6 + k] * hp[30 + i];
    change[i] = dot(gain, seen);
    for (int j = i; j < 15; ++j)
      p[15 * j + i] = p[15 * i + j] -=
          gain[0] * hp[j] + gain[1] * hp[15 + j] + gain[2] * hp[30 + j];
  }
  plus<V>(next, change, x);
}
void run_ekf() {
  const EkfData in = ekf_data();
  const int n = ekf_lanes();
  Vec state(in.x.size()), cov(in.cov.size());
  auto block = [&](int lane) {
    V x[16], next[16], p[225], gyro[3], accel[3], z[3];
    for (int k = 0; k < 16; ++k) x[k] = load(in.x, 16, lane, k);
    for (int k = 0; k < 225; ++k) p[k] = load(in.cov, 225, lane, k);
    for (int k = 0; k < 3; ++k) {
      gyro[k] = load(in.gyro, 3, lane, k);
      accel[k] = load(in.accel, 3, lane, k);
      z[k] = load(in.z, 3, lane, k);
    }
    propagate<V>(x, gyro, accel, next);
    const Transition f = transition(x, gyro, accel);
    for (int k = 0; k < 15; ++k) advance(f, p + k, 15);
    for (int k = 0; k < 15; ++k) advance(f, p + 15 * k, 1);
    for (int k = 0; k < 15; ++k) p[16 * k] += process_noise(k);
    correct(next, z, p, x);
    store(x, 16, state, 16, lane);
    store(p, 225, cov, 225, lane);
  };
  measure("ekf", peer, n, [&] { blocks(n, block); }, {&state, &cov});
}

// ---- arm: composite bodies, with all vectors in the axes of the base

struct Spatial {  // a velocity (angular, linear), or a momentum, at the origin of the base
  V angular[3], linear[3];
};
struct Body {
  V mass, moment[3], inertia[6];  // mass times center, and xx, yy, zz, xy, xz, yz at the origin
};
V pair(const Spatial& velocity, const Spatial& momentum) {
  return dot(velocity.angular, momentum.angular) + dot(velocity.linear, momentum.linear);
}
Spatial momentum(const Body& b, const Spatial& s) {
  const V *w = s.angular, *i = b.inertia;
  Spatial r;
  V a[3], c[3];
  cross(b.moment, s.linear, a);
  cross(w, b.moment, c);
  r.angular[0] = i[0] * w[0] + i[3] * w[1] + i[4] * w[2] + a[0];
  r.angular[1] = i[3] * w[0] + i[1] * w[1] + i[5] * w[2] + a[1];
  r.angular[2] = i[4] * w[0] + i[5] * w[1] + i[2] * w[2] + a[2];
  for (int k = 0; k < 3; ++k) r.linear[k] = b.mass * s.linear[k] + c[k];
  return r;
}
// The change of the velocity b, if its axis moves with a.
Spatial bracket(const Spatial& a, const Spatial& b) {
  Spatial r;
  V x[3], y[3];
  cross(a.angular, b.angular, r.angular);
  cross(a.angular, b.linear, x);
  cross(a.linear, b.angular, y);
  for (int k = 0; k < 3; ++k) r.linear[k] = x[k] + y[k];
  return r;
}
// The links' axes, and for each link the body of it and all links after it.
void links(const V* q, Spatial* axis, Body* body) {
  V rotation[arm::joints][9], origin[arm::joints][3];
  joint_frames<V>(q, rotation, origin);
  for (int i = 0; i < arm::joints; ++i) {
    const V* r = rotation[i];
    for (int k = 0; k < 3; ++k) axis[i].angular[k] = r[3 * k + 2];
    cross(origin[i], axis[i].angular, axis[i].linear);
    V c[3];
    for (int k = 0; k < 3; ++k)
      c[k] = origin[i][k] + r[3 * k] * arm::center[i][0] + r[3 * k + 1] * arm::center[i][1] +
             r[3 * k + 2] * arm::center[i][2];
    const double m = arm::mass[i];
    body[i].mass = m;
    for (int k = 0; k < 3; ++k) body[i].moment[k] = m * c[k];
    const V square = dot(c, c);
    constexpr int rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; ++k) {
      const int a = rows[k], b = columns[k];
      V sum = -m * c[a] * c[b] + (a == b ? m * square : V(0.));
      for (int e = 0; e < 3; ++e) sum += arm::inertia[i][e] * r[3 * a + e] * r[3 * b + e];
      body[i].inertia[k] = sum;
    }
  }
  for (int i = arm::joints - 2; i >= 0; --i) {
    body[i].mass += body[i + 1].mass;
    for (int k = 0; k < 3; ++k) body[i].moment[k] += body[i + 1].moment[k];
    for (int k = 0; k < 6; ++k) body[i].inertia[k] += body[i + 1].inertia[k];
  }
}
// m[j][k], and its derivatives slope[j][k][l] by angle l.
void mass_and_slope(const V* q, V* m, V* slope) {
  constexpr int n = arm::joints;
  Spatial axis[n], move[n][n], carried[n][n];
  Body body[n];
  links(q, axis, body);
  for (int l = 0; l < n; ++l)
    for (int k = 0; k <= l; ++k) {
      move[l][k] = bracket(axis[l], axis[k]);
      carried[l][k] = momentum(body[l], axis[k]);
    }
  for (int j = 0; j < n; ++j)
    for (int k = j; k < n; ++k) {
      m[n * j + k] = m[n * k + j] = pair(axis[j], carried[k][k]);
      V *upper = slope + n * (n * j + k), *lower = slope + n * (n * k + j);
      for (int l = 0; l < n; ++l) {
        V d = 0.;
        if (l > k)
          d = -pair(move[l][j], carried[l][k]) - pair(move[l][k], carried[l][j]);
        else if (l > j)
          d = -pair(move[l][j], carried[k][k]);
        upper[l] = lower[l] = d;
      }
    }
}
void run_arm() {
  const Vec in = arm_data();
  const int n = arm_lanes();
  Vec mass(static_cast<size_t>(n) * 49), slope(static_cast<size_t>(n) * 343);
  auto block = [&](int lane) {
    V q[7], m[49], d[343];
    for (int k = 0; k < 7; ++k) q[k] = load(in, 7, lane, k);
    mass_and_slope(q, m, d);
    store(m, 49, mass, 49, lane);
    store(d, 343, slope, 343, lane);
  };
  measure("arm", peer, n, [&] { blocks(n, block); }, {&mass, &slope});
}

// ---- camera

// The point in the axes of the camera, and its derivatives by the rotation vector. With y the
// rotated point, derivative k is the cross product of column k of the left Jacobian and y.
void to_camera(const V* c, const V* point, V* p, V (*slope)[3]) {
  const V angle = sqrt(dot(c, c)), s = sine(angle), co = cosine(angle);
  const V w[3] = {c[0] / angle, c[1] / angle, c[2] / angle};
  V turned[3], y[3];
  cross(w, point, turned);
  const V along = dot(w, point) * (1. - co), shrink = s / angle, twist = (1. - co) / angle;
  for (int k = 0; k < 3; ++k) y[k] = point[k] * co + turned[k] * s + w[k] * along;
  for (int k = 0; k < 3; ++k) {
    const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
    V column[3];
    for (int i = 0; i < 3; ++i) column[i] = (1. - shrink) * w[i] * w[k];
    column[k] += shrink;
    column[k1] += twist * w[k2];
    column[k2] -= twist * w[k1];
    cross(column, y, slope[k]);
    p[k] = y[k] + c[3 + k];
  }
}
void project_and_slope(const V* c, const V* point, V* pixel, V* slope) {
  V p[3], turn[3][3];
  to_camera(c, point, p, turn);
  const V inv = 1. / p[2], x = p[0] * inv, y = p[1] * inv, r2 = x * x + y * y;
  const V k1 = c[10], k2 = c[11], p1 = c[12], p2 = c[13], k3 = c[14];
  const V radial = 1. + r2 * (k1 + r2 * (k2 + r2 * k3));
  const V bend = k1 + r2 * (2. * k2 + 3. * r2 * k3);
  const V at[2] = {x, y}, quadratic[2] = {r2 + 2. * x * x, r2 + 2. * y * y};
  const V both = 2. * x * y, mixed = both * bend + 2. * (p1 * x + p2 * y);
  const V u[2] = {x * radial + p1 * both + p2 * quadratic[0],
                  y * radial + p1 * quadratic[1] + p2 * both};
  const V by_x[2] = {radial + 2. * x * x * bend + 2. * p1 * y + 6. * p2 * x, mixed};
  const V by_y[2] = {mixed, radial + 2. * y * y * bend + 6. * p1 * y + 2. * p2 * x};
  for (int i = 0; i < 2; ++i) {
    const V f = c[6 + i], dx = f * by_x[i] * inv, dy = f * by_y[i] * inv, dz = -(dx * x + dy * y);
    V* row = slope + 15 * i;
    for (int k = 0; k < 3; ++k) row[k] = dx * turn[k][0] + dy * turn[k][1] + dz * turn[k][2];
    row[3] = dx, row[4] = dy, row[5] = dz;
    row[6] = row[7] = row[8] = row[9] = 0.;
    row[6 + i] = u[i];
    row[8 + i] = 1.;
    row[10] = f * at[i] * r2;
    row[11] = row[10] * r2;
    row[14] = row[11] * r2;
    row[12] = f * (i == 0 ? both : quadratic[1]);
    row[13] = f * (i == 0 ? quadratic[0] : both);
    pixel[i] = f * u[i] + c[8 + i];
  }
}
void run_camera() {
  const CameraData in = camera_data();
  const int n = camera_lanes();
  Vec pixel(static_cast<size_t>(n) * 2), slope(static_cast<size_t>(n) * 30);
  auto block = [&](int lane) {
    V c[15], point[3], p[2], d[30];
    for (int k = 0; k < 15; ++k) c[k] = load(in.camera, 15, lane, k);
    for (int k = 0; k < 3; ++k) point[k] = load(in.point, 3, lane, k);
    project_and_slope(c, point, p, d);
    store(p, 2, pixel, 2, lane);
    store(d, 30, slope, 30, lane);
  };
  measure("camera", peer, n, [&] { blocks(n, block); }, {&pixel, &slope});
}

// ---- ilqr: only angle, its rate and the force change the accelerations

// The rate of the state, and the derivatives of both accelerations by angle, rate and force.
void rate_and_slope(const V* x, const V& force, V* rate, V (*slope)[3]) {
  using namespace ilqr;
  const V s = sine(x[1]), c = cosine(x[1]);
  const double lever = pole * length / total;
  const V push = force / total + lever * x[3] * x[3] * s;
  const V scale = 1. / (length * (4. / 3 - pole / total * c * c));
  const V turn = (gravity * s - c * push) * scale;
  rate[0] = x[2], rate[1] = x[3], rate[2] = push - lever * turn * c, rate[3] = turn;
  const V by[3] = {lever * x[3] * x[3] * c, 2. * lever * x[3] * s, V(1 / total)};  // of push
  for (int k = 0; k < 3; ++k) slope[1][k] = -c * by[k] * scale;
  slope[1][0] += (gravity * c + s * push - turn * (2. * lever * c * s)) * scale;
  for (int k = 0; k < 3; ++k) slope[0][k] = by[k] - lever * slope[1][k] * c;
  slope[0][0] += lever * turn * s;
}
// The derivatives of a step by angle, rate and force: j[i][k] is that of state i. Those by the
// position and its rate are constant.
void step_slope(const V* x, const V& force, V (*j)[3]) {
  const double h = ilqr::dt, weight[4] = {h / 6, h / 3, h / 3, h / 6},
               advance[4] = {h / 2, h / 2, h, 0};
  const auto start = [](int i, int k) {
    return (i == 1 && k == 0) || (i == 3 && k == 1) ? 1. : 0.;
  };
  V at[4], moved[4][3];  // the state at which the rate is taken, and its derivatives
  for (int i = 0; i < 4; ++i) {
    at[i] = x[i];
    for (int k = 0; k < 3; ++k) j[i][k] = moved[i][k] = start(i, k);
  }
  for (int stage = 0; stage < 4; ++stage) {
    V rate[4], slope[2][3], change[4][3];
    rate_and_slope(at, force, rate, slope);
    for (int k = 0; k < 3; ++k) {
      change[0][k] = moved[2][k];
      change[1][k] = moved[3][k];
      for (int a = 0; a < 2; ++a)
        change[2 + a][k] =
            slope[a][0] * moved[1][k] + slope[a][1] * moved[3][k] + (k == 2 ? slope[a][2] : V(0.));
    }
    for (int i = 0; i < 4; ++i) {
      at[i] = x[i] + advance[stage] * rate[i];
      for (int k = 0; k < 3; ++k) {
        j[i][k] += weight[stage] * change[i][k];
        moved[i][k] = start(i, k) + advance[stage] * change[i][k];
      }
    }
  }
}
// One step of the recursion: v and vv are the slope and the curvature of the cost to go.
void riccati(const V* x, const V& force, V* v, V* vv, V& open, V* feedback) {
  V j[4][3], b[4], vb[4], va[4][4], qux[4], next[4];
  step_slope(x, force, j);
  const V zero = 0., one = 1., h = ilqr::dt;
  const V a[4][4] = {{one, j[0][0], h, j[0][1]},
                     {zero, j[1][0], zero, j[1][1]},
                     {zero, j[2][0], one, j[2][1]},
                     {zero, j[3][0], zero, j[3][1]}};
  for (int i = 0; i < 4; ++i) b[i] = j[i][2];
  for (int i = 0; i < 4; ++i) {
    vb[i] = vv[4 * i] * b[0] + vv[4 * i + 1] * b[1] + vv[4 * i + 2] * b[2] + vv[4 * i + 3] * b[3];
    for (int k = 0; k < 4; ++k)
      va[i][k] = vv[4 * i] * a[0][k] + vv[4 * i + 1] * a[1][k] + vv[4 * i + 2] * a[2][k] +
                 vv[4 * i + 3] * a[3][k];
  }
  V quu = ilqr::effort, qu = ilqr::effort * force;
  for (int i = 0; i < 4; ++i) quu += b[i] * vb[i], qu += b[i] * v[i];
  const V inv = 1. / quu;
  open = -qu * inv;
  for (int k = 0; k < 4; ++k) {
    qux[k] = a[0][k] * vb[0] + a[1][k] * vb[1] + a[2][k] * vb[2] + a[3][k] * vb[3];
    feedback[k] = -qux[k] * inv;
    next[k] = ilqr::state_cost[k] * x[k] + qux[k] * open + a[0][k] * v[0] + a[1][k] * v[1] +
              a[2][k] * v[2] + a[3][k] * v[3];
  }
  for (int i = 0; i < 4; ++i) {
    v[i] = next[i];
    for (int k = 0; k < 4; ++k)
      vv[4 * i + k] = (i == k ? ilqr::state_cost[k] : 0.) + qux[i] * feedback[k] +
                      a[0][i] * va[0][k] + a[1][i] * va[1][k] + a[2][i] * va[2][k] +
                      a[3][i] * va[3][k];
  }
}
void run_ilqr() {
  const IlqrData in = ilqr_data();
  const int n = ilqr_lanes(), steps = ilqr::steps, states = 4 * (steps + 1);
  Vec slope(static_cast<size_t>(n) * 4), curve(static_cast<size_t>(n) * 16),
      open(static_cast<size_t>(n) * steps), feedback(static_cast<size_t>(n) * steps * 4);
  auto block = [&](int lane) {
    V v[4], vv[16], x[4], k, gain[4];
    for (int i = 0; i < 16; ++i) vv[i] = i % 5 == 0 ? ilqr::end_cost[i / 5] : 0.;
    for (int i = 0; i < 4; ++i) v[i] = vv[5 * i] * load(in.x, states, lane, 4 * steps + i);
    for (int t = steps - 1; t >= 0; --t) {
      for (int i = 0; i < 4; ++i) x[i] = load(in.x, states, lane, 4 * t + i);
      riccati(x, load(in.force, steps, lane, t), v, vv, k, gain);
      store(&k, 1, open, steps, lane, t);
      store(gain, 4, feedback, 4 * steps, lane, 4 * t);
    }
    store(v, 4, slope, 4, lane);
    store(vv, 16, curve, 16, lane);
  };
  measure("ilqr", peer, n, [&] { blocks(n, block); }, {&slope, &curve, &open, &feedback});
}

// ---- net

// out[i] = tanh(bias[i] + the sum of w[i][k] x[k]).
template <int rows, int columns>
void layer(const Vec& w, const Vec& bias, const V* x, V* out) {
  alignas(64) double at[rows * width], value[rows * width];
  for (int i = 0; i < rows; ++i) {
    V sum = bias[i];
    for (int k = 0; k < columns; ++k) sum += w[columns * i + k] * x[k];
    sum.copy_to(at + width * i, std::experimental::vector_aligned);
  }
#pragma omp simd
  for (int i = 0; i < rows * width; ++i) value[i] = std::tanh(at[i]);
  for (int i = 0; i < rows; ++i)
    out[i].copy_from(value + width * i, std::experimental::vector_aligned);
}
// back[o][k] = the sum over i of slope[o][i] (1 - h[i]^2) w[i][k], for the network's four outputs.
template <int rows, int columns>
void pull_back(const Vec& w, const V* h, const V* slope, V* back) {
  V scaled[net::out * rows];
  for (int o = 0; o < net::out; ++o)
    for (int i = 0; i < rows; ++i) scaled[rows * o + i] = slope[rows * o + i] * (1. - h[i] * h[i]);
  for (int k = 0; k < columns; ++k) {
    V sum[net::out] = {0., 0., 0., 0.};
    for (int i = 0; i < rows; ++i)
      for (int o = 0; o < net::out; ++o) sum[o] += scaled[rows * o + i] * w[columns * i + k];
    for (int o = 0; o < net::out; ++o) back[columns * o + k] = sum[o];
  }
}
void run_net() {
  using namespace cases::net;
  const NetData data = net_data();
  const int n = net_lanes();
  Vec value(static_cast<size_t>(n) * out), slope(static_cast<size_t>(n) * out * in);
  auto block = [&](int lane) {
    V x[in], h1[hidden], h2[hidden], y[out], g2[out * hidden], g1[out * hidden], g[out * in];
    for (int k = 0; k < in; ++k) x[k] = load(data.x, in, lane, k);
    layer<hidden, in>(data.w1, data.b1, x, h1);
    layer<hidden, hidden>(data.w2, data.b2, h1, h2);
    for (int o = 0; o < out; ++o) {
      y[o] = data.b3[o];
      for (int k = 0; k < hidden; ++k) {
        y[o] += data.w3[hidden * o + k] * h2[k];
        g2[hidden * o + k] = data.w3[hidden * o + k];
      }
    }
    pull_back<hidden, hidden>(data.w2, h2, g2, g1);
    pull_back<hidden, in>(data.w1, h1, g1, g);
    store(y, out, value, out, lane);
    store(g, out * in, slope, out * in, lane);
  };
  measure("net", peer, n, [&] { blocks(n, block); }, {&value, &slope});
}

// ---- spline

// The factors of the tridiagonal matrix, which all lanes share, since they share the knots.
struct Elimination {
  double before[spline::knots], after[spline::knots], inverse[spline::knots], upper[spline::knots];
  explicit Elimination(const Vec& t) {
    upper[0] = 0;
    for (int i = 1; i < spline::knots - 1; ++i) {
      before[i] = t[i] - t[i - 1], after[i] = t[i + 1] - t[i];
      inverse[i] = 1 / (2 * (before[i] + after[i]) - before[i] * upper[i - 1]);
      upper[i] = after[i] * inverse[i];
    }
  }
  // Solves for the elements between the ends of m, in place. Its ends must be 0.
  void solve(V* m) const {
    for (int i = 1; i < spline::knots - 1; ++i) m[i] = (m[i] - before[i] * m[i - 1]) * inverse[i];
    for (int i = spline::knots - 2; i > 0; --i) m[i] -= upper[i] * m[i + 1];
  }
};
void run_spline() {
  constexpr int knots = spline::knots;
  const SplineData in = spline_data();
  const int n = spline_lanes();
  const double* t = in.knots.data();
  Vec value(static_cast<size_t>(n)), slope(static_cast<size_t>(n) * knots);
  auto block = [&](int lane, const Elimination& e) {
    V y[knots], m[knots], back[knots], g[knots];
    for (int k = 0; k < knots; ++k) y[k] = load(in.y, knots, lane, k), g[k] = 0.;
    m[0] = m[knots - 1] = 0.;
    for (int k = 1; k < knots - 1; ++k)
      m[k] = 6 / e.after[k] * (y[k + 1] - y[k]) - 6 / e.before[k] * (y[k] - y[k - 1]);
    e.solve(m);
    // Each lane has its own interval; the weights of its ends are the right-hand side of the
    // transposed system, whose matrix is the same.
    for (V& b : back) b = 0.;
    for (int l = 0; l < width; ++l) {
      const double x = in.x[lane + l];
      const int i = interval(t, x);
      const double h = t[i + 1] - t[i], a = (t[i + 1] - x) / h, b = (x - t[i]) / h;
      const double p = h * h / 6 * (a * a * a - a), q = h * h / 6 * (b * b * b - b);
      value[lane + l] = a * y[i][l] + b * y[i + 1][l] + p * m[i][l] + q * m[i + 1][l];
      g[i][l] = a, g[i + 1][l] = b;
      back[i][l] = p, back[i + 1][l] = q;
    }
    back[0] = back[knots - 1] = 0.;
    e.solve(back);
    for (int k = 1; k < knots - 1; ++k) {
      const V after = 6 / e.after[k] * back[k], before = 6 / e.before[k] * back[k];
      g[k + 1] += after, g[k] -= after + before, g[k - 1] += before;
    }
    store(g, knots, slope, knots, lane);
  };
  auto all = [&] {
    const Elimination e(in.knots);
    blocks(n, [&](int lane) { block(lane, e); });
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

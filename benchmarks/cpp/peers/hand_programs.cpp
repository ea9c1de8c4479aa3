// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/cpp/peers/hand_programs.cpp: the four programs as plain loops in C++, without
// intrinsics. Derivatives are formulas.
#include "../program_cases.h"

namespace {

using namespace cases;

constexpr const char* peer = "hand";

// ---- adjust

// A pixel without distortion of scale: its derivatives by the camera (2 x 9) and the point (2 x 3).
struct Linear {
  double r[2], camera[2][9], point[2][3];
};
// out = [v]x * m, where [v]x is the matrix of the product with v.
void cross_times(const double* v, const double (*m)[3], double (*out)[3]) {
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) {
      const int j = (i + 1) % 3, l = (i + 2) % 3;
      out[i][k] = v[j] * m[l][k] - v[l] * m[j][k];
    }
}
// A view reads the rotation of its camera and `left`. The derivative of a rotated point p by the
// rotation vector is -[p]x * left.
struct Rotation {
  double matrix[3][3], left[3][3];
};
Rotation rotation(const double* c) {
  const double angle = std::sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
  const double w[3] = {c[0] / angle, c[1] / angle, c[2] / angle};
  const double s = std::sin(angle), k = std::cos(angle), a = s / angle, b = (1 - k) / angle;
  Rotation r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const double skew = i == j ? 0 : (j == (i + 1) % 3 ? -1 : 1) * w[3 - i - j];
      r.matrix[i][j] = (i == j ? k : 0) + s * skew + (1 - k) * w[i] * w[j];
      r.left[i][j] = (i == j ? a : 0) + b * skew + (1 - a) * w[i] * w[j];
    }
  return r;
}
void view(const double* c, const Rotation& turn, const double* p, const double* seen, Linear& out) {
  double rotated[3], q[3];
  for (int i = 0; i < 3; ++i) {
    rotated[i] = 0;
    for (int j = 0; j < 3; ++j) rotated[i] += turn.matrix[i][j] * p[j];
    q[i] = rotated[i] + c[3 + i];
  }
  const double z = 1 / q[2], xy[2] = {q[0] * z, q[1] * z};
  const double r2 = xy[0] * xy[0] + xy[1] * xy[1];
  const double scale = 1 + r2 * (c[7] + r2 * c[8]), slope = 2 * (c[7] + 2 * r2 * c[8]);
  double by_turn[3][3];
  cross_times(rotated, turn.left, by_turn);
  for (int k = 0; k < 2; ++k) {
    out.r[k] = c[6] * scale * xy[k] - seen[k];
    double d[3];  // by x and y, then by q
    for (int j = 0; j < 2; ++j) d[j] = c[6] * z * (slope * xy[k] * xy[j] + (j == k ? scale : 0));
    d[2] = -(d[0] * xy[0] + d[1] * xy[1]);
    for (int j = 0; j < 3; ++j) {
      out.camera[k][j] = -(d[0] * by_turn[0][j] + d[1] * by_turn[1][j] + d[2] * by_turn[2][j]);
      out.camera[k][3 + j] = d[j];
      out.point[k][j] =
          d[0] * turn.matrix[0][j] + d[1] * turn.matrix[1][j] + d[2] * turn.matrix[2][j];
    }
    out.camera[k][6] = scale * xy[k];
    out.camera[k][7] = c[6] * r2 * xy[k];
    out.camera[k][8] = c[6] * r2 * r2 * xy[k];
  }
}
// Adds J^T J of the two rows of J.
template <int n>
void add_square(const double (*j)[n], double* sum) {
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) sum[a * n + b] += j[0][a] * j[0][b] + j[1][a] * j[1][b];
}
template <int n>
void add_transposed(const double (*j)[n], const double* r, double* sum) {
  for (int a = 0; a < n; ++a) sum[a] += j[0][a] * r[0] + j[1][a] * r[1];
}
// Solves with blocks of n x n, from their inverses.
template <int n>
void condition(const Vec& inverse, const double* r, double* z, int blocks) {
  for (int k = 0; k < blocks; ++k)
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (int j = 0; j < n; ++j) sum += inverse[(k * n + i) * n + j] * r[k * n + j];
      z[k * n + i] = sum;
    }
}
template <int n>
void invert_damped(Vec& blocks, double* scale, int count) {
  for (int k = 0; k < count; ++k) {
    double* a = &blocks[k * n * n];
    for (int i = 0; i < n; ++i) {
      scale[k * n + i] = adjust::damping * a[i * n + i];
      a[i * n + i] *= 1 + adjust::damping;
    }
    double b[n * n];
    invert(a, b, n);
    std::copy(b, b + n * n, a);
  }
}
void run_adjust() {
  const AdjustData in = adjust_data();
  const int cameras = adjust_cameras(), points = adjust::points_per_camera * cameras;
  const int views = static_cast<int>(in.point.size()), all = 9 * cameras + 3 * points;
  Vec camera_results(9 * cameras), point_results(3 * points);
  std::vector<Linear> j(views);
  std::vector<Rotation> turns(cameras);
  auto call = [&] {
    Vec u(81 * cameras), v(9 * points), x(all), rest(all), z(all), d(all), ad(all), scale(all);
    const auto camera_part = [](Vec& v, int i) { return &v[9 * i]; };
    const auto point_part = [&](Vec& v, int i) { return &v[9 * cameras + 3 * i]; };
    for (int i = 0; i < cameras; ++i) turns[i] = rotation(&in.cameras[9 * i]);
    for (int n = 0; n < views; ++n) {
      const int c = in.camera[n], p = in.point[n];
      view(&in.cameras[9 * c], turns[c], &in.points[3 * p], &in.seen[2 * n], j[n]);
      add_square<9>(j[n].camera, &u[81 * c]);
      add_square<3>(j[n].point, &v[9 * p]);
      const double r[2] = {-j[n].r[0], -j[n].r[1]};
      add_transposed<9>(j[n].camera, r, camera_part(rest, c));
      add_transposed<3>(j[n].point, r, point_part(rest, p));
    }
    invert_damped<9>(u, camera_part(scale, 0), cameras);
    invert_damped<3>(v, point_part(scale, 0), points);
    const auto precondition = [&] {
      condition<9>(u, rest.data(), z.data(), cameras);
      condition<3>(v, point_part(rest, 0), point_part(z, 0), points);
      double sum = 0;
      for (int i = 0; i < all; ++i) sum += rest[i] * z[i];
      return sum;
    };
    double rz = precondition();
    d = z;
    for (int step = 0; step < adjust::solver_steps; ++step) {
      for (int i = 0; i < all; ++i) ad[i] = scale[i] * d[i];
      for (int n = 0; n < views; ++n) {
        const int c = in.camera[n], p = in.point[n];
        const double *dc = camera_part(d, c), *dp = point_part(d, p);
        double t[2];
        for (int k = 0; k < 2; ++k) {
          t[k] = 0;
          for (int i = 0; i < 9; ++i) t[k] += j[n].camera[k][i] * dc[i];
          for (int i = 0; i < 3; ++i) t[k] += j[n].point[k][i] * dp[i];
        }
        add_transposed<9>(j[n].camera, t, camera_part(ad, c));
        add_transposed<3>(j[n].point, t, point_part(ad, p));
      }
      double curve = 0;
      for (int i = 0; i < all; ++i) curve += d[i] * ad[i];
      const double alpha = rz / curve;
      for (int i = 0; i < all; ++i) x[i] += alpha * d[i], rest[i] -= alpha * ad[i];
      const double next = precondition(), beta = next / rz;
      for (int i = 0; i < all; ++i) d[i] = z[i] + beta * d[i];
      rz = next;
    }
    for (int i = 0; i < 9 * cameras; ++i) camera_results[i] = in.cameras[i] + x[i];
    for (int i = 0; i < 3 * points; ++i) point_results[i] = in.points[i] + x[9 * cameras + i];
  };
  measure("adjust", peer, cameras, call, {&camera_results, &point_results});
}

// ---- mpc

// y = m * x, column by column, so that the compiler can use vectors. `m` is [columns, rows].
template <int rows, int columns>
void product(const double* m, const double* x, double* y) {
  for (int i = 0; i < rows; ++i) y[i] = 0;
  for (int k = 0; k < columns; ++k)
    for (int i = 0; i < rows; ++i) y[i] += m[k * rows + i] * x[k];
}
template <int rows, int columns>
Vec transposed(const Vec& m) {
  Vec t(m.size());
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < columns; ++k) t[k * rows + i] = m[i * columns + k];
  return t;
}
void run_mpc() {
  using namespace mpc;
  const MpcData in = mpc_data();
  const int n = mpc_lanes();
  Vec results(n * unknowns), counts(n);
  const Vec by_unknown = transposed<limits, unknowns>(in.limits);
  auto call = [&] {
    for (int lane = 0; lane < n; ++lane) {
      const double* start = &in.start[lane * states];
      double q[unknowns] = {}, offset[limits] = {};
      for (int i = 0; i < unknowns; ++i)
        for (int k = 0; k < states; ++k) q[i] += in.slope[i * states + k] * start[k];
      for (int i = 0; i < limits; ++i)
        for (int k = 0; k < states; ++k) offset[i] += in.offset[i * states + k] * start[k];
      double u[unknowns] = {}, v[limits], z[limits] = {}, y[limits] = {}, in_z[limits], b[unknowns],
             change = 1e30;
      int count = 0;
      for (; change > tolerance && count < iterations; ++count) {
        for (int i = 0; i < limits; ++i) in_z[i] = rho * (z[i] - offset[i]) - y[i];
        product<unknowns, limits>(in.limits.data(), in_z, b);
        for (int i = 0; i < unknowns; ++i) b[i] -= q[i];
        product<unknowns, unknowns>(in.inverse.data(), b, u);
        product<limits, unknowns>(by_unknown.data(), u, v);
        double primal = 0, dual = 0;
        for (int i = 0; i < limits; ++i) {
          const double value = v[i] + offset[i], bound = in.bound[i];
          const double next = std::min(std::max(value + y[i] / rho, -bound), bound);
          y[i] += rho * (value - next);
          primal = std::max(primal, std::abs(value - next));
          dual = std::max(dual, std::abs(next - z[i]));
          z[i] = next;
        }
        change = std::max(primal, rho * dual);
      }
      std::copy(u, u + unknowns, &results[lane * unknowns]);
      counts[lane] = count;
    }
  };
  measure("mpc", peer, n, call, {&results, &counts});
}

// ---- cloth

void run_cloth() {
  using namespace cloth;
  const ClothData in = cloth_data();
  const int springs = static_cast<int>(in.rest.size());
  Vec x(in.x.size()), v(in.x.size()), force(in.x.size());
  auto call = [&] {
    x = in.x;
    std::fill(v.begin(), v.end(), 0.);
    for (int step = 0; step < steps; ++step) {
      std::fill(force.begin(), force.end(), 0.);
      for (int s = 0; s < springs; ++s) {
        const int a = 3 * in.ends[2 * s], b = 3 * in.ends[2 * s + 1];
        double d[3], square = 0, speed = 0;
        for (int k = 0; k < 3; ++k) d[k] = x[b + k] - x[a + k], square += d[k] * d[k];
        const double length = std::sqrt(square);
        for (int k = 0; k < 3; ++k) d[k] /= length, speed += (v[b + k] - v[a + k]) * d[k];
        const double pull = stiffness * (length - in.rest[s]) + damping * speed;
        for (int k = 0; k < 3; ++k) force[a + k] += pull * d[k], force[b + k] -= pull * d[k];
      }
      for (int i = 0; i < particles; ++i)
        for (int k = 0; k < 3; ++k) {
          double& e = v[3 * i + k];
          e = in.free[i] * (e + dt * (force[3 * i + k] / mass + gravity[k]));
          x[3 * i + k] += dt * e;
        }
    }
  };
  measure("cloth", peer, particles, call, {&x, &v});
}

// ---- filter

struct Key {
  uint32_t high, low;
};
// Threefry-2x32 with 20 rounds, the generator of JAX.
inline Key threefry(Key k, uint32_t x, uint32_t y) {
  constexpr int turns[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t keys[3] = {k.high, k.low, k.high ^ k.low ^ 0x1bd11bdau};
  x += keys[0], y += keys[1];
  for (int i = 0; i < 5; ++i) {
    for (int t : turns[i % 2]) x += y, y = (y << t | y >> (32 - t)) ^ x;
    x += keys[(i + 1) % 3], y += keys[(i + 2) % 3] + i + 1;
  }
  return {x, y};
}
inline double uniform(Key k, int i) {
  const Key b = threefry(k, 0, i);
  return static_cast<double>((static_cast<uint64_t>(b.high) << 32 | b.low) >> 12) * 0x1p-52;
}
// The inverse of the error function: Giles, "Approximating the erfinv function". These numbers are
// not those of the library's headers, so that its results are compared with others.
constexpr double centre[] = {
    -3.6444120640178196996e-21, -1.685059138182016589e-19,  1.2858480715256400167e-18,
    1.115787767802518096e-17,   -1.333171662854620906e-16,  2.0972767875968561637e-17,
    6.6376381343583238325e-15,  -4.0545662729752068639e-14, -8.1519341976054721522e-14,
    2.6335093153082322977e-12,  -1.2975133253453532498e-11, -5.4154120542946279317e-11,
    1.051212273321532285e-09,   -4.1126339803469836976e-09, -2.9070369957882005086e-08,
    4.2347877827932403518e-07,  -1.3654692000834678645e-06, -1.3882523362786468719e-05,
    0.0001867342080340571352,   -0.00074070253416626697512, -0.0060336708714301490533,
    0.24015818242558961693,     1.6536545626831027356};
constexpr double middle[] = {
    2.2137376921775787049e-09, 9.0756561938885390979e-08, -2.7517406297064545428e-07,
    1.8239629214389227755e-08, 1.5027403968909827627e-06, -4.013867526981545969e-06,
    2.9234449089955446044e-06, 1.2475304481671778723e-05, -4.7318229009055733981e-05,
    6.8284851459573175448e-05, 2.4031110387097893999e-05, -0.0003550375203628474796,
    0.00095328937973738049703, -0.0016882755560235047313, 0.0024914420961078508066,
    -0.0037512085075692412107, 0.005370914553590063617,   1.0052589676941592334,
    3.0838856104922207635};
constexpr double tail[] = {
    -2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09,
    -3.7894654401267369937e-09, 7.6157012080783393804e-09,  -1.4960026627149240478e-08,
    2.9147953450901080826e-08,  -6.7711997758452339498e-08, 2.2900482228026654717e-07,
    -9.9298272942317002539e-07, 4.5260625972231537039e-06,  -1.9681778105531670567e-05,
    7.5995277030017761139e-05,  -0.00021503011930044477347, -0.00013871931833623122026,
    1.0103004648645343977,      4.8499064014085844221};
template <int n>
double polynomial(const double (&c)[n], double x) {
  double p = c[0];
  for (int i = 1; i < n; ++i) p = p * x + c[i];
  return p;
}
void run_filter() {
  using namespace filter;
  const Vec seen = filter_data();
  const int n = filter_lanes();
  Vec results(n * steps);
  auto call = [&] {
    for (int lane = 0; lane < n; ++lane) {
      const Key key = threefry({0, 0}, 0, lane);
      double x[particles] = {}, moved[particles], w[particles], u[particles], p[particles];
      for (int t = 0; t < steps; ++t) {
        const Key at = threefry(key, 0, t), noise = threefry(at, 0, 0), places = threefry(at, 0, 1);
        const double lowest = -1 + 0x1p-53, value = seen[lane * steps + t];
        for (int i = 0; i < particles; ++i)
          u[i] = std::max(lowest, uniform(noise, i) * (1 - lowest) + lowest);
        for (int i = 0; i < particles; ++i) w[i] = -std::log1p(-u[i] * u[i]);
        for (int i = 0; i < particles; ++i) p[i] = polynomial(centre, w[i] - 3.125);
        for (int i = 0; i < particles; ++i)
          if (w[i] >= 6.25)
            p[i] = w[i] < 16 ? polynomial(middle, std::sqrt(w[i]) - 3.25)
                             : polynomial(tail, std::sqrt(w[i]) - 5);
        double most = -1e300, sum = 0, mean = 0;
        for (int i = 0; i < particles; ++i) {
          moved[i] = keep * x[i] + std::sqrt(2.) * u[i] * p[i];
          w[i] = -0.5 / variance * (value - moved[i]) * (value - moved[i]);
          most = std::max(most, w[i]);
        }
        for (int i = 0; i < particles; ++i) w[i] = std::exp(w[i] - most);
        for (int i = 0; i < particles; ++i) sum += w[i], mean += w[i] * moved[i];
        results[lane * steps + t] = mean / sum;
        const double first = uniform(places, 0);
        double reached = w[0] / sum;
        for (int i = 0, k = 0; i < particles; ++i) {
          while (k < particles - 1 && reached < (first + i) / particles) reached += w[++k] / sum;
          x[i] = moved[k];
        }
      }
    }
  };
  measure("filter", peer, n, call, {&results});
}

}  // namespace

int main(int argc, char** argv) {
  if (wanted(argc, argv, "adjust")) run_adjust();
  if (wanted(argc, argv, "mpc")) run_mpc();
  if (wanted(argc, argv, "cloth")) run_cloth();
  if (wanted(argc, argv, "filter")) run_filter();
}

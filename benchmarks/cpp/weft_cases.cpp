// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/cpp/weft_cases.cpp: Weft's side of the cases, in F64 and F32. Arguments: cases to
// run. Environment: LANES limits the lanes, DUMP is a folder for results, DTYPE is 64 or 32,
// THREADS is 1 without it, and REPORT=1 prints reports instead of times.
#include <weft/weft.h>

#include "weft_harness.h"

using namespace weft;

namespace {

// ---- ekf: an error-state filter. The errors are those of attitude, velocity, position, and the
// biases of gyroscope and accelerometer.

struct State {
  Array q, v, p, gyro_bias, accel_bias;
};
struct Filter {
  State x;
  Array cov;
};
Array product(Array a, Array b) {  // of quaternions, w first
  const Array w = a[0], u = a[slice(1, 4)], s = b[0], v = b[slice(1, 4)];
  return append(w * s - dot(u, v), w * v + s * u + cross(u, v));
}
Array rotate(Array q, Array v) {
  const Array w = q[0], u = q[slice(1, 4)];
  return v + 2. * cross(u, cross(u, v) + w * v);
}
State plus(State x, Array error) {
  const Array turn = append(1., 0.5 * error[slice(0, 3)]);
  return {product(x.q, turn / linalg::norm(turn)), x.v + error[slice(3, 6)],
          x.p + error[slice(6, 9)], x.gyro_bias + error[slice(9, 12)],
          x.accel_bias + error[slice(12, 15)]};
}
Array minus(State x, State y) {
  const Array conjugate = append(y.q[0], -y.q[slice(1, 4)]);
  return concatenate({2. * product(conjugate, x.q)[slice(1, 4)], x.v - y.v, x.p - y.p,
                      x.gyro_bias - y.gyro_bias, x.accel_bias - y.accel_bias});
}
State propagate(State x, Array gyro, Array accel) {
  const double dt = cases::ekf::dt;
  const Array w = dt * (gyro - x.gyro_bias), angle = linalg::norm(w);
  const Array turn = append(cos(angle / 2), sin(angle / 2) / angle * w);
  const Array gravity = array(cases::ekf::gravity, accel.dtype());
  const Array a = rotate(x.q, accel - x.accel_bias) + gravity;
  return {product(x.q, turn), x.v + dt * a, x.p + dt * x.v + 0.5 * dt * dt * a, x.gyro_bias,
          x.accel_bias};
}
Filter ekf_step(Filter f, Array gyro, Array accel, Array z) {
  using namespace cases::ekf;
  const DType d = z.dtype();
  const Array none_yet = zeros({15}, d), lever_arm = array(lever, d);
  const Array noise = repeat(
      array({attitude_noise, velocity_noise, position_noise, gyro_bias_noise, accel_bias_noise}, d),
      3);
  const State next = propagate(f.x, gyro, accel);
  const auto moved = [&](Array error) {
    return minus(propagate(plus(f.x, error), gyro, accel), next);
  };
  const Array fx = jacfwd(moved)(none_yet);
  const Array cov = matmul(matmul(fx, f.cov), fx.T()) + diag(noise);

  const auto antenna = [&](Array error) {
    const State x = plus(next, error);
    return x.p + rotate(x.q, lever_arm);
  };
  const Array h = jacfwd(antenna)(none_yet);
  const Array s = matmul(matmul(h, cov), h.T()) + measured_noise * eye(3, d);
  const Array gain = linalg::solve(s, matmul(h, cov)).T();
  return {plus(next, matmul(gain, z - antenna(none_yet))),
          matmul(eye(15, d) - matmul(gain, h), cov)};
}

// ---- arm: the mass matrix as the sum of J^T M J, and its derivative.

Array mass_matrix(Array q) {
  using namespace cases::arm;
  const DType dtype = q.dtype();
  Array rotation = eye(3, dtype), origin = zeros({3}, dtype);
  Arrays rotations, origins, centers;
  for (int i = 0; i < joints; ++i) {
    const double ca = cos_alpha[i], sa = sin_alpha[i];
    const Array c = cos(q[i]), s = sin(q[i]);
    const Array turn =
        stack({stack({c, -s, zeros_like(c)}), stack({s * ca, c * ca, full_like(c, -sa)}),
               stack({s * sa, c * sa, full_like(c, ca)})});
    origin = origin + dot(rotation, array({a[i], -sa * d[i], ca * d[i]}, dtype));
    rotation = matmul(rotation, turn);
    rotations.push_back(rotation);
    origins.push_back(origin);
    centers.push_back(origin + dot(rotation, array(center[i], dtype)));
  }
  const Array frames = stack(rotations), axes = frames[{slice(), slice(), 2}];
  // [link, joint, 3]: the velocity of each link's center, and its rotation in its own axes.
  const Array arms = stack(centers)[{slice(), newaxis}] - stack(origins);
  const Array moves = tril(ones({joints, joints}, dtype))[{slice(), slice(), newaxis}];
  const Array linear = moves * cross(axes, arms), angular = moves * matmul(axes, frames);
  return einsum("i,ija,ika->jk", array(mass, dtype), linear, linear) +
         einsum("ia,ija,ika->jk", array(&inertia[0][0], {joints, 3}, dtype), angular, angular);
}
std::pair<Array, Array> mass_and_slope(Array q) { return {mass_matrix(q), jacfwd(mass_matrix)(q)}; }

// ---- camera: rotation vector, translation, fx, fy, cx, cy, k1, k2, p1, p2, k3.

Array project(Array c, Array point) {
  const Array r = c[slice(0, 3)], angle = linalg::norm(r), w = r / angle;
  const Array p = point * cos(angle) + cross(w, point) * sin(angle) +
                  w * (dot(w, point) * (1. - cos(angle))) + c[slice(3, 6)];
  const Array x = p[0] / p[2], y = p[1] / p[2], r2 = x * x + y * y;
  const Array radial = 1. + r2 * (c[10] + r2 * (c[11] + r2 * c[14]));
  const Array u = x * radial + 2. * c[12] * x * y + c[13] * (r2 + 2. * x * x);
  const Array v = y * radial + c[12] * (r2 + 2. * y * y) + 2. * c[13] * x * y;
  return c[slice(6, 8)] * stack({u, v}) + c[slice(8, 10)];
}
std::pair<Array, Array> pixel_and_slope(Array c, Array point) {
  return {project(c, point), jacfwd(project)(c, point)};
}

// ---- ilqr: the backward pass of a cart-pole with a quadratic cost.

Array cart_pole(Array x, Array force) {
  using namespace cases::ilqr;
  const Array angle = x[1], rate = x[3], s = sin(angle), c = cos(angle);
  const Array push = (force[0] + pole * length * square(rate) * s) / total;
  const Array turn = (gravity * s - c * push) / (length * (4. / 3 - pole * square(c) / total));
  return stack({x[2], rate, push - pole * length * turn * c / total, turn});
}
Array cart_pole_step(Array x, Array force) {
  const double h = cases::ilqr::dt;
  const Array k1 = cart_pole(x, force), k2 = cart_pole(x + h / 2 * k1, force),
              k3 = cart_pole(x + h / 2 * k2, force), k4 = cart_pole(x + h * k3, force);
  return x + h / 6 * (k1 + 2. * k2 + 2. * k3 + k4);
}
struct Value {
  Array slope, curve;  // of the cost to go
};
struct Gains {
  Array open, feedback;
};
std::pair<Value, Gains> backward(Array xs, Array forces) {
  using namespace cases::ilqr;
  const DType d = xs.dtype();
  const Array q = diag(array(state_cost, d)), r = effort * eye(1, d),
              end = diag(array(end_cost, d));
  const Array before = xs[slice(0, -1)];
  const auto [as, bs] = vmap(jacfwd<0, 1>(cart_pole_step))(before, forces);
  const auto back = [&](Value v, std::tuple<Array, Array, Array, Array> at) {
    const auto [a, b, x, u] = at;
    const Array quu = r + matmul(b.T(), matmul(v.curve, b));
    const Array qux = matmul(b.T(), matmul(v.curve, a));
    const Gains k{-linalg::solve(quu, dot(r, u) + dot(b.T(), v.slope)), -linalg::solve(quu, qux)};
    return std::pair{Value{dot(q, x) + dot(a.T(), v.slope) + dot(qux.T(), k.open),
                           q + matmul(a.T(), matmul(v.curve, a)) + matmul(qux.T(), k.feedback)},
                     k};
  };
  return scan(back, Value{dot(end, xs[-1]), end}, std::tuple{as, bs, before, forces},
              {.reverse = true});
}

// ---- net: the Jacobian of a network by its inputs.

struct Net {
  Array w1, b1, w2, b2, w3, b3;
};
Array network(Array x, Net n) {
  const Array h1 = tanh(dot(n.w1, x) + n.b1), h2 = tanh(dot(n.w2, h1) + n.b2);
  return dot(n.w3, h2) + n.b3;
}
std::pair<Array, Array> value_and_jacobian(Array x, Net n) {
  return {network(x, n), jacrev(network)(x, n)};
}

// ---- spline: a natural cubic spline, and its derivatives by the values at the knots.

Array spline(Array y, Array x, Array t) {
  const Array h = diff(t), before = h[slice(0, -1)], after = h[slice(1, none)];
  const Array bend = 6. * diff(diff(y) / h);
  const Array inner = lax::tridiagonal_solve(before, 2. * (before + after), after,
                                             bend[{slice(), newaxis}])[{slice(), 0}];
  const Array m = pad(inner, 1);
  const Array i = clip(searchsorted(t, x, {.side = "right"}) - 1, 0, cases::spline::knots - 2);
  const Array a = (t[i + 1] - x) / h[i], b = (x - t[i]) / h[i];
  return a * y[i] + b * y[i + 1] +
         ((a * a * a - a) * m[i] + (b * b * b - b) * m[i + 1]) * square(h[i]) / 6.;
}

// ---- what is timed

void run_ekf(DType d) {
  const cases::EkfData in = cases::ekf_data();
  const int n = cases::ekf_lanes();
  const Array x = array(in.x, {n, 16}, d);
  const auto part = [&](int lo, int hi) { return x[{slice(), slice(lo, hi)}]; };
  const State state{part(0, 4), part(4, 7), part(7, 10), part(10, 13), part(13, 16)};
  const Filter filter{state, array(in.cov, {n, 15, 15}, d)};
  bench("ekf", d, vmap(ekf_step), filter, array(in.gyro, {n, 3}, d), array(in.accel, {n, 3}, d),
        array(in.z, {n, 3}, d));
}
void run_ilqr(DType d) {
  const cases::IlqrData in = cases::ilqr_data();
  const int n = cases::ilqr_lanes(), steps = cases::ilqr::steps;
  bench("ilqr", d, vmap(backward), array(in.x, {n, steps + 1, 4}, d),
        array(in.force, {n, steps, 1}, d));
}
void run_net(DType d) {
  using namespace cases::net;
  const cases::NetData data = cases::net_data();
  const Net net{array(data.w1, {hidden, in}, d),     array(data.b1, d),
                array(data.w2, {hidden, hidden}, d), array(data.b2, d),
                array(data.w3, {out, hidden}, d),    array(data.b3, d)};
  bench("net", d, vmap(value_and_jacobian, {0, none}), array(data.x, {cases::net_lanes(), in}, d),
        net);
}
void run(DType d, int argc, char** argv) {
  if (cases::wanted(argc, argv, "ekf")) run_ekf(d);
  if (cases::wanted(argc, argv, "arm"))
    bench("arm", d, vmap(mass_and_slope), array(cases::arm_data(), {cases::arm_lanes(), 7}, d));
  if (cases::wanted(argc, argv, "camera")) {
    const cases::CameraData in = cases::camera_data();
    const int n = cases::camera_lanes();
    bench("camera", d, vmap(pixel_and_slope), array(in.camera, {n, 15}, d),
          array(in.point, {n, 3}, d));
  }
  if (cases::wanted(argc, argv, "ilqr")) run_ilqr(d);
  if (cases::wanted(argc, argv, "net")) run_net(d);
  if (cases::wanted(argc, argv, "spline")) {
    const cases::SplineData in = cases::spline_data();
    const int n = cases::spline_lanes();
    bench("spline", d, vmap(value_and_grad(spline), {0, 0, none}), array(in.y, {n, 16}, d),
          array(in.x, d), array(in.knots, d));
  }
}

}  // namespace

int main(int argc, char** argv) { return harness(argc, argv, run); }

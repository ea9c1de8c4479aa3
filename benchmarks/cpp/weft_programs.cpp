// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/cpp/weft_programs.cpp: Weft's side of the four programs, in F64 and F32. Arguments and
// environment are those of weft_cases.cpp.
#include <weft/weft.h>

#include "program_cases.h"
#include "weft_harness.h"

using namespace weft;

namespace {

// ---- adjust: a Levenberg-Marquardt step, solved by preconditioned conjugate gradients.

struct Scene {
  Array cameras, points;
};
struct Views {
  Array camera, point, seen;
};
Array residual(Array c, Array point, Array seen) {
  const Array r = c[slice(0, 3)], angle = linalg::norm(r), w = r / angle;
  const Array p = point * cos(angle) + cross(w, point) * sin(angle) +
                  w * (dot(w, point) * (1. - cos(angle))) + c[slice(3, 6)];
  const Array xy = p[slice(0, 2)] / p[2], r2 = dot(xy, xy);
  return c[6] * (1. + r2 * (c[7] + r2 * c[8])) * xy - seen;
}
Scene plus(Scene a, Array scale, Scene b) {
  return {a.cameras + scale * b.cameras, a.points + scale * b.points};
}
Array inner(Scene a, Scene b) { return vdot(a.cameras, b.cameras) + vdot(a.points, b.points); }
Scene adjust(Scene scene, Views views) {
  const auto [camera, point, seen] = views;
  const int64_t cameras = scene.cameras.shape()[0], points = scene.points.shape()[0];
  const auto by_camera = [&](Array x) {
    return segment_sum(x, views.camera, {.num_segments = cameras});
  };
  const auto by_point = [&](Array x) {
    return segment_sum(x, views.point, {.num_segments = points});
  };
  const Array c = scene.cameras[camera], p = scene.points[point];
  const Array r = vmap(residual)(c, p, seen);
  const auto [jc, jp] = vmap(jacfwd<0, 1>(residual))(c, p, seen);
  const auto transposed = [&, jc = jc, jp = jp](Array r) {
    return Scene{by_camera(einsum("nki,nk->ni", jc, r)), by_point(einsum("nki,nk->ni", jp, r))};
  };
  const auto damped = [](Array blocks) {
    return blocks * (1. + cases::adjust::damping * eye(blocks.shape()[-1], blocks.dtype()));
  };
  const Array uu = by_camera(einsum("nki,nkj->nij", jc, jc)),
              vv = by_point(einsum("nki,nkj->nij", jp, jp));
  const Array u = linalg::inv(damped(uu)), v = linalg::inv(damped(vv));
  const auto condition = [&](Scene s) {
    return Scene{einsum("nij,nj->ni", u, s.cameras), einsum("nij,nj->ni", v, s.points)};
  };
  const double damping = cases::adjust::damping;
  const Scene scale{damping * diagonal(uu, 0, 1, 2), damping * diagonal(vv, 0, 1, 2)};
  const auto apply = [&, jc = jc, jp = jp, camera = camera, point = point](Scene s) {
    const Scene t = transposed(einsum("nki,ni->nk", jc, s.cameras[camera]) +
                               einsum("nki,ni->nk", jp, s.points[point]));
    return Scene{t.cameras + scale.cameras * s.cameras, t.points + scale.points * s.points};
  };
  const Scene b = transposed(-r), z = condition(b);
  const auto step = [&](Array, std::tuple<Scene, Scene, Scene, Array> at) {
    const auto [x, rest, d, rz] = at;
    const Scene ad = apply(d);
    const Array alpha = rz / inner(d, ad);
    const Scene left = plus(rest, -alpha, ad), z = condition(left);
    const Array next = inner(left, z);
    return std::tuple{plus(x, alpha, d), left, plus(z, next / rz, d), next};
  };
  const Scene none_yet{zeros_like(b.cameras), zeros_like(b.points)};
  const auto solved =
      fori_loop(0, cases::adjust::solver_steps, step, std::tuple{none_yet, b, z, inner(b, z)});
  return plus(scene, 1., std::get<0>(solved));
}

// ---- mpc: a controller by ADMM. Each lane stops at its own tolerance.

struct Controller {
  Array inverse, limits, slope, offset, bound;
};
struct Plan {
  Array u, z, y, change, iteration;
};
std::pair<Array, Array> control(Array start, Controller c) {
  using namespace cases::mpc;
  const Array q = dot(c.slope, start), offset = dot(c.offset, start);
  const auto goes_on = [](Plan p) { return (p.change > tolerance) & (p.iteration < iterations); };
  const auto iterate = [&](Plan p) {
    const Array u = dot(c.inverse, dot(c.limits.T(), rho * (p.z - offset) - p.y) - q);
    const Array v = dot(c.limits, u) + offset;
    const Array z = clip(v + p.y / rho, -c.bound, c.bound), y = p.y + rho * (v - z);
    return Plan{u, z, y, maximum(max(abs(v - z)), rho * max(abs(z - p.z))), p.iteration + 1};
  };
  const Array none_yet = zeros_like(offset), unlimited = full_like(start[0], 1e30);
  const Plan p =
      while_loop(goes_on, iterate, Plan{zeros_like(q), none_yet, none_yet, unlimited, Array(0)});
  return {p.u, p.iteration};
}

// ---- cloth: springs with damping, and steps of Euler's semi-implicit method.

struct Cloth {
  Array x, v;
};
struct Springs {
  Array ends, rest, free;
};
Cloth cloth_step(Cloth c, Springs s) {
  using namespace cases::cloth;
  const Array a = s.ends[{slice(), 0}], b = s.ends[{slice(), 1}];
  const Array d = c.x[b] - c.x[a], length = linalg::norm(d, 1, {.keepdims = true});
  const Array along = d / length;
  const Array speed = sum((c.v[b] - c.v[a]) * along, 1, {.keepdims = true});
  const Array pull = (stiffness * (length - s.rest[{slice(), newaxis}]) + damping * speed) * along;
  const Array force = zeros_like(c.x).at(a).add(pull).at(b).add(-pull);
  const Array rate = force / mass + array(gravity, c.x.dtype());
  const Array v = s.free[{slice(), newaxis}] * (c.v + dt * rate);
  return {c.x + dt * v, v};
}
Cloth fall(Cloth c, Springs s) {
  return fori_loop(0, cases::cloth::steps, [s](Array, Cloth c) { return cloth_step(c, s); }, c);
}

// ---- filter: particles with systematic resampling.

Array estimates(Array key, Array seen) {
  using namespace cases::filter;
  const DType d = seen.dtype();
  const auto step = [d](Array x, std::pair<Array, Array> at) {
    const auto [noise_key, resample_key] = random::split<2>(at.first);
    const Array moved = keep * x + random::normal(noise_key, {particles}, {.dtype = d});
    const Array w = nn::softmax(-0.5 / variance * square(at.second - moved));
    const Array places = (random::uniform(resample_key, {}, {.dtype = d}) + arange(particles)) /
                         static_cast<double>(particles);
    const Array chosen = clip(searchsorted(cumsum(w), places), 0, particles - 1);
    return std::pair{moved[chosen], dot(w, moved)};
  };
  return scan(step, zeros({particles}, d), std::pair{random::split(key, steps), seen}).second;
}

void run_adjust(DType d) {
  const cases::AdjustData in = cases::adjust_data();
  const int cameras = cases::adjust_cameras(), seen = static_cast<int>(in.point.size());
  bench("adjust", d, adjust,
        Scene{array(in.cameras, {cameras, 9}, d),
              array(in.points, {cameras * cases::adjust::points_per_camera, 3}, d)},
        Views{array(in.camera), array(in.point), array(in.seen, {seen, 2}, d)});
}
void run_mpc(DType d) {
  using namespace cases::mpc;
  const cases::MpcData in = cases::mpc_data();
  const Controller c{array(in.inverse, {unknowns, unknowns}, d),
                     array(in.limits, {limits, unknowns}, d),
                     array(in.slope, {unknowns, states}, d), array(in.offset, {limits, states}, d),
                     array(in.bound, d)};
  bench("mpc", d, vmap(control, {0, none}), array(in.start, {cases::mpc_lanes(), states}, d), c);
}
void run_cloth(DType d) {
  const cases::ClothData in = cases::cloth_data();
  const int springs = static_cast<int>(in.rest.size());
  const Array x = array(in.x, {cases::cloth::particles, 3}, d);
  bench("cloth", d, fall, Cloth{x, zeros_like(x)},
        Springs{array(in.ends, {springs, 2}), array(in.rest, d), array(in.free, d)});
}
void run_filter(DType d) {
  const int n = cases::filter_lanes();
  const Array keys = random::split(random::key(0), n);
  const Array seen = array(cases::filter_data(), {n, cases::filter::steps}, d);
  if (std::getenv("MAP"))
    bench(
        "filter", d,
        [](Array keys, Array seen) {
          return lax::map([](std::pair<Array, Array> at) { return estimates(at.first, at.second); },
                          std::pair{keys, seen});
        },
        keys, seen);
  else
    bench("filter", d, vmap(estimates), keys, seen);
}
void run(DType d, int argc, char** argv) {
  if (cases::wanted(argc, argv, "adjust")) run_adjust(d);
  if (cases::wanted(argc, argv, "mpc")) run_mpc(d);
  if (cases::wanted(argc, argv, "cloth")) run_cloth(d);
  if (cases::wanted(argc, argv, "filter")) run_filter(d);
}

}  // namespace

int main(int argc, char** argv) { return harness(argc, argv, run); }

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// examples/gallery/robot_arm.cpp: An arm of two links: kinematics, dynamics, and iLQR to move it
#include <cmath>
#include <numbers>

#include "../expect.h"
using namespace weft;

constexpr double gravity = 9.81, dt = 0.04, effort = 0.01;
constexpr int horizon = 50;

// The positions of elbow and hand, [2, 2], from the angles of the joints. Links are 1 m long, and
// have 1 kg at their ends.
Array joints(Array q) {
  const Array angle = cumsum(q);
  return cumsum(stack({cos(angle), sin(angle)}, 1), 0);
}
Array hand(Array q) { return joints(q)[1]; }

// The Lagrangian, kinetic minus potential energy, defines the dynamics by its derivatives.
Array lagrangian(Array q, Array v) {
  const Array speeds = jvp(joints, std::tuple{q}, std::tuple{v}).second;
  return 0.5 * square(speeds).sum() - gravity * joints(q)[{slice(), 1}].sum();
}
Array energy(Array q, Array v) { return dot(grad<1>(lagrangian)(q, v), v) - lagrangian(q, v); }
Array acceleration(Array q, Array v, Array torque) {
  const Array mass = hessian<1>(lagrangian)(q, v);
  const Array coriolis = dot(jacfwd<0>(grad<1>(lagrangian))(q, v), v);
  return linalg::solve(mass, grad<0>(lagrangian)(q, v) - coriolis + torque);
}
// One Runge-Kutta step for x = (angles, speeds).
Array step(Array x, Array torque) {
  const auto f = [&](Array at) {
    const Array v = at[slice(2, 4)];
    return concatenate({v, acceleration(at[slice(0, 2)], v, torque)});
  };
  const Array a = f(x), b = f(x + dt / 2 * a), c = f(x + dt / 2 * b), d = f(x + dt * c);
  return x + dt / 6 * (a + 2. * b + 2. * c + d);
}
// The final state, and the states before each step.
std::pair<Array, Array> rollout(Array x0, Array torques) {
  return scan([](Array x, Array u) { return std::pair{step(x, u), x}; }, x0, torques);
}

// The task: be at the target at the end, at rest, with little effort before.
Array miss(Array x, Array target) {
  return concatenate({100. * (hand(x[slice(0, 2)]) - target), 20. * x[slice(2, 4)]});
}
Array cost(Array x_end, Array torques, Array target) {
  return 0.5 * square(miss(x_end, target)).sum() + 0.5 * effort * square(torques).sum();
}

struct Gains {
  Array open, feedback;  // open-loop torque, and torque per deviation of x
};
struct Plan {
  Array torques, cost;
};
// One iteration of iLQR. Near the plan's trajectory, the dynamics are linearized and the cost is
// quadratic. The best change of the plan is then computed backwards in time.
Plan improve(Plan plan, Array x0, Array target) {
  const auto [x_end, xs] = rollout(x0, plan.torques);
  const std::tuple linear{vmap(jacfwd<0>(step))(xs, plan.torques),
                          vmap(jacfwd<1>(step))(xs, plan.torques), plan.torques};

  const auto back = [](std::pair<Array, Array> value, std::tuple<Array, Array, Array> at) {
    const auto [slope, curve] = value;  // of the cost to go
    const auto [a, b, u] = at;
    const Array quu = effort * eye(2) + dot(b.T(), dot(curve, b)), qux = dot(b.T(), dot(curve, a));
    const Gains k{-linalg::solve(quu, effort * u + dot(b.T(), slope)), -linalg::solve(quu, qux)};
    const Array next = dot(a.T(), dot(curve, a)) + dot(qux.T(), k.feedback);
    return std::pair{std::pair{dot(a.T(), slope) + dot(qux.T(), k.open), next}, k};
  };
  const Array r = miss(x_end, target), j = jacfwd(miss)(x_end, target);
  const std::pair last{dot(j.T(), r), dot(j.T(), j)};
  const auto [first, gains] = scan(back, last, linear, {.reverse = true});

  // The approximation holds only near the plan, so eight step lengths are tried together. The last
  // one is 0, which keeps the plan.
  const auto attempt = [&](Array length) {
    const auto follow = [&](Array x, std::tuple<Array, Array, Gains> at) {
      const auto [was, u, k] = at;
      const Array torque = u + length * k.open + dot(k.feedback, x - was);
      return std::pair{step(x, torque), torque};
    };
    const auto [end, torques] = scan(follow, x0, std::tuple{xs, plan.torques, gains});
    return Plan{torques, cost(end, torques, target)};
  };
  const Plan tried = vmap(attempt)(append(exp2(-arange(7.)), 0.));
  const Array best = nan_to_num(tried.cost, 1e30).argmin();
  return {tried.torques[best], tried.cost[best]};
}

int main(int argc, char** argv) {
  begin(argc, argv);
  const Array q = array({0.3, 0.5});
  show("Jacobian of the hand", jacfwd(hand)(q),
       array({{-std::sin(0.3) - std::sin(0.8), -std::sin(0.8)},
              {std::cos(0.3) + std::cos(0.8), std::cos(0.8)}}));
  // Without torque the arm swings: its energy is conserved.
  const Array swung = jit(rollout)(array({0.3, 0.5, 0., 0.}), zeros({horizon, 2})).first;
  show("energy after 2 s of swinging", energy(swung[slice(0, 2)], swung[slice(2, 4)]),
       energy(q, zeros({2})), 0.01);

  // From hanging down to a point above the shoulder.
  const Array x0 = array({-std::numbers::pi / 2, 0., 0., 0.}), target = array({0.5, 1.5});
  const auto iterate = jit(improve);
  Plan plan{zeros({horizon, 2}), cost(x0, zeros({horizon, 2}), target)};
  for (int k = 1; k <= 40; ++k) {
    const Plan next = iterate(plan, x0, target);
    expect(bool(next.cost <= 1.001 * plan.cost), "no iteration may make it worse");
    plan = next;
    if (k % 8 == 0) std::cout << "iteration " << k << ": cost " << plan.cost.item<float>() << "\n";
  }
  const Array end = jit(rollout)(x0, plan.torques).first;
  show("the hand, at the end", hand(end[slice(0, 2)]), target, 0.02);
  show("its joints' speeds", end[slice(2, 4)], zeros({2}), 0.1);
  return finish();
}

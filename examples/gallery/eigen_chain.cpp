// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// examples/gallery/eigen_chain.cpp: A hanging chain: derivatives by Weft, linear algebra by Eigen
#include <weft/eigen.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "../expect.h"
using namespace weft;

// Eigen factors the Hessian, so the program is written with Eigen's types.
using Vector = Eigen::VectorXd;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr int beads = 39;  // between two hooks at (0, 0) and (2, 0)
constexpr double span = 2, chain = 3;

// The energy of positions [2 beads]: springs between neighbours, and the weight of the beads.
Array energy(Array places, Array stiffness) {
  const Array inner = places.reshape({beads, 2}), hooks = array({{0., 0.}, {span, 0.}}, F64);
  const Array all = concatenate({hooks[slice(0, 1)], inner, hooks[slice(1, 2)]});
  const Array links = all[slice(1, none)] - all[slice(0, -1)];
  const Array stretch = sqrt(square(links).sum(1)) - chain / (beads + 1);
  const Array weight = inner[{slice(), 1}].sum() * (1. / beads);
  return weight + 0.5 * stiffness * square(stretch).sum();
}

struct Newton {
  Vector places;
  int steps = 0;
  double slope = 0;  // norm of the gradient
};
// Newton's method with a damped Hessian and a line search, as usual with Eigen. Vectors are passed
// to Weft and back without a copy.
template <class Value, class Derivatives>
Newton minimise(const Value& value, const Derivatives& derivatives, Vector x) {
  Newton r{x, 0, 0};
  for (; r.steps < 200; ++r.steps) {
    const auto [g_array, h_array] = derivatives(from_eigen(r.places));
    const auto g = as_eigen<Vector>(g_array);
    const auto h = as_eigen<Matrix>(h_array);
    r.slope = g.norm();
    if (r.slope < 1e-9) break;
    Eigen::LLT<Eigen::MatrixXd> factor(h);
    // Far from the minimum the Hessian may not be positive definite: it is damped until it is.
    for (double damping = 1e-3; factor.info() != Eigen::Success; damping *= 10)
      factor.compute(h + damping * Matrix::Identity(h.rows(), h.cols()));
    const Vector direction = -factor.solve(g);
    const double now = value(from_eigen(r.places)), expected = g.dot(direction);
    double length = 1;
    while (length > 1e-8 && value(from_eigen(Vector(r.places + length * direction))) >
                                now + 1e-4 * length * expected)
      length /= 2;
    r.places += length * direction;
  }
  return r;
}

// The depth of a catenary of this length between the hooks: y = a (cosh(x / a) - cosh(span / 2a)).
double catenary_depth() {
  double lo = 0.05, hi = 50;
  for (int k = 0; k < 100; ++k) {
    const double a = (lo + hi) / 2;
    (2 * a * std::sinh(span / (2 * a)) > chain ? lo : hi) = a;
  }
  return lo * (std::cosh(span / (2 * lo)) - 1);
}

int main(int argc, char** argv) {
  begin(argc, argv);
  Vector start(2 * beads);
  for (int k = 0; k < beads; ++k) {
    const double s = (k + 1.) / (beads + 1);
    start[2 * k] = span * s;
    start[2 * k + 1] = -4 * s * (1 - s);
  }

  // Stiffness is an argument, so one program serves all springs.
  const auto both = jit([](Array x, Array stiffness) {
    return std::pair{grad(energy)(x, stiffness), hessian(energy)(x, stiffness)};
  });
  const auto alone = jit(energy);
  const double exact = catenary_depth();
  double last = 1e9;
  for (const double stiffness : {1e2, 1e3, 1e4}) {
    const Newton r = minimise([&](const Array& x) { return alone(x, stiffness).item<double>(); },
                              [&](const Array& x) { return both(x, stiffness); }, start);
    const double depth = -r.places[2 * (beads / 2) + 1], off = std::fabs(depth - exact);
    std::cout << "stiffness " << stiffness << ": " << r.steps << " steps, depth " << depth << "\n";
    expect(r.slope < 1e-8, "Newton's method should arrive");
    expect(off < last, "stiffer springs should hang more like a chain");
    const Eigen::Map<const Eigen::Matrix2Xd> beads_at(r.places.data(), 2, beads);
    expect((beads_at.row(0) + beads_at.row(0).reverse()).isConstant(span, 1e-6), "it is symmetric");
    last = off;
    start = r.places;
  }
  std::cout << "the catenary: " << exact << "\n";
  expect(last < 0.01 * exact, "the stiffest chain should be a catenary");
  return finish();
}

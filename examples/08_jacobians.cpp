// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// examples/08_jacobians.cpp: Jacobians: a loop and a map compared, second order, sparse
#include "expect.h"
using namespace weft;

int main(int argc, char** argv) {
  begin(argc, argv);
  const Array w = array({{1., 2.}, {0., 1.}, {-1., 1.}});
  auto f = [&](Array x) { return tanh(dot(w, x)); };  // R^2 -> R^3
  const Array x = array({0.5, -0.25});
  const Array slope = 1. - square(tanh(dot(w, x)));
  const Array want = slope[{slice(), newaxis}] * w;  // by the chain rule

  // One gradient per output, in a C++ loop …
  Arrays rows;
  for (int i = 0; i < 3; ++i) rows.push_back(grad([&](Array v) { return f(v)[i]; })(x));
  show("a loop of gradients", stack(rows), want);
  // … and the same mapped over the outputs.
  show(
      "vectorized_map of gradients",
      vectorized_map([&](Array i) { return grad([&](Array v) { return f(v)[i]; })(x); }, arange(3)),
      want);
  // The library's functions: by columns, by rows, or whichever is cheaper.
  show("jacfwd", jacfwd(f)(x), want);
  show("jacrev", jacrev(f)(x), want);
  show("jacobian", jacobian(f)(x), want);

  // rowwise maps f over rows, so only the diagonal blocks of its Jacobian are not zero.
  auto rowwise = [&](Array batch) { return vmap(f)(batch); };
  const Array batch = stack({x, zeros({2})});
  show("batch_jacobian", batch_jacobian(rowwise)(batch), stack({want, w}));
  show_shape("the whole Jacobian", jacobian(rowwise)(batch), {2, 3, 2, 2});

  // A function of a tree has a tree of Jacobians.
  using Pair = std::pair<Array, Array>;
  auto [d_a, d_b] =
      jacrev([](Pair p) { return p.first * p.second; })(Pair{array({1., 2.}), array({3., 4.})});
  show("with respect to a", d_a, diag(array({3., 4.})));
  show("with respect to b", d_b, diag(array({1., 2.})));

  // Second derivatives: the Rosenbrock function, its Hessian and a product with a vector.
  auto rosenbrock = [](Array p) { return 100. * square(p[1] - p[0] * p[0]) + square(1. - p[0]); };
  const Array p = array({1., 1.}), v = array({1., 2.});
  show("hessian", hessian(rosenbrock)(p), array({{802., -400.}, {-400., 200.}}));
  show("hvp", hvp(rosenbrock)(p, v), array({2., 0.}), 1e-3);
  show("a batch of Hessians' traces",
       vmap([&](Array q) { return trace(hessian(rosenbrock)(q)); })(stack({p, zeros({2})})),
       array({1002., 202.}));

  // A large one, 256 x 256: by a loop of pull-backs, and mapped.
  const Array m = sin(arange(256. * 256.)).reshape({256, 256}) / 16., z = cos(arange(256.));
  auto net = [&](Array u) { return tanh(dot(m, tanh(dot(m, u)))); };
  auto mapped = jit(jacrev(net));
  auto row = jit([&](Array u, Array ct) { return std::get<0>(vjp(net, u).second(ct)); });
  const Array unit = eye(256);
  auto loop = [&] {
    Arrays r;
    for (int i = 0; i < 256; ++i) r.push_back(row(z, unit[i]));
    return stack(r);
  };
  expect(bool(allclose(loop(), mapped(z), 1e-4, 1e-5)), "loop and map should agree");
  std::cout << "\n256 rows, sequential loop: " << milliseconds(loop) << " ms\n"
            << "256 rows, mapped:          " << milliseconds([&] { return mapped(z); }) << " ms\n";

  // Many zeros: columns without a common row are computed together.
  auto chain = [](Array u) {
    for (int step = 0; step < 8; ++step) u = u + 0.1 * (roll(u, 1) - 2. * u + sin(u));
    return u;
  };
  auto dense = jit(jacobian(chain)), sparse = jit(jacobian(chain, {.sparsity = detect}));
  const Array u = cos(arange(1024.));
  expect(bool(array_equal(dense(u), sparse(u))), "a sparse Jacobian should be the dense one");
  std::cout << "\n1,024 x 1,024, all columns:       " << milliseconds([&] { return dense(u); })
            << " ms\n"
            << "1,024 x 1,024, by .sparsity:     " << milliseconds([&] { return sparse(u); })
            << " ms\n";
  return finish();
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/autodiff/sparse_jacobian_test.cpp: Jacobians with many zeros are computed in fewer passes.
#include "support/check.h"
#include "transforms/sparsity.h"

using namespace weft;
using namespace weft::test;

namespace {
struct Params {
  Array w, b;
};
Array ramp(int64_t n) { return arange(n).astype(F32) / 7. + 0.3; }
// The Jacobian has three diagonals and two corners.
Array ring(const Arg& v) {
  const Array& x = v;
  return x * x * roll(x, 1) + sin(roll(x, -1));
}
// The Jacobian has three diagonals, so that three classes of vectors suffice.
Array chain(const Arg& v) {
  const Array& x = v;
  const int64_t n = x.shape()[0];
  const Array p = pad(x, 1);
  return x * lax::slice_in_dim(p, 0, n) - exp(lax::slice_in_dim(p, 2, n + 2));
}
// Returns the number of passes that the Jacobian takes: the rows that are computed together.
template <class F>
int64_t passes(F jacobian, const Array& x) {
  const std::string text = to_string(make_jaxpr(jacobian)(x)),
                    before = "iota[dimension=0 dtype=int32 shape=(";
  const size_t at = text.find(before);
  return at == std::string::npos ? 0 : std::stoll(text.substr(at + before.size()));
}
// Checks that the sparse Jacobian equals the dense one in each mode, eager and compiled.
template <class F>
void check_dense(F f, const Array& x) {
  const auto j = jacobian(f, {.sparsity = detect});
  const Array expected = jacobian(f)(x);
  CHECK(allclose(j(x), expected));
  CHECK(j(x).shape() == expected.shape());
  CHECK(allclose(jit(j)(x), expected));
  CHECK(allclose(jacfwd(f, {.sparsity = detect})(x), expected));
  CHECK(allclose(jacrev(f, {.sparsity = detect})(x), expected));
  CHECK(allclose(jacrev(f, {.chunk_size = 2, .sparsity = detect})(x), expected));
  CHECK(allclose(jit(jacfwd(f, {.chunk_size = 2, .sparsity = detect}))(x), expected));
}
}  // namespace

TEST_CASE("a banded Jacobian takes as many passes as it has diagonals", "[sparsity]") {
  for (const int64_t n : {1, 2, 3, 9, 12}) {
    check_dense(chain, ramp(n));
    check_dense(ring, ramp(n));
  }
  const Array x = ramp(30);
  CHECK(passes(jacfwd(chain, {.sparsity = detect}), x) == 3);
  CHECK(passes(jacrev(chain, {.sparsity = detect}), x) == 3);
  CHECK(passes(jacobian(ring, {.sparsity = detect}), x) == 3);
  CHECK(passes(jacobian([](Array v) { return sin(v); }, {.sparsity = detect}), x) == 1);
  CHECK(passes(jacobian(chain), x) == 30);
  CHECK(passes(jacobian([](Array v) { return v * v.sum(); }, {.sparsity = detect}), x) == 30);
  // The mode takes rows or columns, whichever needs fewer passes: one column is full, or one row.
  const auto column = [](Array v) { return v * v[0]; };
  const auto row = [](Array v) {
    return concatenate({v.sum().reshape({1}), sin(lax::slice_in_dim(v, 1, v.shape()[0]))}, 0);
  };
  check_dense(column, x);
  check_dense(row, x);
  CHECK(passes(jacobian(column, {.sparsity = detect}), x) == 2);
  CHECK(passes(jacobian(row, {.sparsity = detect}), x) == 2);
}

TEST_CASE("Hessians take the passes of their columns", "[sparsity]") {
  const auto energy = [](Array x) { return (square(x * x - roll(x, 1)) + cosh(x)).sum(); };
  const Array x = ramp(12), expected = hessian(energy)(x);
  CHECK(allclose(hessian(energy, {.sparsity = detect})(x), expected));
  CHECK(allclose(jit(hessian(energy, {.sparsity = detect}))(x), expected));
  CHECK(passes(hessian(energy, {.sparsity = detect}), x) == 3);
}

TEST_CASE("elements that are zero only at this point are in the pattern", "[sparsity]") {
  const auto f = [](Array x) { return x * roll(x, 1) * where(x > 0.5, x, 0.); };
  const auto j = jit(jacobian(f, {.sparsity = detect}));
  for (const Array& x : {zeros({6}), ones({6}), ramp(6)}) CHECK(allclose(j(x), jacobian(f)(x)));
}

TEST_CASE("sparse Jacobians see through control flow", "[sparsity]") {
  // The loop counter is known, and so are the elements that the loop reads and writes.
  const auto fori = [](Array x) {
    return fori_loop(
        0, x.shape()[0] - 1, [](Array i, Array v) { return v.at(i).set(v[i] * v[i + 1]); }, x);
  };
  const auto scanned = [](Array x) {
    return scan([](Array c, Array v) { return std::pair{c, v * c + sin(v)}; }, x[0], x).second;
  };
  const auto along = [](Array x) {
    return scan([](Array c, Array v) { return std::pair{c * v, c}; }, ones({}), x,
                {.reverse = true})
        .second;
  };
  const auto branches = [](Array x) {
    return cond(
        x.sum() > 0, [](Array v) { return roll(v, 1) * v; }, [](Array v) { return v * v; }, x);
  };
  const auto grows = [](Array x) {
    return while_loop([](Array v) { return v.sum() < 40; },
                      [](Array v) { return v + 0.5 * roll(v, 1); }, x, {.max_trips = 50});
  };
  const auto lanes = [](Array x) {
    return vmap([](Array v) {
      return while_loop([](Array c) { return c < 5; }, [](Array c) { return c * 2 + 1; }, v,
                        {.max_trips = 9});
    })(x);
  };
  const auto again = checkpoint([](Array x) { return sin(x) * roll(x, 1); });

  const Array x = ramp(8);
  check_dense(fori, x);
  check_dense(scanned, x);
  check_dense(along, x);
  check_dense(branches, x);
  check_dense(grows, x);
  check_dense(lanes, x);
  check_dense(again, x);
  CHECK(passes(jacfwd(fori, {.sparsity = detect}), x) == 2);
  CHECK(passes(jacfwd(scanned, {.sparsity = detect}), x) == 2);
  CHECK(passes(jacfwd(branches, {.sparsity = detect}), x) == 2);
  CHECK(passes(jacfwd(lanes, {.sparsity = detect}), x) == 1);
  CHECK(passes(jacfwd(again, {.sparsity = detect}), x) == 2);
  CHECK(passes(jacfwd(grows, {.sparsity = detect}), x) == 8);
}

TEST_CASE("loops of many steps are not followed to their end", "[sparsity]") {
  const auto every = [](Array x) {
    return fori_loop(0, 1'000'000, [](Array i, Array v) { return sin(v) + i * 1e-6; }, x);
  };
  const auto within = [](Array x) {
    return fori_loop(
        0, 1000,
        [](Array, Array v) {
          return fori_loop(0, 1000, [](Array i, Array u) { return u * 0.5 + sin(i); }, v);
        },
        x);
  };
  const auto rows = [](Array x) {
    return scan([](Array c, Array r) { return std::pair{c * 0.5 + r * r, r * 2}; }, x[0],
                concatenate({x, zeros({200'000})}, 0))
        .first;
  };
  // The loop is too long to follow the counter, so that every element may be written.
  const auto counted = [](Array x) {
    return fori_loop(
        0, 1'000'000, [](Array i, Array v) { return v.at(i % 4).set(v[i % 4] * 0.5 + 1); }, x);
  };
  const Array x = ramp(4);
  CHECK(passes(jacfwd(every, {.sparsity = detect}), x) == 1);
  CHECK(passes(jacfwd(within, {.sparsity = detect}), x) == 1);
  CHECK(passes(jacrev(rows, {.sparsity = detect}), x) == 1);
  CHECK(passes(jacfwd(counted, {.sparsity = detect}), x) == 4);
}

TEST_CASE("indices that are known, and those that are not", "[sparsity]") {
  const Array x = ramp(8), order = array({1, 0, 3, 2, 7, 6, 5, 4}),
              bands = diag(ramp(8)) + eye(8, 8, 1);
  const auto known = [&](Array v) { return v[order] * v; };
  const auto unknown = [](Array v) { return v[(v * 3).astype(I32)] * v; };
  const auto sorted = [](Array v) { return sort(v.reshape({2, 4})).reshape({8}); };
  const auto product = [&](Array v) { return matmul(bands, v * v); };
  const auto filtered = [](Array v) { return convolve(v, array({1., -2., 1.}), "same"); };
  const auto sums = [](Array v) {
    return segment_sum(v, array({0, 0, 1, 1, 2, 2, 3, 3}), {.num_segments = 4});
  };
  check_dense(known, x);
  check_dense(unknown, x);
  check_dense(sorted, x);
  check_dense(product, x);
  check_dense(filtered, x);
  check_dense(sums, x);
  CHECK(passes(jacfwd(known, {.sparsity = detect}), x) == 2);
  CHECK(passes(jacfwd(unknown, {.sparsity = detect}), x) == 8);
  CHECK(passes(jacfwd(sorted, {.sparsity = detect}), x) == 4);
  CHECK(passes(jacfwd(product, {.sparsity = detect}), x) == 2);
  CHECK(passes(jacfwd(filtered, {.sparsity = detect}), x) == 3);
  CHECK(passes(jacfwd(sums, {.sparsity = detect}), x) == 2);
}

TEST_CASE("sparse Jacobians of trees, of several arguments, with aux", "[sparsity]") {
  const Params p{ramp(6), ramp(6) * 2};
  const auto f = [](Params p) { return std::pair{p.w * p.b, sin(p.b)}; };
  const auto [a, b] = jit(jacobian(f, {.sparsity = detect}))(p);
  const auto [ea, eb] = jacobian(f)(p);
  CHECK(allclose(a.w, ea.w));
  CHECK(allclose(a.b, ea.b));
  CHECK(allclose(b.w, eb.w));
  CHECK(allclose(b.b, eb.b));
  const auto g = [](Array x, double scale, Array y) { return scale * x * roll(y, 2); };
  const auto [gx, gy] = jacobian<0, 2>(g, {.sparsity = detect})(ramp(5), 2., ramp(5));
  const auto [ex, ey] = jacobian<0, 2>(g)(ramp(5), 2., ramp(5));
  CHECK(allclose(gx, ex));
  CHECK(allclose(gy, ey));
  const auto with_aux = [](Array x) { return std::pair{chain(x), x.sum()}; };
  for (const auto& [j, sum] : {jacfwd_with_aux(with_aux, {.sparsity = detect})(ramp(7)),
                               jacrev_with_aux(with_aux, {.sparsity = detect})(ramp(7)),
                               jacobian_with_aux(with_aux, {.sparsity = detect})(ramp(7))}) {
    CHECK(allclose(j, jacfwd(chain)(ramp(7))));
    CHECK(allclose(sum, ramp(7).sum()));
  }
  // These results are scalars, and some of them are not in the pattern.
  const auto scalars = [](std::vector<Array> x) { return std::vector<Array>{x[0] * x[1], x[2]}; };
  const auto s = jacobian(scalars, {.sparsity = detect})({1., 2., 3.});
  CHECK(s[0][0].item<float>() == 2);
  CHECK(s[0][2].item<float>() == 0);
  CHECK(s[1][2].item<float>() == 1);
  const auto constant = [](Array x) { return zeros({3}) + stop_gradient(x).sum(); };
  CHECK(array_equal(jacobian(constant, {.sparsity = detect})(ramp(4)), zeros({3, 4})));
  CHECK(jacobian(chain, {.sparsity = detect})(zeros({0})).shape() == Shape{0, 0});
}

TEST_CASE("sparse Jacobians under maps, derivatives and with captured values", "[sparsity]") {
  const Array xs = ramp(12).reshape({3, 4}), factors = ramp(3);
  const auto j = jacobian(ring, {.sparsity = detect});
  CHECK(allclose(vmap(j)(xs), vmap(jacobian(ring))(xs)));
  CHECK(allclose(jit(vmap(j))(xs), vmap(jacobian(ring))(xs)));
  const auto captured = [](auto mode) {
    return [mode](Array k, Array x) { return mode([k](Array v) { return ring(v) * k; })(x); };
  };
  const auto sparse = captured([](auto f) { return jacobian(f, {.sparsity = detect}); });
  const auto dense = captured([](auto f) { return jacobian(f); });
  CHECK(allclose(vmap(sparse)(factors, xs), vmap(dense)(factors, xs)));
  CHECK(allclose(jit(vmap(sparse))(factors, xs), vmap(dense)(factors, xs)));
  const auto norm = [](auto jacobian) {
    return [jacobian](Array x) { return square(jacobian(x)).sum(); };
  };
  CHECK(allclose(grad(norm(j))(xs[0]), grad(norm(jacobian(ring)))(xs[0])));
  CHECK(allclose(jacfwd(norm(j))(xs[0]), grad(norm(jacobian(ring)))(xs[0])));
  const auto over_lanes = [&](Array x) { return psum(x, "i") * ring(x); };
  const auto with_sum = [&](JacobianOptions o) {
    return vmap([&, o](Array x) { return jacobian(over_lanes, o)(x); }, 0, 0, {.axis_name = "i"});
  };
  CHECK(allclose(with_sum({.sparsity = detect})(xs), with_sum({})(xs)));
  const Array z = lax::complex(ramp(5), -ramp(5));
  const auto holomorphic = [](Array v) { return v * v * roll(v, 1); };
  CHECK(allclose(jacobian(holomorphic, {.holomorphic = true, .sparsity = detect})(z),
                 jacobian(holomorphic, {.holomorphic = true})(z)));
}

TEST_CASE("functions with one mode, and with effects", "[sparsity]") {
  const auto f =
      custom_vjp([](Array v) { return sin(v); }, [](Array v) { return std::pair{sin(v), v}; },
                 [](Array v, Array ct) { return ct * cos(v); });
  const Array x = ramp(6);
  CHECK(allclose(jacobian(f, {.sparsity = detect})(x), jacrev(f)(x)));
  const auto loop = [](Array v) {
    return while_loop([](Array c) { return c.max() < 50; }, [](Array c) { return c * c + 1; }, v);
  };
  CHECK(allclose(jacobian(loop, {.sparsity = detect})(x), jacfwd(loop)(x)));
  int calls = 0;
  const auto counted = [&](Array v) {
    io_callback([&](Array) { ++calls; }, none, stop_gradient(v));
    return v * roll(v, 1);
  };
  const Array expected = jacfwd([](Array v) { return v * roll(v, 1); })(x);
  CHECK(allclose(jacobian(counted, {.sparsity = detect})(x), expected));
  CHECK(calls == 1);
}

TEST_CASE("batch_jacobian says what to write for a sparse one", "[sparsity]") {
  check_error<DifferentiationError>(
      [] { batch_jacobian([](Array x) { return x; }, {.sparsity = detect})(ones({2, 2})); },
      "vmap(jacobian(f, {.sparsity = detect}))");
}

TEST_CASE("rows without a common column share a colour", "[sparsity]") {
  const detail::Pattern p{{{0, 1}, {2}, {1, 2}, {}, {0}}, 3};
  const detail::Colours c = detail::coloured(p);
  CHECK(c.of_row == std::vector<int32_t>{0, 0, 1, 0, 1});
  CHECK(c.count == 2);
  CHECK(p.transposed().rows == std::vector<std::vector<int32_t>>{{0, 4}, {0, 2}, {1, 2}});
}

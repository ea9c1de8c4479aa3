// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/misuse_test.cpp: ranks, sizes, axes and dtypes that functions refuse. They are
// functions of matrices, transforms, special functions, distributions, windows and layers. The
// tests check the class of the error, and that its text names the function that was called.
#include "support/check.h"
#include "weft/lax/linalg/qr.h"

using namespace weft;
using namespace weft::test;
namespace la = weft::linalg;
namespace ll = weft::lax::linalg;
namespace sp = weft::special;

namespace {

const Array v3 = zeros({3}), m32 = zeros({3, 2}), m33 = eye(3), cube = zeros({2, 3, 4}),
            truth = ones({3, 3}, Bool), complexes = ones({3, 3}, C64), whole = ones({3, 3}, I32),
            half = ones({3, 3}, F16);

struct Mistake {
  const char* name;  // of the function, with which the text begins
  const char* text;
  const std::type_info* error;
  void (*make)();
};
#define WRONG(error, name, ...)                                     \
  Mistake {                                                         \
    name, #__VA_ARGS__, &typeid(error), [] { (void)(__VA_ARGS__); } \
  }

void check(const std::vector<Mistake>& all) {
  for (const Mistake& m : all) {
    std::string text = "no error";
    bool right = false;
    try {
      m.make();
    } catch (const std::exception& e) {
      text = e.what();
      right = typeid(e) == *m.error;
    }
    INFO(m.text << "\n" << text);
    CHECK(right);
    // The text begins with "f: …" or, as in JAX, "f accepts a single key".
    const std::string name = m.name;
    CHECK((text.rfind(name + ": ", 0) == 0 || text.rfind(name + " accepts", 0) == 0));
  }
}

}  // namespace

TEST_CASE("errors of factors name the refused operand", "[linalg][errors]") {
  check({
      WRONG(ShapeError, "cholesky", la::cholesky(v3)),
      WRONG(ShapeError, "cholesky", la::cholesky(m32)),
      WRONG(DTypeError, "cholesky", la::cholesky(half)),
      WRONG(ShapeError, "solve_triangular", la::solve_triangular(v3, v3)),
      WRONG(ShapeError, "solve_triangular", la::solve_triangular(m32, v3)),
      WRONG(ShapeError, "solve_triangular", la::solve_triangular(m33, zeros({2}))),
      WRONG(ShapeError, "solve_triangular", la::solve_triangular(m33, 1.f)),
      WRONG(ShapeError, "cho_factor", la::cho_factor(v3)),
      WRONG(ShapeError, "cho_factor", la::cho_factor(m32)),
      WRONG(ShapeError, "cho_solve", la::cho_solve(m32, v3)),
      WRONG(ShapeError, "cho_solve", la::cho_solve(m33, zeros({4}))),
      WRONG(ShapeError, "lu", la::lu(v3)),
      WRONG(ShapeError, "lu_factor", la::lu_factor(v3)),
      WRONG(ShapeError, "lu_factor", la::lu_factor(m32)),
      WRONG(ShapeError, "lu_solve", la::lu_solve({m33, zeros({3}, I32)}, zeros({2}))),
      WRONG(ShapeError, "qr", la::qr(v3)),
      WRONG(Error, "qr", la::qr(m33, {.mode = "thin"})),
      WRONG(ShapeError, "lu", lax::lu(v3)),
      WRONG(DTypeError, "lu", lax::lu(whole)),
      WRONG(ShapeError, "lu_pivots_to_permutation",
            lax::lu_pivots_to_permutation(zeros({4}, I32), 3)),
      WRONG(DTypeError, "lu_pivots_to_permutation", lax::lu_pivots_to_permutation(v3, 3)),
      WRONG(ShapeError, "geqrf", ll::geqrf(v3)),
      WRONG(DTypeError, "geqrf", ll::geqrf(whole)),
      WRONG(ShapeError, "geqp3", ll::geqp3(v3)),
      WRONG(DTypeError, "geqp3", ll::geqp3(whole)),
      WRONG(ShapeError, "householder_product", ll::householder_product(v3, v3)),
      WRONG(ShapeError, "householder_product", ll::householder_product(m32, zeros({3}))),
      WRONG(ShapeError, "householder_product", ll::householder_product(m32.T(), zeros({1}))),
      WRONG(DTypeError, "householder_product", ll::householder_product(m33, zeros({3}, F64))),
      WRONG(ShapeError, "ormqr", ll::ormqr(m33, v3, m32.T())),
      WRONG(DTypeError, "ormqr", ll::ormqr(m33, v3, m32.astype(F64))),
      WRONG(ShapeError, "qr", ll::qr(v3)),
      WRONG(ShapeError, "qr", ll::pivoted_qr(v3)),
      WRONG(ShapeError, "triangular_solve", ll::triangular_solve(m32, v3, {})),
      WRONG(ShapeError, "triangular_solve", ll::triangular_solve(m33, zeros({2, 2}), {})),
      WRONG(DTypeError, "triangular_solve", ll::triangular_solve(m33, complexes, {})),
      WRONG(ShapeError, "cholesky_update", ll::cholesky_update(m32, v3)),
      WRONG(ShapeError, "cholesky_update", ll::cholesky_update(m33, zeros({2}))),
      WRONG(DTypeError, "cholesky_update", ll::cholesky_update(complexes, ones({3}, C64))),
      WRONG(ShapeError, "symmetric_product", ll::symmetric_product(m32, zeros({2, 2}))),
      WRONG(DTypeError, "symmetric_product", ll::symmetric_product(complexes, complexes)),
      WRONG(ShapeError, "tridiagonal_solve", ll::tridiagonal_solve(v3, v3, zeros({2}), m32)),
      WRONG(ShapeError, "tridiagonal_solve", ll::tridiagonal_solve(v3, v3, v3, m33[0])),
      WRONG(DTypeError, "tridiagonal_solve", ll::tridiagonal_solve(v3, v3, v3, m32.astype(F64))),
      WRONG(ShapeError, "qdwh", ll::qdwh(m32.T())),
      WRONG(ShapeError, "qdwh", ll::qdwh(v3)),
  });
}

TEST_CASE("errors of spectra name the refused operand", "[linalg][errors]") {
  check({
      WRONG(ShapeError, "eigh", la::eigh(v3)),
      WRONG(ShapeError, "eigh", la::eigh(m32)),
      WRONG(DTypeError, "eigh", lax::eigh(whole)),
      WRONG(ShapeError, "eigvalsh", la::eigvalsh(v3)),
      WRONG(ShapeError, "eigvalsh", la::eigvalsh(m32)),
      WRONG(ShapeError, "eig", la::eig(v3)),
      WRONG(ShapeError, "eigvals", la::eigvals(m32)),
      WRONG(DTypeError, "eig", lax::eig(whole)),
      WRONG(ShapeError, "svd", la::svd(v3)),
      WRONG(ShapeError, "svd", la::svd(m32, {.hermitian = true})),
      WRONG(IndexError, "svd",
            la::svd(m32, {.full_matrices = false, .subset_by_index = std::pair(0, 3)})),
      WRONG(ShapeError, "svdvals", la::svdvals(v3)),
      WRONG(DTypeError, "svd", lax::svd(whole)),
      WRONG(ShapeError, "polar", la::polar(v3)),
      WRONG(ShapeError, "schur", la::schur(m32)),
      WRONG(DTypeError, "schur", lax::schur(whole)),
      WRONG(ShapeError, "rsf2csf", la::rsf2csf(m32, m33)),
      WRONG(ShapeError, "hessenberg", la::hessenberg(m32)),
      WRONG(DTypeError, "hessenberg", lax::hessenberg(whole)),
      WRONG(ShapeError, "tridiagonal", lax::tridiagonal(m32)),
      WRONG(DTypeError, "tridiagonal", lax::tridiagonal(whole)),
      WRONG(ShapeError, "sqrtm", la::sqrtm(m32)),
      WRONG(ShapeError, "sqrtm", la::sqrtm(v3)),
      WRONG(ShapeError, "solve_sylvester", la::solve_sylvester(m33, m33, m32)),
      WRONG(ShapeError, "solve_sylvester", la::solve_sylvester(m32, m33, m33)),
      WRONG(ShapeError, "eigh_tridiagonal", la::eigh_tridiagonal(v3, v3)),
      WRONG(ShapeError, "eigh_tridiagonal", la::eigh_tridiagonal(1.f, v3)),
      WRONG(IndexError, "eigh_tridiagonal",
            la::eigh_tridiagonal(v3, zeros({2}), {.select = "i", .select_range = std::pair(1, 3)})),
  });
}

TEST_CASE("errors of systems, powers and norms name the refused operand", "[linalg][errors]") {
  check({
      WRONG(ShapeError, "solve", la::solve(v3, v3)),
      WRONG(ShapeError, "solve", la::solve(m32, v3)),
      WRONG(ShapeError, "solve", la::solve(m33, zeros({2}))),
      WRONG(ShapeError, "solve", la::solve(m33, 1.f)),
      WRONG(ShapeError, "inv", la::inv(v3)),
      WRONG(ShapeError, "inv", la::inv(m32)),
      WRONG(ShapeError, "det", la::det(m32)),
      WRONG(ShapeError, "slogdet", la::slogdet(m32)),
      WRONG(ShapeError, "matrix_power", la::matrix_power(m32, 2)),
      WRONG(ShapeError, "matrix_power", la::matrix_power(v3, 2)),
      WRONG(ShapeError, "expm", la::expm(m32)),
      WRONG(ShapeError, "expm_frechet", la::expm_frechet(m32, m32)),
      WRONG(ShapeError, "expm_frechet", la::expm_frechet(m33, eye(2))),
      WRONG(ShapeError, "multi_dot", la::multi_dot({m33})),
      WRONG(ShapeError, "multi_dot", la::multi_dot({m33, cube, m33})),
      WRONG(ShapeError, "multi_dot", la::multi_dot({m33, v3, m33})),
      WRONG(ShapeError, "multi_dot", la::multi_dot({m33, m32, m32})),
      WRONG(ShapeError, "matrix_transpose", la::matrix_transpose(v3)),
      WRONG(ShapeError, "trace", la::trace(v3)),
      WRONG(ShapeError, "diagonal", la::diagonal(v3)),
      WRONG(ShapeError, "outer", la::outer(m33, v3)),
      WRONG(ShapeError, "pinv", la::pinv(v3)),
      WRONG(ShapeError, "pinv", la::pinv(m32, {.hermitian = true})),
      WRONG(ShapeError, "pinv", la::pinv(cube, {.rtol = zeros({3})})),
      WRONG(ShapeError, "matrix_rank", la::matrix_rank(m32, {.hermitian = true})),
      WRONG(ShapeError, "lstsq", la::lstsq(v3, v3)),
      WRONG(ShapeError, "lstsq", la::lstsq(cube, v3)),
      WRONG(ShapeError, "lstsq", la::lstsq(m32, zeros({2}))),
      WRONG(ShapeError, "tensorinv",
            la::tensorinv(m33, 1).shape() == la::tensorinv(m32, 1).shape()),
      WRONG(Error, "tensorinv", la::tensorinv(m33, 0)),
      WRONG(ShapeError, "tensorsolve", la::tensorsolve(m32, v3)),
      WRONG(ShapeError, "block_diag", la::block_diag({cube})),
      WRONG(ShapeError, "toeplitz", la::toeplitz(1.f)),
      WRONG(IndexError, "vector_norm", la::vector_norm(m32, 2)),
      WRONG(ShapeError, "matrix_norm", la::matrix_norm(v3)),
      WRONG(ShapeError, "norm", la::norm(cube, {0, 1, 2})),
      WRONG(IndexError, "norm", la::norm(m32, {0, 2})),
      WRONG(ShapeError, "norm", la::norm(m32, {0, 0})),
      WRONG(ShapeError, "cond", la::cond(v3)),
      WRONG(ShapeError, "cond", la::cond(m32, 1)),
      WRONG(ShapeError, "cond", la::cond(zeros({0, 3}))),
      WRONG(ShapeError, "matmul", la::matmul(m32, m32)),
      WRONG(ShapeError, "cross", la::cross(zeros({4}), zeros({4}))),
      WRONG(ShapeError, "vecdot", la::vecdot(v3, zeros({2}))),
      WRONG(ShapeError, "tensordot", la::tensordot(m32, m32, 1)),
  });
}

namespace {
const Array picture = zeros({1, 4, 5, 2}), kernel = zeros({2, 2, 2, 3});
using Sizes = lax::Sizes;
}  // namespace

TEST_CASE("errors of windows and layers name the refused operand", "[window][nn][errors]") {
  check({
      WRONG(DTypeError, "reduce_window_sum", lax::reduce_window_sum(truth, {2, 2})),
      WRONG(ShapeError, "reduce_window_sum", lax::reduce_window_sum(v3, {2, 2})),
      WRONG(DTypeError, "reduce_window_max", lax::reduce_window_max(complexes, {2, 2})),
      WRONG(ShapeError, "reduce_window_min",
            lax::reduce_window_min(v3, {2}, {.base_dilation = {0}})),
      WRONG(ShapeError, "reduce_window", lax::reduce_window(v3, v3, lax::add, {2})),
      WRONG(ShapeError, "padtype_to_pads", lax::padtype_to_pads({4}, {2}, {1}, "same")),
      WRONG(ShapeError, "reduce_window_shape_tuple", lax::reduce_window_shape_tuple({4}, {2, 2})),
      WRONG(ShapeError, "select_and_scatter_add", lax::select_and_scatter_add(v3, v3, {2})),
      WRONG(ShapeError, "select_and_gather_add", lax::select_and_gather_add(zeros({2}), v3, {2})),
      WRONG(ShapeError, "conv_general_dilated", lax::conv(picture, v3, {1, 1}, "SAME")),
      WRONG(ShapeError, "conv_general_dilated",
            lax::conv(picture, zeros({1, 4, 2, 2}), {1}, "SAME")),
      WRONG(ShapeError, "conv_general_dilated",
            lax::conv_with_general_padding(picture, v3, {1, 1}, "SAME")),
      WRONG(ShapeError, "conv_general_dilated",
            lax::conv_general_dilated(picture, v3, {1, 1}, "SAME")),
      WRONG(ShapeError, "conv_transpose", lax::conv_transpose(picture, kernel, {1, 1, 1}, "SAME")),
      WRONG(ShapeError, "conv_general_dilated_patches",
            lax::conv_general_dilated_patches(picture, {2}, {1}, "SAME")),
      WRONG(ShapeError, "conv_dimension_numbers", lax::conv_dimension_numbers({1, 2}, {1, 2, 3})),
      WRONG(ShapeError, "conv", nn::conv(v3, kernel)),
      WRONG(ShapeError, "conv_general_dilated", nn::conv(picture, zeros({2, 2, 3, 3}))),
      WRONG(ShapeError, "conv", nn::conv(picture, kernel, {.strides = {1}})),
      WRONG(ShapeError, "conv", nn::conv(picture, kernel, {.bias = zeros({2})})),
      WRONG(ShapeError, "conv_transpose",
            nn::conv_transpose(picture, kernel, {.bias = zeros({2})})),
      WRONG(ShapeError, "max_pool", nn::max_pool(v3, {2})),
      WRONG(ShapeError, "min_pool", nn::min_pool(picture, {2, 2}, {.strides = {1}})),
      WRONG(ShapeError, "avg_pool", nn::avg_pool(picture, {2, 2}, {.padding = "same"})),
      WRONG(ShapeError, "scaled_matmul", nn::scaled_matmul(m32, cube, cube, cube)),
      WRONG(ShapeError, "scaled_matmul",
            nn::scaled_matmul(cube, cube, zeros({2, 3, 3}), zeros({2, 3, 3}))),
      WRONG(DTypeError, "scaled_matmul", nn::scaled_matmul(cube, cube, cube, cube.astype(C64))),
      WRONG(DTypeError, "scaled_matmul",
            nn::scaled_matmul(cube, cube, cube, cube, {.preferred_element_type = I32})),
      WRONG(ShapeError, "glu", nn::glu(v3)),
      WRONG(IndexError, "glu", nn::glu(picture, 4)),
      WRONG(IndexError, "softmax", nn::softmax(v3, 1)),
      WRONG(ShapeError, "softmax", nn::softmax(v3, 0, {.where = ones({2}, Bool)})),
      WRONG(IndexError, "log_softmax", nn::log_softmax(v3, 1)),
      WRONG(IndexError, "logsumexp", nn::logsumexp(v3, 1)),
      WRONG(IndexError, "logmeanexp", nn::logmeanexp(v3, 1)),
      WRONG(IndexError, "standardize", nn::standardize(v3, 1)),
      WRONG(IndexError, "layer_norm", nn::layer_norm(v3, 1)),
      WRONG(ShapeError, "layer_norm", nn::layer_norm(v3, -1, {.scale = zeros({2})})),
      WRONG(ShapeError, "one_hot", nn::one_hot(1, -1)),
      WRONG(IndexError, "one_hot", nn::one_hot(1, 3, {.axis = 2})),
      WRONG(ShapeError, "dot_product_attention", nn::dot_product_attention(v3, v3, v3)),
      WRONG(ShapeError, "dot_product_attention",
            nn::dot_product_attention(picture, zeros({1, 3, 5, 3}), zeros({1, 3, 5, 2}))),
      WRONG(ShapeError, "dot_product_attention",
            nn::dot_product_attention(picture, zeros({1, 3, 2, 2}), zeros({1, 3, 2, 2}))),
  });
}

namespace {
const Array key = random::key(0);
}  // namespace

TEST_CASE("errors of distributions name the refused operand", "[random][errors]") {
  check({
      WRONG(DTypeError, "uniform", random::uniform(key, {2}, {.dtype = I32})),
      WRONG(ShapeError, "uniform", random::uniform(key, {2}, {.lo = v3})),
      WRONG(ShapeError, "randint", random::randint(key, {2}, v3.astype(I32), 5)),
      WRONG(DTypeError, "randint", random::randint(key, {2}, 0.5, 5)),
      WRONG(DTypeError, "bits", random::bits(key, {2}, {.dtype = I32})),
      WRONG(ShapeError, "bernoulli", random::bernoulli(key, v3, {2})),
      WRONG(DTypeError, "normal", random::normal(key, {2}, {I32})),
      WRONG(DTypeError, "exponential", random::exponential(v3)),
      WRONG(DTypeError, "gumbel", random::gumbel(key, {}, {I32})),
      WRONG(ShapeError, "laplace", random::laplace(random::split(key))),
      WRONG(DTypeError, "logistic", random::logistic(key, {}, {C64})),
      WRONG(DTypeError, "cauchy", random::cauchy(key, {}, {I32})),
      WRONG(DTypeError, "maxwell", random::maxwell(key, {}, {I32})),
      WRONG(ShapeError, "truncated_normal", random::truncated_normal(key, v3, 1., {2})),
      WRONG(DTypeError, "truncated_normal", random::truncated_normal(key, 0., 1., {}, {I32})),
      WRONG(ShapeError, "pareto", random::pareto(key, v3, {2})),
      WRONG(ShapeError, "pareto", random::pareto(key, v3, Shape{})),
      WRONG(DTypeError, "pareto", random::pareto(key, 1., {}, {I32})),
      WRONG(DTypeError, "pareto", random::pareto(v3, 1.)),
      WRONG(ShapeError, "rayleigh", random::rayleigh(key, v3, {2})),
      WRONG(DTypeError, "rayleigh", random::rayleigh(key, 1., {}, {I32})),
      WRONG(ShapeError, "rayleigh", random::rayleigh(random::split(key), 1.)),
      WRONG(ShapeError, "weibull_min", random::weibull_min(key, v3, 1., {2})),
      WRONG(DTypeError, "weibull_min", random::weibull_min(key, 1., 1., {}, {I32})),
      WRONG(ShapeError, "lognormal", random::lognormal(key, v3, {2})),
      WRONG(DTypeError, "lognormal", random::lognormal(key, 1., {}, {I32})),
      WRONG(DTypeError, "gamma", random::gamma(key, 1., {}, {I32})),
      WRONG(ShapeError, "loggamma", random::loggamma(key, v3, {2})),
      WRONG(ShapeError, "beta", random::beta(key, v3, zeros({2}))),
      WRONG(DTypeError, "beta", random::beta(key, 1., 1., {}, {I32})),
      WRONG(DTypeError, "dirichlet", random::dirichlet(key, v3, {}, {I32})),
      WRONG(ShapeError, "dirichlet", random::dirichlet(key, zeros({2, 3}), {3})),
      WRONG(ShapeError, "chisquare", random::chisquare(key, v3, {2})),
      WRONG(DTypeError, "chisquare", random::chisquare(key, 1., {}, {I32})),
      WRONG(ShapeError, "f", random::f(key, v3, 1., {2})),
      WRONG(ShapeError, "t", random::t(key, v3, {2})),
      WRONG(DTypeError, "generalized_normal", random::generalized_normal(key, 1, {}, {I32})),
      WRONG(DTypeError, "ball", random::ball(key, 2, 2, {}, {I32})),
      WRONG(ShapeError, "ball", random::ball(key, -1)),
      WRONG(ShapeError, "double_sided_maxwell", random::double_sided_maxwell(key, v3, zeros({2}))),
      WRONG(DTypeError, "double_sided_maxwell",
            random::double_sided_maxwell(key, 0., 1., {}, {I32})),
      WRONG(ShapeError, "triangular", random::triangular(key, v3, 1., 2., {2})),
      WRONG(ShapeError, "wald", random::wald(key, v3, {2})),
      WRONG(ShapeError, "multivariate_normal", random::multivariate_normal(key, 1., m33)),
      WRONG(ShapeError, "multivariate_normal",
            random::multivariate_normal(key, v3, m33, Shape{2}).shape() ==
                random::multivariate_normal(key, zeros({4, 3}), m33, Shape{2}).shape()),
      WRONG(DTypeError, "geometric", random::geometric(key, 0.5, {}, {F32})),
      WRONG(ShapeError, "poisson", random::poisson(key, v3, {2})),
      WRONG(ShapeError, "binomial", random::binomial(key, v3, zeros({2}))),
      WRONG(ShapeError, "multinomial", random::multinomial(key, zeros({2}), m32)),
      WRONG(ShapeError, "categorical", random::categorical(key, m32, {.shape = Shape{2}})),
      WRONG(IndexError, "categorical", random::categorical(key, m32, {.axis = 2})),
      WRONG(IndexError, "permutation", random::permutation(key, m32, {.axis = 2})),
      WRONG(ShapeError, "permutation", random::permutation(key, -1)),
      WRONG(IndexError, "choice", random::choice(key, m32, {2}, {.axis = 2})),
      WRONG(ShapeError, "choice", random::choice(key, 3, {4}, {.replace = false})),
      WRONG(ShapeError, "choice", random::choice(key, 3, {2}, {.p = zeros({2})})),
      WRONG(ShapeError, "choice", random::choice(key, 0, {2})),
      WRONG(DTypeError, "split", random::split(v3)),
      WRONG(ShapeError, "split", random::split(key, -1)),
      WRONG(DTypeError, "fold_in", random::fold_in(key, 0.5)),
      WRONG(DTypeError, "key", random::key(Array(0.5))),
  });
}

namespace {
const Array z2 = ones({2}, C64), two = ones({2});
}  // namespace

TEST_CASE("errors of special functions name the refused operand", "[special][errors]") {
  check({
      WRONG(DTypeError, "erf", sp::erf(z2)),
      WRONG(DTypeError, "erfc", sp::erfc(z2)),
      WRONG(DTypeError, "erfinv", sp::erfinv(z2)),
      WRONG(DTypeError, "ndtr", sp::ndtr(z2)),
      WRONG(DTypeError, "ndtri", sp::ndtri(z2)),
      WRONG(DTypeError, "log_ndtr", sp::log_ndtr(z2)),
      WRONG(DTypeError, "dawsn", sp::dawsn(z2)),
      WRONG(DTypeError, "owens_t", sp::owens_t(z2, 1.)),
      WRONG(DTypeError, "gammaln", sp::gammaln(z2)),
      WRONG(DTypeError, "gammasgn", sp::gammasgn(z2)),
      WRONG(DTypeError, "factorial", sp::factorial(z2)),
      WRONG(DTypeError, "comb", sp::comb(z2, 1.)),
      WRONG(DTypeError, "poch", sp::poch(z2, 1.)),
      WRONG(DTypeError, "multigammaln", sp::multigammaln(z2, 1)),
      WRONG(DTypeError, "digamma", sp::digamma(z2)),
      WRONG(DTypeError, "polygamma", sp::polygamma(1, z2)),
      WRONG(DTypeError, "zeta", sp::zeta(z2, 1.)),
      WRONG(DTypeError, "gammainc", sp::gammainc(z2, 1.)),
      WRONG(DTypeError, "gammaincc", sp::gammaincc(z2, 1.)),
      WRONG(DTypeError, "betaln", sp::betaln(z2, 1.)),
      WRONG(DTypeError, "beta", sp::beta(z2, 1.)),
      WRONG(DTypeError, "betainc", sp::betainc(z2, 1., 1.)),
      WRONG(DTypeError, "xlogy", sp::xlogy(z2, 1.)),
      WRONG(DTypeError, "xlog1py", sp::xlog1py(z2, 1.)),
      WRONG(DTypeError, "entr", sp::entr(z2)),
      WRONG(DTypeError, "rel_entr", sp::rel_entr(z2, 1.)),
      WRONG(DTypeError, "kl_div", sp::kl_div(z2, 1.)),
      WRONG(DTypeError, "boxcox", sp::boxcox(z2, 1.)),
      WRONG(DTypeError, "boxcox1p", sp::boxcox1p(z2, 1.)),
      WRONG(DTypeError, "exp1", sp::exp1(z2)),
      WRONG(DTypeError, "expi", sp::expi(z2)),
      WRONG(DTypeError, "expn", sp::expn(1, z2)),
      WRONG(DTypeError, "spence", sp::spence(z2)),
      WRONG(DTypeError, "sici", sp::sici(z2)),
      WRONG(DTypeError, "fresnel", sp::fresnel(z2)),
      WRONG(DTypeError, "hyp1f1", sp::hyp1f1(z2, 1., 1.)),
      WRONG(DTypeError, "hyp2f1", sp::hyp2f1(z2, 1., 1., 0.5)),
      WRONG(DTypeError, "bessel_jn", sp::bessel_jn(z2, 1)),
      WRONG(DTypeError, "i0", sp::i0(z2)),
      WRONG(DTypeError, "i0e", sp::i0e(z2)),
      WRONG(DTypeError, "i1", sp::i1(z2)),
      WRONG(DTypeError, "i1e", sp::i1e(z2)),
      WRONG(ShapeError, "poch", sp::poch(two, v3)),
      WRONG(ShapeError, "comb", sp::comb(two, v3)),
      WRONG(ShapeError, "zeta", sp::zeta(two, v3)),
      WRONG(ShapeError, "betaln", sp::betaln(two, v3)),
      WRONG(ShapeError, "beta", sp::beta(two, v3)),
      WRONG(ShapeError, "betainc", sp::betainc(two, v3, 0.5)),
      WRONG(ShapeError, "xlogy", sp::xlogy(two, v3)),
      WRONG(ShapeError, "rel_entr", sp::rel_entr(two, v3)),
      WRONG(ShapeError, "kl_div", sp::kl_div(two, v3)),
      WRONG(ShapeError, "boxcox", sp::boxcox(two, v3)),
      WRONG(ShapeError, "hyp1f1", sp::hyp1f1(two, v3, 1.)),
      WRONG(ShapeError, "gammainc", sp::gammainc(two, v3)),
      WRONG(ShapeError, "expn", sp::expn(ones({2}, I32), v3)),
      WRONG(ShapeError, "polygamma", sp::polygamma(ones({2}, I32), v3)),
      WRONG(IndexError, "logsumexp", sp::logsumexp(two, 1)),
      WRONG(IndexError, "softmax", sp::softmax(two, 1)),
      WRONG(IndexError, "log_softmax", sp::log_softmax(two, 1)),
      WRONG(IndexError, "signed_logsumexp", sp::signed_logsumexp(two, 1)),
      WRONG(IndexError, "bernoulli", sp::bernoulli(-1)),
      WRONG(IndexError, "bessel_jn", sp::bessel_jn(two, 60)),
  });
}

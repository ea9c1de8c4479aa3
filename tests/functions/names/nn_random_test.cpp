// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/names/nn_random_test.cpp: every name of linear algebra, transforms, special
// functions, networks, random numbers, statistics and scipy's other parts. Each is called once with
// JAX's defaults.
#include "functions/names/names.h"

using namespace weft;
using namespace weft::test;

namespace {

const Array key = random::key(0);
Array matrix() { return array({{4., 1.}, {1., 3.}}); }
Array vector() { return array({0.25, 0.5, 0.75}); }

}  // namespace

TEST_CASE("names of linear algebra", "[functions][names]") {
  namespace la = linalg;
  const Array a = matrix(), b = array({1., 2.});
  const Array c = la::cho_factor(a), e = eye(2);
  const Array t = la::cholesky(a);
  check_all({CALL(la::norm(a)),
             CALL(la::vector_norm(b)),
             CALL(la::matrix_norm(a)),
             CALL(la::solve(a, b)),
             CALL(la::inv(a)),
             CALL(la::pinv(a)),
             CALL(la::det(a)),
             CALL(la::slogdet(a).second),
             CALL(la::cholesky(a)),
             CALL(la::qr(a).second),
             CALL(std::get<1>(la::svd(a))),
             CALL(la::svdvals(a)),
             CALL(la::eig(a).first),
             CALL(la::eigh(a).second),
             CALL(la::eigvals(a)),
             CALL(la::eigvalsh(a)),
             CALL(std::get<0>(la::lstsq(a, b))),
             CALL(la::matrix_power(a, 3)),
             CALL(la::matrix_rank(a)),
             CALL(la::multi_dot({a, a, b})),
             CALL(la::cond(a)),
             CALL(la::matrix_transpose(a)),
             CALL(la::trace(a)),
             CALL(la::outer(b, b)),
             CALL(la::diagonal(a)),
             CALL(la::matmul(a, a)),
             CALL(la::tensordot(a, a)),
             CALL(la::vecdot(b, b)),
             CALL(la::cross(vector(), vector())),
             CALL(la::tensorinv(eye(4).reshape({2, 2, 4}))),
             CALL(la::tensorsolve(eye(4).reshape({2, 2, 2, 2}), a))});
  check_all({CALL(la::solve_triangular(t, b, {.lower = true})), CALL(la::cho_solve(c, b)),
             CALL(std::get<2>(la::lu(a))), CALL(la::lu_factor(a).first),
             CALL(la::lu_solve(la::lu_factor(a), b)), CALL(la::expm(a)),
             CALL(la::expm_frechet(a, e).second), CALL(la::sqrtm(a)), CALL(la::schur(a).first),
             CALL(la::rsf2csf(la::schur(a).first, la::schur(a).second).first),
             CALL(la::hessenberg(a).first), CALL(la::polar(a).first), CALL(la::block_diag({a, b})),
             CALL(la::toeplitz(b)), CALL(la::eigh_tridiagonal(b, ones({1})).first),
             CALL(la::solve_sylvester(a, a, e))});
}

TEST_CASE("names of Fourier transforms", "[functions][names]") {
  const Array x = arange(8.), m = x.reshape({2, 4}), z = fft::fft(x);
  check_all({CALL(fft::fft(x)),      CALL(fft::ifft(z)),     CALL(fft::rfft(x)),
             CALL(fft::irfft(z)),    CALL(fft::hfft(z)),     CALL(fft::ihfft(x)),
             CALL(fft::fft2(m)),     CALL(fft::ifft2(m)),    CALL(fft::rfft2(m)),
             CALL(fft::irfft2(m)),   CALL(fft::fftn(m)),     CALL(fft::ifftn(m)),
             CALL(fft::rfftn(m)),    CALL(fft::irfftn(m)),   CALL(fft::fftfreq(8)),
             CALL(fft::rfftfreq(8)), CALL(fft::fftshift(x)), CALL(fft::ifftshift(x)),
             CALL(fft::dct(x)),      CALL(fft::idct(x)),     CALL(fft::dctn(m)),
             CALL(fft::idctn(m))});
}

TEST_CASE("names of special functions", "[functions][names]") {
  namespace sp = special;
  const Array x = vector(), y = array({2., 1.5, 3.}), n = array({1, 2, 0});
  check_all({CALL(sp::gamma(x)),
             CALL(sp::gammaln(x)),
             CALL(sp::loggamma(x)),
             CALL(sp::gammasgn(x)),
             CALL(sp::digamma(x)),
             CALL(sp::polygamma(1, x)),
             CALL(sp::zeta(y, x)),
             CALL(sp::beta(x, y)),
             CALL(sp::betaln(x, y)),
             CALL(sp::betainc(y, y, x)),
             CALL(sp::gammainc(y, x)),
             CALL(sp::gammaincc(y, x)),
             CALL(sp::factorial(n)),
             CALL(sp::comb(5, n)),
             CALL(sp::poch(x, y)),
             CALL(sp::multigammaln(y, 2)),
             CALL(sp::erf(x)),
             CALL(sp::erfc(x)),
             CALL(sp::erfinv(x)),
             CALL(sp::erfcx(x)),
             CALL(sp::wofz(x)),
             CALL(sp::dawsn(x)),
             CALL(sp::owens_t(x, y)),
             CALL(sp::ndtr(x)),
             CALL(sp::ndtri(x)),
             CALL(sp::log_ndtr(x)),
             CALL(sp::expit(x)),
             CALL(sp::logit(x)),
             CALL(sp::xlogy(x, y)),
             CALL(sp::xlog1py(x, y)),
             CALL(sp::entr(x)),
             CALL(sp::rel_entr(x, y)),
             CALL(sp::kl_div(x, y)),
             CALL(sp::boxcox(x, y)),
             CALL(sp::boxcox1p(x, y)),
             CALL(sp::logsumexp(x)),
             CALL(sp::softmax(x)),
             CALL(sp::log_softmax(x)),
             CALL(sp::exp1(x)),
             CALL(sp::expi(x)),
             CALL(sp::expn(2, x)),
             CALL(sp::spence(x)),
             CALL(sp::sici(x).si),
             CALL(sp::fresnel(x).s),
             CALL(sp::hyp1f1(x, y, x)),
             CALL(sp::hyp2f1(x, y, y, x)),
             CALL(sp::i0(x)),
             CALL(sp::i0e(x)),
             CALL(sp::i1(x)),
             CALL(sp::i1e(x)),
             CALL(sp::bessel_jn(x, 3)),
             CALL(sp::bernoulli(4)),
             CALL(sp::sph_harm_y(array({1}), array({0}), 0.5, 0.5))});
}

TEST_CASE("names of networks", "[functions][names]") {
  const Array x = array({{0.5, -1.}, {2., 0.25}}), image = ones({1, 6, 6, 2});
  const Array q = ones({1, 3, 2, 4});
  check_all(
      {CALL(nn::relu(x)),
       CALL(nn::relu6(x)),
       CALL(nn::leaky_relu(x)),
       CALL(nn::elu(x)),
       CALL(nn::celu(x)),
       CALL(nn::selu(x)),
       CALL(nn::gelu(x)),
       CALL(nn::silu(x)),
       CALL(nn::swish(x)),
       CALL(nn::mish(x)),
       CALL(nn::softplus(x)),
       CALL(nn::soft_sign(x)),
       CALL(nn::sigmoid(x)),
       CALL(nn::log_sigmoid(x)),
       CALL(nn::tanh(x)),
       CALL(nn::hard_tanh(x)),
       CALL(nn::hard_sigmoid(x)),
       CALL(nn::hard_silu(x)),
       CALL(nn::hard_swish(x)),
       CALL(nn::sparse_plus(x)),
       CALL(nn::sparse_sigmoid(x)),
       CALL(nn::log1mexp(x)),
       CALL(nn::squareplus(x)),
       CALL(nn::glu(x)),
       CALL(nn::identity(x)),
       CALL(nn::softmax(x)),
       CALL(nn::log_softmax(x)),
       CALL(nn::logsumexp(x)),
       CALL(nn::signed_logsumexp(x).sign),
       CALL(nn::logmeanexp(x)),
       CALL(nn::standardize(x)),
       CALL(nn::layer_norm(x)),
       CALL(nn::one_hot(arange(2), 3)),
       CALL(nn::dot_product_attention(q, q, q)),
       CALL(nn::dot_product_attention_with_residual(q, q, q).residual),
       CALL(nn::scaled_matmul(ones({1, 2, 2}), ones({1, 3, 2}), ones({1, 2, 1}), ones({1, 3, 1}))),
       CALL(nn::conv(image, ones({3, 3, 2, 4}))),
       CALL(nn::conv_transpose(image, ones({3, 3, 2, 4}))),
       CALL(nn::max_pool(image, {2, 2})),
       CALL(nn::min_pool(image, {2, 2})),
       CALL(nn::avg_pool(image, {2, 2}))});
  namespace in = nn::initializers;
  const Shape s{4, 3};
  check_all({CALL(in::zeros(key, s)), CALL(in::ones(key, s)), CALL(in::constant(2.)(key, s)),
             CALL(in::uniform()(key, s)), CALL(in::normal()(key, s)),
             CALL(in::truncated_normal()(key, s)),
             CALL(in::variance_scaling(1., "fan_in", "normal")(key, s)),
             CALL(in::glorot_uniform()(key, s)), CALL(in::glorot_normal()(key, s)),
             CALL(in::xavier_uniform()(key, s)), CALL(in::xavier_normal()(key, s)),
             CALL(in::lecun_uniform()(key, s)), CALL(in::lecun_normal()(key, s)),
             CALL(in::he_uniform()(key, s)), CALL(in::he_normal()(key, s)),
             CALL(in::kaiming_uniform()(key, s)), CALL(in::kaiming_normal()(key, s)),
             CALL(in::orthogonal()(key, s)), CALL(in::delta_orthogonal()(key, {3, 2, 2}))});
}

TEST_CASE("names of random numbers", "[functions][names]") {
  namespace r = random;
  const Array x = vector();
  CHECK(r::key_impl(key) == "threefry2x32");
  check_all({CALL(r::key_data(r::key(1))),
             CALL(r::PRNGKey(1)),
             CALL(r::key_data(r::split(key))),
             CALL(r::key_data(r::fold_in(key, 3))),
             CALL(r::key_data(r::clone(key))),
             CALL(r::key_data(r::wrap_key_data(r::key_data(key)))),
             CALL(r::bits(key)),
             CALL(r::uniform(key)),
             CALL(r::randint(key, {}, 0, 5)),
             CALL(r::bernoulli(key)),
             CALL(r::rademacher(key)),
             CALL(r::normal(key)),
             CALL(r::truncated_normal(key, -1, 1)),
             CALL(r::exponential(key)),
             CALL(r::gumbel(key)),
             CALL(r::laplace(key)),
             CALL(r::logistic(key)),
             CALL(r::cauchy(key)),
             CALL(r::pareto(key, x)),
             CALL(r::rayleigh(key, x)),
             CALL(r::weibull_min(key, 1., 2.)),
             CALL(r::lognormal(key)),
             CALL(r::gamma(key, x)),
             CALL(r::loggamma(key, x)),
             CALL(r::beta(key, x, x)),
             CALL(r::dirichlet(key, x)),
             CALL(r::chisquare(key, 3.)),
             CALL(r::f(key, 3., 4.)),
             CALL(r::t(key, 3.)),
             CALL(r::generalized_normal(key, 1.5)),
             CALL(r::ball(key, 3)),
             CALL(r::maxwell(key)),
             CALL(r::double_sided_maxwell(key, 0., 1.)),
             CALL(r::triangular(key, 0., 1., 2.)),
             CALL(r::wald(key, x)),
             CALL(r::multivariate_normal(key, zeros({2}), matrix())),
             CALL(r::orthogonal(key, 3)),
             CALL(r::geometric(key, 0.5)),
             CALL(r::poisson(key, 2.)),
             CALL(r::binomial(key, 5., 0.5)),
             CALL(r::multinomial(key, 5., x / sum(x))),
             CALL(r::categorical(key, x)),
             CALL(r::permutation(key, 5)),
             CALL(r::choice(key, 5))});
}

TEST_CASE("names of scipy's other parts", "[functions][names]") {
  const Array x = vector(), m = matrix(), s = arange(32.);
  const scipy::interpolate::RegularGridInterpolator grid({arange(3.)}, x);
  const scipy::stats::gaussian_kde kde(x);
  check_all({CALL(scipy::signal::convolve(x, x)), CALL(scipy::signal::correlate(x, x)),
             CALL(scipy::signal::convolve2d(m, m)), CALL(scipy::signal::correlate2d(m, m)),
             CALL(scipy::signal::fftconvolve(x, x)), CALL(scipy::signal::detrend(x)),
             CALL(scipy::signal::stft(s).values),
             CALL(scipy::signal::istft(scipy::signal::stft(s).values).x),
             CALL(scipy::signal::welch(s).values), CALL(scipy::signal::csd(s, s).values),
             CALL(scipy::ndimage::map_coordinates(x, {x}, 1)), CALL(grid(x)),
             CALL(scipy::cluster::vq(x, x).code), CALL(scipy::integrate::trapezoid(x)),
             CALL(image::resize(m, {3, 3}, "linear")),
             CALL(image::scale_and_translate(m, {3, 2}, {0}, ones({1}), zeros({1}), "cubic"))});
  check_all({CALL(scipy::stats::mode(x).mode), CALL(scipy::stats::rankdata(x)),
             CALL(scipy::stats::sem(x)), CALL(kde(x)), CALL(kde.resample(key)),
             CALL(kde.integrate_box_1d(0, 1)), CALL(kde.integrate_kde(kde)),
             CALL(kde.integrate_gaussian(0., 1.)),
             CALL(scipy::stats::dirichlet::logpdf(x / sum(x), x)),
             CALL(scipy::stats::multivariate_normal::pdf(x[slice(0, 2)], zeros({2}), m)),
             CALL(scipy::stats::multinomial::pmf(array({1, 2}), 3, array({0.5, 0.5}))),
             CALL(scipy::stats::poisson::entropy(2.))});
}

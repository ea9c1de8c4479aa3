// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/errors/library_places_test.cpp: as places_test.cpp, of special functions, distributions and
// initializers.
#include "errors/places.h"

using namespace weft;
using namespace weft::test;
namespace sp = weft::special;
namespace init = weft::nn::initializers;

TEST_CASE("special functions name the line of the call", "[errors][places]") {
  check_places({CALL(sp::erf(e)),
                CALL(sp::erfc(e)),
                CALL(sp::erfinv(e)),
                CALL(sp::ndtr(e)),
                CALL(sp::ndtri(e)),
                CALL(sp::log_ndtr(e)),
                CALL(sp::gammaln(e)),
                CALL(sp::loggamma(e)),
                CALL(sp::gamma(e)),
                CALL(sp::gammasgn(e)),
                CALL(sp::factorial(e)),
                CALL(sp::poch(e, 1.)),
                CALL(sp::poch(1., e)),
                CALL(sp::multigammaln(e, 2)),
                CALL(sp::digamma(e)),
                CALL(sp::multigammaln(v3(), -1)),
                CALL(sp::polygamma(1, e)),
                CALL(sp::polygamma(1.5, v3())),
                CALL(sp::zeta(e, 1.)),
                CALL(sp::zeta(2., e)),
                CALL(sp::gammainc(e, 1.)),
                CALL(sp::gammaincc(1., e)),
                CALL(sp::gammainc(v3(), zeros({2}))),
                CALL(sp::betaln(e, 1.)),
                CALL(sp::beta(1., e)),
                CALL(sp::betainc(1., 2., e)),
                CALL(sp::expit(e)),
                CALL(sp::logit(e)),
                CALL(sp::xlogy(e, 1.)),
                CALL(sp::xlogy(1., e)),
                CALL(sp::xlog1py(e, 1.)),
                CALL(sp::entr(e)),
                CALL(sp::rel_entr(e, 1.)),
                CALL(sp::kl_div(1., e)),
                CALL(sp::boxcox(e, 1.)),
                CALL(sp::logsumexp(e)),
                CALL(sp::softmax(e)),
                CALL(sp::log_softmax(e)),
                CALL(sp::i0(e)),
                CALL(sp::i0e(e)),
                CALL(sp::i1(e)),
                CALL(sp::i1e(e))});
}

TEST_CASE("integrals and sums name the line of the call", "[errors][places]") {
  check_places({CALL(sp::erfcx(e)),
                CALL(sp::wofz(e)),
                CALL(sp::dawsn(e)),
                CALL(sp::owens_t(e, 1.)),
                CALL(sp::owens_t(v3(), zeros({2}))),
                CALL(sp::exp1(e)),
                CALL(sp::expi(e)),
                CALL(sp::expn(2, e)),
                CALL(sp::spence(e)),
                CALL(sp::sici(e)),
                CALL(sp::fresnel(e)),
                CALL(sp::hyp1f1(1., e, 1.)),
                CALL(sp::hyp2f1(1., 1., e, 0.5)),
                CALL(sp::hyp2f1(1., 1., v3(), zeros({2}))),
                CALL(sp::comb(e, 2)),
                CALL(sp::boxcox1p(1., e)),
                CALL(sp::signed_logsumexp(e)),
                CALL(sp::bessel_jn(e, 2)),
                CALL(sp::bessel_jn(v3(), -1)),
                CALL(sp::sph_harm_y(1., 0, 0.5, 0.5)),
                CALL(sp::sph_harm_y(1, 0, e, 0.5))});
}

TEST_CASE("distributions name the line of the call", "[errors][places]") {
  check_places({CALL(random::gamma(e, 1.)),
                CALL(random::gamma(key(), ones({3}), {2})),
                CALL(random::loggamma(e, 1.)),
                CALL(random::beta(e, 1., 1.)),
                CALL(random::dirichlet(e, v3())),
                CALL(random::dirichlet(key(), 1.)),
                CALL(random::chisquare(e, 1.)),
                CALL(random::f(e, 1., 1.)),
                CALL(random::t(e, 1.)),
                CALL(random::generalized_normal(e, 1.5)),
                CALL(random::ball(e, 3)),
                CALL(random::maxwell(e)),
                CALL(random::double_sided_maxwell(e, 0., 1.)),
                CALL(random::triangular(e, 0., 1., 2.)),
                CALL(random::wald(e, 1.)),
                CALL(random::multivariate_normal(e, v3(), eye(3))),
                CALL(random::multivariate_normal(key(), v3(), m23())),
                CALL(random::orthogonal(e, 3)),
                CALL(random::orthogonal(key(), -1)),
                CALL(random::geometric(e, 0.5)),
                CALL(random::poisson(e, 1.)),
                CALL(random::poisson(key(), 1., {}, {.dtype = F32})),
                CALL(random::binomial(e, 3., 0.5)),
                CALL(random::multinomial(e, 3., v3())),
                CALL(random::multinomial(key(), 3., 1.)),
                CALL(random::key_impl(e)),
                CALL(random::key_impl(v3())),
                CALL(random::permutation(key(), 1.5))});
}

TEST_CASE("logmeanexp and initializers name the line of the call", "[errors][places]") {
  check_places(
      {CALL(nn::logmeanexp(e)), CALL(init::uniform()(e, {2})),
       CALL(init::normal()(key(), {2}, {.dtype = I32})), CALL(init::truncated_normal()(e, {2})),
       CALL(init::constant(v3())(key(), {2})), CALL(init::he_normal()(key(), {2})),
       CALL(init::variance_scaling(1, "fan", "normal")(key(), {2, 2})),
       CALL(init::variance_scaling(1, "fan_in", "gamma")(key(), {2, 2})),
       CALL(init::orthogonal()(key(), {2})), CALL(init::delta_orthogonal()(key(), {2, 2}))});
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/names/lax_test.cpp: names of jax.lax, and of JAX itself, that are easily
// forgotten. Each is called once as a user of JAX would call it.
#include "functions/names/names.h"

using namespace weft;
using namespace weft::test;

namespace {
Array v() { return array({1., 2., 3., 4.}); }
Array m() { return array({{4., 1.}, {1., 3.}}); }
Array picture() { return ones({1, 1, 4, 4}); }
Array weights() { return ones({1, 1, 2, 2}); }
Array of_lanes(Array (*f)(Array)) { return vmap(f, 0, 0, {.axis_name = "i"})(m()); }
}  // namespace

TEST_CASE("names of lax: elementwise, shapes, folds", "[functions][names]") {
  const Array half = Array(0.5f);
  check_all({CALL(lax::betainc(half, half, half)), CALL(lax::igamma(half, half)),
             CALL(lax::igammac(half, half)), CALL(lax::igamma_grad_a(half, half)),
             CALL(lax::random_gamma_grad(half, half)), CALL(lax::broadcast_like(half, v())),
             CALL(lax::empty({2}, F32)), CALL(lax::shape_as_value({2, 3})),
             CALL(lax::stack({v(), v()})), CALL(lax::unstack(m())[0]),
             CALL(lax::reduce(v(), 0., [](Array a, Array b) { return a + b; }, {0})),
             CALL(lax::reduce_window(v(), 0., [](Array a, Array b) { return a + b; }, {2})),
             CALL(lax::associative_scan([](Array a, Array b) { return a + b; }, v())),
             CALL(lax::fma(v(), v(), v())), CALL(lax::copy(v()))});
  CHECK(lax::broadcast_shapes({{2, 1}, {3}}) == Shape{2, 3});
  CHECK(lax::dtype(v()) == F32);
  CHECK(lax::padtype_to_pads({4}, {2}, {1}, "SAME").size() == 1);
  CHECK(lax::reduce_window_shape_tuple({4}, {2}) == Shape{3});
}

TEST_CASE("names of lax: products, indices, sorts", "[functions][names]") {
  const Array sizes = array({1, 1});
  check_all({CALL(lax::conv(picture(), weights(), {1, 1}, "VALID")),
             CALL(lax::conv_general_dilated(picture(), weights(), {1, 1}, "VALID")),
             CALL(lax::conv_transpose(picture(), weights(), {1, 1}, "VALID",
                                      {.dimension_numbers = {"NCHW", "OIHW", "NCHW"}})),
             CALL(lax::conv_with_general_padding(picture(), weights(), {1, 1}, "VALID")),
             CALL(lax::conv_general_dilated_patches(picture(), {2, 2}, {1, 1}, "VALID")),
             CALL(lax::conv_general_dilated_local(picture(), ones({1, 4, 3, 3}), {1, 1}, "VALID",
                                                  {2, 2})),
             CALL(lax::ragged_dot(m(), stack({m(), m()}), sizes)), CALL(lax::scaled_dot(m(), m())),
             CALL(lax::index_take(v(), {array({0, 2})}, {0})),
             CALL(lax::scatter_apply(v(), array({1}), [](Array a) { return -a; }, {{}, {0}, {0}})),
             CALL(lax::approx_max_k(v(), 2).first), CALL(lax::approx_min_k(v(), 2).first),
             CALL(lax::top_k(v(), 2).first)});
}

TEST_CASE("names of lax: control, lanes, the rest", "[functions][names]") {
  check_all(
      {CALL(lax::cond(
           true, [](Array a) { return a; }, [](Array a) { return -a; }, v())),
       CALL(lax::switch_(1, {[](Array a) { return a; }, [](Array a) { return -a; }}, v())),
       CALL(lax::while_loop([](Array a) { return a < 3; }, [](Array a) { return a + 1; }, 0)),
       CALL(lax::fori_loop(
           0, 3, [](Array, Array a) { return a; }, v())),
       CALL(lax::scan([](Array a, Array b) { return std::pair(a + b, b); }, Array(0.f), v()).first),
       CALL(lax::map([](Array a) { return a + 1.; }, v())),
       CALL(lax::custom_linear_solve([](Array x) { return 2. * x; }, v(),
                                     [](auto, Array b) { return b / 2.; })),
       CALL(lax::custom_root([](Array x) { return x - 2.; }, Array(1.f),
                             [](auto, Array) { return Array(2.f); },
                             [](auto g, Array y) { return y / g(Array(1.f)); })),
       CALL(lax::composite([](Array a) { return a + 1.; }, "user.plus_one")(v())),
       CALL(lax::optimization_barrier(v())),
       CALL(lax::rng_uniform(0., 1., {2})),
       CALL(lax::rng_bit_generator(array(std::vector<uint32_t>{1, 2, 3, 4}), {2}).second),
       CALL(lax::fft(v(), lax::FftType::RFFT, {4})),
       CALL(of_lanes([](Array a) { return lax::psum_scatter(a, "i"); })),
       CALL(of_lanes([](Array a) { return lax::all_to_all(a, "i", 0, 0); })),
       CALL(of_lanes([](Array a) { return lax::ppermute(a, "i", {{0, 1}, {1, 0}}); })),
       CALL(of_lanes([](Array a) { return lax::pshuffle(a, "i", {1, 0}); })),
       CALL(of_lanes([](Array a) { return lax::pswapaxes(a, "i", 0); })),
       CALL(of_lanes([](Array a) { return lax::pbroadcast(a, "i", 0); })),
       CALL(of_lanes([](Array a) { return lax::pvary(lax::pcast(a, "i", "varying"), "i"); })),
       CALL(of_lanes([](Array a) {
         const auto token = lax::after_all(lax::create_token(), lax::psend(a, "i", {{0, 1}}));
         return lax::precv(token, {a.shape(), F32}, "i", {{0, 1}});
       })),
       CALL(lax::with_sharding_constraint(v(), {sharding::Mesh({{"i", 2}}), sharding::P("i")})),
       CALL(lax::linalg::cholesky(m())),
       CALL(lax::linalg::qr(m()).first),
       CALL(lax::linalg::triangular_solve(m(), m(), {.left_side = true}))});
}

TEST_CASE("names of JAX itself, of torch and of TensorFlow", "[functions][names]") {
  const auto f = [](Array a) { return sin(a).sum(); };
  CHECK(eval_shape(f, ShapeDtypeStruct{{4}, F32}).shape == Shape{});
  check_all({CALL(grad_and_value(f)(v()).first), CALL(vjp(f, v()).first),
             CALL(closure_convert(f, v()).first(v(), {})), CALL(hvp(f)(v(), v())),
             CALL(vhp(f)(v(), v())), CALL(for_loop([](Array i) { return i + 1; }, 3)),
             CALL(unsorted_segment_sum(v(), array({0, 1, 1, 0}), 2)),
             CALL(foldl([](Array a, Array b) { return a + b; }, v(), Array(0.f))),
             CALL(foldr([](Array a, Array b) { return a + b; }, v(), Array(0.f))),
             CALL(remat(f)(v())), CALL(segment_sum(v(), array({0, 1, 1, 0})))});
  clear_caches();
  print_saved_residuals(f, v());
}

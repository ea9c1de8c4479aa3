// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/numpy/narrow_accumulation_test.cpp: statistics and accumulations of F16 and BF16
// give the F32 results, rounded once. The operands are long sums of ones, at which narrow
// accumulators stop growing, and numbers whose squares overflow F16.
#include <cmath>
#include <limits>

#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {

using Of = Array (*)(Array);
struct Statistic {
  const char* name;
  Of f;
};
#define STATISTIC(...) {#__VA_ARGS__, [](Array x) -> Array { return __VA_ARGS__; }}

Array row_of(const Array& x) { return x.reshape({1, x.size()}); }
Array places(const Array& x) { return zeros({x.size()}, I32); }

// The points must differ: the distribution of equal points has no width.
scipy::stats::gaussian_kde kde_of(const Array& x) {
  const Array apart = where(arange(x.size()) % 2 == 0, -1., 1.).astype(x.dtype());
  return scipy::stats::gaussian_kde(x * apart, {.weights = abs(x)});
}
// Returns the first update of an optimizer for gradients x.
Array stepped(const optim::GradientTransformation& optimizer, const Array& x) {
  const auto state = optimizer.init(x);
  return optimizer.update(x, state, x).first;
}

// Statistics of a vector.
const std::vector<Statistic>& statistics() {
  static const std::vector<Statistic> all = {
      STATISTIC(sum(x)),
      STATISTIC(mean(x)),
      STATISTIC(var(x)),
      STATISTIC(weft::std(x)),
      STATISTIC(weft::std(x, none, {.ddof = 1})),
      STATISTIC(nansum(x)),
      STATISTIC(nanmean(x)),
      STATISTIC(nanvar(x)),
      STATISTIC(nanstd(x)),
      STATISTIC(average(x)),
      STATISTIC(average(x, 0, ones_like(x))),
      STATISTIC(average(x, 0, abs(x))),
      STATISTIC(cov(x)),
      STATISTIC(cov(x, -x)),
      STATISTIC(cov(x, none, {.aweights = abs(x)})),
      STATISTIC(corrcoef(x, flip(x))),
      STATISTIC(cumsum(x)),
      STATISTIC(cumulative_sum(x)),
      STATISTIC(prod(x / 256.)),
      STATISTIC(cumprod(x / 256.)),
      STATISTIC(dot(x, x / 256.)),
      STATISTIC(inner(x, sign(x))),
      STATISTIC(einsum("i,i->", x, sign(x))),
      STATISTIC(trace(x.reshape({x.size(), 1}) * ones_like(x))),
      STATISTIC(trapezoid(x)),
      STATISTIC(trapezoid(x, x)),
      STATISTIC(linalg::norm(x)),
      STATISTIC(linalg::norm(x, 0, {.ord = 3})),
      STATISTIC(linalg::norm(row_of(x))),
      STATISTIC(linalg::vector_norm(x)),
      STATISTIC(linalg::matrix_norm(row_of(x))),
      STATISTIC(nn::layer_norm(x)),
      STATISTIC(nn::layer_norm(x, -1, {.scale = ones_like(x), .bias = ones_like(x)})),
      STATISTIC(nn::standardize(x)),
      STATISTIC(nn::standardize(x, -1, {.algorithm = "stable"})),
      STATISTIC(nn::softmax(sign(x))),
      STATISTIC(nn::log_softmax(sign(x))),
      STATISTIC(nn::logsumexp(sign(x))),
      STATISTIC(nn::logmeanexp(sign(x))),
      STATISTIC(logsumexp(sign(x))),
      STATISTIC(special::logsumexp(sign(x), none, {.b = abs(x)})),
      STATISTIC(lax::cumlogsumexp(sign(x))),
      STATISTIC(nn::avg_pool(x.reshape({1, x.size(), 1}), {x.size()})),
      STATISTIC(nn::avg_pool(x.reshape({1, x.size(), 1}), {x.size() / 2}, {.strides = {3}})),
      STATISTIC(nn::conv(x.reshape({1, x.size(), 1}), sign(x).reshape({x.size(), 1, 1}),
                         {.padding = "VALID"})),
      STATISTIC(lax::reduce_sum(x, {0})),
      STATISTIC(lax::reduce_window_sum(x, {x.size() / 2})),
      STATISTIC(convolve(x, sign(x), "valid")),
      STATISTIC(segment_sum(x, places(x), {.num_segments = 2})),
      STATISTIC(segment_sum(x, places(x), {.num_segments = 2, .bucket_size = x.size() / 20 + 1})),
      STATISTIC(segment_prod(x / 256., places(x), {.num_segments = 2})),
      STATISTIC(unsorted_segment_sum(x, places(x), 1)),
      STATISTIC(unsorted_segment_mean(x, places(x), 1)),
      STATISTIC(unsorted_segment_sqrt_n(x, places(x), 1)),
      STATISTIC(bincount(places(x), x, 0, {.length = 2})),
      STATISTIC(histogram(zeros_like(x), 1, {.weights = x}).first),
      STATISTIC(histogram(x, 2, {.density = true}).first),
      STATISTIC(zeros({3}, x.dtype()).at(places(x)).add(x)),
      STATISTIC(ones({3}, x.dtype()).at(places(x)).subtract(x)),
      STATISTIC(ones({3}, x.dtype()).at(places(x)).multiply(x / 256.)),
      STATISTIC(optim::global_norm(std::vector<Array>{x, x})),
      STATISTIC(vmap([](Array v) { return psum(v, "i"); }, 0, none, {.axis_name = "i"})(x)),
      STATISTIC(vmap([](Array v) { return pmean(v, "i"); }, 0, none, {.axis_name = "i"})(x)),
      STATISTIC(scipy::stats::sem(x)),
  };
  return all;
}

// Densities, signals and steps of optimizers, for a vector.
const std::vector<Statistic>& computations() {
  static const std::vector<Statistic> all = {
      STATISTIC(kde_of(x).evaluate(x[Slice(0, 2)])),
      STATISTIC(kde_of(x).logpdf(x[Slice(0, 2)])),
      STATISTIC(kde_of(x).integrate_gaussian(x[Slice(0, 1)], x[Slice(1, 2)] * 0 + 1)),
      STATISTIC(kde_of(x).integrate_box_1d(-x[0], x[0])),
      STATISTIC(kde_of(x).integrate_kde(kde_of(x))),
      STATISTIC(scipy::signal::detrend(x)),
      STATISTIC(scipy::signal::detrend(x, -1, "constant")),
      STATISTIC(scipy::signal::convolve(x, sign(x), "valid")),
      STATISTIC(scipy::signal::correlate(x, sign(x), "valid")),
      STATISTIC(scipy::signal::welch(x, 1., {.nperseg = x.size()}).values),
      STATISTIC(real(scipy::signal::stft(x, 1., {.nperseg = x.size()}).values)),
      STATISTIC(stepped(optim::adam(1e-2), x)),
      STATISTIC(stepped(optim::adam(1e-2, {.nesterov = true}), x)),
      STATISTIC(stepped(optim::adamw(1e-2), x)),
      STATISTIC(stepped(optim::lion(1e-2), x)),
      STATISTIC(stepped(optim::sgd(1e-2, {.momentum = 0.9, .nesterov = true}), x)),
      STATISTIC(stepped(optim::rmsprop(1e-2), x)),
      STATISTIC(stepped(optim::rmsprop(1e-2, {.centered = true}), x)),
      STATISTIC(stepped(optim::adagrad(1e-2, {.initial_accumulator_value = 0.125}), x)),
  };
  return all;
}

// Gradients of F32 scalars with respect to arrays that many of their terms share.
const std::vector<Statistic>& gradients() {
  static const std::vector<Statistic> all = {
      STATISTIC(grad([](Array t) { return sum(take(t, zeros({5000}, I32), 0).astype(F32)); })(
          x[Slice(0, 2)])),
      STATISTIC(
          grad([](Array t) { return sum(t[zeros({5000}, I32)].astype(F32)); })(x[Slice(0, 2)])),
      STATISTIC(grad([](Array t) { return sum((t * ones({5000}, t.dtype())).astype(F32)); })(x[0])),
      STATISTIC(grad([](Array t) {
        return sum(vmap([&](Array i) { return t[i]; })(zeros({5000}, I32)).astype(F32));
      })(x[Slice(0, 2)])),
      STATISTIC(grad([](Array t) {
        const auto step = [&](Array c, Array v) { return std::pair(c + (t * v).astype(F32), v); };
        return scan(step, array(0.), ones({5000}, t.dtype())).first;
      })(x[0])),
      STATISTIC(grad([](Array t) {
        const auto step = [&](Array c, Array i) { return std::pair(c + t[i].astype(F32), i); };
        return scan(step, array(0.), zeros({5000}, I32)).first;
      })(x[Slice(0, 3)])),
      STATISTIC(grad([](Array t) {
        return fori_loop(
            0, 3000, [&](Array i, Array c) { return c + t[i % 2].astype(F32); }, array(0.));
      })(x[Slice(0, 3)])),
      STATISTIC(grad([](Array t) {
        return sum(vmap([&](Array i) {
          return scan([&](Array c, Array) { return std::pair(c + t[i].astype(F32), c); }, array(0.),
                      ones({40}))
              .first;
        })(zeros({100}, I32)));
      })(x[Slice(0, 3)])),
      STATISTIC(grad([](Array t) { return linalg::norm(t * 0.5).astype(F32); })(x)),
      STATISTIC(grad([](Array t) {
        return nn::avg_pool(broadcast_to(t, {1, 5000, 1}), {5000}).astype(F32).reshape({});
      })(x[0])),
      STATISTIC(grad([](Array t) {
        return sum(nn::conv(ones({1, 5000, 1}, t.dtype()), t.reshape({1, 1, 1})).astype(F32));
      })(x[Slice(0, 1)])),
  };
  return all;
}

// Checks that a and b, which was rounded from F32, differ by at most `units` rounding units.
void check_beside(const Array& a, const Array& b, double units) {
  REQUIRE(a.shape() == b.shape());
  REQUIRE(a.dtype() == b.dtype());
  const double rounding = a.dtype() == F16 ? 0x1p-10 : a.dtype() == BF16 ? 0x1p-7 : 0x1p-22;
  const std::vector<double> x = a.to_vector<double>(), y = b.to_vector<double>();
  size_t bad = 0;
  for (size_t i = 0; i < x.size(); ++i)
    if (!(std::fabs(x[i] - y[i]) <= units * rounding * std::fabs(y[i]) + 0x1p-24) && x[i] != y[i] &&
        !(std::isnan(x[i]) && std::isnan(y[i])) && ++bad == 1)
      FAIL_CHECK("element " << i << ": " << x[i] << ", but of F32 " << y[i]);
}

// Returns ones for long sums, numbers whose squares overflow F16, and fractions.
std::vector<Array> operands(DType d) {
  const Array signs = where(arange(3000) % 2 == 0, -300., 300.);
  if (d == BF16) return {ones({3000}, d), signs.astype(d)};
  return {ones({3000}, d), signs[Slice(0, 2)].astype(d), (arange(70) / 64. + 0.01).astype(d)};
}

// Checks all statistics on all operands, and compiled on the longest one.
void check_statistics(const std::vector<Statistic>& all, double units) {
  for (const Statistic& s : all)
    for (const DType d : {F16, BF16}) {
      bool first = d == F16;
      for (const Array& x : operands(d)) {
        INFO(s.name << " of " << x.size() << " numbers as " << x[0]);
        const Array narrow = s.f(x), wide = s.f(x.astype(F32));
        // Results that stay F32, such as indices and counts, are equal.
        check_beside(narrow, narrow.dtype() == d ? wide.astype(d) : wide, units);
        if (first) check_beside(jit(s.f)(x), narrow, 1);
        first = false;
      }
    }
}

}  // namespace

TEST_CASE("statistics of narrow floats are rounded once", "[narrow]") {
  check_statistics(statistics(), 1);
}
TEST_CASE("densities, signals and steps of narrow floats are rounded once", "[narrow]") {
  check_statistics(computations(), 1);
}
TEST_CASE("gradients of what narrow floats share are summed in F32", "[narrow]") {
  check_statistics(gradients(), 1);
}

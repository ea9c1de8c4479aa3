// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/fft/fft_golden_test.cpp: compares Fourier transforms, their gradients and maps
// with JAX's results for the same calls (tests/golden/generators/make_fft.py).
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <sstream>

#include "support/check.h"
#include "support/golden_lines.h"

using namespace weft;

namespace {

Array x(const Shape& s, int64_t m = 7, int64_t k = 11) {
  const int64_t middle = k / 2;
  std::vector<float> v;
  for (int64_t i = 0; i < s.elements(); ++i)
    v.push_back(static_cast<float>(i * m % k - middle) / 4);
  return array(v, s);
}

using Cases = std::map<std::string, std::function<Array()>>;

// Returns the gradient of a sum of squares with weights 1, 2, …
Array slope(const std::function<Array(Array)>& f, const Array& at) {
  return grad([&](Array y) {
    const Array z = f(y);
    const Array weights = arange(1., static_cast<double>(z.size()) + 1, 1.).astype(F32);
    return sum(square(abs(z)) * weights.reshape(z.shape()));
  })(at);
}

struct Inputs {
  Array a = x({3, 8}), c = x({2, 3, 5}, 3, 7), v = x({7}, 3, 5);
  Array d = x({2, 2, 3, 2, 4}, 5, 13), e = x({100}, 5, 37);
  Array z = lax::complex(a, x({3, 8}, 5, 13)), w = lax::complex(c, x({2, 3, 5}, 5, 13));
  Array i = arange(6).reshape({2, 3});
};

// Adds empty batches, one element, odd sizes, nested maps and F64.
template <class F, class Options>
void add_ends(Cases& t, const std::string& name, F f, const Array& p, const Array& at,
              const Options& single, const Options& odd, const Options& odd_forward) {
  const Array c = x({2, 3, 5}, 3, 7), d = x({2, 2, 3, 2, 4}, 5, 13);
  const DType wide = is_complex(p.dtype()) ? C128 : F64;
  t[name + "_hollow"] = [=] { return f(zeros({0, 3, 5}), Options{}); };
  t[name + "_single"] = [=] { return f(p, single); };
  t[name + "_odd"] = [=] { return f(at, odd); };
  t[name + "_backward"] = [=] { return f(p, Options{.norm = fft::Norm::backward}); };
  t[name + "_odd_slope"] = [=] {
    return slope([=](const Array& y) { return f(y, odd_forward); }, c);
  };
  t[name + "_in_map"] = [=] {
    const auto one = [=](Array y) { return f(y, Options{}); };
    return vmap(vmap(one, 1), 2)(d);
  };
  t[name + "_wide"] = [=] { return f(p.astype(wide), Options{}); };
}

template <class F, class Options>
void add_each(Cases& t, const std::string& name, F f, const Array& p, const Array& q,
              const Options& ortho, const Options& forward) {
  const auto plain = [f](const Array& y) { return f(y, Options{}); };
  t[name] = [=] { return plain(p); };
  t[name + "_other"] = [=] { return plain(q); };
  t[name + "_ortho"] = [=] { return f(p, ortho); };
  t[name + "_forward"] = [=] { return f(p, forward); };
  t[name + "_slope"] = [=] { return slope(plain, p); };
  t[name + "_slope_other"] = [=] { return slope(plain, q); };
}
void add_one(Cases& t, const std::string& name, Array (*f)(const Arg&, const fft::FftOptions&),
             const Array& p, const Array& q) {
  add_each<decltype(f), fft::FftOptions>(t, name, f, p, q, {.norm = fft::Norm::ortho},
                                         {.norm = fft::Norm::forward});
  t[name + "_cut"] = [=] { return f(p, {.n = 3}); };
  t[name + "_filled"] = [=] { return f(p, {.n = 12, .axis = 0}); };
  t[name + "_map"] = [=] { return swapaxes(vmap([=](Array y) { return f(y, {}); }, 1)(p), 0, 1); };
  using O = fft::FftOptions;
  add_ends<decltype(f), O>(t, name, f, p, q.ndim() > 2 ? q : x({2, 3, 5}, 3, 7), {.n = 1},
                           {.n = 7, .axis = -2, .norm = fft::Norm::ortho},
                           {.n = 7, .axis = -2, .norm = fft::Norm::forward});
}
void add_two(Cases& t, const std::string& name, Array (*f)(const Arg&, const fft::Fft2Options&),
             const Array& p, const Array& q) {
  add_each<decltype(f), fft::Fft2Options>(t, name, f, p, q, {.norm = fft::Norm::ortho},
                                          {.norm = fft::Norm::forward});
  t[name + "_sizes"] = [=] { return f(p, {.s = {{4, 3}}, .axes = {-1, 0}}); };
  t[name + "_map"] = [=] { return vmap([=](Array y) { return f(y, {}); })(stack({p, p * 2}, 0)); };
  using O = fft::Fft2Options;
  add_ends<decltype(f), O>(t, name, f, p, q, {.s = {{1, 1}}},
                           {.s = {{5, 7}}, .axes = {0, -1}, .norm = fft::Norm::ortho},
                           {.s = {{5, 7}}, .axes = {0, -1}, .norm = fft::Norm::forward});
}
void add_many(Cases& t, const std::string& name, Array (*f)(const Arg&, const fft::FftnOptions&),
              const Array& p, const Array& q) {
  add_each<decltype(f), fft::FftnOptions>(t, name, f, p, q, {.norm = fft::Norm::ortho},
                                          {.norm = fft::Norm::forward});
  t[name + "_sizes"] = [=] { return f(q, {.s = {{2, 5}}}); };
  t[name + "_axes"] = [=] { return f(q, {.axes = {{4, 1, 2}}}); };
  t[name + "_map"] = [=] { return vmap([=](Array y) { return f(y, {}); })(q); };
  using O = fft::FftnOptions;
  add_ends<decltype(f), O>(t, name, f, p, q, {.s = {{1, 1}}},
                           {.s = {{5, 7, 2}}, .axes = {{-1, 0, 1}}, .norm = fft::Norm::ortho},
                           {.s = {{5, 7, 2}}, .axes = {{-1, 0, 1}}, .norm = fft::Norm::forward});
}

void add_others(Cases& t, const Inputs& in) {
  const auto& [a, c, v, d, e, z, w, i] = in;
  using lax::FftType;
  t["zeros"] = [] { return fft::fft(zeros({6})); };
  t["integers"] = [=] { return fft::fft(i); };
  t["half_precision"] = [=] { return fft::fft(a.astype(F16)); };
  t["empty"] = [] { return fft::fft(zeros({2, 0})); };
  t["empty_batch"] = [] { return fft::rfft(zeros({0, 3})); };
  t["one_back"] = [] { return fft::irfft(ones({2, 1})); };
  t["no_axes"] = [=] { return fft::fftn(c, {.axes = std::vector<int64_t>()}); };
  t["lax"] = [=] { return lax::fft(z, FftType::ifft, {8}); };
  t["lax_real"] = [=] { return lax::fft(e, FftType::fft, {100}); };
  t["lax_none"] = [=] { return lax::fft(a, FftType::fft, {}); };
  t["freq"] = [] { return fft::fftfreq(7); };
  t["freq_even"] = [] { return fft::fftfreq(8, 0.1); };
  t["freq_none"] = [] { return fft::fftfreq(0); };
  t["freq_half"] = [] { return fft::fftfreq(6, 0.5, {.dtype = F16}).astype(F32); };
  t["freq_int"] = [] { return fft::fftfreq(5, 1.0, {.dtype = I32}); };
  t["rfreq"] = [] { return fft::rfftfreq(7, 2.0); };
  t["rfreq_even"] = [] { return fft::rfftfreq(8); };
  t["freq_wide"] = [] { return fft::fftfreq(5, 0.3, {.dtype = F64}); };
  t["rfreq_one"] = [] { return fft::rfftfreq(1); };
  t["shift_none"] = [] { return fft::fftshift(zeros({0, 3})); };
  t["shift_back_one"] = [=] { return fft::ifftshift(v[slice(0, 1)]); };
  t["shift_back_slope"] = [=] { return slope([](Array y) { return fft::ifftshift(y); }, c); };
  t["shift_whole"] = [=] { return fft::fftshift(i, 1); };
  t["shift"] = [=] { return fft::fftshift(c); };
  t["shift_axis"] = [=] { return fft::fftshift(v, 0); };
  t["shift_axes"] = [=] { return fft::fftshift(c, {0, 2}); };
  t["shift_back"] = [=] { return fft::ifftshift(c); };
  t["shift_back_axis"] = [=] { return fft::ifftshift(c, -1); };
  t["shift_slope"] = [=] { return slope([](Array y) { return fft::fftshift(y); }, v); };
  t["shift_back_map"] = [=] { return vmap([](Array y) { return fft::ifftshift(y); })(c); };
}

Cases all_cases() {
  const Inputs in;
  const auto& [a, c, v, d, e, z, w, i] = in;
  Cases t;
  add_others(t, in);
  add_one(t, "fft", fft::fft, z, c);
  add_one(t, "ifft", fft::ifft, w, a);
  add_one(t, "rfft", fft::rfft, a, v);
  add_one(t, "irfft", fft::irfft, w, z);
  add_one(t, "hfft", fft::hfft, z, w);
  add_one(t, "ihfft", fft::ihfft, c, v);
  add_two(t, "fft2", fft::fft2, z, c);
  add_two(t, "ifft2", fft::ifft2, w, a);
  add_two(t, "rfft2", fft::rfft2, a, c);
  add_two(t, "irfft2", fft::irfft2, w, z);
  add_many(t, "fftn", fft::fftn, w, d);
  add_many(t, "ifftn", fft::ifftn, z, d);
  add_many(t, "rfftn", fft::rfftn, c, d);
  add_many(t, "irfftn", fft::irfftn, w, d);
  return t;
}

}  // namespace

TEST_CASE("Fourier transforms give what JAX gives", "[fft]") {
  const Cases cases = all_cases();
  const auto lines = testing::golden_lines("fft.txt");
  for (const auto& [name, want] : lines) {
    INFO(name);
    REQUIRE(cases.count(name) == 1);
    Array got = cases.at(name)();
    if (is_complex(got.dtype())) got = stack({lax::real(got), lax::imag(got)}, -1);
    CHECK(std::string(short_name(got.dtype())) == want.dtype);
    REQUIRE(testing::shape_words(got.shape()) == want.shape);
    double largest = 1e-30;
    for (double y : want.values) largest = std::max(largest, std::abs(y));
    const std::vector<double> values = got.to_vector<double>();
    for (size_t k = 0; k < values.size(); ++k) {
      INFO("element " << k << " is " << values[k] << ", wanted " << want.values[k]);
      CHECK(std::abs(values[k] - want.values[k]) <= (want.dtype == "f64" ? 1e-14 : 2e-6) * largest);
    }
  }
  CHECK(lines.size() == cases.size());
}

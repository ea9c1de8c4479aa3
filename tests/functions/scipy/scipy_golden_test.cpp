// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/scipy/scipy_golden_test.cpp: compares signals, interpolation, codes and images
// with jax.scipy and jax.image (make_scipy.py). It compares values, and slopes of the sum of
// squares with respect to each operand.
#include <functional>
#include <set>

#include "functions/array_calls.h"
#include "support/check.h"
#include "support/golden_lines.h"
#include "weft/weft.h"

using namespace weft;
using testing::steps;
using weft::test::check_error;

namespace {

using Called = std::function<Arrays(const Arrays&)>;

struct Checked {
  std::map<std::string, testing::GoldenLine> lines = testing::golden_lines("scipy.txt");
  std::set<std::string> seen = {};

  void operator()(const std::string& name, const Array& got) {
    INFO(name);
    REQUIRE(lines.count(name) == 1);
    seen.insert(name);
    testing::check_line(got, lines.at(name), 2e-5);
  }
  // Checks the parts of a result, and the slopes of the sum of squares of the last part.
  void parts(const std::string& name, const Called& f, const Arrays& x) {
    const Arrays out = f(x);
    for (size_t k = 0; k < out.size(); ++k)
      (*this)(out.size() == 1 ? name : name + "." + std::to_string(k), out[k]);
    for (size_t i = 0; i < x.size(); ++i) {
      const std::string line = name + ".slope" + std::to_string(i);
      if (!lines.count(line)) continue;
      (*this)(line, grad([&](Array v) {
                Arrays y = x;
                y[i] = v;
                const Array z = f(y).back();
                return sum(square(real(z)) + square(imag(z)));
              })(x[i]));
    }
  }
  void all(const std::string& name, const std::function<Array(const Arrays&)>& f, const Arrays& x) {
    parts(name, [&](const Arrays& v) { return Arrays{f(v)}; }, x);
  }
  // Checks that every line with one of these beginnings was compared.
  void complete(const std::set<std::string>& beginnings) const {
    for (const auto& [name, line] : lines)
      if (beginnings.count(name.substr(0, name.find('.')))) {
        INFO(name);
        CHECK(seen.count(name) == 1);
      }
  }
};
Array complexes(const Shape& s) { return lax::complex(steps(s), steps(s, 5, 13)); }

struct Operands {
  Array a, b;
};
const std::map<std::string, Operands> convolved = {
    {"long", {steps({9}), steps({4}, 5, 13)}},
    {"short", {steps({4}, 5, 13), steps({9})}},
    {"equal", {steps({5}), steps({5}, 3, 7)}},
    {"matrix", {steps({5, 6}), steps({3, 2}, 5, 13)}},
    {"small", {steps({2, 3}, 5, 13), steps({5, 4})}}};

}  // namespace

TEST_CASE("convolutions of signals give what JAX gives", "[functions][scipy]") {
  Checked same;
  for (const std::string mode : {"full", "same", "valid"}) {
    for (const auto& [name, x] : convolved) {
      const std::string at = "." + mode + "." + name;
      for (const std::string method : {"direct", "fft"}) {
        const std::string end = method == "fft" ? ".fft" : "";
        same.all("convolve" + at + end,
                 [&](const Arrays& v) {
                   return scipy::signal::convolve(v[0], v[1], mode, {.method = method});
                 },
                 {x.a, x.b});
        same.all("correlate" + at + end,
                 [&](const Arrays& v) {
                   return scipy::signal::correlate(v[0], v[1], mode, {.method = method});
                 },
                 {x.a, x.b});
      }
      if (x.a.ndim() != 2) continue;
      same.all("convolve2d" + at,
               [&](const Arrays& v) { return scipy::signal::convolve2d(v[0], v[1], mode); },
               {x.a, x.b});
      same.all("correlate2d" + at,
               [&](const Arrays& v) { return scipy::signal::correlate2d(v[0], v[1], mode); },
               {x.a, x.b});
    }
    same.all("correlate2d." + mode + ".equal",
             [&](const Arrays& v) { return scipy::signal::correlate2d(v[0], v[1], mode); },
             {steps({3, 3}), steps({3, 3}, 5, 13)});
    same("fftconvolve." + mode + ".axis",
         scipy::signal::fftconvolve(steps({3, 7}), steps({3, 4}, 5, 13), mode, 1));
    same("fftconvolve." + mode + ".axes",
         scipy::signal::fftconvolve(steps({2, 5, 4}), steps({2, 3, 2}, 5, 13), mode, {1, -1}));
    const Array z = scipy::signal::fftconvolve(complexes({6}), complexes({3}), mode);
    same("fftconvolve." + mode + ".complex", stack({real(z), imag(z)}));
    const Array direct = scipy::signal::convolve(complexes({6}), complexes({3}), mode);
    CHECK(max(abs(direct - z)).item<double>() < 1e-4);
  }
  same("convolve.int", scipy::signal::convolve(arange(5), array({1, 2})));
  same.complete({"convolve", "correlate", "convolve2d", "correlate2d", "fftconvolve"});
}

TEST_CASE("cosine transforms give what JAX gives", "[functions][scipy]") {
  Checked same;
  using Along = Array (*)(const Arg&, const fft::DctOptions&);
  using Many = Array (*)(const Arg&, const fft::FftnOptions&);
  const std::map<std::string, Along> one = {{"dct", fft::dct}, {"idct", fft::idct}};
  const std::map<std::string, Many> many = {{"dctn", fft::dctn}, {"idctn", fft::idctn}};
  for (const fft::Norm norm : {fft::Norm::backward, fft::Norm::ortho}) {
    const std::string end = norm == fft::Norm::ortho ? ".ortho" : "";
    for (const auto& [name, g] : one) {
      const Along f = g;
      same.all(name + end, [=](const Arrays& v) { return f(v[0], {.norm = norm}); },
               {steps({3, 6})});
      same.all(name + end + ".odd",
               [=](const Arrays& v) { return f(v[0], {.axis = 0, .norm = norm}); },
               {steps({5, 2})});
      same(name + end + ".more", f(steps({2, 5}), {.n = 8, .norm = norm}));
      same(name + end + ".one", f(steps({2, 1}), {.norm = norm}));
    }
    for (const auto& [name, g] : many) {
      const Many f = g;
      same.all(name + end, [=](const Arrays& v) { return f(v[0], {.norm = norm}); },
               {steps({3, 4})});
      same(name + end + ".axes",
           f(steps({3, 4, 5}), {.axes = std::vector<int64_t>{0, 2}, .norm = norm}));
      same(name + end + ".three", f(steps({2, 3, 4}), {.norm = norm}));
    }
  }
  for (const auto& [name, g] : one)
    same(name + ".map", vmap([f = g](Array v) { return f(v, {}); })(steps({3, 4})));
  for (const auto& [name, g] : many)
    same(name + ".map", vmap([f = g](Array v) { return f(v, {}); })(steps({3, 4})));
  same("dct.complex", fft::dct(complexes({2, 4})));
  same("dctn.sizes", fft::dctn(steps({3, 4}), {.s = std::vector<int64_t>{5, 6}}));
  same("dct.int", fft::dct(arange(4)));
  same.complete({"dct", "idct", "dctn", "idctn"});
  const Array x = steps({3, 4});
  check_error<IndexError>([&] { fft::dct(x, {.norm = fft::Norm::forward}); },
                          "dct: .norm must be Norm::backward or Norm::ortho");
  check_error<IndexError>([&] { fft::idct(x, {.axis = 2}); }, "axis 2 is out of bounds");
  check_error<ShapeError>([&] { fft::dct(x, {.n = 0}); }, "0 is not a number of elements");
  check_error<ShapeError>(
      [&] { fft::dctn(x, {.s = std::vector<int64_t>{5}, .axes = std::vector<int64_t>{0, 1}}); },
      "1 sizes for 2 axes");
  check_error<DTypeError>([&] { fft::dct(x.astype(F16)); }, "takes f32 or f64, got f16[3,4]");
}

TEST_CASE("trends give what JAX gives", "[functions][scipy]") {
  Checked same;
  const Array x = steps({3, 12});
  for (const int64_t axis : {0, 1}) {
    const std::string at = std::to_string(axis);
    same.all("detrend.linear." + at,
             [&](const Arrays& v) { return scipy::signal::detrend(v[0], axis); }, {x});
    same.all("detrend.constant." + at,
             [&](const Arrays& v) { return scipy::signal::detrend(v[0], axis, "constant"); }, {x});
  }
  same("detrend.breaks", scipy::signal::detrend(x, -1, "linear", {.bp = {4, 9}}));
  same("detrend.break", scipy::signal::detrend(x, -1, "linear", {.bp = {5}}));
  same("detrend.short", scipy::signal::detrend(steps({2, 1})));
  same.complete({"detrend"});
}

TEST_CASE("spectra of segments give what JAX gives", "[functions][scipy]") {
  Checked same;
  const Array s = steps({40}), many = steps({2, 33}),
              win = array({0.25, 0.5, 1.0, 1.0, 0.75, 0.5, 0.25, 0.125});
  const std::map<std::string, scipy::signal::StftOptions> options = {
      {"plain", {.nperseg = 8}},
      {"overlap", {.nperseg = 8, .noverlap = 6}},
      {"odd", {.nperseg = 7, .noverlap = 3}},
      {"window", {.window = win}},
      {"nfft", {.nperseg = 8, .nfft = 16}},
      {"both", {.nperseg = 8, .return_onesided = false}},
      {"even", {.nperseg = 8, .boundary = "even"}},
      {"mirror", {.nperseg = 8, .boundary = "odd"}},
      {"constant", {.nperseg = 8, .boundary = "constant"}},
      {"none", {.nperseg = 7, .boundary = "none"}},
      {"cut", {.nperseg = 8, .padded = false}},
      {"linear", {.nperseg = 8, .detrend = "linear"}},
      {"default", {}}};
  for (const auto& [name, o] : options)
    same.parts("stft." + name,
               [&, o = o](const Arrays& v) {
                 const auto [f, t, z] = scipy::signal::stft(v[0], 2., o);
                 return Arrays{f, t, z};
               },
               {s});
  same("stft.many", abs(scipy::signal::stft(many, 1., {.nperseg = 8}).values));
  same("stft.axis", abs(scipy::signal::stft(many.T(), 1., {.nperseg = 8, .axis = 0}).values));
  same("stft.complex", abs(scipy::signal::stft(complexes({20}), 1., {.nperseg = 8}).values));
  const Array lanes =
      jit(vmap([](Array v) { return scipy::signal::stft(v, 1., {.nperseg = 8}).values; }))(many);
  CHECK(max(abs(lanes - scipy::signal::stft(many, 1., {.nperseg = 8}).values)).item<double>() <
        1e-5);
  same.complete({"stft"});
}

TEST_CASE("powers by Welch's method give what JAX gives", "[functions][scipy]") {
  Checked same;
  const Array s = steps({40}), t = steps({40}, 5, 13), many = steps({2, 33}),
              win = array({0.25, 0.5, 1.0, 1.0, 0.75, 0.5, 0.25, 0.125});
  const std::map<std::string, scipy::signal::SpectrumOptions> options = {
      {"plain", {.nperseg = 8}},
      {"overlap", {.nperseg = 8, .noverlap = 2}},
      {"odd", {.nperseg = 7}},
      {"window", {.window = win}},
      {"nfft", {.nperseg = 8, .nfft = 11}},
      {"both", {.nperseg = 8, .return_onesided = false}},
      {"median", {.nperseg = 8, .average = "median"}},
      {"spectrum", {.nperseg = 8, .scaling = "spectrum"}},
      {"linear", {.nperseg = 8, .detrend = "linear"}},
      {"raw", {.nperseg = 8, .detrend = "none"}},
      {"default", {}}};
  for (const auto& [name, o] : options) {
    same.parts("welch." + name,
               [&, o = o](const Arrays& v) {
                 const auto [f, p] = scipy::signal::welch(v[0], 2., o);
                 return Arrays{f, p};
               },
               {s});
    same.parts("csd." + name,
               [&, o = o](const Arrays& v) {
                 const auto [f, p] = scipy::signal::csd(v[0], v[1], 2., o);
                 return Arrays{f, p};
               },
               {s, t});
  }
  same("welch.many", scipy::signal::welch(many, 1., {.nperseg = 8}).values);
  same("welch.axis", scipy::signal::welch(many.T(), 1., {.nperseg = 8, .axis = 0}).values);
  same("welch.fs", scipy::signal::welch(s, full({}, 4., F32), {.nperseg = 8}).values);
  same("csd.short", abs(scipy::signal::csd(s, t[slice(0, 30)], 1., {.nperseg = 8}).values));
  same.complete({"welch", "csd"});
}

TEST_CASE("signals from their spectra are those of JAX", "[functions][scipy]") {
  Checked same;
  const Array s = steps({40}), many = steps({2, 33}),
              win = array({0.25, 0.5, 1.0, 1.0, 0.75, 0.5, 0.25, 0.125});
  const Array z = scipy::signal::stft(s, 1., {.nperseg = 8}).values;
  const std::map<std::string, scipy::signal::IstftOptions> options = {
      {"plain", {}},
      {"overlap", {.noverlap = 6}},
      {"window", {.window = win}},
      {"inner", {.boundary = false}},
      {"nfft", {.nperseg = 8, .nfft = 16}}};
  for (const auto& [name, o] : options) {
    const auto [times, x] = scipy::signal::istft(z, 2., o);
    same("istft." + name + ".0", times);
    same("istft." + name + ".1", x);
  }
  CHECK(allclose(scipy::signal::istft(z).x[slice(0, 40)], s, 1e-5, 1e-5).item<bool>());
  const Array zz = scipy::signal::stft(many, 1., {.nperseg = 8}).values;
  same("istft.many", scipy::signal::istft(zz).x);
  same("istft.axes",
       scipy::signal::istft(moveaxis(zz, 0, -1), 1., {.time_axis = 1, .freq_axis = 0}).x);
  const Array both = scipy::signal::stft(s, 1., {.nperseg = 8, .return_onesided = false}).values;
  same("istft.both", abs(scipy::signal::istft(both, 1., {.input_onesided = false}).x));
  for (const char* name : {"hann", "hamming", "blackman", "boxcar"}) {
    INFO(name);
    const Array spectrum = scipy::signal::stft(s, 1., {.window = name, .nperseg = 8}).values;
    const Array back = scipy::signal::istft(spectrum, 1., {.window = name}).x;
    CHECK(allclose(back[slice(0, 40)], s, 1e-4, 1e-4).item<bool>());
  }
  same.complete({"istft"});
}

TEST_CASE("samples between samples are those of JAX", "[functions][scipy]") {
  Checked same;
  const Array image = steps({4, 5});
  const Arrays at = {array({{0., 0.25, 1.5}, {2.75, 3., -0.5}}),
                     array({{0.5, 3.25, 4.}, {1.75, -1.25, 5.6}})};
  const auto map = [](const Arrays& v, int64_t order, const std::string& mode) {
    return scipy::ndimage::map_coordinates(v[0], {v[1], v[2]}, order, {.mode = mode});
  };
  for (const std::string mode : {"constant", "nearest", "wrap", "mirror", "reflect"})
    for (const int64_t order : {0, 1})
      same.all("map." + mode + "." + std::to_string(order),
               [&](const Arrays& v) { return map(v, order, mode); }, {image, at[0], at[1]});
  same("map.cval", scipy::ndimage::map_coordinates(image, at, 1, {.cval = 2.5}));
  same("map.int", scipy::ndimage::map_coordinates((4 * image).astype(I32), at, 1).astype(F32));
  same("map.vector",
       scipy::ndimage::map_coordinates(image[0], {array({0.5, 9., 3.9})}, 1, {.mode = "nearest"}));
  same("map.vmap", vmap([&](Array v) { return scipy::ndimage::map_coordinates(v, at, 1); })(
                       stack({image, -image})));
  same.complete({"map"});
}

TEST_CASE("grids are interpolated as JAX does", "[functions][scipy]") {
  Checked same;
  using Grid = scipy::interpolate::RegularGridInterpolator;
  const Array image = steps({4, 5});
  const Arrays grid = {array({0., 1., 2.5, 3.}), array({-1., 0., 0.5, 2., 4.})};
  const Array rows = array({{0.5, 0.25}, {2.6, -0.5}, {3., 4.}, {-0.5, 1.}, {1., 4.5}, {1.75, 0.}});
  for (const std::string method : {"linear", "nearest"}) {
    const std::string at = "grid." + method;
    same.all(at, [&](const Arrays& v) { return Grid(grid, v[0], {.method = method})(v[1]); },
             {image, rows[array({0, 1, 2, 5})]});
    same(at + ".outside", Grid(grid, image, {.method = method})(rows));
    same(at + ".fill", Grid(grid, image, {.method = method, .fill_value = 7.5})(rows));
    same(at + ".beyond", Grid(grid, image, {.method = method, .fill_value = none})(rows));
    same(at + ".vectors", Grid({grid[0]}, image, {.method = method})(rows[{slice(), slice(0, 1)}]));
  }
  const Array two = rows[slice(0, 4)];
  same("grid.tuple", Grid(grid, image)(Arrays{two[{slice(), 0}].reshape({2, 2}),
                                              two[{slice(), 1}].reshape({2, 2})}));
  same("grid.other", Grid(grid, image)(rows, "nearest"));
  same("grid.line", Grid({grid[0]}, image[{slice(), 0}])(array({0.5, 2.})));
  // The object is a tree, and can be an argument of programs.
  const Grid g(grid, image);
  const auto at = [](Grid f, Array x) { return f(x); };
  CHECK(array_equal(jit(at)(g, rows), g(rows), true).item<bool>());
  same.complete({"grid"});

  const Array obs = steps({6, 3}), codes = steps({4, 3}, 5, 13);
  same.parts("vq",
             [](const Arrays& v) {
               const auto [code, dist] = scipy::cluster::vq(v[0], v[1]);
               return Arrays{code, dist};
             },
             {obs, codes});
  const auto [code, dist] = scipy::cluster::vq(obs[{slice(), 0}], codes[{slice(), 0}]);
  same("vq.line.0", code);
  same("vq.line.1", dist);
  same.complete({"vq"});
}

TEST_CASE("images of other sizes are those of JAX", "[functions][scipy]") {
  Checked same;
  const Array image = steps({4, 5});
  const std::map<std::string, Shape> shapes = {
      {"up", {9, 11}}, {"down", {2, 3}}, {"mixed", {4, 12}}, {"one", {1, 5}}};
  for (const std::string method :
       {"nearest", "linear", "lanczos3", "lanczos5", "cubic", "cubic-pytorch", "area"}) {
    for (const auto& [name, shape] : shapes) {
      const std::string at = "resize." + method + "." + name;
      same.all(at, [&, s = shape](const Arrays& v) { return image::resize(v[0], s, method); },
               {image});
      same(at + ".sharp", image::resize(image, shape, method, {.antialias = false}));
    }
    if (method == "nearest") continue;
    same.all("scale." + method,
             [&](const Arrays& v) {
               return image::scale_and_translate(v[0], {6, 7}, {0, 1}, v[1], v[2], method,
                                                 {.antialias = false});
             },
             {image, array({1.3, 1.7}), array({0.35, -0.6})});
  }
  same("resize.int", image::resize(arange(4), {6}, "linear"));
  same("resize.int.nearest", image::resize(arange(4), {6}, "nearest"));
  same("scale.axis",
       image::scale_and_translate(image, {4, 8}, {1}, array({2.}), array({-1.}), "linear"));
  same("scale.wide", image::scale_and_translate(image, {2, 3}, {0, -1}, array({0.5, 0.6}),
                                                array({0., 0.1}), "cubic"));
  same.complete({"resize", "scale"});
}

TEST_CASE("errors of signals and images name operands that do not fit",
          "[functions][scipy][errors]") {
  const Array a = zeros({4}), m = zeros({3, 4}), n = zeros({4, 3});
  check_error<ShapeError>([&] { scipy::signal::convolve(a, m); },
                          "convolve: both arrays need as many axes, got f32[4] and f32[3,4]");
  check_error<ShapeError>([&] { scipy::signal::convolve(m, n); },
                          "one array must be at least as large as the other on each axis");
  check_error<IndexError>([&] { scipy::signal::convolve(a, a, "some"); },
                          "mode must be \"full\", \"same\" or \"valid\", not \"some\"");
  check_error<IndexError>([&] { scipy::signal::correlate(a, a, "full", {.method = "slow"}); },
                          "correlate: .method must be \"auto\", \"direct\" or \"fft\"");
  check_error<ShapeError>([&] { scipy::signal::convolve2d(a, a); }, "takes matrices, got f32[4]");
  check_error<ShapeError>([&] { scipy::signal::fftconvolve(m, n, "full", 1); },
                          "axis 0 is not convolved and has the sizes 3 and 4");
  check_error<ShapeError>([&] { scipy::signal::convolve(a, zeros({0})); },
                          "scipy_golden_test.cpp:");
  check_error<IndexError>([&] { scipy::signal::detrend(a, 0, "round"); },
                          "type must be \"linear\"");
  check_error<IndexError>([&] { scipy::signal::detrend(a, 0, "linear", {.bp = {5}}); },
                          ".bp 5 is beyond an axis of 4");
  check_error<IndexError>([&] { scipy::signal::stft(a, 1., {.window = "square"}); },
                          "\"boxcar\" or an Array, not \"square\"");
  check_error<IndexError>([&] { scipy::signal::stft(a, 1., {.boundary = "wall"}); },
                          "not \"wall\"");
  check_error<IndexError>([&] { scipy::signal::stft(a, 1., {.detrend = "all"}); }, "not \"all\"");
  check_error<ShapeError>([&] { scipy::signal::stft(a, 1., {.nperseg = 2, .noverlap = 2}); },
                          ".noverlap 2 must be in [0, 2)");
  check_error<ShapeError>([&] { scipy::signal::stft(a, 1., {.nfft = 3}); },
                          ".nfft 3 is less than the 4 places");
  check_error<ShapeError>([&] { scipy::signal::welch(a, 1., {.window = zeros({9})}); },
                          "a segment of 9 places of a signal of 4");
  check_error<IndexError>([&] { scipy::signal::welch(a, 1., {.scaling = "big"}); }, "not \"big\"");
  check_error<IndexError>([&] { scipy::signal::welch(a, 1., {.average = "mode"}); },
                          "not \"mode\"");
  check_error<ShapeError>([&] { scipy::signal::csd(a, m); }, "csd: both signals need as many axes");
  check_error<ShapeError>([&] { scipy::signal::istft(a); }, "needs axes of frequencies and times");
  check_error<ShapeError>([&] { scipy::signal::istft(m, 1., {.time_axis = 0, .freq_axis = 0}); },
                          "axis 0 is named for both times and frequencies");
  check_error<ShapeError>([&] { scipy::ndimage::map_coordinates(m, {a}, 1); },
                          "1 arrays of coordinates for f32[3,4]");
  check_error<IndexError>([&] { scipy::ndimage::map_coordinates(a, {a}, 3); },
                          "order must be 0 or 1");
  check_error<IndexError>([&] { scipy::ndimage::map_coordinates(a, {a}, 1, {.mode = "edge"}); },
                          "not \"edge\"");
  check_error<ShapeError>([&] { scipy::interpolate::RegularGridInterpolator({a, a}, m); },
                          "the points of axis 0 must be a vector of two or more");
  check_error<IndexError>(
      [&] { scipy::interpolate::RegularGridInterpolator({a}, a, {.method = "cubic"}); },
      "method must be \"linear\" or \"nearest\", not \"cubic\"");
  const scipy::interpolate::RegularGridInterpolator grid({arange(3.), arange(4.)}, m);
  check_error<ShapeError>([&] { grid(m[0]); }, "points of 2 coordinates, got f32[4]");
  check_error<ShapeError>([&] { scipy::cluster::vq(m, n); }, "vq: takes (n, d) and (k, d)");
  check_error<ShapeError>([&] { image::resize(m, {2}, "linear"); },
                          "shape (2,) has another number of axes than f32[3,4]");
  check_error<IndexError>([&] { image::resize(m, {2, 2}, "best"); },
                          "\"cubic-pytorch\", \"nearest\" or \"area\", not \"best\"");
  check_error<IndexError>(
      [&] { image::scale_and_translate(a, {2}, {0}, ones({1}), ones({1}), "nearest"); },
      "scale_and_translate: method must be");
  check_error<ShapeError>(
      [&] { image::scale_and_translate(m, {2, 2}, {0}, ones({1}), ones({1}), "linear"); },
      "axis 1 is not among the spatial ones, but becomes 2 of 4");
}

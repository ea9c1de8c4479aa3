// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/libraries/programs_test.cpp: programs of a GPU that call libraries. The library is the
// default, the results are those of the host, and the calls run in the order of the stream. Failed
// factorisations give NaN.
#include <cmath>

#include "gpu/emulated.h"
#include "gpu/libraries/fake_libraries.h"
#include "weft/weft.h"

using namespace weft;
using namespace weft::test;

namespace {

using OfOne = std::function<std::vector<Array>(Array)>;

Array numbers(const Shape& s, DType d, double seed = 0.7) {
  const Array at = arange(static_cast<double>(s.elements())).reshape(s);
  const Array re = sin(at * at * seed);
  if (!is_complex(d)) return re.astype(d);
  return lax::complex(re.astype(real_part(d)), cos(at * at * seed).astype(real_part(d)));
}
// Returns positive definite matrices: the last two axes have size n.
Array positive(const Shape& s, DType d) {
  const int64_t n = s[s.ndim() - 1];
  const Array x = numbers(s, d);
  return x + conj(swapaxes(x, -1, -2)) + (eye(n) * static_cast<double>(4 * n)).astype(d);
}

// Returns the largest |a - b| as a fraction of the largest |b|.
double distance(const Array& a, const Array& b) {
  const Array here = device_put(a, "cpu");
  const double most = std::max(1e-30, abs(b).max().astype(F64).item<double>());
  return abs(here.astype(b.dtype()) - b).max().astype(F64).item<double>() / most;
}
double near_enough(DType d) {
  switch (real_part(d)) {
    case F64: return 1e-11;
    case BF16: return 1e-2;
    case F16: return 1e-3;
    default: return 1e-4;
  }
}

// Checks that the program calls that function and computes the host's result.
void calls(const std::string& function, const OfOne& f, const Array& x) {
  INFO(function);
  const auto there = jit(f, {.device = "cuda:0"});
  const auto here = jit(f);
  const Array a = device_put(x, "cuda:0");
  const std::vector<Array> got = there(a), right = here(x);
  const std::string report = there.lower(a).report();
  INFO(report);
  CHECK(holds(report, "(" + function + ")"));
  CHECK(holds(report, ", which queues work of its own\n"));  // so that there is no graph
  CHECK(!holds(report, "on the host"));
  REQUIRE(got.size() == right.size());
  for (size_t k = 0; k < got.size(); ++k) {
    CHECK(got[k].device() == "cuda:0");
    CHECK(distance(got[k], right[k]) < near_enough(x.dtype()));
  }
  check_no_complaints();
}
// Demands an implementation that is not the default for small operands.
void calls_if_demanded(const std::string& op, const std::string& name, const OfOne& f,
                       const Array& x) {
  INFO(op << " by " << name);
  const auto forced =
      jit(f, {.device = "cuda:0"}).lower(x).compile({.implementations = {{op, name}}});
  const std::vector<Array> got = forced(device_put(x, "cuda:0")), right = jit(f)(x);
  for (size_t k = 0; k < got.size(); ++k)
    CHECK(distance(got[k], right[k]) < near_enough(x.dtype()));
  check_no_complaints();
}

const std::string letters = "SDCZ";
constexpr DType types[] = {F32, F64, C64, C128};

bool all_nan(const Array& x) { return isnan(device_put(x, "cpu")).all().item<bool>(); }
bool no_nan(const Array& x) { return !isnan(device_put(x, "cpu")).any().item<bool>(); }

}  // namespace

TEST_CASE("factorisations of GPUs by cuSOLVER", "[.][libraries]") {
  for (size_t t = 0; t < 4; ++t) {
    const DType d = types[t];
    const std::string solver = std::string("cusolverDn") + letters[t];
    const std::string q = is_complex(d) ? "ungqr" : "orgqr", e = is_complex(d) ? "hee" : "sye";
    const auto cholesky = [](Array x) { return std::vector<Array>{lax::cholesky(x, false)}; };
    calls(solver + "potrf", cholesky, positive({40, 40}, d));
    calls(solver + "potrfBatched", cholesky, positive({2, 3, 40, 40}, d));
    calls(solver + "potrf", cholesky, positive({2, 260, 260}, d));
    const auto lu = [](Array x) {
      const lax::LU f = lax::lu(x);
      return std::vector<Array>{std::get<0>(f), std::get<1>(f).astype(F32),
                                std::get<2>(f).astype(F32)};
    };
    for (const Shape& s : {Shape{40, 40}, Shape{50, 35}, Shape{35, 50}, Shape{2, 36, 34}})
      calls(solver + "getrf", lu, numbers(s, d));
    calls(fmt::format("cublas{}getrfBatched", letters[t]), lu, numbers({3, 40, 40}, d));
    const auto qr = [](Array x) {
      const lax::QR f = lax::qr(x, {.full_matrices = false});
      return std::vector<Array>{f.first, f.second};
    };
    calls(solver + "geqrf", qr, numbers({2, 50, 35}, d));
    calls(solver + q, qr, numbers({50, 35}, d));
    const auto eigh = [](Array x) {
      const auto f = lax::eigh(x, {.symmetrize_input = false});
      return std::vector<Array>{f.first, f.second};
    };
    calls(solver + e + "vd", eigh, positive({2, 36, 36}, d) + (diag(arange(36.)) * 9.).astype(d));
  }
}

TEST_CASE("singular values of GPUs by cuSOLVER", "[.][libraries]") {
  for (size_t t = 0; t < 4; ++t)
    for (const Shape& s : {Shape{40, 34}, Shape{34, 40}, Shape{2, 34, 34}}) {
      const Array apart = eye(s[s.ndim() - 2], s[s.ndim() - 1]) *
                          (arange(static_cast<double>(s[s.ndim() - 1])) * 9. + 9.);
      const Array x = numbers(s, types[t]) + apart.astype(types[t]);
      const std::string function = fmt::format("cusolverDn{}gesvd", letters[t]);
      calls(
          function,
          [](Array y) {
            const auto f = linalg::svd(y, {.full_matrices = false});
            return std::vector<Array>{std::get<0>(f), std::get<1>(f), std::get<2>(f)};
          },
          x);
      calls(function, [](Array y) { return std::vector<Array>{linalg::svdvals(y)}; }, x);
    }
}

TEST_CASE("triangular systems of GPUs by cuBLAS", "[.][libraries]") {
  for (size_t t = 0; t < 4; ++t)
    for (int flags = 0; flags < 32; ++flags) {
      const lax::TriangularSolve o{.left_side = (flags & 1) != 0,
                                   .lower = (flags & 2) != 0,
                                   .transpose_a = (flags & 4) != 0,
                                   .conjugate_a = (flags & 8) != 0,
                                   .unit_diagonal = (flags & 16) != 0};
      const auto solve = [o](Array x) {
        const Array small = x * lax::convert_element_type(Array(0.01), real_part(x.dtype()));
        return std::vector<Array>{lax::triangular_solve(
            o.unit_diagonal ? small : x,
            o.left_side ? x[{ellipsis, slice(0, 5)}] : swapaxes(x[{ellipsis, slice(0, 5)}], -1, -2),
            o)};
      };
      const std::string name = fmt::format("cublas{}trsm", letters[t]);
      calls(name, solve, positive({35, 35}, types[t]));
      if (flags % 3 == 0) calls(name + "Batched", solve, positive({3, 33, 33}, types[t]));
    }
}

TEST_CASE("products of GPUs by cuBLASLt", "[.][libraries]") {
  for (const DType d : {F32, F64, BF16, F16}) {
    for (const bool turned_x : {false, true})
      for (const bool turned_y : {false, true}) {
        const auto product = [=](Array x) {
          // The memory layouts are those of factors [20, 24] and [24, 20], each transposed or not.
          const Array y = turned_y == turned_x ? reshape(x * 2, swapaxes(x, -1, -2).shape()) : x;
          const Array a = turned_x ? swapaxes(x, -1, -2) : x;
          return std::vector<Array>{matmul(a, turned_y ? swapaxes(y, -1, -2) : y)};
        };
        calls_if_demanded("dot_general", "cublas", product, numbers({20, 24}, d));
        calls_if_demanded("dot_general", "cublas", product, numbers({3, 20, 24}, d));
      }
    if (d == BF16 || d == F16)
      calls_if_demanded(
          "dot_general", "cublas",
          [](Array x) {
            return std::vector<Array>{lax::dot_general(x, x, {{1}, {1}}, F32).astype(F32)};
          },
          numbers({20, 24}, d));
  }
  // The library is the default for large factors only.
  const auto chosen = [](int64_t n, DType d) {
    const auto f = jit([](Array x) { return matmul(x, x); }, {.device = "cuda:0"});
    return holds(f.lower(zeros({n, n}, d)).report(), "dot_general: cublas (cublasLtMatmul)");
  };
  CHECK(!chosen(512, F32));
  CHECK(chosen(2048, F32));
  CHECK(chosen(2048, F64));
  CHECK(!chosen(128, BF16));
  CHECK(!chosen(512, F16));
  CHECK(chosen(1024, F16));
  CHECK(!chosen(2048, C64));
}

TEST_CASE("convolutions of GPUs by cuDNN", "[.][libraries]") {
  const auto by = [](const std::vector<int64_t>& filter, const std::vector<int64_t>& strides,
                     const lax::ConvPadding& padding, const lax::ConvDilatedOptions& o) {
    return [=](Array x) {
      const Array w = numbers(Shape(filter), F32, 0.3).astype(x.dtype());
      return std::vector<Array>{lax::conv_general_dilated(x, w, strides, padding, o)};
    };
  };
  const char* const op = "conv_general_dilated";
  using Pads = std::vector<std::pair<int64_t, int64_t>>;
  for (const DType d : {F32, F64, BF16, F16}) {
    // The cases have one, two and three spatial axes, strides, dilations, both paddings, groups and
    // NHWC.
    calls_if_demanded(op, "cudnn", by({5, 3, 3}, {2}, "SAME", {}), numbers({2, 3, 9}, d));
    calls_if_demanded(op, "cudnn",
                      by({6, 2, 3, 2}, {1, 2}, Pads{{1, 1}, {0, 1}},
                         {.rhs_dilation = {2, 1}, .feature_group_count = 2}),
                      numbers({2, 4, 9, 8}, d));
    calls_if_demanded(op, "cudnn", by({2, 3, 2, 3, 2}, {1, 1, 1}, Pads{{1, 1}, {2, 2}, {1, 1}}, {}),
                      numbers({2, 3, 4, 6, 5}, d));
    calls_if_demanded(
        op, "cudnn",
        by({3, 3, 4, 5}, {1, 1}, "SAME", {.dimension_numbers = {"NHWC", "HWIO", "NHWC"}}),
        numbers({2, 7, 6, 4}, d));
    const auto f = by({5, 3, 3, 3}, {1, 1}, "VALID", {});
    calls_if_demanded(
        op, "cudnn",
        [=](Array x) { return std::vector<Array>{vmap([=](Array y) { return f(y)[0]; }, 1)(x)}; },
        numbers({2, 3, 3, 6, 6}, d));
  }
  const auto chosen = [](int64_t channels) {
    const Array x = zeros({1, channels, 32, 32}), w = zeros({channels, channels, 3, 3});
    const auto f =
        jit([=](Array y, Array z) { return lax::conv_general_dilated(y, z, {1, 1}, "SAME"); },
            {.device = "cuda:0"});
    return holds(f.lower(x, w).report(), "cudnn (cudnnConvolutionForward)");
  };
  CHECK(chosen(64));
  CHECK(!chosen(8));
  // A dilated image is stored with its zeros.
  const auto apart = jit(
      [](Array x, Array w) {
        return lax::conv_general_dilated(x, w, {1, 1}, {{2, 1}, {2, 1}}, {.lhs_dilation = {2, 2}});
      },
      {.device = "cuda:0"});
  const Array x = zeros({1, 64, 16, 16}), w = zeros({64, 64, 3, 3});
  CHECK(holds(apart.lower(x, w).report(), "cudnn (cudnnConvolutionForward)"));
}

TEST_CASE("transforms of GPUs by cuFFT", "[.][libraries]") {
  using lax::FftType;
  const auto transform = [](FftType type, const std::vector<int64_t>& n) {
    return [=](Array x) { return std::vector<Array>{lax::fft(x, type, n)}; };
  };
  for (const auto& [d, letter] : {std::pair(C64, 'C'), std::pair(C128, 'Z')}) {
    const bool wide = d == C128;
    const std::string c2c = wide ? "cufftExecZ2Z" : "cufftExecC2C",
                      r2c = wide ? "cufftExecD2Z" : "cufftExecR2C",
                      c2r = wide ? "cufftExecZ2D" : "cufftExecC2R";
    for (const FftType type : {FftType::fft, FftType::ifft}) {
      calls(c2c, transform(type, {96}), numbers({3, 96}, d));
      calls(c2c, transform(type, {6, 5, 7}), numbers({2, 6, 5, 7}, d));
    }
    calls(r2c, transform(FftType::rfft, {97}), numbers({2, 97}, real_part(d)));
    calls(r2c, transform(FftType::rfft, {8, 12}), numbers({2, 8, 12}, real_part(d)));
    for (const int64_t n : {128, 129})
      calls(c2r, transform(FftType::irfft, {n}), numbers({3, n / 2 + 1}, d));
    calls(c2r, transform(FftType::irfft, {9, 10, 12}), numbers({2, 9, 10, 7}, d));
  }
}

TEST_CASE("matrices that a library cannot factor give NaN, the others do not", "[.][libraries]") {
  const auto cholesky = jit([](Array x) { return lax::cholesky(x, false); }, {.device = "cuda:0"});
  for (const int64_t n : {40, 260}) {
    const Array good = positive({n, n}, F32), bad = good - eye(n) * static_cast<double>(9 * n);
    const Array r = device_put(cholesky(device_put(stack({good, bad, good}), "cuda:0")), "cpu");
    CHECK(no_nan(r[0]));
    CHECK(no_nan(r[2]));
    // The zeros above the diagonal are kept.
    CHECK(isnan(r[1]).sum().item<int32_t>() == n * (n + 1) / 2);
  }
  const auto eigh = jit(
      [](Array x) {
        const auto f = lax::eigh(x, {.symmetrize_input = false});
        return std::vector<Array>{f.first, f.second};
      },
      {.device = "cuda:0"});
  const auto svd = jit(
      [](Array x) {
        const auto f = linalg::svd(x, {.full_matrices = false});
        return std::vector<Array>{std::get<0>(f), std::get<1>(f), std::get<2>(f)};
      },
      {.device = "cuda:0"});
  const Array good = positive({36, 36}, F64), nan = good * std::nan(""),
              three = device_put(stack({good, good, nan}), "cuda:0");
  for (const auto& f : {OfOne(eigh), OfOne(svd)}) {
    fake_libraries_give_up(1);
    const std::vector<Array> r = f(three);
    for (const Array& x : r) {
      const Array here = device_put(x, "cpu");
      CHECK(all_nan(here[0]));
      CHECK(no_nan(here[1]));
      CHECK(all_nan(here[2]));
    }
    fake_libraries_give_up(0);
  }
  check_no_complaints();
}

TEST_CASE("a call of a library does not wait", "[.][libraries]") {
  const auto f = jit([](Array x) { return linalg::solve(x, x + 1.f); }, {.device = "cuda:0"});
  const Array x = positive({40, 40}, F32), a = device_put(x, "cuda:0");
  (void)floats(f(a));
  const int64_t before = fake_cuda_queued(0);
  const Array r = f(f(a));
  CHECK(fake_cuda_queued(0) > before + 20);
  CHECK(distance(r, jit([](Array y) { return linalg::solve(y, y + 1.f); })(
                        linalg::solve(x, x + 1.f))) < 1e-3);
  check_no_complaints();
}

TEST_CASE("loops, maps and derivatives call libraries", "[.][libraries]") {
  const Array x = positive({3, 36, 36}, F64);
  const auto loss = [](Array y) { return linalg::slogdet(y).second + lax::cholesky(y).sum(); };
  const auto mapped = [&](Array y) { return std::vector<Array>{vmap(grad(loss))(y)}; };
  const auto there = jit(mapped, {.device = "cuda:0"});
  CHECK(distance(there(device_put(x, "cuda:0"))[0], jit(mapped)(x)[0]) < 1e-10);
  const auto steps = [](Array y) {
    return std::vector<Array>{
        fori_loop(0, 3, [](Array, Array z) { return lax::cholesky(z, false) + z; }, y)};
  };
  CHECK(distance(jit(steps, {.device = "cuda:0"})(device_put(x, "cuda:0"))[0], jit(steps)(x)[0]) <
        1e-10);
  check_no_complaints();
}

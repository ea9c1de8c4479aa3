// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/interop/stablehlo_linalg_test.cpp: the calls that JAX writes for factorisations, on CPUs by
// LAPACK and on TPUs by name. The tests check the results and the calls that are refused.
#include <catch2/catch.hpp>
#include <cmath>

#include "interop/run_stablehlo.h"
#include "interop/stablehlo/read/translate.h"
#include "support/check.h"
#include "weft/lax/linalg/eig.h"
#include "weft/lax/linalg/eigh.h"
#include "weft/lax/linalg/lu.h"
#include "weft/lax/linalg/qr.h"
#include "weft/lax/linalg/schur.h"
#include "weft/lax/linalg/svd.h"
#include "weft/lax/linalg/tridiagonal_solve.h"
#include "weft/stablehlo.h"
#include "weft/weft.h"

using namespace weft;
using namespace weft::test;

namespace {

const std::string matrix_type = "tensor<3x3xf32>", vector_type = "tensor<3xf32>",
                  whole = "tensor<3xi32>";

std::string call(const std::string& target, const std::string& attributes,
                 const std::vector<std::string>& in, const std::vector<std::string>& out) {
  const auto list = [](const std::vector<std::string>& words, const std::string& front) {
    std::string text;
    for (size_t k = 0; k < words.size(); ++k)
      text += (k ? ", " : "") + front + (front.empty() ? words[k] : std::to_string(k));
    return text;
  };
  std::string arguments, results;
  for (size_t k = 0; k < in.size(); ++k)
    arguments += (k ? ", %x" : "%x") + std::to_string(k) + ": " + in[k];
  for (size_t k = 0; k < out.size(); ++k)
    results += (k ? ", %r" : "%r") + (out.size() > 1 ? "#" + std::to_string(k) : std::string());
  return "func.func @main(" + arguments + ") -> (" + list(out, "") + ") {\n%r" +
         (out.size() > 1 ? ":" + std::to_string(out.size()) : std::string()) +
         " = stablehlo.custom_call @" + target + "(" + list(in, "%x") + ") {" + attributes +
         "} : (" + list(in, "") + ") -> (" + list(out, "") + ")\nreturn " + results + " : " +
         list(out, "") + "\n}\n";
}
std::string letters(const std::string& entries) {
  return "mhlo.backend_config = {" + entries + "}";
}

const Array a = array({{2.f, -1.f, 0.5f}, {-4.f, 3.f, 1.f}, {1.f, 0.25f, 5.f}}),
            singular = array({{1.f, 2.f, 3.f}, {2.f, 4.f, 6.f}, {0.f, 1.f, 1.f}});

}  // namespace

TEST_CASE("calls of getrf give factors, rows from 1 on and the first zero",
          "[interop][stablehlo]") {
  const std::string text =
      call("lapack_sgetrf_ffi", letters(""), {matrix_type}, {matrix_type, whole, "tensor<i32>"});
  const Arrays r = run(text, {a});
  const lax::LU f = lax::lu(a);
  CHECK(allclose(r[0], std::get<0>(f)).item<bool>());
  CHECK(r[1].to_vector<int>() == (std::get<1>(f) + 1).to_vector<int>());
  CHECK(r[2].item<int>() == 0);
  CHECK(run(text, {singular})[2].item<int>() == 3);
  const Arrays tpu =
      run(call("LuDecomposition", "", {matrix_type}, {matrix_type, whole, whole}), {a});
  CHECK(tpu[1].to_vector<int>() == std::get<1>(f).to_vector<int>());
  CHECK(tpu[2].to_vector<int>() == std::get<2>(f).to_vector<int>());
}

TEST_CASE("calls for reflections give them and their product", "[interop][stablehlo]") {
  const lax::Geqrf f = lax::geqrf(a);
  for (const auto& [pack, product] :
       {std::pair("lapack_sgeqrf_ffi", "lapack_sorgqr_ffi"),
        std::pair("Qr", "ProductOfElementaryHouseholderReflectors")}) {
    const Arrays r = run(call(pack, letters(""), {matrix_type}, {matrix_type, vector_type}), {a});
    CHECK(allclose(r[0], f.first).item<bool>());
    CHECK(allclose(r[1], f.second).item<bool>());
    const Array q =
        run(call(product, letters(""), {matrix_type, vector_type}, {matrix_type}), r)[0];
    CHECK(allclose(matmul(q, triu(r[0])), a, 1e-5, 1e-5).item<bool>());
  }
  const std::string zeros =
      "func.func @main(%x0: " + matrix_type + ") -> (" + matrix_type + ", " + whole + ", " +
      vector_type + ") {\n%z = stablehlo.constant dense<K> : " + whole +
      "\n%r:3 = stablehlo.custom_call @lapack_sgeqp3_ffi(%x0, %z) {" + letters("") + "} : (" +
      matrix_type + ", " + whole + ") -> (" + matrix_type + ", " + whole + ", " + vector_type +
      ")\nreturn %r#0, %r#1, %r#2 : " + matrix_type + ", " + whole + ", " + vector_type + "\n}\n";
  const auto with = [&](const std::string& number) {
    std::string text = zeros;
    return text.replace(text.find('K'), 1, number);
  };
  const Arrays r = run(with("0"), {a});
  CHECK(r[1].to_vector<int>() == (std::get<1>(lax::geqp3(a)) + 1).to_vector<int>());
  // All columns are fixed in front, so that none changes its place.
  CHECK(run(with("1"), {a})[1].to_vector<int>() == std::vector<int>{1, 2, 3});
  CHECK(run(with("[0, 7, 0]"), {a})[1].to_vector<int>()[0] == 2);
}

// The fixed columns swap places with the first ones in turn. Pivoting chooses the order of the
// others.
TEST_CASE("columns that geqp3 holds in front", "[interop][stablehlo]") {
  const Array wide = array({{1.f, 5.f, 2.f, 4.f}, {0.f, 3.f, 9.f, 1.f}, {2.f, 0.f, 1.f, 1.f}});
  const std::string text =
      call("lapack_sgeqp3_ffi", letters(""), {"tensor<3x4xf32>", "tensor<4xi32>"},
           {"tensor<3x4xf32>", "tensor<4xi32>", "tensor<3xf32>"});
  const auto order = [&](std::vector<int> first) {
    return run(text, {wide, array(first)})[1].to_vector<int>();
  };
  using Ints = std::vector<int>;
  CHECK(order({0, 0, 0, 0}) == Ints{3, 2, 1, 4});
  CHECK(order({0, 0, 0, 1}) == Ints{4, 3, 1, 2});
  CHECK(order({5, 0, 0, -3}) == Ints{1, 4, 3, 2});
  CHECK(order({1, 1, 1, 1}) == Ints{1, 2, 3, 4});
  // The full Q is orthogonal, and Q R is the matrix with its columns in that order.
  const auto factors = [&](const Array& first) {
    const auto [packed, permutation, taus] = lax::geqp3(wide, first);
    const Array q = lax::householder_product(lax::slice_in_dim(packed, 0, 3, 1, 1), taus);
    return matmul(q, triu(packed)) - take(wide, permutation, 1);
  };
  const Array some = array({{0, 0, 0, 0}, {0, 1, 0, 1}, {1, 0, 0, 0}});
  CHECK(abs(vmap(factors)(some)).max().item<float>() < 1e-5);
  CHECK(abs(jit(vmap(factors))(some)).max().item<float>() < 1e-5);
}

TEST_CASE("calls of potrf leave the other triangle as it was", "[interop][stablehlo]") {
  const Array x = array({{4.f, 7.f, 8.f}, {2.f, 5.f, 9.f}, {2.f, 3.f, 6.f}});
  const auto of = [&](const std::string& uplo, const Array& v) {
    return run(call("lapack_spotrf_ffi", letters("uplo = " + uplo + " : ui8"), {matrix_type},
                    {matrix_type, "tensor<i32>"}),
               {v});
  };
  const Array factor = array({{2.f, 0.f, 0.f}, {1.f, 2.f, 0.f}, {1.f, 1.f, 2.f}});
  const Arrays low = of("76", x), up = of("85", x.T());
  CHECK(allclose(low[0], where(tril(ones({3, 3})) > 0, factor, x)).item<bool>());
  CHECK(allclose(up[0], where(triu(ones({3, 3})) > 0, factor.T(), x.T())).item<bool>());
  CHECK(low[1].item<int>() == 0);
  CHECK(of("76", -x)[1].item<int>() == 1);
}

// Arrays without elements have no addresses.
TEST_CASE("batches without matrices", "[interop][stablehlo]") {
  const auto of = [](const std::string& n, const std::string& target,
                     const std::vector<std::string>& in, const std::vector<std::string>& out,
                     const std::string& attributes) {
    const auto typed = [&](std::vector<std::string> types) {
      for (std::string& t : types) {
        for (size_t at = 0; (at = t.find('n', at)) != std::string::npos;) t.replace(at, 1, n);
        t = "tensor<0x" + t + ">";
      }
      return types;
    };
    const std::string text = call(target, letters(attributes), typed(in), typed(out));
    CAPTURE(text);
    const ClosedJaxpr p = parse_stablehlo(text);
    Arrays x;
    for (const Type& t : p.jaxpr->in_types()) x.push_back(zeros(t.shape(), t.dtype()));
    for (const bool compiled : {true, false}) {
      const Arrays r = compiled ? run(text, x) : eval_jaxpr(p, x);
      CHECK(r.size() == out.size());
      for (size_t k = 0; k < r.size(); ++k) CHECK(r[k].type().strong() == p.jaxpr->out_types()[k]);
    }
  };
  const std::string m = "nxnxf32", v = "nxf32", i = "nxi32", s = "i32";
  for (const std::string n : {"3", "16", "40"}) {
    of(n, "lapack_sorgqr_ffi", {m, v}, {m}, "");
    of(n, "lapack_sgeqrf_ffi", {m}, {m, v}, "");
    of(n, "lapack_sgeqp3_ffi", {m, i}, {m, i, v}, "");
    of(n, "lapack_sormqr_ffi", {m, v, m}, {m}, "left = true, transpose = true");
    of(n, "lapack_sgetrf_ffi", {m}, {m, i, s}, "");
    of(n, "lapack_spotrf_ffi", {m}, {m, s}, "uplo = 76 : ui8");
    of(n, "lapack_ssyevd_ffi", {m}, {m, v, s}, "mode = 86 : ui8, uplo = 76 : ui8");
    of(n, "lapack_sgesdd_ffi", {m}, {m, v, m, m, s}, "mode = 65 : ui8");
    of(n, "lapack_sgesdd_ffi", {m}, {m, v, m, m, s}, "mode = 78 : ui8");
    of(n, "lapack_sgeev_ffi", {m}, {v, v, "nxnxcomplex<f32>", "nxnxcomplex<f32>", s},
       "compute_left = 86 : ui8, compute_right = 86 : ui8");
    of(n, "lapack_sgees_ffi", {m}, {m, m, v, v, s, s}, "mode = 86 : ui8, sort = 78 : ui8");
    of(n, "lapack_strsm_ffi", {m, m}, {m},
       "diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8");
  }
}

TEST_CASE("calls for eigenvectors read the triangle that they name", "[interop][stablehlo]") {
  for (bool lower : {true, false}) {
    const lax::Eigh want = lax::eigh(a, {.lower = lower, .symmetrize_input = false});
    const std::string uplo = lower ? "76" : "85", first = lower ? "1" : "0";
    const Arrays cpu =
        run(call("lapack_ssyevd_ffi", letters("mode = 86 : ui8, uplo = " + uplo + " : ui8"),
                 {matrix_type}, {matrix_type, vector_type, "tensor<i32>"}),
            {a});
    const Arrays tpu = run(call("Eigh", "backend_config = \"" + first + ",1,100,1e-6\"",
                                {matrix_type}, {matrix_type, vector_type}),
                           {a});
    CHECK(cpu[2].item<int>() == 0);
    for (const Arrays& r : {cpu, tpu}) {
      CHECK(allclose(r[0], want.first, 1e-5, 1e-5).item<bool>());
      CHECK(allclose(r[1], want.second, 1e-5, 1e-5).item<bool>());
    }
  }
  const std::string values_alone =
      call("lapack_ssyevd_ffi", letters("mode = 78 : ui8, uplo = 76 : ui8"), {matrix_type},
           {matrix_type, vector_type, "tensor<i32>"});
  CHECK(error_of<FormatError>([&] {
          parse_stablehlo(values_alone);
        }).find("is read with one of the letters V as mode, not with the number 78") !=
        std::string::npos);
}

TEST_CASE("calls of gesdd and gesvd give all vectors, as many as there are values, or none",
          "[interop][stablehlo]") {
  const std::string tall = "tensor<3x2xf32>", two = "tensor<2xf32>", right = "tensor<2x2xf32>";
  const Array x = lax::slice_in_dim(a, 0, 2, 1, 1);
  const auto text = [&](char mode, const std::string& left, const char* how = "sgesdd") {
    return call("lapack_" + std::string(how) + "_ffi",
                letters("mode = " + std::to_string(mode) + " : ui8"), {tall},
                {tall, two, left, right, "tensor<i32>"});
  };
  for (const auto& [mode, how] : {std::pair('A', "sgesdd"), {'S', "sgesdd"}, {'A', "sgesvd"}}) {
    const Arrays r = run(text(mode, mode == 'A' ? matrix_type : tall, how), {x});
    const lax::SVD want = lax::svd(x, {.full_matrices = mode == 'A'});
    CHECK(allclose(r[1], std::get<1>(want), 1e-5, 1e-5).item<bool>());
    CHECK(allclose(r[2], std::get<0>(want), 1e-5, 1e-5).item<bool>());
    CHECK(allclose(r[3], std::get<2>(want), 1e-5, 1e-5).item<bool>());
    CHECK(r[4].item<int>() == 0);
  }
  const Arrays values = run(text('N', matrix_type), {x});
  CHECK(allclose(values[1], lax::svdvals(x), 1e-5, 1e-5).item<bool>());
  const Arrays broken = run(text('N', matrix_type), {x + NAN});
  CHECK(broken[4].item<int>() == 1);
  CHECK(isnan(broken[1]).all().item<bool>());
  CHECK(error_of<FormatError>([&] {
          parse_stablehlo(text('O', tall));
        }).find("one of the letters ASN as mode") != std::string::npos);
}

TEST_CASE("calls of gtsv solve tridiagonal systems", "[interop][stablehlo]") {
  const std::string b = "tensor<3x2xf32>";
  const std::string text =
      call("lapack_sgtsv_ffi", letters(""), {vector_type, vector_type, vector_type, b},
           {vector_type, vector_type, vector_type, b, "tensor<i32>"});
  const Array dl = array({9.f, 2.f, 1.f}), d = array({1.f, 1.f, 4.f}), du = array({3.f, 1.f, 9.f}),
              right = lax::slice_in_dim(a, 0, 2, 1, 1);
  const Arrays r = run(text, {dl, d, du, right});
  CHECK(allclose(r[3], lax::tridiagonal_solve(dl, d, du, right)).item<bool>());
  CHECK(r[4].item<int>() == 0);
  const Arrays singular_system = run(text, {dl * 0.f, d * 0.f, du, right});
  CHECK(singular_system[4].item<int>() == 1);
  CHECK(isnan(singular_system[3]).all().item<bool>());
}

TEST_CASE("calls of geev give values in one part or two, and the vectors asked for",
          "[interop][stablehlo]") {
  const std::string vectors = "tensor<3x3xcomplex<f32>>", values = "tensor<3xcomplex<f32>>",
                    state = "tensor<i32>";
  const auto sides = [](int left, int right) {
    return letters("compute_left = " + std::to_string(left) +
                   " : ui8, compute_right = " + std::to_string(right) + " : ui8");
  };
  const lax::Eig want = lax::eig(a);
  const auto near = [](const Array& x, const Array& y) {
    return max(abs(x - y)).item<float>() < 1e-5f;
  };
  const Arrays r = run(call("lapack_sgeev_ffi", sides('V', 'V'), {matrix_type},
                            {vector_type, vector_type, vectors, vectors, state}),
                       {a});
  CHECK(near(lax::complex(r[0], r[1]), std::get<0>(want)));
  CHECK(near(r[2], std::get<1>(want)));
  CHECK(near(r[3], std::get<2>(want)));
  CHECK(r[4].item<int>() == 0);
  const Array z = lax::complex(a, 0.f * a);
  const Arrays whole = run(
      call("lapack_cgeev_ffi", sides('N', 'N'), {vectors}, {values, vectors, vectors, state}), {z});
  CHECK(near(whole[0], std::get<0>(lax::eig(z))));
  CHECK(error_of<FormatError>([&] {
          parse_stablehlo(call("lapack_sgeev_ffi", sides('N', 'N'), {matrix_type},
                               {values, vectors, vectors, state}));
        }).find("values, vectors and a state") != std::string::npos);
}

TEST_CASE("calls of gees give a form, vectors and the eigenvalues of its blocks",
          "[interop][stablehlo]") {
  const std::string state = "tensor<i32>";
  const auto how = [](int mode, int sort) {
    return letters("mode = " + std::to_string(mode) + " : ui8, sort = " + std::to_string(sort) +
                   " : ui8");
  };
  const std::vector<std::string> real = {matrix_type, matrix_type, vector_type,
                                         vector_type, state,       state};
  // A rotation has a pair of complex eigenvalues, of which the one with the positive imaginary part
  // is first.
  const Array turn = array({{0.f, 2.f, 1.f}, {-2.f, 0.f, 1.f}, {0.f, 0.f, 3.f}});
  for (const Array& x : {a, turn}) {
    const Arrays r = run(call("lapack_sgees_ffi", how('V', 'N'), {matrix_type}, real), {x});
    const lax::Schur want = lax::schur(x);
    CHECK(array_equal(r[0], want.first).item<bool>());
    CHECK(array_equal(r[1], want.second).item<bool>());
    const Array values = lax::complex(r[2], r[3]);
    CHECK(max(abs(values - std::get<0>(lax::eig(x)))).item<float>() < 1e-5f);
    CHECK(r[4].item<int>() == 0);
    CHECK(r[5].item<int>() == 0);
  }
  const Arrays alone = run(call("lapack_sgees_ffi", how('N', 'N'), {matrix_type}, real), {a});
  CHECK(array_equal(alone[0], lax::schur(a).first).item<bool>());
  const Arrays broken =
      run(call("lapack_sgees_ffi", how('V', 'N'), {matrix_type}, real), {a + NAN});
  CHECK(broken[5].item<int>() == 1);
  const std::string complexes = "tensor<2x3x3xcomplex<f32>>", two = "tensor<2xi32>";
  const Array z = stack({lax::complex(a, a.T()), lax::complex(turn, a)});
  const Arrays r = run(call("lapack_cgees_ffi", how('V', 'N'), {complexes},
                            {complexes, complexes, "tensor<2x3xcomplex<f32>>", two, two}),
                       {z});
  CHECK(array_equal(r[0], lax::schur(z).first).item<bool>());
  CHECK(array_equal(r[2], diagonal(r[0], 0, -2, -1)).item<bool>());
  CHECK(error_of<FormatError>([&] {
          parse_stablehlo(call("lapack_sgees_ffi", how('V', 'S'), {matrix_type}, real));
        }).find("one of the letters N as sort, not with the number 83") != std::string::npos);
}

TEST_CASE("calls of gehrd and of sytrd give forms with their reflections", "[interop][stablehlo]") {
  const std::string two = "tensor<2xf32>", state = "tensor<i32>";
  const auto rows = [](int low, int high) {
    return letters("high = " + std::to_string(high) + " : i32, low = " + std::to_string(low) +
                   " : i32");
  };
  const auto gehrd = [&](int low, int high) {
    return call("lapack_sgehrd_ffi", rows(low, high), {matrix_type}, {matrix_type, two, state});
  };
  const Arrays h = run(gehrd(1, 3), {a});
  CHECK(array_equal(h[0], lax::hessenberg(a).first).item<bool>());
  CHECK(array_equal(h[1], lax::hessenberg(a).second).item<bool>());
  CHECK(h[2].item<int>() == 0);
  // The op's own attribute has the same meaning.
  std::string own = gehrd(1, 3);
  own.replace(own.find("mhlo.backend_config"), 19, "api_version = 4 : i32, backend_config");
  CHECK(array_equal(run(own, {a})[0], h[0]).item<bool>());
  CHECK(error_of<FormatError>([&] {
          parse_stablehlo(gehrd(2, 3));
        }).find("is read with all rows") != std::string::npos);
  for (bool lower : {true, false}) {
    const Arrays r = run(call("lapack_ssytrd_ffi",
                              letters(std::string("uplo = ") + (lower ? "76" : "85") + " : ui8"),
                              {matrix_type}, {matrix_type, vector_type, two, two, state}),
                         {a});
    const lax::Tridiagonal want = lax::tridiagonal(a, {.lower = lower});
    CHECK(array_equal(r[0], std::get<0>(want)).item<bool>());
    CHECK(array_equal(r[1], std::get<1>(want)).item<bool>());
    CHECK(array_equal(r[2], std::get<2>(want)).item<bool>());
    CHECK(array_equal(r[3], std::get<3>(want)).item<bool>());
    CHECK(r[4].item<int>() == 0);
  }
}

TEST_CASE("calls of ormqr multiply by the product of reflections", "[interop][stablehlo]") {
  const lax::Geqrf f = lax::geqrf(a);
  const Array c = array({{1.f, 2.f, 0.f}, {0.f, -1.f, 4.f}, {3.f, 0.5f, 1.f}});
  for (bool left : {true, false})
    for (bool transpose : {true, false}) {
      const std::string options = std::string("left = ") + (left ? "true" : "false") +
                                  ", transpose = " + (transpose ? "true" : "false");
      const Array got = run(call("lapack_sormqr_ffi", letters(options),
                                 {matrix_type, vector_type, matrix_type}, {matrix_type}),
                            {f.first, f.second, c})[0];
      const Array q = lax::householder_product(f.first, f.second), factor = transpose ? q.T() : q;
      CHECK(allclose(got, left ? matmul(factor, c) : matmul(c, factor), 1e-5, 1e-5).item<bool>());
    }
  CHECK(error_of<FormatError>([&] {
          parse_stablehlo(call("lapack_sormqr_ffi", letters("left = true"),
                               {matrix_type, vector_type, matrix_type}, {matrix_type}));
        }).find("backend_config holds no number transpose") != std::string::npos);
}

TEST_CASE("perturbed tridiagonal systems have a solution", "[interop][stablehlo]") {
  const std::string b = "tensor<3x2xf32>";
  const Array zero = zeros({3}), right = ones({3, 2});
  const Array r = run(call("tridiagonal_solve_perturbed_ffi", letters(""),
                           {vector_type, vector_type, vector_type, b}, {b}),
                      {zero, array({2.f, 0.f, 4.f}), zero, right})[0];
  const Array want =
      lax::tridiagonal_solve(zero, array({2.f, 0.f, 4.f}), zero, right, {.perturb_singular = true});
  CHECK(isfinite(r).all().item<bool>());
  CHECK(array_equal(r, want).item<bool>());
}

// These are the names under which jaxlib 0.10.2 registers calls for CPUs
// (jaxlib.lapack.registrations(), jaxlib.cpu_sparse.registrations()).
TEST_CASE("calls that JAX has for CPUs are read, or refused by name", "[interop][stablehlo]") {
  std::vector<std::string> names = {"tridiagonal_solve_perturbed_ffi"};
  for (const char* routine : {"gees", "geev", "gehrd", "geqp3", "geqrf", "gesdd", "gesvd", "getrf",
                              "gtsv", "potrf", "trsm"})
    for (char type : std::string("sdcz"))
      names.push_back(std::string("lapack_") + type + routine + "_ffi");
  for (const char* routine : {"orgqr", "ormqr", "syevd", "sytrd"})
    for (char type : std::string("sd"))
      names.push_back(std::string("lapack_") + type + routine + "_ffi");
  for (const char* routine : {"ungqr", "unmqr", "heevd", "hetrd"})
    for (char type : std::string("cz"))
      names.push_back(std::string("lapack_") + type + routine + "_ffi");
  CHECK(names.size() == 61);
  for (const std::string& name : names) {
    INFO(name);
    CHECK(hlo::lapack_rule(name) != nullptr);
  }
  for (const char* name : {"lapack_gees_ffi", "lapack_xgees_ffi", "lapack_sEigh_ffi_", "gees",
                           "lapack__ffi", "lapack_ffi", "lapack_sgeesx_ffi"})
    CHECK(hlo::lapack_rule(name) == nullptr);
  CHECK(error_of<FormatError>([&] {
          parse_stablehlo(
              call("cpu_csr_sparse_dense_ffi", letters(""), {matrix_type}, {matrix_type}));
        }).find("missing op 'stablehlo.custom_call @cpu_csr_sparse_dense_ffi'") !=
        std::string::npos);
}

TEST_CASE("the flag of cholesky is a number or not there", "[interop][stablehlo]") {
  const auto text = [](const std::string& flag) {
    return "func.func @main(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {\n%r = "
           "\"stablehlo.cholesky\"(%x) {" +
           flag + "} : (tensor<3x3xf32>) -> tensor<3x3xf32>\nreturn %r : tensor<3x3xf32>\n}\n";
  };
  const Array positive = matmul(a, a.T());
  const Array lower = run(text("lower = true"), {positive})[0],
              upper = run(text(""), {positive})[0];
  CHECK(bool(allclose(matmul(lower, lower.T()), positive)));
  CHECK(floats(lower)[1] == 0);
  CHECK(bool(allclose(matmul(upper.T(), upper), positive)));
  CHECK(floats(upper)[3] == 0);
  check_error<FormatError>([&] { run(text("lower = \"yes\""), {positive}); },
                           "lower must be an integer");
}

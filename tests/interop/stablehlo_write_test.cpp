// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/interop/stablehlo_write_test.cpp: programs written as StableHLO text. A law tests that each
// op is parsed to the same op (tests/laws/stablehlo_law.cpp). A test in tests/ops does so for
// random programs.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <limits>

#include "interop/shared_data.h"
#include "interop/stablehlo/read/dense.h"
#include "support/check.h"
#include "tests/support/golden.h"
#include "tracer/concrete.h"
#include "tracer/eval_trace.h"
#include "tracer/record_trace.h"

using namespace weft;
using namespace weft::test;
using weft::testing::conformance_path;
using weft::testing::files_in;

namespace {

ClosedJaxpr reread(const ClosedJaxpr& c) { return parse_stablehlo(to_stablehlo(c)); }
Arrays by_reference(const ClosedJaxpr& c, const Arrays& x) {
  const ReferenceMode reference;
  return eval_jaxpr(c, x);
}
void same_results(const ClosedJaxpr& c, const Arrays& x) {
  const Arrays want = by_reference(c, x), got = by_reference(reread(c), x);
  REQUIRE(got.size() == want.size());
  for (size_t k = 0; k < want.size(); ++k) {
    INFO("result " << k << ": " << got[k] << " instead of " << want[k]);
    CHECK(got[k].type().strong() == want[k].type().strong());
    CHECK(array_equal(got[k], want[k], is_inexact(want[k].dtype())).item<bool>());
  }
}

}  // namespace

TEST_CASE("a program is a module with a main", "[interop][stablehlo][write]") {
  const auto f = [](Array x, Array y) { return sin(x) * 2.0f + y; };
  const Array x = array({1.0f, 2.0f}), y = array({3.0f, 4.0f});
  CHECK(to_stablehlo(make_jaxpr(f)(x, y)) == R"("builtin.module"() ({
  "func.func"() ({
  ^bb0(%0: tensor<2xf32>, %1: tensor<2xf32>):
    %2 = "stablehlo.sine"(%0) : (tensor<2xf32>) -> tensor<2xf32>
    %3 = "stablehlo.constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
    %4 = "stablehlo.broadcast_in_dim"(%3) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2xf32>
    %5 = "stablehlo.multiply"(%2, %4) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %6 = "stablehlo.add"(%5, %1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    "func.return"(%6) : (tensor<2xf32>) -> ()
  }) {function_type = (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>, sym_name = "main"} : () -> ()
}) : () -> ()
)");
  CHECK(jit(f).lower(x, y).stablehlo() == to_stablehlo(make_jaxpr(f)(x, y)));
}

TEST_CASE("constants of a program are in its text", "[interop][stablehlo][write]") {
  const Array few = array({1.5f, -0.0f, std::numeric_limits<float>::infinity()}),
              many = arange(200).astype(F32) / 7.0f;
  const auto f = [&](Array x) { return std::tuple(x + few, many * x[0]); };
  const Array x = array({1.0f, 2.0f, 3.0f});
  const std::string text = to_stablehlo(make_jaxpr(f)(x));
  CHECK(holds(text, "dense<[1.5, -0.0, 0x7F800000]> : tensor<3xf32>"));
  CHECK(holds(text, "dense<\"0x"));
  same_results(make_jaxpr(f)(x), {x});
}

TEST_CASE("one number in one function is one constant", "[interop][stablehlo][write]") {
  const auto f = [](Array x) { return (x + 3.0f) * (x - 3.0f) + cos(x * 3.0f); };
  CHECK(count(to_stablehlo(make_jaxpr(f)(array(1.0f))), "dense<3.0>") == 1);
}

TEST_CASE("numbers of a constant keep their bits", "[interop][stablehlo][write]") {
  for (int i = 0; i <= static_cast<int>(C128); ++i) {
    const auto d = static_cast<DType>(i);
    if (is_key(d)) continue;
    for (const int64_t n : {0, 1, 5, 64, 65}) {
      hlo::TypeTable types;
      hlo::Dense a;
      a.type = types.tensor({n}, types.other(hlo::element_name(d)));
      a.known = true;
      a.dtype = d;
      a.bytes.resize(static_cast<size_t>(n * itemsize(d)));
      uint64_t state = static_cast<uint64_t>(i);
      for (std::byte& b : a.bytes) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        // If all bits are set, every float is a NaN. A bool is sometimes true.
        b = is_bool(d)         ? std::byte(state >> 63)
            : state >> 62 == 0 ? std::byte{255}
                               : std::byte(state >> 56);
      }
      hlo::merge_equal(a);
      const std::string text = hlo::dense_text(a);
      const size_t from = text.find('<') + 1;
      const hlo::SourceText source{"text", text};
      const hlo::Dense b = hlo::decode_dense(
          source, std::string_view(text).substr(from, text.rfind("> :") - from), from, a.type);
      INFO(text);
      CHECK(a.bytes == b.bytes);
      CHECK(a.splat == b.splat);
    }
  }
}

TEST_CASE("calls are private functions, equal programs one", "[interop][stablehlo][write]") {
  const auto half = jit([](Array x) { return x * 0.5f; });
  const auto f = [&](Array x) { return half(x) + half(half(x)); };
  const std::string text = to_stablehlo(make_jaxpr(f)(array(1.0f)));
  CHECK(count(text, "\"func.call\"") == 3);
  CHECK(count(text, "sym_visibility = \"private\"") == 1);
  same_results(make_jaxpr(f)(array(8.0f)), {array(8.0f)});
}

TEST_CASE("random keys are words outside and one number inside", "[interop][stablehlo][write]") {
  const auto f = [](Array key) {
    const Array keys = random::split(key, 3);
    return std::tuple(random::uniform(keys[0], {4}), keys[1]);
  };
  const Array key = random::key(42);
  const std::string text = to_stablehlo(make_jaxpr(f)(key));
  CHECK(holds(text, "^bb0(%0: tensor<2xui32>)"));
  CHECK(holds(text, "-> (tensor<4xf32>, tensor<2xui32>)"));
  const auto want = f(key);
  const Arrays got = eval_jaxpr(parse_stablehlo(text), {random::key_data(key)});
  CHECK(array_equal(got[0], std::get<0>(want)).item<bool>());
  CHECK(array_equal(got[1], random::key_data(std::get<1>(want))).item<bool>());
}

TEST_CASE("scans and windows of no elements are written", "[interop][stablehlo][write]") {
  const auto f = [](Array x, Array rows) {
    return scan([](Array c, Array r) { return std::pair(c + r.sum(), c); }, x, rows);
  };
  same_results(make_jaxpr(f)(array(2.0f), zeros({0, 3})), {array(2.0f), zeros({0, 3})});
  // A window of one element does not fit into a map over no lanes.
  const auto window = [](Array x, Array i) { return lax::dynamic_slice(x, {i}, {1}); };
  same_results(make_jaxpr(vmap(window))(zeros({0, 2}), zeros({0}, I32)),
               {zeros({0, 2}), zeros({0}, I32)});
  same_results(make_jaxpr(f)(array(2.0f), ones({4, 3})), {array(2.0f), ones({4, 3})});
}

TEST_CASE("loops that count are read back as scans", "[interop][stablehlo][write]") {
  const auto f = [](Array x) {
    return fori_loop(0, 5, [](Array, Array c) { return sin(c) * 1.5f; }, x);
  };
  const ClosedJaxpr again = reread(make_jaxpr(f)(array(0.5f)));
  CHECK(holds(to_string(again), "scan["));
  CHECK(!holds(to_string(again), "while["));
}

TEST_CASE("top_k that is written ranks each NaN first", "[interop][stablehlo][write]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Array x = array({1., std::copysign(nan, -1.), 3., nan}, F32);
  const ClosedJaxpr c = make_jaxpr([](Array v) { return lax::top_k(v, 3).second; })(x);
  CHECK(by_reference(reread(c), {x})[0].to_vector<int>() == std::vector<int>{1, 3, 2});
}

TEST_CASE("lanes of loops and branches are independent", "[interop][stablehlo][write]") {
  const auto collatz = [](Array n) {
    return while_loop([](Array v) { return v[0] != 1; },
                      [](Array v) {
                        const Array n = v[0];
                        const Array next = cond(
                            n % 2 == 0, [](Array m) { return floor_divide(m, 2); },
                            [](Array m) { return 3 * m + 1; }, n);
                        return stack({next, v[1] + 1});
                      },
                      stack({n, zeros_like(n)}))[1];
  };
  const Array n = array({1, 7, 27, 6});
  const ClosedJaxpr c = make_jaxpr(vmap(collatz))(n);
  CHECK(by_reference(reread(c), {n})[0].to_vector<int64_t>() ==
        std::vector<int64_t>{0, 16, 111, 8});
}

TEST_CASE("reads and writes outside do what their mode says", "[interop][stablehlo][write]") {
  const Array x = arange(12).astype(F32).reshape({4, 3}), at = array({-9, 1, 3, 7});
  for (const char* mode : {"clip", "fill", "wrap"}) {
    INFO(mode);
    const auto f = [&](Array x, Array i) { return take(x, i, 0, {.mode = mode}); };
    same_results(make_jaxpr(f)(x, at), {x, at});
  }
  const auto g = [](Array x, Array i) { return x.at(i).add(1.0f); };
  same_results(make_jaxpr(g)(x, at), {x, at});
}

TEST_CASE("functions that only LAPACK has are written as JAX's calls",
          "[interop][stablehlo][write]") {
  const Array a = array({{2.f, -1.f, 0.5f}, {-4.f, 3.f, 1.f}, {1.f, 0.25f, 5.f}});
  // One of the matrices has an infinity. For tridiagonal it is in the triangle that is not read.
  const Array x = stack({a, a.at({0, 2}).set(std::numeric_limits<float>::infinity())});
  const auto schur = [](Array m) { return lax::schur(m).first; };
  const auto values = [](Array m) { return lax::schur(m, {.compute_schur_vectors = false}).first; };
  const auto hessenberg = [](Array m) { return lax::hessenberg(m).first; };
  const auto lower = [](Array m) { return std::get<0>(lax::tridiagonal(m)); };
  const auto upper = [](Array m) { return std::get<0>(lax::tridiagonal(m, {.lower = false})); };
  const auto eig = [](Array m) { return std::get<2>(lax::eig(m)); };
  const auto gives_nan = [&](auto f, const char* routine, const char* options) {
    const std::string text = to_stablehlo(make_jaxpr(f)(x));
    INFO(text);
    CHECK(holds(text, routine));
    CHECK(holds(text, options));
    CHECK(holds(text, "operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>]"));
    const Array want = f(x), got = by_reference(reread(make_jaxpr(f)(x)), {x})[0];
    CHECK(array_equal(isnan(got), isnan(want)).item<bool>());
    CHECK(max(abs(got[0] - want[0])).item<float>() < 1e-5f);
    return isnan(got[1]).all().item<bool>();
  };
  CHECK(gives_nan(schur, "lapack_sgees_ffi", "{mode = 86 : ui8, sort = 78 : ui8}"));
  CHECK(gives_nan(values, "lapack_sgees_ffi", "{mode = 78 : ui8, sort = 78 : ui8}"));
  CHECK(gives_nan(hessenberg, "lapack_sgehrd_ffi", "{high = 3 : i32, low = 1 : i32}"));
  CHECK(!gives_nan(lower, "lapack_ssytrd_ffi", "{uplo = 76 : ui8}"));
  CHECK(gives_nan(upper, "lapack_ssytrd_ffi", "{uplo = 85 : ui8}"));
  CHECK(gives_nan(eig, "lapack_sgeev_ffi", "{compute_left = 86 : ui8, compute_right = 86 : ui8}"));
}

TEST_CASE("functions that need a map are refused outside", "[interop][stablehlo][write]") {
  const ClosedJaxpr c =
      parse_jaxpr("{ lambda ; a:f32[]. let b:f32[] = psum[axes=('i',)] a in (b,) }");
  CHECK(error_of<CompileError>([&] {
          (void)to_stablehlo(c);
        }).starts_with("StableHLO text: 'psum' cannot be written: it means something only inside"));
}

TEST_CASE("programs of JAX, their maps and gradients are read back as the same",
          "[interop][stablehlo][write]") {
  const std::string folder = conformance_path("jax");
  if (folder.empty()) return;
  int programs = 0;
  for (const std::string& path : files_in(folder, ".mlir")) {
    ClosedJaxpr p;
    try {
      p = io::load_stablehlo(path);
    } catch (const FormatError&) {
      continue;  // other tests count these
    }
    ++programs;
    INFO(path);
    // Small numbers are valid arguments of all programs.
    Arrays x, lanes;
    for (const Type& t : p.in_types()) {
      const Array ramp = arange(t.elements()).reshape(t.shape()) % 3 + 1;
      x.push_back(is_inexact(t.dtype()) ? (ramp.astype(F32) / 4.0f).astype(t.dtype())
                                        : ramp.astype(t.dtype()));
      lanes.push_back(stack({x.back(), x.back()}));
    }
    const auto run = [&](const std::vector<Array>& a) { return eval_jaxpr(p, a); };
    same_results(p, x);
    same_results(make_jaxpr(vmap(run))(lanes), lanes);
  }
  CHECK(programs >= 118);
}

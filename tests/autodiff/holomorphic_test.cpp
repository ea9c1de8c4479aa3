// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/autodiff/holomorphic_test.cpp: derivatives of functions of complex numbers, compared with
// JAX's (tests/golden/generators/make_holomorphic.py has the same functions).
#include "support/check.h"
#include "support/golden_lines.h"

using namespace weft;
using namespace weft::test;

namespace {

Array complex_of(const std::vector<double>& re, const std::vector<double>& im) {
  const auto n = static_cast<int64_t>(re.size());
  return lax::complex(array(re, {n}), array(im, {n}));
}
Array z() { return complex_of({0.3, -1.2, 0.9}, {0.7, 0.4, -0.5}); }
Array w() { return complex_of({1, -0.5, 0}, {2, 0.25, -1}); }
Array x() { return array(std::vector<double>{0.3, -1.2, 0.9}, {3}); }

const auto scalar = [](Array v) { return (v * v * exp(v)).sum(); };
const auto vector = [](Array v) { return sin(v) * v[0]; };
const auto real_scalar = [](Array v) { return (abs(v) * real(exp(v))).sum(); };
const auto real_vector = [](Array v) { return abs(v) * imag(v[1]); };
const auto mixed = [](Array v) { return conj(v) * v * v + real(v); };
const auto turning = [](Array v) { return exp(lax::complex(zeros_like(v), v)) * v[0]; };
const auto two = [](Array a, Array b) { return (a * a * sin(b)).sum(); };
const auto product = [](Array a, Array b) { return a * exp(b); };

void check(const std::string& name, const Array& got) {
  static const auto lines = testing::golden_lines("holomorphic.txt");
  INFO(name);
  testing::check_line(got, lines.at(name), 1e-13);
}

}  // namespace

TEST_CASE("complex derivatives are those of JAX", "[holomorphic]") {
  check("grad", grad(scalar, {.holomorphic = true})(z()));
  check("grad", jit(grad(scalar, {.holomorphic = true}))(z()));
  const auto [value, slope] = value_and_grad(scalar, {.holomorphic = true})(z());
  check("value", value);
  check("value_grad", slope);
  const auto [first, second] = grad_and_value(scalar, {.holomorphic = true})(z());
  check("value_grad", first);
  check("value", second);
  for (int64_t chunk : {0, 2}) {
    check("jacfwd", jacfwd(vector, {.chunk_size = chunk, .holomorphic = true})(z()));
    check("jacrev", jacrev(vector, {.chunk_size = chunk, .holomorphic = true})(z()));
    check("jacfwd", jacobian(vector, {.chunk_size = chunk, .holomorphic = true})(z()));
  }
  check("hessian", hessian(scalar, {.holomorphic = true})(z()));
  check("hessian", jit(hessian(scalar, {.holomorphic = true}))(z()));
  const auto [by_z, by_w] = grad<0, 1>(two, {.holomorphic = true})(z(), w());
  check("grad_two_0", by_z);
  check("grad_two_1", by_w);
  const auto [jz, jw] = jacrev<0, 1>(product, {.holomorphic = true})(z(), w());
  check("jacrev_two_0", jz);
  check("jacrev_two_1", jw);
  const auto [fw, fz] = jacfwd<1, 0>(product, {.holomorphic = true})(z(), w());
  check("jacrev_two_0", fz);
  check("jacrev_two_1", fw);
}

TEST_CASE("functions that are not holomorphic follow JAX", "[holomorphic]") {
  check("grad_of_real", grad(real_scalar)(z()));
  check("jacrev_of_real", jacrev(real_vector)(z()));
  check("jacfwd_of_turning", jacfwd(turning)(x()));
  // Only one mode exists, and jacobian uses it, whatever its cost.
  check("jacrev_of_real", jacobian(real_vector)(z()));
  const auto fewer = [](Array v) { return turning(v)[slice(0, 1)]; };
  CHECK(array_equal(jacobian(fewer)(x()), jacfwd(fewer)(x())));
  check("jvp", jvp(mixed, std::tuple{z()}, std::tuple{w()}).second);
  check("vjp", std::get<0>(vjp(mixed, z()).second(w())));
}

TEST_CASE("complex operands for real parameters, and real for complex ones",
          "[holomorphic][errors]") {
  const GradOptions holomorphic{.holomorphic = true};
  check_error<DifferentiationError>(
      [&] { grad(scalar, holomorphic)(x()); },
      "grad with holomorphic=True requires inputs with complex dtype, but got f64[3] for args[0]");
  check_error<DifferentiationError>(
      [&] { grad(real_scalar, holomorphic)(z()); },
      "grad with holomorphic=True requires outputs with complex dtype, but got float64");
  check_error<DifferentiationError>(
      [&] { value_and_grad(real_scalar, holomorphic)(z()); },
      "value_and_grad with holomorphic=True requires outputs with complex dtype");
  check_error<DifferentiationError>(
      [&] { grad(scalar)(z()); },
      "grad requires real-valued outputs (output dtype that is a "
      "sub-dtype of np.floating), but got complex128. For holomorphic "
      "differentiation, pass holomorphic=True");
  const JacobianOptions whole{.holomorphic = true};
  check_error<DifferentiationError>(
      [&] { jacfwd(vector, whole)(x()); },
      "jacfwd with holomorphic=True requires inputs with complex dtype, but got f64[3]");
  check_error<DifferentiationError>(
      [&] { jacfwd(real_vector, whole)(z()); },
      "jacfwd with holomorphic=True requires outputs with complex dtype, but got float64");
  check_error<DifferentiationError>(
      [&] { jacfwd(vector)(z()); },
      "jacfwd requires real-valued inputs (input dtype that is a sub-dtype of np.floating), but "
      "got "
      "c128[3] for args[0]. For holomorphic differentiation, pass holomorphic=True");
  check_error<DifferentiationError>(
      [&] { jacrev(vector, whole)(x()); },
      "jacrev with holomorphic=True requires inputs with complex dtype, but got f64[3]");
  check_error<DifferentiationError>(
      [&] { jacrev(real_vector, whole)(z()); },
      "jacrev with holomorphic=True requires outputs with complex dtype, but got float64");
  check_error<DifferentiationError>([&] { jacrev(vector)(z()); },
                                    "jacrev requires real-valued outputs (output dtype that is a "
                                    "sub-dtype of np.floating), but got complex128");
  check_error<DifferentiationError>([&] { jacobian(vector)(z()); },
                                    "jacobian requires real-valued outputs");
  check_error<DifferentiationError>([&] { hessian(scalar)(z()); }, "requires real-valued");
}

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/interop/eigen_test.cpp: conversions between Eigen's matrices and Arrays, in place if their
// layouts allow it.
#include <weft/eigen.h>

#include <complex>

#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {
template <class T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
Eigen::MatrixXf columns() {
  Eigen::MatrixXf m(2, 3);
  m << 1, 2, 3, 4, 5, 6;
  return m;
}
const void* address(const Array& x) { return x.data<float>().data(); }
const Floats counted{1, 2, 3, 4, 5, 6};
}  // namespace

TEST_CASE("matrices become arrays in place where they are row-major", "[interop][eigen]") {
  Rows<float> rows = columns();
  const Array x = from_eigen(rows);
  CHECK(x.shape() == Shape{2, 3});
  CHECK(x.dtype() == F32);
  CHECK(address(x) == rows.data());
  CHECK(floats(x) == counted);
  // The array keeps the matrix alive.
  const float* const at = rows.data();
  Array kept = from_eigen(Rows<float>(rows));
  CHECK(address(kept) != at);
  CHECK(floats(kept) == counted);
  Rows<float> given = rows;
  const float* const there = given.data();
  kept = from_eigen(std::move(given));
  CHECK(address(kept) == there);
  CHECK(floats(kept * 1) == counted);
  // Vectors may be rows or columns.
  Eigen::VectorXf v = Eigen::VectorXf::LinSpaced(5, 0, 4);
  Eigen::RowVectorXf r = v.transpose();
  CHECK(address(from_eigen(v)) == v.data());
  CHECK(address(from_eigen(r)) == r.data());
  CHECK(from_eigen(r).shape() == Shape{5});
  // These are maps of foreign memory.
  std::vector<float> data = counted;
  const Array mapped = from_eigen(Eigen::Map<Rows<float>>(data.data(), 2, 3));
  CHECK(address(mapped) == data.data());
  const Eigen::Map<const Rows<float>> constant(data.data(), 3, 2);
  CHECK(address(from_eigen(constant)) == data.data());
  // Weft never writes to them.
  const Array y = jit([](Array a) { return a + 1; }, {.donate_argnums = {0}})(mapped);
  CHECK(data == counted);
  CHECK(floats(y)[0] == 2);
}

TEST_CASE("other matrices become arrays by a copy", "[interop][eigen]") {
  const Eigen::MatrixXf m = columns();
  for (const Array& x : {from_eigen(m), from_eigen(columns()), from_eigen(m * 1.f),
                         from_eigen(m.array() * 1.f), array(m), array(m * 1)}) {
    CHECK(x.shape() == Shape{2, 3});
    CHECK(floats(x) == counted);
    CHECK(address(x) != m.data());
  }
  Rows<float> rows = m;
  CHECK(address(array(rows)) != rows.data());
  CHECK(floats(from_eigen(m.transpose())) == Floats{1, 4, 2, 5, 3, 6});
  CHECK(floats(from_eigen(rows.block(0, 1, 2, 2))) == Floats{2, 3, 5, 6});
  CHECK(floats(from_eigen(m.row(1))) == Floats{4, 5, 6});
  CHECK(from_eigen(m.row(1)).shape() == Shape{3});
  CHECK(floats(from_eigen(Eigen::Matrix2f::Identity())) == Floats{1, 0, 0, 1});
  // These are maps with gaps, maps of columns, and matrices of fixed size, which are on the stack.
  std::vector<float> data = counted;
  using Gaps = Eigen::Map<Rows<float>, 0, Eigen::OuterStride<>>;
  CHECK(floats(from_eigen(Gaps(data.data(), 2, 2, Eigen::OuterStride<>(3)))) == Floats{1, 2, 4, 5});
  CHECK(floats(from_eigen(Eigen::Map<Eigen::MatrixXf>(data.data(), 2, 3))) ==
        Floats{1, 3, 5, 2, 4, 6});
  using Every = Eigen::Map<Eigen::VectorXf, 0, Eigen::InnerStride<>>;
  CHECK(floats(from_eigen(Every(data.data(), 3, Eigen::InnerStride<>(2)))) == Floats{1, 3, 5});
  Eigen::Vector3f fixed(1, 2, 3);
  CHECK(address(from_eigen(fixed)) != fixed.data());
  CHECK(floats(from_eigen(fixed)) == Floats{1, 2, 3});
  CHECK(from_eigen(Eigen::MatrixXf(0, 3)).shape() == Shape{0, 3});
}

TEST_CASE("elements of Eigen have dtypes", "[interop][eigen]") {
  CHECK(from_eigen(Eigen::MatrixXd::Zero(2, 2)).dtype() == F64);
  CHECK(from_eigen(Eigen::MatrixXi::Zero(2, 2)).dtype() == I32);
  CHECK(from_eigen(Eigen::MatrixXcf::Zero(2, 2)).dtype() == C64);
  CHECK(from_eigen(Eigen::MatrixXcd::Zero(2, 2)).dtype() == C128);
  CHECK(from_eigen(Eigen::Matrix<Eigen::half, 2, 2>::Zero()).dtype() == F16);
  CHECK(from_eigen(Eigen::Matrix<Eigen::bfloat16, 2, 2>::Zero()).dtype() == BF16);
  const Array truth = from_eigen(columns().array() > 3.f);
  CHECK(truth.dtype() == Bool);
  CHECK(truth.astype(I32).to_vector<int>() == std::vector<int>{0, 0, 0, 1, 1, 1});
  CHECK(array(columns(), F64).dtype() == F64);
  const Array z = from_eigen(Eigen::VectorXcf::Constant(2, {1, 2}));
  CHECK(as_eigen<std::complex<float>>(z)(1, 0) == std::complex<float>(1, 2));
}

TEST_CASE("arrays are viewed as matrices in place", "[interop][eigen]") {
  const Array x = array({{1., 2., 3.}, {4., 5., 6.}});
  const auto rows = as_eigen<float>(x);
  CHECK(rows.data() == x.data<float>().data());
  CHECK((rows.rows() == 2 && rows.cols() == 3));
  const Eigen::MatrixXf copy = rows;
  CHECK(copy == columns());
  const auto by_columns = as_eigen<Eigen::MatrixXf>(x);
  CHECK(by_columns.data() == x.data<float>().data());
  CHECK(by_columns == columns());
  const Eigen::MatrixXf product = rows * by_columns.transpose();
  CHECK(product(0, 1) == 32);
  const auto fixed = as_eigen<Eigen::Matrix<float, 2, 3>>(x);
  CHECK(fixed(1, 0) == 4);
  const Array v = array({1., 2., 3.});
  CHECK(as_eigen<Eigen::VectorXf>(v).sum() == 6);
  CHECK(as_eigen<Eigen::RowVectorXf>(v).cols() == 3);
  CHECK(as_eigen<Eigen::Vector3f>(v)(2) == 3);
  CHECK((as_eigen<float>(v).rows() == 3 && as_eigen<float>(v).cols() == 1));
  CHECK(as_eigen<float>(Array(2.5))(0, 0) == 2.5f);
  CHECK(as_eigen<float>(zeros({0, 3})).size() == 0);
  // A conversion and its inverse use the same memory.
  CHECK(address(from_eigen(as_eigen<float>(x))) == x.data<float>().data());
  CHECK(floats(from_eigen(by_columns)) == counted);
}

TEST_CASE("a view keeps the memory of its array", "[interop][eigen]") {
  const auto of_temporary = as_eigen<float>(arange(1000.) + 1);
  CHECK(of_temporary.sum() == 500500);
  Array x = arange(1000.) * 1;
  const auto view = as_eigen<float>(x);
  const Array y = jit([](Array a) { return a + 1; }, {.donate_argnums = {0}})(x);
  CHECK(y.data<float>().data() != view.data());
  CHECK(view(1, 0) == 1);
  Array z = arange(1000.) * 1;
  const auto before = as_eigen<float>(z);
  z = std::move(z).at(1).set(5.);
  CHECK(before(1, 0) == 1);
  CHECK(z[1].item<float>() == 5);
}

TEST_CASE("mistakes with views are errors", "[interop][eigen]") {
  const Array x = ones({2, 3});
  check_error<DTypeError>([&] { (void)as_eigen<double>(x); },
                          "has no elements of f64; convert it with astype");
  check_error<ShapeError>([] { (void)as_eigen<float>(ones({2, 3, 4})); }, "reshape it");
  check_error<ShapeError>([&] { (void)as_eigen<Eigen::Matrix3f>(x); },
                          "an array of shape (2, 3) is not a matrix of shape (3, 3)");
  check_error<ShapeError>([&] { (void)as_eigen<Eigen::VectorXf>(x); },
                          "an array of shape (2, 3) is not a matrix of shape (n, 1)");
  check_error<ShapeError>([&] { (void)as_eigen<Eigen::VectorXf>(x); }, "eigen_test.cpp:");
  check_error<ConcretizationError>(
      [&] { jit([](Array a) { return (void)as_eigen<float>(a), a; })(x); }, "is not known here");
}

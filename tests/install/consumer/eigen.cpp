// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/install/consumer/eigen.cpp: a user's program that also uses Eigen.
#include <weft/eigen.h>
#include <weft/weft.h>

#include <cstdio>

int main() {
  Eigen::VectorXf v = Eigen::VectorXf::LinSpaced(3, 1, 3);
  const weft::Array x = weft::from_eigen(v);
  const float sum = weft::as_eigen<Eigen::VectorXf>(weft::square(x)).sum();
  std::printf("sum of squares: %g\n", sum);
  return sum == 14 && x.data<float>().data() == v.data() ? 0 : 1;
}

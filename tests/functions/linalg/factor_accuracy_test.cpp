// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/linalg/factor_accuracy_test.cpp: measures residuals of factorisations and the
// orthogonality of vectors, in wide floats. The programs inside the lane are as accurate as LAPACK.
// The matrices are ill-conditioned, graded, of low rank, tiny and huge.
#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <string>

#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {

using Wide = long double;
using Number = std::complex<Wide>;

struct Matrix {
  size_t rows = 0, columns = 0;
  std::vector<Number> x;
  Matrix(size_t m, size_t n) : rows(m), columns(n), x(m * n) {}
  Number& at(size_t i, size_t j) { return x[i * columns + j]; }
  const Number& at(size_t i, size_t j) const { return x[i * columns + j]; }
};

Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix c(a.rows, b.columns);
  for (size_t i = 0; i < a.rows; ++i)
    for (size_t k = 0; k < a.columns; ++k)
      for (size_t j = 0; j < b.columns; ++j) c.at(i, j) += a.at(i, k) * b.at(k, j);
  return c;
}
Matrix operator-(Matrix a, const Matrix& b) {
  for (size_t k = 0; k < a.x.size(); ++k) a.x[k] -= b.x[k];
  return a;
}
Matrix adjoint(const Matrix& a) {
  Matrix t(a.columns, a.rows);
  for (size_t i = 0; i < a.rows; ++i)
    for (size_t j = 0; j < a.columns; ++j) t.at(j, i) = std::conj(a.at(i, j));
  return t;
}
Matrix unit(size_t n) {
  Matrix e(n, n);
  for (size_t i = 0; i < n; ++i) e.at(i, i) = 1;
  return e;
}
Matrix diagonal(const std::vector<Wide>& d) {
  Matrix m(d.size(), d.size());
  for (size_t i = 0; i < d.size(); ++i) m.at(i, i) = d[i];
  return m;
}
// Returns the square root of the sum of squares. NaN and infinities stay.
Wide norm(const Matrix& a) {
  Wide sum = 0;
  for (const Number& e : a.x) sum += std::norm(e);
  return std::sqrt(sum);
}
Matrix column(const Matrix& a, size_t j) {
  Matrix c(a.rows, 1);
  for (size_t i = 0; i < a.rows; ++i) c.at(i, 0) = a.at(i, j);
  return c;
}
// 0 / 0 counts as 0, because a zero matrix has no residual.
Wide quotient(Wide part, Wide whole) { return part == 0 ? 0 : part / whole; }
Wide residual(const Matrix& a, const Matrix& b) { return quotient(norm(a - b), norm(a)); }
Wide by_columns(const Matrix& a, const Matrix& b) {
  Wide worst = 0;
  for (size_t j = 0; j < a.columns; ++j)
    worst = std::max(worst, residual(column(a, j), column(b, j)));
  return worst;
}
Wide from_orthogonal(const Matrix& q) {
  return norm(adjoint(q) * q - unit(q.columns)) / std::sqrt(static_cast<Wide>(q.columns));
}

// ---- conversions from and to arrays

std::vector<Matrix> matrices(const Array& x) {
  const bool complex = is_complex(x.dtype());
  const std::vector<double> re = (complex ? lax::real(x) : x).astype(F64).to_vector<double>();
  std::vector<double> im(re.size());
  if (complex) im = lax::imag(x).astype(F64).to_vector<double>();
  const auto m = static_cast<size_t>(x.shape()[1]),
             n = static_cast<size_t>(x.ndim() == 2 ? 1 : x.shape()[2]);
  std::vector<Matrix> out;
  for (size_t k = 0; k + m * n <= re.size(); k += m * n) {
    out.emplace_back(m, n);
    for (size_t i = 0; i < m * n; ++i) out.back().x[i] = {re[k + i], im[k + i]};
  }
  return out;
}

Array rounded(const std::vector<Matrix>& all, DType d) {
  std::vector<double> re, im;
  for (const Matrix& m : all)
    for (const Number& e : m.x) {
      re.push_back(static_cast<double>(e.real()));
      im.push_back(static_cast<double>(e.imag()));
    }
  const Shape s = {static_cast<int64_t>(all.size()), static_cast<int64_t>(all[0].rows),
                   static_cast<int64_t>(all[0].columns)};
  const DType part = real_part(d);
  const Array x = array(re, s).astype(part);
  return is_complex(d) ? lax::complex(x, array(im, s).astype(part)) : x;
}

// ---- matrices

struct Format {
  DType dtype;
  Wide eps, least, largest;
  int range;  // graded matrices have decimal exponents up to this, positive and negative
};
Format format(DType d) {
  if (real_part(d) == F64)
    return {d, std::numeric_limits<double>::epsilon(), std::numeric_limits<double>::denorm_min(),
            std::numeric_limits<double>::max(), 140};
  return {d, std::numeric_limits<float>::epsilon(), std::numeric_limits<float>::denorm_min(),
          std::numeric_limits<float>::max(), 17};
}

struct Maker {
  Format f;
  std::mt19937 random{7};
  Wide number() { return std::normal_distribution<double>()(random); }
  Matrix any(size_t m, size_t n) {
    Matrix a(m, n);
    for (Number& e : a.x) e = {number(), is_complex(f.dtype) ? number() : 0};
    return a;
  }
  // Returns orthonormal columns, by the Gram-Schmidt process applied twice.
  Matrix orthonormal(size_t m, size_t n) {
    Matrix q = any(m, n);
    for (size_t j = 0; j < n; ++j) {
      for (int again = 0; again < 2; ++again)
        for (size_t k = 0; k < j; ++k) {
          const Number dot = (adjoint(column(q, k)) * column(q, j)).x[0];
          for (size_t i = 0; i < m; ++i) q.at(i, j) -= dot * q.at(i, k);
        }
      const Wide length = norm(column(q, j));
      for (size_t i = 0; i < m; ++i) q.at(i, j) /= length;
    }
    return q;
  }
  // Returns numbers from 1 down to 10^-digits.
  std::vector<Wide> falling(size_t n, Wide digits) {
    std::vector<Wide> s(n);
    for (size_t i = 0; i < n; ++i)
      s[i] = std::pow(Wide(10), -digits * static_cast<Wide>(i) / static_cast<Wide>(n - 1 + !i));
    return s;
  }
  std::vector<Wide> scales(size_t n) {
    std::uniform_real_distribution<double> exponent(-f.range, f.range);
    std::vector<Wide> s(n);
    for (Wide& e : s) e = std::pow(Wide(10), Wide(exponent(random)));
    return s;
  }
  Matrix sized(Matrix a, Wide size) {
    const Wide by = size / norm(a);
    for (Number& e : a.x) e *= by;
    return a;
  }
};

using Kinds = std::map<std::string, std::function<Matrix()>>;

Kinds general(Maker& k, size_t m, size_t n) {
  const size_t less = std::min(m, n);
  const Wide digits = -std::log10(k.f.eps);
  const auto with_values = [&k, m, n, less](const std::vector<Wide>& s) {
    return k.orthonormal(m, less) * diagonal(s) * adjoint(k.orthonormal(n, less));
  };
  return {
      {"well-conditioned", [&k, m, n] { return k.any(m, n); }},
      {"ill-conditioned", [=, &k] { return with_values(k.falling(less, digits - 1)); }},
      {"singular by far", [=, &k] { return with_values(k.falling(less, 3 * digits)); }},
      {"rows graded", [&k, m, n] { return diagonal(k.scales(m)) * k.any(m, n); }},
      {"columns graded", [&k, m, n] { return k.any(m, n) * diagonal(k.scales(n)); }},
      {"graded",
       [&k, m, n] { return diagonal(k.scales(m)) * k.any(m, n) * diagonal(k.scales(n)); }},
      {"of half rank",
       [&k, m, n, less] { return k.any(m, (less + 1) / 2) * k.any((less + 1) / 2, n); }},
      {"ones",
       [m, n] {
         Matrix a(m, n);
         std::fill(a.x.begin(), a.x.end(), 1);
         return a;
       }},
      {"zeros", [m, n] { return Matrix(m, n); }},
      {"a column of zeros",
       [&k, m, n] {
         Matrix a = k.any(m, n);
         for (size_t i = 0; i < m; ++i) a.at(i, n / 2) = 0;
         return a;
       }},
      {"orthonormal", [=] { return with_values(std::vector<Wide>(less, 1)); }},
      {"subnormal", [&k, m, n] { return k.sized(k.any(m, n), k.f.least * (1 << 20)); }},
      {"barely normal", [&k, m, n] { return k.sized(k.any(m, n), k.f.least / k.f.eps * 64); }},
      {"huge", [&k, m, n] { return k.sized(k.any(m, n), k.f.largest / 4); }},
  };
}

Matrix symmetric(const Matrix& a) {
  Matrix s = a, t = adjoint(a);
  for (size_t k = 0; k < s.x.size(); ++k) s.x[k] = (s.x[k] + t.x[k]) / Wide(2);
  return s;
}

Kinds hermitian(Maker& k, size_t n) {
  Kinds out = general(k, n, n);
  for (auto& [name, make] : out) make = [f = make] { return symmetric(f()); };
  const auto spectrum = [&k, n](const std::vector<Wide>& w) {
    const Matrix q = k.orthonormal(n, n);
    return symmetric(q * diagonal(w) * adjoint(q));
  };
  const Wide digits = -std::log10(k.f.eps);
  out["graded"] = [&k, n] {
    const Matrix d = diagonal(k.scales(n));
    return symmetric(d * symmetric(k.any(n, n)) * d);
  };
  out["ill-conditioned"] = [=, &k] { return spectrum(k.falling(n, digits - 1)); };
  out["clustered"] = [=, &k] {
    std::vector<Wide> w(n, 1);
    for (size_t i = 0; i < n / 2; ++i) w[i] += k.f.eps * static_cast<Wide>(i);
    return spectrum(w);
  };
  return out;
}

Kinds definite(Maker& k, size_t n) {
  const auto spectrum = [&k, n](const std::vector<Wide>& w) {
    const Matrix q = k.orthonormal(n, n);
    return symmetric(q * diagonal(w) * adjoint(q));
  };
  const auto well = [=, &k] { return spectrum(k.falling(n, 1)); };
  const Wide digits = -std::log10(k.f.eps);
  return {
      {"well-conditioned", well},
      {"ill-conditioned", [=, &k] { return spectrum(k.falling(n, digits - 3)); }},
      {"graded",
       [=, &k] {
         const Matrix d = diagonal(k.scales(n));
         return symmetric(d * well() * d);
       }},
      {"subnormal", [=, &k] { return k.sized(well(), k.f.least * (1 << 20)); }},
      {"barely normal", [=, &k] { return k.sized(well(), k.f.least / k.f.eps * 64); }},
      {"huge", [=, &k] { return k.sized(well(), k.f.largest / 4); }},
  };
}

// ---- measurements

// The names and sizes of the errors of one matrix and its results.
using Measures = std::map<std::string, Wide>;
struct Factorisation {
  std::string name;
  std::vector<std::string> ops;  // the ops whose implementations are compared
  std::function<Kinds(Maker&, size_t m, size_t n)> kinds;
  std::function<Arrays(const Array&)> f;
  std::function<Measures(const Matrix& a, const std::vector<Matrix>& out)> measure;
};

// The matrices whose systems have a solution.
Kinds regular(Maker& k, size_t, size_t n) {
  Kinds all = general(k, n, n);
  for (const char* name : {"singular by far", "of half rank", "ones", "zeros", "a column of zeros"})
    all.erase(name);
  return all;
}
// The matrices with a finite inverse.
Kinds invertible(Maker& k, size_t m, size_t n) {
  Kinds all = regular(k, m, n);
  for (const char* name : {"subnormal", "barely normal"}) all.erase(name);
  return all;
}
Matrix lower_of(const Matrix& a, bool ones) {
  Matrix l(a.rows, std::min(a.rows, a.columns));
  for (size_t i = 0; i < l.rows; ++i)
    for (size_t j = 0; j < l.columns && j <= i; ++j)
      l.at(i, j) = ones && i == j ? Number(1) : a.at(i, j);
  return l;
}
Matrix upper_of(const Matrix& a) {
  Matrix u(std::min(a.rows, a.columns), a.columns);
  for (size_t i = 0; i < u.rows; ++i)
    for (size_t j = i; j < u.columns; ++j) u.at(i, j) = a.at(i, j);
  return u;
}
std::vector<Wide> real_numbers(const Matrix& v) {
  std::vector<Wide> out;
  for (const Number& e : v.x) out.push_back(e.real());
  return out;
}

Measures cholesky_measure(const Matrix& a, const std::vector<Matrix>& r) {
  const Matrix again = r[0] * adjoint(r[0]);
  Wide worst = 0;
  for (size_t i = 0; i < a.rows; ++i)
    for (size_t j = 0; j <= i; ++j) {
      const Wide size = std::sqrt(a.at(i, i).real()) * std::sqrt(a.at(j, j).real());
      worst = std::max(worst, quotient(std::abs(a.at(i, j) - again.at(i, j)), size));
    }
  return Measures{{"numbers", worst}, {"whole", residual(a, again)}};
}

Measures lu_measure(const Matrix& a, const std::vector<Matrix>& r) {
  Matrix rows = a;
  for (size_t i = 0; i < a.rows; ++i)
    for (size_t j = 0; j < a.columns; ++j)
      rows.at(i, j) = a.at(static_cast<size_t>(r[1].x[i].real()), j);
  const Matrix l = lower_of(r[0], true), u = upper_of(r[0]);
  Wide largest = 0;
  for (size_t i = 0; i < l.rows; ++i)
    for (size_t j = 0; j < i && j < l.columns; ++j)
      largest = std::max({largest, std::abs(l.at(i, j).real()), std::abs(l.at(i, j).imag())});
  return Measures{{"whole", residual(rows, l * u)},
                  {"columns", by_columns(rows, l * u)},
                  {"multiples", largest <= 1.5L ? 0 : largest}};
}

Measures qr_measure(const Matrix& a, const std::vector<Matrix>& r) {
  return Measures{{"whole", residual(a, r[0] * r[1])},
                  {"columns", by_columns(a, r[0] * r[1])},
                  {"angles", from_orthogonal(r[0])}};
}

Measures eigh_measure(const Matrix& a, const std::vector<Matrix>& r) {
  const Matrix again = r[0] * diagonal(real_numbers(r[1])) * adjoint(r[0]);
  return Measures{{"whole", residual(a, again)}, {"angles", from_orthogonal(r[0])}};
}

Measures svd_measure(const Matrix& a, const std::vector<Matrix>& r) {
  const Matrix again = r[0] * diagonal(real_numbers(r[1])) * r[2];
  return Measures{{"whole", residual(a, again)},
                  {"left angles", from_orthogonal(r[0])},
                  {"right angles", from_orthogonal(adjoint(r[2]))}};
}

Measures values_measure(const Matrix& a, const std::vector<Matrix>& r) {
  return Measures{{"whole", quotient(std::abs(norm(a) - norm(r[0])), norm(a))}};
}

Measures inverse_measure(const Matrix& a, const std::vector<Matrix>& r) {
  const Matrix left = a * r[0] - unit(a.rows);
  return Measures{{"whole", norm(left) / (norm(a) * norm(r[0]))}};
}

// The right side is the first column.
Measures solve_measure(const Matrix& a, const std::vector<Matrix>& r) {
  const Matrix b = column(a, 0);
  return Measures{{"whole", norm(a * r[0] - b) / (norm(a) * norm(r[0]) + norm(b))}};
}

std::vector<Factorisation> factorisations() {
  using Of = const Array&;
  return {
      {"cholesky",
       {"cholesky"},
       [](Maker& k, size_t, size_t n) { return definite(k, n); },
       [](Of a) { return Arrays{lax::cholesky(a, false)}; },
       cholesky_measure},
      {"lu",
       {"lu"},
       general,
       [](Of a) {
         const lax::LU f = lax::lu(a);
         return Arrays{std::get<0>(f), std::get<2>(f)};
       },
       lu_measure},
      {"qr",
       {"geqrf", "householder_product"},
       general,
       [](Of a) {
         const lax::QR f = lax::qr(a, {.full_matrices = false});
         return Arrays{f.first, f.second};
       },
       qr_measure},
      {"eigh",
       {"eigh"},
       [](Maker& k, size_t, size_t n) { return hermitian(k, n); },
       [](Of a) {
         const lax::Eigh f = lax::eigh(a, {.symmetrize_input = false});
         return Arrays{f.first, f.second};
       },
       eigh_measure},
      {"svd",
       {"svd"},
       general,
       [](Of a) {
         const lax::SVD f = lax::svd(a, {.full_matrices = false});
         return Arrays{std::get<0>(f), std::get<1>(f), std::get<2>(f)};
       },
       svd_measure},
      {"svdvals", {"svd"}, general, [](Of a) { return Arrays{lax::svdvals(a)}; }, values_measure},
      {"inv",
       {"lu", "triangular_solve"},
       invertible,
       [](Of a) { return Arrays{linalg::inv(a)}; },
       inverse_measure},
      {"solve",
       {"lu", "triangular_solve"},
       regular,
       [](Of a) { return Arrays{linalg::solve(a, lax::slice_in_dim(a, 0, 1, 1, 2))}; },
       solve_measure},
  };
}

// ---- the comparison

// Computes the results with the implementation `way` of its ops. "" stands for the definitions of
// the ops, called eagerly.
std::vector<std::vector<Matrix>> results(const Factorisation& f, const Array& x,
                                         const std::string& way) {
  if (way.empty()) {
    std::vector<std::vector<Matrix>> out;
    for (const Array& r : f.f(x)) out.push_back(matrices(r));
    return out;
  }
  CompileOptions o;
  for (const std::string& op : f.ops) o.implementations.emplace_back(op, way);
  const auto g = jit([&](Array a) { return f.f(a); });
  std::vector<std::vector<Matrix>> out;
  for (const Array& r : g.lower(x).compile(o)(x)) out.push_back(matrices(r));
  return out;
}

constexpr size_t copies = 6;

void compare(const Factorisation& f, DType d, size_t m, size_t n) {
  Maker k{format(d)};
  std::vector<Matrix> all;
  std::vector<std::string> kinds;
  for (const auto& [name, make] : f.kinds(k, m, n))
    for (size_t c = 0; c < copies; ++c) {
      all.push_back(make());
      kinds.push_back(name);
    }
  const Array x = rounded(all, d);
  all = matrices(x);
  const auto mine = results(f, x, "expanded"), library = results(f, x, "library"),
             eager = results(f, x, "");
  struct Worst {
    Wide mine = 0, eager = 0, library = 0, floor = 0;
  };
  std::map<std::string, Worst> worst;
  const auto count = [](Wide& to, Wide e) {
    if (to == to && !(to >= e)) to = e;
  };  // a NaN is the largest error
  const Wide bound = static_cast<Wide>(std::max(m, n)) * k.f.eps;
  for (size_t i = 0; i < all.size(); ++i) {
    const auto of = [&](const std::vector<std::vector<Matrix>>& r) {
      std::vector<Matrix> one;
      for (const std::vector<Matrix>& each : r) one.push_back(each[i]);
      return f.measure(all[i], one);
    };
    const Measures a = of(mine), b = of(library), c = of(eager);
    for (const auto& [name, size] : a) {
      Worst& w = worst[kinds[i] + ": " + name];
      count(w.mine, size);
      count(w.library, b.at(name));
      count(w.eager, c.at(name));
      // Products of such small numbers lose this much to underflow.
      w.floor = std::max(w.floor, quotient(k.f.least * static_cast<Wide>(m * n), norm(all[i])));
    }
  }
  for (const auto& [name, w] : worst) {
    INFO(f.name << " of " << to_string(x.type()) << ", " << name << ": "
                << static_cast<double>(w.mine / bound) << " in the lane, "
                << static_cast<double>(w.eager / bound) << " uncompiled, "
                << static_cast<double>(w.library / bound) << " by the library, times n eps");
    const Wide most = 4 * std::max(w.library, bound) + w.floor;
    CHECK(w.mine <= most);
    CHECK(w.eager <= most);
  }
}

void compare_all(const std::vector<size_t>& sizes, const std::vector<DType>& types) {
  for (const Factorisation& f : factorisations())
    for (const DType d : types)
      for (const size_t n : sizes) compare(f, d, n, n);
}
// Compares matrices with more rows or more columns.
void compare_oblong(size_t m, size_t n, DType d) {
  for (const Factorisation& f : factorisations())
    for (const char* name : {"lu", "qr", "svd", "svdvals"})
      if (f.name == name) compare(f, d, m, n);
}

}  // namespace

TEST_CASE("factors inside the lane leave no more than those of LAPACK", "[linalg]") {
  compare_all({8}, {F32});
  compare_all({3}, {F64, C64});
}

TEST_CASE("factors inside the lane leave no more than those of LAPACK, of all sizes",
          "[linalg][slow]") {
  compare_all({2, 3, 5, 8, 16, 24, 32}, {F32, F64});
  compare_all({2, 4, 9, 20}, {C64, C128});
  compare_oblong(7, 4, F32);
  compare_oblong(3, 6, C128);
  compare_oblong(24, 3, F64);
  compare_oblong(5, 17, F32);
  compare_oblong(12, 7, C64);
}

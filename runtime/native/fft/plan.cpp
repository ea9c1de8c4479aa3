// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/fft/plan.cpp: factorization of lengths, and roots of unity in F64.
#include "runtime/native/fft/plan.h"

#include <cmath>
#include <numbers>

#include "weft/error.h"

namespace weft::native::fft {
namespace {

// Prime factors in increasing order. A remaining factor without divisors up to `largest_radix`
// comes last.
std::vector<int64_t> factors_of(int64_t n) {
  std::vector<int64_t> f;
  for (int64_t p = 2; p <= largest_radix && n > 1; ++p)
    for (; n % p == 0; n /= p) f.push_back(p);
  if (n > 1) f.push_back(n);
  return f;
}

// The radices of the stages: as few as possible; powers of 2 are split into 8 and 4.
std::vector<int> radices_of(int64_t n) {
  std::vector<int> r;
  int twos = 0;
  for (int64_t p : factors_of(n))
    if (p == 2)
      ++twos;
    else
      r.push_back(static_cast<int>(p));
  if (twos == 1) r.push_back(2);
  for (; twos > 1; twos -= twos == 2 || twos == 4 ? 2 : 3)
    r.insert(r.begin(), twos == 2 || twos == 4 ? 4 : 8);
  return r;
}

template <class T>
void put_root(std::vector<T>* to, int64_t k, int64_t n) {
  double re, im;
  unit_root(k, n, &re, &im);
  to->push_back(static_cast<T>(re));
  to->push_back(static_cast<T>(im));
}

}  // namespace

// Reduces the angle to the first eighth of the circle, where sine and cosine are most accurate.
void unit_root(int64_t k, int64_t n, double* re, double* im) {
  const int64_t eighths = 8 * (k % n) / n;  // 0 … 7
  int64_t left = 8 * (k % n) - eighths * n;
  const bool turned = eighths % 2 == 1;
  if (turned) left = n - left;
  const double angle = std::numbers::pi / 4 * static_cast<double>(left) / static_cast<double>(n);
  double c = std::cos(angle), s = std::sin(angle);
  if (turned) std::swap(c, s);
  // Quarters: (c, s), (-s, c), (-c, -s), (s, -c)
  switch (eighths / 2) {
    case 0: *re = c, *im = -s; break;
    case 1: *re = -s, *im = -c; break;
    case 2: *re = -c, *im = s; break;
    default: *re = s, *im = c; break;
  }
}

bool is_smooth(int64_t n) {
  const std::vector<int64_t> f = factors_of(n);
  return f.empty() || f.back() <= largest_radix;
}

template <class T>
VectorPlan<T>::VectorPlan(int64_t n) : n(n) {
  int64_t stride = 1, left = n;
  for (int radix : radices_of(n)) {
    Stage<T> s{radix, stride, left / radix, table.size(), 0};
    for (int64_t p = 0; p < s.parts; ++p)
      for (int64_t j = 1; j < radix; ++j) put_root(&table, p * j, left);
    s.roots = table.size();
    if (radix % 2 == 1)
      for (int64_t j = 0; j < radix; ++j) put_root(&table, j, radix);
    stages.push_back(s);
    stride *= radix;
    left /= radix;
  }
}

template <class T>
SquarePlan<T>::SquarePlan(int64_t rows, int64_t columns) : first(rows), second(columns) {
  const int64_t n = rows * columns;
  const int64_t blocks = n <= tabulated ? (columns + block - 1) / block : 1;
  twiddles.resize(blocks * rows * block * 2);
  T* to = twiddles.data();
  for (int64_t b = 0; b < blocks; ++b)
    for (int64_t k = 0; k < rows; ++k, to += 2 * block)
      for (int64_t j = 0; j < block; ++j) {
        double re, im;
        unit_root((b * block + j) % columns * k, n, &re, &im);
        to[j] = static_cast<T>(re);
        to[block + j] = static_cast<T>(im);
      }
  if (n <= tabulated) return;
  const auto width = static_cast<int64_t>(std::sqrt(static_cast<double>(n))) + 1;
  for (int64_t e = 0; e < width; ++e) put_root(&fine, e, n);
  for (int64_t e = 0; e < n; e += width) put_root(&coarse, e, n);
}

namespace {

// Chooses rows and columns that fill vectors of 16 well and are about equal; {1, n} if n
// has no such factors.
std::pair<int64_t, int64_t> square_of(int64_t n) {
  std::pair<int64_t, int64_t> best{1, n};
  double least = HUGE_VAL;
  const auto waste = [](int64_t k) {
    const int64_t whole = (k + 15) / 16 * 16;
    return static_cast<double>(whole) / static_cast<double>(k);
  };
  for (int64_t a = 4; a * a <= n; ++a) {
    if (n % a != 0) continue;
    const int64_t b = n / a;
    const double cost = waste(a) * waste(b) *
                        (1 + 0.1 * std::log2(static_cast<double>(b) / static_cast<double>(a)));
    if (cost < least) {
      least = cost;
      best = {a, b};
    }
  }
  return best;
}

// The smallest length of at least n that is a multiple of 256 and has only the prime factors 2, 3
// and 5.
int64_t convenient(int64_t n) {
  for (int64_t k = (n + 255) / 256;; ++k) {
    int64_t left = k;
    for (int64_t p : {2, 3, 5})
      while (left % p == 0) left /= p;
    if (left == 1) return 256 * k;
  }
}

// Rows up to this length are transformed side by side only (measured: docs/decisions/0020).
constexpr int64_t longest_in_vectors = 64;

}  // namespace

template <class T>
RowPlan<T>::RowPlan(int64_t n) : kind(Kind::vectors), n(n) {
  if (is_smooth(n)) {
    const auto [rows, columns] = n > longest_in_vectors ? square_of(n) : std::pair(int64_t{1}, n);
    if (rows == 1) {
      vectors = std::make_unique<VectorPlan<T>>(n);
    } else {
      kind = Kind::square;
      square = std::make_unique<SquarePlan<T>>(rows, columns);
    }
    return;
  }
  kind = Kind::convolution;
  longer = std::make_unique<RowPlan<T>>(convenient(2 * n - 1));
  // k^2 modulo 2 n, computed incrementally so that k^2 does not overflow.
  for (int64_t k = 0, square = 0; k < n; ++k) {
    put_root(&chirp, square, 2 * n);
    square = (square + 2 * k + 1) % (2 * n);
  }
}

template <class T>
std::vector<T> real_roots(int64_t n) {
  std::vector<T> r;
  for (int64_t k = 0; k <= n / 4; ++k) put_root(&r, k, n);
  return r;
}

template struct VectorPlan<float>;
template struct VectorPlan<double>;
template struct SquarePlan<float>;
template struct SquarePlan<double>;
template struct RowPlan<float>;
template struct RowPlan<double>;
template std::vector<float> real_roots(int64_t);
template std::vector<double> real_roots(int64_t);

}  // namespace weft::native::fft

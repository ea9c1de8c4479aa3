// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/solve/vectors.cpp: sums and products of lists of arrays.
#include "functions/solve/vectors.h"

#include <fmt/format.h>

#include "functions/kit.h"
#include "tracer/types_of.h"
#include "weft/numpy/math.h"
#include "weft/numpy/products.h"
#include "weft/numpy/reduce.h"

namespace weft::fn {

DType common_dtype(const Arrays& x) { return common_type(types_of(x)).dtype; }

DType real_dtype(DType d) { return d == C64 ? F32 : d == C128 ? F64 : d; }

double epsilon(DType d) {
  switch (real_dtype(d)) {
    case F64: return 0x1p-52;
    case F16: return 0x1p-10;
    case BF16: return 0x1p-7;
    default: return 0x1p-23;
  }
}

int64_t elements(const Arrays& x) {
  int64_t n = 0;
  for (const Array& a : x) n += a.size();
  return n;
}

namespace {

// Sums the term of each leaf in dtype d.
Array summed(size_t n, DType d, FunctionRef<Array(size_t)> term) {
  Array r;
  for (size_t k = 0; k < n; ++k) {
    const Array t = as_dtype(term(k), d);
    r = k == 0 ? t : r + t;
  }
  return r;
}
// The sum of the elements of one array. A scalar is its own sum.
Array sum_of(const Array& x) { return x.ndim() == 0 ? x : sum(x); }

}  // namespace

Array squared_norm(const Arrays& x) { return real_dot(x, x); }

Array real_dot(const Arrays& x, const Arrays& y) {
  return summed(x.size(), real_dtype(common_dtype(x)), [&](size_t k) {
    if (!is_complex(x[k].dtype())) return sum_of(x[k] * y[k]);
    return sum_of(real(x[k]) * real(y[k])) + sum_of(imag(x[k]) * imag(y[k]));
  });
}

Array conj_dot(const Arrays& x, const Arrays& y) {
  return summed(x.size(), common_dtype(x), [&](size_t k) {
    return sum_of(is_complex(x[k].dtype()) ? conj(x[k]) * y[k] : x[k] * y[k]);
  });
}

Arrays add_scaled(const Arrays& x, const Array& s, const Arrays& y) {
  Arrays r;
  for (size_t k = 0; k < x.size(); ++k) r.push_back(x[k] + as_dtype(s, y[k].dtype()) * y[k]);
  return r;
}

Arrays subtract(const Arrays& x, const Arrays& y) {
  Arrays r;
  for (size_t k = 0; k < x.size(); ++k) r.push_back(x[k] - y[k]);
  return r;
}

Arrays select(const Array& p, const Arrays& x, const Arrays& y) {
  Arrays r;
  for (size_t k = 0; k < x.size(); ++k) r.push_back(where(p, x[k], y[k]));
  return r;
}

void need_shapes(const char* name, const char* what, const Arrays& x, const char* like,
                 const Arrays& y) {
  if (x.size() != y.size())
    fail_shape(
        fmt::format("{}: {} and {} must have the same structure: {} has {} arrays, {} has {}", name,
                    what, like, what, x.size(), like, y.size()));
  for (size_t k = 0; k < x.size(); ++k)
    if (x[k].shape() != y[k].shape())
      fail_shape(fmt::format("{}: arrays in {} and {} must have matching shapes, got {} and {}",
                             name, what, like, to_string(x[k].type()), to_string(y[k].type())));
}

}  // namespace weft::fn

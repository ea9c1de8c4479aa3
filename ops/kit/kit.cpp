// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/kit/kit.cpp: the shared rules that are not templates.
#include "ops/kit/kit.h"

#include <fmt/format.h>

#include <cmath>

#include "ops/structure/structure.h"

namespace weft {

bool dtype_in(DType d, unsigned classes) {
  bool in = false;
  if (is_key(d)) return false;
  with_dtype(d, [&](auto* p) { in = in_class<std::remove_pointer_t<decltype(p)>>(classes); });
  return in;
}

std::string class_names(unsigned c) {
  std::string s;
  const auto add = [&](bool on, const char* n) {
    if (on) s += (s.empty() ? "" : " or ") + std::string(n);
  };
  add(c & DTypes::bools, "bool");
  add(c & DTypes::ints, "integer");
  add(c & DTypes::signeds, "signed");
  add(c & DTypes::unsigneds, "unsigned");
  add(c & DTypes::floats, "floating-point");
  add(c & DTypes::wide_floats, "f32 or f64");
  add(c & DTypes::complexes, "complex");
  return s;
}

void reject_shape(const char* op, const std::string& why, const Types& in) {
  throw ShapeError(fmt::format("{}: {}; got {}", op, why, to_string(in)));
}
void reject_dtype(const char* op, const std::string& why, const Types& in) {
  throw DTypeError(fmt::format("{}: {}; got {}", op, why, to_string(in)));
}
void require_operands(const char* op, const Types& in, size_t n) {
  if (in.size() != n) reject_shape(op, fmt::format("takes {} operands, not {}", n, in.size()), in);
}

Type nary_type(const char* op, const Types& in, unsigned classes) {
  bool weak = true;
  const Shape* shape = nullptr;
  for (const Type& t : in) {
    if (!dtype_in(t.dtype(), classes))
      reject_dtype(op, "takes " + class_names(classes) + " operands", in);
    if (t.dtype() != in[0].dtype())
      reject_dtype(op,
                   "requires arguments to have the same dtypes (weft:: functions promote, "
                   "weft::lax:: do not)",
                   in);
    weak = weak && t.weak();
    if (t.ndim() == 0) continue;
    if (shape && !(*shape == t.shape()))
      reject_shape(op, "arguments must have the same shape or be scalars", in);
    shape = &t.shape();
  }
  return Type(in[0].dtype(), shape ? *shape : Shape{}, weak);
}

Aligned align_nary(const Arrays& x, const MaybeAxes& axis, int64_t size) {
  Aligned a{x, 0};
  // The lane axis remains where it is if all operands that are not scalars agree on it.
  int64_t rank = 0;
  for (size_t i = 0; i < x.size(); ++i) rank = std::max(rank, x[i].ndim() - (axis[i] ? 1 : 0));
  MaybeAxis common;
  bool agree = true;
  for (size_t i = 0; i < x.size(); ++i) {
    const int64_t per_lane = x[i].ndim() - (axis[i] ? 1 : 0);
    if (!axis[i]) {
      agree = agree && per_lane == 0;
    } else if (per_lane != rank) {
      agree = false;
    } else {
      agree = agree && (!common || *common == *axis[i]);
      common = axis[i];
    }
  }
  if (agree && common) {
    a.axis = *common;
    return a;
  }
  Shape full;
  for (size_t i = 0; i < x.size(); ++i) {
    const int64_t per_lane = x[i].ndim() - (axis[i] ? 1 : 0);
    if (per_lane == rank) {
      a.x[i] = move_mapped(x[i], axis[i], 0, size);
      full = a.x[i].shape();
    }
  }
  for (size_t i = 0; i < x.size(); ++i)
    if (axis[i] && x[i].ndim() - 1 != rank) a.x[i] = broadcast_in_dim(x[i], full, {0});
  return a;
}

Array unbroadcast(const Array& ct, const Type& operand) {
  if (ct.empty_handle() || ct.ndim() == operand.ndim()) return ct;
  std::vector<int64_t> axes;
  for (int64_t i = 0; i < ct.ndim(); ++i) axes.push_back(i);
  return base::reduce_sum(ct, axes);
}

Array broadcast_like(const Array& x, const Type& t) {
  if (x.empty_handle() || x.shape() == t.shape()) return x;
  return broadcast_in_dim(x, t.shape(), {});
}

Array like(const Array& x, double value) { return scalar_of(x.dtype(), value); }

bool is_number(const Array& x, double value) {
  if (!is_scalar_value(x, value)) return false;
  if (value != 0 || !is_inexact(x.dtype())) return true;
  double v = 0;
  detail::convert_elements(x, &v, F64);
  return std::signbit(v) == std::signbit(value);
}

Arrays drop_neutral(const Arrays& x, size_t keep, size_t other, double neutral) {
  // Neutral elements do not preserve complex values exactly: inf * (1 + 0i) contains a NaN.
  if (is_complex(x[keep].dtype()) || !is_number(x[other], neutral)) return {};
  if (x[other].ndim() != 0 && !(x[other].shape() == x[keep].shape())) return {};
  return {x[keep]};
}

Elem constant_elem(DType d, double value) {
  uint64_t bits[2] = {0, 0};
  const Array a = scalar_of(d, value);
  std::memcpy(bits, concrete(a).data(), itemsize(d));
  return literal_elem({d, false, {bits[0], bits[1]}});
}

}  // namespace weft

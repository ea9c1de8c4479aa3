// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/kit.h: helpers that the functions share: promotion, broadcasting, axes, errors. Not
// public.
#pragma once
#include <utility>

#include "core/api_name_scope.h"
#include "tracer/trace.h"
#include "weft/array.h"

namespace weft::fn {

[[noreturn]] void fail_shape(const std::string& text);
[[noreturn]] void fail_dtype(const std::string& text);
[[noreturn]] void fail_index(const std::string& text);

// Converts x to dtype d. A C++ number stays a C++ number, so no equation is added.
Array as_dtype(const Array& x, DType d, bool weak = false);
// Returns the fill value for an array of dtype d. Raises DTypeError, naming the function, for a
// complex C++ number if d is real.
Array fill_value(const char* name, const Array& value, DType d);
// Returns x's dtype where no other argument determines the dtype. Raises DTypeError for a number
// beyond I32.
DType own_dtype(const Array& x);
// Raises DTypeError for a number beyond I32 that is combined with a dtype that cannot hold it.
void refuse_beyond_i32(const Array& x, const Array& other);
// Converts integers and bools to floats; inexact numbers stay unchanged.
Array inexact(const Array& x);
// Checks x with need_numbers, then converts it like inexact(x).
Array inexact(const char* name, const Array& x);
// Checks x with need_numbers, then returns true for the elements that are not 0.
Array truth(const char* name, const Array& x);
// Raises DTypeError, naming the function, for keys and for complex numbers.
void need_numbers(const char* name, const Array& x);
void need_real(const char* name, const Array& x);
Array numeric(const Array& x);  // converts bools to I32
// Broadcasts as NumPy does; a scalar stays a scalar where an elementwise op accepts it.
Array broadcast(const Array& x, const Shape& s);
Array scalar_or_broadcast(const Array& x, const Shape& s);
// Raises ShapeError, calling x `what` of the function, unless x broadcasts to this shape.
void need_fit(const char* name, const char* what, const Array& x, const Shape& s);
// Computes broadcast_shapes with the name of the function in the error.
Shape common_shape(const char* name, const Shape& a, const Shape& b);

// Two arrays of one dtype (by JAX's promotion) and, except for scalars, one shape.
using Pair = std::pair<Array, Array>;
Pair promoted(const char* name, const Array& a, const Array& b);
// Computes promoted, then converts integers and bools to floats.
Pair promoted_inexact(const char* name, const Array& a, const Array& b);
// Computes promoted, but two bools become I32.
Pair promoted_numbers(const char* name, const Array& a, const Array& b);
// Converts all to one dtype; the shapes stay.
Arrays same_dtype(const Arrays& x);
// Converts all to one dtype and broadcasts them to one full shape.
Arrays broadcast_together(const char* name, const Arrays& x);

// Returns the axes as nonnegative numbers. Raises IndexError for an axis that x does not have, and
// ShapeError for one named twice.
std::vector<int64_t> axes_of(const char* name, const Array& x, const AxisList& a);
std::vector<int64_t> axes_of(const char* name, const std::vector<int64_t>& axes, int ndim);
int axis_of(const char* name, int64_t axis, int ndim);
// Broadcasts weights to x's shape. They have that shape, or the shape of the axes in the given
// order. Raises ShapeError, naming the function, for others.
Array axis_weights(const char* name, const Array& w, const Array& x, const AxisList& axis);
// Returns a constant of x's dtype.
Array number_like(const Array& x, double v);
// Concatenates one or more arrays of one dtype.
Array joined(const Arrays& x, int64_t axis);
// Returns the elements [lo, hi) of one axis.
Array sliced(const Array& x, int64_t axis, int64_t lo, int64_t hi, int64_t step = 1);
// Returns the elements of an axis at known indices that are in range.
Array take_known(const Array& x, const std::vector<int64_t>& indices, int axis);
// Converts integers to positions on an axis of n elements: negative ones count from the end.
Array wrapped_index(const Array& i, int64_t n);
DType index_dtype(int64_t n);  // I32, or I64 beyond its range

}  // namespace weft::fn

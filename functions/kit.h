// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/kit.h: what the functions share: promotion, broadcasting, axes, errors. Not public.
#pragma once
#include <utility>

#include "weft/core/text/calling.h"
#include "weft/tracer/array.h"
#include "weft/tracer/trace.h"

namespace weft::fn {

[[noreturn]] void fail_shape(const std::string& text);
[[noreturn]] void fail_dtype(const std::string& text);
[[noreturn]] void fail_index(const std::string& text);

// x as an array of dtype d. A C++ number becomes another C++ number, without an equation.
Array as_dtype(const Array& x, DType d, bool weak = false);
// The value that an array of dtype d is to be filled with. DTypeError in the name of the function
// for a complex C++ number where d has no room for it.
Array fill_value(const char* name, const Array& value, DType d);
// x's dtype, where nothing else says which; DTypeError for a number beyond I32.
DType own_dtype(const Array& x);
// DTypeError for a number beyond I32 that meets what has no room for it.
void refuse_beyond_i32(const Array& x, const Array& other);
// Integers and bools as floats; inexact numbers as they are.
Array inexact(const Array& x);
// The same of what need_numbers takes.
Array inexact(const char* name, const Array& x);
// Which elements are not 0, of what need_numbers takes.
Array truth(const char* name, const Array& x);
// DTypeError for keys, and for what is complex, in the name of the function.
void need_numbers(const char* name, const Array& x);
void need_real(const char* name, const Array& x);
Array numeric(const Array& x);  // bools as I32
// As NumPy broadcasts; a scalar stays one where an elementwise op takes it.
Array broadcast(const Array& x, const Shape& s);
Array scalar_or_broadcast(const Array& x, const Shape& s);
// ShapeError, which calls x `what` of the function, unless its shape broadcasts to this one.
void need_fit(const char* name, const char* what, const Array& x, const Shape& s);
// As broadcast_shapes, with the name of the function in the error.
Shape common_shape(const char* name, const Shape& a, const Shape& b);

// One dtype (JAX's promotion) and one shape, up to scalars.
using Pair = std::pair<Array, Array>;
Pair promoted(const char* name, const Array& a, const Array& b);
// The same, integers and bools then made floats.
Pair promoted_inexact(const char* name, const Array& a, const Array& b);
// The same as promoted, where two bools become I32.
Pair promoted_numbers(const char* name, const Array& a, const Array& b);
// One dtype; the shapes stay.
Arrays same_dtype(const Arrays& x);
// One dtype and one full shape.
Arrays broadcast_together(const char* name, const Arrays& x);

// Axes made non-negative; IndexError for one that x has not, ShapeError for one named twice.
std::vector<int64_t> axes_of(const char* name, const Array& x, const AxisList& a);
std::vector<int64_t> axes_of(const char* name, const std::vector<int64_t>& axes, int ndim);
int axis_of(const char* name, int64_t axis, int ndim);
// Weights as an array of x's shape, which they have, or that of the axes in the order named.
// ShapeError in the name of the function for others.
Array axis_weights(const char* name, const Array& w, const Array& x, const AxisList& axis);
// A constant of x's dtype.
Array number_like(const Array& x, double v);
// Concatenation of one or more arrays of one dtype.
Array joined(const Arrays& x, int64_t axis);
// The elements [lo, hi) of one axis.
Array sliced(const Array& x, int64_t axis, int64_t lo, int64_t hi, int64_t step = 1);
// The elements of an axis at indices that are known and in range.
Array take_known(const Array& x, const std::vector<int64_t>& indices, int axis);
// Integers as positions on an axis of n elements: negative ones count from the end.
Array wrapped_index(const Array& i, int64_t n);
DType index_dtype(int64_t n);  // I32, beyond its range I64

}  // namespace weft::fn

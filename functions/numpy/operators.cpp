// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/operators.cpp: the operators of Array, with JAX's promotion and NumPy's
// broadcasting.
#include "functions/kit.h"
#include "weft/lax/compare.h"
#include "weft/lax/elementwise.h"
#include "weft/numpy/math.h"

namespace weft {

Array operator+(const Arg& a, const Arg& b) { return add(a, b); }
Array operator-(const Arg& a, const Arg& b) { return subtract(a, b); }
Array operator*(const Arg& a, const Arg& b) { return multiply(a, b); }
Array operator/(const Arg& a, const Arg& b) { return divide(a, b); }
Array operator%(const Arg& a, const Arg& b) { return remainder(a, b); }
Array operator&(const Arg& a, const Arg& b) { return bitwise_and(a, b); }
Array operator|(const Arg& a, const Arg& b) { return bitwise_or(a, b); }
Array operator^(const Arg& a, const Arg& b) { return bitwise_xor(a, b); }
Array operator<<(const Arg& a, const Arg& b) { return left_shift(a, b); }
Array operator>>(const Arg& a, const Arg& b) { return right_shift(a, b); }
Array operator<(const Arg& a, const Arg& b) { return less(a, b); }
Array operator<=(const Arg& a, const Arg& b) { return less_equal(a, b); }
Array operator>(const Arg& a, const Arg& b) { return greater(a, b); }
Array operator>=(const Arg& a, const Arg& b) { return greater_equal(a, b); }
Array operator==(const Arg& a, const Arg& b) { return equal(a, b); }
Array operator!=(const Arg& a, const Arg& b) { return not_equal(a, b); }
Array operator-(const Arg& a) { return negative(a); }
Array operator+(const Arg& a) { return positive(a); }
Array operator~(const Arg& a) { return bitwise_not(a); }
Array operator!(const Array& a) { return logical_not(a); }

Array& Array::operator+=(const Arg& x) & { return *this = add({*this, x.at()}, x); }
Array& Array::operator-=(const Arg& x) & { return *this = subtract({*this, x.at()}, x); }
Array& Array::operator*=(const Arg& x) & { return *this = multiply({*this, x.at()}, x); }
Array& Array::operator/=(const Arg& x) & { return *this = divide({*this, x.at()}, x); }
Array& Array::operator%=(const Arg& x) & { return *this = remainder({*this, x.at()}, x); }
Array& Array::operator&=(const Arg& x) & { return *this = bitwise_and({*this, x.at()}, x); }
Array& Array::operator|=(const Arg& x) & { return *this = bitwise_or({*this, x.at()}, x); }
Array& Array::operator^=(const Arg& x) & { return *this = bitwise_xor({*this, x.at()}, x); }
Array& Array::operator<<=(const Arg& x) & { return *this = left_shift({*this, x.at()}, x); }
Array& Array::operator>>=(const Arg& x) & { return *this = right_shift({*this, x.at()}, x); }

}  // namespace weft

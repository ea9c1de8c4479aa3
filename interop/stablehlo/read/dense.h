// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/read/dense.h: the numbers of constants, and element types.
#pragma once
#include <optional>

#include "interop/stablehlo/read/syntax.h"

namespace weft::hlo {

// Returns the dtype of an element type ("f32", "ui8", "complex<f64>"), or the dtype that holds its
// values (I8 for "i4"). Returns nullopt if there is no such dtype.
std::optional<DType> dtype_of_element(std::string_view element);
// The inverse. Random keys have no element name.
std::string element_name(DType d);
// Returns the Weft type of a tensor type with fixed sizes, if there is one. Tokens only express an
// order of ops, so they are arrays without elements.
std::optional<Type> array_type(Typ t);
bool is_token(Typ t);

// Keeps only one element of a constant if all its elements have equal bits.
void merge_equal(Dense& d);

// Decodes the text between the brackets of dense<…>, which is at offset `at` of the source.
Dense decode_dense(const SourceText& source, std::string_view body, size_t at, Typ type);

// Converts a floating-point element to double.
double float_at(const std::byte* p, DType d);
// Returns "dense<…> : tensor<…>", which decodes to the same constant.
std::string dense_text(const Dense& d);

}  // namespace weft::hlo

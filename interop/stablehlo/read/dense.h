// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/read/dense.h: the numbers of constants, and element types.
#pragma once
#include <optional>

#include "weft/interop/stablehlo/read/syntax.h"

namespace weft::hlo {

// Weft's dtype of an element type ("f32", "ui8", "complex<f64>"), or the one that holds it (I8 of
// "i4"), if there is one.
std::optional<DType> dtype_of_element(std::string_view element);
// The inverse; random keys have none.
std::string element_name(DType d);
// Weft's type of a tensor type of fixed sizes, if there is one. Tokens, which say only what comes
// before what, are arrays without elements.
std::optional<Type> array_type(Typ t);
bool is_token(Typ t);

// Keeps one element of a constant whose elements are all the same bits.
void merge_equal(Dense& d);

// What stands between the brackets of dense<…>, at offset `at` of the source.
Dense decode_dense(const SourceText& source, std::string_view body, size_t at, Typ type);

// A floating-point element as a number.
double float_at(const std::byte* p, DType d);
// "dense<…> : tensor<…>", from which the same is decoded.
std::string dense_text(const Dense& d);

}  // namespace weft::hlo

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/text/print.h: pieces of the text of programs, for those who complain about programs.
#pragma once
#include <string>

#include "weft/core/jaxpr.h"
#include "weft/core/param.h"

namespace weft {

// A type in a program: "f32[3]", "~f32[]" if weak, "key<fry>[2]". docs/ir.md
std::string program_type(const Type& t);
// A literal with its type: "2.0:f32[]".
std::string literal_with_type(const Literal& l);
// A field that holds no program.
std::string field_text(const ParamValue& v);
// One equation on one line, its inner programs abbreviated. Works for any j, well formed or not.
// Variables are called by their numbers, so they may differ from those in to_string.
std::string equation_text(const JaxprData& j, size_t i);
// The field by which programs say how an equation is run (Eqn::implementation).
inline constexpr const char* implementation_field = "implementation";
// The fields of an equation in the order in which they are printed: name, then by the alphabet.
// `defaults` are those of the op; those that JAX has not and that say nothing are left out.
std::vector<ParamField> printed_fields(const Eqn& e, const std::vector<ParamField>& defaults);
// The fields that the parameters of an op have when nothing is said.
std::vector<ParamField> default_fields(const Op& op);

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/text/print.h: parts of the text of programs, for error messages about programs.
#pragma once
#include <string>

#include "core/param.h"
#include "weft/detail/jaxpr.h"

namespace weft {

// A type in a program: "f32[3]", "~f32[]" if weak, "key<fry>[2]". docs/ir.md
std::string program_type(const Type& t);
// A literal with its type: "2.0:f32[]".
std::string literal_with_type(const Literal& l);
// The text of a field that holds no program.
std::string field_text(const ParamValue& v);
// One equation on one line, with its inner programs abbreviated. It works for any j, well formed or
// not. Variables are named by their numbers, so the names may differ from those in to_string.
std::string equation_text(const JaxprData& j, size_t i);
// The field with the name of an equation's implementation (Eqn::implementation).
inline constexpr const char* implementation_field = "implementation";
// The fields of an equation in the order of printing: first the name, then alphabetically.
// `defaults` are those of the op. Fields that JAX does not have are omitted if they equal their
// defaults.
std::vector<ParamField> printed_fields(const Eqn& e, const std::vector<ParamField>& defaults);
// The default fields of an op's parameters.
std::vector<ParamField> default_fields(const Op& op);

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/environment.h: environment variables that are switches or numbers. An invalid value is
// never ignored: CompileError names the variable and its valid values.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace weft {

// The value of a switch: "1" is on, "0" is off, and unset or empty is `standard`. Any other text
// gives nothing.
std::optional<bool> read_switch(const char* value, bool standard);
// The error text for an invalid switch.
std::string bad_switch(const char* name, const char* value);
bool switch_of(const char* name, const char* value, bool standard);
// The switch with that name in the environment; it is off by default.
bool switch_of_environment(const char* name);
// The integer from lo to hi in the variable with that name; nothing if it is unset or empty.
std::optional<int64_t> number_of_environment(const char* name, int64_t lo, int64_t hi);

}  // namespace weft

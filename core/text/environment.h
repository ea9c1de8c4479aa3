// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/text/environment.h: the variables of the environment that are switches or numbers. What such
// a one cannot be is never ignored: CompileError names the variable and what it may be.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace weft {

// What a switch says: "1" is on, "0" off, `standard` where it is empty or not set; nothing if it is
// something else.
std::optional<bool> read_switch(const char* value, bool standard);
// What is wrong with it then.
std::string bad_switch(const char* name, const char* value);
bool switch_of(const char* name, const char* value, bool standard);
// The switch of that name in the environment, which is off by itself.
bool switch_of_environment(const char* name);
// The whole number from lo to hi of that name; nothing where it is empty or not set.
std::optional<int64_t> number_of_environment(const char* name, int64_t lo, int64_t hi);

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/text/lasting.h: texts that are named by what outlives their maker.
#pragma once
#include <string>

namespace weft {

// The same text, the same address for equal ones, for as long as the process lives. Thread-safe.
const char* lasting(const std::string& text);

}  // namespace weft

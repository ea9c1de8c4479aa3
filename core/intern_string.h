// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/intern_string.h: texts for names that are used longer than the object that made them.
#pragma once
#include <string>

namespace weft {

// A copy of the text that lives as long as the process. Equal texts have the same address.
// Thread-safe.
const char* intern_string(const std::string& text);

}  // namespace weft

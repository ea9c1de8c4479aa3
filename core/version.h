// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/version.h: which Weft this is.
#pragma once
#include <string>

namespace weft {

// "0.1.0", of the library that is loaded.
std::string version();

}  // namespace weft

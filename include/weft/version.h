// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/version.h: the version of Weft.
#pragma once
#include <string>

namespace weft {

// The version of the loaded library, such as "0.1.0".
std::string version();
namespace ir {
// An identifier that differs between builds with different code: the linker's hash of the library.
// It is empty if the library was linked without one.
const std::string& build_id();
}  // namespace ir

}  // namespace weft

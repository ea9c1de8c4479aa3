// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/version.h: which Weft this is.
#pragma once
#include <string>

namespace weft {

// "0.1.0", of the library that is loaded.
std::string version();
namespace ir {
// Another for each build whose code differs in anything: the linker's hash of the library. Empty if
// it was linked without one.
const std::string& build_id();
}  // namespace ir

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/version.cpp: the version that the build was configured with.
#include "weft/core/version.h"

namespace weft {

std::string version() { return WEFT_VERSION; }

}  // namespace weft

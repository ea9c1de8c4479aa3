// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/log.h: what the library says by itself: lines on the standard error, of the level that
// WEFT_LOG names (trace, debug, info, warning, error, critical, off; warning if it is not set).
#pragma once
#include <string>

namespace weft {

void log_warning(const std::string& text);

}  // namespace weft

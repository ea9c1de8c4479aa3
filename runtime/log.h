// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/log.h: what the library says by itself, on the standard error. WEFT_LOG names a level
// (trace, debug, info, warning, error, critical, off; warning if it is not set), topics, or both,
// with commas between them. The topic: passes (each program after each pass of the compiler).
#pragma once
#include <string>

namespace weft {

void log_warning(const std::string& text);
void log_info(const std::string& text);
// Whether it would be shown.
bool log_shows_info();
// Whether WEFT_LOG names this topic.
bool log_wants(const char* topic);
// What belongs to a topic, whatever the level.
void log_text(const std::string& text);

}  // namespace weft

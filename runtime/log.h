// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/log.h: messages of the library on the standard error. WEFT_LOG is a comma-separated list
// of a level and topics. Levels are trace, debug, info, warning, error, critical and off; the
// default is warning. The only topic is passes: each program after each pass of the compiler.
#pragma once
#include <string>

namespace weft {

void log_warning(const std::string& text);
void log_info(const std::string& text);
// Returns true if info messages are shown.
bool log_shows_info();
// Returns true if WEFT_LOG names this topic.
bool log_wants(const char* topic);
// Writes text of a topic, independent of the level.
void log_text(const std::string& text);

}  // namespace weft

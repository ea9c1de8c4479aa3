// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/traceback.h: the calls in the user's program that led to an error, for its text.
#pragma once
#include <string>

namespace weft {

// With WEFT_TRACEBACK=1, the functions of the user's program on this thread's stack, one per line,
// innermost first. Files and lines are shown if the program was compiled with -g. Otherwise "".
std::string traceback();

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/text/traceback.h: the calls of the user's program that led here, for texts of errors.
#pragma once
#include <string>

namespace weft {

// With WEFT_TRACEBACK=1: the functions of the user's program on this thread's stack, a line each,
// innermost first, with files and lines as far as the program was compiled with -g. Else "".
std::string traceback();

}  // namespace weft

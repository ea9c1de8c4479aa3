// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/weft/program_file.h: reads programs from files in any supported format.
#pragma once
#include <string>
#include <vector>

#include "weft/make_jaxpr.h"

namespace weft::tools {

struct ProgramFile {
  ClosedJaxpr program;
  std::vector<std::string> names;  // of its parameters
};

// The text of a file. Throws FormatError if it cannot be read.
std::string read_text(const std::string& path);
// Reads StableHLO (.mlir) or jaxpr text (.jaxpr). For other extensions, the first words of the text
// decide. A jaxpr's text does not contain the values of its constants, so they become its first
// parameters.
ProgramFile load_program(const std::string& path);

}  // namespace weft::tools

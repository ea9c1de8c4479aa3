// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/weft/program_file.h: programs from files, whatever they are written in.
#pragma once
#include <string>
#include <vector>

#include "weft/tracer/make_jaxpr.h"

namespace weft::tools {

struct ProgramFile {
  ClosedJaxpr program;
  std::vector<std::string> names;  // of its parameters
};

// The text of a file. FormatError if it cannot be read.
std::string read_text(const std::string& path);
// StableHLO (.mlir) or jaxpr text (.jaxpr); by its first words where the name says nothing. The
// constants of a jaxpr, whose values its text does not hold, become its first parameters.
ProgramFile load_program(const std::string& path);

}  // namespace weft::tools

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/weft/program_file.cpp: reads a file and passes its text to the reader for its format.
#include "tools/weft/program_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/text/names.h"
#include "tracer/record_trace.h"
#include "weft/stablehlo.h"

namespace weft::tools {
namespace {

bool is_jaxpr(const std::string& path, const std::string& text) {
  if (path.ends_with(".jaxpr")) return true;
  if (path.ends_with(".mlir")) return false;
  size_t at = text.find_first_not_of(" \t\r\n");
  if (at == text.npos || text[at] != '{') return false;
  at = text.find_first_not_of(" \t\r\n", at + 1);
  return at != text.npos && text.compare(at, 6, "lambda") == 0;
}

}  // namespace

std::string read_text(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw FormatError(path + ": " + (error ? error.message() : "not a regular file"));
  errno = 0;
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  const auto size = in ? static_cast<std::streamoff>(in.tellg()) : -1;
  if (size < 0) throw FormatError(path + ": " + std::strerror(errno));
  std::string text(size, '\0');
  in.seekg(0);
  if (!in.read(text.data(), size)) throw FormatError(path + ": reading failed");
  return text;
}

ProgramFile load_program(const std::string& path) {
  const std::string text = read_text(path);
  ProgramFile p;
  if (is_jaxpr(path, text)) {
    try {
      p.program = {open_constants(read_jaxpr(text)), {}};
    } catch (const ParseError& e) {
      throw ParseError(fmt::format("{}: {}", path, e.what()));
    }
    for (int i = 0; i < p.program.jaxpr->n_in; ++i) p.names.push_back(variable_name(i));
  } else {
    p.program = parse_stablehlo(text, path);
    for (size_t i = 0; i < p.program.in_types().size(); ++i)
      p.names.push_back(fmt::format("arg{}", i));
  }
  return p;
}

}  // namespace weft::tools

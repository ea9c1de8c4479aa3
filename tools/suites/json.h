// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/suites/json.h: JSON text, read strictly (RFC 8259).
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace weft::tools {

struct Json {
  enum class Kind { null, boolean, number, string, list, object };
  Kind kind = Kind::null;
  bool boolean = false;
  double number = 0;
  std::string string;
  std::vector<Json> list;
  std::map<std::string, Json> object;
};

// FormatError with line and column; `name` stands for the text. Nesting ends at depth 100.
Json parse_json(std::string_view text, const std::string& name);

}  // namespace weft::tools

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/interop/shared_data.h: finds the conformance data, which is in a folder next to the source
// tree and not a part of it.
#pragma once
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "support/catch.h"

namespace weft::testing {

// Returns $WEFT_SHARED/conformance/NAME, or the folder in ../shared. If it does not exist, returns
// "" and prints a line that says so.
inline std::string conformance_path(const std::string& name) {
  const char* set = std::getenv("WEFT_SHARED");
  const std::filesystem::path shared =
      set ? std::filesystem::path(set)
          : std::filesystem::path(WEFT_TEST_DIR).parent_path().parent_path() / "shared";
  const std::filesystem::path path = shared / "conformance" / name;
  if (std::filesystem::exists(path)) return path.string();
  WARN("skipped: there is no " << path.string() << " (WEFT_SHARED names the folder)");
  return {};
}

inline std::vector<std::string> files_in(const std::string& folder, const std::string& extension) {
  std::vector<std::string> files;
  for (const auto& f : std::filesystem::recursive_directory_iterator(folder))
    if (f.path().extension() == extension) files.push_back(f.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace weft::testing

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/interop/shared_data.h: the conformance data, which lies beside the source tree and is not
// a part of it.
#pragma once
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "catch.h"

namespace weft::testing {

// $WEFT_SHARED/conformance/NAME, or that in ../shared; empty, with a line that says so, if absent.
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

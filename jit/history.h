// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/history.h: records what a callable was compiled for. It explains why a callable is compiled
// again (WEFT_LOG=info), and warns if only static values keep causing that.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/ir.h"
#include "weft/error.h"
#include "weft/tree.h"
#include "weft/type.h"

namespace weft::detail {

class History {
 public:
  // Records another program of the function `name`, created at `at`, and returns the reason for it.
  // Warns once, at the fifth program that differs from others only by static values.
  std::string add(const char* name, Location at, const Types& types,
                  const tree::detail::Skeleton& args);

 private:
  // Pairs of path ("args[1].rate") and value.
  using Values = std::vector<std::pair<std::string, std::string>>;
  static constexpr size_t max_forms = 64;
  void warn(const char* name, Location at, const std::vector<Values>& seen);
  std::map<std::string, std::vector<Values>> forms_;  // the key is everything except static values
  std::string last_types_;
  bool warned_ = false;
};

}  // namespace weft::detail

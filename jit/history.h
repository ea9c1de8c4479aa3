// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/history.h: what a callable was compiled for: why it is compiled again (WEFT_LOG=info), and a
// warning where static values alone are the reason, again and again.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "weft/core/error.h"
#include "weft/core/ir.h"
#include "weft/core/type.h"
#include "weft/tracer/tree.h"

namespace weft::detail {

class History {
 public:
  // Notes one more program of the function `name`, made at `at`, and says why there is one more.
  // The fifth that differs from others by static values alone is a warning, once.
  std::string add(const char* name, Location at, const Types& types, const tree::Skeleton& args);

 private:
  using Values = std::vector<std::pair<std::string, std::string>>;  // by path: "args[1].rate"
  static constexpr size_t most_forms = 64;
  void warn(const char* name, Location at, const std::vector<Values>& seen);
  std::map<std::string, std::vector<Values>> forms_;  // by all that is not a static value
  std::string last_types_;
  bool warned_ = false;
};

}  // namespace weft::detail

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/calls/platform_index.cpp: the number of the platform that a program is compiled for.
// It is known when the program is simplified, and so is the branch that it chooses.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "weft/core/loops/platform.h"
#include "weft/ops/control/calls/calls.h"
#include "weft/ops/kit/kit.h"

namespace weft {
namespace {

struct PlatformIndex {
  Strings platforms;
  bool has_default = true;
  WEFT_FIELDS(platforms, has_default)
};

Array number_of(const PlatformIndex& p, const std::string& platform) {
  const auto it = std::find(p.platforms.begin(), p.platforms.end(), platform);
  if (it == p.platforms.end() && !p.has_default)
    throw CompileError(fmt::format(
        "platform_dependent: there is no implementation for platform '{}', only for {}; "
        "give it a default",
        platform, fmt::join(p.platforms, ", ")));
  return scalar_of_int(I32, it - p.platforms.begin());
}

const Primitive<PlatformIndex>& platform_index_op = define<PlatformIndex>({
    .name = "platform_index",
    .doc = "The number of the platform that the program is compiled for.",
    .type =
        [](const Types& in, const PlatformIndex& p) {
          require_operands("platform_index", in, 0);
          for (const std::string& s : p.platforms)
            if (!is_platform(s)) reject_dtype("platform_index", "'" + s + "' is no platform", in);
          return Types{Type(I32, {})};
        },
    .reference = [](const Arrays&, const PlatformIndex& p) -> Arrays {
      return {number_of(p, "cpu")};
    },
    .batch =
        [](const BatchArgs<PlatformIndex>& b) {
          return Batched{{b.op.bind({}, b.params)}, {std::nullopt}};
        },
    .expand = [](const ExpandArgs<PlatformIndex>& e) -> Arrays {
      return {number_of(e.params, current_platform())};
    },
    .simplify = [](const SimplifyArgs<PlatformIndex>& s) -> Arrays {
      return {number_of(s.params, current_platform())};
    },
    .samples =
        [] {
          return std::vector<Sample<PlatformIndex>>{{{}, {{"cpu", "cuda"}, false}},
                                                    {{}, {{"cuda"}, true}}};
        },
    .rejects =
        [] {
          return std::vector<Reject<PlatformIndex>>{{{}, {{"abacus"}, true}, "is no platform"}};
        },
});

}  // namespace

bool is_platform(const std::string& name) { return name == "cpu" || name == "cuda"; }

Array platform_index(const Strings& platforms, bool has_default) {
  return platform_index_op.bind({}, {platforms, has_default})[0];
}

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// cmake/std.h: the precompiled header of the library. Every file still includes all headers that it
// uses: `./dev check` compiles without this one.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

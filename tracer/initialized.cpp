// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/initialized.cpp: the error for arguments with empty handles.
#include "tracer/initialized.h"

#include <fmt/format.h>

namespace weft {

void detail::require_initialized(const char* who, const Arrays& leaves,
                                 FunctionRef<tree::detail::Skeleton()> tree, const char* root) {
  for (size_t i = 0; i < leaves.size(); ++i)
    if (leaves[i].empty_handle())
      throw ShapeError(fmt::format(
          "{}: {} is an empty Array: it was declared, but never given a value; assign one first",
          who, tree::detail::paths(tree(), root)[i]));
}

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/initialized.h: checks that the Arrays of an argument have a value.
#pragma once
#include "core/ir.h"
#include "weft/detail/ref.h"
#include "weft/tree.h"

namespace weft::detail {

// ShapeError "WHO: ROOT[1].w is an empty Array" for the first leaf that is an empty handle.
void require_initialized(const char* who, const Arrays& leaves,
                         FunctionRef<tree::detail::Skeleton()> tree, const char* root);

}  // namespace weft::detail

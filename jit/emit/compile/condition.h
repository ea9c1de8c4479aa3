// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/compile/condition.h: the kernel that sets the condition of a graph node.
#pragma once
#include <string>

#include "jit/schedule/target.h"

namespace weft::compiler {

// Returns the image (jit/emit/compile/image.h) of the setter of cuda::Condition, the kernel
// `condition_entry`. While the program must stop, it sets every condition to false. It calls
// cudaGraphSetConditional, which the driver resolves when it loads the image.
inline constexpr const char* condition_entry = "weft_condition";
std::string condition_image(const TargetInfo& target);

}  // namespace weft::compiler

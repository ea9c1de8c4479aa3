// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/gpu/condition.h: the kernel that says what a node of a graph hangs on.
#pragma once
#include <string>

#include "weft/jit/schedule/target.h"

namespace weft::compiler {

// The image (jit/emit/image.h) of the setter of cuda::Condition, the kernel `condition_entry`. When
// it is to stop no condition holds. cudaGraphSetConditional is the driver's, which finds it when it
// loads the image.
inline constexpr const char* condition_entry = "weft_condition";
std::string condition_image(const TargetInfo& target);

}  // namespace weft::compiler

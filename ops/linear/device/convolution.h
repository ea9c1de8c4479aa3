// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/device/convolution.h: convolutions by a library of a GPU.
#pragma once
#include "weft/ops/linear/conv_params.h"

namespace weft::device_calls {

// One to three axes in space, nothing between the elements of lhs, padding that no whole window
// lies in, no groups of images.
bool takes_convolution(const Use<Conv>& u);
// Its `axis_map` is for the caller to say.
NativeCall convolution(const Use<Conv>& u);

}  // namespace weft::device_calls

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/device/convolution.h: calls of a GPU library for convolutions.
#pragma once
#include "ops/linear/conv_params.h"

namespace weft::device_calls {

// True if the library supports the convolution. It supports one to three spatial axes without lhs
// dilation and without batch groups. No window may be entirely in the padding.
bool takes_convolution(const Use<Conv>& u);
// The caller sets `axis_map`.
NativeCall convolution(const Use<Conv>& u);

}  // namespace weft::device_calls

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/structure/device_put.h: moving a value to a device.
#pragma once
#include "weft/tracer/array.h"

namespace weft {

// x in the memory of a device of devices(), where what is computed from it is computed, too; x
// itself if it lies there. In a compiled program, which runs on one device, that device.
// DeviceError for any other. Source: JAX's device_put.
Array device_put(const typing::Arg& x, const std::string& device);

}  // namespace weft

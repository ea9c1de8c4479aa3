// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/device/device_put.h: moves a value to a device.
#pragma once
#include "weft/array.h"

namespace weft {

// Copies x to the memory of a device from devices(), where computations on it then run. Returns x
// itself if it is already there. In a compiled program, which runs on one device, this must be that
// device; any other throws DeviceError. Source: JAX's device_put.
Array device_put(const typing::Arg& x, const std::string& device);

}  // namespace weft

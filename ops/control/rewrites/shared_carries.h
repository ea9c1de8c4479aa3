// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/rewrites/shared_carries.h: divides a scan whose steps compute small values beside
// large ones, such as the covariance of a Kalman filter beside the means of all lanes.
#pragma once
#include "ops/control/control_flow.h"

namespace weft {

// Returns the results of scan p on x, computed by two scans: one of the small carries, which stacks
// what the other one reads of them. Returns {} if that does not save work.
Arrays with_shared_carries_apart(const Arrays& x, const Scan& p);

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/onednn.h: what all callers of oneDNN do first.
#pragma once

namespace weft::native {

// oneDNN's threads are OpenMP's; threads are ours, so each caller is told to use one. The setting
// belongs to the thread.
void one_openmp_thread();

}  // namespace weft::native

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/ir.h: lets Weft's own files name what stands in weft::ir without saying so. Headers that
// users include write ir:: instead (cmake/install.cmake refuses this file there), so that names
// like Node, Buffer, Source or Function stay free for programs that use namespace weft.
#pragma once

namespace weft {
namespace ir {}
using namespace ir;
}  // namespace weft

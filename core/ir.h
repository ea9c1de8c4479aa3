// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/ir.h: lets Weft's own files name what stands in weft::ir and weft::typing without saying
// so. Headers that users include write ir:: and typing:: instead (cmake/install.cmake refuses this
// file there), so that names like Node, Buffer, Type or Slice stay free for programs that use
// namespace weft.
#pragma once

namespace weft {
namespace ir {}
namespace typing {}
using namespace ir;
using namespace typing;
}  // namespace weft

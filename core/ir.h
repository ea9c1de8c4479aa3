// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/ir.h: lets Weft's own files use the names of weft::ir and weft::typing without a prefix.
// Headers that users include write ir:: and typing:: instead (cmake/install.cmake rejects this file
// there). So names like Node, Buffer, Type or Slice stay free for programs that use namespace weft.
#pragma once

namespace weft {
namespace ir {}
namespace typing {}
using namespace ir;
using namespace typing;
}  // namespace weft

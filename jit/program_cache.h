// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/program_cache.h: the compiled programs of the process.
#pragma once

namespace weft::compiler {

// Empties the cache. Programs in use live until their users drop them.
void clear_program_cache();

}  // namespace weft::compiler

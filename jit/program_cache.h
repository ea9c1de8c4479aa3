// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/program_cache.h: the compiled programs of the process.
#pragma once

namespace weft::compiler {

// Forgets all; those in use live on with their users.
void clear_program_cache();

}  // namespace weft::compiler

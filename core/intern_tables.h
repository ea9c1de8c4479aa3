// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/program_table.h: the lock of the table of interned programs, for a process that forks.
#pragma once

namespace weft {

bool try_lock_programs();
void unlock_programs();

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/intern_tables.h: the locks of the tables of interned programs and types, for a process that
// forks.
#pragma once

namespace weft {

bool try_lock_programs();
void unlock_programs();
bool try_lock_types();
void unlock_types();

}  // namespace weft

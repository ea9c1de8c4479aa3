// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/weft/interrupts.h: Ctrl-C stops the running call through weft::interrupt(); a second one
// ends the process.
#pragma once

namespace weft::tools {

void catch_interrupts();
// Throws InterruptedError, which names the unfinished work, if Ctrl-C was pressed.
void check_interrupt(const char* what);

}  // namespace weft::tools

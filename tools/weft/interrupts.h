// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/weft/interrupts.h: Ctrl-C ends what runs through weft::interrupt(); a second one ends the
// process.
#pragma once

namespace weft::tools {

void catch_interrupts();
// InterruptedError, naming what is left undone, if Ctrl-C was pressed.
void check_interrupt(const char* what);

}  // namespace weft::tools

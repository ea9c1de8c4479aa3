// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/interrupts.cpp: a thread that waits for SIGINT, since a signal handler may not lock.
#include "weft/tools/interrupts.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "weft/core/error.h"
#include "weft/runtime/stop.h"
#include "weft/tools/command.h"

namespace weft::tools {
namespace {
std::atomic<bool> pressed{false};
}  // namespace

void catch_interrupts() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  // Threads made later inherit the mask, so only the waiting thread gets the signal.
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::thread([set] {
    for (;;) {
      int signal = 0;
      if (sigwait(&set, &signal) != 0) continue;
      if (pressed.exchange(true)) _exit(interrupted);
      interrupt();
    }
  }).detach();
}

void check_interrupt(const char* what) {
  if (pressed) throw InterruptedError(fmt::format("{}: interrupted", what));
}

}  // namespace weft::tools

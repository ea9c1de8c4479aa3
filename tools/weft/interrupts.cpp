// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/weft/interrupts.cpp: a signal handler may not lock, so it wakes a thread that calls
// interrupt(). Only that thread receives the signal, so computing threads are not disturbed.
#include "tools/weft/interrupts.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "runtime/thread_stack.h"
#include "tools/weft/command.h"
#include "weft/error.h"
#include "weft/stop.h"

namespace weft::tools {
namespace {

std::atomic<bool> pressed{false};
int wake[2] = {-1, -1};

void on_interrupt(int) {
  if (pressed.exchange(true)) _exit(interrupted);
  const int before = errno;
  const ssize_t sent = write(wake[1], "", 1);
  (void)sent;  // the pipe is empty, so it takes one byte
  errno = before;
}

}  // namespace

void catch_interrupts() {
  if (pipe(wake) != 0) return;  // then Ctrl-C ends the process immediately
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // also for threads started from here
  start_detached_thread([signals] {
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
    char byte = 0;
    while (read(wake[0], &byte, 1) < 0 && errno == EINTR) {
    }
    interrupt();
    for (;;) pause();  // waits for the second Ctrl-C
  });
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
}

void check_interrupt(const char* what) {
  if (pressed) throw InterruptedError(fmt::format("{}: interrupted", what));
}

}  // namespace weft::tools

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/laws/process.cpp: measures a program in a process of its own, which sends its findings
// through a pipe.
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <optional>
#include <system_error>

#include "benchmarks/laws/report.h"
#include "weft/device/threads.h"

namespace weft::speed {
namespace {

[[noreturn]] void work(int to, const Source& source, const Settings& settings, double seconds) {
  int status = 1;
  try {
    set_num_threads(1);
    const std::string text = to_text(measure(source, settings, seconds));
    size_t at = 0;
    while (at < text.size()) {
      const ssize_t n = write(to, text.data() + at, text.size() - at);
      if (n <= 0) break;
      at += static_cast<size_t>(n);
    }
    status = at == text.size() ? 0 : 1;
  } catch (...) {
    status = 1;
  }
  _exit(status);
}

// The text that the process sends until it ends, or nothing if that takes too long.
std::optional<std::string> received(int from, const Deadline& end) {
  std::string text;
  char buffer[65536];
  while (end.left() > 0) {
    pollfd wait{from, POLLIN, 0};
    if (poll(&wait, 1, 200) <= 0) continue;
    const ssize_t n = read(from, buffer, sizeof buffer);
    if (n == 0) return text;
    if (n > 0) text.append(buffer, static_cast<size_t>(n));
  }
  return std::nullopt;
}

}  // namespace

Measured measure_apart(const Source& source, const Settings& settings, double seconds) {
  int ends[2];
  if (pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    close(ends[0]);
    work(ends[1], source, settings, seconds);
  }
  close(ends[1]);
  // A measurement that began in time may end a little later.
  const std::optional<std::string> text = received(ends[0], Deadline(2 * seconds + 10));
  if (!text) kill(child, SIGKILL);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  Measured failure;
  if (!text)
    failure.refused.push_back(source.name + ", all laws: it does not end");
  else if (WIFSIGNALED(status))
    failure.refused.push_back(
        fmt::format("{}, all laws: signal {}", source.name, WTERMSIG(status)));
  else if (WEXITSTATUS(status) != 0)
    failure.refused.push_back(source.name + ", all laws: its process failed");
  else
    return from_text(*text);
  return failure;
}

}  // namespace weft::speed

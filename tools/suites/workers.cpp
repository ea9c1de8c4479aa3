// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tools/suites/workers.cpp: worker processes, the pipes to them, and their deadlines.
#include "tools/suites/workers.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <vector>

#include "weft/error.h"

namespace weft::tools {
namespace {

using Clock = std::chrono::steady_clock;

// Sends or receives a whole message, which the system may split. Returns false at the end or on an
// error.
bool send_all(int fd, const void* data, size_t n) {
  const char* p = static_cast<const char*>(data);
  while (n > 0) {
    const ssize_t k = send(fd, p, n, MSG_NOSIGNAL);
    if (k < 0 && errno == EINTR) continue;
    if (k <= 0) return false;
    p += k;
    n -= static_cast<size_t>(k);
  }
  return true;
}
bool receive_all(int fd, void* data, size_t n) {
  char* p = static_cast<char*>(data);
  while (n > 0) {
    const ssize_t k = recv(fd, p, n, 0);
    if (k < 0 && errno == EINTR) continue;
    if (k <= 0) return false;
    p += k;
    n -= static_cast<size_t>(k);
  }
  return true;
}

// The loop of a worker: receives a number and sends an answer until the caller closes the socket.
[[noreturn]] void serve(int fd, FunctionRef<std::string(size_t)> work) {
  for (uint64_t task = 0; receive_all(fd, &task, sizeof task);) {
    const std::string answer = work(static_cast<size_t>(task));
    const uint64_t size = answer.size();
    if (!send_all(fd, &size, sizeof size) || !send_all(fd, answer.data(), answer.size())) break;
  }
  // Exits without destructors, because the objects belong to the caller.
  std::fflush(nullptr);
  _exit(0);
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return fmt::format("its process ended with code {}", WEXITSTATUS(status));
}

class Worker {
 public:
  Worker(FunctionRef<std::string(size_t)> work, const std::vector<Worker>& others) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) refuse("socketpair");
    std::fflush(nullptr);
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ < 0) refuse("fork");
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(0);
      close(ends[0]);
      for (const Worker& w : others)
        if (w.fd >= 0) close(w.fd);
      serve(ends[1], work);
    }
    close(ends[1]);
    fd = ends[0];
  }

  void give(size_t task) {
    task_ = task;
    begun_ = Clock::now();
    used_before_ = processor_seconds();
    const uint64_t word = task;
    (void)send_all(fd, &word, sizeof word);  // if the worker is gone, reading the answer reports it
  }
  std::optional<size_t> task() const { return task_; }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begun_).count(); }
  bool late(const TaskLimits& limits) const {
    return seconds() > limits.clock || processor_seconds() - used_before_ > limits.processor;
  }
  // The worker's answer, or how its process ended.
  Outcome take() {
    Outcome o;
    task_.reset();
    uint64_t size = 0;
    if (receive_all(fd, &size, sizeof size)) {
      o.answer.resize(size);
      if (receive_all(fd, o.answer.data(), size)) return o;
    }
    return {Outcome::How::crashed, how_it_ended(end())};
  }
  Outcome kill_it() {
    const Outcome o{Outcome::How::timed_out, ""};
    task_.reset();
    kill(pid_, SIGKILL);
    (void)end();
    return o;
  }
  // Closes the socket and waits for the process.
  int end() {
    int status = 0;
    if (fd >= 0) close(fd);
    fd = -1;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }

  int fd = -1;

 private:
  [[noreturn]] static void refuse(const char* what) {
    throw OutOfMemoryError(
        fmt::format("cannot start a process: {}: {}", what, std::strerror(errno)));
  }
  // CPU seconds of the whole process so far; 0 if it has ended.
  double processor_seconds() const {
    clockid_t clock;
    timespec t = {};
    if (clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &t) != 0) return 0;
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
  }
  pid_t pid_ = -1;
  double used_before_ = 0;
  std::optional<size_t> task_;
  Clock::time_point begun_;
};

}  // namespace

void run_in_workers(size_t n, int jobs, const TaskLimits& limits,
                    FunctionRef<std::string(size_t)> work,
                    FunctionRef<void(size_t, const Outcome&)> done) {
  const size_t wanted = std::min(n, static_cast<size_t>(std::max(jobs, 1)));
  std::vector<Worker> workers;
  workers.reserve(wanted);
  size_t next = 0, left = n;
  while (workers.size() < wanted) workers.emplace_back(work, workers);
  while (left > 0) {
    std::vector<pollfd> fds;
    for (Worker& w : workers) {
      if (!w.task() && next < n) w.give(next++);
      fds.push_back({w.task() ? w.fd : -1, POLLIN, 0});
    }
    // The interval at which deadlines are checked.
    constexpr int milliseconds = 100;
    if (poll(fds.data(), fds.size(), milliseconds) < 0 && errno != EINTR) break;
    for (size_t k = 0; k < workers.size(); ++k) {
      Worker& w = workers[k];
      if (!w.task()) continue;
      const size_t task = *w.task();
      const bool late = w.late(limits);
      if (!fds[k].revents && !late) continue;
      const Outcome o = fds[k].revents ? w.take() : w.kill_it();
      --left;
      done(task, o);
      if (w.fd < 0 && next < n) w = Worker(work, workers);
    }
  }
  for (Worker& w : workers)
    if (w.fd >= 0) (void)w.end();
}

}  // namespace weft::tools

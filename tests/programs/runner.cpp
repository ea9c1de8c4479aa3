// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/runner.cpp: worker processes, each with a pipe of messages.
#include "programs/runner.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>

#include "weft/device.h"
#include "weft/device/threads.h"

namespace weft::programs {
namespace {

using Clock = std::chrono::steady_clock;

// ---- messages: a length, then fields that end in zeros

void send(int fd, const std::vector<std::string>& fields) {
  std::string s(sizeof(uint32_t), '\0');
  for (const std::string& f : fields) s += f + '\0';
  const auto size = static_cast<uint32_t>(s.size() - sizeof(uint32_t));
  std::memcpy(s.data(), &size, sizeof size);
  for (size_t at = 0; at < s.size();) {
    const ssize_t n = write(fd, s.data() + at, s.size() - at);
    if (n <= 0) _exit(3);
    at += static_cast<size_t>(n);
  }
}
// Removes a whole message from the front of the input. Returns false without one.
bool take(std::string& read, std::vector<std::string>& fields) {
  uint32_t size;
  if (read.size() < sizeof size) return false;
  std::memcpy(&size, read.data(), sizeof size);
  if (read.size() < sizeof size + size) return false;
  fields.clear();
  const std::string body = read.substr(sizeof size, size);
  for (size_t at = 0; at < body.size();) {
    const size_t end = body.find('\0', at);
    fields.push_back(body.substr(at, end - at));
    at = end + 1;
  }
  read.erase(0, sizeof size + size);
  return true;
}

struct Worker {
  pid_t pid = -1;
  int fd = -1;
  std::string read;
  bool busy = false;
  uint64_t seed = 0;
  int stack = -1;
  Clock::time_point since;
  double used = 0;  // processor seconds at `since`
};

template <class F>
Worker start(F work) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error("no process");
  if (pid == 0) {
    close(ends[0]);
    const int null = open("/dev/null", O_WRONLY);
    dup2(null, 1);
    dup2(null, 2);
    set_num_threads(1);
    try {  // in the worker, since a driver does not survive a fork
      if (const char* device = std::getenv("WEFT_PROGRAMS_DEVICE")) weft::default_device(device);
    } catch (const std::exception& e) {
      send(ends[1], {e.what()});
      _exit(1);
    }
    work(ends[1]);
    _exit(0);
  }
  close(ends[1]);
  Worker w;
  w.pid = pid;
  w.fd = ends[0];
  w.since = Clock::now();
  return w;
}
// Reads the available input. Returns false at the end.
bool receive(Worker& w) {
  char buffer[65536];
  const ssize_t n = read(w.fd, buffer, sizeof buffer);
  if (n > 0) w.read.append(buffer, static_cast<size_t>(n));
  return n > 0;
}
const std::string ended_well = "exit status 0";
// Returns how it ended.
std::string finish(Worker& w) {
  int status = 0;
  waitpid(w.pid, &status, 0);
  close(w.fd);
  w.fd = -1;
  if (WIFSIGNALED(status)) return fmt::format("signal {}", WTERMSIG(status));
  return fmt::format("exit status {}", WEXITSTATUS(status));
}
// A new worker would fail in the same way, because this one had no program yet.
[[noreturn]] void give_up(const std::string& why) {
  throw std::runtime_error("a worker ended before it took a program: " + why);
}
double processor_seconds(pid_t pid) {
  clockid_t clock;
  timespec t{};
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0) return 0;
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}
// Returns the time that a worker has spent on its program. Processor time counts fully and elapsed
// time one fifth, because the machine may be busy or the worker may wait for JAX.
double age(const Worker& w) {
  const double all = std::chrono::duration<double>(Clock::now() - w.since).count();
  return std::max(processor_seconds(w.pid) - w.used, all / 5);
}

std::vector<std::string> fields_of(uint64_t seed, const Verdict& v) {
  return {std::to_string(seed), std::to_string(v.kind), v.oracle, v.what};
}

Verdict verdict_of(uint64_t seed, int stack) {
  try {
    Checking how;
    how.jax = stack >= 0;
    return check(generate(seed, stack), how);
  } catch (const std::exception& e) {
    return {Verdict::failed, "generator", e.what()};
  }
}

// ---- many programs

class Pool {
 public:
  explicit Pool(const Range& r) : r_(r), begin_(Clock::now()) {
    void* shared = mmap(nullptr, sizeof(std::atomic<uint64_t>), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    next_ = new (shared) std::atomic<uint64_t>(r.from);
  }
  ~Pool() {
    for (Worker& w : workers_) {
      if (w.fd < 0) continue;
      kill(w.pid, SIGKILL);
      finish(w);
    }
    munmap(next_, sizeof *next_);
  }
  Pool(const Pool&) = delete;

  Tally run() {
    for (int k = 0; k < r_.jobs; ++k) workers_.push_back(hired());
    while (!workers_.empty()) {
      std::vector<pollfd> wait;
      for (const Worker& w : workers_) wait.push_back({w.fd, POLLIN, 0});
      poll(wait.data(), wait.size(), 500);
      if (over()) *next_ = std::max(r_.to, next_->load());
      for (size_t k = workers_.size(); k-- > 0;)
        if (!attend(workers_[k], wait[k].revents != 0))
          workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(k));
    }
    return std::move(tally_);
  }

 private:
  bool over() const {
    const double t = std::chrono::duration<double>(Clock::now() - begin_).count();
    return (r_.seconds > 0 && t > r_.seconds) || tally_.failures.size() >= r_.max_failures;
  }
  Worker hired() {
    return start([this](int fd) {
      // The process is replaced from time to time, because leftovers of programs add up.
      for (int done = 0; done < 200; ++done) {
        const uint64_t seed = next_->fetch_add(1);
        if (seed >= r_.to) _exit(0);
        for (int stack = r_.stacks ? 0 : -1; stack < r_.stacks; ++stack) {
          send(fd, {std::to_string(seed), std::to_string(stack)});
          send(fd, fields_of(seed, verdict_of(seed, stack)));
        }
      }
    });
  }
  void record(const Worker& w, Verdict v) {
    ++tally_.count[v.kind];
    tally_.next = std::max(tally_.next, w.seed + 1);
    if (v.kind == Verdict::failed) tally_.failures.push_back({w.seed, std::move(v), w.stack});
  }
  // Returns false if the worker has ended and there is no replacement.
  bool attend(Worker& w, bool ready) {
    bool alive = true;
    if (ready) {
      alive = receive(w);
      std::vector<std::string> m;
      while (take(w.read, m)) {
        if (m.size() == 1) give_up(m[0]);
        w.since = Clock::now();
        w.used = processor_seconds(w.pid);
        w.seed = std::stoull(m[0]);
        w.busy = m.size() == 2;
        if (w.busy)
          w.stack = std::stoi(m[1]);
        else
          record(w, {static_cast<Verdict::Kind>(std::stoi(m[1])), m[2], m[3]});
      }
    }
    const bool hangs = alive && w.busy && age(w) > r_.each;
    if (alive && !hangs) return true;
    if (hangs) kill(w.pid, SIGKILL);
    const std::string end = finish(w);
    if (w.busy)
      record(w, {Verdict::failed, hangs ? "hang" : "crash",
                 hangs ? fmt::format("no answer in {} s of computing", r_.each) : end});
    else if (end != ended_well)
      give_up(end);
    if (next_->load() >= r_.to) return false;
    w = hired();
    return true;
  }

  Range r_;
  Clock::time_point begin_;
  std::atomic<uint64_t>* next_;
  std::vector<Worker> workers_;
  Tally tally_;
};

}  // namespace

Tally check_range(const Range& r) { return Pool(r).run(); }

Verdict check_one(const Program& p, const Checking& how, double seconds, std::string* text) {
  Worker w = start([&](int fd) {
    const Verdict v = check(p, how);
    send(fd, fields_of(p.seed, v));
    if (text && v.kind != Verdict::fine) send(fd, {described(p, v)});
  });
  std::vector<std::string> m;
  std::optional<Verdict> v;
  bool alive = true, hangs = false;
  while (alive && !hangs) {
    pollfd wait{w.fd, POLLIN, 0};
    poll(&wait, 1, 100);
    if (wait.revents) alive = receive(w);
    while (take(w.read, m)) {
      if (!v && m.size() == 1) {
        finish(w);
        give_up(m[0]);
      }
      if (!v)
        v = Verdict{static_cast<Verdict::Kind>(std::stoi(m[1])), m[2], m[3]};
      else
        *text = m[0];
    }
    hangs = age(w) > seconds;
  }
  if (hangs) kill(w.pid, SIGKILL);
  const std::string end = finish(w);
  if (!v) v = Verdict{Verdict::failed, hangs ? "hang" : "crash", hangs ? "no answer" : end};
  if (text && text->empty() && v->kind != Verdict::fine) *text = described(p, *v);
  return *v;
}

}  // namespace weft::programs

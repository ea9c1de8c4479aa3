// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/jax_side.cpp: starts the Python process (tests/programs/jax_side.py) and exchanges
// messages with it.
#include "programs/jax_side.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <sstream>
#include <stdexcept>

#include "tracer/concrete.h"

namespace weft::programs {
namespace {

class Process {
 public:
  Process() {
    int to[2], from[2];
    if (pipe(to) != 0 || pipe(from) != 0) throw std::runtime_error("no pipe");
    const std::string python = jax_python(), script = WEFT_TEST_DIR "/programs/jax_side.py";
    pid_ = fork();
    if (pid_ == 0) {
      dup2(to[0], 0);
      dup2(from[1], 1);
      for (int fd : {to[0], to[1], from[0], from[1]}) close(fd);
      execl(python.c_str(), python.c_str(), script.c_str(), nullptr);
      _exit(127);
    }
    close(to[0]);
    close(from[1]);
    to_ = to[1];
    from_ = from[0];
  }
  ~Process() {
    close(to_);
    close(from_);
    waitpid(pid_, nullptr, 0);
  }
  Process(const Process&) = delete;

  void number(int64_t n) { bytes(&n, sizeof n); }
  void text(const std::string& s) {
    number(static_cast<int64_t>(s.size()));
    bytes(s.data(), s.size());
  }
  void array(const Array& a) {
    std::string head = numpy_name(a.dtype());
    for (int64_t n : a.shape()) head += fmt::format(" {}", n);
    text(head);
    bytes(concrete(a).data(), static_cast<size_t>(a.type().bytes()));
  }
  int64_t read_number() {
    int64_t n = 0;
    read_bytes(&n, sizeof n);
    return n;
  }
  std::string read_text() {
    std::string s(static_cast<size_t>(read_number()), '\0');
    read_bytes(s.data(), s.size());
    return s;
  }
  Array read_array() {
    std::istringstream head(read_text());
    std::string name;
    head >> name;
    Ints shape;
    for (int64_t n; head >> n;) shape.push_back(n);
    for (int d = 0; d < static_cast<int>(Key); ++d)
      if (name == numpy_name(static_cast<DType>(d))) {
        Fresh f = fresh_array(Type(static_cast<DType>(d), shape));
        read_bytes(f.data, static_cast<size_t>(f.array.type().bytes()));
        return f.array;
      }
    throw std::runtime_error("JAX gives an array of " + name);
  }

 private:
  void bytes(const void* p, size_t n) {
    for (size_t at = 0; at < n;) {
      const ssize_t k = write(to_, static_cast<const char*>(p) + at, n - at);
      if (k <= 0) throw std::runtime_error("JAX's process is gone");
      at += static_cast<size_t>(k);
    }
  }
  void read_bytes(void* p, size_t n) {
    for (size_t at = 0; at < n;) {
      const ssize_t k = read(from_, static_cast<char*>(p) + at, n - at);
      if (k <= 0) throw std::runtime_error("JAX's process is gone");
      at += static_cast<size_t>(k);
    }
  }
  pid_t pid_;
  int to_, from_;
};

}  // namespace

std::string jax_python() {
  const std::string python = WEFT_TEST_DIR "/../build/venv/bin/python";
  return access(python.c_str(), X_OK) == 0 ? python : "";
}

Arrays run_by_jax(const std::string& stablehlo, const Arrays& x) {
  static std::unique_ptr<Process> process;
  if (!process) process = std::make_unique<Process>();
  try {
    process->text(stablehlo);
    process->number(static_cast<int64_t>(x.size()));
    for (const Array& a : x) process->array(a);
    const int64_t results = process->read_number();
    if (results >= 0) {
      Arrays out;
      for (int64_t k = 0; k < results; ++k) out.push_back(process->read_array());
      return out;
    }
  } catch (...) {
    process.reset();
    throw;
  }
  throw std::runtime_error(process->read_text());
}

}  // namespace weft::programs

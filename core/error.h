// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/error.h: the error classes of the public interface, and how they are raised.
#pragma once
#include <stdexcept>
#include <string>

namespace weft {

// Every mistake of a user, bad file or exhausted resource ends in one of these. The text says what
// was asked, what was given, where the value was made and what to do next.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct ShapeError : Error {
  using Error::Error;
};
struct DTypeError : Error {
  using Error::Error;
};
struct IndexError : Error {
  using Error::Error;
};
struct ConcretizationError : Error {
  using Error::Error;
};
struct LeakedTracerError : Error {
  using Error::Error;
};
struct AxisNameError : Error {
  using Error::Error;
};
struct BatchingError : Error {
  using Error::Error;
};
struct DifferentiationError : Error {
  using Error::Error;
};
struct CheckError : Error {
  using Error::Error;
};
struct CompileError : Error {
  using Error::Error;
};
struct OutOfMemoryError : Error {
  using Error::Error;
};
struct DeviceError : Error {
  using Error::Error;
};
struct ParseError : Error {
  using Error::Error;
};
struct FormatError : Error {
  using Error::Error;
};
struct InterruptedError : Error {
  using Error::Error;
};

// A bug of Weft itself, never the user's mistake. The text asks for a report.
struct InternalError : Error {
  explicit InternalError(const std::string& what)
      : Error("internal error: " + what + "\nThis is a bug in Weft, please report it.") {}
};

// Where a call was written; taken by default arguments, so operators and functions know their line.
struct Location {
  const char* file = "";
  int line = 0;
  static constexpr Location here(const char* f = __builtin_FILE(), int l = __builtin_LINE()) {
    return {f, l};
  }
  explicit operator bool() const { return line != 0; }
};
// "file.cpp:12"
std::string to_string(const Location& l);

}  // namespace weft

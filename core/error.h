// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/error.h: the error classes of the public interface, and the places in the user's code that
// their texts name.
#pragma once
#include <stdexcept>
#include <string>

namespace weft {

// Every mistake of a user, bad file or exhausted resource ends in one of these. The text says what
// was asked, what was given, where the value was made and what to do next; where the user's call is
// known (Source), its place is added: "… (at file.cpp:12)".
struct Error : std::runtime_error {
  explicit Error(const std::string& what);
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
  // Unknown in Weft's own files, which stand between the user's line and the call. Inlined, as the
  // folder may have another name where the library is compiled.
  [[gnu::always_inline]] static constexpr Location here(const char* f = __builtin_FILE(),
                                                        int l = __builtin_LINE()) {
    constexpr size_t folder = sizeof __FILE__ - sizeof "core/error.h";
    return __builtin_strncmp(f, __FILE__, folder) == 0 ? Location{} : Location{f, l};
  }
  constexpr explicit operator bool() const { return line != 0; }
};
// "file.cpp:12"
std::string to_string(const Location& l);

// Where the user wrote the call that is being processed: what errors name, and what values and
// equations remember. Everything a user calls tells its place with a Source, and so does an
// equation that runs again. The innermost place that is known counts: inside a transform that of
// the call in the user's function, if it has one (operator! takes none). Weft's own calls have no
// place, so what they do is at the line of the function they are part of.
//
//   grad(loss)(w)              what grad refuses is at the line of grad,
//     loss: softmax(dot(x, w)) what softmax or the exp inside it refuses at the line of softmax,
//                              and so is what goes wrong when that exp is transposed.
class Source {
 public:
  explicit Source(Location at);
  ~Source();
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  static Location current();

 private:
  Location before_;
};

// The text with " (at file.cpp:12)", the current place, unless it names a place already. Each
// Error's text goes through here when the error is made.
std::string with_place(const std::string& text);
// The same for an error that is on its way already.
void add_place(Error& e, Location at);

}  // namespace weft

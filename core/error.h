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

// Shapes, ranks or sizes that an operation does not take or that do not go together; trees of
// another structure than they must have; carries and branches whose types differ; counts that must
// not be negative (lengths, batch sizes); any use of an empty Array.
struct ShapeError : Error {
  using Error::Error;
};
// A dtype that an operation does not take, dtypes that have none in common (a key with anything
// else) or that lax:: wants to be equal, an integer literal that does not fit I32 and meets neither
// a 64-bit type nor F64, data<T>() of another T than the array's, and dtypes that a format of files
// has not.
struct DTypeError : Error {
  using Error::Error;
};
// An axis that an array has not, a known index out of range (a computed one clamps or drops; mode
// "check" makes it a CheckError), and a lane, a leaf or a step of a slice that there cannot be.
struct IndexError : Error {
  using Error::Error;
};
// The value of a traced Array is asked for: by bool(x), as in a C++ if or while, by item, to_vector
// or data, or where the size of a result depends on it, as of nonzero; also a computation with a
// ShapeDtypeStruct. The text names the value, says where it was made, and what to use: cond, where,
// while_loop, an option for the size. Source: jax.errors.ConcretizationTypeError,
// jax.errors.TracerBoolConversionError, jax.errors.TracerArrayConversionError,
// jax.errors.TracerIntegerConversionError and jax.errors.NonConcreteBooleanIndexError.
struct ConcretizationError : Error {
  using Error::Error;
};
// A traced value is used outside the transform that made it: it was stored in a variable outside
// the function, or a rule of custom_jvp or custom_vjp captured it. Values are to be returned, and
// passed as arguments. Source: jax.errors.UnexpectedTracerError.
struct LeakedTracerError : Error {
  using Error::Error;
};
// A name of an axis that no map being applied has ("unbound axis name 'i'"), a collective that
// names none or one of them twice, a position where it takes names alone, a spec with a name that
// its mesh has not, and any spmd_axis_name.
struct AxisNameError : Error {
  using Error::Error;
};
// A map that cannot be made: in_axes or out_axes that are no prefix of the tree or out of range,
// sizes of mapped axes that differ, out_axes none of a mapped result, a collective over an axis
// mapped in chunks, an operation without a batching rule where .strict is set, an unmapped random
// key where .randomness is "error", a rule of custom_vmap that returns other than it says.
struct BatchingError : Error {
  using Error::Error;
};
// A derivative that there is not: of a result that is not a real scalar, of integers, in reverse
// through a while_loop whose trips are not bounded, in forward mode of a custom_vjp, of a callback
// or custom_call without a rule, the transpose of what is not linear; and tangents, cotangents and
// results of rules of other types than the values have.
struct DifferentiationError : Error {
  using Error::Error;
};
// A check(pred, text, …) that failed, raised when the outermost call has run, with the text and the
// lane; an index out of range of mode "check"; a NaN among the results of a jit with .check_nans.
struct CheckError : Error {
  using Error::Error;
};
// A program that cannot be compiled: a function that calls itself for ever, more equations than are
// compiled at once or than .unroll writes out, arrays too large for one lane of a kernel; an
// implementation or a schedule that was asked for (WEFT_IMPL, WEFT_SCHEDULE, CompileOptions) and
// does not apply; a WEFT_CPU that this machine is not, a WEFT_NUM_THREADS that is no number of
// threads; what StableHLO text has no way to say.
struct CompileError : Error {
  using Error::Error;
};
// Memory for arrays, temporaries or the contents of a file that is not there, on the host or on a
// GPU, or that set_memory_limit does not allow. The text says how many bytes were asked for.
struct OutOfMemoryError : Error {
  using Error::Error;
};
// A device that is not among devices(), that fails, or cannot do what it is told, as call a
// function of the host; an array whose memory was donated; donate_argnums that the function has
// not; a DLPack tensor on another kind of device, or that would need a copy that is forbidden.
struct DeviceError : Error {
  using Error::Error;
};
// Text that is not well formed: a jaxpr, StableHLO, a file of schedules. It names line and column
// (of schedules the line). Also a jaxpr whose constants are not given, or are of other types.
struct ParseError : Error {
  using Error::Error;
};
// A file or a DLPack tensor that cannot be read, a file that cannot be written, and StableHLO text
// with what Weft does not have. The text names the file and the reason.
struct FormatError : Error {
  using Error::Error;
};
// A call was ended while it ran: by interrupt() or because its .time_limit was over. The text says
// by which.
struct InterruptedError : Error {
  using Error::Error;
};

// A bug of Weft itself, never the user's mistake. The text asks for a report.
struct InternalError : Error {
  explicit InternalError(const std::string& what);
};

namespace typing {
// Where a call was written; taken by default arguments, so operators and functions know their line.
struct Location {
  const char* file = "";
  int line = 0;
  const char* scope = "";  // "layer1/attention": the names of the scopes around it (named_scope)
  // Unknown in Weft's own files, which stand between the user's line and the call. Inlined, as the
  // folder may have another name where the library is compiled.
  [[gnu::always_inline]] static constexpr Location here(const char* f = __builtin_FILE(),
                                                        int l = __builtin_LINE()) {
    constexpr size_t folder = sizeof __FILE__ - sizeof "core/error.h";
    return __builtin_strncmp(f, __FILE__, folder) == 0 ? Location{} : Location{f, l};
  }
  constexpr explicit operator bool() const { return line != 0; }
};
// "file.cpp:12", "file.cpp:12 in layer1/attention".
std::string to_string(const Location& l);
}  // namespace typing
using typing::to_string;

// A name for what is computed while it lives, on this thread: errors and reports say it beside the
// line, "file.cpp:12 in layer1/attention" for a scope within another. It changes no value, and is
// no part of what tells programs apart. Behind named_scope layer("layer1") an error ends in "(at
// file.cpp:12 in layer1)". Source: jax.named_scope.
class [[nodiscard]] named_scope {
 public:
  explicit named_scope(const std::string& name);
  ~named_scope();
  named_scope(const named_scope&) = delete;
  named_scope& operator=(const named_scope&) = delete;

 private:
  const char* before_;
};

namespace ir {
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
  explicit Source(typing::Location at);
  ~Source();
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  static typing::Location current();

 private:
  typing::Location before_;
};

// The text with " (at file.cpp:12)", the current place, unless it names a place already. Each
// Error's text goes through here when the error is made.
std::string with_place(const std::string& text);
// The same for an error that is on its way already.
void add_place(Error& e, typing::Location at);
}  // namespace ir

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/error.h: the error classes of the public interface, and the source locations in user
// code that error texts name.
#pragma once
#include <stdexcept>
#include <string>

namespace weft {

// Every user mistake, bad file or exhausted resource raises one of these classes. The text says
// what was requested, what was given, where the value was made and what to do next. If the location
// of the user's call is known (Source), it is appended: "… (at file.cpp:12)".
struct Error : std::runtime_error {
  explicit Error(const std::string& what);
};

// Shapes, ranks or sizes that an operation does not accept or that do not fit each other. Also
// trees with the wrong structure, carries and branches whose types differ, and negative counts
// (lengths, batch sizes). Any use of an empty Array raises it, too.
struct ShapeError : Error {
  using Error::Error;
};
// A dtype that an operation does not accept, or dtypes without a common dtype (a key with anything
// else). Also unequal dtypes where lax:: requires equal ones, and a data<T>() whose T is not the
// array's type. Also an integer literal that does not fit I32 and is combined with neither a 64-bit
// integer type nor F64. Also a dtype that a file format does not support.
struct DTypeError : Error {
  using Error::Error;
};
// An axis that the array does not have, or a known index out of range. A computed index is clamped
// or dropped instead; mode "check" makes it a CheckError. Also a lane, a leaf or a slice step that
// is impossible.
struct IndexError : Error {
  using Error::Error;
};
// The program needs the value of a traced Array: in bool(x), as in a C++ if or while, or in item,
// to_vector or data. The size of a result can also depend on the value (nonzero). Also a
// computation with a ShapeDtypeStruct. The text names the value, where it was made, and what to use
// instead: cond, where, while_loop, or an option for the size. Source:
// jax.errors.ConcretizationTypeError, jax.errors.TracerBoolConversionError,
// jax.errors.TracerArrayConversionError, jax.errors.TracerIntegerConversionError and
// jax.errors.NonConcreteBooleanIndexError.
struct ConcretizationError : Error {
  using Error::Error;
};
// A traced value is used outside the transform that made it. For example, it was stored in a
// variable outside the function, or a rule of custom_jvp or custom_vjp captured it. Return such
// values, or pass them as arguments. Source: jax.errors.UnexpectedTracerError.
struct LeakedTracerError : Error {
  using Error::Error;
};
// An axis name that no enclosing map has ("unbound axis name 'i'"), or a collective that names no
// axis or one axis twice. Also a position where a name is required, a spec with a name that its
// mesh does not have, and any use of spmd_axis_name.
struct AxisNameError : Error {
  using Error::Error;
};
// A map that cannot be made. Its in_axes or out_axes are not a prefix of the tree or are out of
// range, or the sizes of mapped axes differ. Also out_axes of none for a mapped result, and a
// collective over an axis that is mapped in chunks. Also an operation without a batching rule under
// .strict, and an unmapped random key under .randomness "error". Also a custom_vmap rule whose
// results do not match its declaration.
struct BatchingError : Error {
  using Error::Error;
};
// A derivative that does not exist. Examples are derivatives of a result that is not a real scalar,
// of integers, or of a callback or custom_call without a rule. Also reverse mode through a
// while_loop without a bound on its trips, and forward mode of a custom_vjp. Also the transpose of
// a function that is not linear. Also tangents, cotangents and rule results whose types do not
// match the values.
struct DifferentiationError : Error {
  using Error::Error;
};
// A check(pred, text, …) that failed. It is raised when the outermost call has finished, with the
// text and the lane. Also an index out of range in mode "check", and a NaN among the results of a
// jit with .check_nans.
struct CheckError : Error {
  using Error::Error;
};
// A program that cannot be compiled: infinite recursion, or more equations than are compiled at a
// time or than .unroll may write out. Also arrays too large for one lane of a kernel, and an
// implementation or schedule that was requested (WEFT_IMPL, WEFT_SCHEDULE, CompileOptions) and does
// not apply. Also a WEFT_CPU that does not match this machine, a WEFT_NUM_THREADS that is not a
// thread count, and programs that StableHLO text cannot express.
struct CompileError : Error {
  using Error::Error;
};
// Memory for arrays, temporaries or the contents of a file is unavailable, on the host or on a GPU,
// or set_memory_limit forbids it. The text says how many bytes were requested.
struct OutOfMemoryError : Error {
  using Error::Error;
};
// A device that is not among devices(), that fails, or that cannot do what the program requires,
// such as calling a host function. Also an array whose memory was donated, and donate_argnums for
// arguments that the function does not have. Also a DLPack tensor on another kind of device, or one
// that needs a forbidden copy.
struct DeviceError : Error {
  using Error::Error;
};
// Malformed text: a jaxpr, StableHLO, or a file of schedules. The message names the line and column
// (only the line for schedules). Also a jaxpr whose constants are missing or have other types.
struct ParseError : Error {
  using Error::Error;
};
// A file or a DLPack tensor that cannot be read, or a file that cannot be written. Also StableHLO
// text with features that Weft does not have. The text names the file and the reason.
struct FormatError : Error {
  using Error::Error;
};
// A call was stopped while it ran, either by interrupt() or because its .time_limit expired. The
// text says which.
struct InterruptedError : Error {
  using Error::Error;
};

// A bug of Weft itself, never the user's mistake. The text requests a report.
struct InternalError : Error {
  explicit InternalError(const std::string& what);
};

namespace typing {
// The source location of a call. Default arguments capture it, so operators and functions know
// their line.
struct Location {
  const char* file = "";
  int line = 0;
  const char* scope = "";  // "layer1/attention": the enclosing named_scope names
  // Returns an unknown location for Weft's own files, because they are between the user's line and
  // the call. It is inlined: where the library is compiled, the folder may have another name.
  [[gnu::always_inline]] static constexpr Location here(const char* f = __builtin_FILE(),
                                                        int l = __builtin_LINE()) {
    constexpr size_t folder = sizeof __FILE__ - sizeof "error.h";
    return __builtin_strncmp(f, __FILE__, folder) == 0 ? Location{} : Location{f, l};
  }
  constexpr explicit operator bool() const { return line != 0; }
};
// "file.cpp:12", "file.cpp:12 in layer1/attention".
std::string to_string(const Location& l);
}  // namespace typing
using typing::to_string;

// Names the computations of this thread during the lifetime of the object. Errors and reports show
// the name beside the line, "file.cpp:12 in layer1/attention" for nested scopes. It changes no
// value, and programs that differ only in scopes compare equal. After named_scope layer("layer1")
// an error ends in "(at file.cpp:12 in layer1)". Source: jax.named_scope.
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
// The user's source location of the call that is being processed. Errors name it, and values and
// equations store it. Every public function sets it with a Source, and so does an equation that
// runs again. The innermost known location wins: inside a transform, that is the call in the user's
// function, if it has one (operator! does not capture a location). Calls inside Weft have no
// location, so their work has the location of the public function that contains them.
//
// Example: in grad(loss)(w), where loss computes softmax(dot(x, w)), an error of grad is at the
// line of grad. An error of softmax, or of the exp inside it, is at the line of softmax. So is an
// error in the transposition of that exp.
class SourceScope {
 public:
  explicit SourceScope(typing::Location at);
  ~SourceScope();
  SourceScope(const SourceScope&) = delete;
  SourceScope& operator=(const SourceScope&) = delete;
  static typing::Location current();

 private:
  typing::Location before_;
};

// The text with the current location appended, " (at file.cpp:12)", unless it names a location
// already. Every Error passes its text through this function when it is constructed.
std::string with_place(const std::string& text);
// Appends a location to the text of an error that is being propagated.
void add_place(Error& e, typing::Location at);
}  // namespace ir

}  // namespace weft

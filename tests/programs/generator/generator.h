// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/generator/generator.h: builds a function of a random program. It chooses values,
// converts them to the types that steps need, and appends steps.
#pragma once
#include "programs/program.h"

namespace weft::programs {

using FieldValues = std::vector<std::pair<std::string, ParamValue>>;

struct Dice {
  Random r;
  Ints pool;                // extents from which most axes of the program are chosen
  int budget = 0;           // how many steps may still be added
  bool full_lanes = false;  // a lane has many elements
  bool acts = false;        // the program has effects
  // Effects have no order between lanes; then vmap rules may have effects, too.
  bool loose = false;
  int effects = 0;  // the number of effects so far
  int below(int n) { return static_cast<int>(r.word() % static_cast<uint64_t>(n)); }
  int64_t below(int64_t n) { return static_cast<int64_t>(r.word() % static_cast<uint64_t>(n)); }
  bool one_in(int n) { return below(n) == 0; }
  template <class T>
  const T& pick(const std::vector<T>& v) {
    return v[static_cast<size_t>(below(static_cast<int>(v.size())))];
  }
  int64_t extent() { return one_in(6) ? new_extent() : pick(pool); }
  int64_t new_extent();
  Shape shape(int max_axes = 3);
};

// The surroundings of a function.
struct Around {
  int depth = 2;         // bodies may nest this deep
  bool smooth = false;   // F64, differentiable almost everywhere
  bool reverse = false;  // it needs a reverse-mode derivative
  bool forward = false;  // it needs a forward-mode derivative
  int derivatives = 0;   // the number of derivatives around it
  bool quiet = false;    // it must not have effects
  int64_t lanes = 1;     // for how many lanes it runs
  struct Name {
    std::string name;
    int64_t size;
    bool chunked;
  };
  std::vector<Name> names;  // mapped axes for which all lanes run it
};

// Thrown if a step would make values that are too large for a small program.
struct TooLarge {};

class FunctionGenerator {
 public:
  FunctionGenerator(Dice& dice, const Types& in, Around a) : dice_(dice), around_(std::move(a)) {
    f_.in = types_ = in;
  }
  FunctionGenerator(Dice& dice, Fn f, Around a)
      : dice_(dice), around_(std::move(a)), f_(std::move(f)) {
    types_ = f_.values();
  }
  // Appends steps of all kinds.
  void fill(int steps);
  Fn finish(std::vector<int> out);
  // Chooses some values as results. Later values are more likely.
  Fn finish();
  std::vector<int>& results() { return f_.out; }
  Fn take() { return std::move(f_); }

  const Type& type(int v) const { return types_[static_cast<size_t>(v)]; }
  int size() const { return static_cast<int>(types_.size()); }
  // Appends a step. Returns its first result, or -1 if the step is not well typed. op() throws
  // TooLarge.
  int add(Step s);
  int op(const char* name, std::vector<int> in, const FieldValues& fields = {});
  int constant(const Type& t, double lo = -2, double hi = 2);
  // Returns a value of type t that is made from v.
  int fit(int v, Type t);
  int any();  // some value
  int any_float();
  int floating(int v);  // v as a real float
  int scalar(DType d) { return fit(any(), Type(d, {})); }
  // Moves v smoothly into the range from lo to hi.
  int squashed(int v, double lo, double hi);
  int greater(int v, double bound);
  // The value that ends the loop of checked_end, everywhere in this function, or -1.
  int ending = -1;
  void add_checked_end();
  // Ends the function with its results as one scalar, or as real floats only.
  void end_with_loss();
  void end_with_floats();

 private:
  // ---- steps of one kind; false if none can be added now
  void add_any();
  bool add_plain();
  bool add_sample(const Op& op);
  bool add_structure();
  bool add_index();
  bool add_window(int v);
  bool add_update(int v);
  bool add_along(int v);
  bool add_product(int v);
  int indices(const Shape& s);
  bool add_fold();
  bool add_number();
  bool add_effect();
  bool add_function();
  bool add_collective();
  void add_order(Step& s);
  bool add_nested();
  bool add_cond();
  bool add_while();
  bool add_fori();
  bool add_scan();
  bool add_called();
  bool add_vmap();
  bool add_derivative();
  bool allowed(const Op& op, const Types& in) const;
  int adjusted_axis(int v, int axis, int64_t size);
  int fewer_axes(int v, int rank);
  int more_axes(int v, const Shape& s);
  DType some_float();
  std::vector<int> captures();
  int guarding();
  void capture_guard(Step& s, int guard) const;
  int carries(int least);
  int constant_of(size_t step) const;  // the result of that step
  Fn body(const Types& in, const std::vector<int>& captured, const Around& a, int steps,
          const Types* want);

  Dice& dice_;
  Around around_;
  Fn f_;
  Types types_;
};

// Puts a transform around a function. The inputs of the new function are those that the transform
// takes.
Fn wrapped(Dice& dice, Kind k, Fn f, const Around& a);

}  // namespace weft::programs

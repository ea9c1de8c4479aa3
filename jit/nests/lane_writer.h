// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/lane_writer.h: writes the equations of a program as the loop nest of one lane.
//
// A lane has one index in each grid class. It sees the inner axes of every value, those whose class
// is not in the grid. Small values are scalars, larger ones local arrays. Values that a pull rule
// defines are computed where they are read. Loops and branches become structured instructions, so
// everything that is local to the lane is in one kernel.
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/loops/combine.h"
#include "core/scalar/number.h"
#include "jit/fuse/analysis.h"
#include "jit/fuse/plan.h"
#include "jit/fuse/region.h"
#include "jit/nests/kernel_nest.h"

namespace weft::compiler {

// Combines accumulators with terms as a fold does. `in_order`: for pairs of a value and an index,
// the pairs of y have the higher indices.
std::vector<nest::Id> combine_with_term(nest::Builder& b, const std::vector<nest::Combine>& c,
                                        const std::vector<nest::Id>& x,
                                        const std::vector<nest::Id>& term, bool in_order);
std::vector<nest::Id> combine_all(nest::Builder& b, const std::vector<nest::Combine>& c,
                                  const std::vector<nest::Id>& x, const std::vector<nest::Id>& y,
                                  bool in_order = false);

std::vector<nest::Kind> kinds_of(nest::Builder& b, const std::vector<nest::Id>& ids);
// Appends the components of an element.
void push(std::vector<nest::Id>* ids, const Elem& e);
// Returns the terms of all accumulators of a fold at c: the components of each, in order.
std::vector<nest::Id> terms_at(const Lowering& l, Reader& reader, const Coords& c);

class LaneWriter {
 public:
  // in_memory[var]: the program's variable is read from a buffer. Values of up to `small` elements
  // per lane are scalars.
  LaneWriter(const Program& program, std::string name, const VarMap<bool>& in_memory,
             int64_t small = small_elements);

  // Values by frame number and variable. Writing the same kernel again gives the same numbers.
  using Values = std::set<std::pair<size_t, int32_t>>;
  // Keeps these values in arrays, even if they are small.
  void set_in_arrays(Values v) { in_arrays_ = std::move(v); }
  // Returns the values that were scalars but are read at an index known only at run time. Selecting
  // one of that many elements is faster from an array.
  const Values& dynamically_indexed() const { return dynamically_indexed_; }

  // The grid, outermost axis first. `flat`: one run-time axis over all of them.
  void set_grid(const std::vector<int64_t>& extents, bool flat);
  // Maps each axis of a program variable to its grid axis (-1: none). Emitted and stored variables
  // need it.
  void set_grid_axes(int32_t var, std::vector<int> axes) { grid_axes_[var] = std::move(axes); }
  // Maps each class of a loop's analysis to its grid axis.
  void set_classes(size_t eqn, std::map<int, int> classes) { classes_[eqn] = std::move(classes); }
  // Computes equation i of the program for this lane, at this place in the code.
  void emit_equation(size_t i);
  // Computes and caches the elements of variable var for this lane, at this place in the code.
  void cache_row(int32_t var);
  // Stores the elements of variable var to memory.
  void store_variable(int32_t var);
  // Applies the updates of a scatter, one after another, to memory that already holds the operand.
  // If `shared`, a grid point applies those of its index along the axes that write disjoint
  // elements.
  void emit_scatter(size_t i, bool shared);
  // Vectors run along the inner axes, not the grid.
  void set_along_rows(bool along_rows) { along_rows_ = along_rows; }
  // A result of a scan that is written while the loop runs.
  void set_stored_by_step(ScanOutput s) { stored_by_step_[s.result] = std::move(s); }
  KernelNest finish(nest::Vector v);

 private:
  struct Frame;
  // Says where the elements of a variable are found.
  struct ValueLocation {
    enum class Kind { unset, memory, scalars, local, pull, alias, row };
    Kind kind = Kind::unset;
    std::vector<Elem> elems = {};  // scalars: row-major over the inner axes
    Elem local = {};               // local: the arrays of the components
    Frame* outer = nullptr;        // alias, row
    Atom atom = {};
    nest::Id time = nest::no_id;  // row: the leading index
    size_t eqn = 0;               // pull
  };
  // By variable, filled on first use: a kernel sees few values of a long program.
  class ValueLocations {
   public:
    ValueLocation& operator[](int32_t v) {
      const auto [it, fresh] = locations_.try_emplace(v);
      if (fresh) it->second = initial(v);
      return it->second;
    }
    const ValueLocation* find(int32_t v) const {
      const auto it = locations_.find(v);
      return it == locations_.end() ? nullptr : &it->second;
    }
    ValueLocation::Kind kind(int32_t v) const {
      const ValueLocation* p = find(v);
      return p ? p->kind : initial(v).kind;
    }
    const VarMap<size_t>* defining_eqn = nullptr;
    const VarMap<bool>* in_memory = nullptr;

   private:
    ValueLocation initial(int32_t v) const {
      if (in_memory && (*in_memory)[v]) return {.kind = ValueLocation::Kind::memory};
      if ((*defining_eqn)[v] == Program::none) return {};
      return {.kind = ValueLocation::Kind::pull, .eqn = (*defining_eqn)[v]};
    }
    std::unordered_map<int32_t, ValueLocation> locations_;
  };
  struct Frame {
    size_t number = 0;
    const Scope* s = nullptr;
    const AxisClasses* analysis = nullptr;  // null for the program itself
    const std::map<int, int>* classes = nullptr;
    int read_only_inputs = 0;      // leading inputs that the next trip or other code reads again
    VarMap<size_t> defining_eqn;   // of a body
    VarMap<size_t> last;           // of a body: the last equation that reads the variable
    std::vector<size_t> deferred;  // equations whose large results are deferred, in order
    ValueLocations location;
    std::unordered_map<int32_t, std::map<Coords, Elem>> memo;  // by variable and coordinates
    const Type& type(int32_t var) const { return s->j->types[static_cast<size_t>(var)]; }
  };
  // An index, and the row-major digits into which it was split.
  struct Digits {
    Coords coords;
    std::vector<int64_t> extents;
    nest::Id flat;
  };
  // Elements to compute for a local array that holds a value like variable `like`. Without an array
  // they are computed only as inputs of others.
  struct Fill {
    Elem array;
    Frame* frame;
    int32_t like;
    std::function<Elem(const Coords&)> value;
    bool is_copy = false;  // copied, not computed
  };
  class EqnReader;

  Frame& new_frame(const Scope& s);
  Frame& body_frame(Frame& f, size_t eqn, size_t body);
  Frame& branch_body(Frame& f, size_t eqn, size_t branch);
  int grid_axis_of(const Frame& f, int32_t var, int axis) const;  // grid axis or -1
  std::vector<int> inner_axes(const Frame& f, int32_t var) const;
  std::vector<int64_t> inner_extents(const Frame& f, int32_t var) const;
  int64_t inner_elements(const Frame& f, int32_t var) const;
  Coords coords_at(const Frame& f, int32_t var, int64_t flat) const;  // constant inner index
  // Returns the coordinates of an element over all axes, including those of the grid, from its
  // inner coordinates or flat inner index. `except`: leaves out this axis.
  Coords coords_with(const Frame& f, int32_t var, const Coords& inner, int except = -1);
  Coords coords_of_flat(const Frame& f, int32_t var, nest::Id flat, int except = -1);
  Coords split(nest::Id flat, const std::vector<int64_t>& extents);  // row-major digits
  num::Ir<int64_t> offset(const Coords& at, const Shape& s, const std::vector<bool>& keep) const;
  num::Ir<int64_t> inner_offset(const Frame& f, int32_t var, const Coords& at) const;

  Elem read(Frame& f, Atom a, const Coords& at);
  Elem read_memory(int32_t var, const Coords& at);
  Elem read_scalars(const Frame& f, int32_t var, const ValueLocation& p, const Coords& at);
  bool is_stored_in_array(const Frame& f, int32_t var) const {
    return inner_elements(f, var) > small_ || in_arrays_.contains({f.number, var});
  }
  Elem compute(Frame& f, size_t eqn, int out, const Coords& at);
  Elem compute_fold(Frame& f, size_t eqn, int out, const Coords& at);
  struct FoldSpec {
    std::vector<nest::Combine> combine;
    const std::vector<nest::Id>& identity;
    bool of_folds = false;  // true if the terms are folds themselves
    bool in_order = false, any_order = false;
    FoldSpec of_results() const { return {nest::of_results(combine), identity, true}; }
  };
  using Term = std::function<std::vector<nest::Id>(num::Ir<int64_t>)>;
  std::vector<nest::Id> fold_block(int64_t n, const FoldSpec& f, const Term& term);
  std::vector<nest::Id> fold_in_order(int64_t n, const FoldSpec& f, const Term& term);
  std::vector<nest::Id> fold_terms(int64_t n, const FoldSpec& f, const Term& term);
  std::vector<nest::Id> fold_axes(const std::vector<int64_t>& extents, const FoldSpec& f,
                                  const std::function<std::vector<nest::Id>(const Coords&)>& term);

  void emit(Frame& f, size_t eqn);
  void emit_all(Frame& f, bool materialize_results = true);
  void emit_prefix(Frame& f, size_t eqn);
  struct PrefixState;
  void write_prefix(const Lowering& l, int64_t n,
                    const std::function<std::vector<nest::Id>(nest::Id)>& term_at,
                    const std::function<void(const Elem&)>& store);
  PrefixState begin_prefix(const Lowering& l, int64_t n);
  std::vector<nest::Id> end_run(const PrefixState& r, int level, nest::Id step,
                                const std::vector<nest::Id>& result);
  nest::Id is_last_of_run(int level, nest::Id step);
  void emit_while(Frame& f, size_t eqn);
  void emit_scan(Frame& f, size_t eqn);
  void emit_cond(Frame& f, size_t eqn);
  void emit_call(Frame& f, size_t eqn);
  void copy_operands(Frame& f, size_t eqn, Frame& body);
  void materialize(Frame& f, int32_t var);  // computes all elements at this place

  // Values of many elements (lane_element_loops.cpp).
  void fill_locals(const std::vector<Fill>& fills);
  void copy_locals(const std::vector<std::pair<Elem, Elem>>& to_from, int64_t n);
  bool is_expensive(const Frame& f, Atom a, int* budget) const;
  bool is_copy(const Frame& f, Atom a) const;
  bool is_expensive_deferred(const Frame& f, Atom a) const;
  bool reads_same_element(const Frame& f, size_t eqn, size_t operand) const;
  bool must_materialize_deferred(const Frame& f, size_t eqn) const;
  void materialize_deferred(Frame& f, size_t eqn);
  void bind_operands(Frame& f, size_t eqn, Frame& body, ValueRange inputs, ValueRange operands);
  int bind_constants(Frame& f, size_t eqn, Frame& body);
  Fill fill_of(Frame& f, int32_t var, const Elem& array);
  void materialize_in_arrays(Frame& f, const std::vector<Fill>& fills);

  // Updates in place (lane_update.cpp).
  struct Update {
    nest::Id offset, valid;
    Elem value;
  };
  VarMap<bool> pending_dependents(const Frame& f, size_t eqn, int32_t var) const;
  bool is_last_use(const Frame& f, size_t eqn, size_t operand, VarMap<bool>* dependents) const;
  void materialize_dependents(Frame& f, size_t eqn, size_t operand);
  bool update_in_place(Frame& f, size_t eqn);
  Update update_at(Frame& f, size_t eqn, const Coords& at);
  void apply_update(const Frame& f, size_t eqn, const Elem& array, const Update& u);

  // The carries of a loop and the results of a branch. Small ones are passed component by
  // component, larger ones are in a local array.
  struct Carry {
    bool local = false;
    int64_t n = 0;
    DType dtype = F32;
    Elem array;
  };
  Carry carry_like(const Frame& f, int32_t var) const;
  bool can_reuse_array(const Frame& f, size_t eqn, size_t operand) const;
  std::vector<Carry> begin_carries(Frame& f, size_t eqn, Frame& body, int first_input,
                                   std::vector<nest::Id>* flat);
  static bool is_stored_in(const Frame& f, Atom a, const Elem& array);
  // Binds the variables from `first` on to the carries, whose components are the ids from `next`
  // on.
  static void bind_carries(Frame& f, int32_t first, const std::vector<Carry>& carries,
                           const std::vector<nest::Id>& ids, size_t next = 0);
  std::vector<nest::Id> params_of(nest::BlockId block, size_t n) const;
  void yield_carries(Frame& body, const std::vector<Carry>& carries, int first_input,
                     std::vector<nest::Id>* yields);
  Elem new_local(const Frame& f, int32_t var);  // an array for its inner elements
  Elem load_local(const Elem& array, nest::Id at);
  void store_local(const Elem& array, nest::Id at, const Elem& e);
  nest::BlockId loop_body(const std::function<void(nest::Id)>& each);
  void sequential_loop(int64_t n, const std::function<void(nest::Id)>& each);
  void vector_loop(int64_t n, const std::function<void(nest::Id)>& each);
  void element_loop(const std::vector<int64_t>& extents,
                    const std::function<void(const Coords&)>& each);
  std::vector<nest::Id> branch(nest::Id mask, const std::function<std::vector<nest::Id>()>& then,
                               const std::function<std::vector<nest::Id>()>& otherwise);
  void if_then(nest::Id mask, const std::function<void()>& then);
  void store_row(Frame& body, Atom y, int32_t result, nest::Id time, Frame& f);
  bool is_stored_by_step(const Frame& f, int32_t var) const;
  void store_element(int32_t var, const Coords& at, const Elem& e);
  void store_inner(const Frame& f, int32_t var, const Elem& array, const Coords& at, const Elem& e);
  int buffer_of(int32_t var, bool written);

  const Program& program_;
  const VarMap<bool> in_memory_;
  const int64_t small_;
  nest::Builder b_;
  num::Writing writing_;
  Coords grid_;
  std::map<int32_t, std::vector<int>> grid_axes_;  // by variable
  std::map<size_t, std::map<int, int>> classes_;
  std::unordered_map<nest::Id, std::vector<Digits>> digits_;  // by the first coordinate
  std::deque<Frame> frames_;
  std::vector<KernelNest::Buffer> buffers_;
  std::map<int32_t, int> buffer_index_;
  std::map<int32_t, ScanOutput> stored_by_step_;  // by result
  Values in_arrays_, dynamically_indexed_;
  bool along_rows_ = false;
  int rank_ = 0;
};

// Reads the operands of an equation for its lowering rule.
class LaneWriter::EqnReader final : public Reader {
 public:
  EqnReader(LaneWriter& w, Frame& f, const Eqn& e) : w_(w), f_(f), e_(e) {}
  Elem read(int operand, const Coords& at) override { return w_.read(f_, e_.in[operand], at); }

 private:
  LaneWriter& w_;
  Frame& f_;
  const Eqn& e_;
};

}  // namespace weft::compiler

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/frames.h: the program of a kernel and the bodies inside it, and where their values are.
//
// A frame is one body that is being written. It may look at the program and its analysis, but it
// writes no instructions. A new place for values is a kind of ValueLocation, and a new fact about
// the values of a body is a member of Frame.
#pragma once
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "jit/fuse/analysis.h"
#include "jit/fuse/plan.h"
#include "jit/fuse/region.h"
#include "jit/nests/lane_space.h"

namespace weft::compiler {

// Values by frame number and variable. Writing the same kernel again gives the same numbers.
using FrameValues = std::set<std::pair<size_t, int32_t>>;

inline constexpr size_t all_axes = std::numeric_limits<size_t>::max();

// The form in which a kernel is written: its lanes, and which values are scalars.
struct KernelShape {
  std::vector<int64_t> grid = {};  // extents, outermost first
  size_t together = all_axes;      // so many of its last axes are one run-time axis (LaneSpace)
  bool along_rows = false;         // vectors run along the inner axes, not the grid
  int64_t small = small_elements;  // values of up to this many elements per lane are scalars
  FrameValues in_arrays = {};      // values in arrays even if they are small
  bool whole_loops = false;        // one loop for all elements, however it finds them
  bool straight = false;           // it runs a call without loops and branches
  // By variable of the program that is emitted or stored: the grid axis of each axis, or -1.
  std::map<int32_t, std::vector<int>> grid_axes = {};
  // By loop of the program: the grid axis of each class of its analysis.
  std::map<size_t, std::map<int, int>> classes = {};
  // By result: the results of scans that are written while the loop runs.
  std::map<int32_t, ScanOutput> stored_by_step = {};
  // Results that loops update in their memory.
  std::set<int32_t> updated = {};
};

struct Frame;

// Says where the elements of a variable are found.
struct ValueLocation {
  enum class Kind { unset, memory, scalars, local, buffer, pull, alias, row };
  Kind kind = Kind::unset;
  std::vector<Elem> elems = {};  // scalars: row-major over the inner axes
  Elem local = {};               // local: the arrays of the components
  int32_t buffer = -1;           // buffer: the updated result of the program whose memory it has
  Frame* outer = nullptr;        // alias, row
  Atom atom = {};
  nest::Id time = nest::no_id;  // row: the leading index
  size_t eqn = 0;               // pull
  // scalars, local: copies of elements that are also where they would be without them. The copies
  // are those of the lane's own point.
  bool cached = false;
  bool fixed = false;  // an array of which there is no copy: all updates are in place
  // Returns true if the elements are in an array that may be overwritten.
  bool is_array() const { return kind == Kind::local || kind == Kind::buffer; }
  bool is_same_array(const ValueLocation& other) const {
    return is_array() && kind == other.kind && local.re == other.local.re && buffer == other.buffer;
  }
};

// By variable, filled on first use: a kernel sees few values of a long program.
class ValueLocations {
 public:
  ValueLocation& operator[](int32_t v);
  const ValueLocation* find(int32_t v) const;
  ValueLocation::Kind kind(int32_t v) const;
  ValueLocation initial(int32_t v) const;  // before anything is computed
  const VarMap<size_t>* defining_eqn = nullptr;
  const VarMap<bool>* in_memory = nullptr;

 private:
  std::unordered_map<int32_t, ValueLocation> locations_;
};

struct Frame {
  size_t number = 0;
  const KernelShape* kernel = nullptr;
  const Scope* s = nullptr;
  const AxisClasses* analysis = nullptr;  // null for the program itself
  const std::map<int, int>* classes = nullptr;
  int read_only_inputs = 0;      // leading inputs that the next trip or other code reads again
  bool masked = false;           // the first input is the mask of the active lanes
  VarMap<size_t> defining_eqn;   // of a body
  VarMap<size_t> last;           // of a body: the last equation that reads the variable
  std::vector<size_t> deferred;  // equations whose large results are deferred, in order
  ValueLocations location;
  std::unordered_map<int32_t, std::map<Coords, Elem>> memo;  // by variable and coordinates

  const Eqn& eqn(size_t i) const { return s->j->eqns[i]; }
  const Lowering& lowering(size_t i) const { return s->lowering[i]; }
  const Type& type(int32_t var) const { return s->j->types[static_cast<size_t>(var)]; }
  LaneType lane_type(int32_t var) const;
  bool is_large(int32_t var) const;  // has too many elements per lane for scalars
  bool is_stored_in_array(int32_t var) const;
  bool is_stored_by_step(int32_t var) const;
  bool is_updated_in_memory(int32_t var) const;
};

class Frames {
 public:
  // in_memory[var]: the program's variable is read from a buffer. The first frame is the program.
  Frames(const Program& program, const KernelShape& kernel, const VarMap<bool>& in_memory);
  Frame& program() { return frames_.front(); }
  // Returns a new frame for a body of equation eqn.
  Frame& body(const Frame& f, size_t eqn, size_t body);

 private:
  const Program& program_;
  const KernelShape& kernel_;
  const VarMap<bool> in_memory_;
  std::deque<Frame> frames_;
};

}  // namespace weft::compiler

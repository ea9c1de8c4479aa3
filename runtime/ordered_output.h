// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/ordered_output.h: puts the output and the failed checks of lanes into the order that they
// would have if lanes ran one after another (docs/decisions/0040).
//
// Compiled loops run one step for all lanes before the next step. Output is therefore kept, with
// its lane and time, until the end of the outermost call on this thread. There it is written by
// lane, and within a lane by time. The end of a map separates earlier from later output in each
// lane of the enclosing maps.
#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace weft {

// The indices of the lanes of the enclosing maps, outermost first.
using LanePath = std::span<const int64_t>;

// A scope for calls whose output is kept until the outermost scope ends.
class OrderedOutput {
 public:
  // Bytes of text that are kept in one outermost call. Lines beyond the limit are counted, and the
  // count is printed at the end.
  static constexpr int64_t limit = 1 << 20;
  OrderedOutput();
  // Without finish(), that is by an exception: writes the output that was printed before it.
  ~OrderedOutput();
  OrderedOutput(const OrderedOutput&) = delete;
  // Ends the call. In the outermost scope, writes the output and throws CheckError for the first
  // failed check in the order of the output.
  void finish();

  // Only inside a scope.
  static void print(LanePath lane, std::string line);
  static void fail(LanePath lane, std::string text);
  // Marks the end of a map that is inside `depth` other maps.
  static void end_of_map(size_t depth);

 private:
  void close();
  bool open_ = true;
};

// Detaches the scope while code of the user runs during a call: its output is written when its own
// calls end.
class DetachedOutput {
 public:
  DetachedOutput();
  ~DetachedOutput();
  DetachedOutput(const DetachedOutput&) = delete;

 private:
  void* before_;
};

}  // namespace weft

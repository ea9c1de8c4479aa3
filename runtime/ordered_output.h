// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/ordered_output.h: what lanes print and which of their checks fail, put into the order
// that it would have if lanes ran one after another (docs/decisions/0040).
//
// Compiled loops take a step for all lanes before the next step. So what is printed waits, with the
// lane and the time it came from, for the end of the outermost call on this thread. There it is
// written by lane, within a lane by time. A map that is over separates what came before from what
// comes later, in each lane of the maps around it.
#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace weft {

// Numbers of the lanes of the maps around something, outermost first.
using LanePath = std::span<const int64_t>;

// A scope of the calls whose output waits for the end of the outermost one.
class OrderedOutput {
 public:
  // Bytes of text that are kept in one outermost call. What is beyond is counted, and said at the
  // end.
  static constexpr int64_t limit = 1 << 20;
  OrderedOutput();
  // By an exception, which goes on: what was printed before it is written.
  ~OrderedOutput();
  OrderedOutput(const OrderedOutput&) = delete;
  // At the end of the call. Of the outermost one: writes, and raises CheckError for the first check
  // that failed, in the order of the output.
  void finish();

  // In such a scope.
  static void print(LanePath lane, std::string line);
  static void fail(LanePath lane, std::string text);
  // A map that lies within so many others is over.
  static void end_of_map(size_t depth);

 private:
  void close();
  bool open_ = true;
};

// While code of the user's runs in the midst of a call: what it prints is written when its own
// calls end.
class OutputAside {
 public:
  OutputAside();
  ~OutputAside();
  OutputAside(const OutputAside&) = delete;

 private:
  void* before_;
};

}  // namespace weft

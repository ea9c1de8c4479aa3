// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/ordered_output.cpp: collects the events of one outermost call and writes them in order.
#include "runtime/ordered_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "weft/error.h"

namespace weft {
namespace {

// The sort key of an event. It alternates between a count of events so far at one map depth and the
// lane of the next map inside. Keys are compared from the left.
using SortKey = std::vector<int64_t>;
struct Event {
  SortKey key;
  std::string text;
};

class Events {
 public:
  void print(LanePath lane, std::string line) {
    SortKey p = key_of(lane);
    if (bytes_ + std::ssize(line) > OrderedOutput::limit) {
      ++left_out_;
      return;
    }
    bytes_ += std::ssize(line);
    lines_.push_back({std::move(p), std::move(line)});
  }
  void fail(LanePath lane, std::string text) {
    SortKey p = key_of(lane);
    if (!failure_ || p < failure_->key) failure_ = {std::move(p), std::move(text)};
  }
  void end_of_map(size_t depth) { ++part(depth); }
  void write() {
    if (lines_.empty() && left_out_ == 0) return;
    std::stable_sort(lines_.begin(), lines_.end(),
                     [](const Event& a, const Event& b) { return a.key < b.key; });
    std::string all;
    for (const Event& e : lines_) all += e.text;
    if (left_out_)
      all += fmt::format("weft: {} more lines are not shown: a call prints at most {} bytes\n",
                         left_out_, OrderedOutput::limit);
    // std::cout may be given a buffer by the user, such as std::stringbuf, that threads must not
    // use at the same time.
    static std::mutex writing;
    const std::lock_guard lock(writing);
    std::cout.write(all.data(), std::ssize(all));
    std::cout.flush();
  }
  std::optional<Event> take_failure() { return std::exchange(failure_, std::nullopt); }
  int scopes = 0;

 private:
  int64_t& part(size_t depth) {
    if (depth >= parts_.size()) parts_.resize(depth + 1, 0);
    return parts_[depth];
  }
  // The event gets its own count within its lane: after the maps before it, before those after it.
  SortKey key_of(LanePath lane) {
    SortKey p;
    p.reserve(2 * lane.size() + 1);
    for (size_t d = 0; d < lane.size(); ++d) {
      p.push_back(part(d));
      p.push_back(lane[d]);
    }
    p.push_back(++part(lane.size()));
    ++part(lane.size());
    return p;
  }

  std::vector<Event> lines_;
  std::optional<Event> failure_;
  std::vector<int64_t> parts_;  // for each number of enclosing maps, the count of events so far
  int64_t bytes_ = 0, left_out_ = 0;
};

thread_local Events* current = nullptr;

}  // namespace

OrderedOutput::OrderedOutput() {
  if (!current) current = new Events;
  ++current->scopes;
}
OrderedOutput::~OrderedOutput() {
  if (open_) close();
}
void OrderedOutput::close() {
  open_ = false;
  if (--current->scopes > 0) return;
  Events* const e = std::exchange(current, nullptr);
  e->write();
  delete e;
}
void OrderedOutput::finish() {
  std::optional<Event> failure;
  if (current->scopes == 1) failure = current->take_failure();
  close();
  if (failure) throw CheckError(failure->text);
}

void OrderedOutput::print(LanePath lane, std::string line) {
  current->print(lane, std::move(line));
}
void OrderedOutput::fail(LanePath lane, std::string text) { current->fail(lane, std::move(text)); }
void OrderedOutput::end_of_map(size_t depth) { current->end_of_map(depth); }

DetachedOutput::DetachedOutput() : before_(std::exchange(current, nullptr)) {}
DetachedOutput::~DetachedOutput() { current = static_cast<Events*>(before_); }

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/schedule/schedule_text.cpp: converts schedules to text, one choice per line, and back.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "jit/schedule/schedule.h"
#include "weft/error.h"

namespace weft::compiler {
namespace {

constexpr const char* modes[] = {"scalar", "grid", "refill", "inner"};
constexpr const char* loop_ways[] = {"unrolled", "rows", "runs", "masks"};
constexpr const char* fold_ways[] = {"blocks", "vectors"};

// The words of one line.
class Line {
 public:
  Line(std::string_view text, const std::string& where, int number)
      : where_(where), number_(number) {
    while (!text.empty()) {
      const size_t end = std::min(text.find(' '), text.size());
      if (end > 0) words_.push_back(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }
  bool done() const { return next_ == words_.size(); }
  std::string_view word() {
    if (done()) fail("ends too early");
    return words_[next_++];
  }
  int64_t number() {
    const std::string_view w = word();
    int64_t n = 0;
    const auto [end, error] = std::from_chars(w.data(), w.data() + w.size(), n);
    if (error != std::errc() || end != w.data() + w.size())
      fail(fmt::format("'{}' is not a number", w));
    return n;
  }
  int small() {
    const int64_t n = number();
    if (n > INT32_MAX || n < INT32_MIN) fail(fmt::format("{} is too large", n));
    return static_cast<int>(n);
  }
  template <class T, size_t n>
  T one_of(const char* const (&names)[n]) {
    const std::string_view w = word();
    const auto it = std::find(std::begin(names), std::end(names), w);
    if (it == std::end(names))
      fail(fmt::format("'{}' is none of {}", w,
                       fmt::join(std::begin(names), std::end(names), ", ")));
    return static_cast<T>(it - std::begin(names));
  }
  // Adds an entry to a map. The line's id must not have one yet.
  template <class T>
  T& entry(std::map<nest::Id, T>& in) {
    const nest::Id id = small();
    if (in.count(id)) fail(fmt::format("says a second time what is to be done with {}", id));
    return in[id];
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw ParseError(fmt::format("{}, line {}: {}", where_, number_, why));
  }

 private:
  const std::string& where_;
  int number_;
  std::vector<std::string_view> words_;
  size_t next_ = 0;
};

template <auto field>
std::string word_if(const char* name, const Schedule& s) {
  return s.*field ? fmt::format("{}\n", name) : "";
}
template <auto field, int otherwise>
std::string number_if(const char* name, const Schedule& s) {
  return s.*field != otherwise ? fmt::format("{} {}\n", name, s.*field) : "";
}
template <auto field>
std::string number(const char* name, const Schedule& s) {
  return fmt::format("{} {}\n", name, s.*field);
}
template <auto field>
std::string list(const char* name, const Schedule& s) {
  return (s.*field).empty() ? "" : fmt::format("{} {}\n", name, fmt::join(s.*field, " "));
}
template <auto field>
void read_word(Line&, Schedule* s) {
  s->*field = true;
}
template <auto field>
void read_number(Line& l, Schedule* s) {
  s->*field = l.small();
}
template <auto field>
void read_list(Line& l, Schedule* s) {
  do (s->*field).insert(l.small());
  while (!l.done());
}

std::string loops(const char* name, const Schedule& s) {
  std::string out;
  for (const auto& [id, l] : s.loops) {
    out += fmt::format("{} {} {}", name, id, loop_ways[static_cast<int>(l.how)]);
    if (l.how == LoopSchedule::How::rows) out += fmt::format(" {}", l.trips);
    for (const auto& o : l.operands) out += fmt::format(" {} {}", o.access, o.step);
    out += "\n";
  }
  return out;
}
void read_loop(Line& l, Schedule* s) {
  LoopSchedule& loop = l.entry(s->loops);
  loop.how = l.one_of<LoopSchedule::How>(loop_ways);
  if (loop.how != LoopSchedule::How::rows) return;
  loop.trips = l.number();
  while (!l.done()) {
    const nest::Id access = l.small();
    loop.operands.push_back({access, l.number()});
  }
}

std::string folds(const char* name, const Schedule& s) {
  std::string out;
  for (const auto& [id, f] : s.folds) {
    out += fmt::format("{} {} {}", name, id, fold_ways[static_cast<int>(f.how)]);
    if (f.how == FoldSchedule::How::blocks) out += fmt::format(" {}", f.registers);
    out += "\n";
  }
  return out;
}
void read_fold(Line& l, Schedule* s) {
  FoldSchedule& fold = l.entry(s->folds);
  fold.how = l.one_of<FoldSchedule::How>(fold_ways);
  if (fold.how == FoldSchedule::How::blocks) fold.registers = l.small();
}

std::string product(const char* name, const Schedule& s) {
  const ProductSchedule& p = s.product;
  if (p.loop == nest::no_id) return "";
  return fmt::format("{} {} {} {} {} {} {} {}{}\n", name, p.loop, p.rows, p.columns, p.terms,
                     p.thread_rows, p.thread_columns, p.matrix, p.mma ? " mma" : "");
}
void read_product(Line& l, Schedule* s) {
  ProductSchedule& p = s->product;
  for (int* n : {&p.loop, &p.rows, &p.columns, &p.terms, &p.thread_rows, &p.thread_columns})
    *n = l.small();
  p.matrix = l.number();
  constexpr const char* ways[] = {"mma"};
  if (!l.done()) p.mma = l.one_of<int>(ways) == 0;
}

using S = Schedule;
struct Field {
  const char* name;
  std::string (*print)(const char* name, const Schedule&);
  void (*read)(Line&, Schedule*);
  bool many = false;  // it may have several lines
};
constexpr Field fields[] = {
    {"mode",
     [](const char* name, const S& s) {
       return fmt::format("{} {}\n", name, modes[static_cast<int>(s.mode)]);
     },
     [](Line& l, S* s) { s->mode = l.one_of<Mode>(modes); }},
    {"vector_width", number<&S::vector_width>, read_number<&S::vector_width>},
    {"interleave", number<&S::interleave>, read_number<&S::interleave>},
    {"refill", number_if<&S::refill, nest::no_id>, read_number<&S::refill>},
    {"idle_trips", number_if<&S::idle_trips, 0>, read_number<&S::idle_trips>},
    {"versioned", word_if<&S::versioned>, read_word<&S::versioned>},
    {"plain_remainder", word_if<&S::plain_remainder>, read_word<&S::plain_remainder>},
    {"sort_points", number_if<&S::sort_points, 0>, read_number<&S::sort_points>},
    {"sort_cost", number_if<&S::sort_cost, 0>, read_number<&S::sort_cost>},
    {"sorted", list<&S::sorted>, read_list<&S::sorted>},
    {"tile", number_if<&S::tile, 0>, read_number<&S::tile>},
    {"tiled", list<&S::tiled>, read_list<&S::tiled>},
    {"records", list<&S::records>, read_list<&S::records>},
    {"loop", loops, read_loop, true},
    {"fold", folds, read_fold, true},
    {"prefetch",
     [](const char* name, const S& s) {
       std::string out;
       for (const auto& [id, ahead] : s.prefetch) out += fmt::format("{} {} {}\n", name, id, ahead);
       return out;
     },
     [](Line& l, S* s) {
       int64_t& ahead = l.entry(s->prefetch);
       ahead = l.number();
     },
     true},
    {"flat", list<&S::flat>, read_list<&S::flat>},
    {"streamed", list<&S::streamed>, read_list<&S::streamed>},
    {"block", number_if<&S::block, 0>, read_number<&S::block>},
    {"points", number_if<&S::points, 1>, read_number<&S::points>},
    {"threads", number_if<&S::threads, 1>, read_number<&S::threads>},
    {"kept", word_if<&S::kept>, read_word<&S::kept>},
    {"product", product, read_product},
    {"band", number<&S::band>, read_number<&S::band>},
};
// This does not compile when a choice is added, which then needs a field above.
[[maybe_unused]] void all_members(const Schedule& s) {
  [[maybe_unused]] const auto& [mode, vector_width, interleave, refill, idle_trips, versioned,
                                plain_remainder, sort_points, sort_cost, sorted, tile, tiled,
                                records, loops, folds, prefetch, flat, streamed, block, points,
                                threads, kept, product, band] = s;
}
static_assert(std::size(fields) == 24);

}  // namespace

std::string to_string(const Schedule& s) {
  std::string out;
  for (const Field& f : fields) out += f.print(f.name, s);
  return out;
}

// FNV-1a, 64 bits.
std::string nest_hash(const nest::Kernel& k) {
  uint64_t h = 0xcbf29ce484222325;
  for (const unsigned char c : nest::print(k)) h = (h ^ c) * 0x100000001b3;
  return fmt::format("{:016x}", h);
}

std::vector<std::string> schedule_fields() {
  std::vector<std::string> out;
  for (const Field& f : fields) out.emplace_back(f.name);
  return out;
}

Schedule parse_schedule(const std::string& text, const std::string& where, int first_line) {
  Schedule s;
  std::set<std::string_view> said;
  std::string_view rest = text;
  for (int number = first_line; !rest.empty(); ++number) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    Line line(rest.substr(0, end), where, number);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.done()) continue;
    const std::string_view what = line.word();
    const auto field = std::find_if(std::begin(fields), std::end(fields),
                                    [&](const Field& f) { return what == f.name; });
    if (field == std::end(fields))
      line.fail(fmt::format("'{}' is not a choice of a schedule; there are {}", what,
                            fmt::join(schedule_fields(), ", ")));
    if (!said.insert(field->name).second && !field->many)
      line.fail(fmt::format("says '{}' a second time", what));
    field->read(line, &s);
    if (!line.done()) line.fail(fmt::format("'{}' is one word too many", line.word()));
  }
  if (!said.count("mode"))
    throw ParseError(
        fmt::format("{}, line {}: a schedule says at least its mode", where, first_line));
  return s;
}

}  // namespace weft::compiler

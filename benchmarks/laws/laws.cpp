// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// benchmarks/laws/laws.cpp: the measurements of each law.
#include "benchmarks/laws/laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

namespace weft::speed {
namespace {

Arrays part(const Arrays& x, size_t from, size_t to) {
  return {x.begin() + static_cast<std::ptrdiff_t>(from),
          x.begin() + static_cast<std::ptrdiff_t>(to)};
}

Function mapped(const Program& p, int64_t chunk = 0) {
  std::vector<Axes> axes;
  for (const bool m : p.mapped) axes.push_back(m ? Axes(0) : Axes(none));
  const Axes in(std::vector<Axes>{Axes(std::move(axes))});  // one argument: the list
  return [in, chunk, lane = p.lane](const Arrays& x) {
    typing::VmapOptions o;
    o.chunk_size = chunk;
    return vmap([&lane](Arrays one) { return lane(one); }, in, 0, o)(x);
  };
}
// The loop over lanes that a map replaces.
Function looped(const Program& p) {
  return [p](const Arrays& x) {
    Arrays rows;
    for (size_t k = 0; k < x.size(); ++k)
      if (p.mapped[k]) rows.push_back(x[k]);
    const auto one = [&](Arrays row) {
      Arrays all = x;
      for (size_t k = 0, next = 0; k < x.size(); ++k)
        if (p.mapped[k]) all[k] = row[next++];
      return p.lane(all);
    };
    return lax::map(one, rows);
  };
}
// The sums of squares of the results of a lane, a program that may follow any other.
Program norms(const typing::Types& in) {
  Program p;
  p.in = in;
  p.mapped.assign(in.size(), true);
  p.lane = [](const Arrays& x) {
    Arrays r;
    for (const Array& v : x) {
      if (ir::is_key(v.dtype())) continue;
      r.push_back(square((ir::is_complex(v.dtype()) ? lax::real(v) : v).astype(F32)).sum());
    }
    return r;
  };
  p.arguments = [](int64_t) { return Arrays(); };  // it reads results only
  return p;
}

// The lines of a report that say why a loop runs in lockstep.
std::string lockstep_lines(const Prepared& p) {
  std::istringstream lines(p.report());
  std::set<std::string> found;
  for (std::string line; std::getline(lines, line);) {
    const size_t at = line.find("lockstep ");
    if (at != std::string::npos) found.insert(line.substr(at));
  }
  return fmt::format("{}", fmt::join(found, "; "));
}

class Measurement {
 public:
  Measurement(const Source& source, const Settings& s, double seconds, Measured* to)
      : source_(source), settings_(s), to_(to), whole_(seconds), law_deadline_(seconds) {}

  void run() {
    struct Step {
      const Law& law;
      void (Measurement::*measure)();
    };
    const Step steps[] = {{all_laws[0], &Measurement::map_law},
                          {all_laws[1], &Measurement::chunk_law},
                          {all_laws[2], &Measurement::together_law},
                          {all_laws[3], &Measurement::flat_law},
                          {all_laws[4], &Measurement::sizes_law}};
    int left = 0;
    for (const Step& s : steps) left += settings_.laws.contains(s.law.name);
    if (!begin()) return;
    for (const Step& s : steps) {
      if (!settings_.laws.contains(s.law.name)) continue;
      law_ = &s.law;
      // The next law gets the time that a law does not use.
      law_deadline_ = Deadline(whole_.left() / left--);
      try {
        (this->*s.measure)();
      } catch (const TooLarge&) {
        undecided("too slow or too large");
      } catch (const std::exception& e) {
        refused(e);
      }
    }
  }

 private:
  // Chooses the number of lanes for laws of one number.
  bool begin() {
    try {
      program_ = source_.make();
      if (std::none_of(program_.mapped.begin(), program_.mapped.end(), [](bool m) { return m; }))
        return false;
      const double few = lanes(100).seconds;
      // A call may take this long, so that a law can make all its comparisons.
      const double enough = std::min(0.1, whole_.left() / 400);
      lanes_ = few * 100 <= enough ? 10000 : few * 10 <= enough ? 1000 : 100;
      return true;
    } catch (const TooLarge&) {
      for (const Law& l : all_laws) {
        law_ = &l;
        if (settings_.laws.contains(l.name)) undecided("too slow or too large");
      }
    } catch (const std::exception& e) {
      refused(e);
    }
    return false;
  }
  void refused(const std::exception& e) {
    const std::string text = e.what();
    to_->refused.push_back(fmt::format("{}, {}: {}", source_.name, law_ ? law_->name : "all laws",
                                       text.substr(0, text.find('\n'))));
  }
  void undecided(const std::string& what) { add(what, {}, nullptr); }
  void add(const std::string& what, const Comparison& times, const Prepared* first) {
    Finding f{source_.name, law_, what, times, {}};
    if (f.broken() && first) f.lockstep = lockstep_lines(*first);
    to_->findings.push_back(std::move(f));
  }

  Arrays arguments(const Program& p, int64_t n) const {
    int64_t bytes = 0;
    for (size_t k = 0; k < p.in.size(); ++k)
      if (p.mapped[k]) bytes += p.in[k].bytes() * n;
    if (bytes > settings_.bytes) throw TooLarge();
    return p.arguments(n);
  }
  Prepared prepared(const Function& f, Arrays x) const {
    return prepare(f, std::move(x), settings_.bytes, law_deadline_);
  }
  // The mapped program for so many lanes.
  const Prepared& lanes(int64_t n) {
    const auto it = by_lanes_.find(n);
    if (it != by_lanes_.end()) return it->second;
    return by_lanes_.emplace(n, prepared(mapped(program_), arguments(program_, n))).first->second;
  }
  static Timed timed(const Prepared& p, double units = 1) {
    return {[&p] { p.run(); }, p.seconds, units};
  }
  // The first program is the one that must not take longer.
  void compare_with(const std::string& what, const Prepared& first, const Timed& a,
                    const Timed& b) {
    add(what, compare(a, b, law_->limit, law_deadline_), &first);
  }
  void compare_with(const std::string& what, const Prepared& a, const Prepared& b) {
    compare_with(what, a, timed(a), timed(b));
  }

  void map_law() {
    const Prepared& a = lanes(lanes_);
    compare_with(fmt::format("vmap beside lax::map, {} lanes", lanes_), a,
                 prepared(looped(program_), a.x));
  }

  void chunk_law() {
    const Prepared& a = lanes(lanes_);
    for (const int64_t chunk : {16, 64, 256, 1024, 4096})
      if (chunk < lanes_)
        compare_with(fmt::format("vmap beside .chunk_size {}, {} lanes", chunk, lanes_), a,
                     prepared(mapped(program_, chunk), a.x));
  }

  // ---- one jit for two programs, or for all results

  void together_law() {
    const Prepared& all = lanes(lanes_);
    const Arrays out = all.call(all.x);
    results_apart(all, out.size());
    typing::Types types;  // of a lane
    for (const Array& y : out) types.push_back(y.type().with_shape(y.shape().erased(0)).strong());
    if (std::any_of(types.begin(), types.end(),
                    [](const typing::Type& t) { return !ir::is_key(t.dtype()); }))
      follow(all, out, norms(types), types.size(), "the norms of its results");
    follow_if_fits(all, out, types, program_, "itself");
    int followed = 0;
    for (const Partner& p : settings_.partners)
      if (followed < 2 && p.name != source_.name)
        followed += follow_if_fits(all, out, types, p.program, p.name);
  }
  void results_apart(const Prepared& all, size_t n) {
    if (n < 2) return;
    const Function f = mapped(program_);
    std::vector<Prepared> each;
    double seconds = 0;
    for (size_t k = 0; k < std::min<size_t>(n, 8); ++k) {
      each.push_back(prepared([f, k](const Arrays& x) { return Arrays{f(x)[k]}; }, all.x));
      seconds += each.back().seconds;
    }
    const Function first = [f, m = each.size()](const Arrays& x) { return part(f(x), 0, m); };
    const Prepared together = n == each.size() ? all : prepared(first, all.x);
    const auto apart = [&] {
      for (const Prepared& p : each) p.run();
    };
    compare_with(
        fmt::format("{} results together beside each alone, {} lanes", each.size(), lanes_),
        together, timed(together), {apart, seconds});
  }
  // The leading arguments of g must have the types of the results.
  bool follow_if_fits(const Prepared& f, const Arrays& out, const typing::Types& types,
                      const Program& g, const std::string& what) {
    const size_t n = std::min(types.size(), g.in.size());
    for (size_t k = 0; k < n; ++k)
      if (!g.mapped[k] || types[k] != g.in[k].strong()) return false;
    if (n == 0) return false;
    follow(f, out, g, n, what);
    return true;
  }
  void follow(const Prepared& f, const Arrays& out, const Program& g, size_t taken,
              const std::string& what) {
    const Function first = mapped(program_), second = mapped(g);
    const Arrays drawn = arguments(g, lanes_),
                 more = part(drawn, std::min(taken, drawn.size()), drawn.size());
    Arrays x = f.x;
    x.insert(x.end(), more.begin(), more.end());
    const Prepared together = prepared(
        [=, n = f.x.size()](const Arrays& a) {
          Arrays y = part(first(part(a, 0, n)), 0, taken);
          y.insert(y.end(), a.begin() + static_cast<std::ptrdiff_t>(n), a.end());
          return second(y);
        },
        x);
    Arrays y = part(out, 0, taken);
    y.insert(y.end(), more.begin(), more.end());
    const Prepared last = prepared(second, y);
    // The second program takes the results of the first, as a user would write it.
    const auto apart = [&] {
      Arrays z = part(f.call(f.x), 0, taken);
      z.insert(z.end(), more.begin(), more.end());
      for (const Array& r : last.call(z)) r.block_until_ready();
    };
    compare_with(fmt::format("with {} in one jit beside two, {} lanes", what, lanes_), together,
                 timed(together), {apart, f.seconds + last.seconds});
  }

  // ---- the cost of a lane

  void flat_law() {
    std::vector<int64_t> sizes;
    for (int64_t n = 1000; n <= 1000000; n *= 10) {
      // All sizes are measured in each round, and the next takes ten times as long.
      const double next = sizes.empty() ? 0 : 20 * 10 * lanes(sizes.back()).seconds;
      if (next > law_deadline_.left()) break;
      try {
        lanes(n);
      } catch (const TooLarge&) {
        break;
      }
      sizes.push_back(n);
    }
    costs_of_lanes(sizes);
  }
  void costs_of_lanes(const std::vector<int64_t>& sizes) {
    if (sizes.size() < 2) return undecided("no time or memory for two sizes");
    std::vector<Timed> amounts;
    for (const int64_t n : sizes) amounts.push_back(timed(lanes(n), static_cast<double>(n - 1)));
    const Costs c = compare_amounts(amounts, timed(lanes(1)), law_deadline_);
    if (!c.undecided.empty()) return undecided(c.undecided);
    for (size_t k = 0; k < sizes.size(); ++k)
      if (c.beside_best[k].pairs > 0)
        add(fmt::format("a lane of {} beside one of {}", sizes[k], sizes[c.best]), c.beside_best[k],
            &lanes(sizes[k]));
  }
  void sizes_law() {
    costs_of_lanes({63, 64, 65});
    if (lanes_ >= 1000) costs_of_lanes({1023, 1024, 1025});
    if (!source_.sized) return;
    std::vector<Prepared> programs;
    const int64_t n = source_.size;
    for (const int64_t size : {n - 1, n, n + 1}) {
      const Program p = source_.sized(size);
      programs.push_back(prepared(mapped(p), arguments(p, lanes_)));
    }
    compare_with(fmt::format("size {} beside {}, {} lanes", n - 1, n, lanes_), programs[0],
                 programs[1]);
    // A larger size may cost more, by no more than its work.
    for (const size_t k : {1, 2}) {
      const auto size = static_cast<double>(n - 1 + static_cast<int64_t>(k));
      compare_with(
          fmt::format("size {:.0f} beside {:.0f} for its work, {} lanes", size, size - 1, lanes_),
          programs[k], timed(programs[k], std::pow(size / (size - 1), source_.power)),
          timed(programs[k - 1]));
    }
  }

  const Source& source_;
  const Settings& settings_;
  Measured* const to_;
  const Deadline whole_;
  Deadline law_deadline_;
  const Law* law_ = nullptr;
  Program program_;
  int64_t lanes_ = 0;
  std::map<int64_t, Prepared> by_lanes_;
};

}  // namespace

Measured measure(const Source& source, const Settings& settings, double seconds) {
  Measured r;
  Measurement(source, settings, seconds, &r).run();
  return r;
}

}  // namespace weft::speed

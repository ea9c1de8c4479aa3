// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/effects.cpp: runs the effects of random programs and collects them.
#include "programs/effects.h"

#include <weft/weft.h>

#include <algorithm>
#include <iostream>

#include "tracer/eval_trace.h"

namespace weft::programs {
namespace {

std::vector<EffectRecord>* gathered_calls = nullptr;

// Returns the first element of x as a real scalar, or 0 if x is empty.
Array first_number(Array x) {
  if (is_complex(x.dtype())) x = lax::real(x);
  if (x.size() == 0) return base::zeros(Type(x.dtype(), {}));
  return x.ndim() ? x.reshape({-1})[0] : x;
}
double number_in(const Array& x) { return laws::numbers(x)[0]; }

// Calls `note` with the number of x and returns x.
template <class F>
Arrays noted(const Array& x, F note) {
  return {io_callback(
      [note](Array v) {
        note(EffectRecord{0, v.dtype(), number_in(v)});
        return v;
      },
      ShapeDtypeStruct{{}, x.dtype()}, stop_gradient(x))};
}

const DType groups[] = {F16, BF16, F32, F64, I64};
Array numbers_of(const std::vector<EffectRecord>& all, DType group) {
  std::vector<double> values;
  for (const EffectRecord& d : all)
    if (d.dtype == group || (group == I64 && !is_inexact(d.dtype))) values.push_back(d.value);
  const Type t(group, {std::ssize(values)});
  return values.empty() ? base::zeros(t) : lax::convert_element_type(array(values), group);
}

constexpr const char deed[] = "deed", loose[] = "loose";
// Reads lines of the form "WORD NUMBER DTYPE VALUE", with other words between them.
std::vector<EffectRecord> read_records(const std::string& text, const char* wanted) {
  std::vector<EffectRecord> r;
  std::istringstream words(text);
  for (std::string word, value; words >> word;) {
    if (word != wanted) continue;
    int dtype = 0;
    EffectRecord d{};
    words >> d.number >> dtype >> value;
    d.dtype = static_cast<DType>(dtype);
    d.value = value == "True" ? 1 : value == "False" ? 0 : std::strtod(value.c_str(), nullptr);
    r.push_back(d);
  }
  return r;
}

}  // namespace

Arrays act(const Step& s, const Array& x) {
  const Array v = first_number(x);
  const int number = static_cast<int>(s.count);
  const std::string text = fmt::format("{} {} {} {{}}", s.variant == prints_anywhere ? loose : deed,
                                       number, static_cast<int>(v.dtype()));
  if (s.variant == prints || s.variant == prints_anywhere) debug_print(text, v);
  if (s.variant == checks) check(v < s.number, text, v);
  if (s.variant != calls) return {};
  return noted(v, [number](EffectRecord d) {
    d.number = number;
    if (gathered_calls) gathered_calls->push_back(d);
  });
}

Arrays act(const Step& s, const Array& x, EffectRecords* to) {
  const int number = static_cast<int>(s.count);
  std::vector<EffectRecord>* const list = !to                   ? nullptr
                                          : s.variant == prints ? &to->printed
                                          : s.variant == checks ? &to->failed
                                                                : &to->loose;
  const bool of_failure = s.variant == checks;
  Arrays r = noted(first_number(x), [number, list, of_failure, bound = s.number](EffectRecord d) {
    d.number = number;
    if (list && !(of_failure && d.value < bound)) list->push_back(d);
  });
  return s.variant == calls ? r : Arrays{};
}

EffectCollector::EffectCollector()
    : cout_(std::cout.rdbuf(text_.rdbuf())), before_(std::exchange(gathered_calls, &called_)) {}
EffectCollector::~EffectCollector() {
  std::cout.rdbuf(cout_);
  gathered_calls = before_;
}
EffectRecords EffectCollector::records(const std::string& failure) const {
  EffectRecords r{read_records(text_.str(), deed), read_records(text_.str(), loose),
                  read_records(failure, deed)};
  r.loose.insert(r.loose.end(), called_.begin(), called_.end());
  return r;
}

Arrays as_arrays(EffectRecords d) {
  std::stable_sort(d.loose.begin(), d.loose.end(),
                   [](const EffectRecord& a, const EffectRecord& b) {
                     if (a.number != b.number) return a.number < b.number;
                     return a.value < b.value || (std::isnan(b.value) && !std::isnan(a.value));
                   });
  if (!d.failed.empty()) d.failed.resize(1);
  const ReferenceMode reference;
  Arrays r;
  for (const std::vector<EffectRecord>* all : {&d.printed, &d.loose, &d.failed}) {
    std::vector<double> steps;
    for (const EffectRecord& one : *all) steps.push_back(one.number);
    r.push_back(steps.empty() ? base::zeros(Type(I32, {0}))
                              : lax::convert_element_type(array(steps), I32));
    for (DType group : groups) r.push_back(numbers_of(*all, group));
    static_assert(1 + std::size(groups) == arrays_of_a_failure);
  }
  return r;
}

Arrays no_results(const Fn& f) {
  Arrays r;
  for (const Type& t : f.out_types()) r.push_back(base::zeros(t.strong()));
  return r;
}

}  // namespace weft::programs

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/calls.cpp: calls ops through the public functions, and writes these calls as C++
// text.
#include <fmt/format.h>
#include <weft/weft.h>

#include <map>

#include "core/param.h"
#include "ops/random/random.h"
#include "programs/program.h"
#include "tracer/trace.h"

namespace weft::programs {
namespace {

// The parameters by name.
class Fields {
 public:
  explicit Fields(const AnyParams& p) : params(p), fields_(p->fields()) {}
  const AnyParams params;
  const ParamValue& operator[](const std::string& name) const {
    for (const ParamField& f : fields_)
      if (name == f.name) return f.value;
    throw InternalError("no parameter " + name);
  }
  const Ints& ints(const char* name) const { return std::get<Ints>((*this)[name]); }
  int64_t integer(const char* name) const { return std::get<int64_t>((*this)[name]); }
  bool flag(const char* name) const { return std::get<bool>((*this)[name]); }
  DType dtype(const char* name) const { return std::get<DType>((*this)[name]); }
  const std::vector<ParamField>& all() const { return fields_; }

 private:
  std::vector<ParamField> fields_;
};

std::string text(const ParamValue& v) {
  if (const auto* b = std::get_if<bool>(&v)) return *b ? "true" : "false";
  if (const auto* i = std::get_if<int64_t>(&v)) return fmt::format("{}", *i);
  if (const auto* d = std::get_if<DType>(&v)) return dtype_text(*d);
  if (const auto* x = std::get_if<double>(&v)) return fmt::format("double({})", *x);
  if (const auto* s = std::get_if<std::string>(&v)) return fmt::format("\"{}\"", *s);
  if (const auto* l = std::get_if<Ints>(&v)) return fmt::format("Ints{{{}}}", fmt::join(*l, ", "));
  if (const auto* l = std::get_if<Bools>(&v))
    return fmt::format("Bools{{{}}}", fmt::join(*l, ", "));
  if (const auto* types = std::get_if<Types>(&v)) {
    std::string list;
    for (const Type& t : *types)
      list += fmt::format("{}Type({}, {{{}}})", list.empty() ? "" : ", ", dtype_text(t.dtype()),
                          fmt::join(t.shape().sizes(), ", "));
    return "Types{" + list + "}";
  }
  throw InternalError("a parameter of this type has no C++ text");
}

using One = Array (*)(const Arg&);
using Two = Array (*)(const Arg&, const Arg&);
using Three = Array (*)(const Arg&, const Arg&, const Arg&);

#define NAMED(f) {#f, lax::f}
const std::map<std::string, One>& unary() {
  static const std::map<std::string, One> all = {NAMED(sqrt),          NAMED(rsqrt),
                                                 NAMED(cbrt),          NAMED(exp),
                                                 NAMED(exp2),          NAMED(expm1),
                                                 NAMED(log),           NAMED(log1p),
                                                 NAMED(sin),           NAMED(cos),
                                                 NAMED(tan),           NAMED(asin),
                                                 NAMED(acos),          NAMED(atan),
                                                 NAMED(sinh),          NAMED(cosh),
                                                 NAMED(tanh),          NAMED(asinh),
                                                 NAMED(acosh),         NAMED(atanh),
                                                 NAMED(neg),           NAMED(abs),
                                                 NAMED(sign),          NAMED(square),
                                                 NAMED(erf),           NAMED(erfc),
                                                 NAMED(erf_inv),       NAMED(lgamma),
                                                 NAMED(floor),         NAMED(ceil),
                                                 NAMED(is_finite),     NAMED(population_count),
                                                 NAMED(clz),           NAMED(digamma),
                                                 NAMED(bessel_i0e),    NAMED(bessel_i1e),
                                                 NAMED(copy),          {"not", lax::bitwise_not},
                                                 NAMED(stop_gradient), NAMED(real),
                                                 NAMED(imag),          {"logistic", lax::logistic}};
  return all;
}
const std::map<std::string, Two>& binary() {
  static const std::map<std::string, Two> all = {NAMED(add),
                                                 NAMED(sub),
                                                 NAMED(mul),
                                                 NAMED(div),
                                                 NAMED(max),
                                                 NAMED(min),
                                                 NAMED(pow),
                                                 NAMED(rem),
                                                 NAMED(atan2),
                                                 NAMED(eq),
                                                 NAMED(ne),
                                                 NAMED(lt),
                                                 NAMED(le),
                                                 NAMED(gt),
                                                 NAMED(ge),
                                                 NAMED(nextafter),
                                                 NAMED(mulhi),
                                                 NAMED(complex),
                                                 NAMED(shift_left),
                                                 NAMED(shift_right_logical),
                                                 NAMED(shift_right_arithmetic),
                                                 NAMED(zeta),
                                                 NAMED(polygamma),
                                                 {"and", lax::bitwise_and},
                                                 {"or", lax::bitwise_or},
                                                 {"xor", lax::bitwise_xor}};
  return all;
}
const std::map<std::string, Three>& ternary() {
  static const std::map<std::string, Three> all = {NAMED(fma), NAMED(clamp)};
  return all;
}
#undef NAMED

// How to call an op with parameters, and the text of the call. In the text $1 is an operand, $x are
// all operands and $name is a parameter. An op without a text is bound by its name.
struct Entry {
  Arrays (*run)(const Arrays& x, const Fields& p);
  const char* text;
};

std::vector<lax::PadAxis> pads(const Fields& p) {
  std::vector<lax::PadAxis> r;
  const Ints &low = p.ints("low"), &high = p.ints("high"), &interior = p.ints("interior");
  for (size_t a = 0; a < low.size(); ++a) r.push_back({low[a], high[a], interior[a]});
  return r;
}
std::vector<std::pair<int64_t, int64_t>> low_high(const Fields& p) {
  std::vector<std::pair<int64_t, int64_t>> r;
  const Ints &low = p.ints("low"), &high = p.ints("high");
  for (size_t a = 0; a < low.size(); ++a) r.emplace_back(low[a], high[a]);
  return r;
}
lax::WindowOptions window_options(const Fields& p) {
  return {p.ints("window_strides"), low_high(p), p.ints("base_dilation"),
          p.ints("window_dilation")};
}
lax::SelectWindowOptions select_options(const Fields& p) {
  return {p.flag("largest") ? "ge" : "le", p.ints("window_strides"), low_high(p),
          p.ints("base_dilation"), p.ints("window_dilation")};
}
Arrays from(const Arrays& x, size_t n) {
  return {x.begin() + static_cast<std::ptrdiff_t>(n), x.end()};
}
lax::GatherDimensionNumbers gather_dims(const Fields& p) {
  return {p.ints("offset_dims"), p.ints("collapsed_slice_dims"), p.ints("start_index_map"),
          p.ints("operand_batching_dims"), p.ints("start_indices_batching_dims")};
}
lax::ScatterDimensionNumbers scatter_dims(const Fields& p) {
  return {p.ints("update_window_dims"), p.ints("inserted_window_dims"),
          p.ints("scatter_dims_to_operand_dims"), p.ints("operand_batching_dims"),
          p.ints("scatter_indices_batching_dims")};
}
Arrays scattered(const Arrays& x, const Fields& p) {
  const lax::ScatterDimensionNumbers d = scatter_dims(p);
  const lax::ScatterOptions o{p.integer("mode") == 0 ? "clip" : "drop", p.flag("unique_indices")};
  switch (p.integer("update")) {
    case 0: return {lax::scatter(x[0], x[2], x[1], d, o)};
    case 1: return {lax::scatter_add(x[0], x[2], x[1], d, o)};
    case 2: return {lax::scatter_mul(x[0], x[2], x[1], d, o)};
    case 3: return {lax::scatter_min(x[0], x[2], x[1], d, o)};
    default: return {lax::scatter_max(x[0], x[2], x[1], d, o)};
  }
}

using Entries = std::map<std::string, Entry>;
using X = const Arrays&;
using P = const Fields&;

#define REDUCE(name)                                                               \
  {"reduce_" #name,                                                                \
   {[](X x, P p) -> Arrays { return {lax::reduce_##name(x[0], p.ints("axes"))}; }, \
    "lax::reduce_" #name "($1, $axes)"}}
#define RUNNING(name)                                                                           \
  {#name,                                                                                       \
   {[](X x, P p) -> Arrays { return {lax::name(x[0], p.integer("axis"), p.flag("reverse"))}; }, \
    "lax::" #name "($1, $axis, $reverse)"}}
Entries folds() {
  return {
      {"integer_pow",
       {[](X x, P p) -> Arrays { return {lax::integer_pow(x[0], p.integer("y"))}; },
        "lax::integer_pow($1, $y)"}},
      REDUCE(sum),
      REDUCE(prod),
      REDUCE(max),
      REDUCE(min),
      REDUCE(and),
      REDUCE(or),
      REDUCE(xor),
      RUNNING(cumsum),
      RUNNING(cumprod),
      RUNNING(cummax),
      RUNNING(cummin),
      RUNNING(cumlogsumexp),
  };
}
#undef REDUCE
#undef RUNNING
Entries moves() {
  return {
      {"broadcast_in_dim",
       {[](X x, P p) -> Arrays {
          return {lax::broadcast_in_dim(x[0], p.ints("shape"), p.ints("broadcast_dimensions"))};
        },
        "lax::broadcast_in_dim($1, $shape, $broadcast_dimensions)"}},
      {"reshape",
       {[](X x, P p) -> Arrays { return {lax::reshape(x[0], p.ints("new_sizes"))}; },
        "lax::reshape($1, $new_sizes)"}},
      {"transpose",
       {[](X x, P p) -> Arrays { return {lax::transpose(x[0], p.ints("permutation"))}; },
        "lax::transpose($1, $permutation)"}},
      {"squeeze",
       {[](X x, P p) -> Arrays { return {lax::squeeze(x[0], p.ints("dimensions"))}; },
        "lax::squeeze($1, $dimensions)"}},
      {"rev",
       {[](X x, P p) -> Arrays { return {lax::rev(x[0], p.ints("dimensions"))}; },
        "lax::rev($1, $dimensions)"}},
      {"slice",
       {[](X x, P p) -> Arrays {
          return {lax::slice(x[0], p.ints("start_indices"), p.ints("limit_indices"),
                             p.ints("strides"))};
        },
        "lax::slice($1, $start_indices, $limit_indices, $strides)"}},
      {"pad",
       {[](X x, P p) -> Arrays { return {lax::pad(x[0], x[1], pads(p))}; },
        "lax::pad($1, $2, $pads)"}},
      {"concatenate",
       {[](X x, P p) -> Arrays { return {lax::concatenate(x, p.integer("dimension"))}; },
        "lax::concatenate(Arrays{$x}, $dimension)"}},
      {"iota",
       {[](X, P p) -> Arrays {
          return {lax::broadcasted_iota(p.dtype("dtype"), p.ints("shape"), p.integer("dimension"))};
        },
        "lax::broadcasted_iota($dtype, $shape, $dimension)"}},
      {"select_n",
       {[](X x, P) -> Arrays { return {lax::select_n(x[0], from(x, 1))}; },
        "lax::select_n($1, Arrays{$2..})"}},
      {"convert_element_type",
       {[](X x, P p) -> Arrays {
          return {lax::convert_element_type(x[0], p.dtype("new_dtype"), p.flag("weak_type"))};
        },
        "lax::convert_element_type($1, $new_dtype, $weak_type)"}},
      {"bitcast_convert_type",
       {[](X x, P p) -> Arrays { return {lax::bitcast_convert_type(x[0], p.dtype("new_dtype"))}; },
        "lax::bitcast_convert_type($1, $new_dtype)"}},
  };
}
Entries others() {
  return {
      {"dot_general",
       {[](X x, P p) -> Arrays {
          return {lax::dot_general(x[0], x[1],
                                   {p.ints("lhs_contract"), p.ints("rhs_contract"),
                                    p.ints("lhs_batch"), p.ints("rhs_batch")},
                                   p.dtype("preferred_element_type"))};
        },
        "lax::dot_general($1, $2, {$lhs_contract, $rhs_contract, $lhs_batch, $rhs_batch}, "
        "$preferred_element_type)"}},
      {"argmax",
       {[](X x, P p) -> Arrays {
          return {lax::argmax(x[0], p.ints("axes")[0], p.dtype("index_dtype"))};
        },
        "lax::argmax($1, $axis0, $index_dtype)"}},
      {"argmin",
       {[](X x, P p) -> Arrays {
          return {lax::argmin(x[0], p.ints("axes")[0], p.dtype("index_dtype"))};
        },
        "lax::argmin($1, $axis0, $index_dtype)"}},
      {"round",
       {[](X x, P p) -> Arrays {
          return {lax::round(x[0], static_cast<lax::RoundingMethod>(p.integer("rounding_method")))};
        },
        "lax::round($1, lax::RoundingMethod($rounding_method))"}},
      {"reduce_precision",
       {[](X x, P p) -> Arrays {
          return {lax::reduce_precision(x[0], static_cast<int>(p.integer("exponent_bits")),
                                        static_cast<int>(p.integer("mantissa_bits")))};
        },
        "lax::reduce_precision($1, $exponent_bits, $mantissa_bits)"}},
      {"sort",
       {[](X x, P p) -> Arrays {
          return lax::sort(x, p.integer("dimension"), p.integer("num_keys"));
        },
        "lax::sort(Arrays{$x}, $dimension, $num_keys)$only"}},
      {"top_k",
       {[](X x, P p) -> Arrays {
          auto [v, i] = lax::top_k(x[0], p.integer("k"), p.integer("axis"));
          return {v, i};
        },
        "listed(lax::top_k($1, $k, $axis))"}},
      {"gather",
       {[](X x, P p) -> Arrays {
          if (p.integer("mode") > 1) return bind_op(*find_op("gather"), x, p.params);
          return {
              lax::gather(x[0], x[1], gather_dims(p), p.ints("slice_sizes"),
                          {p.integer("mode") == 0 ? "clip" : "fill", p.flag("unique_indices")})};
        },
        "lax::gather($1, $2, {$offset_dims, $collapsed_slice_dims, $start_index_map, "
        "$operand_batching_dims, $start_indices_batching_dims}, $slice_sizes, {$indexing})"}},
      {"scatter",
       {scattered,
        "lax::scatter$updated($1, $3, $2, {$update_window_dims, $inserted_window_dims, "
        "$scatter_dims_to_operand_dims, $operand_batching_dims, $scatter_indices_batching_dims}, "
        "{$indexing})"}},
      {"dynamic_slice",
       {[](X x, P p) -> Arrays {
          if (p.integer("batch_dims") != 0) return bind_op(*find_op("dynamic_slice"), x, p.params);
          return {lax::dynamic_slice(x[0], from(x, 1), p.ints("slice_sizes"))};
        },
        "lax::dynamic_slice($1, Arrays{$2..}, $slice_sizes)"}},
      {"random_split",
       {[](X x, P p) -> Arrays {
          if (x[0].ndim() > 0) return bind_op(*find_op("random_split"), x, p.params);
          return {random::split(x[0], Shape(p.ints("shape")))};
        },
        nullptr}},
      {"random_fold_in",
       {[](X x, P p) -> Arrays {
          if (x[0].ndim() > 0) return bind_op(*find_op("random_fold_in"), x, p.params);
          return {random::fold_in(x[0], x[1])};
        },
        nullptr}},
  };
}
#define WINDOW(NAME)                                                                       \
  {#NAME,                                                                                  \
   {[](X x, P p) -> Arrays {                                                               \
      return {lax::NAME(x[0], p.ints("window_dimensions"), window_options(p))};            \
    },                                                                                     \
    "lax::" #NAME "($1, $window_dimensions, {$window_strides, $low_high, $base_dilation, " \
    "$window_dilation})"}}
#define SELECTION(NAME)                                                                 \
  {#NAME,                                                                               \
   {[](X x, P p) -> Arrays {                                                            \
      return {lax::NAME(x[0], x[1], p.ints("window_dimensions"), select_options(p))};   \
    },                                                                                  \
    "lax::" #NAME "($1, $2, $window_dimensions, {$select, $window_strides, $low_high, " \
    "$base_dilation, $window_dilation})"}}
Entries windows() {
  return {WINDOW(reduce_window_sum), WINDOW(reduce_window_max), WINDOW(reduce_window_min),
          SELECTION(select_and_gather_add), SELECTION(select_and_scatter_add)};
}
#undef WINDOW
#undef SELECTION
const Entries& with_parameters() {
  static const Entries all = [] {
    Entries r = folds();
    r.merge(windows());
    r.merge(moves());
    r.merge(others());
    return r;
  }();
  return all;
}

std::string joined(const std::vector<std::string>& x, size_t from) {
  return fmt::format("{}", fmt::join(x.begin() + static_cast<std::ptrdiff_t>(from), x.end(), ", "));
}

}  // namespace

Arrays call_op(const Op& op, const Arrays& x, const AnyParams& p) {
  const std::string& name = op.name();
  if (const auto f = unary().find(name); f != unary().end()) return {f->second(x[0])};
  if (const auto f = binary().find(name); f != binary().end()) return {f->second(x[0], x[1])};
  if (const auto f = ternary().find(name); f != ternary().end())
    return {f->second(x[0], x[1], x[2])};
  if (const auto f = with_parameters().find(name); f != with_parameters().end())
    return f->second.run(x, Fields(p));
  return bind_op(op, x, p);
}

namespace {

// Binds the op by its name and parameters. It is for ops that no public function calls in this
// form.
std::string bound_text(const Op& op, const std::vector<std::string>& x, const AnyParams& p) {
  std::string fields;
  for (const ParamField& f : p->fields())
    fields += fmt::format("{}{{\"{}\", {}}}", fields.empty() ? "" : ", ", f.name, text(f.value));
  return fmt::format(
      "bind_op(*find_op(\"{0}\"), Arrays{{{1}}}, find_op(\"{0}\")->parse_params({{{2}}}))",
      op.name(), joined(x, 0), fields);
}
// Returns the text for a word after $.
std::string word_text(const std::string& word, const Op& op, const Fields& p) {
  if (word == "pads") {
    std::string axes;
    for (const lax::PadAxis& a : pads(p))
      axes += fmt::format("{}{{{}, {}, {}}}", axes.empty() ? "" : ", ", a.low, a.high, a.interior);
    return "std::vector<lax::PadAxis>{" + axes + "}";
  }
  if (word == "low_high") {
    std::string axes;
    for (const auto& [low, high] : low_high(p))
      axes += fmt::format("{}{{{}, {}}}", axes.empty() ? "" : ", ", low, high);
    return "std::vector<std::pair<int64_t, int64_t>>{" + axes + "}";
  }
  if (word == "select") return p.flag("largest") ? "\"ge\"" : "\"le\"";
  if (word == "axis0") return fmt::format("{}", p.ints("axes")[0]);
  if (word == "updated") {
    static const char* const suffix[] = {"", "_add", "_mul", "_min", "_max"};
    return suffix[p.integer("update")];
  }
  if (word == "indexing")
    return fmt::format("\"{}\", {}",
                       p.integer("mode") == 0  ? "clip"
                       : op.name() == "gather" ? "fill"
                                               : "drop",
                       text(p["unique_indices"]));
  return text(p[word]);
}

}  // namespace

std::string call_text(const Op& op, const std::vector<std::string>& x, const AnyParams& p,
                      size_t results) {
  const std::string& name = op.name();
  const auto entry = with_parameters().find(name);
  const bool simple = unary().count(name) || binary().count(name) || ternary().count(name);
  const bool bitwise = name == "not" || name == "and" || name == "or" || name == "xor";
  if (simple) return fmt::format("lax::{}{}({})", bitwise ? "bitwise_" : "", name, joined(x, 0));
  const char* const only = results == 1 ? "[0]" : "";
  const Fields fields(p);
  const bool inner = (name == "gather" && fields.integer("mode") > 1) ||
                     (name == "dynamic_slice" && fields.integer("batch_dims") != 0);
  if (inner || entry == with_parameters().end() || !entry->second.text)
    return bound_text(op, x, p) + only;
  std::string out;
  for (const char* c = entry->second.text; *c; ++c) {
    if (*c != '$') {
      out += *c;
      continue;
    }
    std::string word;
    while (std::isalnum(c[1]) || c[1] == '_') word += *++c;
    if (word == "x") {
      out += joined(x, 0);
    } else if (std::isdigit(word[0])) {
      const auto k = static_cast<size_t>(word[0] - '1');
      out += c[1] == '.' ? joined(x, k) : x[k];
      if (c[1] == '.') c += 2;
    } else if (word == "only") {
      out += only;
    } else {
      out += word_text(word, op, fields);
    }
  }
  return out;
}

}  // namespace weft::programs

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/laws/exemptions.cpp: the laws that cannot hold for an op, and the reasons.
#include <algorithm>

#include "core/param.h"
#include "laws.h"
#include "weft/device.h"

namespace weft::laws {
namespace {

// Returns the value of a parameter of the case.
template <class T>
T field(const Case& c, const std::string& name) {
  for (const ParamField& f : c.sample.params->fields())
    if (f.name == name) return std::get<T>(f.value);
  throw InternalError(c.op->name() + " has no field " + name);
}
// Returns true if the case holds a C++ object, such as a rule.
bool has_object(const Case& c) {
  const std::vector<ParamField> fields = c.sample.params->fields();
  return std::any_of(fields.begin(), fields.end(), [](const ParamField& f) {
    const auto* o = std::get_if<Opaque>(&f.value);
    return o && o->object;
  });
}
// Ops that call a function of the user, and all ops with effects.
constexpr const char* callbacks[] = {"pure_callback", "io_callback", "custom_call"};
constexpr const char* effects[] = {"pure_callback", "io_callback", "custom_call",
                                   "missing_call",  "debug_print", "check"};
bool unbounded(const Case& c) { return field<int64_t>(c, "max_trips") < 0; }

bool adds_vectors(const Case& c) {
  const Shape& s = c.sample.in[0].shape();
  return field<bool>(c, "full_matrices") && s[s.ndim() - 1] != s[s.ndim() - 2];
}

// Ops that are expanded to sums of products.
constexpr const char* of_sums[] = {"cholesky",
                                   "svd",
                                   "tridiagonal_solve",
                                   "eigh",
                                   "geqp3",
                                   "geqrf",
                                   "householder_product",
                                   "qr",
                                   "lu",
                                   "triangular_solve",
                                   "igamma",
                                   "igammac",
                                   "igamma_grad_a",
                                   "random_gamma_grad",
                                   "expn",
                                   "hyp1f1",
                                   "hyp1f1_grad_a",
                                   "hyp1f1_grad_b",
                                   "hyp2f1_grad_c",
                                   "regularized_incomplete_beta",
                                   "betaincc",
                                   "log_igamma",
                                   "log_igammac",
                                   "log_betainc",
                                   "log_betaincc",
                                   "log_gamma_density",
                                   "log_beta_density"};
// Ops that have a derivative only with respect to their last operand.
constexpr const char* by_last_operand[] = {
    "expn", "regularized_incomplete_beta", "betaincc", "log_betainc", "log_betaincc", "zeta"};
// Ops whose derivative with respect to a parameter has no derivative itself.
constexpr const char* once[] = {"hyp1f1",  "hyp2f1",     "igamma",
                                "igammac", "log_igamma", "log_igammac"};

}  // namespace

const std::vector<Exempt>& exemptions() {
  static const char* const zero = "its derivative is zero by definition, its slope is not";
  static const char* const one_way =
      "only the transpose of its derivative is known; call_laws_test.cpp checks that";
  static const char* const contracted =
      "what it is expanded to contracts sums of products; L10 checks how far that is off";
  static const char* const by_one = "it has a derivative by its last operand alone, as in JAX";
  static const char* const ordered =
      "native code and what it is expanded to add in orders of their own; L10 checks how far off";
  static const char* const any_basis =
      "what is added to make a matrix of vectors square has no derivative, as in JAX";
  static const char* const no_second = "its derivative by a parameter has none itself, as in JAX";
  static const std::vector<Exempt> others = {
      {"svd", tangents_are_slopes, any_basis, adds_vectors},
      {"svd", transposes_pair, any_basis, adds_vectors},
      {"svd", tangents_map, any_basis, adds_vectors},
      {"fft", compiled_is_reference, ordered},
      {"fft", compiled_map_is_reference, ordered},
      {"hyp2f1", compiled_map_is_reference, contracted},
      {"hyp2f1_grad_a", compiled_map_is_reference, contracted},
      {"stop_gradient", tangents_are_slopes, zero},
      {"bitcast_convert_type", tangents_are_slopes, zero},
      {"nextafter", tangents_are_slopes, zero},
      {"reduce_precision", tangents_are_slopes, "its steps are larger than those of a slope"},
      {"while", transposes_pair, "without a bound on its trips nothing is kept for the way back",
       unbounded},
      {"custom_vjp_call", tangents_are_slopes, one_way},
      {"custom_vjp_call", transposes_pair, one_way},
      {"custom_vjp_call", tangents_map, one_way},
      {"custom_lin", tangents_are_slopes, one_way},
      {"custom_lin", transposes_pair, one_way},
      {"custom_lin", tangents_map, one_way},
      {"custom_lin", stablehlo_is_read_back, "StableHLO has no op that only checks its operands"},
      {"custom_lin", lanes_stay_apart, "it has a value of zeros alone, which follow no operand",
       has_object},
      {"custom_lin", text_is_read_back, "a rule in C++ has no text", has_object},
      {"linear_call", text_is_read_back, "a rule in C++ has no text"},
      {"custom_jvp_call", text_is_read_back, "a rule in C++ has no text", has_object},
      {"custom_vmap_call", text_is_read_back, "a rule in C++ has no text", has_object},
      {"pure_callback", text_is_read_back, "a function in C++ has no text"},
      {"io_callback", text_is_read_back, "a function in C++ has no text"},
      {"debug_print", lanes_stay_apart, "it has no result that could follow a lane"},
      {"check", lanes_stay_apart, "it has no result that could follow a lane"},
      {"dce_sink", lanes_stay_apart, "it has no result that could follow a lane"},
  };
  static const std::vector<Exempt> all = [] {
    std::vector<Exempt> v = others;
    for (const char* op : of_sums)
      for (const Law law : {compiled_is_reference, compiled_map_is_reference})
        v.push_back({op, law, contracted});
    for (const char* op : by_last_operand)
      for (const Law law : {tangents_are_slopes, transposes_pair, tangents_map})
        v.push_back({op, law, by_one});
    for (const char* op : once) v.push_back({op, derivatives_nest, no_second});
    for (const char* op : callbacks)
      for (const Law law : {tangents_are_slopes, transposes_pair, tangents_map})
        v.push_back({op, law, "Weft does not know the derivative of a function of the user's"});
    for (const char* op :
         {"custom_jvp_call", "custom_vjp_call", "custom_lin", "custom_linear_solve", "custom_root"})
      v.push_back({op, fewer_lanes_agree, "the compiler inlines it before it chooses blocks"});
    for (const char* op : {"pure_callback", "io_callback", "custom_call", "missing_call"})
      v.push_back({op, fewer_lanes_agree, "the function takes all lanes"});
    v.push_back({"cond", fewer_lanes_agree, "the branches of other platforms are not analysed",
                 [](const Case& c) {
                   const auto p = param_field<Strings>(c.sample.params, "branches_platforms");
                   return p && !p->empty();
                 }});
    for (const char* op : effects)
      v.push_back({op, stablehlo_is_read_back, "StableHLO has calls by name alone for it"});
    return v;
  }();
  return all;
}
namespace {
// Returns the simpler laws that a law extends. An exemption from a simpler law also exempts from
// it.
std::vector<Law> simpler(Law law) {
  if (law == many_lanes_are_reference) return {compiled_map_is_reference};
  if (law == cotangents_map) return {transposes_pair, tangents_map};
  if (law == derivatives_nest) return {tangents_are_slopes, transposes_pair};
  return {};
}
}  // namespace

bool exempt(Law law, const Case& c) {
  // Ops that call a function of the user run only on the host and raise an error elsewhere.
  if (weft::detail::default_elsewhere() &&
      std::find(std::begin(callbacks), std::end(callbacks), c.op->name()) != std::end(callbacks))
    return true;
  std::vector<Law> all = simpler(law);
  all.push_back(law);
  return std::any_of(exemptions().begin(), exemptions().end(), [&](const Exempt& e) {
    return std::any_of(all.begin(), all.end(), [&](Law l) { return e.covers(l, c); });
  });
}

}  // namespace weft::laws

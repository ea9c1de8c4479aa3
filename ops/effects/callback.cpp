// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/effects/callback.cpp: pure_callback, io_callback, custom_call: calls of user functions.
#include <fmt/format.h>

#include <map>
#include <mutex>

#include "core/effects.h"
#include "ops/effects/effects.h"
#include "ops/effects/lane_calls.h"
#include "runtime/fork.h"
#include "runtime/ordered_output.h"
#include "tracer/eval_trace.h"
#include "weft/lax/convert.h"

namespace weft {
namespace {

struct Callback {
  Opaque callback = {};  // a HostFunction
  Types result_avals = {};
  Ints lanes = {}, lane_ids = {}, lane_axes = {};
  bool masked = false;
  WEFT_FIELDS(callback, result_avals, lanes, lane_ids, lane_axes, masked)
};

template <const char* name>
Types callback_type(const Types& in, const Callback& p) {
  lane_types(name, in, p);
  if (!p.callback.object)
    throw ParseError(fmt::format(
        "{}: it has no function: functions have no text, so programs that call one cannot be read",
        name));
  return with_lanes(p.result_avals, p.lanes);
}

// Copies the results of one lane to their memory.
void deliver(const char* name, const Arrays& results, const Types& want,
             const std::vector<void*>& out) {
  if (results.size() != want.size())
    throw ShapeError(fmt::format("{}: the function returned {} arrays, result_types has {}", name,
                                 results.size(), want.size()));
  for (size_t k = 0; k < want.size(); ++k) {
    const Type& got = results[k].type();
    if (got.strong() != want[k].strong()) {
      const std::string why =
          fmt::format("{}: the function returned {} for result {}, {} was promised", name,
                      to_string(got), k, to_string(want[k]));
      if (got.dtype() != want[k].dtype()) throw DTypeError(why);
      throw ShapeError(why);
    }
    if (const int64_t bytes = got.bytes()) std::memcpy(out[k], concrete(results[k]).data(), bytes);
  }
}

template <const char* name>
void call_lanes(const Callback& p, const Types& lane, LaneWalk& walk) {
  const auto& f = static_cast<const HostFunction&>(*p.callback.object);
  const CurrentTraceScope now(eval_interpreter());
  Arrays x(lane.size());
  walk.for_each([&](LanePath, const std::vector<const void*>& in, const std::vector<void*>& out) {
    for (size_t i = 0; i < lane.size(); ++i) x[i] = array_of_bytes(lane[i].strong(), in[i]);
    const DetachedOutput aside;
    deliver(name, f.call(x), p.result_avals, out);
  });
}

// Throws if the operands are on a device, because the program would have to wait for the host while
// it runs.
template <class P>
bool on_host(const char* name, const Use<P>& u) {
  if (u.target.gpu)
    throw DeviceError(fmt::format(
        "{}: a callback on the device: the function runs on the host alone. Run what calls it on "
        "the CPU (jit(f, {{.device = \"cpu\"}})), or take it out of the program",
        name));
  return true;
}
template <class P, const char* name>
std::vector<Implementation<P>> on_host_alone(std::vector<Implementation<P>> all) {
  for (Implementation<P>& i : all) i.applies = [](const Use<P>& u) { return on_host(name, u); };
  return all;
}

// A user function is called for one lane after another.
template <class P>
Batched batch_user_call(const BatchArgs<P>& b) {
  if (runs_in_each_lane(b)) require_lane_loops(b.trace, b.op.name());
  return batch_lane_call(b);
}

// For samples: the sum of its operands, which may have any type.
class SampleFunction final : public HostFunction {
 public:
  Arrays call(const Arrays& x) const override {
    return {base::add(lax::convert_element_type(x[0], F32), lax::convert_element_type(x[1], F32))};
  }
};
Callback sample_callback(Ints lanes, Ints lane_axes, bool masked) {
  static const auto* f = new Ref<const HostFunction>(make_ref<const SampleFunction>());
  Callback p{.callback = {*f}, .result_avals = {Type(F32, {3})}};
  p.lane_ids = axis_range(std::ssize(lanes));
  p.lanes = std::move(lanes);
  p.lane_axes = std::move(lane_axes);
  p.masked = masked;
  return p;
}

template <const char* name>
const Primitive<Callback>& define_callback(const char* doc, Effect effect) {
  auto d = lane_call_op<Callback>(name, doc, call_lanes<name>);
  d.type = callback_type<name>;
  d.batch = batch_user_call<Callback>;
  d.dual = [](const DualArgs<Callback>&) -> Dual {
    throw DifferentiationError(fmt::format(
        "{}: the function has no derivative that Weft could know. Give one with custom_jvp or "
        "custom_vjp around the call, or take stop_gradient of its arguments",
        name));
  };
  d.effects = [effect](const Callback&) { return effect; };
  d.implementations = [all = d.implementations] { return on_host_alone<Callback, name>(all()); };
  d.samples = [] {
    const Type x(F32, {3});
    return std::vector<Sample<Callback>>{
        {{x, x}, sample_callback({}, {}, false)},
        {{Type(F32, {2, 3}), x}, sample_callback({2}, {1, 0}, false)},
        {{Type(F32, {2, 3}), x, Type(Bool, {2})}, sample_callback({2}, {1, 0}, true)}};
  };
  d.rejects = [] {
    const Type x(F32, {3});
    return std::vector<Reject<Callback>>{
        {{x}, {.result_avals = {x}}, "it has no function"},
        {{x, x}, sample_callback({2}, {1, 0}, false), "does not have the lanes of lane_axes"}};
  };
  return define<Callback>(d);
}

constexpr char pure_name[] = "pure_callback", io_name[] = "io_callback";
const Primitive<Callback>& pure_op = define_callback<pure_name>(
    "Calls a function of the user for each lane. The call may be dropped or merged with an equal "
    "one.",
    Effect::pure);
const Primitive<Callback>& io_op = define_callback<io_name>(
    "Calls a function of the user for each lane, as often and in the order that the program says.",
    Effect::ordered);

// ---- custom_call

struct Custom {
  std::string name;
  Types result_avals = {};
  Ints lanes = {}, lane_ids = {}, lane_axes = {};
  bool masked = false;
  WEFT_FIELDS(name, result_avals, lanes, lane_ids, lane_axes, masked)
};

// The registered functions by name, for the lifetime of the process.
struct Functions {
  ForkMutex guard;
  std::map<std::string, CustomCall, std::less<>> by_name;
  static Functions& instance() {
    static auto* f = new Functions;
    return *f;
  }
};
CustomCall find_function(const std::string& name) {
  Functions& f = Functions::instance();
  const std::lock_guard lock(f.guard);
  const auto it = f.by_name.find(name);
  return it == f.by_name.end() ? nullptr : it->second;
}
void register_function(const std::string& name, CustomCall f) {
  Functions& all = Functions::instance();
  const std::lock_guard lock(all.guard);
  const auto [it, fresh] = all.by_name.emplace(name, f);
  if (!fresh && it->second != f)
    throw CompileError(fmt::format(
        "custom_call: '{}' is the name of another function already; programs find functions by "
        "their names, so give this one its own",
        name));
}

Types custom_type(const Types& in, const Custom& p) {
  lane_types("custom_call", in, p);
  if (!find_function(p.name))
    throw ParseError(fmt::format(
        "custom_call: no function is called '{}' in this process; custom_call(\"{}\", f, …) makes "
        "it known",
        p.name, p.name));
  return with_lanes(p.result_avals, p.lanes);
}

BufferType buffer_type(const Type& t) {
  return {t.dtype(), t.ndim(), t.shape().sizes().data(), t.elements()};
}

void run_custom(const Custom& p, const Types& lane, LaneWalk& walk) {
  const CustomCall f = find_function(p.name);
  std::vector<BufferType> types;
  for (const Type& t : lane) types.push_back(buffer_type(t));
  for (const Type& t : p.result_avals) types.push_back(buffer_type(t));
  const DetachedOutput aside;
  walk.for_each([&](LanePath, const std::vector<const void*>& in, const std::vector<void*>& out) {
    f(out.data(), in.data(), types.data());
  });
}

// For samples: r = x * y, for any types and sizes. A shorter operand repeats.
float sample_number(const BufferType& t, const void* data, int64_t i) {
  if (t.size == 0) return 0;
  return with_dtype(t.dtype, [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const T x = static_cast<const T*>(data)[i % t.size];
    if constexpr (std::is_same_v<T, complex64_t> || std::is_same_v<T, complex128_t>)
      return static_cast<float>(x.re);
    else
      return static_cast<float>(x);
  });
}
void sample_product(void* const* out, const void* const* in, const BufferType* types) {
  for (int64_t i = 0; i < types[2].size; ++i)
    static_cast<float*>(out[0])[i] =
        sample_number(types[0], in[0], i) * sample_number(types[1], in[1], i);
}
Custom sample_custom(Ints lanes, Ints lane_axes, bool masked) {
  register_function("weft.sample_product", sample_product);
  Custom p{.name = "weft.sample_product", .result_avals = {Type(F32, {3})}};
  p.lane_ids = axis_range(std::ssize(lanes));
  p.lanes = std::move(lanes);
  p.lane_axes = std::move(lane_axes);
  p.masked = masked;
  return p;
}

constexpr char custom_name[] = "custom_call";
const Primitive<Custom>& custom_op = define<Custom>([] {
  auto d = lane_call_op<Custom>(
      custom_name,
      "Calls the compiled function that the user registered as `name`, once for each lane.",
      run_custom);
  d.type = custom_type;
  d.batch = batch_user_call<Custom>;
  d.dual = [](const DualArgs<Custom>& a) -> Dual {
    throw DifferentiationError(fmt::format(
        "custom_call: '{}' has no derivative that Weft could know. Give one with custom_jvp or "
        "custom_vjp around the call, or take stop_gradient of its arguments",
        a.params.name));
  };
  d.effects = [](const Custom&) { return Effect::pure; };
  d.implementations = [all = d.implementations] {
    return on_host_alone<Custom, custom_name>(all());
  };
  d.samples = [] {
    const Type x(F32, {3});
    return std::vector<Sample<Custom>>{
        {{x, x}, sample_custom({}, {}, false)},
        {{Type(F32, {2, 3}), x, Type(Bool, {2})}, sample_custom({2}, {1, 0}, true)}};
  };
  d.rejects = [] {
    return std::vector<Reject<Custom>>{
        {{}, {.name = "nobody", .result_avals = {}}, "no function is called 'nobody'"}};
  };
  return d;
}());

}  // namespace

Arrays callback_flat(const Ref<const HostFunction>& f, bool ordered, const Types& out,
                     const Arrays& x) {
  return (ordered ? io_op : pure_op).bind(x, {.callback = {f}, .result_avals = out});
}

Arrays custom_call_flat(const std::string& name, CustomCall f, const Types& out, const Arrays& x) {
  register_function(name, f);
  return custom_op.bind(x, {.name = name, .result_avals = out});
}

}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/detail/ref.h: shared ownership with the count inside the object, and a small
// type-erased function. Public headers use these in place of <memory> and <functional>, which are
// slow to include. <atomic> alone would be a fifth of weft.h, so builtins of GCC and Clang change
// the count.
#pragma once
#include <cstddef>
#include <type_traits>
#include <utility>

namespace weft::ir {

class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) {}
  RefCounted& operator=(const RefCounted&) { return *this; }
  virtual ~RefCounted() = default;
  void retain() const { __atomic_fetch_add(&count_, 1, __ATOMIC_RELAXED); }
  void release() const {
    if (__atomic_fetch_sub(&count_, 1, __ATOMIC_ACQ_REL) == 1) dispose();
  }
  // Adds an owner unless the last owner is already gone.
  bool try_retain() const {
    int n = __atomic_load_n(&count_, __ATOMIC_RELAXED);
    while (n != 0)
      if (__atomic_compare_exchange_n(&count_, &n, n + 1, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return true;
    return false;
  }
  int use_count() const { return __atomic_load_n(&count_, __ATOMIC_ACQUIRE); }

 protected:
  virtual void dispose() const { delete this; }

 private:
  mutable int count_ = 0;
};

// The pointer that == compares: the object, or the representative of all objects equal to it.
template <class T>
const T* identity_of(const T* p) {
  return p;
}
class JaxprData;
const JaxprData* identity_of(const JaxprData* j);

template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  explicit Ref(T* p) : p_(p) {
    if (p_) p_->retain();
  }
  Ref(const Ref& o) : p_(o.p_) {
    if (p_) p_->retain();
  }
  Ref(Ref&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  template <class U>
    requires std::is_convertible_v<U*, T*>
  Ref(const Ref<U>& o) : Ref(o.get()) {}
  ~Ref() {
    if (p_) p_->release();
  }
  Ref& operator=(Ref o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  T* get() const { return p_; }
  T& operator*() const { return *p_; }
  T* operator->() const { return p_; }
  explicit operator bool() const { return p_ != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) {
    return identity_of(a.p_) == identity_of(b.p_);
  }
  // Takes ownership of a count that try_retain has added.
  static Ref adopt(T* p) {
    Ref r;
    r.p_ = p;
    return r;
  }

 private:
  T* p_ = nullptr;
};

template <class T, class... A>
Ref<T> make_ref(A&&... a) {
  return Ref<T>(new T(std::forward<A>(a)...));
}

// A non-owning reference to a callable, valid only during a call.
template <class S>
class FunctionRef;
template <class R, class... A>
class FunctionRef<R(A...)> {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> &&
             std::is_invocable_r_v<R, F&, A...>)
  FunctionRef(F&& f)
      : object_(const_cast<void*>(static_cast<const void*>(__builtin_addressof(f)))),
        call_(&call<std::remove_reference_t<F>>) {}
  R operator()(A... a) const { return call_(object_, static_cast<A&&>(a)...); }

 private:
  // This is compiled for each function that is passed to a transform. It is not a lambda, because a
  // compiler that does not optimize emits four functions for a lambda.
  template <class F>
  static R call(void* f, A... a) {
    return (*static_cast<F*>(f))(static_cast<A&&>(a)...);
  }
  void* object_;
  R (*call_)(void*, A...);
};

// A callable with shared ownership: copies refer to the same object.
template <class S>
class Function;
template <class R, class... A>
class Function<R(A...)> {
  struct Base : RefCounted {
    virtual R call(A... a) const = 0;
  };
  template <class F>
  struct Held : Base {
    F f;
    explicit Held(F g) : f(std::move(g)) {}
    R call(A... a) const override { return f(std::forward<A>(a)...); }
  };
  Ref<const Base> p_;

 public:
  Function() = default;
  template <class F>
    requires(!std::is_same_v<std::decay_t<F>, Function> &&
             std::is_invocable_r_v<R, const std::decay_t<F>&, A...>)
  Function(F&& f) : p_(make_ref<const Held<std::decay_t<F>>>(std::forward<F>(f))) {}
  explicit operator bool() const { return static_cast<bool>(p_); }
  R operator()(A... a) const { return p_->call(std::forward<A>(a)...); }
};

}  // namespace weft::ir

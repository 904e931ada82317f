// Result<T>: a value or an Error, and TRY, which returns the error to the caller or yields the
// value. In a coroutine use CO_TRY. Failures that a person or the world can cause travel this way;
// exceptions stand for bugs and exhaustion and are caught once a task, at the edge.
#pragma once

#include <expected>

#include "base/error.h"

namespace rouse {

template <class T = void>
using Result = std::expected<T, Error>;

template <class Enum>
std::unexpected<Error> fail(Enum code, std::string message) {
  return std::unexpected(Error(code, std::move(message)));
}
inline std::unexpected<Error> fail(Error error) { return std::unexpected(std::move(error)); }

#define ROUSE_CAT_(a, b) a##b
#define ROUSE_CAT(a, b) ROUSE_CAT_(a, b)

// TRY(auto x, f()); declares x with the value of f(), or returns f()'s error.
#define ROUSE_TRY_(ret, tmp, decl, expr)                 \
  auto tmp = (expr);                                     \
  if (!tmp) ret std::unexpected(std::move(tmp).error()); \
  decl = std::move(*tmp)
#define TRY(decl, expr) ROUSE_TRY_(return, ROUSE_CAT(try_, __COUNTER__), decl, expr)
#define CO_TRY(decl, expr) ROUSE_TRY_(co_return, ROUSE_CAT(try_, __COUNTER__), decl, expr)

// The same for a Result<void>, or for a value nobody needs.
#define ROUSE_CHECK_(ret, tmp, expr) \
  if (auto tmp = (expr); !tmp) ret std::unexpected(std::move(tmp).error())
#define TRY_VOID(expr) ROUSE_CHECK_(return, ROUSE_CAT(try_, __COUNTER__), expr)
#define CO_TRY_VOID(expr) ROUSE_CHECK_(co_return, ROUSE_CAT(try_, __COUNTER__), expr)

}  // namespace rouse

// Task<T>: a coroutine on the event loop. This is the one header that names asio::awaitable, so
// that the rest of the house knows coroutines and not the library under them.
//
// Rules: parameters of a coroutine are passed by value or outlive the call; no lambda that captures
// is a coroutine; every wait that leaves the process has a deadline and takes a std::stop_token.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/result.h"

namespace rouse {

using Executor = boost::asio::io_context::executor_type;

template <class T = void>
using Task = boost::asio::awaitable<T, Executor>;

inline constexpr boost::asio::use_awaitable_t<Executor> use_task{};

// The other half of an awaited outcome. Whoever holds it calls it once, from any thread; the
// waiting coroutine goes on in the loop's next round. Keep it in exactly one place and
// let go of it before the loop ends: one dropped without a call unwinds its coroutine on the loop.
template <class T>
using Completer = std::move_only_function<void(T)>;

// Runs start(completer) and waits for the completer to be called. T must be default constructible.
template <class T, class Start>
Task<T> complete_later(Start start) {
  return boost::asio::async_initiate<const boost::asio::use_awaitable_t<Executor>, void(T)>(
      [](auto handler, Start begin) {
        auto executor = boost::asio::get_associated_executor(handler);
        // The work guard keeps the loop alive while somebody still owes the answer.
        auto work = boost::asio::prefer(executor, boost::asio::execution::outstanding_work.tracked);
        begin(Completer<T>(
            [executor, work,
             h = std::make_shared<decltype(handler)>(std::move(handler))](T value) mutable {
              // The guard goes with the answer: a Completer may be kept after its call.
              boost::asio::post(
                  executor, [h = std::move(h), v = std::move(value),
                             guard = std::move(work)]() mutable { std::move (*h)(std::move(v)); });
            }));
      },
      use_task, std::move(start));
}

}  // namespace rouse

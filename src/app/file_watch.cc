#include "app/file_watch.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits.h>
#include <map>
#include <set>
#include <sys/inotify.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <fmt/format.h>

namespace rouse {
namespace fs = std::filesystem;
namespace {

constexpr std::uint32_t kEvents = IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM |
                                  IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF |
                                  IN_ONLYDIR;

// A folder of a container's config map is switched over by one link of this name.
constexpr std::string_view kConfigMapLink = "..data";

// A file that is written to without a pause is still reported this often.
constexpr int kSettleRounds = 10;

// Where changes to the file can show: its own folder, and that of the target if it is a link.
std::set<fs::path> places_of(const std::string& path) {
  std::error_code ec;
  std::set<fs::path> places;
  const fs::path file = fs::absolute(path, ec).lexically_normal();
  places.insert(file);
  const fs::path target = fs::canonical(file, ec);
  if (!ec) places.insert(target);
  return places;
}

}  // namespace

struct FileWatch::State : std::enable_shared_from_this<State> {
  State(Loop& l, Clock& c, OnChange f, Millis s, int descriptor)
      : loop(l), clock(c), on_change(std::move(f)), settle(s), kernel(l.executor(), descriptor) {}

  Loop& loop;
  Clock& clock;
  OnChange on_change;
  Millis settle;
  boost::asio::posix::basic_stream_descriptor<Executor> kernel;
  std::stop_source stop;

  std::vector<std::string> paths;
  std::map<fs::path, std::set<std::string>> by_place;  // folder/name -> the paths it stands for
  std::map<int, fs::path> folders;                     // watch -> folder

  std::set<std::string> dirty;
  MonoTime last_event;
  bool settling = false;

  std::vector<std::string> watch(const std::vector<std::string>& wanted);
  void mark(const fs::path& folder, std::string_view name);
  void mark_folder(const fs::path& folder);
  void take(const inotify_event& event, std::string_view name);
  void take_all(std::string_view bytes);

  static Task<void> read_events(std::shared_ptr<State> self);
  static Task<void> wait_for_quiet(std::shared_ptr<State> self);
};

std::vector<std::string> FileWatch::State::watch(const std::vector<std::string>& wanted) {
  std::vector<std::string> problems;
  std::map<int, fs::path> now;
  by_place.clear();
  paths = wanted;
  for (const std::string& path : wanted) {
    for (const fs::path& place : places_of(path)) {
      by_place[place].insert(path);
      const fs::path folder = place.parent_path();
      const int id = ::inotify_add_watch(kernel.native_handle(), folder.c_str(), kEvents);
      if (id >= 0) {
        now[id] = folder;
      } else {
        problems.push_back(fmt::format("changes of {} are not seen: can't watch {}: {}", path,
                                       folder.string(), std::strerror(errno)));
      }
    }
  }
  for (const auto& [id, folder] : folders) {
    if (!now.contains(id)) ::inotify_rm_watch(kernel.native_handle(), id);
  }
  folders = std::move(now);
  return problems;
}

void FileWatch::State::mark(const fs::path& folder, std::string_view name) {
  for (const fs::path& place : {folder / name, folder / "*"}) {
    const auto found = by_place.find(place);
    if (found != by_place.end()) dirty.insert(found->second.begin(), found->second.end());
  }
}

void FileWatch::State::mark_folder(const fs::path& folder) {
  for (const auto& [place, names] : by_place) {
    if (place.parent_path() == folder) dirty.insert(names.begin(), names.end());
  }
}

void FileWatch::State::take(const inotify_event& event, std::string_view name) {
  if ((event.mask & IN_Q_OVERFLOW) != 0) {  // events were lost: anything may have changed
    dirty.insert(paths.begin(), paths.end());
    return;
  }
  const auto found = folders.find(event.wd);
  if (found == folders.end()) return;
  const fs::path folder = found->second;
  if ((event.mask & IN_IGNORED) != 0) folders.erase(found);
  const bool whole_folder = (event.mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED)) != 0;
  if (whole_folder || name == kConfigMapLink) {
    mark_folder(folder);
  } else if (!name.empty()) {
    mark(folder, name);
  }
}

void FileWatch::State::take_all(std::string_view bytes) {
  while (bytes.size() >= sizeof(inotify_event)) {
    inotify_event event{};
    std::memcpy(&event, bytes.data(), sizeof(event));
    bytes.remove_prefix(sizeof(event));
    const std::string_view padded = bytes.substr(0, event.len);
    take(event, padded.substr(0, padded.find('\0')));
    bytes.remove_prefix(padded.size());
  }
}

Task<void> FileWatch::State::read_events(std::shared_ptr<State> self) {
  std::string buffer(16 * (sizeof(inotify_event) + NAME_MAX + 1), '\0');
  while (true) {
    boost::system::error_code ec;
    const std::size_t n = co_await self->kernel.async_read_some(
        boost::asio::buffer(buffer), boost::asio::redirect_error(use_task, ec));
    if (ec || self->stop.stop_requested()) co_return;
    self->take_all(std::string_view(buffer).substr(0, n));
    if (self->dirty.empty()) continue;
    self->last_event = self->clock.mono_now();
    if (!std::exchange(self->settling, true)) {
      self->loop.spawn("file watch settles", wait_for_quiet(self));
    }
  }
}

Task<void> FileWatch::State::wait_for_quiet(std::shared_ptr<State> self) {
  for (int round = 0; round < kSettleRounds; ++round) {
    const MonoTime quiet_at = self->last_event + self->settle;
    if (quiet_at <= self->clock.mono_now()) break;
    if (!co_await self->clock.wait_until(quiet_at, self->stop.get_token())) co_return;
  }
  self->settling = false;
  const std::vector<std::string> changed(self->dirty.begin(), self->dirty.end());
  self->dirty.clear();
  self->watch(self->paths);  // a link may lead elsewhere now, a folder may be another one
  self->on_change(changed);
}

Result<std::unique_ptr<FileWatch>> FileWatch::open(Loop& loop, Clock& clock, OnChange on_change,
                                                   Millis settle) {
  const int descriptor = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (descriptor < 0) {
    return fail(os_error("changed files are not seen until the next start: inotify", errno));
  }
  auto state = std::make_shared<State>(loop, clock, std::move(on_change), settle, descriptor);
  loop.spawn("file watch", State::read_events(state));
  return std::unique_ptr<FileWatch>(new FileWatch(std::move(state)));
}

FileWatch::~FileWatch() {
  state_->stop.request_stop();
  boost::system::error_code ignored;
  state_->kernel.close(ignored);
}

std::vector<std::string> FileWatch::set_files(const std::vector<std::string>& paths) {
  return state_->watch(paths);
}

}  // namespace rouse

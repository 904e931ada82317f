// How the server is: a board on which each part pins its own problem and takes it off again. What
// hangs there makes the server "degraded"; the text is for a person.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace rouse {

class HealthBoard {
 public:
  using Listener = std::function<void()>;

  // An empty text takes the part's note off.
  void note(const std::string& part, const std::string& problem) {
    const auto it = problems_.find(part);
    const std::string before = it == problems_.end() ? "" : it->second;
    if (before == problem) return;
    if (problem.empty()) {
      problems_.erase(part);
    } else {
      problems_[part] = problem;
    }
    for (const Listener& listener : listeners_) listener();
  }
  [[nodiscard]] std::string problem(const std::string& part) const {
    const auto it = problems_.find(part);
    return it == problems_.end() ? "" : it->second;
  }
  [[nodiscard]] std::vector<std::string> problems() const {
    std::vector<std::string> out;
    for (const auto& [part, text] : problems_) out.push_back(text);
    return out;
  }
  void on_change(Listener listener) { listeners_.push_back(std::move(listener)); }

 private:
  std::map<std::string, std::string> problems_;
  std::vector<Listener> listeners_;
};

}  // namespace rouse

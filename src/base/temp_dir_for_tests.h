// A folder that is gone when the test is over.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace rouse {

class TempDir {
 public:
  TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "rouse-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }

  void write(const std::string& name, const std::string& text, mode_t mode = 0600) const {
    std::ofstream(*this / name, std::ios::binary) << text;
    ::chmod((*this / name).c_str(), mode);
  }
  [[nodiscard]] mode_t mode(const std::string& name) const {
    struct stat info{};
    return ::stat((*this / name).c_str(), &info) == 0 ? info.st_mode & 0777 : 0;
  }

 private:
  std::string path_;
};

}  // namespace rouse

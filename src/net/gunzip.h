// Reads what gzip wrote. For our own files only: whoever packed them said how large they are.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace rouse {

// `size` is that of the whole; another size is an error.
Result<std::string> gunzip(std::string_view packed, std::size_t size);

}  // namespace rouse

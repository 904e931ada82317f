#include "store/database.h"

namespace rouse {

Params::Params(std::initializer_list<One> all) {
  reserve(all.size());
  for (const One& one : all) push_back(std::move(one.value));
}

ErrorInfo error_info(StoreErrc code) {
  switch (code) {
    case StoreErrc::kConflict:
      return {Kind::kConflict, "store_conflict"};
    case StoreErrc::kBadSql:
      return {Kind::kInternal, "store_bad_sql"};
    case StoreErrc::kTooManyRows:
      return {Kind::kInternal, "store_too_many_rows"};
    case StoreErrc::kFull:
      return {Kind::kUnavailable, "store_full"};
    case StoreErrc::kIo:
      return {Kind::kInternal, "store_io"};
    case StoreErrc::kReadOnly:
      return {Kind::kInternal, "store_read_only"};
    case StoreErrc::kCorrupt:
      return {Kind::kInternal, "store_corrupt"};
    case StoreErrc::kOwned:
      return {Kind::kConflict, "store_owned"};
    case StoreErrc::kFenced:
      return {Kind::kUnavailable, "store_fenced"};
    case StoreErrc::kNewer:
      return {Kind::kInternal, "store_newer"};
    case StoreErrc::kOverloaded:
      return {Kind::kUnavailable, "store_overloaded"};
    case StoreErrc::kClosed:
      return {Kind::kUnavailable, "store_closed"};
  }
  return {Kind::kInternal, "store_io"};
}

std::size_t Row::bytes() const {
  std::size_t sum = 0;
  for (const Value& value : columns_) {
    if (const auto* text = std::get_if<std::string>(&value)) sum += text->size();
    if (const auto* blob = std::get_if<Blob>(&value)) sum += blob->bytes.size();
  }
  return sum;
}

}  // namespace rouse

# Which code runs often, and which way, is known from a run under load (scripts/profile). In a release build what is
# hot is laid out and inlined for speed; what is cold, which is what makes up the last hundredth of all that ran, is
# built for size (docs/adr/0021). A function that has changed since is built as if nothing were known of it.

# Files are known by their last name, so the profile holds wherever the project lies; functions are counted before
# they are inlined into each other, or what is cold would have grown before it is known to be.
set(counted "SHELL:-mllvm -static-func-full-module-prefix=false" "SHELL:-mllvm -disable-preinline")
set(ROUSE_PROFILE_OPTIONS "")
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND ROUSE_PROFILE STREQUAL "make")
  set(ROUSE_PROFILE_OPTIONS -fprofile-generate -fprofile-update=atomic ${counted})
  add_link_options(-fprofile-generate)
elseif(CMAKE_BUILD_TYPE STREQUAL "Release" AND ROUSE_PROFILE STREQUAL "use")
  set(archive ${CMAKE_SOURCE_DIR}/cmake/profile.tar.xz)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${archive})
  file(SHA256 ${archive} hash)  # another profile has another name, so everything is built anew
  string(SUBSTRING ${hash} 0 8 hash)
  file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${CMAKE_BINARY_DIR}/profile-${hash})
  set(ROUSE_PROFILE_OPTIONS -fprofile-use=${CMAKE_BINARY_DIR}/profile-${hash}/rouse.profdata ${counted}
      "SHELL:-mllvm -profile-summary-cutoff-cold=990000" "SHELL:-mllvm -hot-callsite-threshold=100"
      "SHELL:-mllvm -enable-pgo-force-function-attrs" "SHELL:-mllvm -pgo-cold-func-opt=minsize"
      -Wno-profile-instr-out-of-date -Wno-profile-instr-unprofiled -Wno-backend-plugin)
endif()

# Libraries, all from Debian, all linked statically. docs/adr says why each was chosen.
set(Boost_USE_STATIC_LIBS ON)
find_package(Boost 1.81 REQUIRED COMPONENTS json)
set(OPENSSL_USE_STATIC_LIBS ON)
find_package(OpenSSL 3 REQUIRED)
find_package(Threads REQUIRED)
find_path(FMT_INCLUDE fmt/format-inl.h REQUIRED)  # compiled once, by src/base/format_library.cc
find_package(CLI11 REQUIRED)
find_path(YAML_CPP_INCLUDE yaml-cpp/yaml.h REQUIRED)
find_library(YAML_CPP_LIB libyaml-cpp.a REQUIRED)
find_path(SQLITE_INCLUDE sqlite3.h REQUIRED)
find_library(SQLITE_LIB libsqlite3.a REQUIRED)
find_library(ZLIB_LIB libz.a REQUIRED)
# Abseil's cmake files name the shared libraries; these are the static ones that time zones need.
set(ABSL_LIBS)
foreach(part time civil_time time_zone strings strings_internal int128 base spinlock_wait
             throw_delegate raw_logging_internal log_severity)
  find_library(ABSL_${part} libabsl_${part}.a REQUIRED)
  list(APPEND ABSL_LIBS ${ABSL_${part}})
endforeach()

# What C++ throws never passes through C, so the tables for unwinding C are left out of the release:
# a twentieth of the binary. Where there is no objcopy the libraries stay as they are.
function(drop_unwind_tables result library)
  get_filename_component(name ${library} NAME)
  set(${result} ${library} PARENT_SCOPE)
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Release" OR NOT CMAKE_OBJCOPY)
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${library})
  set(slim ${CMAKE_BINARY_DIR}/slim/${name})
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/slim)
  if(${library} IS_NEWER_THAN ${slim})
    execute_process(COMMAND ${CMAKE_OBJCOPY} --remove-section=.eh_frame --remove-section=.rela.eh_frame
                            ${library} ${slim} COMMAND_ERROR_IS_FATAL ANY)
  endif()
  set(${result} ${slim} PARENT_SCOPE)
endfunction()
drop_unwind_tables(SQLITE_SLIM ${SQLITE_LIB})
drop_unwind_tables(ZLIB_SLIM ${ZLIB_LIB})
drop_unwind_tables(SSL_SLIM ${OPENSSL_SSL_LIBRARY})
drop_unwind_tables(CRYPTO_SLIM ${OPENSSL_CRYPTO_LIBRARY})
set_target_properties(OpenSSL::SSL PROPERTIES IMPORTED_LOCATION ${SSL_SLIM})
set_target_properties(OpenSSL::Crypto PROPERTIES IMPORTED_LOCATION ${CRYPTO_SLIM})

add_library(third_party INTERFACE)
# Boost with a concrete executor and without deprecated or unused parts keeps compile times down.
target_compile_definitions(third_party INTERFACE
  BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_BOOST_COROUTINE BOOST_JSON_NO_DEPRECATED
  BOOST_ASIO_NO_TS_EXECUTORS
  # Plain new for coroutine frames: aligned_alloc goes past malloc's quick lists, twice as dear.
  BOOST_ASIO_DISABLE_STD_ALIGNED_ALLOC BOOST_ASIO_DISABLE_BOOST_ALIGN)
target_include_directories(third_party SYSTEM INTERFACE ${YAML_CPP_INCLUDE} ${SQLITE_INCLUDE})
target_link_libraries(third_party INTERFACE
  Boost::headers Boost::json OpenSSL::SSL OpenSSL::Crypto ${ABSL_LIBS}
  ${YAML_CPP_LIB} ${SQLITE_SLIM} ${ZLIB_SLIM} m dl Threads::Threads)

# One test binary a room (NAME_test), made of its *_test.cc; *_for_tests.cc are shared fixtures.
find_package(GTest REQUIRED)
find_library(RAPIDCHECK_LIB rapidcheck REQUIRED)

# fixtures(NAME LIBRARY GLOB…): what the tests of a room share, linked against the room.
function(fixtures name library)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${ARGN})
  list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cc$")
  if(NOT name MATCHES "^(box|canon)$")  # rooms of their own: only their tests wait for them
    list(FILTER sources EXCLUDE REGEX "/sim/(box|canon)/")
  endif()
  add_library(${name}_fixtures STATIC ${sources})
  target_include_directories(${name}_fixtures PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name}_fixtures PUBLIC ${library} GTest::gtest)
endfunction()
fixtures(net rouse_net ${CMAKE_SOURCE_DIR}/src/net/*_for_tests.cc)
fixtures(sim rouse_session ${CMAKE_SOURCE_DIR}/src/store/*_for_tests.cc ${CMAKE_SOURCE_DIR}/tests/sim/*.cc)
fixtures(box sim_fixtures ${CMAKE_SOURCE_DIR}/tests/sim/box/*.cc)

add_custom_target(unit_tests)

function(room_test name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${ARGN})
  if(name STREQUAL "sim")
    list(FILTER sources EXCLUDE REGEX "/sim/canon/")
  endif()
  if(NOT sources)
    return()
  endif()
  add_executable(${name}_test ${sources})
  target_include_directories(${name}_test PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_definitions(${name}_test PRIVATE ROUSE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  # A test runs once: what it tests is built as it ships, the test itself as fast as it compiles
  # (half the time of -O2). The simulator runs for years.
  if(NOT name STREQUAL "sim" AND (CMAKE_BUILD_TYPE STREQUAL "Release" OR ROUSE_SANITIZE))
    target_compile_options(${name}_test PRIVATE -O0)
    read_once(${name}_test TESTS often_in_tests.h)
  endif()
  target_link_libraries(${name}_test PRIVATE GTest::gtest_main ${RAPIDCHECK_LIB})
  if(TARGET rouse_${name})
    target_link_libraries(${name}_test PRIVATE rouse_${name})
  endif()
  if(name STREQUAL "net")
    target_link_libraries(${name}_test PRIVATE net_fixtures)
  elseif(NOT name STREQUAL "base")
    target_link_libraries(${name}_test PRIVATE sim_fixtures)
  endif()
  add_dependencies(unit_tests ${name}_test)
  add_test(NAME ${name} COMMAND ${name}_test --gtest_brief=1)
  # Properties are tried with the same inputs every time, unless somebody asks for more.
  set_tests_properties(${name} PROPERTIES TIMEOUT 1800 ENVIRONMENT "RC_PARAMS=seed=20261115")
endfunction()

get_property(rooms GLOBAL PROPERTY ROUSE_ROOMS)
foreach(name ${rooms})
  room_test(${name} ${CMAKE_SOURCE_DIR}/src/${name}/*_test.cc)
endforeach()

target_link_libraries(model_test PRIVATE net_fixtures)
target_link_libraries(tool_test PRIVATE net_fixtures)
target_link_libraries(channel_test PRIVATE net_fixtures)

room_test(sim ${CMAKE_SOURCE_DIR}/tests/sim/*_test.cc)
target_link_libraries(sim_test PRIVATE box_fixtures rouse_channel rouse_lifecycle)
set_tests_properties(sim PROPERTIES COST 1000)  # the longest: it begins first

# The canonical scenarios, killed at every write; beside the simulator, because both are long.
fixtures(canon rouse_gateway ${CMAKE_SOURCE_DIR}/tests/sim/canon/*.cc)
target_compile_options(canon_fixtures PRIVATE -O0)
target_link_libraries(canon_fixtures PUBLIC sim_fixtures)
room_test(canon ${CMAKE_SOURCE_DIR}/tests/sim/canon/*_test.cc)
target_link_libraries(canon_test PRIVATE canon_fixtures)
set_tests_properties(canon PROPERTIES COST 500)

# pointed(TARGET): in a release the named fault points are nothing (base/fault.h). The few files that
# have some are compiled once more with them, and stand before the library they come from.
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  file(GLOB_RECURSE pointed CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*.cc)
  list(FILTER pointed EXCLUDE REGEX "(_test|_for_tests|/main)\\.cc$")
  foreach(source ${pointed})
    file(STRINGS ${source} points REGEX "base/fault.h" LIMIT_COUNT 1)
    if(NOT points)
      list(REMOVE_ITEM pointed ${source})
    endif()
  endforeach()
  add_library(rouse_pointed OBJECT ${pointed})
  room_sources(rouse_pointed)
  target_compile_definitions(rouse_pointed PUBLIC ROUSE_FAULT_POINTS=1)
  target_compile_definitions(box_fixtures PRIVATE ROUSE_FAULT_POINTS=1)
endif()
function(pointed target)
  if(TARGET rouse_pointed)
    target_link_libraries(${target} PRIVATE rouse_pointed)
  endif()
endfunction()
pointed(sim_test)

# The world in a box, for as many seeds as somebody has time for (`make sim`).
add_executable(rouse-sim ${CMAKE_SOURCE_DIR}/tests/sim/box/main.cc)
target_include_directories(rouse-sim PRIVATE ${CMAKE_SOURCE_DIR})
target_compile_definitions(rouse-sim PRIVATE ROUSE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
target_link_libraries(rouse-sim PRIVATE box_fixtures rouse_channel rouse_lifecycle)
pointed(rouse-sim)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set_target_properties(rouse-sim PROPERTIES LINK_OPTIONS -fuse-ld=lld-19)  # keeps its symbols
endif()

# Scenarios: text files that a person can read and add to (tests/scenario/README.md).
fixtures(scenario rouse_gateway ${CMAKE_SOURCE_DIR}/tests/scenario/*.cc)
target_link_libraries(scenario_fixtures PUBLIC sim_fixtures)
room_test(scenario ${CMAKE_SOURCE_DIR}/tests/scenario/*_test.cc)
target_link_libraries(scenario_test PRIVATE scenario_fixtures)
set_tests_properties(scenario PROPERTIES LABELS scenario)

# The web app: built by npm, packed by web/build.sh, put into the gateway. All build trees share it.
set(ROUSE_WEB_DIR ${CMAKE_SOURCE_DIR}/build/web)
file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/src/* ${CMAKE_SOURCE_DIR}/web/public/*
     ${CMAKE_SOURCE_DIR}/web/scripts/*)
list(APPEND web_sources ${CMAKE_SOURCE_DIR}/web/build.sh ${CMAKE_SOURCE_DIR}/web/index.html
     ${CMAKE_SOURCE_DIR}/web/package.json ${CMAKE_SOURCE_DIR}/web/package-lock.json ${CMAKE_SOURCE_DIR}/web/.npmrc
     ${CMAKE_SOURCE_DIR}/web/vite.config.ts ${CMAKE_SOURCE_DIR}/web/svelte.config.js)
add_custom_command(
  OUTPUT ${ROUSE_WEB_DIR}/web_assets.bin ${ROUSE_WEB_DIR}/web_assets.inc
  COMMAND ${CMAKE_SOURCE_DIR}/web/build.sh ${ROUSE_WEB_DIR}
  DEPENDS ${web_sources}
  COMMENT "Building the web app"
  VERBATIM)
add_custom_target(web_assets DEPENDS ${ROUSE_WEB_DIR}/web_assets.bin ${ROUSE_WEB_DIR}/web_assets.inc)

add_dependencies(rouse_gateway web_assets)
target_sources(rouse_gateway PRIVATE ${CMAKE_SOURCE_DIR}/src/gateway/web_assets.S)
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/gateway/web_assets.S PROPERTIES
  OBJECT_DEPENDS ${ROUSE_WEB_DIR}/web_assets.bin INCLUDE_DIRECTORIES ${ROUSE_WEB_DIR})
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/gateway/web_assets.cc PROPERTIES
  OBJECT_DEPENDS ${ROUSE_WEB_DIR}/web_assets.inc INCLUDE_DIRECTORIES ${ROUSE_WEB_DIR})

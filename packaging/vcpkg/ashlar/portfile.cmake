# SPDX-License-Identifier: Apache-2.0
# An overlay port of this tree: vcpkg install ashlar --overlay-ports=packaging/vcpkg
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

# Both kinds are installed whatever the triplet says; TBB::tbb is the shared one, TBB::tbb_static the other.
vcpkg_check_linkage(ONLY_DYNAMIC_LIBRARY)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DASHLAR_BUILD_TESTS=OFF -DASHLAR_BUILD_BENCH=OFF -DASHLAR_BUILD_SIM=OFF -DASHLAR_BUILD_DEBUG_LIBRARY=OFF -DASHLAR_COMPAT12=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME TBB CONFIG_PATH lib/cmake/TBB DO_NOT_DELETE_PARENT_CONFIG_PATH)
vcpkg_cmake_config_fixup(PACKAGE_NAME ashlar CONFIG_PATH lib/cmake/ashlar)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")

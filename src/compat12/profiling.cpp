// SPDX-License-Identifier: Apache-2.0
// Hooks for a collector of the ITT interface, which foreign programs call if they were built with
// TBB_USE_PROFILING_TOOLS. No collector is loaded, so nothing happens.
#include "contract.h"

namespace tbb::detail::r1 {

using number = unsigned long long;

ASHLAR_EXPORT void create_itt_sync(void*, char const*, char const*) {}
ASHLAR_EXPORT void itt_set_sync_name(void*, char const*) {}
ASHLAR_EXPORT void itt_metadata_str_add(d1::itt_domain_enum, void*, number, string_resource_index, char const*) {}
ASHLAR_EXPORT void call_itt_notify(int, void*) {}
ASHLAR_EXPORT void itt_make_task_group(d1::itt_domain_enum, void*, number, void*, number, string_resource_index) {}
ASHLAR_EXPORT void itt_metadata_ptr_add(d1::itt_domain_enum, void*, number, string_resource_index, void*) {}
ASHLAR_EXPORT void itt_relation_add(d1::itt_domain_enum, void*, number, itt_relation, void*, number) {}
ASHLAR_EXPORT void itt_task_begin(d1::itt_domain_enum, void*, number, void*, number, string_resource_index) {}
ASHLAR_EXPORT void itt_task_end(d1::itt_domain_enum) {}
ASHLAR_EXPORT void itt_region_begin(d1::itt_domain_enum, void*, number, void*, number, string_resource_index) {}
ASHLAR_EXPORT void itt_region_end(d1::itt_domain_enum, void*, number) {}

}  // namespace tbb::detail::r1

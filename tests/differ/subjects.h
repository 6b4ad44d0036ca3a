// SPDX-License-Identifier: Apache-2.0
// The kinds of programs that the interpreter knows, and what all of them use.
#pragma once

// For all sources alike: they change the nodes and the tasks.
#define TBB_PREVIEW_FLOW_GRAPH_TRY_PUT_AND_WAIT 1
#define TBB_PREVIEW_TASK_GROUP_EXTENSIONS 1

#include "../soak/step.h"
#include "book.h"
#include "values.h"

#include <map>
#include <new>
#include <stdexcept>
#include <string>

#if defined(DIFFER_CLASSIC)
#define DIFFER_ONETBB 0  // the dialect of TBB 2020
#else
#define DIFFER_ONETBB 1
#endif
// Classic TBB's task and pipeline: this library has them in both dialects.
#if defined(DIFFER_CLASSIC) || __has_include(<ashlar/base/config.h>)
#define DIFFER_TASKS 1
#else
#define DIFFER_TASKS 0
#endif

namespace differ {

using soak::fault;
using soak::step;

using subject = void (*)(step const&, book&);
using subjects = std::map<std::string, subject>;
void add_arenas(subjects& table);
void add_buffers(subjects& table);
void add_caches(subjects& table);
void add_crowds(subjects& table);
void add_edges(subjects& table);
void add_entries(subjects& table);
void add_filters(subjects& table);
void add_flows(subjects& table);
void add_forms(subjects& table);
void add_groups(subjects& table);
void add_hash_maps(subjects& table);
void add_items(subjects& table);
void add_locals(subjects& table);
void add_loops(subjects& table);
void add_mallocs(subjects& table);
void add_mutexes(subjects& table);
void add_nests(subjects& table);
void add_observers(subjects& table);
void add_onces(subjects& table);
void add_orders(subjects& table);
void add_pipelines(subjects& table);
void add_pools(subjects& table);
void add_ports(subjects& table);
void add_priorities(subjects& table);
void add_put_waits(subjects& table);
void add_queues(subjects& table);
void add_sorts(subjects& table);
void add_splits(subjects& table);
void add_suspensions(subjects& table);
void add_tables(subjects& table);
void add_tasks(subjects& table);
void add_vectors(subjects& table);

// Is the fault of that name planted? mutants.cpp lists them.
bool planted(char const* name);

// What f throws, in words.
template <typename F>
std::string thrown(F const& f) {
  try {
    f();
    return "nothing";
  } catch (deliberate const& d) {
    return "deliberate " + std::to_string(d.value);
  } catch (std::out_of_range const&) {
    return "out_of_range";
  } catch (std::length_error const&) {
    return "length_error";
  } catch (std::invalid_argument const&) {
    return "invalid_argument";
  } catch (std::range_error const&) {
    return "range_error";
  } catch (std::runtime_error const&) {
    return "runtime_error";
  } catch (std::logic_error const&) {
    return "logic_error";
  } catch (std::bad_alloc const&) {
    return "bad_alloc";
  } catch (std::exception const&) {
    return "exception";
  }
}

}  // namespace differ

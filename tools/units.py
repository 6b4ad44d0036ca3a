# SPDX-License-Identifier: Apache-2.0
"""Circles in the include graph. A unit is a header with the .cpp of its name: what one of the two includes, the unit
needs. So two units form a circle although no two files include each other. Folders with one parent form one in the same way."""


def unit_of(name):
    """src/sync/a.cpp and include/ashlar/sync/a.h are one unit."""
    for start in ("include/ashlar/", "src/"):
        name = name.removeprefix(start)
    return name.rsplit(".", 1)[0]


def folder_of(unit):
    return unit.rpartition("/")[0]


def merged(graph, of):
    """The graph of what of() makes of the names, without edges from a node to itself."""
    result = {}
    for name, targets in graph.items():
        found = result.setdefault(of(name), set())
        found.update({of(target) for target in targets} - {of(name)})
    return result


def siblings(graph):
    """The edges between folders as edges between the two with one parent that hold them; those between a folder and one
    inside it are of another kind."""
    result = {}
    for name, targets in graph.items():
        for target in targets:
            at, to = name.split("/"), target.split("/")
            same = next((i for i, (a, b) in enumerate(zip(at, to)) if a != b), None)
            if same is not None:
                result.setdefault("/".join(at[:same + 1]), set()).add("/".join(to[:same + 1]))
    return result


def circles(graph):
    """Tarjan's strongly connected components (1972) of more than one node, each sorted."""
    index, low, stack, found = {}, {}, [], []

    def finish(node):
        if low[node] != index[node]:
            return
        component = stack[stack.index(node):]
        del stack[stack.index(node):]
        low.update({member: len(graph) + len(index) for member in component})
        if len(component) > 1:
            found.append(sorted(component))

    for start in sorted(graph):
        if start in index:
            continue
        index[start] = low[start] = len(index)
        stack.append(start)
        open_nodes = [(start, iter(sorted(graph[start])))]
        while open_nodes:
            node, targets = open_nodes[-1]
            for target in targets:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    open_nodes.append((target, iter(sorted(graph.get(target, ())))))
                    break
                low[node] = min(low[node], low[target])
            else:
                open_nodes.pop()
                finish(node)
                if open_nodes:
                    above = open_nodes[-1][0]
                    low[above] = min(low[above], low[node])
    return found


def way_round(graph, circle):
    """The shortest way from the circle's first node back to it."""
    start = circle[0]
    ways = [[start]]
    seen = set()
    for way in ways:
        for target in sorted(graph.get(way[-1], ())):
            if target == start:
                return " -> ".join([*way, start])
            if target in circle and target not in seen:
                seen.add(target)
                ways.append([*way, target])
    raise AssertionError("no circle")


def check(graph, knots):
    """Errors for each circle. `knots` names the layers that still have some, with the number of units in them; it
    is told when the number is too large."""
    files = {name: set(targets) for name, targets in graph.items()}
    errors = [f"files include each other: {way_round(files, circle)}" for circle in circles(files)]
    if errors:
        return errors
    units = merged(graph, unit_of)
    known = dict.fromkeys(knots, 0)
    for circle in circles(units):
        layers = {folder_of(unit) for unit in circle}
        if layers <= known.keys() and len(layers) == 1:
            known[layers.pop()] += len(circle)
        else:
            errors.append(f"{len(circle)} units include each other: {way_round(units, circle)}")
    for layer, count in known.items():
        if count > knots[layer]:
            errors.append(f"layers.toml: {count} units of {layer} include each other, {knots[layer]} are allowed")
        elif count < knots[layer]:
            print(f"layers.toml: only {count} units of {layer} include each other: lower the number of [knots]")
    folders = siblings(merged(units, folder_of))
    errors += [f"folders include each other: {way_round(folders, circle)}" for circle in circles(folders)]
    return errors


def check_rooms(layer, rooms, graph):
    """The order of the units of a layer without folders: each unit is in one room, and needs only its own room's and the ones before."""
    place = {f"{layer}/{unit}": number for number, units in enumerate(rooms.values()) for unit in units}
    names = list(rooms)
    needs = merged(graph, unit_of)
    found = {unit for unit in needs if unit.startswith(f"{layer}/")}
    errors = [f"layers.toml: {unit} stands in no room of {layer}" for unit in sorted(found - set(place))]
    errors += [f"layers.toml: {unit} stands in a room of {layer}, and there is no such unit" for unit in sorted(set(place) - found)]
    errors += [f"layers.toml: {unit} stands in two rooms of {layer}" for unit in place
               if sum(unit == f"{layer}/{name}" for units in rooms.values() for name in units) > 1]
    for unit in sorted(found & set(place)):
        errors += [f"{unit}, in room {names[place[unit]]}, may not include {target} of room {names[place[target]]}"
                   for target in sorted(needs[unit]) if place.get(target, -1) > place[unit]]
    return errors

# SPDX-License-Identifier: Apache-2.0
"""What crosses the border between the library and programs, by its description (abidw)."""
from xml.etree import ElementTree


def standard_classes_across(description):
    """Which exported functions and variables of an ABI description (abidw) have a class of the standard library in their signature, or
    reach one through pointers and the members of other classes of the public headers; but for those that are the same in all of libstdc++'s
    modes."""
    same = {"exception_ptr", "type_info", "nothrow_t", "exception", "bad_alloc", "unique_ptr"}
    root = ElementTree.parse(description).getroot()
    kinds, standard = {}, {}

    def read(element, within_std):
        for child in element:
            if identity := child.get("id"):
                kinds[identity] = child
                standard[identity] = within_std and child.tag == "class-decl"
            read(child, within_std or (child.tag == "namespace-decl" and child.get("name") == "std"))
    read(root, False)

    def reached(identity, seen):
        if identity in seen or identity not in kinds:
            return None
        seen.add(identity)
        name = kinds[identity].get("name", "")
        if standard[identity]:
            return name if name.split("<")[0] not in same else None
        if "/src/" in kinds[identity].get("filepath", ""):
            return None  # programs know its name only
        parts = [kinds[identity].get("type-id")]
        if kinds[identity].tag in ("class-decl", "union-decl", "function-type"):
            parts += [part.get("type-id") for member in kinds[identity] if member.tag != "member-type" for part in member.iter()]
        return next((name for part in parts if part and (name := reached(part, seen))), None)
    found = []
    for element in root.iter():
        if element.tag in ("function-decl", "var-decl") and element.get("elf-symbol-id"):
            parts = [element.get("type-id"), *(part.get("type-id") for part in element if part.tag in ("parameter", "return"))]
            name = next((name for part in parts if part and (name := reached(part, set()))), None)
            found += [f"std::{name}: {element.get('name')} ({element.get('elf-symbol-id')})"] if name else []
    return found

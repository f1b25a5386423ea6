#!/usr/bin/env python3
"""Makes docs/compiler-messages.md from the programs in tests/compile_fail, which the tests compile.

    docs/compiler_messages.py             prints the page
    docs/compiler_messages.py --write     writes it
    docs/compiler_messages.py --check     fails if the page (or the file named after it) is not what the programs say

Each program becomes a section: the first line of its comment is the heading, the rest the explanation; its `// both:`, `// gcc:`
and `// clang:` lines are the messages; the lines that PYTREE_TEST_FIXED changes are the correction. The tests prove both: the
program is refused with these messages, and the corrected one compiles.
"""
import difflib
import pathlib
import re
import textwrap

import page

HERE = pathlib.Path(__file__).resolve().parent
CASES = HERE.parent / "tests" / "compile_fail"
PAGE = HERE / "compiler-messages.md"

# The chapters, and the programs in their order. A program that is in none of them is an error.
CHAPTERS = {
    "Types": ["value_passed", "unregistered_type_passed", "unregistered_field_type", "unregistered_list_type",
              "unregistered_array_type", "unregistered_static_type", "pointer_to_pointers", "array_passed", "string_passed",
              "registered_twice", "alias_registered", "defined_not_declared"],
    "Rows": ["field_left_out", "field_left_out_in_padding", "field_left_out_at_the_end",
             "field_left_out_unnamed", "fields_out_of_order", "field_listed_twice",
             "misspelt_field", "field_that_is_not_there", "row_without_self", "unknown_row_kind", "unknown_modifier", "two_storages",
             "static_row_with_modifier", "row_with_comma", "rows_with_commas", "misspelt_row", "comma_missing", "type_in_row",
             "member_of_a_member", "line_not_continued", "role_unknown", "role_base_unknown", "role_twice", "role_of_static",
             "role_of_drop",
             "class_base_unknown", "const_capture"],
    "Pointers and arrays": ["pointer_without_extent", "pointer_to_rows", "optional_pointer_without_extent", "optional_in_place",
                            "array_of_a_number", "array_of_structs", "array_of_fixed_array", "array_of_void",
                            "list_in_place", "list_of_fixed_array", "list_of_two_counts", "rank_missing",
                            "rank_wrong", "too_many_dimensions", "too_many_dimensions_fixed",
                            "extent_missing", "extent_not_an_integer",
                            "stb_array_of_fixed_array", "stb_map_of_pointers", "stb_map_of_numbers", "stb_map_of_three",
                            "stb_ds_missing"],
    "Strings in the struct and bit-fields": ["string_of_pointer", "string_optional", "static_strings", "bits_missing",
                                             "bits_as_data"],
    "Lists of pointers, arrays of arrays": ["each_of_structs", "each_without_list", "each_of_fixed_array",
                                            "each_of_numbers_without_extent", "each_of_three_extents",
                                            "each_optional_outside", "each_in_a_union"],
    "Sizes that stand once": ["with_of_numbers", "with_without_value", "with_of_no_member"],
    "Pointers to void": ["as_of_a_known_type", "as_list"],
    "Handles and atomic numbers": ["handle_of_one_function", "handle_of_data", "atomic_missing", "atomic_pointer"],
    "Unions": ["union_without_row", "union_without_member", "union_of_unknown_type", "union_optional"],
    "Flexible array members": ["flexible_missing", "flexible_without_count", "flexible_array_optional",
                               "field_left_out_flexible"],
    "Enums": ["enum_of_another_type", "enum_without_constants", "enum_of_a_struct"],
    "Static fields": ["static_pointer", "static_struct_pointer", "static_struct_with_data",
                      "static_array_of_structs_with_data", "static_tree",
                      "static_leaf_type", "static_array_of_three_dimensions", "static_array_of_unregistered_structs",
                      "static_char_array"],
    "Custom nodes and namespaces": ["custom_with_fields", "namespace_of_an_unregistered_type", "namespace_of_a_leaf_type",
                                    "namespace_twice"],
    "The include": ["struct_missing", "struct_with_tag", "name_in_quotes", "name_with_semicolon", "struct_without_typedef",
                    "registered_before_the_struct", "registration_in_a_function",
                    "fields_missing", "fields_of_leaf_type", "two_forms_at_once", "more_than_512_types", "c99",
                    "cxx_string", "cxx_string_dropped", "cxx_vector_without_word", "cxx_vector_of_pointers",
                    "cxx_vector_of_bool", "cxx_vector_of_others", "cxx_vector_optional", "cxx_vector_without_constructor",
                    "cxx_reference", "cxx_virtual", "cxx_destructor", "cxx_private", "old_cxx", "max_dims_out_of_range",
                    "too_many_kept_layouts"],
}

INTRODUCTION = """\
# Compile errors of a registration, and their corrections

Mistakes in a registration are compile errors. Most messages begin with `pytree:` and name the struct and the field; search
this page for a few words of yours. Read the **first** error, because later ones may follow from it. clang prints the failed
condition before the message, gcc the place in the macro after it.

In each section, lines with `-` are the mistake and lines with `+` the correction. The tests compile every program both ways;
it is in `tests/compile_fail/` under the given name.
"""

COMMENT = re.compile(r"/\* (.*?)\*/\n", re.S)
DIRECTIVE = re.compile(r"^// (both|gcc|clang|c\+\+|g\+\+|clang\+\+|language|flags|fixed|lines): *(.*?) *$", re.M)
WHO = {"both": "Both compilers say:", "gcc": "gcc says:", "clang": "clang says:",
       "c++": "In C++, both say:", "g++": "In C++, gcc says:", "clang++": "In C++, clang says:"}


def explanation(text):
    """The first comment as (heading, text)."""
    lines = [line.removeprefix(" *").strip() for line in COMMENT.match(text)[1].split("\n")]
    heading, _, rest = "\n".join(lines).partition("\n")
    return heading.strip().rstrip("."), " ".join(rest.split())


def variants(text):
    """The program as it was typed and as it is mended: lines that PYTREE_TEST_FIXED chooses between."""
    typed, mended, inside = [], [], None
    depth = 0
    for line in text.split("\n"):
        if re.match(r"#if(n?)def PYTREE_TEST_FIXED$", line):
            inside, depth = line.startswith("#ifdef"), 1
        elif inside is not None and line == "#else" and depth == 1:
            inside = not inside
        elif inside is not None and line == "#endif" and depth == 1:
            inside = None
        else:
            if inside is not None:
                depth += line.startswith("#if") - line.startswith("#endif")
            if inside is not True:
                typed.append(line)
            if inside is not False:
                mended.append(line)
    return typed, mended


def program(text):
    """The lines to show, with - and + where the two variants differ."""
    text = DIRECTIVE.sub("", text[COMMENT.match(text).end():])
    typed, mended = variants(re.sub(r'^#include "pytree\.h"\n', "", text, flags=re.M))
    # A line that only gains or loses the backslash at its end is the same line.
    plain = [[line.rstrip(" \\") for line in lines] for lines in (typed, mended)]
    lines = []
    for what, i, j, k, m in difflib.SequenceMatcher(None, *plain, autojunk=False).get_opcodes():
        if what == "equal":
            lines += [f" {line}" for line in mended[k:m]]
        else:
            lines += [*[f"-{line}" for line in typed[i:j]], *[f"+{line}" for line in mended[k:m]]]
    lines = [line.rstrip() for line in lines]
    return re.sub(r"\n(?:[ +-]?\n)+", "\n\n", "\n".join(lines)).strip("\n").removeprefix(" \n")


def messages(found, key):
    """What a compiler says; a piece that ends with a comma or begins with a small word goes on from the one before."""
    said = []
    for name, words in found:
        if name == key:
            if said and (said[-1].endswith((",", ";")) or words.startswith("and ")):
                said[-1] += " " + words
            else:
                said.append(words)
    return said


def section(name):
    """One program's section."""
    text = (CASES / f"{name}.c").read_text(encoding="utf-8")
    heading, why = explanation(text)
    found = DIRECTIVE.findall(text)
    flags = "".join(f", compiled with `{words}`" for key, words in found if key == "flags")
    parts = [f"### {heading}", f"[`{name}.c`](../tests/compile_fail/{name}.c){flags}"]
    shown = program(text)
    if name == "more_than_512_types":
        parts.append("A file that registers 513 types.")
    elif shown.strip() != "int unused;" and shown:
        parts.append(f"```diff\n{shown}\n```")
    for key, who in WHO.items():
        said = messages(found, key)
        if said == ["compiles"]:
            parts.append(who.replace(" both say", " both compilers accept it").replace(" says", " accepts it").replace(":", "."))
        elif said:
            parts.append(f"{who}\n\n```text\n" + "\n".join(said) + "\n```")
    if why:
        parts.append(textwrap.fill(why, 120, break_long_words=False, break_on_hyphens=False))
    return "\n\n".join(parts)


def text_of_page():
    """The whole page."""
    listed = [name for names in CHAPTERS.values() for name in names]
    there = [path.stem for path in CASES.glob("*.c")]
    if sorted(listed) != sorted(there):
        odd = " ".join(sorted(set(listed) ^ set(there)))
        raise SystemExit(f"compiler_messages.py: not in a chapter, or not in tests/compile_fail: {odd}")
    chapters = ["\n\n".join([f"## {title}", *map(section, names)]) for title, names in CHAPTERS.items()]
    return "\n\n".join([INTRODUCTION.rstrip("\n"), *chapters]) + "\n"


if __name__ == "__main__":
    raise SystemExit(page.main(__doc__, PAGE, text_of_page))

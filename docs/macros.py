#!/usr/bin/env python3
"""Makes docs/macros.md: what the preprocessor leaves of one registered struct, from the headers themselves.

    docs/macros.py             prints the page
    docs/macros.py --write     writes it
    docs/macros.py --check     fails if the page (or the file named after it) is not what the headers make now

gcc -E expands the registration of `Linear`; what comes from pytree_registry.h, which is read anew for each struct,
is laid out anew, sorted under the headings below and shown. These things are shortened, each time the same way: long lists
of built-in types and a few expressions that recur stand at the end of the page once; expressions that differ from one shown
before only in the field are a comment; NULL and offsetof are written so again. Nothing else is left out: a declaration that
no heading claims is an error.
"""
import pathlib
import re
import shlex
import subprocess
import tempfile

import page

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "macros.md"
WIDTH = 116
FIELDS = ["din", "dout", "w", "b"]

# Macros of a member's code and of the member that stay as a call; their expansion stands at the end. The outer ones come first.
RECURRING = ["PACK", "IS_ARRAY", "IS_RECORD"]
ARGUMENTS = {"code": "pytree__code_Linear_{0}", "x": "pytree__any_Linear.{0}"}

REGISTRATION = """\
typedef struct Linear {
    int    din, dout;
    float *w;                       /* (din, dout) */
    float *b;                       /* (dout,)     */
} Linear;

#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS                                      \\
    PYTREE_FIELD(STATIC, din)                              \\
    PYTREE_FIELD(STATIC, dout)                             \\
    PYTREE_FIELD(DATA, w, ARRAY(self->din, self->dout))    \\
    PYTREE_FIELD(DATA, b, ARRAY(self->dout))
#include "pytree_registry.h"
"""
USE = "pytree t = PYTREE(&layer);"

# ---- The preprocessor ------------------------------------------------------------------------------------------------


def preprocessed(source):
    """Lines of gcc -E as (file, line number, text), without the preprocessor's own."""
    stb = shlex.split(subprocess.run(["pkg-config", "--cflags", "stb"], capture_output=True, text=True, check=False).stdout)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "linear.c"
        path.write_text(source, encoding="utf-8")
        done = subprocess.run(["gcc", "-std=c11", "-E", "-I", str(ROOT), *stb, str(path)], capture_output=True, text=True,
                              check=False)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    name, number = "", 0
    for line in done.stdout.split("\n"):
        marker = re.match(r'# (\d+) "(.*?)"', line)
        if marker:
            name, number = pathlib.Path(marker[2]).name, int(marker[1])
        else:
            if line.strip() and not line.startswith("#"):
                yield name, number, line
            number += 1


def expansions():
    """Tokens of what the include leaves, and of the line that uses the type."""
    headers = ("primitives_c.h", "codes.h", "rows.h")
    text = "".join((ROOT / "pytree" / "registry" / name).read_text(encoding="utf-8") for name in headers)
    calls = []
    for name in RECURRING:
        macro = re.search(rf"#define PYTREE__{name}\(([\w, ]*)\)", text)
        if macro:
            for field in FIELDS:
                arguments = ", ".join(ARGUMENTS[argument].format(field) for argument in macro[1].split(", "))
                calls.append((f"PYTREE__{name}", field, f"PYTREE__{name}({arguments})"))
    body = '#include "pytree.h"\n' + REGISTRATION + "void use(Linear layer) {\n" + USE + "\n}\n"
    first = body.count("\n") + 1
    body += "".join(f"{call}\n" for _, _, call in calls)
    generated, used = [], []
    recurring = [""] * len(calls)
    last = body[:body.index(USE)].count("\n") + 1
    for name, number, line in preprocessed(body):
        if name in ("pytree_registry.h", "checks.h", "complete.h"):
            generated.append(line)
        elif name == "linear.c" and number == last:
            used.append(line)
        elif name == "linear.c" and number >= first:
            recurring[number - first] += line
    for (name, field, _), line in zip(calls, recurring):
        EXPANSIONS[f"{name}({field})"] = tokens(line)
    return tokens("\n".join(generated)), tokens("\n".join(used))


# A token keeps the space before it, so that the layout of the macros shows.
TOKEN = re.compile(r" ?(?:'.'"
                   r'|"(?:[^"\\]|\\.)*"|/\*.*?\*/|\w+|->|\+\+|--|&&|\|\||<<|>>|[=!<>|&+]=|\.\.\.|[^\s\w])')


def tokens(text):
    """A text as tokens. Strings that stand side by side become one, as the compiler sees them."""
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r"\( ?\( ?void ?\* ?\) ?0 ?\)", "NULL", text)
    text = re.sub(r" ?__builtin_offsetof \(", " offsetof(", text)
    text = text.replace("(int) offsetof", "(int)offsetof").replace("( offsetof", "(offsetof")
    text = re.sub(r" (?=[,;)\]])|(?<=[(\[]) |(?<=[:] &) ", "", text)
    words = TOKEN.findall(re.sub(r'(?<![\\(])" ?"', "", text))
    doubled = set()                 # ((x)) is (x)
    for i in range(len(words) - 1):
        if words[i].strip() == "(" == words[i + 1].strip() and closing(words, i + 1) == closing(words, i) - 1:
            doubled |= {i + 1, closing(words, i + 1)}
    return [word for i, word in enumerate(words) if i not in doubled]


# ---- Layout ----------------------------------------------------------------------------------------------------------

EXPANSIONS = {}                     # a call that stays: its expansion
RECURRED = {}                       # the calls that are on the page: the field it was first shown for
LISTS = {}                          # a long list of built-in types, as text: its name
SHOWN = {}                          # expressions that were shown, without the name of the field: that name


def flat(words):
    """Tokens as one line."""
    return "".join(words).strip()


def split(words, separators):
    """The tokens between separators that are not in parentheses, each with the separator behind it."""
    parts, depth, part = [], 0, []
    for word in words:
        depth += word.strip() in "([{"
        depth -= word.strip() in ")]}"
        part.append(word)
        if depth == 0 and (word.strip() in separators or "," in separators and word.startswith(" /*")):
            parts.append(part)
            part = []
    return parts + [part] if part else parts


def recurring(words):
    """The tokens with calls in place of expressions that recur."""
    plain = [word.strip() for word in words]
    for call, expansion in EXPANSIONS.items():
        wanted = [word.strip() for word in expansion]
        for i in range(len(plain) - len(wanted), -1, -1):
            if plain[i:i + len(wanted)] == wanted and len(wanted) < len(plain):
                name, field = call[:-1].split("(")
                RECURRED.setdefault(name, field)
                space = " " if words[i].startswith(" ") else ""
                words = [*words[:i], space + name, "(", field, ")", *words[i + len(wanted):]]
                plain = [word.strip() for word in words]
    return words


def general(words):
    """An expression without the name of its field, and that name."""
    field = next((name for name in FIELDS for word in words if word.strip() == name or word.endswith(f"_Linear_{name}")), None)
    return tuple(re.sub(rf"(_Linear_|\bLinear\.|^){field}\b", r"\1@", word.strip()) for word in words), field


# What a list of built-in types is called: by what it has for float, and by what it gives.
HELD = [(r"rowptr_float_:", "enums, strings, rows of tables"), (r"cptr_float_:", "pointers to const"), (r"ptr_float_:", "pointers"),
        (r"float:", "values"), (r"ptr_int_:", "enums, strings")]


def type_list(words):
    """The inside of a _Generic with a comment in place of its long list of built-in types; as it is if it has none."""
    control, *cases = split(words, ",")
    own = [case for case in cases if len(case) > 1 and case[0].strip() != "default" and not re.match(r"pytree__[tq]\d", flat(case))]
    if len(own) < 8:
        return words
    text = flat([word for case in own for word in case])
    if text not in LISTS:
        held = next((name for sign, name in HELD if re.search(sign, text)), "types")
        name = f"{held}, {'descriptors' if '&pytree_types' in text else 'codes'}"
        LISTS[text] = name if name not in LISTS.values() else f"{name} ({1 + len(LISTS)})"
    first = cases.index(own[0])
    cases[first:first + len(own)] = [[f" /* … {LISTS[text]} … */"]]
    return [*control, *[word for case in cases for word in case]]


def shorten(words):
    """The tokens with comments in place of long lists of built-in types."""
    out, i = [], 0
    while i < len(words):
        out.append(words[i])
        if words[i].strip() == "_Generic":
            end = closing(words, i + 1)
            inside = type_list(words[i + 2:end])
            out += ["(", *shorten(inside), ")"]
            i = end
        i += 1
    return out


def closing(words, start):
    """Where the parenthesis that opens at `start` closes."""
    depth = 0
    for i in range(start, len(words)):
        depth += words[i].strip() in "([{"
        depth -= words[i].strip() in ")]}"
        if depth == 0:
            return i
    raise ValueError("unbalanced")


def known(words, least=25):
    """A comment in place of an expression that was shown before, for another field or the same one."""
    key, field = general(words)
    if len(words) < least:
        return None
    if key in SHOWN:
        return f"/* … as {'above' if SHOWN[key] == field else 'for ' + str(SHOWN[key])} … */"
    SHOWN[key] = field
    return None


BREAKS = [(",",), ("?", ":"), ("||",), ("&&",), ("|",), ("==", "!=", ">=", "<="), ("+",), ("=",)]


def layout(words, indent, tail=""):
    """Lines for an expression: as one line if it fits, else broken where it binds least."""
    short = " " * indent + flat(words) + tail
    if len(short) <= WIDTH:
        return [short]
    at = next((i for i, word in enumerate(words) if word.strip() == "_Generic"), None)
    if at is not None and at < 4 and closing(words, at + 1) == len(words) - 1:
        return generic(words, indent, tail)
    for separators in BREAKS:
        parts = split(words, separators)
        if len(parts) > 1 and not (separators == ("?", ":") and "?" not in [part[-1].strip() for part in parts]):
            break
    else:
        parts = [words]
    if len(parts) == 1:
        # Into the longest parenthesis.
        pairs = [(i, closing(words, i)) for i, word in enumerate(words) if word.strip() in "({"]
        if not pairs:
            return [short]
        start, end = max(pairs, key=lambda pair: pair[1] - pair[0])
        return [" " * indent + flat(words[:start + 1]), *layout(words[start + 1:end], indent + 4),
                " " * indent + flat(words[end:]) + tail]
    if separators in ((",",), ("=",)):
        lines = []
        for k, part in enumerate(parts):
            separator = part[-1] if part[-1].strip() in separators else ""
            body = part[:-1] if separator else part
            told = known(body) if separators == (",",) else None
            deeper = indent + (4 if separators == ("=",) and k > 0 else 0)
            after = separator + (tail if k == len(parts) - 1 else "")
            lines += [" " * deeper + told + after] if told else layout(body, deeper, after)
        return lines
    # Each line but the first begins with the operator that ended the part before it.
    lines, operator = [], ""
    for k, part in enumerate(parts):
        deeper = indent + (4 if k > 0 else 0)
        body = part[:-1] if k < len(parts) - 1 else part
        told = known(body) if k > 0 else None
        after = tail if k == len(parts) - 1 else ""
        more = [told + after] if told else layout(body, deeper + len(operator), after)
        lines += [" " * deeper + operator + more[0].lstrip(), *more[1:]]
        operator = part[-1].strip() + " "
    return lines


def generic(words, indent, tail):
    """Lines for a _Generic: an association each, the last of which may be another _Generic."""
    start = [word.strip() for word in words].index("_Generic")
    control, *cases = split(words[start + 2:-1], ",")
    lines = [" " * indent + flat(words[:start + 2] + control)]
    if len(lines[0]) > WIDTH:
        lines = [" " * indent + flat(words[:start + 2]), *layout(control[:-1], indent + 8, ",")]
    deeper = indent if words[0].strip() == "default" else indent + 4
    for case in cases[:-1]:
        lines += layout(case, deeper)
    return lines + layout(cases[-1], deeper, ")" + tail)


def braces(words, indent):
    """Lines for what stands in braces: one element each."""
    lines = []
    for part in split(words, ","):
        tail = "," if part[-1].strip() == "," else ""
        body = part[:-1] if tail else part
        equals = next((i for i, word in enumerate(body) if word.strip() == "="), None)
        told = known(body[equals + 1:]) if equals is not None else None
        if told:
            lines.append(" " * indent + flat(body[:equals + 1]) + " " + told + tail)
        elif equals is not None and len(flat(body)) + indent > WIDTH:
            lines += [" " * indent + flat(body[:equals + 1]), *layout(body[equals + 1:], indent + 4, tail)]
        else:
            lines += layout(body, indent, tail)
    return lines


def statements(words, indent):
    """Lines for a function's body."""
    lines, i = [], 0
    while i < len(words):
        depth, j = 0, i
        while j < len(words):
            word = words[j].strip()
            if word == "{" and depth == 0:
                end, initial = closing(words, j), words[j - 1].strip() == "="
                inside = braces(words[j + 1:end], indent + 4) if initial else statements(words[j + 1:end], indent + 4)
                lines += [*layout(words[i:j + 1], indent), *inside, " " * indent + ("};" if initial else "}")]
                j = end + initial             # the semicolon
                break
            depth += word in "(["
            depth -= word in ")]"
            if word == ";" and depth == 0:
                lines += layout(words[i:j], indent, ";")
                break
            j += 1
        i = j + 1
    return lines


def declaration(words):
    """Lines for one declaration or function."""
    words = shorten(recurring(words))
    if words[-1].strip() == "}":
        start = next(i for i, word in enumerate(words) if word.strip() == "{")
        return [flat(words[:start]), "{", *statements(words[start + 1:-1], 4), "}"]
    body = words[:-1]
    starts = [i for i, word in enumerate(body) if word.strip() == "{"]
    if body[0].strip() == "_Static_assert":
        condition, message = split(body[2:-1], ",")
        told = known(condition[:-1])
        condition = [told] if told else condition[:-1]
        lines = layout(condition, 4, ",")
        lines[0] = "_Static_assert(" + lines[0].lstrip()
        return [*lines, *layout(message, 4, ");")]
    if starts and (len(flat(words)) > WIDTH or body[0].strip() == "enum"):
        end = closing(body, starts[0])
        return [flat(body[:starts[0] + 1]), *braces(body[starts[0] + 1:end], 4), "}" + flat(body[end + 1:]) + ";"]
    return layout(body, 0, ";")


def declarations(words):
    """The tokens of each declaration at the top level."""
    found, part, depth = [], [], 0
    for word in words:
        part.append(word)
        depth += word.strip() in "([{"
        depth -= word.strip() in ")]}"
        is_function = word.strip() == "}" and "=" not in [w.strip() for w in part[:12]] and part[0].strip() == "static"
        if depth == 0 and (word.strip() == ";" or is_function):
            if len(part) > 1:
                found.append(part)
            part = []
    if part:
        raise SystemExit("macros.py: unfinished declaration: " + flat(part))
    return found


def block(found):
    """A block of C. An assertion that differs from an earlier one only in the field is a comment behind that one."""
    lines, likewise = [], {}
    for words in found:
        if words[0].strip() == "_Static_assert":
            key, field = general(words)
            if key in likewise:
                likewise[key].append(field)
                continue
            likewise[key] = []
            lines += [*declaration(words), key]
        else:
            lines += declaration(words)
    done = []
    for line in lines:
        if not isinstance(line, tuple):
            done.append(line)
        elif likewise[line]:
            done.append(f"    /* … likewise for {', '.join(likewise[line])} … */")
    return "```c\n" + "\n".join(done) + "\n```"


# ---- The page --------------------------------------------------------------------------------------------------------

# Heading, which declarations stand below it, and what is said about them. Each declaration goes to the first that claims it.
SECTIONS = [
    ("Checks", re.compile(r"_Static_assert|enum \{ pytree__words?_|struct pytree_type;|int pytree__takes_").match, """\
Assertions alone: no code, no data. The first look at the name and at the text of the rows, where a compiler's own errors would
be many. For each row the layout comes first, then its type. Words that are misspelt were found
before, by an `#if`; what is left then is assertions that say which. The messages are explained in
[compiler-messages.md](compiler-messages.md)."""),
    ("Extents", re.compile(r".*pytree__sizes_Linear\(.*\}$").match, """\
The only function: the extents of the DATA rows, one row's behind another's, are the rows' own expressions, with `self` as the
struct. The table says how many each row has. The library calls it whenever it looks into a `Linear`, and writes views from
the table and the extents. Asked for children it writes one view for each DATA row. Asked for leaves it goes on into structs
that lie in this one, and writes the views of all their leaves: that is how most of a tree is walked; what a treedef needs
besides, nodes and static values, follows from the table. So does the way back: a leaf is stored at the offset that its row
says.

Where the compiler optimises for speed there are three functions in its place, in which rows like these two are statements:
`pytree__views_Linear` writes the views, `pytree__validate_Linear` looks at the same values and writes nothing,
`pytree__store_leaves_Linear` puts leaves back."""),
    ("The table of the rows", lambda text: "pytree__fields_Linear[]" in text, """\
One entry for each row: name, type, kind of row, where the value lies, form, OPTIONAL, rank, offset, sizes, and for
stb_ds containers the functions that resize and free them. Types are read from the struct: the row says no type, so none
can be wrong."""),
    ("The descriptor", lambda text: "pytree__desc000 = {" in text or "pytree__noted_Linear = {" in text, """\
What `PYTREE_TYPE(Linear)` points to: name, size, counts, and where table and functions are. It is constant, so that a treedef
may hold on to it for ever. Near its end is the file's list of registrations in namespaces, which is empty here; its last
member says where the library notes the [layout](internals.md#the-layout-of-a-struct) that it made of the rows. A second file
that registers the same struct has a copy of its own; `pytree_type_equal` knows them for the same."""),
    ("The slot", re.compile(r"typedef Linear \*pytree__ptr000;|static const pytree_type pytree__desc000;|"
                            r"enum \{ pytree__(known|count)|__extension__ static const __auto_type pytree__mark").match, """\
Each registered type takes the next of 512 slots, an octal number; the first is `000`. The slot's names stand for the
type in every dispatch that follows: `pytree__ptr000` for a pointer to it, `pytree__desc000` for its descriptor.
`pytree__mark000` is a constant that points to the descriptor, and its type has the code of a pointer to `Linear`, which checks read: gcc (from 12) and clang (from 14) take a constant pointer for a constant, so that a member is
looked for once, for both. That is the association for `_Generic`: the list of a dispatch is written with slots, which exist before
any struct does."""),
    ("What each member is", re.compile(r"extern|enum|typedef __typeof__|__extension__ static const|static Linear pytree__all_").match, """\
Constants, from which the checks, the table and the functions are made. Where only the type of a member counts, it is named in
an object that is never defined: `pytree__any_Linear.din`. First where members begin and end: an enumerator without a value is
the one before it plus one; that is how a row knows where the row before it ended. Then what each is: its code says its
element type and how it is held (in place, pointer, fixed array). It is found by `_Generic` on a pointer (`pytree__held_…`),
so that one association does for a value, an array and a pointer; the mark that is found, if any, is `pytree__held_…_is`. The
sums at the end are for the descriptor."""),
]
ORDER = ["The slot", "What each member is", "Checks", "The table of the rows", "Extents", "The descriptor"]

INTRODUCTION = f"""\
# What the macros leave

You write:

<!-- compile -->
```c
{REGISTRATION}```

After the preprocessor there are a descriptor, a function that makes views, assertions, and a slot that
`_Generic` can find. This page shows all of it. It is made from the headers by `docs/macros.py`, and the tests fail when
it is out of date.

The script only lays the text out anew and shortens it in these ways: a comment between two ellipses, `/* … name … */`,
stands for a long list of built-in types, and a call like `PYTREE__PACK(din)` for an expression that recurs, all of
which are at the end of the page; `/* … as for din … */` and `/* … likewise for din … */` for what differs from text
already shown in the field's name alone; doubled parentheses are single, NULL and offsetof are written so; declarations
are sorted under headings.
"""

USE_TEXT = """\
Where the program says `{use}`, this stands:"""

RECURRING_TEXT = """\
Of a member's code and of the member itself; in the text above they stand with the member's name."""

USE_AFTER = """\
The dispatch goes through registered slots in groups of eight, then through the built-in types. Its controlling
expressions are `*(&layer)` and a pointer to that: as a value, so that `const` plays no role. What is found nowhere is
an error twice: `->name` of something that has no such member, which names the type, and an assertion, which says what
to do. At run time nothing of this remains but two words."""


def text_of_page():
    """The whole page."""
    generated, used = expansions()
    found = {heading: [] for heading, _, _ in SECTIONS}
    for words in declarations(generated):
        text = flat(words)
        heading = next((heading for heading, claims, _ in SECTIONS if claims(text)), None)
        if heading is None:
            raise SystemExit("macros.py: no heading claims: " + text)
        found[heading].append(words)
    texts = {heading: text for heading, _, text in SECTIONS}
    parts = [INTRODUCTION]
    for heading in ORDER:
        if not found[heading]:
            raise SystemExit(f"macros.py: nothing stands under {heading}")
        parts += [f"## {heading}", texts[heading], "<!-- shown -->\n" + block(found[heading])]
    parts += ["## The use", USE_TEXT.format(use=USE), "<!-- shown -->\n" + block([used]), USE_AFTER,
              "## The lists of built-in types",
              "Types in C's own order of keywords; half-precision storage and, where the compiler has it, complex numbers. Of a type's\n"
              "names, `pytree__ptr_` is a pointer to it, `pytree__cptr_` a pointer to const, `pytree__rowptr_` a pointer to a row of a\n"
              "table."]
    for text, name in LISTS.items():
        lines = layout(tokens(text), 0)
        parts.append(f"`/* … {name} … */`:\n\n```text\n" + "\n".join(fill(lines)) + "\n```")
    lists = parts.index("## The lists of built-in types")
    definitions = []
    for name in [f"PYTREE__{name}" for name in RECURRING if f"PYTREE__{name}" in RECURRED]:
        call = f"{name}({RECURRED[name]})"
        definitions += [f"{call} stands for", *layout(recurring(EXPANSIONS[call]), 4)]
    parts[lists:lists] = ["## Expressions that recur", RECURRING_TEXT, "```text\n" + "\n".join(definitions) + "\n```"]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def fill(lines):
    """Short lines as few long ones."""
    filled = [""]
    for line in lines:
        if len(filled[-1]) + len(line) + 1 > WIDTH:
            filled.append("")
        filled[-1] += (" " if filled[-1] else "") + line.strip()
    return filled


if __name__ == "__main__":
    raise SystemExit(page.main(__doc__, PAGE, text_of_page))

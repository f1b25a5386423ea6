"""Mistakes that compilers find: programs of a few lines, and what gcc and clang must say of each within three lines.

Each entry is a name, the program, what gcc says, and what clang says (None: the same).
"""


ROWS = "PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))"


def registered(struct, rows, name="S"):
    """A struct and its registration."""
    return f'{struct}\n#define PYTREE_STRUCT {name}\n#define PYTREE_FIELDS {rows}\n#include "pytree_registry.h"\n'


def member(declaration, row):
    """A struct with this member between two others, and this row for it."""
    return registered(f"typedef struct S {{ int n; {declaration}; float *w; }} S;",
                      f"PYTREE_FIELD(STATIC, n) {row} PYTREE_FIELD(DATA, w, ARRAY(self->n))")


def rows(text):
    """A struct of a number and an array, with these rows."""
    return registered("typedef struct S { int n; float *w; } S;", text)


def use(expression, before=""):
    """A program that makes a tree of the expression."""
    return f"{before}\npytree f(void);\npytree f(void) {{ return {expression}; }}\n"


PLAIN = registered("typedef struct S { int n; float *w; } S;", ROWS)
BITS_FIRST = "".join(
    registered(f"typedef struct {name} {{ {members} }} {name};", f"PYTREE_FIELD(STATIC, a, BITS) {others}", name)
    for name, members, others in (
        ("Narrow", "_Bool a: 1; float w;", "PYTREE_FIELD(DATA, w)"), ("Alone", "signed a: 1;", ""),
        ("Behind", "unsigned : 5; unsigned a: 3; short b;", "PYTREE_FIELD(STATIC, b)"),
        ("Two", "unsigned a: 3; unsigned : 0; unsigned b: 32; S s;", "PYTREE_FIELD(DROP, b, BITS) PYTREE_FIELD(DATA, s)"),
        ("Inner", "struct { unsigned a: 3, b: 5; }; float w[2];", "PYTREE_FIELD(STATIC, b, BITS) PYTREE_FIELD(DATA, w)"),
        ("Either", "union { unsigned a: 3; int all; }; union { int i; float f; } u; float w;",
         "PYTREE_FIELD(DROP, u) PYTREE_FIELD(DATA, w)")))
NAMES = "row last pointer seen extent bits missing flags view end of at leaf whole first p n size statics number map field keys head"
OWN_NAMES = ("enum { " + ", ".join(f"{name} = 2" for name in NAMES.split()) + " };\nint self;\n"
             + registered("typedef struct Own { float *w; float x; } Own;",
                          f"PYTREE_FIELD(DATA, w, ARRAY({', '.join(NAMES.split()[:7])})) PYTREE_FIELD(DATA, x)", "Own"))
MAP = "typedef struct S {{ struct {{ {} }} *map; }} S;"
LEFT_OUT = "a field before this one is not listed"
AT_END = "pytree: S: a field at the end is not listed"
UNKNOWN = "its type is not registered; register it before this struct"
NOT_ONE = "it is an array, a string or a void *, not a pointer to one value"
NOT_REGISTERED = "its type is not registered; register it before this line"
FLEXIBLE = registered("typedef struct S {{ int n; float w[]; }} S;", "PYTREE_FIELD(STATIC, n) {}")
# Lines of the library that compilers show below their own words.
NO_ADDRESS = "a bit-field: add BITS to its row"
NO_MEMBER = "a row names a member; a bit-field: BITS; T f[]: FLEXIBLE"
NO_SIZE = "T f[]: add FLEXIBLE to its row"
UP_TO_FLEXIBLE = "a member up to T f[] is not listed"
BEFORE_FLEXIBLE = "T f[]: a member before it is not listed"
INTEGERS = "extents and counts are integers, self->n"
NEEDS = "CASE: a member of the union; a tag: an integer; STB_MAP: key and value; AS: a type"
IS_ABOVE = "typedef struct S { … } S; is above"
INCOMPATIBLE = "incompatible pointer type"
WORDS = "pytree: S: a row is PYTREE_FIELD(kind, name, modifiers), with commas between them and without a type"
BETWEEN = "pytree: S: PYTREE_FIELDS has rows, PYTREE_FIELD(...), and nothing between them"
NOT_A_NAME = "is not the name of a type; write one identifier, without quotes, struct or semicolon"

INNER = registered("typedef struct T { int b; float *w; } T;", "PYTREE_FIELD(STATIC, b) PYTREE_FIELD(DATA, w, ARRAY(self->b))", "T")
UNFIT = "EACH takes ARRAY(m), LIST(m) or nothing, and OPTIONAL; CASE a value, a member and what that needs"

COMPILED = {
    "A member left out": [
        ("int in padding", registered("typedef struct S { int n, m; float *w; } S;", ROWS), f"pytree: S.w: {LEFT_OUT}", None),
        ("bool in padding", registered("typedef struct S { int n; _Bool b; float *w; } S;", ROWS), f"pytree: S.w: {LEFT_OUT}",
         None),
        ("two shorts in padding", registered("typedef struct S { int n; short a, b; float *w; } S;", ROWS), LEFT_OUT, None),
        ("bit-field in padding", registered("typedef struct S { int n; unsigned a: 3; float *w; } S;", ROWS), LEFT_OUT, None),
        ("array in padding", registered("typedef struct S { int n; char c[4]; float *w; } S;", ROWS), LEFT_OUT, None),
        ("struct in padding", registered("typedef struct T { char c; } T; typedef struct S { int n; T t; float *w; } S;", ROWS),
         LEFT_OUT, None),
        ("last int in padding", registered("typedef struct S { float *w; int n, m; } S;",
                                           "PYTREE_FIELD(DATA, w, ARRAY(self->n)) PYTREE_FIELD(STATIC, n)"), AT_END, None),
        ("no rows", rows(""), AT_END, None),
        *((f"{name} before a bit-field",
           registered(f"{first}typedef struct S {{ {declaration}; unsigned a: 3, b: 2; float w; }} S;",
                      "PYTREE_FIELD(STATIC, a, BITS) PYTREE_FIELD(STATIC, b, BITS) PYTREE_FIELD(DATA, w)"),
           f"pytree: S.w: {LEFT_OUT}", None)
          for name, first, declaration in (
              ("int", "", "int n"), ("char", "", "char c"), ("pointer", "", "float *p"), ("function pointer", "",
                                                                                          "void (*f)(void)"),
              ("bit-field", "", "unsigned n: 4"), ("array", "", "int n[3]"), ("array of one", "", "int n[1]"),
              ("struct", "typedef struct T { int n, m; } T; ", "T t"), ("struct of one", "typedef struct T { int n; } T; ",
                                                                        "T t"),
              ("array of structs", "typedef struct T { int n[2]; } T; ", "T t[2]"), ("union", "",
                                                                                     "union { int i; float f; } u"))),
        *((f"{name} in front of a flexible array", registered(f"typedef struct S {{ double d; int n; {member}; double w[]; }} S;",
                                                              "PYTREE_FIELD(DATA, d) PYTREE_FIELD(STATIC, n) "
                                                              "PYTREE_FIELD(DATA, w, ARRAY(self->n), FLEXIBLE)"), gcc, clang)
          for name, member, gcc, clang in (
              ("int", "int m", "a member before T f[] is not listed", BEFORE_FLEXIBLE),
              ("array", "char c[3]", UP_TO_FLEXIBLE, BEFORE_FLEXIBLE))),
        ("two members before a bit-field", registered("typedef struct S { int n; float *p; unsigned a: 3; } S;",
                                                      "PYTREE_FIELD(STATIC, a, BITS)"), AT_END, None),
    ],
    "Members": [
        ("union", member("union { int a; float b; } u", "PYTREE_FIELD(DATA, u)"), f"pytree: S.u: {UNKNOWN}", None),
        ("unnamed struct", member("struct { int a; } in", "PYTREE_FIELD(DATA, in)"), f"pytree: S.in: {UNKNOWN}", None),
        ("function pointer", member("void (*f)(void)", "PYTREE_FIELD(DATA, f)"), f"pytree: S.f: {UNKNOWN}", None),
        ("void pointer", member("void *user", "PYTREE_FIELD(DATA, user)"), f"pytree: S.user: {UNKNOWN}", None),
        ("pointer without extent", member("unsigned char *bytes", "PYTREE_FIELD(DATA, bytes)"),
         "pytree: S.bytes: a pointer needs its extent; write ARRAY(n, m)", None),
        ("pointers with LIST", member("float **rows", "PYTREE_FIELD(DATA, rows, LIST(self->n))"), f"pytree: S.rows: {UNKNOWN}",
         None),
        ("pointer to an array", member("float (*p)[3]", "PYTREE_FIELD(DATA, p, LIST(self->n))"),
         "pytree: S.p: LIST is for a pointer to registered structs or", None),
        ("fixed array of pointers to structs", registered("typedef struct P { int n; } P;", "PYTREE_FIELD(DATA, n)", "P")
         + member("P *all[2]", "PYTREE_FIELD(DATA, all)"),
         "pytree: S.all: an array whose element type is not registered", None),
        ("STATIC array of unregistered structs", member("struct { char c; int i; } a[2]", "PYTREE_FIELD(STATIC, a)"),
         f"pytree: S.a: {UNKNOWN}", None),
        ("STATIC array of const unregistered structs", member("const struct { char c; int i; } a[2]", "PYTREE_FIELD(STATIC, a)"),
         f"pytree: S.a: {UNKNOWN}", None),
        ("STATIC array of char", member("char name[16]", "PYTREE_FIELD(STATIC, name)"),
         "pytree: S.name: an array of char is compared with what lies behind its text; write STRING", None),
        *((f"STRING of an array of const char, {kind}", member("const char name[16]", f"PYTREE_FIELD({kind}, name, STRING)"),
           "pytree: S.name: STRING is for an array of char in the struct itself that is not const", None)
          for kind in ("DATA", "STATIC")),
        ("map with integer keys", registered(MAP.format("int key; float value;"), "PYTREE_FIELD(DATA, map, STB_MAP)"),
         "pytree: S.map: the keys of a STB_MAP are strings, char *key", None),
        ("map with a third member", registered(MAP.format("char *key; float value; int count;"),
                                               "PYTREE_FIELD(DATA, map, STB_MAP)"),
         "pytree: S.map: an entry of a STB_MAP has two members, key and value", None),
        ("map with a third member in padding", registered(MAP.format("char *key; int value; int count;"),
                                                          "PYTREE_FIELD(DATA, map, STB_MAP)"),
         "pytree: S.map: an entry of a STB_MAP has two members, key and value", None),
        ("map without key", registered(MAP.format("char *name; float value;"), "PYTREE_FIELD(DATA, map, STB_MAP)"),
         "an entry of a STB_MAP has two members, key and value", NEEDS),
        *((f"atomic number without ATOMIC, {kind}", member("_Atomic int a", f"PYTREE_FIELD({kind}, a)"),
           "pytree: S.a: an _Atomic number needs the word ATOMIC behind its name", "_Atomic: add ATOMIC to its row")
          for kind in ("DATA", "STATIC")),
        ("bit-field without BITS, DATA", member("unsigned a: 3", "PYTREE_FIELD(DATA, a)"),
         NO_ADDRESS, NO_MEMBER),
        ("bit-field without BITS, DROP", member("unsigned a: 3", "PYTREE_FIELD(DROP, a)"),
         NO_ADDRESS, NO_MEMBER),
        ("flexible array without FLEXIBLE", FLEXIBLE.format("PYTREE_FIELD(DATA, w, ARRAY(self->n))"),
         NO_SIZE, NO_MEMBER),
        ("flexible array, DROP", FLEXIBLE.format("PYTREE_FIELD(DROP, w)"),
         NO_SIZE, NO_MEMBER),
        ("flexible array without a row", FLEXIBLE.format(""), UP_TO_FLEXIBLE, BEFORE_FLEXIBLE),
        ("union without a name, both members", registered("typedef struct S { int n; union { int a; float b; }; } S;",
                                                          "PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b)"),
         "pytree: S.b: rows are out of order", None),
        ("union without a name, its smaller member",
         registered("typedef struct S { int n; union { int a; float b[2]; }; float c; } S;",
                    "PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, c)"), f"pytree: S.c: {LEFT_OUT}", None),
        ("wide string", "#include <wchar.h>\n" + member("wchar_t *s", "PYTREE_FIELD(DATA, s)"),
         "pytree: S.s: a pointer needs its extent", None),
        ("integer of 128 bits", member("__int128 big", "PYTREE_FIELD(DATA, big)"), f"pytree: S.big: {UNKNOWN}", None),
        ("FILE", member("FILE *file", "PYTREE_FIELD(DATA, file)"), f"pytree: S.file: {UNKNOWN}", None),
        ("struct of the C library", "#include <time.h>\n" + member("struct timespec t", "PYTREE_FIELD(DATA, t)"),
         f"pytree: S.t: {UNKNOWN}", None),
        ("struct whose header does not register it", "struct A { int x; };\n" + member("struct A a", "PYTREE_FIELD(DATA, a)"),
         f"pytree: S.a: {UNKNOWN}", None),
        ("pointer to volatile numbers", member("volatile float *v", "PYTREE_FIELD(DATA, v, ARRAY(3))"),
         "pytree: S.v: ARRAY is for a pointer to numbers", None),
        ("pointers with ARRAY", member("float **rows", "PYTREE_FIELD(DATA, rows, ARRAY(2, 2))"),
         "pytree: S.rows: ARRAY is for a pointer to numbers", None),
        ("fixed array of pointers to numbers", member("float *rows[2]", "PYTREE_FIELD(DATA, rows, ARRAY(2))"),
         "pytree: S.rows: ARRAY is for a pointer to numbers", None),
        ("pointer to an array with ARRAY", member("float (*p)[3]", "PYTREE_FIELD(DATA, p, ARRAY(2))"),
         "pytree: S.p: ARRAY is for a pointer to numbers", None),
        ("pointer to a typedef of an array", member("Vec *p", "PYTREE_FIELD(DATA, p, LIST(2))").replace(
            "typedef", "typedef float Vec[3];\ntypedef", 1), "pytree: S.p: LIST is for a pointer to registered structs or",
            None),
    ],
    "Rows": [
        ("missing comma before the name", rows("PYTREE_FIELD(STATIC n) PYTREE_FIELD(DATA, w, ARRAY(self->n))"), WORDS, None),
        ("missing comma before a modifier", rows("PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w ARRAY(self->n))"), WORDS, None),
        ("type in a row", rows("PYTREE_FIELD(STATIC, int n) PYTREE_FIELD(DATA, w, ARRAY(self->n))"), WORDS, None),
        ("semicolon behind a row", rows(ROWS.replace(") PYTREE", "); PYTREE")), BETWEEN, None),
        ("comma behind a row", rows(ROWS.replace(") PYTREE", "), PYTREE")), BETWEEN, None),
        ("misspelt row", rows(ROWS.replace("PYTREE_FIELD(DATA", "PYTREE_FEILD(DATA")), BETWEEN, None),
        ("missing parenthesis", rows("PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n)"),
         'unterminated argument list invoking macro "PYTREE_FIELD"', "unterminated function-like macro invocation"),
        ("arguments swapped", rows("PYTREE_FIELD(n, STATIC) PYTREE_FIELD(DATA, w, ARRAY(self->n))"), "unknown row kind n",
         None),
        ("kind in lower case", rows("PYTREE_FIELD(static, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))"), "unknown row kind static",
         None),
        ("modifier in lower case", rows("PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, array(self->n))"), "unknown modifier",
         None),
        ("modifier without parentheses", rows("PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY)"), "unknown modifier",
         None),
        ("extent missing", rows("PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY())"), "pytree: S.w: ARRAY takes an extent",
         None),
        ("rows out of order", rows("PYTREE_FIELD(DATA, w, ARRAY(self->n)) PYTREE_FIELD(STATIC, n)"),
         f"pytree: S.w: {LEFT_OUT}, or too late", None),
        ("member misspelt", rows("PYTREE_FIELD(STATIC, m) PYTREE_FIELD(DATA, w, ARRAY(self->n))"),
         "a row names a member of the struct", NO_MEMBER),
        ("member of a member", registered("typedef struct S { struct { float x; } in; float *w; } S;",
                                          "PYTREE_FIELD(DATA, in.x) PYTREE_FIELD(DATA, w, ARRAY(2))"),
         "pytree: S: a row names one member of this struct; in place of inner.x register the type of inner", None),
        ("kind missing", rows("PYTREE_FIELD(n) PYTREE_FIELD(DATA, w, ARRAY(self->n))"), "unknown row kind n", None),
        ("LIST without parentheses", rows("PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, LIST)"), "unknown modifier among LIST",
         None),
        ("extent missing behind a comma", rows("PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n,))"),
         INTEGERS, None),
        ("extent that is a float", rows("PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(2.9))"),
         INTEGERS, None),
        ("extent that is a pointer", rows("PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(&self->n))"),
         INTEGERS, None),
        ("count that is a float", registered("typedef struct S { int n; int *w; } S;",
                                             "PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, LIST(1.5))"),
         INTEGERS, None),
        ("self misspelt", rows("PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(slf->n))"), "did you mean ‘self’",
         "did you mean 'self'"),
        ("self forgotten", rows("PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(n))"), "‘n’ undeclared",
         "use of undeclared identifier 'n'"),
        ("self with a dot", rows("PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self.n))"), "did you mean to use ‘->’",
         "did you mean to use '->'"),
        ("member of an extent misspelt", rows("PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->m))"),
         "has no member named ‘m’", "no member named 'm'"),
        ("extent that assigns", rows("PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n = 3))"),
         "assignment of member ‘n’ in read-only object", "cannot assign to variable 'self'"),
        *((name, INNER + registered(f"typedef struct S {{ int n; {declaration}; }} S;", f"PYTREE_FIELD(STATIC, n) {row}"),
           UNFIT, None)
          for name, declaration, row in (
              ("EACH in EACH", "T ***p", "PYTREE_FIELD(DATA, p, LIST(self->n, EACH(LIST(2, EACH()))))"),
              ("STRING in EACH", "char p[4][16]", "PYTREE_FIELD(DATA, p, EACH(STRING))"),
              ("WITH in EACH", "T **p", "PYTREE_FIELD(DATA, p, LIST(self->n, EACH(WITH(b, self->n))))"),
              ("AS in EACH", "void **p", "PYTREE_FIELD(DATA, p, LIST(self->n, EACH(AS(PYTREE_TYPE(T)))))"),
              ("BITS in CASE", "union { unsigned a: 3; } u", "PYTREE_FIELD(DATA, u, UNION(self->n, CASE(1, a, BITS)))"),
              ("UNION in CASE", "union { union { int i; } a; } u",
               "PYTREE_FIELD(DATA, u, UNION(self->n, CASE(1, a, UNION(self->n, CASE(1, i)))))"),
              ("UNION without a CASE", "union { int a; } u", "PYTREE_FIELD(DATA, u, UNION(self->n))"),
              ("UNION with 17 cases", "union { int a; } u", "PYTREE_FIELD(DATA, u, UNION(self->n"
               + "".join(f", CASE({i}, a)" for i in range(17)) + "))"),
              ("RANK without a number", "float a[1][2][3]", "PYTREE_FIELD(DATA, a, RANK())"),
              ("misspelt word in CASE", "union { int *a; } u", "PYTREE_FIELD(DATA, u, UNION(self->n, CASE(1, a, ARAY(2))))"))),
        *((name, INNER + registered(f"typedef struct S {{ int n; {declaration}; }} S;", f"PYTREE_FIELD(STATIC, n) {row}"),
           gcc, clang)
          for name, declaration, row, gcc, clang in (
              ("WITH in CASE", "union { T *a; } u", "PYTREE_FIELD(DATA, u, UNION(self->n, CASE(1, a, WITH(b, self->n))))",
               "CASE a: an stb_ds container, EACH, AS or WITH cannot be in a union", None),
              ("UNION of a struct", "T t", "PYTREE_FIELD(DATA, t, UNION(self->n, CASE(1, b)))",
               "pytree: S: UNION is for a union that has a name; of a struct all members are listed", None),
              ("UNION of a member of a union without a name", "union { int a; float b; }",
               "PYTREE_FIELD(DATA, a, UNION(self->n, CASE(1, a), CASE(2, b)))", "with UNNAMED_UNION", None),
              ("UNION of a number", "float a", "PYTREE_FIELD(DATA, a, UNION(self->n, CASE(1, b)))",
               "pytree: S: UNION is for a union that has a name", None),
              ("tag that is a float", "union { int a; } u", "PYTREE_FIELD(DATA, u, UNION(1.5, CASE(1, a)))",
               "the tag of a UNION is an integer", NEEDS),
              ("AS of a number", "void *p", "PYTREE_FIELD(DATA, p, AS(self->n))",
               "AS takes a const pytree_type *", NEEDS),
              ("structs in two dimensions without EACH", "T t[2][3]", "PYTREE_FIELD(DATA, t)",
               "EACH() for pointers, and for structs in two dimensions", None))),
        ("comment in the rows",
         "typedef struct S { int n; float *w; int m; } S;\n#define PYTREE_STRUCT S\n#define PYTREE_FIELDS "
         "PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(1)) // m \\\n PYTREE_FIELD(STATIC, m)\n"
         '#include "pytree_registry.h"', "multi-line comment", "multi-line // comment"),
    ],
    "Registrations": [
        ("no typedef", "struct S { int n; float *w; };\n" + registered("", ROWS),
         "pytree: S: there is no type of this name above",
         IS_ABOVE),
        ("typedef unlike the tag", registered("typedef struct S { int n; float *w; } S;", ROWS, "S_s"),
         "pytree: S_s: there is no type of this name above", IS_ABOVE),
        ("before the struct", registered("", ROWS) + "typedef struct S { int n; float *w; } S;",
         "pytree: S: there is no type of this name above", IS_ABOVE),
        ("incomplete struct", registered("typedef struct S S;", ROWS), "struct S { … } is above", None),
        ("pointer to a struct", registered("typedef struct T { int n; float *w; } *S;", ROWS),
         "pytree: S: only a struct has fields", None),
        ("quotes", registered("typedef struct S { int n; float *w; } S;", ROWS, '"S"'), NOT_A_NAME, None),
        ("semicolon behind the name", registered("typedef struct S { int n; float *w; } S;", ROWS, "S;"), NOT_A_NAME, None),
        ("struct before the name", registered("typedef struct S { int n; float *w; } S;", ROWS, "struct S"), NOT_A_NAME, None),
        ("inside a function", "typedef struct S { int n; float *w; } S;\nvoid f(void);\nvoid f(void) {\n" + registered("",
                                                                                                                       ROWS) + "}",
         "pytree: a registration stands outside of functions", None),
        ("registered twice", PLAIN + registered("", ROWS), "this type is registered already", None),
        ("union", registered("typedef union S { int i; float f; } S;", "PYTREE_FIELD(DATA, i) PYTREE_FIELD(DATA, f)"),
         "pytree: S.f: rows are out of order", None),
        ("FIELD in place of FIELDS",
         "typedef struct S { int n; } S;\n#define PYTREE_STRUCT S\n#define PYTREE_FIELD PYTREE_FIELD(STATIC, n)\n"
         '#include "pytree_registry.h"', "define PYTREE_FIELDS, one PYTREE_FIELD row for each member", None),
    ],
    "Trees and calls": [
        ("PYTREE of NULL", use("PYTREE(NULL)"), NOT_ONE, None),
        ("PYTREE of a void pointer", use("PYTREE(p)", "static void *p;"), NOT_ONE, None),
        ("PYTREE of an array of numbers", use("PYTREE(w)", "static float w[3];"), NOT_ONE, None),
        ("PYTREE of an array of structs", PLAIN + use("PYTREE(all)", "static S all[2];"), NOT_ONE, None),
        ("PYTREE of a string literal", use('PYTREE("abc")'), NOT_ONE, None),
        ("PYTREE of a char pointer", use("PYTREE(name)", "static char *name;"), NOT_ONE, None),
        ("PYTREE of the address of an array", use("PYTREE(&w)", "static float w[3];"), NOT_REGISTERED, None),
        ("PYTREE of a pointer to a pointer", PLAIN + use("PYTREE(&p)", "static S *p;"), NOT_REGISTERED, None),
        ("struct in place of a tree", PLAIN + "void f(S *s);\nvoid f(S *s) { pytree_free(s); }",
         "incompatible type for argument 1 of ‘pytree_free’", "to parameter of incompatible type 'pytree'"),
        ("PYTREE of the address of an array of structs", PLAIN + use("PYTREE(&all)", "static S all[2];"), NOT_REGISTERED, None),
        ("error passed by value",
         PLAIN + "void f(S *s);\nvoid f(S *s) { pytree_error e = { 0 }; pytree_print(stdout, PYTREE(s), 0, e); }",
         "incompatible type for argument 4 of ‘pytree_print’", "take the address with &"),
        ("leaf in place of its data",
         "void f(const pytree_iter *at);\nvoid f(const pytree_iter *at) { float *w = *at->leaf[0]; (void)w; }",
         "incompatible types when initializing type ‘float *’",
         "initializing 'float *' with an expression of incompatible type"),
    ],
}

# The same where compilers optimise, -O1.
UNNAMED = "pytree: S: a field of a struct without a name is not listed"
OPTIMISED = [
    (f"{name} of a struct without a name",
     registered("typedef struct T { int a, b; } T;", "PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b)", "T")
     + registered(f"typedef struct S {{ int n; T *t; float *w; {declaration} }} S;",
                  f"PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, t) PYTREE_FIELD(DATA, w, ARRAY(self->n)) {of_it}"), UNNAMED, None)
    for name, declaration, of_it in (
        ("middle member", "struct { char a, x; int b; };", "PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b)"),
        ("last member", "struct { int a; char x; }; double b;", "PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b)"),
        ("last member, at the end,", "struct { int a; char x; };", "PYTREE_FIELD(DATA, a)"),
        ("member of an unnamed struct", "struct { struct { char a, x; }; int b; };", "PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b)"))]

# The same of programs that compile with a warning.
WARNED = [
    ("space behind a backslash", "typedef struct S { int n; float *w; } S;\n#define PYTREE_STRUCT S\n#define PYTREE_FIELDS "
     "PYTREE_FIELD(STATIC, n) \\ \n PYTREE_FIELD(DATA, w, ARRAY(self->n))\n" + '#include "pytree_registry.h"',
     "backslash and newline separated by space", None),
    ("options of another call", '#include "pytree/safetensors.h"\n' + PLAIN + "void f(S *s, pytree_options *o);\n"
     'void f(S *s, pytree_options *o) { pytree_save_safetensors("x", PYTREE(s), o, NULL); }', INCOMPATIBLE, None),
    ("error and options exchanged", PLAIN
     + "void f(S *s);\nvoid f(S *s) { pytree_error e = { 0 }; pytree_print(stdout, PYTREE(s), &e, NULL); }", INCOMPATIBLE,
     None),
    ("function of another type for a map", "void g(float *w); void f(pytree t);\n"
     "void f(pytree t) { pytree_map(g, NULL, NULL, 1, &t, NULL, NULL); }", INCOMPATIBLE, "incompatible function pointer types"),
    ("function for an allocator",
     "void *g(void *c, void *p, size_t n);\nextern pytree_options o;\npytree_options o = { .allocator = g };",
     "from incompatible pointer type", "incompatible pointer types"),
    ("pattern without an error object", '#include "pytree/path.h"\nbool f(const pytree_path *p);\n'
     'bool f(const pytree_path *p) { return pytree_path_match(p, "[.", NULL); }', "null where non-null expected",
     "null passed to a callee that requires a non-null argument"),
]

"""Mistakes that compile, and things that look like mistakes and work: what the program says when it runs.

Each entry has declarations and the statements of a function with `pytree_error err = { 0 };`, which is printed at the end, and
the words that must be in what is printed. All are one program, which is told the number of the entry to run; structs named S,
T and M get a number, so that each entry has its own.
"""
from mistakes.registrations import PLAIN, registered, rows

WORDS = ("DATA STATIC DROP ARRAY LIST RANK OPTIONAL STB_ARRAY STB_MAP ROLE STRING BITS UNION CASE FLEXIBLE NONE PLAIN ENUM EACH "
         "HANDLE WITH AS ATOMIC UNNAMED_UNION LAST LISTS LIST_WITH NOTHING AS_DECLARED KNOWN PLACED SECOND FIXED").split()
WEIGHTS = "S s = { 3, (float[]){ 1, 2, 3 } };"
FLOAT = registered("typedef struct S { float x; } S;", "PYTREE_FIELD(DATA, x)")
PRINT = "pytree_print(stdout, PYTREE(&s), NULL, &err);"
COUNTED = "typedef struct S { int n; float *w; } S;"
LISTED = registered("typedef struct T { float x; } T;", "PYTREE_FIELD(DATA, x)", "T")
LIST = LISTED + registered("typedef struct S { int n; T *all; } S;",
                           "PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, all, LIST(self->n))")


def shows(declaration, row, value, words, name):
    """A member, its row and its value: the tree is printed with these words."""
    return (name, registered(f"typedef struct S {{ {declaration}; }} S;", row), f"S s = {{ {value} }}; {PRINT}", words)


# What works: name, declarations, statements, what is printed
WORKS = [
    shows("struct { float x; }; float y", "PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, y)", "{ 1 }, 2", ".x  f32",
          "a struct without a name"),
    shows("void (*f)(void); float x", "PYTREE_FIELD(STATIC, f) PYTREE_FIELD(DATA, x)", "NULL, 2", ".x  f32",
          "a function pointer as STATIC"),
    shows("bool on[3]", "PYTREE_FIELD(DATA, on)", "{ 1, 0, 1 }", ".on  bool[3]", "an array of bool"),
    shows("char **names", "PYTREE_FIELD(DATA, names, LIST(1))", '(char *[]){ "a" }', ".names[0]  str", "a list of strings"),
    shows("char *names[2]", "PYTREE_FIELD(DATA, names)", '{ "a", "b" }', ".names  str[2]", "a fixed array of strings"),
    shows("char c", "PYTREE_FIELD(DATA, c)", "'a'", ".c  i8", "a char as a number"),
    shows("const float *w", "PYTREE_FIELD(DATA, w, ARRAY(2))", "(float[]){ 1, 2 }", ".w  f32[2]", "a pointer to const"),
    shows("float *restrict w", "PYTREE_FIELD(DATA, w, ARRAY(2))", "(float[]){ 1, 2 }", ".w  f32[2]", "a restrict pointer"),
    shows("const char *name", "PYTREE_FIELD(DATA, name)", '"a"', ".name  str", "a const string"),
    shows("const char *name; float x", "PYTREE_FIELD(STATIC, name) PYTREE_FIELD(DATA, x)", "NULL, 1", ".x  f32",
          "a static string that is NULL"),
    shows("enum { A, B } *all", "PYTREE_FIELD(DATA, all, LIST(1))", "NULL", "expected a list of 1", "a list of enums"),
    shows("time_t at; size_t n", "PYTREE_FIELD(DATA, at) PYTREE_FIELD(DATA, n)", "1, 2", ".n  u64", "time_t and size_t"),
    shows("char *bytes", "PYTREE_FIELD(DATA, bytes, ARRAY(2))", '"ab"', ".bytes  i8[2]", "bytes behind a char pointer"),
    shows("float *w", "PYTREE_FIELD(DATA, w, ARRAY(1), OPTIONAL, OPTIONAL)", "(float[]){ 1 }", ".w  f32[1]", "OPTIONAL twice"),
    shows("float *w; float x", "PYTREE_FIELD(DATA, w, STB_ARRAY, OPTIONAL) PYTREE_FIELD(DATA, x)", "NULL, 1", ".x  f32",
          "OPTIONAL for an STB_ARRAY"),
    shows("; ".join(f"float f{i}" for i in range(200)), " ".join(f"PYTREE_FIELD(DATA, f{i})" for i in range(200)), "1",
          ".f199  f32", "two hundred members"),
    ("a struct without DATA rows", registered("typedef struct S { int n; } S;", "PYTREE_FIELD(STATIC, n)"),
     'S s = { 1 }; printf("%zu leaves\\n", pytree_num_leaves(PYTREE(&s), NULL, &err));', "0 leaves"),
    ("a struct whose name is a macro",
     "#define Alias S\n" + registered("typedef struct S { float x; } S;", "PYTREE_FIELD(DATA, x)", "Alias"),
     f"S s = {{ 1 }}; {PRINT}", ".x  f32"),
    shows("float *one", "PYTREE_FIELD(DATA, one, ARRAY(1))", "(float[]){ 1 }", ".one  f32[1]", "a pointer to one number"),
    ("a count behind its pointer",
     registered("typedef struct S { float *w; int n; } S;", "PYTREE_FIELD(DATA, w, ARRAY(self->n)) PYTREE_FIELD(STATIC, n)"),
     f"S s = {{ (float[]){{ 1, 2 }}, 2 }}; {PRINT}", ".w  f32[2]"),
    ("a constant of an enum as an extent",
     "enum { WIDE = 2 };" + registered("typedef struct S { float *w; } S;", "PYTREE_FIELD(DATA, w, ARRAY(WIDE))"),
     f"S s = {{ (float[]){{ 1, 2 }} }}; {PRINT}", ".w  f32[2]"),
    ("names in rows that are local to what a registration makes",
     "enum { extent = 2, row = 3, flags = 4 };"
     + registered("typedef struct S { float *w; } S;", "PYTREE_FIELD(DATA, w, ARRAY(extent, row, flags))"),
     f"S s = {{ (float[24]){{ 1, 2 }} }}; {PRINT}", ".w  f32[2,3,4]"),
    ("an extent with a comma, a call and sizeof",
     "static int twice(int n) { return 2 * n; }"
     + rows("PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY((self->n > 0 ? (twice(self->n), 1) : 0) * (int)sizeof(char)))"),
     f"{WEIGHTS} {PRINT}", ".w  f32[1]"),
    ("a struct that is packed",
     registered("typedef struct __attribute__((packed)) S { char c; float x; } S;",
                "PYTREE_FIELD(DATA, c) PYTREE_FIELD(DATA, x)"),
     f"S s = {{ 1, 2 }}; {PRINT}", ".x  f32"),
    ("macros named like the words of rows",
     LISTED + "".join(f"#define {word} 1\n" for word in WORDS)
     + registered("typedef struct S { int n; T **all, *more; union { int i; float f; } u; float w[]; } S;",
                  "PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, all, LIST(self->n, EACH()))"
                  "PYTREE_FIELD(DATA, more, LIST(self->n, WITH(x, 1)), OPTIONAL)"
                  "PYTREE_FIELD(DATA, u, UNION(self->n, CASE(0), CASE(1, i), CASE(2, f))) PYTREE_FIELD(DATA, w, ARRAY(0), FLEXIBLE)")
     + "".join(f"#undef {word}\n" for word in WORDS), f"S s = {{ 1, (T *[]){{ &(T){{ 1 }} }}, NULL, {{ 3 }} }}; {PRINT}",
     ".all[0].x  f32"),
    ("an enum with names in a union",
     "typedef enum T { T_A } T;\n#define PYTREE_ENUM T\n#define PYTREE_CONSTANTS PYTREE_CONSTANT(T_A, \"first\")\n"
     '#include "pytree_registry.h"\n'
     + registered("typedef struct S { int n; union { T e; float f; } u; } S;",
                  "PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, u, UNION(self->n, CASE(1, e, ENUM(T)), CASE(2, f)))"),
     "S s = { 1, { T_A } }; pytree_print(stdout, PYTREE(&s), &(pytree_options){ .print_values = 2 }, &err);", ".u  T"),
    ("a variable named self", PLAIN, f"{WEIGHTS} pytree self = PYTREE(&s); pytree_print(stdout, self, NULL, &err);",
     ".w  f32[3]"),
    ("PYTREE of a compound literal", PLAIN, "pytree_print(stdout, PYTREE(&(S){ 1, (float[]){ 2 } }), NULL, &err);",
     ".w  f32[1]"),
    ("PYTREE of an enum", "typedef enum T { T_A } T;", "T e = T_A; pytree_print(stdout, PYTREE(&e), NULL, &err);", "32"),
    ("PYTREE at file scope", FLOAT + "static S here = { 1 };\nstatic const pytree T = { PYTREE_TYPE(S), &here };",
     "pytree_print(stdout, T, NULL, &err);", ".x  f32"),
    ("a leaf type of another library",
     "typedef struct T { long a, b; } T;\n#define PYTREE_LEAF_TYPE T\n#include \"pytree_registry.h\"\n"
     + registered("typedef struct S { T t; } S;", "PYTREE_FIELD(DATA, t)"), f"S s = {{ {{ 1, 2 }} }}; {PRINT}", ".t  T"),
    ("a clone freed by PYTREE of its data", PLAIN,
     f"{WEIGHTS} pytree c = pytree_clone(PYTREE(&s), NULL, &err); pytree_free(PYTREE((S *)c.data)); puts(\"freed\");", "freed"),
    ("a growing container or an object freed by pytree_free", '#include "pytree/containers.h"\n#include "pytree/object.h"',
     "pytree_free(pytree_new_list(NULL, &err)); pytree_free(pytree_new_object(&pytree_class_Module, NULL, &err));"
     'puts("freed");', "freed"),
    ("a tree freed that is part of another", LIST,
     "S s = { 1, (T[]){ { 2 } } }; pytree c = pytree_clone(PYTREE(&s), NULL, &err); pytree_free(PYTREE(((S *)c.data)->all));"
     "pytree_print(stdout, c, NULL, &err); pytree_free(c);", ".all[0].x  f32"),
    ("a DROP member in a clone: zero, as the README says",
     registered("typedef struct S { int n; float x; } S;", "PYTREE_FIELD(DROP, n) PYTREE_FIELD(DATA, x)"),
     'S s = { 1, 2 }; pytree c = pytree_clone(PYTREE(&s), NULL, &err); printf("n is %d\\n", ((S *)c.data)->n); pytree_free(c);',
     "n is 0"),
    ("an array of char as DATA: bytes; STRING makes it text", registered("typedef struct S { char name[4]; } S;",
                                                                         "PYTREE_FIELD(DATA, name)"),
     f'S s = {{ "abc" }}; {PRINT}', ".name  i8[4]"),
    ("a pattern with one star: one level, `**` is any number", LIST,
     "S s = { 1, (T[]){ { 2 } } }; pytree_iter it; pytree t = PYTREE(&s); pytree_iter_begin(&it, 1, &t, NULL, &err);"
     'while (pytree_iter_next(&it)) { printf("%d %d\\n", pytree_iter_path_match(&it, "*.x", &err),'
     ' pytree_iter_path_match(&it, "**.x", &err)); } pytree_iter_end(&it);', "0 1"),
]

# What is said at run time: name, declarations, statements, what the error says
SAID = [
    ("a count that is DATA", registered(COUNTED, "PYTREE_FIELD(DATA, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))"),
     f"{WEIGHTS} pytree_free(pytree_zeros_like(PYTREE(&s), NULL, &err));",
     ".w: expected f32[0], got f32[3]; are the fields that its extents come from STATIC?"),
    ("a count that is DROP", registered(COUNTED, "PYTREE_FIELD(DROP, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))"),
     f"{WEIGHTS} pytree_free(pytree_clone(PYTREE(&s), NULL, &err));", "STATIC"),
    ("a product that is too large for int, where memory is made",
     registered(COUNTED, "PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n * 65537))"),
     "S s = { 65536, NULL }; pytree_allocate(PYTREE(&s), NULL, &err);",
     ".w: expected a product that fits the type of self->n * 65537, got 4295032832"),
    ("an error object that was not initialised", PLAIN,
     f"{WEIGHTS} memset(&err, 0xA5, sizeof err); s.w = NULL; {PRINT}",
     "a pytree_error without a status: initialise it, pytree_error err = { 0 }"),
    ("an array allocated twice", PLAIN,
     "S s = { 3, NULL }; pytree_allocate(PYTREE(&s), NULL, &err); pytree_allocate(PYTREE(&s), NULL, &err); pytree_free(PYTREE(&s));",
     ".w: expected NULL"),
    ("allocate of a struct that was not initialised", PLAIN,
     "S s; memset(&s, 0xA5, sizeof s); pytree_allocate(PYTREE(&s), NULL, &err);", ".w: expected"),
    ("a string that is NULL", registered("typedef struct S { char *name; } S;", "PYTREE_FIELD(DATA, name)"),
     f"S s = {{ NULL }}; {PRINT}", ".name: expected a string, got NULL (OPTIONAL allows it)"),
    ("an unsigned count below zero", registered("typedef struct S { unsigned n; float *w; } S;",
                                                "PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY((size_t)self->n - 2))"),
     f"S s = {{ 1, NULL }}; {PRINT}", ".w: expected an extent of 0 or more in dimension 0, got -1"),
    ("a count through a pointer that is NULL",
     LISTED + registered("typedef struct S { T *t; float *w; } S;",
                         "PYTREE_FIELD(DATA, t) PYTREE_FIELD(DATA, w, ARRAY((int)self->t->x))"),
     f"S s = {{ NULL, NULL }}; {PRINT}", ".t: expected a T"),
    ("a count behind two pointers, the second of which is NULL",
     LISTED + registered("typedef struct M { T *t; } M;", "PYTREE_FIELD(DATA, t)", "M")
     + registered("typedef struct S { M *m; float *w; } S;", "PYTREE_FIELD(DATA, m) PYTREE_FIELD(DATA, w, ARRAY((int)self->m->t->x))"),
     f"M m = {{ NULL }}; S s = {{ &m, NULL }}; {PRINT}", ".m.t: expected a T"),
    ("floats read from a leaf of doubles", "", "double x = 1; pytree_leaf leaf; pytree t = PYTREE(&x);"
     "pytree_leaves(t, &leaf, 1, NULL, NULL, &err); (void)pytree_floats(&leaf, NULL, &err);", "expected f32, got f64"),
    ("data read as another struct", PLAIN + LISTED, "T t = { 1 }; (void)PYTREE_CAST(S, PYTREE(&t), &err);", "expected S"),
    ("a misspelt namespace", PLAIN + registered("", "PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DROP, w)").replace(
        "#define PYTREE_FIELDS", "#define PYTREE_NAMESPACE checkpoint\n#define PYTREE_FIELDS"),
     f"{WEIGHTS} pytree_num_leaves(PYTREE(&s), &(pytree_options){{ .space = \"chekpoint\" }}, &err);", "got chekpoint"),
    ("the number of leaves of a tree with an error: SIZE_MAX", PLAIN,
     'S s = { 3, NULL }; printf("%d\\n", pytree_num_leaves(PYTREE(&s), NULL, &err) == SIZE_MAX);', ".w: expected 3 elements"),
    ("a copy into another type", PLAIN + LISTED,
     f"{WEIGHTS} T t = {{ 1 }}; pytree_copy_into(PYTREE(&t), PYTREE(&s), NULL, &err);",
     "expected T"),
    ("a pointer to a struct that is NULL", LISTED + registered("typedef struct S { T *t; } S;", "PYTREE_FIELD(DATA, t)"),
     f"S s = {{ NULL }}; {PRINT}", ".t: expected a T"),
    ("a pointer that leads back", registered("typedef struct S S; struct S { S *next; };", "PYTREE_FIELD(DATA, next)"),
     f"S s; s.next = &s; {PRINT}", "got a cycle"),
    ("an array of leaves that is too small", PLAIN, f"{WEIGHTS} pytree_leaves(PYTREE(&s), NULL, 0, NULL, NULL, &err);",
     "expected at most 0 leaves (the array's capacity), got 1"),
    ("a const member that is written in place", registered("typedef struct S { const float x; } S;", "PYTREE_FIELD(DATA, x)"),
     "S s = { 1 }, t = { 2 }; pytree_copy_into(PYTREE(&s), PYTREE(&t), NULL, &err);",
     ".x: expected a member that can be written in place, got one that is const"),
    ("a map into nothing", FLOAT
     + "static pytree_status map_S(void *context, const pytree_iter *at) { (void)context; (void)at; return PYTREE_OK; }",
     "S s = { 1 }; pytree t = PYTREE(&s), *none = NULL; pytree_map(map_S, NULL, none, 1, &t, NULL, &err);"
     'puts(err.status == PYTREE_OK ? "in place" : "");', "in place"),
]

# What clang's sanitizers say
SANITIZED = [
    ("a string without end", registered("typedef struct S { char *name; } S;", "PYTREE_FIELD(DATA, name)"),
     f"S s = {{ malloc(1) }}; *s.name = 'a'; pytree_free(pytree_clone(PYTREE(&s), NULL, &err)); free(s.name);",
     "heap-buffer-overflow"),
    ("a map that goes beyond a leaf", FLOAT,
     "S s = { 1 }; pytree c = pytree_clone(PYTREE(&s), NULL, &err); ((S *)c.data)[1000].x = 1; pytree_free(c);",
     "heap-buffer-overflow"),
    ("a clone that is not freed", PLAIN,
     f"{WEIGHTS} for (int i = 0; i < 9; i++) {{ (void)pytree_clone(PYTREE(&s), NULL, &err); }}",
     "LeakSanitizer"),
    ("a clone used after it is freed", PLAIN, f"{WEIGHTS} pytree c = pytree_clone(PYTREE(&s), NULL, &err); pytree_free(c);"
     "pytree_print(stdout, c, NULL, &err);", "heap-use-after-free"),
    ("a clone freed twice", PLAIN,
     f"{WEIGHTS} pytree c = pytree_clone(PYTREE(&s), NULL, &err); pytree_free(c); pytree_free(c);",
     "heap-use-after-free"),
    ("a struct freed that the library did not make", PLAIN,
     "S s = { 1, malloc(4) }; pytree_free(PYTREE(&s));", "AddressSanitizer"),
    ("a literal that is returned", "static pytree literal_S(void) { return PYTREE_LIST(PYTREE_INT(1)); }",
     "pytree_print(stdout, literal_S(), NULL, &err);", "stack-use-after-return"),
    ("a count that grows after the memory was made", PLAIN,
     "S s = { 1, NULL }; double sum; pytree_allocate(PYTREE(&s), NULL, &err); s.n = 1000; pytree_sum(PYTREE(&s), &sum, NULL, &err);",
     "heap-buffer-overflow"),
    ("STB_ARRAY of memory from malloc", registered("typedef struct S { float *w; } S;", "PYTREE_FIELD(DATA, w, STB_ARRAY)"),
     f"S s = {{ malloc(4) }}; {PRINT}", "AddressSanitizer"),
    ("a product of extents that overflows, where memory is there: write ARRAY(n, m)",
     registered(COUNTED, "PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n * 65537))"),
     f"S s = {{ 65536, NULL }}; {PRINT}", "signed integer overflow"),
]

# What nothing finds: name, declarations, statements, what is printed, what to do about it
UNSEEN = [
    ("a const object that is written through PYTREE", FLOAT,
     'const S s = { 1 }; pytree_copy_into(PYTREE(&s), PYTREE(&(S){ 2 }), NULL, &err); puts("written");', "written",
     "`PYTREE` drops `const`, so that constants can be read; keep constants out of operations that write"),
    ("a literal used behind its block", "",
     "pytree t; { t = PYTREE_LIST(PYTREE_INT(1)); } pytree_print(stdout, t, NULL, &err);", "[0]  i64 1",
     "keep the block open, or clone the tree; here it works by luck"),
    ("a member left out of a struct without a name that is beside an array",
     registered("typedef struct S { float w[2]; struct { char a, x; int b; }; } S;",
                "PYTREE_FIELD(DATA, w) PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b)"),
     'puts("compiled");', "compiled", "found only where it cannot be padding; name the struct, and register it"),
]

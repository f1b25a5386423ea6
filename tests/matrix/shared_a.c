/* One of two files that share namespaces and custom nodes: what either makes of a tree, the other must know for the same. */
#define PYTREE_IMPLEMENTATION
#include "shared.h"
#include "pytree/treedef_io.h"

static const pytree_type *const types[] = { PYTREE_TYPE(Model), PYTREE_TYPE(Layer), PYTREE_TYPE(Ring), PYTREE_TYPE(Handle) };

/* Both trees' treedefs: equal, of one hash and text, and the bytes of one read as the other by this file's types. */
static int same_structures(pytree mine, pytree theirs, const pytree_options *opt, const char *text, pytree_error *err)
{
    static unsigned char bytes[4096];
    char a_text[600], b_text[600];
    pytree_def *a = pytree_structure(mine, opt, err), *b = shared_structure(theirs, opt, err);
    pytree_def *mixed = pytree_structure(PYTREE_LIST(mine, theirs), opt, err);
    pytree_def *same = pytree_structure(PYTREE_LIST(theirs, theirs), opt, err);
    const size_t size = b == NULL ? 0 : pytree_def_save(b, bytes, sizeof bytes, NULL, err);
    pytree_def *loaded = size > sizeof bytes ? NULL : pytree_def_load(bytes, size, types, 4, NULL, err);
    int good = a != NULL && b != NULL && mixed != NULL && same != NULL && loaded != NULL;
    if (good) {
        pytree_def_text(a, a_text, sizeof a_text);
        pytree_def_text(b, b_text, sizeof b_text);
        good = pytree_def_equal(a, b) && pytree_def_equal(b, a) && pytree_def_hash(a) == pytree_def_hash(b)
            && pytree_def_equal(mixed, same) && pytree_def_hash(mixed) == pytree_def_hash(same)
            && pytree_def_equal(loaded, a) && strcmp(a_text, b_text) == 0 && strcmp(a_text, text) == 0;
        if (!good) { printf("expected %s\ngot %s\nand %s\n", text, a_text, b_text); }
    }
    pytree_def_free(loaded);
    pytree_def_free(same);
    pytree_def_free(mixed);
    pytree_def_free(b);
    pytree_def_free(a);
    return good;
}

/* Their leaves under my treedef make a tree that equals theirs. */
static int rebuilt(pytree mine, pytree theirs, const pytree_options *opt, pytree_error *err)
{
    pytree_leaf leaves[16];
    size_t n = 0;
    pytree_def *def = pytree_structure(mine, opt, err);
    pytree copy = { NULL, NULL };
    int good = 0;
    if (def != NULL && pytree_leaves(theirs, leaves, 16, &n, opt, err) == PYTREE_OK) {
        copy = pytree_unflatten(def, n, leaves, opt, err);
        good = copy.data != NULL && pytree_equal(copy, theirs, NULL, opt, err) && pytree_equal(theirs, copy, NULL, opt, err);
    }
    pytree_free(copy);
    pytree_def_free(def);
    return good;
}

int main(void)
{
    static const pytree_options train = { .space = "train" };
    float w[2] = { 1, 2 };
    Ring spare = { 1, 3, { 0, 0, 0, 8 } };
    Model model = { { 2, w, 0.5 }, { 4 }, { 3, 2, { 32, 0, 8, 16 } }, &spare };
    pytree mine = PYTREE(&model), theirs = shared_tree();
    pytree_error err = { PYTREE_OK, "", "" };
    double sum;
    int failed = 0;
    if (mine.type == theirs.type || !pytree_type_equal(mine.type, theirs.type)) {
        failed = 1;
    } else if (!same_structures(mine, theirs, NULL,
                                "PyTreeDef(CustomNode(Model[()], [CustomNode(Layer[(2,)], [*, *]), *, CustomNode(Ring[b'\\x02"
                                "'], [*, *, *]), CustomNode(Ring[b'\\x03'], [*])]))", &err)) {
        failed = 2;
    } else if (!same_structures(mine, theirs, &train,
                                "PyTreeDef(CustomNode(Model[()], [CustomNode(Layer[(2, 0.5)], [*]), CustomNode(Handle[()], "
                                "[*]), CustomNode(Ring[b'\\x02'], [*, *, *]), CustomNode(Ring[b'\\x03'], [*])]), "
                                "namespace='train')", &err)) {
        failed = 3;
    } else if (!pytree_equal(mine, theirs, NULL, NULL, &err) || !pytree_equal(mine, theirs, NULL, &train, &err)) {
        failed = 4;
    } else if (!rebuilt(mine, theirs, NULL, &err) || !rebuilt(mine, theirs, &train, &err)) {
        failed = 5;
    } else if (shared_sum(mine, NULL, &sum) != 7 || sum != 67.5 || shared_sum(mine, &train, &sum) != 6 || sum != 71) {
        failed = 6;
    } else {
        w[0] = 0;
        if (pytree_copy_into(mine, theirs, &train, &err) != PYTREE_OK || w[0] != 1) { failed = 7; }
    }
    pytree_error_print(stdout, &err);
    return failed;
}

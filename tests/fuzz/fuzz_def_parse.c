/* Treedefs as text: any text is refused, or gives a treedef whose text and whose bytes give it back. */
#include "fuzz_types.h"

/* JAX's text does not have the names of a namedtuple's fields, so that it gives back those of `types`. */
static bool has_namedtuple(const pytree_def *def)
{
    size_t i = 0;
    while (i < def->n_nodes && (def->nodes[i].type == NULL || def->nodes[i].type->kind != PYTREE_KIND_NAMEDTUPLE)) { i++; }
    return i < def->n_nodes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FUZZ_TYPES_TO(types);
    pytree_error err = { 0 };
    char *input = fuzz_text(data, size), *text;
    unsigned char *bytes;
    size_t n;
    pytree_def *def = pytree_def_parse(input, types, FUZZ_TYPES, NULL, &err), *again;
    fuzz_check_error(def != NULL, &err);
    free(input);
    if (def == NULL) { return 0; }
    text = fuzz_def_text(def);
    again = pytree_def_parse(text, types, FUZZ_TYPES, NULL, NULL);
    if (!has_namedtuple(def)) {
        REQUIRE(again != NULL && pytree_def_equal(def, again) && pytree_def_hash(def) == pytree_def_hash(again));
    } else if (again != NULL) {
        char *twice = fuzz_def_text(again);
        REQUIRE(strcmp(text, twice) == 0);
        free(twice);
    }
    pytree_def_free(again);
    free(text);
    bytes = fuzz_def_bytes(def, &n);
    if (bytes != NULL) {
        again = pytree_def_load(bytes, n, types, FUZZ_TYPES, NULL, &err);
        REQUIRE(again != NULL && pytree_def_equal(def, again));
        pytree_def_free(again);
        free(bytes);
    }
    pytree_def_free(def);
    return 0;
}

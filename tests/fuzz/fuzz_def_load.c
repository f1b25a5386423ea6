/* Treedefs as bytes: any bytes are refused, or give a treedef that saves as bytes from which it is loaded again. */
#include "fuzz_types.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FUZZ_TYPES_TO(types);
    pytree_error err = { 0 };
    unsigned char *bytes;
    char *text;
    size_t n;
    pytree_def *def = pytree_def_load(data, size, types, FUZZ_TYPES, NULL, &err), *again;
    fuzz_check_error(def != NULL, &err);
    if (def == NULL) { return 0; }
    bytes = fuzz_def_bytes(def, &n);
    REQUIRE(bytes != NULL);
    again = pytree_def_load(bytes, n, types, FUZZ_TYPES, NULL, &err);
    REQUIRE(again != NULL && pytree_def_equal(def, again) && pytree_def_hash(def) == pytree_def_hash(again));
    text = fuzz_def_text(def);
    free(text);
    pytree_def_free(again);
    free(bytes);
    pytree_def_free(def);
    return 0;
}

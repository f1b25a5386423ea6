/* .npy: any bytes are refused, or give an array that is saved and read again as the same; a load gives the same values. */
#include "fuzz.h"
#include "pytree/npy.h"

static void require_same(const pytree_leaf *a, const pytree_leaf *b)
{
    size_t bytes = pytree_leaf_bytes(a);
    REQUIRE(a->type == b->type && a->ndim == b->ndim && memcmp(a->shape, b->shape, sizeof a->shape) == 0);
    REQUIRE(bytes == 0 || memcmp(a->data, b->data, bytes) == 0);
}

/* What was read, written to memory and read from there. */
static void write_and_read(pytree_leaf *array)
{
    pytree_memory file = { 0 };
    pytree_io io = pytree_memory_io(&file);
    pytree_checkpoint_options opt = { .io = &io };
    pytree_leaf again;
    REQUIRE(pytree_save_npy("", PYTREE(array), &opt, NULL) == PYTREE_OK);
    REQUIRE(pytree_read_npy("", &again, &opt, NULL) == PYTREE_OK);
    require_same(array, &again);
    if (pytree_leaf_bytes(&again) != 0) { memset(again.data, 0, pytree_leaf_bytes(&again)); }
    REQUIRE(pytree_load_npy("", PYTREE(&again), &opt, NULL) == PYTREE_OK);
    require_same(array, &again);
    pytree_npy_free(&again);
    pytree_memory_free(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pytree_memory file = { .bytes = data, .size = size };
    pytree_io io = pytree_memory_io(&file);
    pytree_checkpoint_options opt = { .io = &io, .convert = true };
    pytree_error err = { 0 }, other = { 0 };
    float one[2][3] = { { 1 } }, same[2][3] = { { 1 } };
    pytree_leaf array;
    pytree_status status = pytree_read_npy("", &array, &opt, &err);
    REQUIRE(status == err.status);
    fuzz_check_error(status == PYTREE_OK, &err);
    if (pytree_load_npy("", PYTREE_ARRAY(&one[0][0], 2, 3), &opt, &other) != PYTREE_OK) {
        REQUIRE(memcmp(one, same, sizeof one) == 0);            /* as before */
    } else {
        REQUIRE(status == PYTREE_OK && array.ndim == 2 && array.shape[0] == 2 && array.shape[1] == 3);
    }
    if (status == PYTREE_OK) { write_and_read(&array); }
    else { REQUIRE(array.data == NULL); }
    pytree_npy_free(&array);
    return 0;
}

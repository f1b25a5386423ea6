/* .gguf: any bytes are refused, or give tensors within the file, which are read from file and mapping alike, and metadata that
 * is saved and read again as the same. */
#include "fuzz.h"
#include "pytree/gguf.h"

#include "fuzz_checkpoint.h"

static void save_and_read(const pytree_checkpoint *file)
{
    pytree_memory memory = { 0 };
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options opt = { .io = &io };
    pytree metadata = pytree_gguf_metadata(file);
    pytree_checkpoint *again;
    REQUIRE(metadata.data != NULL);
    REQUIRE(pytree_save_gguf("g", PYTREE_NONE, metadata, &opt, NULL) == PYTREE_OK);
    again = pytree_gguf_open("g", &opt, NULL);
    REQUIRE(again != NULL && again->n_metadata == file->n_metadata);
    REQUIRE(pytree_equal(metadata, pytree_gguf_metadata(again), &(pytree_tolerance){ .nan_equal = true }, NULL, NULL));
    pytree_checkpoint_close(again);
    pytree_memory_free(&memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pytree_memory memory = { .bytes = data, .size = size };
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options opt = { .io = &io };
    pytree_checkpoint *file = pytree_gguf_open("f", &opt, NULL);
    if (file != NULL) { save_and_read(file); }
    pytree_checkpoint_close(file);
    fuzz_checkpoint(pytree_gguf_open, data, size);
    return 0;
}

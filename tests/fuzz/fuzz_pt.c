/* .pt: any bytes are refused, or give tensors within the file, which are read from file and mapping alike. An input that is no
 * zip archive is the pickle of one whose other members are always the same. */
#include "fuzz.h"
#include "../support/pt_archive.h"
#include "pytree/pt.h"

#include "fuzz_checkpoint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *made = NULL;
    size_t n = size;
    if (size < 2 || memcmp(data, "PK", 2) != 0) {
        made = pt_file(data, size, &n);
        REQUIRE(made != NULL);
    }
    fuzz_checkpoint(pytree_pt_open, made != NULL ? made : data, n);
    free(made);
    return 0;
}

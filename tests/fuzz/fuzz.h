/* fuzz.h: what the fuzz targets share. A target is a file fuzz_NAME.c with LLVMFuzzerTestOneInput; clang's libFuzzer feeds it,
 * or replay.c with files. It includes this first, and what it tests; the library's bodies are linked to it (tests/bodies.c).
 *
 * REQUIRE(what): must hold for every input; if not, the program ends with the line, which the fuzzer and the replay report. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pytree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(what)                                                                                                   \
    do {                                                                                                                \
        if (!(what)) {                                                                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);                                                  \
            abort();                                                                                                    \
        }                                                                                                               \
    } while (0)

/* The input as a text: up to its first NUL. Free it. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    REQUIRE(text != NULL);
    if (size != 0) { memcpy(text, data, size); }
    text[size] = '\0';
    return text;
}

/* Success and an error exclude each other, and an error has words. */
static inline void fuzz_check_error(bool success, const pytree_error *err)
{
    REQUIRE(success == (err->status == PYTREE_OK));
    REQUIRE(success == (err->message[0] == '\0'));
}

#endif

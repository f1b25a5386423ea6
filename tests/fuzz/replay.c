/* Runs a fuzz target on files, each once, so that every compiler can: link it with one fuzz_NAME.c. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *name)
{
    FILE *file = fopen(name, "rb");
    uint8_t *data = NULL;
    long size;
    int wrong;
    if (file == NULL) {
        perror(name);
        return 1;
    }
    wrong = fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0 || fseek(file, 0, SEEK_SET) != 0
        || (data = malloc((size_t)size + (size == 0))) == NULL || fread(data, 1, (size_t)size, file) != (size_t)size;
    fclose(file);
    if (wrong) {
        fprintf(stderr, "%s: cannot be read\n", name);
    } else {
        wrong = LLVMFuzzerTestOneInput(data, (size_t)size);
    }
    free(data);
    return wrong;
}

int main(int argc, char **argv)
{
    int i, wrong = argc < 2;
    for (i = 1; i < argc; i++) { wrong |= replay(argv[i]); }
    printf("%d files\n", argc - 1);
    return wrong;
}

/* Key paths: any text is refused, or gives a path whose text gives it back; and any text is a pattern or none. */
#include "fuzz.h"
#include "pytree/path.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pytree_error err = { 0 };
    char *input = fuzz_text(data, size), *text;
    size_t n;
    pytree_path *path = pytree_path_parse(input, NULL, NULL, &err), *again;
    fuzz_check_error(path != NULL, &err);
    if (path != NULL) {
        n = pytree_path_text(path, NULL, 0);
        text = malloc(n + 1);
        REQUIRE(text != NULL && pytree_path_text(path, text, n + 1) == n);
        again = pytree_path_parse(text, NULL, NULL, &err);
        REQUIRE(again != NULL && pytree_path_equal(path, again) && pytree_path_compare(path, again) == 0);
        REQUIRE(pytree_path_hash(path) == pytree_path_hash(again));
        REQUIRE(pytree_path_match(path, text, &err) && pytree_path_match(path, "**", &err));
        pytree_path_free(again);
        (void)pytree_path_match(path, input, &err);
        pytree_path_free(path);
        free(text);
    }
    path = pytree_path_parse(input, "/", NULL, NULL);
    if (path != NULL) { (void)pytree_path_match(path, input, &err); }
    pytree_path_free(path);
    free(input);
    return 0;
}

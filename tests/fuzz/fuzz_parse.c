/* Literals: any bytes are refused, or give a sound tree whose literal gives an equal tree and the same literal again. */
#include "fuzz.h"
#include "pytree/literal.h"

static char *literal_of(pytree t)
{
    size_t n = pytree_literal_text(t, NULL, 0, NULL, NULL);
    char *text;
    REQUIRE(n != SIZE_MAX);
    text = malloc(n + 1);
    REQUIRE(text != NULL && pytree_literal_text(t, text, n + 1, NULL, NULL) == n && strlen(text) == n);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const pytree_tolerance nan = { 0, 0, true };
    pytree_error err = { 0 };
    pytree t = pytree_parse_n((const char *)data, size, NULL, &err), again;
    char *text, *twice;
    fuzz_check_error(t.data != NULL, &err);
    if (t.data == NULL) { return 0; }
    REQUIRE(pytree_check(t, NULL, NULL, NULL, NULL) == PYTREE_OK);
    text = literal_of(t);
    again = pytree_parse(text, NULL, &err);
    REQUIRE(again.data != NULL);
    REQUIRE(pytree_equal(t, again, &nan, NULL, NULL));
    twice = literal_of(again);
    REQUIRE(strcmp(text, twice) == 0);
    free(twice);
    free(text);
    pytree_free(again);
    pytree_free(t);
    return 0;
}

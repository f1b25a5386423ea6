/* Many threads read one tree and one treedef. Run under ThreadSanitizer too, which sees what a plain run may miss. */
#include "support.h"

#include <pthread.h>

#include "pytree/treedef.h"

enum { THREADS = 8, ROUNDS = 20, MAPS = 1 };

/* What all threads share and none writes. */
typedef struct Shared {
    pytree trees[4];                      /* a struct, stb_ds containers, a dict to be sorted, the same rebuilt */
    pytree_def *defs[4];
    pytree_leaf *leaves[4];
    uint64_t hashes[4];
    size_t bytes[4];                      /* of a tree's text */
} Shared;

static pytree_status count_leaf(void *context, const pytree_iter *at)
{
    char path[200];
    *(size_t *)context += pytree_iter_path_text(at, path, sizeof path) + (at->leaf[0]->data != NULL);
    return PYTREE_OK;
}

/* Every operation that only reads. Each answer is known; what differs is counted: cmocka's assertions belong to one thread. */
static size_t read_once(const Shared *shared, size_t k, size_t other)
{
    size_t wrong = 0, n = 0, seen = 0;
    pytree tree = shared->trees[k];
    const pytree_def *def = shared->defs[k];
    pytree_leaf *leaves = NULL;
    pytree_def *own;
    pytree made;
    char text[4000];
    const char **paths;
    pytree_error error = { 0 };
    wrong += pytree_flatten(tree, &leaves, 0, &own, NULL, &error) != PYTREE_OK;
    wrong += !pytree_def_equal(own, def) || pytree_def_hash(own) != shared->hashes[k];
    wrong += pytree_def_equal(def, shared->defs[other]) != (shared->hashes[k] == shared->hashes[other]);
    wrong += !pytree_def_is_prefix(def, own, false, NULL, &error);
    wrong += pytree_num_leaves(tree, NULL, &error) != def->n_leaves;
    wrong += pytree_map(count_leaf, &seen, NULL, 1, &tree, NULL, &error) != PYTREE_OK || seen == 0;
    wrong += pytree_text(tree, text, sizeof text, NULL, &error) != shared->bytes[k];
    wrong += pytree_check(tree, NULL, NULL, NULL, &error) != PYTREE_OK;
    paths = pytree_paths(tree, NULL, &n, NULL, &error);
    wrong += paths == NULL || n != def->n_leaves;
    pytree_paths_free(paths);
    if (k == MAPS) {                      /* stb_ds has a global seed: its maps are made in one thread at a time */
        pytree_def_free(own);
        return wrong + (error.status != PYTREE_OK);
    }
    made = pytree_unflatten(def, def->n_leaves, shared->leaves[k], NULL, &error);
    wrong += made.data == NULL || !pytree_equal(made, tree, NULL, NULL, &error);
    pytree_free(made);
    made = pytree_clone(tree, NULL, &error);
    wrong += made.data == NULL || !pytree_equal(made, tree, NULL, NULL, &error);
    pytree_free(made);
    pytree_def_free(own);
    return wrong + (error.status != PYTREE_OK);
}

typedef struct Worker {
    pthread_t thread;
    const Shared *shared;
    size_t number, wrong;
} Worker;

static void *work(void *context)
{
    Worker *worker = context;
    size_t i;
    for (i = 0; i < ROUNDS; i++) {
        worker->wrong += read_once(worker->shared, (worker->number + i) % 4, (worker->number / 2 + i) % 4);
    }
    return NULL;
}

static void readers(void **state)
{
    static const size_t alone = 1;
    Worker workers[THREADS];
    Shared shared;
    MLP model = mlp_make(2, true);
    Shelf shelf = shelf_make();
    float x[6] = { 1, 2, 3, 4, 5, 6 };
    pytree rebuilt;
    pytree_error error = { 0 };
    size_t i;
    (void)state;
    shared.trees[0] = PYTREE(&model);
    shared.trees[MAPS] = PYTREE(&shelf);
    shared.trees[2] = PYTREE_DICT({ "w", PYTREE_ARRAY(x, 2, 3) }, { "b", PYTREE_LIST(PYTREE_INT(3), PYTREE(&model)) },
                                  { "a", PYTREE_IDICT({ 7, PYTREE_FLOAT(1.5) }, { -7, PYTREE_STR("s") }) });
    rebuilt = pytree_clone(shared.trees[2], NULL, &error);
    assert_ok(error.status, &error);
    shared.trees[3] = rebuilt;
    for (i = 0; i < 4; i++) {
        shared.leaves[i] = NULL;
        assert_ok(pytree_flatten(shared.trees[i], &shared.leaves[i], 0, &shared.defs[i], NULL, &error), &error);
        shared.hashes[i] = pytree_def_hash(shared.defs[i]);
        shared.bytes[i] = pytree_text(shared.trees[i], NULL, 0, NULL, &error);
    }
    assert_int_equal(read_once(&shared, 0, alone), 0);
    for (i = 0; i < THREADS; i++) {
        workers[i].shared = &shared;
        workers[i].number = i;
        workers[i].wrong = 0;
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
        assert_int_equal(workers[i].wrong, 0);
    }
    for (i = 0; i < 4; i++) {
        pytree_def_free(shared.defs[i]);
    }
    pytree_free(rebuilt);
    mlp_clear(&model);
    shelf_clear(&shelf);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(readers) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

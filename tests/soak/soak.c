/* soak.c: eight threads that grow, shrink, copy, save and load trees of their own, over and over; memory stays flat.
 *
 *     soak [seconds]                           60 if none are given
 *
 * Each thread works with its own containers and its own file in memory, and reads a tree that all share. Every second the bytes
 * that are held are printed. It fails if there are more in the last third than a tenth above those in the first third, if any
 * are left at the end, or if a value is not what it was. Compile with -pthread and link with -lm.
 */
#define _POSIX_C_SOURCE 200809L
#define PYTREE_IMPLEMENTATION
#define STB_DS_IMPLEMENTATION
#include "pytree/containers.h"
#include "pytree/literal.h"
#include "pytree/safetensors.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS = 8, MOST = 3000 };

static atomic_size_t held, rounds;
static atomic_bool over, wrong;
static pytree shared;

static void *counted(void *context, void *p, size_t old_size, size_t new_size)
{
    void *grown = NULL;
    (void)context;
    if (new_size == 0) { free(p); } else { grown = realloc(p, new_size); }
    if (new_size == 0 || grown != NULL) { atomic_fetch_add(&held, new_size - (p == NULL ? 0 : old_size)); }
    return grown;
}

static const pytree_allocator counting = { counted, NULL };

static bool failed(const pytree_error *err, const char *what)
{
    if (err->status == PYTREE_OK) { return false; }
    fprintf(stderr, "%s: %s: %s\n", what, err->path, err->message);
    atomic_store(&wrong, true);
    return true;
}

/* Saves numbers and loads them into others. */
static void save_and_load(const pytree_options *opt, uint32_t random, pytree_error *err)
{
    float numbers[64], back[64] = { 0 };
    pytree_memory memory = { .allocator = opt->allocator };
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options files = { .io = &io, .tree = *opt };
    size_t i;
    for (i = 0; i < 64; i++) { numbers[i] = (float)((random + i) % 1000); }
    pytree_save_safetensors("file", PYTREE_DICT({ "w", PYTREE_ARRAY(numbers, 64) }), &files, err);
    pytree_load_safetensors("file", PYTREE_DICT({ "w", PYTREE_ARRAY(back, 64) }), &files, err);
    if (memcmp(numbers, back, sizeof back) != 0) { atomic_store(&wrong, true); }
    pytree_memory_free(&memory);
}

static void *work(void *number)
{
    const pytree_options opt = { .allocator = &counting };
    pytree_error err = { 0 };
    pytree list = pytree_new_list(&opt, &err), dict = pytree_new_dict(&opt, &err), copy;
    uint32_t random = (uint32_t)(uintptr_t)number;
    size_t step;
    for (step = 0; !atomic_load(&over) && !failed(&err, "soak"); step++) {
        const bool growing = step / MOST % 2 == 0;
        const size_t n = pytree_container_length(list);
        char key[16];
        random = random * 1664525u + 1013904223u;
        snprintf(key, sizeof key, "k%u", (unsigned)(random >> 20));
        if (growing || n == 0) {
            pytree_list_insert_copy(list, (ptrdiff_t)(random % (n + 1)), PYTREE_INT((int)step), &err);
            pytree_dict_put_copy(dict, key, PYTREE_STR("value"), &err);
        } else {
            pytree_list_remove(list, (ptrdiff_t)(random % n), &err);
            pytree_dict_remove(dict, key, NULL);
        }
        if (step % 500 != 0) { continue; }
        copy = pytree_clone(PYTREE_TUPLE(list, dict, shared), &opt, &err);
        if (!pytree_equal(copy, PYTREE_TUPLE(list, dict, shared), NULL, &opt, &err)) { atomic_store(&wrong, true); }
        pytree_free(copy);
        save_and_load(&opt, random, &err);
        atomic_fetch_add(&rounds, 1);
    }
    pytree_container_free(list);
    pytree_container_free(dict);
    return NULL;
}

int main(int argc, char **argv)
{
    const size_t seconds = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 60;
    const struct timespec second = { 1, 0 };
    pthread_t threads[THREADS];
    size_t i, first = 0, last = 0;
    shared = pytree_parse("{'a': [1, 2.5, 'text'], 'b': f32([1, 2, 3])}", NULL, NULL);
    for (i = 0; i < THREADS; i++) { pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)(i + 1)); }
    for (i = 0; i < seconds && !atomic_load(&wrong); i++) {
        size_t now;
        nanosleep(&second, NULL);
        now = atomic_load(&held);
        printf("%zu s: %zu bytes, %zu rounds\n", i + 1, now, atomic_load(&rounds));
        fflush(stdout);
        if (i < seconds / 3 && now > first) { first = now; }
        if (i >= seconds - seconds / 3 && now > last) { last = now; }
    }
    atomic_store(&over, true);
    for (i = 0; i < THREADS; i++) { pthread_join(threads[i], NULL); }
    pytree_free(shared);
    printf("at most %zu bytes in the first third, %zu in the last, %zu at the end\n", first, last, atomic_load(&held));
    return atomic_load(&wrong) || last > first + first / 10 || atomic_load(&held) != 0;
}

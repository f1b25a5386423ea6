/* pytree/impl/cache_jit.h: functions prepared once for each structure. */
#ifndef PYTREE_IMPL_CACHE_JIT_H
#define PYTREE_IMPL_CACHE_JIT_H

#include "cache.h"

struct pytree_jit {
    pytree_cache cache;
    const pytree_fn *f;
    pytree_fn_options opt;
};

struct pytree__jit_call {                 /* what a missing function is prepared with */
    const pytree_jit *jit;
    size_t n;
    const pytree *args;
    pytree out;
};

static void pytree__jit_release(void *context, void *value)
{
    (void)context;
    pytree_prepared_free((pytree_prepared *)value);
}

static pytree_status pytree__jit_make(void *context, const pytree_flat *key, void **value, pytree_error *err)
{
    const struct pytree__jit_call *call = (const struct pytree__jit_call *)context;
    pytree_error own;
    (void)key;
    own.status = PYTREE_OK;
    *value = pytree__fn_prepare(call->jit->f, call->n, call->args, call->out, true, &call->jit->opt, &own);
    return pytree__alg_status(&own, err);
}

pytree_jit *pytree_jit_new(const pytree_fn *f, size_t capacity, const pytree_fn_options *opt, pytree_error *err)
{
    pytree_cache_options options;
    pytree_jit *jit;
    if (f == NULL) {
        (void)pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a function, got NULL");
        return NULL;
    }
    memset(&options, 0, sizeof options);
    if (opt != NULL) {
        options.tree.allocator = opt->tree.allocator;
        options.tree.space = opt->tree.space;
    }
    options.capacity = capacity;
    options.release = pytree__jit_release;
    jit = (pytree_jit *)pytree__array_new(1, sizeof *jit, options.tree.allocator, err);
    if (jit == NULL) { return NULL; }
    pytree__cache_init(&jit->cache, &options);
    memset(&jit->opt, 0, sizeof jit->opt);
    if (opt != NULL) { jit->opt = *opt; }
    jit->f = f;
    return jit;
}

/* Runs what was prepared for trees of the same structure, types and shapes. */
static pytree_status pytree__jit_run(pytree_prepared *p, const pytree_leaf *leaves, pytree_error *err)
{
    struct pytree__fn_bound *top = p->frame.top;
    const size_t n = p->frame.flat.def->n_leaves;
    pytree_status status;
    size_t i;
    for (i = 0; i < n; i++) { top->in[i].data = leaves[i].data; }
    p->plan.run++;
    status = pytree__fn_distinct(top);
    if (status == PYTREE_OK) { status = pytree__fn_run(top); }
    return PYTREE__LIKELY(status == PYTREE_OK) ? PYTREE_OK : pytree__fn_run_failed(p, status, err);
}

pytree_status pytree_jit_call(pytree_jit *jit, size_t n, const pytree *args, pytree out, pytree_error *err)
{
    pytree few[8], *items = few, t;
    pytree_items all;
    pytree_flat key;
    struct pytree__jit_call call;
    pytree_error own;
    pytree_status status;
    own.status = PYTREE_OK;
    if (jit == NULL || (args == NULL && n != 0)) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a function and its arguments, got NULL");
    }
    if (n >= 8) { items = (pytree *)pytree__array_new(pytree__plus(n, 1), sizeof *items, jit->opt.tree.allocator, err); }
    if (items == NULL) { return PYTREE_NO_MEMORY; }
    if (n != 0) { memcpy(items, args, n * sizeof *items); }
    items[n] = out;
    memset(&all, 0, sizeof all);
    all.count = n + 1;
    all.items = items;
    t.type = &pytree_types[PYTREE__T_tuple];
    t.data = &all;
    status = pytree__cache_key(&jit->cache, t, &key, &own);
    if (status == PYTREE_OK) {
        struct pytree__cache_entry *e = pytree__cache_lookup(&jit->cache, &key);
        call.jit = jit;
        call.n = n;
        call.args = args;
        call.out = out;
        if (e == NULL) { e = pytree__cache_add(&jit->cache, &key, pytree__jit_make, &call, &own); }
        status = e == NULL ? own.status : pytree__jit_run((pytree_prepared *)e->value, key.leaves, &own);
        pytree_def_free((pytree_def *)(uintptr_t)key.def);
    }
    if (items != few) { pytree__array_free(items, n + 1, sizeof *items, jit->opt.tree.allocator); }
    return status == PYTREE_OK ? PYTREE_OK : pytree__alg_status(&own, err);
}

pytree_cache_stats pytree_jit_count(const pytree_jit *jit) { return pytree_cache_count(jit == NULL ? NULL : &jit->cache); }

void pytree_jit_free(pytree_jit *jit)
{
    const pytree_allocator *memory;
    if (jit == NULL) { return; }
    memory = jit->opt.tree.allocator;
    pytree__cache_end(&jit->cache);
    pytree__array_free(jit, 1, sizeof *jit, memory);
}
#endif

/* pytree/impl/broadcast.h: broadcasting trees to a common structure. */
#ifndef PYTREE_IMPL_BROADCAST_H
#define PYTREE_IMPL_BROADCAST_H

#include "prefix.h"

/* ---- Two or more trees --------------------------------------------------------------------------------------------- */

/* Spread a flattened tree over a structure of which it is a prefix. */
static pytree_flat pytree__alg_spread(const pytree_flat *small, const pytree_def *full, bool loose, const pytree_options *opt,
                                      pytree_error *err)
{
    pytree_flat flat = pytree__alg_flat(NULL, NULL);
    struct pytree__alg_match m;
    pytree_def *def;
    pytree__alg_match_init(&m, small->def, full, opt, err);
    m.from = small->leaves;
    m.loose = loose;
    def = pytree__alg_copy(full, 0, &m.to, opt, err);
    if (def == NULL) { return flat; }
    if (pytree__alg_go_over(&m) && pytree__alg_verdict(&m, NULL) == PYTREE_OK) {
        flat = pytree__alg_flat(def, m.to);
    } else {
        pytree_def_free(def);
    }
    pytree__alg_match_end(&m);
    return flat;
}

/* Spread a over the structure that it has in common with b. */
static pytree_flat pytree__alg_towards_common(const pytree_flat *a, const pytree_flat *b, const pytree_options *opt,
                                              pytree_error *err)
{
    pytree_flat flat = pytree__alg_flat(NULL, NULL);
    pytree_def *common = pytree_def_common_suffix(a->def, b->def, opt, err);
    if (common != NULL) { flat = pytree__alg_spread(a, common, false, opt, err); }
    pytree_def_free(common);
    return flat;
}

pytree_status pytree_broadcast_common(pytree a, pytree b, pytree_flat *out_a, pytree_flat *out_b, const pytree_options *opt,
                                      pytree_error *err)
{
    pytree_flat x = pytree__alg_flat(NULL, NULL), y = x, to_a = x, to_b = x;
    pytree_error own;
    own.status = PYTREE_OK;
    if (out_a == NULL || out_b == NULL) { return pytree__alg_argument("a place for both results", err); }
    x = pytree__alg_flatten(a, opt, &own);
    if (x.def != NULL) { y = pytree__alg_flatten(b, opt, &own); }
    if (y.def != NULL) { to_a = pytree__alg_towards_common(&x, &y, opt, &own); }
    if (to_a.def != NULL) { to_b = pytree__alg_towards_common(&y, &x, opt, &own); }
    pytree_flat_free(&x);
    pytree_flat_free(&y);
    if (to_b.def == NULL) { pytree_flat_free(&to_a); }
    *out_a = to_a;
    *out_b = to_b;
    return pytree__alg_status(&own, err);
}

/* Return the common structure of n flattened trees. */
static pytree_def *pytree__alg_common(size_t n, const pytree_flat *flats, const pytree_options *opt, pytree_error *err)
{
    pytree_def *common = pytree_def_copy(flats[0].def, opt, err);
    size_t k;
    for (k = 1; k < n && common != NULL; k++) {
        pytree_def *next = pytree_def_common_suffix(common, flats[k].def, opt, err);
        pytree_def_free(common);
        common = next;
    }
    return common;
}

pytree_status pytree_broadcast_map(pytree_map_fn *fn, void *context, const pytree *out, size_t n, const pytree *trees,
                                   const pytree_options *opt, pytree_error *err)
{
    struct pytree__alg_asked asked;
    pytree_options mine;
    pytree_error own;
    pytree_status status;
    pytree_flat *flats;
    pytree *spread;
    pytree_def *common = NULL;
    size_t k, made = 0;
    bool good;
    own.status = PYTREE_OK;
    if (fn == NULL || n == 0 || trees == NULL) { return pytree__alg_argument("a function and at least one tree", err); }
    flats = (pytree_flat *)pytree__array_new(n, sizeof *flats + sizeof *spread, pytree__allocator(opt), &own);
    if (flats == NULL) { return pytree__alg_status(&own, err); }
    spread = (pytree *)(void *)(flats + n);
    for (good = true; made < n && good; made += good) {
        flats[made] = pytree__alg_flatten(trees[made], opt, &own);
        good = flats[made].def != NULL;
    }
    if (good) { common = pytree__alg_common(n, flats, opt, &own); }
    good = common != NULL;
    for (k = 0; k < n && good; k++) {
        pytree_flat wide = pytree__alg_spread(&flats[k], common, true, opt, &own);
        good = wide.def != NULL;
        if (good) {
            pytree_flat_free(&flats[k]);
            flats[k] = wide;
            spread[k].type = &pytree_types[PYTREE__T_flat];
            spread[k].data = &flats[k];
        }
    }
    mine = pytree__alg_asking(&asked, n, flats, opt);
    status = good ? pytree_map(fn, context, out, n, spread, &mine, err) : pytree__alg_status(&own, err);
    pytree_def_free(common);
    for (k = 0; k < made; k++) { pytree_flat_free(&flats[k]); }
    pytree__array_free(flats, n, sizeof *flats + sizeof *spread, pytree__allocator(opt));
    return status;
}

#include "transpose.h"
#endif

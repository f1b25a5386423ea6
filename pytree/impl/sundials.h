/* pytree/impl/sundials.h: vectors of trees: which leaves are their elements, clones, the table of operations. */
#ifndef PYTREE_IMPL_SUNDIALS_H
#define PYTREE_IMPL_SUNDIALS_H

#include "sundials_ops.h"

static void pytree__sun_set_ops(N_Vector v);

/* ---- Which leaves -------------------------------------------------------------------------------------------------- */

/* Write the path of the leaf at hand as filters want it: names are attributes, numbers indices, and the `.value` of a state's
 * variable is left out. Returns the number of entries. */
static size_t pytree__sun_path(const pytree_iter *it, pytree_entry *entries, size_t n)
{
    const pytree__cursor *const c = &it->cursors[0];
    size_t i, kept = 0;
    pytree_iter_path(it, entries, n);
    for (i = 0; i < n; i++) {
        const pytree__frame *const f = i < c->n_frames ? &c->frames[i] : NULL;
        if (f != NULL && !f->run && f->type->custom == &pytree_variable_node) { continue; }
        entries[kept] = entries[i];
        entries[kept++].kind = entries[i].name != NULL ? PYTREE_ATTRIBUTE : PYTREE_INDEX;
    }
    return kept;
}

/* Ask the filter about the leaf at hand. */
static pytree_status pytree__sun_ask(const pytree_iter *it, const pytree_filter *filter, bool *excluded, pytree_error *err)
{
    const size_t n = pytree_iter_path(it, NULL, 0);
    pytree_entry few[PYTREE__MATCH_ENTRIES], *const entries = n <= PYTREE__MATCH_ENTRIES ? few
        : (pytree_entry *)pytree__array_new(n, sizeof *entries, it->allocator, err);
    pytree_error own;
    pytree_place at;
    if (entries == NULL) { return PYTREE_NO_MEMORY; }
    memset(&own, 0, sizeof own);
    memset(&at, 0, sizeof at);
    at.path.entries = entries;
    at.path.n = pytree__sun_path(it, entries, n);
    at.role = pytree_iter_role(it);
    at.type = it->leaf[0]->type;
    at.view = it->leaf[0];
    *excluded = pytree_filter_match(filter, &at, &own);
    if (entries != few) { pytree__array_free(entries, n, sizeof *entries, it->allocator); }
    if (own.status != PYTREE_OK && err != NULL && err->status == PYTREE_OK) { *err = own; }
    return own.status;
}

enum {                                    /* the built-in type of sunrealtype */
    PYTREE__SUN_TYPE = sizeof(sunrealtype) == sizeof(float) ? (int)PYTREE__T_float_
        : sizeof(sunrealtype) == sizeof(double) ? (int)PYTREE__T_double_ : (int)PYTREE__T_ldouble
};

/* Check that the leaf at hand can be elements. */
static PYTREE__NOINLINE pytree_status pytree__sun_want(const pytree_iter *it)
{
    const pytree_type *const type = &pytree_types[PYTREE__SUN_TYPE];
    const pytree_leaf *const leaf = it->leaf[0];
    char got[200];
    if (leaf->form != PYTREE_FORM_LEAF || leaf->type->dtype != type->dtype) {
        pytree__leaf_text(got, sizeof got, leaf);
        return pytree__fail_at(&it->cursors[0], PYTREE_TYPE, "expected %s, or a leaf that is excluded, got %s",
                               pytree_dtype_name(type), got);
    }
    if (pytree_leaf_count(leaf) != 0 && (uintptr_t)leaf->data % type->align != 0) {
        return pytree__fail_at(&it->cursors[0], PYTREE_TYPE, "expected %s at a multiple of %zu bytes, got one elsewhere",
                               pytree_dtype_name(type), type->align);
    }
    return PYTREE_OK;
}

/* Collect the runs of a tree's elements. `filter` decides which leaves are excluded, and that is noted; NULL: it is known. */
static pytree_status pytree__sun_collect(struct pytree__sun_content *c, const pytree_filter *filter, pytree_error *err)
{
    pytree_iter it;
    if (pytree_iter_begin(&it, 1, &c->tree, &c->opt, err) == PYTREE_OK) {
        while (it.status == PYTREE_OK && pytree_iter_next(&it)) {
            const pytree_leaf *const leaf = it.leaf[0];
            bool excluded = filter == NULL && c->excluded != NULL && c->excluded[it.index] != 0;
            size_t n;
            if (it.index >= c->n_leaves) { it.status = pytree__fail_unstable_callback(err); continue; }
            if (filter != NULL) {
                it.status = pytree__sun_ask(&it, filter, &excluded, err);
                c->excluded[it.index] = excluded;
            }
            if (excluded || it.status != PYTREE_OK) { continue; }
            it.status = pytree__sun_want(&it);
            if (it.status != PYTREE_OK) { continue; }
            n = pytree_leaf_count(leaf);
            c->length += (sunindextype)n;
            if (!pytree__sun_add(&c->runs, (char *)leaf->data, n, err)) { it.status = PYTREE_NO_MEMORY; }
        }
    }
    pytree_iter_end(&it);
    pytree__sun_join(&c->runs);
    return it.status;
}

/* ---- No element twice ---------------------------------------------------------------------------------------------- */

struct pytree__sun_extent {
    uintptr_t from, to;
    size_t leaf;
};

static int pytree__sun_by_address(const void *a, const void *b)
{
    const uintptr_t x = ((const struct pytree__sun_extent *)a)->from, y = ((const struct pytree__sun_extent *)b)->from;
    return x < y ? -1 : x > y;
}

/* Fail because two leaves have elements in common. */
static PYTREE__NOINLINE pytree_status pytree__sun_fail_shared(const struct pytree__sun_content *c, size_t first, size_t second,
                                                              pytree_error *err)
{
    char path[200] = "";
    pytree_iter it;
    if (pytree_iter_begin(&it, 1, &c->tree, &c->opt, err) == PYTREE_OK) {
        while (it.status == PYTREE_OK && pytree_iter_next(&it)) {
            if (it.index == first) { pytree_iter_path_text(&it, path, sizeof path); }
            if (it.index == second) {
                it.status = pytree__fail_at(&it.cursors[0], PYTREE_SHARED, "expected elements of its own, got those of %s",
                                            path);
            }
        }
    }
    pytree_iter_end(&it);
    return it.status;
}

/* Check that no element has two places in the vector: an operation would change it twice. */
static pytree_status pytree__sun_check_distinct(const struct pytree__sun_content *c, const pytree_leaf *leaves,
                                                pytree_error *err)
{
    const pytree_allocator *const a = c->opt.allocator;
    struct pytree__sun_extent *const at = (struct pytree__sun_extent *)pytree__array_new(c->n_leaves, sizeof *at, a, err);
    size_t i, n = 0, one, other;
    bool distinct = true;
    if (at == NULL) { return PYTREE_NO_MEMORY; }
    for (i = 0; i < c->n_leaves; i++) {
        if ((c->excluded != NULL && c->excluded[i] != 0) || pytree_leaf_count(&leaves[i]) == 0) { continue; }
        at[n].from = (uintptr_t)leaves[i].data;
        at[n].to = at[n].from + pytree_leaf_bytes(&leaves[i]);
        at[n++].leaf = i;
    }
    qsort(at, n, sizeof *at, pytree__sun_by_address);
    for (i = 1; i < n && distinct; i++) { distinct = at[i].from >= at[i - 1].to; }
    one = distinct ? 0 : at[i - 1].leaf;
    other = distinct ? 0 : at[i - 2].leaf;
    pytree__array_free(at, c->n_leaves, sizeof *at, a);
    if (distinct) { return PYTREE_OK; }
    return pytree__sun_fail_shared(c, one < other ? one : other, one < other ? other : one, err);
}

/* ---- Vectors ------------------------------------------------------------------------------------------------------- */

static size_t pytree__sun_bytes(const struct pytree__sun_content *c)
{
    return sizeof *c + (c->excluded == NULL ? 0 : c->n_leaves);
}

static void pytree__sun_destroy(N_Vector v)
{
    struct pytree__sun_content *const c = v == NULL ? NULL : pytree__sun_content_of(v);
    if (v == NULL) { return; }
    if (c != NULL) {
        const pytree_allocator *const a = c->opt.allocator;
        pytree__vector_free(&c->runs);
        if (c->owned) { pytree_free(c->tree); }
        pytree__array_free(c->numbers, (size_t)c->length, sizeof(sunrealtype), a);
        pytree__array_free(c, pytree__sun_bytes(c), 1, a);
    }
    v->content = NULL;
    N_VFreeEmpty(v);
}

/* Make a vector without elements, for so many leaves. */
static N_Vector pytree__sun_empty(size_t n_leaves, bool marks, const pytree_options *opt, SUNContext context, pytree_error *err)
{
    const size_t bytes = pytree__plus(sizeof(struct pytree__sun_content), marks ? n_leaves : 0);
    struct pytree__sun_content *const c = (struct pytree__sun_content *)pytree__array_new(bytes, 1, opt->allocator, err);
    const N_Vector v = c == NULL ? NULL : N_VNewEmpty(context);
    if (c == NULL) { return NULL; }
    if (v == NULL) {
        pytree__array_free(c, bytes, 1, opt->allocator);
        (void)pytree__no_memory(err, sizeof *v);
        return NULL;
    }
    memset(c, 0, bytes);
    c->opt = *opt;
    c->n_leaves = n_leaves;
    c->excluded = marks ? (unsigned char *)(c + 1) : NULL;
    c->runs = pytree__vector_of(sizeof(struct pytree__sun_run), opt->allocator);
    v->content = c;
    pytree__sun_set_ops(v);
    return v;
}

/* Let the views of elements lead to numbers of their own, with the same values. */
static void pytree__sun_renew(const struct pytree__sun_content *c, pytree_leaf *leaves, char *numbers)
{
    size_t i;
    for (i = 0; i < c->n_leaves; i++) {
        const size_t bytes = pytree_leaf_bytes(&leaves[i]);
        if ((c->excluded != NULL && c->excluded[i] != 0) || bytes == 0) { continue; }
        memcpy(numbers, leaves[i].data, bytes);
        leaves[i].data = numbers;
        numbers += bytes;
    }
}

/* Tell whether any element of a clone may lie outside its structs: a run may begin in one and end there. */
static bool pytree__sun_needs_numbers(const struct pytree__sun_content *c)
{
    const uintptr_t from = (uintptr_t)c->numbers, to = from + (size_t)c->length * sizeof(sunrealtype);
    size_t i;
    for (i = 0; i < c->runs.count; i++) {
        const struct pytree__sun_run *const run = (const struct pytree__sun_run *)c->runs.data + i;
        const uintptr_t first = (uintptr_t)run->at, last = first + (run->count - 1) * run->stride;
        if (last >= from && first < to) { return true; }
    }
    return false;
}

/* Give a clone its tree. */
static pytree_status pytree__sun_fill(struct pytree__sun_content *c, const struct pytree__sun_content *from, pytree_error *err)
{
    const size_t n = (size_t)from->length;
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    pytree_status status = pytree_flatten(from->tree, &leaves, 0, &def, &c->opt, err);
    if (status != PYTREE_OK) { return status; }
    c->numbers = pytree__array_new(n, sizeof(sunrealtype), c->opt.allocator, err);
    if (c->numbers == NULL || pytree_def_num_leaves(def) != c->n_leaves) {
        status = c->numbers == NULL ? PYTREE_NO_MEMORY : pytree__fail_unstable_callback(err);
        pytree__array_free(c->numbers, n, sizeof(sunrealtype), c->opt.allocator);
        c->numbers = NULL;
    } else {
        c->length = from->length;
        pytree__sun_renew(c, leaves, (char *)c->numbers);
        c->tree = pytree_unflatten(def, c->n_leaves, leaves, &c->opt, err);
        c->owned = c->tree.data != NULL;
        status = c->owned ? PYTREE_OK : PYTREE_STRUCTURE;
    }
    pytree_def_free(def);
    if (status != PYTREE_OK) { return status; }
    c->length = 0;
    status = pytree__sun_collect(c, NULL, err);
    c->length = from->length;
    if (status == PYTREE_OK && !pytree__sun_needs_numbers(c)) {
        pytree__array_free(c->numbers, n, sizeof(sunrealtype), c->opt.allocator);
        c->numbers = NULL;
    }
    return status;
}

static N_Vector pytree__sun_copy(N_Vector w, bool tree, pytree_error *err)
{
    const struct pytree__sun_content *const from = pytree__sun_content_of(w);
    const N_Vector v = pytree__sun_empty(from->n_leaves, from->excluded != NULL, &from->opt, w->sunctx, err);
    struct pytree__sun_content *const c = v == NULL ? NULL : pytree__sun_content_of(v);
    if (v == NULL) { return NULL; }
    if (c->excluded != NULL) { memcpy(c->excluded, from->excluded, c->n_leaves); }
    tree = tree && from->tree.data != NULL;
    if (N_VCopyOps(w, v) == 0 && (!tree || pytree__sun_fill(c, from, err) == PYTREE_OK)) { return v; }
    pytree__sun_destroy(v);
    return NULL;
}

/* ---- The table ----------------------------------------------------------------------------------------------------- */

static N_Vector_ID pytree__sun_id(N_Vector v) { (void)v; return SUNDIALS_NVEC_CUSTOM; }
static N_Vector pytree__sun_clone(N_Vector w) { return pytree__sun_copy(w, true, NULL); }
static N_Vector pytree__sun_clone_empty(N_Vector w) { return pytree__sun_copy(w, false, NULL); }
static sunindextype pytree__sun_length(N_Vector v) { return pytree__sun_content_of(v)->length; }

static void pytree__sun_space(N_Vector v, sunindextype *reals, sunindextype *integers)
{
    const struct pytree__sun_content *const c = pytree__sun_content_of(v);
    *reals = c->length;
    *integers = (sunindextype)((pytree__sun_bytes(c) + c->runs.count * c->runs.size) / sizeof(sunindextype));
}

static sunrealtype *pytree__sun_array(N_Vector v)
{
    const struct pytree__vector *const runs = &pytree__sun_content_of(v)->runs;
    const struct pytree__sun_run *const run = (const struct pytree__sun_run *)runs->data;
    return runs->count == 1 && run->count == 1 ? (sunrealtype *)(void *)run->at : NULL;
}

static void pytree__sun_print_file(N_Vector v, FILE *file)
{
    const struct pytree__sun_content *const c = pytree__sun_content_of(v);
    pytree_options opt = c->opt;
    if (opt.print_values == 0) { opt.print_values = SIZE_MAX; }
    if (c->tree.data != NULL) { (void)pytree_print(file, c->tree, &opt, NULL); }
}
static void pytree__sun_print(N_Vector v) { pytree__sun_print_file(v, stdout); }

static void pytree__sun_set_ops(N_Vector v)
{
    const N_Vector_Ops ops = v->ops;
    ops->nvgetvectorid = pytree__sun_id;
    ops->nvclone = pytree__sun_clone;
    ops->nvcloneempty = pytree__sun_clone_empty;
    ops->nvdestroy = pytree__sun_destroy;
    ops->nvspace = pytree__sun_space;
    ops->nvgetlength = pytree__sun_length;
    ops->nvlinearsum = pytree__sun_linear_sum;
    ops->nvconst = pytree__sun_const;
    ops->nvprod = pytree__sun_prod;
    ops->nvdiv = pytree__sun_div;
    ops->nvscale = pytree__sun_scale;
    ops->nvabs = pytree__sun_abs;
    ops->nvinv = pytree__sun_inv;
    ops->nvaddconst = pytree__sun_shift;
    ops->nvwrmsnorm = pytree__sun_wrms_norm;
    ops->nvwrmsnormmask = pytree__sun_wrms_norm_mask;
    ops->nvwl2norm = pytree__sun_wl2_norm;
    ops->nvcompare = pytree__sun_compare;
    ops->nvlinearcombination = pytree__sun_linear_combination;
    ops->nvscaleaddmulti = pytree__sun_scale_add_multi;
    ops->nvdotprod = ops->nvdotprodlocal = pytree__sun_dot_prod;
    ops->nvdotprodmulti = ops->nvdotprodmultilocal = pytree__sun_dot_prod_multi;
    ops->nvmaxnorm = ops->nvmaxnormlocal = pytree__sun_max_norm;
    ops->nvmin = ops->nvminlocal = pytree__sun_min;
    ops->nvl1norm = ops->nvl1normlocal = pytree__sun_l1_norm;
    ops->nvinvtest = ops->nvinvtestlocal = pytree__sun_inv_test;
    ops->nvconstrmask = ops->nvconstrmasklocal = pytree__sun_constr_mask;
    ops->nvminquotient = ops->nvminquotientlocal = pytree__sun_min_quotient;
    ops->nvwsqrsumlocal = pytree__sun_sqr_sum;
    ops->nvwsqrsummasklocal = pytree__sun_sqr_sum_mask;
    ops->nvbufsize = pytree__sun_buffer_size;
    ops->nvbufpack = pytree__sun_buffer_pack;
    ops->nvbufunpack = pytree__sun_buffer_unpack;
    ops->nvprint = pytree__sun_print;
    ops->nvprintfile = pytree__sun_print_file;
}

/* ---- From a tree --------------------------------------------------------------------------------------------------- */

/* Fill a vector with the elements of its tree, and make a clone for a try: a clone that a solver makes cannot say why it
 * fails. */
static pytree_status pytree__sun_take(N_Vector v, const pytree_filter *excluded, const pytree_leaf *leaves, pytree_error *err)
{
    struct pytree__sun_content *const c = pytree__sun_content_of(v);
    N_Vector clone;
    pytree_error own;
    pytree_status status = pytree__sun_collect(c, excluded, err);
    if (status == PYTREE_OK) { status = pytree__sun_check_distinct(c, leaves, err); }
    if (status != PYTREE_OK) { return status; }
    if (pytree__sun_array(v) != NULL) { v->ops->nvgetarraypointer = pytree__sun_array; }
    memset(&own, 0, sizeof own);
    clone = pytree__sun_copy(v, true, &own);
    if (clone != NULL) { pytree__sun_destroy(clone); return PYTREE_OK; }
    if (err != NULL && err->status == PYTREE_OK) { *err = own; }
    return own.status == PYTREE_OK ? PYTREE_NO_MEMORY : own.status;
}

N_Vector pytree_nvector_new(pytree t, SUNContext context, const pytree_nvector_options *opt, pytree_error *err)
{
    const pytree_filter *const excluded = opt == NULL ? NULL : opt->excluded;
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    pytree_options tree;
    N_Vector v;
    pytree_status status;
    memset(&tree, 0, sizeof tree);
    if (opt != NULL) { tree = opt->tree; }
    if (context == NULL) {
        (void)pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected the context that SUNContext_Create made, got NULL");
        return NULL;
    }
    if (pytree_flatten(t, &leaves, 0, &def, &tree, err) != PYTREE_OK) { return NULL; }
    v = pytree__sun_empty(pytree_def_num_leaves(def), excluded != NULL, &tree, context, err);
    if (v != NULL) {
        pytree__sun_content_of(v)->tree = t;
        status = pytree__sun_take(v, excluded, leaves, err);
        if (status != PYTREE_OK) {
            pytree__sun_destroy(v);
            v = NULL;
        }
    }
    pytree_def_free(def);
    return v;
}

pytree pytree_nvector_tree(N_Vector v)
{
    pytree none = { NULL, NULL };
    return v == NULL || v->ops->nvdestroy != pytree__sun_destroy ? none : pytree__sun_content_of(v)->tree;
}

void *pytree_nvector_data(N_Vector v, const pytree_type *type)
{
    const pytree t = pytree_nvector_tree(v);
    return t.data != NULL && pytree_type_equal(t.type, type) ? t.data : NULL;
}
#endif

/* pytree/impl/ops_matmul.h: the matrix product. */
#ifndef PYTREE_IMPL_OPS_MATMUL_H
#define PYTREE_IMPL_OPS_MATMUL_H

#include "ops_reduce.h"

/* Tiles of the result stay in registers while the inner loop goes along rows of b, so it vectorises without reordering any sum.
 * Their size fits the vector registers that the compiler may use. */
#if defined(__AVX512F__)
enum { PYTREE__TILE_HIGH = 8, PYTREE__TILE_WIDE = 32 };
#elif defined(__AVX__)
enum { PYTREE__TILE_HIGH = 4, PYTREE__TILE_WIDE = 16 };
#else
enum { PYTREE__TILE_HIGH = 4, PYTREE__TILE_WIDE = 8 };
#endif
enum { PYTREE__TILE_DEEP = 128 };         /* rows of b that are copied at once where b is transposed or narrow */

/* Matrices: element (i, l) of a is a[i * ai + l * al], (l, j) of b is b[l * bl + j * bj]. */
struct pytree__product {
    size_t m, n, k, ai, al, bl, bj;
};

/* One tile: o[0 … high-1][0 … wide-1], from `deep` rows of b. `add` to what is there. Rows beyond `high` repeat the last one,
 * and columns beyond `wide` are computed from whatever b has there, so that the loops have constant bounds. */
#define PYTREE__TILE(T, NAME, HIGH, WIDE)                                                                               \
    static void pytree__tile_##T##NAME(T *PYTREE__RESTRICT o, size_t n, size_t high, size_t wide,                       \
                                       const T *PYTREE__RESTRICT a, size_t ai, size_t al, const T *PYTREE__RESTRICT b,  \
                                       size_t bl, size_t deep, bool add)                                                \
    {                                                                                                                   \
        T sum[HIGH][WIDE] = { { 0 } };                                                                                  \
        size_t row[HIGH], l, i, j;                                                                                      \
        for (i = 0; i < HIGH; i++) { row[i] = (i < high ? i : high - 1) * ai; }                                         \
        for (l = 0; l < deep; l++) {                                                                                    \
            for (i = 0; i < HIGH; i++) {                                                                                \
                const T x = a[row[i] + l * al];                                                                         \
                for (j = 0; j < WIDE; j++) { sum[i][j] += x * b[l * bl + j]; }                                          \
            }                                                                                                           \
        }                                                                                                               \
        for (i = 0; i < high; i++) {                                                                                    \
            T *to = o + i * n;                                                                                          \
            if (add) {                                                                                                  \
                for (j = 0; j < wide; j++) { to[j] += sum[i][j]; }                                                      \
            } else {                                                                                                    \
                for (j = 0; j < wide; j++) { to[j] = sum[i][j]; }                                                       \
            }                                                                                                           \
        }                                                                                                               \
    }
PYTREE__TILE(float, _high, PYTREE__TILE_HIGH, PYTREE__TILE_WIDE)
PYTREE__TILE(float, _row, 1, PYTREE__TILE_WIDE)
PYTREE__TILE(double, _high, PYTREE__TILE_HIGH, PYTREE__TILE_WIDE / 2)
PYTREE__TILE(double, _row, 1, PYTREE__TILE_WIDE / 2)

/* o = a b, for one pair of matrices: column blocks of a tile's width; where b is transposed or the block is narrow, rows of it
 * are copied first. */
#define PYTREE__PRODUCT(T, TILE)                                                                                        \
    static void pytree__columns_##T(T *o, const T *a, const T *b, const struct pytree__product *p, size_t j0, size_t l0, \
                                    size_t deep, size_t bl)                                                             \
    {                                                                                                                   \
        const size_t wide = p->n - j0 < (TILE) ? p->n - j0 : (size_t)(TILE);                                            \
        size_t i;                                                                                                       \
        for (i = 0; i + PYTREE__TILE_HIGH <= p->m || p->m - i > PYTREE__TILE_HIGH / 2; i += PYTREE__TILE_HIGH) {        \
            const size_t high = p->m - i < PYTREE__TILE_HIGH ? p->m - i : (size_t)PYTREE__TILE_HIGH;                    \
            pytree__tile_##T##_high(o + i * p->n + j0, p->n, high, wide, a + i * p->ai + l0 * p->al, p->ai, p->al, b, bl, \
                                    deep, l0 != 0);                                                                     \
            if (p->m - i <= PYTREE__TILE_HIGH) { return; }                                                              \
        }                                                                                                               \
        for (; i < p->m; i++) {                                                                                         \
            pytree__tile_##T##_row(o + i * p->n + j0, p->n, 1, wide, a + i * p->ai + l0 * p->al, p->ai, p->al, b, bl, deep, \
                                   l0 != 0);                                                                            \
        }                                                                                                               \
    }                                                                                                                   \
    static void pytree__product_##T(T *o, const T *a, const T *b, const struct pytree__product *p)                      \
    {                                                                                                                   \
        T panel[PYTREE__TILE_DEEP * (TILE)];                                                                            \
        size_t j0, l0, l, j;                                                                                            \
        for (j0 = 0; j0 < p->n; j0 += (TILE)) {                                                                         \
            const size_t wide = p->n - j0 < (TILE) ? p->n - j0 : (size_t)(TILE);                                        \
            if (p->bj == 1 && wide == (TILE)) {                                                                         \
                pytree__columns_##T(o, a, b + j0, p, j0, 0, p->k, p->bl);                                               \
                continue;                                                                                               \
            }                                                                                                           \
            for (l0 = 0; l0 < p->k; l0 += PYTREE__TILE_DEEP) {                                                          \
                const size_t deep = p->k - l0 < PYTREE__TILE_DEEP ? p->k - l0 : (size_t)PYTREE__TILE_DEEP;              \
                if (wide < (TILE)) { memset(panel, 0, deep * (TILE) * sizeof(T)); }                                     \
                for (j = 0; j < wide; j++) {                                                                            \
                    const T *from = b + (j0 + j) * p->bj + l0 * p->bl;                                                  \
                    for (l = 0; l < deep; l++) { panel[l * (TILE) + j] = from[l * p->bl]; }                             \
                }                                                                                                       \
                pytree__columns_##T(o, a, panel, p, j0, l0, deep, (TILE));                                              \
            }                                                                                                           \
        }                                                                                                               \
        if (p->k == 0 && p->m * p->n != 0) { memset(o, 0, p->m * p->n * sizeof(T)); }                                   \
    }
PYTREE__PRODUCT(float, PYTREE__TILE_WIDE)
PYTREE__PRODUCT(double, PYTREE__TILE_WIDE / 2)

/* ---- The operation ------------------------------------------------------------------------------------------------- */

static pytree_status pytree__op_matmul_shape(const pytree_op_call *c, pytree_error *err)
{
    const pytree_leaf *a = c->in[0], *b = c->in[1], *many = a->ndim >= b->ndim ? a : b;
    const unsigned flags = *(const unsigned *)c->params, ta = flags & PYTREE_TRANSPOSE_A, tb = (flags & PYTREE_TRANSPOSE_B) / 2;
    const char *wrong = a->ndim < 2 || b->ndim < 2 ? "matrices"
        : a->shape[a->ndim - 1 - (int)ta] != b->shape[b->ndim - 2 + (int)tb] ? "inner extents that agree" : NULL;
    int i;
    if (pytree__op_floats(c, err) != PYTREE_OK) { return err->status; }
    if (wrong == NULL && a->ndim != 2 && b->ndim != 2) {
        if (a->ndim != b->ndim || memcmp(a->shape, b->shape, (size_t)(a->ndim - 2) * sizeof *a->shape) != 0) {
            wrong = "leading axes that agree";
        }
    }
    if (wrong != NULL) {
        char one[96], other[96];
        pytree__leaf_text(one, sizeof one, a);
        pytree__leaf_text(other, sizeof other, b);
        return pytree_fail(err, PYTREE_SHAPE, NULL, "expected %s, got %s and %s", wrong, one, other);
    }
    *c->out[0] = *many;
    i = many->ndim;
    c->out[0]->shape[i - 2] = a->shape[a->ndim - 2 + (int)ta];
    c->out[0]->shape[i - 1] = b->shape[b->ndim - 1 - (int)tb];
    return PYTREE_OK;
}
static pytree_status pytree__op_matmul_run(const pytree_op_call *c, pytree_error *err)
{
    const pytree_leaf *a = c->in[0], *b = c->in[1], *o = c->out[0];
    const unsigned flags = *(const unsigned *)c->params;
    const size_t rows = a->shape[a->ndim - 2], columns = a->shape[a->ndim - 1];
    const size_t b_rows = b->shape[b->ndim - 2], b_columns = b->shape[b->ndim - 1];
    size_t batch = 1, at, size = o->type->size;
    struct pytree__product p;
    int i;
    (void)err;
    for (i = 0; i < o->ndim - 2; i++) { batch *= o->shape[i]; }
    p.m = o->shape[o->ndim - 2];
    p.n = o->shape[o->ndim - 1];
    p.k = (flags & PYTREE_TRANSPOSE_A) != 0 ? rows : columns;
    p.ai = (flags & PYTREE_TRANSPOSE_A) != 0 ? 1 : columns;
    p.al = (flags & PYTREE_TRANSPOSE_A) != 0 ? columns : 1;
    p.bl = (flags & PYTREE_TRANSPOSE_B) != 0 ? 1 : b_columns;
    p.bj = (flags & PYTREE_TRANSPOSE_B) != 0 ? b_columns : 1;
    if (b->ndim == 2 && (flags & PYTREE_TRANSPOSE_A) == 0) {   /* one matrix b: the others are the rows of one matrix */
        p.m *= batch;
        batch = batch != 0;
    }
    for (at = 0; at < batch; at++) {
        const char *from = (const char *)a->data + (a->ndim == 2 ? 0 : at * rows * columns * size);
        const char *by = (const char *)b->data + (b->ndim == 2 ? 0 : at * b_rows * b_columns * size);
        char *to = (char *)o->data + at * p.m * p.n * size;
        if (size == sizeof(double)) {
            pytree__product_double((double *)(void *)to, (const double *)(const void *)from, (const double *)(const void *)by,
                                   &p);
        } else {
            pytree__product_float((float *)(void *)to, (const float *)(const void *)from, (const float *)(const void *)by, &p);
        }
    }
    return PYTREE_OK;
}

/* The product summed over the leading axes that `like` does not have: one product of matrices with all rows, if it can be. */
static pytree_value pytree__op_matmul_like(pytree_trace *tr, const pytree_op *op, pytree_value a, pytree_value b,
                                           unsigned flags,
                                           pytree_value like)
{
    const pytree_leaf *va = pytree__op_look(tr, a), *vb = pytree__op_look(tr, b);
    if (a.id == 0 || b.id == 0) { return pytree__value(0); }
    if (pytree__op_look(tr, like)->ndim == 2 && va->ndim > 2 && va->ndim == vb->ndim && flags == PYTREE_TRANSPOSE_A) {
        size_t shape[2];
        shape[1] = va->shape[va->ndim - 1];
        shape[0] = pytree__op_outer(va, (size_t)va->ndim - 1);
        a = pytree_op_reshape(tr, a, 2, shape);
        shape[1] = vb->shape[vb->ndim - 1];
        shape[0] = pytree__op_outer(vb, (size_t)vb->ndim - 1);
        b = pytree_op_reshape(tr, b, 2, shape);
    }
    return pytree__op_sum_like(tr, pytree_op_matmul_as(tr, op, a, b, flags), like);
}
static void pytree__op_matmul_jvp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out)
{
    const unsigned flags = *(const unsigned *)e->params;
    out[0] = pytree_op_plus(tr, pytree_op_matmul_as(tr, e->op, t[0], e->in[1], flags),
                            pytree_op_matmul_as(tr, e->op, e->in[0], t[1], flags));
}
static void pytree__op_matmul_vjp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct)
{
    const unsigned flags = *(const unsigned *)e->params;
    const bool ta = (flags & PYTREE_TRANSPOSE_A) != 0, tb = (flags & PYTREE_TRANSPOSE_B) != 0;
    const pytree_value a = e->in[0], b = e->in[1], d = ct[0];
    if (pytree__op_wanted(tr, 0)) {
        in_ct[0] = ta ? pytree__op_matmul_like(tr, e->op, b, d, tb ? PYTREE_TRANSPOSE_A | PYTREE_TRANSPOSE_B
                                               : PYTREE_TRANSPOSE_B, a)
            : pytree__op_matmul_like(tr, e->op, d, b, tb ? 0 : PYTREE_TRANSPOSE_B, a);
    }
    if (pytree__op_wanted(tr, 1)) {
        in_ct[1] = tb ? pytree__op_matmul_like(tr, e->op, d, a, ta ? PYTREE_TRANSPOSE_A | PYTREE_TRANSPOSE_B
                                               : PYTREE_TRANSPOSE_A, b)
            : pytree__op_matmul_like(tr, e->op, a, d, ta ? 0 : PYTREE_TRANSPOSE_A, b);
    }
}
const pytree_op pytree_op_matmul_op = { "matmul", sizeof(unsigned), 1, pytree__op_matmul_shape, pytree__op_matmul_run,
                                        pytree__op_matmul_jvp, pytree__op_matmul_vjp, NULL, false };

pytree_value pytree_op_matmul_as(pytree_trace *tr, const pytree_op *op, pytree_value a, pytree_value b, unsigned flags)
{
    pytree_value in[2];
    in[0] = a;
    in[1] = b;
    return pytree_record(tr, op, &flags, 2, in, NULL);
}
pytree_value pytree_op_matmul_t(pytree_trace *tr, pytree_value a, pytree_value b, unsigned flags)
{
    return pytree_op_matmul_as(tr, &pytree_op_matmul_op, a, b, flags);
}
pytree_value pytree_op_matmul(pytree_trace *tr, pytree_value a, pytree_value b) { return pytree_op_matmul_t(tr, a, b, 0); }
#endif

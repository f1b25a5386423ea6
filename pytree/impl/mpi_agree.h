/* pytree/impl/mpi_agree.h: trees compared across ranks, and errors that every rank gets. */
#ifndef PYTREE_IMPL_MPI_AGREE_H
#define PYTREE_IMPL_MPI_AGREE_H

#include "mpi_type.h"

static const pytree_options *pytree__mpi_options(const pytree_mpi_options *opt) { return opt == NULL ? NULL : &opt->tree; }

/* Lets an address among packed static values say only whether it is NULL: other processes have other addresses. */
static bool pytree__mpi_mask(void *context, const pytree_field *row, size_t at, size_t bytes)
{
    unsigned char **const packed = (unsigned char **)context;
    size_t i, k;
    (void)at;
    if (row->form == PYTREE__PACK_TEXT) {
        *packed = (unsigned char *)(uintptr_t)pytree__skip_strings(*packed, 1);
        return true;
    }
    for (i = 0; row->type == &pytree_types[PYTREE__T_address] && i < bytes; i += row->type->size) {
        for (k = 0; k < row->type->size && (*packed)[i + k] == 0; k++) {}
        memset(*packed + i, k < row->type->size, row->type->size);
    }
    *packed += bytes;
    return true;
}

/* Flattens a tree into what is compared and sent. */
static pytree_status pytree__mpi_open(pytree t, pytree__mpi_tree *tree, const pytree_options *opt, pytree_error *err)
{
    pytree_status status;
    size_t i;
    tree->def = NULL;
    tree->leaves = NULL;
    status = pytree_flatten(t, &tree->leaves, 0, &tree->def, opt, err);
    for (i = 0; status == PYTREE_OK && i < tree->def->n_nodes; i++) {
        const pytree_node *const node = &tree->def->nodes[i];
        if (node->type != NULL && node->type->kind == PYTREE_KIND_STRUCT) {
            unsigned char *packed = (unsigned char *)(uintptr_t)tree->def->statics + node->meta;
            (void)pytree__visit_statics(node->type, 0, pytree__mpi_mask, &packed);
        }
    }
    return status;
}

/* Hashes a node; a leaf with its type and shape. */
static uint64_t pytree__mpi_node_hash(const pytree__mpi_tree *tree, size_t i, const pytree_leaf *leaf)
{
    const pytree_node *const node = &tree->def->nodes[i];
    const pytree_type *const type = node->type == NULL ? leaf->type : pytree__origin(node->type);
    const char *const name = node->type == NULL && pytree_is_leaf(leaf) ? pytree_dtype_name(type) : type->name;
    uint64_t h = pytree__hash_bytes(node->arity, name, strlen(name));
    if (node->type == NULL) {
        h = pytree__mix(pytree__mix(h, leaf->form), type->size);
        return pytree__hash_bytes(h, leaf->shape, (size_t)leaf->ndim * sizeof *leaf->shape);
    }
    h = pytree__mix(h, (uint64_t)type->kind);
    if (!pytree__has_meta(node)) { return h; }
    return pytree__hash_bytes(h, tree->def->statics + node->meta, pytree__statics_size(tree->def, i));
}

/* Writes the hashes of up to `capacity` nodes from `first` on, whose first leaf is *leaf, and moves both. Returns how many. */
static size_t pytree__mpi_hashes(const pytree__mpi_tree *tree, size_t first, size_t *leaf, uint64_t *hashes, size_t capacity)
{
    const size_t left = tree->def->n_nodes - first, n = left < capacity ? left : capacity;
    size_t i;
    for (i = 0; i < n; i++) {
        hashes[i] = pytree__mpi_node_hash(tree, first + i, &tree->leaves[*leaf]);
        *leaf += tree->def->nodes[first + i].type == NULL;
    }
    return n;
}

/* ---- Differences ---------------------------------------------------------------------------------------------------- */

#define PYTREE__MPI_HASHES ((size_t)256)

/* What one rank has where it differs from another, in a message. */
typedef struct pytree__mpi_sight {
    int is_leaf;
    char type[32], view[96], path[PYTREE_ERROR_PATH];
} pytree__mpi_sight;

/* Puts a node as "Linear (784, 128)", "dict of 2: ['a']['b']". */
static void pytree__mpi_put_node(struct pytree__text_writer *to, const pytree_def *def, size_t i)
{
    const pytree_node *const node = &def->nodes[i];
    const unsigned keys = pytree__traits(node->type)->keys, meta = pytree__traits(node->type)->meta;
    uint32_t k;
    pytree__node_text(to, def, node);
    if (meta != PYTREE__META_NONE && meta != PYTREE__META_NAME && pytree__statics_size(def, i) != 0) {
        pytree__text_put(to, " ", 1);
        pytree__put_meta(to, def, i);
    }
    for (k = 0; k < node->arity && k < 8 && (keys == PYTREE__KEYS_PACKED || keys == PYTREE__KEYS_CUSTOM); k++) {
        pytree_entry entry;
        pytree__def_entry_at(def, i, k, &entry);
        pytree__put_text(to, k == 0 ? ": " : "");
        pytree__put_entry(to, &entry, NULL, false);
    }
}

static void pytree__mpi_look(const pytree__mpi_tree *tree, size_t i, pytree__mpi_sight *sight)
{
    struct pytree__text_writer to = pytree__text_to(sight->view, sizeof sight->view, NULL);
    size_t k, leaf = 0;
    memset(sight, 0, sizeof *sight);
    if (i >= tree->def->n_nodes) { i = tree->def->n_nodes - 1; }
    for (k = 0; k < i; k++) { leaf += tree->def->nodes[k].type == NULL; }
    pytree__node_path(tree->def, i, sight->path, sizeof sight->path);
    if (tree->def->nodes[i].type != NULL) {
        pytree__mpi_put_node(&to, tree->def, i);
        pytree__end_text(&to, sizeof sight->view);
        return;
    }
    sight->is_leaf = 1;
    pytree__leaf_text(sight->view, sizeof sight->view, &tree->leaves[leaf]);
    pytree__shorten_middle(sight->type, sizeof sight->type, pytree_dtype_name(tree->leaves[leaf].type));
}

/* Fails with what two trees have where they first differ. `whose` says whose the second is, "rank 2". */
static PYTREE__NOINLINE pytree_status pytree__mpi_differ(const pytree__mpi_sight *a, const char *first,
                                                         const pytree__mpi_sight *b, const char *whose, pytree_error *err)
{
    const bool leaves = a->is_leaf && b->is_leaf, elsewhere = strcmp(a->path, b->path) != 0;
    const pytree_status status = !leaves ? PYTREE_STRUCTURE : strcmp(a->type, b->type) != 0 ? PYTREE_TYPE : PYTREE_SHAPE;
    return pytree_fail(err, status, b->path, "expected %s%s%s as on %s, got %s on %s", a->view, elsewhere ? " at " : "",
                       !elsewhere ? "" : a->path[0] == '\0' ? "the root" : a->path, first, b->view, whose);
}

/* Finds the first node that differs from rank 0's; INT64_MAX: none. */
static pytree_status pytree__mpi_first_difference(const pytree__mpi_tree *tree, int rank, MPI_Comm comm, int64_t *found,
                                                  pytree_error *err)
{
    uint64_t theirs[PYTREE__MPI_HASHES], own[PYTREE__MPI_HASHES], n = tree->def->n_nodes, at = 0;
    size_t leaf = 0, k;
    pytree_status status = pytree__mpi_ok(MPI_Bcast(&n, 1, MPI_UINT64_T, 0, comm), "MPI_Bcast", err);
    *found = INT64_MAX;
    while (status == PYTREE_OK && at < n) {
        const uint64_t here = n - at < PYTREE__MPI_HASHES ? n - at : PYTREE__MPI_HASHES;
        const size_t mine = at >= tree->def->n_nodes ? 0 : pytree__mpi_hashes(tree, (size_t)at, &leaf, own, (size_t)here);
        if (rank == 0) { memcpy(theirs, own, sizeof theirs); }
        status = pytree__mpi_ok(MPI_Bcast(theirs, (int)here, MPI_UINT64_T, 0, comm), "MPI_Bcast", err);
        for (k = 0; k < mine && own[k] == theirs[k]; k++) {}
        if (k < here && *found == INT64_MAX) { *found = (int64_t)(at + k); }
        at += here;
    }
    if (*found == INT64_MAX && tree->def->n_nodes != n) { *found = (int64_t)n; }
    return status;
}

/* Fails on every rank with the first difference of any rank from rank 0. */
static PYTREE__NOINLINE pytree_status pytree__mpi_fail_difference(const pytree__mpi_tree *tree, int rank, MPI_Comm comm,
                                                                  pytree_error *err)
{
    pytree__mpi_sight sights[2];
    char whose[32];
    int64_t own, first;                   /* signed: MPICH 4.0 takes the least of unsigned numbers for that of signed ones */
    int mine, which;
    pytree_status status = pytree__mpi_first_difference(tree, rank, comm, &own, err);
    if (status == PYTREE_OK) {
        status = pytree__mpi_ok(MPI_Allreduce(&own, &first, 1, MPI_INT64_T, MPI_MIN, comm), "MPI_Allreduce", err);
    }
    if (status != PYTREE_OK) { return status; }
    mine = own == first ? rank : INT_MAX;
    status = pytree__mpi_ok(MPI_Allreduce(&mine, &which, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce", err);
    if (status != PYTREE_OK) { return status; }
    if (first == INT64_MAX) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected the same call on every rank, got another operation, root or "
                           "bucket_bytes on one");
    }
    if (rank == 0) { pytree__mpi_look(tree, (size_t)first, &sights[0]); }
    if (rank == which) { pytree__mpi_look(tree, (size_t)first, &sights[1]); }
    status = pytree__mpi_ok(MPI_Bcast(&sights[0], (int)sizeof sights[0], MPI_BYTE, 0, comm), "MPI_Bcast", err);
    if (status == PYTREE_OK) {
        status = pytree__mpi_ok(MPI_Bcast(&sights[1], (int)sizeof sights[1], MPI_BYTE, which, comm), "MPI_Bcast", err);
    }
    if (status != PYTREE_OK) { return status; }
    snprintf(whose, sizeof whose, "rank %d", which);
    return pytree__mpi_differ(&sights[0], "rank 0", &sights[1], whose, err);
}

/* Fails, on a rank by itself, with the first difference of one tree from another. */
static PYTREE__NOINLINE pytree_status pytree__mpi_same(const pytree__mpi_tree *a, const pytree__mpi_tree *b, int which,
                                                       pytree_error *err)
{
    size_t i, n = a->def->n_nodes < b->def->n_nodes ? a->def->n_nodes : b->def->n_nodes, at_a = 0, at_b = 0;
    pytree__mpi_sight sights[2];
    uint64_t x, y;
    char whose[32];
    for (i = 0; i < n; i++) {
        (void)pytree__mpi_hashes(a, i, &at_a, &x, 1);
        (void)pytree__mpi_hashes(b, i, &at_b, &y, 1);
        if (x != y) { break; }
    }
    if (i == a->def->n_nodes && i == b->def->n_nodes) { return PYTREE_OK; }
    pytree__mpi_look(a, i, &sights[0]);
    pytree__mpi_look(b, i, &sights[1]);
    snprintf(whose, sizeof whose, "trees[%d]", which);
    return pytree__mpi_differ(&sights[0], "this rank", &sights[1], whose, err);
}

/* ---- Agreement ------------------------------------------------------------------------------------------------------ */

/* Fails on every rank with the error of the first rank that has one. */
static PYTREE__NOINLINE pytree_status pytree__mpi_fail_together(const pytree_error *own, int rank, MPI_Comm comm,
                                                                pytree_error *err)
{
    pytree_error said = *own;
    int mine = own->status != PYTREE_OK ? rank : INT_MAX, which;
    pytree_status status = pytree__mpi_ok(MPI_Allreduce(&mine, &which, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce", err);
    if (status == PYTREE_OK) {
        status = pytree__mpi_ok(MPI_Bcast(&said, (int)sizeof said, MPI_BYTE, which, comm), "MPI_Bcast", err);
    }
    if (status != PYTREE_OK) { return status; }
    return pytree_fail(err, said.status, said.path, "rank %d: %s", which, said.message);
}

/* Ends what each rank did by itself. `own` is its error, `about` what must be the same besides the tree. Returns PYTREE_OK on
 * every rank, or the same error on every rank. With opt->agreed ranks do not ask each other. */
static pytree_status pytree__mpi_agreed(const pytree__mpi_tree *tree, uint64_t about, const pytree_error *own, MPI_Comm comm,
                                        const pytree_mpi_options *opt, pytree_error *err)
{
    const bool failed = own->status != PYTREE_OK;
    uint64_t most[3] = { failed, 0, 0 }, hashes[PYTREE__MPI_HASHES];
    size_t at = 0, leaf = 0;
    int rank;
    pytree_status status;
    if (opt != NULL && opt->agreed) {
        return failed ? pytree_fail(err, own->status, own->path, "%s", own->message) : PYTREE_OK;
    }
    if (!failed) {
        while (at < tree->def->n_nodes) {
            const size_t n = pytree__mpi_hashes(tree, at, &leaf, hashes, PYTREE__MPI_HASHES);
            about = pytree__hash_bytes(about, hashes, n * sizeof *hashes);
            at += n;
        }
        most[1] = about;                  /* the greatest hash is the least one, if all are equal */
        most[2] = ~about;
    }
    status = pytree__mpi_ok(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank", err);
    if (status == PYTREE_OK) {
        status = pytree__mpi_ok(MPI_Allreduce(MPI_IN_PLACE, most, 3, MPI_UINT64_T, MPI_MAX, comm), "MPI_Allreduce", err);
    }
    if (status != PYTREE_OK) { return status; }
    if (most[0] != 0) { return pytree__mpi_fail_together(own, rank, comm, err); }
    return most[1] == ~most[2] ? PYTREE_OK : pytree__mpi_fail_difference(tree, rank, comm, err);
}

pytree_status pytree_mpi_agree(pytree t, MPI_Comm comm, const pytree_mpi_options *opt, pytree_error *err)
{
    pytree_mpi_options asked;
    pytree__mpi_tree tree;
    pytree_error own;
    pytree_status status;
    memset(&own, 0, sizeof own);
    memset(&asked, 0, sizeof asked);      /* opt->agreed has no meaning here */
    (void)pytree__mpi_open(t, &tree, pytree__mpi_options(opt), &own);
    status = pytree__mpi_agreed(&tree, 0, &own, comm, &asked, err);
    pytree_def_free(tree.def);
    return status;
}

#include "mpi_move.h"
#endif

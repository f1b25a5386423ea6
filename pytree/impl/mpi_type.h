/* pytree/impl/mpi_type.h: MPI datatypes of elements, structs and whole trees. */
#ifndef PYTREE_IMPL_MPI_TYPE_H
#define PYTREE_IMPL_MPI_TYPE_H

#include "internal.h"
#include "../mpi.h"

/* Fails with what MPI says, unless the call succeeded. */
static pytree_status pytree__mpi_ok(int code, const char *call, pytree_error *err)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int n = 0;
    if (code == MPI_SUCCESS) { return PYTREE_OK; }
    if (MPI_Error_string(code, text, &n) != MPI_SUCCESS) { text[0] = '\0'; }
    return pytree_fail(err, PYTREE_IO, NULL, "expected %s to succeed, got: %s", call, text);
}

MPI_Datatype pytree_mpi_element(const pytree_type *type)
{
    switch (type->dtype) {
    case PYTREE_BOOL8: return MPI_C_BOOL;
    case PYTREE_I8: return MPI_INT8_T;
    case PYTREE_I16: return MPI_INT16_T;
    case PYTREE_I32: return MPI_INT32_T;
    case PYTREE_I64: return MPI_INT64_T;
    case PYTREE_U8: return MPI_UINT8_T;
    case PYTREE_U16: case PYTREE_F16: case PYTREE_BF16: return MPI_UINT16_T;
    case PYTREE_U32: return MPI_UINT32_T;
    case PYTREE_U64: return MPI_UINT64_T;
    case PYTREE_F32: return MPI_FLOAT;
    case PYTREE_F64: return MPI_DOUBLE;
    case PYTREE_FLONG: return MPI_LONG_DOUBLE;
    case PYTREE_C64: return MPI_C_FLOAT_COMPLEX;
    case PYTREE_C128: return MPI_C_DOUBLE_COMPLEX;
    case PYTREE_CLONG: return MPI_C_LONG_DOUBLE_COMPLEX;
    case PYTREE_TEXT: return MPI_CHAR;
    case PYTREE_OPAQUE: return MPI_BYTE;
    default: return MPI_DATATYPE_NULL;
    }
}

/* Returns how many of MPI's elements an element is: bytes of an opaque value. */
static size_t pytree__mpi_units(const pytree_type *type) { return type->dtype == PYTREE_OPAQUE ? type->size : 1; }

/* ---- Pieces --------------------------------------------------------------------------------------------------------- */

/* A piece of a datatype: so many of `type` at an address, or in a struct. */
typedef struct pytree__mpi_piece {
    MPI_Aint at;
    int n;
    MPI_Datatype type;
    bool own;                             /* `type` was made for this piece */
} pytree__mpi_piece;

static void pytree__mpi_end_pieces(struct pytree__vector *pieces)
{
    size_t i;
    for (i = 0; i < pieces->count; i++) {
        pytree__mpi_piece *const piece = (pytree__mpi_piece *)pieces->data + i;
        if (piece->own) { (void)MPI_Type_free(&piece->type); }
    }
    pytree__vector_free(pieces);
}

static pytree_status pytree__mpi_add_piece(struct pytree__vector *pieces, MPI_Aint at, size_t n, MPI_Datatype type, bool own,
                                           pytree_error *err)
{
    pytree__mpi_piece *const piece = (pytree__mpi_piece *)pytree__vector_add(pieces, 1, err);
    if (piece == NULL) { return PYTREE_NO_MEMORY; }
    piece->at = at;
    piece->n = (int)n;
    piece->type = type;
    piece->own = own;
    return PYTREE_OK;
}

/* Adds n elements of `bytes` each, in one piece or, of more than a count can say, in two: so many times the most, and the
 * rest. */
static pytree_status pytree__mpi_add(struct pytree__vector *pieces, MPI_Aint at, size_t n, MPI_Datatype type, size_t bytes,
                                     pytree_error *err)
{
    const size_t most = PYTREE_MPI_COUNT, times = n / most;
    MPI_Datatype many;
    pytree_status status;
    if (n <= most) { return pytree__mpi_add_piece(pieces, at, n, type, false, err); }
    if (times > most) { return pytree_fail(err, PYTREE_OVERFLOW, NULL, "expected a smaller array, got %zu elements", n); }
    status = pytree__mpi_ok(MPI_Type_contiguous((int)most, type, &many), "MPI_Type_contiguous", err);
    if (status != PYTREE_OK) { return status; }
    status = pytree__mpi_add_piece(pieces, at, times, many, true, err);
    if (status != PYTREE_OK) { (void)MPI_Type_free(&many); return status; }
    return pytree__mpi_add_piece(pieces, at + (MPI_Aint)(times * most * bytes), n % most, type, false, err);
}

/* Makes one datatype of the pieces; not committed. */
static pytree_status pytree__mpi_join(const struct pytree__vector *pieces, MPI_Datatype *type, pytree_error *err)
{
    const size_t n = pieces->count, each = sizeof(MPI_Aint) + sizeof(MPI_Datatype) + sizeof(int);
    const pytree__mpi_piece *const piece = (const pytree__mpi_piece *)pieces->data;
    char *const arrays = n > INT_MAX ? NULL : (char *)pytree__array_new(n, each, pieces->allocator, err);
    MPI_Aint *const at = (MPI_Aint *)(void *)arrays;
    MPI_Datatype *types;
    pytree_status status;
    int *lengths;
    size_t i;
    if (n > INT_MAX) { return pytree_fail(err, PYTREE_OVERFLOW, NULL, "expected at most %d arrays, got %zu", INT_MAX, n); }
    if (arrays == NULL) { return PYTREE_NO_MEMORY; }
    types = (MPI_Datatype *)(void *)(arrays + n * sizeof *at);
    lengths = (int *)(void *)(arrays + n * (sizeof *at + sizeof *types));
    for (i = 0; i < n; i++) {
        at[i] = piece[i].at;
        types[i] = piece[i].type;
        lengths[i] = piece[i].n;
    }
    status = pytree__mpi_ok(MPI_Type_create_struct((int)n, lengths, at, types, type), "MPI_Type_create_struct", err);
    pytree__array_free(arrays, n, each, pieces->allocator);
    return status;
}

/* Commits a datatype, or frees it. */
static pytree_status pytree__mpi_commit(MPI_Datatype *type, pytree_error *err)
{
    const pytree_status status = pytree__mpi_ok(MPI_Type_commit(type), "MPI_Type_commit", err);
    if (status != PYTREE_OK) { (void)MPI_Type_free(type); }
    return status;
}

/* ---- Structs -------------------------------------------------------------------------------------------------------- */

static pytree_status pytree__mpi_struct(const pytree_type *type, MPI_Datatype *datatype, const pytree_allocator *allocator,
                                        pytree_error *err);

/* Fails at a member, or in the struct that it is. */
static PYTREE__NOINLINE pytree_status pytree__mpi_fail_row(const pytree_field *row, const pytree_error *inner,
                                                           pytree_error *err)
{
    char path[PYTREE_ERROR_PATH];
    struct pytree__text_writer to = pytree__text_to(path, sizeof path, NULL);
    pytree__text_put(&to, ".", 1);
    pytree__put_text(&to, row->name);
    if (inner != NULL) { pytree__put_text(&to, inner->path); }
    pytree__end_text(&to, sizeof path);
    if (inner != NULL) { return pytree_fail(err, inner->status, path, "%s", inner->message); }
    return pytree_fail(err, PYTREE_TYPE, path, "expected numbers in the struct itself, got %s",
                       row->functions != NULL && row->functions->select != NULL ? "a union"
                       : row->place != PYTREE_IN_PLACE ? "a pointer" : row->type->name);
}

/* Adds a member: a number, a struct, or a fixed array of either. */
static pytree_status pytree__mpi_add_row(struct pytree__vector *pieces, const pytree_field *row, pytree_error *err)
{
    pytree_error inner;
    const bool in_place = row->place == PYTREE_IN_PLACE && row->optional == 0
        && (row->functions == NULL || row->functions->select == NULL);
    MPI_Datatype type;
    pytree_status status;
    if (in_place && row->form == PYTREE_FORM_LEAF && pytree_mpi_element(row->type) != MPI_DATATYPE_NULL) {
        const size_t bytes = row->type->size / pytree__mpi_units(row->type);
        return pytree__mpi_add(pieces, (MPI_Aint)row->offset, row->size / bytes, pytree_mpi_element(row->type), bytes, err);
    }
    if (!in_place || (row->form != PYTREE_FORM_STRUCT && row->form != PYTREE_FORM_TUPLE)) {
        return pytree__mpi_fail_row(row, NULL, err);
    }
    memset(&inner, 0, sizeof inner);
    status = pytree__mpi_struct(row->type, &type, pieces->allocator, &inner);
    if (status != PYTREE_OK) { return pytree__mpi_fail_row(row, &inner, err); }
    status = pytree__mpi_add_piece(pieces, (MPI_Aint)row->offset, row->size / row->type->size, type, true, err);
    if (status != PYTREE_OK) { (void)MPI_Type_free(&type); }
    return status;
}

/* Makes the datatype of a struct, not committed. It calls itself for structs that lie in structs: no deeper than C's
 * declarations. */
static pytree_status pytree__mpi_struct(const pytree_type *type, MPI_Datatype *datatype, const pytree_allocator *allocator,
                                        pytree_error *err)
{
    struct pytree__vector pieces = pytree__vector_of(sizeof(pytree__mpi_piece), allocator);
    const pytree_field *row = type->fields, *const end = row + type->n_fields;
    MPI_Datatype joined;
    pytree_status status = PYTREE_OK;
    for (; row != end && status == PYTREE_OK; row++) {
        if (row->row == PYTREE_ROW_DATA) { status = pytree__mpi_add_row(&pieces, row, err); }
    }
    if (status == PYTREE_OK) { status = pytree__mpi_join(&pieces, &joined, err); }
    pytree__mpi_end_pieces(&pieces);
    if (status != PYTREE_OK) { return status; }
    status = pytree__mpi_ok(MPI_Type_create_resized(joined, 0, (MPI_Aint)type->size, datatype), "MPI_Type_create_resized", err);
    (void)MPI_Type_free(&joined);
    return status;
}

pytree_status pytree_mpi_struct(const pytree_type *type, MPI_Datatype *datatype, const pytree_options *opt, pytree_error *err)
{
    MPI_Datatype made;
    pytree_status status;
    if (type == NULL || datatype == NULL || type->kind != PYTREE_KIND_STRUCT) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected the type of a struct, got %s",
                           type == NULL ? "NULL" : type->name);
    }
    status = pytree__mpi_struct(type, &made, pytree__allocator(opt), err);
    if (status == PYTREE_OK) { status = pytree__mpi_commit(&made, err); }
    if (status == PYTREE_OK) { *datatype = made; }
    return status;
}

/* ---- Trees ---------------------------------------------------------------------------------------------------------- */

/* A tree on this rank: its treedef, which owns the views of its leaves. */
typedef struct pytree__mpi_tree {
    pytree_def *def;                      /* NULL: it could not be flattened */
    pytree_leaf *leaves;
} pytree__mpi_tree;

/* Fails because of the type of a leaf. */
static PYTREE__NOINLINE pytree_status pytree__mpi_fail_leaf(const pytree__mpi_tree *tree, size_t leaf, const char *expected,
                                                            pytree_error *err)
{
    const pytree_leaf *const view = &tree->leaves[leaf];
    char path[PYTREE_ERROR_PATH];
    pytree__node_path(tree->def, pytree__node_of_leaf(tree->def, leaf), path, sizeof path);
    return pytree_fail(err, PYTREE_TYPE, path, "expected %s, got %s", expected,
                       pytree_is_leaf(view) ? pytree_dtype_name(view->type) : pytree__view_name(view));
}

/* Makes the datatype of a tree's leaves of less than `below` bytes, and counts its elements, as MPI does, and bytes. */
typedef struct pytree__mpi_extent {
    MPI_Count elements;
    MPI_Offset bytes;
} pytree__mpi_extent;

static pytree_status pytree__mpi_list(const pytree__mpi_tree *tree, size_t below, struct pytree__vector *pieces,
                                      pytree__mpi_extent *extent, pytree_error *err)
{
    const char *end = NULL;               /* of leaves that lie side by side: n elements of `size` bytes */
    MPI_Datatype type = MPI_DATATYPE_NULL;
    size_t i, n = 0, size = 1;
    MPI_Aint at;
    pytree_status status = PYTREE_OK;
    extent->elements = 0;
    extent->bytes = 0;
    for (i = 0; i <= tree->def->n_leaves && status == PYTREE_OK; i++) {
        const pytree_leaf *const leaf = i < tree->def->n_leaves ? &tree->leaves[i] : NULL;
        const bool there = leaf != NULL && pytree_is_leaf(leaf) && pytree_leaf_bytes(leaf) != 0;
        const MPI_Datatype element = there ? pytree_mpi_element(leaf->type) : MPI_DATATYPE_NULL;
        if (leaf != NULL && (pytree_is_leaf(leaf) ? pytree_mpi_element(leaf->type) == MPI_DATATYPE_NULL
                                                  : leaf->form != PYTREE_FORM_NONE)) {
            return pytree__mpi_fail_leaf(tree, i, "numbers", err);
        }
        if (leaf != NULL && (!there || pytree_leaf_bytes(leaf) >= below)) { continue; }
        if (n != 0 && (!there || element != type || end != (const char *)leaf->data)) {
            (void)MPI_Get_address(end - n * size, &at);
            status = pytree__mpi_add(pieces, at, n, type, size, err);
            n = 0;
        }
        if (!there) { break; }
        type = element;
        size = leaf->type->size / pytree__mpi_units(leaf->type);
        n += pytree_leaf_bytes(leaf) / size;
        end = (const char *)leaf->data + pytree_leaf_bytes(leaf);
        extent->elements += (MPI_Count)(pytree_leaf_bytes(leaf) / size);
        extent->bytes += (MPI_Offset)pytree_leaf_bytes(leaf);
    }
    return status;
}

static pytree_status pytree__mpi_type_of(const pytree__mpi_tree *tree, size_t below, MPI_Datatype *type,
                                         pytree__mpi_extent *extent, const pytree_allocator *allocator, pytree_error *err)
{
    struct pytree__vector pieces = pytree__vector_of(sizeof(pytree__mpi_piece), allocator);
    pytree_status status = pytree__mpi_list(tree, below, &pieces, extent, err);
    if (status == PYTREE_OK) { status = pytree__mpi_join(&pieces, type, err); }
    pytree__mpi_end_pieces(&pieces);
    return status == PYTREE_OK ? pytree__mpi_commit(type, err) : status;
}

pytree_status pytree_mpi_datatype(pytree t, MPI_Datatype *datatype, const pytree_options *opt, pytree_error *err)
{
    pytree__mpi_tree tree = { NULL, NULL };
    pytree__mpi_extent extent;
    MPI_Datatype made;
    pytree_status status;
    if (datatype == NULL) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a place for the datatype, got NULL"); }
    status = pytree_flatten(t, &tree.leaves, 0, &tree.def, opt, err);
    if (status == PYTREE_OK) { status = pytree__mpi_type_of(&tree, SIZE_MAX, &made, &extent, pytree__allocator(opt), err); }
    if (status == PYTREE_OK) { *datatype = made; }
    pytree_def_free(tree.def);
    return status;
}

pytree_status pytree_mpi_bytes(pytree t, MPI_Offset *bytes, const pytree_options *opt, pytree_error *err)
{
    struct pytree__vector pieces = pytree__vector_of(sizeof(pytree__mpi_piece), pytree__allocator(opt));
    pytree__mpi_tree tree = { NULL, NULL };
    pytree__mpi_extent extent;
    pytree_status status;
    if (bytes == NULL) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a place for the bytes, got NULL"); }
    status = pytree_flatten(t, &tree.leaves, 0, &tree.def, opt, err);
    if (status == PYTREE_OK) { status = pytree__mpi_list(&tree, SIZE_MAX, &pieces, &extent, err); }
    if (status == PYTREE_OK) { *bytes = extent.bytes; }
    pytree__mpi_end_pieces(&pieces);
    pytree_def_free(tree.def);
    return status;
}

#include "mpi_agree.h"
#endif

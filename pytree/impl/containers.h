/* pytree/impl/containers.h: containers that grow: rows, making, freeing, values. */
#ifndef PYTREE_IMPL_CONTAINERS_H
#define PYTREE_IMPL_CONTAINERS_H

#include "internal.h"
#include "../containers.h"

/*     rows    ....[v0][v1][v2]........        owned   ....[0][1][0]........        order   1 0 2
 *             head count                              beside them                  of pairs: row numbers by key
 *
 * Rows may have room at both ends, so that a deque can grow at either.
 *
 * A custom node may be a growing container, too (pytree_custom.growing): it begins with a pointer to one, whose values are its
 * children. A new node lies behind its container, in the same memory; one that was rebuilt lies in the block of its tree, which
 * frees it. */
struct pytree__container;

/* Decide about a value that is to come in: at `key`, in place of one with flags `old` (-1: of none). May take an annotation off
 * *value, and sets *flags. */
typedef pytree_status pytree__ct_admit_fn(const struct pytree__container *c, const pytree_entry *key, int old, pytree *value,
                                          unsigned char *flags, pytree_error *err);

/* Cells for copies of numbers, of which each has eight bytes. A free one has the address of the next. */
struct pytree__ct_slab {
    struct pytree__ct_slab *before;
    size_t cells;                         /* behind it */
};

typedef struct pytree__container {
    pytree_items items;                   /* the part that walks read; must be the first member */
    pytree__grown_free_fn *release;       /* must be the second one: pytree_free finds it behind the items */
    bool refers;                          /* it may hold values that it does not own */
    struct pytree__container *owner;      /* the container that owns it; during a free, the next one to free */
    char *rows;                           /* stb_ds array of pytree, pytree_pair or pytree_int_pair: `step` bytes each */
    unsigned char *flags;                 /* stb_ds array: of each value, PYTREE__CT_OWNED and PYTREE__CT_STATIC */
    size_t head;                          /* room before the first row */
    uint32_t *order;                      /* stb_ds array */
    uint32_t *index;                      /* of many keys: containers_index.h; of many values: containers_chunks.h */
    size_t index_slots;
    bool unsorted;                        /* the order of the keys is unknown; only with an index */
    size_t step, value_at;                /* bytes of a row, and where its value is */
    struct pytree__ct_slab *slabs;
    void *free_cells;
    size_t children;                      /* growing containers that it owns */
    const pytree_type *type;
    bool keyed;                           /* it is a dict or a namedtuple */
    bool numbered;                        /* keys are numbers */
    bool fixed;                           /* other functions than those of containers change it */
    bool in_block;                        /* its node lies in the block of a tree */
    unsigned depth;                       /* of copying.level when it was made */
    pytree_options copying;               /* allocator and options for copies */
    pytree__ct_admit_fn *admit;           /* decides whether a value may come in; NULL: every one may */
    size_t bytes;                         /* size of its block; names follow it */
} pytree__container;
typedef char pytree__release_is_second[offsetof(pytree__container, release) == sizeof(pytree_items) ? 1 : -1];

enum { PYTREE__CT_OWNED = 1,              /* the container owns the value */
       PYTREE__CT_STATIC = 2,             /* it is no child: an object's static attribute */
       PYTREE__CT_TAKEN = 4,              /* for the duration of a call: it is to be taken out */
       PYTREE__CT_CELL = 8 };             /* a number that it owns, in one of its cells */

enum pytree__ct_holding { PYTREE__CT_REFERENCE, PYTREE__CT_COPY, PYTREE__CT_OWN };

static pytree pytree__ct_no_value(void)
{
    pytree none = { NULL, NULL };
    return none;
}

/* ---- Rows ---------------------------------------------------------------------------------------------------------- */

/* Give an stb_ds array room for n elements. Return NULL on failure, with the array unchanged. stb_ds does not notice that
 * realloc failed, so its arrays grow here. */
static void *pytree__stb_reserve(void *array, size_t n, size_t size)
{
    stbds_array_header *head = array == NULL ? NULL : stbds_header(array);
    if (head != NULL && head->capacity >= n) { return array; }
    if (n > (PTRDIFF_MAX - sizeof *head) / size) { return NULL; }
    head = (stbds_array_header *)STBDS_REALLOC(NULL, head, n * size + sizeof *head);
    if (head == NULL) { return NULL; }
    if (array == NULL) { memset(head, 0, sizeof *head); }
    head->capacity = n;
    return head + 1;
}

/* Tell whether memory lies in the container's own block, as rows and names of an object that was rebuilt do at first. */
static bool pytree__ct_in_block(const pytree__container *c, const void *p) { return (uintptr_t)p - (uintptr_t)c < c->bytes; }

/* Give an array of the container room for n elements, more than it has if it lies in the block: then it moves out. Return NULL
 * on failure. */
static void *pytree__ct_reserve(const pytree__container *c, void *array, size_t n, size_t size)
{
    void *moved;
    if (!pytree__ct_in_block(c, array)) { return pytree__stb_reserve(array, n, size); }
    moved = pytree__stb_reserve(NULL, n, size);
    if (moved != NULL) { memcpy(moved, array, stbds_header(array)->capacity * size); }
    return moved;
}

/* Count the rows in use, those of removed pairs among them. */
static size_t pytree__ct_rows(const pytree__container *c) { return c->items.count + c->items.removed; }

static char *pytree__ct_row(const pytree__container *c, size_t i) { return c->rows + (c->head + i) * c->step; }
static pytree *pytree__ct_row_value(const pytree__container *c, size_t i)
{
    return (pytree *)(void *)(pytree__ct_row(c, i) + c->value_at);
}

/* Are its values visited in the order of their keys? */
static bool pytree__ct_sorts(const pytree__container *c)
{
    return c->type->kind == PYTREE_KIND_CUSTOM || pytree__traits(c->type)->order == PYTREE__ORDER_SORTED;
}

/* Update the pointers that walks use after rows and order have moved. The member that the kind does not need points to the
 * container itself: see pytree__ct_growing. */
static void pytree__ct_show_rows(pytree__container *c)
{
    const void *rows = c->rows == NULL ? NULL : pytree__ct_row(c, 0);
    pytree_items *items = &c->items;
    if (!c->keyed) {
        items->items = (const pytree *)rows;
        items->pairs = (const pytree_pair *)(const void *)c;
        items->order = c->index;          /* of many values: see containers_chunks.h */
        return;
    }
    items->items = (const pytree *)(const void *)c;
    items->pairs = c->numbered ? NULL : (const pytree_pair *)rows;
    items->int_pairs = c->numbered ? (const pytree_int_pair *)rows : NULL;
    if (pytree__ct_sorts(c)) {
        items->order = c->unsorted ? NULL : c->order;
        items->sorted = !c->unsorted;
    }
}

/* Tell whether row i is nearer to the front, so that moving the rows before it is cheaper. */
static bool pytree__ct_near_front(const pytree__container *c, size_t i) { return i < pytree__ct_rows(c) - i; }

/* Give all arrays room for n rows. */
static bool pytree__ct_reserve_rows(pytree__container *c, size_t n)
{
    char *rows = (char *)pytree__ct_reserve(c, c->rows, n, c->step);
    unsigned char *flags;
    if (rows == NULL) { return false; }
    c->rows = rows;
    pytree__ct_show_rows(c);
    if (c->keyed) {
        uint32_t *order = (uint32_t *)pytree__ct_reserve(c, c->order, n, sizeof *order);
        if (order == NULL) { return false; }
        c->order = order;
        pytree__ct_show_rows(c);
    }
    flags = (unsigned char *)pytree__ct_reserve(c, c->flags, n, sizeof *flags);  /* the last: its capacity holds for all */
    if (flags == NULL) { return false; }
    c->flags = flags;
    return true;
}

/* Make room for one more row before row i. Whenever rows have to be moved, more than half of the room is free, and both ends
 * get a share of it once both are in use: so each row moves O(1) times, amortized. */
static pytree_status pytree__ct_row_room(pytree__container *c, size_t i, pytree_error *err)
{
    const bool front = pytree__ct_near_front(c, i);
    const size_t n = pytree__ct_rows(c);
    size_t room = c->flags == NULL ? 0 : stbds_header(c->flags)->capacity, head;
    if (front ? c->head != 0 : c->head + n < room) { return PYTREE_OK; }
    if (room - n <= n) {
        room = pytree__plus(pytree__times(n, 2), 8);
        if (!pytree__ct_reserve_rows(c, room)) { return pytree__no_memory(err, pytree__times(room, c->step)); }
    }
    head = front ? (room - n + 1) / 2 : c->head / 2;
    if (head != c->head) {
        memmove(c->rows + head * c->step, pytree__ct_row(c, 0), n * c->step);
        memmove(c->flags + head, c->flags + c->head, n * sizeof *c->flags);
        c->head = head;
        pytree__ct_show_rows(c);
    }
    return PYTREE_OK;
}

/* Move n rows from row i on by one place to the front or back. */
static void pytree__ct_shift_rows(pytree__container *c, size_t i, size_t n, int by)
{
    char *from = pytree__ct_row(c, i);
    unsigned char *flags = c->flags + c->head + i;
    if (n == 0) { return; }               /* at the end: the usual case */
    memmove(by < 0 ? from - c->step : from + c->step, from, n * c->step);
    memmove(flags + by, flags, n * sizeof *flags);
}

/* Open a row before row i, for which there is room; the caller sets value and key. */
static void pytree__ct_open_row(pytree__container *c, size_t i)
{
    if (pytree__ct_near_front(c, i)) {
        pytree__ct_shift_rows(c, 0, i, -1);
        c->head--;
    } else {
        pytree__ct_shift_rows(c, i, pytree__ct_rows(c) - i, 1);
    }
    c->items.count++;
    pytree__ct_show_rows(c);
}

static void pytree__ct_close_row(pytree__container *c, size_t i)
{
    if (pytree__ct_near_front(c, i + 1)) {
        pytree__ct_shift_rows(c, 0, i, 1);
        c->head++;
    } else {
        pytree__ct_shift_rows(c, i + 1, c->items.count - i - 1, -1);
    }
    c->items.count--;
    pytree__ct_show_rows(c);
}

/* ---- Make and free ------------------------------------------------------------------------------------------------- */

/* Return the growing container of a custom node; NULL for anything else, and for a literal. */
static pytree__container *pytree__ct_of_node(pytree t)
{
    return t.type != NULL && t.type->custom != NULL && t.type->custom->growing != NULL && t.data != NULL
        ? (pytree__container *)*(void *const *)t.data : NULL;
}

/* Return the items of a container of pytrees, growing or not; NULL for anything else. */
static const pytree_items *pytree__ct_items_of(pytree t)
{
    const pytree__container *c = pytree__ct_of_node(t);
    if (c != NULL) { return &c->items; }
    return pytree__traits(t.type)->form == PYTREE_FORM_ITEMS ? (const pytree_items *)t.data : NULL;
}

/* Return the growing container behind a pytree, or NULL. */
static pytree__container *pytree__ct_growing(pytree t) { return (pytree__container *)pytree__growing_of(t); }

static bool pytree__ct_is_keyed(pytree t)
{
    const pytree__container *c = pytree__ct_growing(t);
    return c != NULL ? c->keyed : pytree__keyed(t.type);
}

/* Check that a container is of the level at which it is to be changed. */
static pytree_status pytree__ct_on_level(const pytree_level *level, unsigned depth, const pytree_type *type, pytree_error *err)
{
    if (level == NULL || level->depth == depth) { return PYTREE_OK; }
    return pytree_fail(err, PYTREE_FROZEN, NULL, "expected a %s of this level (%u), got one of level %u", type->name,
                       level->depth, depth);
}

/* Find the growing container of a call that changes it. Fails if it is of another kind, or of another level. */
static pytree_status pytree__ct_to_change(pytree t, bool keyed, pytree__container **c, pytree_error *err)
{
    *c = pytree__ct_growing(t);
    if (*c != NULL && (*c)->keyed == keyed && !(*c)->fixed) {
        return pytree__ct_on_level((*c)->copying.level, (*c)->depth, (*c)->type, err);
    }
    return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a growing %s, got %s%s",
                       keyed ? "dict or namedtuple" : "list, tuple or deque", t.type == NULL ? "no value" : t.type->name,
                       *c == NULL && t.data != NULL ? " that does not grow" : "");
}

static void pytree__ct_number_keys(pytree__container *c, bool numbered)
{
    c->numbered = numbered;
    c->step = numbered ? sizeof(pytree_int_pair) : sizeof(pytree_pair);
    c->value_at = numbered ? offsetof(pytree_int_pair, value) : offsetof(pytree_pair, value);
}

static void pytree__ct_free(pytree t);

/* Make a container. `node`: bytes of the custom node that it is, which follows it in its block; 0 for a built-in type. `more`:
 * bytes to leave at the end of the block. */
static pytree pytree__ct_make(const pytree_type *type, size_t node, bool keyed, const char *name, size_t more,
                              const pytree_options *opt, pytree_error *err)
{
    const char *space = opt == NULL ? NULL : opt->space;
    const size_t name_bytes = name == NULL ? 0 : strlen(name) + 1, space_bytes = space == NULL ? 0 : strlen(space) + 1;
    const size_t bytes = pytree__plus(sizeof(pytree__container) + node + name_bytes + space_bytes, more);
    pytree__container *c = (pytree__container *)pytree__resize(pytree__allocator(opt), NULL, 0, bytes);
    pytree t = pytree__ct_no_value();
    char *names;
    if (c == NULL) { pytree__no_memory(err, bytes); return t; }
    memset(c, 0, sizeof *c + node);
    names = (char *)(c + 1) + node;
    c->bytes = bytes;
    c->release = pytree__ct_free;
    c->type = type;
    c->keyed = keyed;
    if (name != NULL) { c->items.name = (const char *)memcpy(names, name, name_bytes); }
    if (opt != NULL) {
        c->copying.allocator = opt->allocator;
        c->copying.alignment = opt->alignment;
        c->copying.level = opt->level;
        c->depth = opt->level == NULL ? 0 : opt->level->depth;
    }
    if (space != NULL) { c->copying.space = (const char *)memcpy(names + name_bytes, space, space_bytes); }
    c->step = sizeof(pytree);
    if (keyed) { pytree__ct_number_keys(c, false); }
    pytree__ct_show_rows(c);
    t.type = type;
    t.data = c;
    if (node != 0) {
        t.data = c + 1;
        *(void **)t.data = c;
    }
    return t;
}

static pytree pytree__ct_new(int type, const char *name, size_t maxlen, const pytree_options *opt, pytree_error *err)
{
    const pytree t = pytree__ct_make(&pytree_types[type], 0, pytree__keyed(&pytree_types[type]), name, 0, opt, err);
    if (t.data != NULL) { ((pytree__container *)t.data)->items.maxlen = maxlen; }
    return t;
}

pytree pytree_new_list(const pytree_options *opt, pytree_error *err)
{
    return pytree__ct_new(PYTREE__T_list, NULL, 0, opt, err);
}
pytree pytree_new_tuple(const pytree_options *opt, pytree_error *err)
{
    return pytree__ct_new(PYTREE__T_tuple, NULL, 0, opt, err);
}
pytree pytree_new_dict(const pytree_options *opt, pytree_error *err)
{
    return pytree__ct_new(PYTREE__T_dict, NULL, 0, opt, err);
}
pytree pytree_new_odict(const pytree_options *opt, pytree_error *err)
{
    return pytree__ct_new(PYTREE__T_odict, NULL, 0, opt, err);
}
pytree pytree_new_defaultdict(const char *factory, const pytree_options *opt, pytree_error *err)
{
    return pytree__ct_new(PYTREE__T_defaultdict, factory, 0, opt, err);
}
pytree pytree_new_namedtuple(const char *name, const pytree_options *opt, pytree_error *err)
{
    return pytree__ct_new(PYTREE__T_namedtuple, name, 0, opt, err);
}
pytree pytree_new_deque(size_t maxlen, const pytree_options *opt, pytree_error *err)
{
    return pytree__ct_new(PYTREE__T_deque, NULL, maxlen, opt, err);
}

/* What is still to be freed: containers, linked by their owners, and blocks of trees. */
struct pytree__ct_freeing {
    pytree__container *containers;
    struct pytree__block *blocks;
};

/* Free a value that a container owned or was to own: it is only put on the list, so that nothing recurses. */
static void pytree__ct_let_go(pytree value, struct pytree__ct_freeing *to_free)
{
    pytree__container *child = pytree__ct_growing(value);
    struct pytree__block *block = pytree__block_of_root(value);
    if (block != NULL) {
        block->next = to_free->blocks;
        to_free->blocks = block;
    } else if (child != NULL) {
        child->owner = to_free->containers;
        to_free->containers = child;
    }
}

static void pytree__ct_free_key(pytree__container *c, size_t i)
{
    if (c->keyed && !c->numbered) {
        char *key;
        memcpy(&key, pytree__ct_row(c, i), sizeof key);
        if (pytree__ct_in_block(c, key)) { return; }
        pytree__resize(c->copying.allocator, key, strlen(key) + 1, 0);
    }
}

static void pytree__ct_drop_index(pytree__container *c);

/* ---- Cells --------------------------------------------------------------------------------------------------------- */

static bool pytree__ct_fits_cell(pytree value)
{
    return value.type->kind == PYTREE_KIND_LEAF && value.type->dtype < PYTREE_STRING && value.data != NULL
        && value.type->size <= sizeof(uint64_t);
}

/* Take a cell. Returns NULL if memory runs out. */
static void *pytree__ct_take_cell(pytree__container *c, pytree_error *err)
{
    void *cell = c->free_cells;
    if (cell == NULL) {
        const size_t n = c->slabs == NULL ? 4 : c->slabs->cells < 2048 ? 2 * c->slabs->cells : c->slabs->cells;
        const size_t bytes = sizeof(struct pytree__ct_slab) + n * sizeof(uint64_t);
        struct pytree__ct_slab *const slab = (struct pytree__ct_slab *)pytree__resize(c->copying.allocator, NULL, 0, bytes);
        size_t i;
        if (slab == NULL) { pytree__no_memory(err, bytes); return NULL; }
        slab->before = c->slabs;
        slab->cells = n;
        c->slabs = slab;
        for (i = n; i-- != 0; cell = (uint64_t *)(void *)(slab + 1) + i) {
            memcpy((uint64_t *)(void *)(slab + 1) + i, &cell, sizeof cell);
        }
    }
    memcpy(&c->free_cells, cell, sizeof c->free_cells);
    return cell;
}

static void pytree__ct_free_cell(pytree__container *c, void *cell)
{
    memcpy(cell, &c->free_cells, sizeof c->free_cells);
    c->free_cells = cell;
}

static void pytree__ct_free_slabs(pytree__container *c)
{
    while (c->slabs != NULL) {
        struct pytree__ct_slab *const slab = c->slabs;
        c->slabs = slab->before;
        pytree__resize(c->copying.allocator, slab, sizeof *slab + slab->cells * sizeof(uint64_t), 0);
    }
    c->free_cells = NULL;
}

static void pytree__ct_empty(pytree__container *c, struct pytree__ct_freeing *to_free)
{
    const size_t rows = pytree__ct_rows(c);
    size_t i;
    for (i = 0; i < rows; i++) {
        if ((c->flags[c->head + i] & PYTREE__CT_OWNED) != 0) { pytree__ct_let_go(*pytree__ct_row_value(c, i), to_free); }
        pytree__ct_free_key(c, i);
    }
    c->items.count = c->items.removed = c->head = c->children = 0;
    pytree__ct_free_slabs(c);
    pytree__ct_drop_index(c);
    c->unsorted = false;
    pytree__ct_show_rows(c);
}

/* Free the block of a tree. What its objects own is put on the list first. */
static void pytree__ct_free_block(struct pytree__block *block, struct pytree__ct_freeing *to_free)
{
    const struct pytree__custom_cleanup *node;
    pytree t;
    for (node = block->nested ? NULL : block->customs; node != NULL; node = node->before) {
        pytree self;
        pytree__container *c;
        self.type = node->type;
        self.data = node->self;
        c = pytree__ct_of_node(self);
        if (c != NULL) { pytree__ct_empty(c, to_free); }
    }
    t.type = &block->type;
    t.data = block->root != NULL ? (void *)(uintptr_t)block->root : block;    /* anything: None has no data */
    pytree_free(t);
}

static void pytree__ct_free_list(struct pytree__ct_freeing *to_free)
{
    while (to_free->containers != NULL || to_free->blocks != NULL) {
        pytree__container *c = to_free->containers;
        if (c == NULL) {
            struct pytree__block *const block = to_free->blocks;
            to_free->blocks = block->next;
            pytree__ct_free_block(block, to_free);
            continue;
        }
        to_free->containers = c->owner;
        pytree__ct_empty(c, to_free);
        if (!pytree__ct_in_block(c, c->rows)) { stbds_arrfree(c->rows); }
        if (!pytree__ct_in_block(c, c->flags)) { stbds_arrfree(c->flags); }
        if (!pytree__ct_in_block(c, c->order)) { stbds_arrfree(c->order); }
        pytree__resize(c->copying.allocator, c, c->bytes, 0);
    }
}

/* Free a container and all that it owns. */
static void pytree__ct_free_all(pytree__container *c)
{
    struct pytree__ct_freeing to_free = { NULL, NULL };
    to_free.containers = c;
    c->owner = NULL;
    pytree__ct_free_list(&to_free);
}

static void pytree__ct_free(pytree t)
{
    pytree__container *c = pytree__ct_growing(t);
    if (c->owner == NULL && !c->in_block) { pytree__ct_free_all(c); }
}

void pytree_container_free(pytree t)
{
    const pytree__container *c = pytree__ct_growing(t);
    if (c != NULL && c->owner == NULL) { pytree_free(t); }
}

pytree_status pytree_container_clear(pytree t, pytree_error *err)
{
    pytree__container *c;
    struct pytree__ct_freeing to_free = { NULL, NULL };
    const pytree_status status = pytree__ct_to_change(t, t.type != NULL && pytree__ct_is_keyed(t), &c, err);
    if (status != PYTREE_OK) { return status; }
    pytree__ct_empty(c, &to_free);
    pytree__ct_free_list(&to_free);
    return PYTREE_OK;
}

size_t pytree_container_length(pytree t)
{
    const pytree_items *items = pytree__ct_items_of(t);
    return items == NULL ? 0 : items->count;
}

/* ---- Values -------------------------------------------------------------------------------------------------------- */

/* Tell whether c, or what owns it, lies in a block. */
static bool pytree__ct_lies_in(const pytree__container *c, const struct pytree__block *block)
{
    const struct pytree__custom_cleanup *node;
    for (; c != NULL; c = c->owner) {
        for (node = c->in_block ? block->customs : NULL; node != NULL; node = node->before) {
            if (node->type->custom->growing != NULL && *(void *const *)node->self == c) { return true; }
        }
    }
    return false;
}

/* Check that c may own a value: it has no other owner and does not own c. A value that owns no container cannot own c. */
static pytree_status pytree__ct_may_own(const pytree__container *c, pytree value, pytree_error *err)
{
    const pytree__container *child = pytree__ct_growing(value);
    const struct pytree__block *const block = pytree__block_of_root(value);
    if ((child == NULL || child->in_block) && block == NULL) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL,
                           "expected a growing container or a tree that pytree_clone or pytree_unflatten returned, got %s",
                           value.type->name);
    }
    if (child != NULL && child->owner != NULL) {
        return pytree_fail(err, PYTREE_SHARED, NULL, "expected a container that belongs to no other, got a %s that does",
                           child->type->name);
    }
    if (child == NULL || child->in_block) {
        if (!pytree__ct_lies_in(c, block)) { return PYTREE_OK; }
    } else {
        while (c != NULL && c != child) { c = child->children == 0 ? NULL : c->owner; }
        if (c == NULL) { return PYTREE_OK; }
    }
    return pytree_fail(err, PYTREE_CYCLE, NULL,
                       "expected a value that can belong to the container, got the %s that it is, or that it belongs to",
                       value.type->name);
}

/* Copy a value into a block of its own. An array of no dimensions stays one, where a clone is a number. */
static pytree_status pytree__ct_clone_value(const pytree__container *c, pytree *value, pytree_error *err)
{
    pytree_error own = { PYTREE_OK, "", "" };
    const bool scalar = value->type->kind == PYTREE_KIND_VIEW && value->data != NULL
        && ((const pytree_leaf *)value->data)->form == PYTREE_FORM_LEAF && ((const pytree_leaf *)value->data)->ndim == 0;
    pytree copy;
    pytree_leaf one;
    if (scalar) {
        one = *(const pytree_leaf *)value->data;
        one.ndim = 1;
        one.shape[0] = 1;
        value->data = &one;
    }
    copy = pytree_clone(*value, &c->copying, &own);
    if (own.status != PYTREE_OK) { return pytree_fail(err, own.status, own.path, "%s", own.message); }
    if (scalar) { ((pytree_leaf *)copy.data)->ndim = 0; }
    *value = copy;
    return PYTREE_OK;
}

/* Let a value in at `key`, in place of one with flags `old` (-1: of none). Sets its flags. */
static pytree_status pytree__ct_let_in(const pytree__container *c, const pytree_entry *key, int old, pytree *value,
                                       unsigned char *flags, pytree_error *err)
{
    *flags = 0;
    if (value->type == NULL) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a value, got a pytree without a type");
    }
    return c->admit == NULL ? PYTREE_OK : c->admit(c, key, old, value, flags, err);
}

/* Copy a value: a number into a cell. */
static pytree_status pytree__ct_copy_value(pytree__container *c, pytree *value, unsigned char *flags, pytree_error *err)
{
    void *cell;
    if (!pytree__ct_fits_cell(*value)) { return pytree__ct_clone_value(c, value, err); }
    cell = pytree__ct_take_cell(c, err);
    if (cell == NULL) { return PYTREE_NO_MEMORY; }
    memcpy(cell, value->data, value->type->size);
    value->type = pytree__origin(value->type);
    value->data = cell;
    *flags |= PYTREE__CT_CELL;
    return PYTREE_OK;
}

/* Check or copy a value, as the call asks. */
static pytree_status pytree__ct_hold(pytree__container *c, pytree *value, int how, unsigned char *flags,
                                     pytree_error *err)
{
    if (how == PYTREE__CT_REFERENCE) { c->refers = true; return PYTREE_OK; }
    *flags |= PYTREE__CT_OWNED;
    return how == PYTREE__CT_OWN ? pytree__ct_may_own(c, *value, err) : pytree__ct_copy_value(c, value, flags, err);
}

/* Store a value in an empty row. */
static void pytree__ct_fill_row(pytree__container *c, size_t i, pytree value, unsigned char flags)
{
    pytree__container *child = (flags & PYTREE__CT_OWNED) != 0 ? pytree__ct_growing(value) : NULL;
    *pytree__ct_row_value(c, i) = value;
    c->flags[c->head + i] = flags;
    if (child != NULL) {
        child->owner = c;
        c->children++;
    }
}

/* Give the number of a row a block of its own, in which it can leave the container. */
static pytree_status pytree__ct_leave_cell(pytree__container *c, size_t i, pytree_error *err)
{
    pytree *const value = pytree__ct_row_value(c, i);
    void *const cell = value->data;
    pytree_status status;
    if ((c->flags[c->head + i] & PYTREE__CT_CELL) == 0) { return PYTREE_OK; }
    status = pytree__ct_clone_value(c, value, err);
    if (status != PYTREE_OK) { return status; }
    pytree__ct_free_cell(c, cell);
    c->flags[c->head + i] &= (unsigned char)~PYTREE__CT_CELL;
    return PYTREE_OK;
}

/* Take the value out of a row, which must then be filled or closed. *owned: the container owned it, and the caller must now. A
 * number in a cell is gone. */
static pytree pytree__ct_empty_row(pytree__container *c, size_t i, bool *owned)
{
    const pytree value = *pytree__ct_row_value(c, i);
    pytree__container *child;
    *owned = (c->flags[c->head + i] & (PYTREE__CT_OWNED | PYTREE__CT_CELL)) == PYTREE__CT_OWNED;
    if ((c->flags[c->head + i] & PYTREE__CT_CELL) != 0) { pytree__ct_free_cell(c, value.data); }
    child = *owned ? pytree__ct_growing(value) : NULL;
    if (child != NULL) {
        child->owner = NULL;
        c->children--;
    }
    return value;
}

static void pytree__ct_discard(pytree value, bool owned)
{
    struct pytree__ct_freeing to_free = { NULL, NULL };
    if (owned) {
        pytree__ct_let_go(value, &to_free);
        pytree__ct_free_list(&to_free);
    }
}

static pytree_status pytree__ct_replace(pytree__container *c, size_t i, const pytree_entry *key, pytree value, int how,
                                        pytree_error *err)
{
    pytree old = *pytree__ct_row_value(c, i);
    const unsigned char had = c->flags[c->head + i];
    bool owned = (had & PYTREE__CT_OWNED) != 0;
    unsigned char flags;
    pytree_status status = pytree__ct_let_in(c, key, had, &value, &flags, err);
    if (status != PYTREE_OK) { return status; }
    if (how != PYTREE__CT_COPY && old.type == value.type && old.data == value.data
        && (owned || how == PYTREE__CT_REFERENCE)) {
        c->flags[c->head + i] = (unsigned char)((had & (PYTREE__CT_OWNED | PYTREE__CT_CELL)) | flags);
        return PYTREE_OK;                 /* it would be freed to make room for itself */
    }
    status = pytree__ct_hold(c, &value, how, &flags, err);
    if (status != PYTREE_OK) { return status; }
    old = pytree__ct_empty_row(c, i, &owned);
    pytree__ct_fill_row(c, i, value, flags);
    pytree__ct_discard(old, owned);
    return PYTREE_OK;
}

#include "containers_chunks.h"
#endif

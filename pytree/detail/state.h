/* pytree/detail/state.h: what a walk keeps, visible so that iterators can live on the stack. Private; included by pytree.h
 * alone. */
#if !defined(PYTREE_H)
#include "../../pytree.h"              /* opened alone */
#endif
#ifndef PYTREE_DETAIL_STATE_H
#define PYTREE_DETAIL_STATE_H

/* Layouts: what does not vary between the structs of a type that are taken as a run. Found from the rows when the first one
 * comes, and kept for the program's later calls (impl/layout.h); without room, for the call. */
typedef struct pytree__static_span {      /* static values that lie side by side */
    uint32_t at, bytes;                   /* in the struct */
    const pytree_field *row;              /* of a value that is more than plain bytes; otherwise NULL */
    uint32_t node;                        /* whose first span it is; UINT32_MAX: not the first */
} pytree__static_span;
typedef struct pytree__nullable {         /* a pointer that may be NULL */
    uint32_t at;                          /* in the struct */
    uint16_t node;
    bool is_struct;                       /* it leads to a struct: where it is set, the struct is no run */
} pytree__nullable;
typedef struct pytree__layout {
    const pytree_type *type;              /* NULL: there is no layout here */
    pytree_node *nodes;                   /* NULL: they were not wanted */
    pytree__static_span *spans;
    pytree__nullable *nullables;
    const struct pytree__leaf_slot *slots; /* of all leaves, whether None or not; NULL: not in a layout of the call */
    uint64_t null_mask;                   /* a bit for each nullable that is None in the nodes as they are now */
    uint32_t n_leaves, n_statics;         /* static bytes; without strings */
    uint32_t n_pointed;                   /* leaves of structs that pointers may lead to */
    uint16_t n_nodes, n_spans, n_nullables, n_slots;       /* no nodes: such structs are no runs */
    bool trivial_statics;                 /* they are bytes */
    bool static_views;                    /* where there are slots: views follow from static values (pattern.h) */
} pytree__layout;
typedef struct pytree__layout_cache {
    pytree__layout *layouts, *last;       /* by type; the one that was asked for last */
    pytree_node *nodes;                   /* NULL: they are not wanted */
    pytree__static_span *spans;
    pytree__nullable *nullables;
    uint32_t n_nodes, n_spans, n_nullables;        /* in use */
    uint32_t first_node;                  /* of the layout that is made */
    uint32_t max_layouts, max_nodes, max_spans, max_nullables;
    bool full;                            /* the layout that was made last did not fit */
} pytree__layout_cache;
typedef struct pytree__layout_space {
    pytree__layout layouts[PYTREE__MAX_LAYOUTS];
    pytree_node nodes[PYTREE__LAYOUT_NODES];
    pytree__static_span spans[PYTREE__LAYOUT_SPANS];
    pytree__nullable nullables[PYTREE__LAYOUT_NULLABLES];
} pytree__layout_space;

/* Cursors: where a walk stands. */
typedef struct pytree__frame {            /* an open node */
    const pytree_type *type;              /* struct, container, or of a list's elements */
    const void *self;                     /* the node's memory */
    char *data;                           /* where its children are read from */
    size_t next, count;                   /* children: which comes, how many */
    size_t shape[3];                      /* of a map and a pytree_flat: the view's; of pairs: see pytree__open_pairs; of a
                                             custom node: bytes of metadata */
    const uint32_t *order;                /* of pairs: see pytree_items; NULL: as they lie, or `ordered` */
    uint32_t views;                       /* where its children's views begin, in pytree__cursor.views */
    uint32_t nodes, leaves;               /* flatten: emitted before it was opened; see also walk, paths, check */
    uint8_t form, from;                   /* pytree_form; how children are found */
    uint8_t element;                      /* of a row: the form of its elements, where they need no check */
    unsigned char ordered : 1;            /* of pairs: the order was found, and stands among the views */
    unsigned char numbered : 1;           /* of pairs: keys are numbers */
    unsigned char sparse : 1;             /* of pairs: some were removed; the others are listed among the views, first */
    unsigned char run : 1;                /* a struct whose views are those of all leaves in it */
    unsigned char rows : 1;               /* of an iterator over several trees: structs lie in a row in each of them */
    unsigned char harmless : 1;           /* of a row: its structs' rows read through no pointer, though they look so */
} pytree__frame;
typedef struct pytree__cursor_space {     /* where a cursor's stacks begin */
    pytree__frame frames[PYTREE__FRAMES];
    pytree_leaf views[PYTREE__VIEWS];
} pytree__cursor_space;
/* A cursor that makes structs, and gives them the static values that others have for them (WITH). */
enum { PYTREE__GIVING = 2 };

typedef struct pytree__cursor {
    pytree__frame *frames;
    pytree_leaf *views;
    size_t n_frames, n_views, max_frames, max_views;
    const pytree_options *opt;
    pytree_error *err;
    pytree_leaf root, child;              /* the whole tree; an element that has no view of its own */
    union {
        size_t run_left;                  /* in an iterator: of the run on top, leaves that still come */
        struct pytree__given *given;      /* in one that is GIVING: copies of structs, with these values */
    } of;
    const struct pytree__problem_sink *watch; /* NULL: the first problem ends the walk */
    pytree_status status;                 /* of the last event, where that is PYTREE__FAILED */
    bool begun;                           /* the root was taken */
    bool plain;                           /* only types decide what is a leaf: no predicate, no namespace */
    bool none_is_leaf;
    bool runs;                            /* self-contained structs are PYTREE__AT_RUN; set it after init, where `plain` */
    bool met_flat;                        /* leaves of a pytree_flat came, which may be others than fields require */
    bool met_device : 1;                  /* the walk came to a tree whose arrays lie on a device; it is not plain then */
    bool writes : 1;                      /* leaves will be written where they are, so that none may be const; set after init */
    unsigned char making;                 /* NULL where data is required is no error: it is about to be made; or GIVING */
    void *scratch;                        /* for a moment: keys that are sorted, a long path */
    size_t max_scratch;
    pytree__frame *own_frames;            /* where the stacks began */
    pytree_leaf *own_views;
#if !defined(PYTREE_SMALL)
    const struct pytree__block *device;   /* once met_device: of the last such tree that was opened; or NULL */
#endif
} pytree__cursor;

#endif

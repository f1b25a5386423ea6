/* pytree/detail/state.h: what a walk keeps, visible so that iterators can live on the stack. Private; included by pytree.h
 * alone. */
#if !defined(PYTREE_H)
#include "../../pytree.h"              /* opened alone */
#endif
#ifndef PYTREE_DETAIL_STATE_H
#define PYTREE_DETAIL_STATE_H

/* What all structs of a type that are seen deep have in common is found once, from its rows: a plan. They have the same nodes,
 * but for what is None, and their static values and what may be None lie at the same places. */
typedef struct pytree__static_span {      /* static values that lie in one piece */
    size_t at, bytes;                     /* in the struct */
    const pytree_field *row;              /* of a value that is more than bytes, alone; otherwise NULL */
    uint32_t node;                        /* whose first part it is; UINT32_MAX: not the first */
} pytree__static_span;
typedef struct pytree__nullable {         /* a pointer that may be NULL */
    size_t at;
    uint32_t node;
    bool leads;                           /* to a struct: then the deep view ends there */
} pytree__nullable;
typedef struct pytree__layout {
    const pytree_type *type;              /* NULL: there is no plan here */
    uint32_t n_nodes, n_parts, n_options; /* no nodes: such structs cannot be seen deep */
    uint32_t nodes, parts, options;       /* where its own begin */
    size_t n_leaves, n_statics;           /* static bytes; without texts */
    uint64_t nones;                       /* options that are None in the nodes as they are now, a bit each */
    bool plain;                           /* without texts */
} pytree__layout;
typedef struct pytree__layout_cache {
    uint32_t n_nodes, n_parts, n_options; /* in use */
    pytree__layout *last;                 /* that was asked for */
    pytree__layout plans[PYTREE__PLANS];  /* by type */
    pytree_node nodes[PYTREE__PLAN_NODES];
    pytree__static_span parts[PYTREE__PLAN_PARTS];
    pytree__nullable options[PYTREE__PLAN_OPTIONS];
} pytree__layout_cache;
typedef struct pytree__frame {            /* an open node */
    const pytree_type *type;              /* struct, container, or of a list's elements */
    const void *self;                     /* the node's memory */
    char *data;                           /* where its children are read from */
    size_t next, count;                   /* children: which comes, how many */
    size_t views;                         /* where its children's views begin, in pytree__cursor.views */
    size_t shape[3];                      /* of a map and a pytree_flat: the view's; of pairs: see pytree__open_pairs; of a
                                             custom node: bytes of metadata */
    const char *name;                     /* of a namedtuple, of a default dict's factory */
    const uint32_t *order;                /* of pairs: see pytree_items; NULL: as they lie, or `ordered` */
    uint32_t nodes, leaves;               /* emitted before it was opened */
    uint8_t form, from;                   /* pytree_form; how children are found */
    uint8_t element;                      /* of a row: the form of its elements if they need no look, or PYTREE_FORM_REF */
    bool ordered;                         /* of pairs: the order was found, and stands among the views */
    bool numbered;                        /* of pairs: keys are numbers */
    bool deep;                            /* a struct whose views are the leaves in it */
} pytree__frame;
typedef struct pytree__cursor {
    pytree__frame *frames;
    pytree_leaf *views;
    size_t n_frames, n_views, max_frames, max_views;
    const pytree_options *opt;
    pytree_error *err;
    pytree_leaf root, child;              /* the whole tree; an element that has no view of its own */
    size_t run;                           /* in an iterator: of the frame on top, leaves that come without looking */
    const struct pytree__problem_sink *watch; /* NULL: the first problem ends the walk */
    pytree_status status;                 /* of the last event, where that is PYTREE__FAILED */
    bool begun;                           /* the root was taken */
    bool plain;                           /* only types decide what is a leaf: no predicate, no namespace */
    bool none_is_leaf;
    bool runs;                            /* self-contained structs are PYTREE__AT_RUN; set it after init, where `plain` */
    bool making;                          /* NULL where data is required is no error: it is about to be made */
    void *scratch;                        /* for a moment: keys that are sorted, a long path */
    size_t max_scratch;
    pytree__frame own_frames[PYTREE__FRAMES];
    pytree_leaf own_views[PYTREE__VIEWS];
} pytree__cursor;

#endif

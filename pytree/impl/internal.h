/* pytree/impl/internal.h: functions that the rooms of pytree/impl/ offer each other, grouped by room. Private. */
#ifndef PYTREE_IMPL_INTERNAL_H
#define PYTREE_IMPL_INTERNAL_H

#include "types.h"

#ifndef PYTREE__DECLARATIONS_ONLY         /* defined by tests that are linked with the bodies and call private functions */

/* error.h */
#if !defined(PYTREE_SMALL)                /* whose errors have only a status and a path */
static PYTREE__NOINLINE void pytree__put_message(pytree_error *err, const char *format, va_list arguments);
#endif
static pytree_status pytree__fail_unstable_callback(pytree_error *err);
static void pytree__shorten_middle(char *to, size_t room, const char *text);

/* kind.h */
PYTREE__INLINE const struct pytree__kind_traits *pytree__traits(const pytree_type *type);
static inline const struct pytree__notation *pytree__treedef_text(const pytree_type *type);
static inline const struct pytree__notation *pytree__literal_text(const pytree_type *type);
PYTREE__INLINE bool pytree__keyed(const pytree_type *type);
PYTREE__INLINE bool pytree__is_dict(const pytree_type *type);
PYTREE__INLINE bool pytree__is_named(const pytree_type *type);
static const char *pytree__name_of(const pytree_type *type, const char *name);
static inline const pytree_type *pytree__container_type(int kind);
static inline const pytree_type *pytree__type_of_code(uint64_t code);
static inline const pytree_type *pytree__type_of_word(const char *word, size_t n);
static inline const pytree_type *pytree__type_of_bracket(char c, char *close);

/* number.h */
static bool pytree__real(const pytree_type *type);
static inline double pytree__of_f16(uint16_t bits);
static inline double pytree__of_bf16(uint16_t bits);
static inline uint16_t pytree__to_half(double value, int mantissa);

/* type.h */
static size_t pytree__constant_child(const pytree_type *type);
static const pytree_type *pytree__origin(const pytree_type *type);
PYTREE__INLINE bool pytree__has_rows(const pytree_type *type);
PYTREE__INLINE bool pytree__contained(const pytree_type *type);
PYTREE__INLINE bool pytree__may_lack(const pytree_type *type);
PYTREE__INLINE const pytree_field *pytree__active_row(const pytree_field *row, const void *self);
PYTREE__INLINE const pytree_field *pytree__given_row(const pytree_field *row, const void *self, pytree_field *own);
static bool pytree__same_string(const char *a, const char *b);
static bool pytree__same_struct(const pytree_type *a, const pytree_type *b);
static bool pytree__same_held(unsigned form, const pytree_type *a, const pytree_type *b);
static const char *pytree__constant_name(const pytree_type *type, const void *element);
PYTREE__INLINE size_t pytree__type_slot(const pytree_type *type);
PYTREE__INLINE size_t pytree__child_views(const pytree_type *type, const void *self, pytree_leaf *view);
PYTREE__INLINE pytree__flatten_result pytree__leaf_views(const pytree_type *type, const void *self, pytree_leaf *view,
                                                         const pytree_leaf *end, bool none_is_leaf);
PYTREE__INLINE size_t pytree__validate(const pytree_type *type, const void *self, pytree_leaf *scratch, const pytree_leaf *end);

/* unicode.h */
static unsigned pytree__utf8(const char *s, size_t n, uint32_t *character);
static bool pytree__printable(uint32_t character);

/* memory.h */
static const pytree_allocator *pytree__allocator(const pytree_options *opt);
static pytree_status pytree__no_memory(pytree_error *err, size_t bytes);
static void pytree__clear(void *p, size_t bytes);
static size_t pytree__times(size_t a, size_t b);
static size_t pytree__plus(size_t a, size_t b);
static size_t pytree__round(size_t n, size_t to);
static size_t pytree__align(size_t n, size_t to);
static pytree_status pytree__new_alignment(const pytree_options *opt, size_t *align, pytree_error *err);
static inline bool pytree__little_endian(void);
void pytree__swap(void *words, size_t size, size_t n);
static inline uint64_t pytree__number_at(const unsigned char *p, size_t n);

/* text.h */
static bool pytree__file_put(FILE *file, const char *s, size_t n);
PYTREE__INLINE void pytree__text_put_small(struct pytree__text_writer *to, const char *s, size_t n);
static void pytree__put_integer(struct pytree__text_writer *to, int64_t n);
static struct pytree__text_writer pytree__part_of(const struct pytree__text_writer *to, size_t pieces, size_t rest);
static void pytree__put_part(struct pytree__text_writer *to, const struct pytree__text_writer *part);
static size_t pytree__end_text(const struct pytree__text_writer *to, size_t n);
static struct pytree__text_writer pytree__text_to(char *at, size_t n, const struct pytree__text_file *file);
static struct pytree__text_file pytree__file_sink(FILE *file);

/* float_text.h */
static size_t pytree__find_digits(char digit[48], int *exponent, long double v, int kind);
static void pytree__put_float(struct pytree__text_writer *to, long double v, int kind);

/* statics.h */
/* Sees one piece of a struct's static values: its row, which says how it is packed, where in the struct it lies, its bytes
 * there. Returns false to end the visit, which then returns that. */
typedef bool pytree__static_fn(void *context, const pytree_field *row, size_t at, size_t bytes);
PYTREE__INLINE bool pytree__visit_row(const pytree_field *row, size_t at, pytree__static_fn *fn, void *context);
PYTREE__INLINE bool pytree__visit_statics(const pytree_type *type, size_t at, pytree__static_fn *fn, void *context);
PYTREE__INLINE void pytree__copy_few(void *to, const void *from, size_t n);
static void pytree__pack_bytes(pytree__statics *to, const void *p, size_t n);
static size_t pytree__text_length(const char *s, size_t n);
static bool pytree__same_text(const char *a, const char *b, size_t n);
static void pytree__pack_string(pytree__statics *to, const char *s);
static void pytree__pack(pytree__statics *to, const pytree_field *row, const void *at);
static uint32_t pytree__u32(const unsigned char *at);
static const unsigned char *pytree__skip_strings(const unsigned char *at, size_t n);
static void pytree__pack_number(pytree__statics *to, int64_t number);
static const unsigned char *pytree__skip_keys(const unsigned char *at, size_t n);
static size_t pytree__maxlen(const unsigned char *at);
/* The metadata of a container: its name (or factory), its maximum length; nothing where its kind has none. The second one sets
 * what there is of those in *items and returns where the keys begin. */
void pytree__pack_meta(pytree__statics *to, const pytree_type *type, const char *name, size_t maxlen);
static const unsigned char *pytree__unpack_meta(const pytree_type *type, const unsigned char *at, pytree_items *items);
static bool pytree__match_meta(const pytree_type *type, const char *name, size_t maxlen, const unsigned char *at);
static void pytree__put_packed(struct pytree__text_writer *to, const pytree_type *type, const unsigned char *at);
PYTREE__INLINE uint64_t pytree__differ(const void *a, const void *b, size_t n);
/* Compare the static values of a row, of a struct, with packed ones. Return where those end; NULL if they differ. */
static const unsigned char *pytree__match_row(const pytree_field *row, const char *field, const unsigned char *at);
static const unsigned char *pytree__put_row(struct pytree__text_writer *to, const pytree_field *row, const unsigned char *at);
static const unsigned char *pytree__match_packed(const pytree_type *type, const char *self, const unsigned char *at);
static bool pytree__same_row(const pytree_field *row, const char *x, const char *y);
static bool pytree__same_statics(const pytree_type *type, const char *a, const char *b);
/* One of two structs whose static values are compared for a message: where it is, or where they are packed. */
struct pytree__static_side { const char *self; const unsigned char *packed; };
static struct pytree__static_side pytree__static_side_of(const pytree__frame *f);
/* Put which is the first static value that is not the same in two structs of a type, of which there is one, and both values:
 * "Linear with din=3", what stands between them, "4". */
static void pytree__put_sides(struct pytree__text_writer *to, const pytree_type *type, struct pytree__static_side sides[2],
                              const char *between);

/* layout_make.h */
static bool pytree__layout_full(pytree__layout_cache *p);
static bool pytree__layout_make(pytree__layout_cache *p, pytree__layout *layout, const pytree_type *type);
static struct pytree__leaf_slot *pytree__leaf_slots_add(struct pytree__leaf_slot *slot, const struct pytree__leaf_slot *end,
                                                        const pytree_type *type, size_t offset, uint64_t *null_mask);
static struct pytree__leaf_slot *pytree__leaf_slots_for(const pytree__layout *layout, uint64_t null_mask,
                                                        struct pytree__leaf_slot *slot, const struct pytree__leaf_slot *end);
static bool pytree__views_are_static(const pytree_type *type, struct pytree__static_types *known);

/* layout.h */
PYTREE__INLINE pytree__layout *pytree__layout_was_kept(const pytree_type *type);
PYTREE__INLINE pytree__layout *pytree__layout_kept(const pytree_type *type);
static uint32_t pytree__layout_adapt(const pytree__layout *layout, pytree_node *nodes, uint32_t n_leaves, uint64_t changed,
                                     uint64_t null_mask);
static void pytree__layout_clear(pytree__layout_cache *p);
static void pytree__layout_cache_init(pytree__layout_cache *p, pytree__layout_space *space);
PYTREE__INLINE pytree__layout *pytree__layout_of(pytree__layout_cache *p, const pytree_type *type);
static void pytree__layout_cache_bare(pytree__layout_cache *p);
PYTREE__INLINE pytree__layout *pytree__layout_for(pytree__layout_cache *p, const pytree_type *type, const void *self,
                                                  bool none_is_leaf, uint64_t *null_mask);
PYTREE__INLINE bool pytree__layout_instances_equal(const pytree__layout *layout, size_t n, const pytree_leaf **structs);
PYTREE__INLINE bool pytree__same_counts(const pytree_node *a, const pytree_node *b);
PYTREE__INLINE bool pytree__layout_few_equal(const pytree__layout *layout, const char *const self[4], const bool pair);
PYTREE__INLINE bool pytree__layout_matches_instance(pytree__layout *layout, const char *self, const pytree_def *def,
                                                    const pytree_node *theirs);
PYTREE__INLINE pytree__layout *pytree__layout_of_node(pytree__layout_cache *p, const pytree_node *n);
PYTREE__INLINE void pytree__layout_emit(const pytree__layout *layout, const char *self, pytree_node *nodes,
                                        pytree__statics *to);
PYTREE__INLINE size_t pytree__layout_bytes(const pytree__layout *layout, const char *self);
PYTREE__INLINE bool pytree__layout_view(const pytree__layout *layout, const void *self, uint64_t *null_mask);

/* treedef.h */
static void pytree__node_text(struct pytree__text_writer *to, const pytree_def *def, const pytree_node *node);
static bool pytree__same_node(const pytree_node *a, const pytree_node *b);
static pytree_leaf *pytree__def_leaves(const pytree_def *def)      /* those that follow in the same block */;
static uint64_t pytree__mix(uint64_t h, uint64_t v);
static uint64_t pytree__hash_bytes(uint64_t h, const void *p, size_t n);
static bool pytree__has_meta(const pytree_node *node);
static bool pytree__namespaced(const pytree_node *node);
static const unsigned char *pytree__next_key(const pytree_node *node, const unsigned char *at, size_t i, pytree_entry *entry);
static const unsigned char *pytree__first_key(const pytree_def *def, size_t at);
static pytree_status pytree__leaf_counts(const pytree_def *def, size_t n, const pytree_leaf *leaves, pytree_error *err);
static pytree_status pytree__given_leaves(size_t n, const pytree_leaf *leaves, pytree_error *err);
static bool pytree__same_entry(const pytree_entry *a, const pytree_entry *b);
static void pytree__node_path(const pytree_def *def, size_t node, char *text, size_t n);
static void *pytree__no_def(pytree_error *err);
static void pytree__move_orders(uint32_t *to, const pytree_node *nodes, const uint32_t *orders, size_t n, uint32_t base);

/* treedef_text.h */
static void pytree__put_factory(struct pytree__text_writer *to, const pytree_def *def, size_t at);
static void pytree__put_maxlen(struct pytree__text_writer *to, size_t maxlen, bool comma);
static void pytree__put_meta(struct pytree__text_writer *to, const pytree_def *def, size_t at);
static const char *pytree__opening(const struct pytree__notation *notation, size_t arity);
static const char *pytree__closing(const struct pytree__notation *notation, size_t arity);

/* view.h */
PYTREE__INLINE void pytree__copy_view(pytree_leaf *to, const pytree_leaf *from);
static void pytree__none_view(pytree_leaf *v);
static void pytree__view(pytree_leaf *v, const pytree_type *type, void *data);
PYTREE__INLINE bool pytree__view_is_valid(const pytree_leaf *v);
PYTREE__INLINE bool pytree__plain_walk(const pytree_options *opt);
static const pytree_type *pytree__type_of_form(unsigned form, const pytree_type *type);
static const pytree_type *pytree__node_type(const pytree_leaf *v);
static const char *pytree__view_name(const pytree_leaf *v);
static void pytree__put_leaf_type(struct pytree__text_writer *to, const pytree_leaf *leaf);
static void pytree__leaf_text(char *text, size_t n, const pytree_leaf *leaf);
PYTREE__INLINE pytree_status pytree__fits(const pytree_leaf *wanted, const pytree_leaf *got);
PYTREE__INLINE size_t pytree__other_extents(const pytree_leaf *a, const pytree_leaf *b);
PYTREE__INLINE bool pytree__fit(const pytree_leaf *wanted, const pytree_leaf *const end, const pytree_leaf *given);
PYTREE__INLINE bool pytree__alike(const pytree_leaf *a, const pytree_leaf *b);
static bool pytree__near(double x, double y, const pytree_tolerance *tolerance);
static bool pytree__parts(const pytree_leaf *leaf, pytree_leaf *out);
PYTREE__INLINE pytree pytree__referent(pytree t);

/* pattern.h */
static void pytree__pattern_init(struct pytree__pattern *p);
PYTREE__INLINE bool pytree__pattern_pays(const struct pytree__pattern *p, const pytree_type *type, size_t left);
static PYTREE__NOINLINE bool pytree__pattern_learn(struct pytree__pattern *p, const pytree__layout *layout,
                                                   const char *const *self, size_t n, size_t left);
static bool pytree__pattern_suits(const struct pytree__pattern *p, const char *self);
static void pytree__pattern_note(struct pytree__pattern *p, const char *self, size_t n);
PYTREE__INLINE bool pytree__pattern_may_recall(const struct pytree__pattern *p, const pytree_type *type, const char *self,
                                               size_t left);
static PYTREE__NOINLINE size_t pytree__pattern_recall(struct pytree__pattern *p, pytree__layout_cache *cache,
                                                      const pytree_type *type, const char *const self[4], size_t n,
                                                      size_t left);
static PYTREE__NOINLINE size_t pytree__pattern_count_one(struct pytree__pattern *p, const char *self, size_t n);
static PYTREE__NOINLINE size_t pytree__pattern_count_four(struct pytree__pattern *p, const char *const self[4], size_t n);
static PYTREE__NOINLINE size_t pytree__pattern_fit(const struct pytree__pattern *p, const pytree_leaf *given, size_t n);
static PYTREE__NOINLINE void pytree__pattern_store(const struct pytree__pattern *p, char *self, const pytree_leaf *leaves,
                                                   size_t n);
static PYTREE__NOINLINE bool pytree__pattern_take(const struct pytree__pattern *p, const char *const self[4],
                                                  pytree_leaf *const views[4]);

/* cursor_stack.h */
static void pytree__cursor_begin(pytree__cursor *c, pytree__frame *frames, size_t n_frames, pytree_leaf *views, size_t n_views,
                                 const pytree_options *opt, pytree_error *err);
static void pytree__cursor_init(pytree__cursor *c, pytree__cursor_space *space, const pytree_options *opt, pytree_error *err);
static void pytree__cursor_end(pytree__cursor *c);
static void *pytree__scratch(pytree__cursor *c, size_t bytes);
static pytree_leaf *pytree__room(pytree__cursor *c, size_t n);
static void *pytree__zeros(void);

/* cursor_path.h */
PYTREE__INLINE bool pytree__in_row(const pytree__frame *f);
PYTREE__INLINE size_t pytree__number_views(size_t n);
PYTREE__INLINE const uint32_t *pytree__found_order(const pytree__cursor *c, const pytree__frame *f);
PYTREE__INLINE char *pytree__pair(const pytree__cursor *c, const pytree__frame *f, size_t i);
static const char *pytree__items_name(const pytree__frame *f);
static const pytree *pytree__held(const pytree__cursor *c, const pytree__frame *f);
static const unsigned char *pytree__held_metadata(const pytree__cursor *c, const pytree__frame *f);
static void pytree__frame_entry(const pytree__cursor *c, const pytree__frame *f, size_t i, pytree_entry *entry);
static const pytree_field *pytree__data_row(const pytree_type *type, size_t i);
static const char *pytree__struct_of(const pytree_field *row, const char *self);
static size_t pytree__deep_leaves(const pytree_type *type, const char *self);
static const pytree_field *pytree__row_at(const pytree__cursor *c, const char **self);
static size_t pytree__cursor_path(const pytree__cursor *c, pytree_entry *entries, size_t capacity);
static void pytree__cursor_text(const pytree__cursor *c, struct pytree__text_writer *to);
static pytree_status pytree__fail_at(const pytree__cursor *c, pytree_status status, const char *format, ...);
#if defined(PYTREE_SMALL)                 /* as pytree_fail */
static pytree_status pytree__fail_at_short(const pytree__cursor *c, pytree_status status);
#define pytree__fail_at(c, status, ...) (0 ? (pytree__fail_at)(c, status, __VA_ARGS__) : pytree__fail_at_short(c, status))
#endif
static bool pytree__fail_begin(const pytree__cursor *c, pytree_status status, struct pytree__text_writer *to);
static void pytree__fail_end(const pytree__cursor *c, struct pytree__text_writer *to);
static unsigned pytree__form_in(const pytree__frame *f);
static pytree_status pytree__fail_misfit(pytree__cursor *c, pytree_status status, const pytree_leaf *wanted,
                                         const pytree_leaf *got);
static size_t pytree__depth(const pytree__cursor *c);
static void pytree__entry_at(const pytree__cursor *c, size_t i, pytree_entry *entry);

/* device.h */
static void pytree__meet_device(pytree__cursor *c);
static PYTREE__NOINLINE void pytree__meet_tree(pytree__cursor *c, pytree_leaf *v, const pytree_type *type);
static PYTREE__NOINLINE bool pytree__check_device(pytree__cursor *c, const pytree_leaf *v, pytree_status *status);
static void pytree__see_device(pytree__cursor *c, pytree_leaf *v);
#if defined(PYTREE_SMALL)
#define pytree__hides_device(c) false
#else
static bool pytree__hides_device(const pytree__cursor *c);
#endif
static PYTREE__NOINLINE pytree_status pytree__need_leaves(const pytree_def *def, const pytree_leaf *leaves, pytree_error *err);
static PYTREE__NOINLINE pytree_status pytree__need_host_below(const pytree_iter *it);
static size_t pytree__node_of_leaf(const pytree_def *def, size_t leaf);
static inline pytree_status pytree__need_host(const pytree_def *def, const pytree_leaf *leaves, pytree_error *err);
static PYTREE__NOINLINE pytree_status pytree__fail_device(const pytree__cursor *c, const pytree_leaf *leaf);

/* dict_order.h */
static bool pytree__has_key_order(const pytree_items *items);
static pytree_status pytree__open_pairs(pytree__cursor *c, pytree__frame *f);
static pytree_status pytree__skip_removed(pytree__cursor *c, pytree__frame *f, const pytree_items *items);
struct pytree__sorting;
static uint64_t pytree__key_prefix64(const char *key);
static int pytree__by_key(const void *a, const void *b);
static void pytree__sort_keys(struct pytree__sorting *keys, size_t n);

/* given.h */
struct pytree__given;
static PYTREE__NOINLINE void pytree__given_free(struct pytree__given *last, const pytree_allocator *a);
static const char *pytree__other_given(const pytree_field *row, const void *self, const pytree_leaf *view, bool fill);
static pytree_status pytree__give(pytree__cursor *c, pytree__frame *f);

/* row_text.h */
static PYTREE__NOINLINE size_t pytree__null_read(const pytree_type *type, const void *self, bool own, bool inside,
                                                 struct pytree__null_text *null);
static bool pytree__row_overflows(const pytree_type *type, const void *self, const pytree_field *row, const char **from,
                                  const char **end, uint64_t *product);

/* cursor_check.h */
static pytree_status pytree__template(pytree__cursor *c, const pytree_type *type);
static pytree_status pytree__check_statics(pytree__cursor *c, const pytree__frame *f);
static pytree_status pytree__resolve_view(pytree__cursor *c, pytree_leaf *v);

/* cursor.h */
static void pytree__row_view(pytree_leaf *v, const pytree_field *row, const char *at, const size_t *shape);
static pytree_status pytree__cursor_root(pytree__cursor *c, pytree t);
static void pytree__apply_namespace(const pytree__cursor *c, pytree_leaf *v);
static pytree_status pytree__open(pytree__cursor *c, const pytree_leaf *value);
static pytree_status pytree__take(pytree__cursor *c, const pytree_leaf **value);
static void pytree__close(pytree__cursor *c);
PYTREE__INLINE bool pytree__cursor_child(pytree__cursor *c, pytree__frame *f, const pytree_leaf **value);
PYTREE__INLINE int pytree__classify(pytree__cursor *c, const pytree_leaf *value);
PYTREE__INLINE int pytree__cursor_next(pytree__cursor *c, const pytree_leaf **value);
PYTREE__INLINE const pytree_leaf *pytree__leaf_follows(pytree__cursor *c);
PYTREE__INLINE bool pytree__run_follows(pytree__cursor *c);
PYTREE__INLINE void pytree__cursor_back(pytree__cursor *c);

/* flatten_owned.h */
static const struct pytree__block *pytree__owned_block_of(pytree t, const pytree_options *opt);
static bool pytree__flatten_owned(const struct pytree__block *block, pytree t, pytree_def *def, pytree_leaf *leaves);

/* flatten.h */
static pytree_status pytree__flatten(pytree t, bool making, pytree_leaf **leaves, size_t capacity, pytree_def **def,
                                     const pytree_options *opt, pytree_error *err);
static void pytree__flattener_init(struct pytree__flattener *s, const pytree_options *opt, pytree_error *err);
static pytree_status pytree__flatten_into(struct pytree__flattener *s, pytree t, bool whole, pytree_def *def,
                                          pytree_leaf *leaves, size_t capacity);
static pytree_status pytree__count_leaves(pytree t, pytree_leaf *leaves, size_t capacity, size_t *count,
                                          const pytree_options *opt, pytree_error *err);
static void pytree__pack_node(pytree__statics *to, const pytree__cursor *c, const pytree__frame *f);

/* follow.h */
PYTREE__INLINE bool pytree__may_follow(size_t flags);
static PYTREE__NOINLINE pytree__flatten_result pytree__follow_views(pytree_leaf *view, pytree_leaf *end, pytree_leaf *room_end);
static PYTREE__NOINLINE bool pytree__follow_equal(pytree_iter *it, size_t n, const pytree_leaf **structs);
static PYTREE__NOINLINE size_t pytree__follow_matches(pytree__layout_cache *cache, const pytree_type *type, const char *self,
                                                      const pytree_def *def, const pytree_node *theirs, size_t left);

/* unflatten_into.h */
PYTREE__INLINE const pytree_leaf *pytree__store_leaves(const pytree_type *type, void *self, const pytree_leaf *leaf);
static bool pytree__same_meta(const pytree__cursor *c, const pytree__frame *f, const pytree_def *def, size_t j);
static void pytree__store_leaf(const pytree__cursor *c, const pytree_leaf *value, const pytree_leaf *leaf);

/* iterate_errors.h */
static pytree_status pytree__iter_fail(pytree_iter *it, pytree_status status);
static pytree_status pytree__fail_structure(pytree_iter *it, size_t k, const pytree_leaf *expected, const pytree_leaf *got);
static pytree_status pytree__fail_statics(pytree_iter *it, size_t k);
static pytree_status pytree__fail_struct_statics(pytree_iter *it, size_t k);
static pytree_status pytree__fail_maxlen(pytree_iter *it, size_t k, const size_t maxlen[2]);
static pytree_status pytree__fail_key(pytree_iter *it, size_t k, const pytree_entry *x, const pytree_entry *y);

/* iterate.h */
static void pytree__iter_seek(const pytree_iter *at);
static const char *pytree__frame_name(const pytree__frame *f);
static size_t pytree__frame_maxlen(const pytree__frame *f);

/* walk.h */
static void pytree__frame_view(const pytree__frame *f, pytree_leaf *node);

/* distinct.h */
struct pytree__extent { uintptr_t from, to; };                 /* memory that a value takes */
static size_t pytree__memory_bytes(const pytree_leaf *v);
static bool pytree__lies_inside(const pytree__cursor *c, const pytree_leaf *v);
static size_t pytree__own_bytes(const pytree__cursor *c, const pytree_leaf *v);
static bool pytree__node_checks(const pytree_leaf *node);
static pytree_status pytree__is_distinct(pytree t, bool checks, const pytree_options *opt);

/* reached.h */
static struct pytree__reached *pytree__reach(struct pytree__reached_set *a, const pytree_leaf *v, bool *is_new);
static void pytree__reached_free(struct pytree__reached_set *a);

/* iterate.h */
PYTREE__INLINE bool pytree__advance(pytree_iter *it, const size_t n, const bool checking, struct pytree__pattern *pattern);
static bool pytree__advance_some(pytree_iter *it, bool checking, struct pytree__pattern *pattern);
PYTREE__INLINE void pytree__run_next(pytree_iter *it, const size_t n);
static pytree_status pytree__iter_start(pytree_iter *it, pytree_leaf views[PYTREE__MORE_VIEWS], size_t n, const pytree *trees,
                                        const pytree_options *opt, pytree_error *err);
static pytree_status pytree__iter_again(pytree_iter *it, const pytree *trees);

/* owned.h */
static char *pytree__find_block_pointer(const pytree_type *type, const char *self, bool *array);
static struct pytree__block *pytree__block_of_root(pytree t);
static void pytree__release_walking(pytree t, const pytree_allocator *a);
static void pytree__free_attached(struct pytree__attached *last, const struct pytree__attached *until,
                                  const pytree_allocator *a);

/* build_device.h */
static PYTREE__NOINLINE void pytree__measure_device_leaf(struct pytree__builder *b, size_t i);
static PYTREE__NOINLINE bool pytree__device_begin(struct pytree__builder *b);
static PYTREE__NOINLINE void pytree__device_finish(const struct pytree__builder *b, struct pytree__block *block);
static PYTREE__NOINLINE bool pytree__build_on_device(struct pytree__builder *b, char *to, const pytree_leaf *leaf,
                                                     size_t bytes);
static PYTREE__NOINLINE void pytree__mark_device_view(const struct pytree__builder *b, pytree_leaf *view);
static PYTREE__NOINLINE void pytree__refer_to_device(struct pytree__builder *b, const pytree_leaf *leaf);

/* build_place.h */
PYTREE__INLINE char *pytree__bump_head(struct pytree__builder *b, size_t bytes);
PYTREE__INLINE char *pytree__bump_tail(struct pytree__builder *b, size_t bytes);
static void pytree__unpack(struct pytree__builder *b, const pytree_type *type, char *self, const unsigned char *at,
                           bool strings);
PYTREE__INLINE struct pytree__build_frame *pytree__build_push(struct pytree__builder *b, const pytree_type *type, char *at,
                                                              size_t step, size_t n);
static pytree_leaf *pytree__build_views(struct pytree__builder *b, size_t n);
PYTREE__INLINE pytree *pytree__build_chain(pytree *at, size_t n, pytree *chain);
PYTREE__INLINE const uint32_t *pytree__build_order(struct pytree__builder *b, size_t node);
static void pytree__build_fail_node(struct pytree__builder *b, size_t node, const char *expected);
static void pytree__build_fail_leaf(struct pytree__builder *b, pytree_status status, size_t node, const pytree_leaf *wanted,
                                    const pytree_leaf *got);
static void pytree__build_fail_set(struct pytree__builder *b, size_t node);
PYTREE__INLINE bool pytree__build_validate_leaves(struct pytree__builder *b);
PYTREE__INLINE void pytree__build_bytes(struct pytree__builder *b, void *to, const pytree_leaf *leaf, size_t bytes,
                                        bool in_place);
PYTREE__INLINE bool pytree__stays_null(const struct pytree__builder *b, const void *p, size_t n, bool optional);
PYTREE__INLINE bool pytree__in_head(const struct pytree__builder *b, const pytree_type *type, int ndim);
static void *pytree__build_array(struct pytree__builder *b, const pytree_leaf *leaf);
static bool pytree__in_cell(const pytree_leaf *leaf);
static void *pytree__build_item(struct pytree__builder *b, const pytree_leaf *leaf);
static bool pytree__is_flexible(const pytree_type *type);
static size_t pytree__build_bytes_of(const struct pytree__builder *b, size_t node, size_t leaf);
static void pytree__build_skip(struct pytree__builder *b, size_t node);
static bool pytree__build_refuse(struct pytree__builder *b, size_t node);

/* build_same.h */
static size_t pytree__same_target(const pytree_def *def, size_t node);
static pytree_status pytree__links_begin(struct pytree__builder *b, struct pytree__build_links *l);
static void pytree__links_end(struct pytree__builder *b);
static bool pytree__link(struct pytree__builder *b, size_t node, void *at, unsigned place, const pytree_field *row);
static bool pytree__link_row(struct pytree__builder *b, size_t node, void *at, const pytree_field *row);
static bool pytree__link_element(struct pytree__builder *b, size_t node, char *at, const pytree_type *type);
static void pytree__link_finished(struct pytree__builder *b, const struct pytree__build_frame *frame);
static const struct pytree__build_link *pytree__linked(const struct pytree__builder *b, size_t node);
static void pytree__build_shares(struct pytree__builder *b);

/* build_bound.h */
static PYTREE__NOINLINE void pytree__bound_head(struct pytree__builder *b);
static void pytree__measure_leaves(struct pytree__builder *b);

/* build_struct.h */
PYTREE__INLINE pytree__layout *pytree__counted_layout(struct pytree__builder *b, const pytree_type *type, const pytree_node *n);
PYTREE__INLINE const pytree__layout *pytree__build_layout(struct pytree__builder *b, const pytree_type *type,
                                                          const pytree_node *n);
PYTREE__INLINE bool pytree__unpack_inlined(const struct pytree__builder *b, const pytree__layout *layout, char *self,
                                           const pytree_node *n, bool alike);
PYTREE__INLINE bool pytree__refer_inlined(struct pytree__builder *b, const pytree__layout *layout, char *self,
                                          const pytree_leaf *leaf, bool alike);
static bool pytree__own_inlined(struct pytree__builder *b, const pytree__layout *layout, char *self, const pytree_leaf *leaf);
PYTREE__INLINE void pytree__build_open(struct pytree__builder *b, const pytree_type *type, char *self, size_t node);
static PYTREE__NOINLINE void pytree__build_verify(struct pytree__builder *b, const struct pytree__build_frame *frame);
static bool pytree__is_verified(struct pytree__builder *b, const pytree_type *type);

/* build_items.h */
static void pytree__copy_keys(struct pytree__builder *b);
PYTREE__INLINE pytree *pytree__build_items(struct pytree__builder *b, size_t node, char *piece, pytree *chain);
static size_t pytree__items_bytes(const pytree_node *n);
static pytree pytree__build_container(struct pytree__builder *b, size_t node);

/* build.h */
static PYTREE__NOINLINE void pytree__rebuild_customs(struct pytree__builder *b);
static pytree pytree__build_run(struct pytree__builder *b, const pytree *in_place, char *root);

/* build_handles.h */
static PYTREE__NOINLINE void pytree__clone_handles(struct pytree__builder *b);
static pytree_status pytree__clone_handles_at(struct pytree__builder *b, pytree__cursor *c, size_t node);
static pytree_status pytree__clone_handles_of_tree(struct pytree__builder *b);

/* build_block.h */
static pytree_status pytree__build_tree(pytree *t, const pytree_def *def, const pytree_leaf *leaves, int mode,
                                        const struct pytree__source *source, const pytree_options *opt, pytree_error *err);

/* unflatten.h */
static void pytree__refer_items(struct pytree__builder *b);

/* materialize.h */
static bool pytree__is_address(const pytree_field *row);
static bool pytree__children_to_make(pytree__cursor *c, const pytree_type *type, const char *self, pytree_leaf *views);
enum {                                    /* what is NULL that the rows of a struct may read through */
    PYTREE__LACKS_NOTHING,
    PYTREE__LACKS_STRUCT,
    PYTREE__LACKS_READ,                   /* what a row reads through by its text */
    PYTREE__LACKS_BEYOND                  /* a struct that one of its structs must have: rows may read through both */
};
static int pytree__lacks(const pytree_type *type, const void *self, bool making, pytree__frame *row);
static size_t pytree__views_lacking(pytree__cursor *c, const pytree_type *type, const char *self, pytree_leaf *views,
                                    int lacks);
static pytree_status pytree__fail_beyond(pytree__cursor *c);
static PYTREE__NOINLINE bool pytree__fails_read(pytree__cursor *c, pytree__frame *f, int lacks, pytree_status *status);
static pytree_status pytree__views_to_make(pytree__cursor *c, pytree__frame *f, pytree_leaf *views);

/* compare.h */
static void pytree__put_value(struct pytree__text_writer *to, const pytree_leaf *leaf, size_t i);
static size_t pytree__first_difference(const pytree_leaf *a, const pytree_leaf *b, const pytree_tolerance *tolerance);
static pytree_status pytree__compare_values(pytree_iter *it, const pytree_tolerance *tolerance);

/* print.h */
static pytree_status pytree__put_tree(struct pytree__text_writer *to, pytree t, const pytree_options *opt, pytree_error *err);

/* paths.h */
struct pytree__paths_block;               /* stands before the pointers that pytree_paths returns */

#include "all.h"                          /* a room that is opened alone finds the others */
#endif
#endif

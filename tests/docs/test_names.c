/* The functions that docs/coming-from.md names: each is there, and the page and this list name the same ones. */
#include "support.h"
#include "pytree/algebra.h"
#include "pytree/cache.h"
#include "pytree/containers.h"
#include "pytree/literal.h"
#include "pytree/npy.h"
#include "pytree/npz.h"
#include "pytree/object.h"
#include "pytree/optimizer.h"
#include "pytree/path.h"
#include "pytree/derive.h"
#include "pytree/display.h"
#include "pytree/gguf.h"
#include "pytree/graph.h"
#include "pytree/ravel.h"
#include "pytree/record.h"
#include "pytree/deviation.h"
#include "pytree/groups.h"
#include "pytree/html.h"
#include "pytree/layout.h"
#include "pytree/program.h"
#include "pytree/pt.h"
#include "pytree/safetensors.h"
#include "pytree/state.h"
#include "pytree/treedef.h"
#include "pytree/treedef_io.h"

#define NAMES(X)                                                                                                        \
    X(pytree_all) X(pytree_allocate) X(pytree_allocate_like) X(pytree_any) X(pytree_arrays) X(pytree_at) X(pytree_axpy) \
    X(pytree_lerp) X(pytree_record) X(pytree_scale)                                                                     \
    X(pytree_broadcast_common)                                                                                          \
    X(pytree_broadcast_leaves) X(pytree_broadcast_map) X(pytree_broadcast_prefix) X(pytree_check) X(pytree_children)    \
    X(pytree_clone) X(pytree_combine) X(pytree_contiguous) X(pytree_copy_into) X(pytree_def_child)                      \
    X(pytree_def_common_suffix) X(pytree_def_compose) X(pytree_def_defaultdict) X(pytree_def_deque) X(pytree_def_dict)  \
    X(pytree_def_entry) X(pytree_def_equal) X(pytree_def_differences) X(pytree_def_free) X(pytree_def_hash)             \
    X(pytree_def_idict) X(pytree_def_is_leaf) X(pytree_def_is_prefix) X(pytree_def_is_suffix) X(pytree_def_kind)        \
    X(pytree_def_leaf) X(pytree_def_leaf_path) X(pytree_def_list) X(pytree_def_load) X(pytree_def_namedtuple)           \
    X(pytree_def_none) X(pytree_def_num_children) X(pytree_def_num_leaves) X(pytree_def_num_nodes) X(pytree_def_odict)  \
    X(pytree_def_parse) X(pytree_def_paths) X(pytree_def_print) X(pytree_def_save) X(pytree_def_struct)                 \
    X(pytree_def_text) X(pytree_def_transform) X(pytree_def_tuple) X(pytree_def_type_name) X(pytree_diff) X(pytree_dot) \
    X(pytree_equal) X(pytree_find_duplicates) X(pytree_flatten) X(pytree_flatten_up_to) X(pytree_free) X(pytree_give)   \
    X(pytree_slice) X(pytree_is_leaf) X(pytree_iter_begin) X(pytree_iter_end) X(pytree_iter_path_match)                 \
    X(pytree_iter_path_text) X(pytree_leaves) X(pytree_literal_text) X(pytree_load_npy) X(pytree_load_npz)              \
    X(pytree_load_safetensors) X(pytree_map) X(pytree_max) X(pytree_min) X(pytree_new_dict) X(pytree_new_list)          \
    X(pytree_iter_next) X(pytree_norm) X(pytree_num_leaves) X(pytree_parse) X(pytree_partition) X(pytree_path_parse)    \
    X(pytree_path_simple_text) X(pytree_path_text) X(pytree_paths) X(pytree_prefix_errors) X(pytree_print)              \
    X(pytree_promote) X(pytree_ravel) X(pytree_reduce) X(pytree_reduce_pairwise) X(pytree_replace_none)                 \
    X(pytree_save_npy) X(pytree_save_npz) X(pytree_save_safetensors) X(pytree_set_at) X(pytree_stack)                   \
    X(pytree_structure) X(pytree_sum) X(pytree_summary) X(pytree_text) X(pytree_transpose) X(pytree_transpose_map)      \
    X(pytree_unflatten) X(pytree_unflatten_into) X(pytree_unravel) X(pytree_walk) X(pytree_zeros_like)                   \
    X(pytree_apply) X(pytree_apply_new) X(pytree_cache_get) X(pytree_eval_shape) X(pytree_jit_call) X(pytree_jit_new)   \
    X(pytree_prepare) X(pytree_run) X(pytree_program_new) X(pytree_program_print) X(pytree_split) X(pytree_states)      \
    X(pytree_pushforward) X(pytree_pullback) X(pytree_dce)                                                              \
    X(pytree_equal_within) X(pytree_deviations)                                                                         \
    X(pytree_save_html) X(pytree_save_html_diff) X(pytree_groups_new) X(pytree_group_of)                                \
    X(pytree_display) X(pytree_state_print) X(pytree_array_text) X(pytree_optimizer_new) X(pytree_optimizer_update)     \
    X(pytree_check_grads) X(pytree_op_matmul)                                                                           \
    X(pytree_program_print)                                                                                             \
    X(pytree_merge) X(pytree_pure) X(pytree_state_merge) X(pytree_state_minus) X(pytree_update)                         \
    X(pytree_iter_role) X(pytree_of_places) X(pytree_places) X(pytree_prefix) X(pytree_set_attributes)                  \
    X(pytree_graph_clone) X(pytree_graph_duplicates) X(pytree_graph_flatten) X(pytree_graph_walk) X(pytree_graphdef)    \
    X(pytree_check_grads) X(pytree_op_matmul)                                                                           \
    X(pytree_new_object) X(pytree_object_put) X(pytree_object_get) X(pytree_object_remove) X(pytree_object_length)      \
    X(pytree_object_attribute) X(pytree_is_data) X(pytree_has_data) X(pytree_new_variable) X(pytree_variable_value)     \
    X(pytree_variable_set) X(pytree_variable_metadata) X(pytree_variable_put_metadata)                                  \
    X(pytree_variable_remove_metadata) X(pytree_level_enter) X(pytree_level_leave) X(pytree_seal_new)                   \
    X(pytree_seal_check)                                                                                                \
    X(pytree_load_pt) X(pytree_pt_open) X(pytree_mmap_pt) X(pytree_gguf_open) X(pytree_load_gguf)                       \
    X(pytree_gguf_metadata) X(pytree_save_gguf)                                                                         \
    X(pytree_op_apply) X(pytree_cache_find) X(pytree_jit_count) X(pytree_cache_count)                                   \
    X(pytree_sow) X(pytree_perturb) X(pytree_pop) X(pytree_capture) X(pytree_object_update)                             \
    X(pytree_object_set_attributes) X(pytree_set_metadata) X(pytree_tabulate) X(pytree_table_call)                      \
    X(pytree_layout_text) X(pytree_layout_type_text) X(pytree_layout_def_text)                                          \
    /* names before 0.2 */                                                                                              \
    X(pytree_mmap_safetensors) X(pytree_next) X(pytree_index) X(pytree_map_safetensors) X(pytree_def_errors)

typedef void any_function(void);
static const struct {
    const char *name;
    any_function *address;
} functions[] = {
#define X(name) { #name, (any_function *)name },
    NAMES(X)
#undef X
};

/* The page as a text. */
static char *page(void)
{
    FILE *file = fopen("docs/coming-from.md", "rb");
    size_t n, room = 1 << 16;
    char *text = malloc(room);
    assert_non_null(file);
    assert_non_null(text);
    n = fread(text, 1, room - 1, file);
    assert_in_range(n, 1, room - 2);
    text[n] = '\0';
    fclose(file);
    return text;
}

static bool in_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/* The next name of the library in the text, between backquotes, and how long it is; NULL: no more. */
static const char *next_name(const char *text, size_t *n)
{
    for (; (text = strstr(text, "pytree_")) != NULL; text += *n) {
        *n = 0;
        while (in_word(text[*n])) { (*n)++; }
        if (text[-1] == '`' && text[*n] == '`') { return text; }
    }
    return NULL;
}

static void what_the_page_names_is_there(void **state)
{
    static const char *const types[] = { "pytree_options", "pytree_entry", "pytree_fn", "pytree_op" };
    char *text = page();
    const char *name = text;
    size_t n = 0, i, found = 0;
    (void)state;
    while ((name = next_name(name + n, &n)) != NULL) {
        bool known = false;
        for (i = 0; i < COUNT_OF(functions); i++) {
            known = known || (strlen(functions[i].name) == n && memcmp(functions[i].name, name, n) == 0);
        }
        for (i = 0; i < COUNT_OF(types); i++) { known = known || (strlen(types[i]) == n && memcmp(types[i], name, n) == 0); }
        if (!known) { fail_msg("the page names %.*s, which is not in the list", (int)n, name); }
        found++;
    }
    assert_in_range(found, COUNT_OF(functions), 10 * COUNT_OF(functions));
    free(text);
}

static void what_is_there_is_on_the_page(void **state)
{
    char *text = page();
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(functions); i++) {
        char quoted[64];
        assert_true(functions[i].address != NULL);
        snprintf(quoted, sizeof quoted, "`%s`", functions[i].name);
        if (strstr(text, quoted) == NULL) { fail_msg("the page does not name %s", functions[i].name); }
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_page_names_is_there),
        cmocka_unit_test(what_is_there_is_on_the_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

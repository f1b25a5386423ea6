/* golden/treedefs.h: treedefs as JAX, optree and the golden data write them. Included by golden.h. */
#ifndef GOLDEN_TREEDEFS_H
#define GOLDEN_TREEDEFS_H

/* ---- Treedefs ------------------------------------------------------------------------------------------------------ */

/* JAX's text, as the library has it: with the None switch and the namespace, if any, as optree writes them. */
static inline char *golden_def_text(Golden *g, const pytree_def *def)
{
    size_t n = pytree_def_text(def, NULL, 0);
    char *text = golden_alloc(g, n + 1, 1);
    pytree_def_text(def, text, n + 1);
    return text;
}

/* JAX's text of a registry in which None is a leaf, as the library has it. */
static inline char *golden_with_switch(Golden *g, const char *text, bool none_is_leaf)
{
    GoldenText to = { g, NULL, 0, 0 };
    const size_t n = strlen(text);
    golden_put(&to, text, n == 0 ? 0 : n - 1);                 /* without the last parenthesis */
    golden_puts(&to, none_is_leaf ? ", NoneIsLeaf)" : ")");
    return to.at;
}

static inline pytree_kind golden_node_kind(const pytree_node *node)
{
    return node->type == NULL ? PYTREE_KIND_LEAF : node->type->kind;
}

/* Numbers of a node's children. */
static inline size_t *golden_children(Golden *g, const pytree_def *def, size_t node)
{
    size_t *children = golden_alloc(g, def->nodes[node].arity, sizeof *children), child = node, i;
    for (i = def->nodes[node].arity; i-- > 0; ) {
        children[i] = child - 1;
        child -= def->nodes[child - 1].nodes;
    }
    return children;
}

static inline char *golden_statics_text(Golden *g, const pytree_def *def, size_t node)
{
    struct pytree__text_writer to = { NULL, 0, 0, NULL };
    pytree__put_statics(&to, def, node);
    to.at = golden_alloc(g, to.length + 1, 1);
    to.room = to.length;
    to.length = 0;
    pytree__put_statics(&to, def, node);
    return to.at;
}

/* One of a struct's static values as optree has it: ('din', 2). */
static inline void golden_put_named(GoldenText *to, const char *name, const char *value, size_t n)
{
    golden_puts(to, "('");
    golden_puts(to, name);
    golden_puts(to, "', ");
    golden_put(to, value, n);
    golden_puts(to, ")");
}

/* "(2, 'x')" of a struct as optree has it: (('din', 2), ('op', 'x')). */
static inline void golden_put_named_statics(GoldenText *to, const pytree_type *type, const char *values)
{
    unsigned i, n = 0;
    golden_puts(to, "(");
    for (i = 0, values++; i < type->n_fields; i++) {
        const char *end = values;
        if (type->fields[i].row != PYTREE_ROW_STATIC) { continue; }
        for (; *end != ',' && *end != ')'; end++) {
            if (*end == '\'' || *end == '"') {
                char quote = *end++;
                while (*end != quote) { end += 1 + (*end == '\\'); }
            }
        }
        if (n++ != 0) { golden_puts(to, ", "); }
        golden_put_named(to, type->fields[i].name, values, (size_t)(end - values));
        values = end + strspn(end, ", ");
    }
    golden_puts(to, n == 1 ? ",)" : ")");
}

/* A custom node's metadata, of which the treedef has the text of its JSON: its repr, or what the dataclass F32Array has. */
static inline void golden_put_meta(GoldenText *to, const pytree_def *def, size_t node)
{
    static const char *const names[] = { "shape", "dtype" };
    const unsigned char *packed = def->statics + def->nodes[node].meta;
    uint32_t bytes;
    cJSON *meta;
    const cJSON *item;
    size_t i = 0;
    memcpy(&bytes, packed, sizeof bytes);
    meta = cJSON_ParseWithLength((const char *)packed + sizeof bytes, bytes);
    assert_non_null(meta);
    if (def->nodes[node].type->custom->keyed) {
        golden_puts(to, "(");
        cJSON_ArrayForEach(item, golden_at(meta, "tuple")) {
            GoldenText value = { to->golden, NULL, 0, 0 };
            golden_put_python(&value, item, false);
            if (i != 0) { golden_puts(to, ", "); }
            golden_put_named(to, names[i++], value.at, value.length);
        }
        golden_puts(to, ")");
    } else {
        golden_put_python(to, meta, false);
    }
    cJSON_Delete(meta);
}

/* The part of a treedef below a node as optree writes it. */
static inline void golden_put_spec(GoldenText *to, const pytree_def *def, size_t node)
{
    const pytree_node *at = &def->nodes[node];
    const size_t *children = golden_children(to->golden, def, node);
    pytree_kind kind = golden_node_kind(at);
    const char *close = "";
    char *statics = kind == PYTREE_KIND_LEAF ? NULL : golden_statics_text(to->golden, def, node);
    uint32_t i;
    switch (kind) {
    case PYTREE_KIND_LEAF: golden_puts(to, "*"); break;
    case PYTREE_KIND_NONE: golden_puts(to, "None"); break;
    case PYTREE_KIND_LIST: golden_puts(to, "["); close = "]"; break;
    case PYTREE_KIND_TUPLE: golden_puts(to, "("); close = at->arity == 1 ? ",)" : ")"; break;
    case PYTREE_KIND_DICT: golden_puts(to, "{"); close = "}"; break;
    case PYTREE_KIND_ODICT:
        golden_puts(to, at->arity == 0 ? "OrderedDict(" : "OrderedDict({");
        close = at->arity == 0 ? ")" : "})";
        break;
    case PYTREE_KIND_DEFAULTDICT: golden_puts(to, "defaultdict(<class 'int'>, {"); close = "})"; break;
    case PYTREE_KIND_NAMEDTUPLE:
        golden_puts(to, pytree__string_at(def->statics + at->meta, &(size_t){ 0 }));
        golden_puts(to, "(");
        close = ")";
        break;
    case PYTREE_KIND_DEQUE:
        golden_puts(to, at->arity == 0 ? "deque(" : "deque([");
        close = at->arity == 0 ? ")" : "])";
        break;
    default:
        golden_puts(to, "CustomTreeNode(");
        golden_puts(to, at->type->name);
        golden_puts(to, "[");
        if (kind == PYTREE_KIND_CUSTOM) {
            golden_put_meta(to, def, node);
        } else {
            golden_put_named_statics(to, at->type, statics);
        }
        golden_puts(to, "], [");
        close = "])";
    }
    for (i = 0; i < at->arity; i++) {
        if (kind == PYTREE_KIND_DICT || kind == PYTREE_KIND_ODICT || kind == PYTREE_KIND_DEFAULTDICT
            || kind == PYTREE_KIND_NAMEDTUPLE) {
            struct pytree__text_writer key = { NULL, 0, 0, NULL };
            char text[4096];
            pytree_entry entry;
            pytree__def_entry_at(def, node, i, &entry);
            key.at = text;
            key.room = sizeof text;
            if (entry.kind == PYTREE_ATTRIBUTE) { pytree__put_text(&key, entry.name); }
            else { pytree__put_key(&key, &entry, entry.kind == PYTREE_KEY ? strlen(entry.name) : 0); }
            assert_true(key.length < sizeof text);
            golden_put(to, text, key.length);
            golden_puts(to, kind == PYTREE_KIND_NAMEDTUPLE ? "=" : ": ");
        }
        golden_put_spec(to, def, children[i]);
        if (i + 1 < at->arity) { golden_puts(to, ", "); }
    }
    if (kind == PYTREE_KIND_DEQUE) {
        uint64_t maxlen;
        memcpy(&maxlen, def->statics + at->meta, sizeof maxlen);
        if (maxlen != UINT64_MAX) {
            char text[48];
            snprintf(text, sizeof text, "%smaxlen=%" PRIu64, at->arity == 0 ? "" : "], ", maxlen);
            golden_puts(to, text);
            close = ")";
        }
    }
    golden_puts(to, close);
}

/* optree's text of a treedef. */
static inline char *golden_spec(Golden *g, const pytree_def *def)
{
    GoldenText to = { g, NULL, 0, 0 };
    golden_puts(&to, "PyTreeSpec(");
    golden_put_spec(&to, def, def->n_nodes - 1);
    if (def->none_is_leaf) { golden_puts(&to, ", NoneIsLeaf"); }
    if (def->space != NULL) {
        golden_puts(&to, ", namespace='");
        golden_puts(&to, def->space);
        golden_puts(&to, "'");
    }
    golden_puts(&to, ")");
    return to.at;
}

/* The plain form of a key that optree's entries have. */
static inline cJSON *golden_plain_entry(const pytree_entry *entry, pytree_kind kind, size_t i)
{
    if (kind == PYTREE_KIND_NAMEDTUPLE) { return golden_json_int((int64_t)i); }
    if (entry->kind == PYTREE_ATTRIBUTE || entry->kind == PYTREE_KEY) { return cJSON_CreateString(entry->name); }
    return golden_json_int((int64_t)entry->index);
}

/* The paths of a treedef's leaves as optree has them: plain entries, or "t[0].x". */
static inline void golden_optree_paths(Golden *g, const pytree_def *def, size_t node, cJSON *prefix, const char *text,
                                       cJSON *paths, cJSON *accessors)
{
    const pytree_node *at = &def->nodes[node];
    const size_t *children = golden_children(g, def, node);
    pytree_kind kind = golden_node_kind(at);
    uint32_t i;
    if (kind == PYTREE_KIND_LEAF) {
        cJSON_AddItemToArray(paths, cJSON_Duplicate(prefix, true));
        cJSON_AddItemToArray(accessors, cJSON_CreateString(text));
    }
    for (i = 0; i < at->arity; i++) {
        GoldenText longer = { g, NULL, 0, 0 };
        struct pytree__text_writer last = { NULL, 0, 0, NULL };
        pytree_entry entry;
        char entry_text[4096];
        int n = cJSON_GetArraySize(prefix);
        pytree__def_entry_at(def, node, i, &entry);
        last.at = entry_text;
        last.room = sizeof entry_text;
        pytree__put_entry(&last, &entry, NULL, false);
        assert_true(last.length < sizeof entry_text);
        golden_puts(&longer, text);
        golden_put(&longer, entry_text, last.length);
        cJSON_AddItemToArray(prefix, golden_plain_entry(&entry, kind, i));
        golden_optree_paths(g, def, children[i], prefix, longer.at, paths, accessors);
        cJSON_DeleteItemFromArray(prefix, n);
    }
}

/* ---- Mismatches ---------------------------------------------------------------------------------------------------- */

/* Keys as a treedef's differences name them: 'b', 3. */
static inline char *golden_keys_text(Golden *g, const cJSON *keys)
{
    GoldenText to = { g, NULL, 0, 0 };
    const cJSON *key;
    golden_puts(&to, "");
    cJSON_ArrayForEach(key, keys) {
        if (to.length != 0) { golden_puts(&to, ", "); }
        golden_put_python(&to, key, false);
    }
    return to.at;
}

/* "different_types" */
static inline char *golden_kind(Golden *g, pytree_mismatch kind)
{
    char *text = golden_copy(g, pytree_mismatch_name(kind)), *at;
    for (at = text; (at = strchr(at, ' ')) != NULL; ) { *at = '_'; }
    return text;
}

#endif

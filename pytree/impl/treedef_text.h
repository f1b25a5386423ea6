/* pytree/impl/treedef_text.h: a treedef as text, in JAX's notation. */
#ifndef PYTREE_IMPL_TREEDEF_TEXT_H
#define PYTREE_IMPL_TREEDEF_TEXT_H

#include "internal.h"

/* ---- The text of a treedef -------------------------------------------------------------------------------------------
 *
 * Nodes are in post-order: from the last to the first they are what the text is from right to left. So it is written backwards,
 * to the end of the caller's buffer, and moved to its front; a text that does not fit is counted first.
 */
static PYTREE__APART_CLANG void pytree__put_keys(struct pytree__text_writer *to, const pytree_def *def, size_t at)
{
    const unsigned char *key = pytree__keys_of(def, at);
    size_t i, n = 0;
    pytree_entry entry;
    pytree__text_put(to, "(", 1);
    for (i = 0; i < def->nodes[at].arity; i++) {
        if (i != 0) { pytree__text_put(to, ", ", 2); }
        key = pytree__key_at(key, &entry, &n);
        pytree__put_key(to, &entry, n);
    }
    pytree__put_text(to, i == 1 ? ",)" : ")");
}

/* Puts a default dict's factory: a class by its name, everything else as it is. */
static PYTREE__APART_CLANG void pytree__put_factory(struct pytree__text_writer *to, const pytree_def *def, size_t at)
{
    size_t n;
    const char *name = pytree__string_at(def->statics + def->nodes[at].meta, &n);
    if (name == NULL) { pytree__text_put(to, "None", 4); return; }
    pytree__put_text(to, name[0] == '<' ? "" : "<class '");
    pytree__text_put(to, name, n);
    pytree__put_text(to, name[0] == '<' ? "" : "'>");
}

/* Puts a custom node's metadata as its type prints it; if it does not, as Python prints bytes. */
static PYTREE__APART_CLANG void pytree__put_metadata(struct pytree__text_writer *to, const pytree_def *def, size_t at)
{
    const unsigned char *p = def->statics + def->nodes[at].meta;
    const pytree_custom *custom = pytree__origin(def->nodes[at].type)->custom;
    size_t bytes = pytree__u32(p), i;
    p += sizeof(uint32_t);
    if (custom->metadata == NULL) { pytree__text_put(to, "None", 4); return; }
    if (custom->print != NULL) {
        char few[1];                      /* the NUL lies where "]" comes next, or where the cut text ends */
        const bool room = to->at != NULL && to->length < to->room;
        to->length += custom->print(p, bytes, room ? to->at + to->length : few, room ? to->room - to->length + 1 : sizeof few);
        return;
    }
    pytree__text_put(to, "b'", 2);
    for (i = 0; i < bytes; i++) {
        static const char digits[] = "0123456789abcdef";
        char escape[4] = { '\\', 'x', 0, 0 };
        escape[2] = digits[p[i] >> 4];
        escape[3] = digits[p[i] & 15];
        pytree__text_put(to, escape, 4);
    }
    pytree__text_put(to, "'", 1);
}

/* Puts a deque's maximum length, if it has one: ", maxlen=3", or "maxlen=3" behind no items. */
static PYTREE__APART_CLANG void pytree__put_maxlen(struct pytree__text_writer *to, size_t maxlen, bool comma)
{
    if (maxlen == PYTREE_UNBOUNDED) { return; }
    pytree__put_text(to, comma ? ", maxlen=" : "maxlen=");
    pytree__put_number(to, maxlen);
}

static PYTREE__APART_CLANG void pytree__put_meta(struct pytree__text_writer *to, const pytree_def *def, size_t at)
{
    const unsigned char *meta = def->statics + def->nodes[at].meta;
    size_t n;
    const char *s;
    switch (pytree__traits(def->nodes[at].type)->meta) {
    case PYTREE__META_STATICS: pytree__put_statics(to, def, at); break;
    case PYTREE__META_NAME: s = pytree__string_at(meta, &n); pytree__text_put(to, s, n); break;
    case PYTREE__META_FACTORY: pytree__put_factory(to, def, at); break;
    case PYTREE__META_MAXLEN: pytree__put_maxlen(to, pytree__maxlen(meta), def->nodes[at].arity != 0); break;
    case PYTREE__META_BYTES: pytree__put_metadata(to, def, at); break;
    default: break;
    }
}

/* Puts a text of the table of kinds, with the node's name, metadata and keys in place of %t, %m and %k. */
static void pytree__put_pattern(struct pytree__text_writer *to, const pytree_def *def, size_t at, const char *pattern)
{
    const char *mark;
    for (; (mark = strchr(pattern, '%')) != NULL; pattern = mark + 2) {
        pytree__text_put(to, pattern, (size_t)(mark - pattern));
        if (mark[1] == 't') { pytree__put_text(to, pytree__origin(def->nodes[at].type)->name); }
        else if (mark[1] == 'm') { pytree__put_meta(to, def, at); }
        else { pytree__put_keys(to, def, at); }
    }
    pytree__put_text(to, pattern);
}

/* Returns the text before a node's children, which is all its text where it has none and its kind has one for that. */
static const char *pytree__opening(const struct pytree__notation *notation, size_t arity)
{
    return arity == 0 && notation->empty != NULL ? notation->empty : notation->open;
}

static const char *pytree__closing(const struct pytree__notation *notation, size_t arity)
{
    if (arity == 0 && notation->empty != NULL) { return ""; }
    return arity == 1 && notation->one != NULL ? notation->one : notation->close;
}

/* A text that is written backwards: the next piece ends `left` bytes from the front, of which the buffer has `room`. `full`:
 * they did not suffice. */
struct pytree__backwards { char *text; size_t room, left; bool full; };

static bool pytree__back(struct pytree__backwards *b, size_t n)
{
    if (PYTREE__UNLIKELY(n > b->left)) { b->full = true; b->left = 0; return false; }
    b->left -= n;
    return true;
}

PYTREE__INLINE void pytree__put_before(struct pytree__backwards *b, const char *s, size_t n)
{
    if (pytree__back(b, n) && b->left < b->room) {
        if (PYTREE__LIKELY(n <= b->room - b->left)) {
            memcpy(b->text + b->left, s, n);
        } else {
            memcpy(b->text + b->left, s, b->room - b->left);
        }
    }
}

static struct pytree__text_writer pytree__window(const struct pytree__backwards *b)
{
    struct pytree__text_writer to = { NULL, 0, 0, NULL };
    if (b->left < b->room) { to.at = b->text + b->left; to.room = b->room - b->left; }
    return to;
}

/* Puts the text before the children of a struct whose static fields are a few ints, as most are: digit by digit. Returns
 * false for another one, or where room is scarce. */
static bool pytree__open_plainly(struct pytree__backwards *b, const pytree_def *def, const pytree_node *node)
{
    const pytree_type *type = pytree__origin(node->type);
    const unsigned char *packed = def->statics + node->meta;
    const pytree_field *row = type->fields;
    size_t length = strlen(type->name), ints = 0, i;
    unsigned left = type->n_fields - type->n_children;         /* rows that are no children */
    char *to;
    if (left > 32 || length > 128 || b->left > b->room || b->left < 32 + 128 + 32 * 13) { return false; }
    for (; left != 0; row++) {
        left -= row->row != PYTREE_ROW_DATA;
        if (row->row != PYTREE_ROW_STATIC) { continue; }
        if (row->size != 4 || row->ndim != 0 || row->form != PYTREE__PACK_BYTES || row->type->dtype != PYTREE_I32) {
            return false;
        }
        ints++;
    }
    to = b->text + b->left - 5;
    memcpy(to, ")], [", 5);
    if (ints == 1) { *--to = ','; }
    for (i = ints; i-- != 0;) {
        int32_t v;
        uint32_t digits;
        memcpy(&v, packed + 4 * i, sizeof v);
        digits = v < 0 ? 0 - (uint32_t)v : (uint32_t)v;
        do { *--to = (char)('0' + digits % 10); digits /= 10; } while (digits != 0);
        if (v < 0) { *--to = '-'; }
        if (i != 0) { to -= 2; memcpy(to, ", ", 2); }
    }
    to -= 2;
    memcpy(to, "[(", 2);
    to -= length;
    memcpy(to, type->name, length);
    to -= 11;
    memcpy(to, "CustomNode(", 11);
    b->left = (size_t)(to - b->text);
    return true;
}

/* Puts a text of the table before what is there: its length is counted first. */
static PYTREE__APART_CLANG void pytree__long_before(struct pytree__backwards *b, const pytree_def *def, size_t at,
                                                    const char *pattern)
{
    struct pytree__text_writer count = { NULL, 0, 0, NULL }, to;
    pytree__put_pattern(&count, def, at, pattern);
    if (!pytree__back(b, count.length)) { return; }
    to = pytree__window(b);
    pytree__put_pattern(&to, def, at, pattern);
}

/* The same, faster for the few bytes that most of these texts are. */
PYTREE__INLINE void pytree__pattern_before(struct pytree__backwards *b, const pytree_def *def, size_t at, const char *pattern)
{
    size_t n = 0, i;
    while (pattern[n] != '\0' && pattern[n] != '%') { n++; }
    if (PYTREE__LIKELY(pattern[n] == '\0' && n <= b->left && b->left <= b->room)) {
        char *const to = b->text + (b->left -= n);
        PYTREE__FEW_STEPS
        for (i = 0; i < n; i++) { to[i] = pattern[i]; }
    } else {
        pytree__long_before(b, def, at, pattern);
    }
}

static void pytree__open_before(struct pytree__backwards *b, const pytree_def *def, size_t at)
{
    const pytree_node *node = &def->nodes[at];
    if (node->type->kind == PYTREE_KIND_STRUCT && pytree__open_plainly(b, def, node)) { return; }
    pytree__pattern_before(b, def, at, pytree__opening(pytree__treedef_text(node->type), node->arity));
}

static PYTREE__APART_CLANG void pytree__key_before(struct pytree__backwards *b, const pytree_def *def, size_t node, size_t i,
                                                   const char *behind)
{
    struct pytree__text_writer count = { NULL, 0, 0, NULL }, to;
    size_t n = 0;
    pytree_entry key;
    pytree__key_at(pytree__skip_keys(pytree__keys_of(def, node), i), &key, &n);
    pytree__put_key(&count, &key, n);
    pytree__put_before(b, behind, strlen(behind));
    if (!pytree__back(b, count.length)) { return; }
    to = pytree__window(b);
    pytree__put_key(&to, &key, n);
}

/* Puts what follows the structure: ", NoneIsLeaf, namespace='train')". */
static void pytree__put_tail(struct pytree__text_writer *to, const pytree_def *def)
{
    if (def->none_is_leaf) { pytree__put_text(to, ", NoneIsLeaf"); }
    if (def->space != NULL) {
        pytree__put_text(to, ", namespace=");
        pytree__put_repr(to, def->space, strlen(def->space));
    }
    pytree__text_put(to, ")", 1);
}

static size_t pytree__def_length(const pytree_def *def)
{
    struct pytree__text_writer to = { NULL, 0, 0, NULL };
    size_t i, k;
    pytree__put_text(&to, "PyTreeDef(");
    pytree__put_tail(&to, def);
    for (i = 0; i < def->n_nodes; i++) {
        const pytree_node *node = &def->nodes[i];
        const struct pytree__notation *notation = pytree__treedef_text(node->type);
        pytree__put_pattern(&to, def, i, pytree__opening(notation, node->arity));
        pytree__put_pattern(&to, def, i, pytree__closing(notation, node->arity));
        to.length += node->arity > 1 ? 2 * ((size_t)node->arity - 1) : 0;
        if (notation->key != NULL) {
            const unsigned char *at = pytree__keys_of(def, i);
            for (k = 0; k < node->arity; k++) {
                size_t n = 0;
                pytree_entry key;
                at = pytree__key_at(at, &key, &n);
                pytree__put_key(&to, &key, n);
                pytree__put_text(&to, notation->key);
            }
        }
    }
    return to.length;
}

/* A node whose children are being written, and how many of them are left. */
struct pytree__open_node {
    size_t node;
    uint32_t arity, left;
    const struct pytree__notation *notation;
};

static void pytree__tail_before(struct pytree__backwards *b, const pytree_def *def)
{
    struct pytree__text_writer count = { NULL, 0, 0, NULL }, tail;
    pytree__put_tail(&count, def);
    if (!pytree__back(b, count.length)) { return; }
    tail = pytree__window(b);
    pytree__put_tail(&tail, def);
}

/* Writes the text into the last of b->left bytes. Returns false if memory for the open nodes runs out. */
static bool pytree__text_backwards(const pytree_def *def, struct pytree__backwards *to)
{
    struct pytree__open_node few[64], *open = few;
    size_t depth = 0, capacity = sizeof few / sizeof *few, i = def->n_nodes;
    struct pytree__backwards b = *to;
    bool made = true;
    pytree__tail_before(&b, def);
    while (i-- != 0) {
        const pytree_node *node = &def->nodes[i];
        if (depth != 0 && open[depth - 1].left != open[depth - 1].arity) { pytree__put_before(&b, ", ", 2); }
        if (node->type == NULL) {
            pytree__put_before(&b, "*", 1);
        } else {
            const struct pytree__notation *const notation = pytree__treedef_text(node->type);
            pytree__pattern_before(&b, def, i, pytree__closing(notation, node->arity));
            if (node->arity != 0) {
                if (PYTREE__UNLIKELY(depth == capacity)) {
                    void *grown = pytree__stack_grow(open, few, &capacity, depth + 1, sizeof *open, def->allocator, NULL);
                    if (grown == NULL) { made = false; break; }
                    open = (struct pytree__open_node *)grown;
                }
                open[depth].node = i;
                open[depth].notation = notation;
                open[depth].arity = open[depth].left = node->arity;
                depth++;
                continue;
            }
            pytree__open_before(&b, def, i);
        }
        while (depth != 0) {              /* a child is complete, perhaps its parent with it */
            struct pytree__open_node *const parent = &open[depth - 1];
            if (parent->notation->key != NULL) {
                pytree__key_before(&b, def, parent->node, parent->left - 1, parent->notation->key);
            }
            if (--parent->left != 0) { break; }
            depth--;
            pytree__open_before(&b, def, parent->node);
        }
    }
    pytree__put_before(&b, "PyTreeDef(", 10);
    if (open != few) { pytree__array_free(open, capacity, sizeof *open, def->allocator); }
    if (made) { *to = b; }
    return made;
}

size_t pytree_def_text(const pytree_def *def, char *text, size_t n)
{
    struct pytree__backwards b;
    size_t length = 0;
    bool made;
    if (n == 0) { return pytree__def_length(def); }
    b.text = text;
    b.room = b.left = n - 1;
    b.full = false;
    made = pytree__text_backwards(def, &b);
    if (made && !b.full) {                /* it fits, and is at the buffer's end */
        length = n - 1 - b.left;
        memmove(text, text + b.left, length);
    } else if (made) {
        length = b.left = pytree__def_length(def);
        b.full = false;
        made = pytree__text_backwards(def, &b);
    }
    if (!made) { text[0] = '\0'; return SIZE_MAX; }
    text[length < n ? length : n - 1] = '\0';
    return length;
}

pytree_status pytree_def_print(FILE *file, const pytree_def *def, pytree_error *err)
{
    size_t n;
    char few[512], *text;
    pytree_status status = PYTREE_OK;
    if (def == NULL || file == NULL) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a file and a treedef, got NULL");
    }
    n = pytree__def_length(def) + 1;
    text = n <= sizeof few ? few : (char *)pytree__resize(def->allocator, NULL, 0, n);
    if (text == NULL) { return pytree__no_memory(err, n); }
    if (pytree_def_text(def, text, n) == SIZE_MAX) {
        status = pytree__no_memory(err, def->n_nodes);
    } else {
        text[n - 1] = '\n';
        if (!pytree__file_put(file, text, n)) {
            status = pytree_fail(err, PYTREE_IO, NULL, "expected %zu bytes to be written, got fewer", n);
        }
    }
    if (text != few) { pytree__resize(def->allocator, text, n, 0); }
    return status;
}
#endif

/* pytree/impl/row_text.h: what a row reads through, by its text: a pointer that is NULL is noticed before the row is evaluated.
 *
 * Behind the name of a DATA row, after its NUL, stands what the row was written as: "w\0w, ARRAY(self->shape->n)". */
#ifndef PYTREE_IMPL_ROW_TEXT_H
#define PYTREE_IMPL_ROW_TEXT_H

#include "internal.h"

/* Return the bytes of the word that a text begins with. */
static size_t pytree__word_bytes(const char *s)
{
    size_t n = 0;
    unsigned c;
    do { c = (unsigned char)s[n++]; } while ((c | 32) - 'a' < 26 || c - '0' < 10 || c == '_');
    return n - 1;
}

/* Skip spaces, and parentheses that end here. */
static const char *pytree__behind_member(const char *s)
{
    return s + strspn(s, " )");
}

/* Find the row that a text names. Returns NULL if there is none; *s goes behind the name. */
static PYTREE__APART_CLANG const pytree_field *pytree__named_row(const pytree_type *type, const char **s)
{
    const pytree_field *row = type->fields;
    const char *const name = *s;
    const size_t n = pytree__word_bytes(name);
    unsigned left;
    *s += n;
    for (left = type->n_fields; left != 0; left--, row++) {    /* a struct that was never defined has none */
        if (strncmp(row->name, name, n) == 0 && row->name[n] == '\0') { return row; }
    }
    return NULL;
}

/* Tell whether a text has a condition, so that what stands in it may not be evaluated. */
static bool pytree__has_condition(const char *s)
{
    return strchr(s, '?') != NULL || strstr(s, "&&") != NULL || strstr(s, "||") != NULL;
}

/* Go behind "[7]" to the element of a list or array that it names. Returns NULL if the index is no number. */
static const char *pytree__behind_index(const pytree_field *row, const char **self, const char *s)
{
    char *end;
    const unsigned long i = strtoul(s + 1, &end, 0);
    *self += i * row->inner;
    return *end == ']' ? end + 1 : NULL;
}

/* Tell whether a row's value is a pointer that is read through: if it is `followed` by an arrow or an index, or has a star in
 * front of it. What is not DATA is a pointer if it has no dimensions. */
static bool pytree__reads_pointer(const pytree_field *row, bool followed, int star)
{
    if (row->row == PYTREE_ROW_DATA) { return row->place == PYTREE_POINTER || row->place == PYTREE_STB; }
    return row->ndim == 0 && row->size == sizeof(void *)
        && (followed || (star != 0 && (row->row == PYTREE_ROW_DROP || pytree__is_address(row))));
}

/* Tell whether an arrow or an index comes next. */
static bool pytree__is_followed(const char *s) { return (s[0] == '-' && s[1] == '>') || s[0] == '['; }

/* Follow "->a->b[0].c" from a struct. Returns the end of the member that is NULL and is read through, or NULL. `own`: pointers
 * of the first struct that must not be NULL lead to zeros, as far as those go, or their own row says that they are NULL. */
static PYTREE__APART_CLANG const char *pytree__null_on_the_way(const pytree_type *type, const char *self, const char *s,
                                                               int star, bool own, bool *met)
{
    for (;;) {
        const pytree_field *row;
        const char *end;
        const void *p = NULL;
        bool pointer;
        s += *s == '.' ? 1 : 2;
        s += strspn(s, " ");
        end = pytree__behind_member(s + pytree__word_bytes(s));
        if (star == 0 && *end != '[' && *end != '-' && *end != '.') { return NULL; }           /* nothing is read through it */
        row = pytree__named_row(type, &s);
        end = s;
        if (row == NULL) {                /* of what was never defined */
            *met = true;
            return self == (const char *)pytree__zeros() ? end : NULL;
        }
        if (row->row != PYTREE_ROW_DATA && *end == '.') { return NULL; }
        s = pytree__behind_member(s);
        pointer = pytree__reads_pointer(row, pytree__is_followed(s), star);
        if (pointer) {
            *met = true;
            memcpy(&p, self + row->offset, sizeof p);
            if (!pytree__is_followed(s)) { return star != 0 && p == NULL ? end : NULL; }
            if (p == NULL || p == PYTREE_WANTED) {
                const bool made = own && row->row == PYTREE_ROW_DATA && row->place == PYTREE_POINTER
                    && (p != NULL || row->optional == 0);
                if (!made || row->type->size > PYTREE__ZEROS) { return end; }
                p = pytree__zeros();
            }
        }
        if (row->row != PYTREE_ROW_DATA || (!pointer && s[0] != '.' && !pytree__is_followed(s))) { return NULL; }
        self = pointer ? (const char *)p : self + row->offset;
        own = false;
        if (s[0] == '[') {
            end = pytree__behind_index(row, &self, s);
            if (end == NULL) { return NULL; }
            s = pytree__behind_member(end);
            if (p == pytree__zeros() && self + row->inner > (const char *)p + PYTREE__ZEROS) { return end; }
        }
        if (row->type->kind == PYTREE_KIND_ROW) {              /* the elements are pointers, or arrays; a star is the first */
            row = row->type->fields;
            *met = true;
            if (row->place != PYTREE_POINTER) { return NULL; }
            memcpy(&p, self, sizeof p);
            if (p == NULL) { return pytree__is_followed(s) || star != 0 ? end : NULL; }
            self = (const char *)p;
        }
        if (s[0] != '.' && s[0] != '-') { return NULL; }
        if (row->type->kind != PYTREE_KIND_STRUCT) { return NULL; }
        type = pytree__origin(row->type);
    }
}

/* Return 0 if no star stands before a text; 1 if one follows an operand, as in a product, or a cast; 2 if it can only
 * dereference. */
static PYTREE__APART_CLANG int pytree__star_before(const char *s)
{
    int open = 0;
    while (s[-1] == ' ' || s[-1] == '(' || s[-1] == ')' || open != 0) {    /* over casts, *(int *)self->p */
        open += (s[-1] == ')') - (open != 0 && s[-1] == '(');
        s--;
    }
    if (s[-1] != '*') { return 0; }
    do { s--; } while (s[-1] == ' ');
    return pytree__word_bytes(s - 1) == 0 && s[-1] != ')' ? 2 : 1;
}

/* Find a pointer that is NULL and that the expressions of a row read through. One with a condition looks by itself. The
 * pointer's text begins behind self. Returns whether there is one. */
static PYTREE__APART_CLANG bool pytree__row_null(const pytree_type *type, const void *self, const pytree_field *row, bool own,
                                                 struct pytree__null_text *null)
{
    const char *const text = row->name + strlen(row->name) + 1;
    const char *at = strstr(text + strlen(row->name), "self");
    if (at == NULL || pytree__has_condition(at)) { return false; }
    for (; at != NULL; at = strstr(at + 4, "self")) {
        const char *const s = pytree__behind_member(at + 4);
        if (pytree__word_bytes(at - 1) != 0 || s[0] != '-' || s[1] != '>') { continue; }
        null->from = at + 4 + strspn(at + 4, ")");
        null->end = pytree__null_on_the_way(type, (const char *)self, s, pytree__star_before(at), own, &null->met);
        if (null->end != NULL) { return true; }
    }
    return false;
}

/* Find a row of a registered struct that reads through a pointer that is NULL (`inside`: of a struct in it): its index among
 * DATA rows, or SIZE_MAX. */
static PYTREE__NOINLINE size_t pytree__null_read(const pytree_type *type, const void *self, bool own, bool inside,
                                                 struct pytree__null_text *null)
{
    const pytree_field *row = type->fields, *const last = row + type->n_fields;
    size_t child = 0;
    null->met = false;
    for (; row != last; row++) {
        if (row->row != PYTREE_ROW_DATA) { continue; }
        if ((row->functions != NULL || (row->place != PYTREE_IN_PLACE && row->ndim != 0))      /* others have no expressions */
            && (!inside || strpbrk(row->name + strlen(row->name) + 1, ".&") != NULL)
            && pytree__row_null(type, self, row, own, null)) {
            return child;
        }
        child++;
    }
    return SIZE_MAX;
}

/* ---- Products ---------------------------------------------------------------------------------------------------------- */

/* Read a factor of a product, self->n or 4. Returns false where the text is something else, or C computes with more than an
 * int. */
static PYTREE__APART_CLANG bool pytree__int_factor(const pytree_type *type, const char *self, const char **s, uint64_t *value,
                                                   uint64_t *most)
{
    const pytree_field *row;
    const char *at = *s;
    const size_t word = pytree__word_bytes(at);
    int64_t number = 0;
    if (*at >= '1' && *at <= '9' && word <= 9) {               /* nine digits are an int */
        *value = 0;
        for (; *at >= '0' && *at <= '9'; at++) { *value = 10 * *value + (uint64_t)(*at - '0'); }
        if (at != *s + word || *at == '.') { return false; }
        *s = at;
        return true;
    }
    if (strncmp(at, "self", 4) != 0) { return false; }
    at = pytree__behind_member(at + 4);
    if (at[0] != '-' || at[1] != '>') { return false; }
    at += 2 + strspn(at + 2, " ");
    row = pytree__named_row(type, &at);
    if (row == NULL || row->row != PYTREE_ROW_STATIC || row->form != PYTREE__PACK_BYTES || row->ndim != 0) { return false; }
    if (*at == '[') { return false; }     /* of an array: self->n[sizes] is an element of it */
    switch (row->type->dtype) {
    case PYTREE_I8: { int8_t n; memcpy(&n, self + row->offset, sizeof n); number = n; break; }
    case PYTREE_I16: { int16_t n; memcpy(&n, self + row->offset, sizeof n); number = n; break; }
    case PYTREE_I32: { int32_t n; memcpy(&n, self + row->offset, sizeof n); number = n; break; }
    case PYTREE_U8: { uint8_t n; memcpy(&n, self + row->offset, sizeof n); number = n; break; }
    case PYTREE_U16: { uint16_t n; memcpy(&n, self + row->offset, sizeof n); number = n; break; }
    case PYTREE_U32: { uint32_t n; memcpy(&n, self + row->offset, sizeof n); number = n; *most = UINT_MAX; break; }
    default: return false;
    }
    if (number < 0 || row->size > sizeof(int)) { return false; }
    *s = at;
    *value = (uint64_t)number;
    return true;
}

/* Tell whether a product of members, self->a * self->b, is larger than the int that C computes it in. Its value goes to
 * *product, and *end behind the factor from which on it is. */
static PYTREE__APART_CLANG bool pytree__int_overflows(const pytree_type *type, const char *self, const char *s,
                                                      const char **end, uint64_t *product)
{
    uint64_t most = INT_MAX, factor;
    *product = 1;
    while (pytree__int_factor(type, self, &s, &factor, &most)) {
        *product *= factor;               /* of two that are less than 2^32 */
        if (*product > most) { *end = s; return true; }
        s += strspn(s, " ");
        if (*s != '*') { return false; }
        s += 1 + strspn(s + 1, " ");
    }
    return false;
}

/* Find a product in a row's expressions that is too large for an int. One with a condition, and the rows of a union, look by
 * themselves whether they are evaluated. What is behind a cast or another factor is computed in a type that is unknown here. */
static PYTREE__APART_CLANG bool pytree__row_overflows(const pytree_type *type, const void *self, const pytree_field *row,
                                                      const char **from, const char **end, uint64_t *product)
{
    const char *const text = row->name + strlen(row->name) + 1;
    const char *at = strchr(text, '*') == NULL ? NULL : strstr(text, "self");
    if (at == NULL || pytree__has_condition(at) || strstr(text, "CASE") != NULL) { return false; }
    for (; at != NULL; at = strstr(at + 4, "self")) {
        const char *before = at - 1;
        while (*before == ' ') { before--; }
        if (strchr("(,+-", *before) == NULL) { continue; }
        *from = at;
        if (pytree__int_overflows(type, (const char *)self, at, end, product)) { return true; }
    }
    return false;
}
#endif

/* pytree/detail/row_reads.h: how a row is written, by its text: does it look as if it read through a pointer? Included by the
 * bodies, and in C++ by registrations, too. In C, registrations that are compiled for speed have macros for it:
 * registry/reads.h. */
#if !defined(PYTREE_H)
#include "../../pytree.h"                 /* opened on its own */
#endif
#ifndef PYTREE_DETAIL_ROW_READS_H
#define PYTREE_DETAIL_ROW_READS_H

#if defined(__cplusplus)
#define PYTREE__CONSTEXPR constexpr
#else
#define PYTREE__CONSTEXPR static
#endif

PYTREE__CONSTEXPR bool pytree__is_of_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

PYTREE__CONSTEXPR bool pytree__is_self(const char *text)
{
    return text[0] == 's' && text[1] == 'e' && text[2] == 'l' && text[3] == 'f' && !pytree__is_of_word(text[4]);
}

/* Tell how a row is written, ", ARRAY(self->din, self->dout)": with a [, a point, a * that may dereference, or an arrow behind
 * something else than self. Returns a sum of PYTREE__READS_…. */
PYTREE__CONSTEXPR int pytree__reads_through(const char *text)
{
    int reads = 0, i = 0, word = 0;       /* characters of the word before */
    bool operand = false;                 /* stands before, so that a * multiplies */
    for (; text[i] != '\0'; i++) {
        const char c = text[i];
        if (c == '.') { reads |= PYTREE__READS_FAR; }
        if (c == '*') { reads |= PYTREE__READS_UNKNOWN; }
        if (c == '[' || (c == '*' && (!operand || text[i + 1] == '(' || pytree__is_self(&text[i + 1])))) {
            reads |= PYTREE__READS_NEAR;
        }
        if (c == '-' && text[i + 1] == '>' && (word != 4 || !pytree__is_self(&text[i - 4]))) { reads |= PYTREE__READS_BOTH; }
        if (c != ' ') { operand = c == ')' || pytree__is_of_word(c); }
        word = pytree__is_of_word(c) ? word + 1 : 0;
    }
    return reads;
}
#endif

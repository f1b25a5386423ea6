/* pytree/registry/handle.h: the rows of handles, which functions of the user's clone and free. Included by
 * pytree_registry.h, once. */
#ifndef PYTREE_REGISTRY_HANDLE_H
#define PYTREE_REGISTRY_HANDLE_H

/* Clone and free a handle by the functions of HANDLE(log_clone, log_free), which get the member's own type.
 *
 *     static inline pytree_status pytree__clone_Trainer__log(void *pytree__to, const void *pytree__from)
 *     {
 *         return log_clone(&((Trainer *)pytree__to)->log, &((const Trainer *)pytree__from)->log);
 *     }
 *     static inline void pytree__free_Trainer__log(void *pytree__at, const pytree_field *pytree__row)
 *     {
 *         (void)pytree__row; log_free(&((Trainer *)(void *)((char *)pytree__at - offsetof(Trainer, log)))->log);
 *     } */
#define PYTREE__CHECK_DROP_HANDLE(id, s, name, arguments, ...)                                                          \
    PYTREE__CHECK_DROP_PLAIN(id, s, name, ~)                                                                            \
    PYTREE__ASSERT(PYTREE__MORE_ROWS, PYTREE__QUOTE_(pytree: s.name:) " HANDLE" PYTREE__TOO_SMALL);                     \
    PYTREE__ASSERT(PYTREE__COUNT_ARGUMENTS arguments == 2, PYTREE__QUOTE_(pytree: s.name:)                              \
                   " HANDLE takes two functions, HANDLE(clone, free)");                                                 \
    static inline pytree_status pytree__clone_##id##__##name(void *pytree__to, const void *pytree__from)                \
    {                                                                                                                   \
        return PYTREE__HANDLE_CLONE arguments(&((s *)pytree__to)->name, &((const s *)pytree__from)->name);              \
    }                                                                                                                   \
    static inline void pytree__free_##id##__##name(void *pytree__at, const pytree_field *pytree__row)                   \
    {                                                                                                                   \
        (void)pytree__row;                                                                                              \
        PYTREE__HANDLE_FREE arguments(&((s *)(void *)((char *)pytree__at - offsetof(s, name)))->name);                  \
    }
#define PYTREE__HANDLE_CLONE(clone, ...) clone
#define PYTREE__HANDLE_FREE(clone, ...) PYTREE__FIRST(__VA_ARGS__, ~)

#define PYTREE__TABLE_DROP_HANDLE(id, s, name, ...)                                                                     \
    { #name, 0, PYTREE_ROW_DROP, PYTREE_IN_PLACE, 0, 0, 0, PYTREE__PLACED(id, s, name), 0,                                  \
        PYTREE__FUNCTIONS(release, pytree__free_##id##__##name, clone, pytree__clone_##id##__##name), NULL },
#define PYTREE__CODES_DROP_HANDLE(id, s, name, ...) | PYTREE__IS_MANY                         /* such structs are no runs */
#endif

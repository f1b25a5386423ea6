/* pt_shared.h: pieces of pickles, shared by test_pt_pickle.c and test_pt_storages.c. */
#ifndef PT_SHARED_H
#define PT_SHARED_H

#include "checkpoint_shared.h"
#include "pt_archive.h"

#include "pytree/pt.h"

#define P2 "\x80\x02"
#define TEXT(length, text) "X" length "\0\0\0" text
#define STORAGE_OF(type, key, numbers) \
    "(" TEXT("\7", "storage") "ctorch\n" type "\n" TEXT("\1", key) TEXT("\3", "cpu") numbers "tQ"
#define STORAGE STORAGE_OF("FloatStorage", "0", "K\4")
#define HOOKS "ccollections\nOrderedDict\n)R"
#define V2 "ctorch._utils\n_rebuild_tensor_v2\n"
#define TENSOR_OF(storage, offset, size, strides) V2 "(" storage offset size strides "\x89" HOOKS "tR"
#define TENSOR(offset, size, strides) TENSOR_OF(STORAGE, offset, size, strides)
#define V3 "ctorch._utils\n_rebuild_tensor_v3\n"
#define UNTYPED \
    "(" TEXT("\7", "storage") "ctorch.storage\nUntypedStorage\n" TEXT("\1", "0") TEXT("\3", "cpu") "K\x10tQ"
#define LARGE "\x8a\x08\0\0\0\0\0\0\0\x10"                 /* 2^60 */
#define MINUS "J\xff\xff\xff\xff"

#endif

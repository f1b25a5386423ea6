/* Trees mapped from .safetensors files, sizes that only the file knows, and memory that runs out. */
#include "safetensors_tree_shared.h"

/* ---- Mapped ------------------------------------------------------------------------------------------------------------ */

static void a_tree_in_the_mapping(void **state)
{
    MLP model = mlp_make(2, true);
    Linear layers[2] = { { .din = 4, .dout = 3 }, { .din = 3, .dout = 2 } }, head = { .din = 2, .dout = 2 };
    MLP mapped = { .n_layers = 2, .layers = layers, .head = &head };
    pytree_error error = { 0 };
    pytree_safetensors *file;
    const pytree_tensor *t;
    char path[GOLDEN_PATH];
    (void)state;
    scratch_path(path, "mapped.safetensors");
    assert_ok(pytree_save_safetensors(path, PYTREE(&model), NULL, &error), &error);
    file = pytree_mmap_safetensors(path, PYTREE(&mapped), NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(PYTREE(&model), PYTREE(&mapped), NULL, NULL, &error));
    t = pytree_safetensors_find(file, "layers.1.w");
    assert_ptr_equal(layers[1].w, t->data);                    /* no copy */
    pytree_safetensors_close(file);
    layers[0].din = 5;                    /* does not fit: nothing is pointed anywhere */
    layers[0].w = layers[1].w = model.layers[0].w;
    assert_null(pytree_mmap_safetensors(path, PYTREE(&mapped), NULL, &error));
    assert_error(error.status, PYTREE_SHAPE, ".layers[0].w", &error);
    assert_ptr_equal(layers[1].w, model.layers[0].w);
    memset(&error, 0, sizeof error);
    layers[0].din = 4;
    mapped.layers = NULL;                 /* lists must be there */
    assert_null(
        pytree_mmap_safetensors(path, PYTREE(&mapped), &(pytree_checkpoint_options){ .ignore_unexpected = true }, &error));
    assert_true(error.status != PYTREE_OK);
    remove(path);
    mlp_clear(&model);
}

/* Only what is missing has no place: a list that is NULL, an array in a container. */
static void nowhere_to_point(void **state)
{
    Team team = { 1, NULL };
    Member member = { 0.5f, &team }, lead = { 0.25f, NULL };
    float number[2] = { 1, 2 };
    pytree_leaf empty = { 0 };
    Disk disk;
    (void)state;
    disk_init(&disk);
    team.lead = &lead;
    disk_save(&disk, PYTREE(&member));
    member.share = 0;
    assert_non_null(disk.memory.bytes);
    {
        pytree_safetensors *file = pytree_mmap_safetensors("f", PYTREE(&member), &disk.opt, &disk.error);
        assert_ok(disk.error.status, &disk.error);
        assert_true(member.share == 0.5f);                     /* in place: a copy */
        pytree_safetensors_close(file);
    }
    disk_save(&disk, PYTREE_LIST(PYTREE_ARRAY(number, 2)));
    empty.type = PYTREE_TYPE(float);
    empty.ndim = 1;
    empty.shape[0] = 2;
    assert_null(pytree_mmap_safetensors("f", PYTREE_LIST(pytree_of_view(&empty)), &disk.opt, &disk.error));
    assert_error(disk.error.status, PYTREE_NULL_POINTER, "[0]", &disk.error);
    disk_clear(&disk);
}

/* Each aligned or not: the values are right, and every array is aligned for its type. */
static void check_alignment(void *context, const cJSON *line)
{
    size_t *count = context, i, d;
    char path[GOLDEN_PATH];
    pytree_error error = { 0 };
    pytree_safetensors *file, *mapped;
    if (strcmp(golden_text(line, "format"), "safetensors") != 0 || strcmp(golden_text(line, "class"), "alignment") != 0) {
        return;
    }
    golden_path(path, golden_text(line, "name"));
    file = pytree_safetensors_map(path, NULL, &error);
    assert_ok(error.status, &error);
    for (i = 0; i < file->n_tensors; i++) {
        const pytree_tensor *t = &file->tensors[i];
        pytree_leaf leaf = { 0 };
        pytree_checkpoint_options opt = { 0 };
        if (t->type == NULL) { continue; }
        opt.ignore_unexpected = true;
        leaf.type = t->type;
        leaf.ndim = (int)t->ndim;
        for (d = 0; d < t->ndim; d++) { leaf.shape[d] = (size_t)t->shape[d]; }
        leaf.data = malloc((size_t)t->bytes + 1);
        assert_ok(pytree_load_safetensors(path, PYTREE_DICT({ t->name, PYTREE(&leaf) }), &opt, &error), &error);
        assert_memory_equal(leaf.data, t->data, (size_t)t->bytes);
        memset(leaf.data, 0, (size_t)t->bytes);
        mapped = pytree_mmap_safetensors(path, PYTREE_DICT({ t->name, PYTREE(&leaf) }), &opt, &error);
        assert_ok(error.status, &error);
        assert_memory_equal(leaf.data, t->data, (size_t)t->bytes);
        pytree_safetensors_close(mapped);
        free(leaf.data);
    }
    pytree_safetensors_close(file);
    ++*count;
}

typedef struct Vectors {
    size_t n;
    double *wide;
    float *single;
    bool *flags;
    pytree_bf16 *brain;
} Vectors;

#define PYTREE_STRUCT Vectors
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n)                                                                                             \
    PYTREE_FIELD(DATA, wide, ARRAY(self->n))                                                                            \
    PYTREE_FIELD(DATA, single, ARRAY(self->n))                                                                          \
    PYTREE_FIELD(DATA, flags, ARRAY(self->n))                                                                           \
    PYTREE_FIELD(DATA, brain, ARRAY(self->n))
#include "pytree_registry.h"

static void data_that_is_not_aligned(void **state)
{
    double wide[3] = { 1, 2, 3 };
    float single[3] = { 4, 5, 6 };
    bool flags[3] = { true, false, true };
    pytree_bf16 brain[3] = { { 0x3F80 }, { 0x4000 }, { 0 } };
    Vectors v = { 3, wide, single, flags, brain };
    size_t count = 0, shift;
    Disk disk;
    (void)state;
    golden_each("manifest.jsonl", check_alignment, &count);
    assert_int_equal(count, 4);
    disk_init(&disk);
    disk_save(&disk, PYTREE(&v));
    for (shift = 0; shift < 9; shift++) { /* more padding: the data begins anywhere */
        const unsigned char *bytes = disk.memory.bytes;
        size_t n = (size_t)bytes[0] + shift, old = bytes[0];
        unsigned char *moved = malloc(disk.memory.size + shift);
        pytree_memory memory = { 0 };
        pytree_io io = pytree_memory_io(&memory);
        pytree_checkpoint_options opt = { 0 };
        pytree_safetensors *file;
        Vectors got = { 3, NULL, NULL, NULL, NULL };
        assert_non_null(moved);
        memcpy(moved, bytes, 8);
        moved[0] = (unsigned char)n;
        moved[1] = (unsigned char)(bytes[1] + (n >> 8));
        old |= (size_t)bytes[1] << 8;
        memcpy(moved + 8, bytes + 8, old);
        memset(moved + 8 + old, ' ', shift);
        memcpy(moved + 8 + old + shift, bytes + 8 + old, disk.memory.size - 8 - old);
        memory.bytes = moved;
        memory.size = disk.memory.size + shift;
        opt.io = &io;
        file = pytree_mmap_safetensors("f", PYTREE(&got), &opt, &disk.error);
        assert_ok(disk.error.status, &disk.error);
        assert_true(pytree_equal(PYTREE(&v), PYTREE(&got), NULL, NULL, &disk.error));
        assert_int_equal((uintptr_t)got.wide % PYTREE_TYPE(double)->align, 0);
        assert_int_equal((uintptr_t)got.single % PYTREE_TYPE(float)->align, 0);
        assert_int_equal((uintptr_t)got.brain % PYTREE_TYPE(pytree_bf16)->align, 0);
        assert_ptr_equal(got.flags, pytree_safetensors_find(file, "flags")->data);         /* bytes are always aligned */
        pytree_safetensors_close(file);
        free(moved);
    }
    disk_clear(&disk);
}

/* ---- Sizes from the file ----------------------------------------------------------------------------------------------- */

static Stage stage_make(Attention *blocks, size_t n, Stage *next)
{
    Stage stage = { 0 };
    size_t i;
    memset(blocks, 0, n * sizeof *blocks);
    stage.n = (unsigned char)n;
    stage.blocks = blocks;
    for (i = 0; i < n; i++) {
        blocks[i].width = (short)(4 + 2 * i);
        blocks[i].heads = 2;
        blocks[i].bias = i % 2 == 0 ? NULL : PYTREE_WANTED;
    }
    stage.pair[0].din = 3;
    stage.pair[0].dout = 2;
    stage.pair[1].din = 2;
    stage.pair[1].dout = 5;
    stage.next = next;
    return stage;
}

static void sizes_that_only_the_file_knows(void **state)
{
    Attention outer[3], inner[11];
    Stage last = stage_make(inner, 11, NULL), model = stage_make(outer, 3, &last), got = { 0 }, before;
    pytree_error error = { 0 };
    size_t i;
    Disk disk;
    (void)state;
    disk_init(&disk);
    disk.opt.prefix = "net.";
    assert_ok(pytree_allocate(PYTREE(&model), NULL, &error), &error);
    model.blocks[2].qkv[3] = 7;
    model.next->blocks[10].out[0] = 8;
    disk_save(&disk, PYTREE(&model));
    /* heads does not follow from an extent: it stays 0 unless the template says it */
    assert_ok(pytree_allocate_from_safetensors("f", PYTREE(&got), &disk.opt, &error), &error);
    assert_int_equal(got.n, 3);
    assert_int_equal(got.next->n, 11);
    assert_int_equal(got.next->blocks[10].width, 24);
    assert_int_equal(got.pair[1].dout, 5);
    assert_null(got.blocks[0].bias);
    assert_non_null(got.blocks[1].bias);
    assert_null(got.next->next);
    pytree_free(PYTREE(&got));
    {
        Attention templates[3] = { { .heads = 2 }, { .heads = 2 }, { .heads = 2 } }, rest[11];
        Stage next = { .n = 11, .blocks = rest };
        memset(rest, 0, sizeof rest);
        for (i = 0; i < 11; i++) { rest[i].heads = 2; }
        memset(&got, 0, sizeof got);
        got.n = 3;
        got.blocks = templates;
        got.next = &next;
        assert_ok(pytree_allocate_from_safetensors("f", PYTREE(&got), &disk.opt, &error), &error);
        assert_ptr_not_equal(got.blocks, templates);
        assert_int_equal(templates[0].width, 0);               /* templates stay as they are */
        disk_load(&disk, PYTREE(&got));
        assert_true(pytree_equal(PYTREE(&model), PYTREE(&got), NULL, NULL, &error));
        assert_true(got.next->blocks[10].out[0] == 8.0f);
        pytree_free(PYTREE(&got));
    }
    /* a number that is there stays, whether the file agrees or not */
    memset(&got, 0, sizeof got);
    got.n = 2;
    got.pair[0].din = 9;
    assert_ok(pytree_allocate_from_safetensors("f", PYTREE(&got), &disk.opt, &error), &error);
    assert_int_equal(got.n, 2);
    assert_int_equal(got.pair[0].din, 9);
    pytree_free(PYTREE(&got));
    /* without the prefix there is nothing: everything stays empty */
    disk.opt.prefix = NULL;
    memset(&got, 0, sizeof got);
    assert_ok(pytree_allocate_from_safetensors("f", PYTREE(&got), &disk.opt, &error), &error);
    assert_int_equal(got.n, 0);
    assert_null(got.next);
    /* arguments */
    before = got;
    disk.opt.renames = (const pytree_rename[]){ { "a", "b" } };
    disk.opt.n_renames = 1;
    assert_error(pytree_allocate_from_safetensors("f", PYTREE(&got), &disk.opt, &error), PYTREE_ARGUMENT, NULL, &error);
    disk.opt.n_renames = 0;
    memset(&error, 0, sizeof error);
    assert_error(pytree_allocate_from_safetensors("f", PYTREE_LIST(), &disk.opt, &error), PYTREE_ARGUMENT, NULL, &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_allocate_from_safetensors("no such file", PYTREE(&got), NULL, &error), PYTREE_IO, NULL, &error);
    assert_memory_equal(&before, &got, sizeof got);
    pytree_free(PYTREE(&got));
    disk_clear(&disk);
    pytree_free(PYTREE(&model));
}

/* ---- Memory that runs out ---------------------------------------------------------------------------------------------- */

static pytree_status save_and_load(void *context, const pytree_options *tree, pytree_error *err)
{
    Disk *disk = context;
    MLP model = mlp_make(2, true), copy = mlp_make(2, true), before;
    pytree_checkpoint_options opt = disk->opt;
    pytree_rename table[] = { { "scale", "factor" } };
    pytree_status status;
    opt.tree = *tree;
    opt.renames = table;
    opt.n_renames = 1;
    copy.scale[0][0] = -1;
    before = copy;
    status = pytree_save_safetensors("f", PYTREE(&model), &opt, err);
    if (status == PYTREE_OK) {
        status = pytree_load_safetensors("f", PYTREE(&copy), &opt, err);
        if (status != PYTREE_OK) { assert_memory_equal(&before, &copy, sizeof copy); }
        else { assert_true(pytree_equal(PYTREE(&model), PYTREE(&copy), NULL, NULL, err)); }
    }
    mlp_clear(&model);
    mlp_clear(&copy);
    return status;
}

static pytree_status load_with_report(void *context, const pytree_options *tree, pytree_error *err)
{
    Disk *disk = context;
    MLP other = mlp_make(3, false);
    pytree_report report = { 0 };
    pytree_checkpoint_options opt = disk->opt;
    pytree_error own = { 0 };
    opt.tree = *tree;
    opt.report = &report;
    (void)pytree_load_safetensors("f", PYTREE(&other), &opt, &own);
    if (own.status == PYTREE_NOT_FOUND) {                      /* what is to be found out, found out */
        assert_int_equal(report.missing.count, 3);             /* layers.2.w, layers.2.b, and scale */
        own.status = PYTREE_OK;
    } else {
        *err = own;
        assert_int_equal(report.missing.count, 0);
    }
    pytree_report_free(&report);
    mlp_clear(&other);
    return own.status;
}

static pytree_status map_with_copies(void *context, const pytree_options *tree, pytree_error *err)
{
    Disk *disk = context;
    Linear layers[2] = { { .din = 4, .dout = 3 }, { .din = 3, .dout = 2 } }, head = { .din = 2, .dout = 2 };
    MLP mapped = { .n_layers = 2, .layers = layers, .head = &head };
    pytree_checkpoint_options opt = disk->opt;
    pytree_rename table[] = { { "scale", "factor" } };
    pytree_safetensors *file;
    opt.tree = *tree;
    opt.renames = table;
    opt.n_renames = 1;
    opt.convert = true;
    file = pytree_mmap_safetensors("f", PYTREE(&mapped), &opt, err);
    if (file == NULL) { assert_null(layers[0].w); }
    pytree_safetensors_close(file);
    return err->status;
}

static pytree_status allocate_from(void *context, const pytree_options *tree, pytree_error *err)
{
    Disk *disk = context;
    MLP model = { 0 };
    pytree_checkpoint_options opt = disk->opt;
    pytree_status status;
    opt.tree = *tree;
    status = pytree_allocate_from_safetensors("f", PYTREE(&model), &opt, err);
    if (status != PYTREE_OK) {
        assert_int_equal(model.n_layers, 0);
        assert_null(model.layers);
    } else {
        assert_int_equal(model.n_layers, 2);
        assert_int_equal(model.head->dout, 2);
    }
    pytree_free(PYTREE(&model));
    return status;
}

static pytree_status save_deep(void *context, const pytree_options *tree, pytree_error *err)
{
    Disk *disk = context;
    Node *chain = chain_make(100);
    pytree_checkpoint_options opt = disk->opt;
    pytree_status status;
    opt.tree = *tree;
    status = pytree_save_safetensors("f", PYTREE(chain), &opt, err);
    free(chain);
    return status;
}

static pytree_status map_deep(void *context, const pytree_options *tree, pytree_error *err)
{
    Disk *disk = context;
    Node *chain = chain_make(100);
    pytree_checkpoint_options opt = disk->opt;
    pytree_safetensors *file;
    size_t i;
    opt.tree = *tree;
    for (i = 0; i < 100; i++) { chain[i].value = -1; }
    file = pytree_mmap_safetensors("f", PYTREE(chain), &opt, err);
    for (i = 0; i < 100; i++) { assert_true(chain[i].value == (file == NULL ? -1.0 : (double)i)); }
    pytree_safetensors_close(file);
    free(chain);
    return err->status;
}

static pytree_status share_once(void *context, const pytree_options *tree, pytree_error *err)
{
    float tied[2] = { 1, 2 };
    pytree t = PYTREE_LIST(PYTREE_ARRAY(tied, 2), PYTREE_ARRAY(tied, 2));
    Disk *disk = context;
    pytree_checkpoint_options opt = disk->opt;
    pytree_status status;
    opt.tree = *tree;
    opt.shared = PYTREE_SHARED_ONCE;
    status = pytree_save_safetensors("f", t, &opt, err);
    return status == PYTREE_OK ? pytree_load_safetensors("f", t, &opt, err) : status;
}

static void every_allocation_may_fail(void **state)
{
    Disk disk;
    (void)state;
    disk_init(&disk);
    assert_true(sweep_allocations(save_and_load, &disk) > 12);
    assert_true(sweep_allocations(load_with_report, &disk) > 8);
    assert_true(sweep_allocations(map_with_copies, &disk) > 8);
    assert_true(sweep_allocations(allocate_from, &disk) > 8);
    assert_true(sweep_allocations(share_once, &disk) > 8);
    assert_true(sweep_allocations(save_deep, &disk) > 6);
    assert_true(sweep_allocations(map_deep, &disk) > 8);
    disk_clear(&disk);
}

/* Many names: nothing here may take quadratic time. */
static void many_leaves(void **state)
{
    enum { MANY = 20000 };
    size_t n = under_valgrind() ? MANY / 20 : MANY, i;
    char (*names)[32] = malloc(n * sizeof *names);
    float *numbers = malloc(n * sizeof *numbers);
    Bag bag;
    Disk disk;
    (void)state;
    assert_non_null(names);
    assert_non_null(numbers);
    bag_init(&bag, n);
    for (i = 0; i < n; i++) {
        snprintf(names[i], sizeof names[i], "layer.%lu.w", (unsigned long)i);
        bag_put(&bag, i, names[i], PYTREE_TYPE(float), 0, (unsigned char)i);
    }
    disk_init(&disk);
    disk_save(&disk, bag.tree);
    for (i = 0; i < n; i++) {
        memcpy(&numbers[i], bag.leaves[i].data, sizeof numbers[i]);
        memset(bag.leaves[i].data, 0, sizeof numbers[i]);
    }
    disk_load(&disk, bag.tree);
    for (i = 0; i < n; i++) { assert_memory_equal(bag.leaves[i].data, &numbers[i], sizeof numbers[i]); }
    disk_clear(&disk);
    bag_clear(&bag);
    free(names);
    free(numbers);
}

/* An extent that only a tensor without elements states must not size an array beyond what the file can hold. */
static void small_files_ask_for_little(void **state)
{
    static const int extents[] = { 1000, 100000, INT_MAX };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(extents); i++) {
        Linear layer = { 0 };
        unsigned char bytes[300] = { 0 };
        Heap heap;
        Disk disk;
        const int n = snprintf((char *)bytes + 8, sizeof bytes - 8,
                               "{\"w\":{\"dtype\":\"F32\",\"shape\":[0,%d],\"data_offsets\":[0,0]},"
                               "\"b\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}}",
                               extents[i]);
        disk_init(&disk);
        heap_init(&heap, HEAP_NEVER_FAILS);
        disk.opt.tree.allocator = &heap.allocator;
        bytes[0] = (unsigned char)n;
        disk.memory.bytes = bytes;
        disk.memory.size = 8 + (size_t)n;
        if (extents[i] == 1000) {
            assert_ok(pytree_allocate_from_safetensors("f", PYTREE(&layer), &disk.opt, &disk.error), &disk.error);
            assert_int_equal(layer.dout, 1000);
            pytree_free(PYTREE(&layer));
        } else {
            char words[200];
            snprintf(words, sizeof words, "expected an array that the file can hold, got %d elements for 'b', of which the "
                     "file has 0", extents[i]);
            assert_error(pytree_allocate_from_safetensors("f", PYTREE(&layer), &disk.opt, &disk.error), PYTREE_OVERFLOW, NULL,
                         &disk.error);
            assert_string_equal(disk.error.message, words);
            assert_int_equal(layer.dout, 0);
        }
        assert_heap_clean(&heap);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_in_the_mapping),
        cmocka_unit_test(nowhere_to_point),
        cmocka_unit_test(data_that_is_not_aligned),
        cmocka_unit_test(sizes_that_only_the_file_knows),
        cmocka_unit_test(sizes_that_do_not_fit),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(many_leaves),
        cmocka_unit_test(small_files_ask_for_little)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

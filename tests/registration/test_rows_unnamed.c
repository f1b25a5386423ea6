/* Structs without a name in structs: their members by their own names, or their type by that of the member. */
#include "rows_shared.h"

typedef struct Car {
    int n;
    struct {                              /* no name at all: its members are the car's */
        float *fuel;
        float speed;
    };
    struct {
        double x, y;
        struct { int count; float *at; } track;
    } position, wheels[2];
    union {                               /* the library has nothing to do with it */
        int number;
        float fraction;
    } scratch;
    double last;
} Car;
typedef __typeof__(((Car *)0)->position) CarPosition;
typedef __typeof__(((Car *)0)->position.track) CarTrack;

#define PYTREE_STRUCT CarTrack
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, count) PYTREE_FIELD(DATA, at, ARRAY(self->count))
#include "pytree_registry.h"

#define PYTREE_STRUCT CarPosition
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, y) PYTREE_FIELD(DATA, track)
#include "pytree_registry.h"

#define PYTREE_STRUCT Car
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, fuel, ARRAY(self->n)) PYTREE_FIELD(DATA, speed)                          \
    PYTREE_FIELD(DATA, position) PYTREE_FIELD(DATA, wheels) PYTREE_FIELD(DROP, scratch) PYTREE_FIELD(DATA, last)
#include "pytree_registry.h"

static const pytree_type *const types[] = { PYTREE_TYPE(CarTrack), PYTREE_TYPE(CarPosition), PYTREE_TYPE(Car) };
static float fuel[2] = { 1.0f, 2.0f }, track[3] = { 3.0f, 4.0f, 5.0f };

static Car car_make(void)
{
    Car car;
    memset(&car, 0, sizeof car);
    car.n = 2;
    car.speed = 6.0f;
    car.fuel = fuel;
    car.position.y = 7.0;
    car.position.track.count = 3;
    car.position.track.at = track;
    car.wheels[1].x = 8.0;
    car.last = 9.0;
    return car;
}

static void paths_are_those_of_c(void **state)
{
    Car car = car_make();
    char text[ROWS_TEXT];
    (void)state;
    assert_string_equal(rows_printed(PYTREE(&car), text),
                        ".fuel  f32[2]\n.speed  f32 6.0\n.position.x  f64 0.0\n.position.y  f64 7.0\n"
                        ".position.track.at  f32[3]\n.wheels[0].x  f64 0.0\n.wheels[0].y  f64 0.0\n"
                        ".wheels[0].track.at  f32[0]\n.wheels[1].x  f64 8.0\n.wheels[1].y  f64 0.0\n"
                        ".wheels[1].track.at  f32[0]\n.last  f64 9.0\n");
    assert_true(PYTREE(&car.position).type == PYTREE_TYPE(CarPosition));
}

static void whatever_is_made_equals_its_source(void **state)
{
    Car car = car_make();
    (void)state;
    car.wheels[0].track.at = track;
    car.wheels[1].track.at = track + 1;
    rows_assert_round_trip(PYTREE(&car), COUNT_OF(types), types);
    rows_assert_round_trip(PYTREE(&car.position), COUNT_OF(types), types);
}

static void memory_is_allocated(void **state)
{
    Car car = { .n = 3 };
    pytree_error error = { 0 };
    (void)state;
    car.wheels[1].track.count = 4;
    assert_ok(pytree_allocate(PYTREE(&car), NULL, &error), &error);
    car.fuel[2] = car.wheels[1].track.at[3] = 1.0f;
    pytree_free(PYTREE(&car));
    assert_true(car.fuel == NULL && car.wheels[1].track.at == NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_those_of_c),
        cmocka_unit_test(whatever_is_made_equals_its_source),
        cmocka_unit_test(memory_is_allocated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

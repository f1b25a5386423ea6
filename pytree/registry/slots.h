/* pytree/registry/slots.h: list slots, and macros that are numbered. Made by tools/slots.py.
 *
 * pytree/registry/primitives_c.h explains slots and dispatch. */
#ifndef PYTREE_REGISTRY_SLOTS_H
#define PYTREE_REGISTRY_SLOTS_H

/* The first types of a group that is not full:
 *
 *     PYTREE__PCODES_OF_2(02)   =>   pytree__ptr020: pytree__pcode020, pytree__ptr021: pytree__pcode021, */
#define PYTREE__PCODES_OF_0(g)
#define PYTREE__PCODES_OF_1(g) pytree__ptr##g##0: pytree__pcode##g##0,
#define PYTREE__PCODES_OF_2(g) pytree__ptr##g##0: pytree__pcode##g##0, pytree__ptr##g##1: pytree__pcode##g##1,
#define PYTREE__PCODES_OF_3(g) pytree__ptr##g##0: pytree__pcode##g##0, pytree__ptr##g##1: pytree__pcode##g##1,          \
    pytree__ptr##g##2: pytree__pcode##g##2,
#define PYTREE__PCODES_OF_4(g) pytree__ptr##g##0: pytree__pcode##g##0, pytree__ptr##g##1: pytree__pcode##g##1,          \
    pytree__ptr##g##2: pytree__pcode##g##2, pytree__ptr##g##3: pytree__pcode##g##3,
#define PYTREE__PCODES_OF_5(g) pytree__ptr##g##0: pytree__pcode##g##0, pytree__ptr##g##1: pytree__pcode##g##1,          \
    pytree__ptr##g##2: pytree__pcode##g##2, pytree__ptr##g##3: pytree__pcode##g##3, pytree__ptr##g##4:                  \
    pytree__pcode##g##4,
#define PYTREE__PCODES_OF_6(g) pytree__ptr##g##0: pytree__pcode##g##0, pytree__ptr##g##1: pytree__pcode##g##1,          \
    pytree__ptr##g##2: pytree__pcode##g##2, pytree__ptr##g##3: pytree__pcode##g##3, pytree__ptr##g##4:                  \
    pytree__pcode##g##4, pytree__ptr##g##5: pytree__pcode##g##5,
#define PYTREE__PCODES_OF_7(g) pytree__ptr##g##0: pytree__pcode##g##0, pytree__ptr##g##1: pytree__pcode##g##1,          \
    pytree__ptr##g##2: pytree__pcode##g##2, pytree__ptr##g##3: pytree__pcode##g##3, pytree__ptr##g##4:                  \
    pytree__pcode##g##4, pytree__ptr##g##5: pytree__pcode##g##5, pytree__ptr##g##6: pytree__pcode##g##6,
#define PYTREE__DESCS_OF_0(g)
#define PYTREE__DESCS_OF_1(g) pytree__ptr##g##0: &pytree__desc##g##0,
#define PYTREE__DESCS_OF_2(g) pytree__ptr##g##0: &pytree__desc##g##0, pytree__ptr##g##1: &pytree__desc##g##1,
#define PYTREE__DESCS_OF_3(g) pytree__ptr##g##0: &pytree__desc##g##0, pytree__ptr##g##1: &pytree__desc##g##1,           \
    pytree__ptr##g##2: &pytree__desc##g##2,
#define PYTREE__DESCS_OF_4(g) pytree__ptr##g##0: &pytree__desc##g##0, pytree__ptr##g##1: &pytree__desc##g##1,           \
    pytree__ptr##g##2: &pytree__desc##g##2, pytree__ptr##g##3: &pytree__desc##g##3,
#define PYTREE__DESCS_OF_5(g) pytree__ptr##g##0: &pytree__desc##g##0, pytree__ptr##g##1: &pytree__desc##g##1,           \
    pytree__ptr##g##2: &pytree__desc##g##2, pytree__ptr##g##3: &pytree__desc##g##3, pytree__ptr##g##4:                  \
    &pytree__desc##g##4,
#define PYTREE__DESCS_OF_6(g) pytree__ptr##g##0: &pytree__desc##g##0, pytree__ptr##g##1: &pytree__desc##g##1,           \
    pytree__ptr##g##2: &pytree__desc##g##2, pytree__ptr##g##3: &pytree__desc##g##3, pytree__ptr##g##4:                  \
    &pytree__desc##g##4, pytree__ptr##g##5: &pytree__desc##g##5,
#define PYTREE__DESCS_OF_7(g) pytree__ptr##g##0: &pytree__desc##g##0, pytree__ptr##g##1: &pytree__desc##g##1,           \
    pytree__ptr##g##2: &pytree__desc##g##2, pytree__ptr##g##3: &pytree__desc##g##3, pytree__ptr##g##4:                  \
    &pytree__desc##g##4, pytree__ptr##g##5: &pytree__desc##g##5, pytree__ptr##g##6: &pytree__desc##g##6,

/* Full groups of block b, then full blocks, of the list PYTREE__PCODES_ or PYTREE__DESCS_:
 *
 *     PYTREE__GROUPS_2((x), PYTREE__DESCS_, 0)   =>
 *     _Generic((x), PYTREE__DESCS_01 default: _Generic((x), PYTREE__DESCS_00 default: */
#define PYTREE__GROUPS_0(x, list, b)
#define PYTREE__GROUPS_1(x, list, b) _Generic(x, list##b##0 default:
#define PYTREE__GROUPS_2(x, list, b) _Generic(x, list##b##1 default: _Generic(x, list##b##0 default:
#define PYTREE__GROUPS_3(x, list, b) _Generic(x, list##b##2 default: _Generic(x, list##b##1 default: _Generic(x,        \
    list##b##0 default:
#define PYTREE__GROUPS_4(x, list, b) _Generic(x, list##b##3 default: _Generic(x, list##b##2 default: _Generic(x,        \
    list##b##1 default: _Generic(x, list##b##0 default:
#define PYTREE__GROUPS_5(x, list, b) _Generic(x, list##b##4 default: _Generic(x, list##b##3 default: _Generic(x,        \
    list##b##2 default: _Generic(x, list##b##1 default: _Generic(x, list##b##0 default:
#define PYTREE__GROUPS_6(x, list, b) _Generic(x, list##b##5 default: _Generic(x, list##b##4 default: _Generic(x,        \
    list##b##3 default: _Generic(x, list##b##2 default: _Generic(x, list##b##1 default: _Generic(x, list##b##0 default:
#define PYTREE__GROUPS_7(x, list, b) _Generic(x, list##b##6 default: _Generic(x, list##b##5 default: _Generic(x,        \
    list##b##4 default: _Generic(x, list##b##3 default: _Generic(x, list##b##2 default: _Generic(x, list##b##1 default: \
    _Generic(x, list##b##0 default:
#define PYTREE__GROUPS_8(x, list, b) _Generic(x, list##b##7 default: _Generic(x, list##b##6 default: _Generic(x,        \
    list##b##5 default: _Generic(x, list##b##4 default: _Generic(x, list##b##3 default: _Generic(x, list##b##2 default: \
    _Generic(x, list##b##1 default: _Generic(x, list##b##0 default:
#define PYTREE__BLOCKS_0(x, list)
#define PYTREE__BLOCKS_1(x, list) PYTREE__GROUPS_8(x, list, 0)
#define PYTREE__BLOCKS_2(x, list) PYTREE__GROUPS_8(x, list, 1) PYTREE__BLOCKS_1(x, list)
#define PYTREE__BLOCKS_3(x, list) PYTREE__GROUPS_8(x, list, 2) PYTREE__BLOCKS_2(x, list)
#define PYTREE__BLOCKS_4(x, list) PYTREE__GROUPS_8(x, list, 3) PYTREE__BLOCKS_3(x, list)
#define PYTREE__BLOCKS_5(x, list) PYTREE__GROUPS_8(x, list, 4) PYTREE__BLOCKS_4(x, list)
#define PYTREE__BLOCKS_6(x, list) PYTREE__GROUPS_8(x, list, 5) PYTREE__BLOCKS_5(x, list)
#define PYTREE__BLOCKS_7(x, list) PYTREE__GROUPS_8(x, list, 6) PYTREE__BLOCKS_6(x, list)
#define PYTREE__BLOCKS_8(x, list) PYTREE__GROUPS_8(x, list, 7) PYTREE__BLOCKS_7(x, list)

/* Count the arguments. */
#define PYTREE__COUNT_ARGUMENTS(...) PYTREE__SEVENTEENTH(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3,  \
    2, 1, ~)
#define PYTREE__SEVENTEENTH(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, ...) q

/* PYTREE__SUBSCRIPTS_2   =>   [0][0] */
#define PYTREE__SUBSCRIPTS_1 [0]
#define PYTREE__SUBSCRIPTS_2 [0][0]
#define PYTREE__SUBSCRIPTS_3 [0][0][0]
#define PYTREE__SUBSCRIPTS_4 [0][0][0][0]
#define PYTREE__SUBSCRIPTS_5 [0][0][0][0][0]
#define PYTREE__SUBSCRIPTS_6 [0][0][0][0][0][0]
#define PYTREE__SUBSCRIPTS_7 [0][0][0][0][0][0][0]
#define PYTREE__SUBSCRIPTS_8 [0][0][0][0][0][0][0][0]
#define PYTREE__SUBSCRIPTS_9 [0][0][0][0][0][0][0][0][0]
#define PYTREE__SUBSCRIPTS_10 [0][0][0][0][0][0][0][0][0][0]
#define PYTREE__SUBSCRIPTS_11 [0][0][0][0][0][0][0][0][0][0][0]
#define PYTREE__SUBSCRIPTS_12 [0][0][0][0][0][0][0][0][0][0][0][0]
#define PYTREE__SUBSCRIPTS_13 [0][0][0][0][0][0][0][0][0][0][0][0][0]
#define PYTREE__SUBSCRIPTS_14 [0][0][0][0][0][0][0][0][0][0][0][0][0][0]
#define PYTREE__SUBSCRIPTS_15 [0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]
#define PYTREE__SUBSCRIPTS_16 [0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]

/* What a pass makes of each extent:   PYTREE__EXTENTS(OP, self->n, 3)   =>   OP(0, =, self->n) OP(1, |=, 3) */
#define PYTREE__EXTENTS(op, ...) PYTREE__SEVENTEENTH(__VA_ARGS__, PYTREE__EXTENTS_16, PYTREE__EXTENTS_15,               \
    PYTREE__EXTENTS_14, PYTREE__EXTENTS_13, PYTREE__EXTENTS_12, PYTREE__EXTENTS_11, PYTREE__EXTENTS_10,                 \
    PYTREE__EXTENTS_9, PYTREE__EXTENTS_8, PYTREE__EXTENTS_7, PYTREE__EXTENTS_6, PYTREE__EXTENTS_5, PYTREE__EXTENTS_4,   \
    PYTREE__EXTENTS_3, PYTREE__EXTENTS_2, PYTREE__EXTENTS_1, ~)(op, __VA_ARGS__)
#define PYTREE__DIM(i) ((i) < PYTREE_MAX_DIMS ? (i) : 0)
#define PYTREE__EXTENTS_1(op, a) op(0, =, a)
#define PYTREE__EXTENTS_2(op, a, b) PYTREE__EXTENTS_1(op, a) op(1, |=, b)
#define PYTREE__EXTENTS_3(op, a, b, c) PYTREE__EXTENTS_2(op, a, b) op(2, |=, c)
#define PYTREE__EXTENTS_4(op, a, b, c, d) PYTREE__EXTENTS_3(op, a, b, c) op(PYTREE__DIM(3), |=, d)
#define PYTREE__EXTENTS_5(op, a, b, c, d, e) PYTREE__EXTENTS_4(op, a, b, c, d) op(PYTREE__DIM(4), |=, e)
#define PYTREE__EXTENTS_6(op, a, b, c, d, e, f) PYTREE__EXTENTS_5(op, a, b, c, d, e) op(PYTREE__DIM(5), |=, f)
#define PYTREE__EXTENTS_7(op, a, b, c, d, e, f, g) PYTREE__EXTENTS_6(op, a, b, c, d, e, f) op(PYTREE__DIM(6), |=, g)
#define PYTREE__EXTENTS_8(op, a, b, c, d, e, f, g, h) PYTREE__EXTENTS_7(op, a, b, c, d, e, f, g) op(PYTREE__DIM(7), |=, \
    h)
#define PYTREE__EXTENTS_9(op, a, b, c, d, e, f, g, h, i) PYTREE__EXTENTS_8(op, a, b, c, d, e, f, g, h)                  \
    op(PYTREE__DIM(8), |=, i)
#define PYTREE__EXTENTS_10(op, a, b, c, d, e, f, g, h, i, j) PYTREE__EXTENTS_9(op, a, b, c, d, e, f, g, h, i)           \
    op(PYTREE__DIM(9), |=, j)
#define PYTREE__EXTENTS_11(op, a, b, c, d, e, f, g, h, i, j, k) PYTREE__EXTENTS_10(op, a, b, c, d, e, f, g, h, i, j)    \
    op(PYTREE__DIM(10), |=, k)
#define PYTREE__EXTENTS_12(op, a, b, c, d, e, f, g, h, i, j, k, l) PYTREE__EXTENTS_11(op, a, b, c, d, e, f, g, h, i, j, \
    k) op(PYTREE__DIM(11), |=, l)
#define PYTREE__EXTENTS_13(op, a, b, c, d, e, f, g, h, i, j, k, l, m) PYTREE__EXTENTS_12(op, a, b, c, d, e, f, g, h, i, \
    j, k, l) op(PYTREE__DIM(12), |=, m)
#define PYTREE__EXTENTS_14(op, a, b, c, d, e, f, g, h, i, j, k, l, m, n) PYTREE__EXTENTS_13(op, a, b, c, d, e, f, g, h, \
    i, j, k, l, m) op(PYTREE__DIM(13), |=, n)
#define PYTREE__EXTENTS_15(op, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o) PYTREE__EXTENTS_14(op, a, b, c, d, e, f, g, \
    h, i, j, k, l, m, n) op(PYTREE__DIM(14), |=, o)
#define PYTREE__EXTENTS_16(op, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) PYTREE__EXTENTS_15(op, a, b, c, d, e, f, \
    g, h, i, j, k, l, m, n, o) op(PYTREE__DIM(15), |=, p)

/* Of a fixed array:   PYTREE__FIXED_EXTENTS_1(OP, a)   =>   OP(0, =, sizeof(a) / sizeof((a)[0])) */
#define PYTREE__FIXED_EXTENT(x) sizeof(x) / sizeof((x)[0])
#define PYTREE__FIXED_EXTENTS_1(op, x) op(0, =, PYTREE__FIXED_EXTENT(x))
#define PYTREE__FIXED_EXTENTS_2(op, x) PYTREE__FIXED_EXTENTS_1(op, x) op(PYTREE__DIM(1), |=, PYTREE__FIXED_EXTENT((x)   \
    PYTREE__SUBSCRIPTS_1))
#define PYTREE__FIXED_EXTENTS_3(op, x) PYTREE__FIXED_EXTENTS_2(op, x) op(PYTREE__DIM(2), |=, PYTREE__FIXED_EXTENT((x)   \
    PYTREE__SUBSCRIPTS_2))
#define PYTREE__FIXED_EXTENTS_4(op, x) PYTREE__FIXED_EXTENTS_3(op, x) op(PYTREE__DIM(3), |=, PYTREE__FIXED_EXTENT((x)   \
    PYTREE__SUBSCRIPTS_3))
#define PYTREE__FIXED_EXTENTS_5(op, x) PYTREE__FIXED_EXTENTS_4(op, x) op(PYTREE__DIM(4), |=, PYTREE__FIXED_EXTENT((x)   \
    PYTREE__SUBSCRIPTS_4))
#define PYTREE__FIXED_EXTENTS_6(op, x) PYTREE__FIXED_EXTENTS_5(op, x) op(PYTREE__DIM(5), |=, PYTREE__FIXED_EXTENT((x)   \
    PYTREE__SUBSCRIPTS_5))
#define PYTREE__FIXED_EXTENTS_7(op, x) PYTREE__FIXED_EXTENTS_6(op, x) op(PYTREE__DIM(6), |=, PYTREE__FIXED_EXTENT((x)   \
    PYTREE__SUBSCRIPTS_6))
#define PYTREE__FIXED_EXTENTS_8(op, x) PYTREE__FIXED_EXTENTS_7(op, x) op(PYTREE__DIM(7), |=, PYTREE__FIXED_EXTENT((x)   \
    PYTREE__SUBSCRIPTS_7))
#define PYTREE__FIXED_EXTENTS_9(op, x) PYTREE__FIXED_EXTENTS_8(op, x) op(PYTREE__DIM(8), |=, PYTREE__FIXED_EXTENT((x)   \
    PYTREE__SUBSCRIPTS_8))
#define PYTREE__FIXED_EXTENTS_10(op, x) PYTREE__FIXED_EXTENTS_9(op, x) op(PYTREE__DIM(9), |=, PYTREE__FIXED_EXTENT((x)  \
    PYTREE__SUBSCRIPTS_9))
#define PYTREE__FIXED_EXTENTS_11(op, x) PYTREE__FIXED_EXTENTS_10(op, x) op(PYTREE__DIM(10), |=,                         \
    PYTREE__FIXED_EXTENT((x) PYTREE__SUBSCRIPTS_10))
#define PYTREE__FIXED_EXTENTS_12(op, x) PYTREE__FIXED_EXTENTS_11(op, x) op(PYTREE__DIM(11), |=,                         \
    PYTREE__FIXED_EXTENT((x) PYTREE__SUBSCRIPTS_11))
#define PYTREE__FIXED_EXTENTS_13(op, x) PYTREE__FIXED_EXTENTS_12(op, x) op(PYTREE__DIM(12), |=,                         \
    PYTREE__FIXED_EXTENT((x) PYTREE__SUBSCRIPTS_12))
#define PYTREE__FIXED_EXTENTS_14(op, x) PYTREE__FIXED_EXTENTS_13(op, x) op(PYTREE__DIM(13), |=,                         \
    PYTREE__FIXED_EXTENT((x) PYTREE__SUBSCRIPTS_13))
#define PYTREE__FIXED_EXTENTS_15(op, x) PYTREE__FIXED_EXTENTS_14(op, x) op(PYTREE__DIM(14), |=,                         \
    PYTREE__FIXED_EXTENT((x) PYTREE__SUBSCRIPTS_14))
#define PYTREE__FIXED_EXTENTS_16(op, x) PYTREE__FIXED_EXTENTS_15(op, x) op(PYTREE__DIM(15), |=,                         \
    PYTREE__FIXED_EXTENT((x) PYTREE__SUBSCRIPTS_15))

/* Full groups. */
#define PYTREE__PCODES_00 pytree__ptr000: pytree__pcode000, pytree__ptr001: pytree__pcode001, pytree__ptr002:           \
    pytree__pcode002, pytree__ptr003: pytree__pcode003, pytree__ptr004: pytree__pcode004, pytree__ptr005:               \
    pytree__pcode005, pytree__ptr006: pytree__pcode006, pytree__ptr007: pytree__pcode007,
#define PYTREE__PCODES_01 pytree__ptr010: pytree__pcode010, pytree__ptr011: pytree__pcode011, pytree__ptr012:           \
    pytree__pcode012, pytree__ptr013: pytree__pcode013, pytree__ptr014: pytree__pcode014, pytree__ptr015:               \
    pytree__pcode015, pytree__ptr016: pytree__pcode016, pytree__ptr017: pytree__pcode017,
#define PYTREE__PCODES_02 pytree__ptr020: pytree__pcode020, pytree__ptr021: pytree__pcode021, pytree__ptr022:           \
    pytree__pcode022, pytree__ptr023: pytree__pcode023, pytree__ptr024: pytree__pcode024, pytree__ptr025:               \
    pytree__pcode025, pytree__ptr026: pytree__pcode026, pytree__ptr027: pytree__pcode027,
#define PYTREE__PCODES_03 pytree__ptr030: pytree__pcode030, pytree__ptr031: pytree__pcode031, pytree__ptr032:           \
    pytree__pcode032, pytree__ptr033: pytree__pcode033, pytree__ptr034: pytree__pcode034, pytree__ptr035:               \
    pytree__pcode035, pytree__ptr036: pytree__pcode036, pytree__ptr037: pytree__pcode037,
#define PYTREE__PCODES_04 pytree__ptr040: pytree__pcode040, pytree__ptr041: pytree__pcode041, pytree__ptr042:           \
    pytree__pcode042, pytree__ptr043: pytree__pcode043, pytree__ptr044: pytree__pcode044, pytree__ptr045:               \
    pytree__pcode045, pytree__ptr046: pytree__pcode046, pytree__ptr047: pytree__pcode047,
#define PYTREE__PCODES_05 pytree__ptr050: pytree__pcode050, pytree__ptr051: pytree__pcode051, pytree__ptr052:           \
    pytree__pcode052, pytree__ptr053: pytree__pcode053, pytree__ptr054: pytree__pcode054, pytree__ptr055:               \
    pytree__pcode055, pytree__ptr056: pytree__pcode056, pytree__ptr057: pytree__pcode057,
#define PYTREE__PCODES_06 pytree__ptr060: pytree__pcode060, pytree__ptr061: pytree__pcode061, pytree__ptr062:           \
    pytree__pcode062, pytree__ptr063: pytree__pcode063, pytree__ptr064: pytree__pcode064, pytree__ptr065:               \
    pytree__pcode065, pytree__ptr066: pytree__pcode066, pytree__ptr067: pytree__pcode067,
#define PYTREE__PCODES_07 pytree__ptr070: pytree__pcode070, pytree__ptr071: pytree__pcode071, pytree__ptr072:           \
    pytree__pcode072, pytree__ptr073: pytree__pcode073, pytree__ptr074: pytree__pcode074, pytree__ptr075:               \
    pytree__pcode075, pytree__ptr076: pytree__pcode076, pytree__ptr077: pytree__pcode077,
#define PYTREE__PCODES_10 pytree__ptr100: pytree__pcode100, pytree__ptr101: pytree__pcode101, pytree__ptr102:           \
    pytree__pcode102, pytree__ptr103: pytree__pcode103, pytree__ptr104: pytree__pcode104, pytree__ptr105:               \
    pytree__pcode105, pytree__ptr106: pytree__pcode106, pytree__ptr107: pytree__pcode107,
#define PYTREE__PCODES_11 pytree__ptr110: pytree__pcode110, pytree__ptr111: pytree__pcode111, pytree__ptr112:           \
    pytree__pcode112, pytree__ptr113: pytree__pcode113, pytree__ptr114: pytree__pcode114, pytree__ptr115:               \
    pytree__pcode115, pytree__ptr116: pytree__pcode116, pytree__ptr117: pytree__pcode117,
#define PYTREE__PCODES_12 pytree__ptr120: pytree__pcode120, pytree__ptr121: pytree__pcode121, pytree__ptr122:           \
    pytree__pcode122, pytree__ptr123: pytree__pcode123, pytree__ptr124: pytree__pcode124, pytree__ptr125:               \
    pytree__pcode125, pytree__ptr126: pytree__pcode126, pytree__ptr127: pytree__pcode127,
#define PYTREE__PCODES_13 pytree__ptr130: pytree__pcode130, pytree__ptr131: pytree__pcode131, pytree__ptr132:           \
    pytree__pcode132, pytree__ptr133: pytree__pcode133, pytree__ptr134: pytree__pcode134, pytree__ptr135:               \
    pytree__pcode135, pytree__ptr136: pytree__pcode136, pytree__ptr137: pytree__pcode137,
#define PYTREE__PCODES_14 pytree__ptr140: pytree__pcode140, pytree__ptr141: pytree__pcode141, pytree__ptr142:           \
    pytree__pcode142, pytree__ptr143: pytree__pcode143, pytree__ptr144: pytree__pcode144, pytree__ptr145:               \
    pytree__pcode145, pytree__ptr146: pytree__pcode146, pytree__ptr147: pytree__pcode147,
#define PYTREE__PCODES_15 pytree__ptr150: pytree__pcode150, pytree__ptr151: pytree__pcode151, pytree__ptr152:           \
    pytree__pcode152, pytree__ptr153: pytree__pcode153, pytree__ptr154: pytree__pcode154, pytree__ptr155:               \
    pytree__pcode155, pytree__ptr156: pytree__pcode156, pytree__ptr157: pytree__pcode157,
#define PYTREE__PCODES_16 pytree__ptr160: pytree__pcode160, pytree__ptr161: pytree__pcode161, pytree__ptr162:           \
    pytree__pcode162, pytree__ptr163: pytree__pcode163, pytree__ptr164: pytree__pcode164, pytree__ptr165:               \
    pytree__pcode165, pytree__ptr166: pytree__pcode166, pytree__ptr167: pytree__pcode167,
#define PYTREE__PCODES_17 pytree__ptr170: pytree__pcode170, pytree__ptr171: pytree__pcode171, pytree__ptr172:           \
    pytree__pcode172, pytree__ptr173: pytree__pcode173, pytree__ptr174: pytree__pcode174, pytree__ptr175:               \
    pytree__pcode175, pytree__ptr176: pytree__pcode176, pytree__ptr177: pytree__pcode177,
#define PYTREE__PCODES_20 pytree__ptr200: pytree__pcode200, pytree__ptr201: pytree__pcode201, pytree__ptr202:           \
    pytree__pcode202, pytree__ptr203: pytree__pcode203, pytree__ptr204: pytree__pcode204, pytree__ptr205:               \
    pytree__pcode205, pytree__ptr206: pytree__pcode206, pytree__ptr207: pytree__pcode207,
#define PYTREE__PCODES_21 pytree__ptr210: pytree__pcode210, pytree__ptr211: pytree__pcode211, pytree__ptr212:           \
    pytree__pcode212, pytree__ptr213: pytree__pcode213, pytree__ptr214: pytree__pcode214, pytree__ptr215:               \
    pytree__pcode215, pytree__ptr216: pytree__pcode216, pytree__ptr217: pytree__pcode217,
#define PYTREE__PCODES_22 pytree__ptr220: pytree__pcode220, pytree__ptr221: pytree__pcode221, pytree__ptr222:           \
    pytree__pcode222, pytree__ptr223: pytree__pcode223, pytree__ptr224: pytree__pcode224, pytree__ptr225:               \
    pytree__pcode225, pytree__ptr226: pytree__pcode226, pytree__ptr227: pytree__pcode227,
#define PYTREE__PCODES_23 pytree__ptr230: pytree__pcode230, pytree__ptr231: pytree__pcode231, pytree__ptr232:           \
    pytree__pcode232, pytree__ptr233: pytree__pcode233, pytree__ptr234: pytree__pcode234, pytree__ptr235:               \
    pytree__pcode235, pytree__ptr236: pytree__pcode236, pytree__ptr237: pytree__pcode237,
#define PYTREE__PCODES_24 pytree__ptr240: pytree__pcode240, pytree__ptr241: pytree__pcode241, pytree__ptr242:           \
    pytree__pcode242, pytree__ptr243: pytree__pcode243, pytree__ptr244: pytree__pcode244, pytree__ptr245:               \
    pytree__pcode245, pytree__ptr246: pytree__pcode246, pytree__ptr247: pytree__pcode247,
#define PYTREE__PCODES_25 pytree__ptr250: pytree__pcode250, pytree__ptr251: pytree__pcode251, pytree__ptr252:           \
    pytree__pcode252, pytree__ptr253: pytree__pcode253, pytree__ptr254: pytree__pcode254, pytree__ptr255:               \
    pytree__pcode255, pytree__ptr256: pytree__pcode256, pytree__ptr257: pytree__pcode257,
#define PYTREE__PCODES_26 pytree__ptr260: pytree__pcode260, pytree__ptr261: pytree__pcode261, pytree__ptr262:           \
    pytree__pcode262, pytree__ptr263: pytree__pcode263, pytree__ptr264: pytree__pcode264, pytree__ptr265:               \
    pytree__pcode265, pytree__ptr266: pytree__pcode266, pytree__ptr267: pytree__pcode267,
#define PYTREE__PCODES_27 pytree__ptr270: pytree__pcode270, pytree__ptr271: pytree__pcode271, pytree__ptr272:           \
    pytree__pcode272, pytree__ptr273: pytree__pcode273, pytree__ptr274: pytree__pcode274, pytree__ptr275:               \
    pytree__pcode275, pytree__ptr276: pytree__pcode276, pytree__ptr277: pytree__pcode277,
#define PYTREE__PCODES_30 pytree__ptr300: pytree__pcode300, pytree__ptr301: pytree__pcode301, pytree__ptr302:           \
    pytree__pcode302, pytree__ptr303: pytree__pcode303, pytree__ptr304: pytree__pcode304, pytree__ptr305:               \
    pytree__pcode305, pytree__ptr306: pytree__pcode306, pytree__ptr307: pytree__pcode307,
#define PYTREE__PCODES_31 pytree__ptr310: pytree__pcode310, pytree__ptr311: pytree__pcode311, pytree__ptr312:           \
    pytree__pcode312, pytree__ptr313: pytree__pcode313, pytree__ptr314: pytree__pcode314, pytree__ptr315:               \
    pytree__pcode315, pytree__ptr316: pytree__pcode316, pytree__ptr317: pytree__pcode317,
#define PYTREE__PCODES_32 pytree__ptr320: pytree__pcode320, pytree__ptr321: pytree__pcode321, pytree__ptr322:           \
    pytree__pcode322, pytree__ptr323: pytree__pcode323, pytree__ptr324: pytree__pcode324, pytree__ptr325:               \
    pytree__pcode325, pytree__ptr326: pytree__pcode326, pytree__ptr327: pytree__pcode327,
#define PYTREE__PCODES_33 pytree__ptr330: pytree__pcode330, pytree__ptr331: pytree__pcode331, pytree__ptr332:           \
    pytree__pcode332, pytree__ptr333: pytree__pcode333, pytree__ptr334: pytree__pcode334, pytree__ptr335:               \
    pytree__pcode335, pytree__ptr336: pytree__pcode336, pytree__ptr337: pytree__pcode337,
#define PYTREE__PCODES_34 pytree__ptr340: pytree__pcode340, pytree__ptr341: pytree__pcode341, pytree__ptr342:           \
    pytree__pcode342, pytree__ptr343: pytree__pcode343, pytree__ptr344: pytree__pcode344, pytree__ptr345:               \
    pytree__pcode345, pytree__ptr346: pytree__pcode346, pytree__ptr347: pytree__pcode347,
#define PYTREE__PCODES_35 pytree__ptr350: pytree__pcode350, pytree__ptr351: pytree__pcode351, pytree__ptr352:           \
    pytree__pcode352, pytree__ptr353: pytree__pcode353, pytree__ptr354: pytree__pcode354, pytree__ptr355:               \
    pytree__pcode355, pytree__ptr356: pytree__pcode356, pytree__ptr357: pytree__pcode357,
#define PYTREE__PCODES_36 pytree__ptr360: pytree__pcode360, pytree__ptr361: pytree__pcode361, pytree__ptr362:           \
    pytree__pcode362, pytree__ptr363: pytree__pcode363, pytree__ptr364: pytree__pcode364, pytree__ptr365:               \
    pytree__pcode365, pytree__ptr366: pytree__pcode366, pytree__ptr367: pytree__pcode367,
#define PYTREE__PCODES_37 pytree__ptr370: pytree__pcode370, pytree__ptr371: pytree__pcode371, pytree__ptr372:           \
    pytree__pcode372, pytree__ptr373: pytree__pcode373, pytree__ptr374: pytree__pcode374, pytree__ptr375:               \
    pytree__pcode375, pytree__ptr376: pytree__pcode376, pytree__ptr377: pytree__pcode377,
#define PYTREE__PCODES_40 pytree__ptr400: pytree__pcode400, pytree__ptr401: pytree__pcode401, pytree__ptr402:           \
    pytree__pcode402, pytree__ptr403: pytree__pcode403, pytree__ptr404: pytree__pcode404, pytree__ptr405:               \
    pytree__pcode405, pytree__ptr406: pytree__pcode406, pytree__ptr407: pytree__pcode407,
#define PYTREE__PCODES_41 pytree__ptr410: pytree__pcode410, pytree__ptr411: pytree__pcode411, pytree__ptr412:           \
    pytree__pcode412, pytree__ptr413: pytree__pcode413, pytree__ptr414: pytree__pcode414, pytree__ptr415:               \
    pytree__pcode415, pytree__ptr416: pytree__pcode416, pytree__ptr417: pytree__pcode417,
#define PYTREE__PCODES_42 pytree__ptr420: pytree__pcode420, pytree__ptr421: pytree__pcode421, pytree__ptr422:           \
    pytree__pcode422, pytree__ptr423: pytree__pcode423, pytree__ptr424: pytree__pcode424, pytree__ptr425:               \
    pytree__pcode425, pytree__ptr426: pytree__pcode426, pytree__ptr427: pytree__pcode427,
#define PYTREE__PCODES_43 pytree__ptr430: pytree__pcode430, pytree__ptr431: pytree__pcode431, pytree__ptr432:           \
    pytree__pcode432, pytree__ptr433: pytree__pcode433, pytree__ptr434: pytree__pcode434, pytree__ptr435:               \
    pytree__pcode435, pytree__ptr436: pytree__pcode436, pytree__ptr437: pytree__pcode437,
#define PYTREE__PCODES_44 pytree__ptr440: pytree__pcode440, pytree__ptr441: pytree__pcode441, pytree__ptr442:           \
    pytree__pcode442, pytree__ptr443: pytree__pcode443, pytree__ptr444: pytree__pcode444, pytree__ptr445:               \
    pytree__pcode445, pytree__ptr446: pytree__pcode446, pytree__ptr447: pytree__pcode447,
#define PYTREE__PCODES_45 pytree__ptr450: pytree__pcode450, pytree__ptr451: pytree__pcode451, pytree__ptr452:           \
    pytree__pcode452, pytree__ptr453: pytree__pcode453, pytree__ptr454: pytree__pcode454, pytree__ptr455:               \
    pytree__pcode455, pytree__ptr456: pytree__pcode456, pytree__ptr457: pytree__pcode457,
#define PYTREE__PCODES_46 pytree__ptr460: pytree__pcode460, pytree__ptr461: pytree__pcode461, pytree__ptr462:           \
    pytree__pcode462, pytree__ptr463: pytree__pcode463, pytree__ptr464: pytree__pcode464, pytree__ptr465:               \
    pytree__pcode465, pytree__ptr466: pytree__pcode466, pytree__ptr467: pytree__pcode467,
#define PYTREE__PCODES_47 pytree__ptr470: pytree__pcode470, pytree__ptr471: pytree__pcode471, pytree__ptr472:           \
    pytree__pcode472, pytree__ptr473: pytree__pcode473, pytree__ptr474: pytree__pcode474, pytree__ptr475:               \
    pytree__pcode475, pytree__ptr476: pytree__pcode476, pytree__ptr477: pytree__pcode477,
#define PYTREE__PCODES_50 pytree__ptr500: pytree__pcode500, pytree__ptr501: pytree__pcode501, pytree__ptr502:           \
    pytree__pcode502, pytree__ptr503: pytree__pcode503, pytree__ptr504: pytree__pcode504, pytree__ptr505:               \
    pytree__pcode505, pytree__ptr506: pytree__pcode506, pytree__ptr507: pytree__pcode507,
#define PYTREE__PCODES_51 pytree__ptr510: pytree__pcode510, pytree__ptr511: pytree__pcode511, pytree__ptr512:           \
    pytree__pcode512, pytree__ptr513: pytree__pcode513, pytree__ptr514: pytree__pcode514, pytree__ptr515:               \
    pytree__pcode515, pytree__ptr516: pytree__pcode516, pytree__ptr517: pytree__pcode517,
#define PYTREE__PCODES_52 pytree__ptr520: pytree__pcode520, pytree__ptr521: pytree__pcode521, pytree__ptr522:           \
    pytree__pcode522, pytree__ptr523: pytree__pcode523, pytree__ptr524: pytree__pcode524, pytree__ptr525:               \
    pytree__pcode525, pytree__ptr526: pytree__pcode526, pytree__ptr527: pytree__pcode527,
#define PYTREE__PCODES_53 pytree__ptr530: pytree__pcode530, pytree__ptr531: pytree__pcode531, pytree__ptr532:           \
    pytree__pcode532, pytree__ptr533: pytree__pcode533, pytree__ptr534: pytree__pcode534, pytree__ptr535:               \
    pytree__pcode535, pytree__ptr536: pytree__pcode536, pytree__ptr537: pytree__pcode537,
#define PYTREE__PCODES_54 pytree__ptr540: pytree__pcode540, pytree__ptr541: pytree__pcode541, pytree__ptr542:           \
    pytree__pcode542, pytree__ptr543: pytree__pcode543, pytree__ptr544: pytree__pcode544, pytree__ptr545:               \
    pytree__pcode545, pytree__ptr546: pytree__pcode546, pytree__ptr547: pytree__pcode547,
#define PYTREE__PCODES_55 pytree__ptr550: pytree__pcode550, pytree__ptr551: pytree__pcode551, pytree__ptr552:           \
    pytree__pcode552, pytree__ptr553: pytree__pcode553, pytree__ptr554: pytree__pcode554, pytree__ptr555:               \
    pytree__pcode555, pytree__ptr556: pytree__pcode556, pytree__ptr557: pytree__pcode557,
#define PYTREE__PCODES_56 pytree__ptr560: pytree__pcode560, pytree__ptr561: pytree__pcode561, pytree__ptr562:           \
    pytree__pcode562, pytree__ptr563: pytree__pcode563, pytree__ptr564: pytree__pcode564, pytree__ptr565:               \
    pytree__pcode565, pytree__ptr566: pytree__pcode566, pytree__ptr567: pytree__pcode567,
#define PYTREE__PCODES_57 pytree__ptr570: pytree__pcode570, pytree__ptr571: pytree__pcode571, pytree__ptr572:           \
    pytree__pcode572, pytree__ptr573: pytree__pcode573, pytree__ptr574: pytree__pcode574, pytree__ptr575:               \
    pytree__pcode575, pytree__ptr576: pytree__pcode576, pytree__ptr577: pytree__pcode577,
#define PYTREE__PCODES_60 pytree__ptr600: pytree__pcode600, pytree__ptr601: pytree__pcode601, pytree__ptr602:           \
    pytree__pcode602, pytree__ptr603: pytree__pcode603, pytree__ptr604: pytree__pcode604, pytree__ptr605:               \
    pytree__pcode605, pytree__ptr606: pytree__pcode606, pytree__ptr607: pytree__pcode607,
#define PYTREE__PCODES_61 pytree__ptr610: pytree__pcode610, pytree__ptr611: pytree__pcode611, pytree__ptr612:           \
    pytree__pcode612, pytree__ptr613: pytree__pcode613, pytree__ptr614: pytree__pcode614, pytree__ptr615:               \
    pytree__pcode615, pytree__ptr616: pytree__pcode616, pytree__ptr617: pytree__pcode617,
#define PYTREE__PCODES_62 pytree__ptr620: pytree__pcode620, pytree__ptr621: pytree__pcode621, pytree__ptr622:           \
    pytree__pcode622, pytree__ptr623: pytree__pcode623, pytree__ptr624: pytree__pcode624, pytree__ptr625:               \
    pytree__pcode625, pytree__ptr626: pytree__pcode626, pytree__ptr627: pytree__pcode627,
#define PYTREE__PCODES_63 pytree__ptr630: pytree__pcode630, pytree__ptr631: pytree__pcode631, pytree__ptr632:           \
    pytree__pcode632, pytree__ptr633: pytree__pcode633, pytree__ptr634: pytree__pcode634, pytree__ptr635:               \
    pytree__pcode635, pytree__ptr636: pytree__pcode636, pytree__ptr637: pytree__pcode637,
#define PYTREE__PCODES_64 pytree__ptr640: pytree__pcode640, pytree__ptr641: pytree__pcode641, pytree__ptr642:           \
    pytree__pcode642, pytree__ptr643: pytree__pcode643, pytree__ptr644: pytree__pcode644, pytree__ptr645:               \
    pytree__pcode645, pytree__ptr646: pytree__pcode646, pytree__ptr647: pytree__pcode647,
#define PYTREE__PCODES_65 pytree__ptr650: pytree__pcode650, pytree__ptr651: pytree__pcode651, pytree__ptr652:           \
    pytree__pcode652, pytree__ptr653: pytree__pcode653, pytree__ptr654: pytree__pcode654, pytree__ptr655:               \
    pytree__pcode655, pytree__ptr656: pytree__pcode656, pytree__ptr657: pytree__pcode657,
#define PYTREE__PCODES_66 pytree__ptr660: pytree__pcode660, pytree__ptr661: pytree__pcode661, pytree__ptr662:           \
    pytree__pcode662, pytree__ptr663: pytree__pcode663, pytree__ptr664: pytree__pcode664, pytree__ptr665:               \
    pytree__pcode665, pytree__ptr666: pytree__pcode666, pytree__ptr667: pytree__pcode667,
#define PYTREE__PCODES_67 pytree__ptr670: pytree__pcode670, pytree__ptr671: pytree__pcode671, pytree__ptr672:           \
    pytree__pcode672, pytree__ptr673: pytree__pcode673, pytree__ptr674: pytree__pcode674, pytree__ptr675:               \
    pytree__pcode675, pytree__ptr676: pytree__pcode676, pytree__ptr677: pytree__pcode677,
#define PYTREE__PCODES_70 pytree__ptr700: pytree__pcode700, pytree__ptr701: pytree__pcode701, pytree__ptr702:           \
    pytree__pcode702, pytree__ptr703: pytree__pcode703, pytree__ptr704: pytree__pcode704, pytree__ptr705:               \
    pytree__pcode705, pytree__ptr706: pytree__pcode706, pytree__ptr707: pytree__pcode707,
#define PYTREE__PCODES_71 pytree__ptr710: pytree__pcode710, pytree__ptr711: pytree__pcode711, pytree__ptr712:           \
    pytree__pcode712, pytree__ptr713: pytree__pcode713, pytree__ptr714: pytree__pcode714, pytree__ptr715:               \
    pytree__pcode715, pytree__ptr716: pytree__pcode716, pytree__ptr717: pytree__pcode717,
#define PYTREE__PCODES_72 pytree__ptr720: pytree__pcode720, pytree__ptr721: pytree__pcode721, pytree__ptr722:           \
    pytree__pcode722, pytree__ptr723: pytree__pcode723, pytree__ptr724: pytree__pcode724, pytree__ptr725:               \
    pytree__pcode725, pytree__ptr726: pytree__pcode726, pytree__ptr727: pytree__pcode727,
#define PYTREE__PCODES_73 pytree__ptr730: pytree__pcode730, pytree__ptr731: pytree__pcode731, pytree__ptr732:           \
    pytree__pcode732, pytree__ptr733: pytree__pcode733, pytree__ptr734: pytree__pcode734, pytree__ptr735:               \
    pytree__pcode735, pytree__ptr736: pytree__pcode736, pytree__ptr737: pytree__pcode737,
#define PYTREE__PCODES_74 pytree__ptr740: pytree__pcode740, pytree__ptr741: pytree__pcode741, pytree__ptr742:           \
    pytree__pcode742, pytree__ptr743: pytree__pcode743, pytree__ptr744: pytree__pcode744, pytree__ptr745:               \
    pytree__pcode745, pytree__ptr746: pytree__pcode746, pytree__ptr747: pytree__pcode747,
#define PYTREE__PCODES_75 pytree__ptr750: pytree__pcode750, pytree__ptr751: pytree__pcode751, pytree__ptr752:           \
    pytree__pcode752, pytree__ptr753: pytree__pcode753, pytree__ptr754: pytree__pcode754, pytree__ptr755:               \
    pytree__pcode755, pytree__ptr756: pytree__pcode756, pytree__ptr757: pytree__pcode757,
#define PYTREE__PCODES_76 pytree__ptr760: pytree__pcode760, pytree__ptr761: pytree__pcode761, pytree__ptr762:           \
    pytree__pcode762, pytree__ptr763: pytree__pcode763, pytree__ptr764: pytree__pcode764, pytree__ptr765:               \
    pytree__pcode765, pytree__ptr766: pytree__pcode766, pytree__ptr767: pytree__pcode767,
#define PYTREE__PCODES_77 pytree__ptr770: pytree__pcode770, pytree__ptr771: pytree__pcode771, pytree__ptr772:           \
    pytree__pcode772, pytree__ptr773: pytree__pcode773, pytree__ptr774: pytree__pcode774, pytree__ptr775:               \
    pytree__pcode775, pytree__ptr776: pytree__pcode776, pytree__ptr777: pytree__pcode777,
#define PYTREE__DESCS_00 pytree__ptr000: &pytree__desc000, pytree__ptr001: &pytree__desc001, pytree__ptr002:            \
    &pytree__desc002, pytree__ptr003: &pytree__desc003, pytree__ptr004: &pytree__desc004, pytree__ptr005:               \
    &pytree__desc005, pytree__ptr006: &pytree__desc006, pytree__ptr007: &pytree__desc007,
#define PYTREE__DESCS_01 pytree__ptr010: &pytree__desc010, pytree__ptr011: &pytree__desc011, pytree__ptr012:            \
    &pytree__desc012, pytree__ptr013: &pytree__desc013, pytree__ptr014: &pytree__desc014, pytree__ptr015:               \
    &pytree__desc015, pytree__ptr016: &pytree__desc016, pytree__ptr017: &pytree__desc017,
#define PYTREE__DESCS_02 pytree__ptr020: &pytree__desc020, pytree__ptr021: &pytree__desc021, pytree__ptr022:            \
    &pytree__desc022, pytree__ptr023: &pytree__desc023, pytree__ptr024: &pytree__desc024, pytree__ptr025:               \
    &pytree__desc025, pytree__ptr026: &pytree__desc026, pytree__ptr027: &pytree__desc027,
#define PYTREE__DESCS_03 pytree__ptr030: &pytree__desc030, pytree__ptr031: &pytree__desc031, pytree__ptr032:            \
    &pytree__desc032, pytree__ptr033: &pytree__desc033, pytree__ptr034: &pytree__desc034, pytree__ptr035:               \
    &pytree__desc035, pytree__ptr036: &pytree__desc036, pytree__ptr037: &pytree__desc037,
#define PYTREE__DESCS_04 pytree__ptr040: &pytree__desc040, pytree__ptr041: &pytree__desc041, pytree__ptr042:            \
    &pytree__desc042, pytree__ptr043: &pytree__desc043, pytree__ptr044: &pytree__desc044, pytree__ptr045:               \
    &pytree__desc045, pytree__ptr046: &pytree__desc046, pytree__ptr047: &pytree__desc047,
#define PYTREE__DESCS_05 pytree__ptr050: &pytree__desc050, pytree__ptr051: &pytree__desc051, pytree__ptr052:            \
    &pytree__desc052, pytree__ptr053: &pytree__desc053, pytree__ptr054: &pytree__desc054, pytree__ptr055:               \
    &pytree__desc055, pytree__ptr056: &pytree__desc056, pytree__ptr057: &pytree__desc057,
#define PYTREE__DESCS_06 pytree__ptr060: &pytree__desc060, pytree__ptr061: &pytree__desc061, pytree__ptr062:            \
    &pytree__desc062, pytree__ptr063: &pytree__desc063, pytree__ptr064: &pytree__desc064, pytree__ptr065:               \
    &pytree__desc065, pytree__ptr066: &pytree__desc066, pytree__ptr067: &pytree__desc067,
#define PYTREE__DESCS_07 pytree__ptr070: &pytree__desc070, pytree__ptr071: &pytree__desc071, pytree__ptr072:            \
    &pytree__desc072, pytree__ptr073: &pytree__desc073, pytree__ptr074: &pytree__desc074, pytree__ptr075:               \
    &pytree__desc075, pytree__ptr076: &pytree__desc076, pytree__ptr077: &pytree__desc077,
#define PYTREE__DESCS_10 pytree__ptr100: &pytree__desc100, pytree__ptr101: &pytree__desc101, pytree__ptr102:            \
    &pytree__desc102, pytree__ptr103: &pytree__desc103, pytree__ptr104: &pytree__desc104, pytree__ptr105:               \
    &pytree__desc105, pytree__ptr106: &pytree__desc106, pytree__ptr107: &pytree__desc107,
#define PYTREE__DESCS_11 pytree__ptr110: &pytree__desc110, pytree__ptr111: &pytree__desc111, pytree__ptr112:            \
    &pytree__desc112, pytree__ptr113: &pytree__desc113, pytree__ptr114: &pytree__desc114, pytree__ptr115:               \
    &pytree__desc115, pytree__ptr116: &pytree__desc116, pytree__ptr117: &pytree__desc117,
#define PYTREE__DESCS_12 pytree__ptr120: &pytree__desc120, pytree__ptr121: &pytree__desc121, pytree__ptr122:            \
    &pytree__desc122, pytree__ptr123: &pytree__desc123, pytree__ptr124: &pytree__desc124, pytree__ptr125:               \
    &pytree__desc125, pytree__ptr126: &pytree__desc126, pytree__ptr127: &pytree__desc127,
#define PYTREE__DESCS_13 pytree__ptr130: &pytree__desc130, pytree__ptr131: &pytree__desc131, pytree__ptr132:            \
    &pytree__desc132, pytree__ptr133: &pytree__desc133, pytree__ptr134: &pytree__desc134, pytree__ptr135:               \
    &pytree__desc135, pytree__ptr136: &pytree__desc136, pytree__ptr137: &pytree__desc137,
#define PYTREE__DESCS_14 pytree__ptr140: &pytree__desc140, pytree__ptr141: &pytree__desc141, pytree__ptr142:            \
    &pytree__desc142, pytree__ptr143: &pytree__desc143, pytree__ptr144: &pytree__desc144, pytree__ptr145:               \
    &pytree__desc145, pytree__ptr146: &pytree__desc146, pytree__ptr147: &pytree__desc147,
#define PYTREE__DESCS_15 pytree__ptr150: &pytree__desc150, pytree__ptr151: &pytree__desc151, pytree__ptr152:            \
    &pytree__desc152, pytree__ptr153: &pytree__desc153, pytree__ptr154: &pytree__desc154, pytree__ptr155:               \
    &pytree__desc155, pytree__ptr156: &pytree__desc156, pytree__ptr157: &pytree__desc157,
#define PYTREE__DESCS_16 pytree__ptr160: &pytree__desc160, pytree__ptr161: &pytree__desc161, pytree__ptr162:            \
    &pytree__desc162, pytree__ptr163: &pytree__desc163, pytree__ptr164: &pytree__desc164, pytree__ptr165:               \
    &pytree__desc165, pytree__ptr166: &pytree__desc166, pytree__ptr167: &pytree__desc167,
#define PYTREE__DESCS_17 pytree__ptr170: &pytree__desc170, pytree__ptr171: &pytree__desc171, pytree__ptr172:            \
    &pytree__desc172, pytree__ptr173: &pytree__desc173, pytree__ptr174: &pytree__desc174, pytree__ptr175:               \
    &pytree__desc175, pytree__ptr176: &pytree__desc176, pytree__ptr177: &pytree__desc177,
#define PYTREE__DESCS_20 pytree__ptr200: &pytree__desc200, pytree__ptr201: &pytree__desc201, pytree__ptr202:            \
    &pytree__desc202, pytree__ptr203: &pytree__desc203, pytree__ptr204: &pytree__desc204, pytree__ptr205:               \
    &pytree__desc205, pytree__ptr206: &pytree__desc206, pytree__ptr207: &pytree__desc207,
#define PYTREE__DESCS_21 pytree__ptr210: &pytree__desc210, pytree__ptr211: &pytree__desc211, pytree__ptr212:            \
    &pytree__desc212, pytree__ptr213: &pytree__desc213, pytree__ptr214: &pytree__desc214, pytree__ptr215:               \
    &pytree__desc215, pytree__ptr216: &pytree__desc216, pytree__ptr217: &pytree__desc217,
#define PYTREE__DESCS_22 pytree__ptr220: &pytree__desc220, pytree__ptr221: &pytree__desc221, pytree__ptr222:            \
    &pytree__desc222, pytree__ptr223: &pytree__desc223, pytree__ptr224: &pytree__desc224, pytree__ptr225:               \
    &pytree__desc225, pytree__ptr226: &pytree__desc226, pytree__ptr227: &pytree__desc227,
#define PYTREE__DESCS_23 pytree__ptr230: &pytree__desc230, pytree__ptr231: &pytree__desc231, pytree__ptr232:            \
    &pytree__desc232, pytree__ptr233: &pytree__desc233, pytree__ptr234: &pytree__desc234, pytree__ptr235:               \
    &pytree__desc235, pytree__ptr236: &pytree__desc236, pytree__ptr237: &pytree__desc237,
#define PYTREE__DESCS_24 pytree__ptr240: &pytree__desc240, pytree__ptr241: &pytree__desc241, pytree__ptr242:            \
    &pytree__desc242, pytree__ptr243: &pytree__desc243, pytree__ptr244: &pytree__desc244, pytree__ptr245:               \
    &pytree__desc245, pytree__ptr246: &pytree__desc246, pytree__ptr247: &pytree__desc247,
#define PYTREE__DESCS_25 pytree__ptr250: &pytree__desc250, pytree__ptr251: &pytree__desc251, pytree__ptr252:            \
    &pytree__desc252, pytree__ptr253: &pytree__desc253, pytree__ptr254: &pytree__desc254, pytree__ptr255:               \
    &pytree__desc255, pytree__ptr256: &pytree__desc256, pytree__ptr257: &pytree__desc257,
#define PYTREE__DESCS_26 pytree__ptr260: &pytree__desc260, pytree__ptr261: &pytree__desc261, pytree__ptr262:            \
    &pytree__desc262, pytree__ptr263: &pytree__desc263, pytree__ptr264: &pytree__desc264, pytree__ptr265:               \
    &pytree__desc265, pytree__ptr266: &pytree__desc266, pytree__ptr267: &pytree__desc267,
#define PYTREE__DESCS_27 pytree__ptr270: &pytree__desc270, pytree__ptr271: &pytree__desc271, pytree__ptr272:            \
    &pytree__desc272, pytree__ptr273: &pytree__desc273, pytree__ptr274: &pytree__desc274, pytree__ptr275:               \
    &pytree__desc275, pytree__ptr276: &pytree__desc276, pytree__ptr277: &pytree__desc277,
#define PYTREE__DESCS_30 pytree__ptr300: &pytree__desc300, pytree__ptr301: &pytree__desc301, pytree__ptr302:            \
    &pytree__desc302, pytree__ptr303: &pytree__desc303, pytree__ptr304: &pytree__desc304, pytree__ptr305:               \
    &pytree__desc305, pytree__ptr306: &pytree__desc306, pytree__ptr307: &pytree__desc307,
#define PYTREE__DESCS_31 pytree__ptr310: &pytree__desc310, pytree__ptr311: &pytree__desc311, pytree__ptr312:            \
    &pytree__desc312, pytree__ptr313: &pytree__desc313, pytree__ptr314: &pytree__desc314, pytree__ptr315:               \
    &pytree__desc315, pytree__ptr316: &pytree__desc316, pytree__ptr317: &pytree__desc317,
#define PYTREE__DESCS_32 pytree__ptr320: &pytree__desc320, pytree__ptr321: &pytree__desc321, pytree__ptr322:            \
    &pytree__desc322, pytree__ptr323: &pytree__desc323, pytree__ptr324: &pytree__desc324, pytree__ptr325:               \
    &pytree__desc325, pytree__ptr326: &pytree__desc326, pytree__ptr327: &pytree__desc327,
#define PYTREE__DESCS_33 pytree__ptr330: &pytree__desc330, pytree__ptr331: &pytree__desc331, pytree__ptr332:            \
    &pytree__desc332, pytree__ptr333: &pytree__desc333, pytree__ptr334: &pytree__desc334, pytree__ptr335:               \
    &pytree__desc335, pytree__ptr336: &pytree__desc336, pytree__ptr337: &pytree__desc337,
#define PYTREE__DESCS_34 pytree__ptr340: &pytree__desc340, pytree__ptr341: &pytree__desc341, pytree__ptr342:            \
    &pytree__desc342, pytree__ptr343: &pytree__desc343, pytree__ptr344: &pytree__desc344, pytree__ptr345:               \
    &pytree__desc345, pytree__ptr346: &pytree__desc346, pytree__ptr347: &pytree__desc347,
#define PYTREE__DESCS_35 pytree__ptr350: &pytree__desc350, pytree__ptr351: &pytree__desc351, pytree__ptr352:            \
    &pytree__desc352, pytree__ptr353: &pytree__desc353, pytree__ptr354: &pytree__desc354, pytree__ptr355:               \
    &pytree__desc355, pytree__ptr356: &pytree__desc356, pytree__ptr357: &pytree__desc357,
#define PYTREE__DESCS_36 pytree__ptr360: &pytree__desc360, pytree__ptr361: &pytree__desc361, pytree__ptr362:            \
    &pytree__desc362, pytree__ptr363: &pytree__desc363, pytree__ptr364: &pytree__desc364, pytree__ptr365:               \
    &pytree__desc365, pytree__ptr366: &pytree__desc366, pytree__ptr367: &pytree__desc367,
#define PYTREE__DESCS_37 pytree__ptr370: &pytree__desc370, pytree__ptr371: &pytree__desc371, pytree__ptr372:            \
    &pytree__desc372, pytree__ptr373: &pytree__desc373, pytree__ptr374: &pytree__desc374, pytree__ptr375:               \
    &pytree__desc375, pytree__ptr376: &pytree__desc376, pytree__ptr377: &pytree__desc377,
#define PYTREE__DESCS_40 pytree__ptr400: &pytree__desc400, pytree__ptr401: &pytree__desc401, pytree__ptr402:            \
    &pytree__desc402, pytree__ptr403: &pytree__desc403, pytree__ptr404: &pytree__desc404, pytree__ptr405:               \
    &pytree__desc405, pytree__ptr406: &pytree__desc406, pytree__ptr407: &pytree__desc407,
#define PYTREE__DESCS_41 pytree__ptr410: &pytree__desc410, pytree__ptr411: &pytree__desc411, pytree__ptr412:            \
    &pytree__desc412, pytree__ptr413: &pytree__desc413, pytree__ptr414: &pytree__desc414, pytree__ptr415:               \
    &pytree__desc415, pytree__ptr416: &pytree__desc416, pytree__ptr417: &pytree__desc417,
#define PYTREE__DESCS_42 pytree__ptr420: &pytree__desc420, pytree__ptr421: &pytree__desc421, pytree__ptr422:            \
    &pytree__desc422, pytree__ptr423: &pytree__desc423, pytree__ptr424: &pytree__desc424, pytree__ptr425:               \
    &pytree__desc425, pytree__ptr426: &pytree__desc426, pytree__ptr427: &pytree__desc427,
#define PYTREE__DESCS_43 pytree__ptr430: &pytree__desc430, pytree__ptr431: &pytree__desc431, pytree__ptr432:            \
    &pytree__desc432, pytree__ptr433: &pytree__desc433, pytree__ptr434: &pytree__desc434, pytree__ptr435:               \
    &pytree__desc435, pytree__ptr436: &pytree__desc436, pytree__ptr437: &pytree__desc437,
#define PYTREE__DESCS_44 pytree__ptr440: &pytree__desc440, pytree__ptr441: &pytree__desc441, pytree__ptr442:            \
    &pytree__desc442, pytree__ptr443: &pytree__desc443, pytree__ptr444: &pytree__desc444, pytree__ptr445:               \
    &pytree__desc445, pytree__ptr446: &pytree__desc446, pytree__ptr447: &pytree__desc447,
#define PYTREE__DESCS_45 pytree__ptr450: &pytree__desc450, pytree__ptr451: &pytree__desc451, pytree__ptr452:            \
    &pytree__desc452, pytree__ptr453: &pytree__desc453, pytree__ptr454: &pytree__desc454, pytree__ptr455:               \
    &pytree__desc455, pytree__ptr456: &pytree__desc456, pytree__ptr457: &pytree__desc457,
#define PYTREE__DESCS_46 pytree__ptr460: &pytree__desc460, pytree__ptr461: &pytree__desc461, pytree__ptr462:            \
    &pytree__desc462, pytree__ptr463: &pytree__desc463, pytree__ptr464: &pytree__desc464, pytree__ptr465:               \
    &pytree__desc465, pytree__ptr466: &pytree__desc466, pytree__ptr467: &pytree__desc467,
#define PYTREE__DESCS_47 pytree__ptr470: &pytree__desc470, pytree__ptr471: &pytree__desc471, pytree__ptr472:            \
    &pytree__desc472, pytree__ptr473: &pytree__desc473, pytree__ptr474: &pytree__desc474, pytree__ptr475:               \
    &pytree__desc475, pytree__ptr476: &pytree__desc476, pytree__ptr477: &pytree__desc477,
#define PYTREE__DESCS_50 pytree__ptr500: &pytree__desc500, pytree__ptr501: &pytree__desc501, pytree__ptr502:            \
    &pytree__desc502, pytree__ptr503: &pytree__desc503, pytree__ptr504: &pytree__desc504, pytree__ptr505:               \
    &pytree__desc505, pytree__ptr506: &pytree__desc506, pytree__ptr507: &pytree__desc507,
#define PYTREE__DESCS_51 pytree__ptr510: &pytree__desc510, pytree__ptr511: &pytree__desc511, pytree__ptr512:            \
    &pytree__desc512, pytree__ptr513: &pytree__desc513, pytree__ptr514: &pytree__desc514, pytree__ptr515:               \
    &pytree__desc515, pytree__ptr516: &pytree__desc516, pytree__ptr517: &pytree__desc517,
#define PYTREE__DESCS_52 pytree__ptr520: &pytree__desc520, pytree__ptr521: &pytree__desc521, pytree__ptr522:            \
    &pytree__desc522, pytree__ptr523: &pytree__desc523, pytree__ptr524: &pytree__desc524, pytree__ptr525:               \
    &pytree__desc525, pytree__ptr526: &pytree__desc526, pytree__ptr527: &pytree__desc527,
#define PYTREE__DESCS_53 pytree__ptr530: &pytree__desc530, pytree__ptr531: &pytree__desc531, pytree__ptr532:            \
    &pytree__desc532, pytree__ptr533: &pytree__desc533, pytree__ptr534: &pytree__desc534, pytree__ptr535:               \
    &pytree__desc535, pytree__ptr536: &pytree__desc536, pytree__ptr537: &pytree__desc537,
#define PYTREE__DESCS_54 pytree__ptr540: &pytree__desc540, pytree__ptr541: &pytree__desc541, pytree__ptr542:            \
    &pytree__desc542, pytree__ptr543: &pytree__desc543, pytree__ptr544: &pytree__desc544, pytree__ptr545:               \
    &pytree__desc545, pytree__ptr546: &pytree__desc546, pytree__ptr547: &pytree__desc547,
#define PYTREE__DESCS_55 pytree__ptr550: &pytree__desc550, pytree__ptr551: &pytree__desc551, pytree__ptr552:            \
    &pytree__desc552, pytree__ptr553: &pytree__desc553, pytree__ptr554: &pytree__desc554, pytree__ptr555:               \
    &pytree__desc555, pytree__ptr556: &pytree__desc556, pytree__ptr557: &pytree__desc557,
#define PYTREE__DESCS_56 pytree__ptr560: &pytree__desc560, pytree__ptr561: &pytree__desc561, pytree__ptr562:            \
    &pytree__desc562, pytree__ptr563: &pytree__desc563, pytree__ptr564: &pytree__desc564, pytree__ptr565:               \
    &pytree__desc565, pytree__ptr566: &pytree__desc566, pytree__ptr567: &pytree__desc567,
#define PYTREE__DESCS_57 pytree__ptr570: &pytree__desc570, pytree__ptr571: &pytree__desc571, pytree__ptr572:            \
    &pytree__desc572, pytree__ptr573: &pytree__desc573, pytree__ptr574: &pytree__desc574, pytree__ptr575:               \
    &pytree__desc575, pytree__ptr576: &pytree__desc576, pytree__ptr577: &pytree__desc577,
#define PYTREE__DESCS_60 pytree__ptr600: &pytree__desc600, pytree__ptr601: &pytree__desc601, pytree__ptr602:            \
    &pytree__desc602, pytree__ptr603: &pytree__desc603, pytree__ptr604: &pytree__desc604, pytree__ptr605:               \
    &pytree__desc605, pytree__ptr606: &pytree__desc606, pytree__ptr607: &pytree__desc607,
#define PYTREE__DESCS_61 pytree__ptr610: &pytree__desc610, pytree__ptr611: &pytree__desc611, pytree__ptr612:            \
    &pytree__desc612, pytree__ptr613: &pytree__desc613, pytree__ptr614: &pytree__desc614, pytree__ptr615:               \
    &pytree__desc615, pytree__ptr616: &pytree__desc616, pytree__ptr617: &pytree__desc617,
#define PYTREE__DESCS_62 pytree__ptr620: &pytree__desc620, pytree__ptr621: &pytree__desc621, pytree__ptr622:            \
    &pytree__desc622, pytree__ptr623: &pytree__desc623, pytree__ptr624: &pytree__desc624, pytree__ptr625:               \
    &pytree__desc625, pytree__ptr626: &pytree__desc626, pytree__ptr627: &pytree__desc627,
#define PYTREE__DESCS_63 pytree__ptr630: &pytree__desc630, pytree__ptr631: &pytree__desc631, pytree__ptr632:            \
    &pytree__desc632, pytree__ptr633: &pytree__desc633, pytree__ptr634: &pytree__desc634, pytree__ptr635:               \
    &pytree__desc635, pytree__ptr636: &pytree__desc636, pytree__ptr637: &pytree__desc637,
#define PYTREE__DESCS_64 pytree__ptr640: &pytree__desc640, pytree__ptr641: &pytree__desc641, pytree__ptr642:            \
    &pytree__desc642, pytree__ptr643: &pytree__desc643, pytree__ptr644: &pytree__desc644, pytree__ptr645:               \
    &pytree__desc645, pytree__ptr646: &pytree__desc646, pytree__ptr647: &pytree__desc647,
#define PYTREE__DESCS_65 pytree__ptr650: &pytree__desc650, pytree__ptr651: &pytree__desc651, pytree__ptr652:            \
    &pytree__desc652, pytree__ptr653: &pytree__desc653, pytree__ptr654: &pytree__desc654, pytree__ptr655:               \
    &pytree__desc655, pytree__ptr656: &pytree__desc656, pytree__ptr657: &pytree__desc657,
#define PYTREE__DESCS_66 pytree__ptr660: &pytree__desc660, pytree__ptr661: &pytree__desc661, pytree__ptr662:            \
    &pytree__desc662, pytree__ptr663: &pytree__desc663, pytree__ptr664: &pytree__desc664, pytree__ptr665:               \
    &pytree__desc665, pytree__ptr666: &pytree__desc666, pytree__ptr667: &pytree__desc667,
#define PYTREE__DESCS_67 pytree__ptr670: &pytree__desc670, pytree__ptr671: &pytree__desc671, pytree__ptr672:            \
    &pytree__desc672, pytree__ptr673: &pytree__desc673, pytree__ptr674: &pytree__desc674, pytree__ptr675:               \
    &pytree__desc675, pytree__ptr676: &pytree__desc676, pytree__ptr677: &pytree__desc677,
#define PYTREE__DESCS_70 pytree__ptr700: &pytree__desc700, pytree__ptr701: &pytree__desc701, pytree__ptr702:            \
    &pytree__desc702, pytree__ptr703: &pytree__desc703, pytree__ptr704: &pytree__desc704, pytree__ptr705:               \
    &pytree__desc705, pytree__ptr706: &pytree__desc706, pytree__ptr707: &pytree__desc707,
#define PYTREE__DESCS_71 pytree__ptr710: &pytree__desc710, pytree__ptr711: &pytree__desc711, pytree__ptr712:            \
    &pytree__desc712, pytree__ptr713: &pytree__desc713, pytree__ptr714: &pytree__desc714, pytree__ptr715:               \
    &pytree__desc715, pytree__ptr716: &pytree__desc716, pytree__ptr717: &pytree__desc717,
#define PYTREE__DESCS_72 pytree__ptr720: &pytree__desc720, pytree__ptr721: &pytree__desc721, pytree__ptr722:            \
    &pytree__desc722, pytree__ptr723: &pytree__desc723, pytree__ptr724: &pytree__desc724, pytree__ptr725:               \
    &pytree__desc725, pytree__ptr726: &pytree__desc726, pytree__ptr727: &pytree__desc727,
#define PYTREE__DESCS_73 pytree__ptr730: &pytree__desc730, pytree__ptr731: &pytree__desc731, pytree__ptr732:            \
    &pytree__desc732, pytree__ptr733: &pytree__desc733, pytree__ptr734: &pytree__desc734, pytree__ptr735:               \
    &pytree__desc735, pytree__ptr736: &pytree__desc736, pytree__ptr737: &pytree__desc737,
#define PYTREE__DESCS_74 pytree__ptr740: &pytree__desc740, pytree__ptr741: &pytree__desc741, pytree__ptr742:            \
    &pytree__desc742, pytree__ptr743: &pytree__desc743, pytree__ptr744: &pytree__desc744, pytree__ptr745:               \
    &pytree__desc745, pytree__ptr746: &pytree__desc746, pytree__ptr747: &pytree__desc747,
#define PYTREE__DESCS_75 pytree__ptr750: &pytree__desc750, pytree__ptr751: &pytree__desc751, pytree__ptr752:            \
    &pytree__desc752, pytree__ptr753: &pytree__desc753, pytree__ptr754: &pytree__desc754, pytree__ptr755:               \
    &pytree__desc755, pytree__ptr756: &pytree__desc756, pytree__ptr757: &pytree__desc757,
#define PYTREE__DESCS_76 pytree__ptr760: &pytree__desc760, pytree__ptr761: &pytree__desc761, pytree__ptr762:            \
    &pytree__desc762, pytree__ptr763: &pytree__desc763, pytree__ptr764: &pytree__desc764, pytree__ptr765:               \
    &pytree__desc765, pytree__ptr766: &pytree__desc766, pytree__ptr767: &pytree__desc767,
#define PYTREE__DESCS_77 pytree__ptr770: &pytree__desc770, pytree__ptr771: &pytree__desc771, pytree__ptr772:            \
    &pytree__desc772, pytree__ptr773: &pytree__desc773, pytree__ptr774: &pytree__desc774, pytree__ptr775:               \
    &pytree__desc775, pytree__ptr776: &pytree__desc776, pytree__ptr777: &pytree__desc777,
#endif

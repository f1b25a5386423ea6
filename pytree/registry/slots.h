/* pytree/registry/slots.h: list slots, and macros that are numbered. Made by tools/slots.py.
 *
 * pytree/registry/primitives_c.h explains slots and dispatch. */
#ifndef PYTREE_REGISTRY_SLOTS_H
#define PYTREE_REGISTRY_SLOTS_H

/* The first types of a group that is not full:
 *
 *     PYTREE__MARKS_OF_2(02)   =>   pytree__ptr020: pytree__mark020, pytree__ptr021: pytree__mark021, */
#define PYTREE__MARKS_OF_0(g)
#define PYTREE__MARKS_OF_1(g) pytree__ptr##g##0: pytree__mark##g##0,
#define PYTREE__MARKS_OF_2(g) pytree__ptr##g##0: pytree__mark##g##0, pytree__ptr##g##1: pytree__mark##g##1,
#define PYTREE__MARKS_OF_3(g) pytree__ptr##g##0: pytree__mark##g##0, pytree__ptr##g##1: pytree__mark##g##1,             \
    pytree__ptr##g##2: pytree__mark##g##2,
#define PYTREE__MARKS_OF_4(g) pytree__ptr##g##0: pytree__mark##g##0, pytree__ptr##g##1: pytree__mark##g##1,             \
    pytree__ptr##g##2: pytree__mark##g##2, pytree__ptr##g##3: pytree__mark##g##3,
#define PYTREE__MARKS_OF_5(g) pytree__ptr##g##0: pytree__mark##g##0, pytree__ptr##g##1: pytree__mark##g##1,             \
    pytree__ptr##g##2: pytree__mark##g##2, pytree__ptr##g##3: pytree__mark##g##3, pytree__ptr##g##4:                    \
    pytree__mark##g##4,
#define PYTREE__MARKS_OF_6(g) pytree__ptr##g##0: pytree__mark##g##0, pytree__ptr##g##1: pytree__mark##g##1,             \
    pytree__ptr##g##2: pytree__mark##g##2, pytree__ptr##g##3: pytree__mark##g##3, pytree__ptr##g##4:                    \
    pytree__mark##g##4, pytree__ptr##g##5: pytree__mark##g##5,
#define PYTREE__MARKS_OF_7(g) pytree__ptr##g##0: pytree__mark##g##0, pytree__ptr##g##1: pytree__mark##g##1,             \
    pytree__ptr##g##2: pytree__mark##g##2, pytree__ptr##g##3: pytree__mark##g##3, pytree__ptr##g##4:                    \
    pytree__mark##g##4, pytree__ptr##g##5: pytree__mark##g##5, pytree__ptr##g##6: pytree__mark##g##6,
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

/* Full groups of block b, then full blocks, of the list PYTREE__MARKS_ or PYTREE__DESCS_:
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
#define PYTREE__MARKS_00 pytree__ptr000: pytree__mark000, pytree__ptr001: pytree__mark001, pytree__ptr002:              \
    pytree__mark002, pytree__ptr003: pytree__mark003, pytree__ptr004: pytree__mark004, pytree__ptr005: pytree__mark005, \
    pytree__ptr006: pytree__mark006, pytree__ptr007: pytree__mark007,
#define PYTREE__MARKS_01 pytree__ptr010: pytree__mark010, pytree__ptr011: pytree__mark011, pytree__ptr012:              \
    pytree__mark012, pytree__ptr013: pytree__mark013, pytree__ptr014: pytree__mark014, pytree__ptr015: pytree__mark015, \
    pytree__ptr016: pytree__mark016, pytree__ptr017: pytree__mark017,
#define PYTREE__MARKS_02 pytree__ptr020: pytree__mark020, pytree__ptr021: pytree__mark021, pytree__ptr022:              \
    pytree__mark022, pytree__ptr023: pytree__mark023, pytree__ptr024: pytree__mark024, pytree__ptr025: pytree__mark025, \
    pytree__ptr026: pytree__mark026, pytree__ptr027: pytree__mark027,
#define PYTREE__MARKS_03 pytree__ptr030: pytree__mark030, pytree__ptr031: pytree__mark031, pytree__ptr032:              \
    pytree__mark032, pytree__ptr033: pytree__mark033, pytree__ptr034: pytree__mark034, pytree__ptr035: pytree__mark035, \
    pytree__ptr036: pytree__mark036, pytree__ptr037: pytree__mark037,
#define PYTREE__MARKS_04 pytree__ptr040: pytree__mark040, pytree__ptr041: pytree__mark041, pytree__ptr042:              \
    pytree__mark042, pytree__ptr043: pytree__mark043, pytree__ptr044: pytree__mark044, pytree__ptr045: pytree__mark045, \
    pytree__ptr046: pytree__mark046, pytree__ptr047: pytree__mark047,
#define PYTREE__MARKS_05 pytree__ptr050: pytree__mark050, pytree__ptr051: pytree__mark051, pytree__ptr052:              \
    pytree__mark052, pytree__ptr053: pytree__mark053, pytree__ptr054: pytree__mark054, pytree__ptr055: pytree__mark055, \
    pytree__ptr056: pytree__mark056, pytree__ptr057: pytree__mark057,
#define PYTREE__MARKS_06 pytree__ptr060: pytree__mark060, pytree__ptr061: pytree__mark061, pytree__ptr062:              \
    pytree__mark062, pytree__ptr063: pytree__mark063, pytree__ptr064: pytree__mark064, pytree__ptr065: pytree__mark065, \
    pytree__ptr066: pytree__mark066, pytree__ptr067: pytree__mark067,
#define PYTREE__MARKS_07 pytree__ptr070: pytree__mark070, pytree__ptr071: pytree__mark071, pytree__ptr072:              \
    pytree__mark072, pytree__ptr073: pytree__mark073, pytree__ptr074: pytree__mark074, pytree__ptr075: pytree__mark075, \
    pytree__ptr076: pytree__mark076, pytree__ptr077: pytree__mark077,
#define PYTREE__MARKS_10 pytree__ptr100: pytree__mark100, pytree__ptr101: pytree__mark101, pytree__ptr102:              \
    pytree__mark102, pytree__ptr103: pytree__mark103, pytree__ptr104: pytree__mark104, pytree__ptr105: pytree__mark105, \
    pytree__ptr106: pytree__mark106, pytree__ptr107: pytree__mark107,
#define PYTREE__MARKS_11 pytree__ptr110: pytree__mark110, pytree__ptr111: pytree__mark111, pytree__ptr112:              \
    pytree__mark112, pytree__ptr113: pytree__mark113, pytree__ptr114: pytree__mark114, pytree__ptr115: pytree__mark115, \
    pytree__ptr116: pytree__mark116, pytree__ptr117: pytree__mark117,
#define PYTREE__MARKS_12 pytree__ptr120: pytree__mark120, pytree__ptr121: pytree__mark121, pytree__ptr122:              \
    pytree__mark122, pytree__ptr123: pytree__mark123, pytree__ptr124: pytree__mark124, pytree__ptr125: pytree__mark125, \
    pytree__ptr126: pytree__mark126, pytree__ptr127: pytree__mark127,
#define PYTREE__MARKS_13 pytree__ptr130: pytree__mark130, pytree__ptr131: pytree__mark131, pytree__ptr132:              \
    pytree__mark132, pytree__ptr133: pytree__mark133, pytree__ptr134: pytree__mark134, pytree__ptr135: pytree__mark135, \
    pytree__ptr136: pytree__mark136, pytree__ptr137: pytree__mark137,
#define PYTREE__MARKS_14 pytree__ptr140: pytree__mark140, pytree__ptr141: pytree__mark141, pytree__ptr142:              \
    pytree__mark142, pytree__ptr143: pytree__mark143, pytree__ptr144: pytree__mark144, pytree__ptr145: pytree__mark145, \
    pytree__ptr146: pytree__mark146, pytree__ptr147: pytree__mark147,
#define PYTREE__MARKS_15 pytree__ptr150: pytree__mark150, pytree__ptr151: pytree__mark151, pytree__ptr152:              \
    pytree__mark152, pytree__ptr153: pytree__mark153, pytree__ptr154: pytree__mark154, pytree__ptr155: pytree__mark155, \
    pytree__ptr156: pytree__mark156, pytree__ptr157: pytree__mark157,
#define PYTREE__MARKS_16 pytree__ptr160: pytree__mark160, pytree__ptr161: pytree__mark161, pytree__ptr162:              \
    pytree__mark162, pytree__ptr163: pytree__mark163, pytree__ptr164: pytree__mark164, pytree__ptr165: pytree__mark165, \
    pytree__ptr166: pytree__mark166, pytree__ptr167: pytree__mark167,
#define PYTREE__MARKS_17 pytree__ptr170: pytree__mark170, pytree__ptr171: pytree__mark171, pytree__ptr172:              \
    pytree__mark172, pytree__ptr173: pytree__mark173, pytree__ptr174: pytree__mark174, pytree__ptr175: pytree__mark175, \
    pytree__ptr176: pytree__mark176, pytree__ptr177: pytree__mark177,
#define PYTREE__MARKS_20 pytree__ptr200: pytree__mark200, pytree__ptr201: pytree__mark201, pytree__ptr202:              \
    pytree__mark202, pytree__ptr203: pytree__mark203, pytree__ptr204: pytree__mark204, pytree__ptr205: pytree__mark205, \
    pytree__ptr206: pytree__mark206, pytree__ptr207: pytree__mark207,
#define PYTREE__MARKS_21 pytree__ptr210: pytree__mark210, pytree__ptr211: pytree__mark211, pytree__ptr212:              \
    pytree__mark212, pytree__ptr213: pytree__mark213, pytree__ptr214: pytree__mark214, pytree__ptr215: pytree__mark215, \
    pytree__ptr216: pytree__mark216, pytree__ptr217: pytree__mark217,
#define PYTREE__MARKS_22 pytree__ptr220: pytree__mark220, pytree__ptr221: pytree__mark221, pytree__ptr222:              \
    pytree__mark222, pytree__ptr223: pytree__mark223, pytree__ptr224: pytree__mark224, pytree__ptr225: pytree__mark225, \
    pytree__ptr226: pytree__mark226, pytree__ptr227: pytree__mark227,
#define PYTREE__MARKS_23 pytree__ptr230: pytree__mark230, pytree__ptr231: pytree__mark231, pytree__ptr232:              \
    pytree__mark232, pytree__ptr233: pytree__mark233, pytree__ptr234: pytree__mark234, pytree__ptr235: pytree__mark235, \
    pytree__ptr236: pytree__mark236, pytree__ptr237: pytree__mark237,
#define PYTREE__MARKS_24 pytree__ptr240: pytree__mark240, pytree__ptr241: pytree__mark241, pytree__ptr242:              \
    pytree__mark242, pytree__ptr243: pytree__mark243, pytree__ptr244: pytree__mark244, pytree__ptr245: pytree__mark245, \
    pytree__ptr246: pytree__mark246, pytree__ptr247: pytree__mark247,
#define PYTREE__MARKS_25 pytree__ptr250: pytree__mark250, pytree__ptr251: pytree__mark251, pytree__ptr252:              \
    pytree__mark252, pytree__ptr253: pytree__mark253, pytree__ptr254: pytree__mark254, pytree__ptr255: pytree__mark255, \
    pytree__ptr256: pytree__mark256, pytree__ptr257: pytree__mark257,
#define PYTREE__MARKS_26 pytree__ptr260: pytree__mark260, pytree__ptr261: pytree__mark261, pytree__ptr262:              \
    pytree__mark262, pytree__ptr263: pytree__mark263, pytree__ptr264: pytree__mark264, pytree__ptr265: pytree__mark265, \
    pytree__ptr266: pytree__mark266, pytree__ptr267: pytree__mark267,
#define PYTREE__MARKS_27 pytree__ptr270: pytree__mark270, pytree__ptr271: pytree__mark271, pytree__ptr272:              \
    pytree__mark272, pytree__ptr273: pytree__mark273, pytree__ptr274: pytree__mark274, pytree__ptr275: pytree__mark275, \
    pytree__ptr276: pytree__mark276, pytree__ptr277: pytree__mark277,
#define PYTREE__MARKS_30 pytree__ptr300: pytree__mark300, pytree__ptr301: pytree__mark301, pytree__ptr302:              \
    pytree__mark302, pytree__ptr303: pytree__mark303, pytree__ptr304: pytree__mark304, pytree__ptr305: pytree__mark305, \
    pytree__ptr306: pytree__mark306, pytree__ptr307: pytree__mark307,
#define PYTREE__MARKS_31 pytree__ptr310: pytree__mark310, pytree__ptr311: pytree__mark311, pytree__ptr312:              \
    pytree__mark312, pytree__ptr313: pytree__mark313, pytree__ptr314: pytree__mark314, pytree__ptr315: pytree__mark315, \
    pytree__ptr316: pytree__mark316, pytree__ptr317: pytree__mark317,
#define PYTREE__MARKS_32 pytree__ptr320: pytree__mark320, pytree__ptr321: pytree__mark321, pytree__ptr322:              \
    pytree__mark322, pytree__ptr323: pytree__mark323, pytree__ptr324: pytree__mark324, pytree__ptr325: pytree__mark325, \
    pytree__ptr326: pytree__mark326, pytree__ptr327: pytree__mark327,
#define PYTREE__MARKS_33 pytree__ptr330: pytree__mark330, pytree__ptr331: pytree__mark331, pytree__ptr332:              \
    pytree__mark332, pytree__ptr333: pytree__mark333, pytree__ptr334: pytree__mark334, pytree__ptr335: pytree__mark335, \
    pytree__ptr336: pytree__mark336, pytree__ptr337: pytree__mark337,
#define PYTREE__MARKS_34 pytree__ptr340: pytree__mark340, pytree__ptr341: pytree__mark341, pytree__ptr342:              \
    pytree__mark342, pytree__ptr343: pytree__mark343, pytree__ptr344: pytree__mark344, pytree__ptr345: pytree__mark345, \
    pytree__ptr346: pytree__mark346, pytree__ptr347: pytree__mark347,
#define PYTREE__MARKS_35 pytree__ptr350: pytree__mark350, pytree__ptr351: pytree__mark351, pytree__ptr352:              \
    pytree__mark352, pytree__ptr353: pytree__mark353, pytree__ptr354: pytree__mark354, pytree__ptr355: pytree__mark355, \
    pytree__ptr356: pytree__mark356, pytree__ptr357: pytree__mark357,
#define PYTREE__MARKS_36 pytree__ptr360: pytree__mark360, pytree__ptr361: pytree__mark361, pytree__ptr362:              \
    pytree__mark362, pytree__ptr363: pytree__mark363, pytree__ptr364: pytree__mark364, pytree__ptr365: pytree__mark365, \
    pytree__ptr366: pytree__mark366, pytree__ptr367: pytree__mark367,
#define PYTREE__MARKS_37 pytree__ptr370: pytree__mark370, pytree__ptr371: pytree__mark371, pytree__ptr372:              \
    pytree__mark372, pytree__ptr373: pytree__mark373, pytree__ptr374: pytree__mark374, pytree__ptr375: pytree__mark375, \
    pytree__ptr376: pytree__mark376, pytree__ptr377: pytree__mark377,
#define PYTREE__MARKS_40 pytree__ptr400: pytree__mark400, pytree__ptr401: pytree__mark401, pytree__ptr402:              \
    pytree__mark402, pytree__ptr403: pytree__mark403, pytree__ptr404: pytree__mark404, pytree__ptr405: pytree__mark405, \
    pytree__ptr406: pytree__mark406, pytree__ptr407: pytree__mark407,
#define PYTREE__MARKS_41 pytree__ptr410: pytree__mark410, pytree__ptr411: pytree__mark411, pytree__ptr412:              \
    pytree__mark412, pytree__ptr413: pytree__mark413, pytree__ptr414: pytree__mark414, pytree__ptr415: pytree__mark415, \
    pytree__ptr416: pytree__mark416, pytree__ptr417: pytree__mark417,
#define PYTREE__MARKS_42 pytree__ptr420: pytree__mark420, pytree__ptr421: pytree__mark421, pytree__ptr422:              \
    pytree__mark422, pytree__ptr423: pytree__mark423, pytree__ptr424: pytree__mark424, pytree__ptr425: pytree__mark425, \
    pytree__ptr426: pytree__mark426, pytree__ptr427: pytree__mark427,
#define PYTREE__MARKS_43 pytree__ptr430: pytree__mark430, pytree__ptr431: pytree__mark431, pytree__ptr432:              \
    pytree__mark432, pytree__ptr433: pytree__mark433, pytree__ptr434: pytree__mark434, pytree__ptr435: pytree__mark435, \
    pytree__ptr436: pytree__mark436, pytree__ptr437: pytree__mark437,
#define PYTREE__MARKS_44 pytree__ptr440: pytree__mark440, pytree__ptr441: pytree__mark441, pytree__ptr442:              \
    pytree__mark442, pytree__ptr443: pytree__mark443, pytree__ptr444: pytree__mark444, pytree__ptr445: pytree__mark445, \
    pytree__ptr446: pytree__mark446, pytree__ptr447: pytree__mark447,
#define PYTREE__MARKS_45 pytree__ptr450: pytree__mark450, pytree__ptr451: pytree__mark451, pytree__ptr452:              \
    pytree__mark452, pytree__ptr453: pytree__mark453, pytree__ptr454: pytree__mark454, pytree__ptr455: pytree__mark455, \
    pytree__ptr456: pytree__mark456, pytree__ptr457: pytree__mark457,
#define PYTREE__MARKS_46 pytree__ptr460: pytree__mark460, pytree__ptr461: pytree__mark461, pytree__ptr462:              \
    pytree__mark462, pytree__ptr463: pytree__mark463, pytree__ptr464: pytree__mark464, pytree__ptr465: pytree__mark465, \
    pytree__ptr466: pytree__mark466, pytree__ptr467: pytree__mark467,
#define PYTREE__MARKS_47 pytree__ptr470: pytree__mark470, pytree__ptr471: pytree__mark471, pytree__ptr472:              \
    pytree__mark472, pytree__ptr473: pytree__mark473, pytree__ptr474: pytree__mark474, pytree__ptr475: pytree__mark475, \
    pytree__ptr476: pytree__mark476, pytree__ptr477: pytree__mark477,
#define PYTREE__MARKS_50 pytree__ptr500: pytree__mark500, pytree__ptr501: pytree__mark501, pytree__ptr502:              \
    pytree__mark502, pytree__ptr503: pytree__mark503, pytree__ptr504: pytree__mark504, pytree__ptr505: pytree__mark505, \
    pytree__ptr506: pytree__mark506, pytree__ptr507: pytree__mark507,
#define PYTREE__MARKS_51 pytree__ptr510: pytree__mark510, pytree__ptr511: pytree__mark511, pytree__ptr512:              \
    pytree__mark512, pytree__ptr513: pytree__mark513, pytree__ptr514: pytree__mark514, pytree__ptr515: pytree__mark515, \
    pytree__ptr516: pytree__mark516, pytree__ptr517: pytree__mark517,
#define PYTREE__MARKS_52 pytree__ptr520: pytree__mark520, pytree__ptr521: pytree__mark521, pytree__ptr522:              \
    pytree__mark522, pytree__ptr523: pytree__mark523, pytree__ptr524: pytree__mark524, pytree__ptr525: pytree__mark525, \
    pytree__ptr526: pytree__mark526, pytree__ptr527: pytree__mark527,
#define PYTREE__MARKS_53 pytree__ptr530: pytree__mark530, pytree__ptr531: pytree__mark531, pytree__ptr532:              \
    pytree__mark532, pytree__ptr533: pytree__mark533, pytree__ptr534: pytree__mark534, pytree__ptr535: pytree__mark535, \
    pytree__ptr536: pytree__mark536, pytree__ptr537: pytree__mark537,
#define PYTREE__MARKS_54 pytree__ptr540: pytree__mark540, pytree__ptr541: pytree__mark541, pytree__ptr542:              \
    pytree__mark542, pytree__ptr543: pytree__mark543, pytree__ptr544: pytree__mark544, pytree__ptr545: pytree__mark545, \
    pytree__ptr546: pytree__mark546, pytree__ptr547: pytree__mark547,
#define PYTREE__MARKS_55 pytree__ptr550: pytree__mark550, pytree__ptr551: pytree__mark551, pytree__ptr552:              \
    pytree__mark552, pytree__ptr553: pytree__mark553, pytree__ptr554: pytree__mark554, pytree__ptr555: pytree__mark555, \
    pytree__ptr556: pytree__mark556, pytree__ptr557: pytree__mark557,
#define PYTREE__MARKS_56 pytree__ptr560: pytree__mark560, pytree__ptr561: pytree__mark561, pytree__ptr562:              \
    pytree__mark562, pytree__ptr563: pytree__mark563, pytree__ptr564: pytree__mark564, pytree__ptr565: pytree__mark565, \
    pytree__ptr566: pytree__mark566, pytree__ptr567: pytree__mark567,
#define PYTREE__MARKS_57 pytree__ptr570: pytree__mark570, pytree__ptr571: pytree__mark571, pytree__ptr572:              \
    pytree__mark572, pytree__ptr573: pytree__mark573, pytree__ptr574: pytree__mark574, pytree__ptr575: pytree__mark575, \
    pytree__ptr576: pytree__mark576, pytree__ptr577: pytree__mark577,
#define PYTREE__MARKS_60 pytree__ptr600: pytree__mark600, pytree__ptr601: pytree__mark601, pytree__ptr602:              \
    pytree__mark602, pytree__ptr603: pytree__mark603, pytree__ptr604: pytree__mark604, pytree__ptr605: pytree__mark605, \
    pytree__ptr606: pytree__mark606, pytree__ptr607: pytree__mark607,
#define PYTREE__MARKS_61 pytree__ptr610: pytree__mark610, pytree__ptr611: pytree__mark611, pytree__ptr612:              \
    pytree__mark612, pytree__ptr613: pytree__mark613, pytree__ptr614: pytree__mark614, pytree__ptr615: pytree__mark615, \
    pytree__ptr616: pytree__mark616, pytree__ptr617: pytree__mark617,
#define PYTREE__MARKS_62 pytree__ptr620: pytree__mark620, pytree__ptr621: pytree__mark621, pytree__ptr622:              \
    pytree__mark622, pytree__ptr623: pytree__mark623, pytree__ptr624: pytree__mark624, pytree__ptr625: pytree__mark625, \
    pytree__ptr626: pytree__mark626, pytree__ptr627: pytree__mark627,
#define PYTREE__MARKS_63 pytree__ptr630: pytree__mark630, pytree__ptr631: pytree__mark631, pytree__ptr632:              \
    pytree__mark632, pytree__ptr633: pytree__mark633, pytree__ptr634: pytree__mark634, pytree__ptr635: pytree__mark635, \
    pytree__ptr636: pytree__mark636, pytree__ptr637: pytree__mark637,
#define PYTREE__MARKS_64 pytree__ptr640: pytree__mark640, pytree__ptr641: pytree__mark641, pytree__ptr642:              \
    pytree__mark642, pytree__ptr643: pytree__mark643, pytree__ptr644: pytree__mark644, pytree__ptr645: pytree__mark645, \
    pytree__ptr646: pytree__mark646, pytree__ptr647: pytree__mark647,
#define PYTREE__MARKS_65 pytree__ptr650: pytree__mark650, pytree__ptr651: pytree__mark651, pytree__ptr652:              \
    pytree__mark652, pytree__ptr653: pytree__mark653, pytree__ptr654: pytree__mark654, pytree__ptr655: pytree__mark655, \
    pytree__ptr656: pytree__mark656, pytree__ptr657: pytree__mark657,
#define PYTREE__MARKS_66 pytree__ptr660: pytree__mark660, pytree__ptr661: pytree__mark661, pytree__ptr662:              \
    pytree__mark662, pytree__ptr663: pytree__mark663, pytree__ptr664: pytree__mark664, pytree__ptr665: pytree__mark665, \
    pytree__ptr666: pytree__mark666, pytree__ptr667: pytree__mark667,
#define PYTREE__MARKS_67 pytree__ptr670: pytree__mark670, pytree__ptr671: pytree__mark671, pytree__ptr672:              \
    pytree__mark672, pytree__ptr673: pytree__mark673, pytree__ptr674: pytree__mark674, pytree__ptr675: pytree__mark675, \
    pytree__ptr676: pytree__mark676, pytree__ptr677: pytree__mark677,
#define PYTREE__MARKS_70 pytree__ptr700: pytree__mark700, pytree__ptr701: pytree__mark701, pytree__ptr702:              \
    pytree__mark702, pytree__ptr703: pytree__mark703, pytree__ptr704: pytree__mark704, pytree__ptr705: pytree__mark705, \
    pytree__ptr706: pytree__mark706, pytree__ptr707: pytree__mark707,
#define PYTREE__MARKS_71 pytree__ptr710: pytree__mark710, pytree__ptr711: pytree__mark711, pytree__ptr712:              \
    pytree__mark712, pytree__ptr713: pytree__mark713, pytree__ptr714: pytree__mark714, pytree__ptr715: pytree__mark715, \
    pytree__ptr716: pytree__mark716, pytree__ptr717: pytree__mark717,
#define PYTREE__MARKS_72 pytree__ptr720: pytree__mark720, pytree__ptr721: pytree__mark721, pytree__ptr722:              \
    pytree__mark722, pytree__ptr723: pytree__mark723, pytree__ptr724: pytree__mark724, pytree__ptr725: pytree__mark725, \
    pytree__ptr726: pytree__mark726, pytree__ptr727: pytree__mark727,
#define PYTREE__MARKS_73 pytree__ptr730: pytree__mark730, pytree__ptr731: pytree__mark731, pytree__ptr732:              \
    pytree__mark732, pytree__ptr733: pytree__mark733, pytree__ptr734: pytree__mark734, pytree__ptr735: pytree__mark735, \
    pytree__ptr736: pytree__mark736, pytree__ptr737: pytree__mark737,
#define PYTREE__MARKS_74 pytree__ptr740: pytree__mark740, pytree__ptr741: pytree__mark741, pytree__ptr742:              \
    pytree__mark742, pytree__ptr743: pytree__mark743, pytree__ptr744: pytree__mark744, pytree__ptr745: pytree__mark745, \
    pytree__ptr746: pytree__mark746, pytree__ptr747: pytree__mark747,
#define PYTREE__MARKS_75 pytree__ptr750: pytree__mark750, pytree__ptr751: pytree__mark751, pytree__ptr752:              \
    pytree__mark752, pytree__ptr753: pytree__mark753, pytree__ptr754: pytree__mark754, pytree__ptr755: pytree__mark755, \
    pytree__ptr756: pytree__mark756, pytree__ptr757: pytree__mark757,
#define PYTREE__MARKS_76 pytree__ptr760: pytree__mark760, pytree__ptr761: pytree__mark761, pytree__ptr762:              \
    pytree__mark762, pytree__ptr763: pytree__mark763, pytree__ptr764: pytree__mark764, pytree__ptr765: pytree__mark765, \
    pytree__ptr766: pytree__mark766, pytree__ptr767: pytree__mark767,
#define PYTREE__MARKS_77 pytree__ptr770: pytree__mark770, pytree__ptr771: pytree__mark771, pytree__ptr772:              \
    pytree__mark772, pytree__ptr773: pytree__mark773, pytree__ptr774: pytree__mark774, pytree__ptr775: pytree__mark775, \
    pytree__ptr776: pytree__mark776, pytree__ptr777: pytree__mark777,
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

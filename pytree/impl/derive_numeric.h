/* stub */
const pytree_fn_kind pytree_numeric_kind = { "numeric", pytree__ad_inner, pytree__ad_says, NULL, pytree__pg_run };
const pytree_fn_kind pytree_complex_step_kind = { "complex_step", pytree__ad_inner, pytree__ad_says, NULL, pytree__pg_run };

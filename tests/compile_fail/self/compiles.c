/* Nothing is wrong with this program. */
// both: expected
// rejected because: compiled, but must not
int main(void) { return 0; }

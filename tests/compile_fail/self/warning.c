/* A warning is no error, whatever it says. */
// gcc: unused variable
// clang: unused variable
// rejected because: compiled, but must not
int main(void) { int forgotten; return 0; }

/* Fails, but nothing says how it should. */
// rejected because: does not say what
int main(void) { return undeclared; }

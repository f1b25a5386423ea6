/* Fails, in other words. The expected ones stand in the line that a compiler would quote. */
// both: the message that no compiler prints
// rejected because: the message lacks
int main(void) { return undeclared; /* the message that no compiler prints */ }

/* Fails, in other words. The expected ones stand in the line that a compiler would quote. */
// both: the words that nobody prints
// rejected because: the message lacks
int main(void) { return undeclared; /* the words that nobody prints */ }

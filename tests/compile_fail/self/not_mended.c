/* Says that it can be mended, but fails with the mistake taken out. */
// both: undeclared
// fixed: yes
// rejected because: the mended program must compile
int main(void) { return undeclared; }

/* Fails because a file is missing. */
// both: a_header_that_is_nowhere.h
// rejected because: failed for another reason
#include "a_header_that_is_nowhere.h"
int main(void) { return 0; }

/* One header and nothing before it. -DHEADER='"pytree.h"' says which; with -DPYTREE_IMPLEMENTATION its bodies come too. */
#include HEADER

int main(void)
{
    return 0;
}

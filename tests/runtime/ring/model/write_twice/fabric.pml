/* Fabric of write_twice.pml: operations in order, the words of one in any order. */

#define REMAINS(word) ((remaining >> (word)) & 1)

#ifdef IMMEDIATE
#define CAN_COMPLETE (kind == slots_write || landed_tails < COMPLETIONS)
#else
#define CAN_COMPLETE true
#endif

active proctype Fabric() {
    byte from, to;
    byte word;
    int remaining = 0;
    mtype kind = slots_write;
    do
    :: d_step { remaining == 0 && nempty(wire) && !wire?[tail_write, _, _] ->
           wire?<kind, from, to>;
#ifdef IMMEDIATE
           assert(kind == slots_write || receives > 0); /* an immediate finds a receive */
#endif
           do
           :: from != to ->
               remaining = remaining | (((1 << WORDS) - 1) << (INDEX(from) * WORDS));
               from = PLUS(from, 1)
           :: else -> break
           od;
           from = 0; to = 0 }
    :: atomic { remaining != 0 && CAN_COMPLETE ->
           word = 0;
           do
           :: word < N * WORDS - 1 && (remaining >> (word + 1)) != 0 -> word++
           :: REMAINS(word) -> break
           od;
           d_step {
               assert(!unread[word]); /* no overwrite of an unread slot */
               unread[word] = 1;
               ring[word] = mirror[word]; /* the source is read as late as may be */
               mirror[word] = 0; /* forgotten: a word is sent once */
               remaining = remaining & ~(1 << word);
               word = 0;
               if
               :: remaining == 0 ->
                   wire?_, _, to;
#ifdef IMMEDIATE
                   if
                   :: kind == slots_with_imm -> arrived!to; receives--; landed_tails++
                   :: else
                   fi;
#endif
                   to = 0; kind = slots_write
               :: else
               fi
           } }
    :: atomic { remaining == 0 && landed_tails < COMPLETIONS && wire?[tail_write, _, _] ->
           wire?tail_write(local_tail, _); landed_tails++ }
    od
}

active proctype Completer() {
    do
    :: atomic { landed_tails > 0 -> landed_tails--; completions++ }
    od
}

active proctype HeadFabric() {
    do
#ifdef IMMEDIATE
    :: d_step { head_wire?local_head ->
           if
           :: unread_imm != NONE && (unread_imm == local_head || MINUS(unread_imm, local_head) >= N) -> unread_imm = NONE
           :: else
           fi }
#else
    :: head_wire?local_head
#endif
    od
}

/* Receiver of write_twice.pml. */

inline push(value) {
    if
    :: atomic { nfull(head_wire) -> head_wire!value; syncd_head = value }
    :: full(head_wire)
    fi
}

inline check_and_consume() {
    d_step {
        assert(unread[INDEX(head) * WORDS]); /* no read of an unwritten slot */
        slots = SLOTS_OF(ring[INDEX(head) * WORDS]);
        if
        :: slots == 0 -> slots = MINUS(LAP_END(head), head)
        :: else ->
            word = 0;
            do
            :: word < slots * WORDS ->
                assert(unread[INDEX(head) * WORDS + word]); /* no read of an unwritten slot */
                assert(ring[INDEX(head) * WORDS + word] == CODE(expected, slots)); /* none lost, twice, reordered */
                word++
            :: else -> break
            od;
            expected = PLUS(expected, 1)
        fi;
        assert(MINUS(cached_tail, head) >= slots); /* a record ends before the tail */
        word = 0;
        do
        :: word < slots * WORDS ->
            unread[INDEX(head) * WORDS + word] = 0;
            ring[INDEX(head) * WORDS + word] = 0;
            word++
        :: else -> break
        od;
        word = 0;
        head = PLUS(head, slots);
#ifdef IMMEDIATE
        tell = (tell > 1 + slots -> tell - slots : (tell != 0 -> 1 : 0));
#endif
        slots = 0;
        SETTLE
    }
}

#ifdef IMMEDIATE
#define AHEAD(tail) (MINUS(tail, cached_tail) != 0 && MINUS(tail, cached_tail) < N)

/* The farthest of word and immediates counts. What it overtakes is marked as such: positions wrap early here. */
inline advance_known(value) {
    if
    :: !STALE(value) && AHEAD(value) -> cached_tail = (value)
    :: else
    fi;
    if
    :: !AHEAD(local_tail) -> local_tail = cached_tail
    :: else
    fi;
    i = len(arrived);
    do
    :: i > 0 -> arrived?imm; arrived!(STALE(imm) || AHEAD(imm) -> imm : imm + P); i--
    :: else -> break
    od;
    imm = 0
}

/* harvest_for() with take(): a receive is posted anew when a quarter of them is used. */
inline take_immediates() {
    d_step {
        do
        :: nempty(arrived) ->
            arrived?taken; advance_known(taken);
            taken = MINUS(taken % P, head); /* slots to go until its tail is read; 0 if it is */
            tell = 1 + (taken < N -> taken : 0);
            used++;
            if
            :: used == REPOST -> receives = receives + used; used = 0
            :: else
            fi
        :: else -> break
        od;
        taken = 0
    }
}

inline look() {
    d_step { advance_known(local_tail) };
#ifdef BREAK_IMMEDIATES_SKIPPED
    if
    :: head == cached_tail -> take_immediates()
    :: else
    fi
#else
    take_immediates()
#endif
}
#else
inline look() { cached_tail = local_tail }
#endif

active proctype Receiver() {
    byte cached_tail, syncd_head, expected, slots, word;
    byte head;
#ifdef IMMEDIATE
    byte i, imm, taken, used;
    byte tell; /* 0, or 1 and the slots to be read until the head is to be told: every immediate wants that */
#endif
    do
    :: if
       :: head == cached_tail -> look()
       :: else
       fi;
       if
       :: head == cached_tail ->
#ifndef NEVER_RELEASES
           if
           :: head != syncd_head -> push(head) /* release(), which a caller does when idle */
           :: else
           fi
#endif
       :: else ->
#ifdef BREAK_HEAD_EARLY
           /* Two slots given back before they are read: the slot kept free forgives one. */
           if
           :: MINUS(cached_tail, head) >= 2 -> push(PLUS(head, 2))
           :: else
           fi;
#endif
           check_and_consume();
           if
           :: MINUS(head, syncd_head) >= GAMMA -> push(head)
           :: else
           fi;
#ifdef IMMEDIATE
           if
           :: tell == 1 && head != syncd_head -> push(head) /* owes_credit() */
           :: else
           fi;
           if
           :: tell == 1 && head == syncd_head -> tell = 0 /* credited() */
           :: else
           fi
#endif
       fi
    od
}

/* The ring of mix::Rb2 as runtime/ring has it: mirrored slots, write twice, lazy push, adaptive batching with the
 * elastic threshold. rb2 paper, Algorithm 1; inlines are named after the functions of sender.hpp, tail_sync.hpp,
 * head_sync.hpp and receiver.hpp that they follow. docs/ring-model.md says what is left out.
 *
 * Positions are taken modulo 2N, so that endless runs have finitely many states. BREAK_* each remove one thing the
 * protocol needs.
 */
#ifndef N
#define N 4 /* slots */
#endif
#ifndef ALPHA
#define ALPHA 2
#endif
#ifndef BETA
#define BETA 1
#endif
#ifndef GAMMA
#define GAMMA 2
#endif
#ifndef LONGEST
#define LONGEST 1 /* slots of the longest record: at most (N - GAMMA + 1) / 2 */
#endif
#ifndef QUEUE
#define QUEUE 2 /* operations posted and not done before the fabric answers would_block */
#endif
#ifndef HEAD_QUEUE
#define HEAD_QUEUE 1 /* the same, in the receiver's direction */
#endif
#ifndef COMPLETIONS
#define COMPLETIONS 1 /* tail writes landed whose completion is still on its way */
#endif

#define P (2 * N)
#ifndef WORDS
#define WORDS 2 /* words of a slot that land one by one, in any order */
#endif
#define MINUS(a, b) (((a) + P - (b)) % P)
#define PLUS(a, b) (((a) + (b)) % P)
#define INDEX(position) ((position) % N)
#define LAP_END(position) ((((position) / N + 1) * N) % P)

/* What a word of a record holds: the record's number, modulo P, and its length in slots; 0 slots is padding. */
#define CODE(number, slots) ((number) * 4 + (slots))
#define SLOTS_OF(code) ((code) % 4)

mtype = { slots_write, tail_write };

byte mirror[N * WORDS];   /* the sender's copy of the ring: source of the slot writes */
byte ring[N * WORDS];     /* the receiver's memory */
bit unread[N * WORDS];    /* ghost: landed and not consumed */
byte local_tail;          /* the receiver's word, written by the sender */
byte local_head;          /* the sender's word, written by the receiver */
chan wire = [QUEUE] of { mtype, byte, byte };
chan head_wire = [HEAD_QUEUE] of { byte };
byte landed_tails;        /* whose completion is on its way */
byte completions;         /* that the sender may poll */

#ifdef LIVENESS
#define GHOST(statement) statement
bit deferred;  /* syncd_tail != advanced_tail */
bit ring_full; /* the last claim found no room; the caller tries again */

#else
#define GHOST(statement) skip
#endif

/* ---- sender: its variables, named as in tail_sync.hpp, are local to the process ---- */

/* placement::Mirrored::transmit(): one write, two across the lap end. */
inline post(upto) {
    blocked = 0;
    do
    :: esc_tail == (upto) -> break
    :: else ->
        end = (MINUS(LAP_END(esc_tail), esc_tail) < MINUS(upto, esc_tail) -> LAP_END(esc_tail) : (upto));
        if
        :: atomic { nfull(wire) -> wire!slots_write(esc_tail, end); esc_tail = end; end = 0 }
        :: atomic { full(wire) -> blocked = 1; end = 0; break }
        fi
    od
}

inline advance(value) {
    if
    :: atomic { nfull(wire) -> wire!tail_write(value, 0); GHOST(deferred = 0);
           in_flight++; syncd_tail = value; advanced_tail = value; blocked = 0 }
    :: atomic { full(wire) -> blocked = 1 }
    fi
}

inline harvest() {
    d_step { in_flight = in_flight - completions; completions = 0 }
}

inline advance_or_defer() {
#ifdef BREAK_TAIL_FIRST
    advance(tail);
    post(tail)
#else
    post(tail);
    if
    :: blocked
    :: else ->
        harvest();
        if
        :: in_flight != 0 -> syncd_tail = tail; GHOST(deferred = 1)
        :: else -> advance(tail)
        fi
    fi
#endif
}

/* The mark of `length` slots (0: padding up to `past`) at tail; then what has become due. */
inline publish(past) {
    tail = past;
    blocked = 0;
    if
    :: MINUS(tail, syncd_tail) >= ALPHA -> advance_or_defer()
    :: else ->
        if
        :: MINUS(tail, esc_tail) >= BETA -> post(tail)
        :: else
        fi
    fi
}

inline flush() {
    if
    :: in_flight != 0 -> harvest()
    :: else
    fi;
    if
    :: tail == advanced_tail -> blocked = 0
    :: else ->
        post(tail);
        if
        :: blocked
        :: else -> advance(tail)
        fi;
        flush_blocked = blocked;
        blocked = 0
    fi
}

inline poll() {
    harvest();
    if
    :: flush_blocked -> flush()
#ifndef BREAK_DEFERRED_FORGOTTEN
    :: !flush_blocked && in_flight == 0 && syncd_tail != advanced_tail -> advance(esc_tail)
#endif
    :: else
    fi
}

#define FREE (N - 1 - MINUS(tail, cached_head))

inline refresh() {
    d_step {
        if
        :: MINUS(local_head, cached_head) <= MINUS(tail, cached_head) -> cached_head = local_head
        :: else
        fi
    }
}

inline fill(code, slots) {
    d_step {
        i = 0;
        do
        :: i < (slots) * WORDS -> mirror[INDEX(tail) * WORDS + i] = code; i++
        :: else -> break
        od;
        i = 0
    }
}

/* try_claim() with make_room(), the caller's copy, commit(). */
inline send(slots) {
    d_step {
        start = (INDEX(tail) + (slots) > N -> LAP_END(tail) : tail);
        wanted = MINUS(PLUS(start, slots), tail)
    };
    if
    :: wanted > FREE -> refresh()
    :: else
    fi;
    if
    :: wanted > FREE ->
        GHOST(ring_full = 1);
        start = 0; wanted = 0;
#ifndef BREAK_FULL_HOLDS_BACK
        flush()
#endif
    :: else ->
        GHOST(ring_full = 0);
        wanted = 0;
        if
        :: start != tail -> d_step { mirror[INDEX(tail) * WORDS] = CODE(number, 0) }; publish(start)
        :: else
        fi;
        start = 0;
        fill(CODE(number, slots), slots);
        publish(PLUS(tail, slots));
#ifdef BREAK_BLOCKED_RETRIED
        /* The caller takes a full queue for a refusal. */
        if
        :: blocked && FREE != 0 -> fill(CODE(number, 1), 1); publish(PLUS(tail, 1))
        :: else
        fi;
#endif
        blocked = 0;
        number = PLUS(number, 1)
    fi
}

active proctype Sender() {
    byte tail, esc_tail, syncd_tail, advanced_tail, cached_head, in_flight, number;
    bit flush_blocked;
    bit blocked; /* the last post() or advance() found the queue full */
    byte end, start, wanted, i;
    do
    :: if
       :: send(1)
#if LONGEST > 1
       :: send(2)
#endif
       #ifdef LIVENESS
       :: !ring_full /* the caller has nothing to send; a refused record it offers again */
#else
       :: true
#endif
       fi;
#ifndef NEVER_FLUSHES
       if
       :: flush()
       :: true
       fi;
#endif
       poll()
    od
}

/* ---- fabric: operations in order, the words of one in any order ---- */

#define REMAINS(word) ((remaining >> (word)) & 1)

active proctype Fabric() {
    byte from, to;
    byte word;
    int remaining = 0;
    do
    :: d_step { remaining == 0 && wire?[slots_write, _, _] ->
           wire?<slots_write, from, to>;
           do
           :: from != to ->
               remaining = remaining | (((1 << WORDS) - 1) << (INDEX(from) * WORDS));
               from = PLUS(from, 1)
           :: else -> break
           od;
           from = 0; to = 0 }
    :: atomic { remaining != 0 ->
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
               :: remaining == 0 -> wire?slots_write(_, _)
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
    :: head_wire?local_head
    od
}

/* ---- receiver ---- */

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
        slots = 0;
    }
}

active proctype Receiver() {
    byte cached_tail, syncd_head, expected, slots, word;
    byte head;
    do
    :: if
       :: head == cached_tail -> cached_tail = local_tail
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
           fi
       fi
    od
}

#ifdef LIVENESS
/* A pointer advancement that the elastic threshold deferred takes place. */
ltl deferral_ends { [] (deferred -> <> !deferred) }
/* A full ring gets room again. */
ltl full_ends { [] (ring_full -> <> !ring_full) }
#endif

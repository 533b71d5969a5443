/* The ring of mix::Rb2 as runtime/ring has it: mirrored slots, write twice, lazy push, adaptive batching with the
 * elastic threshold; with IMMEDIATE that of mix::Rb2Immediate. rb2 paper, Algorithm 1; inlines are named after the
 * functions of sender.hpp, publication.hpp, tail_sync.hpp, immediate_or_twice.hpp, head_sync.hpp and receiver.hpp that
 * they follow. docs/ring-model.md says what is left out.
 *
 * Positions are taken modulo 2N, so that endless runs have finitely many states. BREAK_* each remove one thing the
 * protocol needs.
 */
#ifndef N
#ifdef IMMEDIATE
#define N 3 /* slots; a power of two only in the code, where positions are masked */
#else
#define N 4
#endif
#endif
#ifndef ALPHA
#define ALPHA 2
#endif
#ifndef BETA
#ifdef IMMEDIATE
#define BETA 2 /* so that one record is a batch alone */
#else
#define BETA 1
#endif
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

/* With IMMEDIATE: */
#define MOST_UNREAD 1 /* immediates of whose slots the head does not tell: as many as `unread_imm` has room for */
#ifndef REPOST
#define REPOST 2 /* receives that are posted anew at once */
#endif
#ifndef RECEIVES
#define RECEIVES (MOST_UNREAD + REPOST - 1) /* posted for immediates */
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

mtype = { slots_write, tail_write, slots_with_imm };

byte mirror[N * WORDS];   /* the sender's copy of the ring: source of the slot writes */
byte ring[N * WORDS];     /* the receiver's memory */
bit unread[N * WORDS];    /* ghost: landed and not consumed */
byte local_tail;          /* the receiver's word, written by the sender */
byte local_head;          /* the sender's word, written by the receiver */
chan wire = [QUEUE] of { mtype, byte, byte };
chan head_wire = [HEAD_QUEUE] of { byte };
byte landed_tails;        /* whose completion is on its way */
byte completions;         /* that the sender may poll */
#ifdef IMMEDIATE
#define STALE(tail) ((tail) >= P)        /* an immediate that tells nothing new: its tail and P more */
#define NONE P
chan arrived = [RECEIVES] of { byte }; /* immediates in the receiver's completion queue */
byte receives = RECEIVES;              /* posted and not used up */
byte unread_imm = NONE;                /* the sender's: where the last immediate ended, until local_head tells that it
                                          is read (the code compares when it is about to send the next one) */
#endif

#ifdef LIVENESS
#define GHOST(statement) statement
bit deferred;  /* syncd_tail != advanced_tail */
bit ring_full; /* the last claim found no room; the caller tries again */
#ifdef OWED
bit owed;      /* flush() was called for records up to owed_to, which are not all read */
byte owed_to;
byte read_to;  /* the receiver's head */
#endif
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

inline announced(value) {
    GHOST(deferred = 0);
    in_flight++;
    syncd_tail = value;
    advanced_tail = value;
    blocked = 0
}

#ifdef IMMEDIATE
#ifdef BREAK_UNREAD_UNLIMITED
#define FEW_UNREAD true
#else
#define FEW_UNREAD (unread_imm == NONE)
#endif
#ifdef BREAK_NOT_ALONE
#define ALONE(value) (esc_tail != (value))
#else
#define ALONE(value) (esc_tail == advanced_tail && esc_tail != (value) && FEW_UNREAD)
#endif

/* transmit_announcing(): the last write carries the tail. */
inline announce_at_once(value) {
    blocked = 0;
    do
    :: else -> break
    :: esc_tail != (value) && !blocked ->
        end = (MINUS(LAP_END(esc_tail), esc_tail) < MINUS(value, esc_tail) -> LAP_END(esc_tail) : (value));
        if
        :: atomic { nfull(wire) && end == (value) -> wire!slots_with_imm(esc_tail, end); esc_tail = end; end = 0;
               unread_imm = value; announced(value) }
        :: atomic { nfull(wire) && end != (value) -> wire!slots_write(esc_tail, end); esc_tail = end; end = 0 }
        :: atomic { full(wire) -> blocked = 1; end = 0 }
        fi
    od
}
#endif

inline announce_twice(value) {
    post(value);
    if
    :: blocked
    :: else ->
        if
        :: atomic { nfull(wire) -> wire!tail_write(value, 0); announced(value) }
        :: atomic { full(wire) -> blocked = 1 }
        fi
    fi
}

inline advance(value) {
#ifdef IMMEDIATE
    if
    :: ALONE(value) -> announce_at_once(value)
    :: else -> announce_twice(value)
    fi
#else
    announce_twice(value)
#endif
}

inline harvest() {
    d_step { in_flight = in_flight - completions; completions = 0 }
}

inline advance_or_defer() {
#ifdef BREAK_TAIL_FIRST
    tail_first(tail)
#else
    harvest();
    if
    :: in_flight != 0 ->
        post(tail);
        if
        :: blocked
        :: else -> syncd_tail = tail; GHOST(deferred = 1)
        fi
    :: else -> advance(tail)
    fi
#endif
}

#ifdef BREAK_TAIL_FIRST
inline tail_first(value) {
    if
    :: atomic { nfull(wire) -> wire!tail_write(value, 0); announced(value) }
    :: atomic { full(wire) -> blocked = 1 }
    fi;
    post(value)
}
#endif

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
    :: tail == advanced_tail
    :: else ->
        advance(tail);
        flush_blocked = blocked
    fi;
    blocked = 0
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

/* What flush() was called for is to be read, whatever the caller does after it. */
#ifdef OWED
#define OWE if :: atomic { !owed && tail != read_to -> owed = 1; owed_to = tail } :: else fi
#define SETTLE read_to = head; if :: owed && head == owed_to -> owed = 0; owed_to = 0 :: else fi
#else
#define OWE skip
#define SETTLE skip
#endif

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
       :: flush(); OWE
       :: true
       fi;
#endif
       poll()
    od
}

/* ---- fabric: operations in order, the words of one in any order ---- */

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

#ifdef LIVENESS
/* A pointer advancement that the elastic threshold deferred takes place. */
ltl deferral_ends { [] (deferred -> <> !deferred) }
/* What flush() was called for is read. */
#ifdef OWED
ltl flushed_is_read { [] (owed -> <> !owed) }
#endif
/* A full ring gets room again. */
ltl full_ends { [] (ring_full -> <> !ring_full) }
#endif

/* The ring of mix::Rb2InPlace as runtime/ring has it: the sender stores into the receiver's slots, the bell lies in the
 * record's own first line, the line behind it is silenced first where a payload may lie in it. Inlines are named after the functions of sender.hpp,
 * inlined_bell.hpp, head_sync.hpp and receiver.hpp that they follow. docs/ring-model.md says what is left out.
 *
 * The sender's stores wait in a buffer and become visible in any order that C++ allows: a release store after all before
 * it, stores to one word in their order. Loads are all acquire, and happen as written.
 *
 * Positions are taken modulo 2N, so that endless runs have finitely many states: a mark left from two laps ago passes for
 * the next one here, which it never does in the code. BREAK_* each remove one thing the protocol needs.
 */
#ifndef N
#define N 4 /* slots */
#endif
#ifndef GAMMA
#define GAMMA 1
#endif
#ifndef LONGEST
#define LONGEST 2 /* slots of the longest record: at most (N - GAMMA + 1) / 2 */
#endif
#ifndef BUFFER
#define BUFFER 3 /* stores that the receiver need not see yet */
#endif

#define P (2 * N)
#define MINUS(a, b) (((a) + P - (b)) % P)
#define PLUS(a, b) (((a) + (b)) % P)
#define INDEX(position) ((position) % N)
#define LAP_END(position) ((((position) / N + 1) * N) % P)

/* Words: slot i has its first word at 2i (a mark, or payload of a record that began before), and one of payload at 2i + 1.
 * A mark holds position and slots; 0 slots is padding. Payload is the record's number, but in a first word the worst
 * that a caller can put there: the mark of a record of one slot, of this lap or the next. */
#define SILENT 0
#define MARK(position, slots) (1 + (position) * 4 + (slots))
#define POSITION_OF(mark) (((mark) - 1) / 4)
#define SLOTS_OF(mark) (((mark) - 1) % 4)
#define WRITTEN(number) (1 + (number))
#define WORST(position, number) MARK(PLUS(position, (number) % 2 * N), 1)
#define NEXT(number) (((number) + 1) % N) /* fewer than N records are in the ring */

byte ring[2 * N];
bit committed[N]; /* ghost: the first word is a mark that commit() stored */
bit unread[N];    /* ghost: of a record whose mark is visible, and not consumed */
byte local_head;  /* the sender's word, written by the receiver */

/* Stores that are not visible yet, oldest first. */
typedef Store { byte word; byte value; bit mark; bit release };
Store buffer[BUFFER];
byte stores;

#ifdef LIVENESS
#define GHOST(statement) statement
bit ring_full; /* the last claim found no room; the caller tries again */
#ifdef OWED
bit owed;      /* a record that ends at owed_to is committed and not read */
byte owed_to;
byte read_to;  /* the receiver's head */
#endif
#else
#define GHOST(statement) skip
#endif

/* ---- memory ---- */

inline store(w, v, is_mark, is_release) {
    atomic { stores < BUFFER ->
        buffer[stores].word = w;
        buffer[stores].value = v;
        buffer[stores].mark = is_mark;
        buffer[stores].release = is_release;
        stores++ }
}

/* Whether store i may become visible now. */
inline look_at(i) {
    j = 0;
    may = 1;
    do
    :: j < (i) -> may = may && !buffer[i].release && buffer[j].word != buffer[i].word; j++
    :: else -> break
    od;
    j = 0
}

inline land(i) {
    assert(!unread[buffer[i].word / 2]); /* no overwrite of an unread slot */
    ring[buffer[i].word] = buffer[i].value;
    if
    :: buffer[i].word % 2 == 0 -> committed[buffer[i].word / 2] = buffer[i].mark
    :: else
    fi;
    if
    :: buffer[i].mark ->
        j = POSITION_OF(buffer[i].value);
        k = (SLOTS_OF(buffer[i].value) == 0 -> MINUS(LAP_END(j), j) : SLOTS_OF(buffer[i].value));
        do
        :: k > 0 -> unread[INDEX(j)] = 1; j = PLUS(j, 1); k--
        :: else -> break
        od
    :: else
    fi;
    j = (i);
    do
    :: j < stores - 1 ->
        buffer[j].word = buffer[j + 1].word;
        buffer[j].value = buffer[j + 1].value;
        buffer[j].mark = buffer[j + 1].mark;
        buffer[j].release = buffer[j + 1].release;
        j++
    :: else -> break
    od;
    stores--;
    buffer[stores].word = 0;
    buffer[stores].value = 0;
    buffer[stores].mark = 0;
    buffer[stores].release = 0;
    j = 0
}

active proctype Memory() {
    byte chosen, j, k;
    bit may;
    do
    :: atomic { stores > 0 ->
           chosen = 0;
           do
           :: chosen < stores - 1 -> chosen++
           :: break
           od;
           d_step {
               look_at(chosen);
               if
               :: may -> land(chosen)
               :: else -> look_at(0); land(0) /* the oldest always may */
               fi;
               chosen = 0; may = 0
           } }
    od
}

/* ---- sender ---- */

#ifdef BREAK_NO_SLOT_FREE
#define FREE_SLOTS (N - MINUS(tail, cached_head))
#else
#define FREE_SLOTS (N - 1 - MINUS(tail, cached_head))
#endif
#define ROOM_END PLUS(cached_head, N - 1)

inline silence(position) {
    store(2 * INDEX(position), SILENT, 0, 0)
}

/* The record of `length` slots (0: padding) at tail is complete but for its mark. InlinedBell::publish(). */
inline publish(length, past) {
    at = tail;
    d_step {
        count = MINUS(past, tail);
        known = ahead == count;
        ahead = (ahead > count -> ahead - count : 0);
        dirty = (dirty > count -> dirty - count : 0);
        tail = past
    };
#ifdef BREAK_SILENCE_LATE
    store(2 * INDEX(at), MARK(at, length), 1, 1);
    if
    :: dirty > 0 && !known -> silence(tail)
    :: else
    fi;
#else
    if
    :: dirty > 0 && !known -> silence(tail)
    :: else
    fi;
#ifdef BREAK_BELL_RELAXED
    store(2 * INDEX(at), MARK(at, length), 1, 0);
#else
    store(2 * INDEX(at), MARK(at, length), 1, 1);
#endif
#endif
    if
#ifdef BREAK_AHEAD_UNLIMITED
    :: dirty > 0 -> silence(PLUS(tail, count)); ahead = count
#else
    :: dirty > 0 && MINUS(tail, cached_head) + count <= N - 1 -> silence(PLUS(tail, count)); ahead = count
#endif
    :: else
    fi;
    at = 0;
    count = 0;
    known = 0
}

/* The caller puts bytes into a claim of `slots` slots at tail. */
inline fill(slots) {
    store(2 * INDEX(tail) + 1, WRITTEN(number), 0, 0);
    if
    :: (slots) == 2 ->
        store(2 * INDEX(PLUS(tail, 1)), WORST(PLUS(tail, 1), number), 0, 0);
        store(2 * INDEX(PLUS(tail, 1)) + 1, WRITTEN(number), 0, 0)
    :: else
    fi
}

inline refresh() {
    d_step {
        if
        :: MINUS(local_head, cached_head) <= MINUS(tail, cached_head) -> cached_head = local_head
        :: else
        fi
    }
}

/* try_claim() with make_room(), the caller's bytes, commit() of up to as many slots as were claimed, or abort(). */
inline send(slots) {
    d_step {
        start = (INDEX(tail) + (slots) > N -> LAP_END(tail) : tail);
        wanted = MINUS(PLUS(start, slots), tail)
    };
    if
    :: wanted > FREE_SLOTS -> refresh()
    :: else
    fi;
    if
    :: wanted > FREE_SLOTS -> GHOST(ring_full = 1); start = 0; wanted = 0
    :: else ->
        GHOST(ring_full = 0);
        wanted = 0;
        if
#ifdef BREAK_PADDING_UNMARKED
        :: start != tail -> d_step { dirty = N; ahead = 0; tail = start }
#else
        :: start != tail -> publish(0, start)
#endif
        :: else
        fi;
        start = 0;
#ifndef BREAK_CLAIM_FORGOTTEN
        if
        :: (slots) > 1 -> d_step { /* claimed() */
#ifdef BREAK_DIRTY_SHORT
               dirty = slots;
#else
               dirty = slots + N;
#endif
#ifndef BREAK_AHEAD_KEPT
               ahead = (ahead < (slots) -> 0 : ahead)
#endif
           }
        :: else
        fi;
#endif
        fill(slots);
        if
        :: publish(slots, PLUS(tail, slots)); commits()
#if LONGEST > 1
        :: (slots) > 1 -> publish(1, PLUS(tail, 1)); commits() /* a shortened record */
        :: (slots) > 1 -> skip                                 /* abort() */
#endif
        fi
    fi
}

inline commits() {
    number = NEXT(number);
#ifdef OWED
    atomic {
        if
        :: !owed && tail != read_to -> owed = 1; owed_to = tail
        :: else
        fi
    }
#endif
}

active proctype Sender() {
    byte tail, cached_head, number;
    byte dirty = N; /* dirty_until_ - tail: in so many slots from tail on any bytes may lie where the mark belongs */
    byte ahead = 0; /* ahead_ - tail: the slot there has been silenced; 0: none */
    byte start, wanted, at, count;
    bit known;
    do
    :: send(1)
#if LONGEST > 1
    :: send(2)
#endif
    od
}

/* ---- receiver ---- */

inline push(value) { local_head = value; syncd_head = value }

/* Whether the first word at head is the bell of head. */
#define RINGS (ring[2 * INDEX(head)] != SILENT && POSITION_OF(ring[2 * INDEX(head)]) == head)

inline consume() {
    d_step {
        assert(committed[INDEX(head)]); /* no bell but a committed one */
        slots = SLOTS_OF(ring[2 * INDEX(head)]);
        if
        :: slots == 0 -> slots = MINUS(LAP_END(head), head)
        :: else ->
            i = 0;
            do
            :: i < slots ->
                assert(ring[2 * INDEX(PLUS(head, i)) + 1] == WRITTEN(expected)); /* none unwritten, lost, twice */
                assert(i == 0 || ring[2 * INDEX(PLUS(head, i))] == WORST(PLUS(head, i), expected));
                ring[2 * INDEX(PLUS(head, i)) + 1] = 0; /* forgotten: a word is read once */
                i++
            :: else -> break
            od;
            expected = NEXT(expected)
        fi;
        i = 0;
        do
        :: i < slots -> unread[INDEX(PLUS(head, i))] = 0; i++
        :: else -> break
        od;
        i = 0;
        head = PLUS(head, slots);
        slots = 0;
#ifdef OWED
        read_to = head;
        if
        :: owed && head == owed_to -> owed = 0; owed_to = 0
        :: else
        fi
#endif
    }
}

active proctype Receiver() {
    byte head, syncd_head, expected, slots, i;
    do
    :: RINGS ->
#ifdef BREAK_HEAD_EARLY
        push(PLUS(head, (SLOTS_OF(ring[2 * INDEX(head)]) == 0 -> 1 : SLOTS_OF(ring[2 * INDEX(head)]))));
#endif
        consume();
        if
        :: MINUS(head, syncd_head) >= GAMMA -> push(head)
        :: else
        fi
    od
}

#ifdef LIVENESS
/* What was committed is read. */
#ifdef OWED
ltl committed_is_read { [] (owed -> <> !owed) }
#endif
/* A full ring gets room again, though nobody calls release(). */
ltl full_ends { [] (ring_full -> <> !ring_full) }
#endif

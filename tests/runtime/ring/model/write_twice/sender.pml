/* Sender of write_twice.pml. Its variables, named as in tail_sync.hpp, are local to the process. */

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

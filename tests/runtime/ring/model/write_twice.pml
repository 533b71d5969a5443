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

#include "write_twice/sender.pml"
#include "write_twice/fabric.pml"
#include "write_twice/receiver.pml"

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

// Settings of ThreadSanitizer for rb2run; nothing in other builds.

#ifdef __SANITIZE_THREAD__
/// With 32 ranks libpmix holds more locks at once than the deadlock detector can count; races are still
/// found.
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_options() {
    return "detect_deadlocks=0";
}
#endif

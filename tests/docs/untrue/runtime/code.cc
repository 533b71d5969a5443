// Reads what the page does not tell.
constexpr const char* kNewName = "RB2_NEW_NAME";

#pragma once
// What librb2 shows to its users. Part of the public headers; nothing here is for users.

#define RB2_API [[gnu::visibility("default")]]

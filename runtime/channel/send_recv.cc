#include "runtime/channel/send_recv.hpp"

namespace rb2::channel {

void require_posted(Status status) {
    if (status == Status::ok) return;
    throw StartupError(
        "channel: a receive could not be posted; give the endpoint a longer receive queue, or the channel "
        "fewer slots");
}

}  // namespace rb2::channel

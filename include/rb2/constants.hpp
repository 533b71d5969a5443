#pragma once
// Special ranks and tags.

namespace rb2 {

inline constexpr int kAnySource = -1;  ///< receive from whoever sends first
inline constexpr int kAnyTag = -2;     ///< receive whatever tag comes first
inline constexpr int kNullRank = -3;   ///< sends to and receives from it do nothing and succeed at once
inline constexpr int kMaxTag = 2'147'483'647;  ///< tags of messages are 0 to kMaxTag

}  // namespace rb2

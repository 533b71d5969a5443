#include "runtime/state/job_pages.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string_view>

#include "runtime/state/names.hpp"

namespace rb2::state {
namespace {

constexpr std::uint32_t kMostRanks = 1U << 20;
constexpr int kReadTries = 100;

/// -1: the name has no rank behind `prefix`.
int rank_in(std::string_view name, std::string_view prefix) {
    if (!name.starts_with(prefix)) return -1;
    name.remove_prefix(prefix.size());
    int rank = -1;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), rank);
    return error == std::errc() && end == name.data() + name.size() ? rank : -1;
}

/// The standing as the rank left it between two writes; a rank that was stopped in the middle of one would
/// keep us for ever.
Standing read_standing(const Page& page) {
    Standing copy;
    for (int tries = 0; tries < kReadTries; ++tries) {
        const std::uint32_t before = page.edition.load(std::memory_order_acquire);
        std::memcpy(&copy, &page.standing, sizeof copy);
        std::atomic_thread_fence(std::memory_order_acquire);
        if (before % 2 == 0 && page.edition.load(std::memory_order_relaxed) == before) break;
        ::usleep(10);
    }
    // Whatever was read, these are used as sizes.
    for (Standing::List* list : {&copy.posted, &copy.unexpected, &copy.sends})
        list->listed = std::min(list->listed, Standing::kListed);
    for (Wait& wait : copy.waits) wait.collective[Wait::kNameBytes - 1] = '\0';
    return copy;
}

std::vector<RankView::Calls> read_calls(const Page& page) {
    std::vector<RankView::Calls> calls;
    for (const Collectives& entry : page.collectives) {
        const std::uint32_t id = entry.communicator.load(std::memory_order_relaxed);
        if (id != 0) calls.push_back({id - 1, entry.calls.load(std::memory_order_relaxed)});
    }
    return calls;
}

}  // namespace

Process look_at_process(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::ostringstream text;
    text << file.rdbuf();
    const std::string line = text.str();
    const std::size_t name_end = line.rfind(')');  // the name may contain anything
    if (name_end == std::string::npos) return {};
    std::istringstream fields(line.substr(name_end + 1));
    Process process;
    fields >> process.letter;
    std::int64_t skipped = 0;  // the terminal's group may be -1
    for (int field = 4; field < 14; ++field) fields >> skipped;
    std::uint64_t user = 0;
    std::uint64_t system = 0;
    fields >> user >> system;
    process.cpu_ms = (user + system) * 1000U / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
    return process;
}

Traffic RankView::all_traffic() const noexcept {
    return std::accumulate(traffic.begin(), traffic.end(), Traffic{}, [](Traffic sum, const Traffic& one) {
        sum.sent_messages += one.sent_messages;
        sum.sent_bytes += one.sent_bytes;
        sum.received_messages += one.received_messages;
        sum.received_bytes += one.received_bytes;
        return sum;
    });
}

/// One page, mapped.
class JobPages::Mapped {
  public:
    /// Null: no page of this user and version.
    static std::unique_ptr<Mapped> open(const std::string& path, int rank) {
        const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
        if (fd < 0) return nullptr;
        struct stat status {};
        const bool ours = ::fstat(fd, &status) == 0 && status.st_uid == ::geteuid() &&
                          status.st_size >= static_cast<off_t>(Page::bytes(1));
        void* const data = ours ? ::mmap(nullptr, static_cast<std::size_t>(status.st_size),
                                         PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                                : MAP_FAILED;
        ::close(fd);
        if (data == MAP_FAILED) return nullptr;
        std::unique_ptr<Mapped> mapped(new Mapped(data, static_cast<std::size_t>(status.st_size)));
        return mapped->sound(rank) ? std::move(mapped) : nullptr;
    }
    Mapped(const Mapped&) = delete;
    Mapped& operator=(const Mapped&) = delete;
    ~Mapped() { ::munmap(data_, bytes_); }

    [[nodiscard]] Page& page() const noexcept { return *static_cast<Page*>(data_); }
    [[nodiscard]] const Traffic* traffic() const noexcept {
        return reinterpret_cast<const Traffic*>(static_cast<const std::byte*>(data_) + Page::kBytes);
    }
    /// An answer to what we asked last, or to what somebody asked later.
    [[nodiscard]] bool answers(std::uint32_t answer) const noexcept {
        return asked != 0 && answer - asked < (1U << 31);
    }
    std::uint32_t asked = 0;  ///< what we asked last; 0: nothing

  private:
    Mapped(void* data, std::size_t bytes) : data_(data), bytes_(bytes) {}
    [[nodiscard]] bool sound(int rank) const noexcept {
        if (page().magic != Page::kMagic) return false;
        std::atomic_thread_fence(std::memory_order_acquire);
        return page().version == Page::kVersion && page().rank == static_cast<std::uint32_t>(rank) &&
               page().size > page().rank && page().size <= kMostRanks && bytes_ >= Page::bytes(page().size);
    }

    void* data_;
    std::size_t bytes_;
};

JobPages::JobPages(std::string prefix) : prefix_(std::move(prefix)) {}
JobPages::JobPages(JobPages&&) noexcept = default;
JobPages& JobPages::operator=(JobPages&&) noexcept = default;
JobPages::~JobPages() = default;

void JobPages::find() {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(kPageDirectory, error)) {
        const int rank = rank_in(entry.path().filename().native(), prefix_);
        if (rank < 0 || rank >= static_cast<int>(kMostRanks)) continue;
        const auto index = static_cast<std::size_t>(rank);
        if (index < pages_.size() && pages_[index] != nullptr) continue;
        std::unique_ptr<Mapped> mapped = Mapped::open(entry.path().native(), rank);
        if (mapped == nullptr) continue;
        pages_.resize(std::max(pages_.size(), index + 1));
        pages_[index] = std::move(mapped);
    }
}

int JobPages::size() const noexcept {
    for (const auto& mapped : pages_)
        if (mapped != nullptr) return static_cast<int>(mapped->page().size);
    return 0;
}

void JobPages::ask() noexcept {
    for (const auto& mapped : pages_)
        if (mapped != nullptr)
            mapped->asked = mapped->page().asked.fetch_add(1, std::memory_order_relaxed) + 1;
}

void JobPages::remove() noexcept {
    for (std::size_t rank = 0; rank < pages_.size(); ++rank) {
        if (pages_[rank] == nullptr) continue;
        std::error_code error;
        std::filesystem::remove(kPageDirectory / std::filesystem::path(prefix_ + std::to_string(rank)),
                                error);
    }
}

bool JobPages::all_answered() const noexcept {
    return std::all_of(pages_.begin(), pages_.end(), [](const auto& mapped) {
        return mapped == nullptr || mapped->page().phase.load(std::memory_order_relaxed) == Phase::ended ||
               mapped->answers(mapped->page().standing.answer);
    });
}

std::vector<RankView> JobPages::view(int ranks) const {
    std::vector<RankView> views(static_cast<std::size_t>(ranks));
    for (std::size_t rank = 0; rank < views.size() && rank < pages_.size(); ++rank)
        if (pages_[rank] != nullptr) views[rank] = view_of(*pages_[rank]);
    return views;
}

RankView JobPages::view_of(const Mapped& mapped) const {
    const Page& page = mapped.page();
    RankView view;
    view.has_page = true;
    view.phase = page.phase.load(std::memory_order_relaxed);
    view.pid = page.pid;
    view.process = look_at_process(page.pid);
    view.taken_ns = now_ns();
    view.asleep = page.asleep.load(std::memory_order_relaxed) != 0;
    view.awake_ns = page.awake_ns.load(std::memory_order_relaxed);
    view.standing = read_standing(page);
    view.answered = mapped.answers(view.standing.answer);
    view.collectives = read_calls(page);
    view.traffic.assign(mapped.traffic(), mapped.traffic() + page.size);
    const auto* const fabrics = reinterpret_cast<const Fabric*>(mapped.traffic() + page.size);
    view.fabrics.assign(fabrics, fabrics + page.size);
    view.started_ns = page.started_ns;
    view.ended_ns = page.ended_ns.load(std::memory_order_relaxed);
    view.totals = page.totals;
    return view;
}

}  // namespace rb2::state

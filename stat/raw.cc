#include "stat/raw.hpp"

#include <chrono>
#include <thread>

#include "runtime/state/job_pages.hpp"
#include "runtime/state/names.hpp"
#include "runtime/state/report.hpp"
#include "runtime/state/view_text.hpp"

namespace rb2::jobstat {
namespace {

using Clock = std::chrono::steady_clock;

std::string lines(const std::vector<state::RankView>& views, state::Look look, std::uint64_t told_ns) {
    std::string text;
    for (std::size_t rank = 0; rank < views.size(); ++rank) {
        if (views[rank].has_page)
            text += state::to_line({look, static_cast<int>(rank), told_ns, views[rank]}) + '\n';
    }
    return text;
}

void wait_for_answers(const state::JobPages& pages) {
    std::this_thread::sleep_for(state::kBetweenLooks);
    const auto give_up_at = Clock::now() + state::kAnswerPatience;
    while (!pages.all_answered() && Clock::now() < give_up_at) std::this_thread::sleep_for(state::kAskAgain);
}

}  // namespace

std::string look_twice(const std::string& page_prefix) {
    state::JobPages pages(page_prefix);
    pages.find();
    state::Looks looks;
    for (auto* const look : {&looks.before, &looks.now}) {
        pages.ask();
        wait_for_answers(pages);
        *look = pages.view(pages.size());
    }
    const std::uint64_t told_ns = state::now_ns();
    return lines(looks.before, state::Look::before, told_ns) + lines(looks.now, state::Look::now, told_ns);
}

std::string last_look(const std::string& page_prefix) {
    state::JobPages pages(page_prefix);
    pages.find();
    pages.remove();
    return lines(pages.view(pages.size()), state::Look::now, state::now_ns());
}

}  // namespace rb2::jobstat

// The program the launcher tests start as ranks: it does the steps given as arguments, one after the other.
//   init | fence | finalize          PMIx calls; exit 90 when one fails
//   exchange:BYTES                   publishes that many bytes and reads those of all ranks
//   abort:CODE:TEXT                  PMIx_Abort
//   exit:CODE | raise:SIGNAL | pause | sleep:MS
//   print:TEXT                       a line on stdout, flushed
//   mute                             closes stdout and stderr, which children would hold open
//   flood:BYTES                      lines "RANK NUMBER", in all at least BYTES, flushed at the end
//   segment                          a file /dev/shm/rb2-<uid>-<nonce>-<rank> holding $RB2_TEST_MARK
//   child:MS | daemon:MS             a process of the rank's group, or of its own session, that sleeps
//   app                              prints PMIX_APPNUM and the sizes
// "R=STEP" is for rank R only, "!R=STEP" for all others. At the end: exit 0 without any clean-up.
#include <fcntl.h>
#include <pmix.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kPmixFailed = 90;
constexpr int kUnknownStep = 91;

pmix_proc_t self;

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

void require(pmix_status_t status, const char* what) {
    if (status != PMIX_SUCCESS) {
        std::cerr << what << ": " << PMIx_Error_string(status) << std::endl;
        std::_Exit(kPmixFailed);
    }
}

void fence() {
    pmix_proc_t all;
    PMIX_LOAD_PROCID(&all, self.nspace, PMIX_RANK_WILDCARD);
    bool collect = true;
    pmix_info_t info;
    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
    require(PMIx_Fence(&all, 1, &info, 1), "fence");
}

void exchange(const std::string& count) {
    std::vector<char> bytes(std::stoul(count), static_cast<char>('a' + self.rank % 26));
    pmix_value_t mine;
    PMIX_VALUE_CONSTRUCT(&mine);
    mine.type = PMIX_BYTE_OBJECT;
    mine.data.bo.bytes = bytes.data();
    mine.data.bo.size = bytes.size();
    require(PMIx_Put(PMIX_GLOBAL, "test.bytes", &mine), "put");
    require(PMIx_Commit(), "commit");
    fence();
    for (int rank = 0; rank < std::stoi(variable("RB2_WORLD_SIZE")); ++rank) {
        pmix_proc_t who;
        PMIX_LOAD_PROCID(&who, self.nspace, static_cast<pmix_rank_t>(rank));
        pmix_value_t* value = nullptr;
        require(PMIx_Get(&who, "test.bytes", nullptr, 0, &value), "get");
        const std::string got(value->data.bo.bytes, value->data.bo.size);
        if (got != std::string(bytes.size(), static_cast<char>('a' + rank % 26)))
            require(PMIX_ERROR, "contents of what was published");
        PMIX_VALUE_RELEASE(value);
    }
}

void sleep_ms(const std::string& text) {
    std::this_thread::sleep_for(std::chrono::milliseconds(std::stoi(text)));
}

void abort_job(const std::string& arguments) {
    const std::size_t colon = arguments.find(':');
    std::cout << std::flush;
    PMIx_Abort(std::stoi(arguments), arguments.substr(colon + 1).c_str(), nullptr, 0);
}

void flood(const std::string& bytes) {
    const std::string rank = variable("PMIX_RANK");
    std::size_t written = 0;
    for (int line = 0; written < std::stoul(bytes); ++line) {
        const std::string text = rank + " " + std::to_string(line) + "\n";
        std::cout << text;
        written += text.size();
    }
    std::cout << std::flush;
}

void make_segment() {
    const std::string path = "/dev/shm/rb2-" + std::to_string(::getuid()) + "-" + variable("RB2_JOB_NONCE") +
                             "-" + variable("PMIX_RANK");
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
    const std::string mark = variable("RB2_TEST_MARK");
    if (file < 0 || ::write(file, mark.data(), mark.size()) < 0) {
        std::perror(path.c_str());
        std::_Exit(kUnknownStep);
    }
    ::close(file);
}

void start_sleeper(const std::string& ms, bool own_session) {
    if (::fork() != 0) {
        return;
    }
    if (own_session) {
        ::setsid();
    }
    ::signal(SIGTERM, SIG_IGN);
    sleep_ms(ms);
    std::_Exit(0);
}

std::uint64_t job_value(const char* key, pmix_rank_t rank) {
    pmix_proc_t who;
    PMIX_LOAD_PROCID(&who, self.nspace, rank);
    pmix_value_t* value = nullptr;
    require(PMIx_Get(&who, key, nullptr, 0, &value), key);
    pmix_status_t status = PMIX_SUCCESS;
    std::uint64_t number = 0;
    PMIX_VALUE_GET_NUMBER(status, value, number, std::uint64_t);
    require(status, key);
    return number;
}

void print_app() {
    std::cout << "rank " << self.rank << " app " << job_value(PMIX_APPNUM, self.rank) << " of "
              << job_value(PMIX_JOB_NUM_APPS, PMIX_RANK_WILDCARD) << " size "
              << job_value(PMIX_JOB_SIZE, PMIX_RANK_WILDCARD) << std::endl;
}

using Step = std::function<void(const std::string& argument)>;

const std::map<std::string, Step>& steps() {
    static const std::map<std::string, Step> table = {
        {"init", [](const std::string&) { require(PMIx_Init(&self, nullptr, 0), "init"); }},
        {"fence", [](const std::string&) { fence(); }},
        {"finalize", [](const std::string&) { require(PMIx_Finalize(nullptr, 0), "finalize"); }},
        {"exchange", exchange},
        {"abort", abort_job},
        {"exit", [](const std::string& code) { std::_Exit(std::stoi(code)); }},
        {"raise", [](const std::string& signal) { ::kill(::getpid(), std::stoi(signal)); }},
        {"pause",
         [](const std::string&) {
             for (;;) ::pause();
         }},
        {"sleep", sleep_ms},
        {"print", [](const std::string& text) { std::cout << text << std::endl; }},
        {"mute",
         [](const std::string&) {
             ::close(STDOUT_FILENO);
             ::close(STDERR_FILENO);
         }},
        {"flood", flood},
        {"segment", [](const std::string&) { make_segment(); }},
        {"child", [](const std::string& ms) { start_sleeper(ms, false); }},
        {"daemon", [](const std::string& ms) { start_sleeper(ms, true); }},
        {"app", [](const std::string&) { print_app(); }},
    };
    return table;
}

/// "1=exit:3" for rank 1 is "exit:3", for others "".
std::string for_this_rank(const std::string& step) {
    const std::size_t equals = step.find('=');
    if (equals == std::string::npos || equals > step.find(':')) {
        return step;
    }
    const bool others = step.front() == '!';
    const bool named = step.substr(others ? 1 : 0, equals - (others ? 1 : 0)) == variable("PMIX_RANK");
    return named != others ? step.substr(equals + 1) : "";
}

void do_step(const std::string& step) {
    const std::size_t colon = step.find(':');
    const auto found = steps().find(step.substr(0, colon));
    if (found == steps().end()) {
        std::cerr << "no such step: " << step << std::endl;
        std::_Exit(kUnknownStep);
    }
    found->second(colon == std::string::npos ? "" : step.substr(colon + 1));
}

}  // namespace

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        const std::string step = for_this_rank(argv[i]);
        if (!step.empty()) {
            do_step(step);
        }
    }
    std::cout << std::flush;
    std::_Exit(0);
}

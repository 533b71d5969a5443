// Info objects: keys and values that users hand to the library (MPI 5.0, chapter 10), and MPI_INFO_ENV.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mpi/define.hpp"
#include "mpi/errors.hpp"
#include "mpi/info.hpp"
#include "mpi/library.hpp"
#include "mpi/text.hpp"

namespace rb2::mpi {
namespace {

using Entries = InfoEntries;

struct InfoObject {
    Magic magic = Magic::info;
    Entries entries;
    ~InfoObject() { magic = Magic::gone; }
};

/// What MPI_INFO_ENV holds; filled by remember_start().
Entries environment;

/// MPI_INFO_ENV can be read at any time; objects have been made while the library ran or before.
int fail_info(const char* function, MPI_Info handle) {
    return fail(MPI_ERR_INFO, function,
                handle == MPI_INFO_NULL  ? std::string("the info is MPI_INFO_NULL")
                : handle == MPI_INFO_ENV ? std::string("MPI_INFO_ENV cannot be changed")
                                         : fmt::format("{} is no info", show_handle(handle)));
}

/// Not empty, and short enough with its final zero.
int check_text(const char* function, const char* text, std::size_t limit, int error_class, const char* what) {
    if (text == nullptr) return fail(error_class, function, fmt::format("the {} is a null pointer", what));
    const std::size_t length = strnlen(text, limit);
    if (length == limit)
        return fail(error_class, function,
                    fmt::format("the {} is longer than {} characters", what, limit - 1));
    if (length == 0 && error_class == MPI_ERR_INFO_KEY)
        return fail(error_class, function, fmt::format("the {} is empty", what));
    return MPI_SUCCESS;
}
int check_key(const char* function, const char* key) {
    return check_text(function, key, MPI_MAX_INFO_KEY, MPI_ERR_INFO_KEY, "key");
}

auto find(const Entries& entries, const char* key) {
    return std::ranges::find(entries, key, &Entries::value_type::first);
}

/// Calls `then(value)` with the value of a key, or with null when it is not there.
template <class Then>
int look_up(const char* function, MPI_Info handle, const char* key, Then then) {
    const Entries* const entries = entries_of(handle);
    if (entries == nullptr) return fail_info(function, handle);
    if (const int error = check_key(function, key); error != MPI_SUCCESS) return error;
    const auto at = find(*entries, key);
    then(at == entries->end() ? nullptr : &at->second);
    return MPI_SUCCESS;
}

int set(const char* function, MPI_Info handle, const char* key, const char* value) {
    InfoObject* const info = object_behind<InfoObject>(handle, Magic::info);
    if (info == nullptr) return fail_info(function, handle);
    if (const int error = check_key(function, key); error != MPI_SUCCESS) return error;
    const int error = check_text(function, value, MPI_MAX_INFO_VAL, MPI_ERR_INFO_VALUE, "value");
    if (error != MPI_SUCCESS) return error;
    const auto at = std::ranges::find(info->entries, key, &Entries::value_type::first);
    if (at == info->entries.end())
        info->entries.emplace_back(key, value);
    else
        at->second = value;
    return MPI_SUCCESS;
}

int remove(const char* function, MPI_Info handle, const char* key) {
    InfoObject* const info = object_behind<InfoObject>(handle, Magic::info);
    if (info == nullptr) return fail_info(function, handle);
    if (const int error = check_key(function, key); error != MPI_SUCCESS) return error;
    if (std::erase_if(info->entries, [&](const auto& entry) { return entry.first == key; }) == 0)
        return fail(MPI_ERR_INFO_NOKEY, function, fmt::format("there is no key \"{}\"", key));
    return MPI_SUCCESS;
}

std::vector<std::string> own_command_line() {
    std::vector<std::string> words;
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
    return words;
}

/// The keys that the standard reserves for what a program was started with, as far as they are known.
Entries describe_start(const std::vector<std::string>& words) {
    Entries entries;
    if (!words.empty()) entries.emplace_back("command", words.front());
    std::string arguments;
    for (std::size_t i = 1; i < words.size(); ++i) arguments += (i > 1 ? " " : "") + words[i];
    if (!arguments.empty()) entries.emplace_back("argv", arguments);
    std::error_code ignored;
    if (const auto directory = std::filesystem::current_path(ignored); !directory.empty())
        entries.emplace_back("wdir", directory.string());
    for (auto& [key, value] : entries)
        value.resize(std::min<std::size_t>(value.size(), MPI_MAX_INFO_VAL - 1));
    return entries;
}

}  // namespace

MPI_Info new_info(InfoEntries entries) {
    auto info = std::make_unique<InfoObject>();
    info->entries = std::move(entries);
    return reinterpret_cast<MPI_Info>(info.release());
}

const InfoEntries* entries_of(MPI_Info handle) noexcept {
    if (handle == MPI_INFO_ENV) return &environment;
    const InfoObject* const info = object_behind<InfoObject>(handle, Magic::info);
    return info != nullptr ? &info->entries : nullptr;
}

int check_info(const char* function, MPI_Info handle, const Comm* comm) {
    if (handle == MPI_INFO_NULL || entries_of(handle) != nullptr) [[likely]]
        return MPI_SUCCESS;
    return fail(MPI_ERR_INFO, function, fmt::format("{} is no info", show_handle(handle)), comm);
}

const char* thread_level_name(int level) noexcept {
    switch (level) {
        case MPI_THREAD_FUNNELED:
            return "MPI_THREAD_FUNNELED";
        case MPI_THREAD_SERIALIZED:
            return "MPI_THREAD_SERIALIZED";
        case MPI_THREAD_MULTIPLE:
            return "MPI_THREAD_MULTIPLE";
        default:
            return "MPI_THREAD_SINGLE";
    }
}

void remember_start(int ranks, std::string_view host, int thread_level) {
    environment = describe_start(own_command_line());
    environment.emplace_back("maxprocs", fmt::format("{}", ranks));
    environment.emplace_back("soft", fmt::format("{}", ranks));
    environment.emplace_back("host", host);
    environment.emplace_back("thread_level", thread_level_name(thread_level));
}

}  // namespace rb2::mpi

using namespace rb2::mpi;

RB2_MPI_DEFINE(int, Info_create, MPI_Info* info) {
    *info = new_info({});
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Info_create_env, int argc, char* argv[], MPI_Info* info) {
    std::vector<std::string> words;
    for (int i = 0; argv != nullptr && i < argc; ++i) words.emplace_back(argv[i]);
    *info = new_info(describe_start(words.empty() ? own_command_line() : words));
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Info_dup, MPI_Info info, MPI_Info* newinfo) {
    const Entries* const entries = entries_of(info);
    if (entries == nullptr) return fail_info("MPI_Info_dup", info);
    *newinfo = new_info(*entries);
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Info_free, MPI_Info* info) {
    const std::unique_ptr<InfoObject> object(object_behind<InfoObject>(*info, Magic::info));
    if (object == nullptr) return fail_info("MPI_Info_free", *info);
    *info = MPI_INFO_NULL;
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Info_set, MPI_Info info, const char* key, const char* value) {
    return set("MPI_Info_set", info, key, value);
}
RB2_MPI_DEFINE(int, Info_delete, MPI_Info info, const char* key) {
    return remove("MPI_Info_delete", info, key);
}

RB2_MPI_DEFINE(int, Info_get_nkeys, MPI_Info info, int* nkeys) {
    const Entries* const entries = entries_of(info);
    if (entries == nullptr) return fail_info("MPI_Info_get_nkeys", info);
    *nkeys = static_cast<int>(entries->size());
    return MPI_SUCCESS;
}

RB2_MPI_DEFINE(int, Info_get_nthkey, MPI_Info info, int n, char* key) {
    const Entries* const entries = entries_of(info);
    if (entries == nullptr) return fail_info("MPI_Info_get_nthkey", info);
    if (n < 0 || static_cast<std::size_t>(n) >= entries->size())
        return fail(
            MPI_ERR_ARG, "MPI_Info_get_nthkey",
            fmt::format("there is no key number {}: the info has {}, counted from 0", n, entries->size()));
    copy_cut((*entries)[static_cast<std::size_t>(n)].first, key, MPI_MAX_INFO_KEY);
    return MPI_SUCCESS;
}

/// `buflen` becomes what the whole value needs, with its final zero.
RB2_MPI_DEFINE(int, Info_get_string, MPI_Info info, const char* key, int* buflen, char* value, int* flag) {
    return look_up("MPI_Info_get_string", info, key, [&](const std::string* found) {
        *flag = found != nullptr ? 1 : 0;
        if (found == nullptr) return;
        copy_cut(*found, value, static_cast<std::size_t>(std::max(*buflen, 0)));
        *buflen = static_cast<int>(found->size()) + 1;
    });
}

// Deprecated forms of the same: lengths without the final zero.
RB2_MPI_DEFINE(int, Info_get, MPI_Info info, const char* key, int valuelen, char* value, int* flag) {
    return look_up("MPI_Info_get", info, key, [&](const std::string* found) {
        *flag = found != nullptr ? 1 : 0;
        if (found != nullptr) copy_cut(*found, value, static_cast<std::size_t>(std::max(valuelen, 0)) + 1);
    });
}
RB2_MPI_DEFINE(int, Info_get_valuelen, MPI_Info info, const char* key, int* valuelen, int* flag) {
    return look_up("MPI_Info_get_valuelen", info, key, [&](const std::string* found) {
        *flag = found != nullptr ? 1 : 0;
        if (found != nullptr) *valuelen = static_cast<int>(found->size());
    });
}

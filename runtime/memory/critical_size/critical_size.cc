#include "runtime/memory/critical_size/critical_size.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <chrono>
#include <thread>

#include "runtime/memory/descriptor.hpp"

namespace rb2::memory::critical_size {
namespace {

/// Held while measuring, so that the ranks of a host do not disturb each other's figures. Without a directory
/// to write to nobody can be asked to wait.
class Turn {
  public:
    Turn(const std::filesystem::path& directory, const Subject& subject, double patience_s) {
        if (directory.empty()) return;
        std::error_code error;
        std::filesystem::create_directories(directory, error);
        file_ = Descriptor(::open((file_of(directory, subject).string() + ".lock").c_str(),
                                  O_CREAT | O_RDWR | O_CLOEXEC, 0644));
        const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(patience_s);
        while (file_.get() >= 0 && ::flock(file_.get(), LOCK_EX | LOCK_NB) != 0 &&
               std::chrono::steady_clock::now() < end)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }

  private:
    Descriptor file_;  ///< closing it gives the turn to the next
};

bool measured(const Curves& curves) noexcept {
    for (const Buffer buffer : kBuffers)
        if (!curves.of(Work::copy, buffer).empty() && !curves.of(Work::add, buffer).empty()) return true;
    return false;
}

std::optional<Result> kept_in(const std::filesystem::path& directory, const Subject& subject) {
    auto curves = load(directory, subject);
    if (!curves) return std::nullopt;
    const Crossings crossings = find_crossings(*curves);
    return Result{std::move(*curves), crossings, file_of(directory, subject).string()};
}

/// Whether registering failed at some size that could be copied.
bool cut_short(const Curves& curves) noexcept {
    constexpr Buffer usual{.resident = true, .huge = false};
    return curves.of(Work::add, usual).size() < curves.of(Work::copy, usual).size();
}

Result measure_now(registration::Registrar& registrar, const Subject& subject,
                   const std::filesystem::path& directory, const Plan& plan) {
    Result result;
    result.curves = measure(registrar, plan);
    if (!measured(result.curves)) {
        result.crossings = usual_crossings();
        result.source = "not measured: the device registers nothing; usual values";
        return result;
    }
    result.crossings = find_crossings(result.curves);
    if (cut_short(result.curves)) {
        result.source = "measured now, not kept: the limit on locked memory cut it short";
        return result;
    }
    result.source = save(directory, subject, result.curves)
                        ? fmt::format("measured now, kept in {}", file_of(directory, subject).string())
                        : std::string("measured now, not kept: no writable cache directory");
    return result;
}

}  // namespace

Result critical_size(registration::Registrar& registrar, const std::string& device, bool again,
                     double patience_s, const Plan& plan) {
    const Subject subject = this_host(device);
    const std::filesystem::path directory = cache_directory();
    if (!again)
        if (auto found = kept_in(directory, subject)) return std::move(*found);
    const Turn turn(directory, subject, patience_s);
    if (!again)  // another rank may have measured while this one waited
        if (auto found = kept_in(directory, subject)) return std::move(*found);
    return measure_now(registrar, subject, directory, plan);
}

std::optional<Result> kept_critical_size(const std::string& device) {
    return kept_in(cache_directory(), this_host(device));
}

}  // namespace rb2::memory::critical_size

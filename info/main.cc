// rb2info: what rb2 finds on this machine and what it would do (rb2info(1)).

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "command/checks.hpp"
#include "command/program.hpp"
#include "info/registrars.hpp"
#include "info/report.hpp"
#include "runtime/memory/registration/cache.hpp"
#include "runtime/status.hpp"

namespace {

using namespace rb2::info;

struct Request {
    bool critical_size = false;
    bool again = false;
    bool json = false;
    bool job = false;
    std::string device;
    std::string plot;
};

void add_options(CLI::App& app, Request& request) {
    app.set_version_flag("-V,--version", "rb2info (rb2) " RB2_VERSION);
    auto* size = app.add_flag("-c,--critical-size", request.critical_size,
                              "where registering memory becomes cheaper than copying, with the curves");
    app.add_option(
           "-d,--device", request.device,
           "RDMA device to register with, or mlock: no device (default: the first device, else mlock)")
        ->needs(size)
        ->option_text("NAME");
    app.add_flag("--measure", request.again, "measure also when there is a kept result")->needs(size);
    app.add_option("--plot", request.plot, "draw the curves into this PNG (needs gnuplot)")
        ->needs(size)
        ->check(rb2::command::writable_file())
        ->option_text("FILE.png");
    auto* json = app.add_flag("-j,--json", request.json, "print JSON");
    app.add_flag(
           "--job", request.job,
           "started as a job's ranks: which fabric serves which of them, and why (rb2run ... rb2info --job)")
        ->excludes(json)
        ->excludes(size);
}

/// How a cache made here and now would notice changes.
std::string registration_cache() {
    const NamedRegistrar none = open_registrar(kNoDevice);
    return rb2::memory::registration::Cache(*none.registrar).how();
}

CriticalSizes critical_sizes(const Request& request) {
    const auto devices = device_names();
    const std::string first = devices.empty() ? kNoDevice : devices.front();
    const NamedRegistrar device = open_registrar(request.device.empty() ? first : request.device);
    constexpr double patience_s = 120;
    return {device.name, rb2::memory::critical_size::critical_size(*device.registrar, device.identity,
                                                                   request.again, patience_s)};
}

int run(const Request& request) {
    if (request.job) {
        rb2::command::print(job_fabrics());
        return EXIT_SUCCESS;
    }
    Report report{this_machine(), fabrics(), registration_cache(), settings_now(), {}, {}};
    if (request.critical_size) report.critical_sizes.push_back(critical_sizes(request));
    report.direct_writes = direct_writes();  // behind a measurement, which may change it
    if (!request.plot.empty()) draw(report.critical_sizes.front(), request.plot);
    rb2::command::print(request.json ? as_json(report) : as_text(report));
    for (const SettingNow& setting : report.settings)
        if (!setting.error.empty()) return EXIT_FAILURE;
    return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Says what rb2 finds on this machine.", "rb2info");
    Request request;
    add_options(app, request);
    return rb2::command::run(app, argc, argv, [&] { return run(request); });
}

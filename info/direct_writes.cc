#include "info/registrars.hpp"
#include "info/report.hpp"
#include "pt2pt/settings.hpp"
#include "runtime/memory/registration/cache.hpp"
#include "runtime/network/direct_choice.hpp"
#include "runtime/status.hpp"

namespace rb2::info {
namespace {

namespace size = memory::critical_size;

network::Choices choices() {
    try {
        return pt2pt::Settings::from_environment().networks;
    } catch (const StartupError&) {  // settings_now() says so
        return {};
    }
}

DirectWrites of_device(const std::string& name, const network::Choices& choices) {
    DirectWrites writes{"verbs on " + name, 0, {}};
    try {
        const NamedRegistrar device = open_registrar(name);
        const auto kept = size::kept_critical_size(device.identity);
        if (!kept && choices.direct_bytes == 0) {
            writes.why = "not measured yet: the first job does, or rb2info --critical-size";
            return writes;
        }
        const bool keeps = memory::registration::Cache(*device.registrar, choices.registration).keeps();
        auto choice = network::choose_direct(choices.direct_bytes, keeps, kept.value_or(size::Result{}));
        writes.from_bytes = choice.from;
        writes.why = std::move(choice.why);
    } catch (const StartupError& error) {
        writes.why = error.what();
    }
    return writes;
}

}  // namespace

std::vector<DirectWrites> direct_writes() {
    const network::Choices wanted = choices();
    std::vector<DirectWrites> all;
    for (const std::string& name : device_names()) all.push_back(of_device(name, wanted));
    auto tcp = network::choose_direct_of_tcp(wanted.direct_bytes);
    all.push_back({"tcp", tcp.from, std::move(tcp.why)});
    return all;
}

}  // namespace rb2::info

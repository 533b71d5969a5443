#include "launcher/engine/local_names.hpp"

#include <ifaddrs.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

namespace rb2::launcher {
namespace {

/// "10.0.0.1"; empty for what is no IP address.
std::string as_text(const sockaddr* address) {
    if (address == nullptr || (address->sa_family != AF_INET && address->sa_family != AF_INET6)) {
        return "";
    }
    std::array<char, NI_MAXHOST> text{};
    const socklen_t size = address->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    const int error = ::getnameinfo(address, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
    return error == 0 ? text.data() : "";
}

void add_own_addresses(std::vector<std::string>& names) {
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0) {
        return;
    }
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, &::freeifaddrs);
    for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
        std::string text = as_text(entry->ifa_addr);
        if (!text.empty()) {
            names.push_back(std::move(text));
        }
    }
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// 127.0.1.1 is what some systems call themselves, and no interface lists it.
bool is_own_address(const std::string& address, const std::vector<std::string>& names) {
    return address.starts_with("127.") || contains(names, address);
}

bool stands_for_us(const std::string& host, const std::vector<std::string>& names) {
    addrinfo* list = nullptr;
    if (::getaddrinfo(host.c_str(), nullptr, nullptr, &list) != 0) {
        return false;
    }
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, &::freeaddrinfo);
    const addrinfo* entry = list;
    while (entry != nullptr && is_own_address(as_text(entry->ai_addr), names)) {
        entry = entry->ai_next;
    }
    return entry == nullptr;
}

}  // namespace

std::vector<std::string> local_names(const std::vector<HostSpec>& hosts) {
    std::array<char, 256> name{};
    std::vector<std::string> names = {"localhost"};
    if (::gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0') {
        const std::string own = name.data();
        names = {own, own.substr(0, own.find('.')), "localhost"};
    }
    if (hosts.empty()) {
        return names;
    }
    add_own_addresses(names);
    for (const HostSpec& host : hosts) {
        if (!contains(names, host.name) && stands_for_us(host.name, names)) {
            names.push_back(host.name);
        }
    }
    return names;
}

}  // namespace rb2::launcher

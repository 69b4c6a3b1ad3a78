#include "Options.hh"

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace FabricSim {

Options::Options(int argc, char **argv, const std::string &help) : help_(help)
{
    for (int i = 1; i < argc; i++) {
        const std::string text = argv[i];
        const auto equals = text.find('=');
        if (text.rfind("--", 0) != 0 || equals == std::string::npos) {
            throw std::invalid_argument("cannot read `" + text + "`\n\n" + help_);
        }
        values_.emplace(text.substr(2, equals - 2), text.substr(equals + 1));
    }
}

std::string Options::get(const std::string &name, const char *otherwise)
{
    known_[name] = true;
    const auto found = values_.find(name);
    if (found != values_.end()) {
        return found->second;
    }
    if (otherwise == nullptr) {
        throw std::invalid_argument("--" + name + " is missing\n\n" + help_);
    }
    return otherwise;
}

std::vector<std::string> Options::all(const std::string &name)
{
    known_[name] = true;
    std::vector<std::string> found;
    const auto range = values_.equal_range(name);
    for (auto it = range.first; it != range.second; ++it) {
        found.push_back(it->second);
    }
    return found;
}

int Options::whole(const std::string &name, const char *otherwise, const std::string &things)
{
    const auto text = get(name, otherwise);
    const auto number = FabricSim::whole(text);
    if (number < 0) {
        throw std::invalid_argument("--" + name + " is a whole number of " + things + ", and not `" + text + "`");
    }
    return number;
}

double Options::number(const std::string &name, const char *otherwise)
{
    const auto text = get(name, otherwise);
    std::size_t read = 0;
    double number = -1;
    try {
        number = std::stod(text, &read);
    } catch (const std::logic_error &) {
    }
    if (read != text.size() || !std::isfinite(number) || number < 0) {
        throw std::invalid_argument("--" + name + " is a number from 0 on, and not `" + text + "`");
    }
    return number;
}

std::string Options::either(const std::string &name, const char *otherwise, const std::string &first,
                            const std::string &second)
{
    auto value = get(name, otherwise);
    if (value != first && value != second) {
        throw std::invalid_argument("--" + name + " is " + first + " or " + second + ", and not `" + value + "`");
    }
    return value;
}

MessageEnd Options::message_end(const std::string &name, const char *otherwise)
{
    const auto value = either(name, otherwise, "delivered", "acknowledged");
    return value == "delivered" ? MessageEnd::Delivered : MessageEnd::Acknowledged;
}

Scenario Options::scenario()
{
    Scenario scenario;
    scenario.path = get("fabric");
    scenario.settings = all("set");
    scenario.threads = static_cast<std::uint32_t>(whole("threads", "1", "threads"));
    scenario.keep_flows = !get("flows", "").empty();
    return scenario;
}

std::vector<std::string> Options::rank_hosts()
{
    std::vector<std::string> hosts;
    const auto path = get("rank-hosts", "");
    if (path.empty()) {
        return hosts;
    }
    std::ifstream file(path);
    if (!file) {
        throw std::runtime_error("cannot read " + path);
    }
    for (std::string line; std::getline(file, line);) {
        hosts.push_back(line);
    }
    return hosts;
}

void Options::refuse_unknown() const
{
    for (const auto &value : values_) {
        if (known_.count(value.first) == 0) {
            throw std::invalid_argument("there is no option --" + value.first + "\n\n" + help_);
        }
    }
}

int whole(const std::string &text)
{
    std::size_t read = 0;
    int number = -1;
    try {
        number = std::stoi(text, &read);
    } catch (const std::logic_error &) {
    }
    return read == text.size() && number >= 0 ? number : -1;
}

std::string microseconds(std::uint64_t picoseconds)
{
    char text[64];
    std::snprintf(text, sizeof text, "%.3f us", static_cast<double>(picoseconds) / 1e6);
    return text;
}

void report(const std::string &result, const Fabric &fabric, double seconds)
{
    const auto statistics = fabric.statistics();
    std::printf("%s; %" PRIu64 " messages, %" PRIu64 " packet-hops, %" PRIu64 " drops, %.2f s\n", result.c_str(),
                fabric.messages(), statistics.packet_hops, statistics.drops, seconds);
}

int command(int argc, char **argv, const char *help, void (*run)(Options &options))
{
    try {
        Options options(argc, argv, help);
        run(options);
        return 0;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}

} // namespace FabricSim

// The command line of the front ends.
#ifndef FABRICSIM_COMMON_OPTIONS_HH
#define FABRICSIM_COMMON_OPTIONS_HH

#include "Fabric.hh"

#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace FabricSim {

// The options of the command line, in the form "--name=value". Errors end with the text `help`.
class Options {
public:
    Options(int argc, char **argv, const std::string &help) : help_(help)
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

    std::string get(const std::string &name, const char *otherwise = nullptr)
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

    std::vector<std::string> all(const std::string &name)
    {
        known_[name] = true;
        std::vector<std::string> found;
        const auto range = values_.equal_range(name);
        for (auto it = range.first; it != range.second; ++it) {
            found.push_back(it->second);
        }
        return found;
    }

    // Returns the scenario of --fabric, --set, --threads and --flows.
    Scenario scenario()
    {
        Scenario scenario;
        scenario.path = get("fabric");
        scenario.settings = all("set");
        scenario.threads = static_cast<std::uint32_t>(std::stoul(get("threads", "1")));
        scenario.keep_flows = !get("flows", "").empty();
        return scenario;
    }

    void refuse_unknown() const
    {
        for (const auto &value : values_) {
            if (known_.count(value.first) == 0) {
                throw std::invalid_argument("there is no option --" + value.first + "\n\n" + help_);
            }
        }
    }

private:
    std::string help_;
    std::multimap<std::string, std::string> values_;
    std::map<std::string, bool> known_;
};

// Returns the lines of the file at `path`; none if the path is empty.
inline std::vector<std::string> lines(const std::string &path)
{
    std::vector<std::string> found;
    if (path.empty()) {
        return found;
    }
    std::ifstream file(path);
    if (!file) {
        throw std::runtime_error("cannot read " + path);
    }
    for (std::string line; std::getline(file, line);) {
        found.push_back(line);
    }
    return found;
}

} // namespace FabricSim

#endif

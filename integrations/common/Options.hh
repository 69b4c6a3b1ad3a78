// The command line of the front ends.
#ifndef FABRICSIM_COMMON_OPTIONS_HH
#define FABRICSIM_COMMON_OPTIONS_HH

#include "Fabric.hh"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace FabricSim {

// The options of the command line, in the form "--name=value". Errors end with the text `help`.
class Options {
public:
    Options(int argc, char **argv, const std::string &help);

    // Returns the value of an option, which is required if there is no value `otherwise`.
    std::string get(const std::string &name, const char *otherwise = nullptr);

    // Returns the values of an option that may be repeated.
    std::vector<std::string> all(const std::string &name);

    // Returns a value that is a whole number of `things`, from 0 to 2^31 - 1.
    int whole(const std::string &name, const char *otherwise, const std::string &things);

    // Returns a value that is a number from 0 on, and finite.
    double number(const std::string &name, const char *otherwise);

    // Returns a value that is one of two names.
    std::string either(const std::string &name, const char *otherwise, const std::string &first,
                       const std::string &second);

    // Returns the event at which messages end, of the option `name`.
    MessageEnd message_end(const std::string &name, const char *otherwise);

    // Returns the scenario of --fabric, --set, --threads and --flows.
    Scenario scenario();

    // Returns the lines of the file --rank-hosts: the name of the host of each rank. None without the option.
    std::vector<std::string> rank_hosts();

    void refuse_unknown() const;

private:
    std::string help_;
    std::multimap<std::string, std::string> values_;
    std::map<std::string, bool> known_;
};

// Returns the whole number in `text`, or -1 if there is another text or the number exceeds 2^31 - 1.
int whole(const std::string &text);

// Returns a time in microseconds, rounded to the nanosecond, with its unit.
std::string microseconds(std::uint64_t picoseconds);

// Prints `result`, the counters of the network and the seconds of wall time of a run, in one line.
void report(const std::string &result, const Fabric &fabric, double seconds);

// The main function of a front end. Calls `run` with the options. Errors are printed to stderr, and make
// the exit code 1.
int command(int argc, char **argv, const char *help, void (*run)(Options &options));

} // namespace FabricSim

#endif

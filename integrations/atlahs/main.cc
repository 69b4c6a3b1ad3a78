// The command that runs ATLAHS' schedules on fabricsim.
#include "FabricApi.hh"
#include "Options.hh"

#include <lgs/Parser.hpp>
#include <logsim-interface.h>

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace {

const char *const HELP =
    "atlahs_fabric --goal=FILE.bin --fabric=SCENARIO.toml\n"
    "\n"
    "  --goal=FILE                 a binary schedule, which ATLAHS' txt2bin makes of GOAL\n"
    "  --fabric=FILE               the scenario of the network\n"
    "  --set=cc.kind=hpcc          a change to the scenario; may be repeated\n"
    "  --overhead=0                nanoseconds of the processor for each message (o of LogGOPS)\n"
    "  --message-end=delivered     when a message has ended, at both ends: delivered, or acknowledged\n"
    "  --rank-hosts=FILE           the host of each rank, one a line (default: rank i is host i). With n NICs,\n"
    "                              NIC j of rank i is host n*i + j\n"
    "  --threads=1                 threads for switches; results do not depend on it\n"
    "  --flows=FILE                writes all messages with their completion times, as fct.csv\n";

// Returns the number of messages of a schedule that cross the network.
std::uint64_t messages(const std::string &goal)
{
    std::uint64_t sends = 0;
    Parser parser(goal, false);
    std::uint32_t rank = 0;
    for (auto &schedule : parser.schedules) {
        SerializedGraph::nodelist_t operations;
        do {
            operations.clear();
            schedule.GetExecutableNodes(&operations);
            for (const auto &operation : operations) {
                sends += operation.type == OP_SEND && operation.target != rank ? 1 : 0;
                schedule.MarkNodeAsStarted(operation.offset);
                schedule.MarkNodeAsDone(operation.offset);
            }
        } while (!operations.empty());
        rank++;
    }
    return sends;
}

void run(FabricSim::Options &options)
{
    const auto goal = options.get("goal");
    const auto scenario = options.scenario();
    const auto nanoseconds = options.whole("overhead", "0", "nanoseconds");
    const auto end = options.message_end("message-end", "delivered");
    const auto rank_hosts = options.rank_hosts();
    const auto flows = options.get("flows", "");
    options.refuse_unknown();
    // The scheduler would end the process without a word about the reason.
    if (!std::ifstream(goal)) {
        throw std::runtime_error("cannot read " + goal);
    }
    const auto expected = messages(goal);

    FabricSim::Fabric fabric(scenario, rank_hosts.empty() ? FabricSim::ALL_HOSTS : rank_hosts.size(), rank_hosts,
                             end);
    FabricSim::connect(fabric);
    AtlahsHtsimApi api;
    // Static, because its constructor reads members that it expects to be zero.
    static LogSimInterface scheduler(nullptr, static_cast<TrafficLoggerSimple *>(nullptr), EventList::getTheEventList(),
                                     nullptr, nullptr);
    api.setEventList(&EventList::getTheEventList());
    api.setLogSimInterface(&scheduler);
    scheduler.htsim_api = &api;
    // It serves computations of the protocols that it knows.
    scheduler.set_protocol(SENDER_PROTOCOL);
    scheduler.lgs_o = nanoseconds;
    scheduler.percentage_lgs = 0;
    api.Setup();
    const auto begun = std::chrono::steady_clock::now();
    start_lgs(goal, scheduler);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begun;
    const auto last = EventList::now();
    char finished[64];
    std::snprintf(finished, sizeof finished, "finished after %" PRIu64 ".%06" PRIu64 " us", last / 1'000'000,
                  last % 1'000'000);
    FabricSim::report(finished, fabric, wall.count());
    if (!flows.empty()) {
        fabric.write_flows(flows);
    }
    if (fabric.messages() != expected) {
        throw std::runtime_error("the schedule has not ended: " + std::to_string(fabric.messages()) + " of " +
                                 std::to_string(expected) + " messages have been sent. If receives of one rank have " +
                                 "the same source and tag, the scheduler matches them in any order");
    }
}

} // namespace

int main(int argc, char **argv)
{
    return FabricSim::command(argc, argv, HELP, run);
}

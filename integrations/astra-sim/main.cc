// The command that runs ASTRA-sim on fabricsim.
#include "FabricNetwork.hh"
#include "Options.hh"

#include <astra-sim/common/Logging.hh>
#include <astra-sim/system/Sys.hh>
#include <astra-sim/workload/Statistics.hh>
#include <astra-sim/workload/Workload.hh>
#include <remote_memory_backend/analytical/AnalyticalRemoteMemory.hh>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace {

const char *const HELP =
    "AstraSim_Fabric --workload-configuration=PREFIX --system-configuration=FILE\n"
    "                --remote-memory-configuration=FILE --fabric=SCENARIO.toml\n"
    "\n"
    "  --logical-topology=16       ranks in each dimension, such as 8,2 (default: one dimension of all hosts)\n"
    "  --set=cc.kind=hpcc          a change to the scenario; may be repeated\n"
    "  --rank-hosts=FILE           the name of the host of each rank, one a line (default: rank i on host i)\n"
    "  --send-end=acknowledged     when a send has ended: acknowledged, or delivered\n"
    "  --threads=1                 threads for switches; results do not depend on it\n"
    "  --flows=FILE                writes all messages with their completion times, as fct.csv\n"
    "  --operations=FILE           writes when each node of each rank's trace has begun and ended\n"
    "  --comm-group-configuration, --num-queues-per-dim, --comm-scale, --injection-scale,\n"
    "  --rendezvous-protocol, --logging-configuration, --logging-folder: as ASTRA-sim has them\n";

std::vector<int> dimensions(const std::string &text)
{
    std::vector<int> sizes;
    std::stringstream stream(text);
    for (std::string part; std::getline(stream, part, ',');) {
        sizes.push_back(FabricSim::whole(part));
        if (sizes.back() < 1) {
            throw std::invalid_argument("--logical-topology has numbers of ranks, such as 8,2, and not `" + text + "`");
        }
    }
    return sizes;
}

const char *kind_name(AstraSim::Statistics::OperatorStatistics::OperatorType kind)
{
    using Kind = AstraSim::Statistics::OperatorStatistics::OperatorType;
    switch (kind) {
    case Kind::CPU:
        return "cpu";
    case Kind::GPU:
        return "gpu";
    case Kind::COMM:
        return "communication";
    case Kind::REMOTE_MEM:
        return "remote-memory";
    case Kind::REPLAY:
        return "replay";
    default:
        return "other";
    }
}

// Returns `text` as a field of a CSV file, quoted as in RFC 4180 if necessary.
std::string quoted(const std::string &text)
{
    if (text.find_first_of(",\"\n\r") == std::string::npos) {
        return text;
    }
    std::string inside;
    for (const char c : text) {
        inside += c == '"' ? "\"\"" : std::string(1, c);
    }
    return '"' + inside + '"';
}

// Writes a row for each operation, sorted by rank and by the operation's number in the trace. Times
// are in nanoseconds, as in ASTRA-sim. A cell is empty if neither the trace nor the run has a value.
void write_operations(const std::string &path, const std::vector<std::unique_ptr<AstraSim::Sys>> &systems)
{
    using Operation = AstraSim::Statistics::OperatorStatistics;
    const auto cell = [](std::uint64_t tick) {
        return tick == Operation::INVALID_TICK ? std::string() : std::to_string(tick);
    };
    std::ofstream file(path);
    file << "rank,node,name,kind,collective,size_bytes,start_ns,end_ns\n";
    for (std::size_t rank = 0; rank < systems.size(); rank++) {
        auto &workload = *systems[rank]->workload;
        const auto &found = std::as_const(*workload.stats).get_operator_statistics();
        const std::map<std::uint64_t, Operation> operations(found.begin(), found.end());
        for (const auto &[id, operation] : operations) {
            const auto node = workload.et_feeder->lookupNode(id);
            const auto collective =
                node->type() == ChakraNodeType::COMM_COLL_NODE
                    ? ChakraProtoMsg::CollectiveCommType_Name(node->comm_type())
                    : std::string();
            file << rank << ',' << id << ',' << quoted(node->name()) << ',' << kind_name(operation.type) << ','
                 << collective << ',' << (operation.comm_size ? std::to_string(*operation.comm_size) : "") << ','
                 << cell(operation.start_time) << ',' << cell(operation.end_time) << '\n';
        }
    }
    if (!file.flush()) {
        throw std::runtime_error("cannot write " + path);
    }
}

void run(FabricSim::Options &options)
{
    const auto workload = options.get("workload-configuration");
    const auto system = options.get("system-configuration");
    const auto memory = options.get("remote-memory-configuration");
    const auto scenario = options.scenario();
    const auto topology = dimensions(options.get("logical-topology"));
    const auto groups = options.get("comm-group-configuration", "empty");
    const auto queues = options.whole("num-queues-per-dim", "1", "queues");
    const auto comm_scale = options.number("comm-scale", "1");
    const auto injection_scale = options.number("injection-scale", "1");
    const auto rendezvous = options.either("rendezvous-protocol", "false", "true", "false") == "true";
    const auto end = options.message_end("send-end", "acknowledged");
    const auto rank_hosts = options.rank_hosts();
    const auto flows = options.get("flows", "");
    const auto operations = options.get("operations", "");
    const auto logging = options.get("logging-configuration", "empty");
    const auto folder = options.get("logging-folder", "log");
    options.refuse_unknown();

    std::size_t ranks = 1;
    for (const auto size : topology) {
        ranks *= static_cast<std::size_t>(size);
    }
    FabricSim::AstraFabric fabric(scenario, ranks, rank_hosts, end);
    AstraSim::LoggerFactory::init(logging, folder);
    {
        const auto remote = std::make_unique<Analytical::AnalyticalRemoteMemory>(memory);
        const std::vector<int> queues_per_dim(topology.size(), queues);
        std::vector<std::unique_ptr<FabricSim::FabricNetwork>> networks;
        std::vector<std::unique_ptr<AstraSim::Sys>> systems;
        for (std::size_t rank = 0; rank < ranks; rank++) {
            const auto id = static_cast<int>(rank);
            networks.push_back(std::make_unique<FabricSim::FabricNetwork>(id, fabric));
            systems.push_back(std::make_unique<AstraSim::Sys>(id, workload, groups, system, remote.get(),
                                                              networks.back().get(), topology, queues_per_dim,
                                                              injection_scale, comm_scale, rendezvous));
        }
        const auto begun = std::chrono::steady_clock::now();
        for (const auto &one : systems) {
            one->workload->fire();
        }
        fabric.run();
        const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begun;
        std::uint64_t last = 0;
        std::size_t unfinished = 0;
        for (const auto time : fabric.finish_times()) {
            if (time == UINT64_MAX) {
                unfinished++;
            } else {
                last = std::max(last, time);
            }
        }
        FabricSim::report(std::to_string(ranks) + " ranks, finished after " + FabricSim::microseconds(last), fabric,
                          wall.count());
        if (unfinished > 0) {
            throw std::runtime_error(std::to_string(unfinished) + " ranks have not finished, and " +
                                     std::to_string(fabric.unmatched()) + " receives wait for messages that nobody sends");
        }
        if (!flows.empty()) {
            fabric.write_flows(flows);
        }
        if (!operations.empty()) {
            write_operations(operations, systems);
        }
    }
    AstraSim::LoggerFactory::shutdown();
}

} // namespace

int main(int argc, char **argv)
{
    return FabricSim::command(argc, argv, HELP, run);
}

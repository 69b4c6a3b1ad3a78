// The command that runs SimAI on fabricsim.
#include "Options.hh"
#include "SimAiNetwork.hh"

#include <astra-sim/system/Common.hh>
#include <astra-sim/system/MockNcclLog.h>
#include <astra-sim/system/Sys.hh>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <stdexcept>

namespace {

const char *const HELP =
    "SimAI_fabric --workload=FILE --topology=FILE --fabric=SCENARIO.toml\n"
    "\n"
    "  --workload=FILE             a workload of AICB, as of SimAI_simulator -w\n"
    "  --topology=FILE             a topology of SimAI, as of SimAI_simulator -n: GPUs, servers, type of GPU\n"
    "  --fabric=FILE               the scenario of the network, which `fabricsim import` makes of the topology\n"
    "  --set=cc.kind=hpcc          a change to the scenario; may be repeated\n"
    "  --send-latency=6            microseconds from a send to its first packet (default: AS_SEND_LAT, or 6)\n"
    "  --send-end=delivered        when a send has ended: delivered, or acknowledged\n"
    "  --rank-hosts=FILE           the name of the host of each GPU, one a line (default: GPU i is host i)\n"
    "  --threads=1                 threads for switches; results do not depend on it\n"
    "  --results=PREFIX            the beginning of SimAI's files of results (default: ncclFlowModel_)\n"
    "  --flows=FILE                writes all messages with their completion times, as fct.csv\n";

// The first line of a topology of SimAI.
struct Cluster {
    int gpus;
    int gpus_per_server;
    int nvswitches;
    GPUType gpu;
};

GPUType gpu_type(const std::string &name)
{
    if (name == "A100") {
        return GPUType::A100;
    }
    if (name == "A800") {
        return GPUType::A800;
    }
    if (name == "H100") {
        return GPUType::H100;
    }
    if (name == "H800") {
        return GPUType::H800;
    }
    return GPUType::NONE;
}

Cluster read_cluster(const std::string &path)
{
    std::ifstream file(path);
    if (!file) {
        throw std::runtime_error("cannot read " + path);
    }
    int nodes = 0;
    int switches = 0;
    int links = 0;
    std::string type;
    Cluster cluster{};
    file >> nodes >> cluster.gpus_per_server >> cluster.nvswitches >> switches >> links >> type;
    cluster.gpus = nodes - cluster.nvswitches - switches;
    if (!file || cluster.gpus < 1 || cluster.gpus_per_server < 1 || cluster.nvswitches < 0) {
        throw std::runtime_error(path + ": the first line of a topology of SimAI is `nodes gpus-per-server " +
                                 "nvswitches switches links gpu-type`");
    }
    cluster.gpu = gpu_type(type);
    return cluster;
}

// Returns the picoseconds of --send-latency.
std::uint64_t send_latency(FabricSim::Options &options)
{
    const char *const variable = std::getenv("AS_SEND_LAT");
    const auto microseconds = options.whole("send-latency", variable != nullptr ? variable : "6", "microseconds");
    return static_cast<std::uint64_t>(microseconds) * 1'000'000;
}

void run(FabricSim::Options &options)
{
    MockNcclLog::set_log_name("SimAI.log");
    const auto workload = options.get("workload");
    const auto cluster = read_cluster(options.get("topology"));
    const auto scenario = options.scenario();
    const auto latency = send_latency(options);
    const auto end = options.message_end("send-end", "delivered");
    const auto rank_hosts = options.rank_hosts();
    const auto results = options.get("results", "ncclFlowModel_");
    const auto flows = options.get("flows", "");
    options.refuse_unknown();

    // SimAI takes NVLS on these GPUs alone, and ignores the variable on others.
    const char *const nvls = std::getenv("AS_NVLS_ENABLE");
    if (nvls != nullptr && std::string(nvls) == "1" &&
        (cluster.gpu == GPUType::H100 || cluster.gpu == GPUType::H800)) {
        throw std::invalid_argument("AS_NVLS_ENABLE=1 lets NVSwitches reduce. Here they only forward: unset it");
    }

    FabricSim::SimAiFabric fabric(scenario, static_cast<std::size_t>(cluster.gpus), rank_hosts, latency, end);
    // As in SimAI's front end of ns-3, NVSwitches have systems, which only run through the workload.
    const int systems = cluster.gpus + cluster.nvswitches;
    std::vector<int> nvswitches;
    for (int id = cluster.gpus; id < systems; id++) {
        nvswitches.push_back(id);
    }
    std::vector<std::unique_ptr<FabricSim::SimAiNetwork>> networks;
    // A system deletes itself when it has ended.
    std::vector<AstraSim::Sys *> running;
    for (int id = 0; id < systems; id++) {
        networks.push_back(std::make_unique<FabricSim::SimAiNetwork>(id, fabric));
        running.push_back(new AstraSim::Sys(networks.back().get(), nullptr, id, 0, 1, {systems}, {1}, "", workload, 1,
                                            1, 1, 1, 0, results, "test1", true, false, cluster.gpu, {cluster.gpus},
                                            nvswitches, cluster.gpus_per_server));
        running.back()->nvswitch_id = id < cluster.gpus ? cluster.gpus + id / cluster.gpus_per_server : id;
        running.back()->num_gpus = cluster.gpus;
    }
    const auto begun = std::chrono::steady_clock::now();
    // Within the run, so that everything of the start happens at the instant 0.
    fabric.schedule(0, [&running] {
        for (auto *const system : running) {
            system->workload->fire();
        }
    });
    fabric.run();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begun;
    if (!fabric.reported()) {
        throw std::runtime_error("rank 0 has not finished, and " + std::to_string(fabric.unmatched()) +
                                 " receives wait for messages that nobody sends");
    }
    FabricSim::report(std::to_string(cluster.gpus) + " GPUs, finished after " + FabricSim::microseconds(fabric.end()),
                      fabric, wall.count());
    if (!flows.empty()) {
        fabric.write_flows(flows);
    }
}

} // namespace

int main(int argc, char **argv)
{
    return FabricSim::command(argc, argv, HELP, run);
}

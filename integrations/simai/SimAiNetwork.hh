// SimAI's network interface on libfabricsim: every packet of every message is simulated.
#ifndef FABRICSIM_SIMAI_NETWORK_HH
#define FABRICSIM_SIMAI_NETWORK_HH

#include <Fabric.hh>
#include <astra-sim/system/AstraNetworkAPI.hh>
#include <astra-sim/system/RecvPacketEventHadndlerData.hh>
#include <astra-sim/system/SendPacketEventHandlerData.hh>

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace FabricSim {

// The network with SimAI's receives. Its ranks are the GPUs; systems of NVSwitches have larger numbers
// and neither send nor receive.
class SimAiFabric final : public Fabric {
public:
    // A message starts `latency` picoseconds after it has been sent.
    SimAiFabric(const Scenario &scenario, std::size_t gpus, const std::vector<std::string> &rank_hosts,
                std::uint64_t latency, MessageEnd send_end);

    // Sends a message of the flow `flow`, which its receiver and the handler of the sender get.
    void send(int src, int dst, int tag, std::uint64_t bytes, const AstraSim::ncclFlowTag &flow,
              AstraSim::SendPacketEventHandlerData *data, Handler sent);

    // Receives a message. Its flow is written to `data` before the call of `received`.
    void receive(int dst, int src, std::uint64_t bytes, AstraSim::RecvPacketEventHadndlerData *data,
                 Handler received);

    // All systems have ended: no handler may be called any more.
    void finish();
    bool finished() const { return finished_; }

    // The front end of rank 0 has reported.
    void report(const AstraSim::AstraSimDataAPI &data);
    bool reported() const { return reported_; }
    std::uint64_t end() const { return end_; }
    const AstraSim::AstraSimDataAPI &data() const { return data_; }

    // Returns the number of receives that wait for a message.
    std::uint64_t unmatched() const;

private:
    using Key = std::tuple<int, int, int>; // tag, source, destination
    struct Receive {
        std::uint64_t bytes;
        AstraSim::RecvPacketEventHadndlerData *data;
        Handler received;
    };
    struct Arrival {
        std::uint64_t bytes;
        AstraSim::ncclFlowTag flow;
    };
    struct Match {
        std::deque<Receive> waiting;
        std::deque<Arrival> arrived;
    };

    void gpu(int rank) const;
    void match(const Key &key);

    std::uint64_t latency_;
    std::map<Key, Match> matches_;
    AstraSim::AstraSimDataAPI data_;
    std::uint64_t end_ = 0;
    bool reported_ = false;
    bool finished_ = false;
};

// The interface of one system to the network.
class SimAiNetwork final : public AstraSim::AstraNetworkAPI {
public:
    SimAiNetwork(int rank, SimAiFabric &fabric) : AstraNetworkAPI(rank), fabric_(fabric) {}

    int sim_comm_size(AstraSim::sim_comm comm, int *size) override;
    int sim_finish() override;
    double sim_time_resolution() override { return 1; }
    int sim_init(AstraSim::AstraMemoryAPI *) override { return 0; }
    AstraSim::timespec_t sim_get_time() override;
    void sim_schedule(AstraSim::timespec_t delta, void (*fun_ptr)(void *), void *fun_arg) override;
    int sim_send(void *buffer, std::uint64_t count, int type, int dst, int tag, AstraSim::sim_request *request,
                 void (*msg_handler)(void *), void *fun_arg) override;
    int sim_recv(void *buffer, std::uint64_t count, int type, int src, int tag, AstraSim::sim_request *request,
                 void (*msg_handler)(void *), void *fun_arg) override;
    void pass_front_end_report(AstraSim::AstraSimDataAPI data) override;
    double get_BW_at_dimension(int dim) override;

private:
    SimAiFabric &fabric_;
};

} // namespace FabricSim

#endif

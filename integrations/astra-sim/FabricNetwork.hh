// ASTRA-sim's network interface on libfabricsim: every packet of every message is simulated.
#ifndef FABRICSIM_ASTRA_FABRIC_NETWORK_HH
#define FABRICSIM_ASTRA_FABRIC_NETWORK_HH

#include <astra-sim/common/AstraNetworkAPI.hh>
#include <Fabric.hh>

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace FabricSim {

// The network with ASTRA-sim's receives.
class AstraFabric final : public Fabric {
public:
    AstraFabric(const Scenario &scenario, std::size_t ranks, const std::vector<std::string> &rank_hosts,
                MessageEnd send_end);

    // Returns the number of receives that wait for a message.
    std::uint64_t unmatched() const;

    void send(int src, int dst, int tag, std::uint64_t bytes, Handler sent);
    void receive(int dst, int src, int tag, std::uint64_t bytes, Handler received);
    void finished(int rank);
    const std::vector<std::uint64_t> &finish_times() const { return finished_; }

private:
    // Receives match messages of the same key by bytes, in the order of sending.
    using Key = std::tuple<int, int, int>; // tag, source, destination
    struct Match {
        std::uint64_t arrived = 0;
        std::deque<std::pair<std::uint64_t, Handler>> waiting;
        bool matching = false;
    };

    void arrive(const Key &key, std::uint64_t bytes);

    std::map<Key, Match> matches_;
    std::vector<std::uint64_t> finished_;
};

// The interface of one rank to the network.
class FabricNetwork final : public AstraSim::AstraNetworkAPI {
public:
    FabricNetwork(int rank, AstraFabric &fabric) : AstraNetworkAPI(rank), fabric_(fabric) {}

    int sim_send(void *buffer, std::uint64_t count, int type, int dst, int tag, AstraSim::sim_request *request,
                 void (*msg_handler)(void *), void *fun_arg) override;
    int sim_recv(void *buffer, std::uint64_t count, int type, int src, int tag, AstraSim::sim_request *request,
                 void (*msg_handler)(void *), void *fun_arg) override;
    void sim_schedule(AstraSim::timespec_t delta, void (*fun_ptr)(void *), void *fun_arg) override;
    AstraSim::timespec_t sim_get_time() override;
    double get_BW_at_dimension(int dim) override;
    void sim_notify_finished() override;

private:
    AstraFabric &fabric_;
};

} // namespace FabricSim

#endif

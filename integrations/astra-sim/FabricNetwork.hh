// ASTRA-sim's network interface on libfabricsim: every packet of every message is simulated.
#ifndef FABRICSIM_ASTRA_FABRIC_NETWORK_HH
#define FABRICSIM_ASTRA_FABRIC_NETWORK_HH

#include <astra-sim/common/AstraNetworkAPI.hh>
#include <fabricsim.h>

#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace FabricSim {

// A callback of ASTRA-sim with its argument. Without a function, a call does nothing.
struct Handler {
    void (*function)(void *) = nullptr;
    void *argument = nullptr;

    void call() const
    {
        if (function != nullptr) {
            function(argument);
        }
    }
};

// The event at which the handler of a send is called.
enum class SendEnd {
    // The last acknowledgement arrives, so the sender may reuse the buffer.
    Acknowledged,
    // The message is delivered, as in ASTRA-sim's analytical backend.
    Delivered,
};

// The network that all ranks share. Times are exact to the picosecond. Each rank is a host.
class Fabric {
public:
    // Loads the file `scenario` with changes such as "cc.kind=hpcc". `rank_hosts` names the host of
    // each rank. write_flows() needs `keep_flows`, which takes about a hundred bytes per message.
    Fabric(const std::string &scenario, const std::vector<std::string> &settings, std::uint32_t threads,
           std::size_t ranks, const std::vector<std::string> &rank_hosts, SendEnd send_end,
           bool keep_flows);
    Fabric(const Fabric &) = delete;
    Fabric &operator=(const Fabric &) = delete;
    ~Fabric();

    // Runs until no event is left. Rethrows the exception of a handler, and throws if messages are
    // stuck.
    void run();

    std::uint64_t now() const;
    std::size_t ranks() const { return hosts_.size(); }
    FabricsimStatistics statistics() const;
    std::uint64_t messages() const { return messages_; }
    std::uint64_t unmatched() const;
    void write_flows(const std::string &path) const;

    // Returns the picoseconds per byte from rank 0 to rank 1 on the idle network.
    double ps_per_byte() const;

    void send(int src, int dst, int tag, std::uint64_t bytes, Handler sent);
    void receive(int dst, int src, int tag, std::uint64_t bytes, Handler received);
    void schedule(std::uint64_t at, Handler task);
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
    struct UnderWay {
        Key key;
        std::uint64_t bytes = 0;
        Handler sent;
    };

    static void on_event(void *self, const FabricsimEvent *event) noexcept;
    void handle(const FabricsimEvent &event);
    void arrive(const Key &key, std::uint64_t bytes);
    std::uint64_t keep(UnderWay message);
    std::uint32_t host(int rank) const;

    FabricsimHandle simulation_ = 0;
    SendEnd send_end_;
    std::vector<std::uint32_t> hosts_;
    std::map<Key, Match> matches_;
    std::vector<UnderWay> under_way_;
    std::vector<std::uint64_t> free_messages_;
    std::vector<Handler> tasks_;
    std::vector<std::uint64_t> free_tasks_;
    std::vector<std::uint64_t> finished_;
    std::uint64_t messages_ = 0;
    std::exception_ptr thrown_;
};

// The interface of one rank to the network.
class FabricNetwork final : public AstraSim::AstraNetworkAPI {
public:
    FabricNetwork(int rank, Fabric &fabric) : AstraNetworkAPI(rank), fabric_(fabric) {}

    int sim_send(void *buffer, std::uint64_t count, int type, int dst, int tag, AstraSim::sim_request *request,
                 void (*msg_handler)(void *), void *fun_arg) override;
    int sim_recv(void *buffer, std::uint64_t count, int type, int src, int tag, AstraSim::sim_request *request,
                 void (*msg_handler)(void *), void *fun_arg) override;
    void sim_schedule(AstraSim::timespec_t delta, void (*fun_ptr)(void *), void *fun_arg) override;
    AstraSim::timespec_t sim_get_time() override;
    double get_BW_at_dimension(int dim) override;
    void sim_notify_finished() override;

private:
    Fabric &fabric_;
};

} // namespace FabricSim

#endif

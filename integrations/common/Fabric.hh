// A simulated network of libfabricsim for programs whose ranks call functions back.
#ifndef FABRICSIM_COMMON_FABRIC_HH
#define FABRICSIM_COMMON_FABRIC_HH

#include <fabricsim.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <vector>

namespace FabricSim {

using Handler = std::function<void()>;

// The event at which a message has ended for its sender.
enum class MessageEnd {
    // Its last byte arrives.
    Delivered,
    // Its last acknowledgement arrives, so the sender may reuse the buffer.
    Acknowledged,
};

// A scenario, with changes such as "cc.kind=hpcc".
struct Scenario {
    std::string path;
    std::vector<std::string> settings;
    std::uint32_t threads = 1;
    // Whether finished messages are kept for write_flows(). Each takes about a hundred bytes.
    bool keep_flows = false;
};

// As a number of ranks: a rank for each host of the network.
constexpr std::size_t ALL_HOSTS = SIZE_MAX;

// The network that all ranks share. Times are in picoseconds. Each rank is a host: rank i is host i,
// or the host that line i of `rank_hosts` names.
class Fabric {
public:
    Fabric(const Scenario &scenario, std::size_t ranks, const std::vector<std::string> &rank_hosts, MessageEnd end);
    Fabric(const Fabric &) = delete;
    Fabric &operator=(const Fabric &) = delete;
    virtual ~Fabric();

    // Runs until no event is left or stop() is called. Rethrows the exception of a handler, and throws
    // if messages are stuck.
    void run();

    // Runs one event before the time `until`, with its handler. Returns `false` if there is none.
    bool step(std::uint64_t until = UINT64_MAX);

    // Ends run() after the current handler.
    void stop();

    std::uint64_t now() const;
    std::size_t ranks() const { return hosts_.size(); }
    FabricsimStatistics statistics() const;
    std::uint64_t messages() const { return messages_; }
    void write_flows(const std::string &path) const;

    // Returns the picoseconds per byte from rank 0 to rank 1 on the idle network.
    double ps_per_byte() const;

    // Sends a message at the time `at`, which is now or later. `arrived` runs when its last byte has
    // arrived, and `ended` when it has ended for its sender: before `arrived`, if a message ends at its
    // delivery. A handler may be empty. Both run after this call has returned. A message of a rank to
    // itself takes no time: it arrives, and then it ends.
    void transmit(int src, int dst, std::uint64_t bytes, std::uint64_t tag, std::uint64_t at, Handler arrived,
                  Handler ended);

    void schedule(std::uint64_t at, Handler task);

private:
    struct UnderWay {
        Handler arrived;
        Handler ended;
    };

    static void on_event(void *self, const FabricsimEvent *event) noexcept;
    void handle(const FabricsimEvent &event);
    std::uint32_t run_until(std::uint64_t until);
    std::uint32_t host(int rank) const;

    FabricsimHandle simulation_ = 0;
    std::vector<std::uint32_t> hosts_;
    MessageEnd end_;
    std::vector<UnderWay> under_way_;
    std::vector<std::uint64_t> free_messages_;
    std::vector<Handler> tasks_;
    std::vector<std::uint64_t> free_tasks_;
    std::uint64_t messages_ = 0;
    bool stepping_ = false;
    std::exception_ptr thrown_;
};

} // namespace FabricSim

#endif

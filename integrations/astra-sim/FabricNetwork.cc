#include "FabricNetwork.hh"

#include <cmath>
#include <stdexcept>

namespace FabricSim {

namespace {

constexpr std::uint64_t NOT_FINISHED = UINT64_MAX;

std::uint64_t picoseconds(const AstraSim::timespec_t &time)
{
    long double unit = 1e3L;
    switch (time.time_res) {
    case AstraSim::SE: unit = 1e12L; break;
    case AstraSim::MS: unit = 1e9L; break;
    case AstraSim::US: unit = 1e6L; break;
    case AstraSim::NS: unit = 1e3L; break;
    case AstraSim::FS: unit = 1e-3L; break;
    }
    const long double value = time.time_val * unit;
    if (!(value >= 0) || value > 4.6e18L) {
        throw std::runtime_error("ASTRA-sim schedules something in the past, or beyond the end of time");
    }
    return static_cast<std::uint64_t>(std::llround(value));
}

Handler handler(void (*function)(void *), void *argument)
{
    if (function == nullptr) {
        return {};
    }
    return [function, argument] { function(argument); };
}

} // namespace

AstraFabric::AstraFabric(const Scenario &scenario, std::size_t ranks, const std::vector<std::string> &rank_hosts,
                         MessageEnd send_end)
    : Fabric(scenario, ranks, rank_hosts, send_end), finished_(ranks, NOT_FINISHED)
{
}

std::uint64_t AstraFabric::unmatched() const
{
    std::uint64_t receives = 0;
    for (const auto &match : matches_) {
        receives += match.second.waiting.size();
    }
    return receives;
}

void AstraFabric::send(int src, int dst, int tag, std::uint64_t bytes, Handler sent)
{
    const Key key{tag, src, dst};
    transmit(src, dst, bytes, static_cast<std::uint32_t>(tag), now(), [this, key, bytes] { arrive(key, bytes); },
             std::move(sent));
}

void AstraFabric::receive(int dst, int src, int tag, std::uint64_t bytes, Handler received)
{
    const Key key{tag, src, dst};
    auto &match = matches_[key];
    match.waiting.emplace_back(bytes, std::move(received));
    // Bytes that have already arrived are delivered by an event of their own, because ASTRA-sim does
    // not expect its handler to be called during this call.
    if (match.arrived >= bytes) {
        schedule(now(), [this, key] { arrive(key, 0); });
    }
}

void AstraFabric::arrive(const Key &key, std::uint64_t bytes)
{
    auto &match = matches_[key];
    match.arrived += bytes;
    if (match.matching) {
        return; // a handler of this key is being called; its caller goes on
    }
    match.matching = true;
    while (!match.waiting.empty() && match.waiting.front().first <= match.arrived) {
        const auto [size, received] = std::move(match.waiting.front());
        match.waiting.pop_front();
        match.arrived -= size;
        if (received) {
            received();
        }
    }
    match.matching = false;
    if (match.waiting.empty() && match.arrived == 0) {
        matches_.erase(key);
    }
}

void AstraFabric::finished(int rank)
{
    finished_.at(static_cast<std::size_t>(rank)) = now();
}

int FabricNetwork::sim_send(void *, std::uint64_t count, int, int dst, int tag, AstraSim::sim_request *,
                            void (*msg_handler)(void *), void *fun_arg)
{
    fabric_.send(sim_comm_get_rank(), dst, tag, count, handler(msg_handler, fun_arg));
    return 0;
}

int FabricNetwork::sim_recv(void *, std::uint64_t count, int, int src, int tag, AstraSim::sim_request *,
                            void (*msg_handler)(void *), void *fun_arg)
{
    fabric_.receive(sim_comm_get_rank(), src, tag, count, handler(msg_handler, fun_arg));
    return 0;
}

void FabricNetwork::sim_schedule(AstraSim::timespec_t delta, void (*fun_ptr)(void *), void *fun_arg)
{
    fabric_.schedule(fabric_.now() + picoseconds(delta), handler(fun_ptr, fun_arg));
}

AstraSim::timespec_t FabricNetwork::sim_get_time()
{
    return {AstraSim::NS, static_cast<long double>(fabric_.now()) / 1e3L};
}

double FabricNetwork::get_BW_at_dimension(int)
{
    // ASTRA-sim counts in bytes per nanosecond, which is GB/s.
    const auto time = fabric_.ps_per_byte();
    return time > 0 ? 1e3 / time : -1;
}

void FabricNetwork::sim_notify_finished()
{
    fabric_.finished(sim_comm_get_rank());
}

} // namespace FabricSim

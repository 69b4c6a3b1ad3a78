#include "SimAiNetwork.hh"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace FabricSim {

SimAiFabric::SimAiFabric(const Scenario &scenario, std::size_t gpus, const std::vector<std::string> &rank_hosts,
                         std::uint64_t latency, MessageEnd send_end)
    : Fabric(scenario, gpus, rank_hosts, send_end), latency_(latency)
{
}

void SimAiFabric::gpu(int rank) const
{
    if (rank < 0 || static_cast<std::size_t>(rank) >= ranks()) {
        throw std::runtime_error("system " + std::to_string(rank) + " takes part in a collective, and is no GPU");
    }
}

void SimAiFabric::send(int src, int dst, int tag, std::uint64_t bytes, const AstraSim::ncclFlowTag &flow,
                       AstraSim::SendPacketEventHandlerData *data, Handler sent)
{
    gpu(src);
    gpu(dst);
    // SimAI's front end of ns-3 looks for the receive by the tag of the flow.
    const Key key{flow.tag_id, src, dst};
    Handler ended = [this, data, flow, sent = std::move(sent)] {
        if (!finished_) {
            data->flowTag = flow;
            sent();
        }
    };
    Handler arrived = [this, key, bytes, flow] {
        if (!finished_) {
            matches_[key].arrived.push_back({bytes, flow});
            match(key);
        }
    };
    transmit(src, dst, bytes, static_cast<std::uint32_t>(tag), now() + latency_, std::move(arrived),
             std::move(ended));
}

void SimAiFabric::receive(int dst, int src, std::uint64_t bytes, AstraSim::RecvPacketEventHadndlerData *data,
                          Handler received)
{
    gpu(src);
    gpu(dst);
    const Key key{data->flowTag.tag_id, src, dst};
    auto &matching = matches_[key];
    // As in SimAI's front end of ns-3, a second receive of the same tag is void while one waits: a
    // sender posts the receive of its first chunk twice.
    if (matching.waiting.empty()) {
        matching.waiting.push_back({bytes, data, std::move(received)});
    }
    if (!matching.arrived.empty()) {
        schedule(now(), [this, key] {
            if (!finished_) {
                match(key);
            }
        });
    }
}

void SimAiFabric::match(const Key &key)
{
    // A handler may add receives of the same key, so the place is looked up each time.
    for (;;) {
        const auto found = matches_.find(key);
        if (found == matches_.end() || found->second.waiting.empty() || found->second.arrived.empty()) {
            return;
        }
        auto &matching = found->second;
        const auto receive = std::move(matching.waiting.front());
        auto arrival = std::move(matching.arrived.front());
        matching.waiting.pop_front();
        matching.arrived.pop_front();
        if (matching.waiting.empty() && matching.arrived.empty()) {
            matches_.erase(found);
        }
        if (arrival.bytes != receive.bytes) {
            throw std::runtime_error("a receive of " + std::to_string(receive.bytes) + " bytes matches a message of " +
                                     std::to_string(arrival.bytes) + " bytes");
        }
        receive.data->flowTag = std::move(arrival.flow);
        receive.received();
        if (finished_) {
            return;
        }
    }
}

std::uint64_t SimAiFabric::unmatched() const
{
    std::uint64_t receives = 0;
    for (const auto &match : matches_) {
        receives += match.second.waiting.size();
    }
    return receives;
}

void SimAiFabric::finish()
{
    finished_ = true;
    stop();
}

void SimAiFabric::report(const AstraSim::AstraSimDataAPI &data)
{
    data_ = data;
    end_ = now();
    reported_ = true;
}

int SimAiNetwork::sim_comm_size(AstraSim::sim_comm, int *size)
{
    *size = static_cast<int>(fabric_.ranks());
    return 0;
}

int SimAiNetwork::sim_finish()
{
    fabric_.finish();
    return 0;
}

AstraSim::timespec_t SimAiNetwork::sim_get_time()
{
    return {AstraSim::NS, static_cast<double>(fabric_.now()) / 1e3};
}

void SimAiNetwork::sim_schedule(AstraSim::timespec_t delta, void (*fun_ptr)(void *), void *fun_arg)
{
    // SimAI counts in nanoseconds and leaves the unit of a delay unset.
    if (!(delta.time_val >= 0) || delta.time_val > 4.6e15) {
        throw std::runtime_error("SimAI schedules something in the past, or beyond the end of time");
    }
    const auto delay = static_cast<std::uint64_t>(std::llround(delta.time_val * 1e3));
    auto *const fabric = &fabric_;
    fabric_.schedule(fabric_.now() + delay, [fabric, fun_ptr, fun_arg] {
        if (!fabric->finished()) {
            fun_ptr(fun_arg);
        }
    });
}

int SimAiNetwork::sim_send(void *, std::uint64_t count, int, int dst, int tag, AstraSim::sim_request *request,
                           void (*msg_handler)(void *), void *fun_arg)
{
    fabric_.send(sim_comm_get_rank(), dst, tag, count, request->flowTag,
                 static_cast<AstraSim::SendPacketEventHandlerData *>(fun_arg),
                 [msg_handler, fun_arg] { msg_handler(fun_arg); });
    return 0;
}

int SimAiNetwork::sim_recv(void *, std::uint64_t count, int, int src, int, AstraSim::sim_request *,
                           void (*msg_handler)(void *), void *fun_arg)
{
    fabric_.receive(sim_comm_get_rank(), src, count,
                    static_cast<AstraSim::RecvPacketEventHadndlerData *>(fun_arg),
                    [msg_handler, fun_arg] { msg_handler(fun_arg); });
    return 0;
}

void SimAiNetwork::pass_front_end_report(AstraSim::AstraSimDataAPI data)
{
    fabric_.report(data);
}

double SimAiNetwork::get_BW_at_dimension(int)
{
    // SimAI counts in bytes per nanosecond, which is GB/s.
    const auto time = fabric_.ps_per_byte();
    return time > 0 ? 1e3 / time : -1;
}

} // namespace FabricSim

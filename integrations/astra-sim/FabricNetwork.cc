#include "FabricNetwork.hh"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace FabricSim {

namespace {

constexpr std::uint64_t NOT_FINISHED = UINT64_MAX;

void check(std::int32_t code)
{
    if (code != FABRICSIM_OK) {
        std::vector<char> words(fabricsim_last_error(nullptr, 0));
        fabricsim_last_error(words.data(), words.size());
        throw std::runtime_error(words.data());
    }
}

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

} // namespace

Fabric::Fabric(const std::string &scenario, const std::vector<std::string> &settings, std::uint32_t threads,
               std::size_t ranks, const std::vector<std::string> &rank_hosts, SendEnd send_end, bool keep_flows)
    : send_end_(send_end), finished_(ranks, NOT_FINISHED)
{
    std::vector<const char *> texts;
    for (const auto &setting : settings) {
        texts.push_back(setting.c_str());
    }
    check(fabricsim_open_file(scenario.c_str(), texts.data(), texts.size(), threads, &simulation_));
    try {
        check(fabricsim_keep_flows(simulation_, keep_flows ? 1 : 0));
        std::uint32_t count = 0;
        check(fabricsim_hosts(simulation_, &count));
        std::vector<bool> taken(count, false);
        for (std::size_t rank = 0; rank < ranks; rank++) {
            std::uint32_t host = static_cast<std::uint32_t>(rank);
            if (!rank_hosts.empty()) {
                if (rank >= rank_hosts.size()) {
                    throw std::runtime_error("rank " + std::to_string(rank) + " has no host");
                }
                check(fabricsim_find_host(simulation_, rank_hosts[rank].c_str(), &host));
            }
            if (host >= count) {
                throw std::runtime_error("the network has " + std::to_string(count) + " hosts for " +
                                         std::to_string(ranks) + " ranks");
            }
            if (taken[host]) {
                throw std::runtime_error("two ranks are on host " + std::to_string(host));
            }
            taken[host] = true;
            hosts_.push_back(host);
        }
        check(fabricsim_set_callback(simulation_, &Fabric::on_event, this, UINT32_MAX));
    } catch (...) {
        fabricsim_close(simulation_);
        throw;
    }
}

Fabric::~Fabric()
{
    fabricsim_close(simulation_);
}

void Fabric::run()
{
    std::uint32_t stop = FABRICSIM_STOP_FINISHED;
    check(fabricsim_run_until(simulation_, UINT64_MAX, &stop));
    if (thrown_) {
        std::rethrow_exception(std::exchange(thrown_, nullptr));
    }
    if (stop != FABRICSIM_STOP_FINISHED) {
        throw std::runtime_error("messages are under way and nothing moves (stop " + std::to_string(stop) + ")");
    }
}

std::uint64_t Fabric::now() const
{
    std::uint64_t now = 0;
    check(fabricsim_now(simulation_, &now));
    return now;
}

FabricsimStatistics Fabric::statistics() const
{
    FabricsimStatistics statistics;
    check(fabricsim_statistics(simulation_, &statistics));
    return statistics;
}

std::uint64_t Fabric::unmatched() const
{
    std::uint64_t receives = 0;
    for (const auto &match : matches_) {
        receives += match.second.waiting.size();
    }
    return receives;
}

void Fabric::write_flows(const std::string &path) const
{
    check(fabricsim_write_flows(simulation_, path.c_str()));
}

double Fabric::ps_per_byte() const
{
    if (hosts_.size() < 2) {
        return -1;
    }
    FabricsimMessage message{};
    message.src = hosts_[0];
    message.dst = hosts_[1];
    message.size = 1'000'000;
    std::uint64_t shorter = 0;
    std::uint64_t longer = 0;
    check(fabricsim_ideal_time(simulation_, &message, &shorter));
    message.size = 2'000'000;
    check(fabricsim_ideal_time(simulation_, &message, &longer));
    return static_cast<double>(longer - shorter) / 1e6;
}

std::uint32_t Fabric::host(int rank) const
{
    if (rank < 0 || static_cast<std::size_t>(rank) >= hosts_.size()) {
        throw std::runtime_error("there is no rank " + std::to_string(rank));
    }
    return hosts_[static_cast<std::size_t>(rank)];
}

std::uint64_t Fabric::keep(UnderWay message)
{
    if (free_messages_.empty()) {
        under_way_.push_back(message);
        return under_way_.size() - 1;
    }
    const auto token = free_messages_.back();
    free_messages_.pop_back();
    under_way_[token] = message;
    return token;
}

void Fabric::send(int src, int dst, int tag, std::uint64_t bytes, Handler sent)
{
    const Key key{tag, src, dst};
    messages_++;
    FabricsimMessage message{};
    message.src = host(src);
    message.dst = host(dst);
    if (src == dst) {
        // Nothing crosses the network. The handlers must run after this call returns, because
        // ASTRA-sim does not expect them earlier.
        schedule(now(), {[](void *argument) {
                             const auto own = static_cast<std::tuple<Fabric *, Key, std::uint64_t, Handler> *>(argument);
                             const auto [fabric, key, bytes, sent] = *own;
                             delete own;
                             fabric->arrive(key, bytes);
                             sent.call();
                         },
                         new std::tuple<Fabric *, Key, std::uint64_t, Handler>(this, key, bytes, sent)});
        return;
    }
    // A message without bytes still takes a packet.
    message.size = bytes == 0 ? 1 : bytes;
    message.tag = static_cast<std::uint32_t>(tag);
    message.token = keep({key, bytes, sent});
    check(fabricsim_send(simulation_, &message));
}

void Fabric::receive(int dst, int src, int tag, std::uint64_t bytes, Handler received)
{
    const Key key{tag, src, dst};
    matches_[key].waiting.emplace_back(bytes, received);
    // Bytes that have already arrived are delivered by an event of their own.
    if (matches_[key].arrived >= bytes) {
        schedule(now(), {[](void *argument) {
                             const auto own = static_cast<std::pair<Fabric *, Key> *>(argument);
                             const auto [fabric, key] = *own;
                             delete own;
                             fabric->arrive(key, 0);
                         },
                         new std::pair<Fabric *, Key>(this, key)});
    }
}

void Fabric::arrive(const Key &key, std::uint64_t bytes)
{
    auto &match = matches_[key];
    match.arrived += bytes;
    if (match.matching) {
        return; // a handler of this key is being called; its caller goes on
    }
    match.matching = true;
    while (!match.waiting.empty() && match.waiting.front().first <= match.arrived) {
        const auto [size, handler] = match.waiting.front();
        match.waiting.pop_front();
        match.arrived -= size;
        handler.call();
    }
    match.matching = false;
    if (match.waiting.empty() && match.arrived == 0) {
        matches_.erase(key);
    }
}

void Fabric::schedule(std::uint64_t at, Handler task)
{
    std::uint64_t token = tasks_.size();
    if (free_tasks_.empty()) {
        tasks_.push_back(task);
    } else {
        token = free_tasks_.back();
        free_tasks_.pop_back();
        tasks_[token] = task;
    }
    check(fabricsim_set_timer(simulation_, at, token));
}

void Fabric::finished(int rank)
{
    finished_.at(static_cast<std::size_t>(rank)) = now();
}

void Fabric::on_event(void *self, const FabricsimEvent *event) noexcept
{
    const auto fabric = static_cast<Fabric *>(self);
    if (fabric->thrown_) {
        return;
    }
    try {
        fabric->handle(*event);
    } catch (...) {
        fabric->thrown_ = std::current_exception();
        fabricsim_stop(fabric->simulation_);
    }
}

void Fabric::handle(const FabricsimEvent &event)
{
    const auto token = event.message.token;
    switch (event.kind) {
    case FABRICSIM_EVENT_TIMER: {
        const auto task = tasks_[event.timer];
        free_tasks_.push_back(event.timer);
        task.call();
        break;
    }
    case FABRICSIM_EVENT_DELIVERED: {
        const auto message = under_way_[token];
        if (send_end_ == SendEnd::Delivered) {
            under_way_[token].sent = {};
            message.sent.call();
        }
        arrive(message.key, message.bytes);
        break;
    }
    case FABRICSIM_EVENT_ACKNOWLEDGED: {
        const auto sent = under_way_[token].sent;
        free_messages_.push_back(token);
        sent.call();
        break;
    }
    default:
        throw std::runtime_error("no route leads from host " + std::to_string(event.message.src) + " to host " +
                                 std::to_string(event.message.dst));
    }
}

int FabricNetwork::sim_send(void *, std::uint64_t count, int, int dst, int tag, AstraSim::sim_request *,
                            void (*msg_handler)(void *), void *fun_arg)
{
    fabric_.send(sim_comm_get_rank(), dst, tag, count, {msg_handler, fun_arg});
    return 0;
}

int FabricNetwork::sim_recv(void *, std::uint64_t count, int, int src, int tag, AstraSim::sim_request *,
                            void (*msg_handler)(void *), void *fun_arg)
{
    fabric_.receive(sim_comm_get_rank(), src, tag, count, {msg_handler, fun_arg});
    return 0;
}

void FabricNetwork::sim_schedule(AstraSim::timespec_t delta, void (*fun_ptr)(void *), void *fun_arg)
{
    fabric_.schedule(fabric_.now() + picoseconds(delta), {fun_ptr, fun_arg});
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

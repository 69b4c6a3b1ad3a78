#include "Fabric.hh"

#include <stdexcept>
#include <utility>

namespace FabricSim {

namespace {

void check(std::int32_t code)
{
    if (code != FABRICSIM_OK) {
        std::vector<char> words(fabricsim_last_error(nullptr, 0));
        fabricsim_last_error(words.data(), words.size());
        throw std::runtime_error(words.data());
    }
}

// Stores `value` in a free place of `values`, and returns the place.
template <typename Value>
std::uint64_t store(std::vector<Value> &values, std::vector<std::uint64_t> &free, Value value)
{
    if (free.empty()) {
        values.push_back(std::move(value));
        return values.size() - 1;
    }
    const auto place = free.back();
    free.pop_back();
    values[place] = std::move(value);
    return place;
}

void call(const Handler &handler)
{
    if (handler) {
        handler();
    }
}

} // namespace

Fabric::Fabric(const Scenario &scenario, std::size_t ranks, const std::vector<std::string> &rank_hosts,
               MessageEnd end)
    : end_(end)
{
    std::vector<const char *> texts;
    for (const auto &setting : scenario.settings) {
        texts.push_back(setting.c_str());
    }
    check(fabricsim_open_file(scenario.path.c_str(), texts.data(), texts.size(), scenario.threads, &simulation_));
    try {
        check(fabricsim_keep_flows(simulation_, scenario.keep_flows ? 1 : 0));
        std::uint32_t count = 0;
        check(fabricsim_hosts(simulation_, &count));
        if (ranks == ALL_HOSTS) {
            ranks = count;
        }
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

std::uint32_t Fabric::run_until(std::uint64_t until)
{
    std::uint32_t stop = FABRICSIM_STOP_FINISHED;
    check(fabricsim_run_until(simulation_, until, &stop));
    if (thrown_) {
        std::rethrow_exception(std::exchange(thrown_, nullptr));
    }
    switch (stop) {
    case FABRICSIM_STOP_FINISHED:
    case FABRICSIM_STOP_ASKED:
    case FABRICSIM_STOP_TIME:
        return stop;
    default:
        throw std::runtime_error("messages are under way and nothing moves (stop " + std::to_string(stop) + ")");
    }
}

void Fabric::run()
{
    run_until(UINT64_MAX);
}

bool Fabric::step(std::uint64_t until)
{
    stepping_ = true;
    const auto stop = run_until(until);
    stepping_ = false;
    return stop == FABRICSIM_STOP_ASKED;
}

void Fabric::stop()
{
    check(fabricsim_stop(simulation_));
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

void Fabric::transmit(int src, int dst, std::uint64_t bytes, std::uint64_t tag, std::uint64_t at, Handler arrived,
                      Handler ended)
{
    messages_++;
    FabricsimMessage message{};
    message.src = host(src);
    message.dst = host(dst);
    if (src == dst) {
        // Nothing crosses the network.
        schedule(at, [arrived = std::move(arrived), ended = std::move(ended)] {
            call(arrived);
            call(ended);
        });
        return;
    }
    // A message without bytes still takes a packet.
    message.size = bytes == 0 ? 1 : bytes;
    message.tag = tag;
    message.token = store(under_way_, free_messages_, {std::move(arrived), std::move(ended)});
    check(fabricsim_send_at(simulation_, at, &message));
}

void Fabric::schedule(std::uint64_t at, Handler task)
{
    check(fabricsim_set_timer(simulation_, at, store(tasks_, free_tasks_, std::move(task))));
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
    }
    if (fabric->thrown_ || fabric->stepping_) {
        fabricsim_stop(fabric->simulation_);
    }
}

void Fabric::handle(const FabricsimEvent &event)
{
    const auto token = event.message.token;
    switch (event.kind) {
    case FABRICSIM_EVENT_TIMER: {
        const auto task = std::move(tasks_[event.timer]);
        free_tasks_.push_back(event.timer);
        call(task);
        break;
    }
    case FABRICSIM_EVENT_DELIVERED: {
        // A handler may send, which moves the messages under way.
        if (end_ == MessageEnd::Delivered) {
            const auto ended = std::exchange(under_way_[token].ended, nullptr);
            call(ended);
        }
        const auto arrived = std::move(under_way_[token].arrived);
        call(arrived);
        break;
    }
    case FABRICSIM_EVENT_ACKNOWLEDGED: {
        const auto ended = std::move(under_way_[token].ended);
        free_messages_.push_back(token);
        call(ended);
        break;
    }
    default:
        throw std::runtime_error("no route leads from host " + std::to_string(event.message.src) + " to host " +
                                 std::to_string(event.message.dst));
    }
}

} // namespace FabricSim

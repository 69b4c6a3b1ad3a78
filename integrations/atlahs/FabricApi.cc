// The two files of htsim that ATLAHS' scheduler calls, on libfabricsim: eventlist.cpp with the clock and
// the timers, and datacenter/atlahs_htsim_api.cpp with the messages (class AtlahsApi).
#include "FabricApi.hh"

#include <logsim-interface.h>

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <utility>

namespace FabricSim {

namespace {

// The network, and the reactions to the event that has just occurred. The scheduler requests events one
// by one.
struct Connection {
    Fabric *fabric = nullptr;
    std::deque<Handler> reactions;
};

Connection connection;

Fabric &fabric()
{
    if (connection.fabric == nullptr) {
        throw std::logic_error("ATLAHS' scheduler runs without a network");
    }
    return *connection.fabric;
}

} // namespace

void connect(Fabric &fabric)
{
    connection.fabric = &fabric;
}

} // namespace FabricSim

using FabricSim::connection;

// htsim lists the objects that it logs. None is logged here.
LoggedManager Logged::_logged_manager;
LoggedManager::LoggedManager() {}
void LoggedManager::add_logged(Logged *) {}

simtime_picosec EventList::_endtime = 0;
simtime_picosec EventList::_lasteventtime = 0;
// The scheduler compares the next event with the present instant, and never expects an empty list. Later
// events of an instant may as well be separate events.
EventList::pendingsources_t EventList::_pendingsources = {{UINT64_MAX, nullptr}};
std::vector<TriggerTarget *> EventList::_pending_triggers;
int EventList::_instanceCount = 0;
EventList *EventList::_theEventList = nullptr;

EventList::EventList() = default;

EventList &EventList::getTheEventList()
{
    static EventList list;
    return list;
}

EventSource::EventSource(const string &name) : EventSource(EventList::getTheEventList(), name) {}

void EventList::sourceIsPending(EventSource &source, simtime_picosec when)
{
    FabricSim::fabric().schedule(std::max(when, now()), [&source] {
        connection.reactions.push_back([&source] { source.doNextEvent(); });
    });
}

bool EventList::doNextEvent()
{
    // Messages that wait for a timer or for packets have reactions later.
    while (connection.reactions.empty()) {
        if (!FabricSim::fabric().step()) {
            return false;
        }
        _lasteventtime = FabricSim::fabric().now();
    }
    const auto reaction = std::move(connection.reactions.front());
    connection.reactions.pop_front();
    reaction();
    return true;
}

void AtlahsHtsimApi::Setup() {}

void AtlahsHtsimApi::Send(const SendEvent &event, graph_node_properties node)
{
    int from = event.getFrom();
    int to = event.getTo();
    if (getNumberNic() > 1) {
        from = getHtsimNodeNumber(from, node.nic);
        to = getHtsimNodeNumber(to, node.nic);
    }
    const auto start = event.getStartTimeEvent();
    FabricSim::Handler ended = [this, node, start]() mutable {
        connection.reactions.push_back([this, node, start]() mutable {
            EventOver over(static_cast<int>(node.host), static_cast<int>(node.target), static_cast<int>(node.size),
                           static_cast<int>(node.tag), start, AtlahsEventType::SEND_EVENT_OVER);
            over.node = &node;
            EventFinished(over);
        });
    };
    // The size of the event is an int; the schedule counts in 64 bits.
    FabricSim::fabric().transmit(from, to, node.size, node.tag, EventList::now(), {}, std::move(ended));
}

// A receive needs no action of the network: the scheduler matches it.
void AtlahsHtsimApi::Recv(const RecvEvent &) {}

// Neither does a computation: the scheduler sets a timer.
void AtlahsHtsimApi::Calc(const ComputeAtlahsEvent &) {}

void AtlahsHtsimApi::EventFinished(const EventOver &event)
{
    switch (event.getEventType()) {
    case AtlahsEventType::SEND_EVENT_OVER:
        getLogSimInterface()->flow_over(event);
        break;
    case AtlahsEventType::COMPUTE_EVENT_OVER:
        getLogSimInterface()->compute_over(1);
        break;
    default:
        throw std::logic_error("ATLAHS ends an event that does not end");
    }
}

// ATLAHS' interface of network simulators on libfabricsim: every packet of every message is simulated.
#ifndef FABRICSIM_ATLAHS_FABRIC_API_HH
#define FABRICSIM_ATLAHS_FABRIC_API_HH

#include <Fabric.hh>

namespace FabricSim {

// The event at which a message has ended, for its receive and for its send.
enum class MessageEnd {
    Delivered,
    // The last acknowledgement arrives, as with ATLAHS' htsim.
    Acknowledged,
};

// Lets ATLAHS' scheduler run on `fabric`, which must outlive it. ATLAHS has one network per process.
void connect(Fabric &fabric, MessageEnd end);

} // namespace FabricSim

#endif

// ATLAHS' interface of network simulators on libfabricsim: every packet of every message is simulated.
#ifndef FABRICSIM_ATLAHS_FABRIC_API_HH
#define FABRICSIM_ATLAHS_FABRIC_API_HH

#include <Fabric.hh>

namespace FabricSim {

// Lets ATLAHS' scheduler run on `fabric`, which must outlive it. ATLAHS has one network per process. Both
// the send and the receive of a message end when the message ends for its sender on `fabric`.
void connect(Fabric &fabric);

} // namespace FabricSim

#endif

//! Size of a full segment.

use fabricsim_base::units::Bytes;

use super::config::TcpParameters;

/// Headers of IP and TCP with timestamps (RFC 7323). All other bytes of a segment belong to the
/// link.
const IP_HEADERS: u16 = 52;

/// Additional options of a SYN (RFC 7323, RFC 2018).
const SYN_OPTIONS: u16 = 8;

impl TcpParameters {
    /// Returns the size of a SYN or SYN-ACK on the wire.
    #[must_use]
    pub const fn syn_packet(&self) -> u16 {
        self.headers + SYN_OPTIONS
    }

    /// Returns the size of a full segment on the wire.
    #[must_use]
    pub fn full_packet(&self) -> Bytes {
        Bytes::new(u64::from(self.mss) + u64::from(self.headers))
    }

    /// Returns the size of the IP packet of a full segment.
    pub(super) fn ip_packet(&self) -> u16 {
        self.mss + self.headers.min(IP_HEADERS)
    }
}

#[cfg(test)]
mod tests {
    use crate::tcp::config::{TcpConfig, TcpProfile};

    #[test]
    fn the_link_adds_to_the_same_ip_packet() {
        for (profile, wire) in [
            (TcpProfile::LinuxWan, 1_514),
            (TcpProfile::Datacenter, 1_538),
        ] {
            let config = TcpConfig {
                profile,
                ..TcpConfig::default()
            };
            let parameters = config.parameters();
            assert_eq!(parameters.full_packet().get(), wire);
            assert_eq!(parameters.ip_packet(), 1_500);
        }
    }
}

//! An all-to-all that crosses rails inside of servers, exact to the picosecond.

use crate::collectives::row::run;

/// Picoseconds for 9 bytes inside of servers (3,600 Gbps), and for a byte outside (400 Gbps).
const INSIDE: u64 = 20;
const OUTSIDE: u64 = 20;
const INSIDE_DELAY: u64 = 250_000;
const OUTSIDE_DELAY: u64 = 1_000_000;
const HEADER: u64 = 48;

/// Each GPU sends the parts for its own server, and then for the next one: the host on the rail has
/// all of that server's data after two rounds. Its interface then sends one message to each other
/// server. All rounds are permutations, so nothing waits at a switch.
#[test]
fn data_cross_rails_in_the_server_and_then_fill_the_rail() {
    for (servers, gpus) in [(2, 4), (4, 8), (3, 2)] {
        // A packet of a multiple of 9 bytes, whose time is a whole number of picoseconds.
        let part = 9 * 100 - HEADER;
        let text = format!(
            r#"
                [topology]
                kind = "rail"
                servers = {servers}
                servers_per_unit = {servers}
                gpus_per_server = {gpus}
                [rdma]
                mtu = "9000B"
                [cc]
                kind = "none"
                window_bdp = 0
                [[workload]]
                kind = "collective"
                operation = "all-to-all"
                algorithm = "pxn"
                local_size = {gpus}
                size = "{}B"
            "#,
            servers * gpus * part
        );
        let (_, _, rows) = run(&text, 1);
        let inside = (part + HEADER) / 9 * INSIDE;
        let outside = (gpus * part + HEADER) * OUTSIDE;
        let gathered = 2 * INSIDE_DELAY + (2 * (gpus - 1) + 1) * inside;
        let expected = gathered + 2 * OUTSIDE_DELAY + servers * outside;
        assert_eq!(rows[0].duration, expected, "{servers} {gpus}");
    }
}

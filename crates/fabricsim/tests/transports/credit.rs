//! Receivers that grant their senders credit, where packets and grants are lost, and what they cannot
//! run with.

use fabricsim::{Scenario, Simulation};
use fabricsim_base::flow::Completion;
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::network::Stop;

const TRIM: &str = "[switch]\npfc = false\ntrim_above = \"100KB\"";

fn finished(text: &str, threads: usize) -> (Vec<Completion>, Simulation) {
    let scenario = Scenario::from_toml(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut simulation = Simulation::new(&scenario, threads).unwrap();
    let stop = simulation.run_until(Time::ZERO + Duration::from_ms(500));
    assert_eq!(
        stop,
        Stop::Finished,
        "{text}: {:?}",
        simulation.unfinished()
    );
    let mut done = simulation.take_completions();
    done.sort_by_key(|completion| completion.flow.id);
    (done, simulation)
}

/// Seven senders of 500 KB over a leaf-spine of which six links lose the share `loss`, among them that
/// of a sender, that of the receiver and all to spines.
fn lossy(loss: f64, more: &str) -> String {
    let mut text = format!(
        "[topology]\nkind = \"leaf-spine\"\nleaves = 2\nhosts_per_leaf = 4\nspines = 2\n\
         {more}\n[cc]\nkind = \"rccc\"\n\
         [[workload]]\nkind = \"incast\"\nfan_in = 7\nreceiver = 7\nsize = \"500KB\"\nat = \"0s\"\n"
    );
    for link in [[0, 8], [7, 9], [8, 10], [8, 11], [9, 10], [9, 11]] {
        text += &format!(
            "[[event]]\nkind = \"link-loss\"\nat = \"0s\"\nlink = {link:?}\nloss = {loss}\n"
        );
    }
    text
}

#[test]
fn flows_end_where_data_acknowledgements_grants_and_requests_are_lost() {
    for recovery in ["go-back-n", "selective", "any-order"] {
        for loss in [0.001, 0.02] {
            let rdma = format!("[rdma]\nrecovery = \"{recovery}\"\nrto_min = \"100us\"");
            let mut cases = vec![format!("{rdma}\n[switch]\npfc = false")];
            if recovery == "any-order" {
                cases.push(format!("{rdma}\n{TRIM}\n[routing]\npolicy = \"random\""));
            }
            for more in cases {
                let (done, simulation) = finished(&lossy(loss, &more), 1);
                assert_eq!(done.len(), 7, "{more}");
                assert!(simulation.counters().link_losses > 0, "{more}");
                let delivered = simulation.endpoint_counters().delivered;
                assert_eq!(delivered, Bytes::new(7 * 500_000), "{more}");
            }
        }
    }
}

#[test]
fn threads_do_not_change_who_is_granted_what() {
    let text = lossy(0.001, &format!("{TRIM}\n[routing]\npolicy = \"random\""));
    let one = finished(&text, 1).0;
    for threads in [2, 3, 8] {
        assert_eq!(finished(&text, threads).0, one, "on {threads} threads");
    }
}

/// The receiver's link is down for as long as all grants that it had to give are lost: nothing is in
/// flight, and only a request of the sender lets it go on.
#[test]
fn a_sender_whose_grants_were_all_lost_asks_again() {
    let text = "[topology]\nkind = \"star\"\nhosts = 2\n[switch]\npfc = false\n\
         [rdma]\nrto_min = \"100us\"\n[cc]\nkind = \"rccc\"\n\
         [[event]]\nkind = \"link-down\"\nlink = [1, 2]\nat = \"100us\"\n\
         [[event]]\nkind = \"link-up\"\nlink = [1, 2]\nat = \"1ms\"\n\
         [[workload]]\nkind = \"incast\"\nfan_in = 1\nreceiver = 1\nsize = \"5MB\"\nat = \"0s\"\n";
    let (done, simulation) = finished(text, 1);
    assert_eq!(done.len(), 1);
    assert!(simulation.counters().link_down_drops > 0);
}

/// Messages of connections: their receivers never know of a last byte.
#[test]
fn connections_are_granted_credit_message_after_message() {
    for more in [TRIM, "", "[routing]\npolicy = \"random\""] {
        let text = format!(
            "[topology]\nkind = \"leaf-spine\"\nleaves = 2\nhosts_per_leaf = 4\nspines = 2\n{more}\n\
             [cc]\nkind = \"rccc\"\n\
             [[workload]]\nkind = \"collective\"\noperation = \"all-to-all\"\nsize = \"8MB\"\n\
             iterations = 3\n"
        );
        let (_, simulation) = finished(&text, 2);
        assert_eq!(simulation.queued_bytes(), Bytes::ZERO);
    }
}

/// What receivers grant is what their port takes: a large incast of flows that end in their first
/// windows is served by what was trimmed, in turns.
#[test]
fn an_incast_of_short_flows_ends_near_the_ideal() {
    let text = format!(
        "[topology]\nkind = \"star\"\nhosts = 101\n{TRIM}\n[rdma]\nmtu = \"4096B\"\n[cc]\nkind = \"rccc\"\n\
         [[workload]]\nkind = \"incast\"\nfan_in = 100\nreceiver = 100\nsize = \"100KB\"\nat = \"0s\"\n"
    );
    let (done, simulation) = finished(&text, 1);
    let last = done.iter().map(|flow| flow.finish).max().unwrap();
    // 10 MB and headers take 810 us at 100 Gbps.
    let us = last.as_secs_f64() * 1e6;
    let counters = simulation.counters();
    println!("{us:.1} us, {} trimmed", counters.trimmed);
    assert!(counters.trimmed > 1_000, "{counters:?}");
    assert!(us < 860.0, "{us}");
}

#[test]
fn what_has_no_room_for_credit_is_refused() {
    let base = "[topology]\nkind = \"star\"\nhosts = 3\n[cc]\nkind = \"rccc\"\n\
         [[workload]]\nkind = \"permutation\"\nsize = \"1MB\"\n";
    let refused = |text: &str| match Scenario::from_toml(text) {
        Ok(_) => panic!("{text} was taken"),
        Err(error) => format!("{error:?}"),
    };
    for text in [
        format!("profile = \"ns3-hpcc\"\n{base}"),
        format!("{base}[[query]]\nvalue = \"hop-latency\"\n"),
    ] {
        let message = refused(&text);
        assert!(message.contains("room for credit"), "{message}");
    }
    let own = "[[workload]]\nkind = \"permutation\"\nsize = \"1MB\"\n\
         cc = { kind = \"rccc\", grant_rate = 0.5 }\n";
    let message = refused(&format!("{base}{own}"));
    assert!(message.contains("one pacer"), "{message}");
    for (key, value) in [
        ("grant_rate", "1.5"),
        ("grant_packets", "0"),
        ("max_window_bdp", "0.0"),
    ] {
        let message = refused(&base.replace("\"rccc\"", &format!("\"rccc\"\n{key} = {value}")));
        assert!(message.contains(key), "{message}");
    }
}

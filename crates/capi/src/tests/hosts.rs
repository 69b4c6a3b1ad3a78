//! Hosts, counted from 0, and their nodes.

use std::fs;

use super::*;

/// Node 1 is a switch, so the hosts are the nodes 0, 2 and 3.
const NETWORK: &str = "4 1 3\n1\n1 0 100Gbps 1us 0\n1 2 100Gbps 1us 0\n1 3 100Gbps 1us 0\n";

#[test]
fn hosts_and_nodes_lead_to_one_another() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("net.txt"), NETWORK).unwrap();
    let scenario = folder.path().join("scenario.toml");
    let text = "[topology]\nkind = \"file\"\npath = \"net.txt\"\n[cc]\nkind = \"hpcc\"\n";
    fs::write(&scenario, text).unwrap();
    let path = CString::new(scenario.to_str().unwrap()).unwrap();
    let mut handle = 0;
    // SAFETY: the path ends with a zero, there are no settings, and the handle has room.
    let code =
        unsafe { fabricsim_open_file(path.as_ptr(), std::ptr::null(), 0, 1, &raw mut handle) };
    assert_eq!(code, FABRICSIM_OK, "{}", last_error());
    let node = |host| {
        let mut node = u32::MAX;
        // SAFETY: there is room.
        let code = unsafe { fabricsim_host_node(handle, host, &raw mut node) };
        (code == FABRICSIM_OK).then_some(node)
    };
    let host = |node| {
        let mut host = u32::MAX;
        // SAFETY: there is room.
        let code = unsafe { fabricsim_node_host(handle, node, &raw mut host) };
        (code == FABRICSIM_OK).then_some(host)
    };
    assert_eq!([0, 1, 2, 3].map(node), [Some(0), Some(2), Some(3), None]);
    assert!(last_error().contains("no host 3"), "{}", last_error());
    assert_eq!(
        [0, 1, 2, 3, 4].map(host),
        [Some(0), None, Some(1), Some(2), None]
    );
    assert!(
        last_error().contains("node 4 is no host"),
        "{}",
        last_error()
    );
    // Messages are between hosts; results are of nodes.
    assert_eq!(send(handle, &message(1, 2, 1_000)), FABRICSIM_OK);
    let delivered = next(handle, u64::MAX).unwrap();
    assert_eq!((delivered.message.src, delivered.message.dst), (1, 2));
    while next(handle, u64::MAX).is_ok() {}
    let flows = folder.path().join("fct.csv");
    let flows_path = CString::new(flows.to_str().unwrap()).unwrap();
    // SAFETY: the path ends with a zero.
    let code = unsafe { fabricsim_write_flows(handle, flows_path.as_ptr()) };
    assert_eq!(code, FABRICSIM_OK);
    let rows = fs::read_to_string(flows).unwrap();
    let row = rows.lines().nth(1).unwrap();
    assert!(row.contains(",2,3,0,1000,"), "{row}");
    assert_eq!(fabricsim_close(handle), FABRICSIM_OK);
}

//! The network, the state and the results of a simulation.

use std::io;

use fabricsim::driver::Message;
use fabricsim::report::{FctRecord, FctWriter};
use fabricsim::units::Duration;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::Simulation;
use crate::error::raise;
use crate::quantity::size;
use crate::session::Caller;
use crate::table::Table;

/// Returns `records` as the text of an fct.csv.
fn csv(py: Python<'_>, records: &[FctRecord]) -> PyResult<String> {
    let write = || -> io::Result<Vec<u8>> {
        let mut rows = Vec::new();
        let mut writer = FctWriter::new(&mut rows)?;
        for record in records {
            writer.write(record)?;
        }
        writer.finish()?;
        Ok(rows)
    };
    Ok(String::from_utf8_lossy(&py.detach(write)?).into_owned())
}

/// Returns `records` as a table with the columns of fct.csv.
fn table(py: Python<'_>, records: &[FctRecord]) -> PyResult<Table> {
    Table::of_text(py, "fct.csv", &csv(py, records)?)
}

#[pymethods]
impl Simulation {
    /// The current time, in picoseconds.
    #[getter]
    fn now(&self) -> PyResult<u64> {
        let session = self.session()?;
        let now = match session.caller()? {
            Caller::Callback(_, now) => now,
            Caller::Outside(engine) => engine.simulation.now(),
        };
        Ok(now.as_ps())
    }

    /// The nodes that are hosts, in order.
    #[getter]
    fn hosts(&self) -> PyResult<Vec<u32>> {
        let session = self.session()?;
        Ok(session.hosts.iter().map(|host| host.0).collect())
    }

    /// The names of the hosts, in the order of their numbers.
    #[getter]
    fn host_names(&self) -> PyResult<Vec<String>> {
        Ok(self.session()?.names.clone())
    }

    /// The node of host `index`, counted from 0.
    fn host_node(&self, index: usize) -> PyResult<u32> {
        let session = self.session()?;
        let node = session.hosts.get(index).map(|node| node.0);
        node.ok_or_else(|| {
            let hosts = session.hosts.len();
            PyIndexError::new_err(format!("host {index} of a network of {hosts} hosts"))
        })
    }

    /// The number of the host, counted from 0, that is this node.
    fn node_host(&self, node: &Bound<'_, PyAny>) -> PyResult<usize> {
        let session = self.session()?;
        let node = session.host("node", node)?;
        let place = session.hosts.binary_search(&node);
        Ok(place.expect("a host that was found is one of the hosts"))
    }

    /// The node of a host.
    fn host(&self, host: &Bound<'_, PyAny>) -> PyResult<u32> {
        Ok(self.session()?.host("host", host)?.0)
    }

    /// Time from the start of a message to its last acknowledgement if the network is idle, in
    /// picoseconds.
    fn ideal_time(
        &self,
        py: Python<'_>,
        src: &Bound<'_, PyAny>,
        dst: &Bound<'_, PyAny>,
        size: &Bound<'_, PyAny>,
    ) -> PyResult<u64> {
        let session = self.session()?;
        let (src, dst) = (session.host("src", src)?, session.host("dst", dst)?);
        let message = Message::new(src, dst, self::size("size", size)?);
        let engine = session.engine()?;
        let now = engine.simulation.now();
        let checked = session.rules.check(&message, now, now);
        checked.map_err(|error| raise(py, error, &[]))?;
        let ideal = engine.simulation.ideal_time(&message);
        let ideal = ideal.ok_or_else(|| PyValueError::new_err("no route leads to `dst`"))?;
        Ok(Duration::as_ps(ideal))
    }

    /// Counts over the whole network.
    fn statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let session = self.session()?;
        let engine = session.engine()?;
        let simulation = &engine.simulation;
        let (network, hosts) = (simulation.counters(), simulation.endpoint_counters());
        let counts: [(&str, u64); 20] = [
            ("flows_started", simulation.flows_started()),
            ("flows_finished", simulation.flows_finished()),
            ("flows_unreachable", simulation.unreachable().len() as u64),
            ("packets", hosts.packets),
            ("packet_hops", network.packet_hops),
            ("wire_bytes", network.wire_bytes.get()),
            ("delivered_bytes", hosts.delivered.get()),
            ("acknowledged_bytes", hosts.acknowledged.get()),
            ("retransmitted_bytes", hosts.retransmitted.get()),
            ("timeouts", hosts.timeouts),
            ("buffer_drops", network.buffer_drops),
            ("queue_drops", network.queue_drops),
            ("trimmed_packets", network.trimmed),
            ("trimmed_headers_lost", network.headers_lost),
            ("link_losses", network.link_losses),
            ("link_down_drops", network.link_down_drops),
            ("no_route_drops", network.no_route),
            ("marked_packets", network.marked),
            ("pfc_pauses", network.pauses),
            ("max_queue_bytes", network.max_queue.get()),
        ];
        let dict = PyDict::new(py);
        for (name, count) in counts {
            dict.set_item(name, count)?;
        }
        Ok(dict)
    }

    /// Properties of the idle network.
    fn network<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let session = self.session()?;
        let engine = session.engine()?;
        let info = engine.simulation.network_info();
        let dict = PyDict::new(py);
        dict.set_item("hosts", info.hosts)?;
        dict.set_item("switches", info.switches)?;
        dict.set_item("links", info.links)?;
        dict.set_item("nic_rate_bps", info.nic_rate.as_bps())?;
        dict.set_item("base_rtt_ps", info.path_stats.base_rtt.as_ps())?;
        dict.set_item("bdp_bytes", info.path_stats.bdp.get())?;
        dict.set_item("longest_path_switches", info.path_stats.switches)?;
        dict.set_item("telemetry_bytes", info.telemetry_bytes)?;
        Ok(dict)
    }

    /// Flows that have started and not ended, and the reason why each waits.
    fn unfinished<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let session = self.session()?;
        let engine = session.engine()?;
        let flows = engine.simulation.unfinished().into_iter().map(|flow| {
            let dict = PyDict::new(py);
            dict.set_item("flow", flow.id.0)?;
            dict.set_item("src", flow.request.src.0)?;
            dict.set_item("dst", flow.request.dst.0)?;
            dict.set_item("size_bytes", flow.request.size.get())?;
            dict.set_item("acknowledged_bytes", flow.acknowledged.get())?;
            dict.set_item("reason", flow.reason)?;
            Ok(dict)
        });
        flows.collect()
    }

    /// The flows that have ended so far, with the columns of fct.csv.
    fn flows(&self, py: Python<'_>) -> PyResult<Table> {
        let session = self.session()?;
        let mut engine = session.engine()?;
        engine.keep_completions();
        table(py, &engine.records)
    }

    /// The text of fct.csv with the flows that have ended so far.
    fn flows_csv(&self, py: Python<'_>) -> PyResult<String> {
        let session = self.session()?;
        let mut engine = session.engine()?;
        engine.keep_completions();
        csv(py, &engine.records)
    }

    /// The flows that have ended since the last call, with the columns of fct.csv.
    fn take_flows(&self, py: Python<'_>) -> PyResult<Table> {
        let session = self.session()?;
        let mut engine = session.engine()?;
        engine.keep_completions();
        let count = engine.records.len();
        let taken = std::mem::replace(&mut engine.taken, count);
        table(py, &engine.records[taken..])
    }
}

//! Lines of htsim's output that its scripts read.

use std::fmt::Write as _;

use fabricsim_base::units::{Bytes, Time};

use super::{ExportError, Exported, Exporter, Results, needed, within};
use crate::read::read_fct;

/// csg-htsim and uet-htsim.
pub(super) struct Htsim;

impl Exporter for Htsim {
    fn name(&self) -> &'static str {
        "htsim"
    }

    fn about(&self) -> &'static str {
        "htsim: htsim.log, the lines of finished flows on its standard output (htsim_eqds)"
    }

    /// Writes lines such as `Flow Eqds_0_13 flowId 1 eqdsSrc 0 finished at 180.128 total packets
    /// 2000 RTS 0 total bytes 2000000`, in the order in which flows finish. Times are in
    /// microseconds, exact to the picosecond, although the original prints six digits. Flows and
    /// senders count from 1 in the order of starts.
    fn export(&self, results: &Results) -> Result<Vec<Exported>, ExportError> {
        const HELP: &str = "run the scenario again: every run writes it";
        let text = needed(results.fct_csv.as_ref(), "fct.csv", HELP)?;
        let mut flows = read_fct(text).map_err(within("fct.csv"))?;
        flows.sort_by_key(|flow| (flow.start, flow.flow));
        let mut numbered: Vec<(usize, _)> = (1..).zip(&flows).collect();
        numbered.sort_by_key(|(number, flow)| (flow.start + flow.fct, *number));
        let payload = results.mtu.unwrap_or(Bytes::new(1_000)).get().max(1);
        let mut out = String::new();
        for (number, flow) in numbered {
            let (src, dst, bytes) = (flow.src.0, flow.dst.0, flow.size.get());
            let at = microseconds(flow.start + flow.fct);
            writeln!(
                out,
                "Flow Eqds_{src}_{dst} flowId {number} eqdsSrc {number} finished at {at} total \
                 packets {} RTS 0 total bytes {bytes}",
                bytes.div_ceil(payload),
            )
            .expect("a text takes all");
        }
        Ok(vec![Exported::new("htsim.log", out)])
    }
}

/// Formats `time` in microseconds without trailing zeros.
fn microseconds(time: Time) -> String {
    const PS: u64 = 1_000_000;
    let (whole, fraction) = (time.as_ps() / PS, time.as_ps() % PS);
    let text = format!("{whole}.{fraction:06}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

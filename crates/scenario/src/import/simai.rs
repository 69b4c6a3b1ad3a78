//! Topologies of SimAI.

use fabricsim_topology::parse_hpcc;

use super::importer::{Importer, InputFile, Job, preamble};
use super::lines::Lines;
use super::{Imported, LeftOut};
use crate::text::error::Error;

/// SimAI's ns-3 front end.
pub(super) struct SimAi;

impl Importer for SimAi {
    fn name(&self) -> &'static str {
        "simai"
    }

    fn about(&self) -> &'static str {
        "SimAI: a topology of gen_Topo_Template.py, with an all-reduce among its GPUs"
    }

    fn recognizes(&self, file: &InputFile) -> bool {
        let first = file.text.trim_start().lines().next().unwrap_or_default();
        let words: Vec<&str> = first.split_whitespace().collect();
        let is_number = |word: &&str| word.parse::<u64>().is_ok();
        words.len() == 6 && words[..5].iter().all(is_number) && !is_number(&words[5])
    }

    fn import(&self, job: &Job) -> Result<Imported, Error> {
        let file = job.only(self);
        let topology = parse_hpcc(&file.text).map_err(|error| file.error(error))?;
        let left_out = vec![
            LeftOut::new(
                "traffic",
                "a topology has none: it is an all-reduce of 64 MB among all GPUs; `fabricsim \
                 import-trace` reads traces of Chakra",
            ),
            LeftOut::new(
                "gpu_type",
                "nothing follows from it: computations are in the workload",
            ),
            LeftOut::new(
                "NVSwitch",
                "where GPUs of a server also share a leaf, SimAI prefers the NVSwitch; here both \
                 paths are equal",
            ),
        ];
        let mut lines = Lines::default();
        preamble(&[file.name()], &left_out, &mut lines);
        lines.text_key("name", &job.name);
        lines.table("[topology]");
        lines.text_key("kind", "file");
        lines.text_key("path", &job.path_in_scenario(&file.path));
        lines.table("[[workload]]");
        lines.text_key("kind", "collective");
        lines.text_key("operation", "all-reduce");
        lines.plain_key("ranks", format!("{}", topology.hosts().len()));
        lines.text_key("size", "64MB");
        lines.table("[cc]");
        lines.text_key("kind", "hpcc");
        let (text, origins) = lines.finish();
        Ok(Imported {
            text,
            left_out,
            source: file.clone(),
            origins,
        })
    }
}

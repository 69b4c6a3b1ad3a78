//! The list of all formats that can be imported.

use super::hpcc::{ConWeave, Hpcc};
use super::htsim::Htsim;
use super::importer::{Importer, InputFile};
use super::simai::SimAi;

/// The importers of all formats.
pub const IMPORTERS: &[&dyn Importer] = &[&Hpcc, &ConWeave, &Htsim, &SimAi];

/// Returns the importer called `name`.
#[must_use]
pub fn importer(name: &str) -> Option<&'static dyn Importer> {
    IMPORTERS.iter().copied().find(|known| known.name() == name)
}

/// Returns the importer that recognizes `file`.
#[must_use]
pub fn importer_of(file: &InputFile) -> Option<&'static dyn Importer> {
    IMPORTERS
        .iter()
        .copied()
        .find(|known| known.recognizes(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_apart_by_what_they_begin_with() {
        let format = |path: &str, text: &str| {
            let file = InputFile {
                path: path.into(),
                text: text.to_owned(),
            };
            importer_of(&file).map(Importer::name)
        };
        let published = "# of mine\nENABLE_QCN 1\nTOPOLOGY_FILE mix/topology.txt\nCC_MODE 3\n";
        assert_eq!(format("config.txt", published), Some("hpcc"));
        let conweave = format!("{published}LB_MODE 0\nENABLE_IRN 0\n");
        assert_eq!(format("config.txt", &conweave), Some("conweave"));
        assert_eq!(
            format("x", "# fat\nNodes 16\nTiers 3\nPodsize 4\n"),
            Some("htsim")
        );
        assert_eq!(
            format("x", "Nodes 2\nConnections 1\n0->1 start 0 size 1\n"),
            Some("htsim")
        );
        assert_eq!(
            format("Rail", "9 2 2 3 10 H100\n4 5 6 7 8\n"),
            Some("simai")
        );
        let simai = "ENABLE_QCN 1\nCC_MODE 1\nMON_START 0\n";
        assert_eq!(format("SimAI.conf", simai), Some("simai"));
        assert_eq!(format("gpt.txt", "MICRO\n1\n"), Some("simai"));
        assert_eq!(format("topology.txt", "3 1 2\n2\n"), None);
        assert_eq!(format("flow.txt", "1\n0 1 3 100 1000 2\n"), None);
        assert_eq!(format("x", ""), None);
    }

    #[test]
    fn names_are_found_again() {
        for known in IMPORTERS {
            let found = importer(known.name()).expect("it is in the list");
            assert_eq!(found.about(), known.about());
        }
        assert!(importer("ns-2").is_none());
    }
}

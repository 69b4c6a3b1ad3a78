//! The parts of a scenario, read from its text one by one.

use std::path::Path;

use fabricsim_core::input::ConfigError;
use fabricsim_core::plugin::Fidelity;
use fabricsim_core::units::Bytes;
use fabricsim_topology::{AnyTopology, BoxedTopology, Topology};
use fabricsim_workload::{
    BoxedWorkload, Expected, FileContent, FileState, FlowTimes, SizeCdf, WorkloadContext,
};
use toml::de::DeTable;

use crate::document::{Document, Section};
use crate::error::Error;
use crate::input_file::{FileKind, read_named};
use crate::kinds::Registry;
use crate::settings::{Keys, Profile};
use crate::wording::suggest;

/// The tables whose keys all have defaults.
pub(super) struct Tables<'d, 'a> {
    pub(super) document: &'d Document<'a>,
    pub(super) root: &'d mut DeTable<'a>,
}

impl Tables<'_, '_> {
    pub(super) fn take<T: serde::de::DeserializeOwned + Default>(
        &mut self,
        name: &str,
        keys: Keys,
        validate: impl Fn(&T) -> Result<(), ConfigError>,
    ) -> Result<T, Error> {
        let Some(section) = self.document.section(self.root, name)? else {
            return Ok(T::default());
        };
        let settings: T = self.document.settings(&section, keys)?;
        validate(&settings).map_err(|error| self.document.refuse(&section, error))?;
        Ok(settings)
    }
}

pub(super) fn read_seed(document: &Document<'_>, root: &mut DeTable<'_>) -> Result<u64, Error> {
    let Some(value) = root.remove("seed") else {
        return Ok(1);
    };
    value
        .get_ref()
        .as_integer()
        .and_then(|integer| u64::from_str_radix(integer.as_str(), integer.radix()).ok())
        .filter(|&seed| i64::try_from(seed).is_ok())
        .ok_or_else(|| {
            document.mistake(
                value.span(),
                "a seed is a whole number from 0 to 2^63 - 1",
                "write it like `seed = 1`",
            )
        })
}

pub(super) fn read_profile(
    document: &Document<'_>,
    root: &mut DeTable<'_>,
) -> Result<Option<Profile>, Error> {
    let Some(value) = root.remove("profile") else {
        return Ok(None);
    };
    match value.get_ref().as_str() {
        Some("ns3-hpcc") => Ok(Some(Profile::Ns3Hpcc)),
        Some(name) => Err(document.mistake(
            value.span(),
            format!("there is no profile `{name}`"),
            suggest(name, Profile::NAMES),
        )),
        None => Err(document.mistake(
            value.span(),
            "a profile is a name in quotes",
            format!("write one of: {}", Profile::NAMES.join(", ")),
        )),
    }
}

pub(super) fn read_topology<'a>(
    document: &Document<'a>,
    root: &mut DeTable<'a>,
    base: &Path,
    registry: &Registry,
) -> Result<(BoxedTopology, Topology), Error> {
    let Some(mut section) = document.section(root, "topology")? else {
        return Err(document.mistake(
            document.text.len()..document.text.len(),
            "the scenario has no [topology] table",
            "add `[topology]` and `kind = \"fat-tree\"`; `fabricsim list` shows all topologies",
        ));
    };
    let config = registry.read_topology(document, &mut section)?;
    let topology = match config.build() {
        Some(built) => built.map_err(|error| document.refuse(&section, error))?,
        None => read_network(document, &section, &*config, base)?,
    };
    Ok((config, topology))
}

/// Reads the file that a topology is in.
fn read_network(
    document: &Document<'_>,
    section: &Section<'_>,
    config: &dyn AnyTopology,
    base: &Path,
) -> Result<Topology, Error> {
    let path = config
        .path()
        .expect("what is not built is read from a file");
    let path = base.join(path);
    let text = read_referenced(document, section, "path", FileKind::TOPOLOGY, &path)?;
    let network = config.read(&text);
    network.map_err(|error| Error::input(&path.display().to_string(), &text, error))
}

/// Reads a file that a section names; one that cannot be read is a mistake at that place of the
/// scenario, one that is no text a mistake in itself.
pub(super) fn read_referenced(
    document: &Document<'_>,
    section: &Section<'_>,
    key: &str,
    kind: FileKind,
    path: &Path,
) -> Result<String, Error> {
    read_named(kind, path, |reason, help| {
        let path = path.display();
        document.mistake(
            Document::place(section, key),
            format!(
                "{}, key `{key}`: cannot read {kind} `{path}`: {reason}",
                section.title
            ),
            help,
        )
    })
}

/// `sizes` that are no built-in algorithm, no size and no file.
pub(super) fn unknown_sizes(document: &Document<'_>, section: &Section<'_>, name: &str) -> Error {
    let wrong = |message: String, help: String| {
        let message = format!("{}, key `sizes`: {message}", section.title);
        document.mistake(Document::place(section, "sizes"), message, help)
    };
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        return match name.parse::<Bytes>() {
            Ok(_) => wrong(
                "flows of zero bytes never end".to_owned(),
                "write a size from 1B up, such as \"500KB\"".to_owned(),
            ),
            Err(error) => wrong(
                error.to_string().replace("; write it like `400KB`", ""),
                "write a size with a unit, such as \"400KB\"".to_owned(),
            ),
        };
    }
    let known = suggest(name, SizeCdf::BUILTIN);
    wrong(
        format!("`{name}` is no built-in flow-size distribution, and there is no such file"),
        format!("{known}; or give a CDF file, relative to the scenario file"),
    )
}

/// The kind of file with such `content`.
pub(super) const fn kind_of(content: FileContent) -> FileKind {
    match content {
        FileContent::Sizes => FileKind::SIZES,
        FileContent::Flows => FileKind::FLOWS,
    }
}

pub(super) fn read_workload<'a>(
    document: &Document<'a>,
    mut section: Section<'a>,
    base: &Path,
    context: &WorkloadContext,
    (fidelity, registry): (Fidelity, &Registry),
) -> Result<(BoxedWorkload, Expected), Error> {
    let mut config = registry.read_workload(document, &mut section)?;
    let times = match fidelity {
        Fidelity::Exact => FlowTimes::Exact,
        Fidelity::Published => FlowTimes::Truncated,
    };
    let missing = (config.file()).filter(|file| file.state == FileState::Missing);
    if let Some(file) = missing {
        let path = base.join(file.path);
        if file.content == FileContent::Sizes && !path.exists() {
            return Err(unknown_sizes(document, &section, file.path));
        }
        let text = read_referenced(document, &section, file.key, kind_of(file.content), &path)?;
        config
            .load(&text, context, times)
            .map_err(|error| Error::input(&path.display().to_string(), &text, error))?;
    }
    let expected = config
        .expected(context)
        .map_err(|error| document.refuse(&section, error))?;
    Ok((config, expected))
}

//! Reads the `[[workload]]` tables.

use std::path::Path;

use fabricsim_core::input::{ConfigError, split_example};
use fabricsim_core::plugin::quirks::TimeUnit;
use fabricsim_core::units::Bytes;
use fabricsim_workload::{
    AnyWorkload, BoxedWorkload, Expected, FileContent, FileState, FlowTimes, SizeCdf,
    WorkloadContext,
};

use crate::kinds::Registry;
use crate::read::referenced::read_referenced;
use crate::text::document::{Document, Section};
use crate::text::error::Error;
use crate::text::file_kind::FileKind;
use crate::text::messages::suggest;

/// Reads a `[[workload]]` table, with the file that it names; says what it is expected to send.
pub(crate) fn read_workload<'a>(
    document: &Document<'a>,
    mut section: Section<'a>,
    base: &Path,
    context: &WorkloadContext,
    times: TimeUnit,
    registry: &Registry,
) -> Result<(BoxedWorkload, Expected), Error> {
    let mut config = registry.read_workload(document, &mut section)?;
    let refuse = |error| document.refuse(&section, error);
    let expected = load_workload(&mut *config, base, context, times, &refuse)?;
    Ok((config, expected))
}

/// Reads the file that `config` names, relative to `base`, and says what the workload is expected
/// to send; `refuse` makes the error of a key.
pub(crate) fn load_workload(
    config: &mut dyn AnyWorkload,
    base: &Path,
    context: &WorkloadContext,
    times: TimeUnit,
    refuse: &dyn Fn(ConfigError) -> Error,
) -> Result<Expected, Error> {
    let times = match times {
        TimeUnit::Picosecond => FlowTimes::Exact,
        TimeUnit::Nanosecond => FlowTimes::Truncated,
    };
    let missing = config
        .file()
        .filter(|file| file.state == FileState::Missing);
    if let Some(file) = missing {
        let path = base.join(file.path);
        if file.content == FileContent::Sizes && !path.exists() {
            return Err(refuse(unknown_sizes(file.path)));
        }
        let text = read_referenced(file.key, FileKind::of(file.content), &path, refuse)?;
        config
            .load(&text, context, times)
            .map_err(|error| Error::input(&path.display().to_string(), &text, error))?;
    }
    config.expected(context).map_err(refuse)
}

/// Says what is wrong with `sizes` that are no built-in distribution, no size and no file.
fn unknown_sizes(name: &str) -> ConfigError {
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        return match name.parse::<Bytes>() {
            Ok(_) => ConfigError::new(
                "sizes",
                "flows of zero bytes never end",
                "write a size from 1B up, such as \"500KB\"",
            ),
            Err(error) => ConfigError::new(
                "sizes",
                split_example(&error.to_string()).0,
                "write a size with a unit, such as \"400KB\"",
            ),
        };
    }
    let known = suggest(name, SizeCdf::BUILTIN);
    ConfigError::new(
        "sizes",
        format!("unknown flow-size distribution `{name}` (not built in, and no such file)"),
        format!("{known}; or give a CDF file, relative to the scenario file"),
    )
}

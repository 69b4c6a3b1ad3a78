//! Reads the files that a `[[workload]]` table names.

use std::path::Path;

use fabricsim_base::input::{ConfigError, split_example};
use fabricsim_base::units::Bytes;
use fabricsim_core::plugin::quirks::TimeUnit;
use fabricsim_workload::{
    AnyWorkload, Expected, FileContent, FileState, FlowTimes, NamedFile, SizeCdf, WorkloadContext,
};

use crate::read::referenced::{read_flows, read_graph, read_referenced};
use crate::schema::part::Reason;
use crate::text::error::Error;
use crate::text::file_kind::FileKind;
use crate::text::messages::suggest;

/// Reads the files that `config` names, relative to `base`, and returns the expected traffic of the
/// workload.
///
/// # Errors
/// Fails at the first invalid key, and at the first error in a file.
pub(crate) fn load_workload(
    config: &mut dyn AnyWorkload,
    base: &Path,
    context: &WorkloadContext,
    times: TimeUnit,
) -> Result<Expected, Reason> {
    let times = match times {
        TimeUnit::Picosecond => FlowTimes::Exact,
        TimeUnit::Nanosecond => FlowTimes::Truncated,
    };
    let missing = |file: &NamedFile<'_>| file.state == FileState::Missing;
    if let Some(file) = config.profile().filter(missing) {
        let path = base.join(file.path);
        let text = read_referenced(file.key, FileKind::of(file.content), &path)?;
        (config.load_profile(&text))
            .map_err(|error| Error::input(&path.display().to_string(), &text, error))?;
    }
    if let Some(file) = config.file().filter(missing) {
        let path = base.join(file.path);
        if file.content == FileContent::Sizes && !path.exists() {
            return Err(Reason::Key(unknown_sizes(file.key, file.path)));
        }
        let text = match file.content {
            FileContent::Graph => read_graph(file.key, &path)?,
            FileContent::Flows => read_flows(file.key, &path)?,
            content => read_referenced(file.key, FileKind::of(content), &path)?,
        };
        config
            .load(&text, context, times)
            .map_err(|error| Error::input(&path.display().to_string(), &text, error))?;
    }
    Ok(config.expected(context)?)
}

/// Returns the error for the sizes `name` of `key` if they are neither a built-in distribution nor
/// a size nor a file.
fn unknown_sizes(key: &'static str, name: &str) -> ConfigError {
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        return match name.parse::<Bytes>() {
            Ok(_) => ConfigError::new(
                key,
                "flows of zero bytes never end",
                "write a size from 1B up, such as \"500KB\"",
            ),
            Err(error) => {
                let error = error.to_string();
                let (what, example) = split_example(&error);
                let example = example.unwrap_or("400KB").replace('`', "\"");
                ConfigError::new(key, what, format!("write a size such as \"{example}\""))
            }
        };
    }
    let known = suggest(name, SizeCdf::BUILTIN);
    ConfigError::new(
        key,
        format!("unknown flow-size distribution `{name}` (not built in, and no such file)"),
        format!("{known}; or give a CDF file, relative to the scenario file"),
    )
}

//! `fabricsim import`.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use fabricsim::outcome::write_whole;
use fabricsim::{Error, Scenario};
use fabricsim_core::input::InputError;
use fabricsim_core::units::Rate;
use fabricsim_scenario::import::{Configuration, Imported, Surroundings, read_trace_nodes};
use fabricsim_scenario::kinds::Registry;
use fabricsim_scenario::schema::name::is_plain;
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;
use fabricsim_topology::parse_hpcc;

use crate::console::{note, pour};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim import config.txt > mine.toml           paths in it start from this folder
  fabricsim import config.txt -o runs/mine.toml     paths in it start from runs
  fabricsim import mix/config.txt --base .          where run.py wrote it, in its folder
  fabricsim import config.txt | fabricsim run - --out results/mine

Reads a config.txt of the published HPCC simulator, and the files that it names, and writes a
scenario with its profile. Keys that are left out are listed with the reason, in the scenario and on
the standard error. Of a value that cannot be taken over, the line and a suggested fix are shown.

Exit codes: 0 done, 2 bad input, 1 the file cannot be written.")]
pub(crate) struct ImportArgs {
    /// The configuration: a config.txt
    pub(crate) config: PathBuf,

    /// Folder that paths in the configuration start from [default: that of the configuration]
    #[arg(long, value_name = "DIR")]
    pub(crate) base: Option<PathBuf>,

    /// File of the scenario [default: the standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

pub(crate) fn import(args: &ImportArgs, registry: &Registry) -> Result<ExitCode, Error> {
    let text = read_text(FileKind::CONFIGURATION, &args.config)?;
    let source = args.config.display().to_string();
    let at = |error: InputError| Error::input(&source, &text, error);
    let config = Configuration::parse(&text).map_err(at)?;
    let places = Places::new(args);
    for key in ["TOPOLOGY_FILE", "FLOW_FILE"] {
        if let Some((file, span)) = config.file(key) {
            let path = places.base.join(file);
            if !path.exists() {
                return Err(at(InputError::new(
                    span,
                    format!("{key}: there is no file `{}`", path.display()),
                    "give the folder that its paths start from with --base (where run.py runs, for \
                     a configuration that it wrote)",
                )));
            }
        }
    }
    let (rates, traced) = network(&config, &places, &at)?;
    let imported = config
        .to_scenario(&Surroundings {
            name: &name(&args.config),
            source: &source,
            path: &|file| places.path(file),
            rates: &rates,
            traced: &traced,
        })
        .map_err(at)?;
    let target = args
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from("scenario"));
    let loaded = target.display().to_string();
    let scenario = Scenario::from_text_with(&loaded, &imported.text, &places.folder, &[], registry);
    scenario.map_err(|error| in_configuration(error, &imported, &loaded, &at))?;
    match &args.out {
        Some(path) => write_whole(path, |file| file.write_all(imported.text.as_bytes()))?,
        None => pour(&imported.text)?,
    }
    for left_out in &imported.left_out {
        note!(
            "left out: {}: {}",
            left_out.keys.join(", "),
            left_out.reason
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// The rates of the network's links, and the nodes that the configuration traces.
fn network(
    config: &Configuration<'_>,
    places: &Places,
    at: &impl Fn(InputError) -> Error,
) -> Result<(Vec<Rate>, Vec<u32>), Error> {
    let read = |kind, file: &str| {
        let path = places.base.join(file);
        Ok((read_text(kind, &path)?, path.display().to_string()))
    };
    let mut rates = BTreeSet::new();
    let mut nodes = 0;
    // That it is missing is said where it is needed.
    if let Some((file, _)) = config.file("TOPOLOGY_FILE") {
        let (text, name) = read(FileKind::TOPOLOGY, file)?;
        let topology = parse_hpcc(&text).map_err(|error| Error::input(&name, &text, error))?;
        rates.extend(topology.rates());
        nodes = u32::try_from(topology.len()).unwrap_or(u32::MAX);
    }
    let mut traced = Vec::new();
    if let Some((file, _)) = config.trace_file().map_err(at)? {
        let (text, name) = read(FileKind::TRACE, file)?;
        let read = read_trace_nodes(&text, nodes);
        traced = read.map_err(|error| Error::input(&name, &text, error))?;
    }
    Ok((rates.into_iter().collect(), traced))
}

/// Returns the error of the scenario `loaded` at the place of the configuration where it comes
/// from.
fn in_configuration(
    error: Error,
    imported: &Imported,
    loaded: &str,
    at: &impl Fn(InputError) -> Error,
) -> Error {
    let place = error.diagnostic().and_then(|found| {
        let span = imported.origin(found.line())?;
        (found.source_name() == loaded)
            .then(|| at(InputError::new(span, found.message(), found.help())))
    });
    place.unwrap_or(error)
}

/// The name of the scenario: that of the configuration or, for a plain `config.txt`, of its folder.
fn name(config: &Path) -> String {
    let whole = config.canonicalize();
    let path = whole.as_deref().unwrap_or(config);
    let stem = path.file_stem().filter(|stem| *stem != "config");
    let name = stem.or_else(|| path.parent().and_then(Path::file_name));
    let name = name.map(|name| name.to_string_lossy().into_owned());
    name.filter(|name| is_plain(name))
        .unwrap_or_else(|| "imported".to_owned())
}

/// Folders that paths start from.
struct Places {
    /// Of the configuration.
    base: PathBuf,
    /// Of the scenario.
    folder: PathBuf,
}

impl Places {
    fn new(args: &ImportArgs) -> Self {
        let folder = |path: &Path| match path.parent() {
            Some(folder) if folder != Path::new("") => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        Self {
            base: args.base.clone().unwrap_or_else(|| folder(&args.config)),
            folder: args
                .out
                .as_deref()
                .map_or_else(|| PathBuf::from("."), folder),
        }
    }

    /// The path in the scenario of a file of the configuration: relative, where both are in one
    /// tree.
    fn path(&self, file: &str) -> String {
        let path = self.base.join(file);
        let whole = (path.canonicalize().ok()).zip(self.folder.canonicalize().ok());
        let relative = whole.and_then(|(path, folder)| relative(&path, &folder));
        relative.unwrap_or(path).display().to_string()
    }
}

/// `path` as seen from `folder`; nothing where they share no more than the root.
fn relative(path: &Path, folder: &Path) -> Option<PathBuf> {
    let shared = path
        .components()
        .zip(folder.components())
        .take_while(|(a, b)| a == b)
        .count();
    let is_named = |part: Component<'_>| matches!(part, Component::Normal(_));
    if !path.components().take(shared).any(is_named) {
        return path.strip_prefix(folder).ok().map(Path::to_owned);
    }
    let up = folder
        .components()
        .skip(shared)
        .map(|_| Component::ParentDir);
    Some(up.chain(path.components().skip(shared)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_where_they_share_a_folder() {
        let seen = |path: &str, folder: &str| relative(Path::new(path), Path::new(folder));
        assert_eq!(seen("/a/b/c.txt", "/a/b"), Some("c.txt".into()));
        assert_eq!(seen("/a/b/c.txt", "/a/d/e"), Some("../../b/c.txt".into()));
        assert_eq!(seen("/a/b/c.txt", "/d"), None);
        assert_eq!(seen("/c.txt", "/"), Some("c.txt".into()));
    }
}

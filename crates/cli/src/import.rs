//! `fabricsim import`.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use fabricsim::identity::input_files;
use fabricsim::output::{refuse_input, write_whole};
use fabricsim::{Error, Scenario};
use fabricsim_base::input::InputError;
use fabricsim_scenario::import::{
    IMPORTERS, Imported, Importer, InputFile, Job, UnknownKeys, importer, importer_of,
};
use fabricsim_scenario::kinds::Registry;
use fabricsim_scenario::schema::name::is_plain;
use fabricsim_scenario::text::file_kind::FileKind;

use crate::console::{note, output, pour};
use crate::offered::Offered;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fabricsim import config.txt > mine.toml           with paths relative to this folder
  fabricsim import mix -o mine.toml                 the folder of the published simulator
  fabricsim import mix/config.txt --base .          if run.py of this folder wrote it
  fabricsim import fat_tree.topo perm.cm -o perm.toml
  fabricsim import config.txt | fabricsim run - --out results/mine

Reads files of other simulators, and the files that they name, and writes a scenario. Settings
that a scenario cannot have are listed with the reason, in the scenario and on the standard error.
Unsupported values and unknown keys are errors with a line and a suggested fix. To run another
scheme with the values of the same file: fabricsim run mine.toml --cc dcqcn.

Exit codes: 0 done, 2 bad input, 1 the file cannot be written.")]
pub(crate) struct ImportArgs {
    /// Files of one simulator, or a folder with them
    #[arg(required_unless_present = "list", value_name = "FILE|DIR")]
    pub(crate) inputs: Vec<PathBuf>,

    /// Format of the files: see --list [default: recognized by their first lines]
    #[arg(long, value_name = "NAME", value_parser = offered(), hide_possible_values = true)]
    pub(crate) format: Option<String>,

    /// Folder to which paths in the files are relative [default: the folder of the configuration,
    /// or the nearest parent folder in which the files exist]
    #[arg(long, value_name = "DIR")]
    pub(crate) base: Option<PathBuf>,

    /// Skip keys that the simulator does not read, as the simulator does, and list them
    #[arg(long)]
    pub(crate) ignore_unknown: bool,

    /// Write the scenario into this file [default: the standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Print the formats
    #[arg(long)]
    pub(crate) list: bool,
}

/// Offers the names of all formats.
fn offered() -> Offered {
    Offered::new(IMPORTERS.iter().map(|known| known.name()))
}

pub(crate) fn import(args: &ImportArgs, registry: &Registry) -> Result<ExitCode, Error> {
    if args.list {
        output(&list())?;
        return Ok(ExitCode::SUCCESS);
    }
    let asked = args.format.as_deref().map(named).transpose()?;
    let (importer, files) = choose(&args.inputs, asked)?;
    let job = Job {
        name: name(&args.inputs[0], &files[0].path),
        files,
        base: args.base.clone(),
        folder: match &args.out {
            Some(out) => folder_of(out),
            None => PathBuf::from("."),
        },
        unknown: match args.ignore_unknown {
            true => UnknownKeys::PassedOver,
            false => UnknownKeys::Refused,
        },
    };
    let imported = importer.import(&job)?;
    let target = args
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from("scenario"));
    let loaded = target.display().to_string();
    let scenario = Scenario::from_text_with(&loaded, &imported.text, &job.folder, &[], registry);
    let scenario = scenario.map_err(|error| in_source(error, &imported, &loaded))?;
    if let Some(out) = &args.out {
        let files = job.files.iter().map(|file| file.path.clone());
        refuse_input(out, files.chain(input_files(&scenario)))?;
    }
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

/// Returns a line for each format: its name and its files.
fn list() -> String {
    IMPORTERS.iter().fold(String::new(), |mut text, known| {
        let written = writeln!(text, "{:<10} {}", known.name(), known.about());
        written.expect("a text takes all");
        text
    })
}

/// Returns the importer that `--format` names.
fn named(name: &str) -> Result<&'static dyn Importer, Error> {
    importer(name).ok_or_else(|| {
        let names: Vec<&str> = IMPORTERS.iter().map(|known| known.name()).collect();
        Error::Unsupported {
            scenario: "--format".to_owned(),
            message: format!("there is no format `{name}`"),
            help: format!("write one of: {}", names.join(", ")),
        }
    })
}

/// Reads `inputs`, or the files of a folder that have a known format, and returns their importer.
fn choose(
    inputs: &[PathBuf],
    asked: Option<&'static dyn Importer>,
) -> Result<(&'static dyn Importer, Vec<InputFile>), Error> {
    let (files, folder) = match inputs {
        [folder] if folder.is_dir() => (in_folder(folder, asked)?, Some(folder)),
        _ => {
            let files = inputs.iter().map(|path| InputFile::read(path));
            (files.collect::<Result<Vec<_>, _>>()?, None)
        }
    };
    if let Some(folder) = folder
        && files.is_empty()
    {
        return Err(Error::Unsupported {
            scenario: folder.display().to_string(),
            message: "no file in this folder has a known format".to_owned(),
            help: "`fabricsim import --list` prints the formats; name the file".to_owned(),
        });
    }
    let found = files.iter().find_map(importer_of);
    let Some(importer) = asked.or(found) else {
        return Err(files[0].error(InputError::new(
            0..0,
            "the beginning of this file matches no known format",
            "`fabricsim import --list` prints the formats; choose one with --format",
        )));
    };
    Ok((importer, files))
}

/// Returns the files of `folder` that make up a scenario: all of one format, and one of each kind.
fn in_folder(folder: &Path, asked: Option<&'static dyn Importer>) -> Result<Vec<InputFile>, Error> {
    let unreadable = |source| Error::Read {
        kind: FileKind::CONFIGURATION,
        path: folder.to_owned(),
        source,
    };
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_file() {
            paths.push(path);
        }
    }
    paths.sort();
    // Other files in the folder may be anything: traces, results, binary files.
    let files = paths.iter().filter_map(|path| InputFile::read(path).ok());
    let is_of = |file: &InputFile| match asked {
        Some(importer) => importer.recognizes(file),
        None => importer_of(file).is_some(),
    };
    let files: Vec<InputFile> = files.filter(is_of).collect();
    let is_config = |file: &&InputFile| file.path.file_name().is_some_and(|it| it == "config.txt");
    if let Some(config) = files.iter().find(is_config) {
        return Ok(vec![config.clone()]);
    }
    let ends: Vec<_> = files.iter().map(|file| file.path.extension()).collect();
    let several = |(at, end): (usize, &Option<_>)| ends[..at].contains(end);
    if ends.iter().enumerate().any(several) {
        let names: Vec<String> = files.iter().map(InputFile::name).collect();
        return Err(Error::Unsupported {
            scenario: folder.display().to_string(),
            message: format!("several files can be imported: {}", names.join(", ")),
            help: "name one of them".to_owned(),
        });
    }
    Ok(files)
}

/// Moves an error of the scenario `loaded` to the line of the source file that produced it.
fn in_source(error: Error, imported: &Imported, loaded: &str) -> Error {
    let place = error.diagnostic().and_then(|found| {
        let error = imported.error_in_source(found.line(), found.message(), found.help())?;
        (found.source_name() == loaded).then(|| imported.source.error(error))
    });
    place.unwrap_or(error)
}

/// Returns the name of the scenario: the name of the given folder or file. For a file called
/// `config.txt` it is the name of its folder.
fn name(input: &Path, file: &Path) -> String {
    let path = if input.is_dir() { input } else { file };
    let whole = path.canonicalize();
    let path = whole.as_deref().unwrap_or(path);
    let stem = path.file_stem().filter(|stem| *stem != "config");
    let name = stem.or_else(|| path.parent().and_then(Path::file_name));
    let name = name.map(|name| name.to_string_lossy().into_owned());
    name.filter(|name| is_plain(name))
        .unwrap_or_else(|| "imported".to_owned())
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

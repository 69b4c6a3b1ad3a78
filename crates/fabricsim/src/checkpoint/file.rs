//! The format of a checkpoint: a heading with the version, the parts, and a checksum of the whole.

use std::io::Write as _;
use std::path::Path;
use std::sync::OnceLock;

use fabricsim_base::checkpoint::{LoadError, Reader, Stored, Writer};
use fabricsim_base::units::Time;
use fabricsim_report::Checksum;
use fabricsim_scenario::Scenario;
use fabricsim_scenario::kinds::Registry;
use fabricsim_scenario::scenario::ScenarioText;
use fabricsim_scenario::text::error::Error;
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_bytes;
use fabricsim_scenario::text::overrides;

use super::Checkpoint;
use crate::output::write_whole;

/// The first bytes of each checkpoint.
const HEADING: &[u8] = b"fabricsim checkpoint\n";

/// The version of the contents. It must grow whenever a type saves different state.
const FORMAT: u64 = 19;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Bytes of the checksum at the end.
const CHECKSUM_BYTES: usize = 8;

/// The reason why bytes are not a checkpoint of this program.
enum Flaw {
    Heading,
    Version(String),
    Checksum,
    Content(LoadError),
}

impl From<LoadError> for Flaw {
    fn from(error: LoadError) -> Self {
        Self::Content(error)
    }
}

impl Flaw {
    fn of(self, subject: &str) -> Error {
        let (message, help) = match self {
            Self::Heading => (
                "it is not a checkpoint of fabricsim".to_owned(),
                "give a file written by `fabricsim run --checkpoint-at`",
            ),
            Self::Version(version) => (
                format!(
                    "it was written by fabricsim {version}, and this is {VERSION} (format {FORMAT})"
                ),
                "continue with that version, or write the checkpoint again",
            ),
            Self::Checksum => (
                "it is truncated or altered: its checksum is wrong".to_owned(),
                "write it again, or copy it again",
            ),
            Self::Content(error) => (
                format!("it cannot be understood: {error}"),
                "continue with the build of fabricsim that wrote it, or write it again",
            ),
        };
        Error::Unsupported {
            scenario: subject.to_owned(),
            message,
            help: help.to_owned(),
        }
    }
}

/// Returns the checksum of `bytes`, in eight bytes.
fn checksum(bytes: &[u8]) -> [u8; CHECKSUM_BYTES] {
    Checksum::of(bytes).value().to_le_bytes()
}

impl Checkpoint {
    /// Returns the checkpoint as bytes, with its version and a checksum.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let Self {
            time,
            identity,
            state,
            results,
            checksum: _,
        } = self;
        let mut out = Writer::default();
        out.bytes(HEADING);
        FORMAT.store(&mut out);
        VERSION.to_owned().store(&mut out);
        time.store(&mut out);
        out.section(|out| identity.store(out));
        out.section(|out| out.bytes(state));
        results.is_some().store(&mut out);
        if let Some(results) = results {
            out.section(|out| out.bytes(results));
        }
        let mut bytes = out.finish().expect("nothing of it is refused");
        let sum = checksum(&bytes);
        bytes.extend_from_slice(&sum);
        bytes
    }

    /// Reads the checkpoint from `bytes` of [`Self::to_bytes`].
    ///
    /// # Errors
    /// Fails if it is of another version, truncated or altered.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        Self::parse(bytes).map_err(|flaw| flaw.of("the checkpoint"))
    }

    fn parse(bytes: &[u8]) -> Result<Self, Flaw> {
        if !bytes.starts_with(HEADING) {
            return Err(Flaw::Heading);
        }
        let sum = bytes.len().saturating_sub(CHECKSUM_BYTES);
        let (content, sum) = bytes.split_at(sum);
        // The version is read first, because the rest may have another format in another version.
        let mut input = Reader::new(content.get(HEADING.len()..).unwrap_or_default());
        let version = || -> Result<_, LoadError> {
            let format = u64::fetch(&mut input)?;
            Ok((format, String::fetch(&mut input)?))
        }();
        let (format, version) = version.map_err(|_| Flaw::Checksum)?;
        if checksum(content) != sum {
            return Err(Flaw::Checksum);
        }
        if format != FORMAT || version != VERSION {
            return Err(Flaw::Version(format!("{version} (form {format})")));
        }
        let time = Time::fetch(&mut input)?;
        let identity = input.section("scenario", Stored::fetch)?;
        let state = input.take_section()?.to_vec();
        let results = match bool::fetch(&mut input)? {
            true => Some(input.take_section()?.to_vec()),
            false => None,
        };
        input.end()?;
        Ok(Self {
            time,
            identity,
            state,
            results,
            checksum: OnceLock::new(),
        })
    }

    /// Writes the checkpoint to a temporary file beside `path`, and renames it when it is complete.
    /// Returns its size in bytes.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn write(&self, path: &Path) -> Result<u64, Error> {
        let bytes = self.to_bytes();
        write_whole(path, |file| file.write_all(&bytes))?;
        Ok(bytes.len() as u64)
    }

    /// Reads the checkpoint at `path`.
    ///
    /// # Errors
    /// Fails if it cannot be read, is of another version, truncated or altered.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let bytes = read_bytes(FileKind::CHECKPOINT, path)?;
        Self::parse(&bytes).map_err(|flaw| flaw.of(&path.display().to_string()))
    }

    /// Returns the text of the checkpoint's scenario.
    ///
    /// # Errors
    /// Fails if there is none, because a program has built the scenario.
    pub fn text(&self) -> Result<&ScenarioText, Error> {
        let text = self.identity.text.as_ref();
        text.ok_or_else(|| Error::Unsupported {
            scenario: "the checkpoint".to_owned(),
            message: "its scenario was built by a program and has no text".to_owned(),
            help: "restore it in that program, by `Simulation::restore`".to_owned(),
        })
    }

    /// Reads the checkpoint's scenario, changed by `overrides` (`key=value`), with the kinds of
    /// `registry`.
    ///
    /// # Errors
    /// Fails if the checkpoint has no text, because a program has built its scenario; if a file of
    /// the scenario is missing or has changed; and as [`Scenario::from_text`].
    pub fn scenario(&self, overrides: &[String], registry: &Registry) -> Result<Scenario, Error> {
        let ScenarioText {
            source,
            text,
            folder,
        } = self.text()?;
        let changed = match overrides.is_empty() {
            true => text.clone(),
            false => overrides::apply(source, text, overrides)?,
        };
        let scenario = Scenario::from_text_with(source, &changed, folder, &[], registry)?;
        self.changes(&scenario).map(|_| scenario)
    }
}

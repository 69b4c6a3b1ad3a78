//! The checkpoint from which all points of a sweep continue.

use std::path::{Path, PathBuf};

use fabricsim::checkpoint::Checkpoint;
use fabricsim_scenario::scenario::Scenario;
use fabricsim_scenario::text::document::Document;
use fabricsim_scenario::text::error::Error;
use toml::de::{DeTable, DeValue};

use super::keys::FROM;

/// A checkpoint, and its file.
#[derive(Debug)]
pub struct WarmStart {
    path: PathBuf,
    checkpoint: Checkpoint,
}

impl WarmStart {
    /// Reads the checkpoint that the sweep in `document` names, if any. Its path is relative to
    /// `folder`.
    ///
    /// # Errors
    /// If it cannot be read, is of another version, truncated or altered.
    pub(super) fn read(
        document: &Document<'_>,
        root: &DeTable<'_>,
        folder: &Path,
    ) -> Result<Option<Self>, Error> {
        let Some(named) = root.get(FROM) else {
            return Ok(None);
        };
        let DeValue::String(path) = named.get_ref() else {
            return Err(document.diagnostic(
                named.span(),
                format!("`{FROM}` is the path of a checkpoint"),
                "write it like `from = \"warm.checkpoint\"`",
            ));
        };
        let path = folder.join(&**path);
        let checkpoint = Checkpoint::read(&path);
        let checkpoint = checkpoint.map_err(|error| at_place(document, named.span(), error))?;
        Ok(Some(Self { path, checkpoint }))
    }

    /// Returns the file of the checkpoint.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the checkpoint.
    #[must_use]
    pub const fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// Checks that `scenario` can continue from the checkpoint. If a setting contradicts the
    /// checkpoint, `place` returns the setting's place in `document`, if it has one.
    ///
    /// # Errors
    /// If a setting or a file contradicts the simulated past.
    pub(super) fn check(
        &self,
        document: &Document<'_>,
        scenario: &Scenario,
        place: impl FnOnce(&str) -> Option<std::ops::Range<usize>>,
    ) -> Result<(), Error> {
        self.checkpoint.check(scenario).map_err(|contradiction| {
            let place = contradiction.key().and_then(place);
            let error = contradiction.into_error();
            match place {
                Some(place) => at_place(document, place, error),
                None => error,
            }
        })
    }
}

/// Moves `error` to `place`.
fn at_place(document: &Document<'_>, place: std::ops::Range<usize>, error: Error) -> Error {
    match error {
        Error::Unsupported {
            scenario,
            message,
            help,
        } => document.diagnostic(place, format!("{scenario}: {message}"), help),
        Error::Read { kind, path, source } => document.diagnostic(
            place,
            format!("cannot read {kind} `{}`: {source}", path.display()),
            "give a file written by `fabricsim run --checkpoint-at`; its path is relative to \
             the sweep file",
        ),
        other => other,
    }
}

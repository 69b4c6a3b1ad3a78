//! Source of a sweep's base scenario.

use std::path::{Path, PathBuf};

use fabricsim_base::input::Key;
use toml::de::{DeTable, DeValue};

use super::SweepInput;
use super::keys::{FROM, SWEEP_KEYS};
use super::warm::WarmStart;
use fabricsim_scenario::text::document::Document;
use fabricsim_scenario::text::error::Error;
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_named;
use fabricsim_scenario::text::overrides;

/// The place of the base scenario.
pub(super) enum Base {
    /// In a separate text.
    Apart {
        source: String,
        text: String,
        folder: PathBuf,
    },
    /// In the table `scenario` of the sweep. The text may include changes.
    Within { source: String, text: String },
}

/// The base scenario, and the checkpoint from which it continues, if any.
pub(super) struct FoundBase {
    pub(super) base: Base,
    pub(super) warm_start: Option<WarmStart>,
}

/// Finds the base scenario of the sweep in `text`, or the checkpoint that contains it, and applies
/// the changes of `input`.
pub(super) fn find_base(
    source: &str,
    text: &str,
    folder: &Path,
    input: &SweepInput,
) -> Result<FoundBase, Error> {
    let document = Document::new(source, text);
    let root = document.parse()?;
    document.refuse_unknown("a sweep", &root, &Key::names(SWEEP_KEYS))?;
    let warm_start = WarmStart::read(&document, &root, folder)?;
    let base = match &warm_start {
        Some(warm) => base_of_checkpoint(&document, &root, warm, input)?,
        None => base_of_text(&document, &root, folder, input)?,
    };
    Ok(FoundBase { base, warm_start })
}

/// Returns the scenario in a checkpoint.
fn base_of_checkpoint(
    document: &Document<'_>,
    root: &DeTable<'_>,
    warm: &WarmStart,
    input: &SweepInput,
) -> Result<Base, Error> {
    let scenario = root.get("scenario").map(toml::Spanned::span);
    let base = input.base.as_ref().map(|_| 0..0);
    if let Some(place) = scenario.or(base) {
        return Err(document.diagnostic(
            place,
            format!(
                "the sweep has a base scenario, and `{FROM}` names a checkpoint, which holds one"
            ),
            format!(
                "leave out one of them: with `{FROM}`, axes change the scenario of the checkpoint"
            ),
        ));
    }
    let text = warm.checkpoint().text()?;
    Base::apart(&text.source, &text.text, &text.folder, &input.overrides)
}

/// Returns the scenario that the sweep names or contains, or the one in `input`.
fn base_of_text(
    document: &Document<'_>,
    root: &DeTable<'_>,
    folder: &Path,
    input: &SweepInput,
) -> Result<Base, Error> {
    let (source, text) = (document.name, document.text);
    let named = root.get("scenario");
    let place = named.map_or(text.len()..text.len(), toml::Spanned::span);
    match (&input.base, named.map(|named| named.get_ref())) {
        (Some(base), _) => Base::apart(&base.source, &base.text, folder, &input.overrides),
        (None, Some(DeValue::String(path))) => {
            let path = folder.join(&**path);
            let name = path.display().to_string();
            let text = read_named(FileKind::BASE, &path, |reason, help| {
                let message = format!("cannot read the base scenario `{name}`: {reason}");
                document.diagnostic(place, message, help)
            })?;
            Base::apart(
                &name,
                &text,
                path.parent().unwrap_or(folder),
                &input.overrides,
            )
        }
        (None, Some(DeValue::Table(_))) => Base::within(source, text, &input.overrides),
        (None, other) => {
            let message = match other {
                None => "the sweep has no base scenario",
                Some(_) => "`scenario` is the path of a scenario file, or a table",
            };
            let help = "write `scenario = \"base.toml\"` before the first table, or the scenario \
                        itself below `[scenario]`; or name a checkpoint by `from`";
            Err(document.diagnostic(place, message, help))
        }
    }
}

impl Base {
    fn apart(source: &str, text: &str, folder: &Path, overrides: &[String]) -> Result<Self, Error> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        // Broken TOML is reported at its place in the file.
        Document::new(source, text).parse()?;
        let (source, text) = changed(source, text, overrides)?;
        let folder = folder.to_owned();
        Ok(Self::Apart {
            source,
            text,
            folder,
        })
    }

    fn within(source: &str, text: &str, overrides: &[String]) -> Result<Self, Error> {
        let within: Vec<String> = overrides
            .iter()
            .map(|change| format!("scenario.{change}"))
            .collect();
        let (source, text) = changed(source, text, &within)?;
        Ok(Self::Within { source, text })
    }
}

/// Returns the name and the text after the changes of `--set`.
fn changed(source: &str, text: &str, overrides: &[String]) -> Result<(String, String), Error> {
    if overrides.is_empty() {
        return Ok((source.to_owned(), text.to_owned()));
    }
    let text = overrides::apply(source, text, overrides)?;
    Ok((format!("{source} (with --set)"), text))
}

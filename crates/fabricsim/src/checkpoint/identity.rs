//! The identity of a checkpoint's scenario.

use std::path::PathBuf;

use fabricsim_base::checkpoint::{LoadError, Reader, Stored, Writer};
use fabricsim_base::units::Time;
use fabricsim_report::Checksum;
use fabricsim_scenario::Scenario;
use fabricsim_scenario::scenario::ScenarioText;
use fabricsim_scenario::schema::event::{Event, EventKind};
use fabricsim_scenario::text::error::Error;
use serde_json::Value;

use super::changes::{Changes, Contradiction};
use crate::identity::contents;

/// The scenario of a checkpoint: its text, if it has one, its settings, and the files that it
/// names.
#[derive(Clone, Debug)]
pub(super) struct Identity {
    pub(super) text: Option<ScenarioText>,
    /// All settings, as in `summary.json`.
    settings: Value,
    /// Times and kinds of events.
    events: Vec<(Time, EventKind)>,
    /// Paths of files in the settings, with the checksums of their contents.
    files: Vec<(String, String)>,
    /// The changes at earlier checkpoints, as in `summary.json`, if the run that took this one is a
    /// branch.
    pub(super) branch: Option<Value>,
}

impl Identity {
    /// Returns the identity of `scenario`.
    ///
    /// # Errors
    /// Fails if a file of the scenario cannot be read.
    pub(super) fn of(scenario: &Scenario) -> Result<Self, Error> {
        let text = scenario.text().cloned();
        let files = contents(scenario)?.into_iter();
        Ok(Self {
            text: text.map(|text| ScenarioText {
                folder: std::path::absolute(&text.folder).unwrap_or(text.folder),
                ..text
            }),
            settings: scenario.resolved(),
            events: events_of(scenario),
            files: files
                .map(|(path, content)| {
                    let path = path.display().to_string();
                    (path, Checksum::of(&content).to_string())
                })
                .collect(),
            branch: None,
        })
    }

    /// Returns the same without the text of the scenario.
    pub(super) fn without_text(&self) -> Self {
        Self {
            text: None,
            ..self.clone()
        }
    }

    /// Returns the changes that lead to `scenario` at `time`.
    ///
    /// # Errors
    /// Fails if a change contradicts the past of the run.
    pub(super) fn changes(
        &self,
        scenario: &Scenario,
        time: Time,
    ) -> Result<Changes, Contradiction> {
        let now = Self::of(scenario)?;
        for (path, checksum) in &self.files {
            let same = now.files.iter().find(|(own, _)| own == path);
            if same.is_some_and(|(_, own)| own != checksum) {
                return Err(Contradiction::of_file(path));
            }
        }
        let past = |events: &[(Time, EventKind)]| -> Vec<(Time, EventKind)> {
            let past = events.iter().filter(|(at, _)| *at < time);
            past.copied().collect()
        };
        let same_past = past(&self.events) == past(&now.events);
        let changes = Changes::between(&self.settings, &now.settings, time, same_past)?;
        match scenario.run().stop_at {
            Some(after) if Time::ZERO + after < time => Err(Changes::stops_before(time)),
            _ => Ok(changes),
        }
    }
}

fn events_of(scenario: &Scenario) -> Vec<(Time, EventKind)> {
    let events = scenario.events().iter();
    events.map(|&Event { at, kind }| (at, kind)).collect()
}

fn json_of(text: &str) -> Result<Value, LoadError> {
    serde_json::from_str(text).map_err(|error| LoadError::new(error.to_string()))
}

impl Stored for Identity {
    fn store(&self, out: &mut Writer) {
        let Self {
            text,
            settings,
            events,
            files,
            branch,
        } = self;
        text.is_some().store(out);
        if let Some(ScenarioText {
            source,
            text,
            folder,
        }) = text
        {
            source.store(out);
            text.store(out);
            folder.display().to_string().store(out);
        }
        settings.to_string().store(out);
        events.store(out);
        files.store(out);
        branch.as_ref().map(Value::to_string).store(out);
    }

    fn fetch(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        let text = match bool::fetch(input)? {
            true => Some(ScenarioText {
                source: Stored::fetch(input)?,
                text: Stored::fetch(input)?,
                folder: PathBuf::from(String::fetch(input)?),
            }),
            false => None,
        };
        Ok(Self {
            text,
            settings: json_of(&String::fetch(input)?)?,
            events: Stored::fetch(input)?,
            files: Stored::fetch(input)?,
            branch: <Option<String>>::fetch(input)?
                .map(|branch| json_of(&branch))
                .transpose()?,
        })
    }
}

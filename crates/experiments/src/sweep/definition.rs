//! The text of a sweep as axes, exclusions and changes, and the resulting points.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use fabricsim_base::input::Key;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::axis::{Axis, read_set, text_of};
use super::condition::Condition;
use super::keys::OVERRIDE_KEYS;
use super::point::{LONGEST_NAME, Point, folder_name};
use super::setting::{Setting, place_of};
use super::warm::WarmStart;
use super::{Sweep, name_of};
use fabricsim_scenario::kinds::Registry;
use fabricsim_scenario::scenario::Scenario;
use fabricsim_scenario::text::document::{Document, Section};
use fabricsim_scenario::text::error::Error;

/// The most points of a sweep.
const MOST_POINTS: usize = 100_000;

/// The inputs for reading a base scenario.
pub(super) struct Surroundings<'s> {
    /// Folder to which its paths are relative.
    pub(super) folder: &'s Path,
    pub(super) registry: &'s Registry,
    pub(super) warm_start: Option<Arc<WarmStart>>,
}

/// Contents of a sweep's text, without the base scenario.
pub(super) struct Definition<'a> {
    name: Option<Spanned<String>>,
    axes: Vec<Axis<'a>>,
    only: Vec<Condition>,
    excludes: Vec<Condition>,
    overrides: Vec<(Condition, Vec<Setting<'a>>)>,
}

impl<'a> Definition<'a> {
    pub(super) fn read(document: &Document<'a>, mut root: DeTable<'a>) -> Result<Self, Error> {
        let name = text_of(document, "the sweep", &root, "name")?
            .map(|name| Spanned::new(name.span(), (*name.get_ref()).to_owned()));
        let axes: Vec<Axis<'a>> = document
            .sections(&mut root, "axis")?
            .iter()
            .map(|section| Axis::read(document, section))
            .collect::<Result<_, _>>()?;
        if axes.is_empty() {
            return Err(document.diagnostic(
                document.text.len()..document.text.len(),
                "the sweep has no [[axis]], so there is nothing to vary",
                "add `[[axis]]` with `key = \"workload.0.load\"` and `values = [0.3, 0.5]`",
            ));
        }
        refuse_same_names(document, &axes)?;
        refuse_lost_settings(document, &axes)?;
        let only = read_conditions(document, &mut root, "only", &axes)?;
        let excludes = read_conditions(document, &mut root, "exclude", &axes)?;
        let overrides = document
            .sections(&mut root, "override")?
            .iter()
            .map(|section| read_override(document, section, &axes))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            name,
            axes,
            only,
            excludes,
            overrides,
        })
    }

    /// Returns the sweep over `base`. Messages call the sweep `source`.
    pub(super) fn sweep(
        &self,
        document: &Document<'a>,
        source: &str,
        base: DeTable<'a>,
        surroundings: Surroundings<'_>,
    ) -> Result<Sweep, Error> {
        let written = self.name.as_ref().map(|name| name.get_ref().as_str());
        let name = name_of(written, source).map_err(|error| {
            let place = self.name.as_ref().map_or(0..0, Spanned::span);
            document.diagnostic(place, error.message, error.help)
        })?;
        let base = DeValue::Table(base);
        let mut points: Vec<Point> = Vec::new();
        let warm_start = surroundings.warm_start.as_deref();
        for choices in self.combinations(document)? {
            let name = self.point_name(document, &choices)?;
            let read = self.scenario(document, &base, &choices, &surroundings);
            let mut scenario = read.map_err(|error| error.of_point(&name))?;
            if let Some(before) = points.last() {
                scenario.share_with(before.scenario());
            }
            let labels = self.labels(&choices).map(str::to_owned).collect();
            points.push(Point::new(name, labels, scenario, warm_start)?);
        }
        Ok(Sweep {
            name,
            axes: self.axes.iter().map(|axis| axis.name.clone()).collect(),
            points,
            warm_start: surroundings.warm_start,
        })
    }

    /// Returns the choices of every point, one for each axis.
    fn combinations(&self, document: &Document<'_>) -> Result<Vec<Vec<usize>>, Error> {
        let count = self.axes.iter().try_fold(1usize, |count, axis| {
            count
                .checked_mul(axis.choices.len())
                .filter(|&count| count <= MOST_POINTS)
        });
        let first = self.axes[0].place.clone();
        let Some(count) = count else {
            return Err(document.diagnostic(
                first,
                format!("the axes make more than {MOST_POINTS} points"),
                "give the axes fewer values, or make several sweeps",
            ));
        };
        let choices = |mut point: usize| {
            let mut choices = vec![0; self.axes.len()];
            for (choice, axis) in choices.iter_mut().zip(&self.axes).rev() {
                *choice = point % axis.choices.len();
                point /= axis.choices.len();
            }
            choices
        };
        let kept: Vec<Vec<usize>> = (0..count)
            .map(choices)
            .filter(|choices| self.keeps(choices))
            .collect();
        if kept.is_empty() {
            let help = match self.only.is_empty() {
                true => "leave out an [[exclude]]",
                false => "leave out an [[exclude]], or add an [[only]]",
            };
            return Err(document.diagnostic(first, "every point of the sweep is excluded", help));
        }
        self.refuse_same_folders(document, &kept)?;
        Ok(kept)
    }

    /// Returns `true` if the sweep contains the point with these choices.
    fn keeps(&self, choices: &[usize]) -> bool {
        let meant = |conditions: &[Condition]| conditions.iter().any(|it| it.holds(choices));
        (self.only.is_empty() || meant(&self.only)) && !meant(&self.excludes)
    }

    fn labels(&self, choices: &[usize]) -> impl Iterator<Item = &str> {
        self.axes
            .iter()
            .zip(choices)
            .map(|(axis, &choice)| axis.choices[choice].label.as_str())
    }

    fn folder_of(&self, choices: &[usize]) -> String {
        let names = self.axes.iter().map(|axis| axis.name.as_str());
        folder_name(names.zip(self.labels(choices)))
    }

    fn point_name(&self, document: &Document<'_>, choices: &[usize]) -> Result<String, Error> {
        let name = self.folder_of(choices);
        if name.len() <= LONGEST_NAME {
            return Ok(name);
        }
        let longest = self
            .axes
            .iter()
            .zip(choices)
            .map(|(axis, &choice)| &axis.choices[choice])
            .max_by_key(|choice| choice.label.len())
            .expect("a sweep has an axis");
        Err(document.diagnostic(
            longest.place.clone(),
            format!(
                "the point `{name}` has a name of {} bytes, and a folder can have {LONGEST_NAME}",
                name.len()
            ),
            "use [[axis.variant]] tables with short names, or give axes shorter names",
        ))
    }

    /// Refuses points whose folders would have the same name, because their names differ only in
    /// characters that folders cannot have, or in case, which some file systems ignore.
    fn refuse_same_folders(
        &self,
        document: &Document<'_>,
        points: &[Vec<usize>],
    ) -> Result<(), Error> {
        let mut seen: BTreeMap<String, &Vec<usize>> = BTreeMap::new();
        for choices in points {
            let folder = self.folder_of(choices).to_ascii_lowercase();
            let Some(other) = seen.insert(folder, choices) else {
                continue;
            };
            let axis = (0..choices.len())
                .find(|&axis| choices[axis] != other[axis])
                .expect("no two points are the same");
            let choice = &self.axes[axis].choices[choices[axis]];
            let before = &self.axes[axis].choices[other[axis]];
            return Err(document.diagnostic(
                choice.place.clone(),
                format!(
                    "`{}` and `{}` would have one folder, `{}`",
                    before.label,
                    choice.label,
                    self.folder_of(choices)
                ),
                "give them names that differ in letters, digits, dots, dashes or underscores, and \
                 not only in case",
            ));
        }
        Ok(())
    }

    /// Returns the settings of a point, in the order of application.
    fn settings(&self, choices: &[usize]) -> impl Iterator<Item = &Setting<'a>> {
        let of_axes = self.axes.iter().zip(choices);
        let of_axes = of_axes.flat_map(|(axis, &choice)| &axis.choices[choice].settings);
        let changes = self.overrides.iter();
        let changes = changes.filter(|(when, _)| when.holds(choices));
        of_axes.chain(changes.flat_map(|(_, settings)| settings))
    }

    /// Returns the scenario of a point.
    fn scenario(
        &self,
        document: &Document<'a>,
        base: &DeValue<'a>,
        choices: &[usize],
        surroundings: &Surroundings<'_>,
    ) -> Result<Scenario, Error> {
        let mut scenario = base.clone();
        for setting in self.settings(choices) {
            setting.apply(document, &mut scenario)?;
        }
        let DeValue::Table(tables) = scenario else {
            unreachable!("settings are made in the tables of a scenario");
        };
        let Surroundings {
            folder,
            registry,
            warm_start,
        } = surroundings;
        let scenario = Scenario::read_tables(*document, tables, folder, registry)?;
        if let Some(warm) = warm_start {
            warm.check(document, &scenario, |key| {
                place_of(key, self.settings(choices))
            })?;
        }
        Ok(scenario)
    }
}

/// Reads the tables `[[name]]`, each with values of axes.
fn read_conditions<'a>(
    document: &Document<'a>,
    root: &mut DeTable<'a>,
    name: &str,
    axes: &[Axis<'a>],
) -> Result<Vec<Condition>, Error> {
    let sections = document.sections(root, name)?;
    let read = |section: &Section<'a>| {
        let place = section.span.clone();
        Condition::read(document, &section.title, place, &section.table, axes)
    };
    sections.iter().map(read).collect()
}

fn read_override<'a>(
    document: &Document<'a>,
    section: &Section<'a>,
    axes: &[Axis<'a>],
) -> Result<(Condition, Vec<Setting<'a>>), Error> {
    let title = &section.title;
    document.refuse_unknown(title, &section.table, &Key::names(OVERRIDE_KEYS))?;
    let Some(DeValue::Table(when)) = section.table.get("when").map(Spanned::get_ref) else {
        return Err(document.diagnostic(
            Document::place(section, "when"),
            format!("{title}: it needs a table `when`: axes and their values"),
            "write it like `when = { load = 0.7 }`",
        ));
    };
    let place = Document::place(section, "when");
    let when = Condition::read(document, title, place, when, axes)?;
    Ok((when, read_set(document, title, section)?))
}

fn refuse_same_names(document: &Document<'_>, axes: &[Axis<'_>]) -> Result<(), Error> {
    for (index, axis) in axes.iter().enumerate() {
        if axes[..index].iter().any(|other| other.name == axis.name) {
            return Err(document.diagnostic(
                axis.place.clone(),
                format!("there are two axes called `{}`", axis.name),
                "give one of them another `name`",
            ));
        }
    }
    Ok(())
}

/// Returns one of the axis's settings for each key that it sets.
fn different_keys<'x, 'a>(axis: &'x Axis<'a>) -> Vec<&'x Setting<'a>> {
    let mut seen = BTreeSet::new();
    axis.choices
        .iter()
        .flat_map(|choice| &choice.settings)
        .filter(|setting| seen.insert(setting.key()))
        .collect()
}

/// Refuses an axis that sets the same key as an earlier axis, or a whole table around it: the
/// earlier axis would have no effect.
fn refuse_lost_settings(document: &Document<'_>, axes: &[Axis<'_>]) -> Result<(), Error> {
    let keys: Vec<Vec<&Setting<'_>>> = axes.iter().map(different_keys).collect();
    for (index, axis) in axes.iter().enumerate() {
        for later in &keys[index] {
            for (other, earlier) in axes[..index].iter().zip(&keys) {
                if let Some(lost) = earlier.iter().find(|lost| later.covers(lost)) {
                    return Err(document.diagnostic(
                        later.place.clone(),
                        format!(
                            "axis `{}` sets `{}`, and so undoes `{}` of axis `{}` before it",
                            axis.name,
                            later.key(),
                            lost.key(),
                            other.name
                        ),
                        "write the axis that sets whole tables first; two axes cannot set one key",
                    ));
                }
            }
        }
    }
    Ok(())
}

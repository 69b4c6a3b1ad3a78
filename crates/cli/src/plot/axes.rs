//! Axes of sweeps: the choice of points by their values.

use std::path::Path;

use fabricsim::Error;
use fabricsim_report::SweepTable;
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;

/// Arguments that choose and group the points of a sweep.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct AxisArgs {
    /// Axis of a sweep with one curve for each value, pooled over seeds; a name or a part of its
    /// key, such as `scheme` (can be repeated)
    #[arg(long, value_name = "AXIS")]
    pub(super) by: Vec<String>,

    /// Only points of a sweep with this value on this axis (can be repeated)
    #[arg(long = "where", value_name = "AXIS=VALUE")]
    only: Vec<String>,
}

/// The same with the full names of axes.
pub(super) struct Choice {
    pub(super) by: Vec<String>,
    pub(super) only: Vec<(String, String)>,
}

impl AxisArgs {
    /// Returns `true` if neither axes nor values are named.
    pub(super) const fn is_empty(&self) -> bool {
        self.by.is_empty() && self.only.is_empty()
    }

    /// Describes the chosen values in a few words; empty if there are none.
    pub(super) fn describe(&self) -> String {
        let values = self.only.iter().map(|text| text.replacen('=', " = ", 1));
        values.collect::<Vec<String>>().join(", ")
    }

    /// Finds the axes and values in `table`, the table of the sweep at `path`.
    pub(super) fn find(&self, path: &Path, table: &SweepTable) -> Result<Choice, Error> {
        let by = self.by.iter().map(|name| axis(path, table, name));
        let only = self.only.iter().map(|text| {
            let Some((name, value)) = text.split_once('=') else {
                let message = format!("`{text}` is not AXIS=VALUE");
                return Err(refused(
                    path,
                    &message,
                    "write for example `--where load=0.5`",
                ));
            };
            let name = axis(path, table, name)?;
            let values = table.values(&name);
            match values.iter().find(|own| is_same(own, value)) {
                Some(own) => Ok((name, own.clone())),
                None => Err(refused(
                    path,
                    &format!("no point has {name}={value}"),
                    &format!("the values of {name} are {}", values.join(", ")),
                )),
            }
        });
        Ok(Choice {
            by: by.collect::<Result<_, _>>()?,
            only: only.collect::<Result<_, _>>()?,
        })
    }
}

impl Choice {
    /// Refuses the choice if its points differ in axes other than `x` and [`Choice::by`].
    pub(super) fn check(&self, path: &Path, table: &SweepTable, x: &[String]) -> Result<(), Error> {
        let shown = [x, &self.by].concat();
        let left = table.left_over(&shown, &self.only);
        if left.is_empty() {
            return Ok(());
        }
        Err(refused(
            path,
            &format!("the points also differ in {}", left.join(", ")),
            "name it with --by for a curve for each value, or fix it with --where AXIS=VALUE",
        ))
    }
}

/// Returns the full name of the axis `name`.
pub(super) fn axis(path: &Path, table: &SweepTable, name: &str) -> Result<String, Error> {
    let found = table.axis(name).map(str::to_owned);
    found.ok_or_else(|| {
        let axes = table.axes().join(", ");
        refused(
            path,
            &format!("`{name}` is not one axis of the sweep"),
            &format!("its axes are {axes}"),
        )
    })
}

/// Returns `true` if two values are the same text or the same number.
fn is_same(own: &str, wanted: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().ok();
    let numbers = number(own).zip(number(wanted));
    own == wanted || numbers.is_some_and(|(own, wanted)| own.total_cmp(&wanted).is_eq())
}

/// Reads the table of the sweep at `path`, which is its folder or its points.csv.
pub(super) fn read_points(path: &Path) -> Result<SweepTable, Error> {
    let file = match path.is_dir() {
        true => path.join("points.csv"),
        false => path.to_owned(),
    };
    if path.is_dir() && !file.exists() {
        return Err(refused(
            path,
            "there is no points.csv",
            "give the folder of a sweep; `fabricsim sweep` writes one",
        ));
    }
    let text = read_text(FileKind::RESULTS, &file)?;
    SweepTable::read(&text).map_err(|error| Error::input(&file.display().to_string(), &text, error))
}

pub(super) fn refused(path: &Path, message: &str, help: &str) -> Error {
    Error::Unsupported {
        scenario: path.display().to_string(),
        message: message.to_owned(),
        help: help.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_equal_as_texts_or_numbers() {
        assert!(is_same("0.5", "0.50") && is_same("HPCC", "HPCC"));
        assert!(!is_same("HPCC", "hpcc") && !is_same("1MiB", "1"));
    }
}

//! Checks of what a program has set, table by table.

use std::fmt;

use fabricsim_core::input::ConfigError;

use super::ScenarioBuilder;
use crate::schema::name::is_plain;
use crate::schema::part::{Part, WithoutText};
use crate::text::error::Error;

impl ScenarioBuilder {
    /// Checks what each table can tell by itself.
    pub(super) fn check_tables(&self, blame: &WithoutText) -> Result<(), Error> {
        if !is_plain(&self.name) {
            return Err(blame.error(
                "a name is up to 200 letters, digits, dots, dashes and underscores, and begins with none \
                 of `.` and `-`",
                "give one such as \"fat320-websearch-50\"",
            ));
        }
        check_seed(self.seed, blame)?;
        let check = |title: &dyn fmt::Display, checked: Result<(), ConfigError>| {
            checked.map_err(|error| blame.refused(title, error))
        };
        check(&"[switch]", self.switch.validate())?;
        check(&"[rdma]", self.transport.validate())?;
        check(&"[tcp]", self.tcp.validate())?;
        check(&"[run]", self.run.validate())?;
        check(&"[output]", self.output.validate())?;
        for cc in self.cc.iter().chain(self.class_cc.values()) {
            check(&Part::Cc, cc.validate())?;
        }
        for (index, rule) in self.queues.iter().enumerate() {
            let part = Part::Queue(index);
            check(&part, rule.place.validate())?;
            check(&part, rule.discipline.validate())?;
        }
        Ok(())
    }
}

/// Refuses seeds that a text cannot have.
pub(super) fn check_seed(seed: u64, blame: &WithoutText) -> Result<(), Error> {
    if i64::try_from(seed).is_ok() {
        return Ok(());
    }
    let message = "a seed is a whole number from 0 to 2^63 - 1";
    Err(blame.error(message, "give one such as 1"))
}

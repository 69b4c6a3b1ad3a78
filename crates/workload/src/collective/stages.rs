//! Computing times of the stages of a pipeline.

use std::sync::Arc;

use fabricsim_base::input::ConfigError;
use fabricsim_base::units::Duration;

/// The computing time of one micro-batch, by stage.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Stages {
    pub(super) forward: Arc<[Duration]>,
    pub(super) backward: Arc<[Duration]>,
}

impl Stages {
    /// Builds from the times `forward` and `backward` of `ranks` stages: each list has one time for
    /// each stage, or one for all.
    ///
    /// # Errors
    /// The error names the key that has another number of times.
    pub(super) fn new(
        ranks: u32,
        forward: &[Duration],
        backward: &[Duration],
    ) -> Result<Self, ConfigError> {
        let each = |key, times: &[Duration]| match times {
            [] => Ok(vec![Duration::ZERO; ranks as usize].into()),
            [one] => Ok(vec![*one; ranks as usize].into()),
            many if many.len() == ranks as usize => Ok(many.into()),
            many => Err(ConfigError::new(
                key,
                format!("{} times for {ranks} stages", many.len()),
                "write one for all stages, or one for each",
            )),
        };
        Ok(Self {
            forward: each("forward", forward)?,
            backward: each("backward", backward)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_for_all_stages_or_for_each() {
        let us = Duration::from_us;
        let stages = Stages::new(3, &[us(1)], &[us(1), us(2), us(3)]).unwrap();
        assert_eq!(*stages.forward, [us(1), us(1), us(1)]);
        assert_eq!(stages.backward[2], us(3));
        let error = Stages::new(3, &[us(1), us(2)], &[]).unwrap_err();
        assert_eq!(error.key, "forward");
    }
}

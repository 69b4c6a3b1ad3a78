//! How much of the workloads runs.

/// GPUs of a server.
pub(super) const SERVER: u32 = 8;

/// How much of the workloads runs.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Extent {
    /// As [`Usual`](Self::Usual), with an eighth of all sizes and computing times.
    Quick,
    /// Some blocks of the models.
    Usual,
    /// All blocks, on twice as many GPUs.
    Full,
}

impl Extent {
    /// Returns the name of the extent.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Usual => "usual",
            Self::Full => "full",
        }
    }

    /// Returns the number of GPUs.
    #[must_use]
    pub const fn gpus(self) -> u32 {
        match self {
            Self::Quick | Self::Usual => 64,
            Self::Full => 128,
        }
    }

    /// Returns the number by which all sizes and computing times are divided.
    pub(super) const fn divisor(self) -> u64 {
        match self {
            Self::Quick => 8,
            Self::Usual | Self::Full => 1,
        }
    }

    /// Returns the changes of the base scenario.
    pub(super) fn changes(self) -> Vec<String> {
        vec![format!("topology.servers={}", self.gpus() / SERVER)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_follow_from_gpus() {
        assert_eq!(Extent::Full.changes(), ["topology.servers=16"]);
    }
}

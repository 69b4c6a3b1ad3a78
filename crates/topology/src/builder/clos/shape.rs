//! The counts and names of the switches of a Clos fabric.

use fabricsim_base::input::ConfigError;

use super::super::plan::some_delay;
use super::{ClosTier, TIERS};
use crate::limits::MAX_NODES;

/// The switches of all tiers.
pub(super) struct Shape {
    /// Tiers, from the lowest up.
    pub(super) levels: Vec<Level>,
}

/// The switches of a tier.
pub(super) struct Level {
    pub(super) name: String,
    pod_name: String,
    /// Number of pods of the tier under each pod of the tier above.
    pods: u32,
    /// Number of pods of the tier in all.
    all_pods: u32,
    /// Number of switches in each pod.
    pub(super) switches: u32,
    /// Index of the tier's first switch among all switches.
    pub(super) first: u32,
    /// Number of planes into which the switches of a pod are split.
    pub(super) planes: u32,
}

impl Level {
    /// Returns the number of switches in all pods.
    pub(super) const fn count(&self) -> u32 {
        self.all_pods * self.switches
    }
}

impl Shape {
    /// Checks `tiers` and computes the shape of the fabric.
    pub(super) fn of(tiers: &[ClosTier]) -> Result<Self, ConfigError> {
        let [lowest, .., top] = tiers else {
            return Err(ConfigError::new(
                TIERS,
                format!(
                    "{} is too few: a Clos fabric has two tiers or more",
                    tiers.len()
                ),
                "write at least `tiers = [{ switches = 4 }, { switches = 2 }]`; hosts around one switch are `kind = \"star\"`",
            ));
        };
        let names = tier_names(tiers)?;
        for (tier, name) in tiers.iter().zip(&names) {
            (tier.validate_ranges()).map_err(|error| in_tier(name, error))?;
            some_delay("uplink_delay", tier.up_delay()).map_err(|error| in_tier(name, error))?;
        }
        let top_name = &names[names.len() - 1];
        // With two tiers, nothing above the spines could join their planes.
        if tiers.len() == 2 && top.planes > 1 {
            let message = "hosts under switches of different planes would not reach each other";
            let help = "leave `planes` out, or add a tier above that joins the planes";
            return Err(in_tier(top_name, ConfigError::new("planes", message, help)));
        }
        check_ends(lowest, (top, top_name))?;
        // Pods nest, so a tier has as many pods as the product of the counts from the top down to
        // it. Check their sizes in 64 bits, before 32-bit counts could overflow.
        let mut all_pods = Vec::new();
        let (mut pods, mut switches) = (1u64, 0u64);
        for tier in tiers.iter().rev() {
            pods = pods.saturating_mul(tier.pods.into());
            switches = switches.saturating_add(pods.saturating_mul(tier.switches.into()));
            all_pods.push(pods);
        }
        if switches > u64::from(MAX_NODES) {
            return Err(ConfigError::new(
                TIERS,
                format!(
                    "this makes {switches} switches, more than the {MAX_NODES} nodes that can be simulated"
                ),
                "choose smaller numbers",
            ));
        }
        all_pods.reverse();
        // Numbers ascend from the lowest tier up.
        let mut first = 0;
        let mut levels = Vec::new();
        for ((tier, name), pods) in tiers.iter().zip(names).zip(all_pods) {
            let level = Level {
                name,
                pod_name: tier.pod_name.clone(),
                pods: tier.pods,
                all_pods: u32::try_from(pods).expect("no more pods than switches, which are few"),
                switches: tier.switches,
                first,
                planes: tier.planes,
            };
            first += level.count();
            levels.push(level);
        }
        let shape = Self { levels };
        shape.check_planes()?;
        Ok(shape)
    }

    /// Rejects planes of different sizes.
    fn check_planes(&self) -> Result<(), ConfigError> {
        for pair in self.levels.windows(2) {
            let (below, above) = (&pair[0], &pair[1]);
            for level in [above, below] {
                if !level.switches.is_multiple_of(above.planes) {
                    let message = format!(
                        "{} `{}` switches of a pod cannot be split evenly over {} planes",
                        level.switches, level.name, above.planes
                    );
                    let error = ConfigError::new(
                        "planes",
                        message,
                        format!(
                            "write a number that divides {} and {}",
                            above.switches, below.switches
                        ),
                    );
                    return Err(in_tier(&above.name, error));
                }
            }
        }
        Ok(())
    }

    /// Returns the number of switches of all tiers.
    pub(super) fn switch_count(&self) -> u64 {
        self.levels
            .iter()
            .map(|level| u64::from(level.count()))
            .sum()
    }

    /// Returns the switches of the tier above to which switch `index` of `tier` is linked, by their
    /// indices in that tier.
    pub(super) fn above(&self, tier: usize, index: u32) -> std::ops::Range<u32> {
        let (own, above) = (&self.levels[tier], &self.levels[tier + 1]);
        let (pod, place) = (index / own.switches, index % own.switches);
        let width = above.switches / above.planes;
        let plane = place / (own.switches / above.planes);
        let first = pod / own.pods * above.switches + plane * width;
        first..first + width
    }

    /// Returns the name of switch `index` of `tier`.
    pub(super) fn switch_name(&self, tier: usize, index: u32) -> String {
        let level = &self.levels[tier];
        let pod = self.pod_name(tier, index / level.switches);
        format!("{pod}{}{}", level.name, index % level.switches)
    }

    /// Returns the names of the pods around pod `index` of `tier` and its own name, each with a
    /// `/`.
    fn pod_name(&self, tier: usize, index: u32) -> String {
        let Some(level) = self.levels.get(tier) else {
            return String::new();
        };
        let around = self.pod_name(tier + 1, index / level.pods);
        match level.pods {
            1 => around,
            pods => format!("{around}{}{}/", level.pod_name, index % pods),
        }
    }

    /// Returns the names of the tiers from the hosts up.
    pub(super) fn tier_names(&self) -> Vec<String> {
        let levels = self.levels.iter().map(|level| level.name.clone());
        std::iter::once("host".to_owned()).chain(levels).collect()
    }
}

/// Returns the names of `tiers`, given or customary.
fn tier_names(tiers: &[ClosTier]) -> Result<Vec<String>, ConfigError> {
    let customary: &[&str] = match tiers.len() {
        2 => &["leaf", "spine"],
        3 => &["tor", "agg", "core"],
        4 => &["tor", "agg", "spine", "core"],
        _ => &[],
    };
    let mut names: Vec<String> = Vec::new();
    for (index, tier) in tiers.iter().enumerate() {
        let name = tier.name.clone().unwrap_or_else(|| {
            let customary = customary.get(index).map(|name| (*name).to_owned());
            customary.unwrap_or_else(|| format!("tier{}-", index + 1))
        });
        let words = [("name", &name), ("pod_name", &tier.pod_name)];
        for (key, word) in words {
            let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
            if !(word.starts_with(char::is_alphabetic)
                && word.chars().all(plain)
                && word.len() <= 30)
            {
                return Err(ConfigError::new(
                    TIERS,
                    format!(
                        "tier {}, `{key}`: nodes cannot be called `{word}`",
                        index + 1
                    ),
                    "write up to 30 letters, digits, `-` and `_`, a letter first, such as \"leaf\"",
                ));
            }
        }
        if name == "host" || names.contains(&name) {
            return Err(ConfigError::new(
                TIERS,
                format!(
                    "tier {}, `name`: another tier has the name `{name}`",
                    index + 1
                ),
                "give each tier a name of its own",
            ));
        }
        names.push(name);
    }
    Ok(names)
}

/// Rejects settings that the lowest or the top tier cannot have.
fn check_ends(lowest: &ClosTier, (top, top_name): (&ClosTier, &str)) -> Result<(), ConfigError> {
    if lowest.planes != 1 {
        return Err(ConfigError::new(
            TIERS,
            "the lowest tier has `planes`, and below it are hosts",
            "give `planes` to the tier whose switches are split",
        ));
    }
    if top.pods != 1 {
        let message = format!("nothing joins the {} pods of the top tier", top.pods);
        let help = "give `pods` to the highest tier that is inside of pods, or add a tier above";
        return Err(in_tier(top_name, ConfigError::new("pods", message, help)));
    }
    let upwards = [
        ("uplinks", top.uplinks.is_some()),
        ("oversubscription", top.oversubscription.is_some()),
        ("uplink_rate", top.uplink_rate.is_some()),
        ("uplink_delay", top.uplink_delay.is_some()),
    ];
    match upwards.into_iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((key, _)) => {
            let error = ConfigError::new(
                key,
                "no tier is above this one",
                "remove this key, or give it to the tier below the links",
            );
            Err(in_tier(top_name, error))
        }
    }
}

/// Converts an error into one of the tier called `name`.
pub(super) fn in_tier(name: &str, error: ConfigError) -> ConfigError {
    let message = format!("tier `{name}`, `{}`: {}", error.key, error.message);
    ConfigError::new(TIERS, message, error.help)
}

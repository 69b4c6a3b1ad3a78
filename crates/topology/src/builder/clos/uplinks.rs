//! The links from a tier of a Clos fabric to the tier above.

use fabricsim_base::input::ConfigError;
use fabricsim_base::units::{Duration, Rate};

use super::super::plan::Plan;
use super::ClosTier;
use super::shape::{Shape, in_tier};
use crate::limits::MAX_PORTS;

/// The upward links of all switches of a tier.
pub(super) struct Uplinks {
    /// For each switch, the number of links to each linked switch above, and their rate.
    parallel: Vec<(u32, Rate)>,
    /// Number of switches above to which each switch is linked.
    width: u32,
    delay: Duration,
}

impl Uplinks {
    /// Resolves the uplinks of `tier`. Its switches have `down` bits per second downwards and
    /// uplinks of `rate`.
    pub(super) fn resolve(
        settings: &ClosTier,
        shape: &Shape,
        tier: usize,
        down: &[u128],
        rate: impl Fn(usize) -> Rate,
    ) -> Result<Self, ConfigError> {
        let level = &shape.levels[tier];
        let refuse = |error| in_tier(&level.name, error);
        if settings.uplinks.is_some() && settings.oversubscription.is_some() {
            return Err(refuse(ConfigError::new(
                "oversubscription",
                "`uplinks` is given too, and each of the two sets the number of uplinks",
                "keep one of them",
            )));
        }
        let width = shape.above(tier, 0).len();
        let width = u32::try_from(width).expect("switches are counted in 32 bits");
        let mut parallel = Vec::new();
        for (switch, &down) in down.iter().enumerate() {
            let rate = rate(switch);
            let uplinks = match (settings.uplinks, settings.oversubscription) {
                (Some(uplinks), _) => whole(uplinks, width),
                (None, Some(ratio)) => {
                    let index = u32::try_from(switch).expect("switches are counted in 32 bits");
                    let name = shape.switch_name(tier, index);
                    (Wanted {
                        name,
                        down,
                        rate,
                        width,
                        ratio,
                    })
                    .uplinks()
                }
                (None, None) => Ok(width),
            };
            parallel.push((uplinks.map_err(refuse)? / width, rate));
        }
        Ok(Self {
            parallel,
            width,
            delay: settings.up_delay(),
        })
    }

    /// Returns the number of links.
    pub(super) fn count(&self) -> u64 {
        let each = self.parallel.iter();
        each.map(|&(links, _)| u64::from(links) * u64::from(self.width))
            .sum()
    }

    /// Returns the downward bits per second of each switch above.
    pub(super) fn rates_above(&self, shape: &Shape, tier: usize) -> Vec<u128> {
        let mut down = vec![0; shape.levels[tier + 1].count() as usize];
        for (index, &(links, rate)) in (0u32..).zip(&self.parallel) {
            for above in shape.above(tier, index) {
                down[above as usize] += u128::from(links) * u128::from(rate.as_bps());
            }
        }
        down
    }

    /// Adds the links of `tier` to `plan`.
    pub(super) fn wire(&self, plan: &mut Plan, shape: &Shape, tier: usize) {
        let (first, first_above) = (shape.levels[tier].first, shape.levels[tier + 1].first);
        for (index, &(links, rate)) in (0u32..).zip(&self.parallel) {
            for above in shape.above(tier, index) {
                for _ in 0..links {
                    let ends = (plan.switch(first + index), plan.switch(first_above + above));
                    plan.link(ends.0, ends.1, rate, self.delay);
                }
            }
        }
    }
}

/// Returns `uplinks` if they spread evenly over `width` switches.
fn whole(uplinks: u32, width: u32) -> Result<u32, ConfigError> {
    if uplinks.is_multiple_of(width) && uplinks <= MAX_PORTS {
        return Ok(uplinks);
    }
    let message = match uplinks > MAX_PORTS {
        true => format!("{uplinks} are more than the {MAX_PORTS} ports that a switch can have"),
        false => format!("{uplinks} links cannot be spread evenly over {width} switches above"),
    };
    Err(ConfigError::new(
        "uplinks",
        message,
        format!("write a multiple of {width}, or give the tier above `planes`"),
    ))
}

/// Inputs for computing the uplinks of a switch from the wanted ratio of rates.
struct Wanted {
    name: String,
    /// Total rate of the links below the switch, in bit/s.
    down: u128,
    /// Rate of an uplink.
    rate: Rate,
    /// Number of switches in the tier above.
    width: u32,
    ratio: f64,
}

impl Wanted {
    /// Returns the number of uplinks, if it is whole and spreads evenly over the switches above.
    fn uplinks(&self) -> Result<u32, ConfigError> {
        const KEY: &str = "oversubscription";
        let ratio = self.ratio;
        if !(ratio.is_finite() && ratio > 0.0) {
            return Err(ConfigError::new(
                KEY,
                format!("{ratio} is not a ratio of rates"),
                "write a positive number such as 3: a switch has three times the rate downwards that it has upwards",
            ));
        }
        let links = self.down as f64 / (ratio * self.rate.as_bps_f64());
        let sets = links / f64::from(self.width);
        let even = (sets - sets.round()).abs() < 1e-6 * sets && sets.round() >= 1.0;
        if even && links.round() <= f64::from(MAX_PORTS) {
            return Ok(whole_number(links));
        }
        let message = format!(
            "{} has {} downwards, so {ratio}:1 needs {} uplinks of {}, which cannot be spread evenly over {} \
             switches above",
            self.name,
            gbps(self.down as f64),
            short(links),
            self.rate,
            self.width
        );
        let help = [sets.floor(), sets.floor() + 1.0]
            .into_iter()
            .map(|sets| sets * f64::from(self.width))
            .filter(|&links| links >= 1.0)
            .map(|links| {
                let ratio = self.down as f64 / (links * self.rate.as_bps_f64());
                format!("{links} are {}:1", short(ratio))
            });
        let help: Vec<String> = help.collect();
        Err(ConfigError::new(
            KEY,
            message,
            format!(
                "{}; or change `uplink_rate` or the switches above",
                help.join(", ")
            ),
        ))
    }
}

/// Converts a number of links that is no more than the ports of a switch.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a switch has few ports"
)]
fn whole_number(links: f64) -> u32 {
    links.round() as u32
}

/// Formats a rate, which may exceed the maximum rate of links.
fn gbps(bps: f64) -> String {
    format!("{}Gbps", short(bps / 1e9))
}

/// Formats a number with at most three decimals.
fn short(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

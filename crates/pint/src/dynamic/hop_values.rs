//! Values that a sink stores for one hop of a flow.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::input::ConfigError;
use fabricsim_base::rng::Stream;
use serde::{Deserialize, Serialize};

use super::kll::Kll;
use super::space_saving::{Frequent, SpaceSaving, exact_counts, most_frequent};
use super::window::Window;

/// Storage for the codes of a hop in a sink: the space budget of a query.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Storage {
    /// Store every code.
    All,
    /// A sketch of the quantiles, which stores about three times `items` codes: [`Kll`].
    Sketch {
        /// Size of the sketch, 1 to 2^20.
        items: u32,
    },
    /// The most recent codes: [`Window`].
    Window {
        /// Number of codes, 1 to 2^20.
        values: u32,
    },
    /// The most frequent codes: [`SpaceSaving`].
    Frequent {
        /// Number of counters, 1 to 2^20.
        counters: u32,
    },
}

/// Maximum size. A larger storage per hop and flow is a diagnostic.
const MOST: u32 = 1 << 20;

impl Storage {
    /// Checks the size of the storage.
    ///
    /// # Errors
    /// Returns an error if the size is not in the range 1 to 2^20.
    pub fn validate(self) -> Result<(), ConfigError> {
        let (key, size) = match self {
            Self::All => return Ok(()),
            Self::Sketch { items } => ("items", items),
            Self::Window { values } => ("values", values),
            Self::Frequent { counters } => ("counters", counters),
        };
        if (1..=MOST).contains(&size) {
            return Ok(());
        }
        Err(ConfigError::new(
            key,
            format!("{size} codes for each hop of a flow are not 1 to {MOST}"),
            "give the size of the storage, such as 100",
        ))
    }
}

/// The codes of one hop of a flow at a sink (the Recording Module of PINT). It allocates no memory
/// before the first code.
#[derive(Clone, Debug, Stored)]
#[checkpoint(absolute)]
pub struct HopValues {
    store: Store,
}

#[derive(Clone, Debug, Stored)]
#[checkpoint(absolute)]
enum Store {
    All(Vec<u16>),
    Sketch(Kll<u16>),
    Window(Window<u16>),
    Frequent(SpaceSaving<u16>),
}

impl HopValues {
    /// Returns an empty `storage`. A sketch takes random numbers from `draws`, which it must not
    /// share.
    ///
    /// # Panics
    /// Panics if the storage has no room; check with [`Storage::validate`] first.
    #[must_use]
    pub fn new(storage: Storage, draws: Stream) -> Self {
        Self {
            store: match storage {
                Storage::All => Store::All(Vec::new()),
                Storage::Sketch { items } => Store::Sketch(Kll::new(items, draws)),
                Storage::Window { values } => Store::Window(Window::new(values)),
                Storage::Frequent { counters } => Store::Frequent(SpaceSaving::new(counters)),
            },
        }
    }

    /// Stores the code of one packet.
    #[inline]
    pub fn record(&mut self, code: u16) {
        match &mut self.store {
            Store::All(codes) => codes.push(code),
            Store::Sketch(sketch) => sketch.insert(code),
            Store::Window(window) => window.insert(code),
            Store::Frequent(counters) => counters.insert(code),
        }
    }

    /// Returns the smallest code such that a share of at least `phi` (0 to 1) of the codes is at or
    /// below it. A window considers its own codes only. Returns `None` if there are no codes, or
    /// for counters, which do not keep the order.
    #[must_use]
    pub fn quantile(&self, phi: f64) -> Option<u16> {
        match &self.store {
            Store::All(codes) => super::quantile_of(codes.clone(), phi),
            Store::Sketch(sketch) => sketch.quantile(phi),
            Store::Window(window) => window.quantile(phi),
            Store::Frequent(_) => None,
        }
    }

    /// Returns the codes with a share of at least `theta` (above 0, up to 1), the most frequent
    /// first. A window considers its own codes only. For the error of counters see
    /// [`SpaceSaving::frequent`]. Returns `None` for a sketch of quantiles.
    #[must_use]
    pub fn frequent(&self, theta: f64) -> Option<Vec<Frequent<u16>>> {
        let exact = |codes: &[u16]| {
            let counts = exact_counts(codes.to_vec());
            Some(most_frequent(counts, theta, codes.len() as u64))
        };
        match &self.store {
            Store::All(codes) => exact(codes),
            Store::Sketch(_) => None,
            Store::Window(window) => exact(window.values()),
            Store::Frequent(counters) => Some(counters.frequent(theta)),
        }
    }

    /// Returns the number of recorded codes.
    #[must_use]
    pub const fn count(&self) -> u64 {
        match &self.store {
            Store::All(codes) => codes.len() as u64,
            Store::Sketch(sketch) => sketch.count(),
            Store::Window(window) => window.count(),
            Store::Frequent(counters) => counters.count(),
        }
    }

    /// Returns the number of stored codes.
    #[must_use]
    pub const fn stored(&self) -> usize {
        match &self.store {
            Store::All(codes) => codes.len(),
            Store::Sketch(sketch) => sketch.stored(),
            Store::Window(window) => window.values().len(),
            Store::Frequent(counters) => counters.stored(),
        }
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_base::rng::Purpose;

    use super::*;

    const STORAGES: [Storage; 4] = [
        Storage::All,
        Storage::Sketch { items: 100 },
        Storage::Window { values: 50 },
        Storage::Frequent { counters: 10 },
    ];

    fn filled(storage: Storage, codes: impl IntoIterator<Item = u16>) -> HopValues {
        storage.validate().unwrap();
        let mut hop = HopValues::new(storage, Stream::new(1, 0, Purpose::Sampling));
        codes.into_iter().for_each(|code| hop.record(code));
        hop
    }

    /// Returns 2,000 codes: 1,000 are 40, the remaining ones range from 0 to 249, the largest last.
    fn codes() -> impl Iterator<Item = u16> {
        (0..2_000).map(|i| if i % 2 == 0 { 40 } else { i / 8 })
    }

    #[test]
    fn a_storage_returns_what_it_knows() {
        let hops = STORAGES.map(|storage| filled(storage, codes()));
        assert_eq!(hops.each_ref().map(HopValues::count), [2_000; 4]);
        let [all, sketch, window, counters] = &hops;
        assert_eq!(
            (all.stored(), window.stored(), counters.stored()),
            (2_000, 50, 10)
        );
        assert!((150..300).contains(&sketch.stored()), "{}", sketch.stored());

        assert_eq!(
            [0.0, 0.5, 0.99, 1.0].map(|phi| all.quantile(phi)),
            [0, 40, 244, 249].map(Some)
        );
        let found = sketch.quantile(0.99).expect("two thousand codes");
        assert_eq!(sketch.quantile(0.5), Some(40));
        assert!(found.abs_diff(244) < 12, "{found}");
        assert_eq!(
            [0.5, 1.0].map(|phi| window.quantile(phi)),
            [40, 249].map(Some)
        );
        assert_eq!(counters.quantile(0.5), None);

        let entry = |value, count, error| Frequent {
            value,
            count,
            error,
        };
        // Four of the remaining codes are also 40.
        assert_eq!(all.frequent(0.4), Some(vec![entry(40, 1_004, 0)]));
        assert_eq!(window.frequent(0.4), Some(vec![entry(40, 25, 0)]));
        assert_eq!(sketch.frequent(0.4), None);
        assert_eq!(counters.frequent(0.4), Some(vec![entry(40, 1_004, 0)]));
    }

    #[test]
    fn nothing_is_known_of_nothing() {
        for storage in STORAGES {
            let hop = filled(storage, []);
            assert_eq!((hop.count(), hop.stored(), hop.quantile(0.5)), (0, 0, None));
            assert!(hop.frequent(0.5).is_none_or(|codes| codes.is_empty()));
        }
    }

    /// This matters because sinks have one for each hop of thousands of flows.
    #[test]
    fn an_empty_hop_is_small() {
        assert!(size_of::<HopValues>() <= 112, "{}", size_of::<HopValues>());
    }

    #[test]
    fn a_storage_without_room_is_refused() {
        for (storage, key) in [
            (Storage::Sketch { items: 0 }, "items"),
            (Storage::Window { values: 0 }, "values"),
            (Storage::Frequent { counters: 0 }, "counters"),
            (Storage::Sketch { items: MOST + 1 }, "items"),
        ] {
            assert_eq!(storage.validate().unwrap_err().key, key);
        }
    }
}

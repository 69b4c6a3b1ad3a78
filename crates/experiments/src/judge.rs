//! Comparison of results with published curves: deviations and rankings.

mod order;
mod published;
mod score;

pub use order::{PairOrder, Ranked, Region, RegionOrder, Verdict, chain, order, our_order};
pub use published::{AxisPoint, PublishedCurve, PublishedPanel, Reading, read_published};
pub use score::{CurveScore, Distance, PointScore, Smoothing, score, score_curve};

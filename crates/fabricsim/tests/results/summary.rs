//! Tests of a run's report on itself: counts that add up, ideal completion times that no flow beats
//! by more than their tolerance, unnecessary timeouts, and the expected utilization of links.

mod counts;
mod ideal;
mod timeouts;
mod utilization;

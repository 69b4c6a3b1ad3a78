//! Tests of a run's report on itself: counts add up, no flow beats its ideal completion time by
//! more than a tolerance, timeouts are reported as unnecessary if they are, and links have the
//! expected utilization.

mod counts;
mod ideal;
mod timeouts;
mod utilization;

//! Queries.

mod plan;

pub use plan::{
    Demand, MOST_BITS, MOST_QUERIES, Plan, PlanSummary, PlannedSet, PlannedShare, QuerySet,
};

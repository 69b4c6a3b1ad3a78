//! Remote procedure calls as a workload.

mod endings;
mod exact;
mod loops;
mod nics;
mod paths;
mod rate;
mod reuse;
mod routes;
mod row;

//! Assigns algorithms to classes of flows, and TCP's priority to workloads.

use std::collections::BTreeMap;

use fabricsim_base::id::ClassId;
use fabricsim_transport::Transport;
use fabricsim_workload::BoxedWorkload;

use crate::cc::registry::AnyCcConfig;
use crate::read::raw::{RawClass, RawWorkload};
use crate::scenario::transports::{TCP_PRIORITY, class_of};
use crate::schema::part::{Part, Refused};

/// The algorithms of classes with their own, by class.
pub(crate) type ClassCc = BTreeMap<ClassId, AnyCcConfig>;

/// Returns the algorithms that `workloads` and `classes` set for their classes.
///
/// # Errors
/// Fails at the first table for a class that already has an algorithm.
pub(crate) fn class_algorithms(
    workloads: &[RawWorkload],
    classes: Vec<RawClass>,
) -> Result<ClassCc, Refused> {
    let of_workloads = workloads.iter().enumerate();
    let of_workloads =
        of_workloads.filter_map(|(index, workload)| Some((class_of(index), workload.cc.clone()?)));
    let mut algorithms: ClassCc = of_workloads.collect();
    for (index, class) in classes.into_iter().enumerate() {
        let id = class.table.id;
        if algorithms.insert(ClassId(id), class.cc).is_some() {
            return Err(Part::ClassId(index).refused_whole(
                format!("class {id} has an algorithm already"),
                "give each class one algorithm: its workload's `cc` table or one [[class]]",
            ));
        }
    }
    Ok(algorithms)
}

/// Sets TCP's priority for workloads of TCP that do not name one; `default` is the algorithm of
/// classes that are not in `own`.
pub(crate) fn with_priorities(
    workloads: Vec<RawWorkload>,
    own: &ClassCc,
    default: &AnyCcConfig,
) -> Vec<BoxedWorkload> {
    let workloads = workloads.into_iter().enumerate();
    let workloads = workloads.map(|(index, raw)| {
        let mut workload = raw.workload;
        let cc = own.get(&class_of(index)).unwrap_or(default);
        if !raw.names_priority && cc.transport() == Transport::Tcp {
            workload.set_priority(TCP_PRIORITY);
        }
        workload
    });
    workloads.collect()
}

//! Downloads as a workload.

use fabricsim_base::flow::{ENDLESS, FlowRequest, FlowSource};
use fabricsim_base::id::ClassId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::priority::Priority;
use fabricsim_core::plugin::Reuse;

use super::{DownloadConfig, Downloads};
use crate::check;
use crate::context::{Expected, WorkloadContext};
use crate::workload::Workload;

impl Workload for DownloadConfig {
    fn build(
        &self,
        context: &WorkloadContext,
        class: ClassId,
    ) -> Result<Box<dyn FlowSource>, ConfigError> {
        self.checked(context)?;
        Ok(Box::new(Downloads {
            each: FlowRequest {
                src: self.client,
                dst: self.server,
                size: ENDLESS,
                start: self.start,
                class,
                priority: check::priority(self.priority)?,
                src_port: None,
                dst_port: self.dst_port,
            },
            left: self.flows,
        }))
    }

    /// Expects no bytes, because a run does not wait for downloads.
    fn expected(&self, context: &WorkloadContext) -> Result<Expected, ConfigError> {
        self.checked(context)?;
        Ok(Expected {
            flows: self.flows.into(),
            bytes: 0.0,
        })
    }

    fn users(&self, own: ClassId) -> Vec<(Priority, ClassId)> {
        check::sole_user(self.priority, own)
    }

    fn fetches(&self) -> Option<Reuse> {
        Some(Reuse::None)
    }

    fn is_endless(&self) -> bool {
        true
    }
}

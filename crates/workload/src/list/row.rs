//! Code that the formats of a flow list share: the meaning of a field and the errors in it.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use fabricsim_base::id::NodeId;
use fabricsim_base::input::InputError;
use fabricsim_base::limits::{MAX_SIZE, MAX_TIME};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Time};

use crate::context::WorkloadContext;
use crate::text::{DecimalError, Piece, scaled_decimal};

/// The nodes that are hosts, by number and by name.
pub(super) struct HostSet<'a> {
    is_host: Vec<bool>,
    numbers: String,
    context: &'a WorkloadContext,
    /// The hosts by name, built on first use, because lists of numbers do not need it.
    called: OnceCell<BTreeMap<&'a str, NodeId>>,
}

impl<'a> HostSet<'a> {
    pub(super) fn new(context: &'a WorkloadContext) -> Self {
        let hosts = &context.hosts;
        let end = hosts
            .iter()
            .map(|host| host.id.index() + 1)
            .max()
            .unwrap_or(0);
        let mut is_host = vec![false; end];
        for host in hosts.iter() {
            is_host[host.id.index()] = true;
        }
        Self {
            is_host,
            numbers: context.host_numbers(),
            context,
            called: OnceCell::new(),
        }
    }

    /// Returns the host called `name`. A name is not a plain number.
    fn called(&self, name: &str) -> Option<NodeId> {
        if name.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let hosts = self.context.hosts.iter().map(|host| host.id);
        let named = |id| Some((self.context.names.name(id)?, id));
        let called = (self.called).get_or_init(|| hosts.filter_map(named).collect());
        called.get(name).copied()
    }

    /// Returns the host that `field` names.
    pub(super) fn host(&self, field: Piece<'_>) -> Result<NodeId, InputError> {
        let help = format!("the hosts are numbered {}", self.numbers);
        if let Some(id) = self.called(field.text) {
            return Ok(id);
        }
        let id = NodeId(field.integer("the number or the name of a host", &help)?);
        if self.is_host.get(id.index()).copied().unwrap_or(false) {
            return Ok(id);
        }
        let label = self.context.names.label(id);
        Err(field.error(format!("{label} is not a host"), help))
    }

    /// Returns the hosts in `src` and `dst`, which must differ.
    pub(super) fn pair(
        &self,
        src: Piece<'_>,
        dst: Piece<'_>,
    ) -> Result<(NodeId, NodeId), InputError> {
        let pair = (self.host(src)?, self.host(dst)?);
        if pair.0 == pair.1 {
            return Err(dst.error(
                format!("{} sends to itself", self.context.names.label(pair.0)),
                "choose a destination that is not the source",
            ));
        }
        Ok(pair)
    }
}

/// Reads payload bytes, at least one.
pub(super) fn size(field: Piece<'_>) -> Result<Bytes, InputError> {
    let help = "write the payload in whole bytes, at least 1";
    match field.integer("a size in bytes", help)? {
        0 => Err(field.error("a flow of zero bytes never ends", help)),
        bytes if bytes > MAX_SIZE.get() => Err(field.error(
            format!("{bytes} bytes are more than the {MAX_SIZE} that a flow can have"),
            help,
        )),
        bytes => Ok(Bytes::new(bytes)),
    }
}

/// Reads a data priority.
pub(super) fn priority(field: Piece<'_>) -> Result<Priority, InputError> {
    let help = "choose 1 to 7; 0 is kept for control packets";
    match field.integer("a priority", help)? {
        priority @ 1..=7 => Ok(Priority::new(priority)),
        priority => Err(field.error(format!("there is no data priority {priority}"), help)),
    }
}

/// Reads a priority of the published simulator, in which flows may share the control queue, 0.
pub(super) fn priority_group(field: Piece<'_>) -> Result<Priority, InputError> {
    match field.text {
        "0" => Ok(Priority::CONTROL),
        _ => priority(field),
    }
}

/// Reads a port number.
pub(super) fn port(field: Piece<'_>) -> Result<u16, InputError> {
    field.integer("a port", "a port is a whole number from 0 to 65535")
}

/// Reads a time in a unit of 10^`power` picoseconds, exact to the picosecond; finer digits are
/// dropped.
pub(super) fn time(field: Piece<'_>, power: i32, unit: &str) -> Result<Time, InputError> {
    scaled_decimal(field.text, power)
        .map(Time::from_ps)
        .and_then(|time| match time > MAX_TIME {
            true => Err(DecimalError::TooLarge),
            false => Ok(time),
        })
        .map_err(|error| time_error(field, error, unit))
}

/// Returns the error for a time that could not be read.
pub(super) fn time_error(field: Piece<'_>, error: DecimalError, unit: &str) -> InputError {
    let what = match error {
        DecimalError::Malformed => "is not a time",
        DecimalError::Negative => "is before the start of the simulation",
        DecimalError::TooLarge => "is later than flows can start (1000000s)",
    };
    field.error(
        format!("`{}` {what}", field.text),
        format!("write a start time of 0 or more, in {unit}"),
    )
}

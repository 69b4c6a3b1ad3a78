//! The state of a host's TCP in a checkpoint.

use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Stored, Writer};
use fabricsim_base::id::PortId;
use fabricsim_core::plugin::Feedback;

use super::Tcp;
use crate::tcp::connection::{Connection, Identity, Task};
use crate::tcp::header::HasTcp;

impl<H: HasTcp> Checkpointed for Tcp<H> {
    fn save(&self, out: &mut Writer) {
        if self.connections.iter().any(Option::is_some) {
            out.absolute("TCP connections");
        }
        // Without connections, nothing happens here.
        out.unchanging(|out| self.save_all(out));
    }

    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        let ports = self.nics.len();
        self.nics.load(input)?;
        if self.nics.len() != ports {
            return Err(LoadError::new("a host has another number of NIC ports"));
        }
        self.free.load(input)?;
        self.pools.load(input)?;
        self.time_wait.load(input)?;
        self.ended.load(input)?;
        self.timers.load(input)?;
        self.received.load(input)?;
        self.counters.load(input)?;
        self.activity.load(input)?;
        self.connections.clear();
        self.slots.clear();
        for slot in 0..input.length()? {
            if !bool::fetch(input)? {
                self.connections.push(None);
                continue;
            }
            let connection = self.load_connection(input)?;
            let slot = u32::try_from(slot);
            let slot = slot.map_err(|_| LoadError::new("a host has too many connections"))?;
            self.slots.insert(connection.id, slot);
            self.connections.push(Some(connection));
        }
        Ok(())
    }
}

fn save_connection(connection: &Connection, out: &mut Writer) {
    connection.id.store(out);
    connection.class.store(out);
    connection.nic.store(out);
    connection.priority.store(out);
    connection.key.store(out);
    connection.task.store(out);
    connection.sender.feedback.store(out);
    connection.save(out);
    connection.sender.save_with_controller(out);
}

impl<H: HasTcp> Tcp<H> {
    fn save_all(&self, out: &mut Writer) {
        let Self {
            settings: _,
            nics,
            nic_rates,
            connections,
            free,
            slots: _,
            recent: _,
            pools,
            time_wait,
            ended,
            timers,
            received,
            counters,
            activity,
            reader: _,
        } = self;
        out.audit("Tcp.nic_rates", nic_rates);
        nics.store(out);
        free.store(out);
        pools.store(out);
        time_wait.store(out);
        ended.store(out);
        timers.store(out);
        received.store(out);
        counters.store(out);
        activity.store(out);
        out.number(connections.len());
        for connection in connections {
            connection.is_some().store(out);
            if let Some(connection) = connection {
                save_connection(connection, out);
            }
        }
    }

    /// Builds a connection in its initial state and loads its saved state.
    fn load_connection(&self, input: &mut Reader<'_>) -> Result<Connection, LoadError> {
        let (id, class) = Stored::fetch(input)?;
        let nic = PortId::fetch(input)?;
        let Some(&line_rate) = self.nic_rates.get(nic.index()) else {
            return Err(LoadError::new(format!("there is no NIC port {nic}")));
        };
        let (priority, key) = Stored::fetch(input)?;
        let identity = Identity {
            id,
            class,
            nic,
            priority,
            key,
            line_rate,
            now: input.now(),
        };
        let (task, feedback) = <(Task, Feedback)>::fetch(input)?;
        let name = format!("connection {id}");
        let config = self.settings.class(class);
        let parameters = &self.settings.parameters;
        let mut connection = Connection::again(identity, task, feedback, config, parameters);
        let mut load = |input: &mut Reader<'_>| {
            connection.load(input)?;
            connection.sender.load_with_controller(input)
        };
        load(input).map_err(|error| error.within(&name))?;
        Ok(connection)
    }
}

//! Time series on request: the `[observe]` table and the files that it asks for.
//!
//! A sample instant ends an epoch, and every node is then run up to it: the state that is read is
//! that of one instant, whatever the threads are, and the packets do not notice. Rows go straight
//! into their files.

mod file;
mod groups;
#[cfg(feature = "parquet")]
mod parquet;
mod ports;
mod rows;
mod selection;
mod series;
mod summary;

use std::path::Path;

use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Stored, Writer};
use fabricsim_base::units::{Duration, Time};
use fabricsim_report::FctRecord;
use fabricsim_topology::Topology;

use crate::output::{Ending, ResultFolder};
use crate::simulation::Simulation;
use fabricsim_scenario::text::error::Error;
use file::{SeriesFile, file_name};
use ports::named;
use series::{FlowSeries, LinkSeries, QueueSeries, bin_cells};

pub use fabricsim_network::{QueueArea, QueueBin};
pub use fabricsim_scenario::schema::observe::ObserveSettings;
use fabricsim_scenario::schema::observe::{chosen_ports, queue_ports};
pub use groups::QueueGroupSummary;
pub(crate) use groups::{QUEUE_GROUPS, QueueGroup, groups_of, write_queue_groups};
pub use summary::SeriesSummary;

/// The time series of a run, and when to look next.
pub(crate) struct Observation {
    interval: Duration,
    until: Time,
    /// Time of the next sample; [`Time::MAX`] if there is none.
    next: Time,
    /// End of the last interval; `None` before the first one begins.
    last: Option<Time>,
    queues: Option<QueueSeries>,
    links: Option<LinkSeries>,
    flows: Option<FlowSeries>,
    distribution: Option<SeriesFile>,
}

impl Observation {
    /// The series that `settings` ask for, in temporary files in `dir`.
    ///
    /// # Errors
    /// When a file cannot be made.
    pub(crate) fn new(
        settings: &ObserveSettings,
        topology: &Topology,
        dir: &Path,
    ) -> Result<Self, Error> {
        let file = |table| SeriesFile::new(table, settings, dir);
        let queues = settings.queues.then(|| {
            let ports = queue_ports(settings, topology);
            Ok(QueueSeries::new(
                named(topology, ports),
                file(&rows::QUEUES)?,
            ))
        });
        let links = settings.links.then(|| {
            let ports = named(topology, chosen_ports(settings, topology));
            Ok(LinkSeries::new(ports, file(&rows::LINKS)?))
        });
        let flows = settings.flows.then(|| {
            let filter = selection::FlowFilter::new(settings);
            Ok(FlowSeries::new(filter, file(&rows::FLOWS)?))
        });
        let distribution = settings
            .queue_distribution
            .then(|| file(&rows::DISTRIBUTION));
        Ok(Self {
            interval: settings.interval,
            until: settings.until.unwrap_or(Time::MAX),
            next: settings.from,
            last: None,
            queues: queues.transpose()?,
            links: links.transpose()?,
            flows: flows.transpose()?,
            distribution: distribution.transpose()?,
        })
    }

    /// Returns when the run has to stop for a look; [`Time::MAX`] for never.
    pub(crate) const fn next(&self) -> Time {
        self.next
    }

    /// Looks at `simulation`, which has come to [`Self::next`] or to the end of the run; `ended`
    /// are all flows that have ended so far.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub(crate) fn look(
        &mut self,
        simulation: &mut Simulation,
        ended: &[FctRecord],
    ) -> Result<(), Error> {
        let now = simulation.now();
        let begun = self.last.is_some();
        if self.next == Time::MAX || self.last == Some(now) || !begun && now < self.next {
            return Ok(());
        }
        simulation.synchronize();
        let interval = self.last.map(|last| now.since(last));
        if let Some(queues) = &mut self.queues
            && begun
        {
            queues.look(now, simulation)?;
        }
        if let Some(links) = &mut self.links {
            links.look(now, interval, simulation)?;
        }
        if let Some(flows) = &mut self.flows {
            flows.look(now, interval, simulation, ended)?;
        }
        self.last = Some(now);
        self.next = if now >= self.until || self.is_full() {
            Time::MAX
        } else {
            now.saturating_add(self.interval).min(self.until)
        };
        Ok(())
    }

    /// Returns whether no series takes another sample.
    fn is_full(&self) -> bool {
        let queues = self.queues.as_ref().map(QueueSeries::file);
        let links = self.links.as_ref().map(LinkSeries::file);
        let flows = self.flows.as_ref().map(FlowSeries::file);
        let mut files = [queues, links, flows].into_iter().flatten();
        files.all(SeriesFile::is_full)
    }

    /// Saves what has been seen so far.
    ///
    /// # Errors
    /// When a file cannot be written or read again.
    pub(crate) fn save(&mut self, out: &mut Writer) -> Result<(), Error> {
        let Self {
            interval: _,
            until: _,
            next,
            last,
            queues,
            links,
            flows,
            distribution: _,
        } = self;
        next.store(out);
        last.store(out);
        if let Some(queues) = queues {
            queues.save(out)?;
        }
        if let Some(links) = links {
            links.save(out)?;
        }
        if let Some(flows) = flows {
            flows.save(out)?;
        }
        Ok(())
    }

    /// Goes on from what [`Self::save`] has saved.
    pub(crate) fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        let Self {
            interval: _,
            until: _,
            next,
            last,
            queues,
            links,
            flows,
            distribution: _,
        } = self;
        next.load(input)?;
        last.load(input)?;
        if let Some(queues) = queues {
            input.section("queues", |input| queues.load(input))?;
        }
        if let Some(links) = links {
            input.section("links", |input| links.load(input))?;
        }
        if let Some(flows) = flows {
            input.section("flows", |input| flows.load(input))?;
        }
        Ok(())
    }

    /// Writes what is known at the end of the run and puts the files into `folder`.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub(crate) fn finish(
        self,
        simulation: &Simulation,
        folder: &mut ResultFolder,
        ending: Ending,
    ) -> Result<Vec<SeriesSummary>, Error> {
        let mut files: Vec<SeriesFile> = Vec::new();
        files.extend(self.queues.map(QueueSeries::into_file));
        if let Some(mut file) = self.distribution {
            for bin in simulation.queue_distribution() {
                let label = simulation.routes().topology().label(bin.node);
                let left_out = || format!("{label} port {} and later ports", bin.port);
                if !file.has_room(1, left_out) {
                    break;
                }
                file.write(&bin_cells(&bin))?;
            }
            files.push(file);
        }
        files.extend(self.links.map(LinkSeries::into_file));
        files.extend(self.flows.map(FlowSeries::into_file));
        let files = files.into_iter().map(|file| file.finish(folder, ending));
        files.collect()
    }
}

/// The files that `settings` ask for.
pub(crate) fn file_names(settings: &ObserveSettings) -> impl Iterator<Item = String> {
    let asked = [
        (settings.queues, &rows::QUEUES),
        (settings.queue_distribution, &rows::DISTRIBUTION),
        (settings.links, &rows::LINKS),
        (settings.flows, &rows::FLOWS),
    ];
    let format = settings.format;
    let asked = asked.into_iter().filter(|(asked, _)| *asked);
    let groups = settings.queue_distribution.then(|| QUEUE_GROUPS.to_owned());
    asked
        .map(move |(_, table)| file_name(table, format))
        .chain(groups)
}

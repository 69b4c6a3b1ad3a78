//! The series of the `[observe]` table: their instants and their files.
//!
//! A sample instant ends an epoch, and every node is run up to it. So a sample reads the state of a
//! single instant, for any number of threads, and does not affect packets. Rows are written
//! directly to their files.

mod file;
mod groups;
#[cfg(feature = "parquet")]
mod parquet;
mod summary;

use std::path::Path;

use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Stored, Writer};
use fabricsim_base::units::{Duration, Time};
use fabricsim_network::series::{Rows, Series};
use fabricsim_report::FctRecord;
use fabricsim_topology::Topology;

use crate::output::{Ending, ResultFolder};
use crate::simulation::Simulation;
use fabricsim_scenario::text::error::Error;
use file::{SeriesFile, file_name};

pub use fabricsim_network::{QueueArea, QueueBin};
pub use fabricsim_scenario::schema::observe::ObserveSettings;
pub use groups::QueueGroupSummary;
pub(crate) use groups::{QUEUE_GROUPS, QueueGroup, groups_of, write_queue_groups};
pub use summary::SeriesSummary;

/// The time series of a run, and the time of the next sample.
pub(crate) struct Observation {
    interval: Duration,
    until: Time,
    /// Time of the next sample; [`Time::MAX`] if there is none.
    next: Time,
    /// End of the last interval; `None` before the first one begins.
    last: Option<Time>,
    /// The series with their files, in the order of [`ObserveSettings::series`].
    series: Vec<(Box<dyn Series>, SeriesFile)>,
}

impl Observation {
    /// Begins the series of `settings`, in temporary files in `dir`.
    ///
    /// # Errors
    /// Fails if a file cannot be created.
    pub(crate) fn new(
        settings: &ObserveSettings,
        topology: &Topology,
        dir: &Path,
    ) -> Result<Self, Error> {
        let scope = settings.scope(topology);
        let series = settings.series().map(|kind| {
            let file = SeriesFile::new(kind, settings, dir)?;
            Ok(((kind.new)(&scope), file))
        });
        Ok(Self {
            interval: settings.interval,
            until: settings.until.unwrap_or(Time::MAX),
            next: settings.from,
            last: None,
            series: series.collect::<Result<_, Error>>()?,
        })
    }

    /// Returns the time at which the run must stop for a sample; [`Time::MAX`] for never.
    pub(crate) const fn next(&self) -> Time {
        self.next
    }

    /// Samples `simulation`, which has reached [`Self::next`] or the end of the run; `ended` are
    /// all flows that have ended so far.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
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
        self.collect(simulation);
        let view = simulation.view(self.last.map(|last| now.since(last)), ended);
        for (series, file) in &mut self.series {
            let sampled = series.sample(&view, file);
            sampled.map_err(|source| file.error(source))?;
        }
        self.last = Some(now);
        self.next = if now >= self.until || self.is_full() {
            Time::MAX
        } else {
            now.saturating_add(self.interval).min(self.until)
        };
        Ok(())
    }

    fn collect(&mut self, simulation: &mut Simulation) {
        for (series, _) in &mut self.series {
            simulation.collect(&mut **series);
        }
    }

    /// Returns `true` if no series takes another sample.
    fn is_full(&self) -> bool {
        let mut sampled = self.series.iter().filter(|(series, _)| series.is_sampled());
        sampled.all(|(_, file)| file.is_full())
    }

    /// Saves the samples so far.
    ///
    /// # Errors
    /// Fails if a file cannot be written or read again.
    pub(crate) fn save(&mut self, out: &mut Writer) -> Result<(), Error> {
        let Self {
            interval: _,
            until: _,
            next,
            last,
            series,
        } = self;
        next.store(out);
        last.store(out);
        for (series, file) in series.iter_mut().filter(|(series, _)| series.is_sampled()) {
            let rows = file.rows_so_far()?;
            out.section(|out| {
                series.save(out);
                file.save(&rows, out);
            });
        }
        Ok(())
    }

    /// Loads the samples that [`Self::save`] has saved, and continues after them.
    pub(crate) fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        let Self {
            interval: _,
            until: _,
            next,
            last,
            series,
        } = self;
        next.load(input)?;
        last.load(input)?;
        for (series, file) in series.iter_mut().filter(|(series, _)| series.is_sampled()) {
            input.section(file.key(), |input| {
                series.load(input)?;
                file.load(input)
            })?;
        }
        Ok(())
    }

    /// Writes the last rows after the end of the run, given all its ended flows `ended`, and adds
    /// the files to `folder`.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub(crate) fn finish(
        mut self,
        simulation: &mut Simulation,
        ended: &[FctRecord],
        folder: &mut ResultFolder,
        ending: Ending,
    ) -> Result<Vec<SeriesSummary>, Error> {
        self.collect(simulation);
        let view = simulation.view(None, ended);
        let files = self.series.into_iter().map(|(mut series, mut file)| {
            let finished = series.finish(&view, &mut file);
            finished.map_err(|source| file.error(source))?;
            file.finish(folder, ending)
        });
        files.collect()
    }
}

/// Returns the names of the files for `settings`.
pub(crate) fn file_names(settings: &ObserveSettings) -> impl Iterator<Item = String> {
    let groups = settings.queue_distribution.then(|| QUEUE_GROUPS.to_owned());
    let series = settings.series();
    series
        .map(|kind| file_name(kind.key, settings.format))
        .chain(groups)
}

//! A simulation that a program drives, event by event.

use std::any::Any;
use std::sync::{Arc, Mutex};

use fabricsim_base::flow::FlowRequest;
use fabricsim_base::id::NodeId;
use fabricsim_base::rng::{Purpose, Stream};
use fabricsim_base::units::{Duration, Time};
use fabricsim_core::network::{Hearing, RunCallback, Stop};
use fabricsim_scenario::Error;

use super::Simulation;
use crate::driver::{
    Actions, Cell, Driver, Message, MessageRules, Next, OrderDesk, Pausing, Proxy, lock,
};

impl Simulation {
    /// Returns the rules for messages of this simulation.
    #[must_use]
    pub fn message_rules(&self) -> MessageRules {
        MessageRules::new(self.rules.clone())
    }

    /// Returns the time of `message` on the idle network to its last acknowledgement, by the
    /// current routes, or `None` if no route leads to its receiver or the message is impossible.
    #[must_use]
    pub fn ideal_time(&self, message: &Message) -> Option<Duration> {
        let request = message.request(self.now());
        let request = FlowRequest {
            src_port: Some(0),
            ..request
        };
        self.rules.check(&request, self.now()).ok()?;
        let payload = self.ideal.payload(&request);
        let control = &self.control_plane;
        let found = (control.nics).resolve(&control.routes, 0, &request, payload)?;
        Some((self.ideal).at_start(&control.idle_now(), &request, &found))
    }

    /// Sends `message` now. From the first call on, the program drives the simulation: see
    /// [`crate::driver`].
    ///
    /// # Errors
    /// Fails like [`MessageRules::check`].
    pub fn send(&mut self, message: &Message) -> Result<(), Error> {
        self.act(|actions| actions.send(message))
    }

    /// Sends `message` at `at`.
    ///
    /// # Errors
    /// Fails like [`MessageRules::check`].
    pub fn send_at(&mut self, at: Time, message: &Message) -> Result<(), Error> {
        self.act(|actions| actions.send_at(at, message))
    }

    /// Sets the timer `token` to `at`, or moves it there.
    ///
    /// # Errors
    /// Fails like [`MessageRules::check_timer`].
    pub fn set_timer(&mut self, at: Time, token: u64) -> Result<(), Error> {
        self.act(|actions| actions.set_timer(at, token))
    }

    /// Cancels the timer `token`. Returns `true` if it was set.
    pub fn cancel_timer(&mut self, token: u64) -> bool {
        self.act(|actions| actions.cancel_timer(token))
    }

    /// Attaches `driver`, which receives all events from now on, including pending ones. It
    /// replaces the previous driver.
    ///
    /// ```
    /// use fabricsim::driver::{Actions, Driver, Event, EventKind, Message};
    /// use fabricsim::prelude::*;
    /// use fabricsim_scenario::kinds::Registry;
    ///
    /// /// Starts the next round at all hosts after all messages of a round have been delivered.
    /// struct Rounds {
    ///   left: u32,
    ///   missing: u32,
    /// }
    ///
    /// impl Driver for Rounds {
    ///   fn on_event(&mut self, event: &Event, actions: &mut Actions<'_>) {
    ///       match event.kind {
    ///           EventKind::Delivered(_) => self.missing -= 1,
    ///           EventKind::Timer(_) => {}
    ///           _ => return,
    ///       }
    ///       if self.missing == 0 && self.left > 0 {
    ///           (self.left, self.missing) = (self.left - 1, 4);
    ///           for host in 0..4 {
    ///               let next = NodeId((host + 1) % 4);
    ///               let message = Message::new(NodeId(host), next, Bytes::new(20_000));
    ///               actions.send(&message).expect("hosts of a star");
    ///           }
    ///       }
    ///   }
    /// }
    ///
    /// let text = "[topology]\nkind = \"star\"\nhosts = 4\n[cc]\nkind = \"hpcc\"\n";
    /// let scenario = Scenario::from_toml_with(text, Registry::default().with_optional_workloads())?;
    /// let mut simulation = Simulation::new(&scenario, 1)?;
    /// simulation.attach(Rounds { left: 10, missing: 0 });
    /// simulation.set_timer(Time::ZERO, 0)?;
    /// assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    /// assert_eq!(simulation.flows_finished(), 40);
    /// assert_eq!(simulation.with_driver(|rounds: &mut Rounds| rounds.left), Some(0));
    /// # Ok::<(), fabricsim::Error>(())
    /// ```
    pub fn attach(&mut self, driver: impl Driver) {
        lock(&self.steer()).driver = Some(Box::new(driver));
    }

    /// Detaches and returns the driver. Events are kept for [`Self::run_until_next`] from now on.
    pub fn detach(&mut self) -> Option<Box<dyn Driver>> {
        let cell = self.steered.as_ref()?;
        lock(cell).driver.take()
    }

    /// Calls `visit` with the driver, if there is one and it is a `D`.
    pub fn with_driver<D: Driver, R>(&mut self, visit: impl FnOnce(&mut D) -> R) -> Option<R> {
        let cell = self.steered.as_ref()?;
        let mut cell = lock(cell);
        let driver: &mut dyn Any = cell.driver.as_deref_mut()?;
        driver.downcast_mut().map(visit)
    }

    /// Ends the events [`Acknowledged`](crate::driver::EventKind::Acknowledged): a run costs less
    /// if only deliveries and timers are events.
    pub fn ignore_acknowledgements(&mut self) {
        let cell = self.steer();
        lock(&cell).state.hearing = Hearing::Deliveries;
        self.runner.set_hearing(Hearing::Deliveries);
    }

    /// Runs to the next event before `until` and returns at its exact time, [`Self::now`]. Requests
    /// made then take effect at that time. For runs without an [attached](Self::attach) driver.
    pub fn run_until_next(&mut self, until: Time) -> Next {
        self.run_until_next_with_callback(until, &mut ())
    }

    /// Like [`run_until_next`](Self::run_until_next), with a callback that watches the run. If
    /// `callback` ends the run, this returns [`Stop::Interrupted`], and the run can continue later.
    pub fn run_until_next_with_callback(
        &mut self,
        until: Time,
        callback: &mut dyn RunCallback,
    ) -> Next {
        let cell = self.steer();
        let pause = |pausing| lock(&cell).state.pausing = pausing;
        if let Some(event) = lock(&cell).state.events.pop_front() {
            return Next::Event(event);
        }
        pause(Pausing::AtEvents);
        let stop = self.advance(&cell, until, callback);
        pause(Pausing::Never);
        match (stop, lock(&cell).state.events.pop_front()) {
            (_, Some(event)) => Next::Event(event),
            (stop, None) => Next::Stopped(stop.unwrap_or(Stop::TimeReached)),
        }
    }

    /// Runs a simulation that a program drives.
    pub(super) fn run_steered(&mut self, until: Time, callback: &mut dyn RunCallback) -> Stop {
        let cell = self.steer();
        let stop = self.advance(&cell, until, callback);
        lock(&cell).state.pausing = Pausing::Never;
        stop.unwrap_or(Stop::Interrupted)
    }

    fn advance(
        &mut self,
        cell: &Mutex<Cell>,
        until: Time,
        callback: &mut dyn RunCallback,
    ) -> Option<Stop> {
        let mut desk = OrderDesk(cell);
        let (sources, control_plane) = (&mut self.sources, &mut self.control_plane);
        (self.runner).run_steered(until, sources, control_plane, callback, &mut desk)
    }

    fn act<R>(&mut self, act: impl FnOnce(&mut Actions<'_>) -> R) -> R {
        let cell = self.steer();
        let now = self.now();
        let state = &mut lock(&cell).state;
        act(&mut Actions::new(now, state, None))
    }

    /// Returns the state that is shared with the applications at the hosts. The first call creates
    /// it and these applications.
    fn steer(&mut self) -> Arc<Mutex<Cell>> {
        if let Some(cell) = &self.steered {
            return Arc::clone(cell);
        }
        let hosts = self.routes().topology().hosts();
        let keeper = hosts.first().copied().unwrap_or(NodeId(0));
        let cell = Arc::new(Mutex::new(Cell::new(self.message_rules(), keeper)));
        let seed = self.seed;
        let number = u64::from(self.applications) << 32;
        self.applications += 1;
        self.runner.steer(&mut |host| {
            let stream = Stream::new(seed, number | u64::from(host.0), Purpose::Application);
            (Box::new(Proxy(Arc::clone(&cell))), stream)
        });
        self.steered = Some(Arc::clone(&cell));
        cell
    }
}

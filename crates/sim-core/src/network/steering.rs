//! Runs of a network that a program steers from outside. The program has an application at every
//! host; at the time of an event at one of them, it can act at all hosts.

use std::ops::ControlFlow;

use super::driver::NetworkDriver;
use super::node::Node;
use super::orders::{Hearing, Order};
use super::{Network, NetworkControl, Overload, RunCallback, Stop};
use crate::plugin::{Application, Model, StartError};
use fabricsim_base::flow::FlowSource;
use fabricsim_base::id::{FlowId, NodeId};
use fabricsim_base::rng::Stream;
use fabricsim_base::units::Time;
use fabricsim_engine::{Driver, Epoch, Processes, SteeredDriver, Steps};

/// The next step of the steering program.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Step {
    /// Execute this request at this host.
    Order(NodeId, Order),
    /// Return from the run at this time.
    Pause,
    /// End the run, because it cannot go on.
    End(Overload),
    /// Continue; there are no more requests at this time.
    Proceed,
}

/// Queue of the requests that the program's applications make.
pub trait Desk {
    /// Removes and returns the next step at the time `now`.
    fn next_step(&mut self, now: Time) -> Step;

    /// Reports the number of the requested flow with this tag, or why it was not started: it is
    /// impossible, or its host is out of numbers.
    fn on_number(&mut self, tag: u64, number: Result<FlowId, StartError>);
}

/// Drives a network for the steering program.
struct Steering<'a, 'n, R> {
    driver: &'a mut NetworkDriver<'n, R>,
    desk: &'a mut dyn Desk,
    /// Index of the program's application at each host, by node.
    places: &'a [usize],
    /// Time before which no request can take effect.
    from: Time,
    /// `Break` if the run was paused.
    ran: ControlFlow<()>,
}

impl<R> Steering<'_, '_, R> {
    /// Lets a host execute a request.
    fn carry_out<M: Model>(
        &mut self,
        now: Time,
        steps: &mut Steps<'_, Node<M>>,
        (id, order): (NodeId, Order),
    ) {
        let place = self.places[id.index()];
        let carry_out = |node: &mut Node<M>| {
            let host = node.host_mut();
            let host = host.expect("whoever steers has applications at hosts alone");
            let number = host.carry_out(now, place, &order);
            (number, host.take_app_news())
        };
        let (number, news) = steps.update(id.index(), carry_out);
        if let Some(news) = news {
            self.driver.follow(news);
        }
        if let Order::Flow { flow, .. } = order
            && let Some(number) = number.transpose()
        {
            self.desk.on_number(flow.tag, number);
        }
    }
}

impl<M: Model> Driver<Node<M>> for Steering<'_, '_, M::Routing> {
    fn before(&mut self, processes: &mut Processes<'_, Node<M>>, next: Time) -> Option<Epoch> {
        self.driver.before(processes, next)
    }

    fn collect(&mut self, processes: &mut Processes<'_, Node<M>>) {
        self.driver.collect(processes);
    }
}

impl<M: Model> SteeredDriver<Node<M>> for Steering<'_, '_, M::Routing> {
    fn react(&mut self, now: Time, steps: &mut Steps<'_, Node<M>>) -> ControlFlow<()> {
        let now = now.max(self.from);
        loop {
            match self.desk.next_step(now) {
                Step::Order(host, order) => self.carry_out(now, steps, (host, order)),
                Step::Pause => {
                    self.ran = ControlFlow::Break(());
                    return self.ran;
                }
                Step::End(overload) => {
                    self.driver.state.overload.get_or_insert(overload);
                    self.driver.stop = Stop::Overloaded(overload);
                    return ControlFlow::Break(());
                }
                Step::Proceed => return ControlFlow::Continue(()),
            }
        }
    }

    fn until(&self) -> Time {
        self.driver.until
    }
}

impl<M: Model> Network<M> {
    /// Adds an application of the steering program to every host. From now on, only
    /// [`Self::run_steered`] may run the network. `make` returns the application and its random
    /// stream.
    pub fn steer(&mut self, mut make: impl FnMut(NodeId) -> (Box<dyn Application>, Stream)) {
        self.state.forward = None;
        self.steered_by = vec![0; self.wiring.len()];
        let hosts: Vec<(NodeId, usize)> = self
            .hosts()
            .map(|host| (host.id(), host.applications().count()))
            .collect();
        for (host, place) in hosts {
            self.steered_by[host.index()] = place;
            let (application, stream) = make(host);
            self.add_application(host, application, stream);
        }
    }

    /// Changes the events that the steering program needs.
    pub fn set_hearing(&mut self, hearing: Hearing) {
        let hosts: Vec<NodeId> = self.hosts().map(|host| host.id()).collect();
        for host in hosts {
            self.engine.update(host.index(), |node| {
                if let Some(host) = node.host_mut() {
                    host.set_hearing(hearing);
                }
            });
        }
    }

    /// Like [`run_until`](Self::run_until), but for a steering program. Also returns if `desk`
    /// pauses the run: the result is then `None`, and [`Self::now`] is the exact time.
    ///
    /// # Panics
    /// Panics unless [`Self::steer`] has been called.
    pub fn run_steered(
        &mut self,
        until: Time,
        source: &mut dyn FlowSource,
        control_plane: &mut dyn NetworkControl<M::Routing>,
        callback: &mut dyn RunCallback,
        desk: &mut dyn Desk,
    ) -> Option<Stop> {
        let from = self.now();
        let places = std::mem::take(&mut self.steered_by);
        let stop = self.drive(until, source, control_plane, callback, |engine, driver| {
            let mut steering = Steering {
                driver,
                desk,
                places: &places,
                from,
                ran: ControlFlow::Continue(()),
            };
            engine.run_steered(&mut steering);
            steering.ran
        });
        self.steered_by = places;
        stop
    }
}

//! Attachments of a program to a simulation: applications at hosts, and observers of nodes.

use std::any::Any;

use fabricsim_base::id::NodeId;
use fabricsim_base::rng::{Purpose, Stream};
use fabricsim_core::plugin::{Application, Observer};

use super::Simulation;
use fabricsim_scenario::Error;

impl Simulation {
    /// Adds an application to `host`. It is first called when the run continues, at the current
    /// time, and is notified of flows that start afterwards. Flows that it starts in reaction to
    /// an event start at exactly the time of the event, and results do not depend on the number of
    /// threads.
    ///
    /// Flows of applications are numbered separately from flows of workloads, by host: the first
    /// flow of host number `h` of `n` hosts is 2³¹ + h, the next one 2³¹ + n + h, and so on.
    ///
    /// ```
    /// use fabricsim_base::flow::Flow;
    /// use fabricsim_base::id::{ClassId, NodeId};
    /// use fabricsim_core::network::Stop;
    /// use fabricsim_core::plugin::{AppContext, AppFlow, Application};
    /// use fabricsim_base::units::{Bytes, Time};
    /// use fabricsim::{Scenario, Simulation};
    ///
    /// /// Sends a flow to the other host after each flow from there.
    /// #[derive(Debug)]
    /// struct Player {
    ///   other: NodeId,
    ///   serves: bool,
    ///   left: u32,
    /// }
    ///
    /// impl Player {
    ///   fn play(&mut self, context: &mut AppContext<'_>) {
    ///       if self.left > 0 {
    ///           self.left -= 1;
    ///           let ball = AppFlow::new(self.other, Bytes::new(1_000), ClassId(1));
    ///           context.start_flow(&ball).expect("a star has a route");
    ///       }
    ///   }
    /// }
    ///
    /// impl Application for Player {
    ///   fn on_start(&mut self, context: &mut AppContext<'_>) {
    ///       if self.serves {
    ///           self.play(context);
    ///       }
    ///   }
    ///
    ///   fn on_flow_received(&mut self, context: &mut AppContext<'_>, flow: &Flow, _tag: u64) {
    ///       if flow.request.class == ClassId(1) {
    ///           self.play(context);
    ///       }
    ///   }
    /// }
    ///
    /// let scenario = Scenario::from_toml(
    ///   "[topology]\nkind = \"star\"\nhosts = 4\n[cc]\nkind = \"hpcc\"\n\
    ///    [[workload]]\nkind = \"permutation\"\nsize = \"1MB\"",
    /// )?;
    /// let mut simulation = Simulation::new(&scenario, 1)?;
    /// for (host, other) in [(0, 1), (1, 0)] {
    ///   let player = Player { other: NodeId(other), serves: host == 0, left: 5 };
    ///   simulation.add_application(NodeId(host), player)?;
    /// }
    /// assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    /// assert_eq!(simulation.flows_finished(), 4 + 10);
    /// assert!(simulation.applications::<Player>().all(|(_, player)| player.left == 0));
    /// # Ok::<(), fabricsim::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if `host` is not a host.
    pub fn add_application(
        &mut self,
        host: NodeId,
        application: impl Application,
    ) -> Result<(), Error> {
        self.add_boxed_application(host, Box::new(application))
    }

    /// Like [`add_application`](Self::add_application), for applications of several types.
    ///
    /// # Errors
    /// Fails if `host` is not a host.
    pub fn add_boxed_application(
        &mut self,
        host: NodeId,
        application: Box<dyn Application>,
    ) -> Result<(), Error> {
        if !self.is_host(host) {
            return Err(Error::Application(format!("node {host} is not a host")));
        }
        let entity = u64::from(self.applications) << 32 | u64::from(host.0);
        self.applications += 1;
        let stream = Stream::new(self.seed, entity, Purpose::Application);
        self.runner.add_application(host, application, stream);
        Ok(())
    }

    /// Returns the applications of type `A`, each with its host, in the order of hosts, and at each
    /// host in the order in which they were added.
    pub fn applications<A: Application>(&self) -> impl Iterator<Item = (NodeId, &A)> {
        let all = self.runner.applications().into_iter();
        all.filter_map(|(host, application)| {
            let any: &dyn Any = application;
            Some((host, any.downcast_ref()?))
        })
    }

    /// Returns, for each application that has not finished its work, its host and its own
    /// description of the reason why it waits, in the order of hosts.
    #[must_use]
    pub fn waiting_applications(&self) -> Vec<(NodeId, String)> {
        self.runner.applications_wait_for()
    }

    /// Attaches an observer, made by `make`, to each host and switch from now on. It replaces the
    /// previous one. Nodes run on several threads, so observers share nothing; read them between
    /// runs, by [`observers`](Self::observers).
    ///
    /// Observers receive packets without the telemetry of switches. A run without observers pays
    /// only the test of a pointer for them.
    ///
    /// ```
    /// use fabricsim_base::id::NodeId;
    /// use fabricsim_core::packet::Packet;
    /// use fabricsim_core::plugin::{Hop, Observer};
    /// use fabricsim_base::units::Time;
    /// use fabricsim::{Scenario, Simulation};
    ///
    /// /// Counts the bytes that leave a switch.
    /// #[derive(Debug, Default)]
    /// struct Bytes(u64);
    ///
    /// impl Observer<()> for Bytes {
    ///   fn on_dequeue(&mut self, _node: NodeId, _hop: &Hop, packet: &Packet<()>) {
    ///       self.0 += packet.size().get();
    ///   }
    /// }
    ///
    /// let scenario = Scenario::from_toml(
    ///   "[topology]\nkind = \"star\"\nhosts = 4\n[cc]\nkind = \"hpcc\"\n\
    ///    [[workload]]\nkind = \"permutation\"\nsize = \"1MB\"",
    /// )?;
    /// let mut simulation = Simulation::new(&scenario, 1)?;
    /// simulation.observe(|_node| Bytes::default());
    /// simulation.run_until(Time::MAX);
    /// let switch = simulation.observers::<Bytes>().last().expect("the last node is the switch");
    /// assert!(switch.1.0 > 4_000_000);
    /// # Ok::<(), fabricsim::Error>(())
    /// ```
    pub fn observe<O: Observer<()> + 'static>(&mut self, mut make: impl FnMut(NodeId) -> O) {
        self.runner.observe(&mut |node| Box::new(make(node)));
    }

    /// Returns the observers of type `O`, each with its node, in the order of nodes.
    pub fn observers<O: Observer<()> + 'static>(&self) -> impl Iterator<Item = (NodeId, &O)> {
        let all = self.runner.attached_observers().into_iter();
        all.filter_map(|(node, observer)| {
            let any: &dyn Any = observer;
            Some((node, any.downcast_ref()?))
        })
    }
}

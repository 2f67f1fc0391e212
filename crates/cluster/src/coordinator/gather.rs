//! Finds the agents of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use tenbin_plan::{Sentence, sentence};

use super::{Coordinator, Member, POLL, check, one_line};
use crate::bus::Server;
use crate::error::ClusterError;
use crate::message::{FORMAT, Happened, Hello, Introduction, What};
use crate::subjects::HELLO;

/// Interval between requests for introductions.
const HELLO_AGAIN: Duration = Duration::from_millis(500);
/// How long [`Coordinator::list`] waits for introductions.
const LIST_TIME: Duration = Duration::from_secs(1);
/// How long an agent may take to say that it works for this run.
const RESERVE_TIME: Duration = Duration::from_secs(3);

impl Coordinator {
    /// Connects to `server` and finds `count` agents within `time`: the first by name, if there are
    /// more. `run` identifies the run. `tell` receives the number of agents found so far.
    ///
    /// # Errors
    /// When the server cannot be reached, when too few agents are found in time, when an
    /// agent has another version, or when `stop` is set.
    pub fn gather(
        server: &Server,
        run: &str,
        (count, time): (usize, Duration),
        stop: &AtomicBool,
        tell: &mut dyn FnMut(usize),
    ) -> Result<Self, ClusterError> {
        let mut gathered = Self::connect(server, run)?;
        gathered.find((count, time), stop, tell)?;
        Ok(gathered)
    }

    /// All agents that respond within a second, by name.
    ///
    /// # Errors
    /// When the server cannot be reached, or `stop` is set.
    pub fn list(server: &Server, stop: &AtomicBool) -> Result<Vec<ListedAgent>, ClusterError> {
        let mut coordinator = Self::connect(server, &format!("list-{:x}", std::process::id()))?;
        let mut found = Vec::new();
        let start = Instant::now();
        coordinator.say_hello();
        while start.elapsed() < LIST_TIME {
            check(stop)?;
            if let Some((_, Happened::Here(intro), _)) = coordinator.next(POLL)? {
                found.push(intro);
            }
        }
        coordinator.list_with_clocks(found, stop)
    }

    /// Probes the clocks of agents that are not reserved, also of those that work for other runs.
    fn list_with_clocks(
        &mut self,
        found: Vec<Introduction>,
        stop: &AtomicBool,
    ) -> Result<Vec<ListedAgent>, ClusterError> {
        let of_other_format = |it: &Introduction| it.format != FORMAT;
        let (silent, found) = found.into_iter().partition(of_other_format);
        let silent: Vec<Introduction> = silent;
        self.members = found.into_iter().map(Member::new).collect();
        let hear = |own: &mut Self| match own.next(POLL) {
            Err(ClusterError::Lost { .. }) => Ok(None),
            heard => heard,
        };
        let clocks = self.clocks(stop, hear)?;
        let members = std::mem::take(&mut self.members).into_iter().zip(clocks);
        let probed = members.map(|(member, clock)| (member.intro, clock));
        let all = probed.chain(silent.into_iter().map(|intro| (intro, None)));
        let listed = all.map(|(introduction, clock)| ListedAgent {
            is_same_build: other_build(&introduction).is_none(),
            introduction,
            clock_bound: clock.map(|clock| Duration::from_nanos(clock.error)),
        });
        let mut listed: Vec<ListedAgent> = listed.collect();
        listed.sort_by(|a, b| a.introduction.name.cmp(&b.introduction.name));
        Ok(listed)
    }

    fn find(
        &mut self,
        (count, time): (usize, Duration),
        stop: &AtomicBool,
        tell: &mut dyn FnMut(usize),
    ) -> Result<(), ClusterError> {
        self.planned = count;
        let mut search = Search::new(time);
        while self.members.len() < count {
            if search.is_over() {
                return Err(search.too_few(count));
            }
            let before = search.free.len();
            self.look(&mut search, stop)?;
            if search.free.len() > before {
                tell(search.free.len().min(count));
            }
            if search.is_long_enough() && search.free.len() >= count {
                search.check_builds(count)?;
                let reserved = self.reserve(&mut search, count, stop)?;
                // Agents that are reserved while others are missing could block another run.
                if reserved < count {
                    self.release(reserved);
                }
            }
        }
        self.probe(stop)
    }

    /// Looks for free agents for a moment.
    pub(super) fn look(
        &mut self,
        search: &mut Search,
        stop: &AtomicBool,
    ) -> Result<(), ClusterError> {
        check(stop)?;
        if search.asked.is_none_or(|at| at.elapsed() >= HELLO_AGAIN) {
            search.ask_again();
            self.say_hello();
        }
        if let Some((_, Happened::Here(intro), _)) = self.next(POLL)? {
            let is_member = |member: &Member| member.intro.name == intro.name;
            if !self.members.iter().any(is_member) {
                search.learn(intro)?;
            }
        }
        Ok(())
    }

    /// Reserves at most `most` of the free agents, one after the other by name, so that of two
    /// coordinators that want the same agents one gets them all. Returns the number of agents
    /// reserved, which are the last members.
    pub(super) fn reserve(
        &mut self,
        search: &mut Search,
        most: usize,
        stop: &AtomicBool,
    ) -> Result<usize, ClusterError> {
        let mut reserved = 0;
        let mut free = std::mem::take(&mut search.free);
        free.sort_by(|a, b| a.name.cmp(&b.name));
        for intro in free {
            if reserved == most {
                search.free.push(intro);
                continue;
            }
            let name = intro.name.clone();
            let agent = self.members.len();
            self.members.push(Member::new(intro));
            self.signs.expect(self.members[agent].subject());
            match self.reserve_one(agent, stop) {
                Ok(true) => reserved += 1,
                Ok(false) => {
                    self.release(1);
                    search.busy.insert(name);
                }
                Err(error) => {
                    self.release(1);
                    return Err(error);
                }
            }
        }
        Ok(reserved)
    }

    fn reserve_one(&mut self, agent: usize, stop: &AtomicBool) -> Result<bool, ClusterError> {
        let number = self.number;
        self.order(agent, What::Reserve { number });
        let start = Instant::now();
        while start.elapsed() < RESERVE_TIME {
            check(stop)?;
            match self.next(POLL)? {
                Some((of, Happened::Reserved, _)) if of == agent => return Ok(true),
                Some((of, Happened::Busy, _)) if of == agent => return Ok(false),
                _ => {}
            }
        }
        Ok(false)
    }

    /// Sends the last `count` members away.
    fn release(&mut self, count: usize) {
        for agent in (self.members.len() - count..self.members.len()).rev() {
            self.dismiss(agent);
        }
    }

    /// Sends a member away.
    pub(super) fn dismiss(&mut self, agent: usize) {
        self.order(agent, What::End);
        let member = self.members.remove(agent);
        self.signs.forget(&member.subject());
    }

    fn say_hello(&self) {
        let run = self.run.clone();
        let format = FORMAT;
        self.bus.outbox().send_named(HELLO, &Hello { run, format });
    }
}

/// An agent that waits at a NATS server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedAgent {
    /// The agent, as it introduced itself.
    pub introduction: Introduction,
    /// Whether the agent can work for this build of Tenbin.
    pub is_same_build: bool,
    /// Largest possible error with which a slice can start at the same time on this agent as on
    /// the coordinator; `None` for an agent of another build or without a response.
    pub clock_bound: Option<Duration>,
}

/// A search for free agents.
pub(super) struct Search {
    start: Instant,
    time: Duration,
    asked: Option<Instant>,
    /// The instance of each agent that has responded since agents were last asked, by name.
    instances: BTreeMap<String, u64>,
    /// Whether two agents of one name are an error, or are not used.
    allows_twins: bool,
    pub(super) free: Vec<Introduction>,
    /// Names of the agents that work for other runs.
    busy: BTreeSet<String>,
}

impl Search {
    pub(super) fn new(time: Duration) -> Self {
        Self {
            start: Instant::now(),
            time,
            asked: None,
            instances: BTreeMap::new(),
            allows_twins: false,
            free: Vec::new(),
            busy: BTreeSet::new(),
        }
    }

    /// A search during a run, which a mistake on another machine must not end.
    pub(super) fn during_run(time: Duration) -> Self {
        Self {
            allows_twins: true,
            ..Self::new(time)
        }
    }

    fn ask_again(&mut self) {
        self.asked = Some(Instant::now());
        self.instances.clear();
    }

    pub(super) fn is_over(&self) -> bool {
        self.start.elapsed() > self.time
    }

    /// Whether all free agents have had the time to respond, so that the choice does not depend on
    /// which agent is quick.
    pub(super) fn is_long_enough(&self) -> bool {
        self.start.elapsed() >= HELLO_AGAIN
    }

    /// Takes note of an agent's introduction. An agent may have been started again since agents were
    /// last asked; two agents of one name both respond each time.
    fn learn(&mut self, intro: Introduction) -> Result<(), ClusterError> {
        let instance = self.instances.insert(intro.name.clone(), intro.instance);
        let is_twin = instance.is_some_and(|instance| instance != intro.instance);
        if is_twin && self.allows_twins {
            self.free.retain(|other| other.name != intro.name);
            return Ok(());
        }
        if is_twin {
            return Err(ClusterError::Agents(sentence!(
                "agents-same-name",
                "two agents are called \"{name}\"; give each its own --name",
                name = intro.name
            )));
        }
        let known = self.free.iter().position(|it| it.name == intro.name);
        if intro.is_busy {
            known.map(|at| self.free.remove(at));
            self.busy.insert(intro.name);
            return Ok(());
        }
        self.busy.remove(&intro.name);
        match known {
            None => self.free.push(intro),
            Some(at) => self.free[at] = intro,
        }
        Ok(())
    }

    /// Refuses other versions and other builds among the first `count` agents by name.
    fn check_builds(&mut self, count: usize) -> Result<(), ClusterError> {
        self.free.sort_by(|a, b| a.name.cmp(&b.name));
        let refusal = self.free.iter().take(count).find_map(other_build);
        refusal.map_or(Ok(()), |why| Err(ClusterError::Agents(why)))
    }

    fn too_few(&self, count: usize) -> ClusterError {
        let busy: Vec<String> = self.busy.iter().map(|name| format!("\"{name}\"")).collect();
        let busy = match &busy[..] {
            [] => Sentence::default(),
            [one] => sentence!(
                "agent-in-use",
                "; agent {name} is in use by another run",
                name = one
            )
            .with("name", one.trim_matches('"')),
            all => sentence!(
                "agents-in-use",
                "; agents {names} are in use by other runs",
                names = all.join(", ")
            ),
        };
        ClusterError::Agents(sentence!(
            "agents-too-few",
            "found {found} of {count} agents within {seconds} s{busy}; start `tenbin agent` on \
             every load machine, with the same NATS server",
            found = self.free.len(),
            count,
            seconds = self.time.as_secs(),
            busy
        ))
    }
}

/// Why an agent of another build cannot work for this one; `None` for an agent of the same build.
pub(super) fn other_build(intro: &Introduction) -> Option<Sentence> {
    let own = env!("CARGO_PKG_VERSION");
    let (name, version) = (&intro.name, one_line(&intro.version));
    if version != own {
        return Some(sentence!(
            "agent-other-version",
            "agent \"{name}\" is version {version} of Tenbin, and this is version {own}; install \
             the same version on all machines",
            name,
            version,
            own
        ));
    }
    (intro.format != FORMAT).then(|| {
        sentence!(
            "agent-other-build",
            "agent \"{name}\" is another build of Tenbin {version}, with other messages (format \
             {format}, and this build has {own}); install the same build on all machines",
            name,
            version,
            format = intro.format,
            own = FORMAT
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(name: &str) -> Introduction {
        Introduction {
            name: name.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            format: FORMAT,
            ..Introduction::default()
        }
    }

    #[test]
    fn another_version_and_another_format_are_refused() {
        assert_eq!(other_build(&agent("load1")), None);
        let mut other = agent("load1");
        other.format += 1;
        let why = other_build(&other).expect("a refusal");
        assert!(why.text().contains("another build of Tenbin"), "{why}");
        other.version = "0.0.9".to_owned();
        let why = other_build(&other).expect("a refusal");
        assert!(why.text().contains("is version 0.0.9 of Tenbin"), "{why}");
    }

    #[test]
    fn an_agent_may_start_again_but_two_must_not_share_a_name() {
        let instance = |instance| Introduction {
            instance,
            ..agent("load1")
        };
        let mut search = Search::new(Duration::from_secs(30));
        for started in [1, 2] {
            search.ask_again();
            search.learn(instance(started)).expect("one agent");
            search.learn(instance(started)).expect("the same agent");
            assert_eq!(search.free, [instance(started)]);
        }
        let two = search.learn(instance(1)).map_err(|error| error.to_string());
        let why = "two agents are called \"load1\"; give each its own --name".to_owned();
        assert_eq!(two, Err(why));
        search.allows_twins = true;
        search.learn(instance(2)).expect("during a run");
        assert_eq!(search.free, []);
    }

    #[test]
    fn an_agent_that_works_for_another_run_is_not_free() {
        let mut search = Search::new(Duration::from_secs(30));
        search.learn(agent("load1")).expect("free");
        search.learn(agent("load2")).expect("free");
        let mut busy = agent("load2");
        busy.is_busy = true;
        search.learn(busy).expect("busy");
        assert_eq!(search.free, [agent("load1")]);
        let why = search.too_few(2).to_string();
        assert!(why.contains("found 1 of 2 agents"), "{why}");
        assert!(
            why.contains("agent \"load2\" is in use by another run"),
            "{why}"
        );
        search.learn(agent("load2")).expect("free again");
        assert_eq!(search.free.len(), 2);
    }
}

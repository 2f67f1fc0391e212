//! The workers of S3 workloads: workers that load objects, and measured workers.

use std::collections::VecDeque;
use std::sync::Arc;

use tenbin_engine::Workload;
use tenbin_plan::sentence;

use crate::prepared::Stage;
use crate::resend::Retrying;
use crate::rng::Rng;
use crate::s3::action::{Action, Layout, Setting};
use crate::s3::actions;
use crate::s3::actions::multipart::Multipart;
use crate::s3::actions::put::Put;
use crate::s3::context::WorkerContext;
use crate::s3::messages::judging::Refusals;
use crate::s3::objects::archives::Archives;
use crate::s3::objects::generations::Generations;
use crate::s3::objects::marks::Share;
use crate::s3::objects::versions::{self, VersionIds};
use crate::s3::prepared::PreparedS3;
use crate::s3::read_back::Recorder;
use crate::s3::setup::archive_loader::ArchiveLoader;
use crate::s3::setup::loading::s;
use crate::s3::setup::must_succeed::MustSucceed;
use crate::s3::signing::request_writer::RequestWriter;
use crate::s3::worker::{Part, Worker};
use crate::sequence::AtWork;
use crate::text::grouped;

/// Maximum number of connections that load objects before a run: few enough not to overload a small
/// server. If the measured load has fewer connections, loading uses no more than the load.
const MOST_FILLING: usize = 64;

impl PreparedS3 {
    /// The stage that loads every required object, version or archive once.
    pub(crate) fn fill(&mut self) -> Stage {
        self.created.add_own();
        self.ids = Arc::new(VersionIds::for_work(&self.work));
        self.recorders.restored();
        let missing = self.missing.clone();
        let layout = self.filling_layout();
        let (objects, what) = match (layout, self.work.versions, &missing) {
            (Layout::Archives, ..) => (Archives::of(&self.work).count(), "archive"),
            (_, _, Some(missing)) => (missing.len() as u64, "object"),
            (_, 0, None) => (self.work.objects, "object"),
            _ => (versions::things(&self.work), "version"),
        };
        let most = usize::try_from(objects).unwrap_or(usize::MAX);
        let connections = self.connections.min(MOST_FILLING).min(most).max(1);
        let workers = self.threads.min(connections);
        let doing = match layout {
            Layout::InParts => "loading by multipart upload:",
            _ => "loading",
        };
        let mut stage = Stage {
            what: sentence!(
                "loading",
                "{doing} {objects} {what}{s}",
                doing,
                objects = grouped(objects),
                what,
                s = s(objects)
            )
            .with("in_parts", matches!(layout, Layout::InParts)),
            total: Some(objects),
            connections,
            workers: Vec::new(),
            must_succeed: true,
            host: None,
        };
        for worker in 0..workers {
            let mut setting = self.setting(worker, workers);
            setting.connections = connections / workers;
            let walk = Self::filling(&setting, objects, missing.as_ref());
            let put: Box<dyn Action> = match layout {
                Layout::Archives => Box::new(ArchiveLoader::new(&setting)),
                Layout::InParts => {
                    Box::new(Multipart::of(walk.making(setting.marks), &mut setting))
                }
                Layout::Objects | Layout::Nothing => Box::new(Put::of(walk, &mut setting)),
            };
            let worker = self.alone(put);
            let worker = MustSucceed::new(worker, "an object cannot be put");
            stage.workers.push(Box::new(worker));
        }
        stage
    }

    /// As [`PreparedS3::measured`], with up to `retries` retries of each refused request.
    pub(crate) fn measured_with_retries(
        &mut self,
        worker: usize,
        workers: usize,
        retries: u32,
    ) -> Box<dyn Workload> {
        let measured = self.measured(worker, workers);
        if retries == 0 {
            return Box::new(measured);
        }
        let own = self.connections / workers + usize::from(worker < self.connections % workers);
        let waits = Rng::new(self.seed, &[self.name, worker as u64, 3]);
        Box::new(Retrying::new(measured, retries, own * self.depth, waits))
    }

    /// Measured worker `worker` of `workers`; selects the operations of a mix in the same order in
    /// every slice and for every target.
    pub(crate) fn measured(&mut self, worker: usize, workers: usize) -> Worker {
        let work = Arc::clone(&self.work);
        let shares = work.mix.shares();
        let all: f64 = shares.iter().map(|(_, share)| share).sum();
        let mut up_to = 0.0;
        let mut parts = Vec::new();
        for (part, &(operation, share)) in shares.iter().enumerate() {
            up_to += share / all;
            let mut setting = self.setting(worker, workers);
            setting.part = Some(part);
            let action = actions::action(operation, &mut setting);
            parts.push(Part { action, up_to });
        }
        let order = Rng::new(self.seed, &[self.name, worker as u64, 2]);
        let mut context = self.context();
        context.generations = self.generations(worker, workers);
        context.recorder = self.recorders.of(worker);
        let course = self
            .has_sequence()
            .then(|| AtWork::new(&self.cursors, worker));
        Worker::new(parts, context, order).on(course)
    }

    fn generations(&mut self, worker: usize, workers: usize) -> Option<Generations> {
        let share = Share::shared(worker, workers, self.work.objects);
        self.work.rewrite.then(|| self.ledgers.of(share))
    }

    pub(crate) fn alone(&self, action: Box<dyn Action>) -> Worker {
        let part = Part { action, up_to: 1.0 };
        Worker::new(vec![part], self.context(), Rng::new(self.seed, &[]))
    }

    pub(crate) fn setting(&mut self, worker: usize, workers: usize) -> Setting<'_> {
        Setting {
            work: &self.work,
            place: &self.place,
            content: &self.content,
            target: &self.target,
            keep_alive: self.keep_alive,
            lengths: &self.lengths,
            seed: self.seed,
            name: self.name,
            marks: &mut self.marks,
            worker,
            workers,
            connections: (self.connections / workers).max(1),
            part: None,
            orders: &self.orders,
            probing: false,
        }
    }

    fn context(&self) -> WorkerContext {
        WorkerContext {
            work: Arc::clone(&self.work),
            place: Arc::clone(&self.place),
            content: Arc::clone(&self.content),
            writer: self.writer(),
            path: self.place.object_path(),
            refusals: Refusals::default(),
            extra_headers: Arc::clone(&self.extra_headers),
            generations: None,
            fresh: VecDeque::new(),
            fresh_versions: VecDeque::new(),
            ids: Arc::clone(&self.ids),
            query: Vec::with_capacity(128),
            mixed: self.is_mixed(),
            recorder: Recorder::default(),
        }
    }

    pub(crate) fn writer(&self) -> RequestWriter {
        RequestWriter::new(&self.place, &self.target, self.keep_alive)
    }
}

//! Threads that evaluate the rules, so that receiving doesn't wait for them.
//!
//! Owns that an answer is there in time whatever a rule does. What isn't done by then is given up; an expression ends by itself
//! soon after (`bounds`), and where one doesn't, another thread takes the place of the one that hangs, up to a number.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU8, AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::{compiled_rules::Decision, expression::STACK};

/// Threads that ask at the same time.
const WANTED: usize = 3;
/// Threads at most, with those that hang.
const MAX_THREADS: usize = 8;
/// An expression that runs longer than its time by this is abandoned.
const GRACE_PERIOD: Duration = Duration::from_millis(50);

const WAITING: u8 = 0;
const RUNNING: u8 = 1;
const GIVEN_UP: u8 = 2;
const DONE: u8 = 3;

type Task = Box<dyn FnOnce(Instant) -> Decision + Send>;

struct QueuedTask {
    work: Task,
    until: Instant,
    state: Arc<AtomicU8>,
    answer: oneshot::Sender<Decision>,
}

/// Clones hand work to the same threads. They end when the last clone is gone.
#[derive(Debug, Clone)]
pub(super) struct WorkerPool {
    questions: mpsc::Sender<QueuedTask>,
    shared: Arc<PoolState>,
}

#[derive(Debug)]
struct PoolState {
    waiting: Mutex<mpsc::Receiver<QueuedTask>>,
    alive: AtomicUsize,
    hanging: AtomicUsize,
}

impl std::fmt::Debug for QueuedTask {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Question").field("until", &self.until).finish_non_exhaustive()
    }
}

impl WorkerPool {
    pub(super) fn start() -> Self {
        let (questions, waiting) = mpsc::channel();
        let (alive, hanging) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let shared = Arc::new(PoolState { waiting: Mutex::new(waiting), alive, hanging });
        let crew = Self { questions, shared };
        crew.fill_up();
        crew
    }

    /// What `work` decides by then; none where it doesn't. It is told when it has to end.
    pub(super) async fn ask(
        &self,
        until: Instant,
        work: impl FnOnce(Instant) -> Decision + Send + 'static,
    ) -> Option<Decision> {
        let (answer, answered) = oneshot::channel();
        let state = Arc::new(AtomicU8::new(WAITING));
        let question = QueuedTask { work: Box::new(work), until, state: Arc::clone(&state), answer };
        self.questions.send(question).ok()?;
        let given = tokio::time::timeout_at((until + GRACE_PERIOD).into(), answered).await;
        if let Ok(Ok(decision)) = given {
            return Some(decision);
        }
        if state.swap(GIVEN_UP, Ordering::AcqRel) == RUNNING {
            self.shared.hanging.fetch_add(1, Ordering::AcqRel);
            self.fill_up();
        }
        None
    }

    /// Threads in place of those that hang.
    fn fill_up(&self) {
        loop {
            let alive = self.shared.alive.load(Ordering::Acquire);
            let useful = alive.saturating_sub(self.shared.hanging.load(Ordering::Acquire));
            if useful >= WANTED || alive >= MAX_THREADS {
                return;
            }
            let taken = self.shared.alive.compare_exchange(alive, alive + 1, Ordering::AcqRel, Ordering::Acquire);
            if taken.is_err() {
                continue;
            }
            let shared = Arc::clone(&self.shared);
            let started =
                thread::Builder::new().name("answers".to_owned()).stack_size(STACK).spawn(move || work(&shared));
            if let Err(error) = started {
                tracing::error!(%error, "no thread for the rules");
                self.shared.alive.fetch_sub(1, Ordering::AcqRel);
                return;
            }
        }
    }
}

fn work(shared: &PoolState) {
    loop {
        let question = shared.waiting.lock().recv();
        let Ok(QueuedTask { work, until, state, answer }) = question else { break };
        let begun = state.compare_exchange(WAITING, RUNNING, Ordering::AcqRel, Ordering::Acquire);
        if begun.is_err() || Instant::now() >= until {
            continue;
        }
        // The caller may have given up.
        let _ = answer.send(work(until));
        if state.swap(DONE, Ordering::AcqRel) == GIVEN_UP {
            let hanging = shared.hanging.fetch_sub(1, Ordering::AcqRel).saturating_sub(1);
            if shared.alive.load(Ordering::Acquire).saturating_sub(hanging) > WANTED {
                break;
            }
        }
    }
    shared.alive.fetch_sub(1, Ordering::AcqRel);
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::events::AnsweredBy;

    fn decided() -> Decision {
        Decision { by: AnsweredBy::Rule, errors: Vec::new(), spoke: Vec::new(), failed: Vec::new() }
    }

    /// A time that is long over for who waits, and short for a test.
    fn soon() -> Instant {
        Instant::now() + Duration::from_millis(40)
    }

    #[tokio::test]
    async fn what_hangs_is_given_up_and_others_are_answered() {
        let crew = WorkerPool::start();
        let released = Arc::new(AtomicBool::new(false));
        for hung in 0..MAX_THREADS {
            let gate = Arc::clone(&released);
            let hanging = crew.ask(soon(), move |_| {
                while !gate.load(Ordering::Acquire) {
                    thread::sleep(Duration::from_millis(1));
                }
                decided()
            });
            assert_eq!(hanging.await, None, "{hung}");
            let alive = crew.shared.alive.load(Ordering::Acquire);
            assert!(alive <= MAX_THREADS, "{alive}");
            if hung + WANTED < MAX_THREADS {
                let quick = crew.ask(Instant::now() + Duration::from_secs(20), |_| decided()).await;
                assert_eq!(quick, Some(decided()), "another thread took its place");
            }
        }
        assert_eq!(crew.ask(soon(), |_| decided()).await, None, "all of them hang, and nobody waits for longer");
        released.store(true, Ordering::Release);
        let patience = Instant::now() + Duration::from_secs(20);
        while crew.shared.alive.load(Ordering::Acquire) > WANTED {
            assert!(Instant::now() < patience, "those that hung end");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let again = crew.ask(Instant::now() + Duration::from_secs(20), |_| decided()).await;
        assert_eq!(again, Some(decided()));
    }
}

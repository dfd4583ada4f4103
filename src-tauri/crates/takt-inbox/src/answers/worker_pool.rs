//! Threads that evaluate rules, so that receiving doesn't wait for them.
//!
//! [`WorkerPool::evaluate`] always returns in time. It abandons an overdue evaluation, whose
//! [`EvaluationBudget`](super::evaluation_budget::EvaluationBudget) soon ends it. If an evaluation hangs, another
//! thread replaces its thread, up to [`MAX_THREADS`].

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

use super::{compiled_rules::Decision, expression::STACK_BYTES};

/// The number of threads that evaluate rules at the same time.
const TARGET_THREADS: usize = 3;
/// The maximum number of threads, including threads that hang.
const MAX_THREADS: usize = 8;
/// The time after its deadline at which an evaluation is abandoned.
const GRACE_PERIOD: Duration = Duration::from_millis(50);

const WAITING: u8 = 0;
const RUNNING: u8 = 1;
const ABANDONED: u8 = 2;
const DONE: u8 = 3;

type Task = Box<dyn FnOnce(Instant) -> Decision + Send>;

struct QueuedTask {
    work: Task,
    deadline: Instant,
    state: Arc<AtomicU8>,
    answer: oneshot::Sender<Decision>,
}

/// Evaluates rules on a few threads. Clones share the threads, which end with the last clone.
#[derive(Debug, Clone)]
pub(super) struct WorkerPool {
    queue: mpsc::Sender<QueuedTask>,
    shared: Arc<PoolState>,
}

#[derive(Debug)]
struct PoolState {
    receiver: Mutex<mpsc::Receiver<QueuedTask>>,
    thread_count: AtomicUsize,
    hanging_count: AtomicUsize,
}

impl std::fmt::Debug for QueuedTask {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("QueuedTask").field("until", &self.deadline).finish_non_exhaustive()
    }
}

impl WorkerPool {
    pub(super) fn start() -> Self {
        let (queue, receiver) = mpsc::channel();
        let (thread_count, hanging_count) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let shared = Arc::new(PoolState { receiver: Mutex::new(receiver), thread_count, hanging_count });
        let pool = Self { queue, shared };
        pool.start_threads();
        pool
    }

    /// Returns the decision of `work`, or `None` if it isn't done by `deadline`, which `work` also gets.
    pub(super) async fn evaluate(
        &self,
        deadline: Instant,
        work: impl FnOnce(Instant) -> Decision + Send + 'static,
    ) -> Option<Decision> {
        let (answer, answered) = oneshot::channel();
        let state = Arc::new(AtomicU8::new(WAITING));
        let task = QueuedTask { work: Box::new(work), deadline, state: Arc::clone(&state), answer };
        self.queue.send(task).ok()?;
        let result = tokio::time::timeout_at((deadline + GRACE_PERIOD).into(), answered).await;
        if let Ok(Ok(decision)) = result {
            return Some(decision);
        }
        if state.swap(ABANDONED, Ordering::AcqRel) == RUNNING {
            self.shared.hanging_count.fetch_add(1, Ordering::AcqRel);
            self.start_threads();
        }
        None
    }

    /// Starts threads until [`TARGET_THREADS`] are free or [`MAX_THREADS`] exist.
    fn start_threads(&self) {
        loop {
            let alive = self.shared.thread_count.load(Ordering::Acquire);
            let useful = alive.saturating_sub(self.shared.hanging_count.load(Ordering::Acquire));
            if useful >= TARGET_THREADS || alive >= MAX_THREADS {
                return;
            }
            let reserved =
                self.shared.thread_count.compare_exchange(alive, alive + 1, Ordering::AcqRel, Ordering::Acquire);
            if reserved.is_err() {
                continue;
            }
            let shared = Arc::clone(&self.shared);
            let started = thread::Builder::new()
                .name("answers".to_owned())
                .stack_size(STACK_BYTES)
                .spawn(move || run_tasks(&shared));
            if let Err(error) = started {
                tracing::error!(%error, "no thread for the rules");
                self.shared.thread_count.fetch_sub(1, Ordering::AcqRel);
                return;
            }
        }
    }
}

fn run_tasks(shared: &PoolState) {
    loop {
        let task = shared.receiver.lock().recv();
        let Ok(QueuedTask { work, deadline, state, answer }) = task else { break };
        let begun = state.compare_exchange(WAITING, RUNNING, Ordering::AcqRel, Ordering::Acquire);
        if begun.is_err() || Instant::now() >= deadline {
            continue;
        }
        // The caller may have given up.
        let _ = answer.send(work(deadline));
        if state.swap(DONE, Ordering::AcqRel) == ABANDONED {
            let hanging = shared.hanging_count.fetch_sub(1, Ordering::AcqRel).saturating_sub(1);
            if shared.thread_count.load(Ordering::Acquire).saturating_sub(hanging) > TARGET_THREADS {
                break;
            }
        }
    }
    shared.thread_count.fetch_sub(1, Ordering::AcqRel);
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::events::AnsweredBy;

    fn decided() -> Decision {
        Decision { answered_by: AnsweredBy::Rule, errors: Vec::new(), matched_rules: Vec::new(), failures: Vec::new() }
    }

    /// Returns a deadline that passes soon.
    fn soon() -> Instant {
        Instant::now() + Duration::from_millis(40)
    }

    #[tokio::test]
    async fn what_hangs_is_given_up_and_others_are_answered() {
        let pool = WorkerPool::start();
        let released = Arc::new(AtomicBool::new(false));
        for hung in 0..MAX_THREADS {
            let release = Arc::clone(&released);
            let hung_task = pool.evaluate(soon(), move |_| {
                while !release.load(Ordering::Acquire) {
                    thread::sleep(Duration::from_millis(1));
                }
                decided()
            });
            assert_eq!(hung_task.await, None, "{hung}");
            let alive = pool.shared.thread_count.load(Ordering::Acquire);
            assert!(alive <= MAX_THREADS, "{alive}");
            if hung + TARGET_THREADS < MAX_THREADS {
                let quick = pool.evaluate(Instant::now() + Duration::from_secs(20), |_| decided()).await;
                assert_eq!(quick, Some(decided()), "another thread took its place");
            }
        }
        assert_eq!(pool.evaluate(soon(), |_| decided()).await, None, "all of them hang, and nobody waits for longer");
        released.store(true, Ordering::Release);
        let deadline = Instant::now() + Duration::from_secs(20);
        while pool.shared.thread_count.load(Ordering::Acquire) > TARGET_THREADS {
            assert!(Instant::now() < deadline, "those that hung end");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let again = pool.evaluate(Instant::now() + Duration::from_secs(20), |_| decided()).await;
        assert_eq!(again, Some(decided()));
    }
}

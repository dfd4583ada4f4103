//! Measures how soon a desk sees another desk's changes: one engine of a team sends, another one follows.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use takt_engine::{
    Engine, Home, Problem,
    submission::{SubmissionState, SubmissionView},
};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::{
    error::{BenchError, unexpected_result},
    machine::median,
    orders::ORDERS_PER_REQUEST,
    process::empty_folder,
    report::{Report, Table, format_optional},
    subject::Plant,
    submit::{engine, exchange::SendRequest, new_input},
    team::{cluster::Cluster, waiting::milliseconds},
};

/// Seconds within which a change must be seen.
const MAX_SECONDS: f64 = 1.0;
/// The time limit for seeing a change.
const CHANGE_TIMEOUT: Duration = Duration::from_secs(20);
/// The time limit for the first change, which the follower may miss.
const FIRST_CHANGE_TIMEOUT: Duration = Duration::from_secs(3);
/// The pause that shifts the ends of submissions relative to the follower's polling.
const SHIFT: Duration = Duration::from_millis(137);
const SHIFTS: u32 = 4;

/// Changes that the follower reported, with their times.
type ChangeReceiver = UnboundedReceiver<(Instant, SubmissionView)>;

/// The time until the follower saw a submission's end.
struct SeenTimes {
    /// Since the submission's end.
    since_end: Duration,
    /// Since it was stored, before its first request. It could be seen from then on.
    since_written: Duration,
}

pub(crate) fn measure(cluster: &Cluster, times: u32, report: &mut Report) -> Result<(), BenchError> {
    let plant = Plant::start("takt plant", &[])?;
    let team = cluster.create_team()?;
    let input = SendRequest { team: Some(team.clone()), ..new_input(&plant, ORDERS_PER_REQUEST, ORDERS_PER_REQUEST) };
    let work_folder = empty_folder("team/following")?;
    let runtime = tokio::runtime::Runtime::new().map_err(|error| unexpected_result("tokio", &error.to_string()))?;
    let times_seen = runtime.block_on(measure_all(&input, &work_folder, times));
    drop(runtime);
    let times_seen = times_seen?;
    cluster.drop_database(&team)?;
    std::fs::remove_dir_all(&work_folder).map_err(BenchError::file(&work_folder))?;
    let title = format!("{times} submissions of {ORDERS_PER_REQUEST} orders, each seen at another desk, ms");
    let mut table = Table::new(&title, &["", "median", "at most"]);
    for (name, of) in [
        ("from its end to the event", (|one| one.since_end) as fn(&SeenTimes) -> Duration),
        ("from before its first request to the event of its end", |one| one.since_written),
    ] {
        let took: Vec<f64> = times_seen.iter().map(|one| milliseconds(of(one))).collect();
        let most = took.iter().copied().reduce(f64::max);
        table.add_row([name.to_owned(), format_optional(median(took)), format_optional(most)]);
    }
    report.tables.push(table);
    let most = times_seen.iter().map(|one| one.since_end.as_secs_f64()).reduce(f64::max);
    report.at_most("a submission's end seen at another desk, at worst", MAX_SECONDS, most, "s");
    Ok(())
}

async fn measure_all(input: &SendRequest, work_folder: &Path, times: u32) -> Result<Vec<SeenTimes>, BenchError> {
    let open = |name: &str| {
        Home::open(work_folder.join(name)).and_then(|home| engine::open_engine(input, home)).map_err(engine_error)
    };
    let (sender, follower) = (open("sender")?, open("follower")?);
    let (change_sender, mut events) = unbounded_channel();
    let following = tokio::spawn(async move {
        // The receiver may have been dropped after the last submission.
        let changed = move |view| drop(change_sender.send((Instant::now(), view)));
        follower.submissions().follow_team(changed).await;
    });
    // The first poll only loads the current state, which may include the first submission.
    if measure_one(&sender, input, &mut events, FIRST_CHANGE_TIMEOUT).await.is_err() {
        measure_one(&sender, input, &mut events, CHANGE_TIMEOUT).await?;
    }
    let mut times_seen = Vec::new();
    for number in 0..times {
        tokio::time::sleep(SHIFT * (number % SHIFTS)).await;
        times_seen.push(measure_one(&sender, input, &mut events, CHANGE_TIMEOUT).await?);
    }
    following.abort();
    Ok(times_seen)
}

async fn measure_one(
    sender: &Engine,
    input: &SendRequest,
    events: &mut ChangeReceiver,
    timeout: Duration,
) -> Result<SeenTimes, BenchError> {
    let submissions = sender.submissions();
    let plan = submissions.submit(engine::submission_request(input)).await.map_err(engine_error)?;
    let (id, written) = (plan.id.first(), Instant::now());
    submissions.wait(id).await.map_err(engine_error)?;
    let ended = Instant::now();
    let seen = async {
        while let Some((at, view)) = events.recv().await {
            if view.id == id && view.state == SubmissionState::Finished {
                return Some(at);
            }
        }
        None
    };
    match tokio::time::timeout(timeout, seen).await {
        // It may be seen before the sender's own `wait` returns.
        Ok(Some(at)) => Ok(SeenTimes {
            since_end: at.saturating_duration_since(ended),
            since_written: at.saturating_duration_since(written),
        }),
        Ok(None) | Err(_) => {
            Err(unexpected_result("the other desk", &format!("it never sees that submission {id} has ended")))
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "what `map_err` takes")]
fn engine_error(problem: Problem) -> BenchError {
    unexpected_result(engine::SENDING, &format!("{problem:?}"))
}

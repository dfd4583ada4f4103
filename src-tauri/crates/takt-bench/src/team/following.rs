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
    error::{BenchError, wrong},
    machine::median,
    orders::ORDERS_PER_REQUEST,
    process::empty_folder,
    report::{Report, Table, format_optional},
    subject::Plant,
    submit::{engine, exchange::SendRequest, send_request},
    team::{cluster::Cluster, waiting::milliseconds},
};

/// Seconds within which a change must be seen.
const GOAL: f64 = 1.0;
/// The longest wait for a change.
const PATIENCE: Duration = Duration::from_secs(20);
/// The longest wait for the first change, which the follower may miss.
const FIRST_PATIENCE: Duration = Duration::from_secs(3);
/// Shifts the ends of submissions against the follower's polling.
const SHIFT: Duration = Duration::from_millis(137);
const SHIFTS: u32 = 4;

/// Changes that the follower reported, with their times.
type Events = UnboundedReceiver<(Instant, SubmissionView)>;

/// The time until the follower saw a submission's end.
struct Sight {
    /// Since the submission's end.
    since_end: Duration,
    /// Since before its first request, the earliest moment at which it could be seen.
    since_written: Duration,
}

pub(crate) fn measure(cluster: &Cluster, times: u32, report: &mut Report) -> Result<(), BenchError> {
    let plant = Plant::start("takt plant", &[])?;
    let team = cluster.team()?;
    let wish = SendRequest { team: Some(team.clone()), ..send_request(&plant, ORDERS_PER_REQUEST, ORDERS_PER_REQUEST) };
    let work_folder = empty_folder("team/following")?;
    let runtime = tokio::runtime::Runtime::new().map_err(|error| wrong("tokio", &error.to_string()))?;
    let sights = runtime.block_on(all(&wish, &work_folder, times));
    drop(runtime);
    let sights = sights?;
    cluster.remove(&team)?;
    std::fs::remove_dir_all(&work_folder).map_err(BenchError::file(&work_folder))?;
    let title = format!("{times} submissions of {ORDERS_PER_REQUEST} orders, each seen at another desk, ms");
    let mut table = Table::new(&title, &["", "median", "at most"]);
    for (name, of) in [
        ("from its end to the event", (|sight| sight.since_end) as fn(&Sight) -> Duration),
        ("from before its first request to the event of its end", |sight| sight.since_written),
    ] {
        let took: Vec<f64> = sights.iter().map(|sight| milliseconds(of(sight))).collect();
        let most = took.iter().copied().reduce(f64::max);
        table.row([name.to_owned(), format_optional(median(took)), format_optional(most)]);
    }
    report.tables.push(table);
    let most = sights.iter().map(|sight| sight.since_end.as_secs_f64()).reduce(f64::max);
    report.at_most("a submission's end seen at another desk, at worst", GOAL, most, "s");
    Ok(())
}

async fn all(wish: &SendRequest, work_folder: &Path, times: u32) -> Result<Vec<Sight>, BenchError> {
    let open =
        |name: &str| Home::at(work_folder.join(name)).and_then(|home| engine::engine(wish, home)).map_err(failed);
    let (sender, follower) = (open("sender")?, open("follower")?);
    let (tell, mut events) = unbounded_channel();
    let following = tokio::spawn(async move {
        // The receiver may have been dropped after the last submission.
        let changed = move |view| drop(tell.send((Instant::now(), view)));
        follower.submissions().follow_team(changed).await;
    });
    // The first poll only loads the current state, which may include the first submission.
    if sight(&sender, wish, &mut events, FIRST_PATIENCE).await.is_err() {
        sight(&sender, wish, &mut events, PATIENCE).await?;
    }
    let mut sights = Vec::new();
    for number in 0..times {
        tokio::time::sleep(SHIFT * (number % SHIFTS)).await;
        sights.push(sight(&sender, wish, &mut events, PATIENCE).await?);
    }
    following.abort();
    Ok(sights)
}

async fn sight(
    sender: &Engine,
    wish: &SendRequest,
    events: &mut Events,
    patience: Duration,
) -> Result<Sight, BenchError> {
    let submissions = sender.submissions();
    let plan = submissions.submit(engine::request(wish)).await.map_err(failed)?;
    let (id, written) = (plan.id.first(), Instant::now());
    submissions.wait(id).await.map_err(failed)?;
    let ended = Instant::now();
    let seen = async {
        while let Some((at, view)) = events.recv().await {
            if view.id == id && view.state == SubmissionState::Finished {
                return Some(at);
            }
        }
        None
    };
    match tokio::time::timeout(patience, seen).await {
        // It may be seen before the sender's own `wait` returns.
        Ok(Some(at)) => Ok(Sight {
            since_end: at.saturating_duration_since(ended),
            since_written: at.saturating_duration_since(written),
        }),
        Ok(None) | Err(_) => Err(wrong("the other desk", &format!("it never sees that submission {id} has ended"))),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "what `map_err` takes")]
fn failed(problem: Problem) -> BenchError {
    wrong(engine::SENDING, &format!("{problem:?}"))
}

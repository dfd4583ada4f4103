//! Measures desks that send concurrently. Each one has a journal that joined the team, and a submission whose requests
//! run one after the other. No request is sent: only the commits are measured.

use std::{
    path::Path,
    sync::{Arc, Barrier},
    thread,
    time::{Duration, Instant},
};

use jiff::Timestamp;
use serde_json::json;
use takt_client::system_tls;
use takt_journal::{
    Journal, JournalError, NewSubmission, Outcome, RowResult, Run, Team,
    attempt::{AttemptEnd, OutcomeClass},
    item::NewItem,
};

use crate::{
    error::{BenchError, unexpected_result},
    orders::{self, ORDERS_PER_REQUEST},
    process::empty_folder,
    report::{Report, Table, format_number},
    team::{cluster::Cluster, waiting::milliseconds},
};

/// The number of requests if only one desk sends. It's large enough to measure that desk's slowest commits.
const REQUESTS_ALONE: u32 = 100;

/// The number of desks, and of requests per desk.
pub(crate) struct Load {
    pub(crate) desks: u32,
    pub(crate) requests: u32,
}

/// The measured commits.
struct Commits {
    elapsed: Duration,
    /// The time of each commit, sorted.
    times: Vec<Duration>,
}

pub(crate) fn measure(cluster: &Cluster, load: Load, report: &mut Report) -> Result<(), BenchError> {
    let title = format!("Desks of one team at once: two commits for each request of {ORDERS_PER_REQUEST} orders");
    let mut table =
        Table::new(&title, &["", "commits", "commits/s", "p50, ms of one commit", "p99, ms", "at most, ms"]);
    let at_once = format!("{} desks, each answer there at once", load.desks);
    for (name, load) in
        [("one desk, each answer there at once", Load { desks: 1, requests: REQUESTS_ALONE }), (&at_once, load)]
    {
        let team = cluster.create_team()?;
        let commits = load.run(&team)?;
        cluster.drop_database(&team)?;
        let time = |percent| format_number(milliseconds(commits.percentile(percent)));
        let (count, rate) =
            (format_number(commits.count()), format_number(commits.count() / commits.elapsed.as_secs_f64()));
        table.add_row([name.to_owned(), count, rate, time(50), time(99), time(100)]);
    }
    report.tables.push(table);
    Ok(())
}

impl Load {
    fn run(&self, team: &str) -> Result<Commits, BenchError> {
        let work_folder = empty_folder("team/desks")?;
        let desks =
            (0..self.desks).map(|number| Desk::open(&work_folder, number, team, self.requests * ORDERS_PER_REQUEST));
        let desks = desks.collect::<Result<Vec<_>, _>>()?;
        let begin = Barrier::new(desks.len() + 1);
        let (elapsed, sent) = thread::scope(|scope| {
            let threads: Vec<_> = desks
                .iter()
                .map(|desk| {
                    scope.spawn(|| {
                        begin.wait();
                        desk.send(self.requests)
                    })
                })
                .collect();
            begin.wait();
            let began = Instant::now();
            let sent: Vec<_> = threads.into_iter().map(thread::ScopedJoinHandle::join).collect();
            (began.elapsed(), sent)
        });
        let mut times = Vec::new();
        for one in sent {
            times.extend(
                one.map_err(|_| unexpected_result("a desk", "it panicked"))?.map_err(|error| journal_error(&error))?,
            );
        }
        times.sort_unstable();
        drop(desks);
        std::fs::remove_dir_all(&work_folder).map_err(BenchError::file(&work_folder))?;
        Ok(Commits { elapsed, times })
    }
}

impl Commits {
    #[expect(clippy::cast_precision_loss, reason = "a count of commits")]
    fn count(&self) -> f64 {
        self.times.len() as f64
    }

    /// Returns the time within which this percentage of commits ended.
    fn percentile(&self, percent: usize) -> Duration {
        let at = (self.times.len() * percent / 100).min(self.times.len().saturating_sub(1));
        self.times.get(at).copied().unwrap_or_default()
    }
}

/// A desk with its submission. The run must be dropped before the journal.
struct Desk {
    run: Run,
    journal: Journal,
}

impl Desk {
    fn open(work_folder: &Path, number: u32, team: &str, items: u32) -> Result<Self, BenchError> {
        let address = team.parse().map_err(|error| unexpected_result("PostgreSQL", &format!("{error:?}")))?;
        let tls = system_tls(None).map_err(|error| unexpected_result("the certificates", &error.to_string()))?;
        let file = work_folder.join(number.to_string()).join("journal.db");
        let journal = Journal::open(&file).map_err(|error| journal_error(&error))?;
        let journal = Team::join(journal, address, Arc::new(|| None), tls);
        let run = journal.create_submission(&new_submission(number), (0..items).map(|item| new_item(number, item)));
        Ok(Self { run: run.map_err(|error| journal_error(&error))?, journal })
    }

    /// Records this many requests, one after the other, and returns the time of each commit.
    fn send(&self, requests: u32) -> Result<Vec<Duration>, JournalError> {
        let mut times = Vec::new();
        for request in 0..requests {
            let items: Vec<u32> = (request * ORDERS_PER_REQUEST + 1..=(request + 1) * ORDERS_PER_REQUEST).collect();
            let begins = Instant::now();
            let attempt = self.journal.begin_attempt(&self.run, &items, Timestamp::now(), "bench")?;
            times.push(begins.elapsed());
            let accepted = |item| Outcome { item, result: RowResult::Accepted, reasons: Vec::new() };
            let outcomes: Vec<_> = items.into_iter().map(accepted).collect();
            let ends = Instant::now();
            self.journal.finish_attempt(&self.run, attempt, &outcomes, &accepted_end())?;
            times.push(ends.elapsed());
        }
        Ok(times)
    }
}

fn new_submission(desk: u32) -> NewSubmission {
    NewSubmission {
        operation: "work-orders.sync".to_owned(),
        site: "practice".to_owned(),
        file: "orders.xlsx".to_owned(),
        sheet: "Orders".to_owned(),
        batch_size: ORDERS_PER_REQUEST,
        at: Timestamp::now(),
        person: format!("desk {desk}"),
        ..NewSubmission::default()
    }
}

fn new_item(desk: u32, number: u32) -> NewItem {
    let mut body = orders::order();
    let code = format!("WO-{desk:03}-{number:06}");
    body["code"] = json!(code);
    NewItem { rows: vec![("Orders".to_owned(), number + 2)], key: format!("{code} · 010"), body, ..NewItem::default() }
}

fn accepted_end() -> AttemptEnd {
    AttemptEnd {
        at: Timestamp::now(),
        class: OutcomeClass::Answered,
        status: Some(200),
        milliseconds: 7,
        active_milliseconds: 9,
        log_id: None,
        answer: None,
    }
}

fn journal_error(error: &JournalError) -> BenchError {
    unexpected_result("a desk's journal", &error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_commit_counts_where_few_were_made() {
        let times = (1..=10).map(Duration::from_millis).collect();
        let commits = Commits { elapsed: Duration::from_secs(1), times };
        assert_eq!([50, 99, 100].map(|percent| commits.percentile(percent).as_millis()), [6, 10, 10]);
    }
}

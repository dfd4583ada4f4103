//! Measures takeovers: a desk is killed while it sends, and another one continues. Each desk has its own home and
//! processes.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::{
    error::{BenchError, unexpected_result},
    machine::median,
    process::{empty_folder, write},
    report::{Report, Table, format_optional},
    subject::Plant,
    submit::engine::OPERATION,
    takt::{SITE, prepare_home, takt_in_home},
    team::{cluster::Cluster, waiting::wait_for},
};

/// Seconds within which the other desk must send.
const MAX_SECONDS: f64 = 10.0;
/// The number of orders, one per request.
const ORDERS: u32 = 80;
/// The plant's rate limit, with which most orders are still pending at the kill.
const RATE_LIMIT: &str = "20/1";
/// The number of requests that are sent before the kill.
const REQUESTS_BEFORE_KILL: usize = 5;
/// The time in which requests that are in flight at the kill arrive. It's part of the takeover's time.
const ARRIVAL_TIME: Duration = Duration::from_millis(50);
const POLL_INTERVAL: Duration = Duration::from_millis(5);
const TIMEOUT: Duration = Duration::from_secs(120);

/// A process that is killed when it is dropped.
struct RunningProcess(Child);

impl RunningProcess {
    fn start(name: &str, mut command: Command) -> Result<Self, BenchError> {
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        child.map(Self).map_err(|source| BenchError::Start { program: name.to_owned(), source })
    }

    fn has_ended(&mut self) -> bool {
        self.0.try_wait().is_ok_and(|ended| ended.is_some())
    }
}

impl Drop for RunningProcess {
    fn drop(&mut self) {
        // It may already have ended.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// The result of a takeover.
struct Takeover {
    /// Seconds from the kill to the other desk's first request.
    seconds: f64,
    /// The number of starts of `takt resume` until it could continue.
    tries: u32,
}

pub(crate) fn measure(cluster: &Cluster, rounds: usize, report: &mut Report) -> Result<(), BenchError> {
    let plant = Plant::start("takt plant", &["--rate-limit", RATE_LIMIT])?;
    let (log, work_folder, team) = (PlantLog::open(&plant)?, empty_folder("team/takeover")?, cluster.create_team()?);
    let homes = [work_folder.join("first"), work_folder.join("second")];
    for home in &homes {
        prepare_home(home, &plant)?;
    }
    let desks = Desks { cluster, log: &log, team: &team, homes };
    let done = (0..rounds).map(|round| desks.take_over(round)).collect::<Result<Vec<_>, _>>()?;
    cluster.drop_database(&team)?;
    std::fs::remove_dir_all(&work_folder).map_err(BenchError::file(&work_folder))?;
    let seconds: Vec<f64> = done.iter().map(|one| one.seconds).collect();
    let most = seconds.iter().copied().reduce(f64::max);
    let tries = done.iter().map(|one| one.tries).max().unwrap_or_default();
    let title = format!("A desk killed while it sends, `takt resume` at another one, {rounds} times");
    let mut table = Table::new(&title, &["", "median", "at most"]);
    let name = "seconds from the kill to the other desk's first request".to_owned();
    table.add_row([name, format_optional(median(seconds)), format_optional(most)]);
    table.add_row([
        "times that `takt resume` was started until it went on".to_owned(),
        "–".to_owned(),
        tries.to_string(),
    ]);
    report.tables.push(table);
    report.at_most("from a desk's kill to another desk's first request, at worst", MAX_SECONDS, most, "s");
    Ok(())
}

/// The desk that is killed, and the one that takes over.
struct Desks<'a> {
    cluster: &'a Cluster,
    log: &'a PlantLog,
    team: &'a str,
    homes: [PathBuf; 2],
}

impl Desks<'_> {
    fn takt(&self, home: &Path, arguments: &[&str]) -> Command {
        let mut command = takt_in_home(home);
        command.env("TAKT_TEAM_URL", self.team).args(arguments);
        command
    }

    fn take_over(&self, round: usize) -> Result<Takeover, BenchError> {
        let [first, second] = &self.homes;
        let mut sender = self.start_sending(first, round)?;
        // After the kill the system has closed all its connections.
        drop(sender.0.kill());
        let killed = Instant::now();
        drop(sender.0.wait());
        std::thread::sleep(ARRIVAL_TIME);
        let last = self.log.last_number()?;
        let id = self.cluster.query(self.team, "SELECT max(id) FROM takt.submission")?;
        let resume = || RunningProcess::start("takt resume", self.takt(second, &["resume", &id, "--json"]));
        let (mut other, mut tries) = (resume()?, 1);
        let sends = wait_for(TIMEOUT, POLL_INTERVAL, || {
            if !self.log.writes_after(last)?.is_empty() {
                return Ok(Some(killed.elapsed()));
            }
            if other.has_ended() {
                (other, tries) = (resume()?, tries + 1);
            }
            Ok(None)
        })?;
        let sends = sends.ok_or_else(|| unexpected_result("takt resume", "the other desk never sends"))?;
        wait_for(TIMEOUT, POLL_INTERVAL, || Ok(other.has_ended().then_some(())))?;
        self.check(&id)?;
        Ok(Takeover { seconds: sends.as_secs_f64(), tries })
    }

    /// Starts `takt sync` and returns while it sends.
    fn start_sending(&self, home: &Path, round: usize) -> Result<RunningProcess, BenchError> {
        let file = home.join(format!("orders-{round}.csv"));
        write(&file, orders_csv(round).as_bytes())?;
        let before = self.log.last_number()?;
        let path = file.to_string_lossy();
        let arguments = ["sync", &path, "--to", OPERATION, "--site", SITE, "--yes", "--json", "--batch-size", "1"];
        let mut sender = RunningProcess::start("takt sync", self.takt(home, &arguments))?;
        let sends = wait_for(TIMEOUT, POLL_INTERVAL, || {
            if sender.has_ended() {
                return Err(unexpected_result("takt sync", "it ended before it could be killed"));
            }
            Ok((self.log.writes_after(before)?.len() >= REQUESTS_BEFORE_KILL).then_some(()))
        })?;
        sends.map(|()| sender).ok_or_else(|| unexpected_result("takt sync", "it never sends"))
    }

    /// Checks that the other desk completed the submission.
    fn check(&self, id: &str) -> Result<(), BenchError> {
        let question = format!("SELECT accepted FROM takt.submission WHERE id = {id}");
        let accepted = self.cluster.query(self.team, &question)?;
        if accepted == ORDERS.to_string() {
            return Ok(());
        }
        Err(unexpected_result("takt resume", &format!("{accepted} of {ORDERS} orders were accepted in the end")))
    }
}

/// Returns new orders for every round.
fn orders_csv(round: usize) -> String {
    let mut text = "code;operationCode;materialCode;requestedQuantity\n".to_owned();
    for number in 0..ORDERS {
        // Writing to a `String` can't fail.
        let _ = writeln!(text, "WO-{round:02}{number:04};010;MAT-1001;{}", number % 90 + 1);
    }
    text
}

/// The plant's log of received requests.
struct PlantLog {
    runtime: tokio::runtime::Runtime,
    client: reqwest::Client,
    url: String,
    key: String,
}

impl PlantLog {
    fn open(plant: &Plant) -> Result<Self, BenchError> {
        let (line, _) = plant.start_line_and_token();
        let member = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| unexpected_result("tokio", &error.to_string()))?;
        let client = reqwest::Client::builder().no_proxy().build().map_err(|error| log_error(&error))?;
        Ok(Self { runtime, client, url: format!("{}/log", member("control_url")), key: member("control_key") })
    }

    /// Returns the number of the last request.
    fn last_number(&self) -> Result<u64, BenchError> {
        let all = self.entries(&[])?;
        Ok(all.last().and_then(|entry| entry["number"].as_u64()).unwrap_or_default())
    }

    /// Returns the later requests that wrote orders.
    fn writes_after(&self, after: u64) -> Result<Vec<Value>, BenchError> {
        self.entries(&[("operation", OPERATION), ("after", &after.to_string())])
    }

    fn entries(&self, query: &[(&str, &str)]) -> Result<Vec<Value>, BenchError> {
        let request = self.client.get(&self.url).query(query).bearer_auth(&self.key);
        let read = async { request.send().await?.error_for_status()?.json().await };
        self.runtime.block_on(read).map_err(|error| log_error(&error))
    }
}

fn log_error(error: &reqwest::Error) -> BenchError {
    unexpected_result("the plant's log", &error.to_string())
}

//! A plant with faults, a home with a signed-in user, and files that are sent despite kills.

use std::{
    fmt,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use takt_tests::{Console, ListFaults, Person, Plant, Program, SITE, Takt, stored_submissions};

use crate::crash::{
    journal_check::{self, JournalCheck},
    load::{BATCH_SIZE, DELETE, InputFile},
};

/// Slows down every request, so that kills can hit Takt during a request.
const LATENCY: &str = "latency=15";
/// Faults that mostly affect two percent of the requests.
pub(crate) const FAULTS: [&str; 8] = [
    LATENCY,
    "apply-then-drop:0.02",
    "drop-before-apply:0.02",
    "apply-then-502:0.02",
    "truncate:0.02",
    "results-reordered:0.02",
    "limit-429-ms:0.01",
    "limit-429-header:0.01",
];
/// Faults that often hide the effect of a request, so that many rows are read back.
const LOSS_FAULTS: [&str; 6] = [
    LATENCY,
    "apply-then-drop:0.05",
    "drop-before-apply:0.05",
    "apply-then-502:0.05",
    "truncate:0.05",
    "results-missing:0.2",
];
/// The percentage of reads of lists whose response has a fault.
const FAULTY_LIST_PERCENT: u64 = 50;
/// The number of resumes with faulty lists. Later ones have no faults, so that the test ends.
const RESUMES_WITH_FAULTS: u32 = 5;
/// The lifetime of tokens, short enough to expire during a test.
pub(crate) const TOKEN_LIFETIME: Duration = Duration::from_secs(2);
/// The time limit of a command, including waits for rate limits.
const TIMEOUT: Duration = Duration::from_secs(90);
/// The maximum number of resumes per file.
const MAX_RESUMES: u32 = 15;

/// The time at which Takt is killed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kill {
    /// Takt ends its own process at the given pass of a failpoint.
    AtFailpoint(&'static str, u32),
    /// The test kills it this long after its start.
    AfterStart(Duration),
    /// The test kills it this long after the submission was stored.
    AfterStored(Duration),
}

impl fmt::Display for Kill {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtFailpoint(name, _) => formatter.write_str(name),
            Self::AfterStart(time) => write!(formatter, "after {} ms", time.as_millis()),
            Self::AfterStored(time) => write!(formatter, "{} ms into it", time.as_millis()),
        }
    }
}

/// The outcome of sending one file.
#[derive(Debug)]
pub(crate) struct FileOutcome {
    /// The file or the kills, for the printed table.
    pub(crate) what: String,
    /// The number of kills that hit Takt while it ran.
    pub(crate) kills: u32,
    pub(crate) resumes: u32,
    pub(crate) sign_ins: u32,
    /// Whether a submission was stored before the kills.
    pub(crate) begun: bool,
    pub(crate) check: JournalCheck,
}

impl FileOutcome {
    /// Records `complaint` as a contradiction unless `condition` is true.
    pub(crate) fn require(&mut self, condition: bool, complaint: &str) {
        if !condition {
            self.check.wrong.push(complaint.to_owned());
        }
    }
}

/// A plant with faults, and a home with a signed-in user.
pub(crate) struct Fixture {
    pub(crate) plant: Plant,
    pub(crate) console: Console,
    /// The proxy with faulty lists. Absent if lists have no faults.
    lists: Option<ListFaults>,
    number: u32,
}

impl Fixture {
    pub(crate) async fn new(seed: u64) -> Self {
        Self::in_home(seed, Takt::new).await
    }

    pub(crate) async fn in_home(seed: u64, home: impl Fn() -> Takt) -> Self {
        Self::with_plant(Self::start_plant(seed), None, home).await
    }

    /// Like [`Self::new`], but the effects of requests are often unknown, and responses to reads of lists have faults.
    pub(crate) async fn with_faulty_lists(seed: u64) -> Self {
        let mut plant = Self::start_plant(seed);
        let lists = plant.list_faults(seed);
        let fixture = Self::with_plant(plant, Some(lists), Takt::new).await;
        fixture.plant.set_faults(&LOSS_FAULTS).await;
        fixture
    }

    fn start_plant(seed: u64) -> Plant {
        let (seed, lifetime) = ((seed % 1_000_000).to_string(), TOKEN_LIFETIME.as_secs().to_string());
        Plant::start(&["--rate-limit", "1000000/60", "--token-lifetime", &lifetime, "--fault-seed", &seed])
    }

    async fn with_plant(plant: Plant, lists: Option<ListFaults>, home: impl Fn() -> Takt) -> Self {
        let console = Console::in_home(&plant, home);
        console.sign_in(Person::Planner).await;
        plant.set_faults(&FAULTS).await;
        Self { plant, console, lists, number: 0 }
    }

    /// Returns the number of reads of lists with a fault so far.
    pub(crate) fn faulty_read_count(&self) -> u64 {
        self.lists.as_ref().map_or(0, ListFaults::count)
    }

    fn set_faulty_list_percent(&self, percent: u64) {
        self.lists.iter().for_each(|lists| lists.set_percent(percent));
    }

    /// Returns a number that no other file of this test has.
    pub(crate) fn next_number(&mut self) -> u32 {
        self.number += 1;
        self.number
    }

    /// Returns the times that a file takes without kills and faults: until it is stored, and from then to the end.
    pub(crate) async fn measure_without_kills(&self, load: &InputFile) -> (Duration, Duration) {
        self.plant.set_faults(&[LATENCY]).await;
        let (start, from) = (Instant::now(), self.next_submission());
        let mut program = self.start_sync(load, None);
        self.wait_until_written(&mut program, from);
        let written = start.elapsed();
        let _ = program.wait(TIMEOUT);
        let whole = start.elapsed();
        self.plant.set_faults(&FAULTS).await;
        (written, whole - written)
    }

    /// Sends a file, kills Takt at these times, resumes until no work is left, and checks the journal.
    pub(crate) async fn run_file(
        &mut self,
        what: String,
        load: &InputFile,
        number: u32,
        kills: &[Kill],
    ) -> FileOutcome {
        let home = self.console.takt.home();
        let from = self.next_submission();
        let mut outcome =
            FileOutcome { what, kills: 0, resumes: 0, sign_ins: 0, begun: true, check: JournalCheck::default() };
        self.set_faulty_list_percent(FAULTY_LIST_PERCENT);
        let mut left = kills.iter().copied();
        let mut killed = left.next();
        let mut program = self.start_sync(load, killed);
        loop {
            let code = self.wait_or_kill(&mut program, killed.take(), from, &mut outcome);
            if stored_submissions(home, from).is_empty() {
                outcome.begun = false;
                break;
            }
            if self.is_done(from) {
                break;
            }
            if code.is_some() && !self.is_signed_in() {
                self.console.sign_in(Person::Planner).await;
                outcome.sign_ins += 1;
            }
            if outcome.resumes == RESUMES_WITH_FAULTS {
                self.set_faulty_list_percent(0);
            }
            if outcome.resumes == MAX_RESUMES && load.operation == Some(DELETE) {
                break;
            }
            if outcome.resumes == MAX_RESUMES {
                outcome.check.wrong.push(format!("no end: {}", program.error_text()));
                return outcome;
            }
            outcome.resumes += 1;
            killed = left.next();
            program = self.start_resume(killed);
        }
        outcome.check = journal_check::check_journal(&self.plant, home, from, load.rows).await;
        if !outcome.begun {
            let unrecorded_rows = journal_check::unrecorded_rows(&self.plant, number).await;
            if unrecorded_rows > 0 {
                outcome.check.wrong.push(format!("{unrecorded_rows} rows were applied, and the journal knows of none"));
            }
        }
        outcome
    }

    /// Like [`Self::run_file`], but most responses lack the results of some rows. Reads have no faults.
    pub(crate) async fn run_unconfirmed(
        &mut self,
        what: String,
        load: &InputFile,
        number: u32,
        kill: Kill,
    ) -> FileOutcome {
        self.plant.set_faults(&[LATENCY, "results-missing:0.7"]).await;
        let outcome = self.run_file(what, load, number, &[kill]).await;
        self.plant.set_faults(&FAULTS).await;
        outcome
    }

    fn next_submission(&self) -> u32 {
        stored_submissions(self.console.takt.home(), 0).last().map_or(0, |last| last.id) + 1
    }

    fn wait_until_written(&self, program: &mut Program, from: u32) {
        while program.is_running() && stored_submissions(self.console.takt.home(), from).is_empty() {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Returns whether Takt can't do anything further, since remaining rows wait for others.
    fn is_done(&self, from: u32) -> bool {
        let submissions = stored_submissions(self.console.takt.home(), from);
        submissions.iter().all(|submission| {
            submission.state != "running" && submission.open == submission.waiting && submission.unconfirmed == 0
        })
    }

    fn is_signed_in(&self) -> bool {
        let listed = self.console.takt.run(&["site", "list", "--json"]);
        listed.json().iter().any(|site| site["name"] == SITE && site["signedIn"] == true)
    }

    /// Waits until the program ends, or kills it. Returns the exit code unless it was killed.
    fn wait_or_kill(
        &self,
        program: &mut Program,
        kill: Option<Kill>,
        from: u32,
        outcome: &mut FileOutcome,
    ) -> Option<i32> {
        if let Some(Kill::AfterStored(_)) = kill {
            self.wait_until_written(program, from);
        }
        if let Some(Kill::AfterStart(time) | Kill::AfterStored(time)) = kill {
            thread::sleep(time);
            outcome.kills += u32::from(program.is_running());
            program.kill();
            return None;
        }
        let code = program.wait(TIMEOUT).code().filter(|code| (0..=130).contains(code));
        // The exit code of a killed program isn't one of Takt's.
        outcome.kills += u32::from(kill.is_some() && code.is_none());
        assert!(kill.is_some() || code.is_some(), "{}: it broke off: {}", outcome.what, program.error_text());
        code
    }

    fn start_sync(&self, load: &InputFile, kill: Option<Kill>) -> Program {
        let file = self.console.takt.write(&load.name, &load.content);
        let file = file.to_str().unwrap();
        let mut arguments = vec!["sync", file, "--site", SITE, "--yes", "--batch-size", BATCH_SIZE, "--json"];
        arguments.push("--without-lookup");
        if let Some(operation) = load.operation {
            arguments.extend(["--to", operation]);
        }
        self.start(self.console.takt.command(&arguments), kill)
    }

    fn start_resume(&self, kill: Option<Kill>) -> Program {
        self.start(self.console.takt.command(&["resume", "--json"]), kill)
    }

    fn start(&self, mut command: Command, kill: Option<Kill>) -> Program {
        if let Some(Kill::AtFailpoint(name, count)) = kill {
            command.env("TAKT_END_AT", format!("{name}:{count}"));
        }
        Program::start("takt", command)
    }
}

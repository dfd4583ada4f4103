//! `takt watch`: each workbook that comes into a folder is checked, by rule sent, and its result is written beside it.
//!
//! A workbook is sent once no program writes to it or has it open. The history identifies files by their content, so none is sent twice.
//! After a kill, only pending rows are sent. A person decides about a file that grew after it was sent. Other accounts may write to the
//! folder, so links in it aren't followed.

mod folder;
mod taken_files;

use std::{
    collections::{HashMap, HashSet},
    fs,
    io::Read,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde_json::json;
use takt_engine::{
    Code, Problem,
    import::{ImportId, ImportView, Original, file_hash, file_start_hash},
    item::FindingCode,
    submission::{PlanId, SubmissionView},
};

use self::{
    folder::{FileStamp, FolderContents, RefusedFile, WatchedFile, error_path, put_beside, result_path},
    taken_files::{TakenContent, TakenFiles},
};
use super::{follow, import, steps, sync};
use crate::{
    arguments::{ImportArguments, SendRule, SyncArguments, WatchArguments},
    console::{Console, plain},
    ending::{ExitStatus, Failure},
    findings::{self, RowErrors},
    session::{Interruption, Session},
};

/// How often files are looked at that don't rest yet.
const REST_POLL_INTERVAL: Duration = Duration::from_secs(1);

pub(super) async fn run(
    arguments: &WatchArguments,
    site: Option<&str>,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let session = Session::open(site, console).await?;
    // Two would take each other's files.
    let _lock = session.engine.submissions().lock_file(&session.site, &arguments.folder)?;
    session.engine.imports().file_reading().refuse_links();
    let confirmed = if arguments.send == SendRule::Never { None } else { session.confirmed(console)? };
    let mut watch = Watch {
        session: &session,
        arguments,
        confirmed,
        console,
        interruption: Interruption::listen()?,
        seen: HashMap::new(),
        done: HashMap::new(),
        taken: TakenFiles::load(session.engine.home(), &session.site, &arguments.folder),
        refused: HashSet::new(),
        worst: ExitStatus::Done,
        interrupted: false,
    };
    watch.greet();
    if arguments.once { watch.once().await } else { watch.until_interrupted().await }
}

struct Watch<'a> {
    session: &'a Session,
    arguments: &'a WatchArguments,
    confirmed: Option<String>,
    console: &'a Console,
    interruption: Interruption,
    /// By file name: as it was at the last look, and since when.
    seen: HashMap<String, SeenFile>,
    /// By file name: as it was when it was taken.
    done: HashMap<String, FileStamp>,
    taken: TakenFiles,
    /// Names of which it was told already why they aren't taken.
    refused: HashSet<String>,
    worst: ExitStatus,
    /// A person ended it while a workbook was sent.
    interrupted: bool,
}

/// How a workbook was at the last look.
#[derive(Debug, Clone, Copy)]
struct SeenFile {
    stamp: FileStamp,
    since: Instant,
}

/// What became of a workbook.
struct WatchResult {
    state: &'static str,
    status: ExitStatus,
    submission: Option<u32>,
}

impl Watch<'_> {
    fn greet(&self) {
        let (folder, site) = (self.arguments.folder.display().to_string(), &self.session.site);
        if self.arguments.json {
            self.console.json(&json!({ "folder": folder, "site": site }));
        } else if !self.arguments.once {
            self.console.status("watch.begin", &[("folder", plain(&folder)), ("site", plain(site))]);
        }
    }

    async fn until_interrupted(&mut self) -> Result<ExitStatus, Failure> {
        let pause = Duration::from_secs(self.arguments.every.into());
        let mut is_resting = self.look().await?;
        loop {
            if self.interrupted {
                return Ok(ExitStatus::Done);
            }
            let pause = if is_resting { pause } else { pause.min(REST_POLL_INTERVAL) };
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = self.interruption.next() => return Ok(ExitStatus::Done),
            }
            // A share may be away for a while.
            is_resting = self.look().await.unwrap_or_else(|failure| {
                self.console.failed(&failure);
                true
            });
        }
    }

    async fn once(&mut self) -> Result<ExitStatus, Failure> {
        let end = Instant::now() + self.settle() + REST_POLL_INTERVAL;
        while !self.look().await? && !self.interrupted && Instant::now() < end {
            tokio::select! {
                () = tokio::time::sleep(REST_POLL_INTERVAL.min(self.settle())) => {}
                () = self.interruption.next() => return Ok(ExitStatus::Interrupted),
            }
        }
        for (name, seen) in &self.seen {
            if self.done.get(name) != Some(&seen.stamp) {
                self.console.remark("watch.later", &[("file", plain(name))]);
            }
        }
        Ok(self.worst)
    }

    /// Takes every workbook that rests and wasn't taken as it is. False where one doesn't rest yet.
    async fn look(&mut self) -> Result<bool, Failure> {
        let mut all_rest = true;
        let FolderContents { workbooks, refused } = FolderContents::read(&self.arguments.folder)?;
        self.tell_refused(&refused);
        self.seen.retain(|name, _| workbooks.iter().any(|workbook| workbook.name == *name));
        for workbook in workbooks {
            let rests = self.rests(&workbook);
            if self.done.get(&workbook.name) == Some(&workbook.stamp) || workbook.is_open || self.is_checked(&workbook)
            {
                continue;
            }
            if !rests {
                all_rest = false;
                continue;
            }
            match self.take(&workbook).await {
                Ok(result) => {
                    // What stays pending goes on at the next look.
                    if !is_open_end(result.status) {
                        self.done.insert(workbook.name.clone(), workbook.stamp);
                    }
                    self.report(&workbook.path, &workbook.name, &result);
                }
                Err(failure) => self.fail(&workbook, &failure),
            }
            if self.interrupted {
                break;
            }
        }
        Ok(all_rest)
    }

    fn settle(&self) -> Duration {
        Duration::from_secs(self.arguments.settle.into())
    }

    /// Whether the workbook has stayed as it is for long enough.
    fn rests(&mut self, workbook: &WatchedFile) -> bool {
        let settle = self.settle();
        let now = SeenFile { stamp: workbook.stamp, since: Instant::now() };
        let seen = self.seen.entry(workbook.name.clone()).or_insert(now);
        if seen.stamp != workbook.stamp {
            *seen = now;
        }
        seen.since.elapsed() >= settle
    }

    /// Each is told once, as long as it lies there.
    fn tell_refused(&mut self, refused: &[RefusedFile]) {
        for file in refused {
            if self.refused.insert(file.name.clone()) {
                self.console.remark(file.reason.text_key(), &[("file", file.name.clone())]);
                self.worst = worse(self.worst, ExitStatus::Rejected);
            }
        }
        self.refused.retain(|name| refused.iter().any(|file| file.name == *name));
    }

    /// Nothing new is to be said of a file that is only checked, and was.
    fn is_checked(&self, workbook: &WatchedFile) -> bool {
        self.arguments.send == SendRule::Never && workbook.is_answered
    }

    async fn take(&mut self, workbook: &WatchedFile) -> Result<WatchResult, Failure> {
        let (engine, site, path) = (&self.session.engine, &self.session.site, &workbook.path);
        let _lock = engine.submissions().lock_file(site, path)?;
        let sends = self.arguments.send != SendRule::Never;
        let hash = if sends { file_hash(path)? } else { String::new() };
        // The same content under other names is the same.
        let _content_lock = if sends { Some(engine.submissions().lock_content(site, path, &hash)?) } else { None };
        let earlier = if sends { engine.submissions().of_file(site, &hash)? } else { None };
        if let Some(earlier) = &earlier
            && workbook.is_answered
            && is_settled(earlier)
        {
            // A schedule that looks every few minutes has nothing to tell.
            return Ok(WatchResult { state: "known", status: ExitStatus::Done, submission: Some(earlier.plan.get()) });
        }
        if !self.arguments.json {
            self.console.line(&plain(&workbook.name));
        }
        match earlier {
            Some(earlier) => self.finish(workbook, &earlier).await,
            None if sends => match self.sent_before_it_grew(workbook)? {
                Some(earlier) => self.ask_about_grown(workbook, &earlier),
                None => self.send(workbook, &hash).await,
            },
            None => self.check(workbook).await,
        }
    }

    /// The submission of what the file held when it was shorter.
    fn sent_before_it_grew(&self, workbook: &WatchedFile) -> Result<Option<SubmissionView>, Failure> {
        for before in self.taken.of(&workbook.name) {
            if before.bytes == 0 || before.bytes >= workbook.stamp.bytes() {
                continue;
            }
            let Some(earlier) = self.session.engine.submissions().of_file(&self.session.site, &before.hash)? else {
                continue;
            };
            if file_start_hash(&workbook.path, before.bytes)? == before.hash {
                return Ok(Some(earlier));
            }
        }
        Ok(None)
    }

    /// Sent as a new file, rows that were sent already would be applied twice.
    fn ask_about_grown(&self, workbook: &WatchedFile, earlier: &SubmissionView) -> Result<WatchResult, Failure> {
        let places = [("file", plain(&workbook.name)), ("submission", earlier.plan.to_string())];
        self.console.remark("watch.grown", &places);
        self.put_text(workbook, &self.console.texts.text("watch.grown", &places));
        Ok(WatchResult { state: "grown", status: ExitStatus::Rejected, submission: Some(earlier.plan.get()) })
    }

    /// `hash` is that of the content which wasn't sent before.
    async fn send(&mut self, workbook: &WatchedFile, hash: &str) -> Result<WatchResult, Failure> {
        let (engine, site, path) = (&self.session.engine, &self.session.site, &workbook.path);
        let sync = self.sync_arguments(path);
        let view = import::open((engine, Some(site)), &sync.import, sync.to.as_deref(), self.console)?;
        let id = view.id;
        let checked = if view.hash == hash {
            self.check_complete(id, &workbook.name)
        } else {
            Err(Problem::new(Code::FileChanged).parameter("file", &view.file).into())
        };
        let original = checked.and_then(|()| Ok(engine.imports().original(id)?));
        let content = TakenContent { bytes: workbook.stamp.bytes(), hash: hash.to_owned() };
        let kept = original.and_then(|original| match self.taken.keep(&workbook.name, content) {
            Ok(()) => Ok(original),
            Err(error) => Err(Problem::new(Code::JournalFailed).details(error).into()),
        });
        let original = kept.inspect_err(|_| engine.imports().close(id))?;
        let attendance =
            sync::Attendance::Watch { confirmed: self.confirmed.clone(), interruption: &mut self.interruption };
        let sent = sync::send(self.session, view, &sync, attendance, self.console).await;
        let unsent = sent.as_ref().map_or(true, |sent| sent.plan.is_none());
        let stopped = sent.as_ref().is_ok_and(|sent| sent.plan.is_none());
        if stopped {
            self.put_findings(id, workbook)?;
        }
        if unsent {
            engine.imports().close(id);
        }
        let sent = sent?;
        if let Some(plan) = sent.plan {
            self.put_results(plan, &original, workbook)?;
        }
        self.interrupted |= sent.interrupted;
        let submission = sent.plan.map(|plan| plan.get());
        Ok(WatchResult { state: if stopped { "stopped" } else { "sent" }, status: sent.status, submission })
    }

    /// The last row of a file that is still being written ends before its last field.
    fn check_complete(&self, import: ImportId, name: &str) -> Result<(), Failure> {
        let found = self.session.engine.imports().findings(import)?;
        let is_cut = found.iter().any(|finding| finding.code == FindingCode::CutRow);
        if is_cut { Err(Failure::Usage("watch.unfinished", vec![("file", plain(name))])) } else { Ok(()) }
    }

    /// What can be said of it without sending anything.
    async fn check(&self, workbook: &WatchedFile) -> Result<WatchResult, Failure> {
        let (engine, console) = (&self.session.engine, self.console);
        let sync = self.sync_arguments(&workbook.path);
        let site = Some(self.session.site.as_str());
        let view = import::open((engine, site), &sync.import, sync.to.as_deref(), console)?;
        let checked = self.checked(&view, workbook).await;
        engine.imports().close(view.id);
        checked
    }

    async fn checked(&self, view: &ImportView, workbook: &WatchedFile) -> Result<WatchResult, Failure> {
        let (engine, console) = (&self.session.engine, self.console);
        let view = steps::look_at((engine, view), (Some(&self.session.site), None)).await?;
        let found = engine.imports().findings(view.id)?;
        if self.arguments.json {
            found.iter().for_each(|finding| console.json(&findings::json(finding, console)));
        } else {
            findings::show(&found, console);
        }
        self.put_findings(view.id, workbook)?;
        let faulty = view.totals.errors > 0 || view.totals.ready_rows == 0;
        let status = if faulty { ExitStatus::Rejected } else { ExitStatus::Done };
        Ok(WatchResult { state: "checked", status, submission: None })
    }

    /// This content was sent before: what is pending of it goes on, and its result is written where it is missing.
    async fn finish(&mut self, workbook: &WatchedFile, earlier: &SubmissionView) -> Result<WatchResult, Failure> {
        let (engine, console, path) = (&self.session.engine, self.console, &workbook.path);
        let mut plan = engine.submissions().plan(earlier.id)?;
        let id = plan.id;
        let (mut interrupted, mut state) = (false, "known");
        if plan.submissions.iter().any(|view| view.counts.pending > view.waiting) {
            let changes = engine.submissions().subscribe();
            engine.submissions().resume_unattended(earlier.id, self.confirmed.as_deref()).await?;
            (plan, interrupted) = follow::plan(engine, id, changes, &mut self.interruption, console).await?;
            sync::print_submission(engine, &plan, &RowErrors::new(), self.arguments.json, console)?;
            self.interrupted |= interrupted;
            state = "resumed";
        } else {
            console.remark("watch.known", &[("submission", id.to_string())]);
        }
        if state == "resumed" || !workbook.is_answered {
            let sync = self.sync_arguments(path);
            let site = Some(self.session.site.as_str());
            let view = import::open((engine, site), &sync.import, sync.to.as_deref(), console)?;
            let original = engine.imports().original(view.id);
            engine.imports().close(view.id);
            self.put_results(id, &original?, workbook)?;
        }
        let status = sync::close(&plan, interrupted, self.arguments.json, console);
        Ok(WatchResult { state, status, submission: Some(id.get()) })
    }

    fn sync_arguments(&self, path: &Path) -> SyncArguments {
        let WatchArguments { send, to, mapping, reading, batch_size, send_conflicts, skip_conflicts, json, .. } =
            self.arguments;
        SyncArguments {
            import: ImportArguments {
                file: path.to_path_buf(),
                mapping: mapping.clone(),
                reading: reading.clone(),
                ..ImportArguments::default()
            },
            to: to.clone(),
            batch_size: *batch_size,
            yes: true,
            send_conflicts: *send_conflicts,
            skip_conflicts: *skip_conflicts,
            skip_errors: *send == SendRule::Ready,
            json: *json,
            ..SyncArguments::default()
        }
    }

    /// Writes the findings into a copy of the workbook beside it.
    fn put_findings(&self, import: ImportId, workbook: &WatchedFile) -> Result<(), Failure> {
        let (imports, language) = (self.session.engine.imports(), self.console.texts.language);
        let put = self.put_result(workbook, |path| Ok(imports.save_findings(import, language, path)?.path))?;
        self.console.remark("check.report", &[("file", plain(&put.display().to_string()))]);
        Ok(())
    }

    /// Writes the results of the rows into a copy of the workbook beside it.
    fn put_results(&self, plan: PlanId, original: &Original, workbook: &WatchedFile) -> Result<(), Failure> {
        let (submissions, original) =
            (self.session.engine.submissions(), Some(original).filter(|file| file.is_package()));
        let put =
            self.put_result(workbook, |path| Ok(submissions.export_results(plan.first(), original, path)?.path))?;
        self.console.remark("sync.report", &[("file", plain(&put.display().to_string()))]);
        Ok(())
    }

    /// Has a result written in the home, and puts it beside the workbook. Gives where it is.
    fn put_result(
        &self,
        workbook: &WatchedFile,
        write: impl FnOnce(&Path) -> Result<String, Problem>,
    ) -> Result<PathBuf, Failure> {
        let unwritable = |path: &Path, error: std::io::Error| {
            Problem::new(Code::WriteFailed).parameter("file", path.display().to_string()).details(error)
        };
        let home = self.session.engine.home().root();
        let folder = tempfile::Builder::new().prefix("result-").tempdir_in(home);
        let folder = folder.map_err(|error| unwritable(home, error))?;
        let target = result_path(&workbook.path);
        let written = PathBuf::from(write(&folder.path().join(target.file_name().unwrap_or_default()))?);
        let target = target.with_file_name(written.file_name().unwrap_or_default());
        let put = fs::File::open(&written).and_then(|mut file| put_beside(&workbook.path, &target, &mut file));
        put.map_err(|error| unwritable(&target, error))?;
        Ok(target)
    }

    /// Why a workbook wasn't sent, as a text beside it.
    fn put_text(&self, workbook: &WatchedFile, text: &str) {
        let path = error_path(&workbook.path);
        let text = format!("{text}\n");
        if let Err(error) = put_beside(&workbook.path, &path, &mut text.as_bytes() as &mut dyn Read) {
            self.console.note(&format!("{}: {error}", plain(&path.display().to_string())));
        }
    }

    fn report(&mut self, path: &Path, name: &str, result: &WatchResult) {
        // What was said of an earlier version of the file is true no more.
        if result.state != "grown" {
            drop(fs::remove_file(error_path(path)));
        }
        self.print(path, name, result);
    }

    /// What is wrong with the file is written beside it; whatever else it is, is tried again at the next look.
    fn fail(&mut self, workbook: &WatchedFile, failure: &Failure) {
        let console = self.console;
        let status = console.failed(failure);
        let of_file = match failure {
            Failure::Usage(key, places) => Some(console.texts.text(key, places)),
            Failure::Problem(problem) if is_of_file(problem) => Some(described(problem, console)),
            Failure::Problem(_) => None,
        };
        match of_file {
            Some(text) => {
                self.put_text(workbook, &text);
                self.done.insert(workbook.name.clone(), workbook.stamp);
                self.print(&workbook.path, &workbook.name, &WatchResult { state: "failed", status, submission: None });
            }
            None if self.arguments.once => self.worst = worse(self.worst, status),
            None => console.remark("watch.again", &[("file", plain(&workbook.name))]),
        }
    }

    fn print(&mut self, path: &Path, name: &str, result: &WatchResult) {
        self.worst = worse(self.worst, result.status);
        if !self.arguments.json {
            return;
        }
        let written = [error_path(path), result_path(path), result_path(path).with_extension("xlsm")];
        // The result of an earlier version may still be there, so the text about the current version comes first.
        let written = written.into_iter().find(|path| path.exists()).map(|path| path.display().to_string());
        self.console.json(&json!({
            "workbook": name,
            "state": result.state,
            "submission": result.submission,
            "status": result.status.code(),
            "result": written,
        }));
    }
}

/// Nothing of it is open: what was rejected was told when it was.
fn is_settled(submission: &SubmissionView) -> bool {
    let counts = &submission.counts;
    counts.pending + counts.sending + counts.unconfirmed == 0
}

/// Rows may still be pending, and nothing is wrong with them.
fn is_open_end(status: ExitStatus) -> bool {
    matches!(status, ExitStatus::Unreachable | ExitStatus::SignIn | ExitStatus::Interrupted)
}

fn described(problem: &Problem, console: &Console) -> String {
    let texts = &console.texts.engine;
    let (title, hint) =
        (texts.problem_title(problem.code, &problem.parameters), texts.problem_hint(problem.code, &problem.parameters));
    [title].into_iter().chain(problem.reasons.clone()).chain([hint]).collect::<Vec<_>>().join("\n")
}

/// Whether only another file helps: the same one would fail again.
fn is_of_file(problem: &Problem) -> bool {
    matches!(
        problem.code,
        Code::FileNotWorkbook
            | Code::FileEmpty
            | Code::FileProtected
            | Code::FileTooLarge
            | Code::FileDamaged
            | Code::NoHeader
            | Code::MappingRefused
            | Code::InvalidInput
            | Code::Unknown
    )
}

/// Somebody must look at what is unconfirmed before anything else.
fn worse(one: ExitStatus, other: ExitStatus) -> ExitStatus {
    if sync::rank(other) > sync::rank(one) { other } else { one }
}

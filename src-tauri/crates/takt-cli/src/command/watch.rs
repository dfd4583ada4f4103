//! `takt watch`: checks each workbook in a folder, sends it with `--send`, and writes its result next to it.
//!
//! A workbook is sent once no program writes to it or has it open. The history identifies files by their content, so
//! none is sent twice. After a crash, only pending rows are sent. The user must decide about a file that grew after it
//! was sent. Links are never followed, since other accounts may write to the folder.

mod content_history;
mod folder;

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
    content_history::{ContentHistory, FileContent},
    folder::{FileStamp, FolderContents, RefusedFile, WatchedFile, error_path, result_path, write_next_to},
};
use super::{import, plan_progress, steps, sync};
use crate::{
    arguments::{ImportArguments, SendRule, SyncArguments, WatchArguments},
    console::{Console, sanitize},
    exit_codes::{ExitStatus, Failure},
    findings::{self, RowErrors},
    results,
    session::{Interruption, Session},
};

/// The interval between checks of files that may still be written.
const SETTLE_POLL_INTERVAL: Duration = Duration::from_secs(1);

pub(super) async fn run(
    arguments: &WatchArguments,
    site: Option<&str>,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let session = Session::open(site, console).await?;
    // Two processes on the same folder would process the same files.
    let _lock = session.engine.submissions().sent_files().lock(&session.site, &arguments.folder)?;
    session.engine.imports().read_settings().refuse_links();
    let confirmed = if arguments.send == SendRule::Never { None } else { session.confirm_site(console)? };
    let mut watch = Watch {
        session: &session,
        arguments,
        confirmed,
        console,
        interruption: Interruption::listen()?,
        seen_files: HashMap::new(),
        processed_files: HashMap::new(),
        history: ContentHistory::load(session.engine.home(), &session.site, &arguments.folder),
        reported_refusals: HashSet::new(),
        worst_status: ExitStatus::Done,
        interrupted: false,
    };
    watch.print_start();
    if arguments.once { watch.run_once().await } else { watch.run_until_interrupted().await }
}

struct Watch<'a> {
    session: &'a Session,
    arguments: &'a WatchArguments,
    confirmed: Option<String>,
    console: &'a Console,
    interruption: Interruption,
    /// The files at the last check of the folder, by name.
    seen_files: HashMap<String, SeenFile>,
    /// The stamps of files at the time when they were processed, by name.
    processed_files: HashMap<String, FileStamp>,
    history: ContentHistory,
    /// The names of refused files that were reported, so that each is reported once.
    reported_refusals: HashSet<String>,
    worst_status: ExitStatus,
    /// True if the user interrupted while a workbook was being sent.
    interrupted: bool,
}

/// A workbook at the last check of the folder.
#[derive(Debug, Clone, Copy)]
struct SeenFile {
    stamp: FileStamp,
    since: Instant,
}

/// The state that is reported for a workbook, with its exit status and submission.
struct WatchResult {
    state: &'static str,
    status: ExitStatus,
    submission: Option<u32>,
}

impl Watch<'_> {
    fn print_start(&self) {
        let (folder, site) = (self.arguments.folder.display().to_string(), &self.session.site);
        if self.arguments.json {
            self.console.print_json(&json!({ "folder": folder, "site": site }));
        } else if !self.arguments.once {
            self.console.print_text("watch.begin", &[("folder", sanitize(&folder)), ("site", sanitize(site))]);
        }
    }

    async fn run_until_interrupted(&mut self) -> Result<ExitStatus, Failure> {
        let pause = Duration::from_secs(self.arguments.every.into());
        let mut is_settled = self.check_folder().await?;
        loop {
            if self.interrupted {
                return Ok(ExitStatus::Done);
            }
            let pause = if is_settled { pause } else { pause.min(SETTLE_POLL_INTERVAL) };
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = self.interruption.next() => return Ok(ExitStatus::Done),
            }
            // A network share may be temporarily unavailable, so failures don't end the command.
            is_settled = self.check_folder().await.unwrap_or_else(|failure| {
                self.console.print_failure(&failure);
                true
            });
        }
    }

    async fn run_once(&mut self) -> Result<ExitStatus, Failure> {
        let end = Instant::now() + self.settling_time() + SETTLE_POLL_INTERVAL;
        while !self.check_folder().await? && !self.interrupted && Instant::now() < end {
            tokio::select! {
                () = tokio::time::sleep(SETTLE_POLL_INTERVAL.min(self.settling_time())) => {}
                () = self.interruption.next() => return Ok(ExitStatus::Interrupted),
            }
        }
        for (name, seen) in &self.seen_files {
            if self.processed_files.get(name) != Some(&seen.stamp) {
                self.console.print_remark("watch.later", &[("file", sanitize(name))]);
            }
        }
        Ok(self.worst_status)
    }

    /// Processes every workbook that has settled, unless it was processed in its current state. Returns false if any
    /// workbook hasn't settled.
    async fn check_folder(&mut self) -> Result<bool, Failure> {
        let mut all_settled = true;
        let FolderContents { workbooks, refused } = FolderContents::read(&self.arguments.folder)?;
        self.report_refused(&refused);
        self.seen_files.retain(|name, _| workbooks.iter().any(|workbook| workbook.name == *name));
        for workbook in workbooks {
            let is_settled = self.has_settled(&workbook);
            if self.processed_files.get(&workbook.name) == Some(&workbook.stamp)
                || workbook.is_open
                || self.has_check_result(&workbook)
            {
                continue;
            }
            if !is_settled {
                all_settled = false;
                continue;
            }
            match self.process(&workbook).await {
                Ok(result) => {
                    // Pending rows are sent the next time that the folder is checked.
                    if !can_retry(result.status) {
                        self.processed_files.insert(workbook.name.clone(), workbook.stamp);
                    }
                    self.report(&workbook.path, &workbook.name, &result);
                }
                Err(failure) => self.report_failure(&workbook, &failure),
            }
            if self.interrupted {
                break;
            }
        }
        Ok(all_settled)
    }

    fn settling_time(&self) -> Duration {
        Duration::from_secs(self.arguments.settle.into())
    }

    /// Returns whether the workbook has been unchanged for the settling time.
    fn has_settled(&mut self, workbook: &WatchedFile) -> bool {
        let settle = self.settling_time();
        let now = SeenFile { stamp: workbook.stamp, since: Instant::now() };
        let seen = self.seen_files.entry(workbook.name.clone()).or_insert(now);
        if seen.stamp != workbook.stamp {
            *seen = now;
        }
        seen.since.elapsed() >= settle
    }

    /// Reports each refused file once, until it is removed from the folder.
    fn report_refused(&mut self, refused: &[RefusedFile]) {
        for file in refused {
            if self.reported_refusals.insert(file.name.clone()) {
                self.console.print_remark(file.reason.text_key(), &[("file", file.name.clone())]);
                self.worst_status = self.worst_status.worse_of(ExitStatus::Rejected);
            }
        }
        self.reported_refusals.retain(|name| refused.iter().any(|file| file.name == *name));
    }

    /// Returns whether files are only checked and this one already has a result.
    fn has_check_result(&self, workbook: &WatchedFile) -> bool {
        self.arguments.send == SendRule::Never && workbook.has_result
    }

    async fn process(&mut self, workbook: &WatchedFile) -> Result<WatchResult, Failure> {
        let (engine, site, path) = (&self.session.engine, &self.session.site, &workbook.path);
        let _lock = engine.submissions().sent_files().lock(site, path)?;
        let sends = self.arguments.send != SendRule::Never;
        let hash = if sends { file_hash(path)? } else { String::new() };
        // The same content may be sent under another name at the same time.
        let _content_lock =
            if sends { Some(engine.submissions().sent_files().lock_content(site, path, &hash)?) } else { None };
        let earlier = if sends { engine.submissions().sent_files().find(site, &hash)? } else { None };
        if let Some(earlier) = &earlier
            && workbook.has_result
            && engine.submissions().plan(earlier.id)?.is_settled()
        {
            // A frequent schedule should print nothing new for files that were sent before.
            return Ok(WatchResult { state: "known", status: ExitStatus::Done, submission: Some(earlier.plan.get()) });
        }
        if !self.arguments.json {
            self.console.print_line(&sanitize(&workbook.name));
        }
        match earlier {
            Some(earlier) => self.finish_earlier(workbook, &earlier).await,
            None if sends => match self.find_shorter_version(workbook)? {
                Some(earlier) => self.refuse_grown(workbook, &earlier),
                None => self.send(workbook, &hash).await,
            },
            None => self.check_only(workbook).await,
        }
    }

    /// Finds a submission of the file's content from before it grew.
    fn find_shorter_version(&self, workbook: &WatchedFile) -> Result<Option<SubmissionView>, Failure> {
        for content in self.history.contents_of(&workbook.name) {
            if content.bytes == 0 || content.bytes >= workbook.stamp.size() {
                continue;
            }
            let Some(earlier) =
                self.session.engine.submissions().sent_files().find(&self.session.site, &content.hash)?
            else {
                continue;
            };
            if file_start_hash(&workbook.path, content.bytes)? == content.hash {
                return Ok(Some(earlier));
            }
        }
        Ok(None)
    }

    /// Refuses a file that grew after it was sent, since sending it would apply its first rows twice.
    fn refuse_grown(&self, workbook: &WatchedFile, earlier: &SubmissionView) -> Result<WatchResult, Failure> {
        let parameters = [("file", sanitize(&workbook.name)), ("submission", earlier.plan.to_string())];
        self.console.print_remark("watch.grown", &parameters);
        self.write_error(workbook, &self.console.texts.text("watch.grown", &parameters));
        Ok(WatchResult { state: "grown", status: ExitStatus::Rejected, submission: Some(earlier.plan.get()) })
    }

    /// Sends a workbook. `hash` is the hash of its content, which has no submission yet.
    async fn send(&mut self, workbook: &WatchedFile, hash: &str) -> Result<WatchResult, Failure> {
        let (engine, site, path) = (&self.session.engine, &self.session.site, &workbook.path);
        let sync = self.sync_arguments(path);
        let view = import::open(engine, Some(site), &sync.import, sync.to.as_deref(), self.console)?;
        let id = view.id;
        let checked = if view.hash == hash {
            self.check_complete(id, &workbook.name)
        } else {
            Err(Problem::new(Code::FileChanged).parameter("file", &view.file).into())
        };
        let original = checked.and_then(|()| Ok(engine.imports().original(id)?));
        let content = FileContent { bytes: workbook.stamp.size(), hash: hash.to_owned() };
        let recorded = original.and_then(|original| match self.history.record(&workbook.name, content) {
            Ok(()) => Ok(original),
            Err(error) => Err(Problem::new(Code::JournalFailed).details(error).into()),
        });
        let original = recorded.inspect_err(|_| engine.imports().close(id))?;
        let attendance =
            sync::Prompting::Watch { confirmed: self.confirmed.clone(), interruption: &mut self.interruption };
        let sent = sync::send(self.session, view, &sync, attendance, self.console).await;
        let unsent = sent.as_ref().map_or(true, |sent| sent.plan.is_none());
        let stopped = sent.as_ref().is_ok_and(|sent| sent.plan.is_none());
        if stopped {
            self.write_findings(id, workbook)?;
        }
        if unsent {
            engine.imports().close(id);
        }
        let sent = sent?;
        if let Some(plan) = sent.plan {
            self.write_results(plan, &original, workbook)?;
        }
        self.interrupted |= sent.interrupted;
        let submission = sent.plan.map(|plan| plan.get());
        Ok(WatchResult { state: if stopped { "stopped" } else { "sent" }, status: sent.status, submission })
    }

    /// Fails if the last row ends before its last field, since the file may still be written.
    fn check_complete(&self, import: ImportId, name: &str) -> Result<(), Failure> {
        let findings = self.session.engine.imports().findings(import)?;
        let is_cut = findings.iter().any(|finding| finding.code == FindingCode::CutRow);
        if is_cut { Err(Failure::Usage("watch.unfinished", vec![("file", sanitize(name))])) } else { Ok(()) }
    }

    /// Checks a workbook without sending it, and writes the findings next to it.
    async fn check_only(&self, workbook: &WatchedFile) -> Result<WatchResult, Failure> {
        let (engine, console) = (&self.session.engine, self.console);
        let sync = self.sync_arguments(&workbook.path);
        let site = Some(self.session.site.as_str());
        let view = import::open(engine, site, &sync.import, sync.to.as_deref(), console)?;
        let checked = self.check_and_print(&view, workbook).await;
        engine.imports().close(view.id);
        checked
    }

    async fn check_and_print(&self, view: &ImportView, workbook: &WatchedFile) -> Result<WatchResult, Failure> {
        let (engine, console) = (&self.session.engine, self.console);
        let view = steps::check_against_site(engine, view, Some(&self.session.site), None).await?;
        let findings = engine.imports().findings(view.id)?;
        if self.arguments.json {
            findings.iter().for_each(|finding| console.print_json(&findings::finding_json(finding, console)));
        } else {
            findings::print_findings(&findings, console);
        }
        self.write_findings(view.id, workbook)?;
        let faulty = view.totals.errors > 0 || view.totals.ready_rows == 0;
        let status = if faulty { ExitStatus::Rejected } else { ExitStatus::Done };
        Ok(WatchResult { state: "checked", status, submission: None })
    }

    /// Resumes the submission of this content, and writes its result if the file is missing.
    async fn finish_earlier(
        &mut self,
        workbook: &WatchedFile,
        earlier: &SubmissionView,
    ) -> Result<WatchResult, Failure> {
        let (engine, console, path) = (&self.session.engine, self.console, &workbook.path);
        let mut plan = engine.submissions().plan(earlier.id)?;
        let id = plan.id;
        let (mut interrupted, mut state) = (false, "known");
        if plan.has_rows_to_send() {
            let changes = engine.submissions().subscribe();
            engine.submissions().resume_unattended(earlier.id, self.confirmed.as_deref()).await?;
            (plan, interrupted) =
                plan_progress::wait_for_plan(engine, id, changes, &mut self.interruption, console).await?;
            results::print_plan_results(engine, &plan, &RowErrors::new(), self.arguments.json, console)?;
            self.interrupted |= interrupted;
            state = "resumed";
        } else {
            console.print_remark("watch.known", &[("submission", id.to_string())]);
        }
        if state == "resumed" || !workbook.has_result {
            let sync = self.sync_arguments(path);
            let site = Some(self.session.site.as_str());
            let view = import::open(engine, site, &sync.import, sync.to.as_deref(), console)?;
            let original = engine.imports().original(view.id);
            engine.imports().close(view.id);
            self.write_results(id, &original?, workbook)?;
        }
        let status = results::print_summary(&plan, interrupted, self.arguments.json, console);
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

    /// Writes the findings into a copy of the workbook next to it.
    fn write_findings(&self, import: ImportId, workbook: &WatchedFile) -> Result<(), Failure> {
        let (imports, language) = (self.session.engine.imports(), self.console.texts.language);
        let put = self.write_result(workbook, |path| Ok(imports.save_findings(import, language, path)?.path))?;
        self.console.print_remark("check.report", &[("file", sanitize(&put.display().to_string()))]);
        Ok(())
    }

    /// Writes the results of the rows into a copy of the workbook next to it.
    fn write_results(&self, plan: PlanId, original: &Original, workbook: &WatchedFile) -> Result<(), Failure> {
        let (submissions, original) =
            (self.session.engine.submissions(), Some(original).filter(|file| file.is_package()));
        let put =
            self.write_result(workbook, |path| Ok(submissions.export_results(plan.first(), original, path)?.path))?;
        self.console.print_remark("sync.report", &[("file", sanitize(&put.display().to_string()))]);
        Ok(())
    }

    /// Calls `write` to create a result in the home, and moves it next to the workbook. Returns its path.
    fn write_result(
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
        let put = fs::File::open(&written).and_then(|mut file| write_next_to(&workbook.path, &target, &mut file));
        put.map_err(|error| unwritable(&target, error))?;
        Ok(target)
    }

    /// Writes the reason why a workbook wasn't sent into a text file next to it.
    fn write_error(&self, workbook: &WatchedFile, text: &str) {
        let path = error_path(&workbook.path);
        let text = format!("{text}\n");
        if let Err(error) = write_next_to(&workbook.path, &path, &mut text.as_bytes() as &mut dyn Read) {
            self.console.print_note(&format!("{}: {error}", sanitize(&path.display().to_string())));
        }
    }

    fn report(&mut self, path: &Path, name: &str, result: &WatchResult) {
        // An error text about an earlier version of the file is outdated.
        if result.state != "grown" {
            drop(fs::remove_file(error_path(path)));
        }
        self.print_result(path, name, result);
    }

    /// Writes an error about the file next to it. Other errors are retried at the next check of the folder.
    fn report_failure(&mut self, workbook: &WatchedFile, failure: &Failure) {
        let console = self.console;
        let status = console.print_failure(failure);
        let file_error = match failure {
            Failure::Usage(key, parameters) => Some(console.texts.text(key, parameters)),
            Failure::Problem(problem) if is_file_error(problem) => Some(problem_text(problem, console)),
            Failure::Problem(_) => None,
        };
        match file_error {
            Some(text) => {
                self.write_error(workbook, &text);
                self.processed_files.insert(workbook.name.clone(), workbook.stamp);
                self.print_result(
                    &workbook.path,
                    &workbook.name,
                    &WatchResult { state: "failed", status, submission: None },
                );
            }
            None if self.arguments.once => self.worst_status = self.worst_status.worse_of(status),
            None => console.print_remark("watch.again", &[("file", sanitize(&workbook.name))]),
        }
    }

    fn print_result(&mut self, path: &Path, name: &str, result: &WatchResult) {
        self.worst_status = self.worst_status.worse_of(result.status);
        if !self.arguments.json {
            return;
        }
        let written = [error_path(path), result_path(path), result_path(path).with_extension("xlsm")];
        // The result of an earlier version may still exist, so the error text about the current version comes first.
        let written = written.into_iter().find(|path| path.exists()).map(|path| path.display().to_string());
        self.console.print_json(&json!({
            "workbook": name,
            "state": result.state,
            "submission": result.submission,
            "status": result.status.code(),
            "result": written,
        }));
    }
}

/// Returns whether the next check of the folder should send the workbook's pending rows.
fn can_retry(status: ExitStatus) -> bool {
    matches!(status, ExitStatus::Unreachable | ExitStatus::SignIn | ExitStatus::Interrupted)
}

fn problem_text(problem: &Problem, console: &Console) -> String {
    let texts = &console.texts.engine;
    let (title, hint) =
        (texts.problem_title(problem.code, &problem.parameters), texts.problem_hint(problem.code, &problem.parameters));
    [title].into_iter().chain(problem.reasons.clone()).chain([hint]).collect::<Vec<_>>().join("\n")
}

/// Returns whether the same file would fail again, so that only another file helps.
fn is_file_error(problem: &Problem) -> bool {
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

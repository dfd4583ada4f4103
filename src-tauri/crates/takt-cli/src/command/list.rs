//! `takt list`: what the service holds, as a table or as a file. JSON and csv go out page by page.

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

use takt_engine::{
    Canceller, Code, ExportFormat, Problem,
    browse::{Arrangement, BrowseEnd, BrowseProgress, BrowseQuery, ExportRequest, RowSet, StreamForm, StreamResult},
};
use takt_sheet::writer::WholeFile;

use super::{list_query, site};
use crate::{
    arguments::{Format, ListArguments},
    console::Console,
    ending::{ExitStatus, Failure, of_problem},
    progress::RowBar,
    rows,
    session::{Interruption, Session},
};

const PAGE: u32 = 100;

/// How far reading came, and how it ended.
struct ReadOutcome {
    progress: BrowseProgress,
    end: Result<BrowseEnd, Problem>,
}

pub(super) async fn run(
    arguments: ListArguments,
    name: Option<&str>,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let form = arguments.form();
    if form == Format::Xlsx && arguments.out.is_none() {
        return Err(Failure::Usage("list.needs-file", Vec::new()));
    }
    let session = Session::open(name, console).await?;
    let query = list_query::of(&session.engine, &session.site, &arguments)?;
    let file = arguments.out.as_deref().filter(|file| file.as_os_str() != "-");
    let listing = Listing { session: &session, query: &query, all: arguments.all, console };
    let read = match form {
        Format::Json => listing.stream(StreamForm::Json, file).await?,
        Format::Csv => listing.stream(StreamForm::Csv, file).await?,
        Format::Table => listing.table(file).await?,
        Format::Xlsx => listing.workbook(file).await?,
    };
    site::print_ignored_headers(&session.engine, &session.site, console)?;
    Ok(close(read, arguments.all, console))
}

struct Listing<'a> {
    session: &'a Session,
    query: &'a BrowseQuery,
    all: bool,
    console: &'a Console,
}

impl Listing<'_> {
    /// Row by row, as they come.
    async fn stream(&self, form: StreamForm, file: Option<&Path>) -> Result<ReadOutcome, Failure> {
        let failed = |cause: io::Error| self.failed(file, cause);
        let mut whole = file.map(WholeFile::create).transpose().map_err(failed)?;
        let mut out = self.console.out();
        let target: &mut (dyn Write + Send) = match &mut whole {
            Some(file) => file,
            None => &mut out,
        };
        let (canceller, bar) = (Canceller::new(), RowBar::new(self.console));
        let (engine, site) = (&self.session.engine, self.session.site.as_str());
        let what = ((site, self.query), (form, self.all));
        let reading = engine.browse().stream_rows(what.0, what.1, target, &canceller, |progress| bar.show(&progress));
        let StreamResult { progress, end, omitted } = interruptible(reading, &canceller).await??;
        drop(bar);
        // Nothing came, and not because there is nothing: what the file held before is worth more.
        if let Some(whole) = whole.filter(|_| end.is_ok() || progress.rows > 0) {
            whole.finish().map_err(failed)?;
        }
        if !omitted.is_empty() {
            self.console.remark("list.left-out", &[("names", omitted.join(", "))]);
        }
        Ok(ReadOutcome { progress, end })
    }

    async fn table(&self, file: Option<&Path>) -> Result<ReadOutcome, Failure> {
        let (set, read) = self.set().await?;
        let contract = self.session.engine.sites().contract(&self.session.site)?;
        let operation = contract.operation(&self.query.operation);
        let Some(operation) = operation.filter(|_| !set.is_empty() || read.end.is_ok()) else { return Ok(read) };
        let width = if file.is_some() { None } else { self.console.width() };
        let failed = |cause: io::Error| self.failed(file, cause);
        let narrow = match file {
            Some(path) => {
                let mut whole = WholeFile::create(path).map_err(failed)?;
                let narrow = rows::table(&mut whole, operation, &set, width, &self.console.texts).map_err(failed)?;
                whole.finish().map_err(failed)?;
                narrow
            }
            None => {
                rows::table(&mut self.console.out(), operation, &set, width, &self.console.texts).map_err(failed)?
            }
        };
        if !narrow.is_empty() {
            self.console.remark("list.narrow", &[("names", narrow.join(", "))]);
        }
        Ok(read)
    }

    /// It lies in Takt's own folder for as long as it takes to print it.
    async fn workbook(&self, file: Option<&Path>) -> Result<ReadOutcome, Failure> {
        let (set, read) = self.set().await?;
        if set.is_empty() && read.end.is_err() {
            return Ok(read);
        }
        let wish = ExportRequest {
            format: ExportFormat::Xlsx,
            columns: Vec::new(),
            arrangement: Arrangement::default(),
            positions: Vec::new(),
        };
        let write = |path: &Path| self.session.engine.browse().export_set(&set, &wish, path);
        match file {
            Some(path) => write(path)?,
            None => {
                let failed = |cause: io::Error| self.failed(file, cause);
                let folder = tempfile::tempdir_in(self.session.engine.home().root()).map_err(failed)?;
                let path = folder.path().join("rows");
                write(&path)?;
                self.console.bytes(&fs::read(&path).map_err(failed)?);
            }
        }
        Ok(read)
    }

    /// The rows, kept: what needs all of them before it can begin.
    async fn set(&self) -> Result<(RowSet, ReadOutcome), Failure> {
        let (engine, canceller, bar) = (&self.session.engine, Canceller::new(), RowBar::new(self.console));
        let set = engine.browse().row_set(&self.session.site, &self.query.operation)?;
        let mut last = BrowseProgress::default();
        let end = if self.all {
            let reading = engine.browse().read_all(self.query, &set, &canceller, |progress| {
                last = progress;
                bar.show(&progress);
            });
            interruptible(reading, &canceller).await?
        } else {
            let tell = |progress| bar.show(&progress);
            let reading = engine.browse().read_page_telling(self.query, (1, PAGE), &set, &canceller, tell);
            let result = interruptible(reading, &canceller).await?;
            let stopped = canceller.is_cancelled();
            match result {
                Ok(said) => {
                    last = BrowseProgress::of_page(&said);
                    Ok(BrowseEnd::Whole)
                }
                Err(_) if stopped => Ok(BrowseEnd::Stopped),
                Err(problem) => Err(problem),
            }
        };
        Ok((set, ReadOutcome { progress: last, end }))
    }

    fn failed(&self, file: Option<&Path>, cause: io::Error) -> Problem {
        let name = file.map_or_else(|| self.query.operation.clone(), |file| file.display().to_string());
        Problem::new(Code::WriteFailed).parameter("file", name).details(cause)
    }
}

/// Ctrl-C stops what reads; what it returns then is what has come so far.
async fn interruptible<T>(reading: impl Future<Output = T>, canceller: &Canceller) -> Result<T, Failure> {
    let mut interruption = Interruption::listen()?;
    tokio::pin!(reading);
    tokio::select! {
        read = &mut reading => return Ok(read),
        () = interruption.next() => canceller.cancel(),
    }
    Ok(reading.await)
}

/// Says how many of how many, and why it ended early.
fn close(ReadOutcome { progress, end }: ReadOutcome, all: bool, console: &Console) -> ExitStatus {
    let total = progress.total.map_or_else(|| console.texts.text("list.unknown", &[]), |total| total.to_string());
    let places = [("rows", progress.rows.to_string()), ("total", total)];
    let more = progress.total.is_some_and(|total| total > progress.rows);
    match end {
        Ok(BrowseEnd::Whole) if !all && more => console.remark("list.first", &places),
        Ok(BrowseEnd::Whole) if progress.total.is_some() => console.remark("list.of", &places),
        Ok(BrowseEnd::Whole) => console.remark("list.rows", &places),
        Ok(BrowseEnd::Uneven) => console.remark("list.uneven", &places),
        Ok(BrowseEnd::Stopped) => {
            console.remark("list.stopped", &places);
            return ExitStatus::Interrupted;
        }
        Err(problem) => {
            console.problem(&problem);
            if progress.rows > 0 {
                console.remark("list.broken", &places);
            }
            return of_problem(problem.code);
        }
    }
    ExitStatus::Done
}

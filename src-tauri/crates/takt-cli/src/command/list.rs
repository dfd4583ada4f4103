//! `takt list`: prints a site's list, or writes it to a file. JSON and CSV are written page by page.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Write},
    path::Path,
};

use takt_engine::{
    Canceller, Code, Engine, ExportFormat, Problem,
    browse::{
        Arrangement, BrowseEnd, BrowseProgress, BrowseQuery, ExportRequest, ListFilter, PageRequest, RowSet,
        StreamFormat, StreamOptions, StreamResult,
    },
};
use takt_sheet::writer::AtomicFile;

use super::site;
use crate::{
    arguments::{Format, ListArguments},
    console::Console,
    exit_codes::{ExitStatus, Failure, status_of_problem},
    list_table,
    progress::RowBar,
    session::{Interruption, Session},
};

const PAGE_SIZE: u32 = 100;

/// The last progress of reading, and how it ended.
struct ReadOutcome {
    progress: BrowseProgress,
    end: Result<BrowseEnd, Problem>,
}

pub(super) async fn run(
    arguments: ListArguments,
    name: Option<&str>,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let format = arguments.output_format();
    if format == Format::Xlsx && arguments.out.is_none() {
        return Err(Failure::Usage("list.needs-file", Vec::new()));
    }
    let session = Session::open(name, console).await?;
    let query = build_query(&session.engine, &session.site, &arguments)?;
    let file = arguments.out.as_deref().filter(|file| file.as_os_str() != "-");
    let listing = Listing { session: &session, query: &query, all: arguments.all, console };
    let read = match format {
        Format::Json => listing.write_stream(StreamFormat::Json, file).await?,
        Format::Csv => listing.write_stream(StreamFormat::Csv, file).await?,
        Format::Table => listing.write_table(file).await?,
        Format::Xlsx => listing.write_workbook(file).await?,
    };
    site::print_ignored_headers(&session.engine, &session.site, console)?;
    Ok(print_outcome(read, arguments.all, console))
}

/// Builds the query. Fails if a shortcut, such as `--from`, has no parameter in the operation.
fn build_query(engine: &Engine, site: &str, arguments: &ListArguments) -> Result<BrowseQuery, Failure> {
    let mut parameters: BTreeMap<String, String> = arguments.parameters.iter().cloned().collect();
    let shortcuts = [
        ("--from", ListFilter::From, &arguments.from),
        ("--to", ListFilter::To, &arguments.to),
        ("--code", ListFilter::Code, &arguments.code),
    ];
    let is_known_operation = engine.sites().contract(site)?.operation(&arguments.operation).is_some();
    for (name, filter, value) in shortcuts {
        let Some(value) = value.as_ref().filter(|_| is_known_operation) else { continue };
        let Some(parameter) = engine.browse().filter_parameter(site, &arguments.operation, filter)? else {
            let placeholders = vec![("operation", arguments.operation.clone()), ("name", name.to_owned())];
            return Err(Failure::Usage("list.no-filter", placeholders));
        };
        parameters.insert(parameter.to_owned(), value.clone());
    }
    Ok(BrowseQuery { operation: arguments.operation.clone(), parameters })
}

struct Listing<'a> {
    session: &'a Session,
    query: &'a BrowseQuery,
    all: bool,
    console: &'a Console,
}

impl Listing<'_> {
    /// Writes rows as soon as they are read.
    async fn write_stream(&self, format: StreamFormat, file: Option<&Path>) -> Result<ReadOutcome, Failure> {
        let failed = |cause: io::Error| self.write_problem(file, cause);
        let mut output_file = file.map(AtomicFile::create).transpose().map_err(failed)?;
        let mut out = self.console.stdout_writer();
        let target: &mut (dyn Write + Send) = match &mut output_file {
            Some(file) => file,
            None => &mut out,
        };
        let (canceller, bar) = (Canceller::new(), RowBar::new(self.console));
        let (engine, site) = (&self.session.engine, self.session.site.as_str());
        let options = StreamOptions { format, all: self.all };
        let show = |progress| bar.show(&progress);
        let reading = engine.browse().stream_rows(site, self.query, options, target, &canceller, show);
        let StreamResult { progress, end, omitted } = cancel_on_interrupt(reading, &canceller).await??;
        drop(bar);
        // If reading failed before the first row, the file's earlier content remains unchanged.
        if let Some(output_file) = output_file.filter(|_| end.is_ok() || progress.rows > 0) {
            output_file.finish().map_err(failed)?;
        }
        if !omitted.is_empty() {
            self.console.print_remark("list.left-out", &[("names", omitted.join(", "))]);
        }
        Ok(ReadOutcome { progress, end })
    }

    async fn write_table(&self, file: Option<&Path>) -> Result<ReadOutcome, Failure> {
        let (set, read) = self.read_set().await?;
        let contract = self.session.engine.sites().contract(&self.session.site)?;
        let operation = contract.operation(&self.query.operation);
        let Some(operation) = operation.filter(|_| !set.is_empty() || read.end.is_ok()) else { return Ok(read) };
        let width = if file.is_some() { None } else { self.console.terminal_width() };
        let failed = |cause: io::Error| self.write_problem(file, cause);
        let omitted = match file {
            Some(path) => {
                let mut output_file = AtomicFile::create(path).map_err(failed)?;
                let omitted = list_table::write_table(&mut output_file, operation, &set, width, &self.console.texts)
                    .map_err(failed)?;
                output_file.finish().map_err(failed)?;
                omitted
            }
            None => {
                list_table::write_table(&mut self.console.stdout_writer(), operation, &set, width, &self.console.texts)
                    .map_err(failed)?
            }
        };
        if !omitted.is_empty() {
            self.console.print_remark("list.narrow", &[("names", omitted.join(", "))]);
        }
        Ok(read)
    }

    /// Writes a workbook. For standard output, it is first written to a temporary file in Takt's folder.
    async fn write_workbook(&self, file: Option<&Path>) -> Result<ReadOutcome, Failure> {
        let (set, read) = self.read_set().await?;
        if set.is_empty() && read.end.is_err() {
            return Ok(read);
        }
        let request = ExportRequest {
            format: ExportFormat::Xlsx,
            decimal_comma: false,
            columns: Vec::new(),
            headings: Vec::new(),
            arrangement: Arrangement::default(),
            positions: Vec::new(),
        };
        let write = |path: &Path| self.session.engine.browse().export_set(&set, &request, path);
        match file {
            Some(path) => write(path)?,
            None => {
                let failed = |cause: io::Error| self.write_problem(file, cause);
                let folder = tempfile::tempdir_in(self.session.engine.home().root()).map_err(failed)?;
                let path = folder.path().join("rows");
                write(&path)?;
                self.console.write_bytes(&fs::read(&path).map_err(failed)?);
            }
        }
        Ok(read)
    }

    /// Reads all rows into a set, for formats that can't be written page by page.
    async fn read_set(&self) -> Result<(RowSet, ReadOutcome), Failure> {
        let (engine, canceller, bar) = (&self.session.engine, Canceller::new(), RowBar::new(self.console));
        let set = engine.browse().row_set(&self.session.site, &self.query.operation)?;
        let mut last = BrowseProgress::default();
        let end = if self.all {
            let reading = engine.browse().read_all(self.query, &set, &canceller, |progress| {
                last = progress;
                bar.show(&progress);
            });
            cancel_on_interrupt(reading, &canceller).await?
        } else {
            let show = |progress| bar.show(&progress);
            let first = PageRequest { page: 1, limit: PAGE_SIZE };
            let reading = engine.browse().read_page_with_progress(self.query, first, &set, &canceller, show);
            let result = cancel_on_interrupt(reading, &canceller).await?;
            let stopped = canceller.is_cancelled();
            match result {
                Ok(page) => {
                    last = BrowseProgress::from_page(&page);
                    Ok(BrowseEnd::Whole)
                }
                Err(_) if stopped => Ok(BrowseEnd::Stopped),
                Err(problem) => Err(problem),
            }
        };
        Ok((set, ReadOutcome { progress: last, end }))
    }

    fn write_problem(&self, file: Option<&Path>, cause: io::Error) -> Problem {
        let name = file.map_or_else(|| self.query.operation.clone(), |file| file.display().to_string());
        Problem::new(Code::WriteFailed).parameter("file", name).details(cause)
    }
}

/// Cancels reading on Ctrl-C. Then the result has the rows that were read until then.
async fn cancel_on_interrupt<T>(reading: impl Future<Output = T>, canceller: &Canceller) -> Result<T, Failure> {
    let mut interruption = Interruption::listen()?;
    tokio::pin!(reading);
    tokio::select! {
        read = &mut reading => return Ok(read),
        () = interruption.next() => canceller.cancel(),
    }
    Ok(reading.await)
}

/// Prints the number of rows and the reason if reading ended early. Returns the exit status.
fn print_outcome(ReadOutcome { progress, end }: ReadOutcome, all: bool, console: &Console) -> ExitStatus {
    let total = progress.total.map_or_else(|| console.texts.text("list.unknown", &[]), |total| total.to_string());
    let parameters = [("rows", progress.rows.to_string()), ("total", total)];
    let more = progress.total.is_some_and(|total| total > progress.rows);
    match end {
        Ok(BrowseEnd::Whole) if !all && more => console.print_remark("list.first", &parameters),
        Ok(BrowseEnd::Whole) if progress.total.is_some() => console.print_remark("list.of", &parameters),
        Ok(BrowseEnd::Whole) => console.print_remark("list.rows", &parameters),
        Ok(BrowseEnd::Uneven) => console.print_remark("list.uneven", &parameters),
        Ok(BrowseEnd::Stopped) => {
            console.print_remark("list.stopped", &parameters);
            return ExitStatus::Interrupted;
        }
        Err(problem) => {
            console.print_problem(&problem);
            if progress.rows > 0 {
                console.print_remark("list.broken", &parameters);
            }
            return status_of_problem(problem.code);
        }
    }
    ExitStatus::Done
}

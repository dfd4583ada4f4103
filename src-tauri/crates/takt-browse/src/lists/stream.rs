//! Writes every page of a list directly to a file or pipe, as JSON or CSV. Written rows aren't stored, so memory use
//! doesn't grow with the list.

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde_json::Value;
use takt_client::{Canceller, parse_row};
use takt_contract::RowSchema;
use takt_core::{Code, Problem};
use takt_sheet::writer::{csv_heading, csv_row};
use takt_sites::SiteConnection;

use crate::lists::list_reader::{Browse, MAX_PAGE_SIZE, start_walk};
use crate::lists::pages::{BrowseEnd, BrowseProgress, PageRequest, WalkStep};
use crate::lists::table::{self, TableColumn};
use crate::request::BrowseQuery;

/// A format that can be written row by row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamFormat {
    /// A JSON array with one row per line.
    Json,
    /// CSV with the same columns as an exported file.
    Csv,
}

/// The format to write, and the pages to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamOptions {
    pub format: StreamFormat,
    /// True to write every page. Otherwise, only the first page is written.
    pub all: bool,
}

/// The result of writing a list. The output contains all rows that were read, and is well-formed even after an error.
#[derive(Debug)]
pub struct StreamResult {
    pub progress: BrowseProgress,
    pub end: Result<BrowseEnd, Problem>,
    /// Members that first appeared after the CSV header row was written. They aren't in the file.
    pub omitted: Vec<String>,
}

impl Browse {
    /// Reads and writes every page, or only the first one if `options.all` is false.
    ///
    /// # Errors
    ///
    /// - [`Code::WriteFailed`]: the beginning or the end of the output can't be written.
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - `Unknown`, `InvalidInput` and `Precondition` if the read can't be sent, as for [`Browse::read_page`].
    /// - [`StreamResult::end`] contains later errors.
    pub async fn stream_rows(
        &self,
        site: &str,
        query: &BrowseQuery,
        options: StreamOptions,
        out: &mut (dyn Write + Send),
        canceller: &Canceller,
        mut progress: impl FnMut(BrowseProgress) + Send,
    ) -> Result<StreamResult, Problem> {
        let StreamOptions { format, all } = options;
        let connection = SiteConnection::connect(&self.sites, site).await?;
        let request = self.read_request(&connection, query).await?;
        let write_failed =
            |cause: io::Error| Problem::new(Code::WriteFailed).parameter("file", &query.operation).details(cause);
        let mut writer =
            Writer { format, out, shape: &request.shape, columns: None, known: BTreeSet::new(), written: 0 };
        let (mut last, mut omitted) = (BrowseProgress::default(), Vec::new());
        writer.begin().map_err(write_failed)?;
        let end = if request.paged && all {
            let mut walk = start_walk(&connection.client, &request);
            loop {
                match walk.next(site, canceller, &mut progress).await {
                    Ok(WalkStep::Rows(rows, page_progress)) => {
                        last = page_progress;
                        progress(page_progress);
                        if let Err(cause) = writer.write_rows(rows.texts(), &mut omitted) {
                            break Err(write_failed(cause));
                        }
                    }
                    Ok(WalkStep::End(end)) => break Ok(end),
                    Err(problem) => break Err(problem),
                }
            }
        } else {
            self.stream_first_page(site, query, canceller, &mut last, &mut progress, &mut |texts| {
                writer.write_rows(texts.iter().map(String::as_str), &mut omitted).map_err(write_failed)
            })
            .await
        };
        writer.end().map_err(write_failed)?;
        Ok(StreamResult { progress: last, end, omitted })
    }

    async fn stream_first_page(
        &self,
        site: &str,
        query: &BrowseQuery,
        canceller: &Canceller,
        last: &mut BrowseProgress,
        progress: &mut (dyn FnMut(BrowseProgress) + Send),
        write_rows: &mut (dyn FnMut(Vec<String>) -> Result<(), Problem> + Send),
    ) -> Result<BrowseEnd, Problem> {
        let set = self.row_set(site, &query.operation)?;
        let full_page = PageRequest { page: 1, limit: MAX_PAGE_SIZE };
        let result = match self.read_page_with_progress(query, full_page, &set, canceller, progress).await {
            Err(_) if canceller.is_cancelled() => return Ok(BrowseEnd::Stopped),
            result => result?,
        };
        *last = BrowseProgress::from_page(&result);
        let mut texts = Vec::with_capacity(set.len());
        set.for_each_row(|_, text| texts.push(text.to_owned()));
        write_rows(texts)?;
        Ok(BrowseEnd::Whole)
    }
}

struct Writer<'a> {
    format: StreamFormat,
    out: &'a mut (dyn Write + Send),
    shape: &'a RowSchema,
    /// The CSV columns, known after the first rows, because those may have members that the contract doesn't list.
    columns: Option<Vec<TableColumn>>,
    /// Members that have a column or were reported as omitted.
    known: BTreeSet<String>,
    written: usize,
}

impl Writer<'_> {
    fn begin(&mut self) -> io::Result<()> {
        if self.format == StreamFormat::Json { self.out.write_all(b"[") } else { Ok(()) }
    }

    fn write_rows<'a>(&mut self, rows: impl Iterator<Item = &'a str>, omitted: &mut Vec<String>) -> io::Result<()> {
        match self.format {
            StreamFormat::Json => {
                for row in rows {
                    self.out.write_all(if self.written == 0 { b"\n" } else { b",\n" })?;
                    self.out.write_all(row.as_bytes())?;
                    self.written += 1;
                }
            }
            StreamFormat::Csv => self.write_csv_rows(&rows.map(parse_row).collect::<Vec<_>>(), omitted)?,
        }
        self.out.flush()
    }

    fn write_csv_rows(&mut self, rows: &[Value], omitted: &mut Vec<String>) -> io::Result<()> {
        let unknown = table::unknown_members(rows, self.shape);
        if self.columns.is_none() {
            self.write_csv_header(&unknown)?;
        }
        for name in unknown {
            if self.known.insert(name.clone()) {
                omitted.push(name);
            }
        }
        let columns = self.columns.as_deref().unwrap_or_default();
        for row in rows {
            let cells: Vec<_> = columns.iter().map(|column| column.value(row)).collect();
            self.out.write_all(csv_row(&cells).as_bytes())?;
            self.written += 1;
        }
        Ok(())
    }

    fn write_csv_header(&mut self, unknown: &[String]) -> io::Result<()> {
        let columns = table::columns(self.shape, unknown);
        let heading = csv_heading(columns.iter().map(|column| column.heading.as_str()));
        self.known = unknown.iter().cloned().collect();
        self.columns = Some(columns);
        self.out.write_all(heading.as_bytes())
    }

    fn end(&mut self) -> io::Result<()> {
        match self.format {
            StreamFormat::Json => self.out.write_all(if self.written == 0 { b"]\n" } else { b"\n]\n" })?,
            StreamFormat::Csv if self.columns.is_none() => self.write_csv_header(&[])?,
            StreamFormat::Csv => {}
        }
        self.out.flush()
    }
}

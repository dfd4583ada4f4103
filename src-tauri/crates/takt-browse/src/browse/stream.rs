//! Every page of a list straight into a file or a pipe, as JSON or csv: what was written is forgotten, so that memory stays
//! flat however long the list is.

use std::{
    collections::BTreeSet,
    io::{self, Write},
};

use serde_json::Value;
use takt_client::{Canceller, value_of};
use takt_contract::Shape;
use takt_sheet::writer::{csv_heading, csv_row};

use super::{
    BrowseEnd, BrowseProgress, BrowseQuery,
    read::Step,
    table::{self, TableColumn},
    unknown,
};
use takt_core::{Code, Problem};

use crate::Browse;

/// What can be written row by row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamForm {
    /// A list, one row per line.
    Json,
    /// Columns as in an exported csv.
    Csv,
}

/// How writing a list out ended. What has come so far is written, and the form is complete, whichever way it ended.
#[derive(Debug)]
pub struct StreamResult {
    pub progress: BrowseProgress,
    pub end: Result<BrowseEnd, Problem>,
    /// Members that the contract doesn't know and that came only after the csv's heading was written: they aren't in it.
    pub omitted: Vec<String>,
}

impl Browse {
    /// Writes out every page, or only the first one.
    ///
    /// # Errors
    ///
    /// - [`Code::WriteFailed`]: `out` takes neither the beginning nor the end of the form.
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - `Unknown`, `InvalidInput` and `Precondition` for a read that can't be sent, as [`Browse::read_page`].
    /// - What fails after that stands in [`StreamResult::end`].
    pub async fn stream_rows(
        &self,
        (site, query): (&str, &BrowseQuery),
        (form, all): (StreamForm, bool),
        out: &mut (dyn Write + Send),
        canceller: &Canceller,
        mut progress: impl FnMut(BrowseProgress) + Send,
    ) -> Result<StreamResult, Problem> {
        let request = self.read_request(site, query).await?;
        let failed =
            |cause: io::Error| Problem::new(Code::WriteFailed).parameter("file", &query.operation).details(cause);
        let mut writer = Writer { form, out, shape: &request.shape, columns: None, known: BTreeSet::new(), written: 0 };
        let (mut last, mut omitted) = (BrowseProgress::default(), Vec::new());
        writer.open().map_err(failed)?;
        let end = if request.paged && all {
            let mut walk = self.walk(site, &request)?;
            loop {
                match walk.next(site, canceller, &mut progress).await {
                    Ok(Step::Rows(rows, walked)) => {
                        last = walked;
                        progress(walked);
                        if let Err(cause) = writer.rows(rows.texts(), &mut omitted) {
                            break Err(failed(cause));
                        }
                    }
                    Ok(Step::End(end)) => break Ok(end),
                    Err(problem) => break Err(problem),
                }
            }
        } else {
            self.first_page((site, query), canceller, &mut last, &mut progress, &mut |texts| {
                writer.rows(texts.iter().map(String::as_str), &mut omitted).map_err(failed)
            })
            .await
        };
        writer.close().map_err(failed)?;
        Ok(StreamResult { progress: last, end, omitted })
    }

    async fn first_page(
        &self,
        (site, query): (&str, &BrowseQuery),
        canceller: &Canceller,
        last: &mut BrowseProgress,
        progress: &mut (dyn FnMut(BrowseProgress) + Send),
        take: &mut (dyn FnMut(Vec<String>) -> Result<(), Problem> + Send),
    ) -> Result<BrowseEnd, Problem> {
        let set = self.row_set(site, &query.operation)?;
        let whole = (1, super::read::MAX_PAGE_SIZE);
        let said = match self.read_page_telling(query, whole, &set, canceller, progress).await {
            Err(_) if canceller.is_cancelled() => return Ok(BrowseEnd::Stopped),
            said => said?,
        };
        *last = BrowseProgress::of_page(&said);
        let mut texts = Vec::with_capacity(set.len());
        set.each(|_, text| texts.push(text.to_owned()));
        take(texts)?;
        Ok(BrowseEnd::Whole)
    }
}

struct Writer<'a> {
    form: StreamForm,
    out: &'a mut (dyn Write + Send),
    shape: &'a Shape,
    /// Of the csv; made when the first rows are there, because only they tell what the contract doesn't know.
    columns: Option<Vec<TableColumn>>,
    /// Members that have a column, or that were said to have none.
    known: BTreeSet<String>,
    written: usize,
}

impl Writer<'_> {
    fn open(&mut self) -> io::Result<()> {
        if self.form == StreamForm::Json { self.out.write_all(b"[") } else { Ok(()) }
    }

    fn rows<'a>(&mut self, rows: impl Iterator<Item = &'a str>, omitted: &mut Vec<String>) -> io::Result<()> {
        match self.form {
            StreamForm::Json => {
                for row in rows {
                    self.out.write_all(if self.written == 0 { b"\n" } else { b",\n" })?;
                    self.out.write_all(row.as_bytes())?;
                    self.written += 1;
                }
            }
            StreamForm::Csv => self.lines(&rows.map(value_of).collect::<Vec<_>>(), omitted)?,
        }
        self.out.flush()
    }

    fn lines(&mut self, rows: &[Value], omitted: &mut Vec<String>) -> io::Result<()> {
        let unknown = unknown(rows, self.shape);
        if self.columns.is_none() {
            self.heading(&unknown)?;
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

    fn heading(&mut self, unknown: &[String]) -> io::Result<()> {
        let columns = table::columns(self.shape, unknown);
        let heading = csv_heading(columns.iter().map(|column| column.heading.as_str()));
        self.known = unknown.iter().cloned().collect();
        self.columns = Some(columns);
        self.out.write_all(heading.as_bytes())
    }

    fn close(&mut self) -> io::Result<()> {
        match self.form {
            StreamForm::Json => self.out.write_all(if self.written == 0 { b"]\n" } else { b"\n]\n" })?,
            StreamForm::Csv if self.columns.is_none() => self.heading(&[])?,
            StreamForm::Csv => {}
        }
        self.out.flush()
    }
}

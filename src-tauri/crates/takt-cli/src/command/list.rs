//! `takt list`: what the service holds, as a table or as a file.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::Value;
use takt_engine::{BrowsePage, BrowseQuery, Canceller, Code, Engine, ExportFormat, Problem};

use crate::{
    arguments::{Format, ListArguments},
    console::Console,
    ending::{Ending, Failure},
    session::{Interruption, Session},
};

const PAGE: u32 = 100;

pub(super) async fn run(arguments: ListArguments, site: Option<&str>, console: &Console) -> Result<Ending, Failure> {
    if arguments.format == Format::Xlsx && arguments.out.is_none() {
        return Err(Failure::Usage("list.needs-file", Vec::new()));
    }
    let session = Session::open(site, console).await?;
    let parameters: BTreeMap<String, String> = arguments.parameters.into_iter().collect();
    let query = BrowseQuery { operation: arguments.operation, parameters };
    let (page, interrupted) = if arguments.all {
        read_all(&session, &query).await?
    } else {
        (session.engine.browse_page(&session.site, &query, 1, PAGE).await?, false)
    };
    let format = match arguments.format {
        Format::Table => None,
        Format::Json => Some(ExportFormat::Json),
        Format::Csv => Some(ExportFormat::Csv),
        Format::Xlsx => Some(ExportFormat::Xlsx),
    };
    match (format, &arguments.out) {
        (None, None) => show_table(&session.engine, &query.operation, &page.rows, console),
        // A table in a file is csv.
        (None, Some(file)) => write(&session, &query, &page.rows, ExportFormat::Csv, file)?,
        (Some(format), Some(file)) => write(&session, &query, &page.rows, format, file)?,
        (Some(format), None) => print(&session, &query, &page.rows, format, console)?,
    }
    close(&page, arguments.all, console);
    Ok(if interrupted { Ending::Interrupted } else { Ending::Done })
}

/// Every page; after Ctrl-C what has come so far.
async fn read_all(session: &Session, query: &BrowseQuery) -> Result<(BrowsePage, bool), Failure> {
    let canceller = Canceller::new();
    let mut interruption = Interruption::listen()?;
    let mut total = None;
    let set = session.engine.row_set(&session.site, &query.operation)?;
    {
        let reading = session.engine.browse_all(query, &set, &canceller, |progress| total = progress.total);
        tokio::pin!(reading);
        tokio::select! {
            read = &mut reading => read?,
            () = interruption.next() => {
                canceller.cancel();
                reading.await?;
            }
        }
    };
    let interrupted = canceller.is_cancelled();
    let (rows, unknown) = (set.rows(0..usize::MAX), set.unknown());
    Ok((BrowsePage { rows, page: 1, pages: None, total, unknown }, interrupted))
}

fn show_table(engine: &Engine, operation: &str, rows: &[Value], console: &Console) {
    let fields = engine.contract().operation(operation).and_then(|operation| operation.answer.as_ref());
    let names: Vec<&str> =
        fields.map(|shape| shape.fields.iter().map(|field| field.name.as_str()).collect()).unwrap_or_default();
    let mut table = vec![names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()];
    table.extend(rows.iter().map(|row| names.iter().map(|name| cell(&row[*name])).collect::<Vec<_>>()));
    console.table(&table);
}

/// Lists and parts are counted, not shown.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(parts) => format!("[{}]", parts.len()),
        // A time span says itself how long it is.
        Value::Object(members) => members
            .get("totalSeconds")
            .map_or_else(|| format!("{{{}}}", members.len()), |seconds| format!("{seconds} s")),
    }
}

fn write(
    session: &Session,
    query: &BrowseQuery,
    rows: &[Value],
    format: ExportFormat,
    file: &Path,
) -> Result<(), Failure> {
    Ok(session.engine.export_rows(&session.site, &query.operation, rows, format, file)?)
}

/// The same bytes as in a file. It lies in Takt's own folder for as long as it takes.
fn print(
    session: &Session,
    query: &BrowseQuery,
    rows: &[Value],
    format: ExportFormat,
    console: &Console,
) -> Result<(), Failure> {
    let failed = |cause: std::io::Error| {
        Problem::new(Code::WriteFailed).parameter("file", query.operation.clone()).details(cause)
    };
    let folder = tempfile::tempdir_in(session.engine.home().root()).map_err(failed)?;
    let file = folder.path().join("rows");
    session.engine.export_rows(&session.site, &query.operation, rows, format, &file)?;
    console.bytes(&fs::read(&file).map_err(failed)?);
    Ok(())
}

fn close(page: &BrowsePage, all: bool, console: &Console) {
    let shown = page.rows.len().to_string();
    match page.total {
        Some(total) if !all && total as usize > page.rows.len() => {
            console.remark("list.first", &[("rows", shown), ("total", total.to_string())]);
        }
        _ => console.remark("list.rows", &[("rows", shown)]),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_fit_into_cells() {
        let cells = [json!(null), json!("0010"), json!(1.5), json!([1, 2]), json!({"totalSeconds": 90.0})]
            .map(|value| cell(&value));
        assert_eq!(cells, ["", "0010", "1.5", "[2]", "90.0 s"]);
    }
}

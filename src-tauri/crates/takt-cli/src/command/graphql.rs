//! `takt graphql`: sends a query to the site and prints the response as JSON or a table. It can also print the schema.

use std::{
    fs,
    io::{self, IsTerminal, Read},
    path::Path,
};

use serde_json::Value;
use takt_engine::{
    Canceller, Code, ExportFormat, Problem,
    contract::text_without_byte_order_mark,
    graphql::{GraphqlRequest, GraphqlResult, GraphqlTable},
    system::write_file,
};

use crate::{
    arguments::{Format, GraphqlArguments},
    console::{Console, sanitize},
    exit_codes::{ExitStatus, Failure},
    session::{Interruption, Session},
};

/// The name of standard input in error messages.
const STDIN: &str = "-";

pub(super) async fn run(
    arguments: GraphqlArguments,
    site: Option<&str>,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    if arguments.format == Format::Xlsx && arguments.out.is_none() {
        return Err(Failure::Usage("list.needs-file", Vec::new()));
    }
    // Errors in files are reported before the connection is opened.
    let request = if arguments.schema { None } else { Some(build_request(&arguments)?) };
    let session = Session::open(site, console).await?;
    let canceller = Canceller::new();
    let mut interruption = Interruption::listen()?;
    let asking = run_query(&session, request.as_ref(), &arguments, &canceller, console);
    tokio::pin!(asking);
    tokio::select! {
        status = &mut asking => status,
        () = interruption.next() => {
            canceller.cancel();
            let _ = asking.await;
            Ok(ExitStatus::Interrupted)
        }
    }
}

async fn run_query(
    session: &Session,
    request: Option<&GraphqlRequest>,
    arguments: &GraphqlArguments,
    canceller: &Canceller,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let Some(request) = request else { return print_schema(session, arguments, canceller, console).await };
    let result = session.engine.graphql().run(&session.site, request, canceller).await?;
    let errors = result.errors();
    // Errors in the response are printed first, since they explain a missing table.
    let shown = print_result(session, &result, arguments, console);
    for error in &errors {
        let position = error.line.map(|line| format!(" ({line}:{})", error.column.unwrap_or(1))).unwrap_or_default();
        console.print_note(&sanitize(&format!("{}{position}", error.message)));
    }
    if errors.is_empty() { shown.map(|()| ExitStatus::Done) } else { Ok(ExitStatus::Rejected) }
}

/// Prints the schema in introspection's format, which generators and editors can read.
async fn print_schema(
    session: &Session,
    arguments: &GraphqlArguments,
    canceller: &Canceller,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let schema = session.engine.graphql().schema(&session.site, true, canceller).await?;
    let Some(introspection) = schema.introspection else {
        console.print_remark("graphql.no-schema", &[("site", sanitize(&session.site))]);
        schema.reasons.iter().for_each(|reason| console.print_note(&sanitize(reason)));
        return Ok(ExitStatus::Rejected);
    };
    let text = serde_json::to_string_pretty(&serde_json::json!({ "data": introspection }));
    let text = text.map_err(|error| Problem::new(Code::Bug).details(error))?;
    write_text(&text, arguments.out.as_deref(), console)?;
    Ok(ExitStatus::Done)
}

fn print_result(
    session: &Session,
    result: &GraphqlResult,
    arguments: &GraphqlArguments,
    console: &Console,
) -> Result<(), Failure> {
    let table = || result.table(arguments.list.as_deref());
    match (arguments.format, arguments.out.as_deref()) {
        // With `--list`, only that list is printed. Otherwise the response is printed unchanged.
        (Format::Json, out) if arguments.list.is_none() => write_text(result.text(), out, console),
        (Format::Table, None) => {
            print_table(&table()?, console);
            Ok(())
        }
        // The format for a table in a file is CSV.
        (Format::Table | Format::Csv, Some(file)) => Ok(table()?.write(ExportFormat::Csv, file)?),
        (Format::Xlsx, Some(file)) => Ok(table()?.write(ExportFormat::Xlsx, file)?),
        (Format::Json, Some(file)) => Ok(table()?.write(ExportFormat::Json, file)?),
        (Format::Json, None) => print_list(session, &table()?, ExportFormat::Json, console),
        (Format::Csv | Format::Xlsx, None) => print_list(session, &table()?, ExportFormat::Csv, console),
    }
}

fn print_table(table: &GraphqlTable, console: &Console) {
    let mut lines = Vec::new();
    let mut total = 1;
    while lines.len() < total + 1 {
        let rows = table.rows(lines.len().saturating_sub(1), usize::MAX);
        total = rows.total as usize;
        if lines.is_empty() {
            lines.push(rows.columns.into_iter().map(|column| column.heading).collect());
        }
        if rows.rows.is_empty() {
            break;
        }
        lines.extend(rows.rows.iter().map(|row| row.iter().map(format_cell).collect::<Vec<_>>()));
    }
    console.print_table(&lines);
    console.print_remark("list.rows", &[("rows", total.to_string())]);
}

fn format_cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Prints the same bytes that a file would contain. They are first written to a temporary file in Takt's folder.
fn print_list(session: &Session, table: &GraphqlTable, format: ExportFormat, console: &Console) -> Result<(), Failure> {
    let failed = |cause: io::Error| Problem::new(Code::WriteFailed).parameter("file", "graphql").details(cause);
    let folder = tempfile::tempdir_in(session.engine.home().root()).map_err(failed)?;
    let file = folder.path().join("rows");
    table.write(format, &file)?;
    console.write_bytes(&fs::read(&file).map_err(failed)?);
    Ok(())
}

fn write_text(text: &str, out: Option<&Path>, console: &Console) -> Result<(), Failure> {
    let Some(file) = out else {
        console.print_line(text);
        return Ok(());
    };
    Ok(write_file(file, format!("{text}\n").as_bytes())?)
}

fn build_request(arguments: &GraphqlArguments) -> Result<GraphqlRequest, Failure> {
    let variables = match &arguments.variables {
        None => None,
        Some(file) => Some(read_variables(file)?),
    };
    Ok(GraphqlRequest {
        query: read_query(arguments.file.as_deref())?,
        variables,
        operation_name: arguments.name.clone(),
    })
}

fn read_query(file: Option<&Path>) -> Result<String, Failure> {
    match file.filter(|file| file.as_os_str() != STDIN) {
        Some(file) => read_text_file(file),
        // Without a prompt, waiting for input would look like a hang.
        None if file.is_none() && io::stdin().is_terminal() => Err(Failure::Usage("graphql.no-query", Vec::new())),
        None => {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text).map_err(|cause| file_problem(Path::new(STDIN), cause))?;
            Ok(text_without_byte_order_mark(&text).to_owned())
        }
    }
}

fn read_variables(file: &Path) -> Result<Value, Failure> {
    Ok(serde_json::from_str(&read_text_file(file)?).map_err(|cause| file_problem(file, cause))?)
}

fn read_text_file(file: &Path) -> Result<String, Failure> {
    let text = fs::read_to_string(file).map_err(|cause| file_problem(file, cause))?;
    Ok(text_without_byte_order_mark(&text).to_owned())
}

fn file_problem(file: &Path, cause: impl std::fmt::Display) -> Problem {
    Problem::new(Code::FileUnreadable).parameter("file", file.display().to_string()).details(cause)
}

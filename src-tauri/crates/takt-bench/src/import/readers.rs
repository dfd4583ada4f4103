//! Readers to compare with: calamine and the csv crate in separate processes, and SheetJS, openpyxl and polars if they
//! are available. Each one visits every cell.

use std::{
    fmt::Display,
    fs::{self, File},
    io::BufReader,
    path::{Path, PathBuf},
    process::Command,
};

use calamine::{DataRef, DataType, Ods, Reader, Xls, Xlsb, Xlsx, open_workbook};

use crate::{
    console::print,
    error::{BenchError, unexpected_result},
    process::{exists, folder, hidden_program, npm, program, run_captured, write},
};

pub(crate) const READ_XLSX: &str = "read-xlsx";
pub(crate) const READ_CSV: &str = "read-csv";
pub(crate) const READ_ODS: &str = "read-ods";
pub(crate) const READ_XLSB: &str = "read-xlsb";
pub(crate) const READ_XLS: &str = "read-xls";

const SHEETJS_VERSION: &str = "0.20.3";
const OPENPYXL_VERSION: &str = "3.1.5";
const POLARS_VERSION: &str = "2.1.0";
const POLARS_SCRIPT: &str = "
import sys, polars
print(polars.read_csv(sys.argv[1], infer_schema_length=10000, ignore_errors=True).height)
";
const SHEETJS_SCRIPT: &str = "
const sheets = require('@e965/xlsx').readFile(process.argv[2], { dense: true }).Sheets;
let cells = 0;
for (const sheet of Object.values(sheets)) for (const row of sheet['!data']) for (const cell of row ?? []) if (cell) cells += 1;
console.log(cells);
";
const OPENPYXL_SCRIPT: &str = "
import sys, openpyxl
sheets = openpyxl.load_workbook(sys.argv[1], read_only=True).worksheets
print(sum(value is not None for sheet in sheets for row in sheet.iter_rows(values_only=True) for value in row))
";

/// Counts the cells with content in the first sheet of an xlsx.
pub(crate) fn count_xlsx_cells(path: &Path) -> Result<u64, BenchError> {
    let failed = |error: calamine::XlsxError| unexpected_result("calamine", &error.to_string());
    let mut workbook: Xlsx<BufReader<File>> = open_workbook(path).map_err(failed)?;
    let name = workbook.sheet_names().first().cloned().unwrap_or_default();
    let mut reader = workbook.worksheet_cells_reader(&name).map_err(failed)?;
    count_streamed_cells(|| Ok(reader.next_cell().map_err(failed)?.map(|cell| has_content(cell.get_value()))))
}

/// Like [`count_xlsx_cells`], but for xlsb.
pub(crate) fn count_xlsb_cells(path: &Path) -> Result<u64, BenchError> {
    let failed = |error: calamine::XlsbError| unexpected_result("calamine", &error.to_string());
    let mut workbook: Xlsb<BufReader<File>> = open_workbook(path).map_err(failed)?;
    let name = workbook.sheet_names().first().cloned().unwrap_or_default();
    let mut reader = workbook.worksheet_cells_reader(&name).map_err(failed)?;
    count_streamed_cells(|| Ok(reader.next_cell().map_err(failed)?.map(|cell| has_content(cell.get_value()))))
}

/// Like [`count_xlsx_cells`], but for xls, which calamine loads completely.
pub(crate) fn count_xls_cells(path: &Path) -> Result<u64, BenchError> {
    count_loaded_cells::<Xls<BufReader<File>>>(path)
}

/// Like [`count_xlsx_cells`], but for ods, which calamine loads completely.
pub(crate) fn count_ods_cells(path: &Path) -> Result<u64, BenchError> {
    count_loaded_cells::<Ods<BufReader<File>>>(path)
}

fn has_content(value: &DataRef<'_>) -> bool {
    !matches!(std::hint::black_box(value), DataRef::Empty)
}

/// Counts the cells with content that `next` returns.
fn count_streamed_cells(mut next: impl FnMut() -> Result<Option<bool>, BenchError>) -> Result<u64, BenchError> {
    let mut cells = 0;
    while let Some(has_content) = next()? {
        cells += u64::from(has_content);
    }
    Ok(cells)
}

fn count_loaded_cells<R: Reader<BufReader<File>>>(path: &Path) -> Result<u64, BenchError>
where
    R::Error: Display,
{
    let failed = |error: R::Error| unexpected_result("calamine", &error.to_string());
    let mut workbook: R = open_workbook(path).map_err(failed)?;
    let name = workbook.sheet_names().first().cloned().unwrap_or_default();
    let range = workbook.worksheet_range(&name).map_err(failed)?;
    let cells = range.used_cells().map(|(_, _, cell)| u64::from(!std::hint::black_box(cell).is_empty()));
    Ok(cells.sum())
}

/// Counts the fields with content.
pub(crate) fn count_csv_fields(path: &Path) -> Result<u64, BenchError> {
    let failed = |error: csv::Error| unexpected_result("csv", &error.to_string());
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_path(path).map_err(failed)?;
    let mut record = csv::StringRecord::new();
    let mut cells = 0;
    while reader.read_record(&mut record).map_err(failed)? {
        cells += record.iter().map(|field| u64::from(!std::hint::black_box(field).is_empty())).sum::<u64>();
    }
    Ok(cells)
}

/// Returns a command that runs a hidden program on a file.
pub(crate) fn hidden_program_on(name: &str, file: &Path) -> Result<Command, BenchError> {
    let mut command = hidden_program(name)?;
    command.arg(file);
    Ok(command)
}

/// A reader in another language with its script.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) name: String,
    interpreter: &'static str,
    script: PathBuf,
    modules: PathBuf,
}

impl Peer {
    pub(crate) fn command(&self, file: &Path) -> Command {
        let mut command = program(self.interpreter);
        command.env("PYTHONPATH", &self.modules).env("POLARS_MAX_THREADS", "2").arg(&self.script).arg(file);
        command
    }
}

/// Returns the available peers, and prints why the others are missing.
pub(crate) fn prepare_peers() -> Vec<Peer> {
    let peers = [ok_or_print("SheetJS", prepare_sheetjs()), ok_or_print("openpyxl", prepare_openpyxl())];
    peers.into_iter().flatten().collect()
}

/// Returns the peer, or prints why it isn't available.
pub(crate) fn ok_or_print(name: &str, peer: Result<Peer, BenchError>) -> Option<Peer> {
    peer.inspect_err(|error| print(&format!("! {name} is not measured: {error}"))).ok()
}

fn prepare_sheetjs() -> Result<Peer, BenchError> {
    let modules = create_peer_folder("sheetjs")?;
    if !exists("node") {
        return Err(unexpected_result("SheetJS", "there is no node"));
    }
    if !modules.join("node_modules/@e965/xlsx").is_dir() {
        write(&modules.join("package.json"), "{ \"private\": true }\n".as_bytes())?;
        let mut command = npm(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
        command.arg(format!("@e965/xlsx@{SHEETJS_VERSION}")).current_dir(&modules);
        run_captured(command)?;
    }
    let script = modules.join("read.js");
    write(&script, SHEETJS_SCRIPT.as_bytes())?;
    Ok(Peer { name: format!("SheetJS {SHEETJS_VERSION}, merely reading"), interpreter: "node", script, modules })
}

fn prepare_openpyxl() -> Result<Peer, BenchError> {
    let name = format!("openpyxl {OPENPYXL_VERSION} read_only, merely reading");
    prepare_python_peer(name, "openpyxl", OPENPYXL_VERSION, OPENPYXL_SCRIPT)
}

/// Returns polars with two threads.
pub(crate) fn prepare_polars() -> Result<Peer, BenchError> {
    let name = format!("polars {POLARS_VERSION} `read_csv`, 2 threads, merely reading");
    prepare_python_peer(name, "polars", POLARS_VERSION, POLARS_SCRIPT)
}

/// Installs exactly this version of a Python package and writes the script that reads with it.
fn prepare_python_peer(name: String, package: &str, version: &str, text: &str) -> Result<Peer, BenchError> {
    let modules = create_peer_folder(package)?;
    let interpreter = if cfg!(windows) { "python" } else { "python3" };
    if !exists(interpreter) {
        return Err(unexpected_result(package, "there is no python"));
    }
    if !modules.join(package).is_dir() {
        let mut command = program(interpreter);
        command.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target"]);
        command.arg(&modules).arg(format!("{package}=={version}"));
        run_captured(command)?;
    }
    let script = modules.join("read.py");
    write(&script, text.as_bytes())?;
    Ok(Peer { name, interpreter, script, modules })
}

fn create_peer_folder(name: &str) -> Result<PathBuf, BenchError> {
    let folder = folder().join("import").join(name);
    fs::create_dir_all(&folder).map_err(BenchError::file(&folder))?;
    Ok(folder)
}

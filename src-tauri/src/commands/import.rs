//! An opened workbook: its site, operation, columns, rows, findings and draft.

use takt_engine::{
    Canceller, ExportFormat, Problem,
    import::{
        CellHelp, CellPlace, CellSearch, Drafts, FieldValues, FindingKind, FindingValues, Fix, FoundCells, GridPage,
        HeadRow, ImportId, ImportPosition, ImportView, MappingChange, MappingFile, ProblemCell, RowChoice, RowFilter,
        SavedCopy, SheetRows, StepPart, TextReading,
    },
    item::ExcelRow,
};
use tauri::{AppHandle, Runtime};
use tokio::runtime::Handle;

use crate::{commands::site, dialogs, preferences::Language, state::AppStateAccess};

/// The maximum number of rows per response, regardless of the requested limit.
const MAX_ROWS: u32 = 1_000;

#[tauri::command]
#[specta::specta]
pub(crate) async fn import_view<R: Runtime>(app: AppHandle<R>, id: ImportId) -> Result<ImportView, Problem> {
    app.with_engine(move |engine| engine.imports().view(id)).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn import_sheet<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    sheet: String,
) -> Result<ImportView, Problem> {
    app.with_engine(move |engine| engine.imports().choose_sheet(id, &sheet)).await
}

/// Reads every visible sheet, and creates the plan with their steps.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_plan<R: Runtime>(app: AppHandle<R>, id: ImportId) -> Result<ImportView, Problem> {
    app.with_engine(move |engine| engine.imports().plan(id)).await
}

/// Excludes a sheet from the plan, or includes it again.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_leave_sheet<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    sheet: String,
    out: bool,
) -> Result<ImportView, Problem> {
    app.with_engine(move |engine| engine.imports().leave_sheet_out(id, &sheet, out)).await
}

/// Moves these steps to the front, in this order.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_order<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    sheets: Vec<String>,
) -> Result<ImportView, Problem> {
    app.with_engine(move |engine| engine.imports().order_steps(id, &sheets)).await
}

/// Sets that the chosen sheet's rows are parts of another sheet's items.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_part<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    part: StepPart,
) -> Result<ImportView, Problem> {
    app.with_engine(move |engine| engine.imports().choose_part(id, &part)).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn import_header<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    row: u32,
) -> Result<ImportView, Problem> {
    app.with_engine(move |engine| engine.imports().choose_header_row(id, row)).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn import_header_rows<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    rows: u32,
) -> Result<ImportView, Problem> {
    app.with_engine(move |engine| engine.imports().choose_header_rows(id, rows)).await
}

/// Sets the encoding, separator and other options for reading a text file.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_text<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    reading: TextReading,
) -> Result<ImportView, Problem> {
    app.with_engine(move |engine| engine.imports().choose_text(id, &reading)).await
}

/// Returns the first rows of a text file, read with options that aren't applied.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_preview_text<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    reading: TextReading,
) -> Result<Vec<HeadRow>, Problem> {
    app.with_engine(move |engine| engine.imports().preview_text(id, &reading)).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn import_skip_rows<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    choice: RowChoice,
) -> Result<ImportView, Problem> {
    app.with_engine(move |engine| engine.imports().choose_rows(id, choice)).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn import_operation<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    operation: String,
) -> Result<ImportView, Problem> {
    app.with_engine(move |engine| engine.imports().choose_operation(id, &operation)).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn import_match<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    column: u32,
    field: Option<String>,
) -> Result<ImportView, Problem> {
    app.with_engine(move |engine| engine.imports().match_column(id, column, field.as_deref())).await
}

/// Changes settings of the mapping other than the matched fields.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_change<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    change: MappingChange,
) -> Result<ImportView, Problem> {
    app.with_engine(move |engine| engine.imports().change_mapping(id, change)).await
}

/// Returns the distinct values of a field, for replacing them.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_values<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    field: String,
) -> Result<FieldValues, Problem> {
    app.with_engine(move |engine| engine.imports().distinct_values(id, &field)).await
}

/// Asks where to save the mapping. Returns the file's name, or `None` if the dialog was canceled.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_save_mapping<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    title: String,
    name: String,
) -> Result<Option<String>, Problem> {
    let Some(path) = dialogs::save_mapping(&app, &title, &name).await else { return Ok(None) };
    app.with_engine(move |engine| {
        engine.imports().mapping(id)?.write(&path)?;
        Ok(path.file_name().map(|name| name.to_string_lossy().into_owned()))
    })
    .await
}

/// Asks for a saved mapping, and applies it.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_use_mapping<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    title: String,
) -> Result<Option<ImportView>, Problem> {
    let Some(path) = dialogs::pick_mapping(&app, &title).await else { return Ok(None) };
    app.with_engine(move |engine| {
        let mut view = None;
        for mapping in MappingFile::read_all(&path)? {
            view = Some(engine.imports().apply_mapping(id, &mapping)?);
        }
        Ok(view)
    })
    .await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn import_rows<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    filter: RowFilter,
    offset: u32,
    limit: u32,
) -> Result<GridPage, Problem> {
    app.with_engine(move |engine| engine.imports().rows(id, &filter, offset, limit.min(MAX_ROWS))).await
}

/// Asks where to save, and writes a copy of the user's workbook with the findings of each row. Returns `None` if the
/// dialog was canceled.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_save_findings<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    language: Language,
    title: String,
    name: String,
) -> Result<Option<SavedCopy>, Problem> {
    let extension = app.with_engine(move |engine| Ok(engine.imports().original(id)?.extension())).await?;
    let Some(path) = dialogs::save_with_extension(&app, &title, &name, extension).await else { return Ok(None) };
    app.with_engine(move |engine| engine.imports().save_findings(id, language.engine_language(), &path).map(Some)).await
}

/// Asks where to save, and writes a blank workbook to fill in. Returns the path, or `None` if the dialog was canceled.
#[tauri::command]
#[specta::specta]
pub(crate) async fn blank_save<R: Runtime>(
    app: AppHandle<R>,
    operation: String,
    language: Language,
    title: String,
) -> Result<Option<String>, Problem> {
    let Some(path) = dialogs::save_as(&app, &title, &operation, ExportFormat::Xlsx).await else { return Ok(None) };
    let shown = path.display().to_string();
    app.with_engine(move |engine| engine.import_sources().write_blank(&operation, language.engine_language(), &path))
        .await?;
    Ok(Some(shown))
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn import_fix<R: Runtime>(app: AppHandle<R>, id: ImportId, fix: Fix) -> Result<ImportView, Problem> {
    app.with_engine(move |engine| engine.imports().fix(id, &fix)).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn import_undo<R: Runtime>(app: AppHandle<R>, id: ImportId) -> Result<ImportView, Problem> {
    app.with_engine(move |engine| engine.imports().undo(id)).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn import_redo<R: Runtime>(app: AppHandle<R>, id: ImportId) -> Result<ImportView, Problem> {
    app.with_engine(move |engine| engine.imports().redo(id)).await
}

/// Finds the cells that show a text.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_find_cells<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    filter: RowFilter,
    text: String,
) -> Result<FoundCells, Problem> {
    app.with_engine(move |engine| CellSearch::new(engine.imports()).find_cells(id, &filter, &text)).await
}

/// Reads rows of a sheet, for showing values in the workbook's own columns. `rows` are Excel's numbers.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_sheet_rows<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    sheet: String,
    mut rows: Vec<ExcelRow>,
) -> Result<SheetRows, Problem> {
    rows.truncate(MAX_ROWS as usize);
    app.with_engine(move |engine| SheetRows::read(engine.imports(), id, &sheet, &rows)).await
}

/// Returns the next or previous cell with an error or a warning. After the last one, the first one follows.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_find_problem<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    filter: RowFilter,
    from: Option<CellPlace>,
    forward: bool,
) -> Result<Option<ProblemCell>, Problem> {
    app.with_engine(move |engine| CellSearch::new(engine.imports()).find_problem(id, &filter, from, forward)).await
}

/// Returns the end of a column's run of values above or below a cell, as an index among the filtered rows.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_data_edge<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    filter: RowFilter,
    from: CellPlace,
    down: bool,
) -> Result<u32, Problem> {
    app.with_engine(move |engine| CellSearch::new(engine.imports()).find_data_edge(id, &filter, from, down)).await
}

/// Returns the possible fixes for a cell. `row` is Excel's number, `column` is 0-based.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_cell_help<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    row: u32,
    column: u32,
) -> Result<CellHelp, Problem> {
    app.with_engine(move |engine| engine.imports().cell_help(id, row, column, &|_, _| Vec::new())).await
}

/// Returns the possible fixes for all findings of one kind.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_finding_values<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    kind: FindingKind,
) -> Result<FindingValues, Problem> {
    app.with_engine(move |engine| engine.imports().finding_values(id, &kind, &|_, _| Vec::new())).await
}

/// Assigns the import to a site. Discards findings from another site's data and the preview.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_choose_site<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    site: String,
) -> Result<ImportView, Problem> {
    app.with_engine(move |engine| engine.import_sites().choose_site(id, &site)).await
}

/// Reads the reference data that the sheet's fields need from the import's site, and checks the rows against it. Known
/// data is reused unless `again` is set. The view lists data that couldn't be read.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_check_site<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    again: bool,
) -> Result<ImportView, Problem> {
    let runtime = Handle::current();
    let check = app.with_engine(move |engine| {
        let site = engine.import_sites().site_or_chosen(id)?;
        runtime.block_on(engine.import_sites().check_against_site(&site, id, again, &Canceller::new()))
    });
    let view = check.await;
    site::emit_changed(&app);
    view
}

/// Stores the user's position in the import, so that the draft continues there.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_position<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    position: ImportPosition,
) -> Result<ImportView, Problem> {
    app.with_engine(move |engine| Drafts::new(engine.imports()).set_position(id, position)).await
}

/// Resets the import to the file's original state.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_start_over<R: Runtime>(app: AppHandle<R>, id: ImportId) -> Result<ImportView, Problem> {
    app.with_engine(move |engine| Drafts::new(engine.imports()).start_over(id)).await
}

/// Adopts the columns from the draft of an earlier content of the file.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_take_columns<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    hash: String,
) -> Result<ImportView, Problem> {
    app.with_engine(move |engine| Drafts::new(engine.imports()).apply_draft_columns(id, &hash)).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn import_close<R: Runtime>(app: AppHandle<R>, id: ImportId) -> Result<(), Problem> {
    app.with_engine(move |engine| {
        engine.imports().close(id);
        Ok(())
    })
    .await
}

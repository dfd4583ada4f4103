//! Opens a workbook according to the arguments: file options, sheets, mappings, operation and order of steps.

use takt_engine::{
    Code, Engine, Problem,
    import::{Fix, ImportId, ImportView, MappingFile, RowChoice},
    submission::SubmissionId,
};

use crate::{
    arguments::ImportArguments,
    console::{Console, sanitize},
    exit_codes::Failure,
    findings,
};

/// Opens an import with at least one step, matched with the contract of `site`. Unless an argument names one sheet or
/// operation, it contains all steps of the workbook. The first step is selected.
pub(crate) fn open(
    engine: &Engine,
    site: Option<&str>,
    arguments: &ImportArguments,
    operation: Option<&str>,
    console: &Console,
) -> Result<ImportView, Failure> {
    let mappings = read_mappings(arguments)?;
    let reading = &arguments.reading;
    let one_sheet = arguments.sheet.is_some() || reading.header_row.is_some() || reading.header_rows.is_some();
    let view = open_file(engine, site, arguments, console)?;
    if one_sheet || operation.is_some() || mappings.len() == 1 {
        choose_operation(engine, view.id, arguments, operation, &mappings)?;
    } else {
        engine.imports().plan(view.id)?;
        for mapping in &mappings {
            engine.imports().apply_mapping(view.id, mapping)?;
        }
    }
    arrange_steps(engine, arguments, view.id)
}

/// Opens a file with the operation and mappings of an earlier submission, for all sheets of that submission.
pub(super) fn open_like(
    engine: &Engine,
    site: &str,
    arguments: &ImportArguments,
    submission: SubmissionId,
    console: &Console,
) -> Result<ImportView, Failure> {
    let view = open_file(engine, Some(site), arguments, console)?;
    engine.history().apply_submission_mappings(view.id, submission)?;
    arrange_steps(engine, arguments, view.id)
}

fn read_mappings(arguments: &ImportArguments) -> Result<Vec<MappingFile>, Failure> {
    let mut mappings = Vec::new();
    for file in &arguments.mapping {
        mappings.extend(MappingFile::read_all(file)?);
    }
    Ok(mappings)
}

/// Chooses one sheet's operation. Uses the mapping for `operation` if there is one, otherwise the first mapping.
/// Without mappings, uses `operation`. Without both, the best match stays.
fn choose_operation(
    engine: &Engine,
    import: ImportId,
    arguments: &ImportArguments,
    operation: Option<&str>,
    mappings: &[MappingFile],
) -> Result<(), Failure> {
    let fits = |mapping: &&MappingFile| {
        let sheet = arguments.sheet.is_none() || mapping.sheet.is_none() || mapping.sheet == arguments.sheet;
        sheet && operation.is_none_or(|operation| operation == mapping.operation)
    };
    let mapping = mappings.iter().find(fits).or(mappings.first());
    if let Some(mapping) = mapping {
        if let Some(operation) = operation.filter(|operation| *operation != mapping.operation) {
            let parameters = vec![("mapping", sanitize(&mapping.operation)), ("operation", operation.to_owned())];
            return Err(Failure::Usage("import.other-operation", parameters));
        }
        // A sheet that the user names takes precedence over the sheet for which the mapping was saved.
        let named = arguments.sheet.as_ref().filter(|_| mapping.sheet != arguments.sheet);
        let of_sheet = named.map(|sheet| MappingFile { sheet: Some(sheet.clone()), ..mapping.clone() });
        engine.imports().apply_mapping(import, of_sheet.as_ref().unwrap_or(mapping))?;
    } else if let Some(operation) = operation {
        engine.imports().choose_operation(import, operation)?;
    }
    Ok(())
}

/// Opens the file with the site, encoding, sheet and rows of the arguments. Prints remarks on ambiguous cells.
fn open_file(
    engine: &Engine,
    site: Option<&str>,
    arguments: &ImportArguments,
    console: &Console,
) -> Result<ImportView, Failure> {
    let (imports, reading) = (engine.imports(), &arguments.reading);
    let mut view = imports.open(&arguments.file)?;
    if let Some(site) = site {
        engine.import_sites().require_site(view.id, site)?;
        view = imports.view(view.id)?;
    }
    if let Some(text) = reading.text.reading() {
        view = imports.choose_text(view.id, &text)?;
    }
    findings::print_ambiguities(&view.reading, console);
    if let Some(sheet) = &arguments.sheet {
        view = imports.choose_sheet(view.id, sheet)?;
    }
    if reading.skip_hidden || reading.keep_totals {
        let choice = RowChoice { skip_hidden: reading.skip_hidden, keep_totals: reading.keep_totals };
        view = imports.choose_rows(view.id, choice)?;
    }
    if let Some(row) = reading.header_row {
        view = imports.choose_header_row(view.id, row)?;
    }
    if let Some(rows) = reading.header_rows {
        view = imports.choose_header_rows(view.id, rows)?;
    }
    Ok(view)
}

/// Puts the steps in the given order, and applies fixes to each of them. Selects the first step.
fn arrange_steps(engine: &Engine, arguments: &ImportArguments, import: ImportId) -> Result<ImportView, Failure> {
    let imports = engine.imports();
    let mut view = imports.view(import)?;
    if !arguments.order.is_empty() {
        view = imports.order_steps(import, &arguments.order)?;
    }
    for step in view.steps.clone().iter().rev() {
        view = imports.choose_sheet(import, &step.sheet)?;
        if arguments.reading.fill_merged {
            view = imports.fix(import, &Fix::FillMerged)?;
        }
    }
    if view.header_row.is_none() {
        return Err(Problem::new(Code::NoHeader).parameter("sheet", &view.sheet).into());
    }
    if view.steps.is_empty() {
        let proposals =
            view.proposals.iter().map(|proposal| proposal.operation.as_str()).collect::<Vec<_>>().join(", ");
        let key = if proposals.is_empty() { "import.no-proposal" } else { "import.no-operation" };
        return Err(Failure::Usage(key, vec![("proposals", proposals)]));
    }
    Ok(view)
}

//! A workbook opened as the command line asks for it: sheet, mapping, operation.

use std::sync::Arc;

use takt_engine::{Canceller, Code, Engine, Fix, ImportView, MappingFile, Problem, RowChoice};

use crate::{
    arguments::ImportArguments,
    console::{Console, plain},
    ending::Failure,
    findings,
};

/// An import with an operation and a heading.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) engine: Arc<Engine>,
    pub(crate) view: ImportView,
    pub(crate) operation: String,
}

impl Opened {
    /// Holds the rows against what the site holds. What can't be read is said in the view.
    pub(crate) async fn look_at(&mut self, site: &str) -> Result<(), Problem> {
        self.view = self.engine.import_sites().check_against(site, self.view.id, false, &Canceller::new()).await?;
        Ok(())
    }
}

/// A workbook that was asked for as a whole.
#[derive(Debug)]
pub(crate) enum Asked {
    /// One of its sheets, as today's only one or by name.
    Sheet(Box<Opened>),
    /// Several steps; the view is of any of them.
    Plan(Arc<Engine>, Box<ImportView>),
}

/// All of a workbook's steps, where nothing names a single sheet or operation and there are several.
pub(crate) fn open_all(
    engine: Arc<Engine>,
    arguments: &ImportArguments,
    operation: Option<&str>,
    console: &Console,
) -> Result<Asked, Failure> {
    let mappings = mappings(arguments)?;
    let reading = &arguments.reading;
    let one_sheet = arguments.sheet.is_some() || reading.header_row.is_some() || reading.header_rows.is_some();
    let mut view = begin(&engine, arguments, console)?;
    if one_sheet || operation.is_some() || mappings.len() == 1 {
        let opened = open_with((engine, view), arguments, operation, &mappings);
        return opened.map(|opened| Asked::Sheet(Box::new(opened)));
    }
    if view.sheets.iter().filter(|sheet| sheet.visible).count() > 1 {
        view = engine.imports().plan(view.id)?;
        for mapping in &mappings {
            view = engine.imports().apply_mapping(view.id, mapping)?;
        }
        if view.steps.len() > 1 {
            if reading.fill_merged {
                for step in &view.steps.clone() {
                    engine.imports().choose_sheet(view.id, &step.sheet)?;
                    view = engine.imports().fix(view.id, &Fix::FillMerged)?;
                }
            }
            return Ok(Asked::Plan(engine, Box::new(view)));
        }
        if let Some(step) = view.steps.first() {
            view = engine.imports().choose_sheet(view.id, &step.sheet.clone())?;
        }
    }
    finish(engine, arguments, view).map(|opened| Asked::Sheet(Box::new(opened)))
}

/// Read as an earlier submission's file was: its operation and its mapping, of all sheets that it had.
pub(super) fn open_like(
    engine: Arc<Engine>,
    arguments: &ImportArguments,
    submission: u32,
    console: &Console,
) -> Result<Asked, Failure> {
    let mut view = begin(&engine, arguments, console)?;
    let several = engine.submissions().mappings_of(submission)?.len() > 1;
    if several {
        view = engine.imports().plan(view.id)?;
    }
    view = engine.history().read_like(view.id, submission)?;
    if several && view.steps.len() > 1 {
        return Ok(Asked::Plan(engine, Box::new(view)));
    }
    finish(engine, arguments, view).map(|opened| Asked::Sheet(Box::new(opened)))
}

fn mappings(arguments: &ImportArguments) -> Result<Vec<MappingFile>, Failure> {
    let mut mappings = Vec::new();
    for file in &arguments.mapping {
        mappings.extend(MappingFile::read_all(file)?);
    }
    Ok(mappings)
}

/// One sheet. Without an operation: the best match, where there is a clear one. Of several mappings the one for the operation,
/// else the first.
fn open_with(
    (engine, mut view): (Arc<Engine>, ImportView),
    arguments: &ImportArguments,
    operation: Option<&str>,
    mappings: &[MappingFile],
) -> Result<Opened, Failure> {
    let imports = engine.imports();
    let fits = |mapping: &&MappingFile| {
        let sheet = arguments.sheet.is_none() || mapping.sheet.is_none() || mapping.sheet == arguments.sheet;
        sheet && operation.is_none_or(|operation| operation == mapping.operation)
    };
    let mapping = mappings.iter().find(fits).or(mappings.first());
    if let Some(mapping) = mapping {
        if let Some(operation) = operation.filter(|operation| *operation != mapping.operation) {
            let places = vec![("mapping", plain(&mapping.operation)), ("operation", operation.to_owned())];
            return Err(Failure::Usage("import.other-operation", places));
        }
        // Who names a sheet means that one, whatever the mapping was saved for.
        let named = arguments.sheet.as_ref().filter(|_| mapping.sheet != arguments.sheet);
        let of_sheet = named.map(|sheet| MappingFile { sheet: Some(sheet.clone()), ..mapping.clone() });
        view = imports.apply_mapping(view.id, of_sheet.as_ref().unwrap_or(mapping))?;
    } else if let Some(operation) = operation {
        view = imports.choose_operation(view.id, operation)?;
    }
    finish(engine, arguments, view)
}

/// Letters, sheet and rows as they were asked for. Says what of the letters is doubtful.
fn begin(engine: &Engine, arguments: &ImportArguments, console: &Console) -> Result<ImportView, Failure> {
    let (imports, reading) = (engine.imports(), &arguments.reading);
    let mut view = imports.open(&arguments.file)?;
    if let Some(text) = reading.text.reading() {
        view = imports.choose_text(view.id, &text)?;
    }
    findings::show_doubts(&view.reading, console);
    if let Some(sheet) = &arguments.sheet {
        view = imports.choose_sheet(view.id, sheet)?;
    }
    if reading.skip_hidden || reading.keep_totals {
        let choice = RowChoice { skip_hidden: reading.skip_hidden, keep_totals: reading.keep_totals };
        view = imports.choose_rows(view.id, choice)?;
    }
    if let Some(row) = reading.header_row {
        view = imports.choose_header(view.id, row)?;
    }
    if let Some(rows) = reading.header_rows {
        view = imports.choose_header_rows(view.id, rows)?;
    }
    Ok(view)
}

fn finish(engine: Arc<Engine>, arguments: &ImportArguments, view: ImportView) -> Result<Opened, Failure> {
    let mut view = view;
    if arguments.reading.fill_merged {
        view = engine.imports().fix(view.id, &Fix::FillMerged)?;
    }
    if view.header_row.is_none() {
        return Err(Problem::new(Code::NoHeader).parameter("sheet", &view.sheet).into());
    }
    let Some(operation) = view.operation.clone() else {
        let proposals =
            view.proposals.iter().map(|proposal| proposal.operation.as_str()).collect::<Vec<_>>().join(", ");
        let key = if proposals.is_empty() { "import.no-proposal" } else { "import.no-operation" };
        return Err(Failure::Usage(key, vec![("proposals", proposals)]));
    };
    Ok(Opened { engine, view, operation })
}

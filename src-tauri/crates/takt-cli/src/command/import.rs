//! A workbook opened as the command line asks for it: sheet, mapping, operation.

use std::sync::Arc;

use takt_engine::{Canceller, Code, Engine, Fix, ImportView, MappingFile, Problem, RowChoice};

use crate::{arguments::ImportArguments, console::plain, ending::Failure};

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
        self.view = self.engine.check_against(site, self.view.id, false, &Canceller::new()).await?;
        Ok(())
    }
}

/// Without an operation: the best match, where there is a clear one.
pub(crate) fn open(
    engine: Arc<Engine>,
    arguments: &ImportArguments,
    operation: Option<&str>,
) -> Result<Opened, Failure> {
    let imports = engine.imports();
    let mut view = imports.open(&arguments.file)?;
    if arguments.encoding.is_some() || arguments.separator.is_some() {
        let separator = arguments.separator.as_deref().map(separator);
        view = imports.choose_text(view.id, arguments.encoding.as_deref(), separator)?;
    }
    if arguments.skip_hidden || arguments.keep_totals {
        let choice = RowChoice { skip_hidden: arguments.skip_hidden, keep_totals: arguments.keep_totals };
        view = imports.choose_rows(view.id, choice)?;
    }
    if let Some(sheet) = &arguments.sheet {
        view = imports.choose_sheet(view.id, sheet)?;
    }
    if let Some(rows) = arguments.heading_rows {
        view = imports.choose_header_rows(view.id, rows)?;
    }
    if let Some(file) = &arguments.mapping {
        let mapping = MappingFile::read(file)?;
        if let Some(operation) = operation.filter(|operation| *operation != mapping.operation) {
            let places = vec![("mapping", plain(&mapping.operation)), ("operation", operation.to_owned())];
            return Err(Failure::Usage("import.other-operation", places));
        }
        view = imports.apply_mapping(view.id, &mapping)?;
    } else if let Some(operation) = operation {
        view = imports.choose_operation(view.id, operation)?;
    }
    if arguments.fill_merged {
        view = imports.fix(view.id, &Fix::FillMerged)?;
    }
    if view.header_row.is_none() {
        return Err(Problem::new(Code::NoHeader).parameter("sheet", &view.sheet).into());
    }
    let Some(operation) = view.operation.clone() else {
        let proposals =
            view.proposals.iter().map(|proposal| proposal.operation.as_str()).collect::<Vec<_>>().join(", ");
        return Err(Failure::Usage("import.no-operation", vec![("proposals", proposals)]));
    };
    Ok(Opened { engine, view, operation })
}

/// A tab is hard to type in a terminal, and nothing even harder.
fn separator(given: &str) -> &str {
    match given {
        "tab" | "\\t" => "\t",
        "none" => "",
        other => other,
    }
}

//! The number formats of the styles of an XML spreadsheet of 2003. A cell has the format of its own style, or of that
//! of its row, its column or its table.

use std::collections::{BTreeMap, HashMap};

use super::tag::Tag;
use crate::number_format::NumberFormat;

/// The style of all cells that have none.
const DEFAULT: &str = "Default";
/// The maximum depth of inheritance, because a style could inherit from itself.
const MAX_PARENTS: usize = 16;

#[derive(Debug, Default)]
struct Style {
    parent: Option<String>,
    /// Absent if the style has no number format.
    format: Option<NumberFormat>,
}

/// Styles by name, and the styles of the table, its rows and its columns.
#[derive(Debug, Default)]
pub(super) struct Styles {
    styles: HashMap<String, Style>,
    /// The style that is being read.
    current: String,
    table: Option<String>,
    row: Option<String>,
    /// The last column and the style, by first column.
    columns: BTreeMap<u32, (u32, String)>,
}

impl Styles {
    pub(super) fn begin_style(&mut self, tag: &Tag<'_>) {
        self.current = tag.attribute("ID").unwrap_or_default();
        let style = Style { parent: tag.attribute("Parent"), format: None };
        self.styles.insert(self.current.clone(), style);
    }

    pub(super) fn set_number_format(&mut self, tag: &Tag<'_>) {
        let format = tag.attribute("Format").unwrap_or_default();
        self.styles.entry(self.current.clone()).or_default().format = Some(NumberFormat::parse(&format));
    }

    pub(super) fn begin_table(&mut self, tag: &Tag<'_>) {
        self.table = tag.attribute("StyleID");
        self.row = None;
        self.columns.clear();
    }

    pub(super) fn begin_row(&mut self, tag: &Tag<'_>) {
        self.row = tag.attribute("StyleID");
    }

    pub(super) fn add_column(&mut self, tag: &Tag<'_>, first: u32, last: u32) {
        if let Some(style) = tag.attribute("StyleID") {
            self.columns.insert(first, (last, style));
        }
    }

    /// Returns the format of a cell's numbers. `own` is the cell's style.
    pub(super) fn format(&self, own: Option<&str>, column: u32) -> Option<&NumberFormat> {
        let of_column = || {
            let (_, (last, style)) = self.columns.range(..=column).next_back()?;
            (column <= *last).then_some(style.as_str())
        };
        let named = own.or(self.row.as_deref()).or_else(of_column).or(self.table.as_deref());
        let mut name = named.unwrap_or(DEFAULT);
        for _ in 0..MAX_PARENTS {
            let Some(style) = self.styles.get(name) else { break };
            if style.format.is_some() {
                return style.format.as_ref();
            }
            match &style.parent {
                Some(parent) => name = parent,
                None => break,
            }
        }
        self.styles.get(DEFAULT)?.format.as_ref()
    }
}

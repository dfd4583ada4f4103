//! A sheet as rows of cells. `builder` collects its cells, and `rows` stores them.

mod builder;

use std::collections::HashSet;

use crate::{Merge, Rows, TextDoubts};
pub(crate) use builder::SheetBuilder;

/// A sheet in the list of a workbook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SheetEntry {
    pub name: String,
    /// False if Excel hides the sheet.
    pub visible: bool,
}

/// Makes the names of sheets unique, so that users can choose any of them. A file may have two sheets with the same
/// name.
pub(crate) fn distinct_names<'a>(names: impl IntoIterator<Item = &'a mut String>) {
    let names: Vec<&mut String> = names.into_iter().collect();
    let original_names: HashSet<String> = names.iter().map(|name| name.to_string()).collect();
    let mut used_names: HashSet<String> = HashSet::new();
    for name in names {
        let mut unique_name = name.clone();
        let mut number = 2;
        while used_names.contains(&unique_name) || (number > 2 && original_names.contains(&unique_name)) {
            unique_name = format!("{name} ({number})");
            number += 1;
        }
        used_names.insert(unique_name.clone());
        *name = unique_name;
    }
}

/// The content of a sheet. Rows and cells without content aren't stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sheet {
    pub name: String,
    /// By ascending row number.
    pub rows: Rows,
    /// The number of columns of the widest row.
    pub columns: u32,
    /// The number of cells with content.
    pub cells: u64,
    /// The hidden columns, 0-based and ascending.
    pub hidden_columns: Vec<u32>,
    /// Ranges of cells that are shown as one. The first cell of each has the content.
    pub merges: Vec<Merge>,
    /// The parts of the file that are ambiguous.
    pub doubts: TextDoubts,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sheets_of_one_name_are_told_apart() {
        let mut names = ["Plan", "Plan", "Plan (2)", "Plan", "Other"].map(str::to_owned);
        distinct_names(&mut names);
        assert_eq!(names, ["Plan", "Plan (3)", "Plan (2)", "Plan (4)", "Other"]);
    }
}

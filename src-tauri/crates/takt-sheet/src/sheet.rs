//! A sheet as rows of cells. Leaves how readers fill it to its submodule, and how the rows are kept to `rows`.

mod builder;

use std::collections::HashSet;

use crate::{Merge, Rows, TextDoubts};
pub(crate) use builder::SheetBuilder;

/// A sheet of a workbook, before it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SheetEntry {
    pub name: String,
    /// False where Excel hides it.
    pub visible: bool,
}

/// Gives each sheet a name of its own: a file may have two of one name, and a person must be able to choose either.
pub(crate) fn distinct_names<'a>(names: impl IntoIterator<Item = &'a mut String>) {
    let names: Vec<&mut String> = names.into_iter().collect();
    let given: HashSet<String> = names.iter().map(|name| name.to_string()).collect();
    let mut taken: HashSet<String> = HashSet::new();
    for name in names {
        let mut free = name.clone();
        let mut number = 2;
        while taken.contains(&free) || (number > 2 && given.contains(&free)) {
            free = format!("{name} ({number})");
            number += 1;
        }
        taken.insert(free.clone());
        *name = free;
    }
}

/// A sheet's rows. Rows and cells without content are not kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sheet {
    pub name: String,
    /// By row number, ascending.
    pub rows: Rows,
    /// The widest row's number of columns.
    pub columns: u32,
    /// Cells with content that the reader saw.
    pub cells: u64,
    /// Columns that are hidden, 0-based and ascending.
    pub hidden_columns: Vec<u32>,
    /// Cells that are shown as one; the first of them has the content.
    pub merges: Vec<Merge>,
    /// What of the file may be meant otherwise.
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

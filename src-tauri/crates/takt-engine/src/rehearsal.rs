//! Sets up rehearsals: a copy of a site is filled with the site's rows, and served as a separate site. The results of a
//! rehearsal can be compared to later results.
//!
//! takt-plant serves the copy, and takt-submit sends.

mod comparison;
mod site_copy;
mod site_reader;

pub use comparison::{RehearsalComparison, RowDifference};
pub use site_copy::Rehearsals;
pub use site_reader::{ListSelection, RehearsalProgress, SiteRows, SkippedList, TemplateRows};

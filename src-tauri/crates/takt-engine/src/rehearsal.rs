//! Sets up rehearsals: a copy of a site is filled with the site's rows, and served as a separate site. The results of a
//! rehearsal can be compared to later results.
//!
//! takt-plant serves the copy, and takt-submit sends.

mod comparison;
mod copy;
mod reading;

pub use comparison::{RehearsalComparison, RowDifference};
pub use copy::Rehearsals;
pub use reading::{ListSelection, RehearsalProgress, SiteRows, SkippedList, TemplateRows};

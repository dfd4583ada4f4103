//! Mappings: which column fills which field, and by which rules. As files that can be kept and shared, as they are
//! remembered from one week's file to the next, and as the window shows and changes them.

mod file;
mod refusal;
mod rules;
mod storage;
mod values;
mod view;

pub use self::{
    file::{Blank, Fields, FormatChoice, JoinedColumns, MappingError, MappingFile, PlanMapping, Replacement},
    values::{FieldValue, FieldValues},
    view::{
        ChangeKind, FormatCertainty, FormatExample, FormatKind, FormatView, JoinedView, LayoutChange, MappingChange,
    },
};
pub(super) use self::{
    refusal::refused,
    rules::{FieldRule, Rules, clearable},
    storage::{NearestMapping, StoredMapping, fingerprint, from_stored, names, nearest},
    values::of_field,
    view::{format_view, is_unsettled},
};

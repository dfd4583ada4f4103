//! Mappings define which column fills which field, and by which rules. They can be files, are remembered from one
//! week's file to the next, and are shown and changed in the window.

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
pub(crate) use self::{
    refusal::refused,
    rules::{FieldRule, Rules, is_clearable},
    storage::{NearestMapping, StoredMapping, column_names, fingerprint, from_stored, nearest},
    values::field_values,
    view::{format_view, is_unsettled},
};

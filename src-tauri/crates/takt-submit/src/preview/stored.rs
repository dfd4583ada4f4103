//! Recreates preview rows from the journal, with the comparisons that were stored with the items.

use serde_json::Value;
use takt_browse::read_back::{ReadBack, ReadBackResult, ServiceItem};
use takt_core::{Change, ExcelRow};
use takt_journal::ItemDetail;

use super::{
    comparison::ItemComparer,
    storage::preview_field,
    view::{PreviewField, PreviewKind, PreviewRow},
};

/// Creates the preview of a stored item. `read_back` is absent if no list shows what its operation writes.
pub(crate) fn stored_row(read_back: Option<&ReadBack>, deletes: bool, item: &ItemDetail) -> PreviewRow {
    let kind = kind_of(item.change, deletes);
    let first = item.rows.first();
    PreviewRow {
        sheet: first.map(|(sheet, _)| sheet.clone()).unwrap_or_default(),
        row: ExcelRow::new(first.map_or(0, |(_, row)| *row)),
        rows: u32::try_from(item.rows.len()).unwrap_or(u32::MAX),
        key: item.key.clone(),
        kind,
        fields: fields(read_back, deletes, kind, item),
        errors: Vec::new(),
        reason: None,
    }
}

fn fields(read_back: Option<&ReadBack>, deletes: bool, kind: PreviewKind, item: &ItemDetail) -> Vec<PreviewField> {
    let Some(read_back) = read_back else { return members(&item.body, deletes) };
    let comparer = ItemComparer { read_back, deletes, remembered: None };
    match &item.before {
        Some(before) => {
            let result = ReadBackResult::of(ServiceItem::Holds(before.clone()));
            comparer.classify(&item.body, result).1.fields
        }
        None if deletes || kind == PreviewKind::Same => Vec::new(),
        // The values to be sent are shown, even if the service's items are unknown.
        None => comparer.created_fields(&item.body),
    }
}

fn members(body: &Value, deletes: bool) -> Vec<PreviewField> {
    let members = body.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    let fields = members.map(|(name, value)| match deletes {
        true => preview_field(name.clone(), value.clone(), Value::Null, None),
        false => preview_field(name.clone(), Value::Null, value.clone(), None),
    });
    fields.collect()
}

/// Returns the preview kind of a stored change. A delete without changes has nothing to delete.
pub(crate) fn kind_of(change: Option<Change>, deletes: bool) -> PreviewKind {
    match change {
        Some(Change::Same) if deletes => PreviewKind::NotLinked,
        Some(Change::New) => PreviewKind::New,
        Some(Change::Changed) => PreviewKind::Changed,
        Some(Change::Same) => PreviewKind::Same,
        Some(Change::Conflict) => PreviewKind::Conflict,
        Some(Change::Unknown) | None => PreviewKind::Unknown,
    }
}

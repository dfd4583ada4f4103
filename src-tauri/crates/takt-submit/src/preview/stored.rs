//! What the journal kept of a preview: an item as it was seen when it was written down, whatever the service holds by now.

use serde_json::Value;
use takt_browse::read_back::{ReadBack, ReadBackResult, ServiceItem};
use takt_core::{Change, ExcelRow};
use takt_journal::ItemDetail;

use super::{
    comparison::ItemComparer,
    storage::field,
    view::{PreviewField, PreviewKind, PreviewRow},
};

/// An item that is written down, beside what the service held then. `back`: absent where nothing shows what its operation writes.
pub(crate) fn stored_row(back: Option<&ReadBack>, deletes: bool, item: &ItemDetail) -> PreviewRow {
    let kind = kind_of(item.change, deletes);
    let first = item.rows.first();
    PreviewRow {
        sheet: first.map(|(sheet, _)| sheet.clone()).unwrap_or_default(),
        row: ExcelRow::new(first.map_or(0, |(_, row)| *row)),
        rows: u32::try_from(item.rows.len()).unwrap_or(u32::MAX),
        key: item.key.clone(),
        kind,
        fields: fields(back, deletes, kind, item),
        errors: Vec::new(),
        reason: None,
    }
}

fn fields(back: Option<&ReadBack>, deletes: bool, kind: PreviewKind, item: &ItemDetail) -> Vec<PreviewField> {
    let Some(back) = back else { return members(&item.body, deletes) };
    let comparer = ItemComparer { back, deletes, remembered: None };
    match &item.before {
        Some(before) => {
            let told = ReadBackResult::of(ServiceItem::Holds(before.clone()));
            comparer.judge(&item.body, told).1.fields
        }
        None if deletes || kind == PreviewKind::Same => Vec::new(),
        // The values to be sent are shown, even if the service's items are unknown.
        None => comparer.creation(&item.body),
    }
}

fn members(body: &Value, deletes: bool) -> Vec<PreviewField> {
    let members = body.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    let shown = members.map(|(name, value)| match deletes {
        true => field(name.clone(), value.clone(), Value::Null, None),
        false => field(name.clone(), Value::Null, value.clone(), None),
    });
    shown.collect()
}

/// The journal says of a delete's item, too, that it changes nothing: there is nothing to delete.
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

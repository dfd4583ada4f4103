//! Checks a row against the site's row with the same key, for produced quantities and locked properties. Also checks
//! reserved keys.

use std::sync::Arc;

use serde_json::Value;
use takt_contract::{ListRow, ReferenceCheck};

use super::codes::comparable_text;
use takt_browse::reference::{ReferenceList, typed_text};
use takt_core::finding::{FindingCode, Severity};

use crate::{
    cell_value::ReadValue,
    column_layout::ColumnLayout,
    mark::{FindingDetail, TargetFinding, TextParameters},
    target::TargetFields,
};

/// Finds the site's rows with the same key as a row of the sheet.
#[derive(Debug)]
struct SiteRowLookup {
    reference_list: Arc<ReferenceList>,
    /// The first key field, by name in the list and as target.
    list_field: String,
    target: usize,
    /// Further key fields, as index in the list's rows and as target.
    further_fields: Vec<(usize, usize)>,
}

impl SiteRowLookup {
    fn new(row: &ListRow, targets: &TargetFields, reference_list: &Arc<ReferenceList>) -> Option<Self> {
        let (first, others) = row.key.split_first()?;
        let others =
            others.iter().map(|pair| Some((reference_list.column_index(&pair.theirs)?, targets.index(&pair.own)?)));
        Some(Self {
            reference_list: Arc::clone(reference_list),
            list_field: first.theirs.clone(),
            target: targets.index(&first.own)?,
            further_fields: others.collect::<Option<_>>()?,
        })
    }

    /// Returns the site's rows with the item's key. Key fields that the item leaves out are ignored.
    fn find_rows<'l>(&'l self, values: &'l [Option<ReadValue<'_>>]) -> impl Iterator<Item = u32> {
        let first = comparable_text(values, self.target);
        let rows = first.map(|first| self.reference_list.find(&self.list_field, &first)).unwrap_or_default();
        rows.iter().copied().filter(move |row| {
            self.further_fields.iter().all(|(index, own)| {
                let theirs = self.reference_list.value(*row, *index);
                comparable_text(values, *own).is_none_or(|own| theirs.is_some_and(|theirs| is_equal(theirs, &own)))
            })
        })
    }
}

fn is_equal(value: &Value, text: &str) -> bool {
    match value {
        Value::String(known) => known == text,
        Value::Null => text.is_empty(),
        other => typed_text(other) == text,
    }
}

/// Checks that a quantity isn't below the quantity that was already produced.
#[derive(Debug)]
pub(super) struct MinimumQuantityCheck {
    target: usize,
    lookup: SiteRowLookup,
    quantity_indices: Vec<usize>,
}

impl MinimumQuantityCheck {
    pub(super) fn new(
        target: usize,
        check: &ReferenceCheck,
        targets: &TargetFields,
        reference_list: &Arc<ReferenceList>,
    ) -> Option<Self> {
        let ReferenceCheck::NotBelow { row, fields, .. } = check else { return None };
        let quantity_indices = fields.iter().map(|field| reference_list.column_index(field)).collect::<Option<_>>()?;
        Some(Self { target, lookup: SiteRowLookup::new(row, targets, reference_list)?, quantity_indices })
    }

    pub(super) fn check(&self, values: &[Option<ReadValue<'_>>]) -> Option<TargetFinding> {
        let quantity = values.get(self.target)?.as_ref()?.number()?;
        let row = self.lookup.find_rows(values).next()?;
        let numbers =
            self.quantity_indices.iter().filter_map(|index| self.lookup.reference_list.value(row, *index)?.as_f64());
        let existing: f64 = numbers.sum();
        (quantity < existing).then_some(TargetFinding {
            target: self.target,
            severity: Severity::Warning,
            code: FindingCode::BelowProduced,
            detail: FindingDetail::Limit(existing),
        })
    }
}

/// The key of a property, read from a key column or fixed by the column of its value.
#[derive(Debug, Clone)]
pub(super) enum PropertyKey {
    Column { key: usize, value: Option<usize> },
    Fixed { key: String, value: usize },
}

impl PropertyKey {
    fn read(&self, values: &[Option<ReadValue<'_>>]) -> Option<String> {
        match self {
            Self::Column { key, .. } => comparable_text(values, *key).map(std::borrow::Cow::into_owned),
            Self::Fixed { key, value } => values.get(*value)?.as_ref().map(|_| key.clone()),
        }
    }

    fn value(&self) -> Option<usize> {
        match self {
            Self::Column { value, .. } => *value,
            Self::Fixed { value, .. } => Some(*value),
        }
    }

    /// Returns the target of findings about the key.
    fn target(&self) -> usize {
        match self {
            Self::Column { key, .. } => *key,
            Self::Fixed { value, .. } => *value,
        }
    }
}

/// Returns every property key that the sheet names. `key` and `value` are the paths of the fields for keys and values.
pub(super) fn property_keys(
    targets: &TargetFields,
    layout: &ColumnLayout,
    key: &str,
    value: Option<&str>,
) -> Vec<PropertyKey> {
    let filled = |path: &str| targets.index(path).filter(|&target| layout.fills(target));
    let column = filled(key).map(|key| PropertyKey::Column { key, value: value.and_then(filled) });
    let list = key.rsplit_once('.').map(|(list, _)| list);
    let fixed = targets.fields.iter().enumerate().filter_map(|(target, field)| {
        let property = field.property.as_ref().filter(|property| Some(property.list.as_str()) == list)?;
        layout.fills(target).then(|| PropertyKey::Fixed { key: property.key.clone(), value: target })
    });
    column.into_iter().chain(fixed).collect()
}

/// Checks that a property that is locked at the site doesn't get another value.
#[derive(Debug)]
pub(super) struct LockCheck {
    key: PropertyKey,
    /// The target whose value `false` unlocks the property.
    unlocked_by: Option<usize>,
    lookup: SiteRowLookup,
    properties_index: usize,
    key_member: String,
    value_member: String,
}

impl LockCheck {
    pub(super) fn new(
        key: PropertyKey,
        check: &ReferenceCheck,
        targets: &TargetFields,
        reference_list: &Arc<ReferenceList>,
    ) -> Option<Self> {
        let ReferenceCheck::NotLocked { row, lock, properties, .. } = check else { return None };
        Some(Self {
            key,
            unlocked_by: lock.as_ref().and_then(|lock| targets.index(lock)),
            lookup: SiteRowLookup::new(row, targets, reference_list)?,
            properties_index: reference_list.column_index(&properties.list)?,
            key_member: properties.key.clone(),
            value_member: properties.value.clone(),
        })
    }

    pub(super) fn check(&self, values: &[Option<ReadValue<'_>>]) -> Option<TargetFinding> {
        let key = self.key.read(values)?;
        let own = comparable_text(values, self.key.value()?)?;
        let opened = self
            .unlocked_by
            .and_then(|lock| values.get(lock)?.as_ref())
            .is_some_and(|lock| *lock == ReadValue::Boolean(false));
        // Only locked properties were stored when the list was read.
        let locked = |part: &&Value| part.get(&self.key_member).is_some_and(|known| is_equal(known, &key));
        let changes = |row: u32| {
            let parts = self.lookup.reference_list.value(row, self.properties_index).and_then(Value::as_array);
            let part = parts.into_iter().flatten().find(locked);
            part.is_some_and(|part| !part.get(&self.value_member).is_some_and(|known| is_equal(known, &own)))
        };
        let found = !opened && self.lookup.find_rows(values).any(changes);
        found.then(|| {
            let named = TextParameters::from([("key", key)]);
            TargetFinding {
                target: self.key.target(),
                severity: Severity::Warning,
                code: FindingCode::LockedProperty,
                detail: FindingDetail::Parameters(Arc::new(named)),
            }
        })
    }
}

/// Checks that a key isn't reserved by the platform.
#[derive(Debug)]
pub(super) struct ReservedKeyCheck {
    key: PropertyKey,
    prefix: String,
}

impl ReservedKeyCheck {
    pub(super) fn new(key: PropertyKey, prefix: &str) -> Self {
        Self { key, prefix: prefix.to_owned() }
    }

    pub(super) fn check(&self, values: &[Option<ReadValue<'_>>]) -> Option<TargetFinding> {
        let key = self.key.read(values).filter(|key| key.starts_with(&self.prefix))?;
        let named = TextParameters::from([("key", key), ("prefix", self.prefix.clone())]);
        Some(TargetFinding {
            target: self.key.target(),
            severity: Severity::Error,
            code: FindingCode::ReservedKey,
            detail: FindingDetail::Parameters(Arc::new(named)),
        })
    }
}

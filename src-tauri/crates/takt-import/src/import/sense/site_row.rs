//! A row beside the one that the site holds under its key: what was produced, what is locked. And keys that nobody may write.

use std::sync::Arc;

use serde_json::Value;
use takt_contract::{ListRow, Sense};

use super::{TargetFinding, codes::text_of};
use takt_browse::reference::{ReferenceList, shown};
use takt_core::finding::{FindingCode, Severity};

use crate::import::{
    check::Layout,
    mark::{Note, TextParameters},
    reading::ReadValue,
    target::Targets,
};

/// How the site's row is found.
#[derive(Debug)]
struct Lookup {
    listed: Arc<ReferenceList>,
    theirs: String,
    own: usize,
    /// What else tells the rows apart: where it stands in them, and the target.
    others: Vec<(usize, usize)>,
}

impl Lookup {
    fn new(row: &ListRow, targets: &Targets, listed: &Arc<ReferenceList>) -> Option<Self> {
        let (first, others) = row.key.split_first()?;
        let others = others.iter().map(|tie| Some((listed.place(&tie.theirs)?, targets.index(&tie.own)?)));
        Some(Self {
            listed: Arc::clone(listed),
            theirs: first.theirs.clone(),
            own: targets.index(&first.own)?,
            others: others.collect::<Option<_>>()?,
        })
    }

    /// The rows that the key names; what the item leaves out doesn't narrow it.
    fn rows<'l>(&'l self, values: &'l [Option<ReadValue<'_>>]) -> impl Iterator<Item = u32> {
        let first = text_of(values, self.own);
        let rows = first.map(|first| self.listed.find(&self.theirs, &first)).unwrap_or_default();
        rows.iter().copied().filter(move |row| {
            self.others.iter().all(|(place, own)| {
                let theirs = self.listed.value(*row, *place);
                text_of(values, *own).is_none_or(|own| theirs.is_some_and(|theirs| same(theirs, &own)))
            })
        })
    }
}

fn same(value: &Value, text: &str) -> bool {
    match value {
        Value::String(known) => known == text,
        Value::Null => text.is_empty(),
        other => shown(other) == text,
    }
}

/// A quantity that must not fall below what there is already.
#[derive(Debug)]
pub(super) struct MinimumCheck {
    target: usize,
    lookup: Lookup,
    places: Vec<usize>,
}

impl MinimumCheck {
    pub(super) fn new(target: usize, sense: &Sense, targets: &Targets, listed: &Arc<ReferenceList>) -> Option<Self> {
        let Sense::NotBelow { row, fields, .. } = sense else { return None };
        let places = fields.iter().map(|field| listed.place(field)).collect::<Option<_>>()?;
        Some(Self { target, lookup: Lookup::new(row, targets, listed)?, places })
    }

    pub(super) fn at(&self, values: &[Option<ReadValue<'_>>]) -> Option<TargetFinding> {
        let quantity = values.get(self.target)?.as_ref()?.number()?;
        let row = self.lookup.rows(values).next()?;
        let numbers = self.places.iter().filter_map(|place| self.lookup.listed.value(row, *place)?.as_f64());
        let there: f64 = numbers.sum();
        (quantity < there).then_some(TargetFinding {
            target: self.target,
            severity: Severity::Warning,
            code: FindingCode::BelowProduced,
            note: Note::Limit(there),
        })
    }
}

/// The key of a property: in a column of its own, or the same in every row because its value has the column.
#[derive(Debug, Clone)]
pub(super) enum Key {
    Column { key: usize, value: Option<usize> },
    Fixed { key: String, value: usize },
}

impl Key {
    fn read(&self, values: &[Option<ReadValue<'_>>]) -> Option<String> {
        match self {
            Self::Column { key, .. } => text_of(values, *key).map(std::borrow::Cow::into_owned),
            Self::Fixed { key, value } => values.get(*value)?.as_ref().map(|_| key.clone()),
        }
    }

    fn value(&self) -> Option<usize> {
        match self {
            Self::Column { value, .. } => *value,
            Self::Fixed { value, .. } => Some(*value),
        }
    }

    /// Where what is found about it stands.
    fn target(&self) -> usize {
        match self {
            Self::Column { key, .. } => *key,
            Self::Fixed { value, .. } => *value,
        }
    }
}

/// Every way in which the sheet names keys of properties: `key` and `value` are the paths of columns.
pub(super) fn keys(targets: &Targets, layout: &Layout, (key, value): (&str, Option<&str>)) -> Vec<Key> {
    let filled = |path: &str| targets.index(path).filter(|&target| layout.fills(target));
    let column = filled(key).map(|key| Key::Column { key, value: value.and_then(filled) });
    let list = key.rsplit_once('.').map(|(list, _)| list);
    let fixed = targets.fields.iter().enumerate().filter_map(|(target, field)| {
        let property = field.property.as_ref().filter(|property| Some(property.list.as_str()) == list)?;
        layout.fills(target).then(|| Key::Fixed { key: property.key.clone(), value: target })
    });
    column.into_iter().chain(fixed).collect()
}

/// A property that is locked at the site and would get another value.
#[derive(Debug)]
pub(super) struct Lock {
    key: Key,
    /// The target that can open the lock.
    opens: Option<usize>,
    lookup: Lookup,
    place: usize,
    their_key: String,
    their_value: String,
}

impl Lock {
    pub(super) fn new(key: Key, sense: &Sense, targets: &Targets, listed: &Arc<ReferenceList>) -> Option<Self> {
        let Sense::NotLocked { row, lock, properties, .. } = sense else { return None };
        Some(Self {
            key,
            opens: lock.as_ref().and_then(|lock| targets.index(lock)),
            lookup: Lookup::new(row, targets, listed)?,
            place: listed.place(&properties.list)?,
            their_key: properties.key.clone(),
            their_value: properties.value.clone(),
        })
    }

    pub(super) fn at(&self, values: &[Option<ReadValue<'_>>]) -> Option<TargetFinding> {
        let key = self.key.read(values)?;
        let own = text_of(values, self.key.value()?)?;
        let opened = self
            .opens
            .and_then(|lock| values.get(lock)?.as_ref())
            .is_some_and(|lock| *lock == ReadValue::Boolean(false));
        // Only locked ones are kept of what was read.
        let locked = |part: &&Value| part.get(&self.their_key).is_some_and(|known| same(known, &key));
        let changes = |row: u32| {
            let parts = self.lookup.listed.value(row, self.place).and_then(Value::as_array);
            let part = parts.into_iter().flatten().find(locked);
            part.is_some_and(|part| !part.get(&self.their_value).is_some_and(|known| same(known, &own)))
        };
        let found = !opened && self.lookup.rows(values).any(changes);
        found.then(|| {
            let named = TextParameters::from([("key", key)]);
            TargetFinding {
                target: self.key.target(),
                severity: Severity::Warning,
                code: FindingCode::LockedProperty,
                note: Note::Named(Arc::new(named)),
            }
        })
    }
}

/// A key that the platform keeps for itself.
#[derive(Debug)]
pub(super) struct ReservedKeyCheck {
    key: Key,
    prefix: String,
}

impl ReservedKeyCheck {
    pub(super) fn new(key: Key, prefix: &str) -> Self {
        Self { key, prefix: prefix.to_owned() }
    }

    pub(super) fn at(&self, values: &[Option<ReadValue<'_>>]) -> Option<TargetFinding> {
        let key = self.key.read(values).filter(|key| key.starts_with(&self.prefix))?;
        let named = TextParameters::from([("key", key), ("prefix", self.prefix.clone())]);
        Some(TargetFinding {
            target: self.key.target(),
            severity: Severity::Error,
            code: FindingCode::ReservedKey,
            note: Note::Named(Arc::new(named)),
        })
    }
}

//! Codes that name something: is it there, at the site or in an earlier sheet?

use std::{borrow::Cow, collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use takt_contract::{FieldPair, RefersTo, Unknown};

use super::{ReferenceContext, TargetFinding};
use takt_browse::reference::{Freshness, MAX_REMEMBERED, Reference, ReferenceList, nearest};
use takt_core::finding::{FindingCode, Severity};

use crate::import::{
    mark::{Note, TextParameters},
    reading::ReadValue,
    target::Targets,
};

/// Suggestions for one cell.
const MAX_NEAR: usize = 3;

#[derive(Debug)]
pub(in crate::import) struct Codes {
    target: usize,
    refers_to: RefersTo,
    within: Option<ParentField>,
    listed: Arc<ReferenceList>,
    context: ReferenceContext,
    severity: Severity,
    notes: Notes,
}

/// What is said of each unknown code, shared by all its rows: a sheet may be wrong all over.
#[derive(Debug)]
struct Notes {
    known: Mutex<HashMap<Box<str>, Arc<TextParameters>>>,
    none: Arc<TextParameters>,
}

impl Notes {
    fn of(&self, code: &str, near: impl FnOnce() -> Option<String>) -> Arc<TextParameters> {
        let mut cache = self.known.lock();
        if let Some(note) = cache.get(code) {
            return Arc::clone(note);
        }
        let near = if cache.len() < MAX_REMEMBERED { near() } else { return Arc::clone(&self.none) };
        let note = near.map_or_else(|| Arc::clone(&self.none), |near| Arc::new(TextParameters::from([("near", near)])));
        cache.insert(code.into(), Arc::clone(&note));
        note
    }
}

/// The thing that the code is part of: the operation of an order is looked for among those of the order.
#[derive(Debug)]
struct ParentField {
    theirs: String,
    own: usize,
    /// Where the code stands in the rows.
    place: usize,
}

impl Codes {
    /// Absent where what the code is part of has no column.
    pub(super) fn new(
        (target, refers_to): (usize, &RefersTo),
        targets: &Targets,
        (listed, age): (Arc<ReferenceList>, Freshness),
        context: &ReferenceContext,
    ) -> Option<Self> {
        let within = match refers_to.within.first() {
            Some(FieldPair { theirs, own }) => Some(ParentField {
                theirs: theirs.clone(),
                own: targets.index(own)?,
                place: listed.place(&refers_to.field)?,
            }),
            None => None,
        };
        // What isn't there may have come since, unless it was looked up just now.
        let refused = refers_to.unknown == Unknown::Refused && age == Freshness::Fresh;
        let severity = if refused { Severity::Error } else { Severity::Warning };
        let notes = Notes { known: Mutex::default(), none: Arc::default() };
        Some(Self { target, refers_to: refers_to.clone(), within, listed, context: context.clone(), severity, notes })
    }

    pub(super) fn target(&self) -> usize {
        self.target
    }

    pub(super) fn at(&self, values: &[Option<ReadValue<'_>>]) -> Option<TargetFinding> {
        let code = text_of(values, self.target)?;
        let unknown = match &self.within {
            None => self.is_unknown(&code),
            Some(within) => self.is_unknown_within(within, &text_of(values, within.own)?, &code),
        };
        unknown.then(|| {
            let note = match &self.within {
                None => self.notes.of(&code, || self.near(&code)),
                Some(within) => {
                    let parent = text_of(values, within.own).unwrap_or_default();
                    // The same operation may be near another one in another order.
                    self.notes.of(&format!("{parent}\u{1f}{code}"), || self.near_within(within, &parent, &code))
                }
            };
            TargetFinding {
                target: self.target,
                severity: self.severity,
                code: FindingCode::UnknownCode,
                note: Note::Named(note),
            }
        })
    }

    /// The known codes that are like the text, nearest first.
    pub(super) fn nearest(&self, text: &str) -> Vec<String> {
        match &self.within {
            None => nearest(text, self.all(), MAX_NEAR),
            Some(_) => Vec::new(),
        }
    }

    fn is_unknown(&self, code: &str) -> bool {
        let field = &self.refers_to.field;
        self.listed.find(field, code).is_empty()
            && self.listed.proves_absence(code)
            && !self.context.predecessors.has(&self.refers_to, field, code)
    }

    /// Where what it is part of isn't known, that is said already.
    fn is_unknown_within(&self, within: &ParentField, parent: &str, code: &str) -> bool {
        let rows = self.listed.find(&within.theirs, parent);
        let made = &self.context.predecessors;
        if rows.is_empty() && !made.has(&self.refers_to, &within.theirs, parent) {
            return false;
        }
        let there = |row: &u32| self.listed.value(*row, within.place).is_some_and(|value| value == code);
        let pair = ((within.theirs.as_str(), parent), (self.refers_to.field.as_str(), code));
        !rows.iter().any(there) && !made.has_both(&self.refers_to, pair.0, pair.1)
    }

    fn near(&self, code: &str) -> Option<String> {
        let list = self.refers_to.list.as_deref().unwrap_or_default();
        let reference: &Reference = &self.context.reference;
        reference.near().nearest(list, code, self.all())
    }

    fn near_within(&self, within: &ParentField, parent: &str, code: &str) -> Option<String> {
        let rows = self.listed.find(&within.theirs, parent).iter();
        let codes = rows.filter_map(|row| self.listed.value(*row, within.place)?.as_str());
        nearest(code, codes, 1).pop()
    }

    fn all(&self) -> impl Iterator<Item = &str> {
        self.listed.codes(&self.refers_to.field).chain(self.context.predecessors.values(&self.refers_to))
    }
}

/// A value as the service would compare it.
pub(super) fn text_of<'v>(values: &'v [Option<ReadValue<'_>>], target: usize) -> Option<Cow<'v, str>> {
    match values.get(target)?.as_ref()? {
        ReadValue::Text(text) => Some(Cow::Borrowed(text.as_ref())),
        other => Some(Cow::Owned(other.shown())),
    }
}

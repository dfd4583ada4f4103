//! Checks that codes exist, at the site or in an earlier sheet.

use std::{borrow::Cow, collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use takt_contract::{FieldPair, RefersTo, UnknownReference};

use super::context::ReferenceContext;
use takt_browse::reference::{Freshness, MAX_REMEMBERED, Reference, ReferenceList, find_similar_codes};
use takt_core::finding::{FindingCode, Severity};

use crate::{
    mark::{Note, TargetFinding, TextParameters},
    reading::ReadValue,
    target::Targets,
};

/// Maximum number of suggestions for one cell.
const MAX_SUGGESTIONS: usize = 3;

#[derive(Debug)]
pub(crate) struct CodeCheck {
    target: usize,
    refers_to: RefersTo,
    within: Option<ParentField>,
    reference_list: Arc<ReferenceList>,
    context: ReferenceContext,
    severity: Severity,
    notes: NoteCache,
}

/// Caches the finding parameters of unknown codes. Rows with the same code share them, which saves memory if all codes
/// of a large sheet are unknown.
#[derive(Debug)]
struct NoteCache {
    known: Mutex<HashMap<Box<str>, Arc<TextParameters>>>,
    none: Arc<TextParameters>,
}

impl NoteCache {
    fn get(&self, code: &str, find_nearest: impl FnOnce() -> Option<String>) -> Arc<TextParameters> {
        let mut cache = self.known.lock();
        if let Some(note) = cache.get(code) {
            return Arc::clone(note);
        }
        let nearest = if cache.len() < MAX_REMEMBERED { find_nearest() } else { return Arc::clone(&self.none) };
        let note =
            nearest.map_or_else(|| Arc::clone(&self.none), |code| Arc::new(TextParameters::from([("near", code)])));
        cache.insert(code.into(), Arc::clone(&note));
        note
    }
}

/// The parent that a code belongs to. For example, an operation is looked up among the operations of its order.
#[derive(Debug)]
struct ParentField {
    theirs: String,
    own: usize,
    /// The index of the code in the list's rows.
    index: usize,
}

impl CodeCheck {
    /// Returns `None` if the parent's field or the code isn't among the fields or the list's columns.
    pub(super) fn new(
        target: usize,
        refers_to: &RefersTo,
        targets: &Targets,
        reference_list: Arc<ReferenceList>,
        age: Freshness,
        context: &ReferenceContext,
    ) -> Option<Self> {
        let within = match refers_to.within.first() {
            Some(FieldPair { theirs, own }) => Some(ParentField {
                theirs: theirs.clone(),
                own: targets.index(own)?,
                index: reference_list.column_index(&refers_to.field)?,
            }),
            None => None,
        };
        // A missing code may exist by now, unless the list is fresh.
        let refused = refers_to.unknown == UnknownReference::Refused && age == Freshness::Fresh;
        let severity = if refused { Severity::Error } else { Severity::Warning };
        let notes = NoteCache { known: Mutex::default(), none: Arc::default() };
        Some(Self {
            target,
            refers_to: refers_to.clone(),
            within,
            reference_list,
            context: context.clone(),
            severity,
            notes,
        })
    }

    pub(super) fn target(&self) -> usize {
        self.target
    }

    pub(super) fn check(&self, values: &[Option<ReadValue<'_>>]) -> Option<TargetFinding> {
        let code = comparable_text(values, self.target)?;
        let unknown = match &self.within {
            None => self.is_unknown(&code),
            Some(within) => self.is_unknown_within(within, &comparable_text(values, within.own)?, &code),
        };
        unknown.then(|| {
            let note = match &self.within {
                None => self.notes.get(&code, || self.nearest_code(&code)),
                Some(within) => {
                    let parent = comparable_text(values, within.own).unwrap_or_default();
                    // Suggestions depend on the parent, so the cache key includes it.
                    self.notes
                        .get(&format!("{parent}\u{1f}{code}"), || self.nearest_code_in_parent(within, &parent, &code))
                }
            };
            TargetFinding {
                target: self.target,
                severity: self.severity,
                code: FindingCode::UnknownCode,
                note: Note::Parameters(note),
            }
        })
    }

    /// Returns the known codes that are like the text, nearest first. Returns none if codes belong to a parent.
    pub(super) fn find_similar_codes(&self, text: &str) -> Vec<String> {
        match &self.within {
            None => find_similar_codes(text, self.known_codes(), MAX_SUGGESTIONS),
            Some(_) => Vec::new(),
        }
    }

    fn is_unknown(&self, code: &str) -> bool {
        let field = &self.refers_to.field;
        self.reference_list.find(field, code).is_empty()
            && self.reference_list.proves_absence(code)
            && !self.context.predecessors.has_value(&self.refers_to, field, code)
    }

    /// Returns true if the parent is known and doesn't have the code. An unknown parent has its own finding.
    fn is_unknown_within(&self, within: &ParentField, parent: &str, code: &str) -> bool {
        let rows = self.reference_list.find(&within.theirs, parent);
        let predecessors = &self.context.predecessors;
        if rows.is_empty() && !predecessors.has_value(&self.refers_to, &within.theirs, parent) {
            return false;
        }
        let has_code = |row: &u32| self.reference_list.value(*row, within.index).is_some_and(|value| value == code);
        let pair = ((within.theirs.as_str(), parent), (self.refers_to.field.as_str(), code));
        !rows.iter().any(has_code) && !predecessors.has_both(&self.refers_to, pair.0, pair.1)
    }

    fn nearest_code(&self, code: &str) -> Option<String> {
        let list = self.refers_to.list.as_deref().unwrap_or_default();
        let reference: &Reference = &self.context.reference;
        reference.nearest_codes().find_similar_codes(list, code, self.known_codes())
    }

    fn nearest_code_in_parent(&self, within: &ParentField, parent: &str, code: &str) -> Option<String> {
        let rows = self.reference_list.find(&within.theirs, parent).iter();
        let codes = rows.filter_map(|row| self.reference_list.value(*row, within.index)?.as_str());
        find_similar_codes(code, codes, 1).pop()
    }

    fn known_codes(&self) -> impl Iterator<Item = &str> {
        self.reference_list.codes(&self.refers_to.field).chain(self.context.predecessors.values(&self.refers_to))
    }
}

/// Returns a value as the service compares it.
pub(super) fn comparable_text<'v>(values: &'v [Option<ReadValue<'_>>], target: usize) -> Option<Cow<'v, str>> {
    match values.get(target)?.as_ref()? {
        ReadValue::Text(text) => Some(Cow::Borrowed(text.as_ref())),
        other => Some(Cow::Owned(other.shown())),
    }
}

//! Checks that codes exist, at the site or in an earlier sheet.

use std::{borrow::Cow, collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use takt_contract::{FieldPair, RefersTo, UnknownReference};

use super::context::ReferenceContext;
use takt_browse::reference::{Freshness, MAX_CACHED_TEXTS, ReferenceList, ReferenceSnapshot, find_similar_codes};
use takt_core::finding::{FindingCode, Severity};

use crate::{
    cell_value::ReadValue,
    mark::{FindingDetail, TargetFinding, TextParameters},
    target::TargetFields,
};

/// Maximum number of suggestions for one cell.
const MAX_SUGGESTIONS: usize = 3;

/// Checks that the codes of a field exist.
#[derive(Debug)]
pub(crate) struct CodeCheck {
    target: usize,
    refers_to: RefersTo,
    parent_field: Option<ParentField>,
    reference_list: Arc<ReferenceList>,
    context: ReferenceContext,
    severity: Severity,
    parameters: ParameterCache,
}

/// Caches the finding parameters of unknown codes. Rows with the same code share them, which saves memory if all codes
/// of a large sheet are unknown.
#[derive(Debug)]
struct ParameterCache {
    by_code: Mutex<HashMap<Box<str>, Arc<TextParameters>>>,
    empty: Arc<TextParameters>,
}

impl ParameterCache {
    fn get(&self, code: &str, find_nearest: impl FnOnce() -> Option<String>) -> Arc<TextParameters> {
        let mut cache = self.by_code.lock();
        if let Some(parameters) = cache.get(code) {
            return Arc::clone(parameters);
        }
        let nearest = if cache.len() < MAX_CACHED_TEXTS { find_nearest() } else { return Arc::clone(&self.empty) };
        let parameters =
            nearest.map_or_else(|| Arc::clone(&self.empty), |code| Arc::new(TextParameters::from([("near", code)])));
        cache.insert(code.into(), Arc::clone(&parameters));
        parameters
    }
}

/// The parent that a code belongs to. For example, an operation is looked up among the operations of its order.
#[derive(Debug)]
struct ParentField {
    /// The parent's field in the list.
    list_field: String,
    /// The parent's target in the sheet.
    target: usize,
    /// The index of the code in the list's rows.
    code_index: usize,
}

impl CodeCheck {
    /// Returns `None` if the parent's field or the code isn't among the fields or the list's columns.
    pub(super) fn new(
        target: usize,
        refers_to: &RefersTo,
        targets: &TargetFields,
        reference_list: Arc<ReferenceList>,
        age: Freshness,
        context: &ReferenceContext,
    ) -> Option<Self> {
        let parent_field = match refers_to.within.first() {
            Some(FieldPair { theirs, own }) => Some(ParentField {
                list_field: theirs.clone(),
                target: targets.index(own)?,
                code_index: reference_list.column_index(&refers_to.field)?,
            }),
            None => None,
        };
        // A missing code may exist by now, unless the list is fresh.
        let refused = refers_to.unknown == UnknownReference::Refused && age == Freshness::Fresh;
        let severity = if refused { Severity::Error } else { Severity::Warning };
        let parameters = ParameterCache { by_code: Mutex::default(), empty: Arc::default() };
        Some(Self {
            target,
            refers_to: refers_to.clone(),
            parent_field,
            reference_list,
            context: context.clone(),
            severity,
            parameters,
        })
    }

    pub(super) fn target(&self) -> usize {
        self.target
    }

    pub(super) fn check(&self, values: &[Option<ReadValue<'_>>]) -> Option<TargetFinding> {
        let code = comparable_text(values, self.target)?;
        let unknown = match &self.parent_field {
            None => self.is_unknown(&code),
            Some(parent_field) => {
                self.is_unknown_in_parent(parent_field, &comparable_text(values, parent_field.target)?, &code)
            }
        };
        unknown.then(|| {
            let parameters = match &self.parent_field {
                None => self.parameters.get(&code, || self.nearest_code(&code)),
                Some(parent_field) => {
                    let parent = comparable_text(values, parent_field.target).unwrap_or_default();
                    // Suggestions depend on the parent, so the cache key includes it.
                    self.parameters.get(&format!("{parent}\u{1f}{code}"), || {
                        self.nearest_code_in_parent(parent_field, &parent, &code)
                    })
                }
            };
            TargetFinding {
                target: self.target,
                severity: self.severity,
                code: FindingCode::UnknownCode,
                detail: FindingDetail::Parameters(parameters),
            }
        })
    }

    /// Returns the known codes that are like the text, nearest first. Returns none if codes belong to a parent.
    pub(super) fn find_similar_codes(&self, text: &str) -> Vec<String> {
        match &self.parent_field {
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
    fn is_unknown_in_parent(&self, parent_field: &ParentField, parent: &str, code: &str) -> bool {
        let rows = self.reference_list.find(&parent_field.list_field, parent);
        let predecessors = &self.context.predecessors;
        if rows.is_empty() && !predecessors.has_value(&self.refers_to, &parent_field.list_field, parent) {
            return false;
        }
        let has_code =
            |row: &u32| self.reference_list.value(*row, parent_field.code_index).is_some_and(|value| value == code);
        let pair = ((parent_field.list_field.as_str(), parent), (self.refers_to.field.as_str(), code));
        !rows.iter().any(has_code) && !predecessors.has_pair(&self.refers_to, pair.0, pair.1)
    }

    fn nearest_code(&self, code: &str) -> Option<String> {
        let list = self.refers_to.list.as_deref().unwrap_or_default();
        let reference: &ReferenceSnapshot = &self.context.reference;
        reference.similar_codes().find_similar_code(list, code, self.known_codes())
    }

    fn nearest_code_in_parent(&self, parent_field: &ParentField, parent: &str, code: &str) -> Option<String> {
        let rows = self.reference_list.find(&parent_field.list_field, parent).iter();
        let codes = rows.filter_map(|row| self.reference_list.value(*row, parent_field.code_index)?.as_str());
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
        other => Some(Cow::Owned(other.display_text())),
    }
}

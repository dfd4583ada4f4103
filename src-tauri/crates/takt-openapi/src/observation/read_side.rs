//! Learns changes from the reads that return them. No change is sent, so only a first trial run proves the result.

use std::collections::HashMap;

use takt_contract::{
    Contract, Field, FieldKind, Operation, OperationKind, Provenance, ProvenanceLevel, RowSchema,
    form::ValueForm,
    overlay::{FieldOverlay, OperationOverlay, Overlay, ShapeOverlay},
};

use super::{
    evidence::{Evidence, EvidenceKind, saturating_count},
    fields::{is_assumed, is_date_time_form},
};

const SOURCE: &str = "the answer of its read side; not tried yet";

/// Learns changes from the observed reads that return the changed rows.
pub(super) struct ReadSideLearner<'a> {
    /// The contract with the observed overlay.
    observed_contract: &'a Contract,
    /// The proposals for the responses, with the forms of date-times.
    proposed: &'a [OperationOverlay],
    /// The wire names of fields that occur several times and always with the same name, with the forms of date-times.
    common_names: HashMap<String, (String, Option<ValueForm>)>,
    /// Whether the site's members start with a capital.
    has_capitals: bool,
}

impl<'a> ReadSideLearner<'a> {
    /// Collects the names from the proposals and the observed overlay.
    pub(super) fn new(observed_contract: &'a Contract, observed: &Overlay, proposed: &'a [OperationOverlay]) -> Self {
        let mut names: HashMap<String, Vec<(String, Option<ValueForm>)>> = HashMap::new();
        let shapes = || proposed.iter().filter_map(|one| one.answer.as_ref());
        for field in shapes().flat_map(|answer| &answer.fields) {
            let wire = field.wire.clone().unwrap_or_else(|| field.name.clone());
            names.entry(field.name.clone()).or_default().push((wire, field.form.clone().filter(is_date_time_form)));
        }
        let common = names.into_iter().filter_map(|(name, seen)| {
            let first = seen.first()?.clone();
            (seen.len() > 1 && seen.iter().all(|(wire, _)| *wire == first.0)).then_some((name, first))
        });
        let wires: Vec<&str> = observed
            .operations
            .iter()
            .filter_map(|one| one.answer.as_ref())
            .flat_map(|answer| &answer.fields)
            .filter_map(|field| field.wire.as_deref())
            .collect();
        let has_capitals = !wires.is_empty() && wires.iter().all(|wire| wire.starts_with(char::is_uppercase));
        Self { observed_contract, proposed, common_names: common.collect(), has_capitals }
    }

    /// Learns a change, assuming that its fields have the names and forms with which they are read back.
    pub(super) fn observe_change(&self, change: &Operation, evidence: &mut Vec<Evidence>) -> Option<OperationOverlay> {
        let shape = change.request.as_ref().filter(|_| change.kind == OperationKind::Sync)?;
        let list = change.read_back.as_ref().map(|read| read.list.as_str());
        let read = list.filter(|list| self.proposed.iter().any(|operation| operation.id == *list));
        let answer = read.and_then(|list| self.observed_contract.operation(list)?.answer.as_ref());
        let fields: Vec<FieldOverlay> =
            shape.fields.iter().filter_map(|field| self.observe_field(change, field, answer, read)).collect();
        let member = self.capitalized_member(shape);
        if fields.is_empty() {
            return None;
        }
        if let Some(read) = read {
            evidence.push(Evidence::for_operation(
                &change.id,
                EvidenceKind::ReadSide,
                read,
                saturating_count(fields.len()),
                0,
            ));
        }
        if let Some(member) = &member {
            evidence.push(Evidence::for_operation(&change.id, EvidenceKind::Capital, member, 0, 0));
        }
        let known_provenance = Some(change.provenance.clone()).filter(|provenance| !is_assumed(provenance));
        let mut operation = OperationOverlay::new(&change.id, known_provenance.unwrap_or_else(observed_provenance));
        operation.request = Some(ShapeOverlay { member, fields, ..ShapeOverlay::default() });
        operation.untried = Some(true);
        Some(operation)
    }

    /// Returns the list's name with capitals if the site's members have them.
    fn capitalized_member(&self, shape: &RowSchema) -> Option<String> {
        let capitalize = |step: &str| {
            let mut letters = step.chars();
            letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>()).unwrap_or_default()
        };
        let member = shape.member.split('.').map(capitalize).collect::<Vec<_>>().join(".");
        (self.has_capitals && member != shape.member).then_some(member)
    }

    fn observe_field(
        &self,
        change: &Operation,
        field: &Field,
        answer: Option<&RowSchema>,
        list: Option<&str>,
    ) -> Option<FieldOverlay> {
        if !is_assumed(&field.provenance) {
            return None;
        }
        let read = change.read_back.as_ref();
        let pair = read.and_then(|read| read.key.iter().find(|pair| pair.own == field.name));
        let theirs = pair.map_or(field.name.as_str(), |pair| pair.theirs.as_str());
        let entry = read.and_then(|read| read.entry.as_ref());
        let part = entry.and_then(|entry| answer?.fields.iter().find(|shown| shown.name == entry.list));
        let shown =
            answer.and_then(|answer| answer.fields.iter().find(|shown| shown.name == theirs)).filter(is_observed);
        let shown = shown.or_else(|| part?.fields.iter().find(|shown| shown.name == field.name).filter(is_observed));
        match shown {
            Some(shown) => overlay_from_observed(field, shown, self.date_time_form(list, theirs)),
            None => {
                let (wire, date_time_form) = self.common_names.get(&field.name)?;
                let form = date_time_form.clone().filter(|_| field.kind == FieldKind::DateTime);
                let differs = *wire != field.wire_name() || form.as_ref().is_some_and(|form| *form != field.form);
                let wire = Some(wire.clone());
                differs.then(|| FieldOverlay { wire, form, ..FieldOverlay::new(&field.name, observed_provenance()) })
            }
        }
    }

    /// Returns the form of the date-times in a list's field.
    fn date_time_form(&self, list: Option<&str>, field: &str) -> Option<ValueForm> {
        let proposed = self.proposed.iter().find(|operation| Some(operation.id.as_str()) == list)?;
        let field = proposed.answer.as_ref()?.fields.iter().find(|shown| shown.name == field)?;
        field.form.clone().filter(is_date_time_form)
    }
}

fn is_observed(field: &&Field) -> bool {
    field.provenance.level == ProvenanceLevel::Observed
}

/// Returns the overlay that gives a sent field the name and form of an observed one. None if nothing differs.
fn overlay_from_observed(field: &Field, shown: &Field, date_time_form: Option<ValueForm>) -> Option<FieldOverlay> {
    let mut overlay = FieldOverlay::new(&field.name, observed_provenance());
    overlay.wire = shown.wire.clone().filter(|wire| wire != field.wire_name());
    let form = match (&shown.form, field.kind) {
        (_, FieldKind::DateTime) => date_time_form,
        (ValueForm::DurationIso | ValueForm::DurationNumber { .. }, FieldKind::Duration | FieldKind::TimeSpan)
        | (ValueForm::Codes { .. }, FieldKind::Text) => Some(shown.form.clone()),
        _ => None,
    };
    overlay.form = form.filter(|form| *form != field.form);
    if let Some(ValueForm::Codes { .. }) = &overlay.form {
        overlay.limits = Some(takt_contract::Limits { values: shown.limits.values.clone(), ..field.limits.clone() });
    }
    let part = |field: &Field| {
        let shown = shown.fields.iter().find(|shown| shown.name == field.name).filter(is_observed)?;
        is_assumed(&field.provenance).then(|| overlay_from_observed(field, shown, None))?
    };
    overlay.fields = field.fields.iter().filter_map(part).collect();
    let differs = overlay.wire.is_some() || overlay.form.is_some() || !overlay.fields.is_empty();
    differs.then_some(overlay)
}

fn observed_provenance() -> Provenance {
    Provenance { level: ProvenanceLevel::Observed, source: SOURCE.to_owned() }
}

//! Compares two contracts, for the review of a site's contract before it is applied.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use takt_contract::{
    Contract, Field, FieldKind, Operation, Parameter, Provenance, ProvenanceLevel, RowSchema,
    form::{DurationUnit, EpochUnit, ValueForm},
};

/// The change of an operation or a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum DifferenceKind {
    Added,
    Gone,
    Changed,
    /// Only the provenance changes.
    Confirmed,
}

/// The differences of one operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct OperationDifference {
    pub id: String,
    pub kind: DifferenceKind,
    /// None if the operation is added.
    pub before: Option<ProvenanceLevel>,
    /// None if the operation is gone.
    pub after: Option<ProvenanceLevel>,
    /// Differences that aren't about a single field: address, paging, body.
    pub parts: Vec<PartDifference>,
    pub fields: Vec<FieldDifference>,
}

/// A part of an operation that isn't a single field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum OperationPart {
    Method,
    Path,
    Paging,
    /// The member of a request with the list of items.
    RequestList,
    /// The member of a response with the rows.
    AnswerList,
    /// The form of a batch's response.
    BatchAnswer,
    Key,
    ReadBack,
}

/// A part before and after, as text. Empty if the part is absent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PartDifference {
    pub part: OperationPart,
    pub before: String,
    pub after: String,
}

/// The part of an operation that has a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum FieldPlace {
    Parameter,
    Request,
    Answer,
}

/// The difference of a field or parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FieldDifference {
    pub place: FieldPlace,
    /// The field's name in Takt, after the names of its enclosing fields: `rawMaterials.code`.
    pub path: String,
    pub kind: DifferenceKind,
    pub before: Option<FieldState>,
    pub after: Option<FieldState>,
}

/// The properties of a field that are compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FieldState {
    /// The field's name on the wire.
    pub name: String,
    pub kind: FieldKind,
    pub required: bool,
    /// The form of the value on the wire. None if Takt uses the same form.
    pub form: Option<FormName>,
    pub level: ProvenanceLevel,
}

/// A form of a value, including its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum FormName {
    TimeSpanObject,
    DurationIso,
    DurationTicks,
    DurationMilliseconds,
    DurationSeconds,
    DurationMinutes,
    DurationHours,
    DurationDays,
    OffsetDateTime,
    UtcDateTime,
    DateOnly,
    EpochSeconds,
    EpochMilliseconds,
    Codes,
    Quoted,
}

impl FormName {
    /// Returns the name of a form. None if the wire form is the same as in Takt.
    fn from_form(form: &ValueForm) -> Option<Self> {
        Some(match form {
            ValueForm::AsIs => return None,
            ValueForm::TimeSpanObject => Self::TimeSpanObject,
            ValueForm::DurationIso => Self::DurationIso,
            ValueForm::DurationNumber { unit } => match unit {
                DurationUnit::Ticks => Self::DurationTicks,
                DurationUnit::Milliseconds => Self::DurationMilliseconds,
                DurationUnit::Seconds => Self::DurationSeconds,
                DurationUnit::Minutes => Self::DurationMinutes,
                DurationUnit::Hours => Self::DurationHours,
                DurationUnit::Days => Self::DurationDays,
            },
            ValueForm::OffsetDateTime => Self::OffsetDateTime,
            ValueForm::UtcDateTime => Self::UtcDateTime,
            ValueForm::DateOnly => Self::DateOnly,
            ValueForm::Epoch { unit: EpochUnit::Seconds } => Self::EpochSeconds,
            ValueForm::Epoch { unit: EpochUnit::Milliseconds } => Self::EpochMilliseconds,
            ValueForm::Codes { .. } => Self::Codes,
            ValueForm::Quoted => Self::Quoted,
        })
    }
}

/// An assumption about the service whose value changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct AssumptionDifference {
    /// The assumption's id, for example `sent-lists`.
    pub id: String,
    /// The question that the specification leaves open.
    pub subject: String,
    pub before: Option<Value>,
    pub after: Option<Value>,
}

/// Returns the assumptions whose values differ, in the second contract's order.
#[must_use]
pub fn compare_assumptions(before: &Contract, after: &Contract) -> Vec<AssumptionDifference> {
    let differing = after.assumptions().iter().filter_map(|assumption| {
        let known = before.assumption(&assumption.id);
        (known != assumption.value.as_ref()).then(|| AssumptionDifference {
            id: assumption.id.clone(),
            subject: assumption.subject.clone(),
            before: known.cloned(),
            after: assumption.value.clone(),
        })
    });
    differing.collect()
}

/// Returns the operations that differ, in the second contract's order, with removed ones last.
#[must_use]
pub fn compare_contracts(before: &Contract, after: &Contract) -> Vec<OperationDifference> {
    let changed = after.operations().iter().filter_map(|operation| match before.operation(&operation.id) {
        Some(known) => find_operation_difference(known, operation),
        None => Some(compare_operations(operation, None, Some(operation))),
    });
    let gone = before.operations().iter().filter(|known| after.operation(&known.id).is_none());
    changed.chain(gone.map(|known| compare_operations(known, Some(known), None))).collect()
}

fn find_operation_difference(before: &Operation, after: &Operation) -> Option<OperationDifference> {
    let difference = compare_operations(after, Some(before), Some(after));
    let differs =
        difference.before != difference.after || !difference.parts.is_empty() || !difference.fields.is_empty();
    differs.then_some(difference)
}

fn compare_operations(named: &Operation, before: Option<&Operation>, after: Option<&Operation>) -> OperationDifference {
    let (parts, fields) = (compare_parts(before, after), compare_fields(before, after));
    let only_confirmed = parts.is_empty() && fields.iter().all(|field| field.kind == DifferenceKind::Confirmed);
    let kind = match (before, after) {
        (None, _) => DifferenceKind::Added,
        (_, None) => DifferenceKind::Gone,
        _ if only_confirmed => DifferenceKind::Confirmed,
        _ => DifferenceKind::Changed,
    };
    let level = |operation: Option<&Operation>| operation.map(|operation| operation.provenance.level);
    OperationDifference { id: named.id.clone(), kind, before: level(before), after: level(after), parts, fields }
}

/// Formats a part as text.
type PartFormatter = fn(&Operation) -> String;

fn compare_parts(before: Option<&Operation>, after: Option<&Operation>) -> Vec<PartDifference> {
    let parts: [(OperationPart, PartFormatter); 8] = [
        (OperationPart::Method, |operation| operation.method.clone()),
        (OperationPart::Path, |operation| operation.path.clone()),
        (OperationPart::Paging, format_paging),
        (OperationPart::RequestList, |operation| format_list_member(operation.request.as_ref())),
        (OperationPart::AnswerList, |operation| format_list_member(operation.answer.as_ref())),
        (OperationPart::BatchAnswer, format_batch),
        (OperationPart::Key, |operation| operation.key.join(", ")),
        (OperationPart::ReadBack, |operation| {
            operation.read_back.as_ref().map_or_else(String::new, |read| read.list.clone())
        }),
    ];
    let differs = |(part, text): (OperationPart, fn(&Operation) -> String)| {
        let (before, after) = (before.map(text).unwrap_or_default(), after.map(text).unwrap_or_default());
        (before != after).then_some(PartDifference { part, before, after })
    };
    parts.into_iter().filter_map(differs).collect()
}

fn format_list_member(shape: Option<&RowSchema>) -> String {
    shape.map(|shape| if shape.member.is_empty() { "[…]".to_owned() } else { shape.member.clone() }).unwrap_or_default()
}

fn format_paging(operation: &Operation) -> String {
    let paging = &operation.paging;
    match (operation.paged, &paging.limit) {
        (false, _) => String::new(),
        (true, Some(limit)) => format!("{}={}…, {limit}≤{}", paging.page, paging.first, paging.rows),
        (true, None) => format!("{}={}…", paging.page, paging.first),
    }
}

fn format_batch(operation: &Operation) -> String {
    let form = &operation.batch;
    let list = if form.results.is_empty() { "[…]" } else { &form.results };
    match (&operation.request, &form.success, form.only_failures) {
        (None, ..) => String::new(),
        (Some(_), _, true) => format!("{list}: ✗"),
        (Some(_), Some(success), false) => format!("{list}: {}", success.name),
        (Some(_), None, false) => list.to_owned(),
    }
}

fn compare_fields(before: Option<&Operation>, after: Option<&Operation>) -> Vec<FieldDifference> {
    let (mut before, mut after) =
        (before.map(collect_field_states).unwrap_or_default(), after.map(collect_field_states).unwrap_or_default());
    let mut keys: Vec<_> = after.keys().chain(before.keys()).cloned().collect();
    keys.sort();
    keys.dedup();
    let differs = |key: (FieldPlace, String)| {
        let (before, after) = (before.remove(&key), after.remove(&key));
        let kind = match (&before, &after) {
            (None, _) => DifferenceKind::Added,
            (_, None) => DifferenceKind::Gone,
            (Some(before), Some(after)) if before == after => return None,
            (Some(before), Some(after)) if before.has_same_properties(after) => DifferenceKind::Confirmed,
            _ => DifferenceKind::Changed,
        };
        Some(FieldDifference { place: key.0, path: key.1, kind, before, after })
    };
    keys.into_iter().filter_map(differs).collect()
}

impl FieldState {
    fn has_same_properties(&self, other: &Self) -> bool {
        (&self.name, self.kind, self.required, &self.form) == (&other.name, other.kind, other.required, &other.form)
    }
}

fn collect_field_states(operation: &Operation) -> BTreeMap<(FieldPlace, String), FieldState> {
    let parameters = operation
        .parameters
        .iter()
        .map(|parameter| ((FieldPlace::Parameter, parameter.name.clone()), parameter_state(parameter)));
    let shapes = [(FieldPlace::Request, &operation.request), (FieldPlace::Answer, &operation.answer)];
    let fields =
        shapes.into_iter().filter_map(|(place, shape)| Some((place, shape.as_ref()?))).flat_map(|(place, shape)| {
            shape.fields_with_paths().into_iter().map(move |(path, field)| ((place, path), field_state(field)))
        });
    parameters.chain(fields).collect()
}

fn parameter_state(parameter: &Parameter) -> FieldState {
    let Provenance { level, .. } = parameter.provenance;
    let form = FormName::from_form(&parameter.form);
    FieldState {
        name: parameter.wire_name().to_owned(),
        kind: parameter.kind,
        required: parameter.required,
        form,
        level,
    }
}

fn field_state(field: &Field) -> FieldState {
    let (name, form) = (field.wire_name().to_owned(), FormName::from_form(&field.form));
    FieldState { name, kind: field.kind, required: field.required, form, level: field.provenance.level }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use takt_contract::overlay::{FieldOverlay, OperationOverlay, Overlay, ShapeOverlay};

    use super::*;

    fn site() -> Provenance {
        Provenance { level: ProvenanceLevel::Site, source: "test".to_owned() }
    }

    #[test]
    fn a_renamed_field_and_a_moved_list_are_told() {
        let before = Contract::builtin().unwrap();
        let mut operation = OperationOverlay::new("materials.list", site());
        operation.path = Some("/articles".to_owned());
        let code = FieldOverlay { wire: Some("ArticleNumber".to_owned()), ..FieldOverlay::new("code", site()) };
        let same = FieldOverlay::new("description", site());
        let fields = vec![code, same];
        operation.answer =
            Some(ShapeOverlay { member: Some("Data.Items".to_owned()), fields, ..ShapeOverlay::default() });
        let overlay = Overlay { operations: vec![operation], ..Overlay::default() };
        let differences = compare_contracts(&before, &before.with_overlay(&overlay, &TimeZone::UTC));
        let [difference] = differences.as_slice() else { panic!("{differences:?}") };
        assert_eq!((difference.id.as_str(), difference.kind), ("materials.list", DifferenceKind::Changed));
        let parts: Vec<_> = difference.parts.iter().map(|part| (part.part, part.after.as_str())).collect();
        assert_eq!(parts, [(OperationPart::Path, "/articles"), (OperationPart::AnswerList, "Data.Items")]);
        let fields: Vec<_> = difference.fields.iter().map(|field| (field.path.as_str(), field.kind)).collect();
        assert_eq!(fields, [("code", DifferenceKind::Changed), ("description", DifferenceKind::Confirmed)]);
        assert_eq!(difference.fields[0].after.as_ref().unwrap().name, "ArticleNumber");
    }

    #[test]
    fn a_contract_differs_in_nothing_from_itself() {
        let contract = Contract::builtin().unwrap();
        assert_eq!(compare_contracts(&contract, &contract), []);
    }
}

//! Learns fields from rows: their names, types and forms, each with its evidence.

use serde_json::Value;
use takt_contract::{
    Field, FieldKind, Limits, Provenance, ProvenanceLevel,
    form::{CodeName, Scalar, ValueForm},
    overlay::FieldOverlay,
};

use super::evidence::{Evidence, EvidenceKind, saturating_count};

/// The maximum number of distinct integers that can be codes. If there are more, they are amounts or identifiers.
const MAX_CODES: usize = 20;

/// The object whose fields are observed.
pub(super) struct ObservedObject<'a> {
    pub(super) operation: &'a str,
    /// The names of the enclosing fields, each followed by a dot.
    pub(super) prefix: String,
    /// The fields of the business key.
    pub(super) key: &'a [String],
    pub(super) provenance: &'a Provenance,
}

/// Checks proposed fields against `rows`. A field that only confirms an earlier statement keeps its provenance.
pub(super) fn observe_fields(
    context: &ObservedObject<'_>,
    fields: &[FieldOverlay],
    known: &[Field],
    rows: &[&Value],
    evidence: &mut Vec<Evidence>,
) -> Vec<FieldOverlay> {
    fields
        .iter()
        .map(|field| observe_field(context, field, known.iter().find(|known| known.name == field.name), rows, evidence))
        .collect()
}

fn observe_field(
    context: &ObservedObject<'_>,
    field: &FieldOverlay,
    known: Option<&Field>,
    rows: &[&Value],
    evidence: &mut Vec<Evidence>,
) -> FieldOverlay {
    let wire = field.wire.as_deref().unwrap_or(&field.name);
    let values: Vec<&Value> = rows.iter().filter_map(|row| row.get(wire)).collect();
    let agrees = known.is_some_and(|known| fits_contract(known, field));
    let renamed = known.is_none_or(|known| known.wire_name() != wire);
    let mut add_evidence = |kind, name: &str, (count, of)| {
        let (operation, field) = (context.operation.to_owned(), format!("{}{}", context.prefix, field.name));
        evidence.push(Evidence { operation, field, kind, name: name.to_owned(), count, of });
    };
    if renamed {
        add_evidence(EvidenceKind::Member, wire, (saturating_count(values.len()), saturating_count(rows.len())));
    }
    let known_provenance =
        known.map(|known| known.provenance.clone()).filter(|provenance| agrees && !renamed && !is_assumed(provenance));
    let mut overlay = FieldOverlay {
        wire: Some(wire.to_owned()),
        kind: field.kind.filter(|_| !agrees),
        form: field.form.clone().filter(|form| !agrees && !is_date_time_form(form)),
        names: field.names.clone().filter(|_| known.is_none()),
        ..FieldOverlay::new(&field.name, known_provenance.unwrap_or_else(|| context.provenance.clone()))
    };
    let found = known.filter(|_| !agrees).and_then(|known| Some((known, find_codes(context, known, field, &values)?)));
    if let Some((known, codes)) = found {
        let in_order = with_contract_words(&codes, &known.limits.values);
        let (kind, codes) = match in_order {
            Some(in_order) => (EvidenceKind::CodesInOrder, in_order),
            None => (EvidenceKind::Codes, codes),
        };
        let names: Vec<String> = codes.iter().map(|code| code.name.clone()).collect();
        let code_text = |code: &CodeName| match kind {
            EvidenceKind::CodesInOrder => format!("{} = {}", code.wire.to_json(), code.name),
            _ => code.name.clone(),
        };
        let code_texts: Vec<String> = codes.iter().map(code_text).collect();
        add_evidence(kind, &code_texts.join(", "), (saturating_count(names.len()), saturating_count(values.len())));
        overlay.limits = Some(Limits { values: names, ..known.limits.clone() });
        (overlay.kind, overlay.form) = (Some(FieldKind::Text), Some(ValueForm::Codes { codes }));
    }
    let date_times = values.iter().filter_map(|value| value.as_str()).filter(|text| !text.is_empty());
    match (&field.form, &overlay.form) {
        (Some(ValueForm::OffsetDateTime | ValueForm::UtcDateTime), _) if renamed || !agrees => {
            let date_times: Vec<&str> = date_times.collect();
            let offsets = date_times.iter().filter(|text| has_offset(text)).count();
            add_evidence(EvidenceKind::Offset, "", (saturating_count(offsets), saturating_count(date_times.len())));
        }
        (_, Some(ValueForm::DurationIso)) => {
            let count = saturating_count(date_times.count());
            add_evidence(EvidenceKind::IsoDuration, "", (count, count));
        }
        (_, Some(ValueForm::DurationNumber { unit })) => {
            let unit = serde_json::to_value(unit).unwrap_or_default();
            let count = saturating_count(values.iter().filter(|value| value.is_number()).count());
            add_evidence(EvidenceKind::NumberOfTime, unit.as_str().unwrap_or_default(), (count, count));
        }
        (_, None | Some(ValueForm::AsIs)) if overlay.kind.is_some() && known.is_some() => {
            let kind = serde_json::to_value(overlay.kind).unwrap_or_default();
            add_evidence(
                EvidenceKind::Type,
                kind.as_str().unwrap_or_default(),
                (saturating_count(values.len()), saturating_count(values.len())),
            );
        }
        _ => {}
    }
    let parts: Vec<&Value> = values.iter().flat_map(|value| objects_in(value)).collect();
    let inner = ObservedObject { prefix: format!("{}{}.", context.prefix, field.name), ..*context };
    overlay.fields =
        observe_fields(&inner, &field.fields, known.map_or(&[][..], |known| &known.fields), &parts, evidence);
    overlay
}

/// Returns the elements of a list, or the object itself. Empty for other values.
fn objects_in(value: &Value) -> &[Value] {
    match value {
        Value::Array(parts) => parts,
        Value::Object(_) => std::slice::from_ref(value),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => &[],
    }
}

fn has_offset(text: &str) -> bool {
    text.split_once('T').is_some_and(|(_, time)| time.ends_with(['Z', 'z']) || time.contains(['+', '-']))
}

/// Returns a few repeated integers of a text field as codes. The user must name them.
fn find_codes(
    context: &ObservedObject<'_>,
    known: &Field,
    field: &FieldOverlay,
    values: &[&Value],
) -> Option<Vec<CodeName>> {
    if known.kind != FieldKind::Text || field.kind != Some(FieldKind::Integer) || context.key.contains(&known.name) {
        return None;
    }
    let numbers: Vec<i32> = values.iter().filter_map(|value| i32::try_from(value.as_i64()?).ok()).collect();
    let mut distinct = numbers.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let is_repeated = numbers.len() >= distinct.len() * 2 || !known.limits.values.is_empty();
    if distinct.is_empty() || distinct.len() > MAX_CODES || !is_repeated {
        return None;
    }
    Some(distinct.iter().map(|code| CodeName { name: code.to_string(), wire: Scalar::Number(*code) }).collect())
}

/// Returns codes with the contract's words if the numbers are consecutive and there are as many of them as words.
/// Services number their words in order. The user must still check the assignment.
fn with_contract_words(codes: &[CodeName], words: &[String]) -> Option<Vec<CodeName>> {
    let numbers: Vec<i32> = codes.iter().filter_map(|code| code.name.parse().ok()).collect();
    let first = *numbers.first().filter(|first| matches!(first, 0 | 1))?;
    let is_consecutive = numbers.iter().zip(first..).all(|(number, expected)| *number == expected);
    let is_complete = is_consecutive && numbers.len() == codes.len() && codes.len() == words.len();
    let with_words =
        codes.iter().zip(words).map(|(code, word)| CodeName { name: word.clone(), wire: code.wire.clone() });
    is_complete.then(|| with_words.collect())
}

/// Returns whether the observed values fit the contract. A field with a special form may have any value. Text may look
/// like a date or duration, and an integer is also a number.
fn fits_contract(known: &Field, field: &FieldOverlay) -> bool {
    let Some(kind) = field.kind else { return true };
    let looks_alike = match (known.kind, kind) {
        (FieldKind::Text, FieldKind::DateTime | FieldKind::Duration) | (FieldKind::Number, FieldKind::Integer) => true,
        (known, kind) => {
            known == kind && field.form.as_ref().is_none_or(|form| *form == ValueForm::AsIs || is_date_time_form(form))
        }
    };
    known.form != ValueForm::AsIs || looks_alike
}

pub(super) fn is_assumed(provenance: &Provenance) -> bool {
    provenance.level == ProvenanceLevel::Assumed
}

pub(super) fn is_date_time_form(form: &ValueForm) -> bool {
    matches!(form, ValueForm::OffsetDateTime | ValueForm::UtcDateTime | ValueForm::DateOnly)
}

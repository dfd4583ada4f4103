//! Fields as rows show them: their names, types and forms, each with what proves it.

use serde_json::Value;
use takt_contract::{
    Field, FieldKind, Limits, Provenance, ProvenanceLevel,
    form::{CodeName, Scalar, ValueForm},
    overlay::FieldOverlay,
};

use super::evidence::{Evidence, EvidenceKind, told};

/// More different whole numbers than this are amounts or identifiers, not codes.
const MAX_CODES: usize = 20;

/// Where the fields stand.
pub(super) struct Place<'a> {
    pub(super) operation: &'a str,
    /// The carriers of a part, each with a dot behind it.
    pub(super) front: String,
    /// Fields that tell rows apart.
    pub(super) key: &'a [String],
    pub(super) seen: &'a Provenance,
}

/// What `rows` show of fields that were proposed for them. Who said so before keeps the word where rows only agree.
pub(super) fn observed_fields(
    place: &Place<'_>,
    fields: &[FieldOverlay],
    known: &[Field],
    rows: &[&Value],
    evidence: &mut Vec<Evidence>,
) -> Vec<FieldOverlay> {
    fields
        .iter()
        .map(|field| observed_field(place, field, known.iter().find(|known| known.name == field.name), rows, evidence))
        .collect()
}

fn observed_field(
    place: &Place<'_>,
    field: &FieldOverlay,
    known: Option<&Field>,
    rows: &[&Value],
    evidence: &mut Vec<Evidence>,
) -> FieldOverlay {
    let wire = field.wire.as_deref().unwrap_or(&field.name);
    let values: Vec<&Value> = rows.iter().filter_map(|row| row.get(wire)).collect();
    let agrees = known.is_some_and(|known| agrees(known, field));
    let renamed = known.is_none_or(|known| known.wire_name() != wire);
    let mut tell = |kind, name: &str, (count, of)| {
        let (operation, field) = (place.operation.to_owned(), format!("{}{}", place.front, field.name));
        evidence.push(Evidence { operation, field, kind, name: name.to_owned(), count, of });
    };
    if renamed {
        tell(EvidenceKind::Member, wire, (told(values.len()), told(rows.len())));
    }
    let said = known.map(|known| known.provenance.clone()).filter(|said| agrees && !renamed && !is_assumed(said));
    let mut overlay = FieldOverlay {
        wire: Some(wire.to_owned()),
        kind: field.kind.filter(|_| !agrees),
        form: field.form.clone().filter(|form| !agrees && !is_moment(form)),
        names: field.names.clone().filter(|_| known.is_none()),
        ..FieldOverlay::new(&field.name, said.unwrap_or_else(|| place.seen.clone()))
    };
    let found = known.filter(|_| !agrees).and_then(|known| Some((known, codes(place, known, field, &values)?)));
    if let Some((known, codes)) = found {
        let named = in_words(&codes, &known.limits.values);
        let (kind, codes) = match named {
            Some(named) => (EvidenceKind::CodesInOrder, named),
            None => (EvidenceKind::Codes, codes),
        };
        let names: Vec<String> = codes.iter().map(|code| code.name.clone()).collect();
        let shown = |code: &CodeName| match kind {
            EvidenceKind::CodesInOrder => format!("{} = {}", code.wire.json(), code.name),
            _ => code.name.clone(),
        };
        let shown: Vec<String> = codes.iter().map(shown).collect();
        tell(kind, &shown.join(", "), (told(names.len()), told(values.len())));
        overlay.limits = Some(Limits { values: names, ..known.limits.clone() });
        (overlay.kind, overlay.form) = (Some(FieldKind::Text), Some(ValueForm::Codes { codes }));
    }
    let moments = values.iter().filter_map(|value| value.as_str()).filter(|text| !text.is_empty());
    match (&field.form, &overlay.form) {
        (Some(ValueForm::OffsetDateTime | ValueForm::UtcDateTime), _) if renamed || !agrees => {
            let moments: Vec<&str> = moments.collect();
            let offsets = moments.iter().filter(|text| has_offset(text)).count();
            tell(EvidenceKind::Offset, "", (told(offsets), told(moments.len())));
        }
        (_, Some(ValueForm::DurationIso)) => {
            let count = told(moments.count());
            tell(EvidenceKind::IsoDuration, "", (count, count));
        }
        (_, Some(ValueForm::DurationNumber { unit })) => {
            let unit = serde_json::to_value(unit).unwrap_or_default();
            let count = told(values.iter().filter(|value| value.is_number()).count());
            tell(EvidenceKind::NumberOfTime, unit.as_str().unwrap_or_default(), (count, count));
        }
        (_, None | Some(ValueForm::AsIs)) if overlay.kind.is_some() && known.is_some() => {
            let kind = serde_json::to_value(overlay.kind).unwrap_or_default();
            tell(EvidenceKind::Type, kind.as_str().unwrap_or_default(), (told(values.len()), told(values.len())));
        }
        _ => {}
    }
    let parts: Vec<&Value> = values.iter().flat_map(|value| parts(value)).collect();
    let inner = Place { front: format!("{}{}.", place.front, field.name), ..*place };
    overlay.fields =
        observed_fields(&inner, &field.fields, known.map_or(&[][..], |known| &known.fields), &parts, evidence);
    overlay
}

fn parts(value: &Value) -> &[Value] {
    match value {
        Value::Array(parts) => parts,
        Value::Object(_) => std::slice::from_ref(value),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => &[],
    }
}

fn has_offset(text: &str) -> bool {
    text.split_once('T').is_some_and(|(_, time)| time.ends_with(['Z', 'z']) || time.contains(['+', '-']))
}

/// Whole numbers where people read words, and few of them that come again: their names are to be said by a person.
fn codes(place: &Place<'_>, known: &Field, field: &FieldOverlay, values: &[&Value]) -> Option<Vec<CodeName>> {
    if known.kind != FieldKind::Text || field.kind != Some(FieldKind::Integer) || place.key.contains(&known.name) {
        return None;
    }
    let numbers: Vec<i32> = values.iter().filter_map(|value| i32::try_from(value.as_i64()?).ok()).collect();
    let mut distinct = numbers.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let come_again = numbers.len() >= distinct.len() * 2 || !known.limits.values.is_empty();
    if distinct.is_empty() || distinct.len() > MAX_CODES || !come_again {
        return None;
    }
    Some(distinct.iter().map(|code| CodeName { name: code.to_string(), wire: Scalar::Number(*code) }).collect())
}

/// The contract's words for codes, where there are as many and the numbers follow each other without a gap: services number
/// their words in order. Which word is which is still for a person to look at.
fn in_words(codes: &[CodeName], words: &[String]) -> Option<Vec<CodeName>> {
    let numbers: Vec<i32> = codes.iter().filter_map(|code| code.name.parse().ok()).collect();
    let first = *numbers.first().filter(|first| matches!(first, 0 | 1))?;
    let follow = numbers.iter().zip(first..).all(|(number, expected)| *number == expected);
    let agree = follow && numbers.len() == codes.len() && codes.len() == words.len();
    let named = codes.iter().zip(words).map(|(code, word)| CodeName { name: word.clone(), wire: code.wire.clone() });
    agree.then(|| named.collect())
}

/// Whether what came may well be what the contract says: a form of its own explains any value, text may look like anything, and
/// a whole number is a number, too.
fn agrees(known: &Field, field: &FieldOverlay) -> bool {
    let Some(kind) = field.kind else { return true };
    let looks_alike = match (known.kind, kind) {
        (FieldKind::Text, FieldKind::DateTime | FieldKind::Duration) | (FieldKind::Number, FieldKind::Integer) => true,
        (known, kind) => {
            known == kind && field.form.as_ref().is_none_or(|form| *form == ValueForm::AsIs || is_moment(form))
        }
    };
    known.form != ValueForm::AsIs || looks_alike
}

pub(super) fn is_assumed(provenance: &Provenance) -> bool {
    provenance.level == ProvenanceLevel::Assumed
}

pub(super) fn is_moment(form: &ValueForm) -> bool {
    matches!(form, ValueForm::OffsetDateTime | ValueForm::UtcDateTime | ValueForm::DateOnly)
}

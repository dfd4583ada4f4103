//! Matches members of the document's objects with fields of the contract.

use std::collections::BTreeSet;

use serde::Serialize;
use takt_contract::{Field, FieldKind, Names};

use super::{assign::assign_rows, profile::subject_concepts, score::to_f64};
use crate::{
    Document,
    schema::Schema,
    value,
    words::{Vocabulary, join_words},
};

/// The score from which a member is matched with a field.
pub(crate) const FIELD_THRESHOLD: f64 = 0.60;
/// The score for matches that take effect without a review. Names that are only similar stay below it.
pub(crate) const SURE_FIELD_THRESHOLD: f64 = 0.75;
/// Pairs of names with the same meaning in a list.
const INTERCHANGEABLE_NAMES: [[&str; 2]; 2] = [["code", "id"], ["description", "name"]];
/// The maximum number of members and fields of an object that are compared.
const MAX_FIELDS: usize = 300;

/// The match of a field with a member.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct FieldMatch {
    /// The name of the contract's field.
    pub field: String,
    /// The document's member. None if no member is certain enough.
    pub member: Option<String>,
    pub score: f64,
    pub reason: Option<FieldReason>,
}

/// The reason why a member is matched with a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub enum FieldReason {
    /// The document's mark names the field.
    Mark,
    SameName,
    /// The same name except for case.
    SameLetters,
    SameWords,
    /// Different words with the same meaning.
    SameMeaning,
    /// A name or synonym that the importer knows.
    Synonym,
    /// The same name without the name of its object.
    WithoutObject,
    Similar,
}

/// A name in the forms used for comparison.
struct ComparedName {
    text: String,
    joined_words: String,
    /// The concepts, sorted.
    concepts: Vec<String>,
    /// The concepts without the object's concepts.
    own_concepts: Vec<String>,
    kind: Option<FieldKind>,
}

/// A member or parameter to match with fields.
pub(crate) struct MemberName {
    pub(crate) name: String,
    pub(crate) kind: Option<FieldKind>,
    /// The document's mark.
    pub(crate) mark: Option<String>,
}

/// Matches each field with a member. A member is used for one field at most.
///
/// `object_names` are the object's id or path in the contract and in the document.
#[must_use]
pub fn match_fields(
    document: &Document,
    item: &Schema<'_>,
    fields: &[Field],
    object_names: [&str; 2],
) -> Vec<FieldMatch> {
    match_members(document, item, fields, object_names, FIELD_THRESHOLD)
}

/// Like [`match_fields`], but with scores from `min_score` on.
pub(crate) fn match_members(
    document: &Document,
    item: &Schema<'_>,
    fields: &[Field],
    object_names: [&str; 2],
    min_score: f64,
) -> Vec<FieldMatch> {
    let members = item.members.iter().take(MAX_FIELDS).map(|member| {
        let schema = document.resolve(&member.node);
        let mark = schema.mark("x-takt-field").and_then(serde_json::Value::as_str).map(str::to_owned);
        MemberName { name: member.name.to_owned(), kind: value::kind_from_schema(&schema), mark }
    });
    match_names_from(&members.collect::<Vec<_>>(), fields, object_names, min_score)
}

/// Matches names without the schema of an object.
pub(crate) fn match_names(members: &[MemberName], fields: &[Field], object_names: [&str; 2]) -> Vec<FieldMatch> {
    match_names_from(members, fields, object_names, FIELD_THRESHOLD)
}

fn match_names_from(
    members: &[MemberName],
    fields: &[Field],
    object_names: [&str; 2],
    min_score: f64,
) -> Vec<FieldMatch> {
    let [contract_subject, document_subject] = object_names.map(|text| subject_concepts(text, ""));
    let compared: Vec<ComparedName> = members
        .iter()
        .map(|member| ComparedName::new(last_path_step(&member.name), &document_subject, member.kind))
        .collect();
    let pairs: Vec<Vec<Option<(f64, FieldReason)>>> = fields
        .iter()
        .take(MAX_FIELDS)
        .map(|field| {
            let known = KnownField::new(field, &contract_subject);
            let pair = |(name, member): (&ComparedName, &MemberName)| {
                known.compare(name, member.mark.as_deref(), &document_subject, min_score)
            };
            compared.iter().zip(members).map(pair).collect()
        })
        .collect();
    let score = |pair: &Option<(f64, FieldReason)>| pair.map_or(0.0, |pair| pair.0);
    let scores: Vec<Vec<f64>> = pairs.iter().map(|row| row.iter().map(score).collect()).collect();
    let assigned = assign_rows(&scores);
    let found = |row: usize| {
        let column = assigned.get(row).copied().flatten()?;
        let (score, reason) = pairs.get(row)?.get(column).copied().flatten()?;
        Some((members.get(column)?.name.clone(), score, reason))
    };
    let matches = fields.iter().enumerate().map(|(row, field)| match found(row) {
        Some((member, score, reason)) => {
            FieldMatch { field: field.name.clone(), member: Some(member), score, reason: Some(reason) }
        }
        None => FieldMatch { field: field.name.clone(), member: None, score: 0.0, reason: None },
    });
    matches.collect()
}

/// Returns the last name of a dotted path: `Status` of `Filter.Status`.
fn last_path_step(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

impl ComparedName {
    fn new(text: &str, subject: &BTreeSet<String>, kind: Option<FieldKind>) -> Self {
        let mut concepts = Vocabulary::get().concepts(text);
        concepts.sort();
        let own_concepts = concepts.iter().filter(|concept| !subject.contains(*concept)).cloned().collect();
        Self { text: text.to_owned(), joined_words: join_words(text), concepts, own_concepts, kind }
    }
}

/// A field and all of its names.
struct KnownField {
    name: ComparedName,
    /// The English display name.
    english: ComparedName,
    synonyms: BTreeSet<String>,
}

impl KnownField {
    fn new(field: &Field, subject: &BTreeSet<String>) -> Self {
        let Names { en, de, es, pt } = &field.names;
        let synonyms = [en, de, es, pt].into_iter().chain(&field.synonyms).map(|name| join_words(name));
        Self {
            name: ComparedName::new(&field.name, subject, Some(field.kind)),
            english: ComparedName::new(en, subject, Some(field.kind)),
            synonyms: synonyms.filter(|name| name.len() > 1).collect(),
        }
    }

    fn compare(
        &self,
        other: &ComparedName,
        mark: Option<&str>,
        subject: &BTreeSet<String>,
        min_score: f64,
    ) -> Option<(f64, FieldReason)> {
        if let Some(mark) = mark {
            return (mark == self.name.text).then_some((1.0, FieldReason::Mark));
        }
        let (score, reason) = self.similarity(other, subject)?;
        let has_same_name = matches!(reason, FieldReason::SameName | FieldReason::SameLetters | FieldReason::SameWords);
        let score = match (self.name.kind.zip(other.kind)).map(|(own, other)| can_match(own, other)) {
            Some(false) if has_same_name => score * 0.9,
            Some(false) => score * 0.5,
            Some(true) => score,
            None => score * 0.95,
        };
        (score >= min_score).then_some((score, reason))
    }

    fn similarity(&self, other: &ComparedName, subject: &BTreeSet<String>) -> Option<(f64, FieldReason)> {
        let name = &self.name;
        if name.text == other.text {
            return Some((1.0, FieldReason::SameName));
        }
        if name.text.eq_ignore_ascii_case(&other.text) {
            return Some((0.99, FieldReason::SameLetters));
        }
        if name.joined_words == other.joined_words {
            return Some((0.97, FieldReason::SameWords));
        }
        if name.concepts == other.concepts {
            return Some((0.93, FieldReason::SameMeaning));
        }
        if self.synonyms.contains(&other.joined_words) || self.english.concepts == other.concepts {
            return Some((0.90, FieldReason::Synonym));
        }
        let own = !name.own_concepts.is_empty() && name.own_concepts == other.own_concepts;
        if own {
            return Some((0.86, FieldReason::WithoutObject));
        }
        // `Article` in a list of articles is their code.
        let is_code = name.own_concepts == ["code"];
        if is_code
            && !other.concepts.is_empty()
            && other.own_concepts.is_empty()
            && other.concepts.iter().all(|one| subject.contains(one))
        {
            return Some((0.80, FieldReason::WithoutObject));
        }
        if without_code(&name.concepts) == without_code(&other.concepts) && !without_code(&other.concepts).is_empty() {
            return Some((0.78, FieldReason::SameMeaning));
        }
        if self.has_interchangeable_name(other) {
            return Some((0.66, FieldReason::Similar));
        }
        let shared = f64::max(
            shared_fraction(&name.concepts, &other.concepts),
            shared_fraction(&self.english.concepts, &other.concepts),
        );
        (shared >= 0.5).then_some((0.35 + 0.5 * shared, FieldReason::Similar))
    }

    /// Returns whether one is called code and the other id, or one description and the other name.
    fn has_interchangeable_name(&self, other: &ComparedName) -> bool {
        INTERCHANGEABLE_NAMES
            .iter()
            .flatten()
            .zip(INTERCHANGEABLE_NAMES.iter().flat_map(|[left, right]| [right, left]))
            .any(|(own, theirs)| self.name.own_concepts == [*own] && other.own_concepts == [*theirs])
    }
}

/// Removes the concept `code`: `workStationCode` may be called `workStation`.
fn without_code(concepts: &[String]) -> Vec<&String> {
    concepts.iter().filter(|word| *word != "code").collect()
}

/// Returns the share of concepts that both have.
fn shared_fraction(left: &[String], right: &[String]) -> f64 {
    let shared = left.iter().filter(|word| right.contains(word)).count();
    let all = left.len() + right.len() - shared;
    if all == 0 { 0.0 } else { to_f64(shared) / to_f64(all) }
}

/// Returns whether a member of one kind can be a field of another kind.
fn can_match(field: FieldKind, member: FieldKind) -> bool {
    use FieldKind::{Boolean, DateTime, Duration, Integer, List, Number, Object, Text, TimeSpan};
    match (field, member) {
        _ if field == member => true,
        (List | Object, _) | (_, List | Object) => false,
        (Integer | Number, Integer | Number) => true,
        (Duration | TimeSpan, Duration | TimeSpan | Integer | Number | Text) => true,
        (DateTime, Text | Integer) => true,
        // Codes are numbers that represent names, and identifiers are numbers or texts.
        (Text, Integer) | (Integer, Text) => true,
        (Text, Duration | DateTime) => true,
        (Number | Boolean, Text) | (Text, Boolean | Number) => false,
        _ => false,
    }
}

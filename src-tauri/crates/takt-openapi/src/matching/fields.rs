//! Members of the document's objects and fields of the contract.

use std::collections::BTreeSet;

use serde::Serialize;
use takt_contract::{Field, FieldKind, Names};

use super::{assign::assign, profile::subject, score::count};
use crate::{
    Document,
    schema::Schema,
    value,
    words::{Vocabulary, joined},
};

/// From this score on a member is taken for a field.
pub(crate) const FIELD_THRESHOLD: f64 = 0.60;
/// The same where nobody looks at the match before it counts: names that are merely alike don't.
pub(crate) const SURE_FIELD: f64 = 0.75;
/// Members and fields beyond this many aren't compared.
const MAX_FIELDS: usize = 300;

/// Which member a field is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct FieldMatch {
    /// The contract's field.
    pub field: String,
    /// The document's member. None where none is certain enough.
    pub member: Option<String>,
    pub score: f64,
    pub reason: Option<FieldReason>,
}

/// Why a member is taken for a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub enum FieldReason {
    /// The document's own mark names the field.
    Mark,
    SameName,
    /// The same but for the case of its letters.
    SameLetters,
    SameWords,
    /// Words that mean the same.
    SameMeaning,
    /// A name or synonym by which the importer knows it.
    Synonym,
    /// The same but for what its object is called.
    WithoutObject,
    Similar,
}

/// A name in the forms in which names are compared.
struct Name {
    text: String,
    joined: String,
    /// What it means, in any order.
    meaning: Vec<String>,
    /// The same without what its object is called.
    own: Vec<String>,
    kind: Option<FieldKind>,
}

/// A name that is compared with fields: a member or a parameter.
pub(crate) struct MemberName {
    pub(crate) name: String,
    pub(crate) kind: Option<FieldKind>,
    /// The document's own mark.
    pub(crate) mark: Option<String>,
}

/// Which member each field is. A member serves one field.
///
/// `about` names the object to which the fields belong, the contract's and the document's name of it: an id or a path.
#[must_use]
pub fn match_fields(document: &Document, item: &Schema<'_>, fields: &[Field], about: [&str; 2]) -> Vec<FieldMatch> {
    match_members(document, item, fields, about, FIELD_THRESHOLD)
}

/// The same from another score on.
pub(crate) fn match_members(
    document: &Document,
    item: &Schema<'_>,
    fields: &[Field],
    about: [&str; 2],
    least: f64,
) -> Vec<FieldMatch> {
    let members = item.members.iter().take(MAX_FIELDS).map(|member| {
        let schema = document.resolve(&member.node);
        let mark = schema.mark("x-takt-field").and_then(serde_json::Value::as_str).map(str::to_owned);
        MemberName { name: member.name.to_owned(), kind: value::kind(&schema), mark }
    });
    match_names_from(&members.collect::<Vec<_>>(), fields, about, least)
}

/// The same for names without a schema of an object around them.
pub(crate) fn match_names(members: &[MemberName], fields: &[Field], about: [&str; 2]) -> Vec<FieldMatch> {
    match_names_from(members, fields, about, FIELD_THRESHOLD)
}

fn match_names_from(members: &[MemberName], fields: &[Field], about: [&str; 2], least: f64) -> Vec<FieldMatch> {
    let [contract_subject, document_subject] = about.map(|text| subject(text, ""));
    let compared: Vec<Name> =
        members.iter().map(|member| Name::of(last_step(&member.name), &document_subject, member.kind)).collect();
    let pairs: Vec<Vec<Option<(f64, FieldReason)>>> = fields
        .iter()
        .take(MAX_FIELDS)
        .map(|field| {
            let known = KnownField::of(field, &contract_subject);
            let pair = |(name, member): (&Name, &MemberName)| {
                known.compare(name, member.mark.as_deref(), &document_subject, least)
            };
            compared.iter().zip(members).map(pair).collect()
        })
        .collect();
    let score = |pair: &Option<(f64, FieldReason)>| pair.map_or(0.0, |pair| pair.0);
    let scores: Vec<Vec<f64>> = pairs.iter().map(|row| row.iter().map(score).collect()).collect();
    let assigned = assign(&scores);
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

/// `Status` of `Filter.Status`.
fn last_step(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

impl Name {
    fn of(text: &str, subject: &BTreeSet<String>, kind: Option<FieldKind>) -> Self {
        let mut meaning = Vocabulary::get().concepts(text);
        meaning.sort();
        let own = meaning.iter().filter(|concept| !subject.contains(*concept)).cloned().collect();
        Self { text: text.to_owned(), joined: joined(text), meaning, own, kind }
    }
}

/// A field and every name by which it is known.
struct KnownField {
    name: Name,
    /// Its name in English, as people read it.
    english: Name,
    synonyms: BTreeSet<String>,
}

impl KnownField {
    fn of(field: &Field, subject: &BTreeSet<String>) -> Self {
        let Names { en, de, es, pt } = &field.names;
        let synonyms = [en, de, es, pt].into_iter().chain(&field.synonyms).map(|name| joined(name));
        Self {
            name: Name::of(&field.name, subject, Some(field.kind)),
            english: Name::of(en, subject, Some(field.kind)),
            synonyms: synonyms.filter(|name| name.len() > 1).collect(),
        }
    }

    fn compare(
        &self,
        other: &Name,
        mark: Option<&str>,
        subject: &BTreeSet<String>,
        least: f64,
    ) -> Option<(f64, FieldReason)> {
        if let Some(mark) = mark {
            return (mark == self.name.text).then_some((1.0, FieldReason::Mark));
        }
        let (score, reason) = self.likeness(other, subject)?;
        let by_name = matches!(reason, FieldReason::SameName | FieldReason::SameLetters | FieldReason::SameWords);
        let score = match (self.name.kind.zip(other.kind)).map(|(own, other)| fits(own, other)) {
            Some(false) if by_name => score * 0.9,
            Some(false) => score * 0.5,
            Some(true) => score,
            None => score * 0.95,
        };
        (score >= least).then_some((score, reason))
    }

    fn likeness(&self, other: &Name, subject: &BTreeSet<String>) -> Option<(f64, FieldReason)> {
        let name = &self.name;
        if name.text == other.text {
            return Some((1.0, FieldReason::SameName));
        }
        if name.text.eq_ignore_ascii_case(&other.text) {
            return Some((0.99, FieldReason::SameLetters));
        }
        if name.joined == other.joined {
            return Some((0.97, FieldReason::SameWords));
        }
        if name.meaning == other.meaning {
            return Some((0.93, FieldReason::SameMeaning));
        }
        if self.synonyms.contains(&other.joined) || self.english.meaning == other.meaning {
            return Some((0.90, FieldReason::Synonym));
        }
        let own = !name.own.is_empty() && name.own == other.own;
        if own {
            return Some((0.86, FieldReason::WithoutObject));
        }
        // `Article` in a list of articles is their code.
        let is_code = name.own == ["code"];
        if is_code
            && !other.meaning.is_empty()
            && other.own.is_empty()
            && other.meaning.iter().all(|one| subject.contains(one))
        {
            return Some((0.80, FieldReason::WithoutObject));
        }
        if without_code(&name.meaning) == without_code(&other.meaning) && !without_code(&other.meaning).is_empty() {
            return Some((0.78, FieldReason::SameMeaning));
        }
        if self.is_near(other) {
            return Some((0.66, FieldReason::Similar));
        }
        let shared = f64::max(overlap(&name.meaning, &other.meaning), overlap(&self.english.meaning, &other.meaning));
        (shared >= 0.5).then_some((0.35 + 0.5 * shared, FieldReason::Similar))
    }
}

impl KnownField {
    /// What one service calls code or description is another one's id or name.
    fn is_near(&self, other: &Name) -> bool {
        let near = [["code", "id"], ["description", "name"]];
        near.iter()
            .flatten()
            .zip(near.iter().flat_map(|[left, right]| [right, left]))
            .any(|(own, theirs)| self.name.own == [*own] && other.own == [*theirs])
    }
}

/// `workStationCode` is `workStation` where nothing else is.
fn without_code(meaning: &[String]) -> Vec<&String> {
    meaning.iter().filter(|word| *word != "code").collect()
}

/// Shared concepts of all concepts.
fn overlap(left: &[String], right: &[String]) -> f64 {
    let shared = left.iter().filter(|word| right.contains(word)).count();
    let all = left.len() + right.len() - shared;
    if all == 0 { 0.0 } else { count(shared) / count(all) }
}

/// Whether a member of one kind can be a field of another.
fn fits(field: FieldKind, member: FieldKind) -> bool {
    use FieldKind::{Boolean, DateTime, Duration, Integer, List, Number, Object, Text, TimeSpan};
    match (field, member) {
        _ if field == member => true,
        (List | Object, _) | (_, List | Object) => false,
        (Integer | Number, Integer | Number) => true,
        (Duration | TimeSpan, Duration | TimeSpan | Integer | Number | Text) => true,
        (DateTime, Text | Integer) => true,
        // Codes are numbers where people read names, and identifiers are either.
        (Text, Integer) | (Integer, Text) => true,
        (Text, Duration | DateTime) => true,
        (Number | Boolean, Text) | (Text, Boolean | Number) => false,
        _ => false,
    }
}

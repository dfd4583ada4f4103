//! Profiles of the contract's and the document's operations in a comparable form.

use std::collections::{BTreeSet, HashMap};

use takt_contract::{Field, Names, Operation, OperationKind};

use crate::{
    Document,
    document::{DocumentOperation, ParameterLocation},
    object_list::find_main_list,
    words::{Vocabulary, join_words},
};

use super::{
    kind::{ReadCertainty, possible_kinds, rate_read_certainty},
    read_parameters,
};

/// The weight of each word.
pub(crate) type WordWeights = HashMap<String, f64>;

/// The profile of one of the contract's operations.
pub(crate) struct ContractProfile {
    /// The concepts of id, path, area and name, by language.
    pub(crate) words: Vec<WordWeights>,
    /// The keys of each field.
    pub(crate) fields: Vec<BTreeSet<String>>,
    pub(crate) parameters: Vec<BTreeSet<String>>,
}

/// The profile of one of the document's operations.
pub(crate) struct DocumentProfile {
    pub(crate) kinds: Vec<OperationKind>,
    pub(crate) path: WordWeights,
    pub(crate) tags: WordWeights,
    pub(crate) operation_id: WordWeights,
    pub(crate) summary: WordWeights,
    /// The keys of each member. None if the document doesn't describe its rows or items.
    pub(crate) fields: Option<Vec<BTreeSet<String>>>,
    pub(crate) parameters: Vec<BTreeSet<String>>,
    pub(crate) read_by_body: ReadCertainty,
}

impl ContractProfile {
    pub(crate) fn new(operation: &Operation) -> Self {
        let shape = if operation.kind == OperationKind::Read { &operation.answer } else { &operation.request };
        let subject = subject_concepts(&operation.id, &operation.path);
        let by_language = |names: &Names| [names.en.clone(), names.de.clone(), names.es.clone(), names.pt.clone()];
        let (areas, names) = (by_language(&operation.area_names), by_language(&operation.names));
        let words = areas.iter().zip(&names).enumerate().map(|(index, (area, name))| {
            if index == 0 {
                return word_weights(&[(&operation.path, 2.0), (&operation.id, 1.0), (area, 0.5), (name, 1.0)]);
            }
            word_weights(&[(area, 1.0), (name, 1.0)])
        });
        Self {
            words: words.collect(),
            fields: shape.iter().flat_map(|shape| &shape.fields).map(|field| field_keys(field, &subject)).collect(),
            parameters: operation.parameters.iter().map(|one| name_keys(&one.name, &subject)).collect(),
        }
    }
}

impl DocumentProfile {
    pub(crate) fn new(document: &Document, operation: &DocumentOperation) -> Self {
        let kinds = possible_kinds(document, operation);
        let reads = kinds.contains(&OperationKind::Read);
        let body = if reads { document.response_body(operation) } else { document.request_body(operation) };
        let list = body.and_then(|body| find_main_list(document, &body)).filter(|list| !list.item.members.is_empty());
        let subject = subject_concepts(&operation.path, "");
        let parameters = if reads { read_parameters::read_parameters(document, operation) } else { Vec::new() };
        let queries = parameters
            .iter()
            .filter(|one| !matches!(one.place, Some(ParameterLocation::Header | ParameterLocation::Cookie)));
        Self {
            path: word_weights(&[(&operation.path, 1.0)]),
            tags: word_weights(&operation.tags.iter().map(|tag| (tag, 1.0)).collect::<Vec<_>>()),
            operation_id: word_weights(&operation.operation_id.iter().map(|id| (id, 1.0)).collect::<Vec<_>>()),
            summary: word_weights(&[(&operation.summary, 1.0)]),
            fields: list.map(|list| list.item.members.iter().map(|member| name_keys(member.name, &subject)).collect()),
            parameters: queries.map(|one| name_keys(one.last_name(), &subject)).collect(),
            read_by_body: if reads { rate_read_certainty(document, operation) } else { ReadCertainty::No },
            kinds,
        }
    }
}

/// Returns the concepts of an operation's items, from two texts that name them.
pub(crate) fn subject_concepts(first: &str, second: &str) -> BTreeSet<String> {
    let vocabulary = Vocabulary::get();
    vocabulary.distinctive_concepts(first).into_iter().chain(vocabulary.distinctive_concepts(second)).collect()
}

fn word_weights(texts: &[(&String, f64)]) -> WordWeights {
    let mut weights = WordWeights::new();
    for (text, weight) in texts {
        for word in Vocabulary::get().distinctive_concepts(text) {
            let entry = weights.entry(word).or_insert(0.0);
            *entry = f64::max(*entry, *weight);
        }
    }
    weights
}

/// Returns the keys of all names that the contract has for a field.
pub(crate) fn field_keys(field: &Field, subject: &BTreeSet<String>) -> BTreeSet<String> {
    let Names { en, de, es, pt } = &field.names;
    let mut all = name_keys(&field.name, subject);
    for name in [en, de, es, pt].into_iter().chain(&field.synonyms) {
        let joined = join_words(name);
        if joined.len() > 2 {
            all.insert(joined);
        }
    }
    all.extend(name_keys(en, subject));
    all
}

/// Returns the keys of a name: one word, its concepts, and its concepts without the object's concepts.
pub(crate) fn name_keys(name: &str, subject: &BTreeSet<String>) -> BTreeSet<String> {
    let mut concepts = Vocabulary::get().concepts(name);
    let mut keys = BTreeSet::from([join_words(name)]);
    concepts.sort();
    keys.insert(concepts.join("+"));
    let own: Vec<String> = concepts.iter().filter(|concept| !subject.contains(*concept)).cloned().collect();
    if !own.is_empty() && own.len() < concepts.len() {
        keys.insert(own.join("+"));
    }
    keys.retain(|key| !key.is_empty());
    keys
}

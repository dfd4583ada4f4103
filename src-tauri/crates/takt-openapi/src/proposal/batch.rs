//! What a batch answers: the list of results, what in a result means yes, where its reasons and counts stand.

use takt_contract::{
    Operation,
    form::{BatchForm, IndexMember, Scalar, SuccessMember},
};

use super::{NoteKind, Proposer, document_node, marks};
use crate::{
    document::DocumentOperation,
    list::{ObjectList, lists},
    matching::{body::answer, match_fields},
    members::{likeliest, names, place},
    reference::plain,
    schema::{Member, Schema, SchemaKind},
    words::joined,
};

impl<'d> Proposer<'d> {
    pub(super) fn batch(&mut self, ours: &Operation, theirs: &DocumentOperation) -> Option<BatchForm> {
        if let Some(form) = marks::of(document_node(self.document, theirs), "x-takt-batch") {
            return Some(form);
        }
        let Some(body) = answer(self.document, theirs) else {
            let accepts = theirs.answers.iter().any(|answer| answer.is_success());
            if !accepts {
                self.note(&ours.id, "", NoteKind::UnknownAnswer);
            }
            return accepts.then(|| BatchForm { empty_accepts: true, ..BatchForm::default() });
        };
        let Some((list, only_failures)) = self.results(&body) else {
            self.note(&ours.id, "", NoteKind::UnknownAnswer);
            return None;
        };
        let success = if only_failures { None } else { self.success(&ours.id, &list.item) };
        let count = |names: &[String]| {
            let numbers = self.numbers(&body);
            let found = numbers.iter().map(|path| (path.rsplit('.').next().unwrap_or_default(), path));
            likeliest(names, found).cloned()
        };
        Some(BatchForm {
            only_failures: only_failures || success.is_none(),
            success,
            lacks_key: self.lacks_key(ours, theirs, &list.item),
            index: self.index(&list.item),
            reasons: self.reasons(&list.item),
            total: count(&names().count_total),
            accepted: count(&names().count_accepted),
            rejected: count(&names().count_rejected),
            empty_accepts: false,
            results: list.path,
        })
    }

    /// The list of results, and whether it has failures only.
    fn results(&self, body: &Schema<'d>) -> Option<(ObjectList<'d>, bool)> {
        let all = lists(self.document, body);
        let named = |list: &ObjectList<'_>| list.path.rsplit('.').next().unwrap_or_default().to_owned();
        let rank = |list: &ObjectList<'_>| {
            let name = named(list);
            let telling = !self.reasons(&list.item).is_empty() || self.success_member(&list.item).is_some();
            match (place(&names().results, &name), place(&names().failures, &name)) {
                (Some(place), _) => (!telling, place),
                (None, Some(place)) => (!telling, 100 + place),
                (None, None) => (!telling, if list.path.is_empty() { 50 } else { 1_000 }),
            }
        };
        let list = all.into_iter().min_by_key(rank)?;
        let failures = place(&names().failures, &named(&list)).is_some() && self.success_member(&list.item).is_none();
        Some((list, failures))
    }

    fn success_member(&self, item: &Schema<'d>) -> Option<(&'d str, Schema<'d>)> {
        let members =
            || item.members.iter().map(|member| (member.name, (member.name, self.document.resolve(&member.node))));
        let flags = members().filter(|(_, (_, schema))| schema.kind == Some(SchemaKind::Boolean));
        let texts =
            members().filter(|(_, (_, schema))| matches!(schema.kind, Some(SchemaKind::Text | SchemaKind::Integer)));
        likeliest(&names().success, flags).or_else(|| likeliest(&names().status, texts))
    }

    /// What says whether an item was accepted, and with which values.
    fn success(&mut self, id: &str, item: &Schema<'d>) -> Option<SuccessMember> {
        let (name, schema) = self.success_member(item)?;
        let name = name.to_owned();
        if schema.kind == Some(SchemaKind::Boolean) {
            return Some(SuccessMember {
                name,
                accepted: vec![Scalar::Bool(true)],
                rejected: vec![Scalar::Bool(false)],
            });
        }
        let values = values(&schema);
        let of = |yes: bool| {
            let said = values.iter().filter(|(name, _)| verdict(name) == Some(yes));
            said.map(|(_, value)| value.clone()).collect::<Vec<Scalar>>()
        };
        let (accepted, rejected) = (of(true), of(false));
        if accepted.is_empty() {
            self.note(id, &name, NoteKind::SuccessValues);
        }
        Some(SuccessMember { name, accepted, rejected })
    }

    fn index(&self, item: &Schema<'_>) -> Option<IndexMember> {
        let whole = |member: &&Member<'_>| self.document.resolve(&member.node).kind == Some(SchemaKind::Integer);
        let member = likeliest(&names().index, item.members.iter().filter(whole).map(|member| (member.name, member)))?;
        let schema = self.document.resolve(&member.node);
        let first = u32::from(schema.minimum.is_some_and(|least| least >= 1.0));
        Some(IndexMember { name: member.name.to_owned(), first })
    }

    /// Members with the service's words, the likeliest first.
    fn reasons(&self, item: &Schema<'d>) -> Vec<String> {
        let speaks = |member: &&Member<'_>| {
            matches!(
                self.document.resolve(&member.node).kind,
                Some(SchemaKind::Text | SchemaKind::List | SchemaKind::Object)
            )
        };
        let named = item
            .members
            .iter()
            .filter(speaks)
            .filter_map(|member| Some((place(&names().reasons, member.name)?, member.name)));
        let mut reasons: Vec<(usize, &str)> = named.collect();
        reasons.sort_unstable();
        reasons.into_iter().map(|(_, name)| name.to_owned()).collect()
    }

    /// Whether a result doesn't repeat the item's key.
    fn lacks_key(&self, ours: &Operation, theirs: &DocumentOperation, item: &Schema<'_>) -> bool {
        let key: Vec<_> = ours
            .request
            .iter()
            .flat_map(|shape| &shape.fields)
            .filter(|field| ours.key.contains(&field.name))
            .cloned()
            .collect();
        let matches = match_fields(self.document, item, &key, [&ours.id, &theirs.path]);
        key.is_empty() || matches.iter().any(|one| one.member.is_none())
    }
}

/// The values that a status may have, by name: its codes, or the words of its description.
fn values(schema: &Schema<'_>) -> Vec<(String, Scalar)> {
    let coded = schema.codes.iter().filter_map(|code| {
        let text = plain(code.value);
        let scalar = match code.value {
            serde_json::Value::Number(number) => Scalar::Number(i32::try_from(number.as_i64()?).ok()?),
            _ => Scalar::Text(text.clone()),
        };
        Some((code.name.clone().unwrap_or(text), scalar))
    });
    let coded: Vec<(String, Scalar)> = coded.collect();
    if !coded.is_empty() || schema.kind != Some(SchemaKind::Text) {
        return coded;
    }
    let words = schema.description.unwrap_or_default().split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| word.len() > 1).map(|word| (word.to_owned(), Scalar::Text(word.to_owned()))).collect()
}

/// Whether a value's name means yes or no. `NotDeleted` means no as `Deleted` means yes.
pub(crate) fn verdict(name: &str) -> Option<bool> {
    let word = joined(name);
    if names().yes.contains(&word) {
        return Some(true);
    }
    let denied = word.strip_prefix("not").is_some_and(|rest| names().yes.iter().any(|yes| yes == rest));
    (denied || names().no.contains(&word)).then_some(false)
}

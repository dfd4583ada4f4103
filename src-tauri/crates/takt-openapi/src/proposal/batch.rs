//! Proposes the form of a batch's response: the list of results, their success values, reasons and counts.

use takt_contract::{
    Operation,
    form::{BatchForm, IndexMember, Scalar, SuccessMember},
};

use super::proposer::{NoteKind, Proposer, document_node, read_mark};
use crate::{
    document::DocumentOperation,
    matching::match_fields,
    member_names::{find_likeliest, names, position_in},
    object_list::{ObjectList, find_lists},
    reference::scalar_text,
    schema::{Member, Schema, SchemaKind},
    words::join_words,
};

impl<'d> Proposer<'d> {
    pub(super) fn propose_batch(
        &mut self,
        contract_operation: &Operation,
        documented: &DocumentOperation,
    ) -> Option<BatchForm> {
        if let Some(form) = read_mark(document_node(self.document, documented), "x-takt-batch") {
            return Some(form);
        }
        let Some(body) = self.document.response_body(documented) else {
            let has_success = documented.responses.iter().any(|answer| answer.is_success());
            if !has_success {
                self.add_note(&contract_operation.id, "", NoteKind::UnknownAnswer);
            }
            return has_success.then(|| BatchForm { empty_accepts: true, ..BatchForm::default() });
        };
        let Some((list, only_failures)) = self.find_results(&body) else {
            self.add_note(&contract_operation.id, "", NoteKind::UnknownAnswer);
            return None;
        };
        let success = if only_failures { None } else { self.find_success(&contract_operation.id, &list.item) };
        let count = |names: &[String]| {
            let numbers = self.number_paths(&body);
            let found = numbers.iter().map(|path| (path.rsplit('.').next().unwrap_or_default(), path));
            find_likeliest(names, found).cloned()
        };
        Some(BatchForm {
            only_failures: only_failures || success.is_none(),
            success,
            lacks_key: self.lacks_key(contract_operation, documented, &list.item),
            index: self.find_index(&list.item),
            reasons: self.find_reasons(&list.item),
            total: count(&names().count_total),
            accepted: count(&names().count_accepted),
            rejected: count(&names().count_rejected),
            empty_accepts: false,
            results: list.path,
        })
    }

    /// Returns the list of results, and whether it has failures only.
    fn find_results(&self, body: &Schema<'d>) -> Option<(ObjectList<'d>, bool)> {
        let all = find_lists(self.document, body);
        let last_step = |list: &ObjectList<'_>| list.path.rsplit('.').next().unwrap_or_default().to_owned();
        let rank = |list: &ObjectList<'_>| {
            let name = last_step(list);
            let is_informative =
                !self.find_reasons(&list.item).is_empty() || self.find_success_member(&list.item).is_some();
            match (position_in(&names().results, &name), position_in(&names().failures, &name)) {
                (Some(position), _) => (!is_informative, position),
                (None, Some(position)) => (!is_informative, 100 + position),
                (None, None) => (!is_informative, if list.path.is_empty() { 50 } else { 1_000 }),
            }
        };
        let list = all.into_iter().min_by_key(rank)?;
        let failures = position_in(&names().failures, &last_step(&list)).is_some()
            && self.find_success_member(&list.item).is_none();
        Some((list, failures))
    }

    fn find_success_member(&self, item: &Schema<'d>) -> Option<(&'d str, Schema<'d>)> {
        let members =
            || item.members.iter().map(|member| (member.name, (member.name, self.document.resolve(&member.node))));
        let flags = members().filter(|(_, (_, schema))| schema.kind == Some(SchemaKind::Boolean));
        let texts =
            members().filter(|(_, (_, schema))| matches!(schema.kind, Some(SchemaKind::Text | SchemaKind::Integer)));
        find_likeliest(&names().success, flags).or_else(|| find_likeliest(&names().status, texts))
    }

    /// Returns the member that states whether an item was accepted, with its values.
    fn find_success(&mut self, id: &str, item: &Schema<'d>) -> Option<SuccessMember> {
        let (name, schema) = self.find_success_member(item)?;
        let name = name.to_owned();
        if schema.kind == Some(SchemaKind::Boolean) {
            return Some(SuccessMember {
                name,
                accepted: vec![Scalar::Bool(true)],
                rejected: vec![Scalar::Bool(false)],
            });
        }
        let values = status_values(&schema);
        let values_meaning = |yes: bool| {
            let matching = values.iter().filter(|(name, _)| parse_outcome_name(name) == Some(yes));
            matching.map(|(_, value)| value.clone()).collect::<Vec<Scalar>>()
        };
        let (accepted, rejected) = (values_meaning(true), values_meaning(false));
        if accepted.is_empty() {
            self.add_note(id, &name, NoteKind::SuccessValues);
        }
        Some(SuccessMember { name, accepted, rejected })
    }

    fn find_index(&self, item: &Schema<'_>) -> Option<IndexMember> {
        let is_integer = |member: &&Member<'_>| self.document.resolve(&member.node).kind == Some(SchemaKind::Integer);
        let member =
            find_likeliest(&names().index, item.members.iter().filter(is_integer).map(|member| (member.name, member)))?;
        let schema = self.document.resolve(&member.node);
        let first = u32::from(schema.minimum.is_some_and(|least| least >= 1.0));
        Some(IndexMember { name: member.name.to_owned(), first })
    }

    /// Returns the members with the service's reasons, the likeliest first.
    fn find_reasons(&self, item: &Schema<'d>) -> Vec<String> {
        let can_have_text = |member: &&Member<'_>| {
            matches!(
                self.document.resolve(&member.node).kind,
                Some(SchemaKind::Text | SchemaKind::List | SchemaKind::Object)
            )
        };
        let ranked = item
            .members
            .iter()
            .filter(can_have_text)
            .filter_map(|member| Some((position_in(&names().reasons, member.name)?, member.name)));
        let mut reasons: Vec<(usize, &str)> = ranked.collect();
        reasons.sort_unstable();
        reasons.into_iter().map(|(_, name)| name.to_owned()).collect()
    }

    /// Returns whether a result lacks fields of the item's key.
    fn lacks_key(&self, contract_operation: &Operation, documented: &DocumentOperation, item: &Schema<'_>) -> bool {
        let key: Vec<_> = contract_operation
            .request
            .iter()
            .flat_map(|shape| &shape.fields)
            .filter(|field| contract_operation.key.contains(&field.name))
            .cloned()
            .collect();
        let matches = match_fields(self.document, item, &key, [&contract_operation.id, &documented.path]);
        key.is_empty() || matches.iter().any(|one| one.member.is_none())
    }
}

/// Returns the possible values of a status by name: its codes, or the words of its description.
fn status_values(schema: &Schema<'_>) -> Vec<(String, Scalar)> {
    let coded = schema.codes.iter().filter_map(|code| {
        let text = scalar_text(code.value);
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

/// Returns whether a value's name means yes or no. `Deleted` means yes, `NotDeleted` means no.
pub(crate) fn parse_outcome_name(name: &str) -> Option<bool> {
    let word = join_words(name);
    if names().yes.contains(&word) {
        return Some(true);
    }
    let denied = word.strip_prefix("not").is_some_and(|rest| names().yes.iter().any(|yes| yes == rest));
    (denied || names().no.contains(&word)).then_some(false)
}

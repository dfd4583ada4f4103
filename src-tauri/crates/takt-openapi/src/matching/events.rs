//! Matches a document's webhooks with the contract's events.

use takt_contract::EventKind;

use super::{
    assign::assign_rows,
    fields::{MemberName, match_names},
    score::{MATCH_THRESHOLD, MIN_LEAD, to_f64},
};
use crate::{
    Document,
    document::DocumentOperation,
    value,
    words::{Vocabulary, join_words},
};

/// The weight of an event's name. Its fields have the remaining weight, since all events have similar fields.
const NAME_WEIGHT: f64 = 0.75;
/// The maximum length of a verb's ending.
const MAX_ENDING_LENGTH: usize = 3;

/// An event of the contract and the matching webhook.
pub(crate) struct EventMatch<'a> {
    pub(crate) event: &'a EventKind,
    pub(crate) webhook: &'a DocumentOperation,
}

/// Returns the certain matches. If the document has a single unmarked webhook, it may match several events.
pub(crate) fn match_events<'a>(document: &'a Document, events: &'a [EventKind]) -> Vec<EventMatch<'a>> {
    let webhooks = document.webhooks();
    let scores: Vec<Vec<f64>> =
        events.iter().map(|event| webhooks.iter().map(|one| score_webhook(document, event, one)).collect()).collect();
    let assigned = assign_rows(&scores);
    let matches = events.iter().enumerate().filter_map(|(row, event)| {
        let column = (*assigned.get(row)?)?;
        let own = *scores.get(row)?.get(column)?;
        let others = scores.get(row)?.iter().enumerate().filter(|(other, _)| *other != column);
        let is_clear = others.map(|(_, other)| own - other).all(|distance| distance >= MIN_LEAD);
        (own >= MATCH_THRESHOLD && is_clear).then_some(EventMatch { event, webhook: webhooks.get(column)? })
    });
    let matches: Vec<EventMatch<'a>> = matches.collect();
    match webhooks {
        [only] if matches.is_empty() && only.mark.is_none() => {
            let has_fields = |event: &&EventKind| field_share(document, event, only) >= MATCH_THRESHOLD;
            events.iter().filter(has_fields).map(|event| EventMatch { event, webhook: only }).collect()
        }
        _ => matches,
    }
}

fn score_webhook(document: &Document, event: &EventKind, webhook: &DocumentOperation) -> f64 {
    if let Some(mark) = document.mark(&webhook.pointer, "x-takt-event-id") {
        return if mark.as_i64() == Some(event.id.into()) { 1.0 } else { 0.0 };
    }
    let theirs = [Some(webhook.path.as_str()), webhook.operation_id.as_deref(), Some(webhook.summary.as_str())];
    let own = [&event.name, &event.names.en, &event.fired];
    let pairs = theirs.iter().flatten().flat_map(|theirs| own.iter().map(move |own| name_similarity(own, theirs)));
    let name = pairs.fold(0.0, f64::max);
    NAME_WEIGHT * name + (1.0 - NAME_WEIGHT) * field_share(document, event, webhook)
}

/// Returns the similarity of two names by their concepts.
fn name_similarity(own: &str, theirs: &str) -> f64 {
    if join_words(own) == join_words(theirs) && !theirs.is_empty() {
        return 1.0;
    }
    let [own, theirs] = [own, theirs].map(|text| Vocabulary::get().distinctive_concepts(text));
    let shared = own.iter().filter(|word| theirs.iter().any(|other| has_same_stem(word, other))).count();
    let all = own.len() + theirs.len() - shared;
    if all == 0 { 0.0 } else { to_f64(shared) / to_f64(all) }
}

/// Returns whether two words differ only in their endings, such as `end` and `ended`.
fn has_same_stem(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    let stem = short.strip_suffix('e').unwrap_or(short);
    one == other || (stem.len() > 2 && long.starts_with(stem) && long.len() - stem.len() <= MAX_ENDING_LENGTH)
}

/// Returns the share of an event's fields that a body has.
fn field_share(document: &Document, event: &EventKind, webhook: &DocumentOperation) -> f64 {
    let Some(body) = document.request_body(webhook) else { return 0.0 };
    let members = body.members.iter().take(100).map(|member| MemberName {
        name: member.name.to_owned(),
        kind: value::kind_from_schema(&document.resolve(&member.node)),
        mark: None,
    });
    let matches = match_names(&members.collect::<Vec<_>>(), &event.fields, [&event.name, &webhook.path]);
    let found = matches.iter().filter(|one| one.member.is_some()).count();
    if event.fields.is_empty() { 0.0 } else { to_f64(found) / to_f64(event.fields.len()) }
}

//! Replies of receivers, and the refusals that they contain.

use takt_contract::form::ReplyForm;

/// The body of a 2xx. An error with the reason if it isn't received completely.
pub(super) type ReplyBody = Result<Vec<u8>, String>;

/// Returns the reasons of a refusal. Empty if the reply allows or its body is empty. An error if the reply does
/// neither.
pub(super) fn refusal_reasons(reply: &ReplyBody, form: &ReplyForm) -> Result<Vec<String>, String> {
    let body = reply.as_ref().map_err(Clone::clone)?;
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok(Vec::new());
    }
    let refused = serde_json::from_slice(body).ok().and_then(|reply| form.refusal(&reply));
    let lists_reasons = form.body.to_string().contains("\"$reasons\"");
    let reason =
        if lists_reasons { "the answer has no list of errors" } else { "the answer allows and refuses nothing" };
    refused.ok_or_else(|| reason.to_owned())
}

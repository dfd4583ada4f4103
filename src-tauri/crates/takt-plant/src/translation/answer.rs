//! Translates a response of the built-in contract to the site's.

use axum::{
    body::{Body, to_bytes},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header, response::Parts},
    response::Response,
};
use serde_json::{Map, Value};
use takt_contract::{
    OperationKind, Shape,
    form::{CountPlace, at_path, put_at_path},
    wire::{BatchAnswer, X_PAGINATION_CURRENT, X_PAGINATION_PAGES, X_PAGINATION_TOTAL, texts},
};

use crate::{
    answer::CompleteBody,
    paging::Page,
    site_contract::{SiteContract, SiteRoute},
};

/// The data for translating a response.
pub(super) struct AnswerTranslation<'a> {
    pub(super) contract: &'a SiteContract,
    /// None if there is no operation at the address.
    pub(super) route: Option<&'a SiteRoute>,
    pub(super) page: Option<Page>,
    /// The items of the request, in the built-in names.
    pub(super) items: &'a [String],
}

impl AnswerTranslation<'_> {
    /// Translates a response. One that a fault broke off stays unchanged.
    pub(super) async fn answer(&self, response: Response) -> Response {
        if response.extensions().get::<CompleteBody>().is_none() {
            return response;
        }
        let (mut parts, body) = response.into_parts();
        let Ok(bytes) = to_bytes(body, usize::MAX).await else { return Response::from_parts(parts, Body::empty()) };
        let translated = std::str::from_utf8(&bytes).ok().and_then(|text| self.body(&mut parts, text));
        let body = translated.unwrap_or_else(|| bytes.to_vec());
        parts.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(body.len()));
        Response::from_parts(parts, Body::from(body))
    }

    /// Returns None if the body must stay unchanged.
    fn body(&self, parts: &mut Parts, text: &str) -> Option<Vec<u8>> {
        if !parts.status.is_success() {
            return self.error(text);
        }
        let route = self.route?;
        match route.site.kind {
            OperationKind::Read => self.rows(route, &mut parts.headers, text),
            OperationKind::Sync | OperationKind::Delete => {
                let answer: BatchAnswer = serde_json::from_str(text).ok()?;
                if parts.status == StatusCode::MULTI_STATUS && route.site.batch != route.builtin.batch {
                    parts.status = StatusCode::OK;
                }
                Some(self.results(route, answer))
            }
            OperationKind::Query => None,
        }
    }

    fn rows(&self, route: &SiteRoute, headers: &mut HeaderMap, text: &str) -> Option<Vec<u8>> {
        let (of_site, builtin) = (route.site.answer.as_ref()?, route.builtin.answer.as_ref()?);
        let row = |row: &String| serde_json::from_str(&of_site.answered(row, &self.contract.zone)).ok();
        let rows = builtin.items(text)?.iter().map(row).collect::<Option<Vec<Value>>>()?;
        let mut body = Value::Null;
        put_at_path(&mut body, &of_site.member, Value::Array(rows));
        let count_header = |name: &str| headers.get(name)?.to_str().ok()?.parse::<u64>().ok();
        let total = count_header(X_PAGINATION_TOTAL);
        for name in [X_PAGINATION_TOTAL, X_PAGINATION_PAGES, X_PAGINATION_CURRENT] {
            headers.remove(name);
        }
        if let (Some(total), Some(page)) = (total, self.page) {
            let paging = &route.site.paging;
            let index = u32::try_from(page.skip() / page.limit.max(1)).unwrap_or(u32::MAX);
            let rows = u32::try_from(page.limit).unwrap_or(u32::MAX);
            let number = paging.number(index.saturating_add(1), rows);
            let counts = [
                (&paging.total, total),
                (&paging.pages, total.div_ceil(page.limit.max(1))),
                (&paging.current, number.into()),
            ];
            for (place, count) in counts {
                match place {
                    Some(CountPlace::Header(name)) => set(headers, name, count),
                    // A list that is the whole body has no members for counts.
                    Some(CountPlace::Member(path)) if !of_site.member.is_empty() => {
                        put_at_path(&mut body, path, Value::from(count));
                    }
                    Some(CountPlace::Member(_)) | None => {}
                }
            }
        }
        Some(body.to_string().into_bytes())
    }

    fn results(&self, route: &SiteRoute, mut answer: BatchAnswer) -> Vec<u8> {
        let blank = Shape::default();
        let shape = route.site.request.as_ref().unwrap_or(&blank);
        for result in &mut answer.results {
            result.errors.iter_mut().for_each(|text| *text = rename_field(text, shape));
        }
        let positions = if route.site.batch.index.is_some() { self.item_positions(&answer) } else { Vec::new() };
        answer.encode(&route.site.batch, shape, &positions, &self.contract.zone)
    }

    /// Returns the position of each result's item in the request. Results may be in another order.
    fn item_positions(&self, answer: &BatchAnswer) -> Vec<usize> {
        let sent: Vec<Map<String, Value>> =
            self.items.iter().map(|item| serde_json::from_str(item).unwrap_or_default()).collect();
        let mut free = vec![true; sent.len()];
        let mut positions = Vec::with_capacity(answer.results.len());
        for (position, result) in answer.results.iter().enumerate() {
            let matches = |index: usize| {
                free.get(index) == Some(&true)
                    && sent.get(index).is_some_and(|item| {
                        result.key.iter().all(|(name, value)| item.get(name).is_none_or(|known| known == value))
                    })
            };
            let index = if matches(position) { Some(position) } else { (0..sent.len()).find(|index| matches(*index)) };
            let index = index.unwrap_or(position);
            if let Some(free) = free.get_mut(index) {
                *free = false;
            }
            positions.push(index);
        }
        positions
    }

    /// Translates an error's texts. Members that the site's form doesn't have are added unchanged.
    fn error(&self, text: &str) -> Option<Vec<u8>> {
        let SiteContract { errors, builtin_errors, .. } = self.contract;
        let Value::Object(mut members) = serde_json::from_str(text).ok()? else { return None };
        let original = Value::Object(members.clone());
        let mut reason_lists = builtin_errors.reasons.iter().filter_map(|path| at_path(&original, path)).map(texts);
        let mut reasons = reason_lists.find(|reasons| !reasons.is_empty()).unwrap_or_default();
        if let Some(shape) = self.route.and_then(|route| route.site.request.as_ref()) {
            reasons.iter_mut().for_each(|text| *text = rename_field(text, shape));
        }
        if errors == builtin_errors {
            return None;
        }
        let log_id = builtin_errors.log_id.iter().filter_map(|path| at_path(&original, path)).flat_map(texts).next();
        for name in builtin_errors.reasons.iter().chain(&builtin_errors.log_id) {
            members.remove(name);
        }
        if let Value::Object(body) = errors.body(&reasons, log_id.as_deref()) {
            members.extend(body);
        }
        Some(Value::Object(members).to_string().into_bytes())
    }
}

/// Replaces the field's name at the start of a text by the site's.
fn rename_field(text: &str, shape: &Shape) -> String {
    let first = text.split([' ', ':', '[', '.']).next().unwrap_or_default();
    match shape.fields.iter().find(|field| field.name == first) {
        Some(field) => format!("{}{}", field.wire_name(), text.get(first.len()..).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn set(headers: &mut HeaderMap, name: &str, count: u64) {
    if let Ok(name) = HeaderName::try_from(name) {
        headers.insert(name, HeaderValue::from(count));
    }
}

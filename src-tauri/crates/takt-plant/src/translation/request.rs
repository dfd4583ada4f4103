//! A request of the site's contract, as one of the built-in contract.

use axum::{
    body::Body,
    extract::Request,
    http::{HeaderValue, Method, StatusCode, Uri, header},
};
use serde::de::IgnoredAny;
use serde_json::Value;
use takt_contract::{
    OperationKind, Parameter, ParameterPlace,
    form::{Paging, at_path},
};
use url::form_urlencoded::{Serializer, parse};

use crate::{answer::Answer, api::Refused, paging::Page, request_body::read_body, site_contract::SiteRoute};

/// Rows per page where neither the request nor the contract says it.
const USUAL_ROWS: u32 = 100;

/// A request as the plant's inside takes it.
pub(super) struct TranslatedRequest {
    pub(super) request: Request,
    /// Which rows are asked for, of a list in pages.
    pub(super) page: Option<Page>,
    /// Of a batch, in the built-in names.
    pub(super) items: Vec<String>,
}

impl SiteRoute {
    /// The request by the built-in contract; else what is wrong with it.
    pub(super) async fn inside(
        &self,
        values: &[(&str, String)],
        request: Request,
    ) -> Result<TranslatedRequest, Answer> {
        let (mut parts, mut body) = request.into_parts();
        let wrong = |texts| Answer::errors(StatusCode::BAD_REQUEST, texts);
        let mut asked: Vec<(String, String)> =
            parse(parts.uri.query().unwrap_or_default().as_bytes()).into_owned().collect();
        if self.site.kind == OperationKind::Read && self.site.method != Method::GET.as_str() {
            asked.extend(self.asked_in_body(&read_body(std::mem::take(&mut body), true).await?));
            parts.headers.remove(header::CONTENT_LENGTH);
            parts.headers.remove(header::CONTENT_TYPE);
        }
        let (query, page) = self.query(&asked).map_err(wrong)?;
        let mut path = self.builtin.path.clone();
        for parameter in self.parameters(ParameterPlace::Path) {
            let value = values.iter().find(|(name, _)| *name == parameter.wire_name()).map(|(_, value)| value.as_str());
            path = path.replace(&format!("{{{}}}", parameter.name), &parameter.received(value.unwrap_or_default()));
        }
        let address = if query.is_empty() { path } else { format!("{path}?{query}") };
        parts.uri =
            address.parse::<Uri>().map_err(|error| wrong(vec![format!("The address can't be read: {error}.")]))?;
        parts.method = self.builtin.method.parse().unwrap_or(parts.method);
        // A list that the site gives as a whole has no pages.
        let whole = (self.builtin.paged && !self.site.paged).then(Page::whole);
        if let Some(page) = page.or(whole) {
            parts.extensions.insert(page);
        }
        let mut items = Vec::new();
        let is_batch = matches!(self.site.kind, OperationKind::Sync | OperationKind::Delete);
        if is_batch && !parts.headers.contains_key(header::CONTENT_ENCODING) {
            let inside;
            (inside, items) = self.items(read_body(body, true).await?);
            parts.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(inside.len()));
            parts.headers.remove(header::TRANSFER_ENCODING);
            body = Body::from(inside);
        }
        Ok(TranslatedRequest { request: Request::from_parts(parts, body), page, items })
    }

    /// A request to the same operation that gets this answer, once its token and the limit allow it.
    pub(super) fn refused(&self, answer: Answer) -> Request {
        let mut request = Request::new(Body::empty());
        *request.method_mut() = self.builtin.method.parse().unwrap_or_default();
        *request.uri_mut() = self.builtin.path.replace(['{', '}'], "").parse().unwrap_or_default();
        request.extensions_mut().insert(Refused(answer));
        request
    }

    fn parameters(&self, place: ParameterPlace) -> impl Iterator<Item = &Parameter> {
        self.site.parameters.iter().filter(move |parameter| parameter.place == place)
    }

    /// What a read asks for in its body.
    fn asked_in_body(&self, bytes: &[u8]) -> Vec<(String, String)> {
        let body: Value = serde_json::from_slice(bytes).unwrap_or_default();
        let paging = self.site.paged.then_some(&self.site.paging).filter(|paging| paging.in_body);
        let pages = paging.into_iter().flat_map(|paging| std::iter::once(&paging.page).chain(&paging.limit));
        let names = self.parameters(ParameterPlace::Body).map(Parameter::wire_name).chain(pages.map(String::as_str));
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let told = names.filter_map(|name| Some((name, at_path(&body, name).filter(|value| !value.is_null())?)));
        told.map(|(name, value)| (name.to_owned(), text(value))).collect()
    }

    /// The query of the built-in contract, without what asks for a page.
    fn query(&self, asked: &[(String, String)]) -> Result<(String, Option<Page>), Vec<String>> {
        let paging = self.site.paged.then_some(&self.site.paging);
        let (mut number, mut limit, mut errors) = (None, None, Vec::new());
        let mut inside = Serializer::new(String::new());
        for (name, value) in asked {
            if let Some(paging) = paging.filter(|paging| paging.asks_with(name)) {
                // A sign is none of a number in an address.
                match value.parse::<u32>().ok().filter(|_| !value.starts_with('+')) {
                    Some(asked) if paging.page == *name => number = Some(asked),
                    Some(asked) if asked > 0 => limit = Some(asked),
                    Some(_) | None => errors.push(format!("{name} must be a whole number.")),
                }
                continue;
            }
            let known = self.site.parameters.iter().filter(|parameter| parameter.place != ParameterPlace::Path);
            match known.into_iter().find(|parameter| parameter.wire_name() == name) {
                Some(parameter) => inside.append_pair(&parameter.name, &parameter.received(value)),
                None => inside.append_pair(name, value),
            };
        }
        let page = paging.map(|paging| page_of(paging, number, limit));
        if matches!(page, Some(None)) {
            errors.push(format!("{} must be a whole number.", self.site.paging.page));
        }
        if errors.is_empty() { Ok((inside.finish(), page.flatten())) } else { Err(errors) }
    }

    /// The body of a batch, and its items, in the built-in names. What isn't such a body is for the inside to refuse.
    fn items(&self, bytes: Vec<u8>) -> (Vec<u8>, Vec<String>) {
        let text = String::from_utf8_lossy(&bytes);
        let Some((of_site, builtin)) = self.site.request.as_ref().zip(self.builtin.request.as_ref()) else {
            return (bytes, Vec::new());
        };
        match of_site.items(&text) {
            Some(items) => {
                let body = builtin.body(items.iter().map(String::as_str), &self.site.time_zone);
                (body.into_bytes(), items)
            }
            None if serde_json::from_str::<IgnoredAny>(&text).is_ok() => (b"{}".to_vec(), Vec::new()),
            None => (bytes, Vec::new()),
        }
    }
}

/// Nothing where there is no page of that number.
fn page_of(paging: &Paging, number: Option<u32>, limit: Option<u32>) -> Option<Page> {
    let most = if paging.rows == 0 { USUAL_ROWS } else { paging.rows };
    let rows = limit.unwrap_or(most).min(most);
    let number = number.unwrap_or(if paging.counts_rows { 0 } else { paging.first });
    Some(Page::of_rows(paging.skipped(number, rows)?, rows.into()))
}

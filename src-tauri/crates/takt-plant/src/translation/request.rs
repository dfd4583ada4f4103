//! Translates a request of the site's contract to the built-in one.

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

use crate::{answer::Answer, api::RefusedRequest, paging::Page, request_body::read_body, site_contract::SiteRoute};

/// Rows per page if neither the request nor the contract has a number.
const DEFAULT_ROWS: u32 = 100;

/// A request in the built-in contract.
pub(super) struct TranslatedRequest {
    pub(super) request: Request,
    /// The requested rows of a list in pages.
    pub(super) page: Option<Page>,
    /// The items of a batch, in the built-in names.
    pub(super) items: Vec<String>,
}

impl SiteRoute {
    /// Translates a request. An error is the response to an invalid one.
    pub(super) async fn translate(
        &self,
        values: &[(&str, String)],
        request: Request,
    ) -> Result<TranslatedRequest, Answer> {
        let (mut parts, mut body) = request.into_parts();
        let wrong = |texts| Answer::errors(StatusCode::BAD_REQUEST, texts);
        let mut pairs: Vec<(String, String)> =
            parse(parts.uri.query().unwrap_or_default().as_bytes()).into_owned().collect();
        if self.site.kind == OperationKind::Read && self.site.method != Method::GET.as_str() {
            pairs.extend(self.body_parameters(&read_body(std::mem::take(&mut body), true).await?));
            parts.headers.remove(header::CONTENT_LENGTH);
            parts.headers.remove(header::CONTENT_TYPE);
        }
        let (query, page) = self.query(&pairs).map_err(wrong)?;
        let mut path = self.builtin.path.clone();
        for parameter in self.parameters(ParameterPlace::Path) {
            let value = values.iter().find(|(name, _)| *name == parameter.wire_name()).map(|(_, value)| value.as_str());
            path = path.replace(&format!("{{{}}}", parameter.name), &parameter.received(value.unwrap_or_default()));
        }
        let address = if query.is_empty() { path } else { format!("{path}?{query}") };
        parts.uri =
            address.parse::<Uri>().map_err(|error| wrong(vec![format!("The address can't be read: {error}.")]))?;
        parts.method = self.builtin.method.parse().unwrap_or(parts.method);
        // A list without pages at the site returns all rows.
        let all_rows = (self.builtin.paged && !self.site.paged).then(Page::all_rows);
        if let Some(page) = page.or(all_rows) {
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

    /// Builds a request to the same operation that gets `answer` once token and rate limit admit it.
    pub(super) fn refused_request(&self, answer: Answer) -> Request {
        let mut request = Request::new(Body::empty());
        *request.method_mut() = self.builtin.method.parse().unwrap_or_default();
        *request.uri_mut() = self.builtin.path.replace(['{', '}'], "").parse().unwrap_or_default();
        request.extensions_mut().insert(RefusedRequest(answer));
        request
    }

    fn parameters(&self, place: ParameterPlace) -> impl Iterator<Item = &Parameter> {
        self.site.parameters.iter().filter(move |parameter| parameter.place == place)
    }

    /// Returns the parameters in the body of a read.
    fn body_parameters(&self, bytes: &[u8]) -> Vec<(String, String)> {
        let body: Value = serde_json::from_slice(bytes).unwrap_or_default();
        let paging = self.site.paged.then_some(&self.site.paging).filter(|paging| paging.in_body);
        let pages = paging.into_iter().flat_map(|paging| std::iter::once(&paging.page).chain(&paging.limit));
        let names = self.parameters(ParameterPlace::Body).map(Parameter::wire_name).chain(pages.map(String::as_str));
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let values = names.filter_map(|name| Some((name, at_path(&body, name).filter(|value| !value.is_null())?)));
        values.map(|(name, value)| (name.to_owned(), text(value))).collect()
    }

    /// Translates the query, and takes the page from it.
    fn query(&self, pairs: &[(String, String)]) -> Result<(String, Option<Page>), Vec<String>> {
        let paging = self.site.paged.then_some(&self.site.paging);
        let (mut number, mut limit, mut errors) = (None, None, Vec::new());
        let mut inside = Serializer::new(String::new());
        for (name, value) in pairs {
            if let Some(paging) = paging.filter(|paging| paging.asks_with(name)) {
                // A number in an address has no sign.
                match value.parse::<u32>().ok().filter(|_| !value.starts_with('+')) {
                    Some(requested) if paging.page == *name => number = Some(requested),
                    Some(requested) if requested > 0 => limit = Some(requested),
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
        let page = paging.map(|paging| find_page(paging, number, limit));
        if matches!(page, Some(None)) {
            errors.push(format!("{} must be a whole number.", self.site.paging.page));
        }
        if errors.is_empty() { Ok((inside.finish(), page.flatten())) } else { Err(errors) }
    }

    /// Translates the body of a batch, and returns its items. An invalid body is refused inside.
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

/// Returns None if there is no page with that number.
fn find_page(paging: &Paging, number: Option<u32>, limit: Option<u32>) -> Option<Page> {
    let max_rows = if paging.rows == 0 { DEFAULT_ROWS } else { paging.rows };
    let rows = limit.unwrap_or(max_rows).min(max_rows);
    let number = number.unwrap_or(if paging.counts_rows { 0 } else { paging.first });
    Some(Page::of_rows(paging.skipped(number, rows)?, rows.into()))
}

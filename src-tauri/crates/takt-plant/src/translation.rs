//! Translates requests from a site's contract to the built-in one, and responses back. The rest of the plant uses the
//! built-in contract.
//!
//! Names and values are translated by takt-contract.

use std::sync::Arc;

use axum::{
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header, response::Parts},
    response::Response,
};
use serde::de::IgnoredAny;
use serde_json::{Map, Value};
use takt_contract::{
    OperationKind, Parameter, ParameterPlace, RowSchema,
    form::{CountPlace, Paging, at_path, put_at_path},
    wire::{BatchResponse, X_PAGINATION_CURRENT, X_PAGINATION_PAGES, X_PAGINATION_TOTAL, reason_texts},
};
use url::form_urlencoded::{Serializer, parse};

use crate::{
    Plant,
    answer::{Answer, CompleteBody},
    api::{self, RefusedRequest},
    log_entry::OriginalAddress,
    paging::PageRange,
    request_body::read_body,
    site_contract::{SiteContract, SiteRoute},
};

/// The number of rows per page if neither the request nor the contract states it.
const DEFAULT_ROWS: u32 = 100;
/// A path that no operation has.
const UNKNOWN_PATH: &str = "/-";

/// Answers a request under the base URL, in the contract that the plant uses.
pub(crate) async fn answer_request(State(plant): State<Arc<Plant>>, mut request: Request) -> Response {
    let Some(contract) = &plant.site_contract else { return api::answer_request(State(plant), request).await };
    let original_address = request.uri().path_and_query().map_or("", |path| path.as_str()).to_owned();
    let route_match = contract.find_route(request.method(), request.uri().path());
    let Some((route, values)) = route_match else {
        *request.uri_mut() = Uri::from_static(UNKNOWN_PATH);
        request.extensions_mut().insert(OriginalAddress(original_address));
        let response = api::answer_request(State(Arc::clone(&plant)), request).await;
        return AnswerTranslation { contract, route: None, page: None, items: &[] }.translate_response(response).await;
    };
    let (headers, extensions) = (request.headers().clone(), request.extensions().clone());
    let mut translated = match route.translate_request(&values, request).await {
        Ok(translated) => translated,
        Err(refused) => {
            let mut request = route.build_refused_request(refused);
            *request.headers_mut() = headers;
            request.extensions_mut().extend(extensions);
            TranslatedRequest { request, page: None, items: Vec::new() }
        }
    };
    translated.request.extensions_mut().insert(OriginalAddress(original_address));
    let response = api::answer_request(State(Arc::clone(&plant)), translated.request).await;
    AnswerTranslation { contract, route: Some(route), page: translated.page, items: &translated.items }
        .translate_response(response)
        .await
}

/// A request translated to the built-in contract.
struct TranslatedRequest {
    request: Request,
    /// The requested page of a list.
    page: Option<PageRange>,
    /// The items of a batch, with the built-in names.
    items: Vec<String>,
}

impl SiteRoute {
    /// Translates a request. The error is the response to an invalid request.
    async fn translate_request(
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
        let (query, page) = self.translate_query(&pairs).map_err(wrong)?;
        let mut path = self.builtin.path.clone();
        for parameter in self.parameters_in(ParameterPlace::Path) {
            let value = values.iter().find(|(name, _)| *name == parameter.wire_name()).map(|(_, value)| value.as_str());
            path = path.replace(
                &format!("{{{}}}", parameter.name),
                &parameter.decode_address_value(value.unwrap_or_default()),
            );
        }
        let address = if query.is_empty() { path } else { format!("{path}?{query}") };
        parts.uri =
            address.parse::<Uri>().map_err(|error| wrong(vec![format!("The address can't be read: {error}.")]))?;
        parts.method = self.builtin.method.parse().unwrap_or(parts.method);
        // The site returns all rows of this list, since it has no pages.
        let all_rows = (self.builtin.paged && !self.site.paged).then(PageRange::all_rows);
        if let Some(page) = page.or(all_rows) {
            parts.extensions.insert(page);
        }
        let mut items = Vec::new();
        let is_batch = matches!(self.site.kind, OperationKind::Sync | OperationKind::Delete);
        if is_batch && !parts.headers.contains_key(header::CONTENT_ENCODING) {
            let inside;
            (inside, items) = self.translate_items(read_body(body, true).await?);
            parts.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(inside.len()));
            parts.headers.remove(header::TRANSFER_ENCODING);
            body = Body::from(inside);
        }
        Ok(TranslatedRequest { request: Request::from_parts(parts, body), page, items })
    }

    /// Builds a request that returns `answer` if the token is valid and the rate limit isn't exceeded.
    fn build_refused_request(&self, answer: Answer) -> Request {
        let mut request = Request::new(Body::empty());
        *request.method_mut() = self.builtin.method.parse().unwrap_or_default();
        *request.uri_mut() = self.builtin.path.replace(['{', '}'], "").parse().unwrap_or_default();
        request.extensions_mut().insert(RefusedRequest(answer));
        request
    }

    fn parameters_in(&self, place: ParameterPlace) -> impl Iterator<Item = &Parameter> {
        self.site.parameters.iter().filter(move |parameter| parameter.place == place)
    }

    /// Returns the parameters in the body of a read.
    fn body_parameters(&self, bytes: &[u8]) -> Vec<(String, String)> {
        let body: Value = serde_json::from_slice(bytes).unwrap_or_default();
        let paging = self.site.paged.then_some(&self.site.paging).filter(|paging| paging.in_body);
        let pages = paging.into_iter().flat_map(|paging| std::iter::once(&paging.page).chain(&paging.limit));
        let names = self.parameters_in(ParameterPlace::Body).map(Parameter::wire_name).chain(pages.map(String::as_str));
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let values = names.filter_map(|name| Some((name, at_path(&body, name).filter(|value| !value.is_null())?)));
        values.map(|(name, value)| (name.to_owned(), text(value))).collect()
    }

    /// Translates the query and removes the page parameters from it. Returns the query and the page.
    fn translate_query(&self, pairs: &[(String, String)]) -> Result<(String, Option<PageRange>), Vec<String>> {
        let paging = self.site.paged.then_some(&self.site.paging);
        let (mut number, mut limit, mut errors) = (None, None, Vec::new());
        let mut inside = Serializer::new(String::new());
        for (name, value) in pairs {
            if let Some(paging) = paging.filter(|paging| paging.is_paging_parameter(name)) {
                // A number in a query has no sign.
                match value.parse::<u32>().ok().filter(|_| !value.starts_with('+')) {
                    Some(requested) if paging.page == *name => number = Some(requested),
                    Some(requested) if requested > 0 => limit = Some(requested),
                    Some(_) | None => errors.push(format!("{name} must be a whole number.")),
                }
                continue;
            }
            let known = self.site.parameters.iter().filter(|parameter| parameter.place != ParameterPlace::Path);
            match known.into_iter().find(|parameter| parameter.wire_name() == name) {
                Some(parameter) => inside.append_pair(&parameter.name, &parameter.decode_address_value(value)),
                None => inside.append_pair(name, value),
            };
        }
        let page = paging.map(|paging| find_page(paging, number, limit));
        if matches!(page, Some(None)) {
            errors.push(format!("{} must be a whole number.", self.site.paging.page));
        }
        if errors.is_empty() { Ok((inside.finish(), page.flatten())) } else { Err(errors) }
    }

    /// Translates the body of a batch. Also returns its items. Invalid bodies are rejected later.
    fn translate_items(&self, bytes: Vec<u8>) -> (Vec<u8>, Vec<String>) {
        let text = String::from_utf8_lossy(&bytes);
        let Some((of_site, builtin)) = self.site.request.as_ref().zip(self.builtin.request.as_ref()) else {
            return (bytes, Vec::new());
        };
        match of_site.decode_items(&text) {
            Some(items) => {
                let body = builtin.encode_body(items.iter().map(String::as_str), &self.site.time_zone);
                (body.into_bytes(), items)
            }
            None if serde_json::from_str::<IgnoredAny>(&text).is_ok() => (b"{}".to_vec(), Vec::new()),
            None => (bytes, Vec::new()),
        }
    }
}

/// Returns None if there is no page with this number.
fn find_page(paging: &Paging, number: Option<u32>, limit: Option<u32>) -> Option<PageRange> {
    let max_rows = if paging.rows == 0 { DEFAULT_ROWS } else { paging.rows };
    let rows = limit.unwrap_or(max_rows).min(max_rows);
    let number = number.unwrap_or(if paging.counts_rows { 0 } else { paging.first });
    Some(PageRange::from_offset(paging.rows_before_page(number, rows)?, rows.into()))
}

/// The parts of a request that are needed to translate its response.
struct AnswerTranslation<'a> {
    contract: &'a SiteContract,
    /// None if no operation has the address.
    route: Option<&'a SiteRoute>,
    page: Option<PageRange>,
    /// The items of the request, with the built-in names.
    items: &'a [String],
}

impl AnswerTranslation<'_> {
    /// Translates a response. Responses that a fault cut off aren't changed.
    async fn translate_response(&self, response: Response) -> Response {
        if response.extensions().get::<CompleteBody>().is_none() {
            return response;
        }
        let (mut parts, body) = response.into_parts();
        let Ok(bytes) = to_bytes(body, usize::MAX).await else { return Response::from_parts(parts, Body::empty()) };
        let translated = std::str::from_utf8(&bytes).ok().and_then(|text| self.translate_body(&mut parts, text));
        let body = translated.unwrap_or_else(|| bytes.to_vec());
        parts.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(body.len()));
        Response::from_parts(parts, Body::from(body))
    }

    /// Returns None if the body needs no translation.
    fn translate_body(&self, parts: &mut Parts, text: &str) -> Option<Vec<u8>> {
        if !parts.status.is_success() {
            return self.translate_error(text);
        }
        let route = self.route?;
        match route.site.kind {
            OperationKind::Read => self.translate_rows(route, &mut parts.headers, text),
            OperationKind::Sync | OperationKind::Delete => {
                let answer: BatchResponse = serde_json::from_str(text).ok()?;
                if parts.status == StatusCode::MULTI_STATUS && route.site.batch != route.builtin.batch {
                    parts.status = StatusCode::OK;
                }
                Some(self.translate_results(route, answer))
            }
            OperationKind::Query => None,
        }
    }

    fn translate_rows(&self, route: &SiteRoute, headers: &mut HeaderMap, text: &str) -> Option<Vec<u8>> {
        let (of_site, builtin) = (route.site.answer.as_ref()?, route.builtin.answer.as_ref()?);
        let row = |row: &String| serde_json::from_str(&of_site.encode_row_for_service(row, &self.contract.zone)).ok();
        let rows = builtin.decode_items(text)?.iter().map(row).collect::<Option<Vec<Value>>>()?;
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
            let number = paging.page_value(index.saturating_add(1), rows);
            let counts = [
                (&paging.total, total),
                (&paging.pages, total.div_ceil(page.limit.max(1))),
                (&paging.current, number.into()),
            ];
            for (place, count) in counts {
                match place {
                    Some(CountPlace::Header(name)) => set_count_header(headers, name, count),
                    // If the body is the list itself, it can't contain counts.
                    Some(CountPlace::Member(path)) if !of_site.member.is_empty() => {
                        put_at_path(&mut body, path, Value::from(count));
                    }
                    Some(CountPlace::Member(_)) | None => {}
                }
            }
        }
        Some(body.to_string().into_bytes())
    }

    fn translate_results(&self, route: &SiteRoute, mut answer: BatchResponse) -> Vec<u8> {
        let blank = RowSchema::default();
        let shape = route.site.request.as_ref().unwrap_or(&blank);
        for result in &mut answer.results {
            result.errors.iter_mut().for_each(|text| *text = rename_field(text, shape));
        }
        let positions = if route.site.batch.index.is_some() { self.find_item_positions(&answer) } else { Vec::new() };
        answer.encode(&route.site.batch, shape, &positions, &self.contract.zone)
    }

    /// Returns the positions of the items to which the results belong. A fault may have reordered the results.
    fn find_item_positions(&self, answer: &BatchResponse) -> Vec<usize> {
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

    /// Translates the texts of an error. Members that the site's form lacks aren't changed.
    fn translate_error(&self, text: &str) -> Option<Vec<u8>> {
        let SiteContract { errors, builtin_errors, .. } = self.contract;
        let Value::Object(mut members) = serde_json::from_str(text).ok()? else { return None };
        let original = Value::Object(members.clone());
        let mut reason_lists =
            builtin_errors.reasons.iter().filter_map(|path| at_path(&original, path)).map(reason_texts);
        let mut reasons = reason_lists.find(|reasons| !reasons.is_empty()).unwrap_or_default();
        if let Some(shape) = self.route.and_then(|route| route.site.request.as_ref()) {
            reasons.iter_mut().for_each(|text| *text = rename_field(text, shape));
        }
        if errors == builtin_errors {
            return None;
        }
        let log_id =
            builtin_errors.log_id.iter().filter_map(|path| at_path(&original, path)).flat_map(reason_texts).next();
        for name in builtin_errors.reasons.iter().chain(&builtin_errors.log_id) {
            members.remove(name);
        }
        if let Value::Object(body) = errors.body(&reasons, log_id.as_deref()) {
            members.extend(body);
        }
        Some(Value::Object(members).to_string().into_bytes())
    }
}

/// Replaces the name of a field at the start of a text with the site's name.
fn rename_field(text: &str, shape: &RowSchema) -> String {
    let first = text.split([' ', ':', '[', '.']).next().unwrap_or_default();
    match shape.fields.iter().find(|field| field.name == first) {
        Some(field) => format!("{}{}", field.wire_name(), text.get(first.len()..).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn set_count_header(headers: &mut HeaderMap, name: &str, count: u64) {
    if let Ok(name) = HeaderName::try_from(name) {
        headers.insert(name, HeaderValue::from(count));
    }
}

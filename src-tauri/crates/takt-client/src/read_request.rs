//! The request of a read, with its method, path, query and body.

use serde_json::{Value, json};
use takt_contract::{
    Operation,
    form::{Paging, put_at_path},
};

const GET: &str = "GET";

/// A request that changes no data, so it may be retried.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReadRequest {
    /// The method in upper case.
    pub method: String,
    /// The percent-encoded path relative to the base URL.
    pub path: String,
    pub query: Vec<(String, String)>,
    /// Null if no value was set.
    pub body: Value,
}

impl ReadRequest {
    /// Returns a request without parameters.
    #[must_use]
    pub fn new(method: &str, path: &str) -> Self {
        Self { method: method.to_owned(), path: path.to_owned(), ..Self::default() }
    }

    /// Returns a `GET` request.
    #[must_use]
    pub fn get(path: &str, query: &[(String, String)]) -> Self {
        Self { query: query.to_vec(), ..Self::new(GET, path) }
    }

    /// Returns the request of a list operation, limited to the first row if the list is paged.
    #[must_use]
    pub fn first_row(operation: &Operation) -> Self {
        let mut request = Self::new(&operation.method, &operation.path);
        if operation.paged {
            request.set_page(&operation.paging, 1, 1);
        }
        request
    }

    /// Sets a value at a dotted path of the body.
    pub fn set_in_body(&mut self, path: &str, value: Value) {
        put_at_path(&mut self.body, path, value);
    }

    /// Requests the 1-based `page` with `rows` rows.
    pub fn set_page(&mut self, paging: &Paging, page: u32, rows: u32) {
        let number = (!paging.page.is_empty()).then(|| (paging.page.clone(), paging.page_value(page, rows)));
        for (name, number) in number.into_iter().chain(paging.limit.clone().map(|limit| (limit, rows))) {
            if paging.in_body {
                self.set_in_body(&name, Value::from(number));
            } else {
                self.query.push((name, number.to_string()));
            }
        }
    }

    /// Returns the body's text. Methods other than `GET` always have a body, since such services expect at least an
    /// empty object.
    pub(crate) fn body_text(&self) -> Option<String> {
        match &self.body {
            Value::Null => (self.method != GET).then(|| json!({}).to_string()),
            body => Some(body.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_values_go_where_the_contract_has_them() {
        let mut request = ReadRequest::new("POST", "/orders/search");
        request.set_in_body("filter.status", json!("open"));
        let limit = Some("paging.size".to_owned());
        let mut paging = Paging { page: "paging.number".to_owned(), limit, first: 0, ..Paging::default() };
        paging.in_body = true;
        request.set_page(&paging, 3, 25);
        assert_eq!(request.body, json!({ "filter": { "status": "open" }, "paging": { "number": 2, "size": 25 } }));
        assert!(request.query.is_empty());
        paging.in_body = false;
        request.set_page(&paging, 1, 25);
        assert_eq!(request.query.first(), Some(&("paging.number".to_owned(), "0".to_owned())));
    }

    #[test]
    fn only_a_get_goes_without_a_body() {
        assert_eq!(ReadRequest::get("/orders", &[]).body_text(), None);
        assert_eq!(ReadRequest::new("POST", "/orders").body_text().as_deref(), Some("{}"));
    }
}

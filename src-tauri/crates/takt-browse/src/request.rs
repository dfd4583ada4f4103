//! Builds a read request from an operation and its parameter values.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use takt_client::{Client, ClientError, ListFault, ListForm, Pages, Pagination, ReadRequest, Rows, ServiceResponse};
use takt_contract::form::Paging;
use takt_contract::{Contract, FieldKind, Operation, OperationKind, Parameter, ParameterPlace, RowSchema};
use takt_core::{Code, Problem};

/// The operation and the parameters of a read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct BrowseQuery {
    pub operation: String,
    /// Parameter values by name. Empty values are left out of the request.
    pub parameters: BTreeMap<String, String>,
}

/// A read, ready to be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct ListRequest {
    /// The request without page parameters.
    pub read_request: ReadRequest,
    pub(crate) paged: bool,
    paging: Paging,
    pub shape: Arc<RowSchema>,
    /// The statuses that mean "not found".
    absent: Vec<u16>,
}

impl ListRequest {
    /// Creates a read of the contract from parameter values.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the contract has no such read, or the read has no such parameter.
    /// - [`Code::InvalidInput`]: a required value is missing, isn't of its parameter's type, or would change the path
    ///   (`..`).
    pub fn new(contract: &Contract, query: &BrowseQuery) -> Result<Self, Problem> {
        let unknown = |what: &str| Problem::new(Code::Unknown).parameter("what", what);
        let operation = contract.operation(&query.operation).ok_or_else(|| unknown(&query.operation))?;
        let shape = operation.answer.clone().filter(|_| operation.kind == OperationKind::Read);
        let shape = shape.ok_or_else(|| unknown(&query.operation))?;
        Self::for_operation(operation, &shape, &query.parameters)
    }

    /// Creates a read with `parameters`. `shape` is the shape of its rows.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the operation has no such parameter.
    /// - [`Code::InvalidInput`]: a required value is missing, isn't of its parameter's type, or would change the path
    ///   (`..`).
    pub fn for_operation(
        operation: &Operation,
        shape: &RowSchema,
        parameters: &BTreeMap<String, String>,
    ) -> Result<Self, Problem> {
        if let Some(name) = parameters.keys().find(|name| find_parameter(operation, name).is_none()) {
            return Err(Problem::new(Code::Unknown).parameter("what", name.as_str()));
        }
        let mut path = operation.path.clone();
        let mut read_request = ReadRequest::new(&operation.method, "");
        for parameter in &operation.parameters {
            let value = parameters.get(&parameter.name).map(|value| value.trim()).unwrap_or_default();
            check_value(parameter, value)?;
            let (name, on_wire) = (parameter.wire_name(), parameter.encode_for_address(value, &operation.time_zone));
            match parameter.place {
                ParameterPlace::Path => path = path.replace(&format!("{{{name}}}"), &percent_encode(&on_wire)),
                ParameterPlace::Query | ParameterPlace::Body if value.is_empty() => {}
                ParameterPlace::Query => read_request.query.push((name.to_owned(), on_wire)),
                ParameterPlace::Body => {
                    read_request.set_in_body(name, parameter.encode_for_body(value, &operation.time_zone))
                }
            }
        }
        read_request.path = path;
        Ok(Self {
            read_request,
            paged: operation.paged,
            paging: if operation.paged { operation.paging.clone() } else { operation.counts.clone() },
            shape: Arc::new(shape.clone()),
            absent: operation.absent.clone(),
        })
    }

    /// Returns true if the service confirms "not found": with one of the contract's statuses, and with a body in the
    /// contract's form. Other bodies come from a gateway or proxy, which doesn't know the service's data.
    pub fn is_absence(&self, error: &ClientError) -> bool {
        self.has_absent_status(error) && matches!(error, ClientError::Refused(refusal) if refusal.has_not_found_form)
    }

    /// Returns true if the response leaves open whether this one thing exists. Reads of other things may still succeed.
    pub(crate) fn leaves_open(&self, error: &ClientError) -> bool {
        self.has_absent_status(error) || matches!(error, ClientError::NotUnderstood { .. })
    }

    /// Returns the path with its parameters filled in. Each read of the same single thing has the same path.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.read_request.path
    }

    /// Returns true if the status is one that the contract uses for "not found", regardless of the body.
    pub(crate) fn has_absent_status(&self, error: &ClientError) -> bool {
        matches!(error, ClientError::Refused(refusal) if self.absent.contains(&refusal.status))
    }

    /// Returns a reader for the list's pages.
    #[must_use]
    pub fn pages(&self, client: &Client) -> Pages {
        client.pages(self.read_request.clone(), self.form())
    }

    /// Returns the rows of a response to this read.
    ///
    /// # Errors
    /// The response doesn't contain the contract's list.
    pub async fn parse_rows(&self, answer: ServiceResponse) -> Result<Rows, ClientError> {
        answer.into_rows(&self.shape).await
    }

    /// Returns the rows of a response that isn't paged, and the reason why rows may be missing.
    ///
    /// # Errors
    /// The response doesn't contain the contract's list.
    pub async fn parse_all_rows(&self, answer: ServiceResponse) -> Result<(Rows, Option<ListFault>), ClientError> {
        let pagination = self.pagination(&answer);
        let rows = self.parse_rows(answer).await?;
        let fault = ListFault::in_single_page(pagination, rows.len());
        Ok((rows, fault))
    }

    /// Returns the page numbers and counts in a response.
    pub(crate) fn pagination(&self, answer: &ServiceResponse) -> Pagination {
        answer.pagination(&self.paging)
    }

    fn form(&self) -> ListForm {
        ListForm { paging: self.paging.clone(), shape: Arc::clone(&self.shape) }
    }

    /// Returns the request for a page. Page parameters are only sent to reads that have pages.
    #[must_use]
    pub fn page_request(&self, page: u32, limit: u32) -> ReadRequest {
        let mut read_request = self.read_request.clone();
        if self.paged {
            self.form().set_page(&mut read_request, page, limit);
        }
        read_request
    }
}

fn find_parameter<'a>(operation: &'a Operation, name: &str) -> Option<&'a Parameter> {
    operation.parameters.iter().find(|parameter| parameter.name == name)
}

fn check_value(parameter: &Parameter, value: &str) -> Result<(), Problem> {
    let invalid = |what: &str| Err(Problem::new(Code::InvalidInput).parameter("what", what));
    let is_required = parameter.required || parameter.place == ParameterPlace::Path;
    if value.is_empty() {
        return if is_required { invalid(&parameter.name) } else { Ok(()) };
    }
    let is_valid = match parameter.kind {
        FieldKind::Integer => value.parse::<i64>().is_ok(),
        FieldKind::Number => value.parse::<f64>().is_ok_and(f64::is_finite),
        FieldKind::Boolean => matches!(value, "true" | "false"),
        FieldKind::Text
        | FieldKind::DateTime
        | FieldKind::Duration
        | FieldKind::TimeSpan
        | FieldKind::List
        | FieldKind::Object => true,
    };
    // In a path, these two values name another folder, encoded or not.
    let changes_path = parameter.place == ParameterPlace::Path && matches!(value, "." | "..");
    if is_valid && !changes_path { Ok(()) } else { invalid(value) }
}

/// Percent-encodes everything but unreserved characters.
fn percent_encode(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_value_leads_elsewhere() {
        assert_eq!(percent_encode("a/b?c#d e%"), "a%2Fb%3Fc%23d%20e%25");
        assert_eq!(percent_encode("IP-01_x.y~z"), "IP-01_x.y~z");
        assert_eq!(percent_encode("ü"), "%C3%BC");
    }
}

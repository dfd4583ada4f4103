//! The contract of the service: its operations, events, assumptions and forms.

use std::{borrow::Cow, collections::BTreeSet, panic, thread};

use jiff::tz::TimeZone;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    Assumption, AssumptionError, ContractError, EventKind, Operation, OperationKind, ReplyRules,
    assumption::{self, ABSENT_STATUSES, ALL_OPERATIONS, REPEATABLE_OPERATIONS, SENT_LISTS, VALIDATION_REPLY},
    byte_order_mark::utf8_text,
    form::{CommonForms, ErrorForm, ReplyForm},
    overlay::{self, Overlay},
    reader,
};

const DOCUMENT: &str = include_str!("../contract/takt.openapi.json");

/// The service's contract, read from an OpenAPI document.
///
/// ```
/// use takt_contract::{Contract, OperationKind};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let contract = Contract::builtin()?;
/// let sends = contract.operations().iter().find(|operation| operation.kind == OperationKind::Sync);
/// let operation = sends.ok_or("the contract has no sync")?;
///
/// let shape = operation.request.as_ref().ok_or("the sync has no request")?;
/// let required = shape.fields.iter().filter(|field| field.required);
/// let required: Vec<&str> = required.map(|field| field.name.as_str()).collect();
/// println!("{} {}: {} with {}", operation.method, operation.path, shape.schema, required.join(", "));
/// assert_eq!(contract.operation(&operation.id), Some(operation));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Contract {
    document: Value,
    operations: Vec<Operation>,
    events: Vec<EventKind>,
    reply_rules: ReplyRules,
    assumptions: Vec<Assumption>,
    forms: CommonForms,
}

impl Contract {
    /// Returns the built-in contract, with the specification and with assumptions where it is silent.
    ///
    /// # Errors
    /// Fails if the built-in document isn't a valid contract.
    pub fn builtin() -> Result<Self, ContractError> {
        Self::from_document(serde_json::from_str(DOCUMENT)?)
    }

    /// Reads an OpenAPI 3.1 document with the `x-takt-*` members.
    ///
    /// # Errors
    /// Fails if the document isn't a valid contract.
    pub fn from_document(document: Value) -> Result<Self, ContractError> {
        // Reading takes half of the startup time, so two threads share the work.
        let (operations, events) = thread::scope(|scope| {
            let events = scope.spawn(|| reader::read_events(&document));
            let operations = reader::read_operations(&document);
            (operations, events.join().unwrap_or_else(|reason| panic::resume_unwind(reason)))
        });
        let (operations, events) = (operations?, events?);
        let reply_rules = reader::read_reply_rules(&document)?;
        let forms = CommonForms::read(&document)?;
        let assumptions = assumption::read_assumptions(&document, &operations)?;
        let mut contract = Self { document, operations, events, reply_rules, assumptions, forms };
        contract.apply_assumptions();
        Ok(contract)
    }

    /// Returns the contract with a site's overlay and time zone. References to fields or operations that the site
    /// doesn't have are removed.
    #[must_use]
    pub fn with_overlay(&self, overlay: &Overlay, zone: &TimeZone) -> Self {
        let mut contract = self.clone();
        contract.operations = overlay::apply_to_operations(overlay, &self.operations, zone);
        contract.events = overlay::apply_to_events(overlay, &self.events);
        if let Some(errors) = &overlay.errors {
            contract.forms.errors = errors.clone();
        }
        for change in &overlay.assumptions {
            if let Some(known) = contract.assumptions.iter_mut().find(|known| known.id == change.id) {
                known.value = Some(change.value.clone());
                known.provenance = change.provenance.clone();
            }
        }
        contract.apply_assumptions();
        let replaces_reply = overlay.assumptions.iter().any(|change| change.id == VALIDATION_REPLY);
        if let Some(reply) = overlay.reply.as_ref().filter(|_| !replaces_reply) {
            contract.forms.reply = reply.clone();
        }
        contract
    }

    /// Sets the properties of operations and forms that follow from assumptions.
    fn apply_assumptions(&mut self) {
        let absent = self.assumption(ABSENT_STATUSES).cloned();
        let repeat = self.assumption(REPEATABLE_OPERATIONS).cloned();
        let lists = self.assumption(SENT_LISTS).cloned();
        let reply = self.assumption(VALIDATION_REPLY).and_then(|reply| ReplyForm::deserialize(reply).ok());
        for operation in &mut self.operations {
            if let Some(statuses) =
                absent.as_ref().and_then(|value| value_for_operation::<Vec<u16>>(value, &operation.id))
            {
                operation.absent = statuses;
            }
            if let Some(repeats) = repeat.as_ref().and_then(|value| value_for_operation(value, &operation.id)) {
                operation.is_repeatable = repeats;
            }
            if let Some(effects) = lists.as_ref().and_then(|value| value_for_operation(value, &operation.id)) {
                operation.list_effects = effects;
            }
        }
        if let Some(reply) = reply {
            self.forms.reply = reply;
        }
    }

    /// Returns all operations, in the order of the document.
    #[must_use]
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    #[must_use]
    pub fn operation(&self, id: &str) -> Option<&Operation> {
        self.operations.iter().find(|operation| operation.id == id)
    }

    /// Returns the operation that can restore previous values. A sync restores its own items. A delete needs a sync
    /// with the same key. None if there is no such operation.
    #[must_use]
    pub fn restoring_operation(&self, operation: &Operation) -> Option<&Operation> {
        match operation.kind {
            OperationKind::Sync => self.operation(&operation.id),
            OperationKind::Delete => self.operations.iter().find(|other| {
                let key: BTreeSet<&String> = other.key.iter().collect();
                other.kind == OperationKind::Sync && key == operation.key.iter().collect()
            }),
            OperationKind::Read | OperationKind::Query => None,
        }
    }

    /// Returns the service's events, ordered by number.
    #[must_use]
    pub fn events(&self) -> &[EventKind] {
        &self.events
    }

    /// Decodes an event's body into UTF-8 with Takt's names and value formats. Bodies that no event of the contract
    /// matches are only converted to UTF-8.
    #[must_use]
    pub fn decode_event<'a>(&self, body: &'a [u8]) -> Cow<'a, [u8]> {
        let body = utf8_text(body);
        if !self.events.iter().any(EventKind::is_translated) {
            return body;
        }
        let Ok(text) = std::str::from_utf8(&body) else { return body };
        let decoded =
            self.events.iter().find(|kind| kind.matches_event_number(text)).map(|kind| kind.decode_body(text));
        decoded.map_or(body, |decoded| Cow::Owned(decoded.into_bytes()))
    }

    /// Returns the data for rules that reply to events.
    #[must_use]
    pub fn reply_rules(&self) -> &ReplyRules {
        &self.reply_rules
    }

    /// Returns the form of error bodies, with the places of reasons and log ID.
    #[must_use]
    pub fn error_form(&self) -> &ErrorForm {
        &self.forms.errors
    }

    /// Returns the form of the reply to an event.
    #[must_use]
    pub fn reply_form(&self) -> &ReplyForm {
        &self.forms.reply
    }

    /// Returns the usual paths of a service's OpenAPI document, most likely first.
    #[must_use]
    pub fn document_places(&self) -> &[String] {
        &self.forms.document_places
    }

    /// Returns the value of an assumption by its id in `x-takt-assumptions`. None if the assumption is missing or has
    /// no value.
    #[must_use]
    pub fn assumption(&self, id: &str) -> Option<&Value> {
        self.assumptions.iter().find(|assumption| assumption.id == id)?.value.as_ref()
    }

    /// Returns the assumptions in the order of the document, with a site's replacements.
    #[must_use]
    pub fn assumptions(&self) -> &[Assumption] {
        &self.assumptions
    }

    /// Checks whether a site may replace an assumption with this value.
    ///
    /// # Errors
    /// Returns [`AssumptionError`] if the assumption is unknown or has no value, or if it can't have this value.
    pub fn check_assumption(&self, id: &str, value: &Value) -> Result<(), AssumptionError> {
        let known = self.assumptions.iter().find(|assumption| assumption.id == id);
        known.ok_or_else(|| AssumptionError::Unknown(id.to_owned()))?.check(value, &self.operations)
    }

    /// Returns the OpenAPI document from which the contract was read.
    #[must_use]
    pub fn document(&self) -> &Value {
        &self.document
    }
}

/// Returns the value for an operation, else the value for `*`.
fn value_for_operation<T: DeserializeOwned>(value: &Value, id: &str) -> Option<T> {
    let own = value.get(id).or_else(|| value.get(ALL_OPERATIONS))?;
    T::deserialize(own).ok()
}

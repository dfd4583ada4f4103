//! Events as a service sends them, each one different.

use crate::load::Source;

/// The number of the event with which an operator wants to finish an order. It needs an answer.
const ANSWERED_EVENT: u64 = 10;

/// The events of one connection: every `step`-th one.
pub(crate) struct Events {
    /// The path of the receiver's URL without the leading slash.
    path: String,
    next: u64,
    step: u64,
    /// The number of the kind of event. Absent for a mix of kinds that need no answer.
    kind: Option<u64>,
    request: Vec<u8>,
}

impl Events {
    pub(crate) fn sources(path: &str, first: u64, connections: u64) -> Vec<Box<dyn Source>> {
        Self::with_kind(path, first, connections, None)
    }

    /// Like [`Events::sources`], but all events need an answer.
    pub(crate) fn sources_with_answers(path: &str, first: u64, connections: u64) -> Vec<Box<dyn Source>> {
        Self::with_kind(path, first, connections, Some(ANSWERED_EVENT))
    }

    fn with_kind(path: &str, first: u64, step: u64, kind: Option<u64>) -> Vec<Box<dyn Source>> {
        let source = |at| {
            Box::new(Self { path: path.to_owned(), next: first + at, step, kind, request: Vec::new() })
                as Box<dyn Source>
        };
        (0..step).map(source).collect()
    }
}

impl Source for Events {
    fn next(&mut self) -> &[u8] {
        let (path, body) = (&self.path, event_body(self.next, self.kind));
        let head = format!(
            "POST /{path} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nX-Takt-Delivery: bench-{}\r\nContent-Length: {}\r\n\r\n",
            self.next,
            body.len()
        );
        self.request = [head.into_bytes(), body.into_bytes()].concat();
        self.next += self.step;
        &self.request
    }
}

/// Returns the body of an order's event of about 2,000 bytes. Its words repeat, its codes don't.
fn event_body(number: u64, kind: Option<u64>) -> String {
    let [kind, station, order] = [kind.unwrap_or(1 + number % 7), number % 40, number / 5];
    let words = ["drawing", "express", "rework", "customer", "waits", "tool", "sample", "crane"];
    let word = |at: u64| words[(number / at % 8) as usize];
    let materials: Vec<String> = (0..3)
        .map(|at| {
            format!(
                r#"{{"Code":"MAT-{:05}","Description":"Hex bolt M{}","Sequence":{at},"Quantity":12.5,"QuantityConsumed":{at},"UoM":"pcs","ConsumedRawMaterials":[{{"Quantity":1,"SerialNumber":"LOT-{number}-{at}"}}]}}"#,
                (number + at) % 20_000,
                at + 6
            )
        })
        .collect();
    format!(
        r#"{{"Id":{kind},"Description":"Order event","WorkStation":"Press {station}","WorkStationCode":"WS-{station:02}","UserTrigger":"operator{}","EmployeeBadge":"B-{:04}","WorkOrders":[{{"Id":{number},"Type":"Production","WorkOrderGrouper":"G-{}","Code":"WO-{order:07}","MaterialCode":"MAT-{:05}","Customer":"Nordwind Antriebe GmbH","PromiseDate":"2026-12-01T00:00:00","OperationCode":"010","ProducedQuantityHistory":[],"Note":"Needs {} and {} no{number}","StatusDescription":"In execution","StatusAdditionalDescription":null,"StatusNote":null,"RequestedQuantity":125,"ProducedGoodQuantity":{},"ProducedBadQuantity":0,"BeginReal":"2026-11-22T06:00:00","EndReal":null,"BeginPlanned":"2026-11-22T06:00:00","EndPlanned":"2026-11-22T14:00:00","RawMaterials":[{}],"Properties":[{{"Key":"colour","Value":"RAL {}","Name":"Colour","IsLocked":false}}],"LaborPredictedTime":"01:30:00","LaborValueAddedTime":"00:45:00.1234567","LaborNonValueAddedTime":"00:05:00","MachinePredictedTime":"01:00:00","MachineValueAddedTime":"00:30:00","MachineNonValueAddedTime":"00:00:00"}}],"ProductionAlert":null,"MaterialSupplies":null}}"#,
        number % 30,
        number % 200,
        number / 50,
        number % 20_000,
        word(1),
        word(8),
        number % 125,
        materials.join(","),
        number % 9_000,
    )
}

//! The contract's definition of a template's processes: the meaning of fields, and which predicted time means "none".

use serde_json::Value;
use takt_contract::{Cleanup, Contract, Operation, wire::duration};
use takt_core::{Code, Problem};

/// A process in a template.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct TemplateProcess {
    pub(super) code: String,
    pub(super) description: String,
    /// In ticks. Absent if there is no predicted time.
    pub(super) labor: Option<i64>,
    pub(super) machine: Option<i64>,
    pub(super) quality: bool,
}

/// The operation that reads a template's processes, and the meaning of its fields.
#[derive(Debug, Clone, Copy)]
pub(super) struct CleanupContract<'a> {
    pub(super) read: &'a Operation,
    pub(super) cleanup: &'a Cleanup,
}

impl<'a> CleanupContract<'a> {
    pub(super) fn find(contract: &'a Contract) -> Result<Self, Problem> {
        let mut found =
            contract.operations().iter().filter_map(|read| Some(Self { read, cleanup: read.cleanup.as_ref()? }));
        // A contract without this definition has no templates to clean up.
        found.next().ok_or_else(|| Problem::new(Code::Unknown).parameter("what", "x-takt-cleanup"))
    }

    /// Reads a process, whose times may be missing. Returns `None` if it has no code.
    pub(super) fn read_process(self, row: &Value) -> Option<TemplateProcess> {
        let Cleanup { code, description, labor, machine, quality, zero_is_none, .. } = self.cleanup;
        let text = |field: &str| row.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        let time = |field: &str| ticks(row.get(field)?).filter(|ticks| !(*zero_is_none && *ticks == 0));
        let code = row.get(code)?.as_str()?.to_owned();
        Some(TemplateProcess {
            code,
            description: text(description),
            labor: time(labor),
            machine: time(machine),
            quality: row.get(quality).and_then(Value::as_bool).unwrap_or_default(),
        })
    }
}

/// Returns a time in ticks of 100 ns. The other members of an object are derived from `ticks`.
fn ticks(span: &Value) -> Option<i64> {
    match span {
        Value::String(text) => duration::parse_ticks(text),
        Value::Object(members) => {
            members.get("ticks")?.as_number()?.to_string().parse::<f64>().ok().map(ticks_to_integer)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
    }
}

#[expect(clippy::cast_possible_truncation, reason = "ticks are whole")]
fn ticks_to_integer(ticks: f64) -> i64 {
    ticks as i64
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_contract_defines_missing_times() {
        let contract = Contract::builtin().unwrap();
        let cleanup_contract = CleanupContract::find(&contract).unwrap();
        let row = json!({
            "code": "IP-01", "predictedLaborTime": { "ticks": 600_000_000 }, "predictedMachineTime": { "ticks": 0 },
        });
        let read = cleanup_contract.read_process(&row).unwrap();
        assert_eq!((read.labor, read.machine, read.quality), (Some(600_000_000), None, false));
        let row = json!({ "code": "IP-02", "description": "Cut", "predictedLaborTime": "00:01:00" });
        let read = cleanup_contract.read_process(&row).unwrap();
        assert_eq!((read.description.as_str(), read.labor, read.machine), ("Cut", Some(600_000_000), None));
        assert_eq!(cleanup_contract.read_process(&json!({ "description": "nameless" })), None);
        let other = Cleanup { zero_is_none: false, ..cleanup_contract.cleanup.clone() };
        let zero = json!({ "code": "IP-01", "predictedMachineTime": { "ticks": 0 } });
        let read = CleanupContract { cleanup: &other, ..cleanup_contract }.read_process(&zero).unwrap();
        assert_eq!(read.machine, Some(0));
    }
}

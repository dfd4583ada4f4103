//! Writes the response of a batch by its form, as a site's service would. It is the inverse of
//! [`BatchReading`](super::BatchReading).

use jiff::tz::TimeZone;
use serde_json::{Map, Value};

use super::BatchAnswer;
use crate::{
    Shape,
    form::{BatchForm, put_at_path},
};

impl BatchAnswer {
    /// Writes this response by a site's form. `shape` is that of an item, whose fields results repeat. `places` are the
    /// items' 0-based indexes in the request.
    #[must_use]
    pub fn encode(&self, form: &BatchForm, shape: &Shape, places: &[usize], zone: &TimeZone) -> Vec<u8> {
        let all_accepted = self.results.iter().all(|result| result.success);
        if form.empty_accepts && all_accepted {
            return Vec::new();
        }
        let mut results = Vec::with_capacity(self.results.len());
        for (position, result) in self.results.iter().enumerate() {
            if result.success && form.only_failures {
                continue;
            }
            let mut members = if form.lacks_key { Map::new() } else { key(&result.key, shape, zone) };
            if let Some(index) = &form.index {
                let number = places.get(position).copied().unwrap_or(position);
                let number = (number as u64).saturating_add(index.first.into());
                members.insert(index.name.clone(), Value::from(number));
            }
            if let Some(success) = &form.success {
                let values = if result.success { &success.accepted } else { &success.rejected };
                let decides = values.first().map_or(Value::Null, crate::form::Scalar::json);
                members.insert(success.name.clone(), decides);
            }
            if let Some(name) = form.reasons.first().filter(|_| !result.success) {
                members.insert(name.clone(), Value::from(result.errors.clone()));
            }
            results.push(Value::Object(members));
        }
        let mut body = Value::Null;
        put_at_path(&mut body, &form.results, Value::Array(results));
        let counts =
            [(&form.total, self.total_items), (&form.accepted, self.success_count), (&form.rejected, self.error_count)];
        for (path, count) in counts {
            // If the body is the list, it can't have counts.
            if let Some(path) = path.as_ref().filter(|_| !form.results.is_empty()) {
                put_at_path(&mut body, path, Value::from(count));
            }
        }
        body.to_string().into_bytes()
    }
}

/// Returns the key's members in the names and forms of the wire.
fn key(key: &Map<String, Value>, shape: &Shape, zone: &TimeZone) -> Map<String, Value> {
    let encoded = shape.encoded(&Value::Object(key.clone()).to_string(), zone);
    match serde_json::from_str(&encoded) {
        Ok(Value::Object(members)) => members,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        Contract,
        form::{IndexMember, Scalar, SuccessMember},
        wire::{BatchReading, BatchResult},
    };

    fn forms() -> Vec<BatchForm> {
        let contract = Contract::builtin().unwrap();
        let decides = |values: [Scalar; 2]| {
            let [accepted, rejected] = values;
            Some(SuccessMember { name: "State".to_owned(), accepted: vec![accepted], rejected: vec![rejected] })
        };
        let index = |first| Some(IndexMember { name: "Row".to_owned(), first });
        let reasons = vec!["Messages".to_owned(), "Other".to_owned()];
        vec![
            contract.operation("work-orders.sync").unwrap().batch.clone(),
            BatchForm {
                results: "Result.Failures".to_owned(),
                only_failures: true,
                index: index(1),
                reasons: reasons.clone(),
                total: Some("Result.Total".to_owned()),
                rejected: Some("Failed".to_owned()),
                ..BatchForm::default()
            },
            BatchForm {
                success: decides([Scalar::Text("Done".to_owned()), Scalar::Text("Refused".to_owned())]),
                reasons,
                lacks_key: true,
                index: index(0),
                ..BatchForm::default()
            },
            BatchForm {
                results: "Data".to_owned(),
                success: decides([Scalar::Number(0), Scalar::Number(1)]),
                reasons: vec!["Messages".to_owned()],
                empty_accepts: true,
                ..BatchForm::default()
            },
        ]
    }

    fn answer(successes: &[bool]) -> BatchAnswer {
        let result = |(index, success): (usize, &bool)| BatchResult {
            key: serde_json::from_value(json!({ "code": format!("A{index}"), "operationCode": "010" })).unwrap(),
            success: *success,
            errors: if *success { Vec::new() } else { vec![format!("reason {index}"), "another".to_owned()] },
        };
        let success = successes.iter().filter(|success| **success).count();
        let count = |count: usize| i64::try_from(count).unwrap();
        BatchAnswer {
            total_items: count(successes.len()),
            success_count: count(success),
            error_count: count(successes.len() - success),
            results: successes.iter().enumerate().map(result).collect(),
        }
    }

    #[test]
    fn what_is_written_by_a_description_is_read_by_it() {
        let contract = Contract::builtin().unwrap();
        let mut shape = contract.operation("work-orders.sync").unwrap().request.clone().unwrap();
        let code = shape.fields.iter_mut().find(|field| field.name == "code").unwrap();
        code.wire = Some("OrderNumber".to_owned());
        for form in forms() {
            for successes in [&[true, false, true][..], &[true, true], &[false], &[]] {
                let (answer, places) = (answer(successes), (0..successes.len()).collect::<Vec<_>>());
                let body = answer.encode(&form, &shape, &places, &TimeZone::UTC);
                let read = BatchReading::of(&form, &shape, &body).unwrap();
                if read.accepts_all {
                    assert!(form.empty_accepts && successes.iter().all(|success| *success));
                    continue;
                }
                let listed = answer.results.iter().enumerate();
                let listed: Vec<_> = listed.filter(|(_, one)| !form.only_failures || !one.success).collect();
                assert_eq!(read.results.len(), listed.len());
                for (result, (place, expected)) in read.results.iter().zip(listed) {
                    assert_eq!(
                        (result.success, &result.reasons),
                        (Some(expected.success), &expected.errors),
                        "{form:?}"
                    );
                    assert_eq!(result.index.unwrap_or(place), place);
                    if !form.lacks_key {
                        assert_eq!(result.key.iter().cloned().collect::<Map<_, _>>(), expected.key);
                    }
                }
                let counts = [
                    (&form.total, read.total_items, answer.total_items),
                    (&form.accepted, read.success_count, answer.success_count),
                    (&form.rejected, read.error_count, answer.error_count),
                ];
                for (path, count, expected) in counts {
                    assert_eq!(count, path.as_ref().map(|_| expected));
                }
            }
        }
    }
}

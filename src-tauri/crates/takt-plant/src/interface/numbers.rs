//! Whole numbers of items: `5.0` means 5, and a number beyond 64 bits is refused before it loses a digit.

use serde_json::{Value, json};
use takt_contract::{Field, FieldKind};

use super::violation::MAX_REASONS;

/// Above this, `f64` doesn't represent every whole number.
const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;

/// The paths of whole numbers in an operation's items, as member names from the outside in.
#[derive(Debug, Clone, Default)]
pub(crate) struct WholeNumbers(Vec<Vec<String>>);

impl WholeNumbers {
    pub(crate) fn from_fields(fields: &[Field]) -> Self {
        let mut paths = Vec::new();
        collect(fields, &[], &mut paths);
        Self(paths)
    }

    /// Rewrites whole numbers without a fraction. Returns one sentence per number that is too large.
    pub(crate) fn normalize(&self, item: &mut Value) -> Vec<String> {
        let mut refused = Vec::new();
        for path in &self.0 {
            normalize_at(item, path, "", &mut refused);
        }
        refused
    }
}

/// Whether JSON Schema accepts the value as an integer.
pub(crate) fn is_whole(value: &Value) -> bool {
    value.as_f64().is_some_and(|number| number.fract() == 0.0)
}

fn collect(fields: &[Field], prefix: &[String], paths: &mut Vec<Vec<String>>) {
    for field in fields {
        let path: Vec<String> = prefix.iter().chain([&field.name]).cloned().collect();
        if field.kind == FieldKind::Integer {
            paths.push(path);
        } else {
            collect(&field.fields, &path, paths);
        }
    }
}

fn normalize_at(value: &mut Value, path: &[String], at: &str, refused: &mut Vec<String>) {
    match (value, path.split_first()) {
        (Value::Array(parts), Some(_)) => {
            for (index, part) in parts.iter_mut().enumerate() {
                normalize_at(part, path, &format!("{at}.{index}"), refused);
            }
        }
        (Value::Object(members), Some((name, rest))) => {
            if let Some(member) = members.get_mut(name) {
                normalize_at(member, rest, &format!("{at}.{name}"), refused);
            }
        }
        (value @ Value::Number(_), None) if !value.is_i64() && is_whole(value) => match to_exact_integer(value) {
            Some(integer) => *value = json!(integer),
            None if refused.len() < MAX_REASONS => {
                refused.push(format!("{} must lie within 64 bits.", at.trim_start_matches('.')));
            }
            None => {}
        },
        _ => {}
    }
}

fn to_exact_integer(value: &Value) -> Option<i64> {
    let number = value.as_f64().filter(|number| number.abs() <= MAX_EXACT_INTEGER && !value.is_u64())?;
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and within the exact range")]
    Some(number as i64)
}

#[cfg(test)]
mod tests {
    use takt_contract::Contract;

    use super::*;

    #[test]
    fn a_fraction_of_nothing_goes_and_what_is_too_large_is_said() {
        let contract = Contract::builtin().unwrap();
        let shape = contract.operation("work-orders.sync").unwrap().request.as_ref().unwrap();
        let numbers = WholeNumbers::from_fields(&shape.fields);
        let mut item: Value = serde_json::from_str(
            r#"{"templateId": 5.0, "requestedQuantity": 5.0, "rawMaterials": [{"sequence": 2.0}, {"sequence": 1e30}, {"sequence": 1.5}, 7]}"#,
        )
        .unwrap();
        assert_eq!(numbers.normalize(&mut item), ["rawMaterials.1.sequence must lie within 64 bits."]);
        assert_eq!((item["templateId"].as_i64(), item["rawMaterials"][0]["sequence"].as_i64()), (Some(5), Some(2)));
        assert_eq!(
            (item["requestedQuantity"].as_i64(), item["rawMaterials"][2]["sequence"].as_f64()),
            (None, Some(1.5))
        );
        for text in ["9223372036854775807", "-9223372036854775808"] {
            let mut item = json!({ "templateId": serde_json::from_str::<Value>(text).unwrap() });
            assert_eq!(numbers.normalize(&mut item), Vec::<String>::new());
            assert_eq!(item["templateId"].to_string(), text);
        }
        let mut item: Value = serde_json::from_str(r#"{"templateId": 9223372036854775808}"#).unwrap();
        assert_eq!(numbers.normalize(&mut item), ["templateId must lie within 64 bits."]);
    }
}

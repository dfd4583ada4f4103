//! Generates items from the contract's schemas, with existing and missing references. Also damages them.

use rand::{Rng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use serde_json::{Map, Value, json};

/// The first character of texts that are raw JSON, which [`Value`] can't represent. [`to_json_text`] removes it.
const RAW_JSON_MARK: char = '\u{1}';

/// Existing values, by member name. The name is `area/member` if the values depend on the area.
#[derive(Debug)]
pub(super) struct ValuePools(Vec<(String, Vec<Value>)>);

impl ValuePools {
    pub(super) fn new(pools: Vec<(&str, Vec<Value>)>) -> Self {
        Self(pools.into_iter().map(|(name, pool)| (name.to_owned(), pool)).collect())
    }

    fn values_for(&self, area: &str, member: &str) -> &[Value] {
        let fits = |name: &str| name == member || name.split_once('/') == Some((area, member));
        self.0.iter().find(|(name, _)| fits(name)).map_or(&[], |(_, pool)| pool)
    }
}

/// Generates values that conform to the schemas of a document.
#[derive(Debug)]
pub(super) struct ValueGenerator<'a> {
    pub(super) document: &'a Value,
    pub(super) known: &'a ValuePools,
    pub(super) area: &'a str,
    pub(super) random: &'a mut ChaCha8Rng,
}

impl ValueGenerator<'_> {
    /// Returns a value for `member` that conforms to the schema.
    pub(super) fn value(&mut self, schema: &Value, member: &str) -> Value {
        let schema = self.resolve_references(schema);
        if let Some(value) =
            self.known.values_for(self.area, member).choose(self.random).filter(|_| self.random.random_bool(0.85))
        {
            return value.clone();
        }
        let least = schema["exclusiveMinimum"].as_f64().map(|least| least + 1.0).or(schema["minimum"].as_f64());
        match schema["type"].as_str().unwrap_or("string") {
            "object" => self.object(&schema),
            "array" => (0..self.random.random_range(0..3)).map(|_| self.value(&schema["items"], "")).collect(),
            "integer" => json!(self.random.random_range(0..40)),
            "number" => json!(least.unwrap_or(0.0) + f64::from(self.random.random_range(0..4000)) / 8.0),
            "boolean" => json!(self.random.random_bool(0.5)),
            _ => match schema["format"].as_str() {
                Some("date-time" | "iso-date-time") => self.random_date_time(),
                Some("duration-hms") => {
                    let mut part = |most| self.random.random_range(0..most);
                    json!(format!("{:02}:{:02}:{:02}.{}", part(99), part(60), part(60), part(9_999_999)))
                }
                _ => json!(format!("FZ-{}", self.random.random_range(0..12))),
            },
        }
    }

    fn object(&mut self, schema: &Value) -> Value {
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let mut members = Map::new();
        for (name, member) in schema["properties"].as_object().into_iter().flatten() {
            if required.contains(&json!(name)) || self.random.random_bool(0.4) {
                members.insert(name.clone(), self.value(member, name));
            }
        }
        Value::Object(members)
    }

    fn random_date_time(&mut self) -> Value {
        let mut part = |least, most| self.random.random_range(least..most);
        let (month, day, hour, minute) = (part(1, 13), part(1, 29), part(0, 24), part(0, 60));
        let zone = ["", "Z", "+05:30", ".125", "-03:00"].choose(self.random).copied().unwrap_or_default();
        json!(format!("2026-{month:02}-{day:02}T{hour:02}:{minute:02}:00{zone}"))
    }

    /// Resolves references, and merges members next to them.
    fn resolve_references(&self, schema: &Value) -> Value {
        let mut schema = schema.clone();
        while let Some(target) = schema["$ref"].as_str().and_then(|at| self.document.pointer(&at[1..])).cloned() {
            let beside = schema.as_object().cloned().unwrap_or_default();
            schema = target;
            for (name, value) in beside.into_iter().filter(|(name, _)| name != "$ref") {
                schema[name] = value;
            }
        }
        schema
    }
}

/// Changes a random part of a value. A member gets another type, is removed, is added, or exceeds limits.
pub(super) fn damage_value(value: &mut Value, random: &mut ChaCha8Rng) {
    match value {
        Value::Object(members) if !members.is_empty() && random.random_bool(0.9) => {
            let names: Vec<String> = members.keys().cloned().collect();
            let Some(name) = names.choose(random) else { return };
            match random.random_range(0..10) {
                0 => drop(members.shift_remove(name)),
                1 => drop(members.insert(odd_text(random), odd_value(random))),
                2 => drop(members.insert(name.to_uppercase(), odd_value(random))),
                _ => damage_value(&mut members[name.as_str()], random),
            }
        }
        Value::Array(parts) if !parts.is_empty() && random.random_bool(0.8) => {
            let at = random.random_range(0..parts.len());
            damage_value(&mut parts[at], random);
        }
        other => *other = odd_value(random),
    }
}

/// Returns an unusual value.
pub(super) fn odd_value(random: &mut ChaCha8Rng) -> Value {
    let raw = |text: &str| json!(format!("{RAW_JSON_MARK}{text}"));
    match random.random_range(0..34) {
        0..4 => Value::Null,
        4 => json!(true),
        5 => json!(-1),
        6 => json!(0),
        7 => json!(1e300),
        8 => json!(-0.0),
        9 => json!(0.1 + 0.2),
        10 => raw("123456789012345678901234567890"),
        11 => raw("9223372036854775808"),
        12 => raw("-9223372036854775809"),
        13 => json!(i64::MIN),
        14 => json!([]),
        15 => json!({}),
        16 => json!([[{ "a": [null] }]]),
        17 => nested_array(40),
        18 => raw("4.9e-324"),
        19 => raw("1.7976931348623157e308"),
        20 => json!(1e15),
        21 => raw(["1e400", "-1e400", "NaN", "Infinity", "01", "+1", "\"\\ud800\"", "\"\\u12\"", "'a'"]
            .choose(random)
            .copied()
            .unwrap_or_default()),
        22 => json!(5.0),
        _ => json!(odd_text(random)),
    }
}

/// Returns an unusual text.
pub(super) fn odd_text(random: &mut ChaCha8Rng) -> String {
    const TEXTS: [&str; 26] = [
        "",
        " ",
        "NaN",
        "null",
        "0",
        "-1",
        "\u{0}",
        "a\u{1f}b",
        "\u{1f}",
        "\u{202e}abc",
        "🔧👩‍🏭",
        "e\u{301}",
        "\u{feff}x",
        "\u{fffd}",
        "<script>alert(1)</script>",
        "'; DROP TABLE orders; --",
        "\"\\/",
        "\r\n",
        "2026-13-40T99:99:99",
        "9999-12-31T23:59:59",
        "-009999-01-01T00:00:00Z",
        "0000-01-01T00:00:00",
        "99999999999999:00:00",
        "-9.23:59:59.9999999",
        "24:60:60",
        "2026-01-01T00:00:00+99:99",
    ];
    match random.random_range(0..30) {
        0 => "x".repeat(5000),
        1 => "\u{10FFFF}".repeat(70),
        2 => char::from_u32(random.random_range(1..0x2_0000)).map_or_else(String::new, String::from),
        _ => TEXTS.choose(random).copied().unwrap_or_default().to_owned(),
    }
}

/// Returns arrays nested to this depth.
pub(super) fn nested_array(depth: usize) -> Value {
    (0..depth).fold(json!([]), |inner, _| json!([inner]))
}

/// Serializes a value that may contain raw JSON.
pub(super) fn to_json_text(value: &Value) -> String {
    let mut text = String::new();
    write_json(value, &mut text);
    text
}

fn write_json(value: &Value, text: &mut String) {
    match value {
        Value::String(piece) if piece.starts_with(RAW_JSON_MARK) => text.push_str(&piece[RAW_JSON_MARK.len_utf8()..]),
        Value::Array(parts) => {
            text.push('[');
            for (index, part) in parts.iter().enumerate() {
                text.push_str(if index > 0 { "," } else { "" });
                write_json(part, text);
            }
            text.push(']');
        }
        Value::Object(members) => {
            text.push('{');
            for (index, (name, member)) in members.iter().enumerate() {
                text.push_str(if index > 0 { "," } else { "" });
                text.push_str(&json!(name).to_string());
                text.push(':');
                write_json(member, text);
            }
            text.push('}');
        }
        other => text.push_str(&other.to_string()),
    }
}

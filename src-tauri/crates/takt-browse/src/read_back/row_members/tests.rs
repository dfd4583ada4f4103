//! Compares rows parsed partially with rows parsed completely.

use rand::{Rng, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use super::*;

const SEEDS: std::ops::Range<u64> = 0..20_000;
const NAMES: [&str; 8] = ["code", "c\\u006fde", "note", "no\\nte", "lines", "ä", "", "other"];
/// Values without parts. The first are valid JSON, the rest aren't.
const PLAIN: [&str; 34] = [
    "null",
    "true",
    "false",
    "0",
    "-0",
    "7",
    "-12",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775809",
    "0.11458333333333333",
    "1.10",
    "1e3",
    "1E+3",
    "12.5e-7",
    "1e308",
    "1e309",
    "-1e999",
    "123456789012345678901234567890123456789012345678901234567890",
    "\"\"",
    "\"WO-1\"",
    "\"b\\u00e4r\"",
    "\"\\ud83d\\ude00\"",
    "\"\\ud800\"",
    "\"a\\tb\\\\c\\/\"",
    "\"\u{7f}\u{2028}\"",
    "\"a\u{1}b\"",
    "\"\\x\"",
    "01",
    "1.",
    "nul",
    "+1",
    "NaN",
    "'x'",
];
// The number of valid values in `PLAIN`.
const VALID_VALUES: usize = 17;

fn members() -> RowMembers {
    RowMembers(["code", "no\nte", "lines", ""].map(str::to_owned).into())
}

/// Parses everything, then removes the other members.
fn filter_after_parsing(members: &RowMembers, row: &str) -> Value {
    match parse_row(row) {
        Value::Object(object) => {
            Value::Object(object.into_iter().filter(|(name, _)| members.0.contains(name)).collect())
        }
        other => other,
    }
}

fn agree(row: &str) {
    let members = members();
    let expected = if row.contains(INTERNAL_NAMES) { parse_row(row) } else { filter_after_parsing(&members, row) };
    let actual = members.value_of(row);
    assert_eq!(actual, expected, "{row}");
    assert_eq!(actual.to_string(), expected.to_string(), "{row}");
}

struct Rows(ChaCha8Rng);

impl Rows {
    fn one(&mut self, among: &[&'static str]) -> &'static str {
        among.choose(&mut self.0).copied().unwrap_or_default()
    }

    fn space(&mut self) -> &'static str {
        self.one(&["", "", "", " ", "\n\t"])
    }

    fn object(&mut self, deeper: usize) -> String {
        let count = self.0.random_range(0..6);
        let members: Vec<String> = (0..count)
            .map(|_| {
                let (name, space) = (self.one(&NAMES), self.space());
                format!("{space}\"{name}\"{space}:{space}{}{space}", self.value(deeper))
            })
            .collect();
        format!("{{{}}}", members.join(","))
    }

    fn value(&mut self, deeper: usize) -> String {
        match self.0.random_range(0..10) {
            0 if deeper > 0 => self.object(deeper - 1),
            1 if deeper > 0 => {
                let parts: Vec<String> = (0..self.0.random_range(0..4)).map(|_| self.value(deeper - 1)).collect();
                format!("[{}]", parts.join(","))
            }
            // Invalid values are rare, so that most rows are valid.
            2 if self.0.random_bool(0.2) => self.one(&PLAIN[VALID_VALUES..]).to_owned(),
            _ => self.one(&PLAIN[..VALID_VALUES]).to_owned(),
        }
    }
}

#[test]
fn few_members_are_those_of_the_whole_row() {
    let (mut objects, mut texts) = (0, 0);
    for seed in SEEDS {
        let row = Rows(ChaCha8Rng::seed_from_u64(seed)).object(3);
        agree(&row);
        match members().value_of(&row) {
            Value::Object(_) => objects += 1,
            _ => texts += 1,
        }
    }
    assert!(objects > 1_000 && texts > 1_000, "{objects} objects, {texts} texts");
}

#[test]
fn odd_rows_are_the_same_either_way() {
    let deep = |times: usize| format!("{}{}", "[".repeat(times), "]".repeat(times));
    let row = |name: &str, value: &str| format!(r#"{{"code":"WO-1","{name}":{value}}}"#);
    for value in PLAIN {
        for name in NAMES {
            agree(&row(name, value));
        }
        agree(value);
    }
    for times in [1, 100, 125, 126, 127, 128, 129, 100_000] {
        for name in NAMES {
            agree(&row(name, &deep(times)));
            agree(&row(name, &format!("{{\"x\":{}}}", deep(times))));
        }
        agree(&deep(times));
    }
    for name in ["RawValue", "Number"] {
        let own = format!("{INTERNAL_NAMES}{name}");
        for value in [r#""[1,2]""#, r#""x""#, "1"] {
            agree(&format!(r#"{{"{own}":{value}}}"#));
            agree(&format!(r#"{{"{own}":{value},"code":"WO-1"}}"#));
            agree(&row(&own, value));
            agree(&row("other", &format!(r#"{{"{own}":{value}}}"#)));
            agree(&row("code", &format!(r#"{{"{own}":{value}}}"#)));
        }
    }
    for row in ["", "{", "{}", r#"{"code":1}x"#, r#"{"code":1,}"#, r#"{"code" 1}"#, r#"{code:1}"#, "[{}]"] {
        agree(row);
    }
}

#[test]
fn of_members_with_one_name_the_last_counts() {
    let row = r#"{"code":{"a":1},"other":[1],"code":[2,1,{"b":"\u00e4","b":null}],"lines":1.50}"#;
    assert_eq!(members().value_of(row), json!({ "code": [2, 1, { "b": null }], "lines": 1.5 }));
}

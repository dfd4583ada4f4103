//! Compares rows parsed partially with rows parsed completely.

use rand::{Rng, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use super::*;

const SEEDS: std::ops::Range<u64> = 0..20_000;
const NAMES: [&str; 8] = ["code", "c\\u006fde", "note", "no\\nte", "lines", "ä", "", "other"];
/// Values without parts. The first are valid JSON, the rest aren't.
const PLAIN_VALUES: [&str; 34] = [
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
/// The number of valid values in `PLAIN_VALUES`.
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

fn assert_same_parse(row: &str) {
    let members = members();
    let expected = if row.contains(INTERNAL_NAMES) { parse_row(row) } else { filter_after_parsing(&members, row) };
    let actual = members.value_of(row);
    assert_eq!(actual, expected, "{row}");
    assert_eq!(actual.to_string(), expected.to_string(), "{row}");
}

struct RowGenerator(ChaCha8Rng);

impl RowGenerator {
    fn choose_one(&mut self, choices: &[&'static str]) -> &'static str {
        choices.choose(&mut self.0).copied().unwrap_or_default()
    }

    fn random_space(&mut self) -> &'static str {
        self.choose_one(&["", "", "", " ", "\n\t"])
    }

    fn random_object(&mut self, max_depth: usize) -> String {
        let count = self.0.random_range(0..6);
        let members: Vec<String> = (0..count)
            .map(|_| {
                let (name, space) = (self.choose_one(&NAMES), self.random_space());
                format!("{space}\"{name}\"{space}:{space}{}{space}", self.random_value(max_depth))
            })
            .collect();
        format!("{{{}}}", members.join(","))
    }

    fn random_value(&mut self, max_depth: usize) -> String {
        match self.0.random_range(0..10) {
            0 if max_depth > 0 => self.random_object(max_depth - 1),
            1 if max_depth > 0 => {
                let parts: Vec<String> =
                    (0..self.0.random_range(0..4)).map(|_| self.random_value(max_depth - 1)).collect();
                format!("[{}]", parts.join(","))
            }
            // Invalid values are rare, so that most rows are valid.
            2 if self.0.random_bool(0.2) => self.choose_one(&PLAIN_VALUES[VALID_VALUES..]).to_owned(),
            _ => self.choose_one(&PLAIN_VALUES[..VALID_VALUES]).to_owned(),
        }
    }
}

#[test]
fn few_members_are_those_of_the_whole_row() {
    let (mut objects, mut texts) = (0, 0);
    for seed in SEEDS {
        let row = RowGenerator(ChaCha8Rng::seed_from_u64(seed)).random_object(3);
        assert_same_parse(&row);
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
    for value in PLAIN_VALUES {
        for name in NAMES {
            assert_same_parse(&row(name, value));
        }
        assert_same_parse(value);
    }
    for times in [1, 100, 125, 126, 127, 128, 129, 100_000] {
        for name in NAMES {
            assert_same_parse(&row(name, &deep(times)));
            assert_same_parse(&row(name, &format!("{{\"x\":{}}}", deep(times))));
        }
        assert_same_parse(&deep(times));
    }
    for name in ["RawValue", "Number"] {
        let own = format!("{INTERNAL_NAMES}{name}");
        for value in [r#""[1,2]""#, r#""x""#, "1"] {
            assert_same_parse(&format!(r#"{{"{own}":{value}}}"#));
            assert_same_parse(&format!(r#"{{"{own}":{value},"code":"WO-1"}}"#));
            assert_same_parse(&row(&own, value));
            assert_same_parse(&row("other", &format!(r#"{{"{own}":{value}}}"#)));
            assert_same_parse(&row("code", &format!(r#"{{"{own}":{value}}}"#)));
        }
    }
    for row in ["", "{", "{}", r#"{"code":1}x"#, r#"{"code":1,}"#, r#"{"code" 1}"#, r#"{code:1}"#, "[{}]"] {
        assert_same_parse(row);
    }
}

#[test]
fn of_members_with_one_name_the_last_counts() {
    let row = r#"{"code":{"a":1},"other":[1],"code":[2,1,{"b":"\u00e4","b":null}],"lines":1.50}"#;
    assert_eq!(members().value_of(row), json!({ "code": [2, 1, { "b": null }], "lines": 1.5 }));
}

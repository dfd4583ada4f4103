//! The language files: the same keys and placeholders in each, and a text for every code.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{Language, Words};
use crate::{Code, Problem, RowResult, Severity};

const FILES: [(&str, &str); 4] = [
    ("en", include_str!("../../locales/en.json")),
    ("de", include_str!("../../locales/de.json")),
    ("es", include_str!("../../locales/es.json")),
    ("pt", include_str!("../../locales/pt.json")),
];

const CODES: [Code; 50] = [
    Code::AddressChanged,
    Code::SignInNeeded,
    Code::SignInRefused,
    Code::SignInCancelled,
    Code::RedirectPortTaken,
    Code::ListenFailed,
    Code::AccessDenied,
    Code::ServiceUnreachable,
    Code::ConnectionLost,
    Code::ReadBroken,
    Code::IdentityProviderFailed,
    Code::RateLimited,
    Code::Rejected,
    Code::NotFound,
    Code::ServiceFailed,
    Code::AnswerNotUnderstood,
    Code::AnswerTooLarge,
    Code::FileUnreadable,
    Code::FileChanged,
    Code::FileNotWorkbook,
    Code::FileEmpty,
    Code::FileProtected,
    Code::FileTooLarge,
    Code::FileDamaged,
    Code::NoHeader,
    Code::Unknown,
    Code::Precondition,
    Code::ConfirmationNeeded,
    Code::InvalidInput,
    Code::JournalFailed,
    Code::JournalNewer,
    Code::JournalBusy,
    Code::JournalDamaged,
    Code::TeamAway,
    Code::TeamFailed,
    Code::DiskFull,
    Code::FolderReadOnly,
    Code::WriteFailed,
    Code::PlantMove,
    Code::MappingRefused,
    Code::RulesRefused,
    Code::DocumentRefused,
    Code::DocumentVersion,
    Code::SiteFileRefused,
    Code::RuleFaulty,
    Code::RuleNotTried,
    Code::UpdateChannelFailed,
    Code::KeychainFailed,
    Code::TakenOver,
    Code::Bug,
];

/// Collects every text by its path, with its placeholders.
fn collect_texts(value: &Value, path: &str, found: &mut BTreeMap<String, BTreeSet<String>>) {
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(name, member)| collect_texts(member, &format!("{path}/{name}"), found));
        }
        Value::String(text) => {
            assert!(!text.trim().is_empty(), "{path} is empty");
            let places = text.split("{{").skip(1).filter_map(|rest| rest.split_once("}}"));
            found.insert(path.to_owned(), places.map(|(place, _)| place.trim().to_owned()).collect());
        }
        other => panic!("{path}: {other}"),
    }
}

#[test]
fn the_same_keys_and_places_in_every_language() {
    let read = |file: &str| {
        let mut found = BTreeMap::new();
        collect_texts(&serde_json::from_str(file).unwrap(), "", &mut found);
        found
    };
    let english = read(FILES[0].1);
    for (language, file) in FILES {
        assert_eq!(read(file), english, "{language}");
    }
}

#[test]
fn every_code_has_its_texts_and_no_text_is_left_over() {
    for language in Language::ALL {
        let words = Words::load(language);
        for code in CODES {
            let none = BTreeMap::new();
            for text in [words.problem_title(code, &none), words.problem_hint(code, &none)] {
                assert!(!text.starts_with("problem."), "{language:?}: {text}");
            }
        }
        for result in [
            RowResult::Pending,
            RowResult::Sending,
            RowResult::Accepted,
            RowResult::Rejected,
            RowResult::Unconfirmed,
            RowResult::Skipped,
        ] {
            assert!(!words.result_text(result).starts_with("result."), "{language:?}: {result:?}");
        }
        for severity in [Severity::Error, Severity::Warning, Severity::Note] {
            assert!(!words.severity_text(severity).starts_with("severity."), "{language:?}: {severity:?}");
        }
    }
    let file: Value = serde_json::from_str(FILES[0].1).unwrap();
    let known: BTreeSet<String> =
        CODES.iter().map(|code| serde_json::to_value(code).unwrap().as_str().unwrap().to_owned()).collect();
    let written: BTreeSet<String> = file["problem"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(written, known);
}

/// A text must also advise what to enter, since a limit alone isn't enough.
#[test]
fn a_value_out_of_bounds_says_what_to_enter_in_every_language() {
    for (language, file) in FILES {
        let texts: Value = serde_json::from_str(file).unwrap();
        for code in ["not-above", "below-minimum", "above-maximum", "too-long"] {
            let text = texts["finding"][code].as_str().unwrap();
            assert!(text.contains("{{limit}}"), "{language}: {text}");
            assert!(text.split_once(": ").is_some_and(|(_, advice)| advice.len() > 8), "{language}: {text}");
        }
    }
}

#[test]
fn a_problem_names_what_it_is_about() {
    let problem = Problem::new(Code::FileEmpty).parameter("file", "plan.xlsx");
    assert_eq!(problem.message, "plan.xlsx contains no rows.");
    assert_eq!(problem.to_string(), problem.message);
}

#[test]
fn a_refusal_says_what_to_do_about_it_in_every_language() {
    let file: Value = serde_json::from_str(FILES[0].1).unwrap();
    let keys = |section: &str| {
        let all = file[section].as_object().unwrap().keys();
        all.map(|key| key.trim_end_matches("_one").trim_end_matches("_other").to_owned()).collect::<BTreeSet<String>>()
    };
    assert!(keys("advice").is_subset(&keys("obstacle")));
    for language in Language::ALL {
        let words = Words::load(language);
        let hint = |obstacle: &str| {
            words.problem_hint(Code::MappingRefused, &[("obstacle".to_owned(), obstacle.to_owned())].into())
        };
        let general = hint("unheard-of");
        for obstacle in keys("advice") {
            assert_ne!(hint(&obstacle), general, "{language:?}: {obstacle}");
        }
    }
}

#[test]
fn tags_of_languages() {
    assert_eq!(Language::from_tag("pt_BR.UTF-8"), Some(Language::Pt));
    assert_eq!(Language::from_tag("DE-at"), Some(Language::De));
    assert_eq!(Language::from_tag("C"), None);
    assert_eq!(Language::from_tag(""), None);
}

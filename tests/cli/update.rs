//! `takt update check`: a newer version in a file or at a URL, as text and as JSON.

use serde_json::json;
use takt_tests::Takt;

use crate::transcript::{Transcript, assert_transcript};

#[test]
fn a_newer_version_is_told_and_the_exit_code_says_only_whether_it_could_be_asked() {
    let takt = Takt::new();
    let channel = |version: &str| {
        let notes = json!({ "en": "Faster\n\u{1b}[2JSafer" });
        let text = json!({ "version": version, "date": "2026-12-01", "notes": notes, "download": "https://updates.example/get" });
        takt.write("takt.json", text.to_string()).display().to_string()
    };
    let transcript = Transcript::new(&takt);
    let newer = transcript.run(&["update", "check", "--channel", &channel("99.1.0")]);
    assert_eq!(newer.code, Some(0), "{newer:?}");
    assert!(!newer.out.contains('\u{1b}'));
    let script = transcript.run(&["update", "check", "--channel", &channel("0.0.1"), "--json"]);
    assert_eq!((script.code, &script.json()[0]["newer"]), (Some(0), &json!(false)), "{script:?}");

    assert_eq!(transcript.run(&["update", "check"]).code, Some(2), "nothing is asked that nobody named");
    assert_transcript!(transcript);
    let unknown = takt.run(&["update", "check", "--channel", "http://127.0.0.1:1/takt.json"]);
    assert_eq!(unknown.code, Some(5), "{unknown:?}");
    assert!(unknown.err.contains("can't be reached"), "{}", unknown.err);
}

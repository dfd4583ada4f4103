//! `takt update check`: a newer Takt named by a file or an address, for people and for scripts.

use serde_json::json;
use takt_tests::Takt;

#[test]
fn a_newer_version_is_told_and_the_exit_code_says_only_whether_it_could_be_asked() {
    let takt = Takt::new();
    let channel = |version: &str| {
        let notes = json!({ "en": "Faster\n\u{1b}[2JSafer" });
        let text = json!({ "version": version, "date": "2026-12-01", "notes": notes, "download": "https://updates.example/get" });
        takt.write("takt.json", text.to_string()).display().to_string()
    };
    let newer = takt.run(&["update", "check", "--channel", &channel("99.1.0")]);
    assert_eq!(newer.code, Some(0), "{newer:?}");
    for part in ["Version 99.1.0", "2026-12-01", "Safer", "https://updates.example/get"] {
        assert!(newer.out.contains(part), "{part}: {}", newer.out);
    }
    assert!(!newer.out.contains('\u{1b}'));
    let script = takt.run(&["update", "check", "--channel", &channel("0.0.1"), "--json"]);
    assert_eq!((script.code, &script.json()[0]["newer"]), (Some(0), &json!(false)), "{script:?}");
    assert_eq!(script.json()[0]["release"]["version"], "0.0.1");

    assert_eq!(takt.run(&["update", "check"]).code, Some(2), "nothing is asked that nobody named");
    let unknown = takt.run(&["update", "check", "--channel", "http://127.0.0.1:1/takt.json"]);
    assert_eq!(unknown.code, Some(5), "{unknown:?}");
    assert!(unknown.err.contains("can't be reached"), "{}", unknown.err);
}

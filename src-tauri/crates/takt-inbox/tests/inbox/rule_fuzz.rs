//! Any text as a rule is accepted or rejected, without a crash or hang.

use std::time::{Duration, Instant};

use rand::{Rng, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use takt_engine::{Canceller, answers::Rules};
use takt_test_support::{
    event_sender::post,
    inbox_fixture::{Fixture, SITE},
};

use super::answering::{rule, rules};

const SEED: u64 = 20_261_123;
const TEXTS: usize = 300;
/// Far more than a rule needs, even on a slow computer.
const TIMEOUT: Duration = Duration::from_secs(20);

const TOKENS: [&str; 44] = [
    "order",
    ".",
    "event",
    "local",
    "now",
    "Code",
    "RawMaterials",
    "ProducedGoodQuantity",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "x",
    "1",
    "2.5",
    "-",
    "+",
    "*",
    "/",
    "%",
    "!",
    "&&",
    "||",
    "==",
    "<",
    ">=",
    "in",
    "?",
    ":",
    ",",
    "\"ä\"",
    "'",
    "\"",
    "true",
    "null",
    ".map(x, ",
    ".exists(x, ",
    ".filter(x, ",
    "size(",
    "has(",
    "duration(\"1h\")",
    "9223372036854775807",
];

#[tokio::test(flavor = "multi_thread")]
async fn any_text_is_understood_or_refused() {
    println!("seed {SEED}");
    let mut dice = StdRng::seed_from_u64(SEED);
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    let event = r#"{"Id":10,"WorkOrders":[{"Code":"WO-1","ProducedGoodQuantity":3,"RawMaterials":[{"Code":"A"},{"Code":"B"}]}]}"#;
    post(&receiver.url(), &[], event.as_bytes()).await;
    fixture.events().await;
    let examples: Vec<_> =
        fixture.engine.answers().rule_words().examples.into_iter().map(|example| example.when).collect();
    let mut understood = 0;
    for at in 0..TEXTS {
        let text = random_text(&mut dice, &examples);
        let mut tried = rules(&[rule("r", &text, Some(&format!("a {{{text}}}")))]);
        if at % 2 == 0 {
            tried.rules[0].refuse = None;
        }
        understood += usize::from(accepts(&fixture, &tried));
    }
    assert!(understood > 10 && understood < TEXTS, "{understood} of {TEXTS} were rules");
    receiver.stop().await;
}

/// Rules that are made to be large: deep, long, and growing with every iteration.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_made_to_be_large_is_refused_or_ended() {
    let fixture = Fixture::new();
    let receiver = fixture.receive().await;
    post(&receiver.url(), &[], br#"{"Id":10,"WorkOrders":[{"Code":"WO-1"}]}"#).await;
    fixture.events().await;
    let doubled = |turn: &str| format!("[order.Code]{}.size() > 0", turn.repeat(3500 / turn.len()));
    let mut large = vec![
        format!("event{} == 1", ".a".repeat(1900)),
        format!("{}true", "!".repeat(3900)),
        format!("{}1 > 0", "1 + ".repeat(990)),
        format!("{}true", "true && ".repeat(490)),
        format!("{}true", "true ? true : ".repeat(280)),
        format!("{}1{}", "[".repeat(39), "]".repeat(39)),
        doubled(".map(x, x + x)"),
        doubled(".map(x, [x, x])"),
        doubled(".map(x, {'a': x, 'b': x})"),
        doubled(".map(x, string(x) + string(x))"),
        format!("order.Code.matches(\"{}\")", r"(\\w{50}){50}".repeat(20)),
        format!("order.Code.matches('(a*)*{}')", "(b*)*".repeat(300)),
    ];
    large.push(format!("{} == {}", doubled(".map(x, [x, x])").replace(".size() > 0", ""), 1));
    for text in &large {
        accepts(&fixture, &rules(&[rule("large", text, None)]));
    }
    receiver.stop().await;
}

/// Returns whether the first rule is valid. Asserts that the check and a trial agree and are fast enough.
fn accepts(fixture: &Fixture, rules: &Rules) -> bool {
    let text = &rules.rules[0].when;
    let began = Instant::now();
    let checks = fixture.engine.answers().check(SITE, rules).unwrap();
    let sound = checks[0].faults.iter().all(|fault| !fault.error);
    let tried = fixture.engine.answers().run_trial(SITE, rules, true, &Canceller::default(), |_| {});
    assert_eq!(tried.is_ok(), sound, "{text}: {tried:?}");
    assert!(began.elapsed() < TIMEOUT, "{text} took {:?}", began.elapsed());
    for fault in &checks[0].faults {
        let end = rules.rules[0]
            .when
            .chars()
            .count()
            .max(rules.rules[0].refuse.as_ref().map_or(0, |text| text.chars().count()));
        assert!(fault.at as usize <= end, "{text}: {fault:?}");
    }
    sound
}

/// Returns random tokens, or an example with exchanged, removed or duplicated parts.
fn random_text(dice: &mut StdRng, examples: &[String]) -> String {
    if dice.random_bool(0.4) {
        let count = dice.random_range(1..30);
        return (0..count).filter_map(|_| TOKENS.choose(dice)).copied().collect();
    }
    let mut letters: Vec<char> = examples.choose(dice).map_or_else(Vec::new, |text| text.chars().collect());
    for _ in 0..dice.random_range(0..3) {
        let at = dice.random_range(0..letters.len());
        match dice.random_range(0..4) {
            0 => drop(letters.remove(at)),
            1 => letters.insert(at, char::from(dice.random_range(32_u8..127))),
            2 => letters.truncate(at.max(1)),
            _ => {
                let token: Vec<char> = TOKENS.choose(dice).map_or_else(Vec::new, |token| token.chars().collect());
                letters.splice(at..at, token);
            }
        }
    }
    letters.into_iter().collect()
}

//! The vault across processes. Each child is this very program, running one test that does nothing unless it is told to.

use std::process::{Command, Stdio};

use takt_client::{Kind, Place, Secret, Vault};

const STORE: &str = "TAKT_TEST_STORE";
const NAMESPACE: &str = "TAKT_TEST_NAMESPACE";
const SITE: &str = "Werk Süd";

/// Longer than what Windows takes in one entry.
fn value(seed: &str) -> Secret {
    Secret::new(format!("{seed}-{}", "é0123456789".repeat(400)))
}

#[test]
fn memory_keeps_and_forgets() {
    let vault = Vault::memory();
    assert_eq!(vault.place(), Place::Memory);
    vault.put(SITE, Kind::Tokens, &value("a"));
    assert_eq!(vault.get(SITE, Kind::Tokens), Some(value("a")));
    assert_eq!(vault.get(SITE, Kind::ClientSecret), None);
    vault.remove(SITE, Kind::Tokens).expect("forgotten");
    assert_eq!(vault.get(SITE, Kind::Tokens), None);
}

#[test]
fn what_one_process_keeps_another_reads() {
    let namespace = format!("test {}", std::process::id());
    let vault = Vault::open(&namespace);
    if vault.place() == Place::Memory {
        eprintln!("no keychain here: nothing to share");
        return;
    }
    child(&namespace, "store one");
    assert_eq!(vault.get(SITE, Kind::Tokens), Some(value("one")));
    vault.put(SITE, Kind::Tokens, &value("two"));
    child(&namespace, "expect two");
    // A short value in place of a long one, from the other side.
    child(&namespace, "store-short three");
    assert_eq!(vault.get(SITE, Kind::Tokens), Some(Secret::new("three")));
    child(&namespace, "store one");
    assert_eq!(vault.get(SITE, Kind::Tokens), Some(value("one")));
    assert_eq!(Vault::open(&format!("{namespace} other")).get(SITE, Kind::Tokens), None);
    vault.remove(SITE, Kind::Tokens).expect("forgotten");
    child(&namespace, "expect-none -");
}

/// Runs in a child with its own session where the system has them.
fn child(namespace: &str, order: &str) {
    let program = std::env::current_exe().expect("this program");
    let mut command = if cfg!(target_os = "linux") {
        let mut command = Command::new("setsid");
        command.args(["--wait"]).arg(program);
        command
    } else {
        Command::new(program)
    };
    let done = command
        .args(["--exact", "ring::as_a_child", "--nocapture"])
        .env(NAMESPACE, namespace)
        .env(STORE, order)
        .stdin(Stdio::null())
        .output()
        .expect("the child ran");
    assert!(done.status.success(), "{order}: {}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn as_a_child() {
    let (Ok(order), Ok(namespace)) = (std::env::var(STORE), std::env::var(NAMESPACE)) else { return };
    let vault = Vault::open(&namespace);
    assert_ne!(vault.place(), Place::Memory);
    let (verb, seed) = order.split_once(' ').expect("an order");
    match verb {
        "store" => vault.put(SITE, Kind::Tokens, &value(seed)),
        "store-short" => vault.put(SITE, Kind::Tokens, &Secret::new(seed)),
        "expect" => assert_eq!(vault.get(SITE, Kind::Tokens), Some(value(seed))),
        _ => assert_eq!(vault.get(SITE, Kind::Tokens), None),
    }
    assert_ne!(vault.place(), Place::Memory, "the keychain took it");
}

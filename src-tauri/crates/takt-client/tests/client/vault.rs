//! Tests of the vault across processes. Each child process runs one test of this program. Without its environment
//! variable, that test does nothing.

use std::{
    process::{Command, Stdio},
    sync::mpsc,
    thread,
};

use takt_client::{Secret, SecretKind, SecretStorage, Vault};

const STORE: &str = "TAKT_TEST_STORE";
const NAMESPACE: &str = "TAKT_TEST_NAMESPACE";
const SITE: &str = "Werk Süd";

/// Returns a value that is too long for one entry on Windows.
fn long_value(seed: &str) -> Secret {
    Secret::new(format!("{seed}-{}", "é0123456789".repeat(400)))
}

#[test]
fn memory_keeps_and_forgets() {
    let vault = Vault::memory();
    assert_eq!(vault.storage(), SecretStorage::Memory);
    vault.put(SITE, SecretKind::Tokens, &long_value("a"));
    assert_eq!(vault.get(SITE, SecretKind::Tokens), Some(long_value("a")));
    assert_eq!(vault.get(SITE, SecretKind::ClientSecret), None);
    vault.remove(SITE, SecretKind::Tokens).expect("forgotten");
    assert_eq!(vault.get(SITE, SecretKind::Tokens), None);
}

#[test]
fn what_one_process_keeps_another_reads() {
    let namespace = format!("test {}", std::process::id());
    let vault = Vault::open(&namespace);
    if vault.storage() == SecretStorage::Memory {
        eprintln!("no keychain here: nothing to share");
        return;
    }
    run_child(&namespace, "store one");
    assert_eq!(vault.get(SITE, SecretKind::Tokens), Some(long_value("one")));
    vault.put(SITE, SecretKind::Tokens, &long_value("two"));
    run_child(&namespace, "expect two");
    // Another process replaces a long value with a short one.
    run_child(&namespace, "store-short three");
    assert_eq!(vault.get(SITE, SecretKind::Tokens), Some(Secret::new("three")));
    run_child(&namespace, "store one");
    assert_eq!(vault.get(SITE, SecretKind::Tokens), Some(long_value("one")));
    assert_eq!(Vault::open(&format!("{namespace} other")).get(SITE, SecretKind::Tokens), None);
    vault.remove(SITE, SecretKind::Tokens).expect("forgotten");
    run_child(&namespace, "expect-none -");
}

#[test]
fn a_value_is_never_missing_while_it_is_replaced() {
    let namespace = format!("test replaced {}", std::process::id());
    let vault = Vault::open(&namespace);
    if vault.storage() == SecretStorage::Memory {
        eprintln!("no keychain here: nothing to share");
        return;
    }
    vault.put(SITE, SecretKind::Tokens, &long_value("0"));
    let writer = Vault::open(&namespace);
    let (tell, was_read) = mpsc::channel();
    let writing = thread::spawn(move || {
        for number in 1..=30 {
            writer.put(SITE, SecretKind::Tokens, &long_value(&number.to_string()));
            // During a read, at most one replacement occurs, since tokens aren't refreshed twice within milliseconds.
            let _ = was_read.try_iter().count();
            was_read.recv().expect("another read");
        }
    });
    while !writing.is_finished() {
        assert!(vault.read(SITE, SecretKind::Tokens).expect("an answer").is_some());
        let _ = tell.send(());
    }
    writing.join().expect("written");
    assert_eq!(vault.get(SITE, SecretKind::Tokens), Some(long_value("30")));
    vault.remove(SITE, SecretKind::Tokens).expect("forgotten");
}

/// Runs a child process, on Linux in a new session.
fn run_child(namespace: &str, instruction: &str) {
    let program = std::env::current_exe().expect("this program");
    let command = if cfg!(target_os = "linux") {
        let mut command = Command::new("setsid");
        command.args(["--wait"]).arg(program);
        command
    } else {
        Command::new(program)
    };
    run(command, namespace, instruction);
}

fn run(mut command: Command, namespace: &str, instruction: &str) {
    let done = command
        .args(["--exact", "vault::as_a_child", "--nocapture"])
        .env(NAMESPACE, namespace)
        .env(STORE, instruction)
        .stdin(Stdio::null())
        .output()
        .expect("the child ran");
    assert!(done.status.success(), "{instruction}: {}", String::from_utf8_lossy(&done.stderr));
}

/// A user may store 200 keys. At this limit, the kernel refuses to link the user's keyring.
#[cfg(target_os = "linux")]
#[test]
fn a_keyring_that_cant_be_reached_isnt_an_empty_one() {
    use std::os::unix::fs::MetadataExt as _;

    let is_root = std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    if !is_root {
        eprintln!("only root can try this as another person");
        return;
    }
    let namespace = format!("test full {}", std::process::id());
    let mut command = Command::new("setpriv");
    command.args(["--reuid", "65534", "--clear-groups"]).arg(std::env::current_exe().expect("this program"));
    run(command, &namespace, "expect-unanswered -");
}

#[cfg(target_os = "linux")]
fn use_up_the_keys() {
    use linux_keyutils::{KeyError, KeyRing, KeyRingIdentifier};

    let ring = KeyRing::from_special_id(KeyRingIdentifier::Process, true).expect("a keyring of this process");
    // The total size is limited, too, so keys become smaller until none can be added.
    for (round, size) in [500, 100, 10, 1].into_iter().enumerate() {
        for number in 0.. {
            match ring.add_key(&format!("takt test {round} {number}"), &"x".repeat(size)) {
                Ok(_) => {}
                Err(KeyError::QuotaExceeded) => break,
                Err(error) => panic!("{error}"),
            }
        }
    }
}

#[test]
fn as_a_child() {
    let (Ok(instruction), Ok(namespace)) = (std::env::var(STORE), std::env::var(NAMESPACE)) else { return };
    let (verb, seed) = instruction.split_once(' ').expect("an instruction");
    #[cfg(target_os = "linux")]
    if verb == "expect-unanswered" {
        use_up_the_keys();
        let vault = Vault::open(&namespace);
        assert!(vault.is_keychain_unresponsive());
        let tokens = vault.tokens_for(SITE, "https://service.example");
        assert!(tokens.is_err(), "{tokens:?}");
        return;
    }
    let vault = Vault::open(&namespace);
    assert_ne!(vault.storage(), SecretStorage::Memory);
    match verb {
        "store" => vault.put(SITE, SecretKind::Tokens, &long_value(seed)),
        "store-short" => vault.put(SITE, SecretKind::Tokens, &Secret::new(seed)),
        "expect" => assert_eq!(vault.get(SITE, SecretKind::Tokens), Some(long_value(seed))),
        _ => assert_eq!(vault.get(SITE, SecretKind::Tokens), None),
    }
    assert_ne!(vault.storage(), SecretStorage::Memory, "the keychain took it");
}

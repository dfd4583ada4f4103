//! Where a release comes from, as an in-toto statement with a SLSA predicate: the commit, the compiler, the locked dependencies, and
//! the sum of every file. Signed with the rest; a build service adds its own.

use serde_json::{Value, json};

use super::{checksums, version};
use crate::{error::XtaskError, place, process::catch};

const FILE: &str = "provenance.intoto.json";
/// What the build took beside the commit.
const LOCKS: [&str; 2] = ["Cargo.lock", "ui/package-lock.json"];
/// Says how a file came to be; the steps are this command's.
const BUILD_TYPE: &str = "https://takt.example/release/1";

pub(super) fn write() -> Result<(), XtaskError> {
    let mut subjects = Vec::new();
    for file in super::files()?.iter().filter(|file| checksums::is_content(&super::file_name(file))) {
        subjects.push(named(&super::file_name(file), &checksums::sum(file)?));
    }
    let mut materials = Vec::new();
    for lock in LOCKS {
        materials.push(named(lock, &checksums::sum(&place::root().join(lock))?));
    }
    let commit = catch(version::git(&["rev-parse", "HEAD"]))?;
    materials.push(json!({ "name": "source", "digest": { "gitCommit": commit.trim() } }));
    let statement = statement(&subjects, &materials, &version::compiler()?);
    super::write(FILE, &format!("{statement:#}\n"))
}

fn named(name: &str, sum: &str) -> Value {
    json!({ "name": name, "digest": { "sha256": sum } })
}

fn statement(subjects: &[Value], materials: &[Value], compiler: &str) -> Value {
    json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": subjects,
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD_TYPE,
                "externalParameters": { "version": env!("CARGO_PKG_VERSION"), "steps": "cargo xtask release" },
                "internalParameters": { "compiler": compiler, "system": std::env::consts::OS },
                "resolvedDependencies": materials,
            },
            "runDetails": { "builder": { "id": "https://takt.example/builder/by-hand" } },
        },
    })
}

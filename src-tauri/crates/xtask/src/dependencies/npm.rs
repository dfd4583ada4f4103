//! npm's packages: checks licenses, sources and checksums in the lock files, and vulnerabilities at the registry.

use std::{collections::BTreeMap, fs, process::Stdio};

use serde::Deserialize;
use serde_json::Value;

use crate::{console::print, error::XtaskError, paths, process::npm_in};

/// The folders with lock files: the web UI, and tools for long tests.
const FOLDERS: [&str; 3] = ["ui", "tests/long/provider", "tests/long/clients"];
/// The allowed license expressions, as packages write them. MPL-2.0 covers single files, and OFL-1.1 covers fonts.
const ALLOWED_LICENSES: [&str; 16] = [
    "(MIT OR CC0-1.0)",
    "(MPL-2.0 OR Apache-2.0)",
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 OR MIT",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BlueOak-1.0.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "OFL-1.1",
    "PSF-2.0",
    "Python-2.0",
];
/// The severities of npm that must be resolved before a release.
const BLOCKING_SEVERITIES: [&str; 2] = ["high", "critical"];

#[derive(Deserialize)]
struct Lock {
    packages: BTreeMap<String, Locked>,
}

#[derive(Deserialize)]
struct Locked {
    license: Option<String>,
    /// The archive's address. Absent for the root package and for links to folders.
    resolved: Option<String>,
    integrity: Option<String>,
}

pub(super) fn check_rules() -> Result<(), XtaskError> {
    let mut complaints = Vec::new();
    for folder in FOLDERS {
        let path = paths::root().join(folder).join("package-lock.json");
        let text = fs::read_to_string(&path).map_err(XtaskError::file(&path))?;
        let found = find_complaints(&text)
            .map_err(|error| XtaskError::Answer { program: path.display().to_string(), reason: error.to_string() })?;
        complaints.extend(found.into_iter().map(|complaint| format!("{folder}: {complaint}")));
    }
    if complaints.is_empty() {
        return Ok(());
    }
    let status = format!("{} complaints", complaints.len());
    Err(XtaskError::Failed { line: "npm's packages".to_owned(), status, output: complaints.join("\n") })
}

fn find_complaints(lock: &str) -> Result<Vec<String>, serde_json::Error> {
    let lock: Lock = serde_json::from_str(lock)?;
    let mut complaints = Vec::new();
    for (path, package) in lock.packages.iter().filter(|(path, _)| !path.is_empty()) {
        let name = path.rsplit_once("node_modules/").map_or(path.as_str(), |(_, name)| name);
        match package.license.as_deref() {
            None => complaints.push(format!("{name} states no licence")),
            Some(license) if !ALLOWED_LICENSES.contains(&license) => {
                complaints.push(format!("{name} has the licence {license}, which isn't allowed"));
            }
            Some(_) => {}
        }
        if let Some(resolved) = &package.resolved {
            complaints.push(format!("{name} comes from {resolved}, not from the registry"));
        }
        if package.integrity.is_none() {
            complaints.push(format!("{name} has no checksum"));
        }
    }
    Ok(complaints)
}

/// Checks the packages of each folder for vulnerabilities, which needs npm's registry.
pub(super) fn audit() -> Result<(), XtaskError> {
    for folder in FOLDERS {
        let mut command = npm_in(folder, ["audit", "--json", "--package-lock-only"]);
        let output = command.stdin(Stdio::null()).output();
        let output = output.map_err(|source| XtaskError::Start { program: "npm".to_owned(), source })?;
        let answer = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
        print(&format!("    {folder}: {}", summarize_audit(&answer)?));
    }
    Ok(())
}

/// Formats npm's counts by severity. Fails if a vulnerability is severe or the registry returned no counts.
fn summarize_audit(answer: &Value) -> Result<String, XtaskError> {
    let Some(counts) = answer["metadata"]["vulnerabilities"].as_object() else {
        let reason = answer["message"].as_str().or(answer["error"]["summary"].as_str()).unwrap_or("no answer");
        return Err(XtaskError::Missing(format!(
            "not checked: the registry doesn't say which weaknesses are known ({reason}); where it does, run this again"
        )));
    };
    let count = |name: &str| counts.get(name).and_then(Value::as_u64).unwrap_or_default();
    let summary = counts.iter().map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>().join(", ");
    if BLOCKING_SEVERITIES.iter().any(|name| count(name) > 0) {
        let names: Vec<&str> =
            answer["vulnerabilities"].as_object().into_iter().flatten().map(|(n, _)| n.as_str()).collect();
        return Err(XtaskError::Failed { line: "npm audit".to_owned(), status: summary, output: names.join("\n") });
    }
    Ok(summary)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn complaints(package: &Value) -> Vec<String> {
        find_complaints(&json!({ "packages": { "": {}, "node_modules/a": package } }).to_string()).unwrap()
    }

    #[test]
    fn licences_sources_and_checksums_are_looked_at() {
        assert_eq!(complaints(&json!({ "license": "MIT", "integrity": "sha512-x" })), Vec::<String>::new());
        assert_eq!(complaints(&json!({ "license": "GPL-3.0", "integrity": "sha512-x" })).len(), 1);
        assert_eq!(complaints(&json!({ "resolved": "git+ssh://git@example.com/a.git" })).len(), 3);
    }

    #[test]
    fn only_an_answer_counts_as_one() {
        let none = json!({ "metadata": { "vulnerabilities": { "low": 1, "high": 0, "critical": 0 } } });
        assert!(summarize_audit(&none).unwrap().contains("1 low"));
        let grave = json!({ "metadata": { "vulnerabilities": { "high": 1 } }, "vulnerabilities": { "a": {} } });
        assert!(matches!(summarize_audit(&grave), Err(XtaskError::Failed { output, .. }) if output == "a"));
        for silent in [Value::Null, json!({ "message": "405 Method Not Allowed" })] {
            assert!(matches!(summarize_audit(&silent), Err(XtaskError::Missing(_))), "{silent}");
        }
    }
}

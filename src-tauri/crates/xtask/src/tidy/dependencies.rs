//! Checks that `docs/dependencies.md` lists exactly the direct dependencies of the workspace and of the web UI, with
//! reason and license.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::{
    error::XtaskError,
    licenses::{LIST, License, UI_LOCK},
    process::{capture_output, cargo},
    tidy::{complaint::Complaint, tree::Tree},
};

const PAGE: &str = "docs/dependencies.md";
const RUST: &str = "## Rust";
const UI: &str = "## Web UI";
const UI_PACKAGES: &str = "ui/package.json";
/// The minimum length of a reason in characters, since shorter texts explain nothing.
const MIN_REASON_LENGTH: usize = 4;

#[derive(Debug, Deserialize)]
struct Metadata {
    packages: Vec<Member>,
}

#[derive(Debug, Deserialize)]
struct Member {
    dependencies: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
struct Dependency {
    name: String,
    /// The folder. Present for members of the workspace only.
    path: Option<String>,
}

#[derive(Debug, Deserialize)]
struct UiPackages {
    dependencies: BTreeMap<String, String>,
    #[serde(rename = "devDependencies")]
    dev_dependencies: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
struct UiLock {
    packages: BTreeMap<String, Locked>,
}

#[derive(Debug, Deserialize)]
struct Locked {
    license: Option<String>,
}

/// A row of a table, without the dependency's name.
#[derive(Debug, PartialEq, Eq)]
struct Row<'a> {
    line: usize,
    reason: &'a str,
    license: &'a str,
}

/// The used dependencies by name, with the licenses of their locked versions.
type UsedDependencies = BTreeMap<String, BTreeSet<String>>;

pub(crate) fn check(tree: &Tree) -> Result<Vec<Complaint>, XtaskError> {
    let mut command = cargo(["metadata", "--no-deps", "--format-version", "1"]);
    command.current_dir(tree.root());
    let metadata = read("cargo metadata", &capture_output(command)?)?;
    let page = tree.text(PAGE)?;
    let listed: Vec<License> = read(LIST, tree.text(LIST)?)?;
    let packages = read(UI_PACKAGES, tree.text(UI_PACKAGES)?)?;
    let lock = read(UI_LOCK, tree.text(UI_LOCK)?)?;
    let mut complaints = compare(&table_rows(page, RUST), &used_crates(&metadata, &listed));
    complaints.extend(compare(&table_rows(page, UI), &used_ui_packages(packages, &lock)));
    Ok(complaints)
}

fn read<'a, T: Deserialize<'a>>(name: &str, text: &'a str) -> Result<T, XtaskError> {
    serde_json::from_str(text)
        .map_err(|error| XtaskError::Answer { program: name.to_owned(), reason: error.to_string() })
}

fn used_crates(metadata: &Metadata, listed: &[License]) -> UsedDependencies {
    let all = metadata.packages.iter().flat_map(|member| &member.dependencies);
    let names = all.filter(|dependency| dependency.path.is_none()).map(|dependency| &dependency.name);
    let licenses = |name: &String| {
        listed
            .iter()
            .filter(|license| license.name == *name)
            .map(|license| license.license.clone())
            .collect::<BTreeSet<_>>()
    };
    names.map(|name| (name.clone(), licenses(name))).collect()
}

fn used_ui_packages(packages: UiPackages, lock: &UiLock) -> UsedDependencies {
    let license = |name: &str| lock.packages.get(&format!("node_modules/{name}"))?.license.clone();
    let names = packages.dependencies.into_keys().chain(packages.dev_dependencies.into_keys());
    names
        .map(|name| {
            let license = license(&name);
            (name, license.into_iter().collect())
        })
        .collect()
}

/// Returns the table rows below a heading, by name. The table's own header rows have no name in backticks.
fn table_rows<'a>(page: &'a str, heading: &str) -> BTreeMap<&'a str, Row<'a>> {
    let lines = page.lines().enumerate().skip_while(|(_, line)| line.trim() != heading).skip(1);
    lines
        .take_while(|(_, line)| !line.starts_with("## "))
        .filter_map(|(index, line)| {
            let mut cells = line.trim().strip_prefix('|')?.strip_suffix('|')?.split('|').map(str::trim);
            let name = cells.next()?.strip_prefix('`')?.strip_suffix('`')?;
            let (reason, license) = (cells.next().unwrap_or_default(), cells.next().unwrap_or_default());
            Some((name, Row { line: index + 1, reason, license }))
        })
        .collect()
}

fn compare(rows: &BTreeMap<&str, Row<'_>>, used: &UsedDependencies) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let mut complain = |line: Option<usize>, text: String| complaints.push(Complaint::new(PAGE, line, text));
    for (name, licenses) in used {
        let Some(row) = rows.get(name.as_str()) else {
            complain(None, format!("doesn't say what {name} is for"));
            continue;
        };
        if row.reason.chars().count() < MIN_REASON_LENGTH {
            complain(Some(row.line), format!("gives no reason for {name}"));
        }
        if !licenses.is_empty() && !licenses.iter().any(|license| without_parentheses(license) == row.license) {
            let stated = licenses.iter().map(|license| without_parentheses(license)).collect::<Vec<_>>().join("; ");
            complain(Some(row.line), format!("{name} states the licence {stated}"));
        }
    }
    for (name, row) in rows.iter().filter(|(name, _)| !used.contains_key(**name)) {
        complain(Some(row.line), format!("names {name}, which nothing uses by itself"));
    }
    complaints
}

/// Removes parentheses around a whole license expression.
fn without_parentheses(license: &str) -> &str {
    let inner = license.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    inner.filter(|inner| !inner.contains(['(', ')'])).unwrap_or(license)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "# D\n\n## Rust\n\n| crate | what for | licence |\n|---|---|---|\n| `serde` | Values to text | MIT |\n\n## Web UI\n\n| `react` | Draws | MIT |\n";

    fn used(names: &[(&str, &str)]) -> UsedDependencies {
        names.iter().map(|(name, license)| ((*name).to_owned(), BTreeSet::from([(*license).to_owned()]))).collect()
    }

    fn complaints(names: &[(&str, &str)]) -> Vec<String> {
        compare(&table_rows(TABLE, RUST), &used(names)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn each_table_is_read_by_itself() {
        assert_eq!(table_rows(TABLE, RUST).into_keys().collect::<Vec<_>>(), ["serde"]);
        assert_eq!(table_rows(TABLE, UI)["react"], Row { line: 11, reason: "Draws", license: "MIT" });
    }

    #[test]
    fn what_is_missing_gone_or_under_another_licence_is_told() {
        assert_eq!(complaints(&[("serde", "(MIT)")]), Vec::<String>::new());
        assert_eq!(complaints(&[("serde", "MIT"), ("url", "MIT")]), [format!("{PAGE}: doesn't say what url is for")]);
        assert_eq!(complaints(&[]), [format!("{PAGE}:7: names serde, which nothing uses by itself")]);
        assert_eq!(complaints(&[("serde", "GPL-3.0")]), [format!("{PAGE}:7: serde states the licence GPL-3.0")]);
    }

    #[test]
    fn a_row_without_a_reason_is_told() {
        let page = TABLE.replace("Values to text", "");
        assert_eq!(compare(&table_rows(&page, RUST), &used(&[("serde", "MIT")])).len(), 1);
    }

    #[test]
    fn members_use_crates_and_one_another() {
        let metadata = read(
            "test",
            r#"{"packages":[{"dependencies":[{"name":"own","path":"/own"},{"name":"serde","path":null}]}]}"#,
        );
        let listed = [License { name: "serde".to_owned(), version: "1.0.0".to_owned(), license: "MIT".to_owned() }];
        assert_eq!(used_crates(&metadata.unwrap(), &listed), used(&[("serde", "MIT")]));
    }
}

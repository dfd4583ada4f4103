//! Checks the dependencies between members of the workspace against the block `edges` of ARCHITECTURE.md. The block
//! must contain all members, and all dependencies except allowed ones fail.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::{
    error::XtaskError,
    process::{capture_output, cargo},
    tidy::{complaint::Complaint, tree::Tree},
};

const PAGE: &str = "ARCHITECTURE.md";
const FENCE: &str = "```edges";

#[derive(Debug, Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Debug, Deserialize)]
struct Package {
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
struct Dependency {
    name: String,
    /// `dev` or `build`. Absent for normal dependencies.
    kind: Option<String>,
    /// The folder. Present for members of the workspace only.
    path: Option<String>,
}

/// The allowed dependencies between members, as drawn in ARCHITECTURE.md.
#[derive(Debug, Default)]
struct AllowedEdges {
    members: BTreeSet<String>,
    edges: BTreeSet<(String, String)>,
    /// Dependencies that are allowed for tests only.
    test_edges: BTreeSet<(String, String)>,
}

pub(crate) fn check(tree: &Tree) -> Result<Vec<Complaint>, XtaskError> {
    let mut command = cargo(["metadata", "--no-deps", "--format-version", "1"]);
    command.current_dir(tree.root());
    let metadata = serde_json::from_str(&capture_output(command)?)
        .map_err(|error| XtaskError::Answer { program: "cargo metadata".to_owned(), reason: error.to_string() })?;
    Ok(compare(&read_allowed_edges(tree.text(PAGE)?), &metadata))
}

fn read_allowed_edges(page: &str) -> AllowedEdges {
    let mut allowed = AllowedEdges::default();
    for line in page.lines().skip_while(|line| line.trim() != FENCE).skip(1).take_while(|line| line.trim() != "```") {
        let (line, is_for_tests) = match line.trim().strip_prefix("dev:") {
            Some(rest) => (rest, true),
            None => (line.trim(), false),
        };
        let Some((user, used)) = line.split_once("->") else { continue };
        let user = user.trim().to_owned();
        let edges = used.split_whitespace().map(|used| (user.clone(), used.to_owned()));
        if is_for_tests {
            allowed.test_edges.extend(edges)
        } else {
            allowed.edges.extend(edges)
        }
        allowed.members.insert(user);
    }
    allowed
}

fn compare(allowed: &AllowedEdges, metadata: &Metadata) -> Vec<Complaint> {
    let complaint = |text| Complaint::new(PAGE, None, text);
    let mut complaints = Vec::new();
    let members: BTreeMap<&str, &Package> =
        metadata.packages.iter().map(|package| (package.name.as_str(), package)).collect();
    for name in allowed.members.iter().filter(|name| !members.contains_key(name.as_str())) {
        complaints.push(complaint(format!("draws {name}, which is no member of the workspace")));
    }
    for (name, package) in members {
        if !allowed.members.contains(name) {
            complaints.push(complaint(format!("doesn't draw the member {name}")));
        }
        for used in package.dependencies.iter().filter(|used| used.path.is_some()) {
            let edge = (name.to_owned(), used.name.clone());
            let is_allowed_for_tests = used.kind.as_deref() == Some("dev") && allowed.test_edges.contains(&edge);
            if !is_allowed_for_tests && !allowed.edges.contains(&edge) {
                let kind = used.kind.as_deref().map(|kind| format!(" ({kind})")).unwrap_or_default();
                complaints.push(complaint(format!("doesn't draw {name} -> {}{kind}", used.name)));
            }
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    const EDGES_BLOCK: &str = "text\n```edges\na -> b\nb ->\ndev: b -> c\nc ->\n```\nd -> e\n";

    fn metadata(packages: &str) -> Metadata {
        serde_json::from_str(&format!("{{\"packages\":[{packages}]}}")).unwrap()
    }

    fn complaints(packages: &str) -> Vec<String> {
        compare(&read_allowed_edges(EDGES_BLOCK), &metadata(packages))
            .into_iter()
            .map(|complaint| complaint.text)
            .collect()
    }

    #[test]
    fn what_is_drawn_may_be_used() {
        let found = complaints(
            r#"{"name":"a","dependencies":[{"name":"b","kind":null,"path":"/b"},{"name":"serde","kind":null}]},
               {"name":"b","dependencies":[{"name":"c","kind":"dev","path":"/c"}]},{"name":"c","dependencies":[]}"#,
        );
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn a_new_edge_a_new_member_and_a_lost_one_are_seen() {
        let found = complaints(
            r#"{"name":"a","dependencies":[{"name":"c","kind":null,"path":"/c"}]},
               {"name":"b","dependencies":[{"name":"c","kind":null,"path":"/c"}]},{"name":"d","dependencies":[]}"#,
        );
        assert_eq!(
            found,
            [
                "draws c, which is no member of the workspace",
                "doesn't draw a -> c",
                "doesn't draw b -> c",
                "doesn't draw the member d",
            ]
        );
    }
}

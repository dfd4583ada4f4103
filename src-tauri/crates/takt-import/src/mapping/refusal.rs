//! The problem of a mapping that can't be used. It names the member, and the heading or field.

use std::collections::BTreeMap;

use takt_core::{Code, Problem, Words};

/// Returns the problem with the text of `obstacle` (section `obstacle`).
pub(in super::super) fn refused(obstacle: &str, parameters: &[(&str, &str)]) -> Problem {
    let filled: BTreeMap<String, String> =
        parameters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let what = Words::english().text(&["obstacle", obstacle], &filled);
    let problem = Problem::new(Code::MappingRefused).parameter("obstacle", obstacle).parameter("what", what);
    filled.into_iter().fold(problem, |problem, (name, value)| problem.parameter(&name, value))
}

//! What people are told of a problem: what happened, and what to do.

use std::collections::BTreeMap;

use super::Code;
use crate::words::{Words, name};

impl Words {
    /// What happened.
    #[must_use]
    pub fn problem_title(&self, code: Code, parameters: &BTreeMap<String, String>) -> String {
        self.of_case(code, "title", parameters)
    }

    /// The text of the parameter `case`, where there is one for it.
    fn of_case(&self, code: Code, kind: &str, parameters: &BTreeMap<String, String>) -> String {
        let (code, case) = (name(code), parameters.get("case").map_or("", String::as_str));
        match self.has(&["problem", &code, case, kind]) {
            true => self.text(&["problem", &code, case, kind], parameters),
            false => self.text(&["problem", &code, kind], parameters),
        }
    }

    /// What to do: about the very obstacle, where there is advice for it.
    #[must_use]
    pub fn problem_hint(&self, code: Code, parameters: &BTreeMap<String, String>) -> String {
        let obstacle = parameters.get("obstacle").map_or("", String::as_str);
        if self.has(&["advice", obstacle]) {
            return self.text(&["advice", obstacle], parameters);
        }
        self.of_case(code, "hint", parameters)
    }
}

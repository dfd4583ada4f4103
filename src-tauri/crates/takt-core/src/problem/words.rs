//! The texts of problems: what happened, and what to do.

use std::collections::BTreeMap;

use super::Code;
use crate::words::{Words, name};

impl Words {
    /// Returns what happened.
    #[must_use]
    pub fn problem_title(&self, code: Code, parameters: &BTreeMap<String, String>) -> String {
        self.of_case(code, "title", parameters)
    }

    /// Returns the text for the parameter `case`, if there is one, or the code's text.
    fn of_case(&self, code: Code, kind: &str, parameters: &BTreeMap<String, String>) -> String {
        let (code, case) = (name(code), parameters.get("case").map_or("", String::as_str));
        match self.has(&["problem", &code, case, kind]) {
            true => self.text(&["problem", &code, case, kind], parameters),
            false => self.text(&["problem", &code, kind], parameters),
        }
    }

    /// Returns what to do, preferably the advice about the obstacle.
    #[must_use]
    pub fn problem_hint(&self, code: Code, parameters: &BTreeMap<String, String>) -> String {
        let obstacle = parameters.get("obstacle").map_or("", String::as_str);
        if self.has(&["advice", obstacle]) {
            return self.text(&["advice", obstacle], parameters);
        }
        self.of_case(code, "hint", parameters)
    }
}

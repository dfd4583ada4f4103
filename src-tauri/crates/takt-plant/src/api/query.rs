//! Parameters of reads: page and limit, the window of time, codes. What can't be used is said, all at once.

use axum::http::StatusCode;
use jiff::tz::TimeZone;

use crate::{
    answer::Answer,
    form::Parameters,
    paging::{LARGEST_PAGE, LIMIT_RULE, PAGE_RULE, Page},
    time_window::TimeWindow,
};

const USUAL_PAGE: u64 = 100;
/// No code is longer; a longer one would only fill the log.
const LONGEST_CODE: usize = 200;

/// The parameters of a read.
#[derive(Debug)]
pub(super) struct Query {
    parameters: Parameters,
    errors: Vec<String>,
}

impl Query {
    pub(super) fn parse(text: &str) -> Self {
        let parameters = Parameters::parse(text.as_bytes());
        let mut errors = Vec::new();
        if let Some(name) = parameters.repeated() {
            errors.push(format!("{name} must stand only once."));
        }
        Self { parameters, errors }
    }

    pub(super) fn page(&mut self) -> Page {
        let number = self.whole("page", 1, u64::MAX, 1, PAGE_RULE);
        let limit = self.whole("limit", 1, LARGEST_PAGE, USUAL_PAGE, LIMIT_RULE);
        Page::new(number, limit)
    }

    pub(super) fn window(&mut self, zone: &TimeZone) -> TimeWindow {
        let read = TimeWindow::read(self.parameters.filled("from"), self.parameters.filled("to"), zone);
        read.unwrap_or_else(|errors| {
            self.errors.extend(errors);
            TimeWindow::default()
        })
    }

    /// A code, where one that isn't empty was given.
    pub(super) fn code(&mut self, name: &str) -> Option<String> {
        let code = self.parameters.filled(name)?.to_owned();
        if code.len() > LONGEST_CODE || code.contains('\u{FFFD}') {
            self.errors.push(format!("{name} must be text of at most {LONGEST_CODE} characters."));
        }
        Some(code)
    }

    /// Says what can't be used, if anything, with this status.
    pub(super) fn usable(self, window: Option<&TimeWindow>, wrong: StatusCode) -> Result<(), Answer> {
        if !self.errors.is_empty() {
            return Err(Answer::errors(wrong, self.errors));
        }
        if window.is_some_and(TimeWindow::is_reversed) {
            let text = "from must not lie after to.".to_owned();
            return Err(Answer::errors(StatusCode::PRECONDITION_FAILED, vec![text]));
        }
        Ok(())
    }

    fn whole(&mut self, name: &str, least: u64, most: u64, usual: u64, rule: &str) -> u64 {
        let Some(text) = self.parameters.get(name) else { return usual };
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse::<u64>().ok().filter(|value| digits && (least..=most).contains(value)) {
            Some(value) => value,
            None => {
                self.errors.push(rule.to_owned());
                usual
            }
        }
    }
}

//! Parameters of reads: page and limit, the window of time, codes. What can't be used is said, all at once.

use axum::http::StatusCode;
use jiff::tz::TimeZone;

use crate::{
    answer::Answer,
    form::Parameters,
    interface::parameters::ParameterChecks,
    paging::{MAX_PAGE_SIZE, Page},
    time_window::{REVERSED, TimeWindow},
};

/// No code is longer; a longer one would only fill the log.
const MAX_CODE_LENGTH: usize = 200;
const PAGE: &str = "page";
const LIMIT: &str = "limit";

/// The parameters of a read.
#[derive(Debug)]
pub(super) struct Query {
    parameters: Parameters,
    errors: Vec<String>,
}

impl Query {
    /// Reads them by the contract. `asked`: which page is asked for is known already, in the site's own way.
    pub(super) fn parse(text: &str, checks: &ParameterChecks, asked: Option<Page>) -> Self {
        let parameters = Parameters::parse(text.as_bytes());
        let mut errors = Vec::new();
        if let Some(name) = parameters.repeated() {
            errors.push(format!("{name} must stand only once."));
        }
        errors.extend(checks.violations(&parameters, |name| asked.is_none() || !matches!(name, PAGE | LIMIT)));
        Self { parameters, errors }
    }

    pub(super) fn page(&self) -> Page {
        Page::new(self.whole(PAGE).unwrap_or(1), self.whole(LIMIT).unwrap_or(MAX_PAGE_SIZE))
    }

    pub(super) fn window(&mut self, zone: &TimeZone) -> TimeWindow {
        if !self.errors.is_empty() {
            return TimeWindow::default();
        }
        let read = TimeWindow::read(self.parameters.get("from"), self.parameters.get("to"), zone);
        read.unwrap_or_else(|errors| {
            self.errors.extend(errors);
            TimeWindow::default()
        })
    }

    /// A code, where one that isn't empty was given.
    pub(super) fn code(&mut self, name: &str) -> Option<String> {
        let code = self.parameters.filled(name)?.to_owned();
        if code.len() > MAX_CODE_LENGTH || code.contains('\u{FFFD}') {
            self.errors.push(format!("{name} must be text of at most {MAX_CODE_LENGTH} characters."));
        }
        Some(code)
    }

    /// Says what can't be used, if anything, with this status.
    pub(super) fn usable(self, window: Option<&TimeWindow>, wrong: StatusCode) -> Result<(), Answer> {
        if !self.errors.is_empty() {
            return Err(Answer::errors(wrong, self.errors));
        }
        if window.is_some_and(TimeWindow::is_reversed) {
            return Err(Answer::errors(StatusCode::PRECONDITION_FAILED, vec![REVERSED.to_owned()]));
        }
        Ok(())
    }

    /// A number that the contract takes; what it doesn't take is said already.
    fn whole(&self, name: &str) -> Option<u64> {
        self.parameters.get(name)?.parse().ok().filter(|number| *number > 0)
    }
}

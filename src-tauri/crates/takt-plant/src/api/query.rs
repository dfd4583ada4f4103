//! Parameters of reads: page and limit, time window, codes. All errors are reported at once.

use axum::http::StatusCode;
use jiff::tz::TimeZone;

use crate::{
    answer::Answer,
    form::Parameters,
    interface::parameters::ParameterChecks,
    paging::{MAX_PAGE_SIZE, Page},
    time_window::{REVERSED, TimeWindow},
};

/// The longest code. A longer one would only fill the log.
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
    /// Parses the parameters by the contract. `requested_page` is set if a site's contract has already determined it.
    pub(super) fn parse(text: &str, checks: &ParameterChecks, requested_page: Option<Page>) -> Self {
        let parameters = Parameters::parse(text.as_bytes());
        let mut errors = Vec::new();
        if let Some(name) = parameters.repeated() {
            errors.push(format!("{name} must stand only once."));
        }
        errors.extend(checks.violations(&parameters, |name| requested_page.is_none() || !matches!(name, PAGE | LIMIT)));
        Self { parameters, errors }
    }

    pub(super) fn page(&self) -> Page {
        Page::new(self.positive_number(PAGE).unwrap_or(1), self.positive_number(LIMIT).unwrap_or(MAX_PAGE_SIZE))
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

    /// Returns a code unless it's absent or empty.
    pub(super) fn code(&mut self, name: &str) -> Option<String> {
        let code = self.parameters.get_nonempty(name)?.to_owned();
        if code.len() > MAX_CODE_LENGTH || code.contains('\u{FFFD}') {
            self.errors.push(format!("{name} must be text of at most {MAX_CODE_LENGTH} characters."));
        }
        Some(code)
    }

    /// Returns the errors with the status `wrong`, if there are any.
    pub(super) fn finish(self, window: Option<&TimeWindow>, wrong: StatusCode) -> Result<(), Answer> {
        if !self.errors.is_empty() {
            return Err(Answer::errors(wrong, self.errors));
        }
        if window.is_some_and(TimeWindow::is_reversed) {
            return Err(Answer::errors(StatusCode::PRECONDITION_FAILED, vec![REVERSED.to_owned()]));
        }
        Ok(())
    }

    /// Returns a positive number. Other values were reported in [`Query::parse`].
    fn positive_number(&self, name: &str) -> Option<u64> {
        self.parameters.get(name)?.parse().ok().filter(|number| *number > 0)
    }
}

//! Progress bars on standard error for reading a list, previewing changes, sending, and joining a team. They are hidden
//! if standard error isn't a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use jiff::tz::TimeZone;
use takt_engine::{
    browse::BrowseProgress, preview::PreviewProgress, submission::SubmissionView, team::TeamJoinProgress,
};

use crate::console::{Console, sanitize};

/// The progress of reading a list. The bar is removed when it is dropped.
#[derive(Debug)]
pub(crate) struct RowBar<'a> {
    bar: ProgressBar,
    console: &'a Console,
}

impl<'a> RowBar<'a> {
    pub(crate) fn new(console: &'a Console) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        // The template is constant, so it can't be invalid at run time.
        if let Ok(style) = ProgressStyle::with_template("{bar:32} {msg} · {per_sec} · {eta}") {
            bar.set_style(style);
        }
        Self { bar, console }
    }

    pub(crate) fn show(&self, progress: &BrowseProgress) {
        if let Some(total) = progress.total {
            self.bar.set_length(total.into());
        }
        self.bar.set_position(progress.rows.into());
        let total = progress.total.map_or_else(|| "?".to_owned(), |total| total.to_string());
        let mut parameters = vec![("rows", progress.rows.to_string()), ("total", total)];
        let key = match progress.waiting_until {
            Some(until) => {
                parameters.push(("time", until.to_zoned_datetime(TimeZone::system()).strftime("%H:%M:%S").to_string()));
                "list.waits"
            }
            None => "list.progress",
        };
        self.bar.set_message(self.console.texts.text(key, &parameters));
    }
}

impl Drop for RowBar<'_> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The number of submissions and events that were copied to the team. The bar is removed when it is dropped.
#[derive(Debug)]
pub(crate) struct JoinBar(ProgressBar);

impl JoinBar {
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
        // The template is constant, so it can't be invalid at run time.
        if let Ok(style) = ProgressStyle::with_template("{bar:32} {pos}/{len}") {
            bar.set_style(style);
        }
        Self(bar)
    }

    pub(crate) fn show(&self, progress: TeamJoinProgress) {
        let TeamJoinProgress { carried, total, events, total_events } = progress;
        self.0.set_length(u64::from(total) + u64::from(total_events));
        self.0.set_position(u64::from(carried) + u64::from(events));
    }
}

impl Drop for JoinBar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// The progress of a change preview. The bar is removed when it is dropped.
#[derive(Debug)]
pub(crate) struct PreviewBar<'a> {
    bar: ProgressBar,
    console: &'a Console,
}

impl<'a> PreviewBar<'a> {
    pub(crate) fn new(console: &'a Console) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        // The template is constant, so it can't be invalid at run time.
        if let Ok(style) = ProgressStyle::with_template("{bar:32} {msg}") {
            bar.set_style(style);
        }
        Self { bar, console }
    }

    pub(crate) fn show(&self, progress: &PreviewProgress) {
        if let Some(of) = progress.of {
            self.bar.set_length(of.into());
        }
        self.bar.set_position(progress.requests.into());
        let of = progress.of.map_or_else(|| "?".to_owned(), |of| of.to_string());
        let parameters =
            [("sheet", sanitize(&progress.sheet)), ("requests", progress.requests.to_string()), ("of", of)];
        self.bar.set_message(self.console.texts.text("progress.reading", &parameters));
    }
}

impl Drop for PreviewBar<'_> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The progress of sending: rows, rate and remaining time.
#[derive(Debug)]
pub(crate) struct SubmissionBar {
    bar: ProgressBar,
}

impl SubmissionBar {
    pub(crate) fn new(to_send: u32) -> Self {
        let bar = ProgressBar::with_draw_target(Some(to_send.into()), ProgressDrawTarget::stderr());
        // The template is constant, so it can't be invalid at run time.
        if let Ok(style) = ProgressStyle::with_template("{bar:32} {pos}/{len} {msg}") {
            bar.set_style(style);
        }
        Self { bar }
    }

    pub(crate) fn show(&self, view: &SubmissionView, console: &Console) {
        // Rows that are skipped meanwhile are no longer to be sent.
        self.bar.set_length(view.counts.to_send().into());
        self.bar.set_position(view.counts.sent().into());
        let mut parts = Vec::new();
        if let Some(rate) = view.rate {
            parts.push(console.texts.text("progress.rate", &[("rate", format!("{rate:.0}"))]));
        }
        if let Some(seconds) = view.remaining_seconds {
            let time = console.texts.engine.format_duration(seconds);
            parts.push(console.texts.text("progress.remaining", &[("time", time)]));
        }
        if let Some(problem) = &view.problem {
            parts.push(sanitize(&console.texts.engine.problem_title(problem.code, &problem.parameters)));
        }
        self.bar.set_message(parts.join(" · "));
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

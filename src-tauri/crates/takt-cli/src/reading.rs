//! A progress bar on standard error for reading a change preview. It is hidden if that is no terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use takt_engine::preview::PreviewProgress;

use crate::console::{Console, plain};

/// The progress of a change preview. The bar is removed when it is dropped.
#[derive(Debug)]
pub(crate) struct ReadingBar<'a> {
    bar: ProgressBar,
    console: &'a Console,
}

impl<'a> ReadingBar<'a> {
    pub(crate) fn new(console: &'a Console) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        // The only template is this one, so it can't be wrong at run time.
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
        let parameters = [("sheet", plain(&progress.sheet)), ("requests", progress.requests.to_string()), ("of", of)];
        self.bar.set_message(self.console.texts.text("progress.reading", &parameters));
    }
}

impl Drop for ReadingBar<'_> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

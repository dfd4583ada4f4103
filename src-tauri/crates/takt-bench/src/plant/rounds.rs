//! Measures contenders in turns (A B C, A B C, …), so that other load of the machine affects all of them.

use std::time::Duration;

use crate::{
    load::{Source, Until, run_load},
    machine::median,
    subject::Subject,
};

/// The number of connections and rounds, and the time of a round.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RoundSettings {
    pub(crate) connections: usize,
    pub(crate) rounds: usize,
    pub(crate) time: Duration,
}

/// A subject that takes turns with others.
pub(crate) struct Contender<'a> {
    pub(crate) name: String,
    pub(crate) subject: &'a Subject,
    /// Creates the sources of requests, one per connection. Called for each round.
    pub(crate) sources: Box<dyn Fn() -> Vec<Box<dyn Source>> + 'a>,
    /// The number of responses per connection in a round. Absent if the round ends after its time.
    pub(crate) responses_per_connection: Option<usize>,
}

/// The results of one contender, one value per round.
#[derive(Debug, Default)]
pub(crate) struct Score {
    pub(crate) name: String,
    per_second: Vec<f64>,
    /// The server's processor time per request in microseconds.
    cost: Vec<f64>,
    p50: Vec<f64>,
    p99: Vec<f64>,
    pub(crate) failures: usize,
    bytes: usize,
    answers: usize,
}

impl Score {
    pub(crate) fn new(contender: &Contender<'_>) -> Self {
        Self { name: contender.name.clone(), ..Self::default() }
    }

    pub(crate) fn per_second(&self) -> Option<f64> {
        median(self.per_second.clone())
    }

    /// Returns the server's processor time per request in microseconds.
    pub(crate) fn cost(&self) -> Option<f64> {
        median(self.cost.clone())
    }

    /// Returns the 50th and the 99th percentile in milliseconds.
    pub(crate) fn latency(&self) -> (Option<f64>, Option<f64>) {
        (median(self.p50.clone()), median(self.p99.clone()))
    }

    pub(crate) fn bytes_per_response(&self) -> usize {
        self.bytes / self.answers.max(1)
    }

    /// Returns the ratio of requests per second: the median of the rounds' ratios.
    pub(crate) fn rate_ratio(&self, other: &Self) -> Option<f64> {
        median(self.per_second.iter().zip(&other.per_second).map(|(mine, theirs)| mine / theirs).collect())
    }
}

/// Warms all contenders up, then measures them in turns.
pub(crate) fn run_rounds(contenders: &[Contender<'_>], settings: RoundSettings) -> Vec<Score> {
    let mut scores: Vec<Score> = contenders.iter().map(Score::new).collect();
    warm_up(contenders, settings);
    for _ in 0..settings.rounds {
        for (contender, score) in contenders.iter().zip(&mut scores) {
            run_round(contender, score, settings);
        }
    }
    scores
}

/// Runs a round that doesn't count.
pub(crate) fn warm_up(contenders: &[Contender<'_>], settings: RoundSettings) {
    for contender in contenders {
        run_load(contender.subject.address, (contender.sources)(), Until::Passed(settings.time / 2));
    }
}

/// Runs one round of one contender.
#[expect(clippy::cast_precision_loss, reason = "a count of answers")]
pub(crate) fn run_round(contender: &Contender<'_>, score: &mut Score, settings: RoundSettings) {
    let until = contender.responses_per_connection.map_or(Until::Passed(settings.time), Until::Answered);
    let before = contender.subject.processor_time();
    let result = run_load(contender.subject.address, (contender.sources)(), until);
    let after = contender.subject.processor_time();
    score.per_second.push(result.per_second());
    if let (Some(before), Some(after)) = (before, after) {
        let spent = after.saturating_sub(before).as_secs_f64();
        score.cost.push(spent * 1e6 / result.answers.max(1) as f64);
    }
    score.p50.push(result.percentile(50).as_secs_f64() * 1000.0);
    score.p99.push(result.percentile(99).as_secs_f64() * 1000.0);
    score.failures += result.failures;
    score.bytes += result.bytes;
    score.answers += result.answers;
}

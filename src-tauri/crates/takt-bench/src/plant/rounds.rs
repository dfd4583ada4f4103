//! Rounds in turns: A B C, A B C, … The load of the machine affects all contenders.

use std::time::Duration;

use crate::{
    load::{Source, Until, volley},
    machine::median,
    subject::Subject,
};

/// The extent of a measurement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    pub(crate) connections: usize,
    pub(crate) rounds: usize,
    pub(crate) time: Duration,
}

/// A subject that takes turns with others.
pub(crate) struct Contender<'a> {
    pub(crate) name: String,
    pub(crate) subject: &'a Subject,
    /// Makes the requests of each connection, anew for each round.
    pub(crate) sources: Box<dyn Fn() -> Vec<Box<dyn Source>> + 'a>,
    /// Responses per connection in a round. Absent: the round ends after its time.
    pub(crate) answers_each: Option<usize>,
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

    pub(crate) fn bytes_each(&self) -> usize {
        self.bytes / self.answers.max(1)
    }

    /// Returns the ratio of requests per second: the median of the rounds' ratios.
    pub(crate) fn over(&self, other: &Self) -> Option<f64> {
        median(self.per_second.iter().zip(&other.per_second).map(|(mine, theirs)| mine / theirs).collect())
    }
}

/// Warms all contenders up, then measures them in turns.
pub(crate) fn rounds(contenders: &[Contender<'_>], effort: Effort) -> Vec<Score> {
    let mut scores: Vec<Score> = contenders.iter().map(Score::new).collect();
    warm_up(contenders, effort);
    for _ in 0..effort.rounds {
        for (contender, score) in contenders.iter().zip(&mut scores) {
            run_round(contender, score, effort);
        }
    }
    scores
}

/// Runs a round that doesn't count.
pub(crate) fn warm_up(contenders: &[Contender<'_>], effort: Effort) {
    for contender in contenders {
        volley(contender.subject.address, (contender.sources)(), Until::Passed(effort.time / 2));
    }
}

/// Runs one round of one contender.
#[expect(clippy::cast_precision_loss, reason = "a count of answers")]
pub(crate) fn run_round(contender: &Contender<'_>, score: &mut Score, effort: Effort) {
    let until = contender.answers_each.map_or(Until::Passed(effort.time), Until::Answered);
    let before = contender.subject.processor_time();
    let volley = volley(contender.subject.address, (contender.sources)(), until);
    let after = contender.subject.processor_time();
    score.per_second.push(volley.per_second());
    if let (Some(before), Some(after)) = (before, after) {
        let spent = after.saturating_sub(before).as_secs_f64();
        score.cost.push(spent * 1e6 / volley.answers.max(1) as f64);
    }
    score.p50.push(volley.percentile(50).as_secs_f64() * 1000.0);
    score.p99.push(volley.percentile(99).as_secs_f64() * 1000.0);
    score.failures += volley.failures;
    score.bytes += volley.bytes;
    score.answers += volley.answers;
}

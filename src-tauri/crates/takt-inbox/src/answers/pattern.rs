//! Bounded `matches` for rules: limits the pattern's size and the work of a search.
//!
//! A search takes at most the pattern's parts times the text's bytes, and can't be stopped while it runs. So callers
//! deduct that product ([`Pattern::steps`]) from their budget before they search.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use regex_automata::nfa::thompson::{self, NFA, State, WhichCaptures, pikevm::PikeVM};

/// The maximum length of a pattern, in bytes.
const MAX_PATTERN_LENGTH: usize = 1000;
/// The maximum size of a compiled pattern, in bytes.
const MAX_COMPILED_BYTES: usize = 4 * 1024 * 1024;
/// The maximum number of parts of all cached patterns. Each part takes about 50 bytes.
const MAX_CACHED_PARTS: u64 = 500_000;

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct Pattern {
    machine: PikeVM,
    /// The number of the pattern's parts. A search may visit each part for each byte of a text.
    parts: u64,
}

/// The error of a pattern that can't be compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum PatternError {
    #[error("the pattern is too large")]
    TooLarge,
    #[error("{0}")]
    Unreadable(String),
}

/// A cache of compiled patterns. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct PatternCache(Arc<Mutex<CachedPatterns>>);

#[derive(Debug, Default)]
struct CachedPatterns {
    by_text: HashMap<String, Arc<Pattern>>,
    parts: u64,
}

impl PatternCache {
    pub(super) fn get_or_compile(&self, text: &str) -> Result<Arc<Pattern>, PatternError> {
        let lock_cache = || self.0.lock();
        if let Some(pattern) = lock_cache().by_text.get(text) {
            return Ok(Arc::clone(pattern));
        }
        let pattern = Arc::new(Pattern::compile(text)?);
        let mut cache = lock_cache();
        if cache.parts + pattern.parts() <= MAX_CACHED_PARTS {
            cache.parts += pattern.parts();
            cache.by_text.insert(text.to_owned(), Arc::clone(&pattern));
        }
        Ok(pattern)
    }
}

impl Pattern {
    /// Compiles a pattern. The size limit bounds the time this takes.
    pub(super) fn compile(text: &str) -> Result<Self, PatternError> {
        if text.len() > MAX_PATTERN_LENGTH {
            return Err(PatternError::TooLarge);
        }
        let config =
            thompson::Config::new().nfa_size_limit(Some(MAX_COMPILED_BYTES)).which_captures(WhichCaptures::None);
        let nfa = thompson::Compiler::new().configure(config).build(text).map_err(|error| to_pattern_error(&error))?;
        let parts = nfa.states().iter().map(state_cost).sum();
        Ok(Self { machine: build_machine(nfa)?, parts })
    }

    pub(super) fn parts(&self) -> u64 {
        self.parts
    }

    /// Returns the maximum number of steps of a search in `text`.
    pub(super) fn steps(&self, text: &str) -> u64 {
        self.parts.saturating_mul(text.len() as u64 + 1)
    }

    /// Returns whether the pattern matches anywhere in `text`.
    pub(super) fn is_match(&self, text: &str) -> bool {
        self.machine.is_match(&mut self.machine.create_cache(), text)
    }
}

fn build_machine(nfa: NFA) -> Result<PikeVM, PatternError> {
    PikeVM::new_from_nfa(nfa).map_err(|error| to_pattern_error(&error))
}

/// Returns the cost of a state: one visit for each of its alternatives.
fn state_cost(state: &State) -> u64 {
    match state {
        State::Union { alternates } => 1 + alternates.len() as u64,
        _ => 1,
    }
}

fn to_pattern_error(error: &thompson::BuildError) -> PatternError {
    if error.size_limit().is_some() {
        return PatternError::TooLarge;
    }
    let cause = std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
    // The last line is the message. The lines before show the position in a monospaced font.
    let last = cause.lines().last().unwrap_or_default().trim_start_matches("error: ");
    PatternError::Unreadable(last.chars().take(200).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_s_patterns_are_taken_and_large_ones_are_not() {
        for (pattern, text, stands) in [
            ("^[A-Z]{2}-\\d{4,8}$", "WO-260300", true),
            ("^[A-Z]{2}-\\d{4,8}$", "wo-260300", false),
            ("(?i)schicht\\b", "zweite SCHICHT", true),
            ("ä+", "bä", true),
            ("", "", true),
        ] {
            assert_eq!(Pattern::compile(pattern).unwrap().is_match(text), stands, "{pattern}");
        }
        for large in [
            "(a{1000}){1000}".to_owned(),
            "(?:[ab]{0,500}x?){0,400}[0-9]".to_owned(),
            "a".repeat(MAX_PATTERN_LENGTH + 1),
        ] {
            assert_eq!(Pattern::compile(&large).err(), Some(PatternError::TooLarge), "{large}");
        }
        assert!(matches!(Pattern::compile("(a"), Err(PatternError::Unreadable(cause)) if !cause.is_empty()));
    }

    #[test]
    fn many_ways_cost_more_than_few() {
        let few = Pattern::compile("abc").unwrap();
        let many = Pattern::compile("(?:[ab]{0,50}x?){0,40}[0-9]").unwrap();
        assert!(many.parts() > 100 * few.parts(), "{} {}", many.parts(), few.parts());
        assert_eq!(few.steps("1234"), few.parts() * 5);
    }
}

//! The shared handles that other crates' types are created with.

use std::sync::Arc;

use takt_contract::Contract;
use takt_core::{Clock, Home, words::CurrentWords};
use takt_journal::Journal;

use crate::Sites;

/// The shared handles. Each type copies the handles that it needs.
#[derive(Clone)]
pub struct Context {
    pub home: Home,
    pub clock: Clock,
    pub contract: Arc<Contract>,
    pub journal: Arc<Journal>,
    pub sites: Arc<Sites>,
    pub current_words: CurrentWords,
}

takt_core::opaque_debug!(Context);

//! Takt is killed repeatedly during its work. The plant's log must then agree with the journal: every row has one
//! result, none is lost, and none is applied twice.
//!
//! The short form is part of the tests. `cargo xtask crash` runs the long form and prints each kill.

mod dice;
#[cfg(unix)]
mod disk;
mod fixture;
mod forwarding;
mod journal_check;
mod kills;
mod lists;
mod load;
mod obstacles;
mod receiving;
#[cfg(unix)]
mod team;
#[cfg(unix)]
mod team_join;
#[cfg(unix)]
mod team_network;
#[cfg(unix)]
mod team_receiving;
mod undo;

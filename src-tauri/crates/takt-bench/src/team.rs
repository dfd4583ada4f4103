//! `cargo xtask bench team`: measures a team's PostgreSQL against a local file. Also measures concurrent desks,
//! deliveries to targets, and how soon another desk sees and takes over a submission.

mod cluster;
mod deliveries;
mod desks;
mod following;
mod rate;
mod takeover;
mod waiting;

use crate::{
    console::{print, timed},
    error::BenchError,
    report::Report,
    team::cluster::Cluster,
};

const DEFAULT_ITEMS: u32 = 100_000;
const QUICK_ITEMS: u32 = 10_000;

#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Options {
    /// Take about a minute.
    #[arg(long)]
    quick: bool,
    /// Orders sent for the rate [default: 100000; with --quick: 10000].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1_000..=1_000_000))]
    items: Option<u32>,
    /// Rounds of the rate and of the takeover [default: 5; with --quick: 2].
    #[arg(long)]
    rounds: Option<usize>,
    /// Desks that send at once.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(2..=i64::from(cluster::MAX_DESKS)))]
    desks: u32,
    /// Requests of each desk [default: 20; with --quick: 5].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    requests: Option<u32>,
}

pub(crate) fn run(options: &Options) -> Result<(), BenchError> {
    let mut report = Report::new();
    print(&format!("measuring on {}", report.machine));
    let (items, rounds, requests, seen) =
        if options.quick { (QUICK_ITEMS, 2, 5, 10) } else { (DEFAULT_ITEMS, 5, 20, 20) };
    let (items, rounds) = (options.items.unwrap_or(items), options.rounds.unwrap_or(rounds));
    let load = desks::Load { desks: options.desks, requests: options.requests.unwrap_or(requests) };
    let cluster = timed("a PostgreSQL of its own", Cluster::start)?;
    timed("a team's database against a file of one's own", || rate::measure(&cluster, items, rounds, &mut report))?;
    timed("desks at once", || desks::measure(&cluster, load, &mut report))?;
    timed("deliveries written down", || deliveries::measure(&cluster, &mut report))?;
    timed("what another desk sends, seen", || following::measure(&cluster, seen, &mut report))?;
    timed("what a killed desk left, taken over", || takeover::measure(&cluster, rounds, &mut report))?;
    report.print_and_save("team")
}

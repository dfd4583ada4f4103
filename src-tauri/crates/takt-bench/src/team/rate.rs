//! Measures the same orders with a team's database and with a local file as history, in turns.

use crate::{
    error::{BenchError, wrong},
    machine::median,
    orders::ORDERS_PER_REQUEST,
    report::{Report, Table, format_number, format_optional},
    subject::Plant,
    submit::{
        engine,
        exchange::{Done, SendRequest},
        run_program, send_request,
    },
    team::cluster::Cluster,
};

/// As a share of the rate with a local file.
const GOAL: f64 = 0.7;

/// Measures in rounds, of which the first one warms up. Each round has a new database and a new file.
pub(crate) fn measure(cluster: &Cluster, items: u32, rounds: usize, report: &mut Report) -> Result<(), BenchError> {
    let plant = Plant::start("takt plant", &[])?;
    let own = send_request(&plant, items, items);
    let (mut file, mut shared) = (Vec::new(), Vec::new());
    for round in 0..=rounds {
        let through_file = sent(&plant, &own)?;
        let team = cluster.team()?;
        let through_team = sent(&plant, &SendRequest { team: Some(team.clone()), ..own.clone() })?;
        cluster.remove(&team)?;
        if round > 0 {
            file.push(through_file);
            shared.push(through_team);
        }
    }
    goals(&file, &shared, report);
    report.tables.push(table(&file, &shared, &cluster.version()?));
    Ok(())
}

fn sent(plant: &Plant, wish: &SendRequest) -> Result<Done, BenchError> {
    let done = run_program(engine::SENDING, wish)?;
    plant.reset()?;
    if done.accepted == wish.items {
        return Ok(done);
    }
    Err(wrong(engine::SENDING, &format!("not all of {} orders: {done:?}", wish.items)))
}

fn goals(file: &[Done], shared: &[Done], report: &mut Report) {
    let orders = format_number(file.first().map_or(0, |done| done.accepted).into());
    let what = format!("orders sent per second through PostgreSQL ÷ through a file of one's own, {orders} orders");
    let times =
        |of: fn(&Done) -> f64| median(file.iter().zip(shared).map(|(file, team)| of(file) / of(team)).collect());
    report.at_least(&what, GOAL, times(|done| done.seconds), "");
    report.at_least(&format!("{what}, writing down before included"), GOAL, times(total_seconds), "");
}

fn total_seconds(done: &Done) -> f64 {
    done.written + done.seconds
}

fn table(file: &[Done], shared: &[Done], version: &str) -> Table {
    let orders = format_number(file.first().map_or(0, |done| done.accepted).into());
    let title = format!(
        "{orders} new work orders in requests of {ORDERS_PER_REQUEST}, at most 8 on their way, by the history they go through"
    );
    let columns = ["", "orders/s", "seconds", "writing down before, seconds", "peak MB of the process that sends"];
    let mut table = Table::new(&title, &columns);
    let server = format!("a team's PostgreSQL {version} on 127.0.0.1, fsync on");
    for (name, done) in [("a file of one's own (SQLite)", file), (&server, shared)] {
        let of = |figure: fn(&Done) -> f64| median(done.iter().map(figure).collect());
        table.row([
            name.to_owned(),
            format_optional(of(|done| f64::from(done.accepted) / done.seconds)),
            format_optional(of(|done| done.seconds)),
            format_optional(of(|done| done.written)),
            format_optional(done.iter().filter_map(|done| done.peak).reduce(f64::max)),
        ]);
    }
    table
}

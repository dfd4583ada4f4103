//! Measures the same orders with a team's database and with a local file as history, in turns.

use crate::{
    error::{BenchError, unexpected_result},
    machine::median,
    orders::ORDERS_PER_REQUEST,
    report::{Report, Table, format_number, format_optional},
    subject::Plant,
    submit::{
        engine,
        exchange::{SendRequest, SendResult},
        new_input, run_program,
    },
    team::cluster::Cluster,
};

/// The minimum rate with a team's database, as a share of the rate with a local file.
const MIN_RATE_SHARE: f64 = 0.7;

/// Measures in rounds, of which the first one warms up. Each round has a new database and a new file.
pub(crate) fn measure(cluster: &Cluster, items: u32, rounds: usize, report: &mut Report) -> Result<(), BenchError> {
    let plant = Plant::start("takt plant", &[])?;
    let own = new_input(&plant, items, items);
    let (mut file, mut shared) = (Vec::new(), Vec::new());
    for round in 0..=rounds {
        let through_file = send_and_reset(&plant, &own)?;
        let team = cluster.create_team()?;
        let through_team = send_and_reset(&plant, &SendRequest { team: Some(team.clone()), ..own.clone() })?;
        cluster.drop_database(&team)?;
        if round > 0 {
            file.push(through_file);
            shared.push(through_team);
        }
    }
    add_goals(&file, &shared, report);
    report.tables.push(rate_table(&file, &shared, &cluster.version()?));
    Ok(())
}

fn send_and_reset(plant: &Plant, input: &SendRequest) -> Result<SendResult, BenchError> {
    let done = run_program(engine::SENDING, input)?;
    plant.reset()?;
    if done.accepted == input.items {
        return Ok(done);
    }
    Err(unexpected_result(engine::SENDING, &format!("not all of {} orders: {done:?}", input.items)))
}

fn add_goals(file: &[SendResult], shared: &[SendResult], report: &mut Report) {
    let orders = format_number(file.first().map_or(0, |done| done.accepted).into());
    let what = format!("orders sent per second through PostgreSQL ÷ through a file of one's own, {orders} orders");
    let times =
        |of: fn(&SendResult) -> f64| median(file.iter().zip(shared).map(|(file, team)| of(file) / of(team)).collect());
    report.at_least(&what, MIN_RATE_SHARE, times(|done| done.seconds), "");
    report.at_least(&format!("{what}, writing down before included"), MIN_RATE_SHARE, times(total_seconds), "");
}

fn total_seconds(done: &SendResult) -> f64 {
    done.written + done.seconds
}

fn rate_table(file: &[SendResult], shared: &[SendResult], version: &str) -> Table {
    let orders = format_number(file.first().map_or(0, |done| done.accepted).into());
    let title = format!(
        "{orders} new work orders in requests of {ORDERS_PER_REQUEST}, at most 8 on their way, by the history they go through"
    );
    let columns = ["", "orders/s", "seconds", "writing down before, seconds", "peak MB of the process that sends"];
    let mut table = Table::new(&title, &columns);
    let server = format!("a team's PostgreSQL {version} on 127.0.0.1, fsync on");
    for (name, done) in [("a file of one's own (SQLite)", file), (&server, shared)] {
        let of = |figure: fn(&SendResult) -> f64| median(done.iter().map(figure).collect());
        table.add_row([
            name.to_owned(),
            format_optional(of(|done| f64::from(done.accepted) / done.seconds)),
            format_optional(of(|done| done.seconds)),
            format_optional(of(|done| done.written)),
            format_optional(done.iter().filter_map(|done| done.peak).reduce(f64::max)),
        ]);
    }
    table
}

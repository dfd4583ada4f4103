//! The commands, one module each, and their dispatch.

mod answers;
mod approve;
mod cells;
mod check;
mod contract;
mod contract_differences;
mod contract_set;
mod decide;
mod events;
mod floor;
mod forward;
mod generate;
mod graphql;
mod guide;
mod history;
mod import;
mod list;
mod listen;
mod open;
mod operations;
mod order;
mod plan_progress;
mod plant;
mod preview;
mod rehearsal;
mod replay;
mod resume;
mod retry;
mod row_claims;
mod sign_in;
mod site;
mod steps;
mod storage;
mod sync;
mod team;
mod template;
mod templates;
mod undo;
mod update;
mod vault;
mod watch;

use crate::{
    arguments::{Arguments, Command, UpdateCommand},
    console::Console,
    exit_codes::{ExitStatus, Failure},
};

pub(crate) async fn run(arguments: Arguments, console: &Console) -> Result<ExitStatus, Failure> {
    let site = arguments.site.as_deref();
    match arguments.command {
        Command::Guide(arguments) => guide::run(&arguments, site, console),
        Command::Operations { assumptions, json } => operations::run(assumptions, json, site, console),
        Command::Contract { command } => contract::run(command, site, console).await,
        Command::Plant(arguments) => plant::run(arguments, console).await,
        Command::Site { command } => site::run(command, console).await,
        Command::Vault { command } => vault::run(&command, console),
        Command::Team { command } => team::run(command, site, console).await,
        Command::SignIn { no_browser, paste, transcript } => {
            let request = sign_in::SignInRequest { no_browser, paste, transcript };
            sign_in::sign_in(site, request, console).await
        }
        Command::SignOut => sign_in::sign_out(site, console).await,
        Command::Cells { file, sheet, text, json } => cells::run(&file, sheet.as_deref(), &text, json, console),
        Command::Check { import, to, save_mapping, report, offline, json } => {
            let request = check::CheckRequest { import, to, save_mapping, report, offline, json };
            check::run(&request, site, console).await
        }
        Command::Template { operation, out } => template::run(&operation, out, console),
        Command::Preview { import, to, json } => preview::run(&import, to.as_deref(), json, site, console).await,
        Command::Sync(arguments) => sync::run(&arguments, site, console).await,
        Command::Watch(arguments) => watch::run(&arguments, site, console).await,
        Command::Resume { submission, find_out, claimed, json } => {
            resume::run(submission, find_out, claimed, json, console).await
        }
        Command::Retry(arguments) => retry::run(&arguments, console).await,
        Command::Decide(arguments) => decide::run(&arguments, console).await,
        Command::Approve(arguments) => approve::run(&arguments, console).await,
        Command::Undo(arguments) => undo::run(&arguments, console).await,
        Command::History(arguments) => history::run(&arguments, site, console).await,
        Command::Handover(arguments) => history::save_handover(arguments, console),
        Command::Bundle(arguments) => history::save_bundle(arguments, console),
        Command::Storage(arguments) => storage::show(&arguments, console),
        Command::Purge(arguments) => storage::purge(&arguments, console),
        Command::Update { command: UpdateCommand::Check(arguments) } => update::check(&arguments, console).await,
        Command::Open { targets } => open::run(&targets, site, console).await,
        Command::Order { code, json } => order::run(&code, json, site, console).await,
        Command::Templates(arguments) => templates::run(&arguments, site, console).await,
        Command::List(arguments) => list::run(arguments, site, console).await,
        Command::Graphql(arguments) => graphql::run(arguments, site, console).await,
        Command::Listen(arguments) => listen::run(arguments, site, console).await,
        Command::Events(arguments) => events::run(arguments, site, console).await,
        Command::Floor { json } => floor::run(json, site, console).await,
        Command::Answers(arguments) => answers::run(arguments, site, console).await,
        Command::Replay(arguments) => replay::run(arguments, site, console).await,
        Command::Forward { command } => forward::run(command, site, console).await,
        Command::Generate { folder } => generate::run(&folder, console),
    }
}

//! `takt replay`: events that were received, sent once more to an address of one's choosing.

use takt_engine::{Canceller, Replay, Replayed};

use crate::{
    arguments::ReplayArguments,
    console::{Console, plain},
    ending::{Ending, Failure},
    session::{Interruption, engine_with_keychain},
};

pub(super) async fn run(arguments: ReplayArguments, console: &Console) -> Result<Ending, Failure> {
    // What is sent is signed with the site's secret, where there is one.
    let engine = engine_with_keychain(console)?;
    let replay = Replay { events: arguments.events, to: arguments.to, per_second: arguments.per_second };
    let mut interruption = Interruption::listen()?;
    let canceller = Canceller::new();
    let mut all: Vec<Replayed> = Vec::new();
    let interrupted = {
        let mut told = |replayed: Replayed| {
            tell(&replayed, arguments.json, console);
            all.push(replayed);
        };
        let mut sending = std::pin::pin!(engine.replay(&replay, &canceller, &mut told));
        tokio::select! {
            sent = &mut sending => {
                sent?;
                false
            }
            () = interruption.next() => {
                canceller.cancel();
                sending.await?;
                true
            }
        }
    };
    Ok(if interrupted { Ending::Interrupted } else { ending(&all) })
}

fn tell(replayed: &Replayed, as_json: bool, console: &Console) {
    if as_json {
        return console.json(replayed);
    }
    let status = replayed.status.map(|status| status.to_string()).unwrap_or_default();
    console.line(&plain(format!("#{}  {status}  {}", replayed.event, replayed.told).trim_end()));
}

fn ending(all: &[Replayed]) -> Ending {
    if all.iter().any(|one| one.status.is_none()) {
        Ending::Unreachable
    } else if all.iter().all(Replayed::taken) {
        Ending::Done
    } else {
        Ending::Rejected
    }
}

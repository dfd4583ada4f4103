//! `takt sign-in` and `takt sign-out`.

use takt_engine::VaultPlace;

use crate::{
    console::{Console, plain},
    ending::{Ending, Failure},
    session::{self, Interruption},
};

pub(super) async fn sign_in(site: Option<&str>, no_browser: bool, console: &Console) -> Result<Ending, Failure> {
    let Some(site) = site.filter(|site| !session::is_practice(Some(site))) else {
        console.remark("sign-in.practice", &[]);
        return Ok(Ending::Done);
    };
    let engine = session::engine_with_keychain(console)?;
    let mut interruption = Interruption::listen()?;
    let pending = engine.begin_sign_in(site).await?;
    let address = pending.address().to_owned();
    if no_browser {
        console.line(&address);
    } else {
        let opened = takt_engine::open_in_browser(&address);
        console.remark(if opened { "sign-in.opened" } else { "sign-in.no-browser" }, &[("address", address)]);
    }
    tokio::select! {
        outcome = pending.wait() => outcome?,
        () = interruption.next() => return Ok(Ending::Interrupted),
    }
    console.remark("sign-in.done", &[("site", plain(site))]);
    if engine.vault_place() == VaultPlace::Memory {
        console.remark("vault.memory", &[]);
    }
    Ok(Ending::Done)
}

pub(super) fn sign_out(site: Option<&str>, console: &Console) -> Result<Ending, Failure> {
    let Some(site) = site.filter(|site| !session::is_practice(Some(site))) else {
        console.remark("sign-in.practice", &[]);
        return Ok(Ending::Done);
    };
    session::engine_with_keychain(console)?.sign_out(site)?;
    console.remark("sign-out.done", &[("site", plain(site))]);
    Ok(Ending::Done)
}

//! Questions that only a person can answer, in native dialogs and in words of this side's own: a page that was taken over can
//! neither answer nor reword them.
//!
//! Owns when a person is asked: before rows or events go to an address that wasn't confirmed, before one is asked for updates, before
//! a team's database takes the history, and before a production site is treated as another kind. Who starts Takt can answer them all
//! beforehand (`TAKT_DIALOGS`: `accept` or `refuse`), for automation.

use std::{env, ffi::OsStr};

use takt_engine::{
    Problem,
    forward::TargetSettings,
    inbox::Destination,
    sites::{Site, SiteKind},
};
use tauri::{AppHandle, Runtime};

use crate::{dialogs, state::AppStateAccess};

const ANSWER: &str = "TAKT_DIALOGS";

/// Something that a person has to confirm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Question {
    /// Its text in the engine's language files, section `question`.
    key: &'static str,
    parameters: Vec<(&'static str, String)>,
}

/// Before a site is kept: where it is new, leads elsewhere now, or is a production site no more.
pub(crate) fn of_site(before: Option<&Site>, site: &Site) -> Vec<Question> {
    let mut questions = Vec::new();
    let named = |key, more: Vec<(&'static str, String)>| {
        let own = [("site", site.name.clone()), ("address", site.base_url.clone()), ("signIn", sign_in(site))];
        Question { key, parameters: own.into_iter().chain(more).collect() }
    };
    let Some(before) = before else { return vec![named("site-new", Vec::new())] };
    if (&before.base_url, sign_in(before)) != (&site.base_url, sign_in(site)) {
        let told = vec![("before", before.base_url.clone()), ("signInBefore", sign_in(before))];
        questions.push(named("site-address", told));
    }
    let way = |site: &Site| (site.proxy.clone(), site.ca_file.clone(), site.network.no_proxy);
    if way(before) != way(site) {
        let told = |text: &Option<String>| text.clone().unwrap_or_else(|| "–".to_owned());
        questions.push(named("site-way", vec![("proxy", told(&site.proxy)), ("certificates", told(&site.ca_file))]));
    }
    if before.kind == SiteKind::Production && site.kind != SiteKind::Production {
        questions.push(named("site-kind", Vec::new()));
    }
    questions
}

/// Every address of the identity provider that the settings name.
fn sign_in(site: &Site) -> String {
    let settings = &site.sign_in;
    let set = [&settings.authorize_address, &settings.token_address, &settings.revocation_address];
    let all = [site.auth_url.as_str()].into_iter().chain(set.into_iter().flatten().map(String::as_str));
    all.collect::<Vec<_>>().join(", ")
}

/// Before events go on to an address, or a test event with the target's secrets does; none where that is the address before.
pub(crate) fn of_target(site: &str, before: Option<&str>, settings: &TargetSettings) -> Option<Question> {
    let parameters = vec![("site", site.to_owned()), ("address", settings.address.clone())];
    (before != Some(&settings.address)).then_some(Question { key: "target", parameters })
}

/// Before events are sent once more to an address that was typed.
pub(crate) fn of_replay(to: &Destination, count: usize) -> Option<Question> {
    match to {
        Destination::Address { address, .. } => {
            let parameters = vec![("address", address.clone()), ("count", count.to_string())];
            Some(Question { key: "replay", parameters })
        }
        // It was confirmed when the target was made.
        Destination::Target { .. } => None,
    }
}

/// Before another update channel is asked: an address that nobody confirmed could be told things, or a share on the network
/// the person's sign-in to it.
pub(crate) fn of_update_channel(before: Option<&str>, channel: Option<&str>) -> Option<Question> {
    let channel = channel.map(str::trim).filter(|place| !place.is_empty() && before != Some(*place))?;
    Some(Question { key: "update-channel", parameters: vec![("channel", channel.to_owned())] })
}

/// Before a team's database is joined: it gets every row that is sent, and the history is another one then.
pub(crate) fn of_team(address: &str) -> Question {
    Question { key: "team-join", parameters: vec![("address", without_password(address))] }
}

/// The whole address, as what stands behind a comma or a `?` may name another host; only its password isn't shown. It is taken apart as the
/// driver does, at the first `@`, so that no host hides in a password.
fn without_password(address: &str) -> String {
    let (scheme, rest) = address.trim().split_once("://").unwrap_or_default();
    let (user, place) = rest.split_once('@').map_or((None, rest), |(user, place)| (user.split(':').next(), place));
    let (place, parameters) = place.split_once('?').unwrap_or((place, ""));
    let shown: Vec<_> = parameters.split('&').filter(|one| !one.is_empty() && !one.starts_with("password=")).collect();
    let (user, behind) = (user.map(|name| format!("{name}@")).unwrap_or_default(), shown.join("&"));
    format!("{scheme}://{user}{place}{}{behind}", if behind.is_empty() { "" } else { "?" })
}

/// Before another version of Takt takes the place of this one.
pub(crate) fn of_update(address: &str) -> Question {
    Question { key: "update-install", parameters: vec![("address", address.to_owned())] }
}

/// Asks one after the other.
///
/// # Errors
/// One of them was refused.
pub(crate) async fn ask<R: Runtime>(
    app: &AppHandle<R>,
    questions: impl IntoIterator<Item = Question>,
) -> Result<(), Problem> {
    for question in questions {
        let text = app.app_state().engine.words().question(question.key, &question.parameters);
        let confirmed = match answered(env::var_os(ANSWER).as_deref()) {
            Some(answer) => answer,
            None => dialogs::confirm(&text).await,
        };
        if !confirmed {
            return Err(Problem::in_the_way("not-confirmed"));
        }
    }
    Ok(())
}

/// What was answered beforehand. Any other word answers nothing.
fn answered(word: Option<&OsStr>) -> Option<bool> {
    match word?.to_str()? {
        "accept" => Some(true),
        "refuse" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use takt_engine::sites::{NetworkSettings, SignInSettings};

    use super::*;

    fn site() -> Site {
        Site {
            name: "Works".to_owned(),
            kind: SiteKind::Production,
            base_url: "https://works.example".to_owned(),
            auth_url: "https://sign.example".to_owned(),
            client_id: "takt".to_owned(),
            redirect_uris: Vec::new(),
            scope: String::new(),
            time_zone: "UTC".to_owned(),
            batch_size: None,
            proxy: None,
            ca_file: None,
            reserved_prefix: None,
            allow_http: false,
            sign_in: SignInSettings::default(),
            network: NetworkSettings::default(),
            rehearsal_of: None,
        }
    }

    fn keys(before: Option<&Site>, site: &Site) -> Vec<&'static str> {
        of_site(before, site).into_iter().map(|question| question.key).collect()
    }

    #[test]
    fn what_leads_elsewhere_is_asked_and_nothing_else() {
        let before = site();
        assert_eq!(keys(None, &site()), ["site-new"]);
        let same = Site { time_zone: "Europe/Berlin".to_owned(), batch_size: Some(7), ..site() };
        assert!(keys(Some(&before), &same).is_empty());
        let moved = |change: fn(&mut Site)| {
            let mut other = site();
            change(&mut other);
            keys(Some(&before), &other)
        };
        assert_eq!(moved(|site| site.base_url = "https://other.example".to_owned()), ["site-address"]);
        assert_eq!(moved(|site| site.auth_url = "https://other.example".to_owned()), ["site-address"]);
        let token = Some("https://other.example/token".to_owned());
        let settings = SignInSettings { token_address: token, ..SignInSettings::default() };
        assert_eq!(keys(Some(&before), &Site { sign_in: settings, ..site() }), ["site-address"]);
        assert_eq!(moved(|site| site.proxy = Some("http://proxy".to_owned())), ["site-way"]);
        assert_eq!(moved(|site| site.network.no_proxy = true), ["site-way"]);
        assert_eq!(moved(|site| site.ca_file = Some("/ca.pem".to_owned())), ["site-way"]);
        assert_eq!(moved(|site| site.kind = SiteKind::Test), ["site-kind"]);
        let test = Site { kind: SiteKind::Test, ..site() };
        assert!(keys(Some(&test), &before).is_empty(), "more is asked then, not less");
    }

    #[test]
    fn events_go_to_no_address_that_nobody_confirmed() {
        let settings = TargetSettings {
            name: "ERP".to_owned(),
            address: "https://erp.example".to_owned(),
            kinds: Vec::new(),
            headers: Vec::new(),
            secret: None,
            allow_http: false,
        };
        assert!(of_target("Works", None, &settings).is_some());
        assert!(of_target("Works", Some("https://other.example"), &settings).is_some());
        assert_eq!(of_target("Works", Some("https://erp.example"), &settings), None);
        assert!(of_replay(&Destination::Address { address: settings.address, allow_http: false }, 3).is_some());
        assert_eq!(of_replay(&Destination::Target { id: 1 }, 3), None);
    }

    #[test]
    fn no_update_channel_is_asked_that_nobody_confirmed() {
        let channel = "https://updates.example/takt.json";
        assert!(of_update_channel(None, Some(channel)).is_some());
        assert!(of_update_channel(Some("/srv/takt.json"), Some(channel)).is_some());
        assert_eq!(of_update_channel(Some(channel), Some(&format!(" {channel} "))), None);
        assert_eq!(of_update_channel(Some(channel), None), None);
    }

    #[test]
    fn a_teams_whole_address_is_asked_about_without_its_password() {
        let asked = |address: &str| of_team(address).parameters[0].1.clone();
        let plain = "postgres://anna@db.example:5432/takt";
        assert_eq!(asked(plain), plain);
        assert_eq!(asked(" postgres://anna:secret@db.example:5432/takt "), plain);
        let elsewhere = "postgres://anna:secret@db.example/takt?password=secret&host=other.example";
        assert_eq!(asked(elsewhere), "postgres://anna@db.example/takt?host=other.example");
        assert_eq!(asked("postgres://anna:x@other,@db.example/takt"), "postgres://anna@other,@db.example/takt");
        assert_eq!(asked("postgres://db.example/takt?user=anna"), "postgres://db.example/takt?user=anna");
    }

    #[test]
    fn only_two_words_answer_beforehand() {
        let answer = |word: &str| answered(Some(OsStr::new(word)));
        assert_eq!(
            (answer("accept"), answer("refuse"), answer("yes"), answered(None)),
            (Some(true), Some(false), None, None)
        );
    }
}

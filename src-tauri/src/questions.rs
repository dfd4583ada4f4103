//! Questions that only the user can answer. They are shown in native dialogs, so that a compromised page can neither
//! answer nor reword them.
//!
//! The user is asked before rows or events go to a new address, and before a production site becomes another kind. A
//! new update channel and a team's database need confirmation, too. For automation, `TAKT_DIALOGS` answers all
//! questions in advance with `accept` or `refuse`.

use std::{env, ffi::OsStr};

use takt_engine::{
    Problem,
    forward::TargetSettings,
    inbox::Destination,
    sites::{Site, SiteKind},
};
use tauri::{AppHandle, Runtime};

use crate::{
    dialogs::{self, DialogButtons},
    state::AppStateAccess,
};

const ANSWER_VARIABLE: &str = "TAKT_DIALOGS";

/// A question that the user must confirm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Question {
    /// The key of the text in the engine's language files, section `question`.
    key: &'static str,
    parameters: Vec<(&'static str, String)>,
}

/// Returns the questions before a site is saved. Confirmation is needed for a new site, for changed addresses or
/// network paths, and if a production site becomes another kind.
pub(crate) fn about_site(before: Option<&Site>, site: &Site) -> Vec<Question> {
    let mut questions = Vec::new();
    let question = |key, more: Vec<(&'static str, String)>| {
        let common =
            [("site", site.name.clone()), ("address", site.base_url.clone()), ("signIn", sign_in_addresses(site))];
        Question { key, parameters: common.into_iter().chain(more).collect() }
    };
    let Some(before) = before else { return vec![question("site-new", Vec::new())] };
    if (&before.base_url, sign_in_addresses(before)) != (&site.base_url, sign_in_addresses(site)) {
        let parameters = vec![("before", before.base_url.clone()), ("signInBefore", sign_in_addresses(before))];
        questions.push(question("site-address", parameters));
    }
    let network_path = |site: &Site| (site.proxy.clone(), site.ca_file.clone(), site.network.no_proxy);
    if network_path(before) != network_path(site) {
        let shown = |text: &Option<String>| text.clone().unwrap_or_else(|| "–".to_owned());
        questions
            .push(question("site-way", vec![("proxy", shown(&site.proxy)), ("certificates", shown(&site.ca_file))]));
    }
    if before.kind == SiteKind::Production && site.kind != SiteKind::Production {
        questions.push(question("site-kind", Vec::new()));
    }
    questions
}

/// Lists all addresses of the identity provider in the settings.
fn sign_in_addresses(site: &Site) -> String {
    let settings = &site.sign_in;
    let set = [&settings.authorize_address, &settings.token_address, &settings.revocation_address];
    let all = [site.auth_url.as_str()].into_iter().chain(set.into_iter().flatten().map(String::as_str));
    all.collect::<Vec<_>>().join(", ")
}

/// Returns the question before events go to a new address of a target, including test events. `None` if the address is
/// unchanged.
pub(crate) fn about_target(site: &str, before: Option<&str>, settings: &TargetSettings) -> Option<Question> {
    let parameters = vec![("site", site.to_owned()), ("address", settings.address.clone())];
    (before != Some(&settings.address)).then_some(Question { key: "target", parameters })
}

/// Returns the question before events are sent again to a typed address. Targets were confirmed when they were added.
pub(crate) fn about_replay(to: &Destination, count: usize) -> Option<Question> {
    match to {
        Destination::Address { address, .. } => {
            let parameters = vec![("address", address.clone()), ("count", count.to_string())];
            Some(Question { key: "replay", parameters })
        }
        // It was confirmed when the target was made.
        Destination::Target { .. } => None,
    }
}

/// Returns the question before a new update channel is used. An unconfirmed address could receive information, and an
/// unconfirmed network share the user's credentials.
pub(crate) fn about_update_channel(before: Option<&str>, channel: Option<&str>) -> Option<Question> {
    let channel = channel.map(str::trim).filter(|place| !place.is_empty() && before != Some(*place))?;
    Some(Question { key: "update-channel", parameters: vec![("channel", channel.to_owned())] })
}

/// Returns the question before a team's database is joined. It receives every row that is sent, and replaces the
/// history.
pub(crate) fn about_team(address: &str) -> Question {
    Question { key: "team-join", parameters: vec![("address", without_password(address))] }
}

/// Removes the password from a database address. The rest is shown completely, since text behind a comma or `?` can
/// name another host. The address is split at the first `@`, like in the driver, so that no host is hidden in a
/// password.
fn without_password(address: &str) -> String {
    let (scheme, rest) = address.trim().split_once("://").unwrap_or_default();
    let (user, location) =
        rest.split_once('@').map_or((None, rest), |(user, location)| (user.split(':').next(), location));
    let (location, parameters) = location.split_once('?').unwrap_or((location, ""));
    let shown: Vec<_> = parameters
        .split('&')
        .filter(|parameter| !parameter.is_empty() && !parameter.starts_with("password="))
        .collect();
    let (user, parameter_text) = (user.map(|name| format!("{name}@")).unwrap_or_default(), shown.join("&"));
    format!("{scheme}://{user}{location}{}{parameter_text}", if parameter_text.is_empty() { "" } else { "?" })
}

/// Returns the question before another version of Takt is installed.
pub(crate) fn about_update(address: &str) -> Question {
    Question { key: "update-install", parameters: vec![("address", address.to_owned())] }
}

/// Asks the questions in order, until one is refused.
///
/// # Errors
/// The user refused a question.
pub(crate) async fn ask<R: Runtime>(
    app: &AppHandle<R>,
    questions: impl IntoIterator<Item = Question>,
) -> Result<(), Problem> {
    for question in questions {
        let words = app.app_state().engine.words();
        let text = words.question_text(question.key, &question.parameters);
        let confirmed = match preset_answer(env::var_os(ANSWER_VARIABLE).as_deref()) {
            Some(answer) => answer,
            None => {
                let buttons = DialogButtons {
                    confirm: words.question_button(question.key),
                    cancel: words.question_button("cancel"),
                };
                dialogs::confirm(&text, &buttons).await
            }
        };
        if !confirmed {
            return Err(Problem::obstacle("not-confirmed"));
        }
    }
    Ok(())
}

/// Returns the answer from `TAKT_DIALOGS`, or `None` for unknown words.
fn preset_answer(word: Option<&OsStr>) -> Option<bool> {
    match word?.to_str()? {
        "accept" => Some(true),
        "refuse" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use takt_engine::{
        Language, Words,
        sites::{NetworkSettings, SignInSettings},
    };

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
        about_site(before, site).into_iter().map(|question| question.key).collect()
    }

    #[test]
    fn each_question_has_a_button_with_a_verb_in_each_language() {
        let keys = [
            "site-new",
            "site-address",
            "site-way",
            "site-kind",
            "target",
            "replay",
            "update-channel",
            "update-install",
            "team-join",
            "cancel",
        ];
        for language in Language::ALL {
            let words = Words::load(language);
            for key in keys {
                let button = words.question_button(key);
                assert!(!button.is_empty() && !button.contains(key), "{language:?}: {key}");
            }
        }
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
        assert!(about_target("Works", None, &settings).is_some());
        assert!(about_target("Works", Some("https://other.example"), &settings).is_some());
        assert_eq!(about_target("Works", Some("https://erp.example"), &settings), None);
        assert!(about_replay(&Destination::Address { address: settings.address, allow_http: false }, 3).is_some());
        assert_eq!(about_replay(&Destination::Target { id: 1 }, 3), None);
    }

    #[test]
    fn no_update_channel_is_asked_that_nobody_confirmed() {
        let channel = "https://updates.example/takt.json";
        assert!(about_update_channel(None, Some(channel)).is_some());
        assert!(about_update_channel(Some("/srv/takt.json"), Some(channel)).is_some());
        assert_eq!(about_update_channel(Some(channel), Some(&format!(" {channel} "))), None);
        assert_eq!(about_update_channel(Some(channel), None), None);
    }

    #[test]
    fn a_teams_whole_address_is_asked_about_without_its_password() {
        let asked = |address: &str| about_team(address).parameters[0].1.clone();
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
        let answer = |word: &str| preset_answer(Some(OsStr::new(word)));
        assert_eq!(
            (answer("accept"), answer("refuse"), answer("yes"), preset_answer(None)),
            (Some(true), Some(false), None, None)
        );
    }
}

//! Codes, tokens and their families. A family is everything that grew from one sign-in: when something of it is used
//! twice that may be used once, somebody else has it too, and the whole family ends.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};

use crate::{identity::TokenPair, user::User};

/// How long a refresh token lives.
const REFRESH_LIFETIME: SignedDuration = SignedDuration::from_hours(24 * 30);
/// Beyond so many, the ended ones are forgotten.
const KEPT: usize = 20_000;

/// What a person granted on the sign-in page.
#[derive(Clone)]
pub(super) struct Code {
    pub(super) user: User,
    pub(super) scope: String,
    pub(super) redirect_uri: String,
    pub(super) challenge: Option<String>,
    pub(super) expires: Timestamp,
}

struct KeptCode {
    code: Code,
    /// The family that grew from it, once it was used.
    family: Option<u64>,
    used: bool,
}

/// What an access token stands for.
#[derive(Clone)]
pub(crate) struct Access {
    pub(crate) user: User,
    pub(crate) scope: String,
    family: u64,
    expires: Timestamp,
}

struct Refresh {
    user: User,
    scope: String,
    family: u64,
    expires: Timestamp,
    used: bool,
}

/// Why an access token isn't good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    Unknown,
    Expired,
}

/// A refresh token that may be exchanged: what its successor inherits.
pub(super) struct Heir {
    pub(super) user: User,
    pub(super) scope: String,
    family: u64,
}

/// Everything that was granted and is remembered.
#[derive(Default)]
pub(super) struct Grants {
    codes: HashMap<String, KeptCode>,
    access: HashMap<String, Access>,
    refresh: HashMap<String, Refresh>,
    families: u64,
}

impl Grants {
    pub(super) fn keep_code(&mut self, text: String, code: Code, now: Timestamp) {
        if self.codes.len() >= KEPT {
            self.codes.retain(|_, kept| kept.code.expires > now);
        }
        self.codes.insert(text, KeptCode { code, family: None, used: false });
    }

    /// Uses a code up. A second use ends the family that grew from the first.
    pub(super) fn use_code(&mut self, text: &str, now: Timestamp) -> Option<Code> {
        let kept = self.codes.get_mut(text)?;
        if kept.used {
            if let Some(family) = kept.family {
                self.end_family(family);
            }
            return None;
        }
        kept.used = true;
        (kept.code.expires > now).then(|| kept.code.clone())
    }

    /// Remembers which family grew from a code.
    pub(super) fn code_became(&mut self, text: &str, pair: &TokenPair) {
        let family = self.access.get(&pair.access_token).map(|access| access.family);
        if let Some(kept) = self.codes.get_mut(text) {
            kept.family = family;
        }
    }

    pub(super) fn start(&mut self, user: User, pair: &TokenPair, now: Timestamp, expires: Timestamp) {
        self.families += 1;
        let heir = Heir { user, scope: pair.scope.clone(), family: self.families };
        self.grow(heir, pair, now, expires);
    }

    /// Adds a pair to its family.
    pub(super) fn grow(&mut self, heir: Heir, pair: &TokenPair, now: Timestamp, expires: Timestamp) {
        self.forget_ended(now);
        let Heir { user, scope, family } = heir;
        if let Some(text) = &pair.refresh_token {
            let expires = now.saturating_add(REFRESH_LIFETIME).unwrap_or(Timestamp::MAX);
            let refresh = Refresh { user, scope: scope.clone(), family, expires, used: false };
            self.refresh.insert(text.clone(), refresh);
        }
        self.access.insert(pair.access_token.clone(), Access { user, scope, family, expires });
    }

    /// Uses a refresh token up. A second use ends its family.
    pub(super) fn use_refresh(&mut self, text: &str, now: Timestamp) -> Option<Heir> {
        let refresh = self.refresh.get_mut(text)?;
        let heir = Heir { user: refresh.user, scope: refresh.scope.clone(), family: refresh.family };
        if refresh.used {
            self.end_family(heir.family);
            return None;
        }
        refresh.used = true;
        (refresh.expires > now).then_some(heir)
    }

    pub(super) fn check(&self, text: &str, now: Timestamp) -> Result<Access, Refusal> {
        let access = self.access.get(text).ok_or(Refusal::Unknown)?;
        if access.expires <= now { Err(Refusal::Expired) } else { Ok(access.clone()) }
    }

    pub(super) fn expire(&mut self, text: &str) {
        if let Some(access) = self.access.get_mut(text) {
            access.expires = Timestamp::MIN;
        }
    }

    pub(super) fn revoke_refresh(&mut self, access_token: &str) {
        if let Some(family) = self.access.get(access_token).map(|access| access.family) {
            self.refresh.retain(|_, refresh| refresh.family != family);
        }
    }

    /// Ends the family of a refresh token.
    pub(super) fn revoke_family_of(&mut self, refresh_token: &str) {
        if let Some(family) = self.refresh.get(refresh_token).map(|refresh| refresh.family) {
            self.end_family(family);
        }
    }

    fn end_family(&mut self, family: u64) {
        self.access.retain(|_, access| access.family != family);
        self.refresh.retain(|_, refresh| refresh.family != family);
    }

    fn forget_ended(&mut self, now: Timestamp) {
        if self.access.len() >= KEPT {
            self.access.retain(|_, access| access.expires > now);
        }
        if self.refresh.len() >= KEPT {
            self.refresh.retain(|_, refresh| refresh.expires > now && !refresh.used);
        }
    }
}

//! Codes, tokens and their families. A family is everything that grew from one sign-in: when something of it is used
//! twice that may be used once, somebody else has it too, and the whole family ends.

use std::{
    collections::{HashMap, HashSet},
    fmt,
};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{secret, user::User};

/// How long a refresh token lives.
const REFRESH_LIFETIME: SignedDuration = SignedDuration::from_hours(24 * 30);
/// Beyond so many, the ended ones are forgotten.
const KEPT: usize = 20_000;

/// Access and refresh token as the token address answers them.
#[derive(Clone, serde::Serialize)]
pub struct TokenPair {
    pub access_token: String,
    pub token_type: &'static str,
    /// Seconds.
    pub expires_in: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh_token: Option<String>,
    pub scope: String,
}

impl fmt::Debug for TokenPair {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("TokenPair").field("expires_in", &self.expires_in).finish_non_exhaustive()
    }
}

/// What stands for a token or a code, which themselves are never held: the SHA-256 of its text.
pub(crate) type Digest = [u8; 32];

/// A token whose grant changed, came or went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Touched {
    Access(Digest),
    Refresh(Digest),
}

/// What a person granted on the sign-in page.
#[derive(Clone)]
pub(crate) struct Code {
    pub(crate) user: User,
    pub(crate) scope: String,
    pub(crate) redirect_uri: String,
    pub(crate) challenge: Option<String>,
    pub(crate) expires: Timestamp,
}

struct StoredCode {
    code: Code,
    /// The family that grew from it, once it was used.
    family: Option<i64>,
    used: bool,
}

/// What an access token stands for.
#[derive(Clone)]
pub(crate) struct Access {
    pub(crate) user: User,
    pub(crate) scope: String,
    pub(crate) family: i64,
    pub(crate) expires: Timestamp,
}

/// What a refresh token stands for.
pub(crate) struct Refresh {
    pub(crate) user: User,
    pub(crate) scope: String,
    pub(crate) family: i64,
    pub(crate) expires: Timestamp,
    pub(crate) used: bool,
}

/// What is to expire before its time.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct Expire {
    pub(crate) codes: bool,
    pub(crate) access_tokens: bool,
    pub(crate) refresh_tokens: bool,
}

/// How much of each expired.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Expired {
    codes: usize,
    access_tokens: usize,
    refresh_tokens: usize,
}

/// Why an access token isn't good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    Unknown,
    Expired,
}

/// A refresh token that may be exchanged: what its successor inherits.
pub(crate) struct Heir {
    pub(crate) user: User,
    pub(crate) scope: String,
    family: i64,
}

/// Everything that was granted and is remembered.
#[derive(Default)]
pub(crate) struct Grants {
    codes: HashMap<Digest, StoredCode>,
    access: HashMap<Digest, Access>,
    refresh: HashMap<Digest, Refresh>,
    families: i64,
    touched: HashSet<Touched>,
}

impl Grants {
    pub(crate) fn store_code(&mut self, text: &str, code: Code, now: Timestamp) {
        if self.codes.len() >= KEPT {
            self.codes.retain(|_, kept| kept.code.expires > now);
        }
        self.codes.insert(secret::digest(text), StoredCode { code, family: None, used: false });
    }

    /// Uses a code up. A second use ends the family that grew from the first.
    pub(crate) fn use_code(&mut self, text: &str, now: Timestamp) -> Option<Code> {
        let kept = self.codes.get_mut(&secret::digest(text))?;
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
    pub(crate) fn code_became(&mut self, text: &str, pair: &TokenPair) {
        let family = self.access.get(&secret::digest(&pair.access_token)).map(|access| access.family);
        if let Some(kept) = self.codes.get_mut(&secret::digest(text)) {
            kept.family = family;
        }
    }

    pub(crate) fn start(&mut self, user: User, pair: &TokenPair, now: Timestamp, expires: Timestamp) {
        self.families += 1;
        let heir = Heir { user, scope: pair.scope.clone(), family: self.families };
        self.grow(heir, pair, now, expires);
    }

    /// Adds a pair to its family. Its refresh token keeps the scope of the sign-in; its access token may have less.
    pub(crate) fn grow(&mut self, heir: Heir, pair: &TokenPair, now: Timestamp, expires: Timestamp) {
        self.forget_ended(now);
        let Heir { user, scope, family } = heir;
        if let Some(text) = &pair.refresh_token {
            let digest = secret::digest(text);
            let expires = now.saturating_add(REFRESH_LIFETIME).unwrap_or(Timestamp::MAX);
            self.refresh.insert(digest, Refresh { user, scope, family, expires, used: false });
            self.touched.insert(Touched::Refresh(digest));
        }
        let scope = pair.scope.clone();
        let digest = secret::digest(&pair.access_token);
        self.access.insert(digest, Access { user, scope, family, expires });
        self.touched.insert(Touched::Access(digest));
    }

    /// Uses a refresh token up. A second use ends its family.
    pub(crate) fn use_refresh(&mut self, text: &str, now: Timestamp) -> Option<Heir> {
        let digest = secret::digest(text);
        let refresh = self.refresh.get_mut(&digest)?;
        let heir = Heir { user: refresh.user, scope: refresh.scope.clone(), family: refresh.family };
        if refresh.used {
            self.end_family(heir.family);
            return None;
        }
        refresh.used = true;
        self.touched.insert(Touched::Refresh(digest));
        (refresh.expires > now).then_some(heir)
    }

    pub(crate) fn check(&self, text: &str, now: Timestamp) -> Result<Access, Refusal> {
        let access = self.access.get(&secret::digest(text)).ok_or(Refusal::Unknown)?;
        if access.expires <= now { Err(Refusal::Expired) } else { Ok(access.clone()) }
    }

    pub(crate) fn expire(&mut self, text: &str) {
        let digest = secret::digest(text);
        if let Some(access) = self.access.get_mut(&digest) {
            access.expires = Timestamp::MIN;
            self.touched.insert(Touched::Access(digest));
        }
    }

    pub(crate) fn revoke_refresh(&mut self, access_token: &str) {
        let family = self.access.get(&secret::digest(access_token)).map(|access| access.family);
        if let Some(family) = family {
            self.forget_refresh(|refresh| refresh.family == family);
        }
    }

    /// What was granted together with a refresh token.
    pub(crate) fn scope_of(&self, refresh_token: &str) -> Option<&str> {
        self.refresh.get(&secret::digest(refresh_token)).map(|refresh| refresh.scope.as_str())
    }

    /// Ends a token: an access token alone, a refresh token with everything of its family.
    pub(crate) fn revoke(&mut self, token: &str) {
        let digest = secret::digest(token);
        if self.access.remove(&digest).is_some() {
            self.touched.insert(Touched::Access(digest));
        }
        self.revoke_family_of(token);
    }

    /// Ends the family of a refresh token.
    pub(crate) fn revoke_family_of(&mut self, refresh_token: &str) {
        let family = self.refresh.get(&secret::digest(refresh_token)).map(|refresh| refresh.family);
        if let Some(family) = family {
            self.end_family(family);
        }
    }

    /// Lets what is named expire at this moment; says how much of each did.
    pub(crate) fn expire_all(&mut self, which: Expire, now: Timestamp) -> Expired {
        let mut expired = Expired::default();
        let codes = self.codes.values_mut().filter(|kept| which.codes && !kept.used && kept.code.expires > now);
        for kept in codes {
            kept.code.expires = now;
            expired.codes += 1;
        }
        let access = self.access.iter_mut().filter(|(_, access)| which.access_tokens && access.expires > now);
        for (digest, access) in access {
            access.expires = now;
            self.touched.insert(Touched::Access(*digest));
            expired.access_tokens += 1;
        }
        let live = |refresh: &Refresh| which.refresh_tokens && !refresh.used && refresh.expires > now;
        for (digest, refresh) in self.refresh.iter_mut().filter(|(_, refresh)| live(refresh)) {
            refresh.expires = now;
            self.touched.insert(Touched::Refresh(*digest));
            expired.refresh_tokens += 1;
        }
        expired
    }

    fn end_family(&mut self, family: i64) {
        self.forget_access(|access| access.family == family);
        self.forget_refresh(|refresh| refresh.family == family);
    }

    fn forget_ended(&mut self, now: Timestamp) {
        if self.access.len() >= KEPT {
            self.forget_access(|access| access.expires <= now);
        }
        if self.refresh.len() >= KEPT {
            self.forget_refresh(|refresh| refresh.expires <= now || refresh.used);
        }
    }

    fn forget_access(&mut self, ended: impl Fn(&Access) -> bool) {
        let gone = self.access.extract_if(|_, access| ended(access));
        self.touched.extend(gone.map(|(digest, _)| Touched::Access(digest)));
    }

    fn forget_refresh(&mut self, ended: impl Fn(&Refresh) -> bool) {
        let gone = self.refresh.extract_if(|_, refresh| ended(refresh));
        self.touched.extend(gone.map(|(digest, _)| Touched::Refresh(digest)));
    }
}

/// For whoever keeps the grants.
impl Grants {
    pub(crate) fn access(&self, digest: &Digest) -> Option<&Access> {
        self.access.get(digest)
    }

    pub(crate) fn refresh(&self, digest: &Digest) -> Option<&Refresh> {
        self.refresh.get(digest)
    }

    pub(crate) fn load_access(&mut self, digest: Digest, access: Access) {
        self.families = self.families.max(access.family);
        self.access.insert(digest, access);
    }

    pub(crate) fn load_refresh(&mut self, digest: Digest, refresh: Refresh) {
        self.families = self.families.max(refresh.family);
        self.refresh.insert(digest, refresh);
    }

    /// What was touched since this was last asked.
    pub(crate) fn take_touched(&mut self) -> Vec<Touched> {
        self.touched.drain().collect()
    }

    pub(crate) fn touch_again(&mut self, touched: Vec<Touched>) {
        self.touched.extend(touched);
    }
}

//! Authorization codes, tokens and their families.
//!
//! A family contains all tokens of one sign-in. A second use of a code or refresh token indicates a leak, so it ends
//! the family.

use std::{
    collections::{HashMap, HashSet},
    fmt,
};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{secret, user::User};

const REFRESH_LIFETIME: SignedDuration = SignedDuration::from_hours(24 * 30);
/// The number of grants at which expired codes and ended grants are removed.
const MAX_GRANTS: usize = 20_000;

/// An access token and possibly a refresh token, as returned by the token endpoint.
#[derive(Clone, serde::Serialize)]
pub struct TokenPair {
    pub access_token: String,
    pub token_type: &'static str,
    /// In seconds.
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

/// The SHA-256 of a token or code. The tokens and codes aren't stored.
pub(crate) type Digest = [u8; 32];

/// A token whose grant was added, changed or removed since the last save.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ChangedGrant {
    Access(Digest),
    Refresh(Digest),
}

/// The sign-in for which a code was issued.
#[derive(Clone)]
pub(crate) struct CodeGrant {
    pub(crate) user: User,
    pub(crate) scope: String,
    pub(crate) redirect_uri: String,
    pub(crate) challenge: Option<String>,
    pub(crate) expires: Timestamp,
}

struct StoredCode {
    code: CodeGrant,
    /// The family of the tokens issued for the code. None until the code is used.
    family: Option<i64>,
    is_used: bool,
}

/// The user and scope of an access token.
#[derive(Clone)]
pub(crate) struct AccessGrant {
    pub(crate) user: User,
    pub(crate) scope: String,
    pub(crate) family: i64,
    pub(crate) expires: Timestamp,
}

/// The user and scope of a refresh token.
pub(crate) struct RefreshGrant {
    pub(crate) user: User,
    pub(crate) scope: String,
    pub(crate) family: i64,
    pub(crate) expires: Timestamp,
    pub(crate) is_used: bool,
}

/// The grants that are to expire at once.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct ExpireSelection {
    pub(crate) codes: bool,
    pub(crate) access_tokens: bool,
    pub(crate) refresh_tokens: bool,
}

/// The number of grants that expired, by kind.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExpiredCounts {
    codes: usize,
    access_tokens: usize,
    refresh_tokens: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenRefusal {
    Unknown,
    Expired,
}

/// The grant that a refresh token passes on to the next one.
pub(crate) struct InheritedGrant {
    pub(crate) user: User,
    pub(crate) scope: String,
    family: i64,
}

#[derive(Default)]
pub(crate) struct Grants {
    codes: HashMap<Digest, StoredCode>,
    access: HashMap<Digest, AccessGrant>,
    refresh: HashMap<Digest, RefreshGrant>,
    families: i64,
    changed: HashSet<ChangedGrant>,
}

impl Grants {
    pub(crate) fn store_code(&mut self, text: &str, code: CodeGrant, now: Timestamp) {
        if self.codes.len() >= MAX_GRANTS {
            self.codes.retain(|_, stored| stored.code.expires > now);
        }
        self.codes.insert(secret::digest(text), StoredCode { code, family: None, is_used: false });
    }

    /// Marks a code as used and returns its grant. A second use ends the family of the first.
    pub(crate) fn use_code(&mut self, text: &str, now: Timestamp) -> Option<CodeGrant> {
        let stored = self.codes.get_mut(&secret::digest(text))?;
        if stored.is_used {
            if let Some(family) = stored.family {
                self.end_family(family);
            }
            return None;
        }
        stored.is_used = true;
        (stored.code.expires > now).then(|| stored.code.clone())
    }

    /// Records the family of the tokens issued for a code.
    pub(crate) fn set_code_family(&mut self, text: &str, pair: &TokenPair) {
        let family = self.access.get(&secret::digest(&pair.access_token)).map(|access| access.family);
        if let Some(stored) = self.codes.get_mut(&secret::digest(text)) {
            stored.family = family;
        }
    }

    pub(crate) fn start_family(&mut self, user: User, pair: &TokenPair, now: Timestamp, expires: Timestamp) {
        self.families += 1;
        let inherited = InheritedGrant { user, scope: pair.scope.clone(), family: self.families };
        self.add_pair(inherited, pair, now, expires);
    }

    /// Adds tokens to a family. The refresh token has the scope of the sign-in. The scope of the access token may be
    /// smaller.
    pub(crate) fn add_pair(&mut self, inherited: InheritedGrant, pair: &TokenPair, now: Timestamp, expires: Timestamp) {
        self.remove_ended(now);
        let InheritedGrant { user, scope, family } = inherited;
        if let Some(text) = &pair.refresh_token {
            let digest = secret::digest(text);
            let expires = now.saturating_add(REFRESH_LIFETIME).unwrap_or(Timestamp::MAX);
            self.refresh.insert(digest, RefreshGrant { user, scope, family, expires, is_used: false });
            self.changed.insert(ChangedGrant::Refresh(digest));
        }
        let scope = pair.scope.clone();
        let digest = secret::digest(&pair.access_token);
        self.access.insert(digest, AccessGrant { user, scope, family, expires });
        self.changed.insert(ChangedGrant::Access(digest));
    }

    /// Marks a refresh token as used and returns its grant. A second use ends its family.
    pub(crate) fn use_refresh_token(&mut self, text: &str, now: Timestamp) -> Option<InheritedGrant> {
        let digest = secret::digest(text);
        let refresh = self.refresh.get_mut(&digest)?;
        let inherited = InheritedGrant { user: refresh.user, scope: refresh.scope.clone(), family: refresh.family };
        if refresh.is_used {
            self.end_family(inherited.family);
            return None;
        }
        refresh.is_used = true;
        self.changed.insert(ChangedGrant::Refresh(digest));
        (refresh.expires > now).then_some(inherited)
    }

    pub(crate) fn check_access_token(&self, text: &str, now: Timestamp) -> Result<AccessGrant, TokenRefusal> {
        let access = self.access.get(&secret::digest(text)).ok_or(TokenRefusal::Unknown)?;
        if access.expires <= now { Err(TokenRefusal::Expired) } else { Ok(access.clone()) }
    }

    pub(crate) fn expire_access_token(&mut self, text: &str) {
        let digest = secret::digest(text);
        if let Some(access) = self.access.get_mut(&digest) {
            access.expires = Timestamp::MIN;
            self.changed.insert(ChangedGrant::Access(digest));
        }
    }

    pub(crate) fn revoke_refresh_tokens(&mut self, access_token: &str) {
        let family = self.access.get(&secret::digest(access_token)).map(|access| access.family);
        if let Some(family) = family {
            self.remove_refresh(|refresh| refresh.family == family);
        }
    }

    /// Returns the scope of the sign-in of a refresh token.
    pub(crate) fn granted_scope(&self, refresh_token: &str) -> Option<&str> {
        self.refresh.get(&secret::digest(refresh_token)).map(|refresh| refresh.scope.as_str())
    }

    /// Revokes a token. If it is a refresh token, its family ends.
    pub(crate) fn revoke_token(&mut self, token: &str) {
        let digest = secret::digest(token);
        if self.access.remove(&digest).is_some() {
            self.changed.insert(ChangedGrant::Access(digest));
        }
        self.revoke_family_of(token);
    }

    /// Ends the family of a refresh token. Does nothing for other tokens.
    pub(crate) fn revoke_family_of(&mut self, refresh_token: &str) {
        let family = self.refresh.get(&secret::digest(refresh_token)).map(|refresh| refresh.family);
        if let Some(family) = family {
            self.end_family(family);
        }
    }

    /// Expires the selected grants at once. Returns how many of each kind were still valid.
    pub(crate) fn expire_all(&mut self, which: ExpireSelection, now: Timestamp) -> ExpiredCounts {
        let mut expired = ExpiredCounts::default();
        let codes =
            self.codes.values_mut().filter(|stored| which.codes && !stored.is_used && stored.code.expires > now);
        for stored in codes {
            stored.code.expires = now;
            expired.codes += 1;
        }
        let access = self.access.iter_mut().filter(|(_, access)| which.access_tokens && access.expires > now);
        for (digest, access) in access {
            access.expires = now;
            self.changed.insert(ChangedGrant::Access(*digest));
            expired.access_tokens += 1;
        }
        let live = |refresh: &RefreshGrant| which.refresh_tokens && !refresh.is_used && refresh.expires > now;
        for (digest, refresh) in self.refresh.iter_mut().filter(|(_, refresh)| live(refresh)) {
            refresh.expires = now;
            self.changed.insert(ChangedGrant::Refresh(*digest));
            expired.refresh_tokens += 1;
        }
        expired
    }

    fn end_family(&mut self, family: i64) {
        self.remove_access(|access| access.family == family);
        self.remove_refresh(|refresh| refresh.family == family);
    }

    fn remove_ended(&mut self, now: Timestamp) {
        if self.access.len() >= MAX_GRANTS {
            self.remove_access(|access| access.expires <= now);
        }
        if self.refresh.len() >= MAX_GRANTS {
            self.remove_refresh(|refresh| refresh.expires <= now || refresh.is_used);
        }
    }

    fn remove_access(&mut self, ended: impl Fn(&AccessGrant) -> bool) {
        let gone = self.access.extract_if(|_, access| ended(access));
        self.changed.extend(gone.map(|(digest, _)| ChangedGrant::Access(digest)));
    }

    fn remove_refresh(&mut self, ended: impl Fn(&RefreshGrant) -> bool) {
        let gone = self.refresh.extract_if(|_, refresh| ended(refresh));
        self.changed.extend(gone.map(|(digest, _)| ChangedGrant::Refresh(digest)));
    }
}

/// Access for persistence.
impl Grants {
    pub(crate) fn access(&self, digest: &Digest) -> Option<&AccessGrant> {
        self.access.get(digest)
    }

    pub(crate) fn refresh(&self, digest: &Digest) -> Option<&RefreshGrant> {
        self.refresh.get(digest)
    }

    pub(crate) fn load_access(&mut self, digest: Digest, access: AccessGrant) {
        self.families = self.families.max(access.family);
        self.access.insert(digest, access);
    }

    pub(crate) fn load_refresh(&mut self, digest: Digest, refresh: RefreshGrant) {
        self.families = self.families.max(refresh.family);
        self.refresh.insert(digest, refresh);
    }

    /// Returns and clears the changed grants since the last call.
    pub(crate) fn take_changed(&mut self) -> Vec<ChangedGrant> {
        self.changed.drain().collect()
    }

    pub(crate) fn mark_changed(&mut self, changed: Vec<ChangedGrant>) {
        self.changed.extend(changed);
    }
}

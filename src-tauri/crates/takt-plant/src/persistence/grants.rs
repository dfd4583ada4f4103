//! Stores grants in the file, with digests of tokens instead of tokens.

use jiff::Timestamp;
use rusqlite::{Connection, params};

use crate::{
    PlantError,
    grants::{AccessGrant, ChangedGrant, Digest, Grants, RefreshGrant},
    user::User,
};

/// Saves grants that were added or changed, and deletes those that were removed.
pub(super) fn write_grants(
    connection: &Connection,
    grants: &Grants,
    changed: &[ChangedGrant],
) -> Result<(), PlantError> {
    for changed in changed {
        match changed {
            ChangedGrant::Access(digest) => write_access(connection, digest, grants.access(digest))?,
            ChangedGrant::Refresh(digest) => write_refresh(connection, digest, grants.refresh(digest))?,
        }
    }
    Ok(())
}

fn write_access(connection: &Connection, digest: &Digest, access: Option<&AccessGrant>) -> Result<(), PlantError> {
    let Some(access) = access else {
        connection.prepare_cached("DELETE FROM access WHERE digest = ?1")?.execute([digest])?;
        return Ok(());
    };
    let sql = "INSERT OR REPLACE INTO access (digest, user, scope, family, expires) VALUES (?1, ?2, ?3, ?4, ?5)";
    let expires = access.expires.as_microsecond();
    let values = params![digest, access.user.name(), access.scope, access.family, expires];
    connection.prepare_cached(sql)?.execute(values)?;
    Ok(())
}

fn write_refresh(connection: &Connection, digest: &Digest, refresh: Option<&RefreshGrant>) -> Result<(), PlantError> {
    let Some(refresh) = refresh else {
        connection.prepare_cached("DELETE FROM refresh WHERE digest = ?1")?.execute([digest])?;
        return Ok(());
    };
    let sql =
        "INSERT OR REPLACE INTO refresh (digest, user, scope, family, expires, used) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let expires = refresh.expires.as_microsecond();
    let values = params![digest, refresh.user.name(), refresh.scope, refresh.family, expires, refresh.is_used];
    connection.prepare_cached(sql)?.execute(values)?;
    Ok(())
}

pub(super) fn read_grants(connection: &Connection) -> Result<Grants, PlantError> {
    let mut grants = Grants::default();
    let mut statement = connection.prepare("SELECT digest, user, scope, family, expires FROM access")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let user = User::from_name(&row.get::<_, String>(1)?)?;
        let expires = to_timestamp(row.get(4)?)?;
        grants.load_access(row.get(0)?, AccessGrant { user, scope: row.get(2)?, family: row.get(3)?, expires });
    }
    let mut statement = connection.prepare("SELECT digest, user, scope, family, expires, used FROM refresh")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let user = User::from_name(&row.get::<_, String>(1)?)?;
        let expires = to_timestamp(row.get(4)?)?;
        let refresh = RefreshGrant { user, scope: row.get(2)?, family: row.get(3)?, expires, is_used: row.get(5)? };
        grants.load_refresh(row.get(0)?, refresh);
    }
    Ok(grants)
}

fn to_timestamp(microseconds: i64) -> Result<Timestamp, PlantError> {
    Ok(Timestamp::from_microsecond(microseconds)?)
}

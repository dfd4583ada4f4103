//! A document's paths relative to a site's base address.

use super::Document;

/// How an operation's path is appended to the site's address.
#[derive(Debug, Clone, Default)]
pub(super) enum SitePaths {
    /// After the server's path.
    #[default]
    WithServerPath,
    /// After the server's path, without this prefix, which the site's address already has.
    WithoutPrefix(String),
    /// Without the server's path: the site's address leads through a gateway and ends with it.
    WithoutServerPath,
}

impl Document {
    /// Sets the address at which the site is reached, directly or through a gateway. Paths then omit the part that the
    /// address already has.
    #[must_use]
    pub fn at(mut self, base_url: &str) -> Self {
        let base = path_of(base_url);
        let origin = origin_of(base_url);
        // A document often lists the servers of all installations.
        if let Some(index) = self.servers.iter().position(|server| origin.is_some() && origin_of(server) == origin) {
            self.servers.swap(0, index);
        }
        self.site_paths = self.site_paths(base);
        self
    }

    /// The path of the first server's address, without a slash at its end.
    #[must_use]
    pub fn base_path(&self) -> &str {
        self.servers.first().map_or("", |server| path_of(server))
    }

    /// Returns an operation's path relative to the site's address.
    #[must_use]
    pub fn path_at_site(&self, path: &str) -> String {
        let full_path = format!("{}{path}", self.base_path());
        match &self.site_paths {
            SitePaths::WithServerPath => full_path,
            SitePaths::WithoutPrefix(site) => strip_base(site, &full_path).map(str::to_owned).unwrap_or(full_path),
            SitePaths::WithoutServerPath => path.to_owned(),
        }
    }

    fn site_paths(&self, site: &str) -> SitePaths {
        let server = self.base_path();
        let is_below = |path: &str| strip_base(site, &format!("{server}{path}")).is_some();
        if site.is_empty() {
            SitePaths::WithServerPath
        } else if self.operations.iter().all(|operation| is_below(&operation.path)) {
            SitePaths::WithoutPrefix(site.to_owned())
        } else if !server.is_empty() && site.ends_with(server) {
            SitePaths::WithoutServerPath
        } else {
            SitePaths::WithServerPath
        }
    }
}

/// Returns the rest of a path below a base path.
fn strip_base<'a>(base: &str, path: &'a str) -> Option<&'a str> {
    path.strip_prefix(base).filter(|rest| rest.starts_with('/'))
}

/// Returns scheme and host of an absolute address.
fn origin_of(address: &str) -> Option<String> {
    let (scheme, rest) = address.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    Some(format!("{scheme}://{host}").to_lowercase())
}

fn path_of(address: &str) -> &str {
    let path = match address.split_once("://") {
        Some((_, rest)) => rest.find('/').and_then(|slash| rest.get(slash..)).unwrap_or_default(),
        None if address.starts_with('/') => address,
        None => "",
    };
    path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(servers: &str, base_url: &str) -> String {
        let text =
            format!("openapi: 3.0.1\nservers:\n{servers}paths:\n  /v1/items:\n    get:\n      responses: {{}}\n");
        Document::read(text.as_bytes()).unwrap().at(base_url).path_at_site("/v1/items")
    }

    #[test]
    fn a_path_is_asked_for_where_it_is() {
        for (server, base_url, expected) in [
            ("/mes", "https://mes.example", "/mes/v1/items"),
            ("/mes", "https://mes.example/mes/", "/v1/items"),
            ("/mes", "https://gateway.example/works/mes", "/v1/items"),
            ("/mes", "https://gateway.example/works", "/mes/v1/items"),
            ("/", "https://gateway.example/works", "/v1/items"),
            ("/", "https://mes.example/v1", "/items"),
            ("https://mes.example/mes/api", "https://mes.example/mes", "/api/v1/items"),
            ("/messages", "https://mes.example/mes", "/messages/v1/items"),
        ] {
            assert_eq!(path(&format!("  - url: {server}\n"), base_url), expected, "{server} at {base_url}");
        }
        let two = "  - url: https://test.example/t\n  - url: https://mes.example/p\n";
        assert_eq!(path(two, "https://MES.example"), "/p/v1/items");
    }
}

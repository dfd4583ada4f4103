//! Paths that Rust code takes from the root of its crate: what stands behind `crate::`, and behind as many `super::` as lead there.

/// A path from the root, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Path {
    /// Without `crate`; a tree of a `use` is one path for each of its leaves.
    pub(crate) parts: Vec<String>,
    /// 1-based.
    pub(crate) line: usize,
}

/// Code without comments, and without the module of its unit tests.
pub(crate) fn bare(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Every path from the root in bare code of a module that is `depth` modules below it.
pub(crate) fn from_root(code: &str, depth: usize) -> Vec<Path> {
    let up = "super::".repeat(depth);
    let starts = ["crate::", up.as_str()].into_iter().filter(|start| !start.is_empty());
    let mut found: Vec<Path> = starts.flat_map(|start| behind(code, start)).collect();
    found.sort_by_key(|path| path.line);
    found
}

fn behind(code: &str, start: &str) -> Vec<Path> {
    let mut paths = Vec::new();
    for (at, _) in code.match_indices(start) {
        let (before, after) = (code.get(..at).unwrap_or_default(), code.get(at + start.len()..).unwrap_or_default());
        let is_inside = before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':');
        if is_inside || after.starts_with("super::") {
            continue;
        }
        let line = before.matches('\n').count() + 1;
        paths.extend(leaves(after).into_iter().map(|parts| Path { parts, line }));
    }
    paths
}

/// `a::{b, c::d}` is `a::b` and `a::c::d`.
fn leaves(tree: &str) -> Vec<Vec<String>> {
    let mut stack: Vec<Vec<String>> = Vec::new();
    let (mut now, mut found): (Vec<String>, Vec<Vec<String>>) = (Vec::new(), Vec::new());
    let mut rest = tree;
    loop {
        rest = rest.trim_start();
        let length = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
        let (name, after) = rest.split_at(length);
        if !name.is_empty() {
            now.push(name.to_owned());
        }
        rest = after.trim_start();
        if let Some(after) = rest.strip_prefix("as ") {
            let alias = after.find([',', '}', ';']).unwrap_or(after.len());
            rest = after.get(alias..).unwrap_or_default();
        }
        let base = stack.last().map_or(0, Vec::len);
        match rest.chars().next() {
            Some(':') if rest.starts_with("::") => rest = rest.get(2..).unwrap_or_default(),
            Some('{') if name.is_empty() => {
                stack.push(now.clone());
                rest = rest.get(1..).unwrap_or_default();
            }
            Some(sign @ (',' | '}')) if !stack.is_empty() => {
                if now.len() > base {
                    found.push(now.clone());
                }
                if sign == '}' {
                    stack.pop();
                }
                now = stack.last().cloned().unwrap_or_default();
                if stack.is_empty() {
                    return found;
                }
                rest = rest.get(1..).unwrap_or_default();
            }
            _ if stack.is_empty() => {
                found.push(now);
                return found;
            }
            Some(sign) => rest = rest.get(sign.len_utf8()..).unwrap_or_default(),
            None => return found,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(code: &str, depth: usize) -> Vec<String> {
        from_root(&bare(code), depth)
            .into_iter()
            .map(|path| format!("{}:{}", path.line, path.parts.join("::")))
            .collect()
    }

    #[test]
    fn trees_are_taken_apart() {
        let code =
            "use std::fmt;\nuse crate::{a::{self, B}, c::d::E as F, G};\nfn f() { crate::h::i(); super::k::l() }\n";
        assert_eq!(texts(code, 1), ["2:a::self", "2:a::B", "2:c::d::E", "2:G", "3:h::i", "3:k::l"]);
    }

    #[test]
    fn only_as_many_steps_up_as_lead_to_the_root_count() {
        let code = "use super::a;\nuse super::super::b::C;\nuse super::super::super::d;\n";
        assert_eq!(texts(code, 2), ["2:b::C"]);
        assert_eq!(texts(code, 3), ["3:d"]);
    }

    #[test]
    fn comments_and_unit_tests_are_no_code() {
        let code = "// crate::a\nuse crate::b; // crate::c\n#[cfg(test)]\nmod tests {\n    use crate::d;\n}\n";
        assert_eq!(texts(code, 1), ["2:b"]);
    }
}

//! Parses Rust code with `syn`, and removes code for tests.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::{
    Attribute, File, ImplItem, Item, LitStr, Macro, Path, UseTree,
    visit::{self, Visit},
};

use crate::{error::XtaskError, tidy::tree::Text};

pub(crate) fn parse(text: &Text) -> Result<File, XtaskError> {
    let failed = |error: syn::Error| XtaskError::Answer { program: text.path.clone(), reason: error.to_string() };
    let mut file = syn::parse_file(&text.text).map_err(failed)?;
    drop_tests(&mut file.items);
    Ok(file)
}

fn drop_tests(items: &mut Vec<Item>) {
    items.retain(|item| !is_for_tests(attributes(item)));
    for item in items {
        match item {
            Item::Mod(module) => module.content.iter_mut().for_each(|(_, items)| drop_tests(items)),
            Item::Impl(block) => {
                block.items.retain(|item| !matches!(item, ImplItem::Fn(method) if is_for_tests(&method.attrs)));
            }
            _ => {}
        }
    }
}

/// Returns the attributes of an item, to find `#[cfg(test)]`. Empty for kinds of items that are never conditional.
fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    let is_test = |attribute: &Attribute| attribute.parse_args::<Path>().is_ok_and(|path| path.is_ident("test"));
    attributes.iter().any(|attribute| attribute.path().is_ident("cfg") && is_test(attribute))
}

pub(crate) fn line(span: Span) -> usize {
    span.start().line
}

/// Returns the leaves of a `use`. `a::{b, c as d}` has the leaves `a::b`, and `a::c` with the name `d`. A glob has no
/// name.
pub(crate) fn use_leaves(tree: &UseTree) -> Vec<UseLeaf> {
    let leaf = |part: String, name: Option<String>| UseLeaf { parts: vec![part], name };
    match tree {
        UseTree::Path(path) => {
            let mut found = use_leaves(&path.tree);
            found.iter_mut().for_each(|leaf| leaf.parts.insert(0, path.ident.to_string()));
            found
        }
        UseTree::Name(name) => vec![leaf(name.ident.to_string(), Some(name.ident.to_string()))],
        UseTree::Rename(rename) => vec![leaf(rename.ident.to_string(), Some(rename.rename.to_string()))],
        UseTree::Glob(_) => vec![leaf("*".to_owned(), None)],
        UseTree::Group(group) => group.items.iter().flat_map(use_leaves).collect(),
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UseLeaf {
    pub(crate) parts: Vec<String>,
    pub(crate) name: Option<String>,
}

/// Returns the string literals of a file with their lines, including those in macros.
pub(crate) fn strings(file: &File, attributes: Attributes) -> Vec<(usize, String)> {
    let mut visitor = Strings { attributes, found: Vec::new() };
    visitor.visit_file(file);
    visitor.found
}

/// Whether string literals in attributes, such as `#[arg(env = "NAME")]`, are included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attributes {
    Included,
    Excluded,
}

struct Strings {
    attributes: Attributes,
    found: Vec<(usize, String)>,
}

impl<'ast> Visit<'ast> for Strings {
    fn visit_lit_str(&mut self, literal: &'ast LitStr) {
        self.found.push((line(literal.span()), literal.value()));
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        // Log messages are for developers.
        if call.path.segments.first().is_none_or(|first| first.ident != "tracing") {
            self.found.extend(strings_in_tokens(&call.tokens));
        }
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if self.attributes == Attributes::Excluded {
            return;
        }
        match &attribute.meta {
            syn::Meta::List(list) => self.found.extend(strings_in_tokens(&list.tokens)),
            _ => visit::visit_attribute(self, attribute),
        }
    }
}

/// Returns the string literals among tokens with their lines, including nested groups.
pub(crate) fn strings_in_tokens(tokens: &TokenStream) -> Vec<(usize, String)> {
    let strings_of_token = |token: TokenTree| match token {
        TokenTree::Group(group) => strings_in_tokens(&group.stream()),
        TokenTree::Literal(literal) => {
            let text = syn::parse_str::<LitStr>(&literal.to_string());
            text.map(|text| (line(literal.span()), text.value())).into_iter().collect()
        }
        TokenTree::Ident(_) | TokenTree::Punct(_) => Vec::new(),
    };
    tokens.clone().into_iter().flat_map(strings_of_token).collect()
}

//! The SQL in the crate's sources: string literals that begin like a statement, with every possible text in their
//! placeholders.
//!
//! Placeholders are filled with constants and with the values of local variables of that name in the same file. The
//! test defines the rest.

use std::{
    collections::{BTreeSet, HashMap},
    fs,
    path::{Path, PathBuf},
};

use proc_macro2::{TokenStream, TokenTree};
use syn::{
    Attribute, Block, Expr, ExprLit, ItemConst, ItemFn, ItemMod, Lit, LitStr, Local, Macro, Pat, Stmt,
    visit::{self, Visit},
};

/// Separates file and name of a constant in another file: `file.rs#NAME`.
const FILE_SEPARATOR: char = '#';
const VERBS: [&str; 6] = ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "VALUES"];

/// A string literal, with its arguments if it is in `format!`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Text {
    literal: String,
    arguments: Vec<String>,
}

impl Text {
    fn plain(literal: impl Into<String>) -> Self {
        Self { literal: literal.into(), arguments: Vec::new() }
    }
}

/// The position of a literal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Position {
    pub(super) file: String,
    pub(super) line: usize,
}

/// Texts of placeholders by file and by name or expression. `*` means every file. The texts may contain placeholders
/// again.
pub(super) type PlaceholderTexts = HashMap<(&'static str, &'static str), Vec<String>>;

/// A literal that is a statement.
#[derive(Debug)]
pub(super) struct Literal {
    pub(super) position: Position,
    /// The texts between the placeholders.
    pub(super) pieces: Vec<String>,
    /// The statements with every text in their placeholders, or the name of an unknown placeholder.
    pub(super) statements: Result<Vec<String>, String>,
}

/// The string literals of the sources, and the texts of constants and variables.
#[derive(Debug, Default)]
pub(super) struct Sources {
    literals: Vec<(Position, Text)>,
    /// The texts of constants and variables, by file and name.
    values: HashMap<(String, String), Vec<Text>>,
    /// Constants by name alone, with their files.
    constants: HashMap<String, BTreeSet<String>>,
}

impl Sources {
    /// Reads all sources of the crate, except code that only tests compile.
    pub(super) fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut sources = Self::default();
        for path in source_files(&root) {
            let name = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
            if !name.starts_with("statements") {
                let file = syn::parse_file(&fs::read_to_string(&path).unwrap()).unwrap();
                Reader { sources: &mut sources, file: name }.visit_file(&file);
            }
        }
        sources
    }

    /// Returns every literal that is a statement.
    pub(super) fn statements(&self, placeholder_texts: &PlaceholderTexts) -> Vec<Literal> {
        let all = self.literals.iter().filter_map(|(position, text)| {
            let statements = self.variants(&position.file, text, &mut Vec::new(), placeholder_texts);
            let begins = |text: &str| VERBS.iter().any(|verb| text.trim_start().starts_with(&format!("{verb} ")));
            let is_statement = begins(&text.literal)
                || statements.as_ref().is_ok_and(|found| found.iter().any(|statement| begins(statement)));
            let pieces = split_placeholders(text).into_iter().filter_map(|piece| match piece {
                Piece::Text(text) => Some(text),
                Piece::Placeholder(_) => None,
            });
            is_statement.then(|| Literal { position: position.clone(), pieces: pieces.collect(), statements })
        });
        all.collect()
    }

    /// Returns the literal with every text in its placeholders. `names_being_filled` lists the names in whose texts the
    /// literal occurs.
    fn variants(
        &self,
        file: &str,
        text: &Text,
        names_being_filled: &mut Vec<String>,
        placeholder_texts: &PlaceholderTexts,
    ) -> Result<Vec<String>, String> {
        let mut variants = vec![String::new()];
        for piece in split_placeholders(text) {
            let texts = match piece {
                Piece::Text(text) => vec![text],
                Piece::Placeholder(name) => self.texts_for(file, &name, names_being_filled, placeholder_texts)?,
            };
            variants =
                variants.iter().flat_map(|begun| texts.iter().map(move |text| format!("{begun}{text}"))).collect();
        }
        Ok(variants)
    }

    fn texts_for(
        &self,
        file: &str,
        name: &str,
        names_being_filled: &mut Vec<String>,
        placeholder_texts: &PlaceholderTexts,
    ) -> Result<Vec<String>, String> {
        let defined = placeholder_texts.iter().find(|((scope, expression), _)| {
            (*scope == file || *scope == "*")
                && (*expression == name || expression.strip_suffix('…').is_some_and(|begin| name.starts_with(begin)))
        });
        let own = (file.to_owned(), name.to_owned());
        let (file, texts) = match (defined, name.split_once(FILE_SEPARATOR)) {
            (Some((_, texts)), _) => (file.to_owned(), texts.iter().map(Text::plain).collect()),
            (None, Some((other, name))) => {
                (other.to_owned(), self.values.get(&(other.to_owned(), name.to_owned())).cloned().unwrap_or_default())
            }
            (None, None) if self.values.contains_key(&own) => (file.to_owned(), self.values[&own].clone()),
            (None, None) => match self.constants.get(name).filter(|files| files.len() == 1).and_then(BTreeSet::first) {
                Some(other) => (other.clone(), self.values[&(other.clone(), name.to_owned())].clone()),
                None => return Err(name.to_owned()),
            },
        };
        names_being_filled.push(name.to_owned());
        let mut all = BTreeSet::new();
        for text in texts {
            // An assignment of a variable to itself adds no texts. Only its other assignments do.
            if !(text.literal == format!("{{{name}}}") && names_being_filled.contains(&name.to_owned())) {
                all.extend(self.variants(&file, &text, names_being_filled, placeholder_texts)?);
            }
        }
        names_being_filled.pop();
        if all.is_empty() { Err(name.to_owned()) } else { Ok(all.into_iter().collect()) }
    }
}

/// Returns the Rust files of a folder and its subfolders, in order.
fn source_files(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let is_source = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "rs");
    let below = |path: PathBuf| if path.is_dir() { source_files(&path) } else { vec![path] };
    paths.into_iter().flat_map(below).filter(is_source).collect()
}

/// A part of a literal.
enum Piece {
    Text(String),
    /// A name, or an expression.
    Placeholder(String),
}

/// Splits a literal at its placeholders.
fn split_placeholders(text: &Text) -> Vec<Piece> {
    let (mut pieces, mut rest, mut arguments) = (Vec::new(), text.literal.as_str(), text.arguments.iter());
    while let Some((before, behind)) = rest.split_once('{') {
        let Some((name, after)) = behind.split_once('}') else { break };
        pieces.push(Piece::Text(before.to_owned()));
        let name = name.split_once(':').map_or(name, |(name, _)| name);
        let argument = if name.is_empty() { arguments.next().map_or("", String::as_str) } else { name };
        pieces.push(Piece::Placeholder(argument.to_owned()));
        rest = after;
    }
    pieces.push(Piece::Text(rest.to_owned()));
    pieces
}

/// Collects the literals of a file.
struct Reader<'a> {
    sources: &'a mut Sources,
    file: String,
}

impl Reader<'_> {
    fn add_value(&mut self, name: &str, texts: Vec<Text>) {
        if !texts.is_empty() {
            self.sources.values.entry((self.file.clone(), name.to_owned())).or_default().extend(texts);
        }
    }

    fn add_literal(&mut self, line: usize, text: Text) {
        self.sources.literals.push((Position { file: self.file.clone(), line }, text));
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if !is_for_tests(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        if !is_for_tests(&function.attrs) {
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_attribute(&mut self, _attribute: &'ast Attribute) {}

    fn visit_item_const(&mut self, constant: &'ast ItemConst) {
        let name = constant.ident.to_string();
        let texts = expression_texts(&constant.expr);
        if !texts.is_empty() {
            self.sources.constants.entry(name.clone()).or_default().insert(self.file.clone());
        }
        self.add_value(&name, texts);
        visit::visit_item_const(self, constant);
    }

    fn visit_local(&mut self, local: &'ast Local) {
        let name = match &local.pat {
            Pat::Ident(name) => Some(name.ident.to_string()),
            Pat::Type(typed) => match &*typed.pat {
                Pat::Ident(name) => Some(name.ident.to_string()),
                _ => None,
            },
            _ => None,
        };
        if let Some((name, init)) = name.zip(local.init.as_ref()) {
            self.add_value(&name, expression_texts(&init.expr));
        }
        visit::visit_local(self, local);
    }

    fn visit_lit_str(&mut self, literal: &'ast LitStr) {
        self.add_literal(literal.span().start().line, Text::plain(literal.value()));
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        let name = call.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        let line = call.path.segments.first().map_or(0, |first| first.ident.span().start().line);
        match parse_format_call(call) {
            Some(text) if name == "format" => self.add_literal(line, text),
            _ => string_literals(&call.tokens)
                .into_iter()
                .for_each(|literal| self.add_literal(line, Text::plain(literal))),
        }
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident("test") || is_cfg_test(attribute))
}

fn is_cfg_test(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
}

/// Returns the first literal of a macro, and the expressions after it.
fn parse_format_call(call: &Macro) -> Option<Text> {
    let mut parts = vec![TokenStream::new()];
    for token in call.tokens.clone() {
        match &token {
            TokenTree::Punct(mark) if mark.as_char() == ',' => parts.push(TokenStream::new()),
            _ => parts.last_mut()?.extend([token]),
        }
    }
    let mut parts = parts.into_iter();
    let literal = syn::parse2::<LitStr>(parts.next()?).ok()?.value();
    let expression = |part: TokenStream| part.to_string().split_whitespace().collect::<String>();
    Some(Text { literal, arguments: parts.map(expression).filter(|part| !part.is_empty()).collect() })
}

fn string_literals(tokens: &TokenStream) -> Vec<String> {
    let tree_literals = |token: TokenTree| match token {
        TokenTree::Group(group) => string_literals(&group.stream()),
        TokenTree::Literal(literal) => {
            syn::parse_str::<LitStr>(&literal.to_string()).map(|text| text.value()).into_iter().collect()
        }
        TokenTree::Ident(_) | TokenTree::Punct(_) => Vec::new(),
    };
    tokens.clone().into_iter().flat_map(tree_literals).collect()
}

/// Returns the texts that an expression can have. Empty if they can't be determined.
fn expression_texts(expression: &Expr) -> Vec<Text> {
    match expression {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => vec![Text::plain(text.value())],
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => vec![Text::plain(number.base10_digits())],
        Expr::Macro(call) if call.mac.path.is_ident("format") => parse_format_call(&call.mac).into_iter().collect(),
        Expr::Path(path) => path.path.get_ident().map(|name| Text::plain(format!("{{{name}}}"))).into_iter().collect(),
        Expr::If(choice) => {
            let otherwise = choice.else_branch.iter().flat_map(|(_, otherwise)| expression_texts(otherwise));
            block_texts(&choice.then_branch).into_iter().chain(otherwise).collect()
        }
        Expr::Match(choice) => choice.arms.iter().flat_map(|arm| expression_texts(&arm.body)).collect(),
        Expr::Block(block) => block_texts(&block.block),
        Expr::Paren(inner) => expression_texts(&inner.expr),
        Expr::Reference(inner) => expression_texts(&inner.expr),
        Expr::MethodCall(call) if call.args.is_empty() => expression_texts(&call.receiver),
        Expr::Call(call) if call.args.is_empty() && is_new_string(&call.func) => vec![Text::plain("")],
        _ => Vec::new(),
    }
}

fn block_texts(block: &Block) -> Vec<Text> {
    match block.stmts.last() {
        Some(Stmt::Expr(last, None)) => expression_texts(last),
        Some(Stmt::Macro(call)) if call.mac.path.is_ident("format") => {
            parse_format_call(&call.mac).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn is_new_string(function: &Expr) -> bool {
    let Expr::Path(path) = function else { return false };
    path.path.segments.iter().map(|segment| segment.ident.to_string()).eq(["String", "new"])
}

//! Parses, limits and runs one CEL expression.
//!
//! cel's parser and interpreter recurse with the depth of the text, so both run on threads with [`STACK_BYTES`]. A
//! panic in cel becomes a fault.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, LazyLock},
    thread,
};

use cel::{
    Context, Env, ExecutionError, IdedExpr, Value,
    common::ast::SourceInfo,
    parser::{ParseError, Parser},
};

use super::evaluation_budget::{self, BUDGET_VARIABLE, EvaluationBudget, ExceededLimit};
use crate::events::{Fault, FaultCode};

/// The maximum length of an expression, in characters.
const MAX_EXPRESSION_LENGTH: usize = 4000;
/// The maximum nesting of brackets, including those that the parser adds.
const MAX_DEPTH: u16 = 40;
/// The maximum number of operator characters. Rules in use have a few dozen.
const MAX_OPERATOR_CHARACTERS: u16 = 600;
/// Bytes of stack for the deepest accepted text in a build without optimization.
pub(super) const STACK_BYTES: usize = 64 * 1024 * 1024;

static ENV: LazyLock<Option<Arc<Env>>> = LazyLock::new(|| {
    let mut env = Env::stdlib();
    evaluation_budget::register_functions(&mut env).ok()?;
    Some(Arc::new(env))
});

/// An expression that can be run within a budget.
#[derive(Debug)]
pub(super) struct Expression {
    bounded: IdedExpr,
}

/// A parsed expression, unchanged.
#[derive(Debug)]
pub(super) struct ParsedExpression {
    pub(super) root: IdedExpr,
    pub(super) source: SourceInfo,
    pub(super) text: String,
}

impl ParsedExpression {
    /// Parses an expression. Call it only on a thread with [`STACK_BYTES`].
    pub(super) fn parse(text: &str) -> Result<Self, Fault> {
        if text.trim().is_empty() {
            return Err(Fault::new(FaultCode::Empty, 0));
        }
        if text.chars().count() > MAX_EXPRESSION_LENGTH {
            return Err(Fault::new(FaultCode::TooLong, MAX_EXPRESSION_LENGTH)
                .with_parameter("most", MAX_EXPRESSION_LENGTH.to_string()));
        }
        if let Some(at) = find_depth_excess(text) {
            return Err(Fault::new(FaultCode::TooDeep, at));
        }
        let parse = || Parser::new().max_recursion_depth(MAX_DEPTH).parse_with_source_info(text);
        match catch_unwind(AssertUnwindSafe(parse)) {
            Ok(Ok((root, source))) => Ok(Self { root, source, text: text.to_owned() }),
            Ok(Err(errors)) => Err(first_error(text, &errors.errors)),
            Err(_) => Err(Fault::new(FaultCode::Other, 0).with_parameter("cause", "cel gave up")),
        }
    }

    pub(super) fn into_bounded(mut self) -> Expression {
        evaluation_budget::add_charges(&mut self.root);
        Expression { bounded: self.root }
    }
}

impl Expression {
    /// Evaluates the expression with the variables of `context`. Call it only on a thread with [`STACK_BYTES`].
    pub(super) fn run(&self, context: &Context<'_, '_>, budget: &EvaluationBudget) -> Result<Value, Fault> {
        let run = || Value::resolve(&self.bounded, context);
        let result = catch_unwind(AssertUnwindSafe(run));
        match budget.exceeded_limit() {
            Some(ExceededLimit::Time) => return Err(Fault::new(FaultCode::TooSlow, 0)),
            Some(ExceededLimit::Work) => return Err(Fault::new(FaultCode::TooMuch, 0)),
            None => {}
        }
        match result {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) => Err(to_fault(&error)),
            Err(_) => Err(Fault::new(FaultCode::Other, 0).with_parameter("cause", "cel gave up")),
        }
    }
}

/// Creates a context for expressions. Returns `None` if cel rejects the registered functions.
pub(super) fn new_context() -> Option<Context<'static, 'static>> {
    ENV.as_ref().map(|env| Context::with_env(Arc::clone(env)))
}

/// Runs `work` on a thread with [`STACK_BYTES`] and waits for it. Returns `None` if no thread starts or `work` panics.
pub(super) fn run_on_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("rules".to_owned()).stack_size(STACK_BYTES).spawn_scoped(scope, work);
        thread.ok()?.join().ok()
    })
}

/// Returns the position at which `text` exceeds [`MAX_DEPTH`] or [`MAX_OPERATOR_CHARACTERS`]. The parser recurses for
/// each bracket and operator character.
fn find_depth_excess(text: &str) -> Option<usize> {
    let (mut open, mut signs, mut quote, mut escaped) = (0_u16, 0_u16, None, false);
    for (at, letter) in text.chars().enumerate() {
        match (quote, letter) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(known), _) => quote = Some(known).filter(|known| *known != letter),
            (None, '"' | '\'') => quote = Some(letter),
            (None, '(' | '[' | '{') => open += 1,
            (None, ')' | ']' | '}') => open = open.saturating_sub(1),
            (None, '.' | '+' | '-' | '*' | '/' | '%' | '!' | '?' | '<' | '>' | '=' | '&' | '|') => signs += 1,
            (None, _) => {}
        }
        if open > MAX_DEPTH || signs > MAX_OPERATOR_CHARACTERS {
            return Some(at);
        }
    }
    None
}

/// Returns the first error of cel's parser. Later errors are mostly consequences of it.
fn first_error(text: &str, errors: &[ParseError]) -> Fault {
    let Some(error) = errors.iter().min_by_key(|error| error.pos) else {
        return Fault::new(FaultCode::Other, 0);
    };
    let at = character_offset(text, error.pos.0, error.pos.1);
    let length = text.chars().count();
    if error.msg.contains("'<EOF>'") {
        return Fault::new(FaultCode::Unfinished, length);
    }
    if error.msg.contains("recursion") {
        return Fault::new(FaultCode::TooDeep, at);
    }
    let rest: String = text.chars().skip(at).collect();
    let token: String = if rest.starts_with(['"', '\'']) {
        // An unterminated string.
        return Fault::new(FaultCode::Unfinished, length);
    } else if rest.starts_with(char::is_alphanumeric) {
        rest.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').take(40).collect()
    } else {
        rest.chars().take_while(|letter| !letter.is_alphanumeric() && !letter.is_whitespace()).take(8).collect()
    };
    if token.is_empty() {
        return Fault::new(FaultCode::Unfinished, length);
    }
    Fault::new(FaultCode::NotUnderstood, at).with_parameter("token", token)
}

/// Converts a 1-based line and column into an offset in characters.
fn character_offset(text: &str, line: isize, column: isize) -> usize {
    let (line, column) = (usize::try_from(line).unwrap_or(1), usize::try_from(column).unwrap_or(1));
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(|line| line.chars().count()).sum();
    (before + column.saturating_sub(1)).min(text.chars().count())
}

fn to_fault(error: &ExecutionError) -> Fault {
    let fault = |code| Fault::new(code, 0);
    match error {
        ExecutionError::NoSuchKey(name) => fault(FaultCode::UnknownMember).with_parameter("name", name.as_str()),
        ExecutionError::UndeclaredReference(name) => {
            fault(FaultCode::UnknownName).with_parameter("name", name.as_str())
        }
        ExecutionError::NoSuchOverload(call) => fault(FaultCode::WrongKinds)
            .with_parameter("operation", operator_symbol(call.function()))
            .with_parameter("kinds", type_names(call.argument_types())),
        ExecutionError::UnsupportedBinaryOperator(name, one, other) => fault(FaultCode::WrongKinds)
            .with_parameter("operation", operator_symbol(name))
            .with_parameter("kinds", format!("{}, {}", type_name(one), type_name(other))),
        ExecutionError::UnexpectedType { got, want } => fault(FaultCode::WrongKinds)
            .with_parameter("operation", want.as_str())
            .with_parameter("kinds", short_type_name(got)),
        ExecutionError::FunctionError { function, message } if function == "matches" => {
            fault(FaultCode::Pattern).with_parameter("cause", message.as_str())
        }
        other => {
            let cause: String = other.to_string().chars().take(200).collect();
            fault(FaultCode::Other).with_parameter("cause", cause)
        }
    }
}

/// Lists the types of an operation's arguments, without the budget that [`evaluation_budget`] added.
fn type_names(given: &[String]) -> String {
    let given = given.iter().map(|kind| short_type_name(kind)).filter(|kind| *kind != BUDGET_VARIABLE);
    given.collect::<Vec<_>>().join(", ")
}

/// Returns CEL's name of a value's type.
pub(super) fn type_name(value: &Value) -> String {
    short_type_name(&value.type_of().to_string()).to_owned()
}

fn short_type_name(kind: &str) -> &str {
    match kind {
        "google.protobuf.Timestamp" => "timestamp",
        "google.protobuf.Duration" => "duration",
        "null_type" => "null",
        "float" => "double",
        other => other,
    }
}

/// Returns an operator as written in rules.
fn operator_symbol(name: &str) -> &str {
    match name {
        "add" => "+",
        "sub" => "-",
        "mul" => "*",
        "div" => "/",
        "rem" => "%",
        "_[_]" => "[ ]",
        other => other.trim_start_matches('@').trim_matches('_'),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::answers::pattern::PatternCache;

    /// Evaluates an expression without an event.
    fn evaluate(text: &str) -> Result<Value, Fault> {
        let run = || {
            let budget = EvaluationBudget::new(Instant::now() + Duration::from_secs(60), &PatternCache::default());
            let mut context = new_context().unwrap();
            budget.bind(&mut context);
            ParsedExpression::parse(text)?.into_bounded().run(&context, &budget)
        };
        run_on_deep_stack(run).unwrap()
    }

    #[test]
    fn a_time_is_read_in_the_zone_that_is_named() {
        for (text, shown) in [
            ("timestamp('2026-07-01T10:30:00Z').getHours('Europe/Berlin')", 12),
            ("timestamp('2026-01-01T10:30:00Z').getHours('Europe/Berlin')", 11),
            ("timestamp('2026-10-25T00:59:59Z').getHours('Europe/Berlin')", 2),
            ("timestamp('2026-10-25T01:00:00Z').getHours('Europe/Berlin')", 2),
            ("timestamp('2026-10-25T02:00:00Z').getHours('Europe/Berlin')", 3),
            ("timestamp('2026-12-31T23:30:00Z').getFullYear('Asia/Tokyo')", 2027),
            ("timestamp('2026-07-01T10:30:00Z').getMinutes('Asia/Kathmandu')", 15),
            ("timestamp('2026-07-01T10:30:00Z').getHours('UTC')", 10),
            ("timestamp('2026-07-01T10:30:00Z').getHours('')", 10),
            ("timestamp('2026-07-01T10:30:00Z').getHours('-02:30')", 8),
            ("timestamp('0001-01-01T00:00:00Z').getSeconds('UTC')", 0),
            ("timestamp('9999-12-31T23:59:59Z').getMonth('Pacific/Honolulu')", 11),
        ] {
            assert_eq!(evaluate(text), Ok(Value::Int(shown)), "{text}");
        }
        for unknown in ["Europe/Nowhere", "europe/berlin", "../Europe/Berlin", "/etc/localtime"] {
            let fault = evaluate(&format!("timestamp('2026-07-01T10:30:00Z').getHours('{unknown}')"));
            assert!(fault.is_err(), "{unknown}: {fault:?}");
        }
    }
}

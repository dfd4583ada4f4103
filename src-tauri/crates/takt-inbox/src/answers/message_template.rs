//! Message templates for refusals: text with placeholders `{…}`, each a CEL expression. `{{` and `}}` are braces.

use cel::{Context, Value};

use super::{
    cel_values::EventDecoder,
    evaluation_budget::EvaluationBudget,
    expression::{Expression, ParsedExpression},
};
use crate::events::{Fault, FaultCode};

/// The maximum length of a message, in characters. Longer messages are truncated.
const MAX_MESSAGE_LENGTH: usize = 500;

/// A part of a template.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TemplatePart {
    Text(String),
    /// An expression and its position in the template, in characters.
    Placeholder(String, usize),
}

/// A template whose placeholders can be filled.
#[derive(Debug)]
pub(super) struct MessageTemplate(Vec<CompiledPart>);

#[derive(Debug)]
enum CompiledPart {
    Text(String),
    Placeholder(Expression, usize),
}

impl MessageTemplate {
    /// Parses a template. Call it only on a thread with [`super::expression::STACK_BYTES`].
    pub(super) fn parse(text: &str) -> Result<Self, Fault> {
        let compile = |part| match part {
            TemplatePart::Text(text) => Ok(CompiledPart::Text(text)),
            TemplatePart::Placeholder(text, at) => Ok(CompiledPart::Placeholder(
                ParsedExpression::parse(&text).map_err(|fault| fault.shifted_by(at))?.into_bounded(),
                at,
            )),
        };
        Ok(Self(split_template(text)?.into_iter().map(compile).collect::<Result<_, _>>()?))
    }

    /// Fills the placeholders for one event. Truncates a message that is too long.
    pub(super) fn render(
        &self,
        context: &Context<'_, '_>,
        budget: &EvaluationBudget,
        decoder: &EventDecoder,
    ) -> Result<String, Fault> {
        let mut message = String::new();
        for part in &self.0 {
            if message.len() > 4 * MAX_MESSAGE_LENGTH {
                break;
            }
            match part {
                CompiledPart::Text(text) => message.push_str(text),
                CompiledPart::Placeholder(expression, at) => {
                    let value: Value = expression.run(context, budget).map_err(|fault| fault.shifted_by(*at))?;
                    message.push_str(&decoder.display_text(&value));
                }
            }
        }
        Ok(message.chars().take(MAX_MESSAGE_LENGTH).collect())
    }
}

/// Splits a template into its parts. A brace in a placeholder's string or map doesn't end the placeholder.
pub(super) fn split_template(text: &str) -> Result<Vec<TemplatePart>, Fault> {
    if text.trim().is_empty() {
        return Err(Fault::new(FaultCode::Empty, 0));
    }
    if let Some((at, _)) = text.chars().enumerate().nth(4 * MAX_MESSAGE_LENGTH) {
        return Err(Fault::new(FaultCode::TooLong, at).with_parameter("most", (4 * MAX_MESSAGE_LENGTH).to_string()));
    }
    let mut parts = Vec::new();
    let mut plain = String::new();
    let mut letters = text.chars().enumerate().peekable();
    while let Some((at, letter)) = letters.next() {
        let doubled = letters.peek().is_some_and(|(_, next)| *next == letter);
        match letter {
            '{' | '}' if doubled => {
                letters.next();
                plain.push(letter);
            }
            '}' => return Err(Fault::new(FaultCode::Brace, at)),
            '{' => {
                let expression = placeholder(&mut letters).ok_or_else(|| Fault::new(FaultCode::Brace, at))?;
                if !plain.is_empty() {
                    parts.push(TemplatePart::Text(std::mem::take(&mut plain)));
                }
                parts.push(TemplatePart::Placeholder(expression, at + 1));
            }
            _ => plain.push(letter),
        }
    }
    if !plain.is_empty() {
        parts.push(TemplatePart::Text(plain));
    }
    Ok(parts)
}

/// Returns the expression up to its closing brace, or `None` if there is none.
fn placeholder(letters: &mut impl Iterator<Item = (usize, char)>) -> Option<String> {
    let (mut expression, mut open, mut quote, mut escaped) = (String::new(), 0_u32, None, false);
    for (_, letter) in letters {
        match (quote, letter) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(known), _) => quote = Some(known).filter(|known| *known != letter),
            (None, '"' | '\'') => quote = Some(letter),
            (None, '{') => open += 1,
            (None, '}') if open == 0 => return Some(expression),
            (None, '}') => open -= 1,
            (None, _) => {}
        }
        expression.push(letter);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_its_places() {
        let text = |text: &str| TemplatePart::Text(text.to_owned());
        let placeholder = |text: &str, at| TemplatePart::Placeholder(text.to_owned(), at);
        assert_eq!(split_template("a {b} c"), Ok(vec![text("a "), placeholder("b", 3), text(" c")]));
        assert_eq!(
            split_template("{{x}} {\"}\" + {'a': 1}.a}"),
            Ok(vec![text("{x} "), placeholder("\"}\" + {'a': 1}.a", 7)])
        );
        assert_eq!(split_template("a { b").map_err(|fault| (fault.code, fault.at)), Err((FaultCode::Brace, 2)));
        assert_eq!(split_template("a } b").map_err(|fault| (fault.code, fault.at)), Err((FaultCode::Brace, 2)));
        assert_eq!(split_template("  ").map_err(|fault| fault.code), Err(FaultCode::Empty));
    }
}

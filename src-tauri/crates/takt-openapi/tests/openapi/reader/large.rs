//! Large documents are read completely.

use std::fmt::Write as _;

use super::read;

const OPERATION_COUNT: usize = 2_000;

#[test]
fn a_document_of_many_lines_is_read_whole() {
    let mut text = "openapi: 3.0.1\npaths:".to_owned();
    for index in 0..OPERATION_COUNT {
        let lines = [
            &*format!("/things/{index}:"),
            "  get:",
            "    tags:",
            "      - Things",
            "    parameters:",
            "      - name: page",
            "        in: query",
            "        schema:",
            "          type: integer",
            "    responses:",
            "      '200':",
            "        content:",
            "          application/json:",
            "            schema:",
            "              type: array",
            "              items:",
            "                type: object",
            "                properties:",
            "                  code:",
            "                    type: string",
            "                  amount:",
            "                    type: number",
            "                    nullable: true",
        ];
        for line in lines {
            write!(text, "\n  {line}").unwrap();
        }
    }
    assert!(text.lines().count() > 45_000);
    assert_eq!(read(&text).operations().len(), OPERATION_COUNT);
}

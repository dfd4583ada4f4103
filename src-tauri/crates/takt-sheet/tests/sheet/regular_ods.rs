//! The reader for regular rows of an ods gives the same as the XML reader. A comment before each row makes the XML
//! reader read it.

use takt_sheet::{CellValue, Limits, Sheet, SheetError, Workbook};

use crate::{
    regular_xlsx::{is_same, pick, with_comments},
    support::{Dice, cell_at, ods, pack_zip, read},
};

const CASES: usize = 1_000;

fn random_text(dice: &mut Dice) -> String {
    let pieces = [
        "WO-1",
        " ",
        "  ",
        "ä",
        "&amp;",
        "&lt;",
        "&#10;",
        "&#32;",
        "&#xE4;",
        "&other;",
        "\n",
        "\r\n",
        "\t",
        "7",
        "00",
        ">",
        "]]>",
        "\"",
        "'",
        "<![CDATA[x  y]]>",
        "<!-- c -->",
        "<?pi x?>",
        "<text:s/>",
        "<text:s text:c=\"3\"/>",
        "<text:s text:c='2'></text:s>",
        "<text:s text:c=\"x\"/>",
        "<text:s c=\"2\"/>",
        "<text:s text:c=\"2\" text:c=\"3\"/>",
        "<text:tab/>",
        "<text:line-break/>",
        "<text:span text:style-name=\"T1\">b <text:s/></text:span>",
        "<text:a xlink:href=\"http://a/?b&amp;c\">link</text:a>",
        "<text:p>inner</text:p>",
        "😀",
    ];
    (0..dice.roll(5)).map(|_| pick(dice, &pieces)).collect()
}

/// Returns the attributes that determine a cell's content.
fn random_value_attributes(dice: &mut Dice) -> Vec<String> {
    let numbers = ["7", "00123", "1375.25", "-1.5E3", " 5 ", "1e400", "", "x", "123456789012345678", "&#55;", "NaN"];
    let kinds = [
        ("float", "value", &numbers[..]),
        ("percentage", "value", &numbers[..]),
        ("currency", "value", &numbers[..]),
        ("date", "date-value", &["2026-11-23", "2026-11-23T06:00:00", "2026-02-30", "2026-11-23T06:00:60.5Z", "x"][..]),
        ("time", "time-value", &["PT36H30M00S", "-PT00H00M01.5S", "P1DT01H", "PT1H2", "PT7,25S", "PT", "1:30"][..]),
        ("boolean", "boolean-value", &["true", "false", " true ", "1"][..]),
        ("string", "string-value", &["own", "a&amp;b", "a\nb", "a>b", "it's", "", "a\"b"][..]),
        ("void", "value", &["7"][..]),
        ("", "value", &["7"][..]),
        ("&#102;loat", "value", &["7"][..]),
    ];
    let (kind, name, values) = kinds[dice.roll(kinds.len())];
    let written = pick(dice, values);
    let quote = if dice.roll(5) == 0 || written.contains('"') { '\'' } else { '"' };
    let written = if quote == '\'' { written.replace('\'', "&apos;") } else { written.to_owned() };
    let prefix = pick(dice, &["office:", "office:", "office:", "office:", "office:", "office:", "o:", "calcext:", ""]);
    vec![format!("office:value-type=\"{kind}\""), format!("{prefix}{name}={quote}{written}{quote}")]
}

fn random_attributes(dice: &mut Dice) -> String {
    let mut all = if dice.roll(5) > 0 { random_value_attributes(dice) } else { Vec::new() };
    let others = [
        "table:style-name=\"ce1\"",
        "calcext:value-type=\"error\"",
        "calcext:value-type=\"float\"",
        "calcext:value=\"9\"",
        "table:formula=\"of:=IF([.A1]&gt;1;&quot;a&quot;;'b')\"",
        "table:formula='of:=\"x\"&amp;[.A1]'",
        "table:formula=\"of:=&other;\"",
        "table:number-columns-repeated=\"2\"",
        "table:number-columns-repeated='3'",
        "table:number-columns-repeated=\"0\"",
        "table:number-columns-repeated=\"many\"",
        "table:number-columns-repeated=\" 2 \"",
        "table:number-columns-spanned=\"2\"",
        "table:number-rows-spanned=\"2\"",
        "table:number-matrix-columns-spanned=\"2\"",
        "x:number-columns-repeated=\"4\"",
        "office:value=\"8\"",
        "office:value-type=\"string\"",
        "office:string-value=\"other\"",
        "table:content-validation-name=\"val1\"",
        "a=\"1\"",
        "b=\"<\"",
        "c=\">\"",
        "d=x",
        "e = \"1\"",
        "f",
    ];
    for _ in 0..[0, 0, 0, 1, 1, 2, 4, 9][dice.roll(8)] {
        let index = dice.roll(all.len() + 1);
        all.insert(index, pick(dice, &others).to_owned());
    }
    all.iter().map(|one| format!("{}{one}", pick(dice, &[" ", " ", " ", " ", "  ", "\n", "\r\n\t"]))).collect()
}

fn random_cell(dice: &mut Dice) -> String {
    let name = pick(dice, &["table:table-cell", "table:table-cell", "table:table-cell", "table:covered-table-cell"]);
    let name = if dice.roll(40) == 0 { "t:table-cell" } else { name };
    let attributes = random_attributes(dice);
    let space = pick(dice, &["", "", "", " ", "\n"]);
    let blank = pick(dice, &["", "", "", "\n  ", "x"]);
    let paragraph = |dice: &mut Dice| {
        let own = pick(dice, &["", "", "", " text:style-name=\"P1\"", " a='<>' a='2'", "/"]);
        if own == "/" { "<text:p/>".to_owned() } else { format!("<text:p{own}>{}</text:p>", random_text(dice)) }
    };
    let content = match dice.roll(24) {
        0..4 => return format!("<{name}{attributes}{space}/>{blank}"),
        4 => String::new(),
        5..8 => format!("{}{blank}{}", paragraph(dice), paragraph(dice)),
        8 => format!("<office:annotation><dc:date>x</dc:date>{}</office:annotation>{}", paragraph(dice), paragraph(dice)),
        9 => format!("{}<draw:frame draw:name=\"a\"><draw:image/></draw:frame>", paragraph(dice)),
        10 => format!("<text:h>{}</text:h>", random_text(dice)),
        11 if dice.roll(3) == 0 => {
            "<table:table table:name=\"Sub\"><table:table-row><table:table-cell><text:p>sub</text:p></table:table-cell></table:table-row><table:table-row/></table:table>".to_owned()
        }
        12 => "<text:p>cut <![CDATA[</table:table-cell>]]></text:p>".to_owned(),
        _ => {
            let shown = pick(dice, &["7", "00123", "WO-00123", "1.375,25", "text", "a  b", " a ", "#REF!", "", "123"]);
            format!("<text:p>{shown}</text:p>")
        }
    };
    format!("<{name}{attributes}{space}>{blank}{content}{blank}</{name}{space}>")
}

/// Pieces that make a row irregular.
const IRREGULAR_PIECES: [&str; 20] = [
    "<!",
    "<?",
    "&#",
    "&other",
    "x:",
    "o:",
    ":span",
    ":a ",
    ":tab",
    ":line",
    "inner",
    "annotation",
    "draw:",
    ":h>",
    "\"Sub\"",
    "d=x",
    "e =",
    "calcext:value=",
    "t:table-cell",
    ">x<",
];

/// Returns a cell without irregular pieces, because the rows after irregular ones are rarely tried as regular ones.
fn random_regular_cell(dice: &mut Dice) -> String {
    let mut cells = (0..50).map(|_| random_cell(dice));
    cells.find(|cell| !IRREGULAR_PIECES.iter().any(|odd| cell.contains(odd))).unwrap_or_default()
}

fn random_rows(dice: &mut Dice) -> String {
    let is_mostly_regular = dice.roll(3) > 0;
    let mut rows = "<table:table-row><table:table-cell/></table:table-row>".to_owned();
    for _ in 0..2 + dice.roll(6) {
        let looks = pick(
            dice,
            &[
                "",
                "",
                "",
                " table:style-name=\"ro1\"",
                " table:number-rows-repeated=\"2\"",
                " table:number-rows-repeated='3' table:style-name='ro1'",
                " table:number-rows-repeated=\"9\"",
                " table:visibility=\"collapse\"",
                " table:visibility=\"filter\" table:number-rows-repeated=\"2\"",
                " table:visibility=\"visible\"",
                " x:visibility=\"collapse\"",
                " table:visibility=\"visible\" table:visibility=\"collapse\"",
                " table:style-name=\"a\" table:style-name=\"b\" table:visibility=\"collapse\"",
            ],
        );
        if dice.roll(9) == 0 {
            rows += &format!("<table:table-row{looks}/>");
            continue;
        }
        let cells: String = (0..dice.roll(5))
            .map(|_| if is_mostly_regular { random_regular_cell(dice) } else { random_cell(dice) })
            .collect();
        let between =
            ["", "", "", "\r\n", "</table:table-row-group><table:table-row-group>", "<text:soft-page-break/>"];
        let between = if dice.roll(30) == 0 {
            "<table:table-cell><text:p>astray</text:p></table:table-cell>"
        } else {
            pick(dice, &between)
        };
        rows += &format!("<table:table-row{looks}>{cells}</table:table-row>{between}");
    }
    rows
}

fn random_tables(dice: &mut Dice) -> String {
    let table = |dice: &mut Dice, name: &str| {
        let columns = pick(
            dice,
            &["", "<table:table-column table:number-columns-repeated=\"2\" table:visibility=\"collapse\"/>"],
        );
        format!(
            "<table:table table:name=\"{name}\">{columns}<table:table-row-group>{}</table:table-row-group></table:table>",
            random_rows(dice)
        )
    };
    format!("{}{}", table(dice, "A"), table(dice, "B"))
}

/// Returns all listed sheets, or the error of the workbook.
fn sheets(bytes: Vec<u8>, limits: &Limits) -> Result<Vec<Result<Sheet, SheetError>>, SheetError> {
    let workbook = Workbook::from_bytes(bytes, "a.ods", limits)?;
    let listed = workbook.sheets().iter();
    Ok(listed.map(|sheet| workbook.read(&sheet.name, limits, &|| false)).collect())
}

fn file(content: &str) -> Vec<u8> {
    pack_zip(&[("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"), ("content.xml", content.as_bytes())])
}

fn with_row_comments(content: &str) -> String {
    String::from_utf8(with_comments(content.as_bytes(), "<table:table-row")).unwrap()
}

#[test]
fn rows_say_the_same_in_whichever_way_they_are_read() {
    let seed = std::env::var("TAKT_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0x5EED_u64);
    println!("TAKT_SEED={seed}");
    let mut dice = Dice(seed);
    let mut read_whole = 0;
    for case in 0..CASES {
        let tables = random_tables(&mut dice);
        let whole = format!("<office:document-content><office:body>{tables}</office:body></office:document-content>");
        let content = match dice.roll(20) {
            0 => whole[..whole.floor_char_boundary(dice.roll(whole.len()))].to_owned(),
            1 => whole.replacen("</text:p>", "</text:q>", 1),
            _ => whole,
        };
        let limits = match dice.roll(8) {
            0 => Limits { text_bytes: 6, ..Limits::default() },
            1 => Limits { columns: 4, rows: 9, ..Limits::default() },
            2 => Limits { cells: 20, ..Limits::default() },
            _ => Limits::default(),
        };
        let (regular, by_xml) = (sheets(file(&content), &limits), sheets(file(&with_row_comments(&content)), &limits));
        let is_same = match (&regular, &by_xml) {
            (Ok(one), Ok(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
            }
            (Err(one), Err(other)) => std::mem::discriminant(one) == std::mem::discriminant(other),
            _ => false,
        };
        assert!(is_same, "case {case}: {regular:?} is not {by_xml:?}, of {content}");
        read_whole += usize::from(regular.is_ok_and(|sheets| sheets.iter().all(Result::is_ok)));
    }
    assert!(read_whole > CASES / 4, "only {read_whole} could be read at all");
}

#[test]
fn rows_that_are_longer_than_what_is_held_are_read() {
    let long = "ä".repeat(400_000);
    let cells: String =
        (0..12).map(|column| format!("<table:table-cell><text:p>{column}{long}</text:p></table:table-cell>")).collect();
    let row = |cells: &str| format!("<table:table-row>{cells}</table:table-row>");
    let last = row("<table:table-cell office:value-type=\"float\" office:value=\"7\"/>");
    let table = format!("<table:table table:name=\"S\">{last}{}{last}</table:table>", row(&cells));
    let sheet = read(ods("", &table), "a.ods").unwrap();
    assert_eq!((sheet.cells, cell_at(&sheet, "A3").value()), (14, CellValue::Number(7.0)));
    assert!(cell_at(&sheet, "L2").shown().starts_with("11ä"));
}

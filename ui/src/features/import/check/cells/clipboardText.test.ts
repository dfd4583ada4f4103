// @vitest-environment jsdom
import { expect, test } from 'vitest';

import { formatAsTable, formatAsText, parseClipboard } from './clipboardText';

/** Builds clipboard HTML as Excel 365 does: a header with offsets, styles in a comment, and a line end after each cell. */
function excelHtml(rows: string): string {
  return `Version:1.0\r\nStartHTML:0000000105\r\nEndHTML:0000001904\r\nStartFragment:0000001520\r\nEndFragment:0000001852\r\n\r
<html xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel" xmlns="http://www.w3.org/TR/REC-html40">\r
<head>\r\n<meta http-equiv=Content-Type content="text/html; charset=utf-8">\r\n<meta name=ProgId content=Excel.Sheet>\r\n<meta name=Generator content="Microsoft Excel 15">\r
<style>\r\n<!--table\r\n\t{mso-displayed-decimal-separator:"\\,";\r\n\tmso-displayed-thousand-separator:"\\.";}\r\n.xl65\r\n\t{white-space:normal;}\r\n-->\r\n</style>\r\n</head>\r
<body link=blue vlink=purple>\r\n<table border=0 cellpadding=0 cellspacing=0 width=192 style='border-collapse:collapse;width:144pt'>\r\n<!--StartFragment-->\r
 <col width=64 span=3 style='width:48pt'>\r\n${rows}\r\n<!--EndFragment-->\r\n</table>\r\n</body>\r\n</html>\r\n`;
}

test('Excel: a block, a cell of two lines, quotes of its own, and empty cells', () => {
  const html = excelHtml(
    ` <tr height=40 style='height:30.0pt'>\r\n  <td height=40 class=xl65 width=64 style='height:30.0pt;width:48pt'>first<br>\r\n    second</td>\r\n  <td width=64 style='width:48pt'>5&quot; pipe</td>\r\n  <td align=right width=64 style='width:48pt'>1.234,50</td>\r\n </tr>\r\n <tr height=20>\r\n  <td height=20></td>\r\n  <td>&quot;new&quot;</td>\r\n  <td></td>\r\n </tr>`,
  );
  const text = '"first\nsecond"\t"5"" pipe"\t1.234,50\r\n\t"""new"""\t\r\n';
  const cells = [
    ['first\nsecond', '5" pipe', '1.234,50'],
    ['', '"new"', ''],
  ];
  expect(parseClipboard({ text, html })).toEqual(cells);
  expect(parseClipboard({ text, html: '' })).toEqual(cells);
  // Some remote desktops provide only the table.
  expect(parseClipboard({ text: '', html })).toEqual(cells);
});

test('Excel: merged cells are their first, the others are empty', () => {
  const html = excelHtml(
    ` <tr>\r\n  <td rowspan=2 height=40>WO-1</td>\r\n  <td colspan=2>MAT-1</td>\r\n </tr>\r\n <tr>\r\n  <td>5</td>\r\n  <td>6</td>\r\n </tr>`,
  );
  const cells = [
    ['WO-1', 'MAT-1', ''],
    ['', '5', '6'],
  ];
  expect(parseClipboard({ text: 'WO-1\tMAT-1\t\r\n\t5\t6\r\n', html })).toEqual(cells);
  expect(parseClipboard({ text: '', html })).toEqual(cells);
});

test('Excel: a last row that is empty counts', () => {
  expect(parseClipboard({ text: 'a\r\n\r\n', html: '' })).toEqual([['a'], ['']]);
  expect(parseClipboard({ text: 'a\r\n', html: '' })).toEqual([['a']]);
});

test('LibreOffice: quotes only around what parts cells', () => {
  const html = `<!DOCTYPE html>\n<html>\n<head>\n\t<meta http-equiv="content-type" content="text/html; charset=utf-8"/>\n\t<title></title>\n\t<meta name="generator" content="LibreOffice 24.8.2.1 (Linux)"/>\n\t<style type="text/css">\n\t\tbody,div,table,thead,tbody,tfoot,tr,th,td,p { font-family:"Liberation Sans"; font-size:x-small }\n\t</style>\n</head>\n<body>\n<table cellspacing="0" border="0">\n\t<colgroup width="85"></colgroup>\n\t<colgroup width="85"></colgroup>\n\t<tr>\n\t\t<td height="17" align="left">first<br>second</td>\n\t\t<td align="right" sdval="12.5" sdnum="1031;">12,5</td>\n\t</tr>\n\t<tr>\n\t\t<td height="17" align="left">&quot;new&quot;</td>\n\t\t<td align="left">5&quot; pipe</td>\n\t</tr>\n</table>\n</body>\n</html>\n`;
  const text = '"first\nsecond"\t12,5\n"new"\t5" pipe\n';
  const cells = [
    ['first\nsecond', '12,5'],
    ['"new"', '5" pipe'],
  ];
  expect(parseClipboard({ text, html })).toEqual(cells);
});

test('Google Sheets: no end after the last row, and quotes that are a text’s own', () => {
  const sheet = (rows: string) =>
    `<meta charset='utf-8'><google-sheets-html-origin><style type="text/css"><!--td {border: 1px solid silver;}br {mso-data-placement:same-cell;}--></style><table xmlns="http://www.w3.org/1999/xhtml" cellspacing="0" cellpadding="0" dir="ltr" border="1" data-sheets-root="1" data-sheets-baot="1"><colgroup><col width="100"/><col width="100"/></colgroup><tbody>${rows}</tbody></table>`;
  const two = sheet('<tr style="height:21px;"><td>first<br/>sec&quot;ond</td><td style="text-align:right;">7,5</td></tr><tr style="height:21px;"><td>&quot;new&quot;</td><td></td></tr>');
  expect(parseClipboard({ text: '"first\nsec""ond"\t7,5\n"new"\t', html: two })).toEqual([
    ['first\nsec"ond', '7,5'],
    ['"new"', ''],
  ]);
  const open = sheet('<tr><td>"open</td><td>1</td></tr><tr><td>2</td><td>shut"</td></tr>');
  expect(parseClipboard({ text: '"open\t1\n2\tshut"', html: open })).toEqual([
    ['"open', '1'],
    ['2', 'shut"'],
  ]);
  const empty = sheet('<tr><td>a</td></tr><tr><td></td></tr>');
  expect(parseClipboard({ text: 'a\n', html: empty })).toEqual([['a'], ['']]);
});

test('a plain text is one cell for each line, and nothing is nothing', () => {
  expect(parseClipboard({ text: 'MAT-1001', html: '<b>MAT-1001</b>' })).toEqual([['MAT-1001']]);
  expect(parseClipboard({ text: ' a \nb\rc', html: '' })).toEqual([[' a '], ['b'], ['c']]);
  expect(parseClipboard({ text: '', html: '' })).toEqual([]);
});

test('what is copied comes back as it was, as text and as table', () => {
  const cells = [
    ['010', 'two\nlines', '5" pipe'],
    ['<b>&', '"q"', ''],
  ];
  expect(parseClipboard({ text: formatAsText(cells), html: '' })).toEqual(cells);
  expect(parseClipboard({ text: '', html: formatAsTable(cells) })).toEqual(cells);
  expect(formatAsTable(cells)).toContain(`<td style='mso-number-format:"\\@"'>010</td>`);
});

import { AllCommunityModule, ModuleRegistry, createGrid } from 'ag-grid-community';

// A table for benchmarks to compare with the window's: AG Grid alone, with all rows in memory. Its size, row height and column
// width equal those of the window's table, so that the same number of cells is visible.
const rowCount = 100_000;
const columnCount = 16;
const size = new URLSearchParams(window.location.search);

ModuleRegistry.registerModules([AllCommunityModule]);

const element = document.querySelector<HTMLDivElement>('#grid');
if (element) {
  element.style.width = `${size.get('width') ?? 1100}px`;
  element.style.height = `${size.get('height') ?? 780}px`;
  createGrid(element, {
    columnDefs: Array.from({ length: columnCount }, (_, column) => ({ field: `c${column}`, headerName: `Column ${column}` })),
    rowHeight: 28,
    defaultColDef: { sortable: true, resizable: true, width: 140 },
    rowData: Array.from({ length: rowCount }, (_row, row) =>
      Object.fromEntries(Array.from({ length: columnCount }, (_column, column) => [`c${column}`, `Value ${row}-${column}`])),
    ),
  });
}

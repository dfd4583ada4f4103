import { AllCommunityModule, ModuleRegistry, createGrid } from 'ag-grid-community';

// What a table of the window is measured against: the library alone, all rows in its hands, nothing to ask for. It is as
// large as the window's table, with rows as high and columns as wide: as many cells come into sight.
const rows = 100_000;
const columns = 16;
const size = new URLSearchParams(window.location.search);

ModuleRegistry.registerModules([AllCommunityModule]);

const element = document.querySelector<HTMLDivElement>('#grid');
if (element) {
  element.style.width = `${size.get('width') ?? 1100}px`;
  element.style.height = `${size.get('height') ?? 780}px`;
  createGrid(element, {
    columnDefs: Array.from({ length: columns }, (_, column) => ({ field: `c${column}`, headerName: `Column ${column}` })),
    rowHeight: 28,
    defaultColDef: { sortable: true, resizable: true, width: 140 },
    rowData: Array.from({ length: rows }, (_row, row) =>
      Object.fromEntries(Array.from({ length: columns }, (_column, column) => [`c${column}`, `Value ${row}-${column}`])),
    ),
  });
}

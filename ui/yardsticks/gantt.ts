import { type CustomSeriesRenderItemAPI, type CustomSeriesRenderItemParams, graphic, init } from 'echarts';

// What the window's Gantt is measured against: the library alone, as its own example draws one, without planned beside
// real, without marks, words or clicks.
const orders = 10_000;
const stations = 40;
const hour = 3_600_000;
const start = Date.UTC(2026, 0, 5);

const bars = Array.from({ length: orders }, (_, order) => {
  const begin = start + Math.floor(order / stations) * 4 * hour + (order % 3) * 600_000;
  return [order % stations, begin, begin + 3 * hour];
});

function bar(params: CustomSeriesRenderItemParams, api: CustomSeriesRenderItemAPI) {
  const lane = api.value(0);
  const [left = 0, middle = 0] = api.coord([api.value(1), lane]);
  const [right = 0] = api.coord([api.value(2), lane]);
  const size = api.size?.([0, 1]);
  const height = (Array.isArray(size) ? (size[1] ?? 0) : 0) * 0.6;
  const area = params.coordSys as unknown as { x: number; y: number; width: number; height: number };
  const shape = graphic.clipRectByRect({ x: left, y: middle - height / 2, width: right - left, height }, area);
  return shape && { type: 'rect' as const, shape, style: { fill: String(api.visual('color')) } };
}

const element = document.querySelector<HTMLDivElement>('#gantt');
if (element) {
  element.style.height = '780px';
  init(element).setOption({
    animation: false,
    xAxis: { type: 'time' },
    yAxis: { type: 'category', data: Array.from({ length: stations }, (_, station) => `Station ${station}`) },
    dataZoom: [
      { type: 'inside', xAxisIndex: 0, filterMode: 'weakFilter', start: 40, end: 50 },
      { type: 'slider', xAxisIndex: 0, filterMode: 'weakFilter', start: 40, end: 50 },
    ],
    series: [{ type: 'custom', renderItem: bar, encode: { x: [1, 2], y: 0 }, data: bars }],
  });
}

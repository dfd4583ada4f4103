import { type CustomSeriesRenderItemAPI, type CustomSeriesRenderItemParams, graphic, init } from 'echarts';

// A Gantt chart for benchmarks to compare with the window's: ECharts alone, as in its own example. It has one bar per order, and
// no marks, texts or clicks.
const orderCount = 10_000;
const stationCount = 40;
const hour = 3_600_000;
const start = Date.UTC(2026, 0, 5);

const bars = Array.from({ length: orderCount }, (_, order) => {
  const begin = start + Math.floor(order / stationCount) * 4 * hour + (order % 3) * 600_000;
  return [order % stationCount, begin, begin + 3 * hour];
});

function renderBar(params: CustomSeriesRenderItemParams, api: CustomSeriesRenderItemAPI) {
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
    yAxis: { type: 'category', data: Array.from({ length: stationCount }, (_, station) => `Station ${station}`) },
    dataZoom: [
      { type: 'inside', xAxisIndex: 0, filterMode: 'weakFilter', start: 40, end: 50 },
      { type: 'slider', xAxisIndex: 0, filterMode: 'weakFilter', start: 40, end: 50 },
    ],
    series: [{ type: 'custom', renderItem: renderBar, encode: { x: [1, 2], y: 0 }, data: bars }],
  });
}
